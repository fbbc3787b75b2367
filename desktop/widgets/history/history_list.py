"""The list view of the history.

Hides mouse and keys, and holding the scroll position. Promises that rows added above what is read
do not move it, unless the newest row is what is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QWidget

from desktop import theme
from desktop.widgets.history.history_delegate import HistoryDelegate
from desktop.widgets.history.history_model import HistoryModel

if TYPE_CHECKING:
    from desktop.images import PictureStore


class HistoryList(QListView):
    """The list.

    Notes
    -----
    Signals: `lookRequested(int)`, a row was clicked, or Enter or Space pressed on it: show that
    state; `goRequested(int)`, a double click or Ctrl+Enter: make it the present;
    `menuRequested(index, point)`, the right button, the menu key, or C (change).
    """

    lookRequested = Signal(int)
    goRequested = Signal(int)
    menuRequested = Signal(QModelIndex, QPoint)

    def __init__(
        self, model: HistoryModel, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._steps = model
        self.setModel(model)
        self.setItemDelegate(HistoryDelegate(pictures, self))
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Steps, newest first"))
        self.setAccessibleDescription(
            self.tr("Enter looks at a step, Ctrl+Enter goes back to it, C changes an answer.")
        )
        pictures.pictureReady.connect(self._repaint)
        pictures.pictureFailed.connect(self._repaint)
        theme.current().themeChanged.connect(self._repaint)
        self._pressed = QPersistentModelIndex()

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    # ------------------------------------------------------------------ updates

    def update_rows(self, change: Callable[[], None]) -> None:
        """Let the model change, keeping what is read where it is, and the current row."""
        current = self.currentIndex()
        key = self._steps.row_at(current).key if current.isValid() else None
        top = self.indexAt(QPoint(1, 1))
        anchor = None if self.verticalScrollBar().value() == 0 or not top.isValid() else top
        kept = QPersistentModelIndex() if anchor is None else QPersistentModelIndex(anchor)
        offset = 0 if anchor is None else self.visualRect(anchor).top()
        change()
        if kept.isValid():
            self.doItemsLayout()
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.visualRect(self._index(kept)).top() - offset)
        if key is not None and not self.currentIndex().isValid():
            row = self._steps.find(key)
            if row >= 0:
                self._set_current(row)

    def follow(self, seq: int) -> bool:
        """Bring the row of a state into view; tells whether it is listed."""
        row = self._steps.row_of(seq)
        if row >= 0:
            self._set_current(row)
            self.scrollTo(self._steps.index(row))
        return row >= 0

    def _set_current(self, row: int) -> None:
        self.setAutoScroll(False)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._steps.index(row), flags)
        self.setAutoScroll(True)

    def _index(self, kept: QPersistentModelIndex) -> QModelIndex:
        return self._steps.index(kept.row())

    # ------------------------------------------------------------------ mouse and keys

    def _use(self, index: QModelIndex) -> None:
        row = self._steps.row_at(index)
        if row.is_head:
            self.update_rows(lambda: self._steps.toggle(row))
        else:
            self.lookRequested.emit(row.seq)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the row that a click began on."""
        super().mousePressEvent(event)
        is_left = event.button() == Qt.MouseButton.LeftButton
        index = self.indexAt(event.position().toPoint()) if is_left else QModelIndex()
        self._pressed = QPersistentModelIndex(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Look at the row that was clicked, or open the branch."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, QPersistentModelIndex()
        index = self.indexAt(event.position().toPoint())
        if pressed.isValid() and pressed == index:
            self._use(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the row."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and not self._steps.row_at(index).is_head:
            self.goRequested.emit(self._steps.row_at(index).seq)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the row."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        self._ask_for_menu(index, None if by_key else event.globalPos())

    def _ask_for_menu(self, index: QModelIndex, where: QPoint | None) -> None:
        if index.isValid():
            middle = self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menuRequested.emit(index, where or middle)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Look, go, change, open and close by keys; letters that answer do nothing here."""
        index, key = self.currentIndex(), event.key()
        row = self._steps.row_at(index) if index.isValid() else None
        enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if row is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
        elif enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.goRequested.emit(row.seq)
        elif enter or key == Qt.Key.Key_Space:
            self._use(index)
        elif key == Qt.Key.Key_C:
            self._ask_for_menu(index, None)
        elif row.is_head and key == (Qt.Key.Key_Left if row.is_open else Qt.Key.Key_Right):
            self._use(index)
        else:
            super().keyPressEvent(event)
