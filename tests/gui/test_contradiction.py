"""A contradiction: its loop, the likeliest slip, and the view that settles it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.main_window import MainWindow
from desktop.messages import Changed, Idle, Opened, Replayed, Revise, Undo
from desktop.pages import contradiction_text
from desktop.pages.contradiction import ContradictionView
from desktop.settings import Settings
from desktop.widgets.judging.link_card import letter
from desktop.widgets.judging.loops import Loop, Why, find_loops
from engine.model import (
    Answer,
    Confidence,
    Conflict,
    HistoryItem,
    Pair,
    Snapshot,
    StepKind,
    Verdict,
)
from tests.gui.handmade import NOON, controller_on, moved_on

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
GUESS, QUITE, CERTAIN = Confidence.GUESS, Confidence.QUITE, Confidence.CERTAIN


def said(
    seq: int,
    a: int,
    b: int,
    verdict: Verdict = SAME,
    confidence: Confidence = QUITE,
    ms: int | None = 2000,
    target: int | None = None,
) -> HistoryItem:
    answer = Answer(Pair.of(a, b), verdict, confidence, shown_left=a, response_ms=ms)
    kind = StepKind.ANSWER if target is None else StepKind.REVISE
    return HistoryItem(seq, seq - 1, kind, NOON + seq, on_path=True, answer=answer, target=target)


def against(seq: int, pair: Pair, verdict: Verdict, *chain: HistoryItem) -> Conflict:
    links = [(step.seq, step.answer.pair, step.answer.verdict) for step in chain if step.answer]
    return Conflict(seq, pair, verdict, tuple(links))


def state(history: tuple[HistoryItem, ...], *conflicts: Conflict) -> tuple[Opened, Snapshot]:
    _, opened = controller_on(history=history, pair=Pair(20, 21))
    snapshot = replace(opened.snapshot, conflicts=conflicts)
    return replace(opened, snapshot=snapshot), snapshot


def triangle(**last: object) -> tuple[HistoryItem, ...]:
    """1 = 2, 2 = 3, but 1 is not 3."""
    return said(1, 1, 2), said(2, 2, 3), said(3, 1, 3, DIFFERENT, **last)  # type: ignore[arg-type]


def one_loop(*history: HistoryItem) -> Loop:
    conflict = against(3, Pair(1, 3), DIFFERENT, *history[:2])
    _, snapshot = state(history, conflict)
    (loop,) = find_loops(snapshot)
    return loop


# ------------------------------------------------------------------------------ the loop


def test_a_loop_goes_from_item_to_item_and_back() -> None:
    loop = one_loop(*triangle())
    assert [link.ends for link in loop.links] == [(1, 2), (2, 3), (3, 1)]
    assert [link.seq for link in loop.links] == [1, 2, 3]
    assert [link.opposite for link in loop.links] == [DIFFERENT, DIFFERENT, SAME]
    assert loop.items == (1, 2, 3)
    assert loop.seq == 3


def test_a_loop_tells_what_is_in_force() -> None:
    changed = said(4, 2, 3, SAME, ms=None, target=2)
    first = (said(1, 1, 2), said(2, 2, 3, DIFFERENT), said(3, 1, 3, DIFFERENT), changed)
    _, snapshot = state(first, against(3, Pair(1, 3), DIFFERENT, first[0], changed))
    conflict = replace(snapshot.conflicts[0], chain=((1, Pair(1, 2), SAME), (2, Pair(2, 3), SAME)))
    (loop,) = find_loops(replace(snapshot, conflicts=(conflict,)))
    assert loop.links[1].seq == 2
    assert loop.links[1].verdict is SAME
    assert loop.links[1].changed == 4
    assert loop.links[1].at == changed.at
    assert loop.suspect == 1  # it was said last


# ------------------------------------------------------------------- the likeliest slip


@pytest.mark.parametrize(
    ("given", "suspect", "reasons"),
    [
        ([(QUITE, 2000), (GUESS, 2000), (QUITE, 300)], 1, (Why.UNSURE,)),
        ([(CERTAIN, 2000), (CERTAIN, 2000), (QUITE, 2000)], 2, (Why.UNSURE,)),
        ([(QUITE, 500), (QUITE, 2000), (QUITE, 2100)], 0, (Why.HASTY,)),
        ([(QUITE, 500), (QUITE, 400), (QUITE, 9000)], 2, (Why.NEWEST,)),  # usual: half a second
        ([(QUITE, 1900), (QUITE, 1500), (QUITE, 2000)], 2, (Why.NEWEST,)),  # none is hasty
        ([(QUITE, None), (QUITE, None), (QUITE, None)], 2, (Why.NEWEST,)),
        ([(GUESS, 2000), (GUESS, 2000), (QUITE, 100)], 1, (Why.UNSURE,)),  # the newer guess
        ([(GUESS, 700), (GUESS, 2000), (QUITE, 2000)], 0, (Why.UNSURE, Why.HASTY)),
    ],
)
def test_the_weakest_answer_is_suspected(
    given: list[tuple[Confidence, int | None]], suspect: int, reasons: tuple[Why, ...]
) -> None:
    (c1, t1), (c2, t2), (c3, t3) = given
    loop = one_loop(
        said(1, 1, 2, SAME, c1, t1), said(2, 2, 3, SAME, c2, t2), said(3, 1, 3, DIFFERENT, c3, t3)
    )
    assert (loop.suspect, loop.reasons) == (suspect, reasons)


def test_the_answer_in_most_contradictions_goes_first() -> None:
    steps = (*triangle(confidence=GUESS), said(4, 2, 5), said(5, 1, 5, DIFFERENT))
    _, snapshot = state(
        steps,
        against(3, Pair(1, 3), DIFFERENT, steps[0], steps[1]),
        against(5, Pair(1, 5), DIFFERENT, steps[0], steps[3]),
    )
    newest, oldest = find_loops(snapshot)
    assert (newest.seq, oldest.seq) == (5, 3)
    for loop in (newest, oldest):
        assert loop.links[loop.suspect].seq == 1
        assert loop.reasons == (Why.SHARED,)


# ------------------------------------------------------------------------------ words


def test_what_is_said() -> None:
    loop = one_loop(*triangle(confidence=GUESS))
    text = contradiction_text.explain(loop, is_live=True)
    assert text.startswith(
        "By #1 and #2, A and C are the same, but #3 says that they are different. One must be"
    )
    assert contradiction_text.about(loop, 0) == "#1: A and B are the same."
    assert contradiction_text.about(loop, 2) == (
        "#3: C and A are different. Likeliest slip: you were least sure of it."
    )
    assert "return to now" in contradiction_text.explain(loop, is_live=False)
    twice = (said(1, 1, 2), said(2, 1, 2, DIFFERENT))
    _, snapshot = state(twice, against(2, Pair(1, 2), DIFFERENT, twice[0]))
    (loop,) = find_loops(snapshot)
    assert contradiction_text.explain(loop, is_live=True).startswith(
        "#1 says that A and B are the same, #2 that they are different."
    )
    assert contradiction_text.notice(snapshot.conflicts) == (
        "“Different” (#2) contradicts another answer."
    )
    assert [letter(at) for at in (0, 25, 26, 53)] == ["A", "Z", "A1", "B2"]


def test_how_it_ended_is_said() -> None:
    _, before = state(triangle(), against(3, Pair(1, 3), DIFFERENT, *triangle()[:2]))
    change = said(4, 2, 3, DIFFERENT, target=2)
    after = moved_on(before, history=(*before.history, change), position=4, conflicts=())
    tell = contradiction_text.settled
    assert tell(before, after) == "Changed #2 to “different”: the contradiction is settled."
    other = replace(before.conflicts[0], seq=9)
    assert tell(before, replace(after, conflicts=(other,))) == (
        "Changed #2 to “different”: the contradiction is settled, but this makes a new "
        "contradiction."
    )
    assert tell(before, replace(after, conflicts=before.conflicts)).endswith(
        "other answers still contradict each other."
    )
    assert tell(after, replace(after, position=3)) == ""
    assert contradiction_text.reopened(after, before) == "The contradiction is open again."


# ------------------------------------------------------------------------------ the view


class Desk:
    """The whole window on hand-made states, with the engine's part played by the test."""

    def __init__(
        self,
        qtbot: QtBot,
        history: tuple[HistoryItem, ...],
        *conflicts: Conflict,
        table: bool = False,
    ) -> None:
        self.qtbot = qtbot
        theme.apply(QApplication.instance(), "light")  # type: ignore[arg-type]
        self.controller, opened = controller_on(history=history, pair=Pair(20, 21), table=table)
        self.opened = replace(opened, snapshot=replace(opened.snapshot, conflicts=conflicts))
        self.window = MainWindow(self.controller, Settings(None))
        qtbot.addWidget(self.window)
        self.window.resize(1280, 800)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(self.window.isActiveWindow)
        self.controller.receive(self.opened)
        self.judge = self.window.workspace.judge
        self.view.pause_ms = 0
        self.judge.setFocus()

    @property
    def view(self) -> ContradictionView:
        return self.judge.contradiction

    @property
    def now(self) -> Snapshot:
        assert self.controller.snapshot is not None
        return self.controller.snapshot

    @property
    def sent(self) -> list[object]:
        return [request for request in self.controller.sent if isinstance(request, Revise | Undo)]

    def press(self, key: Qt.Key, text: str = "", *, repeat: bool = False) -> None:
        focus = QApplication.focusWidget()
        assert focus is not None
        none = Qt.KeyboardModifier.NoModifier
        event = QKeyEvent(QEvent.Type.KeyPress, key, none, text, repeat)
        QCoreApplication.sendEvent(focus, event)

    def look(self) -> None:
        self.press(Qt.Key.Key_C, "c")
        assert self.view.isVisible()

    def reply(self, snapshot: Snapshot) -> None:
        self.controller.receive(Changed(snapshot))
        self.controller.receive(Idle())

    def settle(self, *left: Conflict) -> Snapshot:
        """Play the engine: carry out the change that was asked for."""
        request = self.sent[-1]
        assert isinstance(request, Revise)
        before, seq = self.now, self.now.history[-1].seq + 1
        pair = next(
            step.answer.pair for step in before.history if step.seq == request.seq and step.answer
        )
        step = said(seq, *pair, request.verdict, ms=None, target=request.seq)
        step = replace(step, parent=before.position)
        history = (*before.history, step)
        after = moved_on(before, history=history, position=seq, undo=seq, conflicts=left)
        self.reply(after)
        return after


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    history = triangle(confidence=GUESS)
    made = Desk(qtbot, history, against(3, Pair(1, 3), DIFFERENT, *history[:2]))
    yield made
    made.window.pictures.close()


def several(qtbot: QtBot) -> Desk:
    steps = (*triangle(), said(4, 6, 7), said(5, 7, 8), said(6, 6, 8, DIFFERENT))
    return Desk(
        qtbot,
        steps,
        against(3, Pair(1, 3), DIFFERENT, *steps[:2]),
        against(6, Pair(6, 8), DIFFERENT, *steps[3:5]),
    )


def test_c_opens_it_and_the_pair_waits(desk: Desk) -> None:
    desk.qtbot.waitUntil(lambda: not desk.view.isVisible())
    desk.look()
    assert [card.change.text() for card in desk.view.strip.cards] == [
        "Change #1 to different",
        "Change #2 to different",
        "Change #3 to same",
    ]
    assert [card.leave_open.text() for card in desk.view.strip.cards] == [
        "#1: cannot say",
        "#2: cannot say",
        "#3: cannot say",
    ]
    assert desk.view.strip.at == 2
    assert QApplication.focusWidget() is desk.view.strip.cards[2].change
    for key, text in ((Qt.Key.Key_S, "s"), (Qt.Key.Key_D, "d"), (Qt.Key.Key_Down, "")):
        desk.press(key, text)
    desk.window.answer_same()
    assert desk.controller.sent == []  # no pair is there to be answered
    desk.press(Qt.Key.Key_Escape)
    assert not desk.view.isVisible()
    assert desk.judge.pane.isVisible()
    assert desk.judge.hasFocus()
    desk.look()
    desk.press(Qt.Key.Key_C, "c")
    assert desk.judge.pane.isVisible()


def test_one_change_settles_it_and_says_so(desk: Desk) -> None:
    desk.look()
    desk.press(Qt.Key.Key_Return)
    assert desk.sent == [Revise(3, SAME)]
    desk.press(Qt.Key.Key_Return)
    desk.press(Qt.Key.Key_Return, repeat=True)
    assert len(desk.sent) == 1  # the engine has not answered yet
    desk.settle()
    assert desk.judge.pane.isVisible()
    assert desk.judge.hasFocus()
    assert desk.judge.pane.note.text() == ("Changed #3 to “same”: the contradiction is settled.")
    assert not desk.window.actions_by_id["look_at_contradiction"].isEnabled()
    before = desk.opened.snapshot
    desk.reply(moved_on(desk.now, position=3, undo=3, redo=4, conflicts=before.conflicts))
    assert "open again" in desk.judge.pane.note.text()
    assert desk.judge.pane.conflict.isVisible()


def test_keys_choose_change_and_leave_open(desk: Desk) -> None:
    desk.look()
    desk.press(Qt.Key.Key_Left)
    assert desk.view.strip.at == 1
    assert QApplication.focusWidget() is desk.view.strip.cards[1].change
    desk.press(Qt.Key.Key_1, "1")
    assert desk.view.strip.at == 0
    desk.press(Qt.Key.Key_Left)
    assert desk.view.strip.at == 0
    desk.press(Qt.Key.Key_U, "u")
    assert desk.sent == [Revise(1, UNSURE)]
    desk.controller.receive(Idle())
    desk.view.strip.cards[1].leave_open.setFocus()
    assert desk.view.strip.at == 1
    desk.press(Qt.Key.Key_Enter)
    assert desk.sent[-1] == Revise(2, UNSURE)
    desk.controller.receive(Idle())
    desk.press(Qt.Key.Key_Backspace, "\x08")
    assert desk.sent[-1] == Undo()


def test_a_click_chooses_and_shows_the_pair_large(desk: Desk) -> None:
    desk.look()
    desk.qtbot.mouseClick(desk.view.strip.cards[0], Qt.MouseButton.LeftButton, pos=QPoint(20, 60))
    assert desk.view.strip.at == 0
    assert desk.view.area.shown_names == ("IMG_0001.png", "IMG_0002.png")
    desk.press(Qt.Key.Key_H, "h")
    assert desk.view.area.shown_names == ("", "")
    assert "IMG_" not in desk.view.strip.cards[0].accessibleName()


def test_the_second_half_of_a_double_click_changes_nothing(qtbot: QtBot) -> None:
    desk = several(qtbot)
    desk.look()
    desk.view.pause_ms = 10_000
    desk.press(Qt.Key.Key_Return)
    assert desk.sent == []
    desk.window.pictures.close()


def test_several_are_gone_through(qtbot: QtBot) -> None:
    desk = several(qtbot)
    first, second = desk.now.conflicts
    desk.look()
    view = desk.view
    assert view._title.text() == "Contradiction 1 of 2"
    assert view.strip.cards[-1].link.seq == 6
    assert not view.previous.isEnabled()
    desk.press(Qt.Key.Key_PageDown)
    assert view.strip.cards[-1].link.seq == 3
    assert not view.next.isEnabled()
    desk.press(Qt.Key.Key_PageUp)
    desk.press(Qt.Key.Key_Return)
    after = desk.settle(first)
    assert view.isVisible()
    assert view.news.text == "Changed #6 to “same”: the contradiction is settled."
    assert view._title.text() == "A contradiction"
    assert view.strip.cards[-1].link.seq == 3
    assert QApplication.focusWidget() is view.strip.cards[view.strip.at].change
    desk.reply(moved_on(after, position=6, undo=6, redo=7, conflicts=(first, second)))
    assert view.strip.cards[-1].link.seq == 6  # undo brings it back, and it is shown
    assert view.news.text == ""
    desk.window.pictures.close()


def test_a_change_that_makes_another_is_followed(desk: Desk) -> None:
    desk.look()
    desk.press(Qt.Key.Key_1, "1")
    desk.press(Qt.Key.Key_Return)
    other = against(2, Pair(2, 3), SAME, triangle()[0])
    desk.settle(other)
    assert desk.view.isVisible()
    assert "this makes a new contradiction" in desk.view.news.text
    assert desk.view.strip.cards[-1].link.seq == 2


def test_in_a_replay_it_can_be_looked_at_only(desk: Desk) -> None:
    desk.reply(moved_on(desk.now, conflicts=()))
    action = desk.window.actions_by_id["look_at_contradiction"]
    assert not action.isEnabled()
    desk.controller.view(3)
    past = replace(desk.opened.snapshot, live=False, question=None)
    desk.controller.receive(Replayed(past))
    desk.controller.receive(Idle())
    assert action.isEnabled()
    action.trigger()
    assert desk.view.isVisible()
    assert not any(
        button.isEnabled()
        for card in desk.view.strip.cards
        for button in card.findChildren(QAbstractButton)
    )
    desk.press(Qt.Key.Key_Return)
    desk.press(Qt.Key.Key_U, "u")
    assert desk.sent == []
    desk.press(Qt.Key.Key_Left)
    assert desk.view.strip.at == 1
    desk.controller.view(None)
    assert not desk.view.isVisible()


def test_every_way_leads_to_it(desk: Desk) -> None:
    window, view = desk.window, desk.view
    bar = desk.judge.pane.conflict
    look = next(one for one in bar.findChildren(QAbstractButton) if "Look" in one.text())
    progress = window.workspace.progress
    window.show_overview()
    for way in (window.actions_by_id["look_at_contradiction"].trigger, look.click):
        way()
        assert view.isVisible()
        desk.press(Qt.Key.Key_Escape)
    progress.raise_()
    assert progress._look.isVisibleTo(progress)
    progress._look.click()
    assert view.isVisible()
    desk.judge.return_to_pair()
    history = window.workspace.history
    for seq, offered in ((3, True), (1, True)):
        menu = history.menu_for(history.steps.index(history.steps.row_of(seq)))
        entries = {action.text().replace("&", ""): action for action in menu.actions()}
        assert ("Look at the contradiction" in entries) is offered
        entries["Look at the contradiction"].trigger()
        assert view.isVisible()
        desk.judge.return_to_pair()
    desk.reply(moved_on(desk.now, conflicts=()))
    menu = history.menu_for(history.steps.index(history.steps.row_of(3)))
    assert "Look at the contradiction" not in [a.text().replace("&", "") for a in menu.actions()]
    assert not progress._look.isVisibleTo(progress)


def test_rows_without_pictures_tell_their_cells(qtbot: QtBot) -> None:
    history = triangle()
    conflict = against(3, Pair(1, 3), DIFFERENT, *history[:2])
    desk = Desk(qtbot, history, conflict, table=True)
    desk.look()
    assert desk.view.area.rows.isVisible()
    spoken = desk.view.strip.cards[0].accessibleName()
    assert "A row 2" in spoken
    assert "secret" not in spoken  # labels kept for evaluation are never shown
    assert "quite sure" in spoken
    assert "2.0 s" in spoken
    desk.view.grab()
    desk.window.pictures.close()


def test_a_long_chain_scrolls_to_what_is_chosen(qtbot: QtBot) -> None:
    n = 12
    history = (*(said(at, at, at + 1) for at in range(1, n)), said(n, 1, n, DIFFERENT, GUESS))
    desk = Desk(qtbot, history, against(n, Pair(1, n), DIFFERENT, *history[:-1]))
    desk.look()
    strip = desk.view.strip
    assert "By 11 answers in a chain" in desk.view._text.text()
    for key, place in ((Qt.Key.Key_Home, 0), (Qt.Key.Key_End, n - 1)):
        desk.press(key)
        assert strip.at == place
        card = strip.cards[place]
        left = card.mapTo(strip.viewport(), QPoint(0, 0)).x()
        assert left >= 0
        assert left + card.width() <= strip.viewport().width() + 1
    assert strip.horizontalScrollBar().maximum() > 0
    desk.window.resize(1000, 640)
    desk.qtbot.waitUntil(lambda: strip.width() < 600)
    card = strip.cards[-1]
    assert card.mapTo(strip.viewport(), QPoint(card.width(), 0)).x() <= strip.viewport().width() + 1
    desk.window.pictures.close()


def test_everything_in_it_has_a_name(desk: Desk) -> None:
    desk.look()
    for part in desk.view.findChildren(QWidget):
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isVisible():
            assert part.accessibleName() or getattr(part, "text", str)(), part


def test_nothing_left_to_ask_points_to_it(desk: Desk) -> None:
    desk.reply(moved_on(desk.now, question=None))
    end = desk.judge.end
    assert end.isVisible()
    assert "contradict each other" in end.text
    assert end._title.text() == "A contradiction is to be settled first"
    desk.press(Qt.Key.Key_C, "c")
    assert desk.view.isVisible()


# ------------------------------------------------------------------------- overruled answers


def test_an_overruled_answer_is_marked(desk: Desk) -> None:
    desk.reply(moved_on(desk.now, conflicts=(), overruled=(2,)))
    steps, progress = desk.window.workspace.history.steps, desk.window.workspace.progress
    row = steps.index(steps.row_of(2))
    assert "overruled" in row.data()
    assert "Overruled by your other answers" in row.data(Qt.ItemDataRole.ToolTipRole)
    assert "overruled" not in steps.index(steps.row_of(1)).data()
    label, value = progress._rows["overruled"]
    assert (label.text(), value.text()) == ("Answers overruled", "1")
    desk.window.workspace.history.grab()
    desk.reply(moved_on(desk.now, overruled=()))
    assert value.isHidden()
