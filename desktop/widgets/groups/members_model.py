"""The items of a group as a Qt list model, one row per item.

Hides the row that is a heading, below which are the items that are in other groups too. Promises
to say of rows whether they changed or only look different.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop import theme
from desktop.widgets import words
from desktop.widgets.certainty import very_sure
from desktop.widgets.groups.belonging import slots_of
from desktop.widgets.item_words import ItemWords
from engine.model import FloatArray, IntArray, Overview

ITEM = Qt.ItemDataRole.UserRole

_Index = QModelIndex | QPersistentModelIndex
_CELLS = 10


class MembersModel(QAbstractListModel):
    """One row per item, in the order of the group: exemplar first, most doubtful last.

    Of a group that shares items, those that are in it alone come first, then a row that is a
    heading, then the others.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: IntArray = np.zeros(0, dtype=np.int32)
        self._confidence: FloatArray = np.zeros(0, dtype=np.float32)
        self._very_sure = 1.0
        self._is_known = True
        self._prototypes: frozenset[int] = frozenset()
        self._criticisms: frozenset[int] = frozenset()
        self._exemplars: tuple[int, ...] = ()
        self._overview: Overview | None = None
        self._slot: int | None = None
        self._heading: int | None = None
        self._words = ItemWords(None)

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self.beginResetModel()
        self._words, self._items = item_words, np.zeros(0, dtype=np.int32)
        self._overview = self._slot = self._heading = None
        self.endResetModel()

    def show(self, items: IntArray, overview: Overview, slot: int | None) -> bool:
        """Show items of a state; `slot` = of the group that they are, if they are one.

        Returns
        -------
        Whether the rows are others than before; if not, only their looks may have changed.
        """
        self._confidence = overview.confidence
        self._very_sure = very_sure(overview)
        # of a cut that is looked at nothing is known
        self._is_known = not any(math.isnan(group.confidence) for group in overview.groups)
        self._prototypes = frozenset(overview.prototypes)
        self._criticisms = frozenset(overview.criticisms)
        self._exemplars = tuple(group.exemplar for group in overview.groups)
        self._overview, self._slot = overview, slot
        heading = _first_mixed(overview, slot)
        if heading == self._heading and np.array_equal(items, self._items):
            if len(items):
                self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))
            return False
        self.beginResetModel()
        self._items, self._heading = items, heading
        self.endResetModel()
        return True

    @property
    def heading(self) -> int | None:
        """The row that is no item, but says that those below it are in other groups too."""
        return self._heading

    def heading_text(self) -> str:
        """Give the words of the heading."""
        count = len(self._items) - (self._heading or 0)
        return self.tr("Also in other groups: {0}").format(words.number(count))

    def item_at(self, row: int) -> int | None:
        """Give the item of a row; None = the heading."""
        if self._heading is None or row < self._heading:
            return int(self._items[row])
        return None if row == self._heading else int(self._items[row - 1])

    def other_slots(self, item: int) -> tuple[int, ...]:
        """Give the groups that an item is in besides the one shown, where it may be in several."""
        if self._overview is None or not self._overview.shares:
            return ()
        return tuple(slot for slot in slots_of(self._overview, item) if slot != self._slot)

    @property
    def item_words(self) -> ItemWords:
        """Words for the items."""
        return self._words

    def row_of(self, item: int) -> int:
        """Find the row of an item; -1 where it is not here."""
        found = np.flatnonzero(self._items == item)
        if not len(found):
            return -1
        row = int(found[0])
        return row + (self._heading is not None and row >= self._heading)

    def certainty(self, item: int) -> float | None:
        """Give how sure the item's place is, as a share of what is very sure in this state.

        None = not known.
        """
        if not self._is_known:
            return None
        return min(1.0, float(self._confidence[item]) / self._very_sure)

    def mark(self, item: int) -> str:
        """Say whether the item is a prototype or a criticism; "" for neither."""
        if item in self._prototypes:
            return self.tr("prototype")
        if item in self._criticisms:
            return self.tr("badly represented")
        return ""

    def is_prototype(self, item: int) -> bool:
        """Whether the item stands for its group."""
        return item in self._prototypes

    def telling(self, item: int) -> tuple[str, ...]:
        """Give the cells that set a row apart from the exemplars."""
        cells = self._words.telling(item, self._exemplars, _CELLS)
        return tuple(f"{cell.column} {cell.text}" for cell in cells)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._items) + (self._heading is not None)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        item = self.item_at(index.row())
        if item is None:
            is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return self.heading_text() if is_text else None
        if role == ITEM:
            return item
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.name(item)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            sure = words.certainty(float(self._confidence[item])) if self._is_known else ""
            parts = (self._words.name(item), sure, self.mark(item), self._elsewhere(item))
            joint = "\n" if role == Qt.ItemDataRole.ToolTipRole else ", "
            return joint.join(part for part in parts if part)
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let the heading be passed over."""
        is_heading = index.isValid() and index.row() == self._heading
        return Qt.ItemFlag.NoItemFlags if is_heading else super().flags(index)

    def _elsewhere(self, item: int) -> str:
        """Say in which other groups an item is."""
        others = self.other_slots(item)
        if not others or self._overview is None:
            return ""
        names = {group.slot: group.name for group in self._overview.groups}
        called = (f"{theme.slot_text(slot)} {names.get(slot, '')}".rstrip() for slot in others)
        text = self.tr("in {0}") if self._slot is None else self.tr("also in {0}")
        return text.format(self.tr(" and ").join(called))


def _first_mixed(overview: Overview, slot: int | None) -> int | None:
    """Give the place in a group of the first item that is in other groups too."""
    if overview.memberships is None:
        return None
    sizes = ((one.size, one.mixed) for one in overview.groups if one.slot == slot and one.mixed)
    return next((size - mixed for size, mixed in sizes), None)
