"""Controller: what the window wants becomes requests; what the engine replies becomes signals.

Hidden: which replies are stale, whether the views show the live state or a replayed one, which
request a reply belongs to, and that the engine calls everything one group while no answer has
settled anything.
Promised: views see revisions in rising order only, and never talk to the engine thread themselves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop.messages import (
    Changed,
    Closed,
    CloseProject,
    Compare,
    Compared,
    Consider,
    Considered,
    Crashed,
    CreateProject,
    Cut,
    CutTree,
    Exported,
    Failed,
    Idle,
    LongRequest,
    Opened,
    OpenProject,
    Replayed,
    Reply,
    Request,
    Scanned,
    ScanSource,
    ShowTree,
    Stopped,
    Suggest,
    Suggested,
    Tell,
    TreeShown,
    View,
    Working,
)
from engine.model import OWN, Snapshot

if TYPE_CHECKING:
    from desktop.worker import EngineWorker

_LEAVING = (ScanSource, CreateProject, OpenProject, CloseProject)
_TRIES_OUT = (Consider, Suggest, ShowTree, Compare)


class Controller(QObject):
    """The one thing views talk to.

    Parameters
    ----------
    worker
        The engine, on its own thread. None = no engine: requests are kept in `sent`, and tests
        hand in replies by `receive`.
    parent
        Qt owner.

    Attributes
    ----------
    sent
        Requests sent while there is no engine.

    Notes
    -----
    Signals, always on the GUI thread:

    - `studyOpened(Opened)`, then `snapshotChanged` with its snapshot; also after a relink.
    - `snapshotChanged(Snapshot)`: the live state. It comes again *with the same revision* when
      look-ahead has filled `next_if`; views that draw groups compare revisions.
    - `replayChanged(Snapshot | None)`: a read-only earlier state is shown; None = back to now.
    - `requestSent(Request)`: something was asked of the engine, so controls may go quiet.
    - `considered(Outlook)`, `treeShown(TreeShown)`, `compared(Comparison)`: what was asked for.
    - `suggestionsChanged(Suggested | None)`: what is suggested and open in the live state; None =
      nothing has been asked for in this project.
    - `cutChanged(Cut | None)`: a level of the hierarchy is looked at; None = no longer. It ends
      with the state that it is a level of, or when a replay begins.
    - `scanned`, `working`, `idle`, `stopped`, `exported`, `failed`, `crashed`, `closed`.
    - `reported(str)`: the report of any crash, also of what was not asked for.
    """

    studyOpened = Signal(object)
    snapshotChanged = Signal(object)
    replayChanged = Signal(object)
    requestSent = Signal(object)
    scanned = Signal(object)
    working = Signal(object)
    idle = Signal()
    stopped = Signal(object)
    exported = Signal(object)
    failed = Signal(object)
    crashed = Signal(object)
    reported = Signal(str)
    closed = Signal()
    considered = Signal(object)
    suggestionsChanged = Signal(object)
    treeShown = Signal(object)
    cutChanged = Signal(object)
    compared = Signal(object)

    _queued = Signal(object)

    def __init__(self, worker: EngineWorker | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.sent: list[Request] = []
        self._worker = worker
        self._opened: Opened | None = None
        self._snapshot: Snapshot | None = None
        self._replayed: Snapshot | None = None
        self._viewing: int | None = None
        self._look_is_last = False  # nothing was asked for after the look that is awaited
        self._suggested: Suggested | None = None
        self._cut: Cut | None = None
        self._cutting = False  # a cut is looked at, or awaited
        self._under_way: deque[Request] = deque()  # sent, and not yet done with
        self._busy = False
        if worker is not None:
            queued = Qt.ConnectionType.QueuedConnection
            self._queued.connect(worker.handle, queued)
            worker.replied.connect(self.receive, queued)

    # ------------------------------------------------------------------ what is there

    @property
    def opened(self) -> Opened | None:
        """The open project, or None."""
        return self._opened

    @property
    def snapshot(self) -> Snapshot | None:
        """The live state."""
        return self._snapshot

    @property
    def shown(self) -> Snapshot | None:
        """The state to draw: the replayed one if there is one, else the live one."""
        return self._replayed or self._snapshot

    @property
    def replaying(self) -> bool:
        """Whether an earlier, read-only state is shown."""
        return self._replayed is not None

    @property
    def cut(self) -> Cut | None:
        """The level of the hierarchy that is looked at, if any; not part of `shown`."""
        return self._cut

    @property
    def suggested(self) -> Suggested | None:
        """What is suggested and open in the live state; None = nothing has been asked for."""
        return self._suggested

    @property
    def under_way(self) -> Request | None:
        """What the engine is at work on, and what a failure or a stop that it tells is about."""
        return self._under_way[0] if self._under_way else None

    def awaits(self, request: Request) -> bool:
        """Whether the engine has not done with this very request."""
        return any(sent is request for sent in self._under_way)

    @property
    def busy(self) -> bool:
        """Whether the engine is at work on something that was asked for."""
        return self._busy

    @property
    def can_stop(self) -> bool:
        """Whether that something is a long task that `cancel` stops."""
        return self._busy and isinstance(self.under_way, LongRequest)

    @property
    def unsaved(self) -> bool:
        """Whether an answer waits for the engine: it is on disk when that has taken it up."""
        return any(isinstance(request, Tell) for request in self._under_way)

    # ------------------------------------------------------------------ intents

    def send(self, request: Request) -> None:
        """Ask the engine for something; the answer comes as a signal.

        Whoever turns to another project does not wait for what was being tried out in this one.
        """
        if isinstance(request, _LEAVING) and self._only_tries_out:
            self.cancel()
        self._busy = True
        self._look_is_last = isinstance(request, View)
        self._under_way.append(request)
        if self._worker is None:
            self.sent.append(request)
        else:
            self._worker.announce(None if self._opened is None else self._opened.path)
            self._queued.emit(request)
        self.requestSent.emit(request)

    @property
    def _only_tries_out(self) -> bool:
        """Whether of the long tasks asked for none does more than to work something out."""
        long = [request for request in self._under_way if isinstance(request, LongRequest)]
        return bool(long) and all(isinstance(request, _TRIES_OUT) for request in long)

    def cancel(self) -> None:
        """Stop the long task that is running; `stopped` follows. Returns at once."""
        if self._worker is not None:
            self._worker.cancel()

    def view(self, seq: int | None) -> None:
        """Show the state after step `seq` (0 = before the first), read-only; None = back to now."""
        self._viewing = seq
        if seq is None:
            self._leave_replay()
        else:
            self.send(View(seq))

    def look_at_cut(self, groups: int | None) -> None:
        """Look at the level of the hierarchy with so many groups; None = no longer."""
        if groups is None:
            self._leave_cut()
            return
        if self._viewing is not None:
            self.view(None)
        self._cutting = True
        self.send(CutTree(groups))

    # ------------------------------------------------------------------ replies

    @Slot(object)
    def receive(self, reply: Reply) -> None:
        """Take one reply of the engine and tell the views, unless it is stale."""
        match reply:
            case Opened():
                self._open(replace(reply, snapshot=_as_seen(reply.snapshot)))
            case Changed(snapshot=snapshot):
                self._change(_as_seen(snapshot))
            case Replayed(snapshot=snapshot):
                self._replay(_as_seen(snapshot))
            case Closed():
                self._leave_replay()
                self._leave_cut()
                self._suggest(None)
                self._opened = self._snapshot = None
                self.closed.emit()
            case Working():
                self._busy = True
                self.working.emit(reply)
            case Idle():
                self._busy = False
                if self._under_way:
                    self._under_way.popleft()
                self.idle.emit()
            case _:
                self._pass_on(reply)

    def _pass_on(
        self,
        news: Scanned
        | Considered
        | Suggested
        | TreeShown
        | Cut
        | Compared
        | Stopped
        | Exported
        | Failed
        | Crashed,
    ) -> None:
        match news:
            case Considered(outlook=outlook):
                look = None if outlook.look is None else _as_seen(outlook.look)
                self.considered.emit(replace(outlook, look=look))
            case Suggested():
                self._suggest(news)
            case TreeShown():
                self.treeShown.emit(news)
            case Cut():
                if self._cutting:  # else it came too late
                    self._cut = news
                    self.cutChanged.emit(news)
            case Compared(comparison=comparison):
                self.compared.emit(comparison)
            case Scanned():
                self.scanned.emit(news)
            case Stopped():
                self.stopped.emit(news)
            case Exported():
                self.exported.emit(news)
            case Failed():
                self.failed.emit(news)
            case Crashed():
                self._crash(news)
            case _ as never:
                assert_never(never)

    def _crash(self, news: Crashed) -> None:
        self.reported.emit(news.report)
        if news.of_request:
            self.crashed.emit(news)

    def _suggest(self, suggested: Suggested | None) -> None:
        if suggested is not self._suggested:
            self._suggested = suggested
            self.suggestionsChanged.emit(suggested)

    def _replay(self, snapshot: Snapshot) -> None:
        self._look_is_last = False
        if self._viewing is not None:  # else the person has come back to the present meanwhile
            self._leave_cut()
            self._replayed = snapshot
            self.replayChanged.emit(snapshot)

    def _open(self, opened: Opened) -> None:
        self._leave_replay()
        self._leave_cut()
        self._suggest(None)
        self._opened, self._snapshot = opened, opened.snapshot
        self.studyOpened.emit(opened)
        self.snapshotChanged.emit(opened.snapshot)

    def _change(self, snapshot: Snapshot) -> None:
        if self._snapshot is None or snapshot.revision < self._snapshot.revision:
            return
        moved_on = snapshot.revision > self._snapshot.revision
        self._snapshot = snapshot
        if moved_on:
            self._leave_cut()
        if moved_on and not self._look_is_last:
            self._leave_replay()  # an answer or undo given during a replay brings the present back
        self.snapshotChanged.emit(snapshot)

    def _leave_replay(self) -> None:
        self._viewing = None
        self._look_is_last = False
        if self._replayed is not None:
            self._replayed = None
            self.replayChanged.emit(None)

    def _leave_cut(self) -> None:
        self._cutting = False
        if self._cut is not None:
            self._cut = None
            self.cutChanged.emit(None)


def _as_seen(snapshot: Snapshot) -> Snapshot:
    """Show no group before an answer has said that two belong together or not.

    The engine's any-time grouping then has all items in one, which a person would take for a
    finding.
    """
    progress, overview = snapshot.progress, snapshot.overview
    asked = progress.answered > progress.unsure or snapshot.grouping != OWN
    if asked or len(overview.groups) != 1:
        return snapshot
    undivided = replace(overview, groups=(), slots=np.full_like(overview.slots, -1))
    if overview.memberships is not None:
        none = replace(overview.memberships, sets=(), chosen=undivided.slots, compositions=())
        undivided = replace(undivided, memberships=none)
    return replace(snapshot, overview=undivided)
