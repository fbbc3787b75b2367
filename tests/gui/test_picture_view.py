from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.pictures import DisplayPicture, Preset, Window
from desktop.widgets.judging.linked_views import LinkedViews
from desktop.widgets.judging.picture_view import FITTED, PictureView
from engine.readers.images import Picture

NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


def grey(width: int = 200, height: int = 100, low: int = 0, high: int = 4000) -> DisplayPicture:
    ramp = np.linspace(low, high, width * height).reshape(height, width).astype(np.uint16)
    return DisplayPicture(Picture(ramp, window=(low, high), bits=16))


def colour(width: int = 200, height: int = 100) -> DisplayPicture:
    return DisplayPicture(Picture(np.zeros((height, width, 3), np.uint8)))


class Pair(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = PictureView(self), PictureView(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.left)
        row.addWidget(self.right)
        self.views = LinkedViews(self.left, self.right)


@pytest.fixture
def pair(qtbot: QtBot) -> Pair:
    pair = Pair()
    qtbot.addWidget(pair)
    pair.resize(800, 200)
    with qtbot.waitExposed(pair):
        pair.show()
    show(pair, grey(), grey())
    return pair


def show(pair: Pair, left: DisplayPicture, right: DisplayPicture) -> None:
    pair.views.begin()
    pair.left.show_picture(left, 1)
    pair.views.picture_shown()
    pair.right.show_picture(right, 1)
    pair.views.picture_shown()


def wheel(view: PictureView, notches: float, at: tuple[float, float], modifiers=NONE) -> None:
    point = QPointF(*at)
    view.wheelEvent(
        QWheelEvent(
            point,
            view.mapToGlobal(point),
            QPoint(),
            QPoint(0, int(120 * notches)),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
    )


def drag(view: PictureView, by: tuple[float, float], button=LEFT, modifiers=NONE) -> None:
    start, end = QPointF(100, 50), QPointF(100 + by[0], 50 + by[1])
    for kind, point, buttons in (
        (QMouseEvent.Type.MouseButtonPress, start, button),
        (QMouseEvent.Type.MouseMove, end, button),
        (QMouseEvent.Type.MouseButtonRelease, end, Qt.MouseButton.NoButton),
    ):
        event = QMouseEvent(kind, point, view.mapToGlobal(point), button, buttons, modifiers)
        {
            QMouseEvent.Type.MouseButtonPress: view.mousePressEvent,
            QMouseEvent.Type.MouseMove: view.mouseMoveEvent,
            QMouseEvent.Type.MouseButtonRelease: view.mouseReleaseEvent,
        }[kind](event)


def test_painted_comes_once_and_only_for_a_picture(qtbot: QtBot) -> None:
    view = PictureView()
    qtbot.addWidget(view)
    tokens: list[int] = []
    view.painted.connect(tokens.append)
    with qtbot.waitExposed(view):
        view.show()
    view.show_message("Loading…")
    view.repaint()
    assert tokens == []
    view.show_picture(colour(), 5)
    view.repaint()
    view.repaint()
    assert tokens == [5]
    view.show_message("broken", failed=True)
    view.repaint()
    assert tokens == [5]
    assert view.picture is None  # the one before is gone


def test_the_wheel_zooms_at_the_cursor(pair: Pair) -> None:
    at = QPointF(300, 50)
    before = pair.left._to_picture(at)
    wheel(pair.left, 3, (300, 50))
    after = pair.left._to_picture(at)
    assert pair.left.place.zoom == pytest.approx(1.25**3)
    assert (after.x(), after.y()) == pytest.approx((before.x(), before.y()))


def test_both_sides_move_together(pair: Pair) -> None:
    wheel(pair.left, 4, (300, 50))
    drag(pair.right, (-30, 20))
    assert pair.left.place == pytest.approx(pair.right.place)


def test_pictures_of_different_sizes_do_not_drift(pair: Pair) -> None:
    show(pair, grey(200, 100), grey(1000, 500))
    for _ in range(30):
        wheel(pair.left, 1, (310, 60))
        wheel(pair.right, -1, (90, 150))
    assert pair.left.place == pytest.approx(pair.right.place)


def test_linking_keeps_the_offset(pair: Pair) -> None:
    wheel(pair.left, 4, (200, 100))
    pair.views.toggle_link()
    drag(pair.right, (40, 0))  # the right one alone
    assert pair.left.place.x != pytest.approx(pair.right.place.x)
    offset = pair.right.place.x - pair.left.place.x
    pair.views.toggle_link()
    drag(pair.left, (-20, 10))
    assert pair.right.place.x - pair.left.place.x == pytest.approx(offset)
    wheel(pair.right, 2, (200, 100))
    assert pair.right.place.x - pair.left.place.x == pytest.approx(offset)
    pair.views.fit()
    assert pair.left.place == pair.right.place == FITTED


def test_ctrl_moves_one_side_only(pair: Pair) -> None:
    wheel(pair.left, 4, (200, 100))
    left = pair.left.place
    drag(pair.right, (25, 0), modifiers=CTRL)
    assert pair.left.place == left
    offset = pair.right.place.x - left.x
    assert offset != 0
    drag(pair.left, (-10, 0))
    assert pair.right.place.x - pair.left.place.x == pytest.approx(offset)


def test_actual_size_and_fit(pair: Pair) -> None:
    show(pair, grey(200, 100), grey(1000, 500))
    pair.views.actual_size()
    assert pair.left.scale == pytest.approx(1)
    assert pair.right.scale == pytest.approx(1)
    assert "100" in pair.left.readout()
    pair.views.fit()
    assert pair.left.readout() == ""


def test_a_magnified_picture_stays_so_when_the_window_grows(pair: Pair) -> None:
    pair.views.actual_size()
    pair.resize(1200, 500)
    assert pair.left.scale == pytest.approx(1)
    pair.views.fit()
    pair.resize(600, 200)
    assert pair.left.place == FITTED


def test_a_new_picture_is_shown_fitted(pair: Pair) -> None:
    wheel(pair.left, 4, (300, 50))
    show(pair, grey(), grey())
    assert pair.left.place == FITTED


def test_a_picture_cannot_be_lost_outside_the_view(pair: Pair) -> None:
    drag(pair.left, (5000, 5000))
    assert pair.left.place[1:] == (0, 0)


def test_right_drag_sets_window_and_level_of_both(pair: Pair) -> None:
    drag(pair.left, (-150, 30), RIGHT)
    for view in (pair.left, pair.right):
        assert view.window_values is not None
        assert view.window_values.width == pytest.approx(2000)
        assert view.window_values.level == pytest.approx(2400)
    assert "2" in pair.left.readout()
    assert pair.left.place == FITTED


def test_ctrl_right_drag_windows_one_side_and_the_offset_stays(pair: Pair) -> None:
    drag(pair.left, (-150, 0), RIGHT, CTRL)
    assert pair.right.window_values is None
    drag(pair.left, (-30, 0), RIGHT)
    assert pair.left.window_values is not None
    assert pair.right.window_values is not None
    assert pair.left.window_values.width == pytest.approx(1600)
    assert pair.right.window_values.width == pytest.approx(3600)


def test_a_window_is_never_of_no_width(pair: Pair) -> None:
    drag(pair.left, (-9000, 0), RIGHT)
    assert pair.left.window_values is not None
    assert pair.left.window_values.width > 0
    pair.left.repaint()


def test_colour_has_no_window(pair: Pair) -> None:
    show(pair, colour(), colour())
    assert not pair.views.any_grey
    drag(pair.left, (-150, 30), RIGHT)
    assert pair.left.window_values is None


def test_window_and_inversion_last_to_the_next_pair(pair: Pair) -> None:
    drag(pair.left, (-150, 0), RIGHT)
    pair.views.toggle_invert()
    window = pair.left.window_values
    show(pair, grey(high=3000), grey())
    assert pair.left.window_values == window
    assert pair.left.inverted
    pair.views.reset_window()
    assert pair.left.window_values is None
    assert not pair.right.inverted


def test_fractions_are_windowed_afresh(pair: Pair) -> None:
    """Their codes are fitted to each picture: a window of one says nothing about another."""
    drag(pair.left, (-150, 0), RIGHT)
    pixels = np.linspace(0, 1, 100).reshape(10, 10).astype(np.float32)
    fractions = DisplayPicture(Picture(pixels, bits=32))
    show(pair, fractions, fractions)
    assert pair.left.window_values is None


def test_presets_go_round_and_serve_both_sides(pair: Pair) -> None:
    show(pair, grey(low=100, high=2000), grey(low=50, high=1000))
    pair.views.step_preset(1)
    assert pair.views.preset is Preset.FULL
    assert pair.left.window_values == pair.right.window_values == Window(50, 2000)
    pair.views.step_preset(-1)
    assert pair.views.preset is Preset.STORED
    assert pair.left.window_values is None
    for _ in Preset:
        pair.views.step_preset(1)
        pair.left.repaint()
    assert pair.views.preset is Preset.STORED


def test_strong_magnification_shows_squares(pair: Pair) -> None:
    pixels = np.zeros((20, 40), np.uint8)
    pixels[:, 20:] = 255
    show(pair, DisplayPicture(Picture(pixels)), DisplayPicture(Picture(pixels)))
    shades = {pair.left.grab().toImage().pixelColor(x, 100).red() for x in range(60, 340)}
    assert shades == {0, 255}  # at ten screen pixels a pixel: no blur between
