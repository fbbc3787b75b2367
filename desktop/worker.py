"""The engine thread: the one place where requests of the window meet Session, SQLite and torch.

Hidden: threads, loading of the engine, look-ahead, what counts as stale, stopped or crashed.
Promised: every request is followed by `Idle`; an answer is on disk before the next question is
sent; look-ahead gives way to the next request at once; no exception leaves the thread.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from desktop.messages import (
    Changed,
    Choose,
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
    Export,
    Exported,
    Failed,
    GoTo,
    Idle,
    LongRequest,
    NameGroup,
    Offer,
    Opened,
    OpenProject,
    Redo,
    Relink,
    Replayed,
    Request,
    Revise,
    SaveComparison,
    Scanned,
    ScanSource,
    SetAside,
    ShowTree,
    Stopped,
    Suggest,
    Suggested,
    Tell,
    TreeShown,
    Undo,
    View,
    Working,
)
from desktop.versions import versions
from engine.dataset import Role
from engine.errors import Cancelled, DatasetError, EngineError, UsageError
from engine.job import Job
from engine.model import OWN, Pair, Snapshot, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from engine.readers import SourcePreview
    from engine.session import Session
    from engine.study import Study

LOG = logging.getLogger(__name__)
_LOOK_AHEAD = "look-ahead"


class EngineWorker(QObject):
    """Handles requests one after the other, on the thread it was moved to.

    Notes
    -----
    `announce`, `cancel`, `warm_up` and `finish` are for the GUI thread; the rest runs on the
    worker's own.
    """

    replied = Signal(object)
    _warming = Signal()
    _finishing = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._study: Study | None = None
        self._snapshot: Snapshot | None = None
        # Each counter has one writer, so no lock is needed: the window counts what it asks for,
        # this thread what it takes up.
        self._announced = 0
        self._taken = 0
        self._aims: deque[Path | None] = deque()  # of those announced and not taken up
        self._aim: Path | None = None  # of the one taken up last
        self._stopped_upto = 0
        self._stoppable = Job()  # the long task under way
        self._ahead = Job()
        self._looks_ahead = True
        self._warming.connect(self._load, Qt.ConnectionType.QueuedConnection)
        self._finishing.connect(self._close_thread, Qt.ConnectionType.QueuedConnection)

    # -------------------------------------------------- called from the GUI thread

    def announce(self, project: Path | None = None) -> None:
        """Say that a request is on its way: look-ahead gives way to it.

        Parameters
        ----------
        project
            The one it is about. When another is open by then, as one was being opened when a key
            was pressed, the request is dropped: its items and steps are those of the one left.
        """
        self._announced += 1
        self._aims.append(project)
        self._ahead.cancel()

    def cancel(self) -> None:
        """Stop the long task under way and those asked for but not begun. Answers go on."""
        self._stopped_upto = self._announced
        self._stoppable.cancel()

    def warm_up(self) -> None:
        """Load the engine in the background, so that the first request need not wait for it."""
        self._warming.emit()

    def finish(self) -> None:
        """Take up the answers given before, then close the project and end the thread."""
        self.announce()
        self.cancel()
        self._finishing.emit()

    # ------------------------------------------------------ on the worker's thread

    @Slot(object)
    def handle(self, request: Request) -> None:
        """Act on one request."""
        self._taken += 1
        self._aim = self._aims.popleft() if self._aims else None
        self._guarded(type(request).__name__, lambda: self._act(request))
        self.replied.emit(Idle())
        self._guarded(_LOOK_AHEAD, self._look_ahead)

    def _guarded(self, what: str, act: Callable[[], None]) -> None:
        """Run `act`; whatever it raises becomes a reply. The only broad except of the engine."""
        try:
            act()
        except Cancelled:
            if what != _LOOK_AHEAD:
                self.replied.emit(Stopped(what))
        except EngineError as error:
            LOG.warning("%s failed: %s", what, error.message)
            if what != _LOOK_AHEAD:  # who asks for it will hear of it
                self.replied.emit(Failed(error.message, error.hint))
        except MemoryError:
            LOG.exception("%s ran out of memory", what)
            if what != _LOOK_AHEAD:
                self.replied.emit(
                    Failed(
                        "There is not enough memory for this.",
                        "Close other programs, or use fewer items; your answers are saved.",
                    )
                )
        except Exception:
            LOG.exception("%s crashed", what)
            self.replied.emit(Crashed(crash_report(what), of_request=what != _LOOK_AHEAD))
            if what == _LOOK_AHEAD:  # the question before the person is sound, later ones wait
                self._looks_ahead = False  # until another project is opened: one report is enough

    def _act(self, request: Request) -> None:
        starting = (ScanSource, CreateProject, OpenProject, CloseProject)
        if not isinstance(request, starting) and not self._is_there:
            # pressed a moment after closing, or while another was being opened
            LOG.info("dropped %s: its project is not open", type(request).__name__)
            return
        match request:
            case (
                ScanSource()
                | CreateProject()
                | OpenProject()
                | Relink()
                | Consider()
                | Suggest()
                | ShowTree()
                | Compare()
                | Export()
            ):
                self._act_long(request)
            case CloseProject():
                self._close_study()
                self.replied.emit(Closed())
            case View(seq=seq):
                if self._announced == self._taken:  # else overtaken: a later look is on its way
                    self.replied.emit(Replayed(self._session(Job()).at(seq)))
            case CutTree(groups=groups):
                if self._announced == self._taken:
                    job = Job()
                    self.replied.emit(Cut(groups, self._session(job).cut(groups, job)))
            case SaveComparison(comparison=comparison, csv=path):
                from engine.compare import write_csv

                self.replied.emit(Exported(write_csv(self._open_study, comparison, path)))
            case _:
                self._act_on_state(request)

    def _act_long(self, request: LongRequest) -> None:
        job = self._stoppable = Job(lambda *report: self.replied.emit(Working(*report)))
        if self._taken <= self._stopped_upto:
            job.cancel()
        job.step(0, 0, "Starting")
        match request:
            case ScanSource():
                self._scan(request, job)
            case CreateProject():
                self._create(request, job)
            case OpenProject():
                self._open(request.path, job)
            case Relink():
                self._open_study.relink(request.folder, job)
                self._say_opened(job)
            case Export():
                self.replied.emit(Exported(_export(self._open_study, request, job)))
            case _:
                self._try_out(request, job)

    def _try_out(self, request: Consider | Suggest | ShowTree | Compare, job: Job) -> None:
        """Work something out about the state that changes nothing in it."""
        session = self._session(job)
        match request:
            case Consider(approach=approach, kind=kind):
                self.replied.emit(Considered(session.consider(approach, job, kind)))
            case Suggest():
                session.suggest(job)
                self._say_suggested(session)
            case ShowTree():
                now = self._snapshot or session.snapshot()
                tree = session.tree(job)
                said = tuple((one.seq, one.pair, one.verdict) for one in session.statements)
                self.replied.emit(TreeShown(now.revision, tree, said))
            case Compare(approaches=approaches, budget=budget, noise=noise):
                from engine.compare import compare

                for comparison in compare(
                    self._open_study, approaches, job, budget=budget, noise=noise
                ):
                    self.replied.emit(Compared(comparison))
            case _ as never:
                assert_never(never)

    def _act_on_state(
        self, request: Tell | SetAside | NameGroup | Undo | Redo | Revise | GoTo | Choose
    ) -> None:
        session = self._session(Job(lambda *report: self.replied.emit(Working(*report))))
        now = self._snapshot or session.snapshot()
        match request:
            case Tell() | SetAside() | Choose() if request.revision != now.revision:
                LOG.info("dropped a stale %s", type(request).__name__)
                return
            case Tell():
                snapshot = session.tell(
                    Pair.of(request.a, request.b),
                    request.verdict,
                    confidence=request.confidence,
                    source=request.source,
                    shown_left=request.shown_left,
                    response_ms=request.response_ms,
                    common=request.common,
                )
            case SetAside():
                snapshot = session.set_aside(request.items)
            case NameGroup():
                snapshot = session.name_group(request.item, request.name)
            case Undo():
                snapshot = session.undo() if now.undo is not None else now
            case Redo():
                snapshot = session.redo() if now.redo is not None else now
            case Revise():
                snapshot = session.revise(request.seq, request.verdict)
            case GoTo():
                snapshot = session.go_to(request.seq)
            case Choose():
                snapshot = session.choose(request.approach, request.kind)
            case _ as never:
                assert_never(never)
        self._show(snapshot)
        self._say_suggested(session)

    def _say_suggested(self, session: Session) -> None:
        """Tell what of the suggestions is open now, if any were asked for."""
        now, suggested = self._snapshot or session.snapshot(), session.suggested
        if suggested is not None:
            self.replied.emit(Suggested(now.revision, suggested))

    def _look_ahead(self) -> None:
        """Prepare the questions that may follow, unless something else is to be done."""
        job = self._ahead = Job()
        now = self._snapshot
        if (
            not self._looks_ahead
            or self._announced != self._taken
            or self._study is None
            or now is None
        ):
            return
        if now.question is not None and len(now.next_if) < len(Verdict):
            self._show(self._session(job).speculate(job))

    # ------------------------------------------------------------------ the study

    @property
    def _open_study(self) -> Study:
        if self._study is None:
            raise UsageError("no project is open")
        return self._study

    @property
    def _is_there(self) -> bool:
        """Whether a project is open, and the one that the request is about."""
        if self._study is None:
            return False
        project, aim = self._study.project, self._aim
        return aim is None or (project is not None and project.path == aim)

    def _session(self, job: Job) -> Session:
        session = self._open_study.session
        session.job = job
        return session

    def _show(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.replied.emit(Changed(snapshot))

    def _say_opened(self, job: Job) -> None:
        study = self._open_study
        project = study.project
        if project is None:
            raise UsageError("the window works on project files only")
        job.step(0, 0, "Choosing the first pair")
        self._snapshot = study.session.snapshot()
        self.replied.emit(
            Opened(
                path=project.path,
                source=study.dataset.source,
                source_found=study.source_found,
                items=study.dataset.items,
                columns=study.dataset.columns,
                problems=study.dataset.problems,
                coordinates=study.coordinates,
                question=study.settings.question,
                embedder=study.settings.embedder,
                snapshot=self._snapshot,
                offers=_offers(),
                methods=_methods(),
                labelled=study.truth() is not None,
            )
        )

    def _close_study(self) -> None:
        study, self._study, self._snapshot = self._study, None, None
        self._looks_ahead = True
        if study is not None:
            study.close()

    def _open(self, path: Path, job: Job) -> None:
        """Open a project; the one open before stays where that fails, unless it is the same."""
        job.step(0, 0, "Loading the engine")
        self._load()
        before = self._study.project if self._study is not None else None
        again = before is not None and path.exists() and path.samefile(before.path)
        if again:  # a file is open once only
            self._close_study()
        try:
            study = _study_class().open(path, job)
        except BaseException:
            if again:
                self.replied.emit(Closed())
            raise
        self._close_study()
        self._study = study
        self._say_opened(job)

    def _create(self, request: CreateProject, job: Job) -> None:
        job.step(0, 0, "Loading the engine")
        self._load()
        study = _study_class().create(
            request.source,
            job,
            path=request.path,
            embedder=request.embedder,
            strategy=request.strategy,
            params=request.params,
            seed=request.seed,
            roles=request.roles or None,
            question=request.question,
            planned=request.planned,
        )
        self._close_study()
        self._study = study
        self._say_opened(job)

    def _scan(self, request: ScanSource, job: Job) -> None:
        from engine import readers

        try:
            found = readers.preview(request.source, job)
        except DatasetError as error:
            self.replied.emit(
                Scanned(
                    source=request.source,
                    kind="",
                    n_items=0,
                    n_copies=0,
                    columns=(),
                    preview=(),
                    problems=(),
                    notes=(),
                    embedders=(),
                    unusable=error.message,
                    hint=error.hint,
                )
            )
            return
        self.replied.emit(
            Scanned(
                source=request.source,
                kind=found.kind.value,
                n_items=found.n_items,
                n_copies=found.n_copies,
                columns=found.columns,
                preview=found.rows,
                problems=found.problems,
                notes=found.notes,
                embedders=_embedders(found),
                samples=found.samples,
                suffixes=found.suffixes,
                offers=_offers(),
            )
        )

    # ---------------------------------------------------------------- the thread

    @Slot()
    def _load(self) -> None:
        """Import the engine on this thread; a core is left to the window."""
        from engine.loading import load_libraries

        load_libraries(max(1, (os.cpu_count() or 2) - 1))

    @Slot()
    def _close_thread(self) -> None:
        self._guarded("CloseProject", self._close_study)
        QThread.currentThread().quit()


def _study_class() -> type[Study]:
    from engine.study import Study

    return Study


def _offers() -> tuple[Offer, ...]:
    """List the strategies, the recommended one first."""
    from engine import strategies

    return tuple(
        Offer(name, strategies.parameters(name), shares=not strategy.transitive)
        for name, strategy in strategies.REGISTRY.items()
    )


def _methods() -> tuple[Offer, ...]:
    """List the ways to find groups: the strategy's own, then the methods."""
    from engine import clusterers

    others = (
        Offer(name, clusterers.parameters(name), method.heeds)
        for name, method in clusterers.REGISTRY.items()
    )
    return (Offer(OWN.strategy, ()), *others)


def _embedders(found: SourcePreview) -> tuple[str, ...]:
    """Give the embedders that fit, the usual one for what was found first."""
    from engine import embedders

    roles = {column.role for column in found.columns}
    pictures = Role.IMAGE in roles
    names = embedders.names_for(found.kind, pictures=pictures)
    usual = "lite0-fast" if found.n_items > embedders.FAST_ABOVE else "lite0"
    if pictures and Role.FEATURE in roles:  # measurements go before the pictures beside them
        usual = "table"
    return tuple(sorted(names, key=lambda name: name != usual))


def _export(study: Study, request: Export, job: Job) -> str:
    from engine import export

    written = []
    if request.csv is not None:
        written.append(export.write_groups_csv(study, request.csv))
    if request.folders is not None:
        written.append(export.copy_into_folders(study, request.folders, job))
    written.append(export.origin(study))
    return "\n".join(filter(None, written))


def crash_report(what: str) -> str:
    """Describe the exception being handled, for a person to copy: no contents of their files."""
    return f"{versions()}\nWhile: {what}\n\n{traceback.format_exc()}"


def start(worker: EngineWorker) -> QThread:
    """Give the worker its thread, running; end it by `stop`."""
    thread = QThread()
    thread.setObjectName("engine")
    worker.moveToThread(thread)
    thread.start()
    return thread


def stop(worker: EngineWorker, thread: QThread) -> bool:
    """Close the project and end the thread; False = it did not end within half a minute."""
    worker.finish()
    return thread.wait(30_000)
