"""Parts: sets of items that a first guess takes as alike, what stands for them, their halves.

Hidden here: where the first guess is kept. Promised: the same parts for the same points and items
set aside, in any order of the items; all of it costs nothing the second time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.clusterers.rcc import Rcc, RccParams
from engine.clusterers.rcc.reduced import RccDr, RccDrParams
from engine.constraints import Constraints
from engine.job import Job
from engine.model import FloatArray, IntArray
from engine.problem import Problem

Squares = npt.NDArray[np.float64]

METHODS: dict[str, tuple[type[Any], type[Any]]] = {
    method.name: (method, params) for method, params in ((Rcc, RccParams), (RccDr, RccDrParams))
}
"""Methods that need neither answers nor a number of groups, and their parameters."""

_ROUNDS = 8  # of the 2-means that halves a part: it need not have settled
_BLOCK_VALUES = 2**20  # differences held at once


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Items taken as alike.

    Attributes
    ----------
    items
        int32[m], rising.
    exemplar
        The item that stands for them.
    checks
        How often the set of the first guess that they come from was halved on the way to them.
    """

    items: IntArray
    exemplar: int
    checks: int = 0


class First:
    """The first guess, and what it is divided into.

    Parameters
    ----------
    problem
        The points, and the items that must not stand for others.
    method
        One of `METHODS`.
    settings
        Parameters of it; the others are as usual.
    mark
        Name and version of the strategy, for the keys of steps.

    Attributes
    ----------
    labels
        int32[n], the groups.
    firmness
        float32[n], the share of an item's neighbours that are in its group.
    """

    def __init__(
        self, problem: Problem, method: str, settings: dict[str, Any], mark: str, job: Job
    ) -> None:
        maker, params = METHODS[method]
        self._problem, self._job = problem, job
        self._method = maker(params(**settings))
        told = " ".join(f"{key}={value}" for key, value in settings.items())
        data = f"{problem.fingerprint}/{problem.seed}"
        self._mark = f"{mark}/{method}/{maker.version}/{told}/{data}"
        both = problem.steps.indices(self._mark, self._guess)
        self.labels: IntArray = both[: problem.n]
        self.firmness: FloatArray = both[problem.n :].view(np.float32)

    def parts(self) -> tuple[Part, ...]:
        """Give the groups; one of which all items are set aside is none of them."""
        key = (self._mark, "parts", self._problem.set_aside)
        return self._problem.steps.get(key, lambda: tuple(self._parts()))

    def part(self, items: IntArray, among: IntArray) -> Part | None:
        """Let one of some items stand for a set; None = all of them are set aside."""
        medoid = self._medoid(items, among)
        return None if medoid is None else Part(items, medoid)

    def halves(self, part: Part) -> tuple[Part, Part] | None:
        """Divide a part by 2-means; the first half keeps what stands for the whole.

        Starts with what stands for the whole and the item farthest from it. None where nothing can
        stand for the other half.
        """
        name = hashlib.blake2b(part.items.tobytes(), digest_size=16).digest()
        key = (self._mark, "halves", self._problem.set_aside, name, part.exemplar, part.checks)
        return self._problem.steps.get(key, lambda: self._halved(part))

    def _guess(self) -> IntArray:
        """Group all items: int32[2n], the groups, then the bits of how firm items are in them."""
        found = self._method.cluster(self._problem, Constraints(), self._job)
        return np.concatenate([found.labels, found.confidence.view(np.int32)])

    def _parts(self) -> Iterator[Part]:
        order = np.argsort(self.labels, kind="stable").astype(np.int32)
        for items in np.split(order, np.cumsum(np.bincount(self.labels))[:-1]):
            if (part := self.part(items, items)) is not None:
                yield part

    def _medoid(self, items: IntArray, among: IntArray) -> int | None:
        """Give the one of some items, not set aside, that is nearest to the mean of all.

        Of those equally near, to the digits of float32 (any two are), the one whose features come
        first: the order of the items makes no difference.
        """
        aside = self._problem.set_aside
        usable = among if not aside else among[[int(item) not in aside for item in among]]
        if not len(usable):
            return None
        mean = _mean(self._problem, items, self._job)
        far = squares_to(self._problem, usable, mean, self._job).astype(np.float32)
        nearest = map(int, usable[far == far.min()])
        return min(nearest, key=lambda item: self._problem.points[item].tobytes())

    def _halved(self, part: Part) -> tuple[Part, Part] | None:
        problem, job, items = self._problem, self._job, part.items
        here = problem.points[part.exemplar].astype(np.float64)
        near = squares_to(problem, items, here, job)
        there = problem.points[items[near.argmax()]].astype(np.float64)
        other = np.zeros(len(items), dtype=np.bool_)
        for _ in range(_ROUNDS):
            before = other
            other = squares_to(problem, items, there, job) < squares_to(problem, items, here, job)
            if other.all() or not other.any():
                return None
            if (other == before).all():
                break
            here, there = (_mean(problem, items[side], job) for side in (~other, other))
        if other[np.searchsorted(items, part.exemplar)]:
            other = ~other
        medoid = self._medoid(items[other], items[other])
        if medoid is None:
            return None
        checks = part.checks + 1
        return Part(items[~other], part.exemplar, checks), Part(items[other], medoid, checks)


def squares_to(problem: Problem, items: IntArray, row: Squares, job: Job) -> Squares:
    """Give squared distances of items to a point, float64[m], a block at a time."""
    found = np.empty(len(items))
    for some in _blocks(problem, items):
        job.step()
        apart = problem.points[items[some]] - row
        found[some] = np.einsum("ij,ij->i", apart, apart)
    return found


def _mean(problem: Problem, items: IntArray, job: Job) -> Squares:
    """Give the mean of some items, float64[d]."""
    total = np.zeros(problem.d)
    for some in _blocks(problem, items):
        job.step()
        total += problem.points[items[some]].sum(axis=0, dtype=np.float64)
    return total / len(items)


def _blocks(problem: Problem, items: IntArray) -> Iterator[slice]:
    size = max(1, _BLOCK_VALUES // problem.d)
    return (slice(first, first + size) for first in range(0, len(items), size))
