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
from engine.model import Cue, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem
from engine.strategies.falcon.belief import NOBODY, Belief, Bools, Doubt, Floats, Ints
from engine.strategies.falcon.placing import Distances, reason

T = TypeVar("T")

_ALPHA = 0.2  # probability of a wrong place that is put up with, for one prototype
_TRIES = 5  # questions about one prototype and one group while it is placed
_LIKELIER = 0.5  # than all other places together
_NO_IDEA = 0.5  # chance of SAME, where an answer shall tell nothing of the share of wrong ones
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
        self._aside: set[int] = set()  # positions that must not be asked about
        self._placing = NOBODY  # position of the prototype being placed
        self._tries: Counter[int] = Counter()  # answers about it, by group
        self._told = 0  # how many of them said something
        self._placed = True  # False = it has to wait
        self._left: list[int] = []  # positions that had to wait

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

    def place(self, prototype: int, size: int) -> Generator[Query, Verdict | Cue, None]:
        """Ask until it is clear enough where a new prototype belongs, and whether others do.

        Parameters
        ----------
        size
            Number of points nearest to the prototype.
        """
        belief = self._belief
        self._items.append(prototype)
        at = self._at[prototype] = belief.add(self._distances(prototype))
        self._worth.append(size)
        aside = prototype in self._problem.set_aside
        self._remember("add", prototype, aside)
        if self._older:  # a round divides one cell
            older = np.arange(self._older)
            divided = self._recall("cell", lambda: belief.nearest(np.array([at]), older, 1))
            if divided is not None:
                self._worth[divided[1]] = max(1, self._worth[divided[1]] - size)
        if aside:  # what was said about it still counts
            self._aside.add(at)
            return
        if not belief.n_groups:
            self._settle(at, 0)
            return
        yield from self._decide(at)
        self._repair()
        yield from self._ask_again()
        while self._left and self._placed:
            if belief.groups[self._left[0]] == NOBODY:
                yield from self._decide(self._left[0])
                self._repair()
            if self._placed:
                del self._left[0]

    def _ask_again(self) -> Generator[Query, Verdict | Cue, None]:
        """Ask about whatever the answers have put in doubt, the worst first."""
        belief = self._belief
        while (doubted := self._recall("doubt", self._next_doubt)) is not None:
            doubt, (one, other), expected = doubted
            worth = int(np.array(self._worth)[doubt.branch].sum())
            verdict = yield self._query(one, other, _doubtful(worth), worth)
            if isinstance(verdict, Cue):
                if verdict is Cue.LATER:
                    return
                continue
            self._reopened[doubt.founder] += 1
            belief.hear(one, other, verdict, expected)
            self._remember("again", one, other, verdict.value)
            self._repair()

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Weigh an answer about two prototypes that was given to another question.

        Returns
        -------
        bool
            False when one of them has not come yet.
        """
        if pair.a not in self._at or pair.b not in self._at:
            return False
        one, other = self._at[pair.a], self._at[pair.b]
        if self._placing in (one, other):
            self._hear(one, other, verdict)
            return True
        self._belief.hear(one, other, verdict, _NO_IDEA)
        self._remember("overhear", one, other, verdict.value)
        for at in (one, other):
            if self._belief.groups[at] == NOBODY and self._belief.n_groups:
                chance = self._belief.posterior(at)
                if chance.max() > _LIKELIER:
                    self._belief.settle(at, int(chance.argmax()))
        self._repair()
        return True

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

    def _decide(self, at: int) -> Generator[Query, Verdict | Cue, None]:
        """Ask about one group after the other, the likeliest first, and give a prototype its own.

        Without an answer, or while no place is likelier than all others together, it has none.
        """
        belief, size = self._belief, self._worth[at]
        self._placing, self._tries, self._told, self._placed = at, Counter(), 0, True
        while True:
            chance, group, pair = self._recall("choice", partial(self._choose, at))
            top = int(chance.argmax())
            if (self._told and 1 - chance[top] <= _ALPHA) or pair is None:
                break
            ruled_out = sum(count > 0 for other, count in self._tries.items() if other != group)
            why = _again() if self._tries[group] else reason(size, ruled_out, belief.n_groups)
            verdict = yield self._query(*pair, why, size)
            if verdict is Cue.LATER:
                self._placed = False
                if at not in self._left:
                    self._left.append(at)
                break
            if not isinstance(verdict, Cue):
                self._hear(*pair, verdict)
        if self._told and chance[top] > _LIKELIER:
            self._settle(at, top)
        self._placing = NOBODY

    def _hear(self, one: int, other: int, verdict: Verdict) -> None:
        """Take in an answer about the prototype being placed."""
        self._belief.hear(one, other, verdict)
        self._remember("hear", one, other, verdict.value)
        group = int(self._belief.groups[other if one == self._placing else one])
        self._told += verdict is not Verdict.UNSURE
        self._tries[group] += 1 if verdict is not Verdict.UNSURE else _TRIES

    def _choose(self, at: int) -> tuple[Floats, int, tuple[int, int] | None]:
        """Give the chances of the groups, and the likeliest one left to ask about with a pair."""
        chance = self._belief.posterior(at)
        for group in np.argsort(-chance[:-1], kind="stable"):
            pair = self._pair(at, group) if self._tries[group] < _TRIES else None
            if pair is not None:
                return chance, int(group), pair
        return chance, NOBODY, None

    def _settle(self, at: int, group: int) -> None:
        """Give a prototype its group, and learn from the answers if it has just come."""
        if at == self._belief.size - 1:
            evidence = self._recall("evidence", partial(self._belief.evidence, at))
            self._belief.settle(at, group, evidence)
        else:
            self._belief.settle(at, group)

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
        members = self._open(self._belief.groups == group)
        return self._belief.nearest(np.array([at]), members, _AGAIN)

    def _next_doubt(self) -> tuple[Doubt, tuple[int, int], float] | None:
        """Find the worst doubt that a question may settle, with the pair and the chance of SAME."""
        self._job.step()
        belief = self._belief
        for doubt in belief.doubts(_ALPHA):
            if self._reopened[doubt.founder] >= _REOPENED:
                continue
            for group, expected in doubt.targets:
                others = self._open((belief.groups == group) & ~doubt.branch)
                pair = belief.nearest(self._open(doubt.branch), others, _AGAIN)
                if pair is not None:
                    return doubt, pair, expected
        return None

    def _open(self, prototypes: Bools) -> Ints:
        """Give the positions of those that may be asked about."""
        found: Ints = np.flatnonzero(prototypes)
        return np.array([at for at in found if at not in self._aside], dtype=found.dtype)

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
