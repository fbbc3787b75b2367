"""Items in words: their names, and for table rows the cells that tell most about them.

Hides column roles and the many ways numbers are written. Promises that a label column, which is
the truth kept for evaluation, is never shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from desktop.messages import Opened
from engine.dataset import ColumnKind, Role

_SHOWN = (Role.TEXT, Role.FEATURE)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with the name of its column."""

    column: str
    text: str


class ItemWords:
    """What can be said about the items of an open study.

    Parameters
    ----------
    opened
        The study; None where no project is open, then there are no items.
    """

    def __init__(self, opened: Opened | None) -> None:
        self._items = opened.items if opened is not None else ()
        columns = opened.columns if opened is not None else ()
        shown = [at for at, column in enumerate(columns) if column.role in _SHOWN]
        self._shown = sorted(shown, key=lambda at: _SHOWN.index(columns[at].role))
        self._columns = columns
        self.has_pictures = any(item.path is not None for item in self._items)
        """Whether the items are told apart by pictures."""

    def __len__(self) -> int:
        return len(self._items)

    def has_picture(self, item: int) -> bool:
        """Whether the item is, or comes with, a picture."""
        return self._items[item].path is not None

    def name(self, item: int) -> str:
        """Give what a person calls the item."""
        return self._items[item].name

    def short_name(self, item: int) -> str:
        """Give the last part of a path, for places where the folder has no room."""
        return self._items[item].name.rpartition("/")[2]

    def shortest_name(self, item: int) -> str:
        """Give the name without folder and, of a picture, without what all pictures end in."""
        name = self.short_name(item)
        return PurePath(name).stem if self.has_picture(item) else name

    def copies(self, item: int) -> tuple[str, ...]:
        """Give the names of the exact copies that the item stands for."""
        return self._items[item].copies

    def cells(self, item: int) -> tuple[Cell, ...]:
        """Give the cells of a table row, shown texts before measurements."""
        texts = self._items[item].cells
        return tuple(Cell(self._columns[at].name, texts[at]) for at in self._shown if texts)

    def telling(self, item: int, among: Iterable[int], limit: int) -> tuple[Cell, ...]:
        """Choose the cells that set a row apart from others: shown texts, then the odd values.

        Parameters
        ----------
        item
            The row.
        among
            Rows to compare with, such as the exemplars of the other groups.
        limit
            How many cells at most.
        """
        texts = self._items[item].cells
        if not texts:
            return ()
        others = [self._items[other].cells for other in among if other != item]
        ranked = sorted(
            range(len(self._shown)),
            key=lambda rank: (-self._oddness(self._shown[rank], texts, others), rank),
        )
        chosen = (self._shown[rank] for rank in ranked[:limit])
        return tuple(Cell(self._columns[at].name, texts[at]) for at in chosen)

    def _oddness(
        self, at: int, texts: Sequence[str], others: Sequence[Sequence[str]]
    ) -> float:  # fmt: skip
        column = self._columns[at]
        if column.role is Role.TEXT:
            return np.inf
        values = [other[at] for other in others]
        if column.kind is not ColumnKind.NUMBER:
            return 1.0 - Counter(values)[texts[at]] / max(1, len(values))
        own = to_number(texts[at])
        numbers = [found for value in values if (found := to_number(value)) is not None]
        if own is None or not numbers:
            return 0.0
        spread = float(np.std([own, *numbers]))
        return abs(own - float(np.mean(numbers))) / spread if spread > 0 else 0.0


def to_number(text: str) -> float | None:
    """Read a number with a decimal point or comma; None where there is none."""
    try:
        number = float(text.replace(",", ".") if "." not in text else text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
