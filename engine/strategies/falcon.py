"""FALCON: prototypes and criticisms decide what to ask; answers about prototypes make the groups.

Points are divided among prototypes (each point to its nearest). In every round criticisms, points
that the prototypes represent badly, show which cell is too coarse; it gets new prototypes, and
each of them is put to the person: is it like the nearest group, the next nearest, ... ? A yes
joins it to the group, a no from all of them opens a new group.

Which prototypes come next never depends on the answers, only on the points. `_Growth` computes
them and keeps them in the problem's step cache, so that undo and replay need no new sums.

References
----------
FALCON's Algorithm 1; prototypes and criticisms after MMD-critic (see `engine.mmd`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import parameters
from engine.confidence import margin
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, FloatArray, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

    from engine.kernels import KernelMatrix
    from engine.strategies import Run

_NEAR = 8  # prototypes remembered for each point, nearest first
_START = 2  # prototypes of the first round
_ITSELF = -1.0  # distance that puts a prototype before any copy of it

_Near = tuple[IntArray, FloatArray]


@dataclass(frozen=True, slots=True)
class FalconParams:
    """Parameters of FALCON.

    The article has the fixed width. It suits up to about ten columns scaled to [0, 1]; with more,
    or with features of pictures, hardly two items look alike to it, and a share of the median
    distance does better (mean ARI over 200 questions, 43 tables of up to 2500 rows: 0.628 fixed,
    0.650, 0.645, 0.642 for c = 0.25, 0.35, 0.5; three sets of pictures: 0.480, 0.513, 0.524,
    0.503).
    """

    width: str = field(
        default="median",
        metadata={
            "choices": ("median", "fixed"),
            "help": "How near items must be to count as alike: a share of the median distance"
            " between them, or a fixed distance.",
        },
    )
    c: float = field(
        default=0.35,
        metadata={"above": 0, "help": "The share of the median distance, for width=median."},
    )
    sigma: float = field(
        default=0.25,
        metadata={"above": 0, "help": "The distance, for width=fixed; columns scaled to 0..1."},
    )


class Falcon:
    """The strategy as the loop of the paper.

    Where the sources are silent: new prototypes are questioned in the order picked; a prototype
    left unsure, set aside or not yet answered goes with the nearest group it was not told apart
    from, is never shown as an example of it, and does not move its mean.

    Parameters
    ----------
    params
        Kernel width.
    """

    name: ClassVar[str] = "falcon"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = FalconParams

    def __init__(self, params: FalconParams) -> None:
        self._params = params
        self._growth: _Growth | None = None
        self._round = 0
        self._groups: list[list[int]] = []  # prototypes by group, in the order joined
        self._centres: list[npt.NDArray[np.float64]] = []  # sum of the prototypes by group
        self._apart: dict[int, set[int]] = {}  # prototype without a group -> groups ruled out

    def run(self, problem: Problem, job: Job) -> Run:
        """Yield the questions of round after round, until every point is a prototype."""
        self._growth = growth = _Growth(problem, self._params, job)
        for index in count():
            if not growth.reach(index):
                return
            self._round = index
            fresh = growth.prototypes(index)
            self._apart.update((prototype, set()) for prototype in fresh)
            for prototype, size in zip(fresh, growth.sizes(index), strict=True):
                yield from self._place(problem, prototype, size)

    def clustering(self) -> Clustering:
        """Divide all points among the prototypes, each taking its group's label.

        Confidence is the margin (e - d) / (e + d) in [0, 1]: d is the distance to the nearest
        prototype whose membership of the item's group is settled, e to the nearest one that is
        not known to belong to it. An item whose own prototype is not settled has 0.
        """
        if self._growth is None:
            raise UsageError("falcon has not been started")
        growth = self._growth
        prototypes = growth.all_prototypes(self._round)
        settled, group = self._memberships(growth.points, prototypes)
        near, distance = growth.near(self._round)
        distance = np.maximum(distance, 0)
        of_item = group[near[:, 0]]
        own = settled[near] & (group[near] == of_item[:, None])
        inner = np.where(own, distance, np.inf).min(axis=1)
        outer = np.where(own, np.inf, distance).min(axis=1)
        # beyond the remembered ones, other prototypes are at least as far as the last of these
        farthest = distance[:, -1] if len(prototypes) > _NEAR else np.float32(np.inf)
        outer = np.minimum(outer, farthest)
        return Clustering.of(
            of_item,
            margin(inner, outer),
            exemplars=tuple(prototypes),
            criticisms=tuple(growth.criticisms(self._round)),
        )

    def _place(self, problem: Problem, prototype: int, size: int) -> Run:
        """Ask which group a new prototype belongs to; open a new one when all are ruled out."""
        if prototype in problem.set_aside:
            return
        apart = self._apart[prototype]
        for group in self._nearest_groups(problem, prototype):
            known = self._example(problem, group, prototype)
            verdict = yield Query(
                Pair.of(prototype, known), _reason(size, len(apart), len(self._groups)), size
            )
            if verdict is Verdict.SAME:
                self._join(problem, prototype, group)
                return
            if verdict is Verdict.DIFFERENT:
                apart.add(group)
        if len(apart) == len(self._groups):
            self._groups.append([])
            self._centres.append(np.zeros(problem.d))
            self._join(problem, prototype, len(self._groups) - 1)

    def _join(self, problem: Problem, prototype: int, group: int) -> None:
        del self._apart[prototype]
        self._groups[group].append(prototype)
        self._centres[group] += problem.points[prototype]

    def _nearest_groups(self, problem: Problem, prototype: int) -> list[int]:
        """List the groups by the distance of their prototypes' mean."""
        if not self._groups:
            return []
        apart = _to_means(problem.points[[prototype]], self._centres, self._groups)[0]
        return [int(group) for group in np.argsort(apart, kind="stable")]

    def _example(self, problem: Problem, group: int, prototype: int) -> int:
        """Give the member of a group nearest to a prototype; none of them is set aside."""
        members = self._groups[group]
        differences = problem.points[members].astype(np.float64) - problem.points[prototype]
        return members[int(np.square(differences).sum(axis=1).argmin())]

    def _memberships(
        self, points: FloatArray, prototypes: list[int]
    ) -> tuple[npt.NDArray[np.bool_], IntArray]:
        """Give, for each prototype, whether an answer settled its group, and the group."""
        position = {prototype: at for at, prototype in enumerate(prototypes)}
        group = np.zeros(len(prototypes), dtype=np.int32)
        settled = np.zeros(len(prototypes), dtype=np.bool_)
        for number, members in enumerate(self._groups):
            at = [position[member] for member in members]
            group[at] = number
            settled[at] = True
        if self._apart and self._groups:
            loose = list(self._apart)
            apart = _to_means(points[loose], self._centres, self._groups)
            for row, prototype in enumerate(loose):
                apart[row, list(self._apart[prototype])] = np.inf
            group[[position[prototype] for prototype in loose]] = apart.argmin(axis=1)
        return settled, group


class _Growth:
    """The rounds of one problem: prototypes, criticisms, and every point's nearest prototypes.

    Round 0 has the first prototypes; each later round has criticisms, the cell they single out,
    and the prototypes added to it. All of it is a function of the points and the parameters.
    """

    def __init__(self, problem: Problem, params: FalconParams, job: Job) -> None:
        self.points = problem.points
        self._problem = problem
        self._params = params
        self._job = job
        shown = " ".join(f"{name}={text}" for name, text in parameters.texts(params).items())
        self._key = (
            f"{Falcon.name}/{Falcon.version} {shown} seed={problem.seed} on {problem.fingerprint}"
        )
        self._rounds: list[IntArray] = []
        self._last_near: tuple[int, _Near] | None = None

    def reach(self, index: int) -> bool:
        """Tell whether there is a round `index`, and make it known."""
        while len(self._rounds) <= index:
            if sum(map(len, self._rounds)) == self._problem.n:
                return False
            at = len(self._rounds)
            self._rounds.append(self._indices("prototypes", at, partial(self._grow, at)))
        return True

    def prototypes(self, index: int) -> list[int]:
        """Give the prototypes that a round adds."""
        return [int(item) for item in self._rounds[index]]

    def all_prototypes(self, index: int) -> list[int]:
        """Give the prototypes of all rounds up to `index`."""
        return [item for at in range(index + 1) for item in self.prototypes(at)]

    def sizes(self, index: int) -> list[int]:
        """Give the number of points nearest to each prototype that a round adds."""

        def tally() -> IntArray:
            total = sum(map(len, self._rounds[: index + 1]))
            nearest = self.near(index)[0][:, 0]
            added = len(self._rounds[index])
            return np.bincount(nearest, minlength=total)[total - added :].astype(np.int32)

        return [int(size) for size in self._indices("sizes", index, tally)]

    def criticisms(self, index: int) -> list[int]:
        """Give the points that led to a round; none for the first."""
        if index == 0:
            return []

        def pick() -> list[int]:
            from engine import mmd

            chosen = self.all_prototypes(index - 1)
            kernel = self._kernel()
            witness = self._means() - kernel.sums(chosen, self._job) / len(chosen)
            return mmd.criticisms(kernel, witness, len(chosen) + 1, self._job, chosen)

        return [int(item) for item in self._indices("criticisms", index, pick)]

    def near(self, index: int) -> _Near:
        """Give each point's nearest prototypes of the rounds up to `index`, nearest first.

        Returns
        -------
        tuple
            int32[n, k] positions in `all_prototypes(index)` and float32[n, k] distances, with
            k <= 8. A prototype always comes first for itself, also among copies.
        """
        return self._problem.steps.get((self._key, "near", index), lambda: self._find_near(index))

    def _grow(self, index: int) -> list[int]:
        """Compute the prototypes of a round."""
        from engine import mmd

        kernel = self._kernel()
        if index == 0:
            return mmd.prototypes(kernel, self._means(), _START, self._job)
        nearest = self.near(index - 1)[0][:, 0]
        chosen = self.all_prototypes(index - 1)
        counts = np.bincount(nearest[self.criticisms(index)], minlength=len(chosen))
        sizes = np.bincount(nearest, minlength=len(chosen))
        # A cell holds its prototype besides its criticisms, so there always are enough points.
        cell = max(range(len(chosen)), key=lambda at: (counts[at], sizes[at], -at))
        members = np.flatnonzero(nearest == cell).astype(np.int32)
        part = kernel.part(members)
        fixed = int(np.flatnonzero(members == chosen[cell])[0])
        picked = mmd.prototypes(part, part.means(self._job), int(counts[cell]), self._job, [fixed])
        return [int(members[at]) for at in picked]

    def _find_near(self, index: int) -> _Near:
        """Add to the last known state what later rounds bring; from nothing if need be."""
        from engine import kernels

        n = self._problem.n
        chosen = self.all_prototypes(index)
        known, near, distance = 0, np.empty((n, 0), np.int32), np.empty((n, 0), np.float32)
        if self._last_near is not None and self._last_near[0] < index:
            known = len(self.all_prototypes(self._last_near[0]))
            near, distance = self._last_near[1]
        width = min(_NEAR, len(chosen))
        found = np.empty((n, width), np.int32), np.empty((n, width), np.float32)
        fresh = chosen[known:]
        position = np.arange(known, len(chosen), dtype=np.int32)
        for rows, apart in kernels.distances(self._problem.tensor, fresh, self._job):
            for column, item in enumerate(fresh):
                if rows.start <= item < rows.stop:
                    apart[item - rows.start, column] = _ITSELF
            all_apart = np.hstack([distance[rows], apart])
            all_near = np.hstack([near[rows], np.broadcast_to(position, apart.shape)])
            order = np.argsort(all_apart, axis=1, kind="stable")[:, :width]
            found[0][rows] = np.take_along_axis(all_near, order, axis=1)
            found[1][rows] = np.take_along_axis(all_apart, order, axis=1)
        self._last_near = index, found
        return found

    def _kernel(self) -> KernelMatrix:
        from engine import kernels

        width = self._params.sigma
        if self._params.width == "median":
            width = self._problem.steps.get(
                (self._key, "width"),
                lambda: kernels.median_width(
                    self._problem.tensor,
                    self._params.c,
                    self._problem.rng("falcon.width"),
                    self._job,
                ),
            )
        return kernels.KernelMatrix(self._problem.tensor, kernels.Rbf(width))

    def _means(self) -> torch.Tensor:
        return self._problem.steps.get(
            (self._key, "means"),
            lambda: self._kernel().means(self._job, "Comparing all items with each other"),
        )

    def _indices(self, what: str, index: int, compute: Callable[[], npt.ArrayLike]) -> IntArray:
        return self._problem.steps.indices(f"{self._key} {what} {index}", compute)


def _to_means(
    rows: FloatArray, sums: list[npt.NDArray[np.float64]], groups: list[list[int]]
) -> npt.NDArray[np.float64]:
    """Give squared distances of points to the means of groups, float64[points, groups]."""
    sizes = np.array([len(members) for members in groups], dtype=np.float64)
    means = np.stack(sums) / sizes[:, None]
    squares = [np.square(means - row).sum(axis=1) for row in rows.astype(np.float64)]
    return np.stack(squares)


def _reason(size: int, ruled_out: int, groups: int) -> Reason:
    """Say in plain words why a prototype is compared with a group."""
    who = (
        "One of these stands for {size} items that no answer has placed yet"
        if size > 1
        else "No answer has placed one of these yet"
    )
    if groups == 1:  # nothing is divided yet, and people are not told of a group
        return Reason.of(who + "; the other is the closest example so far.", size=size)
    if ruled_out == 0:
        return Reason.of(
            who + "; the other is the closest example of the group most like it.", size=size
        )
    ruled = "is ruled out" if ruled_out == 1 else "are ruled out"
    return Reason.of(
        who + f", and {{ruled_out}} of the {{groups}} groups {ruled}; the other is the closest"
        " example of the next most likely group.",
        size=size,
        ruled_out=ruled_out,
        groups=groups,
    )
