"""Widths of kernels that fit the data, found without labels.

Hidden here: which points are looked at. Promised: seeded; points scaled by s get s times the width
(rules `median` and `knn`); the order of up to 2000 points does not matter.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from engine.errors import ParameterError
from engine.job import Job
from engine.kernels.functions import direct_distances, exact, squared_distances

WIDTHS = ("median", "fixed", "knn", "dimension")

FIXED_WIDTH = 0.25
"""The FALCON article's one width for data scaled to [0, 1]."""

_SUBSAMPLE = 2000  # points looked at for a width
_QUERIES = 500  # those of more points whose neighbours are sought: a mean needs no more
_NEIGHBOUR = 7
_CHUNK = 16  # columns compared at once
_TILE_VALUES = 2**20  # distances held at once
_SUITED_COLUMNS = 4  # number of columns for which the article's width was made


def width(
    rule: str,
    points: torch.Tensor,
    *,
    share: float,
    sigma: float,
    rng: np.random.Generator,
    job: Job,
) -> float:
    """Give a width by one of four rules.

    `median`
        `share` times the median positive distance between points. Fits any scale and number of
        columns, above all features of pictures. Too wide where a few
        groups lie far apart.
    `fixed`
        `sigma`. The article's 0.25 suits up to about ten columns scaled to [0, 1].
    `knn`
        The mean distance to the 7th nearest other point. Fits the density inside groups, however
        far these lie apart and however many columns there are; the more points, the narrower.
    `dimension`
        0.25 sqrt(d / 4): the article's width, grown as distances grow with the number of columns
        d. For columns scaled to [0, 1] that are independent of each other; looks at no point.

    Parameters
    ----------
    rule
        One of `WIDTHS`.
    points
        Tensor[n, d].
    share, sigma
        For the rules `median` and `fixed`.
    rng
        Draws the points looked at when there are more than 2000.

    Returns
    -------
    float
        The width, > 0. `FIXED_WIDTH` when all points are the same and the rule asks for
        distances.

    Raises
    ------
    ParameterError
        For another rule.
    """
    if rule == "median":
        return _median_width(points, share, rng, job)
    if rule == "fixed":
        return sigma
    if rule == "knn":
        # Where nearly every point has seven copies, their distance of 0 is no width.
        return _neighbour_width(points, rng, job) or _median_width(points, share, rng, job)
    if rule == "dimension":
        return FIXED_WIDTH * math.sqrt(points.shape[1] / _SUITED_COLUMNS)
    raise ParameterError(f"there is no rule “{rule}”.", f"Choose one of {', '.join(WIDTHS)}.")


def _median_width(points: torch.Tensor, share: float, rng: np.random.Generator, job: Job) -> float:
    """Give `share` times the median positive distance between points, 1000 of more than 2000."""
    points = exact(_drawn(points, rng)).cpu()
    found = [np.empty(0, dtype=np.float32)]
    for start in range(0, len(points), _CHUNK):
        job.step()
        apart = direct_distances(points[start:], points[start : start + _CHUNK]).float().numpy()
        below = apart[np.tri(len(apart), apart.shape[1], -1, dtype=np.bool_)]  # each pair once
        found.append(below[below > 0])
    positive = np.concatenate(found)
    return share * float(np.median(positive)) if len(positive) else FIXED_WIDTH


def _neighbour_width(points: torch.Tensor, rng: np.random.Generator, job: Job) -> float:
    """Give the mean positive distance to the 7th nearest other point; 0 if none is positive.

    Of more than 2000 points, 500 are drawn, but their neighbours are sought among all: among a
    part of them they would be farther away. Of fewer than 8 points the last neighbour counts.
    """
    n = len(points)
    if n == 1:
        return 0.0
    chosen = np.arange(n) if n <= _SUBSAMPLE else np.sort(rng.choice(n, _QUERIES, replace=False))
    queries = exact(points[torch.from_numpy(chosen).to(points.device)])
    neighbours = _nearest(points, queries, chosen, min(_NEIGHBOUR, n - 1), job)
    # By the dot product, copies are not quite 0 apart; so once more, by the difference.
    far = torch.linalg.vector_norm(queries - exact(points[neighbours[:, -1]]), dim=1)
    positive = np.sort(far[far > 0].cpu().numpy())
    return float(positive.mean()) if len(positive) else 0.0


def _nearest(
    points: torch.Tensor, queries: torch.Tensor, chosen: np.ndarray, count: int, job: Job
) -> torch.Tensor:
    """Give the `count` nearest other points of some, int64[len(chosen), count], nearest first."""
    device = queries.device
    best = torch.full((len(chosen), count), torch.inf, dtype=queries.dtype, device=device)
    items = torch.zeros((len(chosen), count), dtype=torch.int64, device=device)
    size = max(_CHUNK, _TILE_VALUES // len(chosen))
    for start in range(0, len(points), size):
        job.step()
        apart = squared_distances(queries, exact(points[start : start + size]))
        inside = np.flatnonzero((chosen >= start) & (chosen < start + size))
        apart[inside, chosen[inside] - start] = torch.inf
        fresh = torch.arange(start, start + apart.shape[1], device=device).expand_as(apart)
        best, at = torch.cat([best, apart], 1).topk(count, largest=False)
        items = torch.cat([items, fresh], 1).gather(1, at)
    return items.to(points.device)


def _drawn(points: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Give all points, or a part drawn from many: their half a million distances do."""
    n = len(points)
    if n <= _SUBSAMPLE:
        return points
    chosen = np.sort(rng.choice(n, _SUBSAMPLE // 2, replace=False))
    return points[torch.from_numpy(chosen).to(points.device)]
