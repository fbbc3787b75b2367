"""Items that no answer reaches: each comes to the group nearest to it, or stays undecided.

References
----------
FC2, finding clusters on constraints: points that no constraint reaches are set aside first. Where
they come, and from where on they are outliers, are decisions of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.job import Job

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_TILE = 1e7  # products and distances between two job steps
_DEVIATIONS = 3.0
_FEW = 3  # members that say nothing of how far apart a group is


@dataclass(frozen=True, slots=True, eq=False)
class Homes:
    """Where isolated items came.

    Attributes
    ----------
    labels
        int64[n]; -1 = an outlier.
    isolated
        How many items no link reached.
    """

    labels: Ints
    isolated: int


def homes(
    space: npt.NDArray[np.floating], labels: Ints, job: Job, *, outliers: bool = False
) -> Homes:
    """Bring items that are in no group to the one whose members are nearest on average.

    Parameters
    ----------
    space
        float[n, c].
    labels
        int64[n], 0..k-1; -1 = isolated. At least one item is in a group.
    outliers
        Leave those undecided that are farther from their group than its members are from each
        other: the mean and 3 standard deviations of the members' own mean distances, of all
        groups' members if the group has fewer than three.
    """
    alone = np.flatnonzero(labels < 0)
    if not len(alone):
        return Homes(labels, 0)
    members, k = np.flatnonzero(labels >= 0), int(labels.max()) + 1
    found = labels.copy()
    distance = np.empty(len(alone))
    sizes = np.bincount(labels[members], minlength=k)
    rows = space.astype(np.float64)
    for some, sums in _sums(rows, alone, members, labels[members], k, job):
        mean = sums / sizes
        found[alone[some]] = mean.argmin(axis=1)
        distance[some] = mean.min(axis=1)
    if outliers:
        bound = _bounds(rows, members, labels[members], sizes, job)
        found[alone[distance > bound[found[alone]]]] = -1
    return Homes(found, len(alone))


def _bounds(rows: Floats, members: Ints, labels: Ints, sizes: Ints, job: Job) -> Floats:
    """Give how far an item may be from each group on average: float64[k]."""
    own = np.zeros(len(members))
    for some, sums in _sums(rows, members, members, labels, len(sizes), job):
        mine = labels[some]
        own[some] = sums[np.arange(len(mine)), mine] / np.maximum(sizes[mine] - 1, 1)
    usual = own[sizes[labels] > 1]
    pooled = float(usual.mean() + _DEVIATIONS * usual.std()) if len(usual) else np.inf
    bound = np.full(len(sizes), pooled)
    for group in np.flatnonzero(sizes >= _FEW).tolist():
        inside = own[labels == group]
        bound[group] = inside.mean() + _DEVIATIONS * inside.std()
    return bound


def _sums(
    rows: Floats, of: Ints, members: Ints, labels: Ints, k: int, job: Job
) -> Iterator[tuple[slice, Floats]]:
    """Give, some items at a time, the summed distances to the members of each group."""
    order = np.argsort(labels, kind="stable")
    others, starts = rows[members[order]], np.searchsorted(labels[order], np.arange(k))
    squares = np.square(others).sum(axis=1)
    step = max(1, int(_TILE / (len(others) * (rows.shape[1] + 4))))
    for first in range(0, len(of), step):
        job.step(first, len(of), "Finding the nearest groups")
        some = slice(first, min(first + step, len(of)))
        here = rows[of[some]]
        apart = np.square(here).sum(axis=1)[:, None] + squares - 2 * here @ others.T
        np.sqrt(np.maximum(apart, 0, out=apart), out=apart)
        yield some, np.add.reduceat(apart, starts, axis=1)
