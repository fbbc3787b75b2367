"""The matrix of items and groups, and the graph of what groups make together."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop.controller import Controller
from desktop.main_window import MainWindow
from desktop.messages import Changed, Opened, Replayed
from desktop.pages.matrix import GRAPH, MATRIX, MatrixPage
from desktop.settings import Settings
from desktop.widgets.composing.graph_cards import CompositionCard, strength
from desktop.widgets.composing.graph_layout import ONE_SIDE, Sizes, crossings, lay_out
from desktop.widgets.composing.matrix_view import MatrixView
from desktop.widgets.composing.sharing import (
    Column,
    Field,
    Sharing,
    Sorting,
    Wanted,
    Which,
    ranked,
)
from desktop.widgets.composing.sharing_words import Evidence, SharingWords, evidence
from desktop.widgets.groups.group_model import IN_COMMON
from engine.model import Composition, Overview
from tests.gui.handmade import (
    RecordedPictures,
    controller_on,
    double_click,
    moved_on,
    opened_of,
    shared_overview,
    snapshot_of,
)

SETS = [(0,), (0, 1), (1,), (2,), (0, 1), (1, 2), (0,), (0, 2), (1,), (0, 1)]
SIZES = Sizes((200.0, 80.0), (320.0, 80.0), 12.0, 120.0)


def sharing_of(overview: Overview) -> Sharing:
    assert overview.memberships is not None
    return Sharing(overview, overview.memberships)


def with_aside(overview: Overview, *items: int) -> Overview:
    """Set items aside, as the engine does."""
    memberships, slots = overview.memberships, overview.slots.copy()
    assert memberships is not None
    chosen = memberships.chosen.copy()
    chosen[list(items)] = slots[list(items)] = -1
    groups = tuple(
        replace(group, members=group.members[~np.isin(group.members, items)])
        for group in overview.groups
    )
    shared = replace(memberships, chosen=chosen)
    return replace(overview, groups=groups, slots=slots, memberships=shared)


def opened_on(overview: Overview, *, table: bool = False) -> Opened:
    n = len(overview.slots)
    places = np.zeros((n, 2), dtype=np.float32)
    return opened_of(places, snapshot_of(overview), table=table)


@pytest.fixture
def page(qtbot: QtBot) -> MatrixPage:
    controller = Controller(worker=None)
    made = MatrixPage(controller, RecordedPictures())
    qtbot.addWidget(made)
    made.resize(1000, 640)
    with qtbot.waitExposed(made):
        made.show()
    controller.receive(opened_on(shared_overview(SETS, {0: "Circle"})))
    made.activateWindow()
    made.setFocus()
    return made


def controller_of(page: MatrixPage) -> Controller:
    return page._controller


def items_of(view: MatrixView) -> list[int]:
    return [view.matrix.item_at(row) for row in range(view.matrix.rowCount())]


def at(view: MatrixView, column: Column) -> int:
    return view.matrix.column_of(column)


# ---------------------------------------------------------------------------- rows


def test_members_come_first_pure_before_mixed_by_certainty() -> None:
    sharing = sharing_of(shared_overview(SETS))
    rank = np.arange(len(SETS), dtype=np.int32)
    column = Column(Field.GROUP, 0)
    rows = sharing.rows(Wanted(), Sorting(column), rank).tolist()
    kinds = [2 if 0 not in SETS[item] else len(SETS[item]) > 1 for item in rows]
    assert kinds == sorted(kinds)
    for one, other in pairwise(rows):
        if (0 in SETS[one]) == (0 in SETS[other]) and len(SETS[one]) == len(SETS[other]):
            assert sharing.certainty[one] >= sharing.certainty[other]
    backwards = sharing.rows(Wanted(), Sorting(column, reverse=True), rank).tolist()
    assert [len(SETS[item]) for item in backwards[:6]] == [2, 2, 2, 2, 1, 1]
    assert all(0 in SETS[item] for item in backwards[:6])


def test_every_column_sorts_and_the_second_time_the_other_way_round() -> None:
    sharing = sharing_of(shared_overview(SETS))
    rank = np.arange(len(SETS), dtype=np.int32)[::-1].copy()
    values = {
        Field.ITEM: rank,
        Field.COUNT: sharing.counts,
        Field.FIT: sharing.fit,
        Field.CERTAINTY: sharing.certainty,
    }
    for field, held in values.items():
        sorting = Sorting(Column(Field.GROUP, 1)).by(Column(field))
        assert not sorting.reverse
        rising = held[sharing.rows(Wanted(), sorting, rank)]
        assert (np.diff(rising.astype(float)) >= 0).all(), field
        falling = held[sharing.rows(Wanted(), sorting.by(Column(field)), rank)]
        assert (np.diff(falling.astype(float)) <= 0).all(), field


def test_names_are_ranked_as_people_count() -> None:
    names = ["scan 10", "Scan 2", "scan 1", "b", f"a{'9' * 5000}"]
    order = np.argsort(ranked(names))
    assert [names[at] for at in order] == [names[4], "b", "scan 1", "Scan 2", "scan 10"]


@pytest.mark.parametrize(
    ("wanted", "items"),
    [
        (Wanted(), set(range(10))),
        (Wanted(Which.PURE), {0, 2, 6, 8}),
        (Wanted(Which.MIXED), {1, 4, 5, 7, 9}),
        (Wanted(Which.GROUP, (2,)), {5, 7}),
        (Wanted(Which.SET, (0, 1)), {1, 4, 9}),
        (Wanted(Which.SET, (1, 2, 3)), set()),
        (Wanted(Which.GROUP, (9,)), set()),
        (Wanted(Which.ASIDE), {3}),
    ],
)
def test_items_are_sifted(wanted: Wanted, items: set[int]) -> None:
    sharing = sharing_of(with_aside(shared_overview(SETS), 3))
    rank = np.arange(len(SETS), dtype=np.int32)
    for reverse in (False, True):
        for field in Field:
            sorting = Sorting(Column(field, 0), reverse)
            rows = sharing.rows(wanted, sorting, rank).tolist()
            assert set(rows) == items
            assert 3 not in rows or rows[-1] == 3  # set aside: always last
    assert sharing.count(wanted) == len(items)


# ---------------------------------------------------------------------------- the table


def test_cells_say_who_belongs_where(page: MatrixPage) -> None:
    model = page.matrix.matrix
    assert [model.title(column) for column in model.columns] == [
        "Item", "Groups", "Circle", "Group 2", "Group 3", "Fit", "Certainty",
    ]  # fmt: skip
    row = model.row_of(5)
    shown = [model.index(row, at).data() for at in range(5)]
    assert shown == ["heap/IMG_0005.png", "2", "", "▲2", "●3"]
    role = Qt.ItemDataRole.AccessibleTextRole
    assert "does not belong to ■1 (Circle)" in model.index(row, 2).data(role)
    assert "belongs to ▲2" in model.index(row, 3).data(role)
    about = model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "6 items, 4 of them in other groups too" in about
    assert page.matrix.grab().toImage().pixelColor(5, 5).isValid()


def test_sorting_and_selection_outlive_a_new_state(qtbot: QtBot, page: MatrixPage) -> None:
    view, controller = page.matrix, controller_of(page)
    view._sort_section(at(view, Column(Field.GROUP, 1)))
    view.select(4)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    before = view.current_column
    overview = shared_overview([*SETS[:2], (1, 3), *SETS[3:]], seed=4)  # one more group
    controller.receive(Changed(moved_on(controller.snapshot, overview=overview)))
    assert len(view.matrix.columns) == 8
    assert view.current_item == 4
    assert view.current_column == before
    assert view.matrix.sorting == Sorting(Column(Field.GROUP, 1))
    assert view.matrix.items_at(view._rows_selected()).tolist() == [4]
    assert set(items_of(view)[:6]) == {1, 2, 4, 5, 8, 9}  # those of the group
    view._sort_section(0)
    assert view.current_item == 4
    assert items_of(view) == list(range(10))


def test_a_group_that_vanishes_leaves_order_and_choice_harmless(page: MatrixPage) -> None:
    view, controller = page.matrix, controller_of(page)
    page.want(Wanted(Which.SET, (1, 2)))
    view.sort_by(Column(Field.GROUP, 2))
    overview = shared_overview([(0,), (1,)] * 5)
    controller.receive(Changed(moved_on(controller.snapshot, overview=overview)))
    assert items_of(view) == []
    assert page.sieve.wanted == Wanted(Which.SET, (1, 2))
    assert page.sieve.currentText().endswith("· 0")
    assert "No items" in page._nothing.text()
    page.want(Wanted())
    assert len(items_of(view)) == 10


def test_the_keyboard_alone_suffices(qtbot: QtBot, page: MatrixPage) -> None:
    view = page.matrix
    qtbot.waitUntil(view.hasFocus)
    assert view.current_item == items_of(view)[0]  # it stands somewhere at once
    with qtbot.waitSignal(view.itemSelected) as selected:
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert selected.args == [items_of(view)[1]]
    assert page.item_view.item == items_of(view)[1]
    with qtbot.waitSignal(page.itemWanted):
        qtbot.keyClick(view, Qt.Key.Key_Return)
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.current_column == Column(Field.GROUP, 1)
    with qtbot.waitSignal(page.groupWanted) as wanted:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert wanted.args == [1]
    qtbot.keyClick(view, Qt.Key.Key_S)
    assert view.matrix.sorting == Sorting(Column(Field.GROUP, 1))
    with qtbot.waitSignal(page.groupWanted):
        qtbot.keyClick(view, Qt.Key.Key_G)
    qtbot.keyClick(view, Qt.Key.Key_C)
    assert page.view == GRAPH
    qtbot.waitUntil(page.graph.hasFocus)
    qtbot.keyClick(page.graph, Qt.Key.Key_M)
    assert page.view == MATRIX
    qtbot.waitUntil(view.hasFocus)


def test_headings_sort_by_a_click_and_open_by_a_double_click(
    qtbot: QtBot, page: MatrixPage
) -> None:
    view = page.matrix
    section = at(view, Column(Field.GROUP, 2))
    heading = view.horizontalHeader()
    place = QPoint(heading.sectionViewportPosition(section) + 20, 12)
    qtbot.mouseClick(heading.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.matrix.sorting.column == Column(Field.GROUP, 2)
    with qtbot.waitSignal(page.groupWanted) as wanted:
        double_click(heading.viewport(), place)
    assert wanted.args == [2]


def test_items_stay_in_place_while_groups_are_scrolled(page: MatrixPage) -> None:
    view = page.matrix
    controller_of(page).receive(opened_on(shared_overview([(slot,) for slot in range(20)] * 3)))
    last = len(view.matrix.columns) - 1
    view.setCurrentIndex(view.matrix.index(40, last))
    assert view.horizontalScrollBar().value() > 0
    assert view._frozen.verticalScrollBar().value() == view.verticalScrollBar().value() > 0
    assert view._frozen.horizontalScrollBar().value() == 0
    view.setCurrentIndex(view.matrix.index(40, 3))
    left = view.visualRect(view.currentIndex()).left()
    assert left >= view._frozen.width() - 1  # not below the items


def test_only_what_is_seen_is_asked_for(qtbot: QtBot) -> None:
    pictures = RecordedPictures()
    opened = opened_on(shared_overview(SETS * 1000))
    controller, _ = controller_on()
    page = MatrixPage(controller, pictures)
    qtbot.addWidget(page)
    page.resize(900, 500)
    with qtbot.waitExposed(page):
        page.show()
    controller.receive(opened)
    page.grab()
    assert page.matrix.matrix.rowCount() == 10_000
    assert 0 < len(set(pictures.asked)) < 40


def test_rows_are_copied_as_text(qtbot: QtBot, page: MatrixPage) -> None:
    view = page.matrix
    view.sort_by(Column(Field.ITEM))
    view.selectAll()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:4] == ["Item", "Groups", "1 Circle", "2 Group 2"]
    assert len(lines) == 11
    assert lines[2].split("\t")[:5] == ["heap/IMG_0001.png", "2", "1", "1", "0"]


def test_a_name_cannot_pass_for_a_formula(page: MatrixPage) -> None:
    controller = controller_of(page)
    overview = shared_overview(SETS, {0: "=1+1\tx"})
    controller.receive(Changed(moved_on(controller.snapshot, overview=overview)))
    model = page.matrix.matrix
    text = model.as_text(np.arange(2, dtype=np.int32))
    assert all(len(line.split("\t")) == 7 for line in text.splitlines())
    assert not any(cell.startswith("=") for cell in text.replace("\n", "\t").split("\t"))


def test_items_set_aside_are_pale_and_last(page: MatrixPage) -> None:
    controller, view = controller_of(page), page.matrix
    overview = with_aside(shared_overview(SETS), 0)
    controller.receive(Changed(moved_on(controller.snapshot, overview=overview)))
    assert items_of(view)[-1] == 0
    assert view.matrix.is_aside(0)
    role = Qt.ItemDataRole.AccessibleTextRole
    assert "set aside" in view.matrix.index(9, 2).data(role)
    assert "Set aside · 1" in [page.sieve.itemText(at) for at in range(page.sieve.count())]


def test_a_table_shows_cells_instead_of_thumbnails(qtbot: QtBot) -> None:
    controller = Controller(worker=None)
    page = MatrixPage(controller, RecordedPictures())
    qtbot.addWidget(page)
    page.resize(900, 500)
    with qtbot.waitExposed(page):
        page.show()
    controller.receive(opened_on(shared_overview(SETS), table=True))
    told = page.matrix.matrix.telling(3)
    assert told
    assert not any("truth" in cell or "secret" in cell for cell in told)
    page.show_view(GRAPH)
    assert not page.grab().isNull()


# ---------------------------------------------------------------------------- the graph


@pytest.mark.parametrize(("groups", "pairs"), [(1, 0), (2, 1), (5, 10), (10, 30), (12, 66)])
def test_nothing_overlaps_and_places_are_always_the_same(groups: int, pairs: int) -> None:
    every = list(combinations(range(groups), 2))
    chosen = np.random.default_rng(0).permutation(len(every))[:pairs]
    sets = [every[at] for at in chosen]
    layout = lay_out(range(groups), sets, SIZES)
    assert layout == lay_out(list(range(groups))[::-1], sets[::-1], SIZES)
    rects = [QRect(*map(round, place)) for place in layout.places.values()]
    assert len(rects) == groups + pairs
    assert not any(one.intersects(other) for one, other in combinations(rects, 2))
    assert len(layout.columns) == (1 if not pairs else 2 if pairs <= ONE_SIDE else 3)
    plain = crossings([(slot,) for slot in range(groups)], sorted(sets))
    alone = list(layout.columns[layout.groups_at])
    beside = [column for at, column in enumerate(layout.columns) if at != layout.groups_at]
    assert sum(crossings(alone, list(column)) for column in beside) <= plain


def test_lines_that_need_not_cross_do_not() -> None:
    sets = [(0, 3), (1, 4), (2, 5)]
    layout = lay_out(range(6), sets, SIZES)
    assert crossings(list(layout.columns[0]), list(layout.columns[1])) == 0


@pytest.mark.parametrize(
    ("items", "fit", "alone", "found"),
    [
        (9, 0.42, 0.91, Evidence.CLEAR),
        (2, 0.42, 0.91, Evidence.FEW),
        (9, 0.9, 0.91, Evidence.HARDLY),
        (2, 0.92, 0.91, Evidence.NONE),
        (9, float("nan"), 0.9, Evidence.NONE),
    ],
)
def test_weak_evidence_is_told(items: int, fit: float, alone: float, found: Evidence) -> None:
    composition = Composition((0, 1), items, fit, alone)
    assert evidence(composition) is found
    assert found.is_weak is (found is not Evidence.CLEAR)
    said = SharingWords(sharing_of(shared_overview(SETS))).composition(composition)
    assert ("Weak" in said) is found.is_weak
    assert "earest single group 0.9" in said


def test_distances_have_as_many_digits_as_they_need() -> None:
    overview = shared_overview(SETS)
    assert SharingWords(sharing_of(overview)).distance(0.42) == "0.42"
    for factor, shown in ((1000, "420"), (0.01, "0.0042")):
        shared = overview.memberships
        assert shared is not None
        scaled = tuple(
            replace(one, fit=one.fit * factor, alone=one.alone * factor)
            for one in shared.compositions
        )
        fit = shared.fit * np.float32(factor)
        other = replace(overview, memberships=replace(shared, compositions=scaled, fit=fit))
        assert SharingWords(sharing_of(other)).distance(0.42 * factor) == shown


def test_a_card_shows_what_it_is_joined_to(page: MatrixPage) -> None:
    page.show_view(GRAPH)
    graph = page.graph
    assert set(graph.cards) == {(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)}
    assert len(graph.lines) == 6
    assert graph.joined((0,)) == {(0,), (0, 1), (0, 2)}
    graph.choose((1, 2))
    lit = {slots for slots, card in graph.cards.items() if not card.is_faded}
    assert lit == {(1, 2), (1,), (2,)}
    assert sum(line.is_lit for line in graph.lines) == 2
    assert "Fits best" in graph.accessibleDescription()
    assert page._told.text() == graph.told((1, 2))
    made = graph.cards[1, 2]
    assert isinstance(made, CompositionCard)
    assert made.item == 5
    assert 0 < strength(made.composition) < 1
    graph.choose(None)
    assert not any(card.is_faded for card in graph.cards.values())


def test_hovering_lights_up_and_clicking_chooses(qtbot: QtBot, page: MatrixPage) -> None:
    page.show_view(GRAPH)
    graph = page.graph
    card = graph.cards[0, 1]
    place = graph.mapFromScene(card.x() + card.wide / 2, card.y() + card.high / 2)
    qtbot.mouseMove(graph.viewport(), place)
    qtbot.waitUntil(lambda: card.is_hovered)
    assert graph.cards[2,].is_faded
    qtbot.mouseClick(graph.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert graph.choice == (0, 1)
    with qtbot.waitSignal(graph.itemsWanted):
        double_click(graph.viewport(), place)
    assert page.view == MATRIX
    assert set(items_of(page.matrix)) == {1, 4, 9}


def test_the_graph_is_walked_by_keys(qtbot: QtBot, page: MatrixPage) -> None:
    page.show_view(GRAPH)
    graph = page.graph
    qtbot.waitUntil(graph.hasFocus)
    seen = set()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * 3):
        qtbot.keyClick(graph, key)
        seen.add(graph.choice)
    qtbot.keyClick(graph, Qt.Key.Key_Right)
    qtbot.keyClick(graph, Qt.Key.Key_Home)
    for _ in range(3):
        seen.add(graph.choice)
        qtbot.keyClick(graph, Qt.Key.Key_Down)
    assert seen >= set(graph.cards)
    chosen = graph.choice
    qtbot.keyClick(graph, Qt.Key.Key_Return)
    assert page.view == MATRIX
    assert page.sieve.wanted == Wanted(Which.SET, chosen)
    qtbot.waitUntil(page.matrix.hasFocus)
    qtbot.keyClick(page.matrix, Qt.Key.Key_Escape)
    assert page.sieve.wanted == Wanted()
    page.show_view(GRAPH)
    assert graph.choice == chosen
    qtbot.keyClick(graph, Qt.Key.Key_Left)
    with qtbot.waitSignal(page.groupWanted) as wanted:
        qtbot.keyClick(graph, Qt.Key.Key_G)
    assert wanted.args == [graph.choice[0]]
    qtbot.keyClick(graph, Qt.Key.Key_Escape)
    assert graph.choice is None


# ---------------------------------------------------------------------------- in the window


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    made = MainWindow(Controller(worker=None), Settings(None))
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_tree_and_matrix_take_each_others_place(window: MainWindow) -> None:
    controller, made = window._controller, window.actions_by_id
    _, plain = controller_on()
    controller.receive(plain)
    assert not made["show_matrix"].isEnabled()
    assert not made["show_matrix"].isVisible()
    assert made["show_tree"].isEnabled()
    made["show_tree"].trigger()
    shared = shared_overview(SETS * 4)
    controller.receive(Changed(moved_on(controller.snapshot, overview=shared)))
    assert window.pages.currentWidget() is window.matrix
    assert made["show_matrix"].isEnabled()
    assert made["show_matrix"].isChecked()
    assert not made["show_tree"].isVisible()
    assert not made["show_tree"].isEnabled()
    controller.receive(Changed(moved_on(controller.snapshot, overview=plain.snapshot.overview)))
    assert window.pages.currentWidget() is window.tree
    assert made["show_tree"].isChecked()
    assert not made["show_matrix"].isVisible()
    assert not window.banner.isVisible()


def test_a_group_and_an_item_are_shown_on_the_overview_page(window: MainWindow) -> None:
    window._controller.receive(opened_on(shared_overview(SETS)))
    window.show_matrix()
    window.matrix.groupWanted.emit(2)
    assert window.pages.currentWidget() is window.overview
    assert window.overview.gallery.group == 2
    window.show_matrix()
    window.matrix.itemWanted.emit(4)
    assert window.overview.item_view.item == 4
    window.show_matrix()
    window.matrix.matrix.setCurrentIndex(window.matrix.matrix.model().index(1, 0))
    item = window.matrix.item_view.item
    window.matrix.item_view.groups.in_common.click()
    assert window.pages.currentWidget() is window.overview
    assert window.overview.item_view.item == item
    assert window.overview.gallery.group == IN_COMMON


def test_an_earlier_step_without_shared_groups_says_so(window: MainWindow) -> None:
    controller = window._controller
    _, plain = controller_on(len(SETS))
    controller.receive(opened_on(shared_overview(SETS)))
    window.show_matrix()
    controller.view(0)
    controller.receive(Replayed(replace(plain.snapshot, live=False)))
    assert "one group only" in window.matrix._nothing.text()
    assert window.matrix._stack.currentWidget() is window.matrix._nothing
    controller.view(None)
    assert window.matrix._stack.currentWidget() is window.matrix.matrix


def test_the_page_says_that_it_shows_an_earlier_state(page: MatrixPage) -> None:
    controller = controller_of(page)
    opened = controller.opened
    assert opened is not None
    for view in (MATRIX, GRAPH):
        page.show_view(view)
        assert not page.replay.isVisible()
        controller.view(0)
        controller.receive(Replayed(replace(opened.snapshot, position=0, live=False)))
        assert "Before the first step" in page.replay.text
        assert page.replay.isVisible()
        page.replay.back.click()
        assert not controller.replaying
    assert not page.replay.isVisible()
