"""Explore and consolidate: find one item of every group, then place random items among them.

Hidden here: the neighbourhoods (sets of items that answers join, any two of them told apart), in
which order items come, and how the groups follow. Promised: an item is compared with the nearest
neighbourhood first and joins the one it is said to be like; told apart from all, it opens a new
one. The groups keep to the answers.

Two strategies ask alike and group differently: `explore-consolidate` by MPCK-Means (each group
learns its distances), `active-pck` by PCK-Means.

References
----------
Basu, Banerjee & Mooney (2004), "Active semi-supervision for pairwise constrained clustering",
section 4: Explore, Consolidate. Bilenko, Basu & Mooney (2004) for MPCK-Means.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import penalised
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

if TYPE_CHECKING:
    from engine.strategies import Queries

_EXAMPLES = 4  # members of a neighbourhood that may be shown for it, the nearest first
_FIRST_REACH = 32  # items that the first search for far ones goes through
_STARTS = 5  # random first means for groups not met yet, at most
_START_VALUES = 2**19  # values that all starts may go through: large data make do with one
_BLOCK_VALUES = 2**20  # values held at once

_FAR = (
    "One of these lies farthest from everything compared so far; the other is the closest example"
    " of the group most like it that is not ruled out."
)
_KNOWN = (
    "Earlier answers speak about one of these, but not about the other, the closest example of the"
    " group most like it that is not ruled out."
)
_RANDOM = (
    "One of these was picked at random; the other is the closest example of the group most like it"
    " that is not ruled out."
)
_AGAIN = (
    "Nobody was sure about one of these; the other is another example of the group most like it"
    " that is not ruled out."
)


@dataclass(frozen=True, slots=True)
class ConsolidateParams:
    """Parameters of both strategies."""

    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "The number of groups, if known: an item told apart from all but one is then"
            " taken to belong to that one. 0 = as many as the answers show.",
        },
    )


class _Consolidating:
    """The asking that both strategies share.

    Where the paper is silent: without a number of groups, exploring ends when more than twice as
    many far items in a row as there are neighbourhoods brought none, and later items may still
    open one. An item left unsure is passed over, and asked about once more, by other examples,
    when all others are placed. An example is the member nearest to the item. What answers say
    of a pair holds whatever the fit of the groups would prefer.

    Parameters
    ----------
    params
        See `ConsolidateParams`.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = ConsolidateParams
    tolerant: ClassVar[bool] = False
    learns: ClassVar[bool]
    """Whether each group learns its distances."""

    def __init__(self, params: ConsolidateParams) -> None:
        self._known_k = params.groups
        self._problem: Problem | None = None
        self._closure = Constraints()  # answers, and what the number of groups adds to them
        self._answers = 0
        self._members: list[list[int]] = []  # of each neighbourhood, in the order joined
        self._apart: dict[int, set[int]] = {}  # item not placed -> neighbourhoods ruled out
        self._asked: dict[int, set[int]] = {}  # item not placed -> members shown beside it

    def run(self, problem: Problem, job: Job) -> Queries:
        """Explore, consolidate, and come back to what was left unsure."""
        self._problem, self._job = problem, job
        key = (problem.fingerprint, problem.seed, "consolidate.draws")
        self._draws = problem.steps.get(
            key, lambda: penalised.Draws(problem.points, problem.seed, "consolidate", job)
        )
        seen = set(problem.known.items)
        for item in problem.known.items:
            yield from self._place(item, Reason.of(_KNOWN))
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

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def clustering(self) -> Clustering:
        """Group all items by the means, and keep to the answers.

        Confidence is the margin (e - d) / (e + d) between the distances to the own and the
        nearest other mean, 1 for what an answer placed; 0 before the first answer.
        """
        problem = self._started
        placed = tuple(map(tuple, self._members))
        apart = tuple((item, frozenset(out)) for item, out in self._apart.items() if out)
        key = (self.name, self.version, problem.fingerprint, problem.seed, self._known_k)
        labels, sure = problem.steps.get((*key, placed, apart), self._grouped)
        exemplars = tuple(item for members in self._members for item in members)
        return Clustering.of(labels, sure.copy(), exemplars=exemplars)

    def report(self) -> dict[str, object]:
        """Tell how many groups were found by answers; 0 before the start."""
        return {"found": len(self._members)}

    def _explored(self, since: int) -> bool:
        """Tell whether to stop exploring, `since` items after the last new neighbourhood."""
        if self._known_k:
            return len(self._members) >= self._known_k
        return since > 2 * len(self._members)

    def _place(self, item: int, reason: Reason) -> Generator[Query, Verdict | Cue, None]:
        """Ask which neighbourhood an item belongs to; open a new one when all are ruled out."""
        apart = self._apart.setdefault(item, set())
        asked = self._asked.setdefault(item, set())
        for group, members in self._nearest(item):
            fresh = [member for member in members if member not in asked]
            if group in apart or not fresh:
                continue
            untouched = len(fresh) == len(members)
            if untouched and len(apart) + 1 == len(self._members) == self._known_k:
                self._closure.add(Pair.of(item, members[0]), Verdict.SAME, -1)
                self._join(item, group)
                return
            pair, *others = (Pair.of(item, member) for member in fresh[:_EXAMPLES])
            verdict = yield Query(pair, reason, 1, tuple(others))
            if isinstance(verdict, Cue):
                raise UsageError("only a fresh query is sent a cue")
            asked.add(fresh[0])
            self._answers += 1
            self._closure.add(pair, verdict, self._answers)
            if verdict is Verdict.SAME:
                self._join(item, group)
                return
            if verdict is Verdict.DIFFERENT:
                apart.add(group)
        if len(apart) == len(self._members):
            self._members.append([])
            self._join(item, len(self._members) - 1)

    def _join(self, item: int, group: int) -> None:
        del self._apart[item], self._asked[item]
        self._members[group].append(item)

    def _come_back(self) -> Generator[Query, Verdict | Cue, None]:
        """Ask by other examples about what was left unsure, until there are none."""
        before = None
        while self._apart and before != (state := (self._answers, len(self._apart))):
            before = state
            for item in list(self._apart):
                self._job.step()
                yield from self._place(item, Reason.of(_AGAIN))

    @property
    def _started(self) -> Problem:
        if self._problem is None:
            raise UsageError(f"{self.name} has not been started")
        return self._problem

    def _nearest(self, item: int) -> Iterator[tuple[int, list[int]]]:
        """Give neighbourhoods, the one with the nearest mean first, members nearest first."""
        points = self._started.points
        row = points[item].astype(np.float64)
        far = [
            float(np.square(points[members].mean(axis=0, dtype=np.float64) - row).sum())
            for members in self._members
        ]
        for group in np.argsort(far, kind="stable").tolist():
            self._job.step()
            members = self._members[group]
            near = np.square(points[members] - row).sum(axis=1)
            yield group, [members[at] for at in np.argsort(near, kind="stable")]

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

    def _grouped(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Fit the groups, then seal them: what answers say holds. int64[n], float32[n]."""
        problem, members = self._started, self._members
        k = max(len(members), min(self._known_k, problem.n), 1)
        fit = penalised.fit(
            problem.points,
            k,
            members,
            self._closure,
            self._draws,
            self._job,
            learn=self.learns,
            starts=max(1, min(_STARTS, _START_VALUES // (problem.n * problem.d))),
        )
        labels = fit.labels.copy()
        group_of = _matched(labels, members, k)
        for own, group in zip(members, group_of, strict=True):
            labels[own] = group
        for item, out in self._apart.items():
            costs = fit.costs[item].copy()
            costs[[group_of[number] for number in out]] = np.inf
            labels[item] = costs.argmin()
        far = np.sqrt(fit.squares)
        near = np.take_along_axis(far, labels[:, None], axis=1)[:, 0]
        far[:, np.bincount(labels, minlength=k) == 0] = np.inf
        np.put_along_axis(far, labels[:, None], np.inf, axis=1)
        sure = margin(near, far.min(axis=1))
        if sum(map(len, members)) + len(self._apart) <= 1:  # nothing was answered
            return labels, np.zeros_like(sure)
        sure[[item for own in members for item in own]] = 1
        return labels, sure


def _matched(labels: npt.NDArray[np.int64], members: list[list[int]], k: int) -> list[int]:
    """Give each neighbourhood a group of its own: the one most of it is in, most items first."""
    counts = np.array([np.bincount(labels[own], minlength=k) for own in members])
    found = [-1] * len(members)
    for at in np.argsort(-counts, axis=None, kind="stable"):
        number, group = divmod(int(at), k)
        if found[number] < 0 and group not in found:
            found[number] = group
    return found


class ExploreConsolidate(_Consolidating):
    """Explore and consolidate; groups by MPCK-Means, each with a diagonal metric of its own."""

    name: ClassVar[str] = "explore-consolidate"
    learns: ClassVar[bool] = True


class ActivePCK(_Consolidating):
    """Explore and consolidate; groups by PCK-Means."""

    name: ClassVar[str] = "active-pck"
    learns: ClassVar[bool] = False
