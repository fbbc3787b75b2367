"""The items of a group as a grid of thumbnails, or for tables as rows of cells.

Hides virtual lists of tens of thousands of items. Promises that a new state keeps the scroll
position and the current item, and that only what is on the screen is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QListView, QWidget

from desktop import theme
from desktop.widgets.groups.member_tiles import MembersDelegate
from desktop.widgets.groups.members_model import ITEM, MembersModel
from desktop.widgets.item_words import ItemWords
from engine.model import IntArray, Overview

if TYPE_CHECKING:
    from desktop.images import PictureStore


class MembersView(QListView):
    """The grid.

    Parameters
    ----------
    pictures
        Where thumbnails come from.

    Notes
    -----
    Signal `itemActivated(int)`: a person clicked an item, or walked to it with the keyboard and
    pressed Enter.
    """

    itemActivated = Signal(int)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._members = MembersModel(self)
        self._delegate = MembersDelegate(pictures, self)
        self.setModel(self._members)
        self.setItemDelegate(self._delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Items of the group"))
        self.setAccessibleDescription(self.tr("Enter looks at an item."))
        pictures.pictureReady.connect(self._repaint)
        pictures.pictureFailed.connect(self._repaint)
        theme.current().themeChanged.connect(self._repaint)

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._members.open(item_words)
        self.setWrapping(item_words.has_pictures)
        across = (
            QListView.Flow.LeftToRight if item_words.has_pictures else QListView.Flow.TopToBottom
        )
        self.setFlow(across)

    def doItemsLayout(self) -> None:
        """Lay out the items, and a heading as wide as the view."""
        across = self.viewport().width() - 1
        self._delegate.prepare(self._members, self.fontMetrics(), across)
        super().doItemsLayout()

    def show_items(
        self, items: IntArray, overview: Overview, *, anew: bool, slot: int | None = None
    ) -> None:
        """Show items of a state.

        Parameters
        ----------
        items
            In the order of a group.
        overview
            The groups of the state.
        anew
            Whether they are of another group than those before, so shown from the top.
        slot
            Of the group whose items they are, if they are those of one.
        """
        current = self.current_item
        offset = self.verticalScrollBar().value()
        if not self._members.show(items, overview, slot):
            return
        self.setUniformItemSizes(self._members.heading is None)
        if anew:
            self.scrollToTop()
            return
        self.doItemsLayout()
        self.verticalScrollBar().setValue(offset)
        if current is not None:
            self._set_current(current)

    @property
    def current_item(self) -> int | None:
        """The item that the keyboard stands on."""
        return cast("int | None", self.currentIndex().data(ITEM))

    def select(self, item: int | None) -> None:
        """Mark an item and bring it into view; None or an item of another group = none."""
        if item is None or not self._set_current(item):
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            self.scrollTo(self.currentIndex())

    def _set_current(self, item: int) -> bool:
        row = self._members.row_of(item)
        if row < 0:
            return False
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        horizontal = self.horizontalScrollBar().value()
        self.setAutoScroll(False)
        self.selectionModel().setCurrentIndex(self._members.index(row), flags)
        self.setAutoScroll(True)
        self.horizontalScrollBar().setValue(horizontal)
        return True

    def set_side(self, side: int) -> None:
        """Make thumbnails larger or smaller, in pixels."""
        self._delegate.side = side
        self.scheduleDelayedItemsLayout()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Look at the item that was clicked."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        item = index.data(ITEM)
        if event.button() == Qt.MouseButton.LeftButton and item is not None:
            self.itemActivated.emit(int(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Look at an item by Enter."""
        item = self.current_item
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.itemActivated.emit(item)
        else:
            super().keyPressEvent(event)
