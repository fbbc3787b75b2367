"""Items and groups as a Qt table model: one row per item, one column per group, and some more.

Hides sorting and sifting. Promises that what is sorted by and which items are wanted outlive every
new state, and that rows are told by item, columns by what they hold.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop.widgets import words
from desktop.widgets.certainty import very_sure
from desktop.widgets.composing.sharing import (
    Column,
    Field,
    Sharing,
    Sorting,
    Wanted,
    ranked,
)
from desktop.widgets.composing.sharing_words import (
    SharingWords,
    about_fit,
    signs,
)
from desktop.widgets.item_words import ItemWords
from engine.model import Group, IntArray

ITEM = Qt.ItemDataRole.UserRole

_Index = QModelIndex | QPersistentModelIndex
_CELLS = 6
_NOTHING: IntArray = np.zeros(0, dtype=np.int32)
_FORMULA = ("=", "+", "-", "@", "\t")


class MatrixModel(QAbstractTableModel):
    """The model. It is reset by every change; views know their place by `ITEM` and `columns`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sharing: Sharing | None = None
        self.sorting = Sorting()
        self.wanted = Wanted()
        self.columns: tuple[Column, ...] = ()
        self.item_words = ItemWords(None)
        self.words: SharingWords | None = None
        self._groups: dict[int, Group] = {}
        self._rank: IntArray | None = None
        self._rows: IntArray = _NOTHING
        self._place: IntArray = _NOTHING
        self._very_sure = 1.0
        self._telling: dict[int, tuple[str, ...]] = {}

    # ------------------------------------------------------------------ states

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self.beginResetModel()
        self.item_words, self._rank, self.sharing = item_words, None, None
        self.sorting, self.wanted, self.columns = Sorting(), Wanted(), ()
        self._rows = self._place = _NOTHING
        self._telling = {}
        self.endResetModel()

    def show(self, sharing: Sharing) -> None:
        """Take another state."""
        self.beginResetModel()
        self.sharing, self.words = sharing, SharingWords(sharing)
        self._groups = {group.slot: group for group in sharing.groups}
        self._very_sure = very_sure(sharing.overview)
        self._telling = {}
        self.columns = (
            Column(Field.ITEM),
            Column(Field.COUNT),
            *(Column(Field.GROUP, group.slot) for group in sharing.groups),
            Column(Field.FIT),
            Column(Field.CERTAINTY),
        )
        self._arrange()
        self.endResetModel()

    def sort_by(self, sorting: Sorting) -> None:
        """Sort otherwise."""
        self.beginResetModel()
        self.sorting = sorting
        self._arrange()
        self.endResetModel()

    def want(self, wanted: Wanted) -> None:
        """Show other items."""
        self.beginResetModel()
        self.wanted = wanted
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        if self.sharing is None:
            return
        by_name = self.sorting.column.field is Field.ITEM
        if self._rank is None and by_name:
            names = [self.item_words.name(item) for item in range(len(self.item_words))]
            self._rank = ranked(names)
        rank = self._rank if by_name and self._rank is not None else self._as_given()
        self._rows = self.sharing.rows(self.wanted, self.sorting, rank)
        self._place = np.full(len(self.sharing), -1, dtype=np.int32)
        self._place[self._rows] = np.arange(len(self._rows))

    def _as_given(self) -> IntArray:
        return np.arange(len(self.sharing or ()), dtype=np.int32)

    # ------------------------------------------------------------------ rows and columns

    def item_at(self, row: int) -> int:
        """Give the item of a row."""
        return int(self._rows[row])

    def row_of(self, item: int) -> int:
        """Find the row of an item; -1 where it is not shown."""
        return int(self._place[item]) if 0 <= item < len(self._place) else -1

    def rows_of(self, items: IntArray) -> IntArray:
        """Find the rows of the items that are shown, rising."""
        rows = self._place[items[items < len(self._place)]]
        shown: IntArray = np.sort(rows[rows >= 0])
        return shown

    def items_at(self, rows: IntArray) -> IntArray:
        """Give the items of some rows."""
        return self._rows[rows]

    def column_of(self, column: Column) -> int:
        """Find a column; -1 where there is none."""
        return self.columns.index(column) if column in self.columns else -1

    def group(self, column: Column) -> Group | None:
        """Give the group of a column."""
        return self._groups.get(column.slot)

    def belongs(self, item: int, slot: int) -> bool:
        """Whether an item belongs to a group."""
        return self.sharing is not None and bool(self.sharing.table[item, slot])

    def certainty(self, item: int) -> float:
        """Give how sure an item's place is, as a share of what is very sure in this state."""
        if self.sharing is None:
            return 0.0
        return min(1.0, float(self.sharing.certainty[item]) / self._very_sure)

    def is_aside(self, item: int) -> bool:
        """Whether an item was set aside."""
        return self.sharing is not None and bool(self.sharing.is_aside[item])

    @property
    def aside_word(self) -> str:
        """What is said of an item that was set aside."""
        return self.tr("set aside")

    def telling(self, item: int) -> tuple[str, ...]:
        """Give the cells that set a row apart from the exemplars."""
        if item not in self._telling:
            among = [group.exemplar for group in self._groups.values()]
            cells = self.item_words.telling(item, among, _CELLS)
            self._telling[item] = tuple(f"{cell.column} {cell.text}" for cell in cells)
        return self._telling[item]

    # ------------------------------------------------------------------ what Qt asks

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a cell holds, in words for reading and for screen readers."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        item, column = int(self._rows[index.row()]), self.columns[index.column()]
        if role == ITEM:
            return item
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(item, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.item_words.name(item)}, {self._told(item, column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self.item_words.name(item)}\n{self._told(item, column)}"
        return None

    def _text(self, item: int, column: Column) -> str:
        if self.sharing is None or self.words is None:
            return ""
        if column.field is Field.ITEM:
            return self.item_words.name(item)
        if self.is_aside(item):
            return ""
        match column.field:
            case Field.COUNT:
                return words.number(int(self.sharing.counts[item]))
            case Field.FIT:
                return self.words.distance(self.sharing.fit[item])
            case Field.CERTAINTY:
                return self.words.certainty(float(self.sharing.certainty[item]))
            case _:
                return signs((column.slot,)) if self.belongs(item, column.slot) else ""

    def _told(self, item: int, column: Column) -> str:
        if self.sharing is None or self.words is None:
            return ""
        if self.is_aside(item):
            return self.aside_word
        match column.field:
            case Field.GROUP:
                group = self.words.names((column.slot,))
                belongs = self.belongs(item, column.slot)
                said = self.tr("belongs to {0}") if belongs else self.tr("does not belong to {0}")
                return said.format(group)
            case Field.FIT:
                return self.tr("fit {0}").format(self._text(item, column))
            case Field.CERTAINTY:
                return words.certainty(float(self.sharing.certainty[item]))
            case _:
                slots = self.sharing.of(item)
                if not slots:
                    return self.tr("in no group yet")
                return self.tr("in {0}").format(self.words.names(slots))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name the columns."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.title(column)}, {self.about(column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self.about(column)}\n{self._ways(column)}"
        return None

    def title(self, column: Column) -> str:
        """Name a column."""
        match column.field:
            case Field.ITEM:
                return self.tr("Item")
            case Field.COUNT:
                return self.tr("Groups")
            case Field.FIT:
                return self.tr("Fit")
            case Field.CERTAINTY:
                return self.tr("Certainty")
            case Field.GROUP:
                return self.words.title(column.slot) if self.words is not None else ""

    def about(self, column: Column) -> str:
        """Say what a column holds."""
        match column.field:
            case Field.ITEM:
                return self.tr("The items by name")
            case Field.COUNT:
                return self.tr("How many groups an item belongs to")
            case Field.FIT:
                return about_fit()
            case Field.CERTAINTY:
                return words.about_certainty()
            case Field.GROUP:
                group = self.group(column)
                if group is None or self.words is None:
                    return ""
                return f"{self.words.names((group.slot,))}\n{self.words.group(group)}"

    def _ways(self, column: Column) -> str:
        if column.field is Field.GROUP:
            return self.tr("Click sorts (S): members first. Double-click goes to the group (G).")
        return self.tr("Click sorts (S), a second time the other way round.")

    # ------------------------------------------------------------------ as text

    def as_text(self, rows: IntArray) -> str:
        """Write rows as lines with tabs, the way spreadsheets take them, with a heading."""
        lines = ["\t".join(self._heading(column) for column in self.columns)]
        lines += ("\t".join(self._written(int(item))) for item in self._rows[rows])
        return "\n".join(lines) + "\n"

    def _heading(self, column: Column) -> str:
        return _safe(self.title(column)) if column.field is not Field.GROUP else _safe(
            f"{column.slot + 1} {self.title(column)}"
        )  # fmt: skip

    def _written(self, item: int) -> list[str]:
        if self.sharing is None:
            return []
        slots = [group.slot for group in self.sharing.groups]
        aside = self.is_aside(item)
        marks = [""] * len(slots) if aside else np.where(self.sharing.table[item, slots], "1", "0")
        first, last = self.columns[:2], self.columns[-2:]
        cells = [_safe(self._text(item, column)) for column in (*first, *last)]
        return [*cells[:2], *marks, *cells[2:]]


def _safe(text: str) -> str:
    """Keep a name one cell of text: no formula, no further cells."""
    one = " ".join(text.split())
    return f"'{one}" if one.startswith(_FORMULA) else one
