from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from desktop import pictures
from desktop.pictures import DisplayPicture, Preset, Window
from engine.readers.images import Picture


def drawn(picture: DisplayPicture, side: int, **how: object) -> QImage:
    """Draw the whole picture into a square."""
    canvas = QImage(side, side, QImage.Format.Format_RGB32)
    canvas.fill(QColor("magenta"))
    painter = QPainter(canvas)
    whole = QRectF(0, 0, picture.size.width(), picture.size.height())
    picture.draw(painter, QRectF(0, 0, side, side), whole, **how)  # type: ignore[arg-type]
    painter.end()
    return canvas


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [(np.uint16, 1000, 3000), (np.int16, -1000, 1000), (np.float32, -0.5, 0.5)],
)
def test_deep_grey_is_windowed_in_its_own_units(
    qapp: object, dtype: type, low: float, high: float
) -> None:
    pixels = np.full((8, 8), low, dtype)
    pixels[:, 4:] = high
    picture = DisplayPicture(Picture(pixels, window=(low, high), bits=16))
    shown = drawn(picture, 8, smooth=False)
    assert shown.pixelColor(1, 1).red() == 0
    assert shown.pixelColor(6, 1).red() == 255
    middle = (low + high) / 2
    shown = drawn(picture, 8, smooth=False, window=Window(middle - 1e6, middle + 1e6))
    assert abs(shown.pixelColor(1, 1).red() - 127) <= 1
    assert drawn(picture, 8, smooth=False, invert=True).pixelColor(1, 1).red() == 255


def test_presets_leave_out_what_is_rare(qapp: object) -> None:
    pixels = np.full((100, 100), 500, np.uint16)
    pixels[:50] = 400
    pixels[0, 0], pixels[0, 1] = 0, 65535  # a dead and a hot pixel
    greys = DisplayPicture(Picture(pixels, bits=16)).greys
    assert greys is not None
    assert greys.windows[Preset.FULL] == Window(0, 65535)
    assert greys.windows[Preset.STORED] == Window(400, 500)
    assert greys.windows[Preset.MIDDLE] == Window(400, 500)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.float32])
def test_a_picture_of_one_value_can_be_windowed(qapp: object, dtype: type) -> None:
    picture = DisplayPicture(Picture(np.full((5, 5), 7, dtype)))
    assert picture.greys is not None
    assert all(window.width > 0 for window in picture.greys.windows.values())
    drawn(picture, 5)


def test_fractions_that_are_no_numbers_are_black(qapp: object) -> None:
    pixels = np.array([[np.nan, np.inf], [0.0, 1.0]], np.float32)
    picture = DisplayPicture(Picture(pixels, window=(0.0, 1.0), bits=32))
    shown = drawn(picture, 2, smooth=False)
    assert shown.pixelColor(0, 0).red() == 0
    assert shown.pixelColor(1, 1).red() == 255
    everything_else = DisplayPicture(Picture(np.full((2, 2), np.nan, np.float32)))
    drawn(everything_else, 2)


def test_colour_is_inverted_too(qapp: object) -> None:
    picture = DisplayPicture(Picture(np.full((4, 4, 3), (255, 0, 10), np.uint8)))
    assert picture.greys is None
    assert drawn(picture, 4).pixelColor(2, 2) == QColor(255, 0, 10)
    assert drawn(picture, 4, invert=True).pixelColor(2, 2) == QColor(0, 255, 245)


def test_a_large_picture_is_reduced_but_keeps_its_coordinates(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PIXELS", 600 * 600)
    pixels = np.zeros((1200, 1200, 3), np.uint8)
    pixels[600:] = 255
    picture = DisplayPicture(Picture(pixels))
    assert picture.reduction == 2
    assert (picture.size.width(), picture.size.height()) == (1200, 1200)
    assert picture.n_bytes < 2 * 600 * 600 * 4
    shown = drawn(picture, 100)
    assert shown.pixelColor(50, 40).red() == 0
    assert shown.pixelColor(50, 60).red() == 255


def test_a_fine_pattern_does_not_alias_when_small(qapp: object) -> None:
    pixels = np.zeros((1024, 1024), np.uint8)
    pixels[::2] = 255
    shown = drawn(DisplayPicture(Picture(pixels)), 64)
    assert all(abs(shown.pixelColor(x, x).red() - 128) <= 2 for x in range(64))


def test_an_image_of_any_size(qapp: object) -> None:
    picture = DisplayPicture(Picture(np.zeros((300, 900), np.uint16), bits=16))
    image = picture.image(128)
    assert image.width() == 128
    assert abs(image.height() - 128 / 3) < 1
    assert picture.image().width() == 900
    thin = DisplayPicture(Picture(np.zeros((1, 3000, 3), np.uint8)))
    assert thin.image(128).width() == 128
