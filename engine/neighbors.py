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
from engine.model import IntArray

if TYPE_CHECKING:
    import torch

TILE_BYTES = 24 * 2**20
"""Distances, and what it takes to compute them, held at once."""

_TILE_WORK = 5e7  # multiplications in a tile: keeps the time between two job steps short
_WIDEST = 1024  # rows of a tile: their neighbours are measured again, with all features
_LOOKING = "Looking for the nearest neighbours"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The k items nearest to each.

    Attributes
    ----------
    items
        int32[n, k], nearest first; of equally near ones the lowest first. Which of those that are
        as near as the last one are left out is not told.
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
        if mutual:
            keys = keys[listed > 1]
        return _pairs(keys, len(self.items))

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
    best = torch.full((n, k), torch.inf, dtype=torch.float64)
    at = torch.full((n, k), -1, dtype=torch.int64)
    side = _side(d)
    blocks = [slice(start, min(start + side, n)) for start in range(0, n, side)]
    total, done = len(blocks) * (len(blocks) + 1) // 2, 0
    for number, rows in enumerate(blocks):
        for columns in blocks[number:]:
            done += 1
            job.step(done, total, _LOOKING)
            tile = _tile(points, rows, columns)
            if columns is rows:
                tile.fill_diagonal_(torch.inf)
            else:
                _keep_nearest(best[columns], at[columns], tile.T, rows.start)
                job.step()
            _keep_nearest(best[rows], at[rows], tile, columns.start)
    for rows in blocks:
        items[rows], distances[rows] = _measured(points, rows, at[rows].numpy(), job)
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
    _, first, number = np.unique(part, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    ranked: IntArray = rank[number]
    return ranked


def _side(d: int) -> int:
    """Give the rows and columns of a tile."""
    by_work = math.isqrt(int(_TILE_WORK / (d + 40)))
    by_bytes = math.isqrt(TILE_BYTES // 16)
    return max(16, min(by_work, by_bytes, _WIDEST, TILE_BYTES // (32 * d)))


def _tile(points: npt.NDArray[np.floating], rows: slice, columns: slice) -> torch.Tensor:
    """Give squared distances, float64 Tensor[rows, columns], near enough to choose by.

    Measured from the mean of the columns, so that no digit is lost on where the points lie.
    """
    import torch

    from engine.kernels import squared_distances

    to = points[columns].astype(np.float64)
    centre = to.mean(axis=0)
    return squared_distances(
        torch.from_numpy(points[rows].astype(np.float64) - centre), torch.from_numpy(to - centre)
    )


def _keep_nearest(best: torch.Tensor, at: torch.Tensor, tile: torch.Tensor, start: int) -> None:
    """Let the items of a tile, from `start` on, take the places of farther ones, in place.

    Parameters
    ----------
    best, at
        float64 and int64 Tensor[rows, k], squared distances and items so far.
    tile
        Tensor[rows, columns], squared distances to the items of the tile.
    """
    import torch

    k = best.shape[1]
    near, where = torch.topk(tile, min(k, tile.shape[1]), dim=1, largest=False)
    nearest, chosen = torch.topk(torch.cat((best, near), 1), k, dim=1, largest=False)
    at.copy_(torch.cat((at, where + start), 1).gather(1, chosen))
    best.copy_(nearest)


def _measured(
    points: npt.NDArray[np.floating], rows: slice, items: npt.NDArray[np.int64], job: Job
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Measure the chosen neighbours exactly, and put them in order: int64[m, k], float64[m, k]."""
    own = points[rows].astype(np.float64)
    squares = np.empty(items.shape)
    for column, other in enumerate(items.T):
        job.step()
        squares[:, column] = np.square(points[other] - own).sum(axis=1)
    order = np.lexsort((items, squares), axis=1)
    squares = np.take_along_axis(squares, order, axis=1)
    return np.take_along_axis(items, order, axis=1), np.sqrt(squares)
