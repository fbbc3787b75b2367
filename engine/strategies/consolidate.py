"""Explore and consolidate: find one item of every group, then place random items among them.

Hidden here: in which order items come. Promised: those far from all before come first, until the
groups seem to be found, then random ones; each is compared with the nearest neighbourhood first.

Two strategies ask alike and group differently: `explore-consolidate` by MPCK-Means (each group
learns its distances), `active-pck` by PCK-Means.

References
----------
Basu, Banerjee & Mooney (2004), "Active semi-supervision for pairwise constrained clustering",
section 4: Explore, Consolidate. Bilenko, Basu & Mooney (2004) for MPCK-Means.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.job import Job
from engine.model import IntArray, Reason
from engine.problem import Problem
from engine.strategies.neighbourhoods import MeansAround

if TYPE_CHECKING:
    from engine.strategies import Queries

_FIRST_REACH = 32  # items that the first search for far ones goes through
_BLOCK_VALUES = 2**20  # values held at once

_FAR = (
    "One of these lies farthest from everything compared so far; the other is the closest example"
    " of the group most like it that is not ruled out."
)
_RANDOM = (
    "One of these was picked at random; the other is the closest example of the group most like it"
    " that is not ruled out."
)


class _Consolidating(MeansAround):
    """The asking that both strategies share.

    Where the paper is silent: without a number of groups, exploring ends when more than twice as
    many far items in a row as there are neighbourhoods brought none, and later items may still
    open one. For what is left unsure see `Neighbourhoods`.
    """

    version: ClassVar[int] = 2
    draw: ClassVar[str] = "consolidate"

    def run(self, problem: Problem, job: Job) -> Queries:
        """Explore, consolidate, and come back to what was left unsure."""
        self._start(problem, job)
        yield from self._begin()
        seen = set(problem.known.items)
        since = 0
        for item in self._farthest_first():
            if self._explored(since):
                break
            if item not in problem.set_aside and item not in seen:
                before = len(self._members)
                yield from self._place(item, Reason.of(_FAR))
                since = 0 if len(self._members) > before else since + 1
            seen.add(item)
        for item in np.argsort(self._draws.uniform(1), kind="stable").tolist():
            job.step()
            if item not in seen and item not in problem.set_aside:
                yield from self._place(item, Reason.of(_RANDOM))
        yield from self._come_back()

    def _explored(self, since: int) -> bool:
        """Tell whether to stop exploring, `since` items after the last new neighbourhood."""
        if self._known_k:
            return len(self._members) >= self._known_k
        return since > 2 * len(self._members)

    def _farthest_first(self) -> Iterator[int]:
        """Give all items, each the farthest from those before; the first is random.

        They depend on no answer. Searched twice as far each time, so that the number of searches
        stays small and each is kept.
        """
        problem, given, reach = self._started, 0, _FIRST_REACH
        while given < problem.n:
            reach = min(reach, problem.n)
            key = f"consolidate/{self.version}/{problem.fingerprint}/{problem.seed}/{reach}"
            found = problem.steps.indices(key, partial(self._far_items, reach))
            yield from found[given:].tolist()
            given, reach = reach, 2 * reach

    def _far_items(self, reach: int) -> IntArray:
        """Search the first `reach` items of the farthest-first order, int32[reach]."""
        points = self._started.points
        n, d = points.shape
        found = [int(self._draws.uniform(0).argmin())]
        apart = np.full(n, np.inf)
        block = max(1, _BLOCK_VALUES // d)
        while len(found) < reach:
            last = points[found[-1]].astype(np.float64)
            for start in range(0, n, block):
                self._job.step(len(found), reach, "Looking for items far apart")
                rows = slice(start, start + block)
                np.minimum(apart[rows], np.square(points[rows] - last).sum(axis=1), out=apart[rows])
            apart[found[-1]] = -1  # even among copies nothing comes twice
            found.append(int(apart.argmax()))
        return np.array(found, dtype=np.int32)


class ExploreConsolidate(_Consolidating):
    """Explore and consolidate; groups by MPCK-Means, each with a diagonal metric of its own."""

    name: ClassVar[str] = "explore-consolidate"
    learns: ClassVar[bool] = True


class ActivePCK(_Consolidating):
    """Explore and consolidate; groups by PCK-Means."""

    name: ClassVar[str] = "active-pck"
    learns: ClassVar[bool] = False
