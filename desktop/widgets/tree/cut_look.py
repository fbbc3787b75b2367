"""A look at a level of the hierarchy, for views beside the dendrogram.

Hides that a cut is asked for no faster than it can be seen, and which state is shown meanwhile.
Promises that only views which are given this look show the cut, and that it ends for all of them at
once; all others go on showing the person's groups.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.messages import CutTree

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.messages import Cut, Opened, Request
    from engine.model import Snapshot

_PAUSE_MS = 33  # between cuts, so that each is drawn and the line goes on following the hand


class CutLook(QObject):
    """Stands in for the controller before views that show the cut while there is one.

    Parameters
    ----------
    controller
        Is asked for the cuts; its `shown` state is drawn while none is looked at.

    Notes
    -----
    Signals: `studyOpened`, `snapshotChanged` and `closed` are the controller's. `replayChanged` is
    sent for a replay as well as for a cut: another read-only state is shown, or none any more.
    """

    studyOpened = Signal(object)
    snapshotChanged = Signal(object)
    replayChanged = Signal(object)
    closed = Signal()

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._wanted: int | None = None
        self._drawn: tuple[Cut, Snapshot] | None = None
        self._awaited = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        controller.studyOpened.connect(self.studyOpened)
        controller.snapshotChanged.connect(self.snapshotChanged)
        controller.closed.connect(self.closed)
        controller.replayChanged.connect(self.replayChanged)
        controller.cutChanged.connect(self._changed)
        controller.idle.connect(self._done)

    @property
    def opened(self) -> Opened | None:
        """The open project, or None."""
        return self._controller.opened

    @property
    def snapshot(self) -> Snapshot | None:
        """The live state."""
        return self._controller.snapshot

    @property
    def shown(self) -> Snapshot | None:
        """The state to draw: the cut if there is one, with the pair that is asked about now."""
        cut, live = self._controller.cut, self._controller.snapshot
        if cut is None or live is None:
            return self._controller.shown
        if self._drawn is None or self._drawn[0] is not cut:
            self._drawn = cut, replace(_unweighed(cut.snapshot), question=live.question)
        return self._drawn[1]

    @property
    def groups(self) -> int | None:
        """The number of groups of the cut that is shown; None = the person's groups are."""
        cut = self._controller.cut
        return None if cut is None else cut.groups

    def look(self, groups: int) -> None:
        """Show the cut with so many groups; of several wanted at a time the newest.

        One is asked for when the one before has come and been drawn.
        """
        self._wanted = groups
        if not self._awaited and not self._pause.isActive():
            self._ask()

    def end(self) -> None:
        """Show the person's groups again."""
        self._wanted = None
        self._controller.look_at_cut(None)

    def send(self, request: Request) -> None:
        """Ask the engine for something."""
        self._controller.send(request)

    def _ask(self) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self._awaited = True
            self._controller.look_at_cut(wanted)

    def _done(self) -> None:
        """Go on when the engine has done with a cut, whether it came or was overtaken."""
        if self._awaited and not isinstance(self._controller.under_way, CutTree):
            self._awaited = False
            self._pause.start()

    def _changed(self, cut: Cut | None) -> None:
        if cut is None:
            self._wanted = None
        self.replayChanged.emit(None if cut is None else cut.snapshot)


def _unweighed(snapshot: Snapshot) -> Snapshot:
    """Say of no group how sure it is: a cut gives every item a certainty of 1, which is none."""
    overview = snapshot.overview
    groups = tuple(replace(group, confidence=math.nan) for group in overview.groups)
    return replace(snapshot, overview=replace(overview, groups=groups))
