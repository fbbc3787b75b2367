"""The choice of items that the matrix shows: all, in one group, in several, of a set.

Hides how choices follow the state. Promises that what is chosen stays chosen, also while no item
answers to it.
"""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from desktop.widgets import words
from desktop.widgets.composing.sharing import Sharing, Wanted, Which
from desktop.widgets.composing.sharing_words import SharingWords

_MOST_SEEN = 16


class Sieve(QComboBox):
    """The choice. Signal `wantedChanged(Wanted)`: a person chose other items."""

    wantedChanged = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wanted = Wanted()
        self._choices: list[Wanted | None] = []
        self.setAccessibleName(self.tr("Items shown"))
        self.view().setAccessibleName(self.accessibleName())
        self.setToolTip(self.tr("Which items are shown (F)"))
        self.setMaxVisibleItems(_MOST_SEEN)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(26)
        self.activated.connect(self._choose)

    def show_sharing(self, sharing: Sharing | None) -> None:
        """Offer what can be chosen in a state."""
        with QSignalBlocker(self):
            self.clear()
            self._choices = []
            if sharing is not None:
                self._offer(sharing)
            if self.wanted in self._choices:
                self.setCurrentIndex(self._choices.index(self.wanted))

    def choose(self, wanted: Wanted, sharing: Sharing | None) -> None:
        """Choose, without telling."""
        self.wanted = wanted
        self.show_sharing(sharing)

    def _offer(self, sharing: Sharing) -> None:
        said = SharingWords(sharing)
        blocks = [
            [Wanted(), Wanted(Which.PURE), Wanted(Which.MIXED)],
            [Wanted(Which.GROUP, (group.slot,)) for group in sharing.groups],
            [Wanted(Which.SET, slots) for slots in sharing.sets],
            [Wanted(Which.ASIDE)] if sharing.is_aside.any() else [],
        ]
        if self.wanted not in (one for block in blocks for one in block):
            blocks.append([self.wanted])
        for block in filter(None, blocks):
            if self._choices:
                self.insertSeparator(self.count())
                self._choices.append(None)
            for wanted in block:
                count = words.number(sharing.count(wanted))
                self.addItem(f"{said.wanted(wanted)} · {count}")
                self._choices.append(wanted)

    def _choose(self, at: int) -> None:
        wanted = self._choices[at]
        if wanted is not None:
            self.wanted = wanted
            self.wantedChanged.emit(wanted)
