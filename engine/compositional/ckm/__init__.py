"""CKM: k-means in which an item belongs to the nearest of all sets of groups.

Centres of single groups move so that what they make together comes near the items; every item then
has the set whose composed centre is nearest. How the centres move is hidden in `descent`, where
they begin in `starts`.

References
----------
Compositional k-means, the fourth algorithm of the authors of compositional affinity propagation:
centres move by a step of Adam after each assignment. Ours: the exact
step by least squares where a composition is linear, the start by GCR, the step in units of the
data's spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engine.clusterers.noted import answers_left_aside
from engine.compositional.choosing import CHOICES, Choice, Fitted, choose
from engine.compositional.ckm.descent import Descents, Manner, descend, footprint
from engine.compositional.ckm.starts import drawn, greedy
from engine.compositional.functions import Compose, function_for
from engine.compositional.gcr import GcrParams
from engine.compositional.membership import Composed
from engine.compositional.nearest import fits, read
from engine.compositional.params import ComposingParams
from engine.compositional.sets import Sets
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.parameters import unmarked
from engine.problem import Problem

SOLVERS = ("auto", "gradient", "exact")

_LINEAR = ("sum", "mean")
_QUICK = 5  # restarts on points drawn to compare with, which nobody sees


@dataclass(frozen=True, slots=True, kw_only=True)
class CkmParams(ComposingParams):
    """Parameters of CKM."""

    groups: int = field(
        default=0,
        metadata={"least": 0, "help": "How many single groups; 0 = found out as `choose` says."},
    )
    choose: str = field(
        default="silhouette",
        metadata={
            "choices": CHOICES,
            "help": "How the number of groups is found out: by how well sets are set apart, or by "
            "how much better they fit than they would fit points without groups (gap).",
        },
    )
    most: int = field(
        default=8,
        metadata={"least": 1, "help": "Groups at most, where their number is found out."},
    )
    restarts: int = field(
        default=20, metadata={"least": 1, "help": "Random starts; the best result is kept."}
    )
    rounds: int = field(default=200, metadata={"least": 1, "help": "Steps per start, at most."})
    solver: str = field(
        default="auto",
        metadata={
            "choices": SOLVERS,
            "more": True,
            "help": "How centres move: by a step along the gradient, or exactly, which sum and "
            "mean allow; auto: exactly where it is allowed.",
        },
    )
    rate: float = field(
        default=0.05,
        metadata={
            "above": 0.0,
            "more": True,
            "help": "Length of a step along the gradient, in units of the data's spread.",
        },
    )
    gcr_start: bool = field(
        default=True,
        metadata={"more": True, "help": "Begin once more where GCR ends, beside the restarts."},
    )


class Ckm:
    """k-means in which an item belongs to the nearest of all sets of groups.

    Parameters
    ----------
    params
        Without a number of groups, several are tried.
    """

    name: ClassVar[str] = "ckm"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = CkmParams

    def __init__(self, params: CkmParams) -> None:
        self._params = params
        self._report: dict[str, object] = {"trace": [], "warnings": []}

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Find centres, and give each item its nearest set; answers are left aside.

        Raises
        ------
        ParameterError
            For a function, solver, degree or number of groups that cannot be.
        ResourceError
            When items and sets take more memory than allowed.
        """
        params = self._params
        g = function_for(problem, params.compose)
        if params.solver == "exact" and not self._exact:
            raise ParameterError(
                "ckm: the exact solver is for compose=sum and compose=mean without normalize"
            )
        if params.groups > problem.n:
            raise ParameterError(
                f"ckm: groups must be at most {problem.n}, one per item, not {params.groups}"
            )
        choice: Choice | None = None
        groups = params.groups
        if not groups:
            choice = choose(params.choose, problem, params.most, self._fitted(g, job), job)
            groups = choice.groups
        found, trace = self._descend(problem, groups, g, params.restarts, job)
        composed = self._placed(problem, found, groups, g, job)
        squares = float(np.square(composed.fit.astype(np.float64)).sum())
        self._report = {
            "trace": trace,
            "warnings": answers_left_aside(self.name, constraints),
            "objective": squares,
            "restart": _best(found) + 1,
            "tried": choice.tried if choice else [],
        }
        return composed

    def report(self) -> dict[str, object]:
        """Give a line per restart: its steps, and the sum of squared distances it came to.

        `restart` is the one kept, `tried` has a line per number of groups, where that was found
        out.
        """
        return dict(self._report)

    @property
    def _exact(self) -> bool:
        """Whether the centres that fit best can be computed."""
        return self._params.compose in _LINEAR and not self._params.normalize

    def _fitted(self, g: Compose, job: Job) -> Fitted:
        """Give what `choose` tries: the result for a number of groups, quick or thorough."""

        def fit(problem: Problem, groups: int, *, quick: bool) -> Composed:
            restarts = min(_QUICK, self._params.restarts) if quick else self._params.restarts
            found, _ = self._descend(problem, groups, g, restarts, job)
            return self._placed(problem, found, groups, g, job)

        return fit

    def _descend(
        self, problem: Problem, groups: int, g: Compose, restarts: int, job: Job
    ) -> tuple[Descents, list[dict[str, object]]]:
        """Run all restarts, as many at once as memory allows; the one by GCR is the last."""
        import torch

        params = self._params
        allowed = params.memory * 10**6
        sets = Sets.of(groups, params.degree, problem.n, allowed)
        starts = drawn(problem, groups, restarts)
        if params.gcr_start:
            told = GcrParams(degree=params.degree, normalize=params.normalize, memory=params.memory)
            more = greedy(problem, groups, g, told, job)
            if more is not None:
                starts = torch.cat([starts, more[None]])
        manner = self._manner(problem, sets, job)
        each = footprint(1, problem.n, groups, problem.d, sets.count)
        size = max(1, allowed // (2 * each))
        parts = [
            descend(problem.tensor, starts[at : at + size], sets, g, manner, job)
            for at in range(0, len(starts), size)
        ]
        found = Descents(
            torch.cat([part.centres for part in parts]),
            torch.cat([part.spreads for part in parts]),
            torch.cat([part.steps for part in parts]),
        )
        lines = zip(found.spreads.tolist(), found.steps.tolist(), strict=True)
        trace: list[dict[str, object]] = [
            {
                "iteration": number,
                "start": "rows" if number <= restarts else "gcr",
                "objective": spread,
                "steps": steps,
            }
            for number, (spread, steps) in enumerate(lines, 1)
        ]
        if not torch.isfinite(found.spreads).any():
            name = unmarked(params.compose)[0]
            raise ParameterError(f"compose: {name} gives values that are not finite")
        return found, trace

    def _manner(self, problem: Problem, sets: Sets, job: Job) -> Manner:
        """Say how centres move: steps follow the spread of the data."""
        import torch

        params = self._params
        exact = self._exact and params.solver != "gradient"
        shares = None
        if exact:
            shares = torch.from_numpy(sets.incidence()).double()
            if params.compose == "mean":
                shares /= shares.sum(1, keepdim=True)
        rate = params.rate * (_spread(problem, job) or 1.0)
        return Manner(rate=rate, rounds=params.rounds, shares=shares, normalize=params.normalize)

    def _placed(
        self, problem: Problem, found: Descents, groups: int, g: Compose, job: Job
    ) -> Composed:
        """Give every item the nearest set of the best restart."""
        params = self._params
        sets = Sets.of(groups, params.degree, problem.n, params.memory * 10**6)
        centres = found.centres[_best(found)]
        vectors = sets.composed(centres, g)
        chosen, own, other = fits(problem.tensor, vectors, job, normalize=params.normalize)
        members = [sets.members(at) for at in range(sets.count)]
        _, alone, _ = fits(problem.tensor, centres, job, normalize=params.normalize)
        return Composed.of(
            members, chosen.numpy(), own.numpy(), other.numpy(), alone.numpy(), centres.numpy()
        )


def _spread(problem: Problem, job: Job) -> float:
    """Give the standard deviation of the data, the mean over columns of the squares taken."""
    import torch

    sums, squares = torch.zeros(problem.d, dtype=torch.float64), 0.0
    first = problem.tensor[0].double()  # differences to some point: no digits are lost by far ones
    for _, some in read(problem.tensor, job):
        less = some - first
        sums += less.sum(0)
        squares += float(less.square().sum())
    variance = (squares - float(sums.square().sum()) / problem.n) / (problem.n * problem.d)
    return math.sqrt(max(0.0, variance))


def _best(found: Descents) -> int:
    """Give the restart with the least sum of squares, the earliest of equals."""
    return int(np.nanargmin(found.spreads.numpy()))
