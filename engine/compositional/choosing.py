"""How many groups there are, found out by trying: gap statistic and silhouette.

Hidden here: what is drawn to compare with, and how many items are looked at. Promised: numbers from
1 (silhouette: from 2, where there are as many items) to a bound, the smallest of equally good ones.

References
----------
Tibshirani, Walther & Hastie (2001), Estimating the number of clusters in a data set via the gap
statistic, sec. 3 and 4; Rousseeuw (1987), silhouettes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.compositional.membership import Composed
from engine.job import Job
from engine.model import FloatArray, IntArray
from engine.problem import Problem

CHOICES = ("silhouette", "gap")

_DRAWN = 5  # sets of points without groups that are compared with
_LOOKED_AT = 2000  # items whose silhouettes are computed
_BLOCK = 256  # of them at once
_LEAST = 1e-12  # of the data's squares: below it a sum of squares is rounding


class Fitted(Protocol):
    """What is tried."""

    def __call__(self, problem: Problem, groups: int, *, quick: bool) -> Composed:
        """Give the result for a number of groups; a quick one serves to compare with only."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """The number of groups taken, and a line for each that was tried, plain values for JSON."""

    groups: int
    tried: list[dict[str, object]]


def choose(how: str, problem: Problem, most: int, fitted: Fitted, job: Job) -> Choice:
    """Try numbers of groups, and take the best.

    Parameters
    ----------
    how
        One of `CHOICES`.
    most
        Groups at most; never more than items.
    """
    most = min(most, problem.n)
    if how == "gap":
        return _by_gap(problem, most, fitted, job)
    tried: list[dict[str, object]] = []
    scores: list[float] = []
    numbers = range(min(2, most), most + 1)
    for groups in numbers:
        found = fitted(problem, groups, quick=False)
        score = silhouette(problem, found.chosen, job)
        scores.append(score)
        tried.append({"groups": groups, "silhouette": score})
    return Choice(numbers[int(np.argmax(scores))], tried)


def _by_gap(problem: Problem, most: int, fitted: Fitted, job: Job) -> Choice:
    """Take the first number whose gap is no less than the next one's less its error."""
    gaps: list[float] = []
    tried: list[dict[str, object]] = []
    for groups in range(1, most + 1):
        # the same points are drawn for every number of groups
        rng = problem.rng("choosing.gap")
        low, high = problem.points.min(0), problem.points.max(0)
        expected = []
        for _ in range(_DRAWN):
            job.step()
            drawn = Problem(rng.uniform(low, high, problem.points.shape), problem.seed)
            expected.append(_log_spread(drawn, fitted(drawn, groups, quick=True)))
        gap = float(np.mean(expected)) - _log_spread(problem, fitted(problem, groups, quick=False))
        error = float(np.std(expected)) * math.sqrt(1 + 1 / _DRAWN)
        tried.append({"groups": groups, "gap": gap, "error": error})
        if gaps and gaps[-1] >= gap - error:
            return Choice(groups - 1, tried)
        gaps.append(gap)
    return Choice(most, tried)


def _log_spread(problem: Problem, found: Composed) -> float:
    """Give the logarithm of the sum of squared distances to the composed centres."""
    whole = float(np.square(problem.points.astype(np.float64)).sum())
    squares = float(np.square(found.fit.astype(np.float64)).sum())
    return math.log(max(squares, _LEAST * whole, np.finfo(np.float64).tiny))


def silhouette(problem: Problem, labels: IntArray, job: Job) -> float:
    """Give the mean silhouette of up to 2000 items; -1 where there is one group only.

    Every set counts as a group of its own; the silhouette of an item alone in it is 0.
    """
    import torch

    from engine.kernels import squared_distances

    rows = np.arange(problem.n)
    if problem.n > _LOOKED_AT:
        rows = np.sort(problem.rng("choosing.silhouette").choice(rows, _LOOKED_AT, replace=False))
    _, groups = np.unique(labels[rows], return_inverse=True)
    sizes = np.bincount(groups)
    if len(sizes) < 2:
        return -1.0
    points = problem.tensor[torch.from_numpy(rows)].double()
    member = torch.zeros((len(rows), len(sizes)), dtype=torch.float64)
    member[torch.arange(len(rows)), torch.from_numpy(groups)] = 1
    values: list[FloatArray] = []
    for start in range(0, len(rows), _BLOCK):
        job.step()
        apart = squared_distances(points[start : start + _BLOCK], points).sqrt()
        sums = (apart @ member).numpy()
        own = groups[start : start + _BLOCK]
        at = np.arange(len(own))
        within = sums[at, own] / np.maximum(1, sizes[own] - 1)
        means = sums / sizes
        means[at, own] = np.inf
        nearest = means.min(1)
        largest = np.maximum(np.maximum(within, nearest), np.finfo(np.float64).tiny)
        values.append(np.where(sizes[own] > 1, (nearest - within) / largest, 0.0))
    return float(np.concatenate(values).mean())
