"""Which groups two items have in common: asked after "in common", on the judge page itself.

Hides how an item that stands for a group becomes the group, and who has the keyboard meanwhile.
Promises that an answer begun in one state is not finished in another, and that leaving answers
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from desktop.widgets import shared_words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.common_card import Candidate
from desktop.widgets.judging.judging_pane import JudgingPane
from engine.model import Confidence, Snapshot

_CELLS = 3  # of a table row


@dataclass(frozen=True, slots=True)
class Begun:
    """An answer that has begun: two have something in common, and it is asked what.

    Attributes
    ----------
    revision
        The state in which it was begun.
    confidence, response_ms
        How sure the person was, and after how long.
    """

    revision: int
    confidence: Confidence
    response_ms: int


class Which(QObject):
    """The question on the page.

    Parameters
    ----------
    pane
        Where it is asked.
    page
        Whose keyboard it takes.

    Notes
    -----
    `told(Begun, items)`: the answer is whole; the items stand for the groups in common.
    """

    told = Signal(object, object)

    def __init__(self, pane: JudgingPane, page: QWidget) -> None:
        super().__init__(page)
        self._pane, self._page = pane, page
        self._begun: Begun | None = None
        pane.choice.accepted.connect(self._accepted)
        pane.choice.left.connect(self.leave)

    @property
    def is_asked(self) -> bool:
        """Whether it is being asked."""
        return self._begun is not None

    def ask(self, state: Snapshot, items: ItemWords, begun: Begun) -> str:
        """Ask it; until it is answered nothing is said of the pair. Gives the question in words."""
        self._begun = begun
        choice = self._pane.choice
        self._pane.ask_which(candidates(state, items))
        self._page.setFocusProxy(choice)
        choice.setFocus(Qt.FocusReason.OtherFocusReason)
        return choice.sentence()

    def take(self) -> None:
        """Accept what is chosen, as by key."""
        self._pane.choice.take()

    def follow(self, shown: Snapshot) -> None:
        """Leave it where another state is shown than that in which it was begun."""
        begun = self._begun
        if begun is not None and not (shown.live and shown.revision == begun.revision):
            self.leave()

    def leave(self) -> bool:
        """Go back to the pair; whether it was being asked."""
        if self._begun is None:
            return False
        focus = QApplication.focusWidget()
        had_keys = focus is not None and self._page.isAncestorOf(focus)
        self._begun = None
        self._page.setFocusProxy(None)  # type: ignore[arg-type]  # Qt's own way to have none
        self._pane.ask_whether()
        if had_keys:
            self._page.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _accepted(self, items: tuple[int, ...]) -> None:
        begun = self._begun
        self.leave()
        if begun is not None:
            self.told.emit(begun, items)


def candidates(state: Snapshot, items: ItemWords) -> list[Candidate]:
    """Give the groups that the two asked about may have in common, each with what stands for it."""
    question = state.question
    if question is None:
        return []
    found = []
    for item in question.common:
        groups = shared_words.groups_of(state.overview, item)
        slot, name = (groups[0].slot, groups[0].name) if groups else (-1, "")
        row = "" if items.has_picture(item) else _row(items, item, question.common)
        found.append(Candidate(item, slot, name, row))
    return found


def _row(items: ItemWords, item: int, among: tuple[int, ...]) -> str:
    """Say what tells a table row from the others that are offered."""
    cells = items.telling(item, among, _CELLS)
    values = " · ".join(f"{cell.column} {cell.text}" for cell in cells)
    return f"{items.name(item)}: {values}" if values else items.name(item)
