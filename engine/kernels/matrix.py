"""The n x n kernel matrix that is never built.

Hidden here: how kernel values are computed in tiles within a byte budget, and how means come from
features. Promised: results that do not depend on the budget (beyond rounding), nothing of size
n x n in memory, and no copy of all points in another float type.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch

from engine.device import widest
from engine.job import Job
from engine.kernels.functions import Kernel, direct_distances

SMALL = 2048
"""Parts of up to so many points are summed exactly, also where there are features."""

TILE_BYTES = 24 * 2**20
"""Kernel values, and what it takes to compute them, held at once."""

_TILE_WORK = 1e8  # multiplications in a tile: keeps the time between two job steps short
_BLOCK_ROWS = 8192  # rows handed out at once: what is done with them must be quick too
_DIRECT_WORK = 4e7  # differences in a tile: each costs more than a multiplication
_FEATURE_ROWS = 4096  # rows of features added up in float32 before the sum goes on in float64


class KernelMatrix:
    """The kernel matrix of some points, of which only columns, means and parts are ever computed.

    Columns always are exact. So are means, unless there are features F with K ~ F F^T: then these
    give them at O(n rank), with the diagonal set right. Parts of up to 2048 points are small
    enough to be summed exactly all the same.

    Parameters
    ----------
    points
        Tensor[n, d], any float type, on any device; results stay on that device. Never written
        to.
    kernel
        The kernel.
    features
        float32[n, rank] on the same device; see `approximate`.
    dtype
        Type of distances and kernel values. Without: float32 on devices that have nothing else
        and where there are features (and the width is between 1e-12 and 1e12), else float64.

    Attributes
    ----------
    dtype
        Type of `columns` and `distances`.
    sum_dtype
        Type of `sums`, `means` and `zeros`: the most exact one that the device has.
    """

    def __init__(
        self,
        points: torch.Tensor,
        kernel: Kernel,
        features: torch.Tensor | None = None,
        *,
        dtype: torch.dtype | None = None,
    ) -> None:
        self._points = points
        self._kernel = kernel
        self._features = features
        self._index: torch.Tensor | None = None  # of a part: which rows of the features it has
        self.sum_dtype = widest(points.device)
        if dtype is None:
            quick = features is not None and kernel.suits_float32
            dtype = torch.float32 if quick else self.sum_dtype
        self.dtype = dtype

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self._points)

    def part(self, items: npt.NDArray[np.int32]) -> KernelMatrix:
        """Give the matrix of some of the points: their rows are copied, not their features."""
        index = torch.from_numpy(items.astype(np.int64)).to(self._points.device)
        rows = self._points.index_select(0, index)
        part = KernelMatrix(rows, self._kernel, self._features, dtype=self.dtype)
        part._index = index if self._index is None else self._index[index]
        return part

    def zeros(self) -> torch.Tensor:
        """Give an empty sum to add to, Tensor[n]."""
        return torch.zeros(self.n, dtype=self.sum_dtype, device=self._points.device)

    def of_distances(self, apart: torch.Tensor) -> torch.Tensor:
        """Give the kernel values of distances."""
        return self._kernel.of_distances(apart)

    def distances(self, items: Sequence[int], job: Job) -> Iterator[tuple[slice, torch.Tensor]]:
        """Give the Euclidean distances of all points to some, a block of rows at a time.

        Summed difference by difference: copies are 0 apart, and a distance is the same whatever
        it is computed along with.

        Yields
        ------
        tuple
            The rows of the block, and Tensor[rows, len(items)].
        """
        centres = self._rows(items)
        for rows in self._blocks(len(items), _DIRECT_WORK):
            job.step()
            yield rows, direct_distances(self._rows(rows), centres)

    def columns(self, items: Sequence[int], job: Job) -> torch.Tensor:
        """Give K[:, items], Tensor[n, len(items)], exact also where there are features."""
        columns = torch.empty((self.n, len(items)), dtype=self.dtype, device=self._points.device)
        for rows, apart in self.distances(items, job):
            columns[rows] = self._kernel.of_distances(apart)
        return columns

    def column(self, item: int, job: Job) -> torch.Tensor:
        """Give K[:, item], Tensor[n], exact."""
        return self.columns([item], job)[:, 0]

    def sums(self, items: Sequence[int], job: Job) -> torch.Tensor:
        """Give the sum of the columns K[:, items], Tensor[n], exact."""
        centres = self._rows(items)
        sums = self.zeros()
        for rows in self._blocks(len(items), _TILE_WORK):
            job.step()
            sums[rows] = self._kernel(self._rows(rows), centres).sum(1)
        return sums

    def means(self, job: Job, text: str = "") -> torch.Tensor:
        """Give the mean of each column, Tensor[n].

        `text` says in plain words what the sum is for; empty = not reported.
        """
        small = self._index is not None and self.n <= SMALL
        if self._features is None or small:
            return self._exact_means(job, text)
        return self._feature_means(self._features, job, text)

    def _exact_means(self, job: Job, text: str) -> torch.Tensor:
        """Sum tile by tile over one triangle of K."""
        n = self.n
        side = min(
            math.isqrt(TILE_BYTES // (2 * self.dtype.itemsize)),
            max(64, math.isqrt(int(_TILE_WORK / (self._points.shape[1] + 40)))),
        )
        starts = range(0, n, side)
        total = len(starts) * (len(starts) + 1) // 2
        done = 0
        sums = self.zeros()
        for first in starts:
            rows = self._rows(slice(first, first + side))
            for second in range(first, n, side):
                done += 1
                job.step(done, total, text)
                tile = self._kernel(rows, self._rows(slice(second, second + side)))
                if second == first:
                    tile.fill_diagonal_(1)  # by the dot product a point is not quite 0 from itself
                sums[first : first + side] += tile.sum(1)
                if second != first:
                    sums[second : second + side] += tile.sum(0)
        return sums / n

    def _feature_means(self, features: torch.Tensor, job: Job, text: str) -> torch.Tensor:
        """Give F (F^T 1) / n, with the diagonal of F F^T replaced by the kernel's, 1."""
        blocks = [slice(at, at + _FEATURE_ROWS) for at in range(0, self.n, _FEATURE_ROWS)]
        total = torch.zeros(features.shape[1], dtype=self.sum_dtype, device=features.device)
        for done, rows in enumerate(blocks, 1):
            job.step(done, 2 * len(blocks), text)
            total += self._feature_rows(features, rows).sum(0)
        sums = self.zeros()
        direction = total.to(features.dtype)
        for done, rows in enumerate(blocks, 1 + len(blocks)):
            job.step(done, 2 * len(blocks), text)
            block = self._feature_rows(features, rows)
            sums[rows] = block @ direction
            sums[rows] += 1 - torch.linalg.vector_norm(block, dim=1).square()
        return sums / self.n

    def _feature_rows(self, features: torch.Tensor, rows: slice) -> torch.Tensor:
        if self._index is None:
            return features[rows]
        return features.index_select(0, self._index[rows])

    def _rows(self, items: slice | Sequence[int]) -> torch.Tensor:
        """Give some points in the type they are computed with."""
        if not isinstance(items, slice):
            index = torch.tensor(list(items), dtype=torch.int64).to(self._points.device)
            return self._points.index_select(0, index).to(self.dtype)
        return self._points[items].to(self.dtype)

    def _blocks(self, columns: int, work: float) -> Iterator[slice]:
        """Give the rows to be taken at once against some columns."""
        d = self._points.shape[1]
        fitting = TILE_BYTES // (2 * self.dtype.itemsize * (columns + d))
        block = max(1, min(fitting, _BLOCK_ROWS, int(work / (columns * (d + 40) + 1))))
        return (slice(at, min(at + block, self.n)) for at in range(0, self.n, block))
