"""Finding groups otherwise: the difference is seen first, and a guess is called one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop import strategies
from desktop.controller import Controller
from desktop.dialogs import moves as dialog_words
from desktop.dialogs.grouping import GroupingDialog
from desktop.docks.overview import OverviewDock
from desktop.docks.progress import ProgressDock
from desktop.main_window import MainWindow
from desktop.messages import (
    Changed,
    Choose,
    Consider,
    Considered,
    Failed,
    Offer,
    Replayed,
)
from desktop.pages import judge_text
from desktop.pages.overview import OverviewPage
from desktop.settings import Settings
from desktop.widgets.groups import grouping_words
from desktop.widgets.groups.group_model import UNDECIDED
from desktop.widgets.groups.grouping_note import GroupingNote
from desktop.widgets.groups.moves import MOVE, MovesModel, moves_between
from desktop.widgets.history.history_model import HistoryModel
from desktop.widgets.item_words import ItemWords
from engine import clusterers
from engine.model import (
    OWN,
    Approach,
    Effect,
    HistoryItem,
    IntArray,
    Outlook,
    Overview,
    Pair,
    Snapshot,
    StepKind,
    Verdict,
)
from engine.parameters import Parameter
from tests.gui.handmade import (
    METHODS,
    NOON,
    RecordedPictures,
    answer_step,
    blobs,
    chain,
    controller_on,
    moved_on,
    opened_of,
    overview_of,
    snapshot_of,
)

RCC = Approach("rcc", (("neighbours", "10"), ("stretch", "1.0"), ("rounds", "100")))
FC2 = Approach("fc2", (("groups", "0"),))


def grouping_step(approach: Approach, parent: int, effect: Effect | None = None) -> HistoryItem:
    return HistoryItem(
        parent + 1,
        parent,
        StepKind.GROUPING,
        NOON,
        on_path=True,
        approach=approach,
        effect=effect or Effect(4, 5, 7),
    )


def with_groups(history: tuple[HistoryItem, ...], approach: Approach) -> tuple[HistoryItem, ...]:
    """Add a step that finds groups otherwise."""
    return (*history, grouping_step(approach, len(history)))


def grouped(
    history: tuple[HistoryItem, ...], grouping: Approach, after: int = 0, **changes: object
) -> Snapshot:
    _, labels = blobs(40, 4)
    shown = snapshot_of(overview_of(labels), history)
    return replace(shown, grouping=grouping, grouped_after=after, **changes)  # type: ignore[arg-type]


def no_groups(snapshot: Snapshot) -> Snapshot:
    nothing = np.full_like(snapshot.overview.slots, -1)
    return replace(snapshot, overview=replace(snapshot.overview, groups=(), slots=nothing))


def other_slots() -> IntArray:
    """Move 10 items of 40 from group 1 to 2, and 3 from group 3 to a new one."""
    _, labels = blobs(40, 4)
    labels[labels == 0] = 1
    labels[[2, 6, 10]] = 4
    return labels


def outlook_of(now: Snapshot, approach: Approach = RCC, **changes: object) -> Outlook:
    look = replace(
        now, overview=overview_of(other_slots()), grouping=approach, question=None, live=False
    )
    made = Outlook(
        approach, now.revision, Effect(4, 4, 13), 12, None, StepKind.GROUPING, look
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


class Desk:
    """A dialog on a study made by hand."""

    def __init__(
        self,
        qtbot: QtBot,
        *,
        table: bool = False,
        snapshot: Snapshot | None = None,
        start: Approach | None = None,
        extra: tuple[Offer, ...] = (),
    ) -> None:
        self.controller, opened = controller_on(history=chain(12), pair=Pair(0, 1), table=table)
        if snapshot is not None:
            opened = opened_of(opened.coordinates, snapshot, table=table)
        self.opened = replace(opened, offers=(*opened.offers, *extra))
        self.controller.receive(self.opened)
        self.dialog = GroupingDialog(self.controller, RecordedPictures(), start=start)
        self.dialog._pause.setInterval(0)
        qtbot.addWidget(self.dialog)
        self.qtbot = qtbot
        self.dialog.show()

    def choose(self, name: str) -> None:
        names = self.dialog.choice.names
        names.setCurrentIndex(names.findData(name))

    def wait_for_look(self, times: int) -> Consider:
        def looks() -> list[Consider]:
            return [one for one in self.controller.sent if isinstance(one, Consider)]

        self.qtbot.waitUntil(lambda: len(looks()) == times)
        return looks()[-1]

    @property
    def now(self) -> Snapshot:
        assert self.controller.snapshot is not None
        return self.controller.snapshot


# ------------------------------------------------------------------------------ the dialog


@pytest.mark.parametrize("table", [False, True])
def test_the_difference_is_shown_before_it_is_taken(qtbot: QtBot, *, table: bool) -> None:
    desk = Desk(qtbot, table=table)
    dialog, panel = desk.dialog, desk.dialog.outlook
    assert dialog.choice.strategy == "own"
    assert "how groups are found now" in panel.heading.text()
    assert not dialog.change.isEnabled()
    desk.choose("rcc")
    assert desk.wait_for_look(1) == Consider(RCC, StepKind.GROUPING)
    assert not dialog.change.isEnabled()
    desk.controller.receive(Considered(outlook_of(desk.now, warnings=("all items are one group",))))
    assert panel.lines.text().splitlines() == [
        "Groups: 4, as many as now.",
        "13 of 40 items would be in another group.",
        "Your 12 answers are kept to in any case.",
    ]
    assert panel.warnings.isVisible()
    assert panel.warnings.text.text() == "All items are one group."
    model = panel.moves.moves
    assert [model.data(model.index(row)) for row in range(model.rowCount())] == [
        "From group 1 to group 2: 10 items",
        "From group 3 to group 5 (new): 3 items",
    ]
    assert panel.caption.text() == "Leaving group 1 for group 2: 10 items"
    panel.moves.setCurrentIndex(model.index(1))
    assert panel.caption.text() == "Leaving group 3 for group 5: 3 items"
    assert sorted(panel.items._members._items.tolist()) == [2, 6, 10]
    dialog.change.click()
    assert desk.controller.sent[-1] == Choose(desk.now.revision, RCC, StepKind.GROUPING)
    with qtbot.waitSignal(dialog.accepted):
        desk.controller.receive(Changed(moved_on(desk.now, grouping=RCC)))


def test_what_cannot_be_done_is_said_and_no_difference_is_shown(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.choose("fc2")
    desk.wait_for_look(1)
    desk.controller.receive(Failed("Answers contradict each other.", "Settle that first."))
    assert "contradict" in desk.dialog.fault.text()
    assert not desk.dialog.outlook.moves.isVisible()
    assert desk.controller.sent == [Consider(FC2, StepKind.GROUPING)]
    desk.choose("rcc")
    desk.wait_for_look(2)
    same = outlook_of(desk.now, look=replace(desk.now, grouping=RCC, live=False))
    desk.controller.receive(Considered(same))
    assert "No item would be in another group." in desk.dialog.outlook.lines.text()
    assert not desk.dialog.outlook.moves.isVisible()
    assert not desk.dialog.outlook.warnings.isVisible()


def test_a_first_guess_is_looked_at_at_once(qtbot: QtBot) -> None:
    _, labels = blobs(40, 4)
    empty = no_groups(snapshot_of(overview_of(labels)))
    start = strategies.first_guess(pictures=True)
    desk = Desk(qtbot, snapshot=empty, start=start)
    look = desk.wait_for_look(1)
    assert look.approach.strategy == "rcc"
    assert dict(look.approach.params)["stretch"] == "16.0"
    desk.controller.receive(Considered(outlook_of(desk.now, look.approach)))
    panel = desk.dialog.outlook
    assert panel.heading.text() == "What it would show"
    assert panel.lines.text().splitlines() == [
        "Groups: 4. There are none yet.",
        "You have not answered yet. What you answer later is kept to.",
    ]
    model = panel.moves.moves
    assert [model.data(model.index(row)) for row in range(model.rowCount())] == [
        "Group 2: 20 items",
        "Group 4: 10 items",
        "Group 3: 7 items",
        "Group 5: 3 items",
    ]
    assert panel.caption.text() == "Group 2: 20 items"


def test_going_back_to_own_before_any_answer_says_that_no_groups_are_left(qtbot: QtBot) -> None:
    desk = Desk(qtbot, snapshot=grouped(with_groups((), RCC), RCC))
    desk.choose("own")
    desk.wait_for_look(1)
    one = overview_of(np.zeros(40, dtype=np.int32))  # as the engine has it: all items in one
    look = replace(desk.now, overview=one, grouping=OWN, live=False)
    desk.controller.receive(Considered(outlook_of(desk.now, OWN, look=look)))
    panel = desk.dialog.outlook
    assert panel.lines.text().startswith("There would be no groups any more")
    model = panel.moves.moves
    assert model.data(model.index(0)) == "From group 1 to no group: 10 items"
    assert panel.caption.text() == "In no group then: 10 items"


def test_a_number_of_groups_that_must_be_given_is_that_of_now(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.choose("kmeans")
    assert desk.wait_for_look(1).approach == Approach("kmeans", (("groups", "4"),))
    _, labels = blobs(40, 4)
    bare = Desk(qtbot, snapshot=no_groups(snapshot_of(overview_of(labels))))
    bare.choose("kmeans")
    assert "put right" in bare.dialog.outlook.heading.text()


def test_newer_answers_let_groups_be_found_again(qtbot: QtBot) -> None:
    history = with_groups(chain(8), FC2)
    fresh = Desk(qtbot, snapshot=grouped(history, FC2, 8))
    assert "how groups are found now" in fresh.dialog.outlook.heading.text()
    longer = (*history, answer_step(10, 9, 3, 4), answer_step(11, 10, 3, 5))
    desk = Desk(qtbot, snapshot=grouped(longer, FC2, 8), start=FC2)
    assert desk.wait_for_look(1).approach == FC2
    desk.controller.receive(Considered(outlook_of(desk.now, FC2)))
    desk.dialog.change.click()
    late = (*longer, answer_step(12, 11, 3, 6))
    dropped = replace(grouped(late, FC2, 8), revision=desk.now.revision + 1)
    desk.controller.receive(Changed(dropped))  # an answer came first
    assert desk.dialog.isVisible()
    desk.wait_for_look(2)
    desk.controller.receive(Considered(outlook_of(desk.now, FC2)))
    desk.dialog.change.click()
    again = replace(grouped(with_groups(late, FC2), FC2, 11), revision=desk.now.revision + 1)
    with qtbot.waitSignal(desk.dialog.accepted):
        desk.controller.receive(Changed(again))


def test_a_method_that_knows_no_answers_needs_not_be_asked_again(qtbot: QtBot) -> None:
    history = (*with_groups(chain(8), RCC), answer_step(10, 9, 3, 4))
    desk = Desk(qtbot, snapshot=grouped(history, RCC, 8))
    assert "how groups are found now" in desk.dialog.outlook.heading.text()
    desk.choose("own")
    assert desk.wait_for_look(1).approach == OWN


def test_a_guess_is_checked_by_questions_where_they_can_be_asked(qtbot: QtBot) -> None:
    assert not Desk(qtbot, start=RCC).dialog.check.isVisible()
    method = Parameter("method", str, "rcc", ("rcc", "rcc-dr"), "Which guess.")
    desk = Desk(qtbot, extra=(Offer("components", (method,)),))
    assert not desk.dialog.check.isVisible()
    desk.choose("rcc")
    assert desk.dialog.check.isVisible()
    with qtbot.waitSignal(desk.dialog.checkWanted) as wanted:
        desk.dialog.check.click()
    assert wanted.args == [Approach("components", (("method", "rcc"),))]
    assert not desk.dialog.isVisible()


def test_tab_walks_the_choices_then_what_is_shown(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.choose("rcc")
    desk.wait_for_look(1)
    desk.controller.receive(Considered(outlook_of(desk.now)))
    dialog = desk.dialog
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.choice.names.setFocus()
    visited = []
    while (widget := dialog.focusWidget()) not in visited:
        assert widget.accessibleName() or widget.text()
        visited.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    form = dialog.choice.settings.form
    assert visited == [
        dialog.choice.names,
        form.fields["neighbours"].input,
        form.fields["stretch"].input,
        form.more.heading,
        dialog.outlook.moves,
        dialog.outlook.items,
        dialog.leave,
        dialog.change,
    ]


# ------------------------------------------------------------------------------ moves


def test_moves_are_counted_from_group_to_group() -> None:
    now = overview_of(np.array([0, 0, 0, 1, 1, -1, -1], dtype=np.int32))
    then = overview_of(np.array([0, 1, 1, 1, -1, 0, -1], dtype=np.int32))
    moves = moves_between(now, then)
    told = {(move.source, move.target): sorted(move.items.tolist()) for move in moves}
    assert told == {(0, 1): [1, 2], (1, UNDECIDED): [4], (UNDECIDED, 0): [5]}
    assert len(moves[0].items) == 2
    sure = then.confidence[moves[0].items]
    assert sure[0] >= sure[1]
    assert moves_between(now, now) == []
    model = MovesModel()
    model.show(moves, replace_name(now, 1, "naevus"), then)
    said = [model.data(model.index(row)) for row in range(3)]
    assert said[0] == "From group 1 to group 2 (naevus): 2 items"
    assert "From group 2 (naevus) to no group: 1 item" in said
    assert model.data(model.index(0), MOVE) is moves[0]


def replace_name(overview: Overview, slot: int, name: str) -> Overview:
    groups = tuple(
        replace(group, name=name) if group.slot == slot else group for group in overview.groups
    )
    return replace(overview, groups=groups)


def test_what_the_answers_are_to_a_grouping_in_words() -> None:
    now = grouped(chain(12), RCC)
    assert dialog_words.kept(now) == "Your 12 answers are kept to in any case."
    assert "go against 2 of them" in dialog_words.kept(replace(now, overruled=(3, 4)))
    one = grouped(chain(1), RCC)
    assert dialog_words.kept(one) == "Your answer is kept to in any case."


# ------------------------------------------------------------------------------ what is said


def test_how_the_groups_were_found_is_said_where_they_are_not_the_strategy_s_own() -> None:
    def told(shown: Snapshot) -> str:
        return grouping_words.told(shown, METHODS)

    answered = chain(50)
    assert told(grouped(answered, OWN)) == ""
    guess = grouped(with_groups((), RCC), RCC)
    assert told(guess) == "A guess nobody has checked: found by nearness alone, without an answer."
    unsure = (*with_groups((), RCC), answer_step(2, 1, 0, 1, Verdict.UNSURE))
    assert told(grouped(unsure, RCC)).startswith("A guess nobody has checked")
    later = (*with_groups((), RCC), answer_step(2, 1, 0, 1))
    assert told(grouped(later, RCC)) == "Groups by RCC, kept to your 1 answer."
    broken = grouped(later, RCC, overruled=(2,))
    assert told(broken) == "Groups by RCC; they go against 1 of your 1 answer."
    found = with_groups(answered, FC2)
    assert told(grouped(found, FC2, 50)) == "Groups by FC2, found from your 50 answers."
    newer = (*found, answer_step(52, 51, 0, 1), answer_step(53, 52, 0, 2, Verdict.UNSURE))
    assert told(grouped(newer, FC2, 50)) == (
        "Groups by FC2, found from 50 answers; a newer one is kept to, but not yet reckoned with."
    )
    changed = (*newer, answer_step(54, 53, 0, 1, kind=StepKind.REVISE, target=52))
    assert "2 newer ones are kept to" in told(grouped(changed, FC2, 50))
    early = (*with_groups((), FC2), answer_step(2, 1, 0, 1))
    assert told(grouped(early, FC2)).startswith("Groups by FC2, found without an answer;")


def test_the_note_offers_what_can_be_done(qtbot: QtBot) -> None:
    controller, opened = controller_on()
    note = GroupingNote(controller)
    qtbot.addWidget(note)
    assert note.isHidden()
    controller.receive(opened)
    assert note.isHidden()  # the strategy's own
    empty = no_groups(moved_on(opened.snapshot))
    controller.receive(Changed(empty))
    assert not note.isHidden()
    assert "No groups yet" in note.text.text()
    with qtbot.waitSignal(note.groupingWanted) as wanted:
        note.guess.click()
    assert wanted.args == [strategies.first_guess(pictures=True)]
    guess = moved_on(empty, grouping=RCC, overview=opened.snapshot.overview)
    controller.receive(Changed(guess))
    assert "nobody has checked" in note.text.text()
    assert note.guess.isHidden()
    assert note.again.isHidden()
    history = (*with_groups(chain(3), FC2), answer_step(5, 4, 0, 1))
    newer = replace(grouped(history, FC2, 3), revision=guess.revision + 1)
    controller.receive(Changed(newer))
    assert not note.again.isHidden()
    with qtbot.waitSignal(note.groupingWanted) as wanted:
        note.again.click()
    assert wanted.args == [FC2]
    controller.view(4)
    controller.receive(Replayed(replace(newer, live=False)))
    assert not note.isHidden()
    assert note.again.isHidden()  # nothing can be done to the past


def test_a_table_s_first_guess_is_not_stretched(qtbot: QtBot) -> None:
    controller, opened = controller_on(table=True)
    note = GroupingNote(controller)
    qtbot.addWidget(note)
    controller.receive(replace(opened, snapshot=no_groups(opened.snapshot)))
    with qtbot.waitSignal(note.groupingWanted) as wanted:
        note.guess.click()
    assert wanted.args == [Approach("rcc")]


def test_the_views_of_groups_have_the_note(qtbot: QtBot) -> None:
    controller, opened = controller_on()
    dock = OverviewDock(controller, RecordedPictures())
    page = OverviewPage(controller, RecordedPictures())
    qtbot.addWidget(dock)
    qtbot.addWidget(page)
    controller.receive(replace(opened, snapshot=grouped(with_groups((), RCC), RCC)))
    for view in (dock, page):
        assert "nobody has checked" in view.note.text.text()
        assert not view.note.isHidden()
    with qtbot.waitSignal(page.groupingRequested):
        page._find.click()


def test_progress_names_how_groups_are_found(qtbot: QtBot) -> None:
    controller: Controller
    controller, opened = controller_on(history=chain(3))
    dock = ProgressDock(controller)
    qtbot.addWidget(dock)
    controller.receive(opened)
    assert dock._grouping.text() == "As the questions go"
    kmeans = Approach("kmeans", (("groups", "6"),))
    controller.receive(Changed(moved_on(opened.snapshot, grouping=kmeans)))
    assert dock._grouping.text() == "Round clouds (k-means): groups = 6"
    with qtbot.waitSignal(dock.groupingRequested):
        dock._regroup.click()


def test_the_step_is_told_in_history_and_notice(qtbot: QtBot) -> None:
    other = replace(RCC, params=(("stretch", "16.0"), *RCC.params[2:]))
    step = grouping_step(other, 0, Effect(1, 23, 218))
    _, opened = controller_on(history=(step,))
    model = HistoryModel()
    model.open(ItemWords(opened), METHODS)
    model.set_live(opened.snapshot)
    sentence = model.data(model.index(0))
    assert isinstance(sentence, str)
    for part in ("Way of finding groups", "Nearness alone (RCC)", "23 groups", "stretch = 16.0"):
        assert part in sentence
    assert "moved" not in sentence  # there were no groups before
    before = replace(opened.snapshot, history=(), position=0)
    text, _ = judge_text.moved(before, replace(opened.snapshot, grouping=other))
    assert text == "Groups found by “Nearness alone (RCC)” · 23 groups"
    answered = (*chain(3), grouping_step(other, 3))
    now = snapshot_of(opened.snapshot.overview, answered)
    then = replace(snapshot_of(opened.snapshot.overview, answered[:3]), grouping=RCC)
    text, _ = judge_text.moved(then, now)
    assert text.endswith("1 new group · 7 items moved · stretch = 16.0")
    own = (*chain(3), grouping_step(OWN, 3))
    text, _ = judge_text.moved(then, snapshot_of(opened.snapshot.overview, own))
    assert text.startswith("Groups found as the questions go")


def test_methods_are_told_in_words() -> None:
    for name in clusterers.REGISTRY:
        assert name in strategies.TITLES
        assert strategies.about(name).endswith(".")
        assert strategies.brief(name) != name
    assert strategies.GUESSING in clusterers.REGISTRY
    guess = strategies.first_guess(pictures=True)
    clusterers.make(guess.strategy, dict(guess.params))


def test_the_window_opens_it_by_key_and_from_where_groups_are_seen(qtbot: QtBot) -> None:
    controller, opened = controller_on(history=chain(3))
    window = MainWindow(controller, Settings(None))
    qtbot.addWidget(window)
    controller.receive(opened)
    window.show()

    def dialogs() -> list[GroupingDialog]:
        return [one for one in window.findChildren(GroupingDialog) if one.isVisible()]

    openers = (
        window.actions_by_id["change_grouping"].trigger,
        window.workspace.progress._regroup.click,
        window.overview._find.click,
    )
    for opens in openers:
        opens()
        (dialog,) = dialogs()
        opens()
        assert dialogs() == [dialog]
        dialog.reject()
        qtbot.waitUntil(lambda: not dialogs())
    window.workspace.overview.note.groupingWanted.emit(strategies.first_guess(pictures=True))
    (dialog,) = dialogs()
    assert dialog.choice.strategy == "rcc"
    dialog.reject()
