"""Weighing: placing prototypes by answers of which some are wrong.

Hidden here: what is asked next, and when enough has been asked. Promised: what `placing.Groups`
promises, but by the weight of all answers instead of the letter of each; a group that answers
speak against is asked about again, and changed.

A new prototype is put to a sequential test: it is compared with the likeliest group, by its nearest
example not yet used, until the posterior of all other places is below alpha. An expected answer
settles it at once, as in the article; a surprising one is confirmed. Then whatever the answers
have put in doubt, times what rests on it, is asked about once more (see `belief`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from functools import partial
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem
from engine.strategies.falcon.belief import NOBODY, Belief, Doubt, Floats
from engine.strategies.falcon.placing import Distances, reason

T = TypeVar("T")

_ALPHA = 0.2  # probability of a wrong place that is put up with, for one prototype
_TRIES = 5  # questions about one prototype and one group while it is placed
_AGAIN = 3  # questions about one pair
_REOPENED = 8  # how often one branch is doubted


class WeighedGroups:
    """The prototypes of one run, by the group that the weight of the answers gives them.

    Parameters
    ----------
    problem
        The points, and the items that must not be asked about.
    noise
        The share of wrong answers expected beforehand.
    """

    def __init__(self, problem: Problem, noise: float, job: Job) -> None:
        self._problem = problem
        self._job = job
        self._belief = Belief(noise)
        self._past = blake2b(f"{noise} {problem.fingerprint}".encode()).digest()
        self._items: list[int] = []  # prototypes by position in the belief
        self._at: dict[int, int] = {}  # prototype -> that position
        self._between = Distances()
        self._worth: list[int] = []  # about how many points are nearest to each
        self._older = 0  # prototypes of earlier rounds
        self._reopened: Counter[int] = Counter()

    @property
    def error(self) -> float:
        """The share of wrong answers, as the answers so far make it likely."""
        return self._belief.error

    def expect(self, prototypes: list[int], between: Floats) -> None:
        """Take in the prototypes of a round, which no answer has placed yet.

        Parameters
        ----------
        between
            float64[a, m], squared distances to all prototypes so far, these included.
        """
        self._between.add(prototypes, between)
        self._older = self._belief.size
        self._remember("round")

    def place(self, prototype: int, size: int) -> Generator[Query, Verdict, None]:
        """Ask until it is clear enough where a new prototype belongs, and whether others do.

        Parameters
        ----------
        size
            Number of points nearest to the prototype.
        """
        if prototype in self._problem.set_aside:
            return
        belief = self._belief
        self._items.append(prototype)
        at = self._at[prototype] = belief.add(self._distances(prototype))
        self._worth.append(size)
        self._remember("add", prototype)
        if self._older:  # a round divides one cell
            older = np.arange(self._older)
            divided = self._recall("cell", lambda: belief.nearest(np.array([at]), older, 1))
            if divided is not None:
                self._worth[divided[1]] = max(1, self._worth[divided[1]] - size)
        if at == 0:
            self._settle(at, 0)
            return
        yield from self._decide(at)
        self._repair()
        while (doubted := self._recall("doubt", self._next_doubt)) is not None:
            doubt, (one, other), expected = doubted
            self._reopened[doubt.founder] += 1
            worth = int(np.array(self._worth)[doubt.branch].sum())
            verdict = yield self._query(one, other, _doubtful(worth), worth)
            belief.hear(one, other, verdict, expected)
            self._remember("again", one, other, verdict.value)
            self._repair()

    def memberships(self, prototypes: list[int]) -> tuple[npt.NDArray[np.bool_], IntArray]:
        """Give, for each prototype, whether answers settled its group, and the group.

        Returns
        -------
        tuple
            bool[m] and int32[m]. What is not settled goes where it most likely belongs.
        """
        belief = self._belief
        group = np.zeros(len(prototypes), dtype=np.int32)
        settled = np.zeros(len(prototypes), dtype=np.bool_)
        if not belief.n_groups:
            return settled, group
        for row, prototype in enumerate(prototypes):
            at = self._at.get(prototype)
            if at is None:
                group[row] = belief.likeliest(self._distances(prototype))
            elif belief.groups[at] == NOBODY:
                group[row] = belief.posterior(at).argmax()
            else:
                group[row], settled[row] = belief.groups[at], True
        return settled, group

    def _decide(self, at: int) -> Generator[Query, Verdict, None]:
        """Ask about one group after the other, the likeliest first, and give a prototype its own.

        Without an answer, or while no place is likelier than all others together, it has none.
        """
        belief, size = self._belief, self._worth[at]
        tries: Counter[int] = Counter()
        told = 0
        while True:
            chance, group, pair = self._recall("choice", partial(self._choose, at, tries))
            top = int(chance.argmax())
            if (told and 1 - chance[top] <= _ALPHA) or pair is None:
                break
            ruled_out = sum(count > 0 for other, count in tries.items() if other != group)
            why = _again() if tries[group] else reason(size, ruled_out, belief.n_groups)
            verdict = yield self._query(*pair, why, size)
            belief.hear(*pair, verdict)
            self._remember("hear", *pair, verdict.value)
            told += verdict is not Verdict.UNSURE
            tries[group] += 1 if verdict is not Verdict.UNSURE else _TRIES
        if told and chance[top] > 0.5:
            self._settle(at, top)

    def _choose(self, at: int, tries: Counter[int]) -> tuple[Floats, int, tuple[int, int] | None]:
        """Give the chances of the groups, and the likeliest one left to ask about with a pair."""
        chance = self._belief.posterior(at)
        for group in np.argsort(-chance[:-1], kind="stable"):
            pair = self._pair(at, group) if tries[group] < _TRIES else None
            if pair is not None:
                return chance, int(group), pair
        return chance, NOBODY, None

    def _settle(self, at: int, group: int) -> None:
        evidence = self._recall("evidence", partial(self._belief.evidence, at))
        self._belief.settle(at, group, evidence)

    def _repair(self) -> None:
        self._belief.regroup(self._recall("repair", self._belief.repaired))

    def _remember(self, *event: object) -> None:
        """Add an event to the past, of which all that is believed is a function."""
        self._past = blake2b(self._past + repr(event).encode()).digest()

    def _recall(self, what: str, compute: Callable[[], T]) -> T:
        """Give what followed from the past when it was gone through before, or compute it.

        Undo, replay and look-ahead go through the same answers again and again.
        """
        return self._problem.steps.get(("falcon.weighing", self._past, what), compute)

    def _pair(self, at: int, group: int) -> tuple[int, int] | None:
        members = np.flatnonzero(self._belief.groups == group)
        return self._belief.nearest(np.array([at]), members, _AGAIN)

    def _next_doubt(self) -> tuple[Doubt, tuple[int, int], float] | None:
        """Find the worst doubt that a question may settle, with the pair and the chance of SAME."""
        self._job.step()
        belief = self._belief
        for doubt in belief.doubts(_ALPHA):
            if self._reopened[doubt.founder] >= _REOPENED:
                continue
            for group, expected in doubt.targets:
                others = np.flatnonzero((belief.groups == group) & ~doubt.branch)
                pair = belief.nearest(np.flatnonzero(doubt.branch), others, _AGAIN)
                if pair is not None:
                    return doubt, pair, expected
        return None

    def _query(self, one: int, other: int, why: Reason, worth: int) -> Query:
        pair = Pair.of(self._items[one], self._items[other])
        return Query(pair, why, worth, fresh=True)

    def _distances(self, prototype: int) -> Floats:
        """Give the distances of a prototype to those in the belief: float64[m]."""
        distances: Floats = np.sqrt(self._between.of(prototype, self._items))
        return distances


def _again() -> Reason:
    return Reason.of(
        "An earlier answer was unexpected and may have been a slip; this pair can confirm it."
    )


def _doubtful(worth: int) -> Reason:
    who = "About {worth} items rest" if worth > 1 else "An item rests"
    return Reason.of(
        who + " on an answer that may have been a slip; this pair can tell.", worth=worth
    )
