"""The suggestions page: nothing counts before it is said, keys answer once, the space is a step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.images import PictureStore
from desktop.main_window import MainWindow
from desktop.messages import (
    Changed,
    Choose,
    Consider,
    Considered,
    Crashed,
    Failed,
    Idle,
    Replayed,
    Stopped,
    Suggest,
    Suggested,
    Tell,
    Undo,
    Working,
)
from desktop.pages import judge_text
from desktop.pages.suggestions import SuggestionsPage
from desktop.settings import Settings
from desktop.widgets.history.history_model import HistoryModel
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.answer_gate import GateState
from desktop.widgets.judging.last_answers import last_answers
from desktop.widgets.suggesting import suggestion_words
from desktop.widgets.suggesting.nothing_panel import why
from desktop.widgets.suggesting.space_choice import learned
from desktop.widgets.suggesting.suggestion_list import SuggestionModel
from engine.model import (
    GIVEN,
    Approach,
    Confidence,
    Effect,
    Outlook,
    Pair,
    Snapshot,
    Source,
    StepKind,
    Verdict,
)
from engine.suggestions import Suggestion, Suggestions
from tests.gui.handmade import answer_step, chain, controller_on, moved_on

N = 40
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
KEYPAD = Qt.KeyboardModifier.KeypadModifier
FOUND = (
    Suggestion(Pair(2, 7), Verdict.SAME, 0.91, True, (3,)),
    Suggestion(Pair(3, 9), Verdict.DIFFERENT, 0.8, False, (1, 2, 4)),
    Suggestion(Pair(4, 11), Verdict.SAME, 0.999, False, tuple(range(1, 11))),
    Suggestion(Pair(5, 6), Verdict.DIFFERENT, 0.6, False, (2,)),
)


@pytest.fixture(autouse=True)
def look(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


class Desk:
    """The page on a study of rows, with an engine that the test plays."""

    def __init__(self, qtbot: QtBot, answers: int = 12) -> None:
        self.qtbot = qtbot
        self.controller: Controller
        self.controller, self.opened = controller_on(N, history=chain(answers), table=True)
        self.page = SuggestionsPage(self.controller, PictureStore(self.controller))
        self.page.answering.gate._settling.setInterval(5)
        self.page.resize(916, 560)
        qtbot.addWidget(self.page)
        self.controller.receive(self.opened)

    def show(self, found: Iterable[Suggestion] | None = FOUND) -> Desk:
        self.page.show()
        self.page.activateWindow()
        self.qtbot.waitUntil(self.page.isActiveWindow)
        self.page.setFocus()
        if found is not None:
            self.suggest(found)
        return self

    def suggest(self, found: Iterable[Suggestion], **rest: int) -> None:
        """Reply to what is asked for with these."""
        self.tell(found, **rest)
        self.controller.receive(Idle())

    def tell(self, found: Iterable[Suggestion], must: int = 5, cannot: int = 9) -> None:
        suggestions = Suggestions(self.live.progress.answered, tuple(found), must, cannot)
        self.controller.receive(Suggested(self.live.revision, suggestions))

    def ready(self) -> Desk:
        self.qtbot.waitUntil(lambda: self.page.answering.gate.is_open)
        return self

    @property
    def live(self) -> Snapshot:
        live = self.controller.snapshot
        assert live is not None
        return live

    @property
    def current(self) -> Pair | None:
        one = self.page.list.current
        return None if one is None else one.pair

    def sent(self, kind: type) -> list:
        return [one for one in self.controller.sent if isinstance(one, kind)]

    def press(
        self,
        key: Qt.Key | int,
        text: str = "",
        held: Qt.KeyboardModifier = NONE,
        *,
        scan: int = 0,
        repeat: bool = False,
        at: QWidget | None = None,
    ) -> None:
        event = QKeyEvent(QEvent.Type.KeyPress, int(key), held, scan, 0, 0, text, repeat)
        QCoreApplication.sendEvent(at or self.page.list, event)

    def answered(self, *, left: tuple[Suggestion, ...]) -> None:
        """Reply to the last answer: the state moves on, and so much is still open."""
        told = self.sent(Tell)[-1]
        seq = self.live.position + 1
        step = answer_step(seq, self.live.position, told.a, told.b, told.verdict)
        progress = replace(self.live.progress, answered=self.live.progress.answered + 1)
        self.move(history=(*self.live.history, step), position=seq, undo=seq, progress=progress)
        self.tell(left)
        self.controller.receive(Idle())

    def move(self, **changes: object) -> None:
        self.controller.receive(Changed(moved_on(self.live, **changes)))


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


# ------------------------------------------------------------------------------ learning


def test_it_learns_when_the_page_is_opened_and_lists_what_was_found(desk: Desk) -> None:
    assert not desk.sent(Suggest)  # not before anybody looks
    desk.show(None)
    assert len(desk.sent(Suggest)) == 1
    assert "Learning" in desk.page.line.text.text()
    assert desk.page.line.stop.isVisible()
    desk.suggest(FOUND)
    assert desk.page.line.text.text() == "Learned from 12 answers."
    assert not desk.page.line.learn.isVisible()
    assert desk.page.heading.text() == "Suggestions: 4"
    model = desk.page.list.suggestions
    assert (
        model.index(0).data() == "Together, strength 0.91, would change the groups, row 3 – row 8"
    )
    assert model.index(1).data() == "Apart, strength 0.80, row 4 – row 10"
    assert "0.99" in model.index(2).data()  # never rounded up to a certainty
    tip = model.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert "no probability" in tip
    assert "keep them apart" in tip
    assert desk.current == Pair(2, 7)
    assert desk.page.links.drawn == {Verdict.SAME: 2, Verdict.DIFFERENT: 2}


def test_progress_and_stop_are_told_on_the_page(desk: Desk) -> None:
    desk.show(None)
    desk.controller.receive(Working(3, 10, "Spreading"))
    assert "Spreading  3 / 10" in desk.page.line.text.text()
    stopped = []
    desk.controller.cancel = lambda: stopped.append(True)  # type: ignore[method-assign]
    desk.press(Qt.Key.Key_Escape, at=desk.page.map.focusProxy())
    assert stopped
    desk.controller.receive(Stopped("Suggest"))
    desk.controller.receive(Idle())
    assert desk.page.line.text.text() == "Stopped: nothing was learned."
    desk.move()  # not again unasked
    assert len(desk.sent(Suggest)) == 1
    desk.press(Qt.Key.Key_L, "l")
    assert len(desk.sent(Suggest)) == 2
    desk.suggest(FOUND)
    assert desk.current == Pair(2, 7)


def test_a_failure_is_told_there_and_can_be_tried_again(desk: Desk) -> None:
    desk.show(None)
    desk.controller.receive(Failed("There is not enough memory.", "Close something."))
    desk.controller.receive(Idle())
    assert desk.page.line.text.text() == "There is not enough memory. Close something."
    assert desk.page.line.learn.text().startswith("Try again")
    desk.page.line.learn.click()
    assert len(desk.sent(Suggest)) == 2


def test_who_leaves_lets_the_engine_go_and_learns_anew_when_back(desk: Desk) -> None:
    desk.show(None)
    stopped = []
    desk.controller.cancel = lambda: stopped.append(True)  # type: ignore[method-assign]
    desk.page.hide()
    assert stopped
    desk.controller.receive(Stopped("Suggest"))
    desk.controller.receive(Idle())
    desk.page.show()
    assert len(desk.sent(Suggest)) == 2


def test_it_learns_again_when_opened_with_newer_answers_only(desk: Desk) -> None:
    desk.show().ready()
    desk.page.hide()
    desk.page.show()
    assert len(desk.sent(Suggest)) == 1
    desk.ready().press(Qt.Key.Key_Return)
    desk.answered(left=FOUND[1:])
    assert "; 1 given or changed since" in desk.page.line.text.text()
    assert desk.page.line.learn.isVisible()
    assert len(desk.sent(Suggest)) == 1  # the list stays while it is gone through
    desk.page.hide()
    desk.page.show()
    assert len(desk.sent(Suggest)) == 2


def test_an_answer_changed_or_taken_back_counts_as_newer(desk: Desk) -> None:
    desk.show()
    change = answer_step(13, 12, 1, 10, Verdict.SAME, kind=StepKind.REVISE, target=1)
    desk.move(history=(*desk.live.history, change), position=13)
    assert desk.page.learning.newer == 1
    desk.move(position=10)
    assert desk.page.learning.newer == 2


def test_another_project_begins_anew(desk: Desk) -> None:
    desk.show().ready()
    desk.controller.receive(desk.opened)
    assert desk.controller.suggested is None
    assert desk.page.list.suggestions.rowCount() == 0
    assert len(desk.sent(Suggest)) == 2
    assert desk.page.answering.gate.state is GateState.NOTHING


# ------------------------------------------------------------------------------ nothing there


def test_without_answers_nothing_is_asked_for(qtbot: QtBot) -> None:
    desk = Desk(qtbot, answers=0).show(None)
    assert not desk.sent(Suggest)
    assert desk.page.nothing.heading.text() == "No answers yet"
    assert not desk.page.space.names.isEnabled()
    history = chain(1)
    progress = replace(desk.live.progress, answered=1)
    desk.move(history=history, position=1, progress=progress)
    assert len(desk.sent(Suggest)) == 1


@pytest.mark.parametrize(
    ("learned", "newer", "says"),
    [
        (None, 0, "Nothing has been learned yet"),
        (Suggestions(3, (), 0, 0), 0, "Your answers do not reach further yet"),
        (Suggestions(3, (), 2, 0), 1, "You have gone through them all"),
        (Suggestions(3, (), 2, 0), 0, "Nothing to suggest"),
    ],
)
def test_every_emptiness_has_words(learned: Suggestions | None, newer: int, says: str) -> None:
    told = why(can_learn=True, is_learning=False, learned=learned, newer=newer)
    assert told.heading == says


def test_an_empty_list_gives_its_place_to_words(desk: Desk) -> None:
    desk.show(None)
    desk.suggest((), must=0, cannot=0)
    assert "do not reach further" in desk.page.nothing.heading.text()
    assert desk.page.nothing.isVisible()
    assert not desk.page.list.isVisible()
    desk.press(Qt.Key.Key_Return, at=desk.page)
    assert not desk.sent(Tell)


# ------------------------------------------------------------------------------ answering


@pytest.mark.parametrize(
    ("key", "text", "scan", "verdict"),
    [
        (Qt.Key.Key_Return, "\r", 0, Verdict.SAME),
        (Qt.Key.Key_Enter, "\r", 0, Verdict.SAME),
        (Qt.Key.Key_Delete, "\x7f", 0, Verdict.DIFFERENT),
        (Qt.Key.Key_S, "s", 0, Verdict.SAME),
        (Qt.Key.Key_D, "d", 0, Verdict.DIFFERENT),
        (Qt.Key.Key_U, "u", 0, Verdict.UNSURE),
        (0x412, "в", 40, Verdict.DIFFERENT),  # the key of D on a Russian keyboard
    ],
)
def test_one_key_is_one_answer_to_what_is_seen(
    desk: Desk, key: int, text: str, scan: int, verdict: Verdict
) -> None:
    desk.show().ready().press(key, text, scan=scan)
    (told,) = desk.sent(Tell)
    assert (told.a, told.b, told.verdict) == (2, 7, verdict)
    assert told.source is Source.SUGGESTED
    assert told.revision == desk.live.revision
    assert told.confidence is Confidence.QUITE
    assert told.shown_left in (2, 7)
    desk.press(key, text, scan=scan)
    desk.press(key, text, scan=scan, repeat=True)
    assert len(desk.sent(Tell)) == 1
    desk.answered(left=FOUND[1:])
    assert desk.current == Pair(3, 9)
    desk.press(key, text, scan=scan)  # before the next one has been seen
    desk.ready().press(key, text, scan=scan, repeat=True)
    assert len(desk.sent(Tell)) == 1
    desk.press(key, text, scan=scan)
    assert [(told.a, told.b) for told in desk.sent(Tell)] == [(2, 7), (3, 9)]


def test_rejecting_says_the_opposite_of_what_is_suggested(desk: Desk) -> None:
    desk.show().press(Qt.Key.Key_Down)
    desk.ready().press(Qt.Key.Key_Delete, "", SHIFT)
    (told,) = desk.sent(Tell)
    assert (told.a, told.b, told.verdict) == (3, 9, Verdict.SAME)
    assert told.confidence is Confidence.CERTAIN
    assert desk.page.pane.reject.text() == "Reject: same  Delete"


def test_buttons_say_what_they_say(desk: Desk) -> None:
    desk.show().ready()
    pane = desk.page.pane
    assert pane.confirm.text() == "Confirm: same  Enter"
    assert pane.reject.text() == "Reject: different  Delete"
    pane.unsure.click()
    assert desk.sent(Tell)[-1].verdict is Verdict.UNSURE
    pane.confirm.click()
    assert len(desk.sent(Tell)) == 1


def test_enter_presses_the_button_that_has_the_keyboard(desk: Desk) -> None:
    desk.show().ready()
    desk.page.pane.reject.setFocus(Qt.FocusReason.TabFocusReason)
    desk.press(Qt.Key.Key_Return, at=desk.page.pane.reject)
    assert desk.sent(Tell)[-1].verdict is Verdict.DIFFERENT


def test_nothing_counts_before_it_is_painted_or_for_another_state(desk: Desk) -> None:
    desk.show(None)
    desk.page.answering.gate._settling.setInterval(10**6)
    desk.suggest(FOUND)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Delete):
        desk.press(key)
    desk.page.pane.confirm.click()
    assert not desk.sent(Tell)
    desk.page.answering.gate._settling.setInterval(5)
    desk.press(Qt.Key.Key_Down)
    desk.ready()
    desk.move()  # what is still open there is not known yet
    desk.press(Qt.Key.Key_Return)
    assert not desk.sent(Tell)
    desk.tell(FOUND)
    desk.press(Qt.Key.Key_Return)
    assert len(desk.sent(Tell)) == 1


def test_no_answer_waits_behind_learning(desk: Desk) -> None:
    desk.show().ready()
    desk.press(Qt.Key.Key_L, "l")
    desk.press(Qt.Key.Key_Return)
    assert not desk.sent(Tell)
    assert not desk.page.pane.confirm.isEnabled()
    desk.suggest(FOUND)
    assert desk.page.pane.confirm.isEnabled()


def test_arrows_go_through_the_list(desk: Desk) -> None:
    desk.show().ready()
    for key, held, at in (
        (Qt.Key.Key_Down, NONE, 1),
        (Qt.Key.Key_2, KEYPAD, 2),
        (Qt.Key.Key_Down, NONE, 3),
        (Qt.Key.Key_Down, NONE, 3),
        (Qt.Key.Key_Up, NONE, 2),
        (Qt.Key.Key_8, KEYPAD, 1),
        (Qt.Key.Key_End, NONE, 3),
        (Qt.Key.Key_Home, NONE, 0),
    ):
        desk.press(key, "", held)
        assert desk.page.list.currentIndex().row() == at
    desk.press(Qt.Key.Key_Down, repeat=True)
    assert desk.current == FOUND[1].pair
    assert not desk.sent(Tell)


def test_an_answer_taken_back_brings_its_suggestion_back(desk: Desk) -> None:
    desk.show().press(Qt.Key.Key_Down)
    desk.ready().press(Qt.Key.Key_Return)
    desk.answered(left=(FOUND[0], *FOUND[2:]))
    assert desk.current == FOUND[2].pair
    assert "Answered different" in desk.page.pane.note.text()
    desk.press(Qt.Key.Key_Backspace, "\x08")
    assert len(desk.sent(Undo)) == 1
    desk.move(position=12, undo=12, redo=13)
    desk.tell(FOUND)
    desk.controller.receive(Idle())
    assert desk.current == FOUND[1].pair
    desk.ready()


def test_the_last_ones_are_gone_through(desk: Desk) -> None:
    desk.show().press(Qt.Key.Key_End)
    desk.ready().press(Qt.Key.Key_S, "s")
    desk.answered(left=FOUND[:1])  # the closure settled others too
    assert desk.current == FOUND[0].pair
    desk.ready().press(Qt.Key.Key_S, "s")
    desk.answered(left=())
    assert desk.page.nothing.heading.text() == "You have gone through them all"


def test_nothing_can_be_said_in_a_replay(desk: Desk) -> None:
    desk.show().ready()
    desk.controller.view(3)
    desk.controller.receive(Replayed(replace(desk.live, position=3, live=False)))
    assert "look back" in desk.page.line.text.text()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        desk.press(key)
    assert not desk.sent(Tell) + desk.sent(Undo)
    assert not desk.page.space.names.isEnabled()
    desk.page.line.back.click()
    assert not desk.controller.replaying
    desk.press(Qt.Key.Key_Return)
    assert len(desk.sent(Tell)) == 1


def test_a_crash_leaves_nothing_to_answer(desk: Desk) -> None:
    desk.show().ready()
    desk.controller.receive(Crashed("report"))
    desk.press(Qt.Key.Key_Return)
    assert not desk.sent(Tell)


# ------------------------------------------------------------------------------ list, map, links


def test_rows_that_stay_keep_their_place() -> None:
    model = SuggestionModel()
    model.show(FOUND)
    kept = QPersistentModelIndex(model.index(2))
    model.show(FOUND[2:])
    assert kept.row() == 0
    model.show(FOUND)
    assert kept.row() == 2
    model.show((replace(FOUND[0], changes=False), *FOUND[1:]))
    assert not model.found[0].changes
    assert kept.isValid()
    model.show(FOUND[::-1])  # learned anew
    assert model.found == FOUND[::-1]


def test_answers_learned_from_lead_to_the_history(desk: Desk) -> None:
    desk.show().press(Qt.Key.Key_Down)
    assert ">#1</a>" in desk.page.pane.because.text()
    with desk.qtbot.waitSignal(desk.page.stepWanted) as wanted:
        desk.page.pane.because.linkActivated.emit("4")
    assert wanted.args == [4]
    assert "and 4 more" in suggestion_words.because(FOUND[2])
    assert "answer <a" in suggestion_words.because(FOUND[0])


def test_an_item_of_the_map_leads_to_its_suggestion(desk: Desk) -> None:
    desk.show()
    desk.page.map.itemSelected.emit(11)
    assert desk.current == Pair(4, 11)
    desk.page.map.itemSelected.emit(30)
    assert desk.current == Pair(4, 11)


def test_the_map_keeps_its_own_keys(desk: Desk) -> None:
    desk.show().ready()
    view = desk.page.map.focusProxy()
    assert view is not None
    view.setFocus()
    desk.press(Qt.Key.Key_Right, at=view)
    assert not desk.sent(Tell)
    assert desk.page.map.selected is not None
    desk.ready().press(Qt.Key.Key_D, "d", at=view)
    assert len(desk.sent(Tell)) == 1


def test_names_can_be_hidden(desk: Desk) -> None:
    desk.show()
    desk.page.hide_names(hidden=True)
    said = desk.page.list.suggestions.index(0).data()
    assert "row 3" not in said
    assert "–" in said  # what tells them apart instead


def test_lines_follow_the_items_to_another_map(desk: Desk) -> None:
    desk.show()
    desk.qtbot.waitUntil(lambda: desk.page.map.positions([0]).shape == (1, 2))
    before = desk.page.map.positions([2, 7])
    elsewhere = -desk.opened.coordinates
    desk.move(space=learned(questions=False), coordinates=elsewhere, learned_after=12)
    desk.qtbot.waitUntil(lambda: not np.allclose(desk.page.map.positions([2, 7]), before))
    line = desk.page.links._thick
    assert np.allclose(np.c_[line.xData, line.yData], elsewhere[[2, 7]])
    assert "what the answers teach" in desk.page.legend.text()
    assert "Learned from 12 answers" in desk.page.space.told.text()
    desk.controller.view(3)
    earlier = replace(desk.live, position=3, live=False, space=GIVEN, coordinates=None)
    desk.controller.receive(Replayed(earlier))
    desk.qtbot.waitUntil(lambda: np.allclose(desk.page.map.positions([2, 7]), before))
    assert desk.page.space.names.currentIndex() == 0
    desk.controller.view(None)
    desk.qtbot.waitUntil(lambda: np.allclose(desk.page.map.positions([2, 7]), elsewhere[[2, 7]]))


# ------------------------------------------------------------------------------ the space


def outlook_of(live: Snapshot, approach: Approach, effect: Effect) -> Considered:
    return Considered(Outlook(approach, live.revision, effect, 12, None, StepKind.SPACE))


def choose(desk: Desk, at: int) -> Consider:
    desk.page.space.names.setCurrentIndex(at)
    desk.page.space.names.activated.emit(at)
    return desk.sent(Consider)[-1]


def test_a_space_that_moves_only_the_map_is_taken_at_once(desk: Desk) -> None:
    desk.show().ready()
    asked = choose(desk, 1)
    assert asked == Consider(learned(questions=False), StepKind.SPACE)
    desk.press(Qt.Key.Key_Return)  # not while it is worked out: it would be for another state
    assert not desk.sent(Tell)
    desk.controller.receive(outlook_of(desk.live, asked.approach, Effect(4, 4, 0)))
    desk.controller.receive(Idle())
    (chosen,) = desk.sent(Choose)
    assert chosen == Choose(desk.live.revision, asked.approach, StepKind.SPACE)
    assert desk.page.space.names.currentIndex() == 1
    desk.move(space=asked.approach, learned_after=12, coordinates=-desk.opened.coordinates)
    desk.tell(FOUND)
    desk.controller.receive(Idle())
    assert desk.page.space.names.currentIndex() == 1
    assert desk.page.space.questions.isEnabled()
    desk.ready().press(Qt.Key.Key_Return)
    assert len(desk.sent(Tell)) == 1


def test_a_space_that_changes_groups_is_told_first(desk: Desk) -> None:
    desk.show()
    desk.move(space=learned(questions=False), learned_after=12)
    desk.page.space.questions.click()
    asked = desk.sent(Consider)[-1]
    assert asked.approach == learned(questions=True)
    desk.controller.receive(outlook_of(desk.live, asked.approach, Effect(4, 3, 7)))
    desk.controller.receive(Idle())
    assert not desk.sent(Choose)
    told = desk.page.space.told.text()
    assert "7 items would be in another group" in told
    assert "3 groups instead of 4" in told
    desk.press(Qt.Key.Key_Escape)  # leave it as it is
    assert not desk.page.space.questions.isChecked()
    assert not desk.page.space.agree.isVisible()

    desk.page.space.questions.click()
    desk.controller.receive(outlook_of(desk.live, asked.approach, Effect(4, 3, 7)))
    desk.controller.receive(Idle())
    desk.page.space.agree.click()
    assert desk.sent(Choose)[-1].approach == learned(questions=True)


def test_what_was_told_of_another_state_is_dropped(desk: Desk) -> None:
    desk.show()
    asked = choose(desk, 1)
    desk.controller.receive(outlook_of(desk.live, asked.approach, Effect(4, 3, 7)))
    desk.controller.receive(Idle())
    desk.move()
    assert not desk.page.space.agree.isVisible()
    assert desk.page.space.names.currentIndex() == 0


def test_a_space_that_cannot_be_learned_is_told_and_nothing_changes(desk: Desk) -> None:
    desk.show()
    choose(desk, 1)
    desk.controller.receive(Failed("It takes too much memory.", "Use fewer items."))
    desk.controller.receive(Idle())
    assert desk.page.space.told.text() == "It takes too much memory. Use fewer items."
    assert desk.page.space.names.currentIndex() == 0
    assert not desk.sent(Choose)
    choose(desk, 1)
    desk.controller.receive(Stopped("Consider"))
    desk.controller.receive(Idle())
    assert "Stopped" in desk.page.space.told.text()


def test_the_same_space_can_take_in_newer_answers(desk: Desk) -> None:
    desk.show()
    space = learned(questions=True)
    taken = replace(chain(13)[12], kind=StepKind.SPACE, answer=None, approach=space)
    history = (*desk.live.history, taken)
    desk.move(history=history, position=13, space=space, learned_after=12)
    assert not desk.page.space.anew.isVisible()
    history = (*history, answer_step(14, 13, 20, 21))
    desk.move(history=history, position=14, space=space, learned_after=12)
    assert "1 newer answer does not move it" in desk.page.space.told.text()
    desk.page.space.anew.click()
    assert desk.sent(Consider)[-1].approach == space


def test_looks_of_the_strategy_dialog_are_not_ours(desk: Desk) -> None:
    desk.show()
    desk.controller.send(Consider(Approach("random")))
    desk.controller.receive(outlook_of(desk.live, Approach("random"), Effect(4, 4, 0)))
    desk.controller.receive(Idle())
    assert not desk.sent(Choose)


# ------------------------------------------------------------------------------ elsewhere


def test_the_window_leads_there_and_answers_there(qtbot: QtBot) -> None:
    controller, opened = controller_on(N, history=chain(12), table=True, pair=Pair(0, 1))
    window = MainWindow(controller, Settings(None))
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert not window.actions_by_id["show_suggestions"].isEnabled()
    controller.receive(opened)
    window.actions_by_id["show_suggestions"].trigger()
    page = window.suggestions
    page.answering.gate._settling.setInterval(5)
    assert window.pages.currentWidget() is page
    assert QApplication.focusWidget() is page.list
    controller.receive(Suggested(1, Suggestions(12, FOUND, 5, 9)))
    controller.receive(Idle())
    qtbot.waitUntil(lambda: page.answering.gate.is_open)
    QTest.keyClick(page.list, Qt.Key.Key_H)
    assert page.pane.area.names_hidden
    window.actions_by_id["answer_different"].trigger()  # of the menu
    told = controller.sent[-1]
    assert isinstance(told, Tell)
    assert (told.a, told.b, told.verdict, told.source) == (
        2,
        7,
        Verdict.DIFFERENT,
        Source.SUGGESTED,
    )
    page.stepWanted.emit(3)
    assert window.pages.currentWidget() is window.workspace


def test_what_fails_on_the_page_is_not_told_twice(qtbot: QtBot) -> None:
    controller, opened = controller_on(N, history=chain(12), table=True)
    window = MainWindow(controller, Settings(None))
    qtbot.addWidget(window)
    window.show()
    controller.receive(opened)
    window.show_suggestions()
    controller.receive(Failed("Not enough memory.", ""))
    controller.receive(Idle())
    assert not window.banner.isVisible()
    assert window.suggestions.line.text.text() == "Not enough memory."


def test_a_reply_to_a_suggestion_is_told_as_one() -> None:
    _, opened = controller_on(N, table=True)
    step = answer_step(1, 0, 2, 7)
    assert step.answer is not None
    step = replace(step, answer=replace(step.answer, source=Source.SUGGESTED))
    state = moved_on(opened.snapshot, history=(step,), position=1)
    model = HistoryModel()
    model.open(ItemWords(opened))
    model.set_live(state)
    row = model.row_at(model.index(0))
    assert model.remark(row) == "to a suggestion"
    assert "confirmed or rejected" in model.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert "suggested by other answers" in judge_text.circumstances(step)
    assert last_answers(state)[0].suggested


def test_no_line_is_left_for_a_project_of_fewer_items(qtbot: QtBot) -> None:
    """The map places its items before the page hears that it is seen."""
    desk = Desk(qtbot).show().ready()
    desk.page.hide()
    assert sum(desk.page.links.drawn.values()) == 0
    _, fewer = controller_on(5, history=chain(2), table=True)
    desk.controller.receive(fewer)
    desk.page.show()
    desk.qtbot.waitUntil(lambda: len(desk.page.map.positions([0, 4])) == 2)
    assert sum(desk.page.links.drawn.values()) == 0
