"""Distances between all items: the one n x n matrix in float32, and what is read off it.

Hidden here: in which tiles it is filled and read. Promised: `footprint(n)` bytes and some blocks of
a few MB, or a refusal with the figure; distances computed in float64, so that all of float32 is
right, copies are 0 apart and, with few features, equal distances stay equal: how ties are broken is
part of a hierarchy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.errors import ResourceError
from engine.job import Job

if TYPE_CHECKING:
    import torch

Matrix = npt.NDArray[np.float32]

_TILE_WORK = 1e7  # differences computed at once: keeps the time between two job steps short
_FEW = 64  # features up to which there is little to gain by the dot product
_NEAR = 1e-5  # of the squared norm: squares below it lose more than float32 does by the dot product
COPIED = 2**20  # distances copied at once


def footprint(n: int) -> int:
    """Give the bytes that the distances between n items take."""
    return 4 * n * n


def afford(n: int, memory: int, copies: int = 1) -> None:
    """Refuse what does not fit.

    Parameters
    ----------
    n
        Items.
    memory
        Bytes allowed.
    copies
        How many times the distances are held at once.

    Raises
    ------
    ResourceError
        With the figure, and how many items would do.
    """
    needed = copies * footprint(n)
    if needed > memory:
        most = math.isqrt(memory // (4 * copies))
        held = "" if copies == 1 else f", held {copies} times while groups are merged,"
        raise ResourceError(
            f"the distances between {n:,} items{held} take {needed / 1e6:,.0f} MB of memory; "
            f"{memory / 1e6:,.0f} MB are allowed",
            f"Allow more, or take at most {most:,} items.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """Euclidean distances between all items.

    Attributes
    ----------
    matrix
        float32[n, n], symmetric, divided by 2**exponent: so float32 holds their squares, and no
        digit is changed. Read-only.
    exponent
        See there.
    """

    matrix: Matrix
    exponent: int

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.matrix)

    def between(self, labels: npt.NDArray[np.integer], job: Job) -> Matrix:
        """Give the largest distance between the items of any two groups.

        Parameters
        ----------
        labels
            int[n], groups 0..g-1, none empty.

        Returns
        -------
        Matrix
            float32[g, g], divided by 2**exponent, a copy; zero on the diagonal.
        """
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        groups = len(sizes)
        found = np.empty((groups, groups), dtype=np.float32)
        for group, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
            job.step(group, groups, "Measuring distances between groups")
            row = self.farthest(order[start : start + size], job)
            np.maximum.reduceat(row[order], starts, out=found[group])
            found[group, group] = 0
        return found

    def farthest(self, items: npt.NDArray[np.integer], job: Job) -> Matrix:
        """Give each item's largest distance to some items, float32[n]."""
        row: Matrix = self.matrix[items[0]]
        for rows in blocks(len(items), COPIED // self.n):
            job.step()
            row = np.maximum(row, self.matrix[items[rows]].max(axis=0))
        return row

    def nearest(self, items: npt.NDArray[np.integer], job: Job) -> Matrix:
        """Give each item's smallest distance to some items, float32[n]."""
        row: Matrix = self.matrix[items[0]]
        for rows in blocks(len(items), COPIED // self.n):
            job.step()
            row = np.minimum(row, self.matrix[items[rows]].min(axis=0))
        return row


def measure(
    points: npt.NDArray[np.floating], job: Job, *, memory: int, copies: int = 1
) -> Distances:
    """Measure the distances between all points.

    Parameters
    ----------
    points
        float[n, d], finite.
    memory
        Bytes that the distances may take.
    copies
        How many times they are going to be held at once.

    Raises
    ------
    ResourceError
        When they take more.
    """
    afford(len(points), memory, copies)
    exponent = exponent_of(reach(points))
    matrix = filled(points, exponent, job)
    matrix.flags.writeable = False
    return Distances(matrix, exponent)


def filled(points: npt.NDArray[np.floating], exponent: int, job: Job) -> Matrix:
    """Compute all distances in float64 and keep them, divided by 2**exponent, in float32."""
    n = len(points)
    matrix = np.empty((n, n), dtype=np.float32)
    exact, tiles = _centred(points), list(blocks(n, _side(points)))
    total, done = len(tiles) * (len(tiles) + 1) // 2, 0
    for at, rows in enumerate(tiles):
        for columns in tiles[at:]:
            done += 1
            job.step(done, total, "Measuring distances")
            tile = _tile(exact, rows, columns, exponent)
            matrix[rows, columns] = tile
            if columns != rows:
                matrix[columns, rows] = tile.T
    return matrix


def exponent_of(largest: float) -> int:
    """Give the power of two by which distances are divided, so that float32 holds their squares.

    A power of two changes no digit.
    """
    return math.frexp(largest)[1]


def blocks(n: int, rows: int) -> Iterator[slice]:
    """Divide 0..n in slices of so many rows, at least one."""
    step = max(1, rows)
    return (slice(at, min(at + step, n)) for at in range(0, n, step))


def reach(points: npt.NDArray[np.floating]) -> float:
    """Give a length that no distance between points exceeds."""
    spread = points.max(0).astype(np.float64) - points.min(0)
    return float(np.sqrt(np.square(spread).sum()))


def _centred(points: npt.NDArray[np.floating]) -> torch.Tensor:
    import torch

    exact = torch.from_numpy(np.array(points, dtype=np.float64))
    exact -= exact.mean(0)
    return exact


def _side(points: npt.NDArray[np.floating]) -> int:
    """Give the side of a tile."""
    return min(1024, max(16, math.isqrt(int(_TILE_WORK / (points.shape[1] + 20)))))


def _tile(
    exact: torch.Tensor, rows: slice, columns: slice, exponent: int
) -> npt.NDArray[np.float64]:
    tile: npt.NDArray[np.float64] = _distances(exact[rows], exact[columns]).numpy()
    return np.ldexp(tile, -exponent)


def _distances(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Give distances, Tensor[a, b], in float64: exact enough that all of float32 is right.

    Difference by difference; many features, by the dot product, which takes a tenth of the time
    and is wrong for near points only: these are taken difference by difference again.
    """
    import torch

    from engine.kernels.functions import direct_distances, squared_distances

    if rows.shape[1] <= _FEW:
        return direct_distances(rows, columns)
    squares = squared_distances(rows, columns)
    largest = torch.maximum(rows.square().sum(1).max(), columns.square().sum(1).max())
    one, other = torch.nonzero(squares <= _NEAR * largest, as_tuple=True)
    if len(one) > 4 * len(squares):
        return direct_distances(rows, columns)
    squares[one, other] = (rows[one] - columns[other]).square_().sum(1)
    return squares.sqrt_()
