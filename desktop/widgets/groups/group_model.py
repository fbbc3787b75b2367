"""The groups of a state as a Qt list model, one row per card.

Hides how the groups of two states are matched to rows. Promises that rows keep their selection
while groups grow, shrink and change order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from desktop import theme
from desktop.widgets import shared_words, trail, words
from desktop.widgets.groups.belonging import named_by, together_with
from desktop.widgets.item_words import ItemWords
from engine.model import IntArray, Overview, Snapshot

CARD = Qt.ItemDataRole.UserRole
UNDECIDED, SET_ASIDE = -1, -2
NO_GROUPS = (UNDECIDED, SET_ASIDE)
"""Slots of the two cards that are no groups."""

BRANCH, IN_COMMON = -3, -4
"""Slots of cards that are never listed: the items of a branch of the tree; those that share a group
with an item."""

_Index = QModelIndex | QPersistentModelIndex
_CELLS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """What a card shows; `members` as in a `Group`, exemplar first.

    `confidence`: NaN = nothing is known of it, as of a cut that is looked at. `mixed`: so many of
    the last members belong to other groups too; None = where each item is in one group.
    """

    slot: int
    name: str
    members: IntArray
    confidence: float
    in_conflict: bool = False
    mixed: int | None = None

    @property
    def is_group(self) -> bool:
        """Whether it is a group, and not what is undecided or set aside."""
        return self.slot >= 0


def cards_of(snapshot: Snapshot) -> list[Card]:
    """Give the cards of a state: groups, largest first; then undecided items, then those aside."""
    overview = snapshot.overview
    shared = snapshot.shares
    cards = [
        Card(
            group.slot,
            group.name,
            group.members,
            group.confidence,
            group.in_conflict,
            group.mixed if shared else None,
        )
        for group in overview.groups
    ]
    aside = trail.items_set_aside(snapshot)
    undecided = np.flatnonzero(overview.slots < 0).astype(np.int32)
    undecided = undecided[~np.isin(undecided, list(aside))]
    if len(undecided):
        cards.append(Card(UNDECIDED, "", undecided, 0.0))
    if aside:
        cards.append(Card(SET_ASIDE, "", np.array(sorted(aside), dtype=np.int32), 0.0))
    return cards


class GroupsModel(QAbstractListModel):
    """One row per card. Signal `renamed(int, str)`: an item of the group, and the name wanted."""

    renamed = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: list[Card] = []
        self._words = ItemWords(None)
        self._telling: dict[int, tuple[str, ...]] = {}
        self._editable = False
        self._overview: Overview | None = None

    # ------------------------------------------------------------------ states

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self.beginResetModel()
        self._words, self._cards, self._telling = item_words, [], {}
        self._overview = None
        self.endResetModel()

    def show(self, snapshot: Snapshot) -> None:
        """Take the groups of a state; rows are matched by slot."""
        was_shared = self.is_shared
        self._editable, self._overview = snapshot.live, snapshot.overview
        self._telling = {}
        cards = cards_of(snapshot)
        wanted = {card.slot for card in cards}
        for at in reversed(range(len(self._cards))):
            if self._cards[at].slot not in wanted:
                self.beginRemoveRows(QModelIndex(), at, at)
                del self._cards[at]
                self.endRemoveRows()
        here = {card.slot for card in self._cards}
        new = [card for card in cards if card.slot not in here]
        if new:
            first = len(self._cards)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._cards += new
            self.endInsertRows()
        self._reorder(cards)
        if cards:
            self.dataChanged.emit(self.index(0), self.index(len(cards) - 1))
        if was_shared != self.is_shared:
            self.layoutChanged.emit()  # cards are of another height now

    def _reorder(self, cards: list[Card]) -> None:
        rows = {card.slot: at for at, card in enumerate(cards)}
        moved = any(old.slot != new.slot for old, new in zip(self._cards, cards, strict=True))
        if not moved:
            self._cards = cards
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        there = [self.index(rows[self._cards[index.row()].slot]) for index in kept]
        self._cards = cards
        self.changePersistentIndexList(kept, there)
        self.layoutChanged.emit()

    # ------------------------------------------------------------------ what rows hold

    @property
    def item_words(self) -> ItemWords:
        """Words for the items."""
        return self._words

    @property
    def is_shared(self) -> bool:
        """Whether items may belong to several groups at once."""
        return self._overview is not None and self._overview.shares

    def card(self, slot: int) -> Card | None:
        """Find the card of a slot."""
        return next((card for card in self._cards if card.slot == slot), None)

    def card_at(self, row: int) -> Card:
        """Give the card of a row."""
        return self._cards[row]

    def row_of(self, slot: int) -> int:
        """Find the row of a slot; -1 where there is none."""
        return next((at for at, card in enumerate(self._cards) if card.slot == slot), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._cards)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid() or index.row() >= len(self._cards):
            return None
        card = self._cards[index.row()]
        if role == CARD:
            return card
        if role == Qt.ItemDataRole.EditRole:
            return card.name
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(card)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            sign = theme.slot_text(card.slot) if card.is_group else ""
            return ", ".join(part for part in (sign, self.title(card), self.figures(card)) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            about = words.about_certainty(shared=self.is_shared) if card.is_group else ""
            return f"{self.title(card)}\n{self.figures(card)}\n{about}".rstrip()
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let groups of the live state be named."""
        flags = super().flags(index)
        card = cast("Card | None", self.data(index, CARD))
        if card is not None and self.can_name(card):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(
        self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:  # fmt: skip
        """Pass on a name that was typed; the row changes when the engine has taken it."""
        card = cast("Card | None", self.data(index, CARD))
        if role != Qt.ItemDataRole.EditRole or card is None:
            return False
        return self.rename(card, str(value).strip())

    def can_name(self, card: Card) -> bool:
        """Whether a group can be given a name: in the live state, if an item stands for it."""
        return self._editable and card.is_group and self._named_by(card) is not None

    def rename(self, card: Card, name: str) -> bool:
        """Pass on another name for a group; tell whether there was one to pass on."""
        item = self._named_by(card)
        if item is None or name == card.name:
            return False
        self.renamed.emit(item, name)
        return True

    def _named_by(self, card: Card) -> int | None:
        return None if self._overview is None else named_by(self._overview, card.slot)

    # ------------------------------------------------------------------ words

    def title(self, card: Card) -> str:
        """Name a card; groups without a name by their number."""
        if card.slot == UNDECIDED:
            divided = any(other.is_group for other in self._cards)
            return self.tr("Undecided") if divided else self.tr("No groups yet")
        if card.slot == SET_ASIDE:
            return self.tr("Set aside")
        if card.slot == BRANCH:
            return self.tr("A branch of the tree")
        if card.slot == IN_COMMON:
            return self.tr("What shares a group with it")
        return card.name or self.tr("Group {0}").format(card.slot + 1)

    def figures(self, card: Card) -> str:
        """Say how large a group is, how many items it shares, how sure it is, or contradicted."""
        return self.said_figures(card)[0]

    def said_figures(self, card: Card) -> tuple[str, ...]:
        """Say the same in shorter and shorter ways."""
        if not card.mixed:
            return (self.short_figures(card),)
        sure, count = self.assurance(card), words.items(len(card.members))
        counts = [f"{count}, {elsewhere}" for elsewhere in self.said_elsewhere(card)]
        return (*(f"{said} · {sure}" if sure else said for said in counts), counts[-1])

    def short_figures(self, card: Card) -> str:
        """Say the same, but not how many items it shares."""
        count = words.items(len(card.members))
        return " · ".join(part for part in (count, self.assurance(card)) if part)

    def elsewhere(self, card: Card) -> str:
        """Say how many items of a group are in others too; "" where items are in one group."""
        return next(iter(self.said_elsewhere(card)), "")

    def said_elsewhere(self, card: Card) -> tuple[str, ...]:
        """Say the same in fewer and fewer words."""
        if card.mixed is None:
            return ()
        return shared_words.elsewhere(len(card.members), card.mixed)

    def assurance(self, card: Card) -> str:
        """Say how sure a group is, or that answers about it contradict; "" when not known."""
        if card.in_conflict:  # then nothing is sure
            return self.tr("contradiction")
        if card.is_group and not math.isnan(card.confidence):
            return words.certainty(card.confidence)
        return ""

    def together(self, card: Card) -> list[str]:
        """Say with which other groups a group shares items, and how many, the most first."""
        if self._overview is None or not card.is_group:
            return []
        told = []
        for others, count in together_with(self._overview, card.slot):
            groups = self.tr(" and ").join(self._called(slot) for slot in others)
            told.append(self.tr("with {0}: {1}").format(groups, words.items(count)))
        return told

    def _called(self, slot: int) -> str:
        card = self.card(slot)
        name = card.name if card is not None else ""
        return f"{theme.slot_text(slot)} {name}".rstrip()

    def telling(self, card: Card) -> tuple[str, ...]:
        """Give the cells by which the group's exemplar differs most from the other groups'."""
        if card.slot not in self._telling:
            exemplars = [int(other.members[0]) for other in self._cards if other.is_group]
            cells = self._words.telling(int(card.members[0]), exemplars, _CELLS)
            self._telling[card.slot] = tuple(f"{cell.column} {cell.text}" for cell in cells)
        return self._telling[card.slot]
