"""Nearest neighbours: the items closest to each, the graph they make, the parts it falls into.

Hidden here: how all distances are gone through in tiles and never held together. Promised: exact
neighbours, in memory for twice the result and a few MB; no copy of the points in another type;
copies are 0 apart and can be each other's neighbours, no item is its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import IntArray, numbered

if TYPE_CHECKING:
    import torch

TILE_BYTES = 24 * 2**20
"""Distances, and what it takes to compute them, held at once."""

_TILE_WORK = 5e7  # multiplications in a tile: keeps the time between two job steps short
_WIDEST = 1024  # rows of a tile: their neighbours are measured again, with all features
_ITEM_BITS = 32  # of a distance and an item in one number
_ITEM = 2**_ITEM_BITS - 1
_LOOKING = "Looking for the nearest neighbours"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The k items nearest to each.

    Attributes
    ----------
    items
        int32[n, k], nearest first; of those that are equally near, to the digits of float32, the
        lowest are taken, and come first.
    distances
        float64[n, k], Euclidean, summed difference by difference.
    """

    items: IntArray
    distances: Floats

    def edges(self, *, mutual: bool = False) -> IntArray:
        """Give the pairs in which one is a neighbour of the other, or each of the other.

        Returns
        -------
        IntArray
            int32[m, 2], each pair once, the lower item first, in rising order.
        """
        keys, listed = np.unique(self._keys(), return_counts=True)
        return _pairs(keys[listed > 1] if mutual else keys, len(self.items))

    def edges_measured(self) -> tuple[IntArray, Floats]:
        """Give the pairs in which one is a neighbour of the other, and their lengths.

        Returns
        -------
        tuple
            int32[m, 2] as `edges` gives them, float64[m].
        """
        keys, first = np.unique(self._keys(), return_index=True)
        return _pairs(keys, len(self.items)), self.distances.ravel()[first]

    def _keys(self) -> npt.NDArray[np.int64]:
        """Name every listed pair, whichever of the two lists it, by one number: int64[n * k]."""
        n, k = self.items.shape
        own = np.repeat(np.arange(n, dtype=np.int64), k)
        other = self.items.ravel().astype(np.int64)
        keys: npt.NDArray[np.int64] = np.minimum(own, other) * n + np.maximum(own, other)
        return keys


def _pairs(keys: npt.NDArray[np.int64], n: int) -> IntArray:
    return np.column_stack(np.divmod(keys, n)).astype(np.int32)


def nearest(points: npt.NDArray[np.floating], k: int, job: Job) -> Neighbours:
    """Find the k nearest others of every point; all of them where there are fewer.

    Parameters
    ----------
    points
        float[n, d], finite; left as it is.
    """
    import torch

    n, d = points.shape
    k = min(k, n - 1)
    items = np.empty((n, k), dtype=np.int32)
    distances = np.empty((n, k))
    if k == 0:
        return Neighbours(items, distances)
    exponent = _exponent(points)
    best = torch.full((n, k), torch.iinfo(torch.int64).max)
    side = _side(d)
    blocks = [slice(start, min(start + side, n)) for start in range(0, n, side)]
    total, done = len(blocks) * (len(blocks) + 1) // 2, 0
    for number, rows in enumerate(blocks):
        for columns in blocks[number:]:
            done += 1
            job.step(done, total, _LOOKING)
            squares = _squares(points, rows, columns, exponent)
            if columns is rows:
                squares.fill_diagonal_(torch.inf)
            else:
                _keep_nearest(best[columns], squares.T, rows.start)
                job.step()
            _keep_nearest(best[rows], squares, columns.start)
    for rows in blocks:
        items[rows] = (best[rows] & _ITEM).numpy()
        distances[rows] = _measured(points, rows, items[rows], job)
    return Neighbours(items, distances)


def components(n: int, edges: IntArray) -> IntArray:
    """Tell which part of a graph each item is in.

    Parameters
    ----------
    n
        Number of items.
    edges
        int[m, 2].

    Returns
    -------
    IntArray
        int32[n], parts numbered 0..c-1 in order of first appearance.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(edges), dtype=np.int8)
    graph = csr_array((ones, (edges[:, 0], edges[:, 1])), shape=(n, n))
    _, part = connected_components(graph, directed=False)
    return numbered(part)


def _side(d: int) -> int:
    """Give the rows and columns of a tile."""
    by_work = math.isqrt(int(_TILE_WORK / (d + 40)))
    by_bytes = math.isqrt(TILE_BYTES // 16)
    return max(16, min(by_work, by_bytes, _WIDEST, TILE_BYTES // (32 * d)))


def _exponent(points: npt.NDArray[np.floating]) -> int:
    """Give the power of two by which points are divided, so that float32 holds their squares."""
    spread = points.max(axis=0).astype(np.float64) - points.min(axis=0)
    return math.frexp(float(np.linalg.norm(spread)))[1]


def _squares(
    points: npt.NDArray[np.floating], rows: slice, columns: slice, exponent: int
) -> torch.Tensor:
    """Give squared distances to choose by, float32 Tensor[rows, columns].

    Measured from the mean of the columns in float64, so that no digit is lost on where the points
    lie. Rounded to float32, distances that are equal are equal whatever computes them.
    """
    import torch

    from engine.kernels import squared_distances

    to = np.ldexp(points[columns].astype(np.float64), -exponent)
    centre = to.mean(axis=0)
    of = np.ldexp(points[rows].astype(np.float64), -exponent)
    squares = squared_distances(torch.from_numpy(of - centre), torch.from_numpy(to - centre))
    return squares.float()


def _keep_nearest(best: torch.Tensor, squares: torch.Tensor, start: int) -> None:
    """Let the items of a tile, from `start` on, take the places of farther ones, in place.

    Parameters
    ----------
    best
        int64 Tensor[rows, k], the nearest so far: the bits of a squared distance, which rise as it
        does, then the item. So equally near ones are kept lowest first.
    squares
        float32 Tensor[rows, columns] to the items of the tile.
    """
    import torch

    k = best.shape[1]
    keys = squares.contiguous().view(torch.int32).long().bitwise_left_shift_(_ITEM_BITS)
    keys += torch.arange(start, start + keys.shape[1])
    near = torch.topk(keys, min(k, keys.shape[1]), dim=1, largest=False).values
    best.copy_(torch.topk(torch.cat((best, near), 1), k, dim=1, largest=False).values)


def _measured(points: npt.NDArray[np.floating], rows: slice, items: IntArray, job: Job) -> Floats:
    """Measure the chosen neighbours exactly: float64[m, k]."""
    own = points[rows].astype(np.float64)
    squares = np.empty(items.shape)
    for column, other in enumerate(items.T):
        job.step()
        squares[:, column] = np.square(points[other] - own).sum(axis=1)
    return np.sqrt(squares)
