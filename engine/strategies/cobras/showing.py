"""What COBRAS shows: the groups of its last complete merge, put right by the answers since.

Promised: no group breaks an answer; while the first merge is under way, clusters that no answer
has settled yet are shown with the nearest one that they may belong to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.confidence import margin
from engine.constraints import Constraints
from engine.job import Job
from engine.model import Clustering, FloatArray, IntArray, Pair, Verdict, numbered
from engine.problem import Problem
from engine.strategies.cobras.splitting import SuperInstance

_BLOCK_VALUES = 2**20  # distances held at once


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The super-instances of a merge, and what is shown of them.

    Attributes
    ----------
    medoids
        By number.
    own
        int32[n], number of each item's super-instance.
    confidence
        float32[n].
    complete
        Whether the merge is complete; else what no answer settles is still open.
    """

    medoids: tuple[int, ...]
    own: IntArray
    confidence: FloatArray
    complete: bool = True

    @classmethod
    def begun(cls, problem: Problem, clusters: Sequence[Sequence[SuperInstance]]) -> Shown:
        """Keep the super-instances that a merge begins with; it is sure of nothing."""
        parts = [part for cluster in clusters for part in cluster]
        own = np.zeros(problem.n, dtype=np.int32)
        for number, part in enumerate(parts):
            own[part.items] = number
        medoids = tuple(part.medoid for part in parts)
        return cls(medoids, own, np.zeros(problem.n, dtype=np.float32), complete=False)

    @classmethod
    def of(
        cls,
        problem: Problem,
        parts: list[SuperInstance],
        job: Job,
        constraints: Constraints | None = None,
    ) -> Shown:
        """Keep the super-instances that a merge ended with, and measure how sure they are."""
        own = np.zeros(problem.n, dtype=np.int32)
        for number, part in enumerate(parts):
            own[part.items] = number
        medoids = tuple(part.medoid for part in parts)
        if constraints is None:  # nothing was answered yet
            return cls(medoids, own, np.zeros(problem.n, dtype=np.float32))
        group = numbered(np.array([constraints.component(medoid) for medoid in medoids]))
        return cls(medoids, own, _confidence(problem, medoids, group, own, job))

    def clustering(self, problem: Problem, constraints: Constraints, place: IntArray) -> Clustering:
        """Group items so that no group breaks an answer.

        Parameters
        ----------
        place
            int32[n], of items in the canonical order: in this order they choose.

        Notes
        -----
        A super-instance has the group of what its medoid is linked to. Other items that answers
        speak about go, with all they are linked to, where most of them are; told apart from that,
        to the nearest group they were not told apart from; from all, to one of their own.
        """
        if not self.medoids:
            return Clustering(self.own.copy(), self.confidence.copy())
        roots = [constraints.component(medoid) for medoid in self.medoids]
        group = (
            numbered(np.array(roots))
            if self.complete
            else self._guessed(problem, constraints, roots)
        )
        labels, confidence = group[self.own], self.confidence.copy()
        holds: list[set[int]] = [set() for _ in range(int(group.max()) + 1)]
        for number, root in zip(group, roots, strict=True):
            holds[number].add(root)
        leads = dict(zip(roots, group.tolist(), strict=True))
        parts = constraints.parts()
        for root in sorted(parts, key=lambda root: place[parts[root][0]].min()):
            items, apart = parts[root]
            to = leads.get(root)
            if to is None:
                order = self._likely(problem, items, labels, group)
                to = next((at for at in order if apart.isdisjoint(holds[at])), len(holds))
                if to == len(holds):
                    holds.append(set())
                holds[to].add(root)
            moved = [item for item in items if labels[item] != to]
            labels[moved], confidence[moved] = to, 0
        return Clustering.of(labels, confidence, exemplars=self.medoids)

    def _guessed(
        self, problem: Problem, constraints: Constraints, roots: Sequence[int]
    ) -> IntArray:
        """Put what answers leave open with what is nearest to it, the largest clusters first.

        Parameters
        ----------
        roots
            Of each medoid, what it is joined to.

        Returns
        -------
        IntArray
            int32[m], group of each medoid.
        """
        sizes = np.bincount(self.own, minlength=len(self.medoids))
        points = problem.points[list(self.medoids)].astype(np.float64)
        clusters: dict[int, list[int]] = {}
        for number, root in enumerate(roots):
            clusters.setdefault(root, []).append(number)
        group = np.full(len(roots), -1, dtype=np.int32)
        heads: list[list[int]] = []  # an item of each cluster in a group
        for root, numbers in sorted(
            clusters.items(), key=lambda entry: (-sizes[entry[1]].sum(), entry[1][0])
        ):
            gaps = np.square(points[numbers][:, None] - points[None]).sum(axis=2).min(axis=0)
            gaps[group < 0] = np.inf
            for at in np.argsort(gaps, kind="stable")[: int((group >= 0).sum())]:
                if not any(
                    constraints.verdict(Pair.of(root, head)) is Verdict.DIFFERENT
                    for head in heads[group[at]]
                ):
                    group[numbers] = group[at]
                    break
            else:
                group[numbers] = len(heads)
                heads.append([])
            heads[group[numbers[0]]].append(root)
        return group

    def _likely(
        self, problem: Problem, items: list[int], labels: IntArray, group: IntArray
    ) -> Iterator[int]:
        """Give groups for linked items: where most of them are, then the others by nearness."""
        usual = int(np.bincount(labels[items]).argmax())
        yield usual
        medoids = problem.points[list(self.medoids)].astype(np.float64)
        squares = np.square(medoids - problem.points[items].mean(axis=0, dtype=np.float64))
        near = group[np.argsort(squares.sum(axis=1), kind="stable")]
        yield from (at for at in dict.fromkeys(near.tolist()) if at != usual)


def _confidence(
    problem: Problem, medoids: tuple[int, ...], group: IntArray, own: IntArray, job: Job
) -> FloatArray:
    """Give the margin between the nearest medoids of an item's own and of any other group.

    Parameters
    ----------
    group
        int32[m], of each medoid.
    own
        int32[n], number of each item's medoid.
    """
    from engine.kernels import squared_distances

    at = problem.tensor[list(medoids)].double()
    inner, outer = np.empty(problem.n), np.empty(problem.n)
    block = max(1, _BLOCK_VALUES // max(len(medoids), problem.d))
    for start in range(0, problem.n, block):
        job.step()
        rows = slice(start, start + block)
        squares = squared_distances(problem.tensor[rows].double(), at).numpy()
        ours = group == group[own[rows], None]
        inner[rows] = np.where(ours, squares, np.inf).min(axis=1)
        outer[rows] = np.where(ours, np.inf, squares).min(axis=1)
    return margin(np.sqrt(np.maximum(inner, 0)), np.sqrt(np.maximum(outer, 0)))
