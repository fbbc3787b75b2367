"""Kernels, their width, and the n x n kernel matrix that is never built.

Hidden here: how kernel values are computed in tiles within a byte budget. Promised: float64
results that do not depend on the budget (beyond rounding), and nothing of size n x n in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch

from engine.job import Job

FIXED_WIDTH = 0.25
"""The FALCON article's one width for data scaled to [0, 1]."""

_NARROWEST, _WIDEST = 1e-150, 1e150  # beyond, the square of a width is no number
_SUBSAMPLE = 2000  # rows looked at for a width
_TILE_BYTES = 24 * 2**20  # kernel values held at once while summing
_TILE_WORK = 1e8  # multiplications in a tile: keeps the time between two job steps short
_BLOCK_ROWS = 8192  # rows handed out at once: what is done with them must be quick too
_DIRECT = 16  # up to this many centres distances are taken difference by difference


class Kernel(Protocol):
    """A positive definite similarity with k(x, x) = 1."""

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Give float64[a, b] for float64[a, d] and float64[b, d]."""
        ...


@dataclass(frozen=True, slots=True)
class Rbf:
    """Gaussian kernel exp(-||a - b||^2 / (2 sigma^2))."""

    sigma: float

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Give float64[a, b] for float64[a, d] and float64[b, d]."""
        sigma = min(max(self.sigma, _NARROWEST), _WIDEST)
        return squared_distances(rows, columns).mul_(-0.5 / sigma**2).exp_()


def squared_distances(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Give squared Euclidean distances, float64[a, b], of float64[a, d] and float64[b, d].

    Against few columns they are summed difference by difference: exact zeros between copies, and
    the same value whatever else is computed along with it. Against many, by the dot product
    (rounding error about 1e-16 times the squared norms).
    """
    if len(columns) <= _DIRECT:
        return _direct(rows, columns).square_()
    squares = torch.addmm(columns.square().sum(1)[None, :], rows, columns.T, alpha=-2)
    return squares.add_(rows.square().sum(1)[:, None]).clamp_(min=0)


def distances(
    points: torch.Tensor, items: Sequence[int], job: Job
) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Give the Euclidean distances of all points to some, a block of rows at a time.

    Summed difference by difference in float64: a distance is the same whatever it is computed
    along with.

    Yields
    ------
    tuple
        The rows of the block, and float32[rows, len(items)].
    """
    centres = points[list(items)].double()
    block = _block(len(items), points.shape[1])
    for start in range(0, len(points), block):
        job.step()
        rows = slice(start, min(start + block, len(points)))
        yield rows, _direct(points[rows].double(), centres).float().numpy()


def _block(columns: int, d: int) -> int:
    """Give the number of rows to be taken at once against some columns."""
    fitting = _TILE_BYTES // (8 * (2 * columns + d))
    return max(1, min(fitting, _BLOCK_ROWS, int(_TILE_WORK / (columns * (d + 40) + 1))))


def _direct(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    return torch.cdist(rows, columns, compute_mode="donot_use_mm_for_euclid_dist")


class KernelMatrix:
    """The kernel matrix of some points, of which only columns, means and parts are ever computed.

    Parameters
    ----------
    points
        Tensor[n, d], any float type; values are computed in float64.
    kernel
        The kernel.
    """

    def __init__(self, points: torch.Tensor, kernel: Kernel) -> None:
        self._points = points
        self._kernel = kernel

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self._points)

    def part(self, items: npt.NDArray[np.int32]) -> KernelMatrix:
        """Give the matrix of some of the points."""
        return KernelMatrix(self._points[torch.from_numpy(items).long()], self._kernel)

    def column(self, item: int, job: Job) -> torch.Tensor:
        """Give K[:, item], float64[n]."""
        return self.sums([item], job)

    def sums(self, items: Sequence[int], job: Job) -> torch.Tensor:
        """Give the sum of the columns K[:, items], float64[n]."""
        centres = self._points[list(items)].double()
        block = _block(len(items), self._points.shape[1])
        sums = torch.empty(self.n, dtype=torch.float64)
        for start in range(0, self.n, block):
            job.step()
            rows = self._points[start : start + block].double()
            sums[start : start + block] = self._kernel(rows, centres).sum(1)
        return sums

    def means(self, job: Job, text: str = "") -> torch.Tensor:
        """Give the mean of each column, float64[n], tile by tile over one triangle of K.

        `text` says in plain words what the sum is for; empty = not reported.
        """
        n = self.n
        side = min(
            math.isqrt(_TILE_BYTES // 16),
            max(64, math.isqrt(int(_TILE_WORK / (self._points.shape[1] + 40)))),
        )
        starts = range(0, n, side)
        total = len(starts) * (len(starts) + 1) // 2
        done = 0
        sums = torch.zeros(n, dtype=torch.float64)
        for first in starts:
            rows = self._points[first : first + side].double()
            for second in range(first, n, side):
                done += 1
                job.step(done, total, text)
                columns = self._points[second : second + side].double()
                tile = self._kernel(rows, columns)
                sums[first : first + side] += tile.sum(1)
                if second != first:
                    sums[second : second + side] += tile.sum(0)
        return sums / n


def median_width(points: torch.Tensor, share: float, rng: np.random.Generator, job: Job) -> float:
    """Give `share` times the median positive distance between points: a width that fits the data.

    Parameters
    ----------
    points
        Tensor[n, d].
    share
        The factor (c of the design paper, section 9.1).
    rng
        Draws the 2000 points looked at when there are more.

    Returns
    -------
    float
        The width; `FIXED_WIDTH` when all points are the same.
    """
    n = len(points)
    if n > _SUBSAMPLE:
        points = points[torch.from_numpy(np.sort(rng.choice(n, _SUBSAMPLE, replace=False)))]
    points = points.double()
    found = [np.empty(0, dtype=np.float32)]
    for start in range(0, len(points), _DIRECT):
        job.step()
        apart = _direct(points[start:], points[start : start + _DIRECT]).float().numpy()
        below = apart[np.tri(len(apart), apart.shape[1], -1, dtype=np.bool_)]  # each pair once
        found.append(below[below > 0])
    positive = np.concatenate(found)
    return share * float(np.median(positive)) if len(positive) else FIXED_WIDTH
