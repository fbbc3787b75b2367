"""A decoded picture, ready to be drawn at any zoom.

Hidden: the pyramid of halved copies that keeps large pictures sharp and quick, and how grey levels
become brightness. Promised: `draw` touches no more pixels than are seen, and no picture keeps more
than `MAX_PIXELS`, however large its file.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from engine.readers.images import Picture

MAX_PIXELS = 16 * 2**20
"""Larger pictures are halved until they fit; a 100 % view then shows the halved one enlarged."""

_COARSEST = 512  # the pyramid ends where both sides are at most this long
_COUNTED = 2**20  # pixels that are counted to find percentiles

Codes = npt.NDArray[np.uint8] | npt.NDArray[np.uint16]


class Window(NamedTuple):
    """Grey values shown as black and as white, in the picture's own units."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """What radiologists call the window."""
        return self.high - self.low

    @property
    def level(self) -> float:
        """Its middle."""
        return (self.low + self.high) / 2

    @classmethod
    def around(cls, level: float, width: float) -> Window:
        """Make a window from its middle and width; never of no width."""
        half = max(width, 1e-6) / 2
        return cls(level - half, level + half)


class Preset(enum.Enum):
    """Ways to choose a window.

    STORED is what the file asks for; deep grey that asks for nothing leaves out 0.5 % of the pixels
    at both ends, as the engine does for its features.
    """

    STORED = "stored"
    FULL = "full"
    MIDDLE = "middle"
    DARK = "dark"
    BRIGHT = "bright"


_UNASKED = (0.005, 0.995)
_SHARES = {  # of the pixels: below black, below white
    Preset.STORED: _UNASKED,
    Preset.FULL: (0.0, 1.0),
    Preset.MIDDLE: (0.05, 0.95),
    Preset.DARK: (0.0, 0.5),
    Preset.BRIGHT: (0.5, 1.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class Greys:
    """What the grey values of a picture are, and how to show them.

    Attributes
    ----------
    scale, offset
        value = offset + scale · code, for codes 0 … n_codes - 1.
    windows
        The window of each preset.
    units
        Equal for pictures whose values mean the same, so that one window serves them all; None
        where the codes were fitted to this one picture.
    """

    scale: float
    offset: float
    n_codes: int
    windows: dict[Preset, Window]
    units: tuple[int, float, float] | None

    def table(self, window: Window | None, *, invert: bool) -> npt.NDArray[np.uint8]:
        """Give the brightness of every code: uint8[n_codes]; no window = as stored."""
        window = window or self.windows[Preset.STORED]
        values = self.offset + self.scale * np.arange(self.n_codes, dtype=np.float64)
        share = np.clip((values - window.low) / max(window.width, 1e-12), 0.0, 1.0)
        shades: npt.NDArray[np.uint8] = np.rint(share * 255).astype(np.uint8)
        return 255 - shades if invert else shades


class DisplayPicture:
    """One picture at all zooms. Made off the GUI thread, drawn on it.

    Parameters
    ----------
    picture
        As decoded by the engine.

    Attributes
    ----------
    size
        Of the file's picture, in pixels; all coordinates are in these pixels.
    reduction
        How many of them, in each direction, one kept pixel stands for; 1 unless very large.
    greys
        For grey pictures; None for colour.
    n_bytes
        Memory held.
    """

    def __init__(self, picture: Picture) -> None:
        pixels = picture.pixels
        self.size = QSize(pixels.shape[1], pixels.shape[0])
        self.greys: Greys | None = None
        self._images: list[QImage] = []
        self._codes: list[Codes] = []
        if pixels.ndim == 2:
            codes, scale, offset, units = _coded(pixels)
            self._codes, self.reduction = _pyramid(codes)
            n_codes = 256 if codes.dtype == np.uint8 else 65536
            windows = _windows(self._codes, scale, offset, picture.window)
            self.greys = Greys(scale, offset, n_codes, windows, units)
            self.n_bytes = sum(level.nbytes for level in self._codes)
        else:
            levels, self.reduction = _pyramid(pixels.astype(np.uint8, copy=False))
            self._images = [_color_image(level.astype(np.uint8, copy=False)) for level in levels]
            self.n_bytes = sum(image.sizeInBytes() for image in self._images)

    def draw(
        self,
        painter: QPainter,
        target: QRectF,
        source: QRectF,
        *,
        window: Window | None = None,
        invert: bool = False,
        smooth: bool = True,
    ) -> None:
        """Draw the part `source` of the picture (in its pixels) into `target`.

        Parameters
        ----------
        window
            For grey pictures; by default as stored.
        smooth
            Interpolate; else pixels are seen as squares.
        """
        zoom = target.width() * painter.device().devicePixelRatioF() / max(source.width(), 1e-9)
        level = self._level_for(zoom)
        step = self.reduction * 2**level
        part = QRectF(source.topLeft() / step, source.size() / step)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
        if self.greys is None:
            painter.drawImage(target, self._images[level], part)
            if invert:
                mode = QPainter.CompositionMode.CompositionMode_Difference
                painter.setCompositionMode(mode)
                painter.fillRect(target, Qt.GlobalColor.white)
        else:
            table = self.greys.table(window, invert=invert)
            codes = self._codes[level]
            # only what is seen is given its brightness, and a pixel around it to interpolate
            seen = part.toAlignedRect().adjusted(-1, -1, 1, 1).intersected(_extent(codes))
            painter.drawImage(
                target, _shades(codes, seen, table), part.translated(-seen.x(), -seen.y())
            )
        painter.restore()

    def image(self, longest: int | None = None) -> QImage:
        """Make an image of the whole picture, as stored.

        Parameters
        ----------
        longest
            Bound on its longer side; by default as large as is kept.
        """
        length = max(self.size.width(), self.size.height())
        level = 0 if longest is None else self._level_for(longest / length)
        if self.greys is None:
            image = self._images[level]
        else:
            codes = self._codes[level]
            image = _shades(codes, _extent(codes), self.greys.table(None, invert=False))
        if longest is None or max(image.width(), image.height()) <= longest:
            return image
        return image.scaled(
            longest,
            longest,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )

    def _level_for(self, zoom: float) -> int:
        """Give the coarsest level that still has a pixel for each pixel of the screen."""
        coarsest = max(len(self._images), len(self._codes)) - 1
        level, step = 0, self.reduction
        while level < coarsest and zoom * step * 2 <= 1:
            level, step = level + 1, step * 2
        return level


# ------------------------------------------------------------------------------ making one


def _pyramid(pixels: Codes) -> tuple[list[Codes], int]:
    """Halve until small, dropping what is over `MAX_PIXELS`.

    Returns
    -------
    The levels, finest first, and how many pixels in each direction one of the finest stands for.
    """
    levels, reduction = [pixels], 1
    while max(levels[-1].shape[:2]) > _COARSEST and min(levels[-1].shape[:2]) > 1:
        levels.append(_halved(levels[-1]))
    while levels[0].shape[0] * levels[0].shape[1] > MAX_PIXELS and len(levels) > 1:
        levels.pop(0)
        reduction *= 2
    return levels, reduction


def _halved(pixels: Codes) -> Codes:
    """Mean of each 2 x 2 pixels; an odd last row or column is left out."""
    height, width = pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2
    even = pixels[:height, :width]
    total = even[0::2, 0::2].astype(np.uint32)
    for row, column in ((0, 1), (1, 0), (1, 1)):
        total += even[row::2, column::2]
    mean = (total + 2) // 4
    return mean.astype(np.uint8) if pixels.dtype == np.uint8 else mean.astype(np.uint16)


def _coded(
    pixels: npt.NDArray[Any],
) -> tuple[Codes, float, float, tuple[int, float, float] | None]:
    """Give grey values as unsigned codes: (codes, scale, offset, units), see `Greys`."""
    if pixels.dtype == np.uint8:
        return pixels, 1.0, 0.0, (8, 1.0, 0.0)
    if pixels.dtype == np.uint16:
        return pixels, 1.0, 0.0, (16, 1.0, 0.0)
    if pixels.dtype == np.int16:
        codes = (pixels.astype(np.int32) + 32768).astype(np.uint16)
        return codes, 1.0, -32768.0, (16, 1.0, -32768.0)
    values = pixels.astype(np.float64)
    finite = np.isfinite(values)
    low = float(values[finite].min(initial=np.inf)) if finite.any() else 0.0
    high = float(values[finite].max(initial=-np.inf)) if finite.any() else 1.0
    scale = (high - low) / 65535 or 1.0
    codes = np.rint((np.where(finite, values, low) - low) / scale).astype(np.uint16)
    return codes, scale, low, None


def _windows(
    levels: list[Codes], scale: float, offset: float, stored: tuple[float, float] | None
) -> dict[Preset, Window]:
    """Find the window of each preset from how often each value occurs."""
    coarse = next((level for level in levels if level.size <= _COUNTED), levels[-1])
    share = np.cumsum(np.bincount(coarse.ravel())) / coarse.size
    found = {}
    for preset, (dark, bright) in _SHARES.items():
        low = int(np.searchsorted(share, dark, side="right")) if dark else int(levels[0].min())
        high = int(np.searchsorted(share, bright)) if bright < 1 else int(levels[0].max())
        high = max(high, low + 1)  # a picture of one value
        found[preset] = Window(offset + scale * low, offset + scale * high)
    if stored is not None and stored[1] > stored[0]:
        found[Preset.STORED] = Window(float(stored[0]), float(stored[1]))
    elif levels[0].dtype == np.uint8:
        found[Preset.STORED] = Window(0.0, 255.0)
    return found


def _extent(codes: Codes) -> QRect:
    return QRect(0, 0, codes.shape[1], codes.shape[0])


def _shades(codes: Codes, part: QRect, table: npt.NDArray[np.uint8]) -> QImage:
    """Give a part of the codes its brightness."""
    top, left = part.top(), part.left()
    shades = table[codes[top : top + part.height(), left : left + part.width()]]
    height, width = shades.shape
    image = QImage(shades.data, width, height, width, QImage.Format.Format_Grayscale8)
    return image.copy()  # the image does not own the array


def _color_image(pixels: npt.NDArray[np.uint8]) -> QImage:
    """Copy uint8[h, w, 3] into an image of the format that is drawn fastest."""
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return image.convertToFormat(QImage.Format.Format_RGB32)
