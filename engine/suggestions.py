"""Suggestions: what the answers so far make likely of pairs that nobody was asked about.

Hidden here: which of very many learned links are worth a look, and in which order. Promised: one
suggestion for any two sets of items that answers have joined, for one answer settles them all;
nothing that is settled, was left unsure, is in dispute or set aside; a suggestion is no answer
before a person has confirmed or rejected it.

On 35 labelled tables, after 25 / 50 answers, .92 / .90 of the suggestions were right where the
groups agree, and .50 / .43 of those that would change the groups (`python -m
tests.benchmark.spreading DATA --most-rows 1000 --answers 25 50 -o OUT`).

References
----------
CS-PDS, constraint self-learning; see `engine.spreading`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.job import Job
from engine.model import IntArray, Pair, Verdict
from engine.problem import Problem
from engine.spreading import VERSION, Links, Spread, SpreadParams, spread
from engine.spreading.links import keys_of

MOST = 200
"""Suggestions in a list: more than a person goes through."""

_LOOKED_AT = 20 * MOST  # of each kind

ENGINE = f"cs-pds/{VERSION}"
"""What asked, in the log."""

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A pair that probably belongs together, or probably does not.

    Attributes
    ----------
    pair
        The two items.
    verdict
        SAME or DIFFERENT.
    confidence
        In [0.5, 1): the strength of the learned link. No probability.
    changes
        Whether the groups shown say otherwise.
    because
        `seq` of the answers that it was learned from.
    """

    pair: Pair
    verdict: Verdict
    confidence: float
    changes: bool
    because: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What was learned from the answers at one time, and is still open.

    Attributes
    ----------
    learned_after
        Answers in force when it was learned.
    found
        Best first.
    must, cannot
        Links learned in all, of pairs that the answers did not settle.
    """

    learned_after: int
    found: tuple[Suggestion, ...]
    must: int
    cannot: int

    def still_open(
        self, closure: Constraints, aside: Iterable[int], slots: IntArray
    ) -> Suggestions:
        """Leave out what has been settled, left unsure or set aside since.

        Parameters
        ----------
        slots
            int32[n], the groups shown now.
        """
        out = {*aside, *closure.frozen}
        settled = {frozenset(sets) for sets in _settled(closure)}
        found = []
        for one in self.found:
            sets = frozenset(map(closure.component, one.pair))
            if out.isdisjoint(one.pair) and len(sets) == 2 and sets not in settled:
                a, b = one.pair
                together = bool(slots[a] == slots[b])
                found.append(replace(one, changes=together is (one.verdict is Verdict.DIFFERENT)))
        return replace(self, found=tuple(found))


def suggest(
    problem: Problem,
    closure: Constraints,
    answered: int,
    aside: Iterable[int],
    slots: IntArray,
    job: Job,
    params: SpreadParams | None = None,
) -> Suggestions:
    """Learn from the answers, and choose what is worth a look.

    Parameters
    ----------
    closure
        The answers; those that contradict earlier ones have no part.
    answered
        How many there are.
    slots
        int32[n], the groups shown; -1 = none.

    Raises
    ------
    ConstraintError
        When there are no answers.
    ResourceError, Cancelled
        When the answers settle too much for memory, or the job was stopped.
    """
    out = {*aside, *closure.frozen}
    learned = spread(problem, closure, params or SpreadParams(), job)
    must, cannot = learned.learned_must(), learned.learned_cannot()
    pairs, same, strength = _one_for_each(closure, must, cannot)
    open_ones = ~np.isin(pairs, [*out]).any(axis=1)
    pairs, same, strength = pairs[open_ones], same[open_ones], strength[open_ones]
    one, other = pairs.T
    changes = (slots[one] == slots[other]) != same
    apart = np.square(learned.space[one] - learned.space[other]).sum(axis=1)
    # Of equally strong ones a must-link is the surer the nearer, a cannot-link the farther.
    best = np.lexsort((one, np.where(same, apart, -apart), -strength))
    best = best[_in_turn(pairs[best], changes[best])]
    found = []
    for at in best.tolist():
        job.step()
        pair = Pair.of(*pairs[at].tolist())
        verdict = Verdict.SAME if same[at] else Verdict.DIFFERENT
        because = _because(learned, closure, pair, must=bool(same[at]))
        found.append(Suggestion(pair, verdict, float(strength[at]), bool(changes[at]), because))
    return Suggestions(answered, tuple(found), len(must), len(cannot))


def _one_for_each(
    closure: Constraints, must: Links, cannot: Links
) -> tuple[_Ints, npt.NDArray[np.bool_], npt.NDArray[np.float32]]:
    """Choose the strongest learned link between any two sets of items that answers join.

    Where as much speaks for SAME as for DIFFERENT there is none.

    Returns
    -------
    tuple
        Pairs int64[p, 2], whether each is SAME, its strength.
    """
    n = must.n
    joined = np.arange(n)
    for root, (items, _) in closure.parts().items():
        joined[items] = root
    keys = np.concatenate([must.keys, cannot.keys])
    strength = np.concatenate([must.strength, cannot.strength])
    same = np.arange(len(keys)) < len(must)
    pairs = np.column_stack(np.divmod(keys, n))
    sets = keys_of(n, *joined[pairs].T)
    order = np.lexsort((keys, -strength, sets))
    order = order[joined[pairs[order, 0]] != joined[pairs[order, 1]]]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = np.diff(sets[order]) > 0
    # the strongest of the other kind, in the same sets
    start = np.flatnonzero(first)
    of_set = np.cumsum(first) - 1
    top = strength[order][start]
    tied = (strength[order] == top[of_set]) & (same[order] != same[order][start][of_set])
    clear = np.ones(len(start), dtype=np.bool_)
    clear[of_set[tied]] = False
    settled = keys_of(n, *np.array(_settled(closure), dtype=np.int64).reshape(-1, 2).T)
    chosen = order[start[clear]]
    chosen = chosen[~np.isin(sets[chosen], settled)]
    return pairs[chosen], same[chosen], strength[chosen]


def _in_turn(pairs: _Ints, changes: npt.NDArray[np.bool_]) -> _Ints:
    """Choose from a ranking, one that would change the groups and one that would not in turn.

    Those that would are what there is to learn, and much less often right. Of each kind, ones about
    ever other items come first: ten suggestions about one item say little more than one.

    Parameters
    ----------
    pairs
        int64[p, 2], the best first.
    changes
        bool[p].

    Returns
    -------
    _Ints
        Places in the ranking, int64[at most `MOST`].
    """
    turns: list[tuple[int, int]] = []
    for kind in (True, False):
        places = np.flatnonzero(changes == kind)[:_LOOKED_AT]
        seen: dict[int, int] = {}
        again = np.zeros(len(places), dtype=np.int64)
        for at, (a, b) in enumerate(pairs[places].tolist()):
            again[at] = max(seen.get(a, 0), seen.get(b, 0))
            seen[a], seen[b] = seen.get(a, 0) + 1, seen.get(b, 0) + 1
        turns += enumerate(places[np.argsort(again, kind="stable")].tolist())
    turns.sort(key=lambda turn: turn[0])  # stable: the one that would change goes first
    return np.array([place for _, place in turns[:MOST]], dtype=np.int64)


def _settled(closure: Constraints) -> list[tuple[int, int]]:
    """List the sets of items, by their representatives, about which something was said."""
    apart = [(root, other) for root, (_, others) in closure.parts().items() for other in others]
    unsure = [(closure.component(pair.a), closure.component(pair.b)) for pair in closure.unsure]
    return apart + unsure


def _because(learned: Spread, closure: Constraints, pair: Pair, *, must: bool) -> tuple[int, ...]:
    given = learned.behind(pair, must=must)
    return tuple(sorted({seq for one in given for seq, _, _ in closure.why(one)}))
