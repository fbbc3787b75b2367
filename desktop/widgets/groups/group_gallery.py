"""The gallery of groups: cards, and behind each card all items of its group.

Hides the two pages and what to do when a group that is looked at is joined to another. Promises
that an answer loses neither scroll position nor selection, and that names can be given wherever
one is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop.messages import NameGroup
from desktop.widgets import trail
from desktop.widgets.groups.belonging import in_common_with
from desktop.widgets.groups.group_cards import GroupList
from desktop.widgets.groups.group_header import GroupHeader
from desktop.widgets.groups.group_model import BRANCH, IN_COMMON, Card, GroupsModel
from desktop.widgets.groups.members import MembersView
from desktop.widgets.item_words import ItemWords

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore
    from desktop.widgets.tree.cut_look import CutLook
    from engine.model import IntArray

_LEAST = 48  # pixels of items, below a header that has more to say


class GroupGallery(QStackedWidget):
    """The gallery.

    Parameters
    ----------
    controller
        Whose `shown` state is drawn; is asked to name groups. Or a look at a cut, which stands in
        for it.
    pictures
        Where thumbnails come from.

    Notes
    -----
    Signals, all after something a person did here:

    - `groupHighlighted(int | None)`: a group was singled out, or none is any more.
    - `itemSelected(int)`: an item was clicked.

    And `itemsLit(IntArray | None)`: items of several groups are shown, or others than before, or
    none any more.
    """

    groupHighlighted = Signal(object)
    itemSelected = Signal(int)
    itemsLit = Signal(object)

    def __init__(
        self,
        controller: Controller | CutLook,
        pictures: PictureStore,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._slot: int | None = None
        self._branch: Card | None = None  # shown instead of a group
        self._companion: int | None = None  # whose like in some group are shown instead
        self._drawn: tuple[int, int, bool, int] | None = None
        self.groups = GroupsModel(self)
        self.list = GroupList(pictures, self)
        self.list.setModel(self.groups)
        self.members = MembersView(pictures, self)
        self.members.setMinimumHeight(_LEAST)
        self._header = GroupHeader(self.groups, self)
        self.addWidget(self.list)
        self.addWidget(self._members_page())
        self.groups.renamed.connect(self._rename)
        self.list.groupClicked.connect(self._open_group)
        self.list.nameClicked.connect(self._single_out)
        self.list.itemClicked.connect(self.itemSelected)
        self.members.itemActivated.connect(self.itemSelected)
        self._header.backClicked.connect(self.go_back)
        self._header.sideChanged.connect(self.members.set_side)
        controller.studyOpened.connect(self._open)
        controller.closed.connect(self._open)
        controller.snapshotChanged.connect(self._show)
        controller.replayChanged.connect(self._show)
        self._open()

    def _members_page(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._header)
        layout.addWidget(self.members, 1)
        return page

    # ------------------------------------------------------------------ what a view can ask

    @property
    def group(self) -> int | None:
        """Slot of the group whose items are shown; None while the cards are."""
        return self._slot if self.currentIndex() == 1 else None

    def show_group(self, slot: int | None) -> None:
        """Show all items of a group; None or a group that is not there = the cards."""
        if self._companion is not None:
            self.itemsLit.emit(None)
        self._branch = self._companion = None
        card = None if slot is None else self.groups.card(slot)
        if card is None:
            self._slot = None
            self.setCurrentIndex(0)
            return
        anew = self.group != card.slot
        self._slot = card.slot
        self._show_card(card, anew=anew)
        self.list.setCurrentIndex(self.groups.index(self.groups.row_of(card.slot)))
        self.setCurrentIndex(1)

    def show_branch(self, items: IntArray) -> None:
        """Show some items whatever groups they are in: those of a branch of the tree."""
        self._slot, self._branch, self._companion = BRANCH, Card(BRANCH, "", items, 0.0), None
        self._show_card(self._branch, anew=True)
        self.setCurrentIndex(1)

    def show_in_common(self, item: int) -> None:
        """Show the other items that have a group in common with one."""
        self._slot, self._branch, self._companion = IN_COMMON, None, item
        card = self._in_common()
        self._show_card(card, anew=True)
        self.setCurrentIndex(1)
        self.itemsLit.emit(np.append(card.members, np.int32(item)))

    def _in_common(self) -> Card:
        shown, item = self._controller.shown, self._companion
        none = np.zeros(0, dtype=np.int32)
        found = none if shown is None or item is None else in_common_with(shown.overview, item)
        return Card(IN_COMMON, "", found, 0.0)

    def select(self, item: int | None) -> None:
        """Mark an item where it can be seen."""
        self.members.select(item)

    def reveal(self, item: int) -> None:
        """Show a group of an item, the present one if it can be, and mark the item there."""
        if self._companion is not None and item in self._in_common().members:
            self.select(item)
            return
        cards = [self.groups.card_at(row) for row in range(self.groups.rowCount())]
        found = [card.slot for card in cards if item in card.members]
        if found and self.group not in found:
            self.show_group(found[0])
        self.select(item)

    def go_back(self) -> None:
        """Leave the items of a group for the cards, as a person would."""
        self.show_group(None)
        self.list.setFocus()
        self.groupHighlighted.emit(None)

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        item_words = ItemWords(self._controller.opened)
        self.groups.open(item_words)
        self.members.open(item_words)
        self._header.open(item_words)
        self._drawn = None
        self.show_group(None)
        self._show()

    def _show(self, _snapshot: object = None) -> None:
        shown = self._controller.shown
        if shown is None or trail.mark_of(shown) == self._drawn:
            return
        self._drawn = trail.mark_of(shown)
        self.groups.show(shown)
        if self._slot is None:
            return
        if self._companion is not None:
            self._show_company()
            return
        card = self._branch or self.groups.card(self._slot)
        if card is None:  # joined to another
            self.show_group(None)
            self.groupHighlighted.emit(None)
        else:
            self._show_card(card, anew=False)

    def _show_company(self) -> None:
        card, item = self._in_common(), self._companion
        if len(card.members):
            self._show_card(card, anew=False)
            self.itemsLit.emit(np.append(card.members, np.int32(item or 0)))
        else:
            self.show_group(None)
            self.groupHighlighted.emit(None)

    def _show_card(self, card: Card, *, anew: bool) -> None:
        shown = self._controller.shown
        if shown is not None:
            self._header.show_card(card)
            slot = card.slot if card.is_group else None
            self.members.show_items(card.members, shown.overview, anew=anew, slot=slot)

    # ------------------------------------------------------------------ what a person does

    def _open_group(self, slot: int) -> None:
        self.show_group(slot)
        self.members.setFocus()
        self.groupHighlighted.emit(slot)

    def _single_out(self, slot: int) -> None:
        self.groupHighlighted.emit(slot)

    def _rename(self, item: int, name: str) -> None:
        self._controller.send(NameGroup(item, name))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back by Escape, name by F2."""
        if event.key() == Qt.Key.Key_Escape or (
            event.key() == Qt.Key.Key_Left
            and event.modifiers() & Qt.KeyboardModifier.AltModifier
            and self.group is not None
        ):
            self.go_back()
            self.list.clearSelection()
        elif event.key() == Qt.Key.Key_F2 and self.group is not None:
            self._header.edit_name()
        else:
            super().keyPressEvent(event)
