"""Progress and cancellation in one call: `job.step(i, n, text)`, handed to everything slow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.errors import Cancelled

Report = Callable[[int, int, str], None]


class Job:
    """One long task: reports how far it is, and stops when asked to.

    Parameters
    ----------
    report
        Called with (done, total, text): with every new text, at the last step, and between them
        at most ten times a second.

    Notes
    -----
    `cancel` may be called from any thread; the next `step` raises `Cancelled`. Slow code calls
    `step` at least every 50 ms, so that a person never waits for a stop.
    """

    __slots__ = ("_cancelled", "_last", "_report", "_text")

    _INTERVAL = 0.1  # seconds between reports

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._cancelled = threading.Event()
        self._last = float("-inf")
        self._text = ""

    def cancel(self) -> None:
        """Ask the task to stop."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether a stop was asked for."""
        return self._cancelled.is_set()

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        """Report progress and give a stop the chance to act.

        Raises
        ------
        Cancelled
            When `cancel` was called.
        """
        if self._cancelled.is_set():
            raise Cancelled
        if self._report is None or not text:
            return
        now = time.monotonic()
        # A new text must show at once: what it names may take long before it calls again.
        if text != self._text or now - self._last >= self._INTERVAL or (total and done >= total):
            self._last, self._text = now, text
            self._report(done, total, text)


class Relay(Job):
    """A job that passes on to another one, which may be exchanged while a task goes on.

    Parameters
    ----------
    target
        The job whose progress and cancellation count now.

    Notes
    -----
    A strategy prepared during look-ahead must not die with the look-ahead's job once it is the
    live one.
    """

    __slots__ = ("target",)

    def __init__(self, target: Job) -> None:
        super().__init__()
        self.target = target

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        """Report to the present target; raises `Cancelled` when that one was cancelled."""
        self.target.step(done, total, text)
