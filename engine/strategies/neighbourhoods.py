"""Neighbourhoods: sets of items that answers join, any two of them told apart, and what follows.

Hidden here: how an item is compared with one neighbourhood after the other, what becomes of it
where nobody was sure, and how all items are grouped around the neighbourhoods. Promised: an item
joins the first neighbourhood it is said to be like; told apart from all, it opens a new one. The
groups keep to the answers, and are found only once for the same answers.

A strategy adds in which order items come, and which neighbourhoods they are compared with first.

References
----------
Basu, Banerjee & Mooney (2004), "Active semi-supervision for pairwise constrained clustering",
section 4. Bilenko, Basu & Mooney (2004), "Integrating constraints and metric learning in
semi-supervised clustering", for the groups.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import penalised
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, Pair, Query, Reason, Verdict
from engine.problem import Problem

_EXAMPLES = 4  # members of a neighbourhood that may be shown for it, the nearest first
_STARTS = 5  # random first means for groups not met yet, at most
_START_VALUES = 2**18  # values that all starts may go through: large data make do with one

_KNOWN = (
    "Earlier answers speak about one of these, but not about the other, the closest example of the"
    " group most like it that is not ruled out."
)
_AGAIN = (
    "Nobody was sure about one of these; the other is another example of the group most like it"
    " that is not ruled out."
)

Asking = Generator[Query, Verdict | Cue, None]


@dataclass(frozen=True, slots=True)
class GroupsParams:
    """What strategies that work by neighbourhoods can be told."""

    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "The number of groups, if known: an item told apart from all but one is then"
            " taken to belong to that one. 0 = as many as the answers show.",
        },
    )


class Neighbourhoods:
    """The placing of items, shared by strategies.

    An item left unsure is passed over, and asked about once more, by other examples, when all
    others are placed. An example is the member nearest to the item.

    Parameters
    ----------
    known_k
        The number of groups; 0 = not known.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    tolerant: ClassVar[bool] = False
    transitive: ClassVar[bool] = True

    def __init__(self, known_k: int = 0) -> None:
        self._known_k = known_k
        self._problem: Problem | None = None
        self._closure = Constraints()  # answers, and what the number of groups adds to them
        self._answers = 0
        self._members: list[list[int]] = []  # of each neighbourhood, in the order joined
        self._apart: dict[int, set[int]] = {}  # item not placed -> neighbourhoods ruled out
        self._asked: dict[int, set[int]] = {}  # item not placed -> members shown beside it

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def report(self) -> dict[str, object]:
        """Tell how many groups were found by answers; 0 before the start."""
        return {"found": len(self._members)}

    def _start(self, problem: Problem, job: Job) -> None:
        self._problem, self._job = problem, job

    def _begin(self) -> Asking:
        """Place what earlier answers speak about, mostly without asking."""
        for item in self._started.known.items:
            yield from self._place(item, Reason.of(_KNOWN))

    @property
    def _started(self) -> Problem:
        if self._problem is None:
            raise UsageError(f"{self.name} has not been started")
        return self._problem

    def _place(self, item: int, reason: Reason, order: Iterable[int] | None = None) -> Asking:
        """Ask which neighbourhood an item belongs to; open a new one when all are ruled out.

        Parameters
        ----------
        order
            All neighbourhoods, the first to be asked about first; None = as `_likely` has it.
        """
        apart = self._apart.setdefault(item, set())
        asked = self._asked.setdefault(item, set())
        for group in self._likely(item) if order is None else order:
            self._job.step()
            fresh = self._by_distance(item, group, asked)
            if group in apart or not fresh:
                continue
            members = self._members[group]
            untouched = len(fresh) == len(members)
            if untouched and len(apart) + 1 == len(self._members) == self._known_k:
                self._closure.add(Pair.of(item, fresh[0]), Verdict.SAME, -1)
                self._join(item, group)
                return
            pair, *others = (Pair.of(item, member) for member in fresh[:_EXAMPLES])
            verdict = yield Query(pair, reason, self._worth(item), tuple(others))
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
        else:
            self._pass_over(item)

    def _join(self, item: int, group: int) -> None:
        """Place an item; the group may be new."""
        del self._apart[item], self._asked[item]
        self._members[group].append(item)

    def _pass_over(self, item: int) -> None:
        """Leave an item that nobody was sure about for later."""

    def _worth(self, item: int) -> int:
        """Count the items whose group an answer about this one may decide."""
        del item
        return 1

    def _come_back(self) -> Asking:
        """Ask by other examples about what was left unsure, until there are none."""
        before = None
        while self._apart and before != (state := (self._answers, len(self._apart))):
            before = state
            for item in list(self._apart):
                self._job.step()
                yield from self._place(item, Reason.of(_AGAIN))

    def _likely(self, item: int) -> Sequence[int]:
        """Give neighbourhoods, the one with the nearest mean first."""
        points = self._started.points
        row = points[item].astype(np.float64)
        far = [
            float(np.square(points[members].mean(axis=0, dtype=np.float64) - row).sum())
            for members in self._members
        ]
        nearest: list[int] = np.argsort(far, kind="stable").tolist()
        return nearest

    def _by_distance(self, item: int, group: int, asked: set[int]) -> list[int]:
        """Give the members of a neighbourhood not shown beside an item yet, nearest first."""
        points, members = self._started.points, self._members[group]
        near = np.square(points[members] - points[item].astype(np.float64)).sum(axis=1)
        order = (members[at] for at in np.argsort(near, kind="stable"))
        return [member for member in order if member not in asked]


class MeansAround(Neighbourhoods):
    """Groups around neighbourhoods by PCK- or MPCK-Means.

    What answers say of a pair holds whatever the fit of the groups would prefer.

    Parameters
    ----------
    params
        See `GroupsParams`.
    """

    Params: ClassVar[type[Any]] = GroupsParams
    draw: ClassVar[str]
    """Names the stream of random numbers."""
    learns: ClassVar[bool]
    """Whether each group learns its distances (MPCK-Means)."""

    def __init__(self, params: GroupsParams) -> None:
        super().__init__(params.groups)

    def clustering(self) -> Clustering:
        """Group all items by the means, and keep to the answers.

        Confidence is the margin (e - d) / (e + d) between the distances to the own and the
        nearest other mean, 1 for what an answer placed; 0 before the first answer.
        """
        labels, sure = self._groups()
        exemplars = tuple(item for members in self._members for item in members)
        return Clustering.of(labels, sure.copy(), exemplars=exemplars)

    def _start(self, problem: Problem, job: Job) -> None:
        super()._start(problem, job)
        key = (problem.fingerprint, problem.seed, f"{self.draw}.draws")
        self._draws = problem.steps.get(
            key, lambda: penalised.Draws(problem.points, problem.seed, self.draw, job)
        )

    @property
    def _state(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, frozenset[int]], ...]]:
        """All that groups depend on: neighbourhoods, and what else items were told apart from."""
        placed = tuple(map(tuple, self._members))
        return placed, tuple((item, frozenset(out)) for item, out in self._apart.items() if out)

    def _groups(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Give the groups as the answers stand, and how sure they are: int64[n], float32[n]."""
        problem = self._started
        key = (self.name, self.version, problem.fingerprint, problem.seed, self._known_k)
        return problem.steps.get((*key, *self._state), self._grouped)

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
