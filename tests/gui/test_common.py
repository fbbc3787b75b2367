"""Items in several groups: what two have in common, which groups, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.docks.history import HistoryDock
from desktop.docks.progress import ProgressDock
from desktop.messages import Changed, Opened, Replayed, SetAside, Tell, Undo
from desktop.pages import judge_text
from desktop.widgets import shared_words, words
from desktop.widgets.history.history_model import HistoryModel, Show
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.answer_gate import SETTLE_MS, GateState
from desktop.widgets.judging.item_panel import place_of
from desktop.widgets.judging.judging_keys import digit
from engine.model import Confidence, Effect, Pair, Question, Reason, Snapshot, Verdict
from tests.gui.handmade import (
    RecordedPictures,
    answer_step,
    blobs,
    controller_on,
    opened_of,
    overview_of,
    shared_overview,
    snapshot_of,
)
from tests.gui.test_judge import Bench

SETS = [(0,), (1,), (2,), (0, 1), (0, 2), (0,), (1,), (2,), (1, 2), (0,), (1,), (2,)]
NAMES = {0: "Nuclei", 2: "Fibres"}
FIRST, SECOND = Pair.of(3, 4), Pair.of(5, 8)
COMMON = (5, 6, 7)  # of groups 1, 2 and 3
SHIFT = Qt.KeyboardModifier.ShiftModifier


def shared_state(*, common: tuple[int, ...] = COMMON, steps: int = 2) -> Snapshot:
    effects = (Effect(3, 3, 0), Effect(4, 3, 12))
    history = tuple(
        answer_step(seq, seq - 1, seq, seq + 1, Verdict.DIFFERENT, effect=effects[seq % 2])
        for seq in range(1, steps + 1)
    )
    made = snapshot_of(shared_overview(SETS, NAMES), history, pair=FIRST)
    assert made.question is not None
    question = replace(made.question, common=common)
    return replace(made, question=question, progress=replace(made.progress, implied=0))


def shared_study(folder: Path, *, table: bool = False, **changes: object) -> Opened:
    places, _ = blobs(len(SETS), 3)
    paths = tuple(f"IMG_{number}.png".encode() for number in range(len(SETS)))
    state = replace(shared_state(), **changes)  # type: ignore[arg-type]
    return opened_of(places, state, table=table, source=folder, paths=paths)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(len(SETS)):
        Image.fromarray(np.full((24, 32, 3), 20 * number, np.uint8)).save(
            tmp_path / f"IMG_{number}.png"
        )
    return tmp_path


@pytest.fixture
def bench(qtbot: QtBot, folder: Path) -> Iterator[Bench]:
    bench = Bench(qtbot, shared_study(folder))
    bench.page.pane.choice.gate._settling.setInterval(10)
    yield bench
    bench.store.close()


def press(key: Qt.Key | int, text: str = "", *, repeat: bool = False, scan: int = 0) -> None:
    """Press a key where the keyboard is."""
    focus = QApplication.focusWidget()
    assert focus is not None
    modifiers = Qt.KeyboardModifier.NoModifier
    event = QKeyEvent(QEvent.Type.KeyPress, int(key), modifiers, scan, 0, 0, text, repeat)
    QCoreApplication.sendEvent(focus, event)


def asked_which(bench: Bench) -> Bench:
    """Say that the two have something in common, and wait until groups can be chosen."""
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    bench.qtbot.waitUntil(lambda: bench.page.pane.choice.gate.is_open)
    return bench


def the_tell(bench: Bench) -> Tell:
    (tell,) = bench.sent
    assert isinstance(tell, Tell)
    return tell


# ------------------------------------------------------------------ question and answers


def test_question_and_answers_are_about_what_two_have_in_common(bench: Bench) -> None:
    bench.start().ready()
    pane = bench.page.pane
    assert pane.question.text() == "Do these two have a group in common?"
    shown = {verdict: button.text() for verdict, button in pane.bar.buttons.items()}
    assert shown == {
        Verdict.SAME: "In common",
        Verdict.DIFFERENT: "Nothing in common",
        Verdict.UNSURE: "Unsure",
    }
    assert pane.bar.buttons[Verdict.SAME].accessibleName() == "In common"
    assert "In common; with Shift" in pane.bar.buttons[Verdict.SAME].toolTip()


def test_the_persons_own_question_is_kept(qtbot: QtBot, folder: Path) -> None:
    own = Bench(qtbot, replace(shared_study(folder), question="Is any cell on both?")).start()
    assert own.page.pane.question.text() == "Is any cell on both?"
    own.store.close()
    usual = replace(shared_study(folder), question="Do these two belong together?")
    proposed = Bench(qtbot, usual).start()
    assert proposed.page.pane.question.text() == "Do these two have a group in common?"
    proposed.store.close()


def test_words_follow_the_kind_of_the_project(bench: Bench) -> None:
    bench.start().ready()
    one_each = replace(
        bench.opened.snapshot,
        revision=2,
        overview=overview_of(np.array([one[0] for one in SETS], np.int32)),
    )
    bench.reply(one_each)
    assert bench.page.pane.question.text() == "Do these two belong together?"
    assert bench.page.pane.bar.buttons[Verdict.SAME].text() == "Same"


@pytest.mark.parametrize(
    ("key", "text", "verdict"),
    [(Qt.Key.Key_D, "d", Verdict.DIFFERENT), (Qt.Key.Key_U, "u", Verdict.UNSURE)],
)
def test_only_what_is_in_common_is_asked_about(
    bench: Bench, key: Qt.Key, text: str, verdict: Verdict
) -> None:
    bench.start().ready()
    bench.press(key, text)
    tell = the_tell(bench)
    assert (tell.verdict, tell.common) == (verdict, ())


def test_where_it_is_clear_which_group_nothing_more_is_asked(qtbot: QtBot, folder: Path) -> None:
    bench = Bench(qtbot, shared_study(folder))
    state = shared_state(common=())
    bench.opened = replace(bench.opened, snapshot=state)
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    assert the_tell(bench).common == ()
    bench.store.close()


# ------------------------------------------------------------------ which?


def test_which_is_asked_beside_the_pair(bench: Bench) -> None:
    asked_which(bench)
    choice = bench.page.pane.choice
    assert bench.sent == []
    assert choice.isVisible()
    assert bench.page.pane.area.isVisible()
    assert not bench.page.pane.bar.isVisible()
    assert not choice.window().isModal()
    assert [card.candidate.item for card in choice.cards] == [5, 6, 7]
    assert [card.candidate.slot for card in choice.cards] == [0, 1, 2]
    assert "Nuclei" in choice.cards[0].accessibleName()
    assert choice.hasFocus()
    assert "Not sure which" in choice.accept.text()


def test_groups_are_named_by_number_and_enter(bench: Bench) -> None:
    asked_which(bench)
    press(Qt.Key.Key_1, "1")
    press(Qt.Key.Key_3, "3")
    press(Qt.Key.Key_2, "2")
    press(Qt.Key.Key_2, "2")
    press(Qt.Key.Key_9, "9")
    choice = bench.page.pane.choice
    assert choice.chosen == (5, 7)
    assert "■1, ●3" in choice.accept.text()
    press(Qt.Key.Key_Return)
    tell = the_tell(bench)
    assert (tell.a, tell.b, tell.revision) == (*FIRST, 1)
    assert (tell.verdict, tell.common) == (Verdict.SAME, (5, 7))
    assert not choice.isVisible()
    assert bench.state is GateState.SENT
    bench.reply(bench.after(Verdict.SAME))
    bench.ready()
    assert bench.page.hasFocus()


def test_s_again_and_none_chosen_means_not_sure_which(bench: Bench) -> None:
    asked_which(bench)
    press(Qt.Key.Key_S, "s")
    assert the_tell(bench).common == ()


def test_cards_are_chosen_by_arrows_and_mouse(bench: Bench, qtbot: QtBot) -> None:
    asked_which(bench)
    choice = bench.page.pane.choice
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_Right)
    assert choice.cards[1].hasFocus()
    qtbot.keyClick(choice.cards[1], Qt.Key.Key_Space)
    qtbot.mouseClick(choice.cards[2], Qt.MouseButton.LeftButton)
    assert choice.chosen == (6, 7)
    assert bench.sent == []
    qtbot.mouseClick(choice.accept, Qt.MouseButton.LeftButton)
    assert the_tell(bench).common == (6, 7)


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_Backspace])
def test_the_way_back_answers_nothing(bench: Bench, key: Qt.Key) -> None:
    asked_which(bench)
    press(Qt.Key.Key_1, "1")
    press(key)
    assert bench.sent == []
    assert bench.page.pane.bar.isVisible()
    assert bench.page.hasFocus()
    bench.press(Qt.Key.Key_S, "s")
    assert bench.page.pane.choice.chosen == ()


def test_keys_are_dead_for_a_moment_and_held_keys_choose_nothing(
    bench: Bench, qtbot: QtBot
) -> None:
    bench.page.pane.choice.gate._settling.setInterval(SETTLE_MS)
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "s")
    choice = bench.page.pane.choice
    qtbot.waitUntil(lambda: choice.gate.state is GateState.SETTLING)
    press(Qt.Key.Key_S, "s")
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_1, "1")
    assert (bench.sent, choice.chosen) == ([], ())
    qtbot.waitUntil(lambda: choice.gate.is_open)
    for _ in range(5):
        press(Qt.Key.Key_S, "s", repeat=True)
        press(Qt.Key.Key_Return, repeat=True)
        press(Qt.Key.Key_1, "1", repeat=True)
    assert (bench.sent, choice.chosen) == ([], ())


def test_letters_of_other_answers_do_nothing_while_it_is_asked(bench: Bench) -> None:
    asked_which(bench)
    for key, text in ((Qt.Key.Key_D, "d"), (Qt.Key.Key_U, "u"), (Qt.Key.Key_X, "x")):
        press(key, text)
        bench.press(key, text)
    assert bench.sent == []
    assert bench.page.pane.choice.isVisible()


def test_how_the_pair_is_seen_can_be_changed_meanwhile(bench: Bench) -> None:
    asked_which(bench)
    press(Qt.Key.Key_H, "h")
    assert bench.page.pane.area.names_hidden
    assert bench.page.pane.choice.isVisible()


def test_how_sure_is_kept(bench: Bench) -> None:
    bench.start().ready()
    bench.press(Qt.Key.Key_S, "S", SHIFT)
    bench.qtbot.waitUntil(lambda: bench.page.pane.choice.gate.is_open)
    press(Qt.Key.Key_S, "s")
    assert the_tell(bench).confidence is Confidence.CERTAIN


def test_another_state_ends_the_question(bench: Bench) -> None:
    asked_which(bench)
    state = bench.opened.snapshot
    bench.controller.receive(Changed(replace(state, next_if={})))  # look-ahead: the same state
    assert bench.page.pane.choice.isVisible()
    question = Question(SECOND, Reason.of("Next."), 3, 2)
    bench.reply(replace(state, revision=2, question=question))
    assert not bench.page.pane.choice.isVisible()
    assert bench.page.hasFocus()
    bench.ready()


def test_a_replay_ends_the_question(bench: Bench) -> None:
    asked_which(bench)
    bench.controller.view(1)
    earlier = replace(bench.opened.snapshot, live=False, position=1, question=None)
    bench.controller.receive(Replayed(earlier))
    assert not bench.page.pane.choice.isVisible()


def test_the_menu_can_answer_otherwise_and_undo_only_leaves(bench: Bench) -> None:
    asked_which(bench)
    bench.page.undo()
    assert bench.sent == []
    assert bench.page.pane.bar.isVisible()
    bench.page.undo()
    assert bench.sent == [Undo()]


def test_another_answer_by_the_menu_is_that_answer(bench: Bench) -> None:
    asked_which(bench)
    bench.page.answer(Verdict.DIFFERENT)
    assert the_tell(bench).verdict is Verdict.DIFFERENT


def test_setting_aside_leaves_the_question(bench: Bench) -> None:
    asked_which(bench)
    bench.page.open_aside_menu()
    assert not bench.page.pane.choice.isVisible()
    bench.page.pane.aside_menu.actions()[0].trigger()
    bench.page.pane.aside_menu.close()  # while it is open, it takes the pointer of all windows
    assert isinstance(bench.sent[0], SetAside)


def test_rows_are_told_in_words(qtbot: QtBot, folder: Path) -> None:
    bench = Bench(qtbot, shared_study(folder, table=True))
    bench.page.pane.choice.gate._settling.setInterval(10)
    asked_which(bench)
    card = bench.page.pane.choice.cards[0]
    assert card.candidate.row.startswith("row 6")
    assert "radius" in card.candidate.row
    bench.store.close()


def test_many_groups_share_the_room(bench: Bench) -> None:
    bench.opened = replace(bench.opened, snapshot=shared_state(common=(5, 6, 7, 0, 1, 2, 9, 10)))
    bench.page.resize(560, 640)
    asked_which(bench)
    choice = bench.page.pane.choice
    for card in choice.cards:
        assert card.width() >= card.minimumSizeHint().width()
        assert choice.rect().contains(card.geometry())
    places = [card.geometry() for card in choice.cards]
    assert not any(a.intersects(b) for at, a in enumerate(places) for b in places[:at])


def test_digits_by_their_place() -> None:
    def key(code: int, text: str, scan: int) -> QKeyEvent:
        none = Qt.KeyboardModifier.NoModifier
        return QKeyEvent(QEvent.Type.KeyPress, code, none, scan, 0, 0, text)

    assert digit(key(Qt.Key.Key_2, "2", 0), "linux") == 2
    assert digit(key(Qt.Key.Key_Eacute, "é", 11), "linux") == 2  # AZERTY
    assert digit(key(Qt.Key.Key_S, "s", 39), "linux") is None


# ------------------------------------------------------------------ what is told


def test_each_side_shows_all_groups_of_its_item(bench: Bench) -> None:
    bench.start().ready()
    for panel in bench.page.pane.area.panels:
        assert panel.others == ()  # nobody is said to be together already
        slots = tuple(group.slot for group in panel.groups.groups)
        assert slots in ((0, 1), (0, 2))
        assert len(panel.groups.told()) == 2
    state = bench.opened.snapshot
    place = place_of(state, 4)
    assert [group.slot for group in place.groups] == [0, 2]
    assert "■1 Nuclei + ●3 Fibres" in place.full
    assert place_of(state, 5).full == "in one group: ■1 Nuclei"


def test_effects_and_deeds_in_words() -> None:
    state = shared_state()
    step = replace(answer_step(3, 2, *FIRST, Verdict.SAME, effect=Effect(4, 3, 12)), items=(5, 7))
    told = judge_text.taken(step, state)
    assert told == "“In common”: ■1, ●3 · 1 group fewer · 12 items changed their groups"
    assert judge_text.taken(step) == "Answered same · 2 groups joined · 12 items moved"
    assert words.effect(Effect(3, 3, 1), shared=True) == "1 item changed its groups"
    assert shared_words.listed(shared_words.named(state, step)) == "■1 Nuclei, ●3 Fibres"
    mixed = replace(step, items=(3,))  # it belongs to several by now: no longer tells which
    assert shared_words.named(state, mixed) == ()


def test_the_history_names_groups_and_marks_what_is_not_explained(qtbot: QtBot) -> None:
    state = shared_state()
    step = replace(answer_step(3, 2, *FIRST, Verdict.SAME), items=(5, 7))
    state = replace(state, history=(*state.history, step), position=3, overruled=(2,))
    controller, opened = controller_on()
    controller.receive(replace(opened, snapshot=state))
    dock = HistoryDock(controller, RecordedPictures())
    qtbot.addWidget(dock)
    model = dock.steps
    rows = {row.seq: row for row in model._rows}
    assert model.title(rows[3]) == "In common: ■1, ●3"
    assert "In common: ■1 Nuclei, ●3 Fibres" in model._tip(rows[3])
    assert model.title(rows[2]) == "Nothing in common"
    assert "not explained" in model.remark(rows[2])
    assert "do not explain" in model._tip(rows[2])
    assert dock._filter.itemText(dock._filter.findData(Show.SAME)) == "In common"
    dock._filter.setCurrentIndex(dock._filter.findData(Show.OVERRULED))
    assert [row.seq for row in model._rows if row.step] == [2]
    menu = dock.menu_for(model.index(model.row_of(2)))
    assert "Nothing in common" in [action.text().replace("&", "") for action in menu.actions()]


def test_an_ordinary_history_keeps_its_words(qtbot: QtBot) -> None:
    model = HistoryModel()
    model.open(ItemWords(None))
    labels = np.array([one[0] for one in SETS], np.int32)
    model.set_live(snapshot_of(overview_of(labels), shared_state().history))
    assert [model.title(row) for row in model._rows[:2]] == ["Different", "Different"]


def test_progress_counts_what_is_not_explained(qtbot: QtBot) -> None:
    controller, opened = controller_on()
    controller.receive(replace(opened, snapshot=replace(shared_state(), overruled=(1, 2))))
    dock = ProgressDock(controller)
    qtbot.addWidget(dock)
    label, value = dock._rows["overruled"]
    assert (label.text(), value.text()) == ("Answers not explained", "2")
    assert dock._regroup.isHidden()
    assert "several groups" in dock._grouping.text()
    assert dock._rows["implied"][1].isHidden()


def test_at_the_end_what_is_not_explained_is_said(bench: Bench) -> None:
    bench.start().ready()
    bench.reply(replace(bench.opened.snapshot, revision=2, question=None, overruled=(1, 2)))
    assert "2 answers are not explained by the groups found" in bench.page.end.text
    assert "follows from your answers" not in bench.page.end.text


def test_every_part_of_the_choice_has_a_name(bench: Bench) -> None:
    asked_which(bench)
    choice = bench.page.pane.choice
    parts: list[QWidget] = [choice, choice.accept, choice.back, *choice.cards]
    assert all(part.accessibleName() for part in parts)
