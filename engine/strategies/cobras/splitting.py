"""Super-instances of COBRAS, and how they are split by k-means.

Hidden here: the canonical order of items and the random streams. Promised: a split depends on the
points that are split and the seed alone, and every part has an item that may be asked about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.clusterers.kmeans import KMeans, KMeansParams
from engine.constraints import Constraints
from engine.job import Job
from engine.model import IntArray
from engine.problem import Problem

_BLOCK_VALUES = 2**20  # distances held at once
PAIR = 2  # parts of a trial split


@dataclass(frozen=True, slots=True, eq=False)
class SuperInstance:
    """Items taken as alike until they are split.

    Attributes
    ----------
    items
        int32[m], in canonical order (see `Splitter`).
    medoid
        The item nearest to their mean that may be asked about; it stands for all.
    """

    items: IntArray
    medoid: int


class Splitter:
    """Splits super-instances by k-means.

    Each split has a random stream of its own, named by the points that are split: what was drawn
    before, and the order in which items are filed, makes no difference to it. For this items are
    put into a canonical order, by the bytes of their features.

    Parameters
    ----------
    problem
        The points, and the items that must not be asked about.
    starts
        Random starts of each k-means.
    mark
        Name and version of the strategy, for the keys of steps.

    Attributes
    ----------
    place
        int32[n], of each item in the canonical order.
    """

    def __init__(self, problem: Problem, starts: int, mark: str, job: Job) -> None:
        self._problem = problem
        self._starts = starts
        self._mark = f"{mark}/{problem.fingerprint}/{problem.seed}/{starts}"
        self._job = job
        self._usable = np.ones(problem.n, dtype=np.bool_)
        self._usable[list(problem.set_aside)] = False
        self._order = problem.steps.indices(f"{self._mark}/order", self._canonical)
        self.place = np.empty(problem.n, dtype=np.int32)
        self.place[self._order] = np.arange(problem.n, dtype=np.int32)

    def whole(self) -> SuperInstance | None:
        """Give the super-instance of all items; None when none may be asked about."""
        self._job.step()
        return self._super_instance(self._order) if self._usable.any() else None

    def around(self, items: Sequence[int]) -> list[SuperInstance]:
        """Give a super-instance around each of some items: all that is nearest to it."""
        if not items:
            return []
        points = self._problem.points
        at = points[list(items)].astype(np.float64)
        near = np.empty(len(points), dtype=np.int64)
        block = max(1, _BLOCK_VALUES // at.size)
        for start in range(0, len(points), block):
            self._job.step()
            rows = points[start : start + block, None]
            near[start : start + block] = np.square(rows - at).sum(axis=2).argmin(axis=1)
        near[list(items)] = np.arange(len(items))  # also among copies
        ordered = near[self._order]
        return [
            SuperInstance(self._order[ordered == number], item) for number, item in enumerate(items)
        ]

    def divisible(self, one: SuperInstance) -> bool:
        """Tell whether there are two items or more that may be asked about."""
        return int(self._usable[one.items].sum()) >= PAIR

    def split(self, one: SuperInstance, k: int) -> list[SuperInstance]:
        """Divide a divisible super-instance in k, or as many as it has items to ask about.

        A part with none of these joins the part with the nearest medoid. At least two come back.
        """
        self._job.step()
        k = min(k, int(self._usable[one.items].sum()))
        parts = self._parts(one.items, k)
        if sum(self._usable[part].any() for part in parts) < PAIR:
            usable = self._usable[one.items]
            parts = [*self._parts(one.items[usable], k), *one.items[~usable][:, None]]
        found = [self._super_instance(part) for part in parts if self._usable[part].any()]
        strays = [part for part in parts if not self._usable[part].any()]
        return self._taken_in(found, strays) if strays else found

    def _taken_in(self, found: list[SuperInstance], strays: list[IntArray]) -> list[SuperInstance]:
        """Let parts without an item to ask about join those with the nearest medoid."""
        points = self._problem.points
        medoids = points[[one.medoid for one in found]].astype(np.float64)
        joined = [[one.items] for one in found]
        for part in strays:
            self._job.step()
            mean = points[part].mean(axis=0, dtype=np.float64)
            joined[int(np.square(medoids - mean).sum(axis=1).argmin())].append(part)
        together = (np.concatenate(items) for items in joined)
        return [self._super_instance(items[np.argsort(self.place[items])]) for items in together]

    def _parts(self, items: IntArray, k: int) -> list[IntArray]:
        """Give the parts of a k-means, each in canonical order, by their first items."""
        if k == len(items):
            return list(items[:, None])
        name = hashlib.blake2b(self.place[items].tobytes(), digest_size=16).hexdigest()
        labels = self._problem.steps.indices(
            f"{self._mark}/split/{k}/{name}", lambda: self._kmeans(items, k, name)
        )
        return [items[labels == part] for part in range(int(labels.max()) + 1)]

    def _kmeans(self, items: IntArray, k: int, name: str) -> IntArray:
        """Group items around k means; copies, which means cannot part, are cut in two."""
        seed = int(self._problem.rng(f"cobras.split.{k}.{name}").integers(2**62))
        method = KMeans(KMeansParams(groups=k, starts=self._starts))
        some = Problem(self._problem.points[items], seed)
        labels = method.cluster(some, Constraints(), self._job).labels
        if labels.any():
            return labels
        return (np.arange(len(items)) >= (len(items) + 1) // 2).astype(np.int32)

    def _super_instance(self, items: IntArray) -> SuperInstance:
        points = self._problem.points[items]
        mean = points.mean(axis=0, dtype=np.float64)
        squares = np.square(points - mean).sum(axis=1)
        squares[~self._usable[items]] = np.inf
        return SuperInstance(items, int(items[squares.argmin()]))

    def _canonical(self) -> list[int]:
        """Sort items by the bytes of their features, copies by their numbers."""
        keys: list[bytes] = []
        for row in self._problem.points:
            self._job.step()
            keys.append((row + np.float32(0)).tobytes())  # -0 is 0
        return sorted(range(self._problem.n), key=keys.__getitem__)
