"""Choosing pairs otherwise: looked at first, then done; stale, stopped, failed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.controller import Controller
from desktop.dialogs import outlook as words
from desktop.dialogs.strategy import StrategyDialog
from desktop.docks.progress import ProgressDock
from desktop.messages import (
    Changed,
    Choose,
    Closed,
    Consider,
    Considered,
    Failed,
    Opened,
    Replayed,
    Stopped,
    Working,
)
from desktop.pages import judge_text
from desktop.widgets.history.history_model import HistoryModel
from desktop.widgets.item_words import ItemWords
from engine.model import (
    Approach,
    Effect,
    HistoryItem,
    Outlook,
    Pair,
    Question,
    Reason,
    Snapshot,
    StepKind,
)
from tests.gui.handmade import (
    FALCON,
    NOON,
    OFFERS,
    RecordedPictures,
    chain,
    controller_on,
    moved_on,
)

PCK = Approach("active-pck", (("groups", "0"),))
REASON = Reason.of("Item {a} has no group yet.", a=3)


def outlook_of(snapshot: Snapshot, approach: Approach = PCK, **changes: object) -> Outlook:
    question = Question(Pair(2, 3), REASON, 4, snapshot.revision)
    made = Outlook(approach, snapshot.revision, Effect(5, 4, 23), 42, question)
    return replace(made, **changes)  # type: ignore[arg-type]


class Desk:
    """A dialog on a study made by hand."""

    def __init__(self, qtbot: QtBot, *, table: bool = False) -> None:
        self.controller, self.opened = controller_on(
            history=chain(12), pair=Pair(0, 1), table=table
        )
        self.controller.receive(self.opened)
        self.dialog = StrategyDialog(self.controller, RecordedPictures())
        self.dialog._pause.setInterval(0)
        qtbot.addWidget(self.dialog)
        self.qtbot = qtbot
        self.dialog.show()

    def choose(self, name: str) -> None:
        names = self.dialog.choice.names
        names.setCurrentIndex(names.findData(name))

    def looks(self) -> list[Approach]:
        return [one.approach for one in self.controller.sent if isinstance(one, Consider)]

    def wait_for_look(self, times: int) -> None:
        self.qtbot.waitUntil(lambda: len(self.looks()) == times)

    @property
    def now(self) -> Snapshot:
        assert self.controller.snapshot is not None
        return self.controller.snapshot


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


def test_what_is_in_force_is_said_and_not_offered(desk: Desk) -> None:
    assert desk.dialog.choice.approach == FALCON
    assert "how pairs are chosen now" in desk.dialog.outlook.heading.text()
    assert not desk.dialog.change.isEnabled()
    desk.dialog.choice.settings.form.fields["c"].input.setText("0.30")
    assert "how pairs are chosen now" in desk.dialog.outlook.heading.text()
    assert desk.controller.sent == []


def test_a_choice_is_looked_at_and_told_before_it_is_taken(qtbot: QtBot, desk: Desk) -> None:
    desk.choose("active-pck")
    desk.wait_for_look(1)
    assert desk.looks() == [PCK]
    assert desk.dialog.progress.isVisible()
    assert desk.dialog.leave.text() == "Stop"
    assert not desk.dialog.change.isEnabled()
    desk.controller.receive(Working(20, 42, "Going through the answers"))
    assert "20" in desk.dialog.doing.text()
    desk.controller.receive(Considered(outlook_of(desk.now)))
    told = desk.dialog.outlook
    assert told.lines.text().splitlines() == [
        "All 42 answers are kept.",
        "Groups: 4 instead of 5.",
        "23 of 40 items would be in another group.",
    ]
    assert told.next.text() == "It would ask next:"
    assert told.pictures.items == (2, 3)
    assert told.why.text() == "Item 3 has no group yet."
    assert desk.dialog.change.isEnabled()
    desk.dialog.change.click()
    assert desk.controller.sent[-1] == Choose(desk.now.revision, PCK)
    with qtbot.waitSignal(desk.dialog.accepted):
        desk.controller.receive(Changed(moved_on(desk.now, approach=PCK)))


def test_rows_of_a_table_are_named(qtbot: QtBot) -> None:
    desk = Desk(qtbot, table=True)
    desk.choose("random")
    desk.wait_for_look(1)
    desk.controller.receive(Considered(outlook_of(desk.now, Approach("random"))))
    told = desk.dialog.outlook
    assert "row 3" in told.names.text()
    assert "row 4" in told.names.text()
    assert "secret" not in told.names.text()
    assert not told.pictures.isVisible()


def test_another_choice_makes_the_look_before_it_worthless(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.wait_for_look(1)
    desk.choose("random")
    desk.wait_for_look(2)
    desk.controller.receive(Considered(outlook_of(desk.now)))  # it was too late to stop it
    assert not desk.dialog.change.isEnabled()
    desk.controller.receive(Considered(outlook_of(desk.now, Approach("random"))))
    assert desk.dialog.change.isEnabled()
    desk.choose("falcon")
    assert not desk.dialog.change.isEnabled()
    assert len(desk.looks()) == 2


def test_the_reply_of_a_stopped_look_is_told_from_the_next(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.wait_for_look(1)
    desk.choose("random")
    desk.wait_for_look(2)
    desk.controller.receive(Stopped("Consider"))
    assert desk.dialog.progress.isVisible()
    desk.controller.receive(Considered(outlook_of(desk.now, Approach("random"))))
    assert desk.dialog.change.isEnabled()


def test_escape_stops_a_look_and_then_closes(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, desk: Desk
) -> None:
    stops: list[bool] = []
    monkeypatch.setattr(desk.controller, "cancel", lambda: stops.append(True))
    desk.choose("active-pck")
    desk.wait_for_look(1)
    qtbot.keyClick(desk.dialog, Qt.Key.Key_Escape)
    assert stops == [True]
    assert desk.dialog.isVisible()
    desk.controller.receive(Stopped("Consider"))
    assert not desk.dialog.progress.isVisible()
    assert not desk.dialog.change.isEnabled()
    desk.dialog.again.click()
    assert desk.looks() == [PCK, PCK]
    desk.controller.receive(Considered(outlook_of(desk.now)))
    qtbot.keyClick(desk.dialog, Qt.Key.Key_Escape)
    assert not desk.dialog.isVisible()


def test_what_fails_is_said_with_the_choices_kept(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.dialog.choice.settings.groups.input.setText("7")
    desk.wait_for_look(1)
    desk.controller.receive(Failed("There is not enough memory for this.", "Close others."))
    assert "not enough memory" in desk.dialog.fault.text()
    assert desk.dialog.choice.approach == Approach("active-pck", (("groups", "7"),))
    assert desk.dialog.again.isVisible()
    assert not desk.dialog.change.isEnabled()


def test_a_fault_is_said_and_not_looked_at(desk: Desk) -> None:
    desk.dialog.choice.settings.form.fields["c"].input.setText("0")
    assert "put right" in desk.dialog.outlook.heading.text()
    assert "above 0" in desk.dialog.outlook.lines.text()
    assert not desk.dialog._pause.isActive()
    desk.dialog.choice.settings.form.usual.click()
    assert "how pairs are chosen now" in desk.dialog.outlook.heading.text()
    assert desk.controller.sent == []


def test_the_state_may_move_on_meanwhile(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.wait_for_look(1)
    before = desk.now
    desk.controller.receive(Considered(outlook_of(before)))
    desk.controller.receive(Changed(before))  # look-ahead has filled it: the same state
    assert desk.dialog.change.isEnabled()
    desk.controller.receive(Changed(moved_on(before)))
    assert not desk.dialog.change.isEnabled()
    desk.wait_for_look(2)
    desk.controller.receive(Considered(outlook_of(desk.now)))
    desk.dialog.change.click()
    desk.controller.receive(Changed(moved_on(desk.now)))  # it was dropped: an answer came first
    assert desk.dialog.isVisible()
    desk.wait_for_look(3)


def test_it_goes_with_the_project_and_asks_nothing_more(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.controller.receive(Closed())
    assert not desk.dialog.isVisible()
    assert not desk.dialog._pause.isActive()


def test_quitting_while_it_changes_is_not_held_up(desk: Desk) -> None:
    desk.choose("active-pck")
    desk.wait_for_look(1)
    desk.controller.receive(Considered(outlook_of(desk.now)))
    desk.dialog.change.click()
    desk.dialog.reject()
    assert desk.dialog.isVisible()
    assert desk.dialog.close()
    assert not desk.dialog.isVisible()


def test_tab_walks_what_is_seen_and_everything_has_a_name(qtbot: QtBot, desk: Desk) -> None:
    dialog = desk.dialog
    dialog.choice.settings.form.more.open()
    for name in ("active-pck", "falcon"):
        desk.choose(name)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.choice.names.setFocus()
    visited = []
    while (widget := dialog.focusWidget()) not in visited:
        assert widget.accessibleName() or widget.text()
        visited.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    fields = dialog.choice.settings.form.fields
    assert visited == [
        dialog.choice.names,
        dialog.choice.settings.slips.choice,
        fields["width"].input,
        fields["c"].input,
        dialog.choice.settings.form.more.heading,
        fields["rank"].input,
        fields["exact_sums"].input,
        dialog.leave,
    ]


def test_the_outlook_in_words() -> None:
    _, opened = controller_on(pair=Pair(0, 1))
    now = opened.snapshot
    same = Effect(4, 4, 0)
    few = outlook_of(now, effect=same, answers=1)
    assert words.told(few, now, 40) == [
        "Your answer is kept.",
        "Groups: 4, as many as now.",
        "No item would be in another group.",
    ]
    undivided = replace(now, overview=replace(now.overview, groups=()))
    assert words.told(outlook_of(now, answers=0), undivided, 40) == [
        "You have not answered yet, so there is nothing to lose.",
        "There are no groups yet that could change.",
    ]
    assert "nothing left" in words.next_line(outlook_of(now, question=None), now)
    kept = Question(Pair(0, 1), REASON, 1, 1)
    assert "go on with the pair" in words.next_line(outlook_of(now, question=kept), now)


def step_of(approach: Approach, parent: int = 0) -> HistoryItem:
    return HistoryItem(
        parent + 1,
        parent,
        StepKind.STRATEGY,
        NOON,
        on_path=True,
        approach=approach,
        effect=Effect(4, 4, 23),
    )


def test_the_step_is_told_in_history_and_notice(qtbot: QtBot) -> None:
    other = replace(FALCON, params=(("c", "0.4"), *FALCON.params[2:]))
    _, opened = controller_on(history=(step_of(other),))
    model = HistoryModel()
    model.open(ItemWords(opened), OFFERS)
    model.set_live(opened.snapshot)
    sentence = model.data(model.index(0))
    assert isinstance(sentence, str)
    for part in ("Way of choosing pairs", "Telling examples", "23 items moved", "c = 0.4"):
        assert part in sentence
    model.set_filter(model._show, "telling")
    assert model.row_of(1) == 0
    before = replace(opened.snapshot, history=(), position=0)
    now = replace(opened.snapshot, approach=other)
    text, _ = judge_text.moved(before, now)
    assert text == "Pairs chosen by “Telling examples (FALCON)” · 23 items moved · c = 0.4"
    back, _ = judge_text.moved(now, before)
    assert back == ""  # the step is not in that history
    back, _ = judge_text.moved(now, replace(now, position=0))
    assert back == "Taken back: Pairs chosen by “Telling examples (FALCON)”"


def test_progress_names_the_strategy_of_the_state_shown(qtbot: QtBot) -> None:
    controller: Controller
    opened: Opened
    controller, opened = controller_on(history=chain(3))
    dock = ProgressDock(controller)
    qtbot.addWidget(dock)
    dock.resize(320, 460)
    dock.show()
    assert not dock._change.isVisible()
    controller.receive(opened)
    assert dock._strategy.text() == "Telling examples (FALCON)"
    with qtbot.waitSignal(dock.strategyRequested):
        dock._change.click()
    controller.view(1)
    unusual = Approach("active-pck", (("groups", "3"),))
    controller.receive(Replayed(replace(opened.snapshot, live=False, approach=unusual)))
    assert dock._strategy.text() == "One of each, round groups (PCK): groups = 3"
