"""Answers about the suggestion on the screen: when one counts, and that it counts once.

Hides painting, revisions and requests under way. Promises that what is sent is about the pair that
is seen, in the state that it was suggested for, and that no answer waits unseen behind another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.messages import (
    Choose,
    GoTo,
    NameGroup,
    Redo,
    Relink,
    Request,
    Revise,
    SetAside,
    Tell,
    Undo,
)
from desktop.widgets.judging.answer_gate import AnswerGate, GateState
from desktop.widgets.judging.sides import shuffled
from desktop.widgets.suggesting import suggestion_words
from engine.model import Confidence, Pair, Source, Verdict
from engine.suggestions import Suggestion

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.widgets.judging.pair_area import PairArea

_CHANGES = (Tell, SetAside, NameGroup, Undo, Redo, Revise, GoTo, Choose, Relink)
_PATIENCE_MS = 150  # before the pair is drawn back while an answer is taken up


class Answering(QObject):
    """Shows pairs and takes answers.

    Parameters
    ----------
    controller
        Gives the state, takes the answers.
    area
        Where the two items are shown.
    is_free
        Whether nothing else goes on that an answer would come between.

    Attributes
    ----------
    gate
        Whether the pair has been seen and not answered.
    sides
        The items shown, left and right.

    Notes
    -----
    `changed()`: whether an answer counts may have changed.
    """

    changed = Signal()

    def __init__(
        self, controller: Controller, area: PairArea, is_free: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._controller, self._area, self._is_free = controller, area, is_free
        self._one: Suggestion | None = None
        self.sides: tuple[int, int] = (0, 0)
        self.gate = AnswerGate(self)
        self._waiting = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._waiting.timeout.connect(self._draw_back)
        area.ready.connect(self.gate.painted)
        self.gate.changed.connect(self._gate_changed)
        controller.requestSent.connect(self._request_sent)
        controller.idle.connect(self._hand_back)
        controller.failed.connect(self._hand_back)
        controller.crashed.connect(self.clear)

    @property
    def pair(self) -> Pair | None:
        """The pair on the screen."""
        return None if self._one is None else self._one.pair

    @property
    def counts(self) -> bool:
        """Whether there is a pair to answer about, be it in a moment."""
        dead = self.gate.state in (GateState.NOTHING, GateState.FAILED)
        return not dead and not self._controller.replaying and self._is_free()

    def show(self, one: Suggestion) -> bool:
        """Show a suggestion; whether it is about another pair."""
        is_other = one.pair != self.pair
        self._one = one
        if is_other:
            self.show_again()
        return is_other

    def show_again(self) -> None:
        """Show the pair anew, as one that has not been seen."""
        if self._one is not None:
            self.sides = shuffled(self._one.pair)
            self._area.show_items(self.sides, self.gate.begin())

    def clear(self, *_: object) -> None:
        """Show no pair; what is there counts no more."""
        self._one = None
        self.gate.clear()

    def confirm(self, confidence: Confidence = Confidence.QUITE) -> None:
        """Say that the suggestion is right."""
        if self._one is not None:
            self.answer(self._one.verdict, confidence)

    def reject(self, confidence: Confidence = Confidence.QUITE) -> None:
        """Say that it is wrong."""
        if self._one is not None:
            self.answer(suggestion_words.opposite(self._one.verdict), confidence)

    def answer(self, verdict: Verdict, confidence: Confidence = Confidence.QUITE) -> None:
        """Answer about the pair on the screen, if an answer counts now."""
        live, suggested = self._controller.snapshot, self._controller.suggested
        if self._one is None or live is None or not self.counts:
            return
        if suggested is None or suggested.revision != live.revision:
            return  # what is open in this state is on its way
        response = self.gate.take()
        if response is not None:
            pair = self._one.pair
            self._controller.send(
                Tell(
                    revision=live.revision,
                    a=pair.a,
                    b=pair.b,
                    verdict=verdict,
                    confidence=confidence,
                    shown_left=self.sides[0],
                    response_ms=response,
                    source=Source.SUGGESTED,
                )
            )

    def undo(self) -> None:
        """Take the last step back, also one that is still being taken."""
        live = self._controller.snapshot
        under_way = self.gate.state is GateState.SENT
        if live is None or self._controller.replaying or (live.undo is None and not under_way):
            return
        self._controller.send(Undo())

    def _request_sent(self, request: Request) -> None:
        if isinstance(request, _CHANGES):
            self.gate.shut()

    def _hand_back(self, *_: object) -> None:
        """Take answers again, unless one still waits behind something else."""
        if not self._controller.unsaved:
            self.gate.hand_back()

    def _gate_changed(self) -> None:
        if self.gate.state is GateState.SENT:
            self._waiting.start()
        else:
            self._waiting.stop()
            self._area.dimmed = False
        self.changed.emit()

    def _draw_back(self) -> None:
        self._area.dimmed = True
