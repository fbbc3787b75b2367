"""Plain pixels of one picture, and how grey of any depth becomes brightness.

Hidden: bit depths and windows. Promised: `Picture` keeps the numbers of deep grey; `to_rgb8` shows
any of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from engine.readers.files import Unreadable

Pixels = npt.NDArray[np.uint8 | np.uint16 | np.int16 | np.float32]

MOST_PIXELS = 100_000_000
"""Larger pictures are refused: a few bytes can unpack to gigabytes."""

_STRIP = 2**20  # values turned into bytes at a time
_SAMPLE = 1_000_000  # pixels looked at to choose a window
_WINDOW = (0.5, 99.5)  # percentiles


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Upright pixels of one picture.

    Attributes
    ----------
    pixels
        uint8[h, w, 3] for colour; uint8, uint16, int16 or float32[h, w] for grey, as stored (DICOM:
        after rescaling, such as Hounsfield units).
    window
        (low, high) that the file asks to be shown from black to white; None when it says nothing.
    bits
        How many bits each value has in the file; 32 for fractions.
    """

    pixels: Pixels
    window: tuple[float, float] | None = None
    bits: int = 8


def refuse_size(width: int, height: int) -> None:
    """Refuse pictures too large to be decoded.

    Raises
    ------
    Unreadable
        Naming the size.
    """
    if width * height > MOST_PIXELS:
        raise Unreadable(
            f"{width:,} x {height:,} pixels are more than the {MOST_PIXELS // 10**6} million "
            "that are read"
        )


def deep_grey(values: npt.NDArray[Any]) -> Pixels:
    """Keep grey[h, w] of any depth in the smallest type of `Picture` that holds its numbers.

    16-bit types stay what they are, so that all pictures of one camera look alike.
    """
    if values.dtype.kind == "f":
        return values.astype(np.float32)
    if values.dtype == np.uint8:
        return values
    if values.dtype.itemsize <= 2:
        return values.astype(np.int16 if values.dtype.kind == "i" else np.uint16)
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    if low >= 0 and high <= 65535:
        return values.astype(np.uint16)
    if low >= -32768 and high <= 32767:
        return values.astype(np.int16)
    return values.astype(np.float32)


def deep_colour(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint8], int]:
    """Reduce colour[h, w, 3] of more than 8 bits to 8, and give the depth found.

    Cameras store 10, 12 or 14 bits in 16: the smallest number of bits that holds the brightest
    value becomes the full range, the same for all three colours, so that hues stay.
    """
    if values.dtype.kind == "f":
        top = float(values.max(initial=1.0, where=np.isfinite(values)))
        return in_strips(values, lambda strip: _brightness(strip, 0.0, top)), 32
    bits = max(8, int(values.max(initial=0)).bit_length())
    return in_strips(values, lambda strip: _brightness(strip, 0.0, 2.0**bits - 1)), bits


def in_strips(
    values: npt.NDArray[Any], work: Callable[[npt.NDArray[Any]], npt.NDArray[np.uint8]]
) -> npt.NDArray[np.uint8]:
    """Turn values into bytes a few rows at a time: the steps between take eight times the room."""
    rows = max(1, _STRIP // max(1, values[:1].size))
    strips = [work(values[start : start + rows]) for start in range(0, len(values), rows)]
    return np.concatenate(strips) if len(strips) != 1 else strips[0]


def to_rgb8(picture: Picture, size: int | None = None) -> npt.NDArray[np.uint8]:
    """Give a picture as people see it.

    Grey of more than 8 bits is shown through the file's window, or else through the percentiles
    0.5 to 99.5 of its own values.

    Parameters
    ----------
    size
        Longest edge in pixels; larger pictures are reduced, smaller ones are left as they are.

    Returns
    -------
    uint8[h, w, 3]
    """
    shown: npt.NDArray[Any] = picture.pixels
    if shown.ndim == 2 and (picture.window is not None or shown.dtype != np.uint8):
        shown = _through(shown, picture.window or _percentiles(shown))
    height, width = shown.shape[:2]
    if size is not None and max(height, width) > size:
        scale = size / max(height, width)
        reduced = (max(1, round(width * scale)), max(1, round(height * scale)))
        shown = np.asarray(
            Image.fromarray(shown).resize(reduced, Image.Resampling.BICUBIC, reducing_gap=3.0)
        )
    if shown.ndim == 2:
        shown = np.repeat(shown[:, :, None], 3, axis=2)
    return np.ascontiguousarray(shown, dtype=np.uint8)


def _through(pixels: npt.NDArray[Any], window: tuple[float, float]) -> npt.NDArray[np.uint8]:
    """Map low..high to 0..255; what is no number becomes black."""
    low, high = window
    if pixels.dtype == np.float32:
        return in_strips(pixels, lambda strip: _brightness(strip, low, high))
    limits = np.iinfo(pixels.dtype)
    table = _brightness(np.arange(limits.min, limits.max + 1), low, high)
    return in_strips(pixels, lambda strip: table[strip.astype(np.int32) - limits.min])


def _brightness(values: npt.NDArray[Any], low: float, high: float) -> npt.NDArray[np.uint8]:
    """Map low..high to 0..255."""
    width = high - low if high > low else 1.0
    exact = values.astype(np.float64)
    exact[np.isnan(exact)] = low
    np.clip(exact, low, low + width, out=exact)
    return np.rint((exact - low) * (255.0 / width)).astype(np.uint8)


def _percentiles(pixels: npt.NDArray[Any]) -> tuple[float, float]:
    """Choose a window from the values of a picture."""
    stride = max(1, int(np.sqrt(pixels.size / _SAMPLE)))
    values = pixels[::stride, ::stride]
    values = values[np.isfinite(values)]
    if values.size == 0:
        return 0.0, 1.0
    low, high = (float(edge) for edge in np.percentile(values, _WINDOW))
    if high <= low:
        low, high = float(values.min()), float(values.max())
    return low, high
