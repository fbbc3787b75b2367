"""The overview page: groups on the left, map and gallery in the middle, the item on the right.

Hides how the parts follow each other. Promises that an item or a group chosen in one part is shown
in all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop.widgets.groups.group_cards import GroupList
from desktop.widgets.groups.group_gallery import GroupGallery
from desktop.widgets.groups.grouping_note import GroupingNote
from desktop.widgets.groups.item_view import ItemView
from desktop.widgets.groups.scatter_map import ScatterMap
from desktop.widgets.history.replay_notice import ReplayNotice

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore

BOTH, MAP, GALLERY = range(3)


class OverviewPage(QWidget):
    """The page.

    Parameters
    ----------
    controller
        Whose `shown` state is drawn.
    pictures
        Where thumbnails and pictures come from.

    Notes
    -----
    `groupingRequested`: the person wants groups to be found otherwise.
    """

    groupingRequested = Signal()

    def __init__(
        self, controller: Controller, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("overviewPage")
        self._controller = controller
        self.replay = ReplayNotice(controller)
        self.note = GroupingNote(controller)
        self.map = ScatterMap(controller, pictures)
        self.gallery = GroupGallery(controller, pictures)
        self.item_view = ItemView(controller, pictures)
        self.list = GroupList(pictures, compact=True)
        self.list.setModel(self.gallery.groups)
        self._lay_out()
        self.list.groupClicked.connect(self._show_group)
        self.list.nameClicked.connect(self._show_group)
        self.map.itemSelected.connect(self._look_at_place)
        self.gallery.itemSelected.connect(self._look_at)
        self.gallery.groupHighlighted.connect(self._highlight)
        self.item_view.itemSelected.connect(self._look_at_place)
        self.gallery.itemsLit.connect(self.map.highlight_items)
        self.item_view.groupRequested.connect(self._show_group)
        self.item_view.inCommonRequested.connect(self._show_in_common)
        for changed in (controller.studyOpened, controller.snapshotChanged):
            changed.connect(self._allow)
        controller.replayChanged.connect(self._allow)
        self._allow()

    def _lay_out(self) -> None:
        groups = QWidget(self)
        left = QVBoxLayout(groups)
        left.setContentsMargins(8, 8, 0, 8)
        heading = QLabel(self.tr("Groups"), groups)
        heading.setProperty("role", "heading")
        heading.setBuddy(self.list)
        self.list.setMinimumWidth(180)
        left.addWidget(heading)
        left.addWidget(self.list, 1)
        self._middle = QSplitter(Qt.Orientation.Vertical)
        self._middle.addWidget(self.map)
        self._middle.addWidget(self.gallery)
        self._middle.setStretchFactor(0, 3)
        self._middle.setStretchFactor(1, 2)
        self._middle.setChildrenCollapsible(False)
        centre = QWidget(self)
        between = QVBoxLayout(centre)
        between.setContentsMargins(4, 8, 4, 8)
        between.addLayout(self._switch())
        between.addWidget(self.replay)
        between.addWidget(self.note)
        between.addWidget(self._middle, 1)
        self.item_view.setMinimumWidth(240)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        for part, stretch in ((groups, 0), (centre, 1), (self.item_view, 0)):
            split.addWidget(part)
            split.setStretchFactor(split.count() - 1, stretch)
        split.setSizes([256, 620, 300])
        split.setChildrenCollapsible(False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)

    def _switch(self) -> QHBoxLayout:
        """Make the buttons that give the middle to the map, the gallery, or both."""
        self._parts = QButtonGroup(self)
        row = QHBoxLayout()
        texts = (self.tr("Map and gallery"), self.tr("Map"), self.tr("Gallery"))
        for part, text in enumerate(texts):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setAccessibleName(self.tr("Show: {0}").format(text))
            self._parts.addButton(button, part)
            row.addWidget(button)
        self._parts.button(BOTH).setChecked(True)
        self._parts.idClicked.connect(self.show_parts)
        row.addStretch(1)
        self._find = QPushButton(self.tr("How groups are found…"), self)
        self._find.setToolTip(self.tr("Change how groups are found (Ctrl+Shift+G)"))
        self._find.clicked.connect(self.groupingRequested)
        row.addWidget(self._find)
        return row

    def show_parts(self, part: int) -> None:
        """Give the middle to `MAP`, `GALLERY` or `BOTH`."""
        self._parts.button(part).setChecked(True)
        self.map.setVisible(part in (BOTH, MAP))
        self.gallery.setVisible(part in (BOTH, GALLERY))

    def show_group(self, slot: int) -> None:
        """Show all items of a group."""
        self._show_group(slot)

    def show_item(self, item: int) -> None:
        """Show an item among those of its group."""
        self._look_at_place(item)

    def show_in_common(self, item: int) -> None:
        """Show an item, and all that share a group with it."""
        self._look_at(item)
        self._show_in_common(item)

    # ------------------------------------------------------------------ following each other

    def _look_at(self, item: int) -> None:
        self.map.select(item)
        self.gallery.select(item)
        self.item_view.show_item(item)

    def _look_at_place(self, item: int) -> None:
        """Look at an item that was chosen outside the gallery: it follows."""
        self.gallery.reveal(item)
        if self.map.highlighted is not None:
            self.map.highlight(self.gallery.group)
        self._follow()
        self._look_at(item)

    def _show_group(self, slot: int) -> None:
        self.gallery.show_group(slot)
        self.gallery.select(self.item_view.item)
        self._highlight(slot)

    def _show_in_common(self, item: int) -> None:
        self.gallery.show_in_common(item)
        self._follow()

    def _allow(self, _state: object = None) -> None:
        """Offer no other way to find groups where items share them: none finds such."""
        live = self._controller.snapshot
        self._find.setVisible(live is None or not live.shares)

    def _highlight(self, slot: int | None) -> None:
        self.map.highlight(slot)
        self._follow()

    def _follow(self) -> None:
        """Mark in the list of groups the one that the gallery shows."""
        slot = self.gallery.group
        row = -1 if slot is None else self.gallery.groups.row_of(slot)
        self.list.setCurrentIndex(self.gallery.groups.index(row) if row >= 0 else QModelIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let no group stand out any more."""
        if event.key() == Qt.Key.Key_Escape:
            self.gallery.show_group(None)
            self._highlight(None)
        else:
            super().keyPressEvent(event)
