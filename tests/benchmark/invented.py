"""Invented characters: strokes drawn at random, and again by other hands.

Hides how strokes come about and how hands differ. Promises drawings that look like those of
`tests.benchmark.superposed.read_drawings`, of as many classes as wanted, by seed; none is a real
character.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from tests.benchmark.superposed import Ink

Floats = npt.NDArray[np.float64]

_STROKES = (0.35, 0.35, 0.2, 0.1)  # how often a character has 1, 2, 3, 4
_STRAIGHT = 0.25  # of the strokes, at least
_ROUND = 0.65  # of the others
_FINE = 2  # times as large as wanted are they drawn
_WIDTH = (0.036, 0.044)  # of the pen, in sides
_STEPS = 8  # of a curve, between two points


@dataclass(frozen=True)
class _Stroke:
    points: Floats  # float64[m, 2], in sides, around 0
    curved: bool


def invent(classes: int, drawings: int, side: int, rng: np.random.Generator) -> dict[str, Ink]:
    """Draw `classes` characters, `drawings` times each."""
    return {f"invented{at:04}": _written(drawings, side, rng) for at in range(classes)}


def _written(drawings: int, side: int, rng: np.random.Generator) -> Ink:
    """Draw one character some times, each time by another hand."""
    strokes = _character(rng)
    middle = 0.5 + rng.normal(0, 0.05, 2)
    return np.stack([_by_hand(strokes, middle, side, rng) for _ in range(drawings)])


def _character(rng: np.random.Generator) -> list[_Stroke]:
    """Make up strokes, and give them a common size: a third to three quarters of the side."""
    strokes = []
    for _ in range(1 + rng.choice(len(_STROKES), p=_STROKES)):
        many = 2 if rng.random() < _STRAIGHT else rng.integers(2, 7)
        strokes.append(_Stroke(_wandered(int(many), rng), rng.random() < _ROUND))
    whole = np.concatenate([one.points for one in strokes])
    low, high = whole.min(0), whole.max(0)
    size = rng.uniform(0.35, 0.75, 2)
    if rng.random() < 0.5:  # many characters are about as wide as high
        size = np.maximum(size, 0.7 * size.max())
    scale = size / np.maximum(high - low, 0.25 * (high - low).max())
    return [_Stroke((one.points - (low + high) / 2) * scale, one.curved) for one in strokes]


def _wandered(many: int, rng: np.random.Generator) -> Floats:
    """Give points of a stroke that turns now left, now right."""
    points, heading = [rng.uniform(0, 1, 2)], rng.uniform(0, 2 * np.pi)
    for _ in range(many - 1):
        way = np.array([np.cos(heading), np.sin(heading)])
        points.append(points[-1] + rng.uniform(0.2, 0.7) * way)
        heading += rng.choice([-1, 1]) * rng.uniform(0.2, 2.4)
    return np.array(points)


def _by_hand(
    strokes: list[_Stroke], middle: Floats, side: int, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Draw strokes with the size, slant, place and pen of somebody, and not exactly."""
    turn = rng.normal(0, 0.08)
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    slanted = np.diag(np.exp(rng.normal(0, 0.13, 2)))
    slanted[0, 1] = rng.normal(0, 0.1)
    place = middle + rng.normal(0, 0.05, 2)
    large = side * _FINE
    paper = Image.new("L", (large, large))
    pen = ImageDraw.Draw(paper)
    width = round(rng.uniform(*_WIDTH) * large)
    for one in strokes:
        points = one.points + rng.normal(0, 0.022, one.points.shape) + rng.normal(0, 0.015, 2)
        points = points @ (turned @ slanted).T + place
        line = (_curve(points) if one.curved and len(points) > 2 else points) * large
        pen.line([(x, y) for x, y in line.tolist()], fill=255, width=width, joint="curve")
        for x, y in line[[0, -1]].tolist():
            half = width / 2
            pen.ellipse([x - half, y - half, x + half, y + half], fill=255)
    return np.asarray(paper.resize((side, side), Image.Resampling.BILINEAR))


def _curve(points: Floats) -> Floats:
    """Lay a smooth curve through points: the spline of Catmull and Rom."""
    ends = 2 * points[[0, -1]] - points[[1, -2]]
    held = np.concatenate([ends[:1], points, ends[1:]])
    t = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
    parts = []
    for a, b, c, d in zip(held, held[1:], held[2:], held[3:], strict=False):
        cubic = (3 * b - a - 3 * c + d) * t**3
        parts.append((2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + cubic) / 2)
    return np.concatenate([*parts, points[-1:]])
