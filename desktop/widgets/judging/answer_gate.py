"""AnswerGate: when an answer counts.

Hidden: timers and the order in which painting, keys and engine replies arrive. Promised: an answer
is taken at most once per pair, and only after everything of *this* pair has been on the screen for
a moment, so that a key meant for the pair before cannot answer it.
"""

from __future__ import annotations

import enum

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

SETTLE_MS = 150
"""How long a pair must be on the screen before it can be answered."""


class GateState(enum.Enum):
    """Why the gate is shut, or that it is open."""

    NOTHING = "nothing to judge"
    LOADING = "not yet on the screen"
    SETTLING = "on the screen for less than a moment"
    OPEN = "an answer counts"
    SENT = "answered; the next pair is awaited"
    FAILED = "a picture cannot be shown"


class AnswerGate(QObject):
    """Opens when the pair can be judged, shuts when it has been.

    Notes
    -----
    `changed` is emitted when the state changes.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, settle_ms: int = SETTLE_MS) -> None:
        super().__init__(parent)
        self._state = self._before = GateState.NOTHING
        self._token = 0
        self._seen = QElapsedTimer()
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setTimerType(Qt.TimerType.PreciseTimer)
        self._settling.setInterval(settle_ms)
        self._settling.timeout.connect(self._settled)

    @property
    def state(self) -> GateState:
        """Whether an answer counts, or why not."""
        return self._state

    @property
    def token(self) -> int:
        """Number of the pair that is being shown."""
        return self._token

    @property
    def is_open(self) -> bool:
        """Whether an answer counts now."""
        return self._state is GateState.OPEN

    def begin(self) -> int:
        """Shut for a new pair. Returns its token, which `painted` and `fail` must bring."""
        self._settling.stop()
        self._token += 1
        self._go(GateState.LOADING)
        return self._token

    def clear(self) -> None:
        """Shut: there is nothing to judge."""
        self._settling.stop()
        self._token += 1
        self._go(GateState.NOTHING)

    def painted(self, token: int) -> None:
        """Everything of the pair is on the screen."""
        if token == self._token and self._now is GateState.LOADING:
            self._seen.start()
            self._settling.start()
            self._pass(GateState.SETTLING)

    def fail(self, token: int) -> None:
        """Part of the pair cannot be shown."""
        if token == self._token:
            self._settling.stop()
            self._pass(GateState.FAILED)

    @property
    def seen_for(self) -> int:
        """Milliseconds since the pair was seen, while an answer counts."""
        return int(self._seen.elapsed()) if self.is_open else 0

    def take(self) -> int | None:
        """Let one answer through and shut.

        Returns
        -------
        Milliseconds since the pair was seen; None = the answer does not count.
        """
        if not self.is_open:
            return None
        self.shut()
        return int(self._seen.elapsed())

    def shut(self) -> None:
        """Shut until the next pair: the engine was asked for a change of the state."""
        if self._state not in (GateState.SENT, GateState.NOTHING):
            self._before = self._state
            self._go(GateState.SENT)

    def hand_back(self) -> None:
        """Be as before `shut`: what was asked for is done, or came to nothing; same pair."""
        if self._state is GateState.SENT:
            self._go(self._before)

    def _settled(self) -> None:
        if self._now is GateState.SETTLING:
            self._pass(GateState.OPEN)

    @property
    def _now(self) -> GateState:
        """The state of the pair itself, also while shut."""
        return self._before if self._state is GateState.SENT else self._state

    def _pass(self, state: GateState) -> None:
        if self._state is GateState.SENT:
            self._before = state
        else:
            self._go(state)

    def _go(self, state: GateState) -> None:
        if state is not self._state:
            self._state = state
            self.changed.emit()
