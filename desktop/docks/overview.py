"""The live overview beside the judging: the map above, the gallery of groups below.

Hides how map, gallery and item view follow each other. Promises to be of use from a width of 300
pixels on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDockWidget, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from desktop.widgets.groups.group_gallery import GroupGallery
from desktop.widgets.groups.grouping_note import GroupingNote
from desktop.widgets.groups.item_view import ItemView
from desktop.widgets.groups.scatter_map import ScatterMap

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore


class OverviewDock(QDockWidget):
    """The dock.

    Parameters
    ----------
    controller
        Whose `shown` state is drawn.
    pictures
        Where thumbnails and pictures come from.
    """

    def __init__(
        self, controller: Controller, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Overview"))
        self.setObjectName("overviewDock")
        self.map = ScatterMap(controller, pictures)
        self.gallery = GroupGallery(controller, pictures)
        self.item_view = ItemView(controller, pictures, with_back=True)
        self._below = _Below(self.gallery, self.item_view)
        self.note = GroupingNote(controller, narrow=True)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.note)
        column.addWidget(_Split(self.map, self._below), 1)
        self.setWidget(body)
        self.map.itemSelected.connect(self._look_at)
        self.gallery.itemSelected.connect(self._look_at)
        self.gallery.groupHighlighted.connect(self.map.highlight)
        self.item_view.itemSelected.connect(self._look_at)
        self.gallery.itemsLit.connect(self.map.highlight_items)
        self.item_view.groupRequested.connect(self._show_group)
        self.item_view.inCommonRequested.connect(self._show_in_common)
        self.item_view.backClicked.connect(self._back)
        controller.studyOpened.connect(self._below.show_gallery)

    def _look_at(self, item: int) -> None:
        self.map.select(item)
        self.gallery.select(item)
        self.item_view.show_item(item)
        self._below.setCurrentWidget(self.item_view)

    def _show_group(self, slot: int) -> None:
        self._below.show_gallery()
        self.gallery.show_group(slot)
        self.map.highlight(slot)
        self.gallery.select(self.item_view.item)

    def _show_in_common(self, item: int) -> None:
        self._below.show_gallery()
        self.gallery.show_in_common(item)

    def _back(self) -> None:
        self._below.show_gallery()
        self.map.select(None)
        self.gallery.select(self.item_view.item)
        self.gallery.setFocus()


class _Split(QSplitter):
    """Map and gallery, about half each at first."""

    def __init__(self, above: QWidget, below: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.setMinimumWidth(300)
        self.addWidget(above)
        self.addWidget(below)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)

    def sizeHint(self) -> QSize:
        return QSize(360, 640)


class _Below(QStackedWidget):
    """The gallery, or the item that is looked at."""

    def __init__(self, gallery: GroupGallery, item_view: ItemView) -> None:
        super().__init__()
        self.addWidget(gallery)
        self.addWidget(item_view)
        self._item_view = item_view

    def show_gallery(self, _opened: object = None) -> None:
        self.setCurrentIndex(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.currentWidget() is self._item_view:
            self._item_view.backClicked.emit()
        else:
            super().keyPressEvent(event)
