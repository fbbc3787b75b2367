"""CS-PDS: answers spread. Pairs that nobody was asked about are learned from those answered.

Hidden here: the rounds of projecting (E-step) and reinforcing (M-step). Promised: what is learned
is a suggestion with a confidence below 1; answers keep their full weight and are never touched, and
nothing learned goes into the log. Memory stays within what is allowed, and grows with the pairs
linked, not with n².

Left open by the source, decisions of ours: answers are closed first; learned
links of strength 0.5 and more spread on; all eigenvectors with a positive eigenvalue are kept;
rounds also end when nothing changes, and here: when what was learned no longer fits the memory.

References
----------
CS-PDS, constraint self-learning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.errors import ConstraintError, ParameterError
from engine.job import Job
from engine.model import FloatArray, Pair
from engine.problem import Problem
from engine.spreading.links import (
    HALF,
    PAIR_BYTES,
    Links,
    consistent,
    given,
    keys_of,
    of_labels,
    shared,
)
from engine.spreading.projection import held_back, principal, project
from engine.spreading.reinforcement import (
    Reach,
    at_least,
    cannot_keys,
    must_keys,
    reach,
    regularised,
)

__all__ = [
    "HALF",
    "Links",
    "Round",
    "Spread",
    "SpreadParams",
    "consistent",
    "given",
    "learn",
    "of_labels",
    "some_given",
    "spread",
    "summary",
]

VERSION = 1
NEIGHBOURS = {"half": HALF, "given": 1.0, "any": 0.0}


@dataclass(frozen=True, slots=True)
class SpreadParams:
    """How answers spread."""

    near: int = field(
        default=3,
        metadata={
            "least": 1,
            "help": "To how many of the nearest items the answers about one item spread, at most.",
            "more": True,
        },
    )
    gain: float = field(
        default=0.2,
        metadata={
            "above": 0.0,
            "help": "How much a link gains in a round, below 1; a learned link stays below "
            "1 less this.",
        },
    )
    tikhonov: float = field(
        default=0.0,
        metadata={
            "least": 0.0,
            "help": "How much the learned distances are held back where no answer joins items, in "
            "squared units of the features; 0 = by the spread of the items.",
            "more": True,
        },
    )
    share: float = field(
        default=0.2,
        metadata={
            "above": 0.0,
            "help": "The share of all pairs at which spreading ends.",
            "more": True,
        },
    )
    rounds: int = field(
        default=50, metadata={"least": 0, "help": "Rounds of spreading, at most.", "more": True}
    )
    components: int = field(
        default=0,
        metadata={
            "least": 0,
            "help": "Dimensions of the learned space; 0 = as many as the answers support.",
            "more": True,
        },
    )
    links: str = field(
        default="half",
        metadata={
            "choices": tuple(NEIGHBOURS),
            "help": "Which links spread on: those given, also those learned with at least half "
            "the strength, or any.",
            "more": True,
        },
    )
    memory: int = field(
        default=1000,
        metadata={
            "least": 1,
            "help": "Memory for what is learned, in MB; when it is used up, spreading ends.",
            "more": True,
        },
    )


class Round(NamedTuple):
    """What a round led to: pairs with a must-link, with a cannot-link, their share of all."""

    number: int
    must: int
    cannot: int
    share: float
    dimensions: int


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """What was learned from answers.

    Attributes
    ----------
    must, cannot
        All links, those given (strength 1) and those learned (below 1: how sure they are).
    space
        float32[n, c], the learned space.
    trace
        The state before the first round (number 0), and after each.
    stopped
        Why it ended: "share", "rounds", "unchanged" or "memory".
    spanned
        Share of the squared spread of the points that was reckoned with; below 1 only for points
        of more than 256 dimensions.
    tikhonov
        How much the learned distances were held back.
    reaches
        Of each round, to which items the links of each spread.
    """

    must: Links
    cannot: Links
    space: FloatArray
    trace: tuple[Round, ...]
    stopped: str
    spanned: float
    tikhonov: float
    reaches: tuple[Reach, ...]

    def learned_must(self, least: float = HALF) -> Links:
        """Give the must-links that nobody gave, of at least so much confidence."""
        return _learned(self.must, least)

    def learned_cannot(self, least: float = HALF) -> Links:
        """Give the cannot-links that nobody gave, of at least so much confidence."""
        return _learned(self.cannot, least)

    def behind(self, pair: Pair, *, must: bool) -> tuple[Pair, ...]:
        """Tell which given pairs a learned link comes from.

        Parameters
        ----------
        must
            Whether the must-link of the pair is meant, or its cannot-link.

        Returns
        -------
        tuple
            Pairs that the answers settle (`Constraints.why` tells by which), the first that the
            link leads back to; the pair itself when it was given; empty when it has no link.

        Notes
        -----
        A must-link of u and j that was first written in round r comes from one of u's links that
        spread then; a cannot-link of i and j from the link of i and v, where j is near v.
        """
        links = self.must if must else self.cannot
        found: list[Pair] = []
        seen: set[Pair] = set()
        waiting = [pair]
        while waiting:
            one = waiting.pop()
            place = int(links.places(keys_of(links.n, *(np.array([i]) for i in one)))[0])
            if place < 0 or one in seen:
                continue
            seen.add(one)
            if links.since[place] == 0:
                found.append(one)
                continue
            source = self._source(one, int(links.since[place]), must=must)
            waiting += [] if source is None else [source]
        return tuple(found)

    def _source(self, pair: Pair, number: int, *, must: bool) -> Pair | None:
        """Give a link that was strong before a round and spread to a pair in it."""
        links = self.must if must else self.cannot
        reached = self.reaches[number - 1]
        came = reached.must if must else reached.cannot
        best: tuple[int, Pair] | None = None
        for end, far in (pair, pair[::-1]):
            # must: `end` spread its links to `far`; cannot: `far` lies near some v of `end`
            if must:
                if not np.any((came[:, 0] == end) & (came[:, 1] == far)):
                    continue
                others = self._linked(links, end)
                ones = np.full(len(others), end)
            else:
                others = came[came[:, 1] == far, 0].astype(np.int64)
                ones = np.full(len(others), end)
            chosen = others != end
            ones, others = ones[chosen], others[chosen]
            place = links.places(keys_of(links.n, ones, others))
            ones, others, place = (part[place >= 0] for part in (ones, others, place))
            when = links.strong[place]
            if len(when) and int(when.min()) < number:
                at = int(when.argmin())
                candidate = int(when[at]), Pair.of(int(ones[at]), int(others[at]))
                best = candidate if best is None else min(best, candidate)
        return None if best is None else best[1]

    @staticmethod
    def _linked(links: Links, item: int) -> npt.NDArray[np.int64]:
        """Give all items that have a link with one."""
        one, other = np.divmod(links.keys, links.n)
        return np.concatenate([other[one == item], one[other == item]])


def spread(problem: Problem, constraints: Constraints, params: SpreadParams, job: Job) -> Spread:
    """Learn links from the answers; kept among the problem's steps.

    Answers that contradict earlier ones are left out; `consistent` refuses them.

    Raises
    ------
    ConstraintError
        When there are no answers, or they are about items that do not exist.
    ResourceError
        When the pairs that the answers settle take more memory than allowed.
    """
    must, cannot = given(problem.n, constraints, params.memory * 10**6)
    digest = hashlib.blake2b(must.keys.tobytes() + b"|" + cannot.keys.tobytes(), digest_size=16)
    key = ("cs-pds", VERSION, problem.fingerprint, params, digest.hexdigest())
    return problem.steps.get(key, lambda: learn(problem.points, must, cannot, params, job))


def learn(
    points: npt.NDArray[np.floating], must: Links, cannot: Links, params: SpreadParams, job: Job
) -> Spread:
    """Learn links from given ones, whose strengths may be below 1.

    Parameters
    ----------
    points
        float[n, d], columns of comparable spread.
    must, cannot
        Closed already, if they are to be.

    Raises
    ------
    ConstraintError
        When there are none, or a pair is given as both with full strength.
    """
    _check(must, cannot, params.gain)
    rows, spanned = principal(points)
    tikhonov = params.tikhonov or held_back(rows)
    must, cannot = regularised(must, cannot)
    n, least = must.n, NEIGHBOURS[params.links]
    most = params.memory * 10**6 // PAIR_BYTES

    def projected() -> npt.NDArray[np.float64]:
        return project(rows, must, cannot, job, tikhonov=tikhonov, components=params.components)

    space = projected()
    trace, reaches = [_round(0, must, cannot, space)], []
    stopped = "rounds"
    for number in range(1, params.rounds + 1):
        if trace[-1].share >= params.share:
            stopped = "share"
            break
        job.step(number, params.rounds, "Spreading the answers")
        weights = cannot.graph(min(least, 1 - params.gain))
        found = reach(space, must.graph(least), at_least(weights, least), params.near, job)
        grown = cannot_keys(cannot, weights, found, params.gain, least, most - len(must), job)
        del weights
        if grown is None or len(must) + len(cannot) + len(found.must) > most:
            stopped = "memory"
            break
        job.step()  # with millions of links each of these takes a while
        one = must.raised(must_keys(n, found), params.gain, number)
        job.step()
        other = cannot.raised(grown, params.gain, number)
        job.step()
        one, other = regularised(one, other)
        job.step()
        if one.same_as(must) and other.same_as(cannot):
            stopped = "unchanged"
            break
        must, cannot = one.marked(number), other.marked(number)
        reaches.append(found)
        space = projected()
        trace.append(_round(number, must, cannot, space))
    return Spread(
        must,
        cannot,
        space.astype(np.float32),
        tuple(trace),
        stopped,
        spanned,
        tikhonov,
        tuple(reaches),
    )


def summary(trace: Sequence[Round]) -> list[dict[str, object]]:
    """Give a trace as plain values."""
    return [dict(one._asdict()) for one in trace]


def some_given(must: Links, cannot: Links) -> None:
    """Refuse to go on without any answer.

    Raises
    ------
    ConstraintError
        When there are no links.
    """
    if not len(must) and not len(cannot):
        raise ConstraintError(
            "there are no answers to find groups on",
            "Judge some pairs first, or give constraints.",
        )


def _check(must: Links, cannot: Links, gain: float) -> None:
    if gain >= 1:
        raise ParameterError(f"gain must be below 1, not {gain:g}")
    some_given(must, cannot)
    hard = must.where(must.strength == 1), cannot.where(cannot.strength == 1)
    both = np.intersect1d(hard[0].keys, hard[1].keys)
    if len(both):
        one, other = divmod(int(both[0]), must.n)
        raise ConstraintError(
            f"items {one + 1} and {other + 1} are given both as the same and as different",
            "Correct one of the two.",
        )


def _learned(links: Links, least: float) -> Links:
    return links.where((links.since > 0) & (links.strength >= least))


def _round(number: int, must: Links, cannot: Links, space: npt.NDArray[np.float64]) -> Round:
    """Sum up a state; a pair with both links counts once."""
    pairs = len(must) + len(cannot) - len(shared(must, cannot)[0])
    return Round(number, len(must), len(cannot), 2 * pairs / must.n**2, space.shape[1])
