"""The tree page: a cut is a look, follows the hand, tells what it breaks, and has one end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.controller import Controller
from desktop.messages import (
    Changed,
    Choose,
    Compare,
    Crashed,
    Cut,
    CutTree,
    Failed,
    Idle,
    Opened,
    Replayed,
    ShowTree,
    Stopped,
    TreeShown,
    Working,
)
from desktop.pages.tree import TreePage
from desktop.widgets.errand import Stage
from desktop.widgets.groups.group_model import BRANCH
from desktop.widgets.item_words import ItemWords
from desktop.widgets.tree.branches import MOST, Branches, Scale
from desktop.widgets.tree.tree_notice import Situation
from engine.hierarchy import Hierarchy, Inquiry, Tree
from engine.model import Approach, Pair, Snapshot, Verdict
from tests.gui.handmade import (
    RecordedPictures,
    chain,
    controller_on,
    moved_on,
    overview_of,
)

N = 12
SAID = (
    (1, Pair(0, 1), Verdict.SAME),
    (2, Pair(0, 11), Verdict.DIFFERENT),
    (3, Pair(2, 3), Verdict.DIFFERENT),
    (4, Pair(0, 6), Verdict.UNSURE),
)


class Files:
    """Stands in for the file dialogs: gives one file."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file

    def new(self, *_: object) -> Path | None:
        return self.file


def chained(n: int, *, flat: bool = False) -> Hierarchy:
    """Items join one after the other; heights rise, or are all 0."""
    pairs = np.array([(0, i) for i in range(1, n)], dtype=np.int64).reshape(-1, 2)
    heights = np.zeros(n - 1) if flat else np.arange(1, n, dtype=float)
    return Hierarchy.of(pairs, heights)


def balanced(n: int) -> Hierarchy:
    """Neighbours join, then neighbouring pairs, and so on."""
    pairs, step = [], 1
    while step < n:
        pairs += [(at, at + step) for at in range(0, n - step, 2 * step)]
        step *= 2
    return Hierarchy.of(np.array(pairs), np.arange(1, n, dtype=float))


def tree_of(hierarchy: Hierarchy, groups: int | None = None, **rest: object) -> Tree:
    certainty = rest.pop("certainty", np.full(hierarchy.n, np.nan))
    return Tree(hierarchy, groups, certainty, **rest)  # type: ignore[arg-type]


def cut_of(snapshot: Snapshot, hierarchy: Hierarchy, groups: int) -> Cut:
    labels = hierarchy.cut(groups)
    return Cut(groups, replace(snapshot, overview=overview_of(labels), live=False, question=None))


class Desk:
    """The page on a study of a dozen items, with an engine that the test plays."""

    def __init__(self, qtbot: QtBot, n: int = N, **study: object) -> None:
        self.qtbot = qtbot
        self.controller: Controller
        self.opened: Opened
        self.controller, self.opened = controller_on(n, 4, **study)  # type: ignore[arg-type]
        self.files = Files()
        self.page = TreePage(self.controller, RecordedPictures(), self.files)  # type: ignore[arg-type]
        qtbot.addWidget(self.page)
        self.page.resize(900, 560)
        self.controller.receive(self.opened)

    def show(self, tree: Tree | None = None, said: tuple = SAID) -> None:
        self.page.show()
        self.qtbot.waitExposed(self.page)
        self.page.dendrogram.setFocus()
        if tree is not None:
            self.answer(tree, said)

    def answer(self, tree: Tree, said: tuple = SAID) -> None:
        self.tree = tree
        live = self.controller.snapshot
        assert live is not None
        self.controller.receive(TreeShown(live.revision, tree, said))
        self.controller.receive(Idle())

    def reply(self, groups: int) -> None:
        live = self.controller.snapshot
        assert live is not None
        self.controller.receive(cut_of(live, self.tree.hierarchy, groups))
        self.controller.receive(Idle())

    @property
    def asked(self) -> list[int]:
        return [one.groups for one in self.controller.sent if isinstance(one, CutTree)]

    @property
    def trees_asked(self) -> int:
        return sum(isinstance(one, ShowTree) for one in self.controller.sent)

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.page.dendrogram, key)


@pytest.fixture(autouse=True)
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


# ------------------------------------------------------------------------------ places


@pytest.mark.parametrize("n", [1, 2, 3, 40])
@pytest.mark.parametrize("scale", list(Scale))
def test_levels_rise_and_are_found_again(n: int, scale: Scale) -> None:
    branches = Branches(balanced(n) if n > 1 else chained(1))
    levels = [branches.level(groups, scale) for groups in range(n, 0, -1)]
    assert levels == sorted(levels)
    assert [branches.groups_at(level, scale) for level in levels] == list(range(n, 0, -1))


def test_branches_share_the_room_and_never_cross() -> None:
    branches = Branches(balanced(64))
    for node in range(64, 127):
        one, other = branches.two(node)
        assert branches.left[node] == branches.left[one]
        assert branches.right[one] == branches.left[other]
        assert branches.right[other] == branches.right[node]
        assert set(branches.items(node)) == {*branches.items(one), *branches.items(other)}
    assert [branches.at(branches.stem[item]) for item in range(64)] == list(range(64))


@pytest.mark.parametrize("shape", [chained, balanced])
def test_ten_thousand_items_come_down_to_a_few_hundred_strokes(shape: object) -> None:
    branches = Branches(shape(10_000))  # type: ignore[operator]
    drawn = branches.drawn(0.0, 1.0, 900.0)
    assert len(drawn.open) <= MOST
    assert len(drawn.condensed) + len(drawn.items) == len(drawn.open) + 1
    shown = [item for node in (*drawn.condensed, *drawn.items) for item in branches.items(node)]
    assert sorted(shown) == list(range(10_000))
    small = branches.root
    while branches.size(small) > 30:
        small = max(branches.two(small), key=branches.size)
    closer = branches.drawn(branches.left[small], branches.right[small], 900.0)
    assert closer.open[0] == small
    assert set(closer.open) - set(drawn.open)


def test_copies_are_drawn_by_the_number_of_groups() -> None:
    branches = Branches(chained(5, flat=True))
    assert not branches.has_distances
    assert branches.level(1, Scale.DISTANCE) > branches.level(5, Scale.DISTANCE)


def test_a_branch_has_the_colour_of_its_group_whatever_was_set_aside() -> None:
    branches = Branches(balanced(8))
    branches.color(np.array([0, -1, 0, 0, 1, 1, -1, -1], dtype=np.int32))
    tops = branches.tops(2)
    assert [branches.slot(node) for node in tops] == [0, 1]
    assert branches.slot(branches.root) is None
    assert branches.slot(6) == -1


# ------------------------------------------------------------------------------ asking for it


def test_the_tree_is_asked_for_once_and_only_while_it_is_looked_at(desk: Desk) -> None:
    assert desk.trees_asked == 0
    desk.show()
    assert desk.trees_asked == 1
    desk.controller.receive(Changed(desk.opened.snapshot))  # look-ahead
    desk.answer(tree_of(balanced(N)))
    assert desk.trees_asked == 1
    desk.page.hide()
    desk.controller.receive(Changed(moved_on(desk.opened.snapshot)))
    assert desk.trees_asked == 1
    desk.page.show()
    assert desk.trees_asked == 2


def test_a_tree_of_an_older_state_is_asked_for_anew(desk: Desk) -> None:
    desk.show()
    desk.controller.receive(Changed(moved_on(desk.opened.snapshot)))
    assert desk.trees_asked == 1  # one at a time
    desk.controller.receive(TreeShown(1, tree_of(balanced(N)), SAID))
    desk.controller.receive(Idle())
    assert desk.page.dendrogram.drawing is None
    assert desk.trees_asked == 2


def test_progress_is_told_and_can_be_stopped(desk: Desk, qtbot: QtBot) -> None:
    desk.show()
    desk.controller.receive(Working(3, 12, "Merging groups"))
    qtbot.waitUntil(lambda: desk.page.loader.stage is Stage.WORKING)
    notice = desk.page.notice
    assert notice.stop.isVisible()
    assert "3 / 12" in notice.hint.text()
    qtbot.mouseClick(notice.stop, Qt.MouseButton.LeftButton)
    desk.controller.receive(Stopped("ShowTree"))
    desk.controller.receive(Idle())
    assert notice.retry.isVisible()
    assert desk.trees_asked == 1
    qtbot.mouseClick(notice.retry, Qt.MouseButton.LeftButton)
    assert desk.trees_asked == 2


def test_a_tree_that_waits_for_something_else_says_so(desk: Desk, qtbot: QtBot) -> None:
    desk.controller.send(Compare((), 10))
    desk.show()
    qtbot.waitUntil(lambda: desk.page.loader.stage is Stage.WORKING)
    notice = desk.page.notice
    assert "waits until" in notice.text.text()
    assert notice.stop.isVisible()
    desk.controller.receive(Working(3, 12, "Asking the simulated expert"))
    assert "simulated" not in notice.hint.text()
    desk.controller.receive(Idle())
    desk.controller.receive(Working(3, 12, "Merging groups"))
    assert "waits" not in notice.text.text()
    assert "3 / 12" in notice.hint.text()


def test_groups_that_are_found_otherwise_are_no_level_of_the_strategy_s_tree(desk: Desk) -> None:
    desk.controller.receive(Changed(moved_on(desk.opened.snapshot, grouping=Approach("rcc"))))
    desk.show(tree_of(balanced(N), groups=3))
    notice = desk.page.notice
    assert "found otherwise" in notice.text.text()
    desk.page._cut(3)
    assert desk.asked[-1:] == [3]
    assert "found otherwise" in notice.hint.text()


def test_what_is_said_above_the_tree_takes_the_same_room(desk: Desk) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    notice = desk.page.notice
    high = notice.height()
    notice.show_state(Situation(cut=4, own=3, can_ask=True))
    notice.ask.click()
    desk.page.layout().activate()
    assert notice.agree.isVisible()
    assert notice.height() == high


def test_names_under_the_tree_show_their_ends() -> None:
    _, opened = controller_on(4)
    items = tuple(
        replace(item, name=f"folder/hospital archive, patient {at}.png", path=b"a.png")
        for at, item in enumerate(opened.items)
    )
    item_words = ItemWords(replace(opened, items=items))
    assert item_words.shortest_name(3) == "hospital archive, patient 3"
    rows = tuple(replace(item, name="lot 3.2", path=None) for item in items)
    assert ItemWords(replace(opened, items=rows)).shortest_name(3) == "lot 3.2"


def test_a_failure_is_told_with_its_hint_and_not_tried_again_unasked(desk: Desk) -> None:
    desk.show()
    desk.controller.receive(Failed("Too large.", "Use fewer items."))
    desk.controller.receive(Idle())
    notice = desk.page.notice
    assert (notice.text.text(), notice.hint.text()) == ("Too large.", "Use fewer items.")
    desk.controller.receive(Changed(moved_on(desk.opened.snapshot)))
    assert desk.trees_asked == 1
    notice.retry.click()
    assert desk.trees_asked == 2


def test_what_crashed_is_not_tried_again_unasked(desk: Desk) -> None:
    desk.show()
    desk.controller.receive(Crashed("Traceback …", of_request=False))  # what was done unasked
    assert desk.page.loader.stage is not Stage.STOPPED
    desk.controller.receive(Crashed("Traceback …"))
    assert desk.page.loader.stage is Stage.STOPPED
    desk.controller.receive(Idle())
    desk.controller.receive(Changed(moved_on(desk.opened.snapshot)))
    assert desk.trees_asked == 1
    desk.page.notice.retry.click()
    assert desk.trees_asked == 2


def test_a_tree_that_nobody_waits_for_any_more_is_not_worked_out(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[None] = []
    monkeypatch.setattr(desk.controller, "cancel", lambda: stopped.append(None))
    desk.controller.send(Compare((), 10))
    desk.show()
    desk.page.hide()
    assert not stopped  # what goes before goes on
    desk.controller.receive(Idle())
    desk.controller.receive(Working(0, 0, "Starting"))
    assert stopped


def test_who_leaves_and_comes_back_gets_the_tree(desk: Desk) -> None:
    desk.show()
    desk.page.hide()
    desk.page.show()
    desk.controller.receive(Stopped("ShowTree"))
    desk.controller.receive(Idle())
    assert desk.trees_asked == 2


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_is_merged_of_less_than_two_items(qtbot: QtBot, n: int) -> None:
    desk = Desk(qtbot, n)
    desk.show()
    assert desk.trees_asked == 0
    assert "two items" in desk.page.notice.text.text()
    desk.page.grab()


@pytest.mark.parametrize("hierarchy", [chained(2), chained(2, flat=True), chained(9, flat=True)])
def test_two_items_and_copies_are_drawn_and_cut(qtbot: QtBot, hierarchy: Hierarchy) -> None:
    desk = Desk(qtbot, hierarchy.n)
    desk.show(tree_of(hierarchy), ())
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_PageDown):
        desk.press(key)
    desk.page._go_home()
    desk.page.grab()
    assert "no answers yet" in desk.page.header.broken.text()


# ------------------------------------------------------------------------------ the cut


def test_keys_move_the_cut_and_the_figures_follow_at_once(desk: Desk) -> None:
    sure = np.linspace(1.0, 0.2, N)
    sure[N - 4] = np.nan
    desk.show(tree_of(balanced(N), groups=3, certainty=sure))
    header = desk.page.header
    assert header.groups.value() == 3
    assert "certainty" in header.certainty.text()
    desk.press(Qt.Key.Key_Down)
    assert header.groups.value() == 4
    assert not header.certainty.isVisible()  # not known there
    desk.press(Qt.Key.Key_PageDown)
    assert header.groups.value() == 6
    desk.press(Qt.Key.Key_Home)
    assert header.groups.value() == 3


def test_what_a_cut_breaks_is_counted_and_listed(desk: Desk, qtbot: QtBot) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    page = desk.page
    page._cut(1)  # all together: both DIFFERENT are broken
    assert page.header.broken.text() == "breaks 2 of 4 answers"
    page._cut(N)  # all apart: the SAME is
    assert page.header.broken.text() == "breaks 1 of 4 answers"
    page._cut(1)
    page.header.broken.click()
    assert page.broken.isVisible()
    assert [page.broken.answers.index(row).data()[:2] for row in range(2)] == ["#2", "#3"]
    page.broken.setCurrentIndex(page.broken.answers.index(1))
    assert page.dendrogram.drawing is not None
    assert page.dendrogram.drawing.pair == Pair(2, 3)
    with qtbot.waitSignal(page.stepWanted) as wanted:
        QTest.keyClick(page.broken, Qt.Key.Key_Return)
    assert wanted.args == [3]


def test_a_dragged_line_asks_for_the_newest_cut_only(desk: Desk, qtbot: QtBot) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    for groups in (4, 5, 6, 7):
        desk.page._cut(groups)
    assert desk.asked == [4]
    desk.reply(4)
    qtbot.waitUntil(lambda: len(desk.asked) > 1)
    assert desk.asked == [4, 7]


def test_the_line_is_dragged_by_the_mouse(desk: Desk, qtbot: QtBot) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    tree = desk.page.dendrogram
    frame = tree.paper()
    assert frame is not None
    middle = int(frame.plot.center().x())
    there = QPoint(middle, round(frame.cut_y(6)))
    qtbot.mousePress(tree, Qt.MouseButton.LeftButton, pos=QPoint(middle, round(frame.cut_y(3))))
    qtbot.mouseMove(tree, there)
    qtbot.mouseRelease(tree, Qt.MouseButton.LeftButton, pos=there)
    assert desk.page.header.groups.value() == 6
    assert desk.asked[0] in (5, 6)


def test_a_cut_is_a_look_that_only_this_page_shows(desk: Desk) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    page, live = desk.page, desk.controller.snapshot
    page._cut(5)
    desk.reply(5)
    assert len(page.gallery.groups._cards) == 5
    assert desk.controller.shown is live
    assert "Your groups are unchanged" in page.notice.text.text()
    assert "Only a look" in page.which.text()
    card = page.gallery.groups.card_at(0)
    assert "certainty" not in page.gallery.groups.figures(card)
    assert not page.gallery.groups.flags(page.gallery.groups.index(0)) & Qt.ItemFlag.ItemIsEditable
    page.notice.back.click()
    assert len(page.gallery.groups._cards) == 4
    assert page.header.groups.value() == 3
    assert page.which.text() == "Your groups"


@pytest.mark.parametrize("end", ["state", "replay", "leaving", "escape", "home"])
def test_a_look_has_an_end(desk: Desk, end: str) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    desk.page._cut(5)
    desk.reply(5)
    if end == "state":
        desk.controller.receive(Changed(moved_on(desk.opened.snapshot)))
    elif end == "replay":
        desk.controller.view(0)
        desk.controller.receive(Replayed(replace(desk.opened.snapshot, live=False)))
        assert desk.page.notice.return_to_now.isVisible()
    elif end == "leaving":
        desk.page.hide()
    elif end == "escape":
        desk.press(Qt.Key.Key_Escape)
    else:
        desk.press(Qt.Key.Key_Home)
    assert desk.controller.cut is None
    assert desk.page.look.groups is None
    assert desk.page.header.groups.value() == 3
    desk.reply(5)  # too late
    assert desk.controller.cut is None


def test_a_cut_that_fails_leaves_the_line_at_the_groups(desk: Desk) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    desk.page._cut(5)
    desk.controller.receive(Failed("Too large."))
    assert desk.page.header.groups.value() == 3
    assert desk.page.which.text() == "Your groups"


def test_the_tree_of_the_data_says_so(desk: Desk) -> None:
    desk.show(tree_of(balanced(N)))
    page = desk.page
    assert "your answers had no part" in page.notice.text.text()
    assert page.header.groups.value() == 4  # as many as there are groups
    desk.press(Qt.Key.Key_Up)
    desk.reply(3)
    assert "your answers had no part" in page.notice.hint.text()
    assert not page.notice.ask.isVisible()


def test_the_strategy_is_asked_for_another_number_of_groups_after_saying_what_it_does(
    qtbot: QtBot,
) -> None:
    desk = Desk(qtbot)
    approach = Approach("hmcahc", (("variant", "hmcahc"), ("groups", "3")))
    live = moved_on(desk.opened.snapshot, approach=approach)
    desk.controller.receive(Changed(live))
    desk.show(tree_of(balanced(N), groups=3))
    notice = desk.page.notice
    assert not notice.ask.isVisible()
    desk.page._cut(5)
    desk.reply(5)
    notice.ask.click()
    assert not any(isinstance(one, Choose) for one in desk.controller.sent)
    assert "Undo takes it back" in notice.hint.text()
    notice.agree.click()
    wanted = Approach("hmcahc", (("variant", "hmcahc"), ("groups", "5")))
    assert desk.controller.sent[-1] == Choose(live.revision, wanted)


# ------------------------------------------------------------------------------ what is chosen


def test_an_item_chosen_anywhere_is_marked_with_its_way_up(desk: Desk) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    page = desk.page
    for signal, item in ((page.map.itemSelected, 7), (page.gallery.itemSelected, 2)):
        signal.emit(item)
        assert page.dendrogram.drawing is not None
        assert page.dendrogram.drawing.item == item
        assert page.map.selected == item
    page.grab()
    desk.press(Qt.Key.Key_Escape)
    assert page.dendrogram.drawing.item is None


def test_a_branch_clicked_stands_out_in_map_and_gallery(desk: Desk, qtbot: QtBot) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    page, tree = desk.page, desk.page.dendrogram
    frame = tree.paper()
    assert frame is not None
    node = N + 2  # items 4 and 5, in different groups of the person's
    at = frame.foot(node) + QPointF(3, 1)
    qtbot.mouseClick(tree, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert tree.drawing is not None
    assert tree.drawing.branch == node
    assert page.gallery.group == BRANCH
    assert list(page.gallery.members._members._items) == [4, 5]
    assert page.map._lit == {4, 5}
    page._cut(5)
    desk.reply(5)
    assert page.gallery.group == BRANCH  # a cut that comes does not take it away


def test_groups_are_walked_and_opened_by_keys(desk: Desk) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    tree = desk.page.dendrogram
    assert tree.drawing is not None
    desk.press(Qt.Key.Key_Right)
    first = tree.drawing.branch
    desk.press(Qt.Key.Key_Right)
    assert first is not None
    assert tree.drawing.branches.left[tree.drawing.branch] > tree.drawing.branches.left[first]
    desk.press(Qt.Key.Key_Return)
    assert tree.drawing.stretch.wide < 1
    desk.press(Qt.Key.Key_Backspace)
    desk.press(Qt.Key.Key_0)
    assert tree.drawing.stretch.wide == 1
    desk.press(Qt.Key.Key_Plus)
    desk.press(Qt.Key.Key_Minus)
    assert tree.drawing.stretch.wide == pytest.approx(1)


def test_questions_are_marked_and_tell_their_pair(desk: Desk, qtbot: QtBot) -> None:
    asked = (
        Inquiry(Pair(0, 1), Verdict.SAME, 4, 0.8),
        Inquiry(Pair(2, 9), None, 9, 0.4),
    )
    sure = np.linspace(1.0, 0.2, N)
    desk.show(tree_of(balanced(N), groups=3, certainty=sure, inquiries=asked))
    tree = desk.page.dendrogram
    frame = tree.paper()
    assert frame is not None
    assert tree.drawing is not None
    places = tree.drawing.strip.places(frame)
    assert [one for _, one in places] == [*asked]
    at, waiting = places[-1]
    assert tree.what_is(at).inquiries == (waiting,)
    assert "Asked now" in tree._words.inquiries((waiting,))
    qtbot.mouseClick(tree, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert tree.drawing.pair == waiting.pair
    assert desk.page.map._pair == waiting.pair


def test_the_picture_is_saved_as_png_and_svg(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.show(tree_of(balanced(N), groups=3, inquiries=(Inquiry(Pair(0, 1), None, 4, 0.5),)))
    for name in ("tree.png", "tree.svg", "bare"):
        desk.files.file = tmp_path / name
        with qtbot.waitSignal(desk.page.saved):
            desk.page.header.save.click()
    assert QImage(str(tmp_path / "tree.png")).width() >= 900
    assert QImage(str(tmp_path / "bare.png")).width() >= 900
    assert "<svg" in (tmp_path / "tree.svg").read_text(encoding="utf-8")
    desk.files.file = tmp_path / "missing" / "tree.png"
    with qtbot.waitSignal(desk.page.notSaved):
        desk.page.save()


def test_everything_has_a_name_and_both_themes_are_drawn(desk: Desk, qapp: object) -> None:
    desk.show(tree_of(balanced(N), groups=3))
    kinds = (QAbstractButton, QComboBox, QAbstractSpinBox, QAbstractItemView)
    for kind in kinds:
        for part in desk.page.findChildren(kind):
            named = part.accessibleName() or (part.text() if hasattr(part, "text") else "")
            assert named, part
    assert "3 groups" in desk.page.dendrogram.accessibleDescription()
    light = desk.page.dendrogram.grab().toImage()
    theme.apply(qapp, "dark")  # type: ignore[arg-type]
    assert desk.page.dendrogram.grab().toImage() != light


def test_a_step_of_the_history_is_looked_at_beside_the_tree_of_now(qtbot: QtBot) -> None:
    desk = Desk(qtbot, history=chain(3, n_items=N))
    desk.show(tree_of(balanced(N), groups=3))
    desk.controller.view(1)
    desk.controller.receive(Replayed(replace(desk.opened.snapshot, position=1, live=False)))
    desk.page._cut(5)  # the look at the cut takes the place of the replay
    assert not desk.controller.replaying
    desk.reply(5)
    assert desk.page.look.groups == 5
