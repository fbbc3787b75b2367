"""Groups that share items: cards, a group's page, an item's groups, marks of several colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPainterPath
from pytestqt.qtbot import QtBot

from desktop import theme, worker
from desktop.controller import Controller
from desktop.docks.overview import OverviewDock
from desktop.messages import Changed, CreateProject, NameGroup, Opened, Tell
from desktop.pages.overview import OverviewPage
from desktop.widgets.groups.belonging import (
    heart,
    in_common_with,
    named_by,
    slots_of,
    together_with,
)
from desktop.widgets.groups.group_model import IN_COMMON
from desktop.widgets.groups.map_looks import look_of
from desktop.widgets.groups.map_points import MOST, MapPoints
from desktop.widgets.groups.members_model import ITEM
from desktop.widgets.groups.scatter_map import ScatterMap
from engine.model import Overview, StepKind, Verdict
from tests.gui.handmade import (
    RecordedPictures,
    answer_step,
    blobs,
    moved_on,
    opened_of,
    overview_of,
    shared_overview,
    snapshot_of,
)

SETS = ((0,), (0,), (0, 1), (1,), (1,), (0, 2), (1, 2), (0, 1, 2), (2,), (0, 1))
WIDE = Qt.ItemDataRole.AccessibleTextRole

Shown = tuple[Controller, Opened, OverviewPage]


@pytest.fixture(autouse=True)
def look(qapp: object) -> Iterator[None]:
    theme.apply(qapp, "light")  # type: ignore[arg-type]
    yield
    theme.apply(qapp, "light")  # type: ignore[arg-type]


def shown_page(
    qtbot: QtBot, overview: Overview, *, table: bool = False, make: type = OverviewPage
) -> Shown:
    controller = Controller(worker=None)
    places, _ = blobs(len(overview.slots), 3)
    page = make(controller, RecordedPictures())
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    qtbot.waitExposed(page)
    opened = opened_of(places, snapshot_of(overview), table=table)
    controller.receive(opened)
    return controller, opened, page


def wait_drawn(qtbot: QtBot, scatter: ScatterMap) -> None:
    qtbot.waitUntil(lambda: scatter._drawn == scatter._state())


def names_of(page: OverviewPage) -> list[str]:
    model = page.gallery.groups
    return [str(model.index(row).data(WIDE)) for row in range(model.rowCount())]


def rows_of(page: OverviewPage) -> list[int | None]:
    model = page.gallery.members.model()
    return [model.index(row, 0).data(ITEM) for row in range(model.rowCount())]


# ------------------------------------------------------------------------------ what is asked


def test_what_belongs_to_what() -> None:
    overview = shared_overview(SETS)
    assert [slots_of(overview, item) for item in range(len(SETS))] == list(SETS)
    first = next(group for group in overview.groups if group.slot == 0)
    assert sorted(heart(first).tolist()) == [0, 1]
    told = [(one.others, one.items) for one in together_with(overview, 0)]
    assert told == [((1,), 2), ((2,), 1), ((1, 2), 1)]
    others = in_common_with(overview, 2).tolist()
    assert sorted(others) == [0, 1, 3, 4, 5, 6, 7, 9]
    assert others[0] == 9  # of just the same groups
    plain = overview_of(np.array([0, 0, 1, -1], dtype=np.int32))
    assert [slots_of(plain, item) for item in range(4)] == [(0,), (0,), (1,), ()]
    assert len(in_common_with(plain, 0)) == 0


def test_a_group_without_items_of_its_own_is_named_by_one_that_stands_for_it() -> None:
    # to the engine an item of several groups stands for the one with fewest items of its own
    overview = shared_overview([(0,), (0, 1), (1, 2), (0, 1), (2,), (2,)])
    assert named_by(overview, 0) == 0
    assert named_by(overview, 1) in (1, 2, 3)
    twins = shared_overview([(0, 1), (0, 1), (2,)])
    assert named_by(twins, 0) in (0, 1)
    assert named_by(twins, 1) is None  # any name would go to the other


# ------------------------------------------------------------------------------ cards


def test_cards_count_items_that_are_in_other_groups_too(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview(SETS))
    spoken = " | ".join(names_of(page))
    assert "6 items, 4 of them in other groups too" in spoken
    assert "4 items, 3 of them in other groups too" in spoken
    heights = {page.list.sizeHintForRow(row) for row in range(3)}
    assert len(heights) == 1
    page.grab()


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (((0,), (0,), (1,)), "none of them in other groups"),
        (((0, 1), (0, 1), (1,)), "all of them in other groups too"),
    ],
)
def test_none_and_all_are_said(qtbot: QtBot, sets: tuple[tuple[int, ...], ...], said: str) -> None:
    _, _, page = shown_page(qtbot, shared_overview(sets))
    model = page.gallery.groups
    card = model.card(0)
    assert card is not None
    assert model.elsewhere(card) == said
    assert all(len(short) <= len(said) for short in model.said_elsewhere(card))


def test_a_change_of_strategy_changes_the_cards(qtbot: QtBot) -> None:
    controller, opened, page = shown_page(qtbot, shared_overview(SETS))
    tall = page.list.sizeHintForRow(0)
    assert not page._find.isVisibleTo(page)
    plain = overview_of(np.arange(len(SETS), dtype=np.int32) % 3)
    controller.receive(Changed(moved_on(opened.snapshot, overview=plain)))
    assert page.list.sizeHintForRow(0) < tall
    assert page._find.isVisibleTo(page)
    assert "other groups" not in " ".join(names_of(page))
    wait_drawn(qtbot, page.map)
    assert not page.map.legend.isVisible()
    assert all(isinstance(spot, str) for spot in page.map._points.layer.data["symbol"])


def test_items_set_aside_are_in_no_group_and_in_one_card(qtbot: QtBot) -> None:
    overview = shared_overview(SETS)
    assert overview.memberships is not None
    chosen, slots = overview.memberships.chosen.copy(), overview.slots.copy()
    chosen[8] = slots[8] = -1
    groups = tuple(
        replace(group, members=group.members[group.members != 8]) for group in overview.groups
    )
    memberships = replace(overview.memberships, chosen=chosen)
    overview = replace(overview, groups=groups, slots=slots, memberships=memberships)
    aside = replace(answer_step(1, 0, 0, 1), kind=StepKind.SET_ASIDE, answer=None, items=(8,))
    controller, opened, page = shown_page(qtbot, shared_overview(SETS))
    after = moved_on(opened.snapshot, overview=overview, history=(aside,), position=1)
    controller.receive(Changed(after))
    wait_drawn(qtbot, page.map)
    assert page.gallery.groups.rowCount() == 4
    assert page.map._points.layer.data["symbol"][8] == "x"
    page.map.itemSelected.emit(8)
    assert page.item_view._group.text() == "set aside"
    assert not page.item_view.groups.isVisible()


def test_no_group_is_shown_before_an_answer(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview([(0,)] * 6))
    assert names_of(page) == ["No groups yet, 6 items"]
    assert page.map._marks.shown_signs == ()
    assert not page.note.guess.isVisible()  # no method finds groups that share items


# ------------------------------------------------------------------------------ a group's page


@pytest.mark.parametrize("table", [False, True])
def test_pure_items_come_first_then_a_heading_then_the_others(
    qtbot: QtBot, table: bool
) -> None:  # fmt: skip
    _, _, page = shown_page(qtbot, shared_overview(SETS, {1: "Scars"}), table=table)
    page.item_view.groupRequested.emit(0)
    rows = rows_of(page)
    assert [rows[0] in (0, 1), rows[1] in (0, 1), rows[2]] == [True, True, None]
    assert sorted(rows[3:]) == [2, 5, 7, 9]
    model = page.gallery.members.model()
    assert model.index(2, 0).data() == "Also in other groups: 4"
    spoken = {row: str(model.index(at, 0).data(WIDE)) for at, row in enumerate(rows)}
    assert "also in ▲2 Scars" in spoken[2]
    assert "also in ▲2 Scars and ●3" in spoken[7]
    assert "also in" not in spoken[0]
    members = page.gallery.members
    heading = members.visualRect(model.index(2, 0))
    assert heading.width() >= members.viewport().width() - 20
    assert members.visualRect(model.index(3, 0)).top() >= heading.bottom()
    page.grab()
    told = page.gallery._header.together
    assert told.text() == "with ▲2 Scars: 2 items; with ●3: 1 item; with ▲2 Scars and ●3: 1 item"
    assert told.toolTip() == told.text().replace("; ", "\n")
    told.resize(300, told.height())
    assert told.text() == "with ▲2 Scars: 2 items; with ●3: 1 item; 1 more"


def test_keys_pass_over_the_heading(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview(SETS), table=True)
    page.item_view.groupRequested.emit(0)
    members = page.gallery.members
    members.select(rows_of(page)[1])
    qtbot.keyClick(members, Qt.Key.Key_Down)
    assert members.current_item == rows_of(page)[3]
    looked: list[int] = []
    members.itemActivated.connect(looked.append)
    heading = members.visualRect(members.model().index(2, 0)).center()
    qtbot.mouseClick(members.viewport(), Qt.MouseButton.LeftButton, pos=heading)
    assert looked == []


def test_a_group_stays_where_it_was_when_its_items_change(qtbot: QtBot) -> None:
    controller, opened, page = shown_page(qtbot, shared_overview(SETS))
    page.item_view.groupRequested.emit(0)
    page.gallery.members.select(5)
    changed = ((0,), (0, 1), *SETS[2:])
    controller.receive(Changed(moved_on(opened.snapshot, overview=shared_overview(changed))))
    assert rows_of(page).index(None) == 1
    assert page.gallery.members.current_item == 5
    alone = tuple((min(one),) for one in SETS)
    controller.receive(
        Changed(moved_on(controller.snapshot, overview=shared_overview(alone)))
    )  # fmt: skip
    assert None not in rows_of(page)


def test_a_name_goes_to_an_item_that_stands_for_the_group(qtbot: QtBot) -> None:
    controller, _, page = shown_page(qtbot, shared_overview([(0,), (0, 1), (1, 2), (2,), (2,)]))
    page.item_view.groupRequested.emit(1)
    field = page.gallery._header._name
    qtbot.keyClicks(field, "Scars")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(controller.sent))
    (sent,) = controller.sent
    assert isinstance(sent, NameGroup)
    assert sent.item == named_by(controller.snapshot.overview, 1)


def test_a_group_that_nothing_stands_for_cannot_be_named(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview([(0, 1), (0, 1), (2,), (2,)]))
    flags = [page.gallery.groups.flags(page.gallery.groups.index(row)) for row in range(3)]
    can = {
        page.gallery.groups.card_at(row).slot: bool(flag & Qt.ItemFlag.ItemIsEditable)
        for row, flag in enumerate(flags)
    }
    assert can == {0: True, 1: False, 2: True}


# ------------------------------------------------------------------------------ an item


@pytest.mark.parametrize("make", [OverviewDock, OverviewPage])
def test_an_item_leads_to_each_of_its_groups(qtbot: QtBot, make: type) -> None:
    _, _, view = shown_page(qtbot, shared_overview(SETS, {2: "Nails"}), make=make)
    view.map.itemSelected.emit(7)
    groups = view.item_view.groups
    assert [line.text() for line in groups.lines] == ["Group 1", "Group 2", "Nails"]
    assert view.item_view._group.text().startswith("in 3 groups · certainty")
    qtbot.keyClick(groups.lines[2], Qt.Key.Key_Space)
    assert view.gallery.group == 2
    assert view.map.highlighted == 2
    assert view.gallery.members.current_item == 7
    view.map.itemSelected.emit(8)
    assert [line.isVisibleTo(groups) for line in groups.lines] == [True, False, False]


@pytest.mark.parametrize("make", [OverviewDock, OverviewPage])
def test_what_shares_a_group_with_an_item_can_be_looked_at(qtbot: QtBot, make: type) -> None:
    controller, opened, view = shown_page(qtbot, shared_overview(SETS), make=make)
    view.map.itemSelected.emit(8)
    assert view.item_view.groups.in_common.text() == "3 others share a group with it"
    view.item_view.groups.in_common.click()
    assert view.gallery.group == IN_COMMON
    assert sorted(rows_of(view)) == [5, 6, 7]
    faint = [spot["brush"].gradient() is None for spot in view.map._points.layer.data]
    assert not all(faint)
    assert view.map._lit == frozenset({5, 6, 7, 8})
    changed = (*SETS[:8], (1, 2), SETS[9])
    controller.receive(Changed(moved_on(opened.snapshot, overview=shared_overview(changed))))
    assert sorted(rows_of(view)) == [2, 3, 4, 5, 6, 7, 9]
    assert view.map._lit == frozenset({2, 3, 4, 5, 6, 7, 8, 9})
    view.map.itemSelected.emit(5)
    assert view.gallery.group == IN_COMMON  # it is among them
    view.item_view.groups.lines[0].click()
    assert (view.gallery.group, view.map.highlighted, view.map._lit) == (0, 0, None)
    view.gallery.show_in_common(8)
    view.gallery.go_back()
    assert view.map._lit is None


def test_an_item_is_looked_at_in_the_group_that_is_open(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview(SETS))
    page.item_view.groupRequested.emit(1)
    page.map.itemSelected.emit(2)  # of groups 0 and 1
    assert (page.gallery.group, page.map.highlighted) == (1, 1)
    page.map.itemSelected.emit(8)
    assert (page.gallery.group, page.map.highlighted) == (2, 2)


def test_an_answer_that_the_groups_do_not_explain_says_so(qtbot: QtBot) -> None:
    history = (answer_step(1, 0, 0, 8, Verdict.SAME), answer_step(2, 1, 0, 3, Verdict.DIFFERENT))
    controller, _, page = shown_page(qtbot, shared_overview(SETS))
    state = snapshot_of(shared_overview(SETS), history, revision=2)
    controller.receive(Changed(replace(state, overruled=(1,))))
    page.map.itemSelected.emit(0)
    said = page.item_view._said
    texts = [str(said.index(row).data()) for row in range(2)]
    assert texts[0].startswith("Nothing in common")
    assert "not explained" not in texts[0]
    assert texts[1].startswith("In common")
    assert texts[1].endswith("not explained")
    page.grab()


# ------------------------------------------------------------------------------ the map


def test_marks_tell_groups_by_colour_and_two_by_shape() -> None:
    assert look_of((1,)) == look_of((1,))._replace(symbol=theme.slot_symbol(1), larger=1.0)
    two, three = look_of((0, 1)), look_of((0, 1, 2))
    assert isinstance(two.symbol, QPainterPath)
    stops = [color.name() for _, color in two.brush.gradient().stops()]
    assert stops == [theme.slot_color(slot).name() for slot in (0, 0, 1, 1)]
    stops = [color.name() for _, color in three.brush.gradient().stops()]
    assert stops == [theme.slot_color(slot).name() for slot in (0, 0, 1, 1, 2, 2)]
    assert look_of((0, 2)).symbol != two.symbol
    assert look_of((3, 1)).symbol is look_of((3, 1)).symbol  # pyqtgraph draws it once
    assert look_of(()).symbol == "o"
    halves = [look_of((a, b)).symbol for a in range(8) for b in range(8) if a != b]
    assert all(0.95 <= path.boundingRect().height() <= 1.0 for path in halves)


def test_a_group_lights_up_with_all_its_items(qtbot: QtBot) -> None:
    _, _, page = shown_page(qtbot, shared_overview(SETS))

    def faint() -> list[bool]:
        found = []
        for brush in page.map._points.layer.data["brush"]:
            stops = brush.gradient()
            color = brush.color() if stops is None else stops.stops()[0][1]
            found.append(color.alphaF() < 0.2)
        return found

    page.map.highlight(0)
    assert faint() == [0 not in one for one in SETS]
    page.map.highlight(2)
    assert faint() == [2 not in one for one in SETS]
    page.map.highlight(None)
    assert not any(faint())


def test_a_sign_stands_amid_the_items_of_its_group_alone(qtbot: QtBot) -> None:
    overview = shared_overview(SETS)
    _, opened, page = shown_page(qtbot, overview)
    signs = {sign.slot: sign.pos() for sign in page.map._marks._signs}
    for group in overview.groups:
        x, y = np.median(opened.coordinates[heart(group)], axis=0)
        assert (signs[group.slot].x(), signs[group.slot].y()) == pytest.approx((x, y))


def test_the_card_under_the_pointer_names_all_groups(qtbot: QtBot) -> None:
    _, opened, page = shown_page(qtbot, shared_overview(SETS, {1: "Scars"}))
    page.map._card.show_item(7, opened.snapshot.overview, page.map.point_of(7))
    text = page.map._card._text.text()
    assert "■1\n▲2 Scars\n●3\ncertainty" in text


def test_the_legend_tells_of_the_marks_there_are(qtbot: QtBot) -> None:
    controller, opened, page = shown_page(qtbot, shared_overview(SETS))
    legend = page.map.legend
    assert legend.isVisible()
    assert "■1 and ▲2" in legend.two.toolTip()
    assert legend.more.isVisible()
    pairs = shared_overview(tuple(one[:2] for one in SETS))
    controller.receive(Changed(moved_on(opened.snapshot, overview=pairs)))
    wait_drawn(qtbot, page.map)
    assert legend.two.isVisible()
    assert not legend.more.isVisible()


def test_only_what_looks_different_is_drawn_anew(qtbot: QtBot) -> None:
    places, _ = blobs(200, 4)
    rng = np.random.default_rng(0)
    sets = [tuple(sorted(rng.choice(4, rng.integers(1, 4), replace=False))) for _ in range(200)]
    points, drawn = MapPoints(places), []
    draw = points._draw

    def count(changed: np.ndarray) -> None:
        drawn.append(int(changed.sum()))
        draw(changed)

    points._draw = count
    points.restyle(shared_overview(sets), frozenset(), None)
    points.restyle(shared_overview(sets), frozenset(), None)
    fresh = [(0, 1, 2, 3), *sets[1:]]  # a set that was not there before: places in `sets` move
    points.restyle(shared_overview(fresh), frozenset(), None)
    assert drawn == [200, 1]
    assert points.layer.data["size"][0] > points._size


def test_light_and_dark_and_very_many(qtbot: QtBot, qapp: object) -> None:
    n = MOST + 1000
    sets = [SETS[item % len(SETS)] for item in range(n)]
    _, _, page = shown_page(qtbot, shared_overview(sets))
    light = page.map.grab().toImage()
    theme.apply(qapp, "dark")  # type: ignore[arg-type]
    dark = page.map.grab().toImage()
    assert light != dark
    two = next(at for at, item in enumerate(page.map._points.drawn) if len(sets[item]) == 2)
    colors = {
        stop[1].name() for stop in page.map._points.layer.data["brush"][two].gradient().stops()
    }
    assert colors <= {color.lower() for color in theme.DARK.slots}


def test_an_ordinary_project_draws_as_before(qtbot: QtBot) -> None:
    places, labels = blobs(60, 8)
    overview = overview_of(labels)
    points = MapPoints(places)
    points.restyle(overview, frozenset({3}), None)
    spots = points.layer.data
    for item, slot in enumerate(labels.tolist()):
        assert spots["symbol"][item] == ("x" if item == 3 else theme.slot_symbol(slot))
        assert spots["brush"][item].gradient() is None
        assert spots["size"][item] == points._size
        shown = theme.slot_color(-1 if item == 3 else slot).name()
        assert spots["brush"][item].color().name() == shown


# ------------------------------------------------------------------------------ with the engine


def test_real_groups_that_share_items(qtbot: QtBot, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)] * 8
    middles = 4 * np.eye(3)
    points = np.array([middles[list(one)].sum(0) for one in truth])
    points += 0.1 * rng.normal(size=points.shape)
    rows = [f"r{at},{','.join(map(str, row.round(4)))}" for at, row in enumerate(points)]
    source = tmp_path / "rows.csv"
    source.write_text("\n".join(["name,x,y,z", *rows]), encoding="utf-8")
    engine = worker.EngineWorker()
    thread = worker.start(engine)
    controller = Controller(engine)
    page = OverviewPage(controller, RecordedPictures())  # type: ignore[arg-type]
    qtbot.addWidget(page)
    page.resize(1000, 640)
    page.show()
    try:
        controller.send(
            CreateProject(
                source, tmp_path / "p.pairloom", "table", 0, "composing", {"groups": "3"}
            )
        )  # fmt: skip
        qtbot.waitUntil(
            lambda: controller.snapshot is not None and not controller.busy, timeout=60_000
        )
        for _ in range(6):
            question = controller.snapshot.question
            a, b = question.pair
            verdict = Verdict.DIFFERENT if set(truth[a]).isdisjoint(truth[b]) else Verdict.SAME
            was = controller.snapshot.revision
            controller.send(Tell(was, a, b, verdict))
            qtbot.waitUntil(
                lambda was=was: controller.snapshot.revision > was and not controller.busy,
                timeout=60_000,
            )
        overview = controller.snapshot.overview
        assert [slots_of(overview, item) for item in range(6)].count(()) == 0
        mixed = next(item for item in range(6) if len(slots_of(overview, item)) == 2)
        slot = slots_of(overview, mixed)[1]
        page.map.itemSelected.emit(mixed)
        page.item_view.groups.lines[1].click()
        assert page.gallery.group == slot
        assert None in rows_of(page)
        page.gallery.groups.rename(page.gallery.groups.card(slot), "Scars")
        qtbot.waitUntil(lambda: page.gallery.groups.card(slot).name == "Scars", timeout=60_000)
    finally:
        page.close()
        QCoreApplication.processEvents()
        worker.stop(engine, thread)
