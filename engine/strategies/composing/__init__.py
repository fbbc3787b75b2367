"""Composing: items may belong to several groups; asks whether two have one in common.

Groups are found by a compositional method without answers, and the items put into cells of such as
are alike. Then every answer is a fact about its pair: the two have a group in common, or none. Many
sets of groups may be behind what was said; a sample of such explanations tells what is still open,
and asked is the pair on which they differ most. Where they agree, single items in doubt are asked
about. All items follow those of which something was said.

- `cells`: heaps of items that are alike, and the item that stands for each.
- `explaining`: a sample of the explanations of all answers.
- `following`: from the sets of a few items to those of all.
- `asking`: the next pair.

References
----------
Own design, on the methods of `engine.compositional`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.compositional import Composer
from engine.compositional.cap import Cap, CapParams, CapSubset, CapSubsetParams
from engine.compositional.ckm import Ckm, CkmParams
from engine.compositional.functions import function_for
from engine.compositional.gcr import Gcr, GcrParams
from engine.compositional.membership import Composed
from engine.compositional.params import ComposingParams
from engine.compositional.sets import check_degree
from engine.constraints import Constraints
from engine.errors import ParameterError, UsageError
from engine.job import Job
from engine.model import Clustering, IntArray, Pair, Query, Verdict
from engine.parameters import unmarked
from engine.problem import Problem
from engine.strategies.composing.asking import Compared, Pick, Told, doubtful, pick
from engine.strategies.composing.cells import Cells
from engine.strategies.composing.explaining import (
    NOTHING,
    Explanations,
    Facts,
    adjusted,
    explained,
    members,
    packed,
    simplified,
    unpacked,
)
from engine.strategies.composing.following import Kind, Set, followed, nearest_sets

if TYPE_CHECKING:
    from engine.strategies import Queries

METHODS = ("gcr", "ckm", "cap", "cap-subset")
"""Compositional methods by which the first groups are found."""

_GONE = "{} is gone, or another file: how groups compose is not known, and not made use of."
_EACH = 5  # items of a cell, at least on average
_LEAST = 4  # cells, however few items there are
_STARTS = 20  # of compositional k-means
_WARD = 5000  # items that are merged by Ward's criterion, which takes n x n distances


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralParams(ComposingParams):
    """Parameters of the first groups."""

    method: str = field(
        default="gcr",
        metadata={
            "choices": METHODS,
            "help": "How the groups are found to begin with: plain groups of which some turn out "
            "to be made of others (gcr), compositional k-means (ckm), or exemplars that compose "
            "(cap, for some hundred items at most; cap-subset, found among a sample).",
        },
    )
    groups: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "How many groups compositional k-means begins with; 0 = found out by trying."
            " The other methods find their own number, and answers change it.",
        },
    )
    cells: int = field(
        default=20,
        metadata={
            "least": 2,
            "help": "Heaps of items that are alike, of which one item each is asked about first."
            " More take more answers, and tell finer.",
        },
    )


class Several:
    """Asks who shares a group with whom, where items may belong to several.

    What it finds is a function of the answers in the order given, whatever was asked in between.

    Parameters
    ----------
    params
        How groups compose, and how many there are to begin with.

    Raises
    ------
    ParameterError
        For a degree out of range.
    """

    name: ClassVar[str] = "composing"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = SeveralParams
    tolerant: ClassVar[bool] = True
    transitive: ClassVar[bool] = False

    def __init__(self, params: SeveralParams) -> None:
        check_degree(params.degree)
        self._params = params
        self._problem: Problem | None = None
        self._job = Job()
        self._said: list[tuple[Pair, Verdict]] = []

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
        return True

    def clustering(self) -> Clustering:
        """Tell the sets of groups apart; confidence is the margin to the next best set."""
        return self.composed().as_clustering()

    def composed(self) -> Composed:
        """Give all items the sets that follow from the explanation which breaks fewest answers.

        Without answers, those that the method finds.
        """
        return self._started.steps.get(("composed", *self._key, *self._shared), self._followed)

    def report(self) -> dict[str, object]:
        """Tell how many cells and groups there are, and how much is open.

        `open`: mean variance of answers about those that stand for cells, 0 to 0.25. `warnings`:
        what a person should know.
        """
        return {
            "cells": self._cells().count,
            "groups": self.composed().groups,
            "open": round(self._found().doubt(self._stands), 4),
            "warnings": []
            if self._kind.g is not None
            else [_GONE.format(unmarked(self._params.compose)[0])],
        }

    # ------------------------------------------------------------------ what follows from answers

    @property
    def _started(self) -> Problem:
        if self._problem is None:
            raise UsageError("composing has not been started")
        return self._problem

    @property
    def _key(self) -> tuple[object, ...]:
        """Name what all results depend on."""
        return (*self._plain_key, self._started.set_aside)

    @property
    def _plain_key(self) -> tuple[object, ...]:
        problem, params = self._started, self._params
        name, marked = unmarked(params.compose)
        same = replace(params, compose=marked or name)  # whatever the file is called
        return f"{self.name}/{self.version} {same}", problem.fingerprint, problem.seed

    @property
    def _shared(self) -> list[tuple[Pair, bool]]:
        """Give who was said to share a group or not, in the order given, repeated or not."""
        return [
            (pair, verdict is Verdict.SAME)
            for pair, verdict in self._said
            if verdict is not Verdict.UNSURE
        ]

    def _told(self) -> Told:
        """Give what was said, of each pair the last."""
        facts: dict[Pair, bool] = {}
        for pair, share in self._shared:
            facts.pop(pair, None)
            facts[pair] = share
        return Told(facts, frozenset(pair for pair, one in self._said if one is Verdict.UNSURE))

    def _next(self) -> Pick | None:
        """Give the next pair, why, and what it is worth; kept for when the same was said."""

        def find() -> Pick | None:
            compared, told, aside = self._compared(), self._told(), self._started.set_aside
            found = self._found()
            open_pair = pick(compared, found, told, aside)
            if open_pair is not None:
                return open_pair
            composed = self.composed()
            sets = composed.item_sets()
            return doubtful(compared, told, aside, sets, composed.confidence)

        return self._started.steps.get(("next", *self._key, *self._said), find)

    def _cells(self) -> Cells:
        """Divide the items into cells, by what the method finds; kept with the project."""
        problem = self._started

        def find() -> IntArray:
            found = self._method().compose(problem, Constraints(), self._job)
            return Cells.of(found, problem.tensor, self._wanted, self._job).written

        key = " ".join(map(str, ("cells", *self._plain_key)))
        return Cells.read(problem.steps.indices(key, find), problem.n)

    def _method(self) -> Composer:
        """Make the method that finds the first groups."""
        params, n = self._params, self._started.n
        shared = {
            one.name: getattr(params, one.name) for one in dataclasses.fields(ComposingParams)
        }
        groups = min(params.groups, n)
        if params.method == "ckm":
            return Ckm(CkmParams(groups=groups, restarts=_STARTS, **shared))
        if params.method == "cap":
            return Cap(CapParams(**shared))
        if params.method == "cap-subset":
            return CapSubset(CapSubsetParams(**shared))
        base = "ward" if n <= _WARD else "kmeans"
        return Gcr(GcrParams(groups=self._wanted, base=base, **shared))

    @property
    def _wanted(self) -> int:
        """How many cells there are to be: of few items some less, so that each has a few."""
        n = self._started.n
        return min(self._params.cells, max(n // _EACH, min(n, _LEAST)))

    def _standing(self) -> IntArray:
        """Give the item that stands for each cell, -1 = none."""
        problem = self._started
        is_open = np.ones(problem.n, dtype=np.bool_)
        is_open[list(problem.set_aside)] = False

        def find() -> IntArray:
            return self._cells().standing(problem.tensor, is_open, self._job).astype(np.int32)

        return problem.steps.get(("standing", *self._key), find)

    @property
    def _stands(self) -> int:
        """Number of items that stand for cells."""
        return int((self._standing() >= 0).sum())

    def _compared(self, told: Iterable[Pair] | None = None) -> Compared:
        """List the items that explanations are about: those that stand for cells, then others."""
        standing, sizes = self._standing(), self._cells().sizes
        stands = standing >= 0
        items = dict(zip(standing[stands].tolist(), sizes[stands].tolist(), strict=True))
        for pair in self._told().facts if told is None else told:
            for item in pair:
                items.setdefault(item, 1)
        return Compared(tuple(items), np.array(list(items.values()), dtype=np.int64))

    def _found(self) -> Explanations:
        """Give the explanations of all answers, going on from those of the answers before.

        Those of every answer are kept with the project: else it would take long to open one.
        """
        steps, said = self._started.steps, self._shared
        marks = [" ".join(map(str, ("explained", *self._key)))]
        for one in said:
            text = marks[-1] + repr(one)
            marks.append(hashlib.blake2b(text.encode(), digest_size=16).hexdigest())
        newest = range(len(said), -1, -1)
        known = next((at for at in newest if steps.held(("indices", marks[at])) is not None), 0)
        found = NOTHING
        for at in range(known, len(said) + 1):
            find = partial(self._explained, found, said[:at], marks[at])
            found = unpacked(steps.indices(marks[at], find))
        return found

    def _explained(
        self, before: Explanations, said: Sequence[tuple[Pair, bool]], mark: str
    ) -> IntArray:
        """Work out the explanations of some answers from those of all but the last."""
        facts: dict[Pair, bool] = {}
        for pair, share in said:
            facts.pop(pair, None)
            facts[pair] = share
        compared = self._compared(pair for pair, _ in said)
        place = {item: at for at, item in enumerate(compared.items)}
        placed = [(place[pair.a], place[pair.b], share) for pair, share in facts.items()]
        rng = self._started.rng(f"{self.name}.{mark}")
        degree, hints = self._params.degree, self._hints(place)
        masks = explained(before.masks, len(place), placed, hints, degree, rng, self._job)
        return packed(Explanations(masks).judged(self._stands, before))

    def _hints(self, place: Mapping[int, int]) -> Facts:
        """Say which cells have a group in common by the method that asks nothing."""
        standing = self._standing().tolist()
        of_cell = list(zip(standing, self._cells().sets, strict=True))
        return [
            (place[one], place[other], True)
            for (one, first), (other, second) in itertools.combinations(of_cell, 2)
            if one >= 0 and other >= 0 and not set(first).isdisjoint(second)
        ]

    def _followed(self) -> Composed:
        """Let all items follow those of which something was said.

        While no explanation can be relied on, the others stay where the method put them.
        """
        problem, cells = self._started, self._cells()
        sets = self._chosen()
        told = {item: sets[item] for item in sorted(self._told().items)}
        kind = self._kind
        if not self._found().relied:
            begun = self._untold(kind)
            return followed(problem.tensor, begun, told, kind, self._job, rounds=0)
        standing = self._standing().tolist()
        of_cell = [sets.get(item, found) for item, found in zip(standing, cells.sets, strict=True)]
        begun = [of_cell[cell] for cell in cells.cell.tolist()]
        return followed(problem.tensor, begun, told, kind, self._job)

    @property
    def _kind(self) -> Kind:
        """Say how groups compose; a project must open even where that cannot be known any more."""
        params = self._params
        try:
            return Kind(function_for(self._started, params.compose), params.normalize)
        except ParameterError:
            return Kind(None, params.normalize)

    def _untold(self, kind: Kind) -> list[Set]:
        """Give the sets of all items by what the method found alone."""
        problem, cells = self._started, self._cells()

        def find() -> list[Set]:
            begun = [cells.sets[cell] for cell in cells.cell.tolist()]
            return nearest_sets(problem.tensor, begun, {}, kind, self._job)

        return problem.steps.get(("untold", *self._plain_key), find)

    def _chosen(self) -> dict[int, Set]:
        """Give the sets of all items compared.

        While explanations differ much, any one of them is mostly wrong: then the sets that the
        method found, changed no further than the answers demand.
        """
        cells, items, told = self._cells(), self._compared().items, self._told()
        begun = [frozenset(cells.sets[cell]) for cell in cells.cell[list(items)].tolist()]
        place = {item: at for at, item in enumerate(items)}
        found = self._found()
        facts = [(place[pair.a], place[pair.b], share) for pair, share in told.facts.items()]
        if not found.relied:
            sets = adjusted(begun, facts, self._params.degree, self._job)
        else:
            best = simplified(found.masks[0].tolist(), facts, self._job)
            spoken = {item: members(best[place[item]]) for item in told.items}
            number = self._numbers(spoken)
            sets = [
                frozenset(number[group] for group in spoken[item]) if item in spoken else begun[at]
                for at, item in enumerate(items)
            ]
            sets = adjusted(sets, facts, self._params.degree, self._job)
        return {item: tuple(sorted(one)) for item, one in zip(items, sets, strict=True)}

    def _numbers(self, spoken: Mapping[int, Set]) -> dict[int, int]:
        """Give the groups of an explanation the numbers of the method's, where they are the same.

        So cells that nothing was said of yet keep sharing groups with those that were spoken of.
        """
        cells = self._cells()
        votes: dict[tuple[int, int], float] = defaultdict(float)
        of_cell = zip(self._standing().tolist(), cells.sets, cells.sizes.tolist(), strict=True)
        for item, found, size in of_cell:
            for group in spoken.get(item, ()):
                for other in found:
                    votes[group, other] += size / (len(found) * len(spoken[item]))
        number: dict[int, int] = {}
        for group, other in sorted(votes, key=lambda pair: (-votes[pair], pair)):
            if group not in number and other not in number.values():
                number[group] = other
        free = itertools.count(1 + max(group for found in cells.sets for group in found))
        for group in sorted({one for groups in spoken.values() for one in groups}):
            if group not in number:
                number[group] = next(free)
        return number
