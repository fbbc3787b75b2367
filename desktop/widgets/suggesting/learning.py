"""When it is learned from the answers: as the page is opened, if there is anything new to learn.

Hides requests, and which answers it was learned from. Promises that nothing is learned unseen, that
what failed or was stopped is not tried again unasked, and that what is listed stays while it is
gone through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.messages import Request, Suggest
from desktop.widgets import trail
from desktop.widgets.errand import Errand, Stage

if TYPE_CHECKING:
    from desktop.controller import Controller
    from engine.model import Pair, Snapshot, Verdict


class Learning(QObject):
    """Asks for suggestions.

    Parameters
    ----------
    controller
        Is asked; keeps what is suggested.

    Attributes
    ----------
    errand
        How far it is.

    Notes
    -----
    `changed()`: how far it is, or what is known to be new.
    """

    changed = Signal()

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._wanted = False  # somebody looks
        self._from: dict[int, tuple[Pair, Verdict]] = {}  # the answers that it was learned from
        self.errand = Errand(controller, self)
        self.errand.changed.connect(self.changed)
        self.errand.done.connect(self._next)
        controller.studyOpened.connect(self._forget)
        controller.closed.connect(self._forget)
        controller.snapshotChanged.connect(self._next)
        controller.suggestionsChanged.connect(self._arrived)

    def begin(self) -> None:
        """Learn if there is something new to learn from; and from then on until `end`."""
        self._wanted = True
        if self.newer or self._controller.suggested is None:
            self.learn()

    def end(self) -> None:
        """Learn no more, and let the engine go if it is at it."""
        self._wanted = False
        if self.errand.is_about(self._controller.under_way):
            self.errand.stop()

    def learn(self) -> None:
        """Learn from all answers that there are now."""
        if self.can_learn:
            self.errand.begin(Suggest())

    def stop(self) -> None:
        """Give up what is under way."""
        self.errand.stop()

    @property
    def can_learn(self) -> bool:
        """Whether an answer says something about a pair."""
        live = self._controller.snapshot
        return live is not None and live.progress.answered > live.progress.unsure

    @property
    def newer(self) -> int:
        """How many answers were given, changed or taken back since."""
        live = self._controller.snapshot
        if live is None or self._controller.suggested is None:
            return 0
        now = _said(live)
        return sum(now.get(seq) != self._from.get(seq) for seq in {*now, *self._from})

    def is_about(self, request: Request | None) -> bool:
        """Whether a request was made here."""
        return self.errand.is_about(request)

    def _forget(self, _opened: object = None) -> None:
        self._from = {}
        self.errand.forget()

    def _arrived(self, suggested: object) -> None:
        live = self._controller.snapshot
        of_now = self.errand.is_about(self._controller.under_way)
        if suggested is not None and live is not None and of_now:
            self._from = _said(live)

    def _next(self, _snapshot: object = None) -> None:
        """Begin for who waits for the first answer, or has opened another project."""
        nothing_yet = self._controller.suggested is None and self.errand.stage is Stage.NOTHING
        if self._wanted and nothing_yet and not self.errand.is_under_way:
            self.learn()


def _said(snapshot: Snapshot) -> dict[int, tuple[Pair, Verdict]]:
    given = trail.answers_in_force(snapshot)
    return {seq: (said.answer.pair, said.answer.verdict) for seq, said in given.items()}
