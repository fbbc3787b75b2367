"""The course of merging: all merges that follow from some answers, until one that breaks one.

Hidden here: that merging is not done step by step. Complete linkage by effective distances (0
between linked items, infinite between those told apart) is still reducible, so one chain over the
groups there are gives every further merge in order. An answer that agrees with the groups changes
none of them; one that does not turns the course.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.clusterers.distances import Distances
from engine.clusterers.linkage import of_groups, of_measured
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.model import IntArray
from engine.strategies.hmcahc.adjustment import adjusted, regrown
from engine.strategies.hmcahc.settled import Settled

Pairs = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Merges from single items to one group, n - 1 in all.

    Attributes
    ----------
    hierarchy
        The merges. Up to `start` only the groups that they lead to matter, for they are what is
        left of earlier courses.
    start
        Merges made where the course begins; there all linked items are together.
    lawful
        Merges until what is left has all been told apart. Those after it go by the distances alone.
    checkpoint
        Merges made where a turn goes back to.
    """

    hierarchy: Hierarchy
    start: int
    lawful: int
    checkpoint: int

    @classmethod
    def of(cls, distances: Distances, job: Job) -> Course:
        """Give the course before any answer: TAHC by complete linkage."""
        hierarchy = of_measured(distances, "complete", job)
        return cls(hierarchy, 0, hierarchy.n - 1, 0)

    def within(self, made: int) -> int:
        """Give the number of merges nearest to `made` that the course allows."""
        return max(self.start, min(made, self.lawful))

    def labels(self, made: int) -> IntArray:
        """Give the groups after so many merges, int32[n]."""
        return self.hierarchy.cut(self.hierarchy.n - made)

    def turned(
        self, back_to: int, resume: int, known: Settled, distances: Distances, job: Job
    ) -> Course:
        """Go back, adjust the groups there to the answers, and take up merging again.

        Parameters
        ----------
        back_to
            Merges after which the course is left.
        resume
            Merges after which the new course has its checkpoint, or as near as may be.
        """
        labels = adjusted(self.labels(back_to), known, distances, job)
        job.step()
        below = regrown(self.hierarchy, back_to, labels, distances, job)
        pairs, above, lawful = _merged(labels, known, distances, job)
        pairs = np.concatenate([below[0], pairs])
        heights = np.maximum.accumulate(np.concatenate([below[1], above]))
        job.step()
        start = len(below[0])
        course = Course(Hierarchy.of(pairs, heights), start, start + lawful, start)
        job.step()
        return replace(course, checkpoint=course.within(resume))


def _merged(
    labels: IntArray, known: Settled, distances: Distances, job: Job
) -> tuple[Pairs, npt.NDArray[np.float64], int]:
    """Merge groups by effective distances as long as may be, then by the original ones.

    Returns
    -------
    tuple
        int64[g - 1, 2], items that stand for the groups merged; float64[g - 1], heights; how many
        of these merges are allowed.
    """
    job.step()
    groups = int(labels.max()) + 1
    _, lowest = np.unique(labels, return_index=True)
    apart = distances.between(labels, job)
    one, other = labels[np.array(known.apart, dtype=int).reshape(-1, 2)].T
    apart[one, other] = apart[other, one] = np.inf
    pairs, heights = of_groups(apart, job)
    job.step()
    del apart  # to give so much memory back takes time too
    job.step()
    lawful = len(pairs)
    if lawful < groups - 1:
        merged = _left(groups, pairs)
        _, first = np.unique(merged, return_index=True)
        rest, gaps = of_groups(distances.between(merged[labels], job), job)
        pairs = np.concatenate([pairs, first[rest]])
        heights = np.concatenate([heights, gaps])
    scaled = np.ldexp(heights.astype(np.float64), distances.exponent)
    return lowest[pairs], scaled, lawful


def _left(groups: int, pairs: Pairs) -> Pairs:
    """Give each group the number of what merges leave of it, int[groups]; by the lowest in it."""
    to = np.arange(groups)
    to[pairs[:, 1]] = pairs[:, 0]
    while not np.array_equal(further := to[to], to):
        to = further
    number: Pairs = np.unique(to, return_inverse=True)[1]
    return number
