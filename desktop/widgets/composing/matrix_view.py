"""The matrix: items down, groups across, walked and sorted by pointer or keys.

Hides the table that keeps the items in place while groups are scrolled. Promises that what is
selected, where the keyboard stands and what is seen stay by item and column through every change.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from desktop import theme
from desktop.widgets.composing.matrix_delegate import MatrixDelegate
from desktop.widgets.composing.matrix_frozen import FrozenItems, draw_lines, set_up
from desktop.widgets.composing.matrix_header import MatrixHeader
from desktop.widgets.composing.matrix_model import MatrixModel
from desktop.widgets.composing.sharing import Column, Field, Sharing, Wanted, Which
from engine.model import IntArray

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
_WIDTHS = {Field.COUNT: 70, Field.FIT: 64, Field.CERTAINTY: 112}
_ITEM_LEAST, _ITEM_GOOD, _ITEM_MOST = 164, 220, 360
_GROUP_LEAST, _GROUP_MOST = 64, 116
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MatrixView(QTableView):
    """The table.

    Parameters
    ----------
    pictures
        Where thumbnails come from.

    Notes
    -----
    Signals: `itemSelected(int)`, the keyboard stands on another item, or one was clicked;
    `itemActivated(int)`, it is to be looked at; `groupActivated(int)`, all of a group is wanted;
    `wantedChanged(Wanted)`, other items are wanted, by the menu.
    """

    itemSelected = Signal(int)
    itemActivated = Signal(int)
    groupActivated = Signal(int)
    wantedChanged = Signal(object)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.matrix = MatrixModel(self)
        self._current: int | None = None
        self._column = Column(Field.ITEM)
        self._selected: IntArray = np.zeros(0, dtype=np.int32)
        self._resetting = False
        self._heading = MatrixHeader(self)
        self.setHorizontalHeader(self._heading)
        self.setModel(self.matrix)
        self.setItemDelegate(MatrixDelegate(pictures, self))
        set_up(self)
        self._frozen = FrozenItems(self, self.matrix, pictures)
        self.setAccessibleName(self.tr("Items and groups"))
        self.setAccessibleDescription(
            self.tr(
                "Arrow keys walk, S sorts by the column, Enter looks at the item or opens the"
                " group, Ctrl+C copies."
            )
        )
        self._heading.sectionClicked.connect(self._sort_section)
        self._heading.sectionDoubleClicked.connect(self._open_section)
        self._heading.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._heading.customContextMenuRequested.connect(self._open_heading_menu)
        self._frozen.horizontalHeader().sectionClicked.connect(self._sort_section)
        self.doubleClicked.connect(self._activate)
        self._frozen.doubleClicked.connect(self._activate)
        self.selectionModel().currentChanged.connect(self._moved)
        self.matrix.modelAboutToBeReset.connect(self._remember)
        self.matrix.modelReset.connect(self._restore)
        for arrived in (pictures.pictureReady, pictures.pictureFailed):
            arrived.connect(self._repaint)
        theme.current().themeChanged.connect(self._repaint)

    def _repaint(self, *_: object) -> None:
        for part in (self, self._frozen):
            part.viewport().update()

    # ------------------------------------------------------------------ what a page can ask

    @property
    def current_item(self) -> int | None:
        """The item that the keyboard stands on."""
        index = self.currentIndex()
        return self.matrix.item_at(index.row()) if index.isValid() else None

    @property
    def current_column(self) -> Column:
        """What the column of the keyboard holds."""
        at = self.currentIndex().column()
        return self.matrix.columns[at] if at >= 0 else self._column

    def show_sharing(self, sharing: Sharing) -> None:
        """Take another state, and stay in place."""
        offset = self.verticalScrollBar().value()
        self.matrix.show(sharing)
        self.verticalScrollBar().setValue(offset)

    def want(self, wanted: Wanted) -> None:
        """Show other items, from the top or from the current one."""
        self.matrix.want(wanted)
        self.scrollToTop()
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())

    def sort_by(self, column: Column) -> None:
        """Sort by a column, or if that is so, the other way round; shown from the top."""
        self.matrix.sort_by(self.matrix.sorting.by(column))
        self.scrollToTop()

    def select(self, item: int) -> None:
        """Stand on an item, if it is shown."""
        row = self.matrix.row_of(item)
        if row >= 0:
            self.setCurrentIndex(self.matrix.index(row, max(0, self.currentIndex().column())))

    def copy(self) -> None:
        """Put the selected rows on the clipboard as text."""
        rows = self._rows_selected()
        if len(rows):
            QGuiApplication.clipboard().setText(self.matrix.as_text(rows))

    # ------------------------------------------------------------------ staying in place

    def _rows_selected(self) -> IntArray:
        chosen = self.selectionModel().selection()
        ranges = [chosen.at(at) for at in range(chosen.size())]
        spans = {(one.top(), one.bottom()) for one in ranges}
        rows = [np.arange(top, bottom + 1) for top, bottom in spans]
        found = np.unique(np.concatenate(rows)) if rows else np.zeros(0)
        return found.astype(np.int32)

    def _remember(self) -> None:
        self._resetting = True
        current = self.current_item
        if current is not None:
            self._current, self._column = current, self.current_column
        shown = self.matrix.items_at(self._rows_selected())
        if len(shown) or current is not None:
            self._selected = shown

    def _restore(self) -> None:
        self._frozen.horizontalHeader().reset()
        self._share_out()
        row = self.matrix.row_of(self._current) if self._current is not None else -1
        rows = self.matrix.rows_of(self._selected)
        across = max(0, self.matrix.column_of(self._column))
        if self.matrix.columns and len(rows):
            last = len(self.matrix.columns) - 1
            chosen = QItemSelection()
            for top, bottom in _runs(rows):
                chosen.select(self.matrix.index(top, 0), self.matrix.index(bottom, last))
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().select(chosen, flags)
        if row >= 0:
            self.setAutoScroll(False)
            self.selectionModel().setCurrentIndex(
                self.matrix.index(row, across), QItemSelectionModel.SelectionFlag.NoUpdate
            )
            self.setAutoScroll(True)
        self._resetting = False
        self._heading.viewport().update()

    def forget(self) -> None:
        """Forget what was selected, for another study."""
        self._current, self._column = None, Column(Field.ITEM)
        self._selected = np.zeros(0, dtype=np.int32)

    def _moved(self, current: QModelIndex, previous: QModelIndex) -> None:
        """Tell which item the keyboard stands on."""
        self._heading.viewport().update()
        self._frozen.horizontalHeader().viewport().update()
        if current.isValid() and not self._resetting and current.row() != previous.row():
            self.itemSelected.emit(self.matrix.item_at(current.row()))

    # ------------------------------------------------------------------ layout

    def _share_out(self) -> None:
        """Give the columns their widths: names what they need, then groups, then the rest."""
        columns = self.matrix.columns
        if not columns:
            return
        fixed = sum(_WIDTHS.get(column.field, 0) for column in columns)
        groups = sum(column.field is Field.GROUP for column in columns)
        room = self.viewport().width() - fixed - _ITEM_GOOD
        group = min(_GROUP_MOST, max(_GROUP_LEAST, room // max(1, groups)))
        left = self.viewport().width() - fixed - groups * group
        item = min(_ITEM_MOST, max(_ITEM_LEAST, left))
        widths = {**_WIDTHS, Field.GROUP: group, Field.ITEM: item}
        widths[Field.CERTAINTY] += max(0, left - item)  # the last takes what is left
        for at, column in enumerate(columns):
            self.setColumnWidth(at, widths[column.field])
        self._frozen.lie_over(widths[Field.ITEM])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the room anew."""
        super().resizeEvent(event)
        self._share_out()

    def scrollTo(
        self,
        index: _Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Bring a cell into view, not below the items."""
        across = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        if index.column() == 0:
            self.horizontalScrollBar().setValue(across)
            return
        hidden = self.columnWidth(0) - self.visualRect(index).left()
        if hidden > 0:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - hidden)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cells, and lines between them."""
        super().paintEvent(event)
        draw_lines(self, self.matrix)

    # ------------------------------------------------------------------ what a person does

    def _sort_section(self, section: int) -> None:
        self.sort_by(self.matrix.columns[section])

    def _open_section(self, section: int) -> None:
        column = self.matrix.columns[section]
        if column.field is Field.GROUP:
            self.groupActivated.emit(column.slot)

    def _activate(self, index: _Index) -> None:
        column = self.matrix.columns[index.column()]
        if column.field is Field.GROUP:
            self.groupActivated.emit(column.slot)
        else:
            self.itemActivated.emit(self.matrix.item_at(index.row()))

    def _open_heading_menu(self, at: QPoint) -> None:
        section = self._heading.logicalIndexAt(at)
        if section >= 0:
            self._menu(self.matrix.columns[section], self._heading.mapToGlobal(at))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with a column, by pointer or menu key."""
        if self.matrix.columns:
            self._menu(self.current_column, event.globalPos())

    def _menu(self, column: Column, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = self.matrix.title(column)
        menu.addAction(self.tr("&Sort by “{0}”").format(title), lambda: self.sort_by(column))
        if column.field is Field.GROUP:
            slot = column.slot
            menu.addAction(self.tr("&Go to the group"), lambda: self.groupActivated.emit(slot))
            menu.addAction(
                self.tr("Show &only its items"),
                lambda: self.wantedChanged.emit(Wanted(Which.GROUP, (slot,))),
            )
        menu.addSeparator()
        menu.addAction(self.tr("&Copy the selected rows"), self.copy)
        menu.popup(where)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Sort, look, open, copy; letters that mean nothing here are for the page."""
        index, column = self.currentIndex(), self.current_column
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in _ENTER and index.isValid():
            self._activate(index)
        elif event.text().isalpha() and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            if event.key() == Qt.Key.Key_S and self.matrix.columns:
                self.sort_by(column)
            elif event.key() == Qt.Key.Key_G and column.field is Field.GROUP:
                self.groupActivated.emit(column.slot)
            else:
                event.ignore()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand somewhere at once, so that the first key does something that is seen."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.matrix.rowCount():
            self.setCurrentIndex(self.matrix.index(0, 0))


def _runs(rows: IntArray) -> list[tuple[int, int]]:
    """Give the first and last of each run of neighbours."""
    runs = []
    for _, together in groupby(enumerate(rows.tolist()), lambda one: one[1] - one[0]):
        run = [row for _, row in together]
        runs.append((run[0], run[-1]))
    return runs
