"""One item looked at: its picture or its cells, its group, how sure that is, what was said of it.

Hides loading and the history walk. Promises that it shows the state of the window, replayed or
live, and stays on its item until another is chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListView,
    QSplitter,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets import trail, words
from desktop.widgets.groups.belonging import in_common_with, slots_of
from desktop.widgets.groups.group_header import GroupChip
from desktop.widgets.groups.item_groups import ItemGroups
from desktop.widgets.groups.item_lists import OTHER, CellsModel, SaidDelegate, SaidModel
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.picture_view import PictureView
from engine.model import Group, Snapshot

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore

_LEAST = 40  # pixels of a picture, of cells and of answers, below the groups of an item


class ItemView(QWidget):
    """The view of one item.

    Parameters
    ----------
    controller
        Whose `shown` state is read.
    pictures
        Where pictures come from.
    with_back
        Whether it has a way back to what was there before.

    Notes
    -----
    Signals: `backClicked()`; `itemSelected(int)`, the other item of an answer was chosen;
    `groupRequested(int)`, all items of a group of its are wanted; `inCommonRequested(int)`, those
    that have a group in common with it.
    """

    backClicked = Signal()
    itemSelected = Signal(int)
    groupRequested = Signal(int)
    inCommonRequested = Signal(int)

    def __init__(
        self,
        controller: Controller,
        pictures: PictureStore,
        parent: QWidget | None = None,
        *,
        with_back: bool = False,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._pictures = pictures
        self._words = ItemWords(None)
        self._item: int | None = None
        self._make_parts(pictures)
        parts: tuple[QWidget, ...] = (self._picture, self._table, self._answers)
        self._heights = [(part, part.minimumHeight()) for part in parts]
        self._back.setVisible(with_back)
        self._lay_out()
        self._back.clicked.connect(self.backClicked)
        self._show_group.clicked.connect(self._ask_for_group)
        self.groups.groupChosen.connect(self.groupRequested)
        self.groups.inCommonChosen.connect(self._ask_for_company)
        self._answers.activated.connect(self._choose_other)
        self._answers.clicked.connect(self._choose_other)
        pictures.pictureReady.connect(self._arrived)
        pictures.pictureFailed.connect(self._failed)
        controller.studyOpened.connect(self._open)
        controller.closed.connect(self._open)
        controller.snapshotChanged.connect(self._refresh)
        controller.replayChanged.connect(self._refresh)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()
        self._open()

    def _make_parts(self, pictures: PictureStore) -> None:
        self._back = QToolButton(self)
        self._back.setAccessibleName(self.tr("Back"))
        self._back.setToolTip(self.tr("Back (Esc)"))
        self._name = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._name.setProperty("role", "strong")
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        self._name.setTextInteractionFlags(selectable)
        self._chip = GroupChip(self)
        self._group = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._show_group = QToolButton(self)
        self._show_group.setAccessibleName(self.tr("Show all items of its group"))
        self._show_group.setToolTip(self.tr("Show all items of its group"))
        self.groups = ItemGroups(self)
        self._copies = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._copies.setProperty("role", "muted")
        self._picture = PictureView(self)
        self._picture.setAccessibleName(self.tr("Picture of the item"))
        self._cells = CellsModel(self)
        self._table = QTableView(self)
        self._table.setModel(self._cells)
        self._table.setAccessibleName(self.tr("Cells of the item"))
        self._table.verticalHeader().hide()
        self._table.setShowGrid(False)
        self._table.setAlternatingRowColors(True)
        self._table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._heading = QLabel(self)
        self._heading.setProperty("role", "strong")
        self._said = SaidModel(self)
        self._answers = QListView(self)
        self._answers.setModel(self._said)
        self._answers.setItemDelegate(SaidDelegate(pictures, self._answers))
        self._answers.setUniformItemSizes(True)
        self._answers.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._answers.setAccessibleName(self.tr("Answers about the item"))
        self._heading.setBuddy(self._answers)

    def _lay_out(self) -> None:
        above, group = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self._back, 0, Qt.AlignmentFlag.AlignTop)
        above.addWidget(self._name, 1)
        group.addWidget(self._chip)
        group.addWidget(self._group, 1)
        group.addWidget(self._show_group)
        said = QWidget(self)
        below = QVBoxLayout(said)
        below.setContentsMargins(0, 4, 0, 0)
        below.addWidget(self._heading)
        below.addWidget(self._answers, 1)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        for part in (self._picture, self._table, said):
            self._split.addWidget(part)
        self._split.setStretchFactor(0, 3)
        self._split.setStretchFactor(1, 3)
        self._split.setStretchFactor(2, 1)
        self._split.setSizes([300, 300, 90])
        self._split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(6)
        layout.addLayout(above)
        layout.addLayout(group)
        layout.addWidget(self.groups)
        layout.addWidget(self._copies)
        layout.addWidget(self._split, 1)

    # ------------------------------------------------------------------ what a view can ask

    @property
    def item(self) -> int | None:
        """The item shown."""
        return self._item

    def show_item(self, item: int | None) -> None:
        """Show an item; None = none chosen."""
        self._item = item
        self._show_picture()
        self._refresh()

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        self._words = ItemWords(self._controller.opened)
        self._said.open(self._words)
        self.show_item(None)

    def _recolour(self) -> None:
        self._back.setIcon(theme.icon("back"))
        self._show_group.setIcon(theme.icon("overview"))
        self._answers.viewport().update()

    def _refresh(self, _snapshot: object = None) -> None:
        shown, item = self._controller.shown, self._item
        is_here = shown is not None and item is not None
        for part in (self._chip, self._show_group, self._heading, self._answers, self._copies):
            part.setVisible(is_here)
        if shown is None or item is None:
            self.groups.show_groups((), 0)
            self._name.setText(self.tr("No item chosen"))
            self._group.setText(self.tr("Click an item on the map or in the gallery."))
            self._cells.show(())
            self._said.show((), -1, None)
            return
        self._name.setText(self._words.name(item))
        self._show_groups(shown, item)
        copies = self._words.copies(item)
        self._copies.setVisible(bool(copies))
        self._copies.setText(
            self.tr("Also stands for its exact copies: {0}").format(", ".join(copies))
        )
        self._cells.show(self._words.cells(item))
        said = trail.answers_about(shown, item)
        self._said.show(said, item, shown)
        self._heading.setText(
            self.tr("Answers about it: {0}").format(len(said))
            if said
            else self.tr("No answers about it yet")
        )
        self._answers.setVisible(bool(said))

    def _show_groups(self, shown: Snapshot, item: int) -> None:
        """Show the group of an item, or the groups where it may be in several."""
        overview, is_shared = shown.overview, shown.shares
        slots = slots_of(overview, item)
        groups = [group for slot in slots for group in overview.groups if group.slot == slot]
        self._chip.set_slot(slots[0] if slots else -1)
        for part in (self._chip, self._show_group):
            part.setVisible(bool(groups) and not is_shared)
        for below, usual in self._heights:  # several lines of groups leave less room
            below.setMinimumHeight(_LEAST if is_shared else usual)
        others = len(in_common_with(overview, item)) if is_shared and groups else 0
        self.groups.show_groups(groups if is_shared else (), others)
        if not groups:
            aside = item in trail.items_set_aside(shown)
            text = self.tr("set aside") if aside else self.tr("in no group")
        elif is_shared:
            text = self._in_several(len(groups), float(overview.confidence[item]))
        else:
            text = self._in_one(shown, item, groups[0])
        if item in overview.prototypes:
            text += " · " + self.tr("prototype")
        elif item in overview.criticisms:
            text += " · " + self.tr("badly represented")
        self._group.setText(text)
        self._group.setToolTip(words.about_certainty(shared=is_shared))

    def _in_one(self, shown: Snapshot, item: int, group: Group) -> str:
        title = group.name or self.tr("Group {0}").format(group.slot + 1)
        if not trail.is_placed(shown, item):
            return self.tr("not placed yet; nearest: {0}").format(title)
        return f"{title} · {words.certainty(float(shown.overview.confidence[item]))}"

    def _in_several(self, count: int, confidence: float) -> str:
        text = self.tr("in one group") if count == 1 else self.tr("in {0} groups").format(count)
        return f"{text} · {words.certainty(confidence)}"

    # ------------------------------------------------------------------ the picture

    def _show_picture(self) -> None:
        item = self._item
        self._picture.setVisible(item is not None and self._words.has_picture(item))
        self._table.setVisible(item is not None and bool(self._words.cells(item)))
        if item is None or not self._words.has_picture(item):
            self._picture.show_message("")
            return
        self._picture.show_message(self.tr("Loading…"))
        self._pictures.request(item)

    def _arrived(self, item: int, _size: int, _image: object) -> None:
        if item != self._item:
            return
        picture = self._pictures.picture(item)
        if picture is not None and self._picture.picture is not picture:
            self._picture.show_picture(picture, item)

    def _failed(self, item: int, reason: str) -> None:
        if item == self._item:
            self._picture.show_message(reason, failed=True)

    # ------------------------------------------------------------------ what a person does

    def _ask_for_group(self) -> None:
        shown = self._controller.shown
        if shown is not None and self._item is not None:
            self.groupRequested.emit(int(shown.overview.slots[self._item]))

    def _ask_for_company(self) -> None:
        if self._item is not None:
            self.inCommonRequested.emit(self._item)

    def _choose_other(self, index: QModelIndex) -> None:
        self.itemSelected.emit(int(index.data(OTHER)))
