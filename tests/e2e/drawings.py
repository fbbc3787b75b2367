"""Pictures drawn for the tests: every one different, their kind plain to see and in their name."""

from __future__ import annotations

import colorsys
import math
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

_CORNERS = (0, 3, 4, 5)  # a disc, a triangle, a square, a pentagon
_FORMATS = (".jpg", ".png", ".jpg", ".bmp")


def draw_folder(folder: Path, count: int, *, kinds: int = 4, sides: tuple[int, int]) -> Path:
    """Make a folder of pictures; the sides of each are at least and at most `sides` pixels."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng([count, kinds])
    for number in range(count):
        kind = number % kinds
        suffix = _FORMATS[number // kinds % len(_FORMATS)]
        _draw(kind, kinds, sides, rng).save(folder / f"{kind:02}-{number:04}{suffix}")
    return folder


def kind_of(name: str) -> str:
    """Read the kind off a picture's name."""
    return name.partition("-")[0]


def _draw(kind: int, kinds: int, sides: tuple[int, int], rng: np.random.Generator) -> Image.Image:
    """Draw one shape of the kind's form and colour on a noisy ground."""
    width, height = (int(side) for side in rng.integers(sides[0], sides[1] + 1, size=2))
    picture = Image.new("RGB", (width, height), _color(rng.random(), 0.15, 0.85))
    radius = min(width, height) * rng.uniform(0.28, 0.42)
    middle = (width * rng.uniform(0.45, 0.55), height * rng.uniform(0.45, 0.55))
    color = _color(kind / kinds + rng.normal(0, 0.01), 0.85, rng.uniform(0.65, 0.9))
    corners = _CORNERS[kind % len(_CORNERS)]
    pen = ImageDraw.Draw(picture)
    if corners:
        turn = rng.normal(0, 0.15)
        pen.polygon([_corner(middle, radius, turn, at / corners) for at in range(corners)], color)
    else:
        box = [middle[0] - radius, middle[1] - radius, middle[0] + radius, middle[1] + radius]
        pen.ellipse(box, color)
    noise = rng.integers(-12, 13, size=(height, width, 3), dtype=np.int16)
    pixels = np.asarray(picture, dtype=np.int16) + noise
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def _corner(
    middle: tuple[float, float], radius: float, turn: float, share: float
) -> tuple[float, float]:
    angle = 2 * math.pi * share + turn
    return middle[0] + radius * math.sin(angle), middle[1] - radius * math.cos(angle)


def _color(hue: float, saturation: float, value: float) -> tuple[int, int, int]:
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)


def draw_sheets(folder: Path, count: int, *, side: int = 48) -> Path:
    """Make a folder of sheets with one or two of four marks, each mark in a corner of its own.

    `kind_of` a sheet's name tells its marks, as in "0+2".
    """
    folder.mkdir(parents=True)
    rng = np.random.default_rng(count)
    sets = [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (1, 3), (2, 3)]
    half = side // 2
    for number in range(count):
        held = sets[number % len(sets)]
        sheet = Image.new("RGB", (side, side), "white")
        pen = ImageDraw.Draw(sheet)
        for mark in held:
            left, top = half * (mark % 2) + 4, half * (mark // 2) + 4
            radius = half - 9 + int(rng.integers(0, 3))
            pen.ellipse([left, top, left + radius, top + radius], _color(mark / 4, 0.8, 0.6))
        name = "+".join(map(str, held))
        sheet.save(folder / f"{name}-{number:04}.png")
    return folder
