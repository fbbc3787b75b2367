from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAccessible, QColor, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.images import PictureStore
from desktop.main_window import MainWindow
from desktop.messages import (
    Changed,
    Closed,
    Compare,
    Crashed,
    Failed,
    Idle,
    NameGroup,
    Opened,
    Replayed,
    SetAside,
    Tell,
    Undo,
)
from desktop.pages import judge_text
from desktop.pages.judge import JudgePage
from desktop.settings import Settings
from desktop.widgets import trail, words
from desktop.widgets.judging.answer_bar import mixed
from desktop.widgets.judging.answer_gate import SETTLE_MS, GateState
from desktop.widgets.judging.item_panel import ItemPanel
from desktop.widgets.judging.sides import shuffled
from engine.dataset import Role
from engine.model import (
    Approach,
    Confidence,
    Conflict,
    Effect,
    HistoryItem,
    Pair,
    Question,
    Reason,
    Snapshot,
    StepKind,
    Verdict,
)
from tests.gui.handmade import answer_step, blobs, chain, opened_of, overview_of, snapshot_of

N = 12
FIRST = Pair.of(2, 7)
SECOND = Pair.of(3, 9)
TOOL_TIP = Qt.ItemDataRole.ToolTipRole
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


class Bench:
    """A judge page on hand-made states, with the engine's part played by the test."""

    def __init__(self, qtbot: QtBot, opened: Opened) -> None:
        self.qtbot = qtbot
        self.opened = opened
        self.controller = Controller(worker=None)
        self.store = PictureStore(self.controller)
        self.page = JudgePage(self.controller, self.store)
        self.page.resize(1000, 640)
        self.settle(10)
        qtbot.addWidget(self.page)

    def settle(self, milliseconds: int) -> None:
        """Shorten the moment that a pair must be on the screen: most tests are not about it."""
        self.page.gate._settling.setInterval(milliseconds)

    def start(self, window: QWidget | None = None) -> Bench:
        window = window or self.page
        window.show()
        window.activateWindow()
        self.qtbot.waitUntil(window.isActiveWindow)
        self.controller.receive(self.opened)
        return self

    def ready(self) -> Bench:
        self.qtbot.waitUntil(lambda: self.page.gate.is_open)
        return self

    @property
    def state(self) -> GateState:
        return self.page.gate.state

    @property
    def sent(self) -> list[object]:
        return list(self.controller.sent)

    def press(
        self,
        key: Qt.Key | int,
        text: str = "",
        modifiers: Qt.KeyboardModifier = NONE,
        *,
        scan: int = 0,
        repeat: bool = False,
    ) -> None:
        event = QKeyEvent(QEvent.Type.KeyPress, int(key), modifiers, scan, 0, 0, text, repeat)
        QCoreApplication.sendEvent(self.page, event)

    def reply(self, snapshot: Snapshot) -> None:
        self.controller.receive(Changed(snapshot))
        self.controller.receive(Idle())

    def after(self, verdict: Verdict, pair: Pair | None = SECOND, **changes: object) -> Snapshot:
        """Give the state after an answer to the present question."""
        now = self.controller.snapshot
        assert now is not None
        assert now.question is not None
        asked = now.question.pair
        seq = now.position + 1
        step = answer_step(seq, now.position, *asked, verdict, effect=Effect(4, 3, 31))
        question = None if pair is None else Question(pair, Reason.of("Next."), 3, now.revision + 1)
        progress = replace(now.progress, answered=now.progress.answered + 1)
        return replace(
            now,
            revision=now.revision + 1,
            question=question,
            history=(*now.history, step),
            position=seq,
            undo=seq,
            progress=progress,
            **changes,
        )

    def texts(self) -> str:
        return " | ".join(
            label.text() for label in self.page.findChildren(QLabel) if label.isVisible()
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(N):
        pixels = np.full((24, 32, 3), 20 * number, np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"IMG_{number}.png")
    return tmp_path


def study(
    folder: Path, *, table: bool = False, pair: Pair | None = FIRST, steps: int = 6
) -> Opened:
    places, labels = blobs(N, 3)
    history = chain(steps, n_items=N)
    snapshot = snapshot_of(overview_of(labels), history, pair=pair, planned=200)
    paths = tuple(f"IMG_{number}.png".encode() for number in range(N))
    return opened_of(places, snapshot, table=table, source=folder, paths=paths)


@pytest.fixture
def bench(qtbot: QtBot, folder: Path) -> Iterator[Bench]:
    bench = Bench(qtbot, study(folder))
    yield bench
    bench.store.close()


@pytest.fixture
def rows(qtbot: QtBot, folder: Path) -> Iterator[Bench]:
    bench = Bench(qtbot, study(folder, table=True))
    yield bench
    bench.store.close()


# ------------------------------------------------------------------ answering


@pytest.mark.parametrize(
    ("key", "text", "modifiers", "verdict"),
    [
        (Qt.Key.Key_S, "s", NONE, Verdict.SAME),
        (Qt.Key.Key_Right, "", NONE, Verdict.SAME),
        (Qt.Key.Key_6, "6", Qt.KeyboardModifier.KeypadModifier, Verdict.SAME),
        (Qt.Key.Key_D, "d", NONE, Verdict.DIFFERENT),
        (Qt.Key.Key_Left, "", NONE, Verdict.DIFFERENT),
        (Qt.Key.Key_U, "u", NONE, Verdict.UNSURE),
        (Qt.Key.Key_Down, "", NONE, Verdict.UNSURE),
    ],
)
def test_an_answer_by_key(
    bench: Bench, key: Qt.Key, text: str, modifiers: Qt.KeyboardModifier, verdict: Verdict
) -> None:
    bench.settle(SETTLE_MS)
    bench.start().ready()
    bench.press(key, text, modifiers)
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert (tell.revision, tell.a, tell.b) == (1, *FIRST)
    assert tell.verdict is verdict
    assert tell.confidence is Confidence.QUITE
    assert tell.shown_left == shuffled(FIRST)[0]
    assert tell.response_ms is not None
    assert tell.response_ms >= SETTLE_MS >= 150


def test_a_russian_keyboard_answers_by_the_place_of_the_key(bench: Bench) -> None:
    bench.start().ready()
    bench.press(0x42B, "ы", scan=39)
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert tell.verdict is Verdict.SAME


def test_digits_of_the_top_row_never_answer(bench: Bench) -> None:
    bench.start().ready()
    for digit in "123456789":
        bench.press(ord(digit), digit)
    bench.press(Qt.Key.Key_Eacute, "é", scan=11)
    assert bench.sent == []


def test_a_held_key_answers_one_pair_only(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME))
    bench.ready()
    for _ in range(10):
        bench.press(Qt.Key.Key_S, "s", repeat=True)
    assert len(bench.sent) == 1


def test_a_pair_is_answered_once(bench: Bench) -> None:
    bench.start().ready()
    for _ in range(4):
        bench.press(Qt.Key.Key_S, "s")
        bench.press(Qt.Key.Key_D, "d")
    assert len(bench.sent) == 1
    assert bench.state is GateState.SENT


def test_buttons_answer_and_shift_makes_it_certain(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    button = bench.page.pane.bar.buttons[Verdict.DIFFERENT]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert tell.verdict is Verdict.DIFFERENT


def test_shift_means_certain(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "S", SHIFT)
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert tell.confidence is Confidence.CERTAIN


def test_g_means_a_guess_for_this_pair_only(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_G, "g")
    assert bench.page.pane.guess.isChecked()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME))
    bench.ready()
    assert not bench.page.pane.guess.isChecked()
    bench.press(Qt.Key.Key_S, "s")
    confidences = [tell.confidence for tell in bench.sent if isinstance(tell, Tell)]
    assert confidences == [Confidence.GUESS, Confidence.QUITE]


def test_g_twice_is_no_guess(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_G, "g")
    bench.press(Qt.Key.Key_G, "g")
    bench.press(Qt.Key.Key_S, "s")
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert tell.confidence is Confidence.QUITE


def test_sides_are_shuffled_and_stay(bench: Bench) -> None:
    lefts = [shuffled(Pair.of(a, b))[0] == a for a in range(40) for b in range(a + 1, 40)]
    assert 0.4 < sum(lefts) / len(lefts) < 0.6
    assert shuffled(FIRST) == shuffled(FIRST)
    bench.start().ready()
    left, right = bench.page.pane.area.shown_names
    assert (left, right) == tuple(f"IMG_{item}.png" for item in shuffled(FIRST))


# ------------------------------------------------------------------ when keys are dead


def test_keys_are_dead_until_both_pictures_are_painted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    wanted: list[int] = []
    monkeypatch.setattr(bench.store, "request", wanted.append)
    bench.start()
    qtbot.wait(250)
    bench.press(Qt.Key.Key_S, "s")
    assert bench.state is GateState.LOADING
    assert sorted(wanted) == sorted(FIRST)
    monkeypatch.undo()
    bench.store.request(FIRST.a)
    qtbot.waitUntil(lambda: bench.store.picture(FIRST.a) is not None)
    qtbot.wait(250)
    bench.press(Qt.Key.Key_S, "s")
    assert bench.state is GateState.LOADING  # one of two is not enough
    bench.store.request(FIRST.b)
    bench.ready()
    bench.press(Qt.Key.Key_S, "s")
    assert len(bench.sent) == 1


def test_keys_are_dead_for_a_moment_after_painting(bench: Bench, qtbot: QtBot) -> None:
    bench.settle(SETTLE_MS)
    bench.start()
    qtbot.waitUntil(lambda: bench.state is GateState.SETTLING)
    bench.press(Qt.Key.Key_S, "s")
    assert bench.sent == []
    seen = time.monotonic()
    bench.ready()
    assert time.monotonic() - seen > 0.1


def test_keys_are_dead_while_the_page_is_hidden(bench: Bench, qtbot: QtBot) -> None:
    bench.controller.receive(bench.opened)
    qtbot.wait(300)
    bench.press(Qt.Key.Key_S, "s")
    assert bench.sent == []
    assert bench.state is GateState.LOADING


def test_a_picture_that_cannot_be_read_makes_answering_impossible(
    bench: Bench, folder: Path, qtbot: QtBot
) -> None:
    broken = shuffled(FIRST)[1]
    (folder / f"IMG_{broken}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    bench.start()
    qtbot.waitUntil(lambda: bench.state is GateState.FAILED)
    bench.press(Qt.Key.Key_S, "s")
    qtbot.mouseClick(bench.page.pane.bar.buttons[Verdict.SAME], Qt.MouseButton.LeftButton)
    assert bench.sent == []
    assert "right picture cannot be shown" in bench.page.pane.failure.text
    _, right = bench.page.pane.area.view_pair
    assert f"IMG_{broken}.png" in right.message  # says which and why
    assert right.picture is None
    (aside,) = [
        button
        for button in bench.page.pane.failure.findChildren(QAbstractButton)
        if button.text() == "Set aside"
    ]
    qtbot.mouseClick(aside, Qt.MouseButton.LeftButton)
    assert bench.sent == [SetAside(1, (broken,))]


def test_a_folder_that_is_gone_can_be_found_again(bench: Bench, folder: Path, qtbot: QtBot) -> None:
    for item in FIRST:
        (folder / f"IMG_{item}.png").unlink()
    bench.start()
    failure = bench.page.pane.failure
    qtbot.waitUntil(lambda: failure.text.startswith("Neither picture can be shown"))
    buttons = {button.text(): button for button in failure.findChildren(QAbstractButton)}
    with qtbot.waitSignal(bench.page.relinkRequested):
        qtbot.mouseClick(buttons["Relink…"], Qt.MouseButton.LeftButton)


def test_trying_again_after_the_picture_is_back(bench: Bench, folder: Path, qtbot: QtBot) -> None:
    broken = FIRST.a
    good = (folder / f"IMG_{broken}.png").read_bytes()
    (folder / f"IMG_{broken}.png").write_bytes(good[:40])
    bench.start()
    qtbot.waitUntil(lambda: bench.state is GateState.FAILED)
    (folder / f"IMG_{broken}.png").write_bytes(good)
    bench.page._retry()
    bench.ready()
    assert not bench.page.pane.failure.isVisible()


def test_a_failed_picture_is_not_replaced_by_the_one_before(
    bench: Bench, folder: Path, qtbot: QtBot
) -> None:
    (folder / f"IMG_{SECOND.a}.png").write_bytes(b"broken")
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME))
    qtbot.waitUntil(lambda: bench.state is GateState.FAILED)
    views = bench.page.pane.area.view_pair
    qtbot.waitUntil(lambda: [view.picture for view in views].count(None) == 1)


def test_a_failing_engine_gives_the_pair_back(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.controller.receive(Failed("The disk is full.", "Make room."))
    bench.controller.receive(Idle())
    assert bench.state is GateState.OPEN
    bench.press(Qt.Key.Key_S, "s")
    assert len(bench.sent) == 2


def test_a_crash_ends_answering(bench: Bench) -> None:
    bench.start().ready()
    bench.controller.receive(Crashed("report"))
    bench.press(Qt.Key.Key_S, "s")
    assert bench.sent == []


def test_nothing_open_nothing_happens(bench: Bench) -> None:
    bench.start().ready()
    bench.controller.receive(Closed())
    for key, text in ((Qt.Key.Key_S, "s"), (Qt.Key.Key_X, "x"), (Qt.Key.Key_Backspace, "\x08")):
        bench.press(key, text)
    assert bench.sent == []


# ------------------------------------------------------------------ revisions


def test_a_stale_snapshot_changes_nothing(bench: Bench) -> None:
    bench.start().ready()
    newer = bench.after(Verdict.SAME)
    bench.reply(newer)
    bench.ready()
    bench.reply(bench.opened.snapshot)
    assert bench.state is GateState.OPEN
    bench.press(Qt.Key.Key_S, "s")
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    assert (tell.revision, tell.a, tell.b) == (2, *SECOND)


def test_look_ahead_leaves_the_pair_alone_and_prefetches(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    token = bench.page.gate.token
    ahead = Question(Pair.of(5, 10), Reason.of("Next."), 1, 1)
    now = bench.opened.snapshot
    bench.reply(replace(now, next_if={Verdict.SAME: ahead, Verdict.DIFFERENT: None}))
    assert bench.state is GateState.OPEN
    assert bench.page.gate.token == token
    qtbot.waitUntil(lambda: bench.store.picture(5) is not None)
    qtbot.waitUntil(lambda: bench.store.picture(10) is not None)


def test_look_ahead_that_comes_after_an_answer_does_not_ask_for_it_again(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    ahead = {Verdict.SAME: None, Verdict.DIFFERENT: None, Verdict.UNSURE: None}
    bench.controller.receive(Changed(replace(bench.opened.snapshot, next_if=ahead)))
    assert bench.state is GateState.SENT
    bench.press(Qt.Key.Key_D, "d")
    assert [tell.verdict for tell in bench.sent if isinstance(tell, Tell)] == [Verdict.SAME]


def test_a_renamed_group_keeps_the_pair_and_answers_the_new_revision(bench: Bench) -> None:
    bench.start().ready()
    token = bench.page.gate.token
    bench.controller.send(NameGroup(2, "Naevus"))
    bench.press(Qt.Key.Key_S, "s")
    assert len(bench.sent) == 1  # an answer now would be stale and lost
    bench.reply(replace(bench.opened.snapshot, revision=2))
    assert bench.page.gate.token == token
    bench.press(Qt.Key.Key_S, "s")
    tell = bench.sent[-1]
    assert isinstance(tell, Tell)
    assert tell.revision == 2


def test_the_pair_is_drawn_back_only_when_choosing_takes_long(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    assert not bench.page.pane.area.dimmed
    qtbot.waitUntil(lambda: bench.page.pane.area.dimmed)
    assert "Choosing" in bench.page.pane.note.text()
    bench.reply(bench.after(Verdict.SAME))
    assert not bench.page.pane.area.dimmed


def test_an_answer_that_waits_for_something_else_says_so(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    bench.controller.send(Compare((), 10))
    bench.press(Qt.Key.Key_S, "s")
    qtbot.waitUntil(lambda: bench.page.pane.area.dimmed)
    assert "Your answer waits" in bench.page.pane.note.text()


# ------------------------------------------------------------------ taking back


def test_undo_by_backspace(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_Backspace, "\x08")
    assert bench.sent == [Undo()]


def test_undo_follows_an_answer_at_once(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.press(Qt.Key.Key_Backspace, "\x08")
    assert isinstance(bench.sent[-1], Undo)


def test_nothing_to_undo(qtbot: QtBot, folder: Path) -> None:
    bench = Bench(qtbot, study(folder, steps=0)).start().ready()
    assert not bench.page.pane.undo.isEnabled()
    bench.press(Qt.Key.Key_Backspace, "\x08")
    assert bench.sent == []
    bench.store.close()


def test_what_an_answer_did_is_said_for_a_while(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME))
    note = bench.page.pane.note.text()
    assert "Answered same" in note
    assert "2 groups joined" in note
    assert "31 items moved" in note
    assert bench.page.pane.note.passing.interval() == 5000
    bench.page.pane.note.passing.timeout.emit()
    assert "Answered" not in bench.page.pane.note.text()


def test_taking_back_is_said(bench: Bench) -> None:
    bench.start().ready()
    before = bench.opened.snapshot
    bench.press(Qt.Key.Key_S, "s")
    after = bench.after(Verdict.SAME)
    bench.reply(after)
    bench.reply(replace(before, revision=3, history=after.history))
    assert bench.page.pane.note.text() == "Taken back: Answered same"


def test_a_pair_brought_back_by_undo_stands_as_it_stood(bench: Bench) -> None:
    bench.start().ready()
    names = bench.page.pane.area.shown_names
    after = bench.after(Verdict.SAME)
    bench.reply(after)
    bench.ready()
    assert bench.page.pane.area.shown_names != names
    bench.reply(replace(bench.opened.snapshot, revision=3, history=after.history))
    bench.ready()
    assert bench.page.pane.area.shown_names == names


# ------------------------------------------------------------------ setting aside


@pytest.mark.parametrize(("place", "chosen"), [(0, [0]), (1, [1]), (2, [0, 1])])
def test_setting_aside(bench: Bench, place: int, chosen: list[int]) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_X, "x")
    menu = bench.page.pane.aside_menu
    assert menu.isVisible()
    menu.actions()[place].trigger()
    menu.close()
    sides = shuffled(FIRST)
    assert bench.sent == [SetAside(1, tuple(sides[side] for side in chosen))]
    bench.page.set_aside((1,))
    assert len(bench.sent) == 1  # one request per state


# ------------------------------------------------------------------ replay


def replayed(bench: Bench, position: int, **changes: object) -> Snapshot:
    now = bench.opened.snapshot
    history = tuple(replace(step, on_path=step.seq <= position) for step in now.history)
    snapshot = replace(
        now, live=False, question=None, position=position, history=history, **changes
    )
    bench.controller.view(position)
    bench.controller.sent.clear()
    bench.controller.receive(Replayed(snapshot))
    bench.controller.receive(Idle())
    return snapshot


def test_a_replay_is_read_only(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    shown = replayed(bench, 4)
    step = trail.step_at(shown, 4)
    assert step is not None
    assert step.answer is not None
    pane = bench.page.pane
    assert pane.replay.isVisible()
    assert pane.replay.text.startswith("Step 4 of 6: Answered same")
    assert pane.bar.buttons[step.answer.verdict].given
    assert not any(button.isEnabled() for button in pane.bar.buttons.values())
    left = step.answer.shown_left
    assert pane.area.shown_names[0] == f"IMG_{left}.png"
    qtbot.wait(300)
    keys = ((Qt.Key.Key_S, "s"), (Qt.Key.Key_Backspace, "\x08"), (Qt.Key.Key_X, "x"))
    for key, text in keys:
        bench.press(key, text)
    assert bench.sent == []
    assert not pane.undo.isEnabled()


def test_returning_from_a_replay(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    replayed(bench, 4)
    (back,) = bench.page.pane.replay.findChildren(QAbstractButton)
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    assert not bench.page.pane.replay.isVisible()
    assert not any(button.given for button in bench.page.pane.bar.buttons.values())
    bench.ready()
    bench.press(Qt.Key.Key_S, "s")
    tell = bench.sent[-1]
    assert isinstance(tell, Tell)
    assert (tell.a, tell.b) == FIRST


def test_a_replay_of_the_beginning(bench: Bench) -> None:
    bench.start().ready()
    replayed(bench, 0)
    assert bench.page.pane.replay.text == "Before the first step"
    bench.press(Qt.Key.Key_S, "s")
    assert bench.sent == []


def test_a_replay_of_steps_that_are_no_answers(bench: Bench) -> None:
    bench.start().ready()
    named = replace(
        answer_step(7, 6, 1, 2), kind=StepKind.NAME, answer=None, items=(5,), text="Naevus"
    )
    aside = replace(answer_step(8, 7, 1, 2), kind=StepKind.SET_ASIDE, answer=None, items=(4, 6))
    for step, said in ((named, "Named “Naevus”"), (aside, "Set aside")):
        now = bench.opened.snapshot
        shown = replace(
            now, live=False, question=None, position=step.seq, history=(*now.history, named, aside)
        )
        bench.controller.view(step.seq)
        bench.controller.receive(Replayed(shown))
        assert said in bench.page.pane.replay.text
        assert not any(button.given for button in bench.page.pane.bar.buttons.values())
    assert bench.page.pane.area.shown_names == ("IMG_4.png", "IMG_6.png")


@pytest.mark.parametrize("kind", [StepKind.STRATEGY, None])
def test_a_replay_shows_nothing_at_steps_that_were_about_no_items(
    rows: Bench, kind: StepKind | None
) -> None:
    now = rows.opened.snapshot
    rows.start()
    history, columns = now.history, rows.page.pane.area.rows.lines
    if kind is not None:
        step = replace(answer_step(7, 6, 0, 1), kind=kind, answer=None, approach=Approach("random"))
        history = (*history, step)
    for position in (3, 0 if kind is None else 7, 3):
        shown = replace(now, live=False, question=None, position=position, history=history)
        rows.controller.view(position)
        rows.controller.receive(Replayed(shown))
        assert len(rows.page.pane.area.rows.lines) == (position == 3) * len(columns)
        assert words.step_line(shown, now) in rows.page.pane.replay.text


def test_a_replay_of_another_branch_says_so() -> None:
    _, labels = blobs(N, 3)
    main = (answer_step(1, 0, 1, 2), answer_step(2, 1, 3, 4))
    branch = answer_step(3, 1, 5, 6, on_path=False)
    live = snapshot_of(overview_of(labels), (*main, branch), position=2)
    assert words.step_line(replace(live, position=3), live) == "Step 2 of another branch"
    assert words.step_line(replace(live, position=1), live) == "Step 1 of 2"
    taken_back = replace(live, position=1)
    assert words.step_line(replace(live, position=2), taken_back) == "Step 2, taken back"


# ------------------------------------------------------------------ what is said


def test_why_this_pair(bench: Bench) -> None:
    bench.start().ready()
    text = bench.page.pane.why.text()
    assert text == ("Why this pair: Group 1 and group 2 lie side by side. Decides about 12 items.")
    bench.press(Qt.Key.Key_W, "w")
    assert "FALCON" in bench.page.pane.why.text()
    bench.press(Qt.Key.Key_W, "w")
    assert "falcon" not in bench.page.pane.why.text()


def test_a_pair_asked_again_is_said_to_be(bench: Bench) -> None:
    bench.start().ready()
    assert "again" not in bench.page.pane.progress.text()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME, pair=FIRST))
    assert bench.page.pane.progress.text().startswith(
        "Question 8 of about 200 planned · this pair again · "
    )
    assert bench.page.pane.why.text().startswith(
        "Why this pair: You have judged it before; judge it afresh. "
    )
    left = replace(bench.opened.snapshot.history[-1], on_path=False)  # taken back
    undone = replace(bench.controller.snapshot, history=(left,), revision=9)
    bench.reply(undone)
    assert "again" not in bench.page.pane.progress.text()


def test_the_progress_line_is_honest(folder: Path) -> None:
    snapshot = study(folder).snapshot
    line = judge_text.progress_line(snapshot)
    assert line == (
        "Question 7 of about 200 planned · 3 groups · changed by 3 of the last 6 answers"
    )
    open_end = replace(snapshot, progress=replace(snapshot.progress, planned=None, recent=0))
    assert judge_text.progress_line(open_end) == "Question 7 · 3 groups"
    over = replace(
        snapshot,
        progress=replace(snapshot.progress, planned=5, recent=1, recent_changes=0, groups=1),
    )
    assert judge_text.progress_line(over) == (
        "Question 7, 5 were planned · 1 group · not changed by the last answer"
    )


def test_the_question_in_the_words_of_the_project(qtbot: QtBot, folder: Path) -> None:
    bench = Bench(qtbot, replace(study(folder), question="Same lesion type?")).start().ready()
    assert bench.page.pane.question.text() == "Same lesion type?"
    bench.controller.receive(study(folder))
    assert bench.page.pane.question.text() == "Do these two belong together?"
    bench.store.close()


def test_a_contradiction_is_a_bar_not_a_dialogue(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    link = Verdict.SAME
    chain_ = ((1, Pair.of(1, 2), link), (2, Pair.of(2, 3), link), (4, Pair.of(1, 4), link))
    conflict = Conflict(6, Pair.of(3, 4), Verdict.DIFFERENT, chain_)
    bench.reply(replace(bench.opened.snapshot, revision=2, conflicts=(conflict,)))
    bar = bench.page.pane.conflict
    assert bar.text == "“Different” (#6) contradicts 3 answers."
    buttons = {button.text(): button for button in bar.findChildren(QAbstractButton)}
    assert list(buttons) == ["Look now  C", "Undo", "Later"]
    assert bench.page.gate.is_open  # judging goes on
    qtbot.mouseClick(buttons["Undo"], Qt.MouseButton.LeftButton)
    assert bench.sent == [Undo()]
    older = replace(bench.opened.snapshot, revision=3, conflicts=(replace(conflict, seq=3),))
    bench.reply(older)
    assert not buttons["Undo"].isVisible()  # the last step has nothing to do with it
    qtbot.mouseClick(buttons["Later"], Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    bench.reply(replace(older, revision=4))
    assert not bar.isVisible()
    bench.reply(replace(older, revision=5, conflicts=(*older.conflicts, conflict)))
    assert bar.text == "2 contradictions, newest: “Different” (#6)."
    bench.reply(replace(bench.opened.snapshot, revision=6))
    assert not bar.isVisible()


def test_nothing_left_to_ask(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.reply(bench.after(Verdict.SAME, pair=None))
    assert bench.page.end.isVisible()
    assert "3 groups from 7 answers" in bench.page.end.text
    bench.press(Qt.Key.Key_S, "s")
    assert len(bench.sent) == 1
    bench.press(Qt.Key.Key_Backspace, "\x08")
    assert isinstance(bench.sent[-1], Undo)
    with qtbot.waitSignal(bench.page.exportRequested):
        bench.page.end.exportRequested.emit()


def test_the_end_says_why_there_is_nothing_to_ask(bench: Bench) -> None:
    now = bench.opened.snapshot
    empty = replace(now, question=None, progress=replace(now.progress, groups=0))
    bench.opened = replace(bench.opened, snapshot=empty)
    bench.start()
    assert bench.page.end.text == "All items are set aside."
    one = snapshot_of(overview_of(np.zeros(1, np.int32)), revision=2)
    bench.reply(one)
    assert "only one item" in bench.page.end.text


def test_the_last_five_answers(bench: Bench, qtbot: QtBot) -> None:
    bench.start().ready()
    answers = bench.page.pane.last.answers
    assert [answer.seq for answer in answers] == [6, 5, 4, 3, 2]
    bench.reply(bench.after(Verdict.DIFFERENT))
    answers = bench.page.pane.last.answers
    assert [answer.seq for answer in answers] == [7, 6, 5, 4, 3]
    assert answers[0].verdict is Verdict.DIFFERENT
    with qtbot.waitSignal(bench.page.answerSelected) as blocker:
        first = bench.page.pane.last.findChildren(QAbstractButton)[0]
        qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    assert blocker.args == [7]


def test_a_changed_answer_shows_its_new_verdict(bench: Bench) -> None:
    now = bench.opened.snapshot
    change = answer_step(7, 6, *FIRST, Verdict.UNSURE, kind=StepKind.REVISE, target=5)
    bench.opened = replace(
        bench.opened, snapshot=replace(now, history=(*now.history, change), position=7)
    )
    bench.start().ready()
    verdicts = {answer.seq: answer.verdict for answer in bench.page.pane.last.answers}
    assert verdicts[5] is Verdict.UNSURE
    assert 7 not in verdicts


def test_names_can_be_hidden(bench: Bench) -> None:
    bench.start().ready()
    assert "IMG_" in bench.texts()
    bench.press(Qt.Key.Key_H, "h")
    assert "IMG_" not in bench.texts()
    left, _ = bench.page.pane.area.view_pair
    assert "IMG_" not in left.accessibleName()
    tiles = bench.page.pane.last.findChildren(QAbstractButton)
    assert not any("IMG_" in tile.toolTip() for tile in tiles)
    bench.press(Qt.Key.Key_H, "h")
    assert "IMG_" in bench.texts()


def test_view_keys(bench: Bench) -> None:
    bench.start().ready()
    views = bench.page.pane.area.views
    left, right = bench.page.pane.area.view_pair
    bench.press(Qt.Key.Key_Plus, "+")
    assert left.place.zoom == right.place.zoom > 1
    bench.press(Qt.Key.Key_0, "0")
    assert left.place.zoom == 1
    bench.press(Qt.Key.Key_9, "9")
    assert left.scale == pytest.approx(1)
    bench.press(Qt.Key.Key_K, "k")
    assert not views.linked
    bench.press(Qt.Key.Key_I, "i")
    assert left.inverted
    bench.press(Qt.Key.Key_R, "r")
    assert not left.inverted
    assert bench.sent == []


# ------------------------------------------------------------------ tables


def test_rows_are_judged_like_pictures(rows: Bench) -> None:
    rows.start().ready()
    assert not rows.page.pane.area.view_pair[0].isVisible()
    assert rows.page.pane.area.rows.isVisible()
    model = rows.page.pane.area.rows.model()
    head = model.headerData(1, Qt.Orientation.Horizontal)
    assert head.startswith(f"row {shuffled(FIRST)[0] + 1} · ")
    assert "4 items" in model.headerData(1, Qt.Orientation.Horizontal, TOOL_TIP)
    names = [line.name for line in rows.page.pane.area.rows.lines]
    assert set(names) == {"radius", "texture", "site"}
    assert "secret" not in str(rows.page.pane.area.rows.lines)
    rows.press(Qt.Key.Key_D, "d")
    (tell,) = rows.sent
    assert isinstance(tell, Tell)
    assert tell.verdict is Verdict.DIFFERENT


def test_rows_with_pictures_wait_for_both(qtbot: QtBot, folder: Path) -> None:
    opened = study(folder, table=True)
    items = tuple(replace(item, path=f"IMG_{item.id}.png".encode()) for item in opened.items)
    bench = Bench(qtbot, replace(opened, items=items)).start().ready()
    area = bench.page.pane.area
    assert all(view.isVisible() and view.picture is not None for view in area.view_pair)
    assert area.rows.isVisible()
    model = area.rows.model()
    heads = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(3)]
    assert heads == ["Column", "Left", "Right"]  # the captions say the rest
    bench.store.close()


def test_pictures_listed_in_a_table_are_shown_without_an_empty_table(
    qtbot: QtBot, folder: Path
) -> None:
    opened = study(folder, table=True)
    items = tuple(replace(item, path=f"IMG_{item.id}.png".encode()) for item in opened.items)
    columns = tuple(
        replace(column, role=Role.LABEL if column.name == "truth" else Role.IGNORED)
        for column in opened.columns
    )
    bench = Bench(qtbot, replace(opened, items=items, columns=columns)).start().ready()
    assert not bench.page.pane.area.rows.isVisible()
    assert all(view.isVisible() for view in bench.page.pane.area.view_pair)
    bench.store.close()


# ------------------------------------------------------------------ what belongs where


def unsettled(opened: Opened, item: int, history: tuple[HistoryItem, ...] = ()) -> Opened:
    """Let nothing but nearness say where an item belongs."""
    overview = opened.snapshot.overview
    confidence = overview.confidence.copy()
    confidence[item] = 0
    names = {2: "Naevus of the upper arm"}
    groups = tuple(replace(group, name=names.get(group.slot, "")) for group in overview.groups)
    overview = replace(overview, confidence=confidence, groups=groups)
    now = replace(
        opened.snapshot,
        overview=overview,
        history=history,
        position=history[-1].seq if history else 0,
    )
    return replace(opened, snapshot=now)


def panel_of(bench: Bench, item: int) -> ItemPanel:
    return bench.page.pane.area.panels[shuffled(FIRST).index(item)]


def test_the_nearest_group_is_not_said_to_have_the_item(bench: Bench) -> None:
    new, known = 7, 2
    bench.opened = unsettled(bench.opened, new)
    bench.start().ready()
    panel = panel_of(bench, new)
    assert panel.belongs == "not placed yet"
    assert panel.others == ()
    slot = int(bench.opened.snapshot.overview.slots[new])
    assert f"nearest: {theme.slot_text(slot)}" in panel.view.accessibleName()
    assert panel_of(bench, known).belongs == "Naevus of the upper arm · 4 items"
    assert len(panel_of(bench, known).others) == 3


def test_a_same_answer_places_an_item(bench: Bench) -> None:
    no = answer_step(1, 0, 7, 1, Verdict.DIFFERENT)
    bench.opened = unsettled(bench.opened, 7, (no,))
    bench.start().ready()
    assert panel_of(bench, 7).belongs == "not placed yet"
    yes = answer_step(2, 1, 7, 4, Verdict.SAME)
    bench.reply(replace(unsettled(bench.opened, 7, (no, yes)).snapshot, revision=2))
    assert panel_of(bench, 7).belongs == "4 items"
    assert panel_of(bench, 7).others
    back = replace(yes, kind=StepKind.REVISE, seq=3, parent=2, target=2)
    assert back.answer is not None
    back = replace(back, answer=replace(back.answer, verdict=Verdict.UNSURE))
    bench.reply(replace(unsettled(bench.opened, 7, (no, yes, back)).snapshot, revision=3))
    assert panel_of(bench, 7).belongs == "not placed yet"


def test_a_long_name_is_read_before_thumbnails(bench: Bench) -> None:
    bench.opened = unsettled(bench.opened, 7)
    bench.page.resize(800, 500)
    bench.start().ready()
    panel = panel_of(bench, 2)
    label = panel._group
    assert label.shown() == "Naevus of the upper arm · 4 items"
    assert panel._name.shown() == panel.name_shown
    assert label.toolTip() == "Naevus of the upper arm · 4 items"


def test_row_heads_say_what_is_not_placed(rows: Bench) -> None:
    rows.opened = unsettled(rows.opened, 7)
    rows.start().ready()
    model = rows.page.pane.area.rows.model()
    section = 1 + shuffled(FIRST).index(7)
    assert model.headerData(section, Qt.Orientation.Horizontal) == "row 8 · not placed"
    tip = model.headerData(section, Qt.Orientation.Horizontal, TOOL_TIP)
    assert "nearest" in tip


# ------------------------------------------------------------------ look


@pytest.mark.parametrize("width", [640, 716, 1100])
@pytest.mark.parametrize("answered", [False, True])
def test_height_is_given_to_the_pair(bench: Bench, width: int, *, answered: bool) -> None:
    now = bench.opened.snapshot
    if not answered:
        now = replace(now, history=(), position=0, undo=None)
    bench.opened = replace(bench.opened, snapshot=now)
    bench.page.resize(width, 747)
    bench.start().ready()
    pane = bench.page.pane
    assert pane.height() - pane.area.geometry().bottom() < 240


def test_a_change_of_the_look_keeps_the_pair(bench: Bench, qapp: QApplication) -> None:
    bench.start().ready()
    token = bench.page.gate.token
    theme.apply(qapp, "dark")
    assert bench.page.gate.is_open
    assert bench.page.gate.token == token
    theme.apply(qapp, "light")


@pytest.mark.parametrize("colors", [theme.LIGHT, theme.DARK])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_words_of_an_answer_can_be_read(colors: theme.Colors, verdict: Verdict) -> None:
    ink = QColor(getattr(colors, verdict.value))
    for share in (0.07, 0.14):  # at rest, under the pointer
        ground = mixed(QColor(colors.raised), ink, share)
        assert theme.contrast(ink, ground) >= 4.5
    assert theme.contrast(QColor(colors.on_accent), ink) >= 4.5  # given, in a replay


def visible_buttons(bench: Bench) -> list[QAbstractButton]:
    return [b for b in bench.page.findChildren(QAbstractButton) if b.isVisible()]


@pytest.mark.parametrize("kind", ["pictures", "rows"])
def test_everything_has_an_accessible_name(kind: str, request: pytest.FixtureRequest) -> None:
    bench: Bench = request.getfixturevalue("bench" if kind == "pictures" else "rows")
    bench.start().ready()
    for button in visible_buttons(bench):
        face = QAccessible.queryAccessibleInterface(button)
        assert face.text(QAccessible.Text.Name), button
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus, button.text()
        assert button.toolTip() or button.text(), button
    left, right = bench.page.pane.area.view_pair
    if kind == "pictures":
        assert left.accessibleName().startswith("Left picture, IMG_")
        assert "items" in right.accessibleName()


@pytest.mark.parametrize("size", [(1000, 640), (640, 560), (1920, 1080)])
@pytest.mark.parametrize("points", [9, 16])
def test_no_word_is_cut_off(
    bench: Bench, qapp: QApplication, size: tuple[int, int], points: int, qtbot: QtBot
) -> None:
    font = qapp.font()
    larger = qapp.font()
    larger.setPointSize(points)
    qapp.setFont(larger)
    try:
        bench.page.resize(*size)
        bench.start().ready()
        qtbot.wait(20)
        fits: Callable[[QAbstractButton | QLabel], bool] = lambda w: (  # noqa: E731
            w.width() >= w.minimumSizeHint().width()
        )
        assert all(fits(button) for button in visible_buttons(bench))
        pane = bench.page.pane
        for label in (pane.question, pane.progress, pane.why):
            assert label.height() >= label.heightForWidth(label.width()), label.text()
        assert pane.area.height() > bench.page.height() * (0.4 if points == 9 else 0.15)
    finally:
        qapp.setFont(font)


@pytest.mark.parametrize("size", [(1280, 800), (1000, 640)], ids=str)
def test_pictures_and_buttons_never_move(qtbot: QtBot, folder: Path, size: tuple[int, int]) -> None:
    opened = study(folder, steps=0)
    controller = Controller(worker=None)
    window = MainWindow(controller, Settings(None))
    qtbot.addWidget(window)
    window.resize(*size)
    window.show()
    controller.receive(opened)
    judge = window.workspace.judge
    judge.gate._settling.setInterval(10)
    pane = judge.pane

    def places() -> tuple[object, ...]:
        qtbot.waitUntil(lambda: judge.gate.is_open)
        qtbot.wait(5)
        picture = pane.area.view_pair[0]
        top = picture.mapTo(window, picture.rect().topLeft())
        button = pane.bar.mapTo(window, pane.bar.rect().topLeft())
        return top.y(), picture.size(), button.y()

    bench = Bench.__new__(Bench)
    bench.controller = controller
    first = places()
    for turn in range(8):
        pair = SECOND if turn % 2 == 0 else FIRST
        state = bench.after(Verdict.SAME if turn % 3 else Verdict.UNSURE, pair)
        assert state.question is not None
        reason = Reason.of("One of these stands for many items. " * (1 + 2 * (turn % 4)))
        state = replace(state, question=replace(state.question, reason=reason))
        controller.receive(Changed(state))
        controller.receive(Idle())
        assert places() == first, turn
        judge.toggle_why()
        assert places() == first, "the reason in full"
        judge.toggle_why()
        conflict = Conflict(state.position, SECOND, Verdict.SAME, ((1, FIRST, Verdict.SAME),) * 3)
        controller.receive(Changed(replace(state, conflicts=(conflict,))))
        assert pane.conflict.isVisible()
        assert places() == first, "a contradiction"
        controller.receive(Changed(state))
        pane.note.say("A long note about what the last step did to all of the groups. " * 4)
        pane.replay.say("Step 3 of 8: Answered same · 2 groups joined · 31 items moved")
        assert places() == first, "a note and a notice"
        pane.replay.say("")
    judge._store.close()
    window.pictures.close()


def test_what_does_not_fit_is_in_the_tool_tip(bench: Bench) -> None:
    bench.start().ready()
    why = bench.page.pane.why
    why.setText("word " * 200)
    why.grab()
    assert why.shown()[-1].endswith("…")
    assert len(why.shown()) == why.contentsRect().height() // why.fontMetrics().lineSpacing()
    assert why.toolTip() == why.text()
    why.setText("One line.")
    why.grab()
    assert why.shown() == ["One line."]
    assert why.toolTip() == ""


def test_progress_in_words_is_never_cut_within_a_part(bench: Bench) -> None:
    bench.start().ready()
    progress = bench.page.pane.progress
    whole = progress.text()
    for width in range(0, 900, 10):
        progress.resize(width, 20)
        shown = progress.shown()
        assert whole == shown or not shown or whole.startswith(f"{shown} · ") or "…" in shown
        if "…" in shown:  # not even the number of the question has room
            assert " · " not in shown


@pytest.mark.parametrize("width", [680, 515])
def test_a_notice_takes_the_room_that_says_nothing(bench: Bench, width: int, qtbot: QtBot) -> None:
    bench.page.resize(width, 640)
    bench.start().ready()
    pane = bench.page.pane
    conflict = Conflict(6, SECOND, Verdict.SAME, ((1, FIRST, Verdict.SAME),) * 3)
    bench.reply(replace(bench.opened.snapshot, revision=2, conflicts=(conflict,)))
    qtbot.waitUntil(lambda: not pane.progress.isVisible())
    qtbot.waitUntil(lambda: pane.conflict.width() == pane.bar.width())
    bench.page.resize(1900, 640)
    qtbot.waitUntil(pane.progress.isVisible)
    qtbot.waitUntil(lambda: pane.progress.shown().startswith("Question 7 of about 200 planned"))
    bench.page.resize(width, 640)
    bench.reply(replace(bench.opened.snapshot, revision=3))
    qtbot.waitUntil(lambda: pane.progress.isVisible() and bool(pane.progress.shown()))


def test_before_the_first_answer_there_are_no_groups(folder: Path, qtbot: QtBot) -> None:
    opened = study(folder, steps=0)
    whole = overview_of(np.zeros(N, np.int32))
    start = replace(snapshot_of(whole, (), pair=FIRST), clustering=opened.snapshot.clustering)
    bench = Bench(qtbot, replace(opened, snapshot=start)).start().ready()
    assert "no groups yet" in bench.page.pane.progress.text()
    assert {panel.belongs for panel in bench.page.pane.area.panels} == {"in no group yet"}
    bench.reply(bench.after(Verdict.SAME, overview=whole))  # now the one group is a finding
    assert "1 group" in bench.page.pane.progress.text()
    bench.store.close()


def test_a_replay_asks_for_no_keyboard(rows: Bench, qtbot: QtBot) -> None:
    field = QLineEdit()
    qtbot.addWidget(field)
    rows.start().ready()
    assert rows.page._way_to_keys() == "Click the rows to answer with the keyboard"
    qtbot.mouseClick(rows.page.pane.area.rows.viewport(), Qt.MouseButton.LeftButton)
    assert rows.page.hasFocus()
    rows.controller.view(2)
    rows.controller.receive(Replayed(replace(rows.opened.snapshot, position=2, live=False)))
    assert rows.page._way_to_keys() == ""


def test_the_way_back_to_the_keyboard_is_shown(bench: Bench, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field = QLineEdit(window)
    column = QVBoxLayout(window)
    column.addWidget(bench.page)
    column.addWidget(field)
    window.resize(1000, 700)
    window.show()
    bench.start(window).ready()
    field.setFocus()
    qtbot.keyClicks(field, "sdu")
    assert field.text() == "sdu"
    assert bench.sent == []
    assert "keyboard" in bench.page.pane.note.text()
    qtbot.mouseClick(bench.page.pane.area.view_pair[0], Qt.MouseButton.LeftButton)
    assert bench.page.hasFocus()
    assert bench.page.pane.note.text() == ""
    qtbot.keyClick(bench.page, Qt.Key.Key_D)
    assert len(bench.sent) == 1
    bench.page.setParent(None)  # each is closed by itself
