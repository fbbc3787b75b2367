"""The map, the dock and the page: fixed places, stable view, one choice shown everywhere."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit, QSlider
from pytestqt.qtbot import QtBot

from desktop import theme
from desktop.docks.overview import OverviewDock
from desktop.messages import Changed, Replayed
from desktop.pages.overview import OverviewPage
from desktop.widgets import trail
from desktop.widgets.groups.map_points import MOST, MapPoints
from desktop.widgets.groups.scatter_map import ScatterMap
from desktop.widgets.item_words import ItemWords, to_number
from engine.model import Pair, StepKind, Verdict
from tests.gui.handmade import (
    RecordedPictures,
    answer_step,
    blobs,
    chain,
    controller_on,
    moved_on,
    overview_of,
    snapshot_of,
)

View = tuple[float, float, float, float]


@pytest.fixture(autouse=True, scope="module")
def look(qapp: object) -> None:
    theme.apply(qapp, "light")  # type: ignore[arg-type]


@pytest.fixture
def light_again(qapp: object) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")  # type: ignore[arg-type]


@pytest.fixture
def pictures() -> RecordedPictures:
    return RecordedPictures()


def view_of(scatter: ScatterMap) -> View:
    return scatter._box.viewRect().getRect()


def shown_map(qtbot: QtBot, pictures: RecordedPictures, **study: object) -> tuple:
    controller, opened = controller_on(**study)  # type: ignore[arg-type]
    scatter = ScatterMap(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(scatter)
    scatter.resize(360, 320)
    scatter.show()
    qtbot.waitExposed(scatter)
    controller.receive(opened)
    return controller, opened, scatter


def wait_drawn(qtbot: QtBot, scatter: ScatterMap) -> None:
    """Wait until the map shows the state that is shown."""
    qtbot.waitUntil(lambda: scatter._drawn == scatter._state())


# ------------------------------------------------------------------------------ the map


@pytest.mark.parametrize("size", [(360, 320), (900, 240), (240, 600)])
def test_the_whole_map_leaves_room_for_the_signs(
    qtbot: QtBot, pictures: RecordedPictures, size: tuple[int, int]
) -> None:
    _, opened, scatter = shown_map(qtbot, pictures)
    scatter.resize(*size)
    qtbot.wait(120)
    points = [scatter.point_of(item) for item in range(len(opened.items))]
    assert min(point.y() for point in points) >= 30
    assert max(point.y() for point in points) <= size[1] - 12
    assert min(point.x() for point in points) >= 12
    assert max(point.x() for point in points) <= size[0] - 12
    room = scatter._view.rect()
    for sign in scatter._marks._signs:
        there = sign.boundingRect().translated(scatter._box.mapViewToDevice(sign.pos()))
        assert room.contains(there.toRect())


def test_the_pair_and_the_item_looked_at_lie_above_the_signs(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    _, _, scatter = shown_map(qtbot, pictures, pair=Pair(0, 1))
    marks = scatter._marks
    signs = max(sign.zValue() for sign in marks._signs)
    assert min(marks._pair.zValue(), marks._selected.zValue()) > signs


def test_an_answer_recolours_and_keeps_view_and_selection(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures, pair=Pair.of(1, 6))
    scatter.zoom_in()
    scatter.zoom_in()
    scatter.select(9)
    view, places = view_of(scatter), scatter._points.layer.getData()
    labels = opened.snapshot.overview.slots.copy()
    labels[labels == 3] = 0
    controller.receive(Changed(moved_on(opened.snapshot, overview=overview_of(labels))))
    wait_drawn(qtbot, scatter)
    assert view_of(scatter) == view
    assert scatter.selected == 9
    assert np.array_equal(scatter._points.layer.getData(), places)
    assert scatter._marks.shown_signs  # the signs are those of the new groups
    assert 3 not in {sign.slot for sign in scatter._marks._signs}


def test_colours_and_signs_stay_with_the_slot(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures)
    spots = scatter._points.layer.data
    before = [(spot["symbol"], spot["brush"].color().rgb()) for spot in spots]
    grown = opened.snapshot.overview.slots.copy()
    grown[:2] = 1
    controller.receive(Changed(moved_on(opened.snapshot, overview=overview_of(grown))))
    wait_drawn(qtbot, scatter)
    after = [(spot["symbol"], spot["brush"].color().rgb()) for spot in spots]
    unmoved = grown == opened.snapshot.overview.slots
    assert [a for a, same in zip(after, unmoved, strict=True) if same] == [
        b for b, same in zip(before, unmoved, strict=True) if same
    ]
    signs = {slot: theme.slot_symbol(slot) for slot in range(4)}
    assert len(set(signs.values())) == 4
    assert all(spots["symbol"][item] == signs[slot] for item, slot in enumerate(grown))


def test_only_what_looks_different_is_drawn_anew(qtbot: QtBot) -> None:
    places, labels = blobs(200, 4)
    points, overview = MapPoints(places), overview_of(labels)
    drawn: list[int] = []
    draw = points._draw

    def count(changed: np.ndarray) -> None:
        drawn.append(int(changed.sum()))
        draw(changed)

    points._draw = count
    points.restyle(overview, frozenset(), None)
    points.restyle(overview, frozenset(), None)
    moved = overview.slots.copy()
    moved[:3] = 3
    points.restyle(replace(overview, slots=moved), frozenset({5}), None)
    assert drawn == [200, 4]


def test_undecided_and_set_aside_items_look_different_from_groups(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures)
    labels = opened.snapshot.overview.slots.copy()
    labels[[4, 5]] = -1
    aside = replace(answer_step(1, 0, 0, 1), kind=StepKind.SET_ASIDE, answer=None, items=(5,))
    after = moved_on(opened.snapshot, overview=overview_of(labels), history=(aside,), position=1)
    controller.receive(Changed(after))
    wait_drawn(qtbot, scatter)
    spots = scatter._points.layer.data
    grey = theme.slot_color(-1).name()
    assert [spots["brush"][item].color().name() for item in (4, 5)] == [grey, grey]
    assert (spots["symbol"][4], spots["symbol"][5]) == ("o", "x")


def test_the_pair_in_hand_is_marked_and_joined(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures, pair=Pair.of(2, 7), history=chain(3))
    xs, ys = scatter._marks._line.getData()
    assert np.allclose(np.c_[xs, ys], opened.coordinates[[2, 7]])
    replayed = replace(opened.snapshot, position=2, live=False, question=None)
    controller.view(2)
    controller.receive(Replayed(replayed))
    wait_drawn(qtbot, scatter)
    xs, ys = scatter._marks._line.getData()
    assert np.allclose(
        np.c_[xs, ys], opened.coordinates[list(opened.snapshot.history[1].answer.pair)]
    )
    controller.view(None)
    wait_drawn(qtbot, scatter)
    xs, ys = scatter._marks._line.getData()
    assert np.allclose(np.c_[xs, ys], opened.coordinates[[2, 7]])


def test_look_ahead_draws_nothing_again(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures)
    signs = scatter._marks._signs
    controller.receive(Changed(replace(opened.snapshot, next_if={Verdict.SAME: None})))
    qtbot.wait(20)
    assert scatter._marks._signs is signs


def test_states_in_quick_succession_are_drawn_once(
    qtbot: QtBot, pictures: RecordedPictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures)
    drawn: list[int] = []
    draw = scatter._draw
    monkeypatch.setattr(
        scatter, "_draw", lambda: (drawn.append(controller.snapshot.revision), draw())
    )
    for revision in range(2, 7):
        controller.receive(Changed(replace(opened.snapshot, revision=revision)))
    assert drawn == []  # what else changed, such as the pair, comes first
    wait_drawn(qtbot, scatter)
    assert drawn == [6]


def test_a_group_stands_out(qtbot: QtBot, pictures: RecordedPictures) -> None:
    _, opened, scatter = shown_map(qtbot, pictures)
    scatter.highlight(2)
    slots = opened.snapshot.overview.slots
    faint = [spot["brush"].color().alphaF() < 0.2 for spot in scatter._points.layer.data]
    assert faint == [slot != 2 for slot in slots]
    scatter.highlight(None)
    assert not any(spot["brush"].color().alphaF() < 0.2 for spot in scatter._points.layer.data)


def test_hover_shows_the_item_and_click_selects_it(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    _, opened, scatter = shown_map(qtbot, pictures)
    port = scatter._view.viewport()
    where = scatter.point_of(7)
    qtbot.mouseMove(port, where)
    qtbot.waitUntil(lambda: scatter._card.item == scatter.item_at(where) is not None)
    assert opened.items[scatter._card.item].name in scatter._card._text.text()
    assert theme.slot_text(int(opened.snapshot.overview.slots[7])) in scatter._card._text.text()
    assert scatter.rect().contains(scatter._card.geometry())
    with qtbot.waitSignal(scatter.itemSelected) as caught:
        qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=where)
    assert caught.args == [scatter.selected]


def test_a_drag_is_no_click(qtbot: QtBot, pictures: RecordedPictures) -> None:
    _, _, scatter = shown_map(qtbot, pictures)
    port, where = scatter._view.viewport(), scatter.point_of(7)
    with qtbot.assertNotEmitted(scatter.itemSelected):
        qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=where)
        qtbot.mouseMove(port, where + QPoint(40, 0))
        qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=where + QPoint(40, 0))


def test_the_map_is_walked_by_keyboard(qtbot: QtBot, pictures: RecordedPictures) -> None:
    _, opened, scatter = shown_map(qtbot, pictures)
    scatter.setFocus()
    seen = []
    scatter.itemSelected.connect(seen.append)
    for _ in range(3):
        qtbot.keyClick(scatter._view, Qt.Key.Key_Right)
    xs = opened.coordinates[seen, 0]
    assert len(seen) >= 2
    assert np.all(np.diff(xs) > 0)
    view = view_of(scatter)
    qtbot.keyClick(scatter._view, Qt.Key.Key_Plus)
    assert view_of(scatter)[2] < view[2]
    qtbot.keyClick(scatter._view, Qt.Key.Key_0)
    assert view_of(scatter) == pytest.approx(view)


def test_a_whole_map_stays_whole_when_resized_a_zoomed_one_stays_zoomed(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    _, _, scatter = shown_map(qtbot, pictures)
    scatter.resize(700, 400)
    x, y, width, height = view_of(scatter)
    extent = scatter._points.extent
    assert x < extent.left()
    assert x + width > extent.right()
    assert y < extent.top()
    assert y + height > extent.bottom()
    scatter.zoom_in()
    scatter.resize(360, 320)
    assert view_of(scatter)[2] < width


def test_very_large_sets_are_thinned_and_shown_in_full_when_near(qtbot: QtBot) -> None:
    places, _ = blobs(MOST + 5_000, 3)
    points = MapPoints(places)
    assert len(points.drawn) < MOST
    assert points.look_at(points.extent) is False  # an even choice of all is drawn already
    near = points.extent
    near.setWidth(near.width() / 8)
    near.setHeight(near.height() / 8)
    points.look_at(near)
    x, y = places[points.drawn].T
    inside = (places[:, 0] <= near.right()) & (places[:, 1] <= near.bottom())
    assert len(points.drawn) == min(10_000, int((inside & (places[:, 0] >= near.left())).sum()))
    assert (x <= near.right() + 1e-6).all()
    assert (y <= near.bottom() + 1e-6).all()


def test_crowded_signs_give_way_to_larger_groups(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened, scatter = shown_map(qtbot, pictures)
    heap = np.zeros_like(opened.coordinates) + np.linspace(0, 1e-4, 40)[:, None].astype(np.float32)
    controller.receive(replace(opened, coordinates=heap))
    scatter._marks.give_way()
    largest = opened.snapshot.overview.groups[0].slot
    assert scatter._marks.shown_signs[0] == largest
    assert len(scatter._marks.shown_signs) < 4


@pytest.mark.usefixtures("light_again")
def test_light_and_dark(qtbot: QtBot, qapp: object, pictures: RecordedPictures) -> None:
    _, _, scatter = shown_map(qtbot, pictures)
    view = view_of(scatter)
    light = scatter.grab().toImage().pixelColor(4, 4)
    theme.apply(qapp, "dark")  # type: ignore[arg-type]
    dark = scatter.grab().toImage().pixelColor(4, 4)
    assert (light.lightness() > 200, dark.lightness() < 80) == (True, True)
    assert scatter._points.layer.data["brush"][0].color().rgb() != 0
    assert view_of(scatter) == view


# ------------------------------------------------------------------------------ what is read


def test_the_trail_reads_the_state_that_is_shown() -> None:
    history = (
        answer_step(1, 0, 0, 1, Verdict.SAME),
        answer_step(2, 1, 1, 2, Verdict.DIFFERENT),
        answer_step(3, 2, 1, 0, Verdict.UNSURE, kind=StepKind.REVISE, target=1),
        answer_step(4, 1, 3, 1, Verdict.SAME, on_path=False),
    )
    _, labels = blobs(6, 2)
    now = snapshot_of(overview_of(labels), history, position=3)
    said = trail.answers_about(now, 1)
    assert [(s.seq, s.answer.verdict) for s in said] == [
        (2, Verdict.DIFFERENT),
        (1, Verdict.UNSURE),
    ]
    branch = replace(now, position=4, live=False)
    assert [step.seq for step in trail.path_of(branch)] == [1, 4]
    assert trail.pair_in_hand(branch) == Pair.of(1, 3)
    assert trail.pair_in_hand(replace(now, position=0, live=False)) is None


def test_rows_are_told_by_their_odd_cells_never_by_their_label() -> None:
    _, opened = controller_on(30, 3, table=True)
    words = ItemWords(opened)
    assert not words.has_pictures
    cells = words.telling(6, (0, 1, 2, 3), limit=2)
    assert cells[0].column == "radius"
    shown = {cell.text for cell in words.cells(6)} | {cell.text for cell in cells}
    assert "secret" not in shown
    assert (to_number("3,25"), to_number("3.5"), to_number("left")) == (3.25, 3.5, None)


# ------------------------------------------------------------------------------ dock and page


@pytest.mark.parametrize("make", [OverviewDock, OverviewPage])
def test_a_choice_is_shown_everywhere(
    qtbot: QtBot, pictures: RecordedPictures, make: type[OverviewDock]
) -> None:
    controller, opened = controller_on(history=chain(12))
    view = make(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(view)
    view.resize(360, 700)
    view.show()
    controller.receive(opened)
    view.map.itemSelected.emit(7)
    assert view.item_view.item == 7
    assert opened.items[7].name in view.item_view._name.text()
    view.item_view._show_group.click()
    assert view.gallery.group == opened.snapshot.overview.slots[7]
    assert view.map.highlighted == view.gallery.group
    assert view.gallery.members.current_item == 7
    view.gallery.members.itemActivated.emit(11)
    assert (view.map.selected, view.item_view.item) == (11, 11)
    controller.receive(opened)  # another project: nothing is chosen any more
    assert (view.map.selected, view.item_view.item, view.gallery.group) == (None, None, None)


def test_replay_is_shown_by_all_views(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened = controller_on(history=chain(12))
    dock = OverviewDock(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(dock)
    dock.show()
    controller.receive(opened)
    alone = overview_of(np.zeros(40, dtype=np.int32))
    controller.view(1)
    controller.receive(Replayed(replace(opened.snapshot, overview=alone, position=1, live=False)))
    wait_drawn(qtbot, dock.map)
    assert dock.gallery.groups.rowCount() == 1
    assert {sign.slot for sign in dock.map._marks._signs} == {0}
    assert not dock.gallery.groups.flags(dock.gallery.groups.index(0)) & Qt.ItemFlag.ItemIsEditable
    controller.view(None)
    assert dock.gallery.groups.rowCount() == 4


def test_the_item_view_tells_its_answers(qtbot: QtBot, pictures: RecordedPictures) -> None:
    history = (answer_step(1, 0, 7, 3, Verdict.DIFFERENT),)
    controller, opened = controller_on(history=history, table=True)
    page = OverviewPage(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(page)
    page.show()
    controller.receive(opened)
    page.map.itemSelected.emit(7)
    view = page.item_view
    assert view._said.rowCount() == 1
    assert "row 4" in view._said.data(view._said.index(0))
    assert view._cells.rowCount() == 3
    assert not view._picture.isVisible()
    with qtbot.waitSignal(view.itemSelected) as caught:
        view._answers.clicked.emit(view._said.index(0))
    assert caught.args == [3]
    assert view.item == 3


def test_of_use_at_300_pixels(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened = controller_on()
    dock = OverviewDock(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(dock)
    controller.receive(opened)
    assert dock.minimumSizeHint().width() <= 300
    dock.gallery.show_group(1)
    dock.item_view.show_item(3)
    assert dock.minimumSizeHint().width() <= 300


@pytest.mark.parametrize("make", [OverviewDock, OverviewPage])
def test_all_that_is_used_has_a_name(
    qtbot: QtBot, pictures: RecordedPictures, make: type[OverviewDock]
) -> None:
    controller, opened = controller_on()
    view = make(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(view)
    controller.receive(opened)
    assert view.map._view.accessibleName()
    kinds = (QAbstractButton, QAbstractItemView, QLineEdit, QSlider)
    for kind in kinds:
        for part in view.findChildren(kind):
            if part.objectName().startswith("qt_") or type(part).__name__ == "QHeaderView":
                continue
            named = part.accessibleName() or (isinstance(part, QAbstractButton) and part.text())
            assert named, part


def test_nothing_is_kept_of_a_closed_view(qtbot: QtBot, pictures: RecordedPictures) -> None:
    controller, opened = controller_on()
    for make in (OverviewDock, OverviewPage):
        view = make(controller, pictures)  # type: ignore[arg-type]
        controller.receive(opened)
        gone = weakref.ref(view)
        view.close()
        view.deleteLater()
        del view
        qtbot.wait(1)
        gc.collect()
        assert gone() is None
    controller.receive(Changed(moved_on(opened.snapshot)))  # nobody hears it, nothing breaks


def test_the_page_says_that_it_shows_an_earlier_state(
    qtbot: QtBot, pictures: RecordedPictures
) -> None:
    controller, opened = controller_on()
    page = OverviewPage(controller, pictures)  # type: ignore[arg-type]
    qtbot.addWidget(page)
    page.show()
    controller.receive(opened)
    assert not page.replay.isVisible()
    controller.view(0)
    controller.receive(Replayed(replace(opened.snapshot, position=0, live=False)))
    assert page.replay.isVisible()
    assert "Before the first step" in page.replay.text
    page.replay.back.click()
    assert not controller.replaying
    assert not page.replay.isVisible()
