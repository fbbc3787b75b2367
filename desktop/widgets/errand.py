"""An errand: one long request that a page makes of the engine, and how far it is.

Hides which replies belong to it. Promises one errand at a time, that its end is told once, and that
what failed or was stopped is remembered until another is begun.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.messages import Crashed, Failed, Request, Stopped, Working

if TYPE_CHECKING:
    from desktop.controller import Controller

_PATIENCE_MS = 250  # what is done sooner is not worth telling


class Stage(enum.Enum):
    """How far it is."""

    NOTHING = "nothing"
    """Nothing is under way, and what was went well."""
    WORKING = "working"
    FAILED = "failed"
    STOPPED = "stopped"


class Errand(QObject):
    """Sends a request and follows it.

    Parameters
    ----------
    controller
        Is asked; tells what came of it.

    Attributes
    ----------
    stage
        How far it is.
    told
        Of what is under way: how far it is. Of what failed or crashed: why.
    late
        Whether it takes long enough to speak of.

    Notes
    -----
    `changed()`: any of these did. `done()`: the engine has done with it, whatever came of it.
    """

    changed = Signal()
    done = Signal()

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._request: Request | None = None
        self.stage = Stage.NOTHING
        self.told: Working | Failed | Crashed | None = None
        self.late = False
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(self._takes_long)
        controller.working.connect(self._working)
        controller.failed.connect(self._failed)
        controller.crashed.connect(self._crashed)
        controller.stopped.connect(self._stopped)
        controller.idle.connect(self._idle)

    @property
    def is_under_way(self) -> bool:
        """Whether the engine has not done with it."""
        return self._request is not None

    @property
    def is_behind(self) -> bool:
        """Whether something else is done before it."""
        return self._request is not None and not self._is_ours

    def is_about(self, request: Request | None) -> bool:
        """Whether a request is this one."""
        return request is not None and request is self._request

    def begin(self, request: Request) -> None:
        """Send a request, unless one is under way."""
        if self._request is None:
            self._request = request
            self.late = False
            self._patience.start()
            self._say(Stage.WORKING)
            self._controller.send(request)

    def stop(self) -> None:
        """Give up what is under way."""
        if self._request is not None:
            self._controller.cancel()

    def forget(self) -> None:
        """Want nothing more of what is under way, and know of nothing that went wrong."""
        self._request = None
        self._patience.stop()
        self.late = False
        self._say(Stage.NOTHING)

    @property
    def _is_ours(self) -> bool:
        return self.is_about(self._controller.under_way)

    def _say(self, stage: Stage, told: Working | Failed | Crashed | None = None) -> None:
        self.stage, self.told = stage, told
        self.changed.emit()

    def _takes_long(self) -> None:
        if self._request is not None:
            self.late = True
            self.changed.emit()

    def _working(self, news: Working) -> None:
        if self._is_ours:
            self._say(Stage.WORKING, news)

    def _failed(self, news: Failed) -> None:
        if self._is_ours:
            self._say(Stage.FAILED, news)

    def _crashed(self, news: Crashed) -> None:
        if self._is_ours:
            self._say(Stage.STOPPED, news)

    def _stopped(self, _news: Stopped) -> None:
        if self._is_ours:
            self._say(Stage.STOPPED)

    def _idle(self) -> None:
        if self._request is None or self._controller.awaits(self._request):
            return
        self._request = None
        self._patience.stop()
        self.late = False
        if self.stage is Stage.WORKING:
            self._say(Stage.NOTHING)
        else:
            self.changed.emit()
        self.done.emit()
