"""When the tree is asked for: while it is looked at, and of each state once.

Hides requests, stale replies, failures and stops. Promises that the engine is never kept busy with
a tree that nobody looks at, and that what failed is not tried again unasked.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.messages import Crashed, Failed, ShowTree, Stopped, TreeShown, Working

if TYPE_CHECKING:
    from desktop.controller import Controller

_PATIENCE_MS = 250  # what is done sooner is not worth telling


class Loading(enum.Enum):
    """How far it is."""

    NOTHING = "nothing"
    """Nothing is under way: the tree is there, or none can be made."""
    WORKING = "working"
    FAILED = "failed"
    STOPPED = "stopped"


class TreeLoader(QObject):
    """Asks for the tree.

    Parameters
    ----------
    controller
        Is asked; tells what came of it.

    Attributes
    ----------
    state
        How far it is.
    told
        Of what is under way: how far it is. Of what failed: why.

    Notes
    -----
    `arrived(TreeShown)`: the tree of the present state. `changed()`: `state` or `told` did.
    """

    arrived = Signal(object)
    changed = Signal()

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._wanted = False  # somebody looks at it
        self._awaited = False
        self._given_up = False  # it failed or was stopped: not again before it is asked for
        self._revision: int | None = None  # of the tree that has arrived
        self.state = Loading.NOTHING
        self.told: Working | Failed | None = None
        self._late = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._late.timeout.connect(self._still_working)
        controller.studyOpened.connect(self._forget)
        controller.closed.connect(self._forget)
        controller.snapshotChanged.connect(self._ask)
        controller.treeShown.connect(self._arrived)
        controller.working.connect(self._working)
        controller.failed.connect(self._failed)
        controller.crashed.connect(self._crashed)
        controller.stopped.connect(self._stopped)

    @property
    def is_current(self) -> bool:
        """Whether the tree that has arrived is that of the present state."""
        live = self._controller.snapshot
        return live is not None and self._revision == live.revision

    def begin(self) -> None:
        """Ask for the tree of the present state, and of later ones, until `end`."""
        self._wanted, self._given_up = True, False
        self._ask()

    def end(self) -> None:
        """Ask no more, and let the engine go if it is at work on a tree."""
        self._wanted = False
        if self._is_ours:
            self._controller.cancel()

    def stop(self) -> None:
        """Give up what is under way."""
        self._given_up = True
        self._controller.cancel()

    def retry(self) -> None:
        """Try again what failed or was stopped."""
        self._given_up = False
        self._ask()

    @property
    def is_behind(self) -> bool:
        """Whether something else that takes long is done before the tree."""
        return self._awaited and not self._is_ours and self._controller.can_stop

    @property
    def _is_ours(self) -> bool:
        return isinstance(self._controller.under_way, ShowTree)

    def _forget(self, _opened: object = None) -> None:
        self._awaited = self._given_up = False
        self._revision = None
        self._say(Loading.NOTHING)

    def _ask(self, _snapshot: object = None) -> None:
        opened = self._controller.opened
        free = self._wanted and not self._awaited and not self._given_up
        if free and not self.is_current and opened is not None and len(opened.items) > 1:
            self._awaited = True
            self._late.start()
            self._controller.send(ShowTree())

    def _say(self, state: Loading, told: Working | Failed | None = None) -> None:
        if state is not Loading.WORKING:
            self._late.stop()
        self.state, self.told = state, told
        self.changed.emit()

    def _still_working(self) -> None:
        if self._awaited:
            self._say(Loading.WORKING, self.told)

    def _arrived(self, shown: TreeShown) -> None:
        self._awaited = False
        self._revision = shown.revision
        if self.is_current:
            self._say(Loading.NOTHING)
            self.arrived.emit(shown)
        else:
            self._ask()

    def _working(self, news: Working) -> None:
        if self._awaited:
            self.told = news if self._is_ours else None
            if self.state is Loading.WORKING:
                self.changed.emit()

    def _failed(self, news: Failed) -> None:
        if self._awaited and self._is_ours:
            self._awaited, self._given_up = False, True
            self._say(Loading.FAILED, news)

    def _crashed(self, _news: Crashed) -> None:
        if self._awaited and self._is_ours:
            self._awaited, self._given_up = False, True
            self._say(Loading.STOPPED)

    def _stopped(self, news: Stopped) -> None:
        if news.what != ShowTree.__name__ or not self._awaited:
            return
        self._awaited = False
        self._say(Loading.STOPPED if self._given_up else Loading.NOTHING)
        self._ask()  # for who came back meanwhile
