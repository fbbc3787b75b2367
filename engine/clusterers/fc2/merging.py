"""Step 2 of FC2: sub-clusters are merged where more speaks for it than against it.

Hidden here: how the cheapest pair is kept at hand. Promised: the very merges of always taking the
cheapest pair, ties by the larger evidence, then the lower groups; memory for the evidence and a few
numbers per group.

References
----------
FC2, finding clusters on constraints, its second step: the repulsion r = CL / ML, and what merging
does to J*. When merging ends without a number of groups, and how it goes on with one after no link
speaks for a merge, are decisions of ours. Ward (1963).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.job import Job

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK = 2**20  # links looked at at once
_PENALTY = 10.0  # of a conflict, on Ward's cost
_ROUNDING = 1e-6  # of sums of strengths: what differs by less is equal

Costs = Callable[[int], tuple[Floats, Floats]]
"""Of merging a group with each: the cost, infinite = never, and what settles between equals."""


class Merge(NamedTuple):
    """A merge: the groups by their lowest sub-clusters, and what it cost."""

    one: int
    other: int
    cost: float


class Groups:
    """Groups of items while they are merged.

    Parameters
    ----------
    labels
        int[n], 0..g-1; -1 = in no group.
    must, cannot
        Strengths of the links, symmetric, float[n, n].
    space
        float[n, c], where distances are measured.
    """

    def __init__(
        self,
        labels: Ints,
        must: csr_array,
        cannot: csr_array,
        space: npt.NDArray[np.floating],
        job: Job,
    ) -> None:
        inside = np.flatnonzero(labels >= 0)
        self._g = int(labels.max(initial=-1)) + 1
        self._evidence = [_evidence(labels, self._g, links, job) for links in (must, cannot)]
        self._labels = labels
        self._head = np.arange(self._g)  # the group that each sub-cluster is in
        self._sizes = np.bincount(labels[inside], minlength=self._g).astype(np.float64)
        # one column per group: distances to all are summed along them far sooner
        self._means = np.array(
            [np.bincount(labels[inside], axis[inside], self._g) for axis in space.T.astype(float)]
        ).reshape(space.shape[1], self._g)
        self._means /= self._sizes

    def __len__(self) -> int:
        """Tell how many groups are left."""
        return int(np.count_nonzero(self._head == np.arange(self._g)))

    @property
    def labels(self) -> Ints:
        """The group of each item, 0..k-1 by their lowest sub-clusters; -1 = none."""
        _, number = np.unique(self._head, return_inverse=True)
        return np.where(self._labels < 0, -1, number[self._labels] if self._g else -1)

    def repulsion(self, below: float) -> Costs:
        """Cost by r = CL / ML, if it is below a bound; of equal ones the larger ML goes first."""

        def costs(group: int) -> tuple[Floats, Floats]:
            must, cannot = self._between(group)
            r = np.full(self._g, np.inf)
            np.divide(cannot, must, out=r, where=must > 0)
            return np.where(r < below * (1 - _ROUNDING), r, np.inf), must

        return costs

    def agreeing(self, tolerance: float) -> Costs:
        """Cost by Ward, of pairs with CL - ML <= tolerance * |Ci| |Cj|."""

        def costs(group: int) -> tuple[Floats, Floats]:
            must, cannot = self._between(group)
            bound = tolerance * self._sizes * self._sizes[group]
            allowed = cannot - must <= bound + _ROUNDING * (cannot + must)
            return np.where(allowed, self._ward(group), np.inf), np.zeros(self._g)

        return costs

    def penalised(self, group: int) -> tuple[Floats, Floats]:
        """Cost by Ward, times 1 + 10 max(0, mean CL - mean ML)."""
        must, cannot = self._between(group)
        against = np.maximum(cannot - must, 0) / (self._sizes * self._sizes[group])
        return self._ward(group) * (1 + _PENALTY * against), np.zeros(self._g)

    def merge(self, costs: Costs, enough: int, job: Job) -> list[Merge]:
        """Merge the cheapest pair again and again, until so many are left or no pair may be."""
        alive = self._head == np.arange(self._g)
        best, weight = np.full(self._g, np.inf), np.zeros(self._g)
        mate = np.full(self._g, -1)

        def look(group: int) -> tuple[Floats, Floats]:
            job.step()
            cost, tie = costs(group)
            cost[~alive] = cost[group] = np.inf
            at = _first(cost, tie)
            best[group], weight[group], mate[group] = cost[at], tie[at], at
            return cost, tie

        for group in np.flatnonzero(alive).tolist():
            look(group)
        merges: list[Merge] = []
        left = int(np.count_nonzero(alive))
        total = left - enough
        while left > max(enough, 1):
            at = _first(best, weight)
            if best[at] == np.inf:
                break
            one, other = sorted((at, int(mate[at])))
            merges.append(Merge(one, other, float(best[at])))
            job.step(len(merges), total, "Merging groups")
            self._join(one, other)
            alive[other], best[other], left = False, np.inf, left - 1
            cost, tie = look(one)
            lost = alive & ((mate == one) | (mate == other))
            nearer = (cost < best) | (
                (cost == best) & ((tie > weight) | ((tie == weight) & (one < mate)))
            )
            nearer &= alive & (cost < np.inf)
            nearer[one] = lost[one] = False
            best[nearer], weight[nearer], mate[nearer] = cost[nearer], tie[nearer], one
            for group in np.flatnonzero(lost & ~nearer).tolist():
                look(group)
        return merges

    def _between(self, group: int) -> tuple[Floats, Floats]:
        """Sum up the must-links and the cannot-links of a group with each other: float64[g]."""
        sums: list[Floats] = []
        for rows in self._evidence:
            others, strength = rows[group]
            total = np.bincount(self._head[others], strength, minlength=self._g).astype(np.float64)
            total[group] = 0
            sums.append(total)
        return sums[0], sums[1]

    def _ward(self, group: int) -> Floats:
        squares = np.square(self._means - self._means[:, group, None]).sum(axis=0)
        here = self._sizes[group]
        cost: Floats = squares * (self._sizes * here / (self._sizes + here))
        return cost

    def _join(self, one: int, other: int) -> None:
        """Take a group into another: means, sizes and evidence add up."""
        sizes = self._sizes[[one, other]]
        self._means[:, one] = self._means[:, [one, other]] @ sizes / sizes.sum()
        self._sizes[one] = sizes.sum()
        for rows in self._evidence:
            both = [np.concatenate(parts) for parts in zip(rows[one], rows[other], strict=True)]
            rows[one], rows[other] = (both[0], both[1]), (both[0][:0], both[1][:0])
        self._head[self._head == other] = one


def widest_gap(merges: list[Merge]) -> int:
    """Tell how many merges to keep: up to the largest ratio of r to that before.

    Below 0.01 nothing is told apart: there next to nothing speaks against a merge.
    """
    if len(merges) < 2:
        return len(merges)
    r = np.maximum([merge.cost for merge in merges], 0.01)
    ratio = r[1:] / r[:-1]
    return int(ratio.argmax()) + 1 if ratio.max() > 1 else len(merges)


def _first(cost: Floats, tie: Floats) -> int:
    """Give the place of the least cost; of equal ones the largest tie, then the first."""
    least = np.flatnonzero(cost == cost.min())
    return int(least[tie[least].argmax()])


def _evidence(labels: Ints, g: int, links: csr_array, job: Job) -> list[tuple[Ints, Floats]]:
    """Sum up links between groups: of each, the others and how much; doubly within it."""
    from scipy.sparse import csr_array

    items = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    starts = np.searchsorted(labels[items], np.arange(g + 1))
    work = np.concatenate([[0], np.cumsum(np.diff(links.indptr)[items] + 1)])[starts]
    found: list[tuple[Ints, Floats]] = []
    while len(found) < g:
        job.step()
        first = len(found)
        last = int(np.searchsorted(work, work[first] + _BLOCK, side="right")) - 1
        last = max(last, first + 1)
        some = items[starts[first] : starts[last]]
        own = links[some]
        to = labels[own.indices]
        strength = np.where(to < 0, 0, own.data.astype(np.float64))
        others = csr_array((strength, np.maximum(to, 0), own.indptr), shape=(len(some), g))
        ends = starts[first : last + 1] - starts[first]
        each = np.ones(len(some)), np.arange(len(some)), ends
        sums = csr_array(each, shape=(last - first, len(some))) @ others
        for one, other in pairwise(sums.indptr.tolist()):
            found.append((sums.indices[one:other].astype(np.int64), sums.data[one:other]))
    return found
