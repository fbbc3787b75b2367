"""The bottom-up merge of COBRAS: which pair of clusters is asked about next.

Promised: the closest clusters that no answer settles come first; a pair left unsure is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Pair, Query, Reason, Verdict
from engine.problem import Problem
from engine.strategies.cobras.splitting import SuperInstance

_OTHERS = 3  # pairs that may stand in for the closest one

Cluster = list[SuperInstance]


class Merging:
    """One bottom-up merge: the clusters, and which pairs of them are still open.

    Parameters
    ----------
    clusters
        What there is before; left as it is.
    constraints, unsure
        What has been answered; kept up to date by the caller.
    """

    def __init__(
        self,
        problem: Problem,
        clusters: list[Cluster],
        constraints: Constraints,
        unsure: set[Pair],
        job: Job,
    ) -> None:
        self._problem = problem
        self._constraints = constraints
        self._unsure = unsure
        self._job = job
        self._clusters = dict(enumerate(list(group) for group in clusters))
        self._far: dict[tuple[int, int], float] = {}  # open pairs of clusters, and how far apart
        self._passed: set[tuple[int, int]] = set()  # left unsure in this merge
        self._asking: tuple[int, int] | None = None

    def clusters(self) -> list[Cluster]:
        """Give the clusters as they are now."""
        return list(self._clusters.values())

    def join_linked(self) -> None:
        """Join clusters that earlier answers link; note how far apart the others are."""
        of: dict[int, int] = {}
        for key, group in list(self._clusters.items()):
            first = of.setdefault(self._constraints.component(group[0].medoid), key)
            if first != key:
                self._clusters[first] += self._clusters.pop(key)
        for one, other in combinations(self._clusters, 2):
            if self._open(one, other):
                self._job.step()
                self._far[one, other] = float(self._squares(one, other).min())

    def closest(self) -> Query | None:
        """Give the query on the closest pair of clusters that is open; None = there is none."""
        self._job.step()
        for key in sorted(self._far, key=lambda key: (self._far[key], key)):
            if key in self._passed or not self._open(*key):
                continue
            pairs = [pair for pair in self._nearest_pairs(*key) if pair not in self._unsure]
            if pairs:
                self._asking = key
                one, other = (sum(len(each.items) for each in self._clusters[k]) for k in key)
                why = Reason.of(
                    "Two sets, of {one} and {other} items, may be one group: no answer joins"
                    " them or tells them apart. These are their closest examples.",
                    one=one,
                    other=other,
                )
                return Query(pairs[0], why, min(one, other), tuple(pairs[1 : _OTHERS + 1]))
            self._passed.add(key)
        return None

    def take(self, verdict: Verdict) -> None:
        """Take in the verdict on the pair asked about last."""
        if self._asking is None:
            raise UsageError("nothing was asked")
        one, other = self._asking
        if verdict is Verdict.UNSURE:
            self._passed.add(self._asking)
        elif verdict is Verdict.SAME:
            self._clusters[one] += self._clusters.pop(other)
            for third in self._clusters:
                far = self._far.pop(_ordered(other, third), np.inf)
                if third != one:
                    key = _ordered(one, third)
                    # what was told apart is no longer open, and costs no more than a look
                    self._far[key] = min(far, self._far.get(key, np.inf))
            self._far.pop((one, other), None)

    def _open(self, one: int, other: int) -> bool:
        """Tell whether no answer settles two clusters; any of their medoids speaks for each."""
        pair = Pair.of(self._clusters[one][0].medoid, self._clusters[other][0].medoid)
        return not self._constraints.settles(pair)

    def _squares(self, one: int, other: int) -> npt.NDArray[np.float64]:
        """Give squared distances between the medoids of two clusters."""
        points = self._problem.points
        rows, columns = (
            points[[each.medoid for each in self._clusters[key]]].astype(np.float64)
            for key in (one, other)
        )
        return np.array([np.square(columns - row).sum(axis=1) for row in rows])

    def _nearest_pairs(self, one: int, other: int) -> Iterator[Pair]:
        """Give the pairs of medoids of two clusters, the closest first."""
        squares = self._squares(one, other)
        for at in np.argsort(squares, axis=None, kind="stable"):
            row, column = divmod(int(at), squares.shape[1])
            yield Pair.of(self._clusters[one][row].medoid, self._clusters[other][column].medoid)


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
