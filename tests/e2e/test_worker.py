"""The real engine on its thread: make, answer, undo, look, export, stop, fail, close, reopen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from desktop import worker
from desktop.controller import Controller
from desktop.messages import (
    Changed,
    CloseProject,
    Crashed,
    CreateProject,
    Export,
    Exported,
    Failed,
    GoTo,
    Idle,
    NameGroup,
    Opened,
    OpenProject,
    Redo,
    Relink,
    Replayed,
    Reply,
    Request,
    Revise,
    Scanned,
    ScanSource,
    SetAside,
    Stopped,
    Tell,
    Undo,
    View,
    Working,
)
from desktop.worker import EngineWorker
from engine.errors import ResourceError
from engine.model import Snapshot, Verdict
from engine.session import Session

PATIENCE = 30_000  # ms; loading torch on a busy machine
N = 24


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 pictures in three colours, the colour being the first letter of the name."""
    folder = tmp_path_factory.mktemp("source") / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    colours = {"r": (200, 40, 40), "g": (40, 190, 60), "b": (40, 60, 200)}
    for number in range(N):
        letter = "rgb"[number % 3]
        pixels = rng.normal(colours[letter], 25, size=(24, 24, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{letter}{number:02}.png")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    return folder


class Desk:
    """A controller with the real engine, and everything it was told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.engine = EngineWorker()
        self.heard: list[Reply] = []
        self.threads: set[int] = set()
        self.engine.replied.connect(self.heard.append)
        self.thread: QThread = worker.start(self.engine)
        self.controller = Controller(self.engine)

    def ask(self, request: Request, wanted: type[Reply]) -> Reply:
        """Send a request and wait until the engine has nothing more to do for it."""
        self.heard.clear()
        with self.qtbot.waitSignal(self.controller.idle, timeout=PATIENCE):
            self.controller.send(request)
        found = [reply for reply in self.heard if isinstance(reply, wanted)]
        assert found, f"no {wanted.__name__} after {request}: {self.heard}"
        return found[0]

    def state(self) -> Snapshot:
        assert self.controller.snapshot is not None
        return self.controller.snapshot

    def answer(self, times: int) -> None:
        """Answer as a person who sorts by colour."""
        opened = self.controller.opened
        assert opened is not None
        for _ in range(times):
            now = self.state()
            assert now.question is not None
            a, b = now.question.pair
            alike = opened.items[a].name[0] == opened.items[b].name[0]
            verdict = Verdict.SAME if alike else Verdict.DIFFERENT
            self.ask(Tell(now.revision, a, b, verdict, shown_left=a, response_ms=900), Changed)

    def wait(self, until: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(until, timeout=PATIENCE)


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(qtbot)
    yield made
    assert worker.stop(made.engine, made.thread)
    assert made.thread.isFinished()


@pytest.fixture
def project(desk: Desk, pictures: Path, tmp_path: Path) -> Path:
    """A project of the pictures, open, and the engine at rest: nothing of it comes in later."""
    path = tmp_path / "p.pairloom"
    desk.ask(CreateProject(pictures, path, "pixels", 3, question="Same colour?"), Opened)
    desk.wait(lambda: len(desk.state().next_if) == len(Verdict))
    return path


def shown(state: Snapshot) -> tuple[object, ...]:
    """What a person sees of a state."""
    groups = tuple((g.slot, g.name, g.members.tolist()) for g in state.overview.groups)
    pair = state.question.pair if state.question else None
    return pair, groups, state.clustering.labels.tolist(), state.progress, state.position


def test_a_source_is_looked_at(desk: Desk, pictures: Path) -> None:
    found = desk.ask(ScanSource(pictures), Scanned)
    assert isinstance(found, Scanned)
    assert (found.kind, found.n_items) == ("images", N)
    assert [problem.name for problem in found.problems] == ["broken.png"]
    assert found.embedders[0] == "lite0"
    assert not found.unusable


def test_a_table_is_looked_at(desk: Desk, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("name;size;kind\n" + "\n".join(f"n{i};{i},5;k{i % 2}" for i in range(9)))
    found = desk.ask(ScanSource(table), Scanned)
    assert isinstance(found, Scanned)
    assert found.kind == "table"
    assert [column.name for column in found.columns] == ["name", "size", "kind"]
    assert found.preview[0][1] == "0,5"
    assert found.embedders == ("table",)


@pytest.mark.parametrize(
    ("measured", "first"), [(False, "lite0"), (True, "table")], ids=["pictures", "measured"]
)
def test_a_table_of_pictures_can_be_compared_by_them(
    desk: Desk, pictures: Path, *, measured: bool, first: str
) -> None:
    table = pictures.parent / f"listed-{first}.csv"
    names = sorted(file.name for file in pictures.iterdir())
    rows = [f"{pictures.name}/{name}" for name in names]
    header = "file"
    if measured:
        header, rows = "file,size", [f"{row},{at / 7}" for at, row in enumerate(rows)]
    table.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    scanned = desk.ask(ScanSource(table), Scanned)
    assert isinstance(scanned, Scanned)
    assert scanned.embedders[0] == first
    assert set(scanned.embedders) == {"table", "lite0", "lite0-fast", "classic", "pixels"}


def test_an_empty_folder_is_said_to_be_unusable(desk: Desk, tmp_path: Path) -> None:
    found = desk.ask(ScanSource(tmp_path), Scanned)
    assert isinstance(found, Scanned)
    assert found.unusable
    assert found.hint


def test_answers_survive_undo_close_and_reopen(desk: Desk, project: Path) -> None:
    opened = desk.controller.opened
    assert opened is not None
    assert opened.question == "Same colour?"
    assert len(opened.items) == N
    assert opened.coordinates.shape == (N, 2)
    desk.answer(5)
    assert desk.state().progress.answered == 5
    five = shown(desk.state())
    desk.ask(Undo(), Changed)
    four = shown(desk.state())
    assert desk.state().progress.answered == 4
    desk.ask(Redo(), Changed)
    assert shown(desk.state()) == five
    desk.ask(Undo(), Changed)
    desk.ask(CloseProject(), Idle)
    assert desk.controller.opened is None
    desk.ask(OpenProject(project), Opened)
    assert shown(desk.state()) == four
    assert len(desk.state().history) == 5


def test_answers_given_just_before_closing_are_kept(
    qtbot: QtBot, desk: Desk, project: Path
) -> None:
    now = desk.state()
    assert now.question is not None
    a, b = now.question.pair
    desk.controller.send(Tell(now.revision, a, b, Verdict.DIFFERENT))
    assert worker.stop(desk.engine, desk.thread)
    again = Desk(qtbot)
    again.ask(OpenProject(project), Opened)
    assert again.state().progress.answered == 1
    assert worker.stop(again.engine, again.thread)


def test_an_answer_to_an_earlier_question_is_dropped(desk: Desk, project: Path) -> None:
    first = desk.state()
    assert first.question is not None
    a, b = first.question.pair
    twice = Tell(first.revision, a, b, Verdict.SAME)
    desk.ask(twice, Changed)
    desk.ask(twice, Idle)
    assert not any(isinstance(reply, Changed) and reply.snapshot.revision > first.revision + 1
                   for reply in desk.heard)  # fmt: skip
    assert desk.state().progress.answered == 1


def test_look_ahead_knows_the_question_that_follows(desk: Desk, project: Path) -> None:
    desk.answer(2)
    desk.wait(lambda: len(desk.state().next_if) == len(Verdict))
    now = desk.state()
    assert now.question is not None
    expected = now.next_if[Verdict.SAME]
    a, b = now.question.pair
    desk.ask(Tell(now.revision, a, b, Verdict.SAME), Changed)
    after = desk.state().question
    assert (after and after.pair) == (expected and expected.pair)


def test_look_ahead_begins_again_after_whatever_is_asked_for(desk: Desk, project: Path) -> None:
    desk.answer(3)
    stale = Tell(0, 0, 1, Verdict.SAME)
    for request in (
        Undo(), Redo(), Revise(1, Verdict.UNSURE), NameGroup(0, "red"), View(1), stale, GoTo(2),
        SetAside(desk.state().revision + 5, (0,)),
    ):  # fmt: skip
        desk.ask(request, Idle)
        desk.wait(lambda: len(desk.state().next_if) == len(Verdict))
        now = desk.state()
        assert now.question is not None
        assert now.question.revision == now.revision
    assert desk.state().progress.set_aside == 1


def test_a_crash_in_look_ahead_is_reported_once_and_the_question_stays(
    desk: Desk, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Snapshot:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Session, "speculate", fail)
    reports: list[object] = []
    desk.controller.reported.connect(reports.append)
    ended: list[object] = []
    desk.controller.crashed.connect(ended.append)
    revision = desk.state().revision
    desk.answer(1)
    desk.wait(lambda: bool(reports))
    assert not ended  # nothing that was asked for
    desk.answer(2)
    assert desk.state().revision == revision + 3
    assert len(reports) == 1


@pytest.mark.parametrize("trouble", [ResourceError("too large"), MemoryError()])
def test_what_look_ahead_cannot_do_is_told_when_it_is_asked_for(
    desk: Desk, project: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    tried: list[None] = []

    def fail(*_: object) -> Snapshot:
        tried.append(None)
        raise trouble

    monkeypatch.setattr(Session, "speculate", fail)
    told: list[object] = []
    desk.controller.failed.connect(told.append)
    for times in (1, 2):
        desk.answer(1)
        desk.wait(lambda times=times: len(tried) == times)
    desk.answer(1)
    assert not told


def test_every_stage_of_making_a_project_is_named(
    desk: Desk, pictures: Path, tmp_path: Path
) -> None:
    desk.ask(CreateProject(pictures, tmp_path / "q.pairloom", "pixels", 0), Opened)
    texts = list(dict.fromkeys(r.text for r in desk.heard if isinstance(r, Working)))
    named = ["Loading the engine", "Describing pictures", "Drawing the map"]
    assert [text for text in texts if text in named] == named
    assert texts[-1] != "Drawing the map"
    assert "Choosing the first pair" in texts


def test_looking_back_changes_nothing(desk: Desk, project: Path) -> None:
    desk.answer(4)
    now = shown(desk.state())
    desk.heard.clear()
    with desk.qtbot.waitSignal(desk.controller.replayChanged, timeout=PATIENCE):
        desk.controller.view(2)
    assert desk.controller.shown is not None
    assert desk.controller.shown.position == 2
    assert not desk.controller.shown.live
    assert shown(desk.state()) == now
    desk.controller.view(None)
    assert desk.controller.shown is desk.controller.snapshot


def test_of_many_looks_the_last_is_shown(desk: Desk, project: Path) -> None:
    desk.answer(4)
    desk.wait(lambda: not desk.controller.busy)
    desk.heard.clear()
    for seq in (1, 2, 3, 2, 1, 3):
        desk.controller.view(seq)
    desk.wait(lambda: desk.controller.shown is not None and desk.controller.shown.position == 3
              and sum(isinstance(reply, Idle) for reply in desk.heard) == 6)  # fmt: skip
    looks = [reply for reply in desk.heard if isinstance(reply, Replayed)]
    assert looks[-1].snapshot.position == 3


def test_corrections(desk: Desk, project: Path) -> None:
    desk.answer(3)
    desk.ask(NameGroup(0, "warm"), Changed)
    assert "warm" in [group.name for group in desk.state().overview.groups]
    desk.ask(Revise(1, Verdict.UNSURE), Changed)
    assert desk.state().progress.unsure == 1
    now = desk.state()
    assert now.question is not None
    item = now.question.pair.a
    desk.ask(SetAside(now.revision, (item,)), Changed)
    assert desk.state().progress.set_aside == 1
    desk.ask(SetAside(now.revision, (now.question.pair.b,)), Idle)  # stale: dropped
    assert desk.state().progress.set_aside == 1
    desk.ask(GoTo(0), Changed)
    assert desk.state().progress.answered == 0
    assert desk.state().undo is None
    desk.ask(Undo(), Idle)  # nothing to take back: nothing happens
    assert desk.state().position == 0


def test_the_result_is_exported(desk: Desk, project: Path, tmp_path: Path) -> None:
    desk.answer(4)
    done = desk.ask(Export(csv=tmp_path / "groups.csv", folders=tmp_path / "groups"), Exported)
    assert isinstance(done, Exported)
    assert "groups.csv" in done.report
    assert len((tmp_path / "groups.csv").read_text("utf-8-sig").splitlines()) == N + 1
    assert len(list((tmp_path / "groups").rglob("*.png"))) == N


def test_moved_pictures_are_found_again(
    desk: Desk, pictures: Path, project: Path, tmp_path: Path
) -> None:
    desk.answer(2)
    before = shown(desk.state())
    moved = tmp_path / "moved"
    moved.mkdir()
    for file in pictures.glob("*.png"):
        (moved / file.name).write_bytes(file.read_bytes())
    opened = desk.ask(Relink(moved), Opened)
    assert isinstance(opened, Opened)
    assert opened.source == moved
    assert opened.source_found
    assert shown(desk.state()) == before


def test_stopping_leaves_nothing_behind(desk: Desk, pictures: Path, tmp_path: Path) -> None:
    path = tmp_path / "never.pairloom"
    desk.controller.send(CreateProject(pictures, path, "pixels", 0))
    with desk.qtbot.waitSignal(desk.controller.stopped, timeout=PATIENCE):
        desk.controller.cancel()
    desk.wait(lambda: not desk.controller.busy)  # or its end is taken for that of the next
    assert not path.exists()
    # and the next one is not stopped with it
    desk.ask(CreateProject(pictures, path, "pixels", 0), Opened)
    assert path.exists()


def test_stopping_does_not_stop_answers(desk: Desk, project: Path) -> None:
    now = desk.state()
    assert now.question is not None
    a, b = now.question.pair
    desk.controller.send(Tell(now.revision, a, b, Verdict.DIFFERENT))
    desk.controller.cancel()
    desk.wait(lambda: desk.state().progress.answered == 1)


@pytest.mark.parametrize("name", ["missing.pairloom", "text.pairloom"])
def test_what_cannot_be_opened_is_said(desk: Desk, tmp_path: Path, name: str) -> None:
    (tmp_path / "text.pairloom").write_text("this is no project")
    said = desk.ask(OpenProject(tmp_path / name), Failed)
    assert isinstance(said, Failed)
    assert name in said.message
    assert "Traceback" not in said.message


def test_an_existing_file_is_not_written_over(desk: Desk, pictures: Path, tmp_path: Path) -> None:
    path = tmp_path / "precious.pairloom"
    path.write_text("precious")
    desk.ask(CreateProject(pictures, path, "pixels", 0), Failed)
    assert path.read_text() == "precious"


def test_a_failed_start_keeps_the_open_project(
    desk: Desk, pictures: Path, project: Path, tmp_path: Path
) -> None:
    desk.ask(CreateProject(tmp_path / "nowhere", tmp_path / "q.pairloom", "pixels", 0), Failed)
    desk.answer(1)
    assert desk.state().progress.answered == 1


def test_a_bug_is_reported_and_the_thread_lives(desk: Desk, project: Path) -> None:
    bug = desk.ask(Revise(999, Verdict.SAME), Crashed)
    assert isinstance(bug, Crashed)
    assert "Traceback" in bug.report
    assert "Revise" in bug.report
    assert "Python" in bug.report
    desk.answer(1)


def test_the_engine_runs_on_its_own_thread(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    act = desk.engine._act
    monkeypatch.setattr(
        desk.engine, "_act", lambda request: (seen.append(threading.get_ident()), act(request))
    )
    desk.ask(CloseProject(), Idle)
    assert seen
    assert threading.get_ident() not in seen


def test_what_is_pressed_after_closing_is_dropped(desk: Desk, project: Path) -> None:
    desk.answer(1)
    desk.heard.clear()
    desk.controller.send(CloseProject())
    for late in (Undo(), View(0), NameGroup(0, "x"), GoTo(0), Export(csv=project.with_name("g"))):
        desk.controller.send(late)
    desk.wait(lambda: sum(isinstance(news, Idle) for news in desk.heard) == 6)
    assert not any(isinstance(news, Crashed | Failed) for news in desk.heard)
    assert desk.controller.opened is None


def test_warming_up_loads_the_engine(desk: Desk) -> None:
    import sys

    desk.engine.warm_up()
    desk.wait(lambda: "engine.study" in sys.modules)
    desk.ask(CloseProject(), Idle)


def test_messages_can_be_pickled(desk: Desk, project: Path) -> None:
    import pickle

    desk.answer(1)
    for message in (desk.controller.opened, Changed(desk.state()), View(1), Stopped("x")):
        assert type(pickle.loads(pickle.dumps(message))) is type(message)  # noqa: S301


@pytest.mark.parametrize("waits", [True, False])
def test_what_was_meant_for_the_project_left_does_not_reach_the_next(
    desk: Desk, project: Path, pictures: Path, tmp_path: Path, *, waits: bool
) -> None:
    other = tmp_path / "other.pairloom"
    if waits:
        desk.answer(3)
    desk.ask(CreateProject(pictures, other, "pixels", 4), Opened)
    if waits:
        desk.answer(3)
    before = desk.state()
    assert before.question is not None
    meant = (
        Tell(before.revision, *before.question.pair, Verdict.UNSURE),
        SetAside(before.revision, (5,)),
        NameGroup(0, "mine"),
        Undo(),
        GoTo(before.position),
        *(Revise(step.seq, Verdict.UNSURE) for step in before.history[:1]),
    )
    desk.heard.clear()
    desk.controller.send(OpenProject(project))
    for request in meant:  # pressed before it is there
        desk.controller.send(request)
    desk.wait(lambda: sum(isinstance(one, Idle) for one in desk.heard) == 1 + len(meant))
    desk.wait(lambda: desk.controller.under_way is None)
    assert not [one for one in desk.heard if isinstance(one, Failed | Crashed)]
    assert desk.controller.opened is not None
    assert desk.controller.opened.path == project
    assert [step.kind.value for step in desk.state().history] == ["answer"] * (3 * waits)
    assert desk.state().position == desk.state().history[-1].seq if waits else True
    assert desk.state().progress.unsure == 0
    # where the other cannot be opened they are carried out
    desk.controller.send(OpenProject(tmp_path / "none.pairloom"))
    now = desk.state()
    assert now.question is not None
    told = desk.ask(Tell(now.revision, *now.question.pair, Verdict.UNSURE), Failed)
    assert isinstance(told, Failed)
    desk.wait(lambda: desk.state().progress.unsure == 1)
