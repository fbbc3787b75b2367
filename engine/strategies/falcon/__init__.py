"""FALCON: prototypes and criticisms decide what to ask; answers about prototypes make the groups.

Points are divided among prototypes (each point to its nearest). In every round criticisms, points
that the prototypes represent badly, show which cell is too coarse; it gets new prototypes, and
each of them is put to the person: is it like the nearest group, the next nearest, ... ? A yes
joins it to the group, a no from all of them opens a new group.

- `growth`: which prototypes come next. It never depends on the answers, only on the points.
- `placing`: which group a new prototype belongs to, when every answer is right.
- `weighing`, with `belief`: the same when some answers are wrong.

References
----------
FALCON's Algorithm 1: growth is its split, placing its merge. Prototypes and criticisms after
MMD-critic (see `engine.kernels.mmd`).
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.confidence import margin
from engine.errors import ParameterError, UsageError
from engine.job import Job
from engine.model import Clustering, Pair, Verdict
from engine.problem import Problem
from engine.strategies.falcon.growth import NEAR, Growth
from engine.strategies.falcon.params import FalconParams
from engine.strategies.falcon.placing import Groups
from engine.strategies.falcon.weighing import WeighedGroups

if TYPE_CHECKING:
    from engine.strategies import Queries

_ALL_GUESSED = 0.5  # share of wrong answers


class Falcon:
    """The strategy as the loop of the paper.

    Where the sources are silent: new prototypes are questioned in the order picked; a prototype
    left unsure, set aside or not yet answered goes with the nearest group it was not told apart
    from, is never shown as an example of it, and does not move its mean.

    Parameters
    ----------
    params
        See `FalconParams`. With `noise` the strategy is `tolerant`.

    Raises
    ------
    ParameterError
        When half of the answers or more are expected to be wrong.
    """

    name: ClassVar[str] = "falcon"
    version: ClassVar[int] = 2
    Params: ClassVar[type[Any]] = FalconParams
    transitive: ClassVar[bool] = True

    def __init__(self, params: FalconParams) -> None:
        if params.noise >= _ALL_GUESSED:
            raise ParameterError(
                f"falcon: noise must be below {_ALL_GUESSED}, not {params.noise:g}",
                "At one half wrong answers say nothing.",
            )
        self._params = params
        self._growth: Growth | None = None
        self._groups: Groups | WeighedGroups | None = None
        self._round = 0

    @property
    def tolerant(self) -> bool:
        """Whether answers are weighed against each other, because some may be wrong."""
        return self._params.noise > 0

    def run(self, problem: Problem, job: Job) -> Queries:
        """Yield the questions of round after round, until every point is a prototype."""
        self._growth = growth = Growth(problem, self._params, f"{self.name}/{self.version}", job)
        self._groups = groups = (
            WeighedGroups(problem, self._params.noise, job)
            if self.tolerant
            else Groups(problem, self._params.order)
        )
        for index in count():
            if not growth.reach(index):
                return
            self._round = index
            fresh = growth.prototypes(index)
            groups.expect(fresh, growth.between(index))
            for prototype, size in zip(fresh, growth.sizes(index), strict=True):
                yield from groups.place(prototype, size)

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Weigh an answer about two prototypes, both of them known by now."""
        return isinstance(self._groups, WeighedGroups) and self._groups.overhear(pair, verdict)

    def clustering(self) -> Clustering:
        """Divide all points among the prototypes, each taking its group's label.

        Confidence is the margin (e - d) / (e + d) in [0, 1]: d is the distance to the nearest
        prototype whose membership of the item's group is settled, e to the nearest one that is
        not known to belong to it. An item whose own prototype is not settled has 0.
        """
        if self._growth is None or self._groups is None:
            raise UsageError("falcon has not been started")
        growth = self._growth
        prototypes = growth.all_prototypes(self._round)
        settled, group = self._groups.memberships(prototypes)
        partition = growth.partition(self._round)
        near, distance = partition.near, np.maximum(partition.distance, 0)
        of_item = group[partition.nearest]
        own = settled[near] & (group[near] == of_item)
        inner = np.where(own, distance, np.inf).min(axis=0)
        outer = np.where(own, np.inf, distance).min(axis=0)
        # beyond the remembered ones, other prototypes are at least as far as the last of these
        farthest = distance[-1] if len(prototypes) > NEAR else np.float32(np.inf)
        outer = np.minimum(outer, farthest)
        return Clustering.of(
            of_item,
            margin(inner, outer),
            exemplars=tuple(prototypes),
            criticisms=tuple(growth.criticisms(self._round)),
        )

    def report(self) -> dict[str, object]:
        """Tell kernel and width, how sums over all items were computed, and the rate of errors.

        The latter where answers are weighed: `errors`, as the answers themselves make it likely.
        """
        if self._growth is None:
            raise UsageError("falcon has not been started")
        found = self._growth.report()
        if isinstance(self._groups, WeighedGroups):
            found["errors"] = self._groups.error
        return found
