"""Labelled data of any size, made of a real set.

Rows are mixtures of two rows of one class with a little noise, lifted at random where other
columns are asked for; without a set they come from overlapping normal clouds. Tangled data lie on a
curved sheet. Promises to hold little more than what it gives, and the same for the same seed and
size.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.errors import DatasetError
from engine.model import FloatArray, IntArray
from tests.benchmark.labelled import UNREADABLE

_Draw = Callable[[int], tuple[FloatArray, IntArray]]

_BLOCK = 4096  # rows made at a time
_CLOUDS = 20
_SHEET = 12  # dimensions of the sheet that tangled data lie on
_TANGLED_CLOUDS = 50


def make_data(source: Path | None, n: int, d: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Make a data set of any size.

    Parameters
    ----------
    source
        An .npz with X and y; None = normal clouds.

    Returns
    -------
    tuple
        float32[n, d] with columns scaled to [0, 1], and classes int32[n].
    """
    rng = np.random.default_rng([seed, n, d])
    draw = _clouds(d, rng) if source is None else _mixtures(source, d, rng)
    points, classes = np.empty((n, d), np.float32), np.empty(n, np.int32)
    for begin in range(0, n, _BLOCK):
        rows = slice(begin, min(n, begin + _BLOCK))
        points[rows], classes[rows] = draw(rows.stop - begin)
    low, high = points.min(axis=0), points.max(axis=0)
    points -= low
    points /= np.where(high > low, high - low, 1)
    return points, classes


def tangled(n: int, d: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Make classes that lie side by side, so that neighbours link nearly all that is near.

    In 12 dimensions lie 50 normal clouds, with shares from a Dirichlet distribution (2), centres
    1.5 times standard normal, and shapes by a normal matrix each (entries over sqrt(12)). The
    sheet 8 (1 + tanh(z A) B), A normal 12 x 2d over sqrt(12), B normal 2d x d over sqrt(2d),
    curves them into d columns; normal noise of 0.4 comes on top. Clouds and sheet depend on seed
    and d only. A factorisation of the neighbour graph of 70,000 x 64 takes 4e12 multiplications.

    Returns
    -------
    tuple
        float32[n, d], classes int32[n].
    """
    rng = np.random.default_rng([seed, d])
    shares = rng.dirichlet(np.full(_TANGLED_CLOUDS, 2.0))
    centres = 1.5 * rng.standard_normal((_TANGLED_CLOUDS, _SHEET))
    shapes = rng.standard_normal((_TANGLED_CLOUDS, _SHEET, _SHEET)) / np.sqrt(_SHEET)
    bend = rng.standard_normal((_SHEET, 2 * d)) / np.sqrt(_SHEET)
    lift = rng.standard_normal((2 * d, d)) / np.sqrt(2 * d)
    rng = np.random.default_rng([seed, n, d])
    points, classes = np.empty((n, d), np.float32), np.empty(n, np.int32)
    for begin in range(0, n, _BLOCK):
        rows = slice(begin, min(n, begin + _BLOCK))
        some = rng.choice(_TANGLED_CLOUDS, rows.stop - begin, p=shares)
        within = np.einsum("ij,ijk->ik", rng.standard_normal((len(some), _SHEET)), shapes[some])
        sheet = 1 + np.tanh((centres[some] + within) @ bend) @ lift
        points[rows] = 8 * sheet + 0.4 * rng.standard_normal((len(some), d))
        classes[rows] = some
    return points, classes


def _clouds(d: int, rng: np.random.Generator) -> _Draw:
    centres = rng.random((_CLOUDS, d), dtype=np.float32)

    def draw(count: int) -> tuple[FloatArray, IntArray]:
        classes = rng.integers(_CLOUDS, size=count, dtype=np.int32)
        noise = rng.standard_normal((count, d), dtype=np.float32)
        return centres[classes] + 0.3 * noise, classes

    return draw


def _mixtures(source: Path, d: int, rng: np.random.Generator) -> _Draw:
    """Mix two rows of one class, add a little noise, and lift them if there are too few columns."""
    rows, names = _read(source)
    classes = np.unique(names, return_inverse=True)[1].ravel()
    order = np.argsort(classes, kind="stable")
    rows, classes = rows[order], classes[order]
    starts = np.searchsorted(classes, classes)
    sizes = np.bincount(classes)[classes]
    width = rows.shape[1]
    lift = None
    if width != d:
        lift = rng.standard_normal((width, d), dtype=np.float32) / np.float32(np.sqrt(width))

    def draw(count: int) -> tuple[FloatArray, IntArray]:
        one = rng.integers(len(rows), size=count)
        other = starts[one] + rng.integers(sizes[one])
        share = rng.random((count, 1), dtype=np.float32)
        noise = rng.standard_normal((count, width), dtype=np.float32)
        made = share * rows[one] + (1 - share) * rows[other] + np.float32(0.02) * noise
        return made if lift is None else made @ lift, classes[one].astype(np.int32)

    return draw


def _read(path: Path) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Read X, its columns scaled to [0, 1], and y."""
    try:
        with path.open("rb") as file, np.load(file) as held:
            rows, names = np.asarray(held["X"], dtype=np.float64), held["y"]
    except UNREADABLE as error:
        raise DatasetError(f"{path} is no .npz with X and y: {error}") from error
    if rows.ndim != 2 or not rows.size or names.shape != rows.shape[:1]:
        raise DatasetError(f"{path} must hold X with rows and columns, and y with a class per row")
    if not np.isfinite(rows).all():
        raise DatasetError(f"{path} holds numbers that are not finite")
    span = np.ptp(rows, axis=0)
    scaled = (rows - rows.min(axis=0)) / np.where(span > 0, span, 1)
    return scaled.astype(np.float32), names


def chosen(path: Path) -> Path:
    """Choose the set of a folder: the longest that has enough classes and columns, if any has."""
    if not path.is_dir():
        _read(path)
        return path
    marks = []
    for file in sorted(path.glob("*.npz")):
        rows, names = _read(file)
        rich = len(np.unique(names)) >= 10 and rows.shape[1] >= 20
        marks.append((rich, len(rows), file))
    if not marks:
        raise DatasetError(f"{path} holds no .npz")
    return max(marks)[2]
