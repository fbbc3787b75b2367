"""The nearest of composed centres, a block of items at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.compositional.functions import unit
from engine.job import Job

if TYPE_CHECKING:
    import torch

_BLOCK_VALUES = 2**20  # distances held at once
_BLOCK_WORK = 2e7  # multiplications between two job steps


def compared(vectors: torch.Tensor, *, normalize: bool) -> torch.Tensor:
    """Give vectors as they are compared: as they are, or scaled to length 1."""
    return unit(vectors) if normalize else vectors


def fits(
    points: torch.Tensor, centres: torch.Tensor, job: Job, chosen: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Give each item's centre, and the distances to it and to the nearest other one.

    Parameters
    ----------
    points, centres
        Tensor[n, p] and Tensor[m, p] as they are compared, of the same float type.
    chosen
        int64[n], which centre each item has; without, it is the nearest, the first of equals.

    Returns
    -------
    tuple
        int64[n], float[n], float[n]; the last is infinite where there is one centre only.
    """
    import torch

    from engine.kernels import squared_distances

    n, (m, p) = len(points), centres.shape
    found = torch.empty(n, dtype=torch.int64) if chosen is None else chosen
    own, other = points.new_empty(n), points.new_full((n,), torch.inf)
    block = max(1, min(_BLOCK_VALUES // m, int(_BLOCK_WORK / (m * (p + 10)))))
    for start in range(0, n, block):
        job.step()
        rows = slice(start, start + block)
        squares = squared_distances(points[rows], centres)
        if chosen is None:
            found[rows] = squares.argmin(1)
        own[rows] = squares.gather(1, found[rows, None])[:, 0]
        if m > 1:
            other[rows] = squares.scatter_(1, found[rows, None], torch.inf).amin(1)
    return found, own.sqrt(), other.sqrt()
