"""Contradictions as loops of answers, and which answer of a loop is the likeliest slip.

Hides the walk through the history. Promises that a loop names its answers as they are in force, in
the order in which they follow from item to item, and that the suspicion is a suggestion by the one
rule written here, with its reasons.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from desktop.widgets import trail
from desktop.widgets.trail import Said
from engine.model import Answer, Confidence, Conflict, Snapshot, Verdict

HASTY = 0.5
"""Share of a person's usual time below which an answer counts as given in haste."""

_SURENESS = {Confidence.GUESS: 0, Confidence.QUITE: 1, Confidence.CERTAIN: 2}


class Why(enum.Enum):
    """What makes an answer suspect."""

    SHARED = "it is part of more contradictions than the others"
    UNSURE = "it was given with the least confidence"
    HASTY = "it was given in much less than the usual time"
    NEWEST = "nothing sets it apart but that it was said last"


@dataclass(frozen=True, slots=True)
class Link:
    """One answer of a loop.

    Attributes
    ----------
    seq
        Number of the step that first gave the answer; a change of it is asked for by this number.
    ends
        The two items, in the order of the walk.
    answer
        What is in force: where the answer was changed, what it was changed to.
    at
        When that was said, in seconds since the epoch, UTC.
    changed
        `seq` of the change; None where there was none.
    """

    seq: int
    ends: tuple[int, int]
    answer: Answer
    at: float
    changed: int | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict in force."""
        return self.answer.verdict

    @property
    def opposite(self) -> Verdict:
        """The verdict with which the loop is no contradiction any more."""
        return Verdict.DIFFERENT if self.verdict is Verdict.SAME else Verdict.SAME


@dataclass(frozen=True, slots=True)
class Loop:
    """Answers that cannot all be right: exactly one of them says *different*.

    To turn any single one into its opposite, or to leave it open, settles the loop.

    Attributes
    ----------
    links
        The chain from the first item of the contradicting answer to its second one, and last the
        contradicting answer itself, which leads back.
    suspect
        Place of the likeliest slip among the links.
    reasons
        What singled it out, the weightiest first.
    usual_ms
        The person's usual time for an answer, in milliseconds; None = too little is known.
    """

    links: tuple[Link, ...]
    suspect: int
    reasons: tuple[Why, ...]
    usual_ms: float | None

    @property
    def seq(self) -> int:
        """Number of the contradicting answer: what makes it the same contradiction later."""
        return self.links[-1].seq

    @property
    def items(self) -> tuple[int, ...]:
        """The items in the order of the walk, each once."""
        return tuple(dict.fromkeys(item for link in self.links for item in link.ends))


def find_loops(snapshot: Snapshot) -> tuple[Loop, ...]:
    """Give the contradictions of a state as loops, the newest first."""
    given = trail.answers_in_force(snapshot)
    usual = _usual_time(given)
    chains = [tuple(_walk(conflict, given)) for conflict in snapshot.conflicts]
    shared = Counter(link.seq for chain in chains for link in chain)
    loops = []
    for chain in sorted(chains, key=lambda links: -links[-1].seq):
        suspect, reasons = _suspect(chain, shared, usual)
        loops.append(Loop(chain, suspect, reasons, usual))
    return tuple(loops)


def _usual_time(given: Mapping[int, Said]) -> float | None:
    times = [one.answer.response_ms for one in given.values()]
    known = [time for time in times if time is not None]
    return median(known) if known else None


def _walk(conflict: Conflict, given: Mapping[int, Said]) -> Iterator[Link]:
    """Follow the chain from the one item to the other, and the contradicting answer back."""
    here = conflict.pair.a
    for seq, pair in (
        *((seq, pair) for seq, pair, _ in conflict.chain),
        (conflict.seq, conflict.pair),
    ):
        there = pair.a if here == pair.b else pair.b
        said = given[seq]
        yield Link(seq, (here, there), said.answer, said.at, said.changed)
        here = there


def _suspect(
    links: Sequence[Link], shared: Mapping[int, int], usual_ms: float | None
) -> tuple[int, tuple[Why, ...]]:
    """Choose the likeliest slip, and say by which reasons.

    The rule, each line deciding only among those that the line before leaves equal:

    1. the answer that is part of most contradictions: to change it settles most of them;
    2. the least sure one;
    3. the hastiest one, if given in less than half of the person's usual time;
    4. the newest one, a changed answer being as new as its change.

    Answers weighted by how far they can be trusted make a graph, in which the answers of least
    weight that settle everything are a minimum cut. Of one loop any single answer is a cut, so the
    minimum is its weakest link: what lines 2 to 4 find. Of several loops line 1 takes the greedy
    step towards the cut, one settled contradiction at a time.
    """

    def haste(link: Link) -> float:
        time = link.answer.response_ms
        return HASTY if time is None or not usual_ms else min(HASTY, time / usual_ms)

    left, reasons = list(links), []
    for why, weight in (
        (Why.SHARED, lambda link: float(-shared[link.seq])),
        (Why.UNSURE, lambda link: float(_SURENESS[link.answer.confidence])),
        (Why.HASTY, haste),
        (Why.NEWEST, lambda link: float(-(link.changed or link.seq))),
    ):
        least = min(weight(link) for link in left)
        weakest = [link for link in left if weight(link) == least]
        if len(weakest) < len(left):
            left = weakest
            reasons.append(why)
    if len(reasons) > 1 and reasons[-1] is Why.NEWEST:
        reasons.pop()  # it only tells apart what else is equal
    return links.index(left[0]), tuple(reasons)
