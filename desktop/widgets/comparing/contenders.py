"""The strategies that can be compared, to be ticked: those there are, and settings of one's own.

Hides how they are named. Promises that the one in use stands first with the parameters it has, that
no two are the same, and that ticks survive when another comes into use.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from desktop import strategies
from desktop.messages import Offer
from engine.model import Approach

Entrants = tuple[tuple[str, Approach], ...]
"""Name and strategy, as they are tried."""


class Contenders(QListWidget):
    """The list.

    Notes
    -----
    `ticked`: others are ticked, or there are others.
    """

    ticked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[Offer, ...] = ()
        self._in_use: Approach | None = None
        self._listed: list[Approach] = []
        self._added: list[Approach] = []
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setSpacing(3)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.itemChanged.connect(lambda _item: self.ticked.emit())

    # ------------------------------------------------------------------ what there is

    def show_offers(self, offers: Sequence[Offer], in_use: Approach) -> None:
        """List what there is to choose from, for another project: the one in use is ticked."""
        self._offers, self._in_use = tuple(offers), in_use
        self._added = []
        others = [one for one in self._known() if not self._same(one, in_use)]
        self._list({in_use, *others[:1]})

    def use(self, in_use: Approach) -> None:
        """Mark another as the one in use; it is ticked, as are those that were."""
        if in_use != self._in_use:
            ticks = self._ticks()
            self._in_use = in_use
            self._list({in_use, *ticks})

    def add(self, approach: Approach) -> None:
        """Add one with parameters of its own, ticked; one that is there already is only ticked."""
        there = next((one for one in self._listed if self._same(one, approach)), None)
        if there is None:
            self._added.append(approach)
        self._list({there or approach, *self._ticks()})
        self.setCurrentRow(self._listed.index(there or approach))

    def entrants(self) -> Entrants:
        """Give those that are ticked."""
        return tuple((self.name_of(one), one) for one in self._listed if one in self._ticks())

    def name_of(self, approach: Approach) -> str:
        """Name a strategy as the list does."""
        usual = strategies.usual(self._offers, approach.strategy)
        return strategies.described(approach, usual)

    # ------------------------------------------------------------------ the list

    def _list(self, ticks: set[Approach]) -> None:
        at = self.currentRow()
        blocker = QSignalBlocker(self)
        self.clear()
        first = [] if self._in_use is None else [self._in_use]
        others = [
            one
            for one in (*self._known(), *self._added)
            if self._in_use is None or not self._same(one, self._in_use)
        ]
        self._listed = first + others
        for approach in self._listed:
            name = self.name_of(approach)
            text = self.tr("{0}\nin use").format(name) if approach == self._in_use else name
            item = QListWidgetItem(text, self)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            checked = Qt.CheckState.Checked if approach in ticks else Qt.CheckState.Unchecked
            item.setCheckState(checked)
            about = strategies.about(approach.strategy)
            if approach in self._added:
                about = self.tr("{0}\nDelete takes it off the list.").format(about).strip()
            item.setToolTip(about)
        blocker.unblock()
        self.setCurrentRow(min(max(0, at), self.count() - 1))
        self.ticked.emit()

    def _ticks(self) -> set[Approach]:
        checked = Qt.CheckState.Checked
        return {
            approach
            for row, approach in enumerate(self._listed)
            if self.item(row).checkState() == checked
        }

    def _known(self) -> list[Approach]:
        """Give every strategy as it usually is; those that must be told something are left out."""
        return [
            strategies.complete(self._offers, Approach(offer.strategy))
            for offer in self._offers
            if all(one.default is not None for one in offer.parameters)
        ]

    def _same(self, one: Approach, other: Approach) -> bool:
        """Whether two are the same strategy with the same parameters, given or usual."""
        mine, theirs = (strategies.complete(self._offers, each) for each in (one, other))
        return strategies.alike(mine, theirs)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take one that was added off the list."""
        row = self.currentRow()
        if event.key() == Qt.Key.Key_Delete and row >= 0 and self._listed[row] in self._added:
            self._added.remove(self._listed[row])
            self._list(self._ticks())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Give long names their lines again when the letters change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.doItemsLayout()
