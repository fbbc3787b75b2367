"""Random pairs: every pair equally likely. The floor that any strategy must beat."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

if TYPE_CHECKING:
    from engine.strategies import Queries


@dataclass(frozen=True, slots=True)
class RandomParams:
    """Random pairs have no parameters."""


class RandomPairs:
    """Uniform distinct pairs, those that earlier answers settle left out.

    What answers joined stays together. In the order judged, each such set goes to the group with
    the nearest mean that it was not told apart from, and opens a new one when there is none. Items
    never judged go with the nearest judged one; before the first answer there is one group.
    """

    name: ClassVar[str] = "random"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = RandomParams
    tolerant: ClassVar[bool] = False
    transitive: ClassVar[bool] = True

    def __init__(self, params: RandomParams) -> None:
        self._params = params
        self._constraints = Constraints()
        self._problem: Problem | None = None
        self._different: list[Pair] = []
        self._judged: list[int] = []  # items that a SAME or DIFFERENT speaks about
        self._nearest: IntArray = np.zeros(0, dtype=np.int32)  # position in _judged
        self._distance: npt.NDArray[np.float64] = np.zeros(0)  # squared, to the nearest judged
        self._second: npt.NDArray[np.float64] = np.zeros(0)  # squared, to the second nearest

    def run(self, problem: Problem, job: Job) -> Queries:
        """Yield pairs in random order until all are settled."""
        self._problem = problem
        self._nearest = np.zeros(problem.n, dtype=np.int32)
        self._distance = np.full(problem.n, np.inf)
        self._second = np.full(problem.n, np.inf)
        for pair, known in problem.known.verdicts():
            self._take(problem, pair, known, -1)
        for item in problem.known.items:
            self._judge(problem, item)
        reason = Reason.of("Two items picked at random.")
        for seq, pair in enumerate(_shuffled_pairs(problem.n, problem.rng("random.pairs"))):
            job.step()
            if self._constraints.settles(pair) or not problem.set_aside.isdisjoint(pair):
                continue
            verdict = yield Query(pair, reason, 2)
            if isinstance(verdict, Cue):
                raise UsageError("only a fresh query is sent a cue")
            self._take(problem, pair, verdict, seq)

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def clustering(self) -> Clustering:
        """Give every item the group of the nearest judged item.

        Confidence is the margin (e - d) / (e + d) between the distances to the nearest and the
        second nearest judged item; 0 before the first answer.
        """
        if self._problem is None:
            raise UsageError("random has not been started")
        n = self._problem.n
        if not self._judged:
            return Clustering(np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.float32))
        group = self._groups(self._problem)
        near, second = np.sqrt(np.maximum(self._distance, 0)), np.sqrt(self._second)
        return Clustering.of(
            group[self._nearest], margin(near, second), exemplars=tuple(self._judged)
        )

    def report(self) -> dict[str, object]:
        """Tell nothing: no choice was made, no sum approximated."""
        return {}

    def _groups(self, problem: Problem) -> IntArray:
        """Give the group of each judged item, int32."""
        root = {item: self._constraints.component(item) for item in self._judged}
        apart: dict[int, set[int]] = {}
        for a, b in self._different:
            apart.setdefault(root[a], set()).add(root[b])
            apart.setdefault(root[b], set()).add(root[a])
        joined: dict[int, list[int]] = {}
        for item in self._judged:
            joined.setdefault(root[item], []).append(item)
        group: dict[int, int] = {}
        sums: list[npt.NDArray[np.float64]] = []
        sizes: list[int] = []
        for name, items in joined.items():
            total = problem.points[items].sum(axis=0, dtype=np.float64)
            ruled_out = {group[other] for other in apart.get(name, ()) if other in group}
            open_to = [number for number in range(len(sums)) if number not in ruled_out]
            if open_to:
                means = [sums[number] / sizes[number] for number in open_to]
                squares = np.square(means - total / len(items)).sum(axis=1)
                group[name] = open_to[int(squares.argmin())]
            else:
                group[name] = len(sums)
                sums.append(np.zeros(problem.d))
                sizes.append(0)
            sums[group[name]] += total
            sizes[group[name]] += len(items)
        return np.array([group[root[item]] for item in self._judged], dtype=np.int32)

    def _take(self, problem: Problem, pair: Pair, verdict: Verdict, seq: int) -> None:
        """Take in what is said about a pair."""
        self._constraints.add(pair, verdict, seq)
        if verdict is Verdict.DIFFERENT:
            self._different.append(pair)
        if verdict is not Verdict.UNSURE:
            for item in pair:
                self._judge(problem, item)

    def _judge(self, problem: Problem, item: int) -> None:
        """Let the items nearest to `item` go with it."""
        if item in self._judged:
            return
        squares = np.square(problem.points - problem.points[item], dtype=np.float64).sum(axis=1)
        squares[item] = -1  # before any copy
        closer = squares < self._distance
        self._second = np.where(closer, self._distance, np.minimum(self._second, squares))
        self._nearest[closer] = len(self._judged)
        self._distance = np.where(closer, squares, self._distance)
        self._judged.append(item)


def _shuffled_pairs(n: int, rng: np.random.Generator) -> Iterator[Pair]:
    """Give all pairs of n items in random order, in memory that grows with those given only.

    A Fisher-Yates shuffle of 0..N-1 that remembers just the exchanged places.
    """
    total = n * (n - 1) // 2
    moved: dict[int, int] = {}
    for last in range(total - 1, -1, -1):
        drawn = int(rng.integers(last + 1))
        yield _pair(moved.get(drawn, drawn))
        moved[drawn] = moved.pop(last, last)


def _pair(index: int) -> Pair:
    """Give pair number `index` in the order (0,1), (0,2), (1,2), (0,3), ..."""
    b = (1 + math.isqrt(1 + 8 * index)) // 2
    return Pair(index - b * (b - 1) // 2, b)
