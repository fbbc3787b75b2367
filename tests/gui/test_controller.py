"""The controller: rising revisions, replay that ends, one signal per piece of news."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal, Slot
from pytestqt.qtbot import QtBot

from desktop.controller import Controller
from desktop.messages import (
    Changed,
    Closed,
    CloseProject,
    Compare,
    Crashed,
    Cut,
    Export,
    Exported,
    Failed,
    Idle,
    Opened,
    OpenProject,
    Replayed,
    Reply,
    Request,
    Scanned,
    ShowTree,
    Stopped,
    Tell,
    Undo,
    View,
    Working,
)
from engine.model import Clustering, Overview, Pair, Progress, Question, Reason, Snapshot, Verdict


def snapshot(revision: int, *, live: bool = True) -> Snapshot:
    labels = np.zeros(3, np.int32)
    sure = np.ones(3, np.float32)
    return Snapshot(
        revision=revision,
        question=None,
        clustering=Clustering(labels, sure),
        overview=Overview((), labels, sure),
        history=(),
        position=0,
        undo=None,
        redo=None,
        progress=Progress(0, 0, 1, 0, None, 0, 0, 0),
        live=live,
    )


def opened(revision: int = 0) -> Opened:
    return Opened(
        path=Path("a.pairloom"),
        source=Path("a"),
        source_found=True,
        items=(),
        columns=(),
        problems=(),
        coordinates=np.zeros((3, 2), np.float32),
        question="?",
        embedder="lite0",
        snapshot=snapshot(revision),
    )


@pytest.fixture
def controller(qtbot: QtBot) -> Controller:
    made = Controller()
    made.receive(opened())
    return made


def test_opening_tells_the_study_before_its_state(qtbot: QtBot) -> None:
    controller = Controller()
    told: list[str] = []
    controller.studyOpened.connect(lambda _: told.append("study"))
    controller.snapshotChanged.connect(lambda _: told.append("state"))
    controller.receive(opened(7))
    assert told == ["study", "state"]
    assert controller.snapshot is controller.shown is not None
    assert controller.snapshot.revision == 7


def test_stale_states_are_dropped(controller: Controller) -> None:
    seen: list[int] = []
    controller.snapshotChanged.connect(lambda state: seen.append(state.revision))
    for revision in (2, 1, 3):
        controller.receive(Changed(snapshot(revision)))
    assert seen == [2, 3]


def test_look_ahead_comes_through_without_ending_a_replay(controller: Controller) -> None:
    controller.view(0)
    controller.receive(Replayed(snapshot(0, live=False)))
    ahead = Question(Pair(0, 1), Reason("Why not"), 2, 0)
    controller.receive(Changed(replace(snapshot(0), next_if={Verdict.SAME: ahead})))
    assert controller.replaying
    assert controller.snapshot is not None
    assert controller.snapshot.next_if == {Verdict.SAME: ahead}


def test_replay_begins_and_ends(controller: Controller, qtbot: QtBot) -> None:
    with qtbot.waitSignal(controller.replayChanged) as begun:
        controller.view(4)
        controller.receive(Replayed(snapshot(0, live=False)))
    assert controller.sent == [View(4)]
    assert begun.args is not None
    assert controller.shown is begun.args[0]
    with qtbot.waitSignal(controller.replayChanged) as ended:
        controller.view(None)
    assert ended.args == [None]
    assert controller.shown is controller.snapshot


def test_a_late_look_does_not_begin_a_replay_again(controller: Controller) -> None:
    controller.view(4)
    controller.view(None)
    controller.receive(Replayed(snapshot(0, live=False)))
    assert not controller.replaying


def test_a_new_state_ends_a_replay(controller: Controller) -> None:
    controller.view(0)
    controller.receive(Replayed(snapshot(0, live=False)))
    controller.receive(Changed(snapshot(1)))
    assert not controller.replaying


def test_a_look_asked_for_after_an_answer_is_shown(controller: Controller) -> None:
    controller.send(Tell(0, 0, 1, Verdict.SAME))
    controller.view(4)
    controller.receive(Changed(snapshot(1)))  # the answer's
    controller.receive(Replayed(snapshot(1, live=False)))
    assert controller.replaying
    controller.view(3)
    controller.send(Undo())
    controller.receive(Changed(snapshot(2)))
    controller.receive(Replayed(snapshot(1, live=False)))  # the look came too late
    assert not controller.replaying


def test_a_cut_is_looked_at_until_the_state_moves_on(controller: Controller) -> None:
    told: list[object] = []
    controller.cutChanged.connect(told.append)
    cut = Cut(3, snapshot(0, live=False))
    controller.receive(cut)  # nobody wants it
    assert told == []
    controller.look_at_cut(3)
    controller.receive(cut)
    controller.receive(Changed(snapshot(0)))  # look-ahead
    assert controller.cut is cut
    assert controller.shown is controller.snapshot
    controller.receive(Changed(snapshot(1)))
    controller.receive(cut)  # too late
    assert controller.cut is None
    assert told == [cut, None]


def test_a_reply_belongs_to_the_oldest_request_not_done_with(controller: Controller) -> None:
    assert controller.under_way is None
    controller.send(ShowTree())
    controller.send(Undo())
    assert controller.under_way == ShowTree()
    controller.receive(Idle())
    assert controller.under_way == Undo()
    controller.receive(Idle())
    assert controller.under_way is None


def test_busy_from_request_to_idle(controller: Controller) -> None:
    assert not controller.busy
    controller.send(Undo())
    assert controller.busy
    assert not controller.can_stop
    controller.receive(Idle())
    assert not controller.busy
    controller.send(Export(csv=Path("g.csv")))
    assert controller.can_stop
    controller.cancel()  # without an engine: nothing to stop, nothing breaks


def test_what_is_asked_for_meanwhile_does_not_take_the_stop_away(controller: Controller) -> None:
    controller.send(Compare((), 10))
    controller.send(Undo())
    assert controller.can_stop
    controller.receive(Idle())
    controller.receive(Working(1, 2, "Thinking"))
    assert not controller.can_stop


class Engine(QObject):
    """Stands in for the worker: counts how often it is stopped."""

    replied = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.stops = 0

    @Slot(object)
    def handle(self, request: object) -> None:
        """Leave it undone."""

    def announce(self, project: Path | None = None) -> None:
        """Hear of a request."""

    def cancel(self) -> None:
        """Count."""
        self.stops += 1


@pytest.mark.parametrize(
    ("under_way", "stops"),
    [([Compare((), 10)], 1), ([ShowTree(), Undo()], 1), ([Export()], 0), ([Undo()], 0),
     ([Compare((), 10), Export()], 0)],
)  # fmt: skip
@pytest.mark.parametrize("leaving", [CloseProject(), OpenProject(Path("b.pairloom"))])
def test_another_project_waits_for_what_matters_alone(
    qtbot: QtBot, under_way: list[Request], stops: int, leaving: Request
) -> None:
    engine = Engine()
    controller = Controller(engine)  # type: ignore[arg-type]
    for request in under_way:
        controller.send(request)
    assert engine.stops == 0
    controller.send(leaving)
    assert engine.stops == stops


def test_a_crash_of_what_was_not_asked_for_ends_no_request(
    controller: Controller, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(controller.crashed), qtbot.waitSignal(controller.reported) as told:
        controller.receive(Crashed("Report", of_request=False))
    assert told.args == ["Report"]


def test_closing_leaves_nothing(controller: Controller, qtbot: QtBot) -> None:
    with qtbot.waitSignal(controller.closed):
        controller.receive(Closed())
    assert controller.opened is None
    assert controller.shown is None
    controller.receive(Changed(snapshot(9)))
    assert controller.snapshot is None


@pytest.mark.parametrize(
    ("reply", "signal"),
    [
        (Working(1, 2, "Reading"), "working"),
        (Stopped("Export"), "stopped"),
        (Exported("Wrote it"), "exported"),
        (Failed("No", "Yes"), "failed"),
        (Crashed("Report"), "crashed"),
        (Scanned(Path(), "images", 1, 0, (), (), (), (), ()), "scanned"),
    ],
)
def test_news_is_passed_on(controller: Controller, qtbot: QtBot, reply: Reply, signal: str) -> None:
    with qtbot.waitSignal(getattr(controller, signal)) as told:
        controller.receive(reply)
    assert told.args == [reply]
