"""Shape: the groups of a first guess, merged and split by answers.

Hidden here: which of the items spoken about each item goes with, and how near groups nobody spoke
about must be to go with one. Promised: the groups depend on the first guess and the answers alone,
whatever they were asked for, and keep to them. An answer costs a distance to each item of a set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.job import Job
from engine.model import Clustering, FloatArray, IntArray, Pair, Verdict
from engine.problem import Problem
from engine.strategies.components.parts import First, Part, Squares, squares_to

_NOBODY = -1


class _Near(NamedTuple):
    """An item, and how far away it is: a squared distance."""

    item: int
    square: float


class Shape:
    """Which items go with which of those that answers speak about.

    Parameters
    ----------
    first
        The first guess.
    """

    def __init__(self, problem: Problem, first: First, job: Job) -> None:
        self._problem, self._first, self._job = problem, first, job
        self._spoken: list[int] = []  # items a SAME or DIFFERENT speaks about, in that order
        self._gaps: list[_Near] = []  # of each, the nearest one in another set
        self._nearest = np.full(problem.n, _NOBODY, dtype=np.int32)  # of those in the same set
        self._distance = np.full(problem.n, np.inf)  # squared, to it
        self._sets: dict[int, IntArray] = {}
        self._exemplars = np.array([part.exemplar for part in first.parts()], dtype=np.int32)
        self._likely = np.full(len(self._exemplars), _NOBODY, dtype=np.int32)  # nearest of all
        self._away = np.full(len(self._exemplars), np.inf)  # squared, to it

    def hear(self, item: int) -> None:
        """Let items go with one that an answer speaks about, where it is the nearest."""
        if self._nearest[item] == item:
            return
        label = int(self._first.labels[item])
        if label not in self._sets:
            self._sets[label] = np.flatnonzero(self._first.labels == label).astype(np.int32)
        items = self._sets[label]
        far = self._squares(items, item)
        far[np.searchsorted(items, item)] = -1  # before any copy
        closer = far < self._distance[items]
        self._nearest[items[closer]] = item
        self._distance[items[closer]] = far[closer]
        far = self._squares(self._exemplars, item)
        closer = far < self._away
        self._likely[closer], self._away[closer] = item, far[closer]
        self._measure_gaps(item)
        self._spoken.append(item)

    def divided(self, closure: Constraints) -> list[Part]:
        """Give the sets of the first guess, those that answers speak about divided by these."""
        heard = {int(self._first.labels[item]) for item in self._spoken}
        found: list[Part] = []
        roots = self._roots(closure)
        for part in self._first.parts():
            if int(self._first.labels[part.exemplar]) not in heard:
                found.append(part)
                continue
            own = roots[part.items]
            for root in dict.fromkeys(own.tolist()):
                items = part.items[own == root]
                around = self._first.part(items, items[self._nearest[items] == items])
                found += [] if around is None else [around]
        return found

    def clustering(self, closure: Constraints) -> Clustering:
        """Group all items.

        In a set of the first guess that answers speak about, each item goes with the nearest item
        spoken about there. Another set goes with the nearest item spoken about at all, if it is as
        near as items spoken about in two sets are when they belong together; else it stays a group
        of its own. Confidence is the share of an item's neighbours in its set, 1 where an answer
        speaks about the item, 0 in sets where none does.
        """
        labels: npt.NDArray[np.int64] = self._problem.n + self._first.labels.astype(np.int64)
        near = self._away <= self._threshold(closure)
        for part, item, joins in zip(self._first.parts(), self._likely, near, strict=True):
            if joins:
                labels[part.items] = closure.component(int(item))
        heard = self._nearest != _NOBODY
        labels[heard] = self._roots(closure)[heard]
        sure: FloatArray = np.where(heard, self._first.firmness, np.float32(0))
        sure[self._spoken] = 1
        return Clustering.of(labels, sure, exemplars=tuple(self._spoken))

    def _roots(self, closure: Constraints) -> IntArray:
        """Give what the item that each item goes with is joined to, int32[n]."""
        roots = np.full(self._problem.n + 1, _NOBODY, dtype=np.int32)
        roots[self._spoken] = [closure.component(item) for item in self._spoken]
        found: IntArray = roots[self._nearest]  # nobody's is the last
        return found

    def _threshold(self, closure: Constraints) -> float:
        """Give the squared distance up to which a set is taken to belong to an item's group.

        The one that would have told most of the items spoken about right by the nearest one in
        another set; of equals the largest; -1 = none would.
        """
        told = [
            (gap.square, closure.verdict(Pair.of(item, gap.item)) is Verdict.SAME)
            for item, gap in zip(self._spoken, self._gaps, strict=True)
            if gap.item != _NOBODY and closure.settles(Pair.of(item, gap.item))
        ]
        told.sort()
        best, right, most = -1.0, 0, 0
        for (far, same), (beyond, _) in zip(told, [*told[1:], *told[-1:]], strict=True):
            right += 1 if same else -1
            if right >= most:
                best, most = (far + beyond) / 2, right
        return best

    def _measure_gaps(self, item: int) -> None:
        """Find the nearest items spoken about in other sets than an item's, and the other way."""
        gap = _Near(_NOBODY, np.inf)
        others = np.array(self._spoken, dtype=np.int32)
        for place, (other, far) in enumerate(zip(others, self._squares(others, item), strict=True)):
            if self._first.labels[other] == self._first.labels[item]:
                continue
            if far < gap.square:
                gap = _Near(int(other), float(far))
            if far < self._gaps[place].square:
                self._gaps[place] = _Near(item, float(far))
        self._gaps.append(gap)

    def _squares(self, items: IntArray, item: int) -> Squares:
        row = self._problem.points[item].astype(np.float64)
        return squares_to(self._problem, items, row, self._job)
