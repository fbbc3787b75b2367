"""Composing: items may belong to several groups; asks whether two have one in common.

Groups and their compositions are found by a compositional method without answers. Then every answer
is a fact about its pair: the two have a group in common, or none. Items get the sets that fit best
and break as few answers as can be; an item told apart from all groups opens a new one; the centres
follow every few answers. Asked is whether an item in doubt shares a group with the item that stands
for it.

- `assigning`: sets that explain the answers, and centres that follow.
- `asking`: the next pair.

References
----------
Own design, on the methods of `engine.compositional`.
"""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.compositional import Composer
from engine.compositional.cap import Cap, CapParams, CapSubset, CapSubsetParams
from engine.compositional.ckm import Ckm, CkmParams
from engine.compositional.functions import function
from engine.compositional.gcr import Gcr, GcrParams
from engine.compositional.membership import Composed
from engine.compositional.params import ComposingParams
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, IntArray, Pair, Query, Verdict
from engine.problem import Problem
from engine.strategies.composing.asking import Pick, Told, pick
from engine.strategies.composing.assigning import (
    Assigned,
    Costs,
    Facts,
    Kind,
    assigned,
    lonely,
    refitted,
)

if TYPE_CHECKING:
    import torch

    from engine.strategies import Queries

METHODS = ("ckm", "cap", "cap-subset", "gcr")
"""Compositional methods by which the first groups are found."""

_EVERY = 10  # answers after which the centres follow
_ROUNDS = 4  # of sets and centres, each time they do
_OPENED = 8  # groups that answers open at once, at most
_PRICE = 100.0  # of a broken answer, in mean squared distances: a fit is rarely so bad


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralParams(ComposingParams):
    """Parameters of the first groups."""

    method: str = field(
        default="ckm",
        metadata={
            "choices": METHODS,
            "help": "How the groups are found to begin with: compositional k-means (ckm), "
            "exemplars that compose (cap, for some hundred items at most; cap-subset, found among "
            "a sample), or plain groups of which some turn out to be made of others (gcr).",
        },
    )
    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "How many groups ckm and gcr begin with (of gcr, compositions are among them);"
            " 0 = found out by trying. Answers may open more.",
        },
    )
    most: int = field(
        default=8,
        metadata={
            "least": 1,
            "more": True,
            "help": "Groups at most that ckm begins with, where their number is found out.",
        },
    )
    starts: int = field(
        default=20,
        metadata={
            "least": 1,
            "more": True,
            "help": "Random starts of ckm; the best result is kept.",
        },
    )


class Several:
    """Asks who shares a group with whom, where items may belong to several.

    What it finds is a function of the answers in the order given, whatever was asked in between.

    Parameters
    ----------
    params
        How groups compose, and how many there are.
    """

    name: ClassVar[str] = "composing"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = SeveralParams
    tolerant: ClassVar[bool] = True
    transitive: ClassVar[bool] = False

    def __init__(self, params: SeveralParams) -> None:
        self._params = params
        self._problem: Problem | None = None
        self._job = Job()
        self._said: list[tuple[Pair, Verdict]] = []
        self._found: Assigned | None = None

    def run(self, problem: Problem, job: Job) -> Queries:
        """Ask until of every item it is known with which groups it shares something."""
        job.step()
        self._problem, self._job = problem, job
        while (chosen := self._next()) is not None:
            verdict = yield Query(
                chosen.pair, chosen.reason, chosen.worth, fresh=True, common=chosen.common
            )
            if isinstance(verdict, Verdict):
                self.overhear(chosen.pair, verdict)

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Take in a fact about any pair; of two about the same one the later holds."""
        self._said.append((pair, verdict))
        self._found = None
        return True

    def clustering(self) -> Clustering:
        """Tell the sets of groups apart; confidence is the margin to the next best set."""
        return self.composed().as_clustering()

    def composed(self) -> Composed:
        """Give the sets that fit best and break as few answers as can be."""
        found = self._assigned()
        at = np.arange(len(found.chosen))
        own = found.costs.squares[at, found.chosen]
        others = found.energies()
        others[at, found.chosen] = np.inf
        # what the item's own set breaks, the others would have to break as well
        apart = np.maximum(others.min(1) - found.price * found.broken, 0)
        sets = found.costs.sets
        return Composed.of(
            [sets.members(one) for one in range(sets.count)],
            found.chosen,
            np.sqrt(own),
            np.sqrt(apart),
            np.sqrt(found.costs.squares[:, : len(found.costs.centres)].min(1)),
            found.costs.centres.numpy(),
        )

    def report(self) -> dict[str, object]:
        """Tell how many groups there are, how many of them answers opened, and answers broken."""
        found = self._assigned()
        first = len(self._first())
        return {
            "groups": len(found.costs.centres),
            "opened": len(found.costs.centres) - first,
            "unexplained": int(found.broken.sum()) // 2,
        }

    # ------------------------------------------------------------------ what follows from answers

    @property
    def _started(self) -> Problem:
        if self._problem is None:
            raise UsageError("composing has not been started")
        return self._problem

    def _next(self) -> Pick | None:
        """Give the next pair, why, and what it is worth; kept for when the same was said."""
        problem = self._started
        key = *self._key, "next", tuple(self._said), problem.set_aside

        def find() -> Pick | None:
            facts = dict(self._facts(len(self._said)))
            unsure = frozenset(pair for pair, one in self._said if one is Verdict.UNSURE)
            told = Told(facts, unsure)
            return pick(self._assigned(), told, problem.set_aside, self._job)

        return problem.steps.get(key, find)

    @property
    def _key(self) -> tuple[str, str, int]:
        problem = self._started
        return f"{self.name}/{self.version} {self._params}", problem.fingerprint, problem.seed

    def _facts(self, count: int) -> Facts:
        """Give what the first answers say, each pair once, in the order last spoken about."""
        facts: dict[Pair, bool] = {}
        for pair, verdict in self._said[:count]:
            if verdict is not Verdict.UNSURE:
                facts.pop(pair, None)
                facts[pair] = verdict is Verdict.SAME
        return tuple(facts.items())

    def _assigned(self) -> Assigned:
        """Give the sets that explain all answers; the centres know those up to the last ten."""
        if self._found is None:
            count = len(self._said)
            centres = self._centres(self._facts(count // _EVERY * _EVERY))
            self._found = self._explained(centres, self._facts(count))
        return self._found

    def _centres(self, facts: Facts) -> torch.Tensor:
        """Give centres that follow answers, float64[k, p]; always from the first ones."""
        centres = self._first()
        if not facts:
            return centres

        def find() -> torch.Tensor:
            now = centres
            for _ in range(_ROUNDS):
                found = self._explained(now, facts)
                now = refitted(self._started.tensor, found, self._kind, self._job)
            return now

        told = hashlib.blake2b(repr(facts).encode(), digest_size=16).digest()
        return self._started.steps.get((*self._key, "centres", told), find)

    def _first(self) -> torch.Tensor:
        """Give the centres that are found without answers, float64[k, p]."""
        import torch

        problem, params = self._started, self._params
        shared = {
            one.name: getattr(params, one.name) for one in dataclasses.fields(ComposingParams)
        }
        groups = min(params.groups, problem.n)
        method: Composer
        if params.method == "ckm":
            own = CkmParams(groups=groups, most=params.most, restarts=params.starts, **shared)
            method = Ckm(own)
        elif params.method == "gcr":
            method = Gcr(GcrParams(groups=groups, **shared))
        elif params.method == "cap":
            method = Cap(CapParams(**shared))
        else:
            method = CapSubset(CapSubsetParams(**shared))

        def find() -> IntArray:
            found = method.compose(problem, Constraints(), self._job)
            return found.centres.ravel().view(np.int32)

        key = " ".join(map(str, (*self._key, f"{method.name}/{method.version}")))
        values = problem.steps.indices(key, find).view(np.float32).astype(np.float64)
        return torch.from_numpy(values.reshape(-1, problem.d))

    @property
    def _kind(self) -> Kind:
        params = self._params
        g = function(params.compose, self._started.d)
        return Kind(g, params.degree, params.normalize, params.memory * 10**6)

    def _explained(self, centres: torch.Tensor, facts: Facts) -> Assigned:
        """Give sets that explain answers, opening groups for items told apart from all."""
        import torch

        problem, kind = self._started, self._kind
        found = self._assign(centres, facts, kind)
        for _ in range(_OPENED):
            item = lonely(found, facts)
            if item is None:
                break
            opened = problem.tensor[item][None].double()
            found = self._assign(torch.cat([found.costs.centres, opened]), facts, kind)
        return found

    def _assign(self, centres: torch.Tensor, facts: Facts, kind: Kind) -> Assigned:
        costs = Costs.of(self._started.tensor, centres, kind, self._job)
        price = _PRICE * (float(costs.squares.min(1).mean()) or 1.0)
        return assigned(costs, facts, price, self._job)
