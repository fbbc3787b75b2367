"""The nearest of composed centres, and how well items fit theirs, a block of items at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.compositional.functions import Compose, unit
from engine.compositional.membership import Composed
from engine.job import Job

if TYPE_CHECKING:
    import torch

_BLOCK_VALUES = 2**20  # distances held at once
_BLOCK_WORK = 5e6  # multiplications between two job steps
_READ = 2**18  # numbers of items that are read between two job steps


def compared(vectors: torch.Tensor, *, normalize: bool) -> torch.Tensor:
    """Give vectors as they are compared: as they are, or scaled to length 1."""
    return unit(vectors) if normalize else vectors


def read(
    points: torch.Tensor, job: Job, *, normalize: bool = False
) -> Iterator[tuple[slice, torch.Tensor]]:
    """Give the items, Tensor[n, p], as they are compared, some rows in float64 at a time."""
    n, p = points.shape
    block = max(1, _READ // max(1, p))
    for start in range(0, n, block):
        job.step()
        rows = slice(start, min(start + block, n))
        yield rows, compared(points[rows].double(), normalize=normalize)


def fits(
    points: torch.Tensor,
    centres: torch.Tensor,
    job: Job,
    chosen: torch.Tensor | None = None,
    *,
    normalize: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Give each item's centre, and the distances to it and to the nearest other one.

    Parameters
    ----------
    points
        Tensor[n, p], any float type.
    centres
        float64[m, p].
    chosen
        int64[n], which centre each item has; without, it is the nearest, the first of equals.
    normalize
        Compare directions only.

    Returns
    -------
    tuple
        int64[n], float64[n], float64[n]; the last is infinite where there is one centre only.
    """
    import torch

    from engine.kernels import squared_distances

    n, (m, p) = len(points), centres.shape
    found = torch.empty(n, dtype=torch.int64) if chosen is None else chosen
    own, other = centres.new_empty(n), centres.new_full((n,), torch.inf)
    vectors = compared(centres, normalize=normalize)
    block = max(1, min(_BLOCK_VALUES // m, int(_BLOCK_WORK / (m * (p + 10)))))
    for start in range(0, n, block):
        job.step()
        rows = slice(start, start + block)
        squares = squared_distances(compared(points[rows].double(), normalize=normalize), vectors)
        if chosen is None:
            found[rows] = squares.argmin(1)
        own[rows] = squares.gather(1, found[rows, None])[:, 0]
        if m > 1:
            other[rows] = squares.scatter_(1, found[rows, None], torch.inf).amin(1)
    return found, own.sqrt(), other.sqrt()


def fitted(
    points: torch.Tensor,
    centres: torch.Tensor,
    sets: Sequence[tuple[int, ...]],
    chosen: npt.NDArray[np.integer],
    g: Compose,
    job: Job,
    *,
    normalize: bool,
) -> Composed:
    """Give sets that were chosen by whatever means, with how well they fit; others are left out.

    Parameters
    ----------
    points
        Tensor[n, p].
    centres
        float64[k, p], what stands for each single group.
    sets
        Sets of rows of `centres`.
    chosen
        int[n], the place in `sets` of each item's set.
    g
        What the groups of a set make together.
    """
    import torch

    vectors = torch.stack([g(centres[list(members)]) for members in sets])
    places = torch.from_numpy(chosen.astype(np.int64))
    _, own, other = fits(points, vectors, job, places, normalize=normalize)
    _, alone, _ = fits(points, centres, job, normalize=normalize)
    return Composed.of(sets, chosen, own.numpy(), other.numpy(), alone.numpy(), centres.numpy())
