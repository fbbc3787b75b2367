"""The history: rows, branches, looking, going back, changing, playing."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QSlider
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.docks.history import HistoryDock
from desktop.docks.progress import ProgressDock
from desktop.messages import Changed, GoTo, Opened, Redo, Replayed, Revise, Undo, View
from desktop.pages import judge_text
from desktop.widgets import words
from desktop.widgets.history.history_model import Show
from desktop.widgets.history.history_rows import HistoryTree, Row, Standing
from engine.model import Confidence, Effect, HistoryItem, StepKind, Verdict
from tests.gui.handmade import (
    RecordedPictures,
    answer_step,
    chain,
    controller_on,
    double_click,
    moved_on,
)

#     1 - 2 - 3 - 4 - 8 - 9        the way to the present (9)
#             |   `- 10 - 11       taken back, redo leads there from 4 only
#             `- 5 - 6             a branch, and in it
#                `- 7              another one
BRANCHED = (
    answer_step(1, 0, 0, 1),
    answer_step(2, 1, 1, 2, Verdict.DIFFERENT),
    answer_step(3, 2, 2, 3, effect=Effect(5, 4, 31)),
    answer_step(4, 3, 3, 4),
    answer_step(5, 3, 4, 5, on_path=False),
    answer_step(6, 5, 5, 6, Verdict.UNSURE, on_path=False),
    answer_step(7, 5, 6, 7, on_path=False),
    answer_step(8, 4, 7, 8, Verdict.UNSURE),
    answer_step(9, 8, 8, 9),
    answer_step(10, 4, 9, 10, on_path=False),
    answer_step(11, 10, 10, 11, on_path=False),
)


@pytest.fixture(autouse=True, scope="module")
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


def shown_dock(
    qtbot: QtBot,
    history: tuple[HistoryItem, ...] = BRANCHED,
    *,
    position: int = 9,
    redo: int | None = None,
    table: bool = False,
) -> tuple[Controller, Opened, HistoryDock]:
    controller, opened = controller_on(history=history, table=table)
    live = replace(opened.snapshot, position=position, undo=position or None, redo=redo)
    opened = replace(opened, snapshot=live)
    dock = HistoryDock(controller, RecordedPictures())  # type: ignore[arg-type]
    qtbot.addWidget(dock)
    dock.resize(340, 640)
    dock.show()
    qtbot.waitExposed(dock)
    controller.receive(opened)
    dock.grab()
    return controller, opened, dock


def rows_of(dock: HistoryDock) -> list[Row]:
    return [dock.steps.row_at(dock.steps.index(at)) for at in range(dock.steps.rowCount())]


def click(qtbot: QtBot, dock: HistoryDock, seq: int) -> QPoint:
    index = dock.steps.index(dock.steps.row_of(seq))
    dock.list.scrollTo(index)
    where = dock.list.visualRect(index).center()
    qtbot.mouseClick(dock.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    return where


def show_replay(controller: Controller, opened: Opened, position: int) -> None:
    controller.receive(Replayed(replace(opened.snapshot, position=position, live=False)))


# ------------------------------------------------------------------------------ rows


def test_branches_are_seen_indented_and_counted() -> None:
    rows = HistoryTree(BRANCHED, position=9, redo=None).rows(None, {})
    shown = [(row.seq, row.depth, row.count, row.standing) for row in rows]
    past, branch = Standing.PAST, Standing.BRANCH
    assert shown == [
        (9, 0, 0, past),
        (8, 0, 0, past),
        (11, 1, 2, branch),  # head
        (11, 1, 0, branch),
        (10, 1, 0, branch),
        (4, 0, 0, past),
        (7, 1, 3, branch),  # head: its last step is 7
        (7, 1, 0, branch),
        (6, 2, 1, branch),  # head of the branch within
        (6, 2, 0, branch),
        (5, 1, 0, branch),
        (3, 0, 0, past),
        (2, 0, 0, past),
        (1, 0, 0, past),
        (0, 0, 0, past),
    ]
    assert len({row.key for row in rows}) == len(rows)


def test_steps_taken_back_stand_before_the_present() -> None:
    rows = HistoryTree(BRANCHED, position=4, redo=8).rows(None, {})
    assert [(row.seq, row.standing) for row in rows[:3]] == [
        (9, Standing.UNDONE),
        (8, Standing.UNDONE),
        (11, Standing.BRANCH),
    ]


def test_long_branches_are_closed_until_asked_for() -> None:
    long = tuple(
        answer_step(seq, seq - 1 if seq > 3 else 1, 0, 1, on_path=False) for seq in range(3, 13)
    )
    history = (answer_step(1, 0, 0, 1), answer_step(2, 1, 1, 2), *long)
    tree = HistoryTree(history, position=2, redo=None)
    assert len(tree.rows(None, {})) == 4
    assert len(tree.rows(None, {3: True})) == 14


@pytest.mark.parametrize(
    ("seq", "line"),
    [
        (9, (0, 1, 2, 3, 4, 8, 9)),
        (2, (0, 1, 2, 3, 4, 8, 9)),
        (10, (0, 1, 2, 3, 4, 10, 11)),
        (6, (0, 1, 2, 3, 5, 6)),
        (5, (0, 1, 2, 3, 5, 7)),
    ],
)
def test_a_replay_walks_to_the_present_or_to_the_end_of_a_branch(
    seq: int, line: tuple[int, ...]
) -> None:
    assert HistoryTree(BRANCHED, position=9, redo=None).line_through(seq) == line


def test_an_empty_history_has_a_start() -> None:
    rows = HistoryTree((), position=0, redo=None).rows(None, {})
    assert [row.seq for row in rows] == [0]


# ------------------------------------------------------------------------------ words


def test_a_row_says_it_all_in_words(qtbot: QtBot) -> None:
    certain = replace(BRANCHED[2].answer, confidence=Confidence.CERTAIN, note="artefact?")
    history = (*BRANCHED[:2], replace(BRANCHED[2], answer=certain), *BRANCHED[3:])
    _, _, dock = shown_dock(qtbot, history)
    spoken = str(dock.steps.index(dock.steps.row_of(3)).data(Qt.ItemDataRole.AccessibleTextRole))
    for part in ("#3", "Same", "certain", "artefact?", "IMG_0002", "2 groups joined · 31 items"):
        assert part in spoken
    assert "now" in str(dock.steps.index(0).data())


def test_other_steps_have_words_too(qtbot: QtBot) -> None:
    history = (
        answer_step(1, 0, 0, 1),
        answer_step(2, 1, 0, 1, Verdict.UNSURE, kind=StepKind.REVISE, target=1),
        replace(answer_step(3, 2, 0, 1), kind=StepKind.SET_ASIDE, answer=None, items=(5, 6)),
        replace(answer_step(4, 3, 0, 1), kind=StepKind.NAME, answer=None, items=(5,), text="Moles"),
    )
    _, _, dock = shown_dock(qtbot, history, position=4)
    told = [(dock.steps.title(row), dock.steps.detail(row)) for row in rows_of(dock)]
    assert told == [
        ("Named", "Moles"),
        ("Set aside", "2 items"),
        ("Changed #1", "no change"),
        ("Same → Unsure", "no change"),
        ("Start", "before the first answer"),
    ]
    assert dock.steps.remark(rows_of(dock)[2]) == "to Unsure"
    assert dock.steps.remark(rows_of(dock)[3]) == "changed at #2"


def test_a_change_taken_back_is_not_told(qtbot: QtBot) -> None:
    history = (
        answer_step(1, 0, 0, 1),
        answer_step(2, 1, 0, 1, Verdict.UNSURE, kind=StepKind.REVISE, target=1, on_path=False),
    )
    _, _, dock = shown_dock(qtbot, history, position=1, redo=2)
    assert dock.steps.title(rows_of(dock)[-2]) == "Same"


def test_questions_are_numbered_as_while_judging_and_steps_as_in_the_record(qtbot: QtBot) -> None:
    history = (
        answer_step(1, 0, 0, 1),
        replace(answer_step(2, 1, 0, 1), kind=StepKind.SET_ASIDE, answer=None, items=(5,)),
        answer_step(3, 2, 2, 3, on_path=False),
        answer_step(5, 2, 2, 4),
    )
    _, _, dock = shown_dock(qtbot, history, position=5)
    numbers = {row.seq: dock.steps.numbers(row) for row in rows_of(dock) if row.step}
    assert numbers == {
        1: "Question 1 · #1",
        2: "#2",
        3: "Question 2 · #3",
        5: "Question 2 · #5",
    }


def test_what_is_set_aside_is_counted_as_in_the_note() -> None:
    step = replace(
        answer_step(3, 2, 0, 1, effect=Effect(4, 4, 32)),
        kind=StepKind.SET_ASIDE,
        answer=None,
        items=(5,),
    )
    assert words.set_aside(step) == "1 item · 31 other items moved"
    assert judge_text.taken(step) == "Set aside 1 item · 31 other items moved"
    assert words.set_aside(replace(step, effect=Effect(4, 4, 1))) == "1 item"


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_rows_are_painted(qtbot: QtBot, qapp: object, *, table: bool, scheme: str) -> None:
    theme.apply(qapp, scheme)  # type: ignore[arg-type]
    _, _, dock = shown_dock(qtbot, table=table)
    image = dock.list.grab().toImage()
    colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(4, 300, 5)}
    assert len(colours) > 8
    theme.apply(qapp, "light")  # type: ignore[arg-type]


# ------------------------------------------------------------------------------ looking, going


def test_a_click_looks_without_changing_anything(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    click(qtbot, dock, 2)
    assert controller.sent == [View(2)]
    assert dock._notice.isHidden()
    show_replay(controller, opened, 2)
    assert not dock._notice.isHidden()
    assert dock.replay._where.text() == "Looking at step 2 of 6"
    assert dock._go_back.text() == "Go back to here"
    dock._return.click()
    assert not controller.replaying
    assert dock._notice.isHidden()
    assert controller.sent == [View(2)]


def test_the_present_is_looked_at_without_replay(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    click(qtbot, dock, 2)
    show_replay(controller, opened, 2)
    click(qtbot, dock, 9)
    assert not controller.replaying
    assert controller.sent == [View(2)]


def test_a_branch_step_is_looked_at_and_continued_from(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    click(qtbot, dock, 11)
    show_replay(controller, opened, 11)
    assert dock._go_back.text() == "Continue from here"
    dock._go_back.click()
    assert controller.sent == [View(11), GoTo(11)]


def test_a_double_click_goes_back(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot)
    where = click(qtbot, dock, 2)
    double_click(dock.list.viewport(), where)
    assert controller.sent == [View(2), GoTo(2)]


def test_the_start_can_be_gone_back_to(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    click(qtbot, dock, 0)
    show_replay(controller, opened, 0)
    dock._go_back.click()
    assert controller.sent == [View(0), GoTo(0)]


def test_undo_and_redo_say_what_they_do(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot, position=4, redo=8)
    assert (dock._undo.text(), dock._redo.text()) == ("Undo Same", "Redo Unsure")
    assert "#4" in dock._undo.toolTip()
    assert "#8" in dock._redo.accessibleName()
    dock._undo.click()
    dock._redo.click()
    assert controller.sent == [Undo(), Redo()]


def test_nothing_to_undo(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot, (), position=0)
    assert not dock._undo.isEnabled()
    assert not dock._redo.isEnabled()
    assert not dock.replay.play.isEnabled()


# ------------------------------------------------------------------------------ changing


def entries(dock: HistoryDock, seq: int) -> dict[str, QAction]:
    menu = dock.menu_for(dock.steps.index(dock.steps.row_of(seq)))
    return {action.text().replace("&", ""): action for action in menu.actions() if action.text()}


def test_an_answer_is_changed_from_its_menu(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot)
    menu = entries(dock, 2)
    assert list(menu)[:4] == ["Change the answer to", "Same", "Different", "Unsure"]
    assert list(menu)[4:] == ["Look at this step", "Go back to here"]
    assert not menu["Change the answer to"].isEnabled()
    assert menu["Different"].isChecked()
    assert not menu["Different"].isEnabled()
    menu["Look at this step"].trigger()
    assert controller.sent.pop() == View(2)
    menu["Unsure"].trigger()
    assert controller.sent == [Revise(2, Verdict.UNSURE)]


def test_a_changed_answer_is_changed_again(qtbot: QtBot) -> None:
    revise = answer_step(12, 9, 1, 2, Verdict.UNSURE, kind=StepKind.REVISE, target=2)
    controller, _, dock = shown_dock(qtbot, (*BRANCHED, revise), position=12)
    for seq in (2, 12):  # either row means the same answer
        menu = entries(dock, seq)
        assert [name for name, entry in menu.items() if entry.isChecked()] == ["Unsure"]
    menu["Same"].trigger()
    assert controller.sent == [Revise(2, Verdict.SAME)]


def test_answers_off_the_way_cannot_be_changed(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot)
    assert set(entries(dock, 6)) == {"Look at this step", "Continue from here"}
    assert set(entries(dock, 0)) == {"Look at this step", "Go back to here"}


def test_c_opens_the_menu_and_answer_keys_do_nothing(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot)
    dock.list.setCurrentIndex(dock.steps.index(dock.steps.row_of(2)))
    for key in (Qt.Key.Key_S, Qt.Key.Key_D, Qt.Key.Key_U, Qt.Key.Key_Backspace):
        qtbot.keyClick(dock.list, key)
    assert controller.sent == []
    dock.list.menuRequested.disconnect()
    with qtbot.waitSignal(dock.list.menuRequested) as caught:
        qtbot.keyClick(dock.list, Qt.Key.Key_C)
    assert isinstance(caught.args[0], QModelIndex)


def test_keys_look_and_go(qtbot: QtBot) -> None:
    controller, _, dock = shown_dock(qtbot)
    dock.list.setCurrentIndex(dock.steps.index(dock.steps.row_of(3)))
    qtbot.keyClick(dock.list, Qt.Key.Key_Return)
    qtbot.keyClick(dock.list, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert controller.sent == [View(3), GoTo(3)]


def test_a_branch_opens_and_closes(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot)
    head = next(at for at, row in enumerate(rows_of(dock)) if row.is_head)
    before = dock.steps.rowCount()
    dock.list.setCurrentIndex(dock.steps.index(head))
    qtbot.keyClick(dock.list, Qt.Key.Key_Left)
    assert dock.steps.rowCount() == before - 2
    where = dock.list.visualRect(dock.steps.index(head)).center()
    qtbot.mouseClick(dock.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert dock.steps.rowCount() == before


# ------------------------------------------------------------------------------ finding


def choose(dock: HistoryDock, show: Show) -> None:
    dock._filter.setCurrentIndex(dock._filter.findData(show))


@pytest.mark.parametrize(
    ("show", "seqs"),
    [
        (Show.DIFFERENT, [2]),
        (Show.UNSURE, [8, 6]),
        (Show.CHANGED, [3]),
        (Show.SAME, [9, 11, 10, 4, 7, 5, 3, 1]),
    ],
)
def test_filters(qtbot: QtBot, show: Show, seqs: list[int]) -> None:
    _, _, dock = shown_dock(qtbot)
    choose(dock, show)
    assert [row.seq for row in rows_of(dock) if row.step is not None] == seqs
    choose(dock, Show.ALL)
    assert dock.steps.rowCount() == 15


def test_search_by_number_and_by_name(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot)
    dock._search.setText("#6")
    assert [row.seq for row in rows_of(dock) if row.step is not None] == [6]
    dock._search.setText("img_0009")
    assert [row.seq for row in rows_of(dock) if row.step is not None] == [9, 10]


# ------------------------------------------------------------------------------ updates


def test_new_steps_keep_what_is_read_and_the_current_row(qtbot: QtBot) -> None:
    history = chain(400)
    controller, opened, dock = shown_dock(qtbot, history, position=400)
    dock.list.setCurrentIndex(dock.steps.index(dock.steps.row_of(150)))
    dock.list.scrollTo(dock.list.currentIndex())
    top = dock.list.visualRect(dock.list.currentIndex()).top()
    longer = (*history, answer_step(401, 400, 0, 1))
    controller.receive(Changed(moved_on(opened.snapshot, history=longer, position=401)))
    assert dock.steps.row_at(dock.list.currentIndex()).seq == 150
    assert dock.list.visualRect(dock.list.currentIndex()).top() == top


def test_at_the_top_new_steps_come_into_view(qtbot: QtBot) -> None:
    history = chain(50)
    controller, opened, dock = shown_dock(qtbot, history, position=50)
    longer = (*history, answer_step(51, 50, 0, 1))
    controller.receive(Changed(moved_on(opened.snapshot, history=longer, position=51)))
    first = dock.list.indexAt(QPoint(5, 5))
    assert dock.steps.row_at(first).seq == 51


def test_an_answer_adds_one_row_only(qtbot: QtBot) -> None:
    history = chain(2000)
    controller, opened, dock = shown_dock(qtbot, history, position=2000)
    changes: list[tuple[int, int]] = []
    dock.steps.rowsInserted.connect(lambda _parent, first, last: changes.append((first, last)))
    dock.steps.rowsRemoved.connect(lambda *_: changes.append((-1, -1)))
    dock.steps.modelReset.connect(lambda: changes.append((-2, -2)))
    longer = (*history, answer_step(2001, 2000, 0, 1))
    live = moved_on(opened.snapshot, history=longer, position=2001)
    controller.receive(Changed(live))
    controller.receive(Changed(replace(live, revision=3, position=2000, redo=2001)))  # undo
    assert changes == [(0, 0)]


def test_only_visible_thumbnails_are_asked_for(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot, chain(2000), position=2000)
    pictures = dock.list.itemDelegate()._pictures
    assert 0 < len(pictures.asked) < 200


# ------------------------------------------------------------------------------ replay


def test_replay_goes_step_by_step(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    bar = dock.replay
    assert bar.line == (0, 1, 2, 3, 4, 8, 9)
    assert not bar.forward.isEnabled()
    bar.back.click()
    show_replay(controller, opened, 8)
    assert bar._where.text() == "Looking at step 5 of 6"
    qtbot.keyClick(dock, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    show_replay(controller, opened, 4)
    bar.forward.click()
    assert controller.sent == [View(8), View(4), View(8)]
    show_replay(controller, opened, 8)
    qtbot.keyClick(dock, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert not controller.replaying  # the end of the way is the present
    bar.first.click()
    assert controller.sent[-1] == View(0)


def test_playing_waits_for_each_state_and_ends_at_the_present(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    bar = dock.replay
    bar.speed.setCurrentIndex(bar.speed.count() - 1)
    bar.play.click()
    for seq in (0, 1, 2, 3, 4, 8):
        qtbot.waitUntil(lambda seq=seq: controller.sent[-1] == View(seq), timeout=2000)
        assert len(controller.sent) == (0, 1, 2, 3, 4, 8).index(seq) + 1
        show_replay(controller, opened, seq)
    qtbot.waitUntil(lambda: not controller.replaying, timeout=2000)
    qtbot.waitUntil(lambda: not bar.is_playing, timeout=2000)


def test_the_slider_is_the_step_that_is_looked_at(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    place, line = dock.replay.place, dock.replay.line
    assert (place.minimum(), place.maximum(), place.value()) == (0, len(line) - 1, len(line) - 1)
    assert controller.sent == []
    place.setValue(2)  # as by dragging
    assert controller.sent == [View(line[2])]
    show_replay(controller, opened, line[2])
    dock.replay.step_back()
    show_replay(controller, opened, line[1])
    assert place.value() == 1
    assert controller.sent[1:] == [View(line[1])]
    place.setValue(place.maximum())
    assert not controller.replaying


def test_playing_backwards_and_pausing(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    bar = dock.replay
    bar.speed.setCurrentIndex(bar.speed.count() - 1)
    bar.play_back.click()
    qtbot.waitUntil(lambda: controller.sent == [View(8)], timeout=2000)
    assert bar.play_back.accessibleName() == "Pause"
    bar.play_back.click()
    assert not bar.is_playing
    show_replay(controller, opened, 8)
    qtbot.wait(150)
    assert controller.sent == [View(8)]


def test_an_answer_given_meanwhile_stops_the_film(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    dock.replay.play_back.click()
    controller.receive(Changed(replace(opened.snapshot, next_if={})))  # look-ahead does not
    assert dock.replay.is_playing
    controller.receive(Changed(moved_on(opened.snapshot)))
    assert not dock.replay.is_playing


def test_the_row_that_is_replayed_comes_into_view(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, chain(300), position=300)
    controller.view(20)
    show_replay(controller, opened, 20)
    rect = dock.list.visualRect(dock.steps.index(dock.steps.row_of(20)))
    assert dock.list.viewport().rect().contains(rect)


def test_returning_shows_the_present_again(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, chain(300), position=300)
    controller.view(120)
    show_replay(controller, opened, 120)
    assert dock.list.verticalScrollBar().value() > 0
    dock.return_to_now()
    assert dock.list.verticalScrollBar().value() == 0
    dock.list.verticalScrollBar().setValue(400)  # reading on, nothing is looked for
    controller.receive(Changed(moved_on(opened.snapshot)))
    assert dock.list.verticalScrollBar().value() == 400


def test_a_step_taken_in_a_replay_comes_into_view(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, chain(300), position=300)
    controller.view(120)
    show_replay(controller, opened, 120)
    history = (*opened.snapshot.history, answer_step(301, 300, 1, 2))
    controller.receive(Changed(moved_on(opened.snapshot, history=history, position=301)))
    assert dock.list.verticalScrollBar().value() == 0


# ------------------------------------------------------------------------------ for everyone


def test_all_that_is_used_has_a_name_and_fits(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot, position=4, redo=8)
    controller.view(2)
    show_replay(controller, opened, 2)
    for kind in (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QSlider):
        for part in dock.widget().findChildren(kind):
            named = part.accessibleName() or (isinstance(part, QAbstractButton) and part.text())
            assert named, part
    dock._undo.setText("Undo Different")  # the longest words
    dock._redo.setText("Redo Different")
    dock._go_back.setText("Continue from here")
    dock.resize(320, 640)
    assert dock.widget().minimumSizeHint().width() <= 320
    for button in (dock._undo, dock._redo, dock._go_back, dock._return):
        assert button.sizeHint().width() <= button.width()


def test_another_project_begins_anew(qtbot: QtBot) -> None:
    controller, opened, dock = shown_dock(qtbot)
    choose(dock, Show.UNSURE)
    other = replace(opened, snapshot=replace(opened.snapshot, history=(), position=0, undo=None))
    controller.receive(other)
    assert [row.seq for row in rows_of(dock)] == [0]
    assert not dock._undo.isEnabled()


def test_low_and_wide_docks_leave_the_room_to_the_list(qtbot: QtBot) -> None:
    _, _, dock = shown_dock(qtbot)
    dock.resize(340, 300)
    narrow = dock.list.height()
    dock.resize(480, 300)
    qtbot.waitUntil(lambda: dock.list.height() > narrow + 30)


def test_nothing_is_kept_of_closed_docks(qtbot: QtBot) -> None:
    controller, opened = controller_on(history=BRANCHED)
    pictures = RecordedPictures()
    for make in (lambda: HistoryDock(controller, pictures), lambda: ProgressDock(controller)):  # type: ignore[arg-type]
        dock = make()
        controller.receive(opened)
        gone = weakref.ref(dock)
        dock.deleteLater()
        del dock
        qtbot.wait(1)
        gc.collect()
        assert gone() is None
    controller.receive(Changed(moved_on(opened.snapshot)))  # nobody hears it, nothing breaks
