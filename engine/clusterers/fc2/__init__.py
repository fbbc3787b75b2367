"""FC2: groups found on constraints, those given and those learned from them.

References
----------
FC2, finding clusters on constraints, on the links that CS-PDS learns (`engine.spreading`). The
source looks at how r is distributed to end merging; `auto` names our decisions instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.clusterers.fc2.isolated import Homes, homes
from engine.clusterers.fc2.merging import Groups, Merge, widest_gap
from engine.clusterers.fc2.subclusters import pure
from engine.clusterers.linkage import of_points
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.model import Clustering, FloatArray
from engine.problem import Problem
from engine.spreading import (
    Links,
    Spread,
    SpreadParams,
    consistent,
    given,
    some_given,
    spread,
    summary,
)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Grouping:
    """What FC2 itself takes; first in a form."""

    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "The number of groups; 0 = as many as the answers keep apart.",
        },
    )
    spread: bool = field(
        default=True,
        metadata={
            "help": "Whether the answers spread first (CS-PDS), or only those given count.",
            "more": True,
        },
    )
    auto: str = field(
        default="conflict",
        metadata={
            "choices": ("conflict", "strict", "gap"),
            "help": "When merging ends if no number of groups is given: when all groups are in "
            "conflict, when no answer speaks for another merge (many groups), or before the "
            "conflict within groups grows most.",
            "more": True,
        },
    )
    tolerance: float = field(
        default=0.0,
        metadata={
            "least": 0.0,
            "help": "How much conflict per pair still lets two groups be merged, if no number of "
            "groups is given.",
            "more": True,
        },
    )
    threshold: float = field(
        default=0.5,
        metadata={
            "above": 0.0,
            "most": 1.0,
            "help": "From which strength on a link counts while the first small groups form.",
            "more": True,
        },
    )
    outliers: bool = field(
        default=False,
        metadata={
            "help": "Whether items that no answer reaches, and that lie far from every group, "
            "are left undecided."
        },
    )
    contradictions: str = field(
        default="refuse",
        metadata={
            "choices": ("refuse", "leave-out"),
            "more": True,
            "help": "Whether answers that contradict earlier ones are an error, or left out.",
        },
    )


@dataclass(frozen=True)
class Fc2Params(SpreadParams, _Grouping):
    """Parameters of FC2, and of the spreading before it."""

    @property
    def spreading(self) -> SpreadParams:
        """Those of the spreading alone."""
        return SpreadParams(**{one.name: getattr(self, one.name) for one in fields(SpreadParams)})


class _Basis(NamedTuple):
    """What groups are found on: the links, and the space in which distances are measured."""

    must: Links
    cannot: Links
    space: FloatArray
    learned: Spread | None


class Fc2:
    """Forms small groups that break no link, and merges them while more speaks for it than against.

    With a number of groups, merging goes on past that point by distance in the learned space.
    Answers about labelled items are answers like others (`engine.spreading.of_labels`). Without
    any answers there are no groups to be found on them: with a number of groups the method falls
    back to Ward's hierarchy and says so, without one it refuses.

    Parameters
    ----------
    params
        See `Fc2Params`.
    """

    name: ClassVar[str] = "fc2"
    version: ClassVar[int] = 1
    heeds: ClassVar[bool] = True
    Params: ClassVar[type[Any]] = Fc2Params

    def __init__(self, params: Fc2Params) -> None:
        self._params = params
        self._report: dict[str, object] = {"trace": [], "warnings": []}

    def report(self) -> dict[str, object]:
        """Tell how the last grouping came about: plain values for JSON.

        Returns
        -------
        dict
            `trace`, the rounds of spreading and the merges; `warnings`; and how many pairs were
            given and learned, how many small groups there were, how many items no answer reached,
            J* and how many given pairs the groups break.
        """
        return self._report

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Find groups on the answers.

        Confidence is the margin (e - d) / (e + d) between the distances to the means of the own
        and the nearest other group, in the learned space.

        Raises
        ------
        ParameterError
            When there are fewer points than groups.
        ConstraintError
            When answers contradict each other, or there are none and no number of groups.
        ResourceError
            When the answers settle more pairs than memory allows.
        """
        k = self._params.groups
        if k > problem.n:
            raise ParameterError(f"fc2: groups must be at most {problem.n}, one per item, not {k}")
        self._report = {"trace": [], "warnings": []}
        warnings: list[str] = []
        if self._params.contradictions == "refuse":
            consistent(constraints)
        elif constraints.conflicts:
            warnings.append(
                f"answers that contradict earlier ones, left out: {len(constraints.conflicts)}"
            )
        if k and not constraints.parts():
            return self._without_answers(problem, job)
        basis = self._basis(problem, constraints, job)
        labels, merges, home, small = self._grouped(basis, job)
        found = int(labels.max()) + 1
        if k and found < k:
            warnings.append(f"the answers and their links make only {found} groups, not {k}")
        if basis.learned is not None and basis.learned.stopped == "memory":
            warnings.append("spreading ended early: what was learned used up the memory allowed")
        if basis.learned is not None and basis.learned.spanned < 1:
            warnings.append(
                f"of the points' spread {basis.learned.spanned:.1%} was reckoned with, "
                "the widest 256 dimensions"
            )
        if found == 1 and problem.n > 1:
            warnings.append("nothing keeps groups apart: all items are in one group")
        self._tell(basis, labels, merges, home, small, warnings)
        return Clustering.of(labels, _margins(basis.space, labels, job))

    def _basis(self, problem: Problem, constraints: Constraints, job: Job) -> _Basis:
        params = self._params
        if params.spread:
            learned = spread(problem, constraints, params.spreading, job)
            return _Basis(learned.must, learned.cannot, learned.space, learned)
        must, cannot = given(problem.n, constraints, params.memory * 10**6)
        some_given(must, cannot)
        return _Basis(must, cannot, problem.points, None)

    def _grouped(self, basis: _Basis, job: Job) -> tuple[Ints, list[Merge], Homes, int]:
        """Form, merge and bring isolated items home: labels, merges, homes, number formed."""
        params = self._params
        must, cannot = basis.must.graph(), basis.cannot.graph()
        small = pure(must, cannot, params.threshold, job)
        groups = Groups(small, must, cannot, basis.space, job)
        formed = len(groups)
        if params.groups or params.auto != "gap":
            merges = groups.merge(groups.repulsion(1.0), params.groups, job)
        else:
            trial = Groups(small, must, cannot, basis.space, job)
            keep = widest_gap(trial.merge(trial.repulsion(np.inf), 1, job))
            merges = groups.merge(groups.repulsion(np.inf), formed - keep, job)
        if params.groups:  # isolated items are brought home last: they weigh nothing in a merge
            merges += groups.merge(groups.penalised, params.groups, job)
        home = homes(basis.space, groups.labels, job, outliers=params.outliers)
        groups = Groups(home.labels, must, cannot, basis.space, job)
        if not params.groups and params.auto == "conflict":
            merges += groups.merge(groups.agreeing(params.tolerance), 1, job)
        return groups.labels, merges, home, formed

    def _without_answers(self, problem: Problem, job: Job) -> Clustering:
        """Cut Ward's hierarchy; confidence as with answers."""
        memory = self._params.memory * 10**6
        labels = of_points(problem.points, "ward", job, memory=memory).cut(self._params.groups)
        warning = "there are no answers: the groups are those of Ward's method"
        self._report = {"trace": [], "warnings": [warning]}
        return Clustering.of(labels, _margins(problem.points, labels.astype(np.int64), job))

    def _tell(
        self,
        basis: _Basis,
        labels: Ints,
        merges: list[Merge],
        home: Homes,
        small: int,
        warnings: list[str],
    ) -> None:
        learned = basis.learned
        rounds = summary(learned.trace) if learned is not None else []
        broken, weight = violated(basis.must, basis.cannot, labels)
        self._report = {
            "trace": rounds
            + [{"merge": number, **one._asdict()} for number, one in enumerate(merges, 1)],
            "warnings": warnings,
            "given_must": int(np.count_nonzero(basis.must.since == 0)),
            "given_cannot": int(np.count_nonzero(basis.cannot.since == 0)),
            "learned_must": len(learned.learned_must()) if learned is not None else 0,
            "learned_cannot": len(learned.learned_cannot()) if learned is not None else 0,
            "tikhonov": learned.tikhonov if learned is not None else 0.0,
            "spreading_ended": learned.stopped if learned is not None else "",
            "small_groups": small,
            "isolated": home.isolated,
            "outliers": int(np.count_nonzero(labels < 0)),
            "objective": weight,
            "given_broken": broken,
        }


def violated(must: Links, cannot: Links, labels: npt.NDArray[np.integer]) -> tuple[int, float]:
    """Give how many given pairs a grouping breaks, and J*, the strength of all links it breaks.

    Undecided items are each a group of their own.
    """
    own = np.where(labels < 0, -1 - np.arange(len(labels)), labels)
    broken, weight = 0, 0.0
    for links, same in ((must, False), (cannot, True)):
        one, other = np.divmod(links.keys, links.n)
        wrong = (own[one] == own[other]) == same
        broken += int(np.count_nonzero(wrong & (links.since == 0)))
        weight += float(links.strength[wrong].sum(dtype=np.float64))
    return broken, weight


def _margins(space: npt.NDArray[np.floating], labels: Ints, job: Job) -> FloatArray:
    """Give the margin of each item between the means of groups; 0 for undecided ones."""
    inside = labels >= 0
    k = int(labels.max(initial=-1)) + 1
    sums = np.zeros((k, space.shape[1]))
    np.add.at(sums, labels[inside], space[inside])
    means = sums / np.maximum(np.bincount(labels[inside], minlength=k), 1)[:, None]
    sure = np.zeros(len(labels), dtype=np.float32)
    step = max(1, 2**20 // max(1, k))
    for start in range(0, len(labels), step):
        job.step()
        rows = np.arange(start, min(start + step, len(labels)))
        rows = rows[inside[rows]]
        apart = np.square(space[rows]).sum(1)[:, None] - 2 * space[rows] @ means.T
        apart = np.sqrt(np.maximum(apart + np.square(means).sum(1), 0))
        own = apart[np.arange(len(rows)), labels[rows]]
        apart[np.arange(len(rows)), labels[rows]] = np.inf
        sure[rows] = margin(own, apart.min(axis=1))
    return sure
