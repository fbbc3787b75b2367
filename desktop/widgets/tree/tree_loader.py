"""When the tree is asked for: while it is looked at, and of each state once.

Hides requests and stale replies. Promises that the engine is never kept busy with a tree that
nobody looks at, and that what failed is not tried again unasked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.messages import Crashed, Failed, ShowTree, TreeShown, Working
from desktop.widgets.errand import Errand, Stage

if TYPE_CHECKING:
    from desktop.controller import Controller


class TreeLoader(QObject):
    """Asks for the tree.

    Parameters
    ----------
    controller
        Is asked; tells what came of it.

    Notes
    -----
    `arrived(TreeShown)`: the tree of the present state. `changed()`: `stage` or `told` did.
    """

    arrived = Signal(object)
    changed = Signal()

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._wanted = False  # somebody looks at it
        self._given_up = False  # it failed or was stopped: not again before it is asked for
        self._revision: int | None = None  # of the tree that has arrived
        self._errand = Errand(controller, self)
        self._errand.changed.connect(self._changed)
        self._errand.done.connect(self._done)
        controller.studyOpened.connect(self._forget)
        controller.closed.connect(self._forget)
        controller.snapshotChanged.connect(self._ask)
        controller.treeShown.connect(self._arrived)

    @property
    def is_current(self) -> bool:
        """Whether the tree that has arrived is that of the present state."""
        live = self._controller.snapshot
        return live is not None and self._revision == live.revision

    @property
    def stage(self) -> Stage:
        """How far it is; what does not take long is not told."""
        soon = self._errand.stage is Stage.WORKING and not self._errand.late
        return Stage.NOTHING if soon else self._errand.stage

    @property
    def told(self) -> Working | Failed | Crashed | None:
        """Of what is under way: how far it is. Of what failed: why."""
        return self._errand.told

    @property
    def is_behind(self) -> bool:
        """Whether something else that takes long is done before the tree."""
        return self._errand.is_behind and self._controller.can_stop

    def begin(self) -> None:
        """Ask for the tree of the present state, and of later ones, until `end`."""
        self._wanted = True
        self.retry()

    def end(self) -> None:
        """Ask no more, and let the engine go if it is at work on a tree."""
        self._wanted = False
        if self._is_ours:
            self._errand.stop()

    def stop(self) -> None:
        """Give up what is under way."""
        self._given_up = True
        self._errand.stop()

    def retry(self) -> None:
        """Try again what failed or was stopped."""
        self._given_up = False
        self._ask()

    @property
    def _is_ours(self) -> bool:
        return self._errand.is_about(self._controller.under_way)

    def _forget(self, _opened: object = None) -> None:
        self._given_up = False
        self._revision = None
        self._errand.forget()

    def _ask(self, _snapshot: object = None) -> None:
        opened = self._controller.opened
        free = self._wanted and not self._given_up
        if free and not self.is_current and opened is not None and len(opened.items) > 1:
            self._errand.begin(ShowTree())

    def _arrived(self, shown: TreeShown) -> None:
        if not self._is_ours:
            return
        self._revision = shown.revision
        if self.is_current:
            self.arrived.emit(shown)

    def _changed(self) -> None:
        if self._is_ours and not self._wanted and self._errand.stage is Stage.WORKING:
            self._errand.stop()  # it was asked for, and nobody looks any more
        self.changed.emit()

    def _done(self) -> None:
        """Ask again for a state that came meanwhile, and for who came back after a stop."""
        stage = self._errand.stage
        if stage is Stage.FAILED or isinstance(self._errand.told, Crashed):
            self._given_up = True
        elif stage is Stage.STOPPED and not self._given_up:
            self._errand.forget()
        self._ask()
