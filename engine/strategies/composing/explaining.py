"""Explaining: which sets of groups may be behind what was answered, and how sure that is.

Hidden here: the chains of a Gibbs sampler, each a full explanation that forgets little from answer
to answer. Promised: a pure function of the answers in the order given; what the answers leave open
differs from chain to chain, so that doubt can be read off them.

References
----------
Own design. Each item's set is drawn given those of the items it was compared with (Gibbs sampling,
Geman & Geman 1984); chains whose sets break answers give way to others, as particles do.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.compositional.sets import count
from engine.job import Job
from engine.model import IntArray

Masks = npt.NDArray[np.int64]
"""Sets of groups as whole numbers: bit g is set where group g belongs to it."""
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Facts = Sequence[tuple[int, int, bool]]
"""Two places among the items, and whether they share a group."""

CHAINS = 24

_BELIEVED = 4.0  # log odds that an answer is right: one in fifty-five is not
_OPENING = 2.5  # log odds against a group that no other item is in
_SEVERAL = 0.7  # log odds for one group more than one
_HINTED = 0.7  # log odds that two have in common what a method without answers says
_ROOM = 8  # groups that there are at least
_SPARE = 2  # groups that are kept free
_MOST = 800  # sets at most
_STILL = 0.001  # variance of an answer, below which the sets that it is about stay
_RELIABLE, _UNRELIABLE = 0.05, 0.09  # doubt; while it is larger, each explanation is mostly wrong
_PASSES = 5
_WORD = 2**31 - 1
_COOLING = (2.0, 1.4, 1.0, 1.0)  # temperatures of the sweeps after an answer


@dataclass(frozen=True, slots=True, eq=False)
class Explanations:
    """Explanations of the answers so far.

    Attributes
    ----------
    masks
        int64[CHAINS, m], the set of each item in each of them; the first breaks fewest answers.
    relied
        Whether they differ so little that the first one can be relied on.
    """

    masks: Masks
    relied: bool = False

    @property
    def share(self) -> Floats:
        """How likely two items have a group in common, float64[m, m]."""
        meet: Bools = (self.masks[:, :, None] & self.masks[:, None, :]) != 0
        share: Floats = meet.mean(0)
        return share

    def doubt(self, items: int) -> float:
        """Give how far explanations differ about the first items: mean variance, 0 to 0.25."""
        share = self.share[:items, :items]
        return float((share * (1 - share)).mean()) if share.size else 0.0

    def judged(self, items: int, before: Explanations) -> Explanations:
        """Judge by the first items whether they can be relied on; once so, not lightly changed.

        Else groups would be found otherwise after every other answer.
        """
        doubt = self.doubt(items)
        return replace(self, relied=doubt < (_UNRELIABLE if before.relied else _RELIABLE))


NOTHING = Explanations(np.zeros((CHAINS, 0), dtype=np.int64))


def members(mask: int) -> tuple[int, ...]:
    """Give the groups of a set, in rising order."""
    return tuple(at for at in range(mask.bit_length()) if mask >> at & 1)


def packed(found: Explanations) -> IntArray:
    """Write explanations as whole numbers that a project keeps, int32."""
    words = [found.masks & _WORD]
    if (found.masks > _WORD).any():
        words.append(found.masks >> 31)
    head = [len(words), int(found.relied)]
    return np.concatenate([head, *(word.ravel() for word in words)]).astype(np.int32)


def unpacked(written: IntArray) -> Explanations:
    """Read what `packed` wrote."""
    low, *high = written[2:].astype(np.int64).reshape(int(written[0]), CHAINS, -1)
    return Explanations(low | high[0] << 31 if high else low, bool(written[1]))


def explained(
    before: Masks,
    items: int,
    facts: Facts,
    hints: Facts,
    degree: int,
    rng: np.random.Generator,
    job: Job,
) -> Masks:
    """Go on from the explanations of fewer answers, or none: int64[CHAINS, items].

    Parameters
    ----------
    before
        int64[CHAINS, m], m <= items: those of the answers before. Items that are new begin with a
        random group.
    facts, hints
        All that was answered, and what is only likely.
    degree
        Groups that an item belongs to at most.

    Notes
    -----
    There are as many groups as needed, but no more than make some hundred sets (39 of which items
    have up to two, 12 of which they have up to four): beyond, answers may stay unexplained.
    """
    fresh = rng.integers(0, _ROOM, (CHAINS, items - before.shape[1]))
    masks = np.concatenate([before, np.int64(1) << fresh], axis=1)
    near = _neighbours(items, [(facts, _BELIEVED), (hints, _HINTED)])
    moving = _moving(before, items, facts, near)
    for temperature in _COOLING:
        masks, used = _compact(masks)
        table = _table(min(max(_ROOM, used + _SPARE), _room(degree)), degree)
        for item in rng.permutation(moving).tolist():
            job.step()
            _redraw(masks, item, table, near[item], temperature, rng)
    return _compact(_survivors(masks, facts, rng))[0]


def _moving(before: Masks, items: int, facts: Facts, near: Sequence[tuple[Masks, Floats]]) -> Masks:
    """Give the items whose sets are drawn anew: those in doubt, and those about the last answer."""
    moves = np.ones(items, dtype=np.bool_)
    if facts:
        share = Explanations(before).share
        doubt: Floats = (share * (1 - share)).max(1, initial=0.0)
        moves[: len(doubt)] = doubt > _STILL
        for item in facts[-1][:2]:
            moves[item] = True
            moves[near[item][0]] = True
    return np.flatnonzero(moves)


def simplified(sets: Sequence[int], facts: Facts, job: Job) -> list[int]:
    """Leave out groups that no answer asks for: of the sets of an explanation, as masks.

    Two groups become one, and a set loses one of several, where no more answers are broken then.
    """
    masks = np.array(sets, dtype=np.int64)
    if not facts:
        return list(sets)
    one, other, share = (np.array(column) for column in zip(*facts, strict=True))

    def broken(tried: Masks) -> int:
        return int((((tried[one] & tried[other]) != 0) != share).sum())

    least = broken(masks)
    groups = members(int(np.bitwise_or.reduce(masks)))
    for first, second in itertools.combinations(groups, 2):
        job.step()
        held = masks >> second & 1
        tried = masks & ~(held << second) | held << first
        if held.any() and broken(tried) <= least:
            masks, least = tried, broken(tried)
    for item, group in itertools.product(range(len(masks)), groups):
        if masks[item] >> group & 1 and np.bitwise_count(masks[item]) > 1:
            job.step()
            tried = masks.copy()
            tried[item] &= ~(1 << group)
            if broken(tried) <= least:
                masks, least = tried, broken(tried)
    found: list[int] = masks.tolist()
    return found


def adjusted(
    begun: Sequence[frozenset[int]], facts: Facts, degree: int, job: Job
) -> list[frozenset[int]]:
    """Change as few sets as need be for answers to be explained.

    Parameters
    ----------
    begun
        Sets of groups as they are without answers.
    facts
        What was answered about pairs of these.
    """
    sets = list(begun)
    near: dict[int, list[tuple[int, bool]]] = {}
    for one, other, share in facts:
        near.setdefault(one, []).append((other, share))
        near.setdefault(other, []).append((one, share))
    free = itertools.count(1 + max((group for one in begun for group in one), default=-1))

    def broken(item: int, chosen: frozenset[int]) -> int:
        return sum(chosen.isdisjoint(sets[to]) == share for to, share in near[item])

    for _ in range(_PASSES):
        moved = False
        for item, about in near.items():
            job.step()
            now = broken(item, sets[item])
            if not now:
                continue
            groups = begun[item].union(*(sets[to] for to, share in about if share))
            options = [
                frozenset(chosen)
                for size in range(1, degree + 1)
                for chosen in itertools.combinations(sorted(groups), size)
            ]
            options.append(frozenset({next(free)}))
            best = min(options, key=lambda one: (broken(item, one), len(one ^ begun[item])))
            if broken(item, best) < now:
                sets[item], moved = best, True
            elif _opened(item, sets, near, next(free), degree):
                moved = True
        if not moved:
            break
    return sets


def _opened(
    item: int,
    sets: list[frozenset[int]],
    near: Mapping[int, Sequence[tuple[int, bool]]],
    group: int,
    degree: int,
) -> bool:
    """Give an item a group of its own, and this to all that share with it, if more is explained."""
    told = {item: frozenset({group})}
    for to, share in near[item]:
        if share and len(sets[to]) < degree:
            told[to] = sets[to] | {group}

    def broken(tried: Mapping[int, frozenset[int]]) -> int:
        pairs = {(min(one, to), max(one, to)): share for one in told for to, share in near[one]}
        return sum(
            tried.get(one, sets[one]).isdisjoint(tried.get(to, sets[to])) == share
            for (one, to), share in pairs.items()
        )

    if broken(told) >= broken({}):
        return False
    for one, chosen in told.items():
        sets[one] = chosen
    return True


@cache
def _room(degree: int) -> int:
    """Give how many groups there may be."""
    return next(groups for groups in range(62, 0, -1) if count(groups, degree) <= _MOST)


class _Table(NamedTuple):
    """All sets, rising: int64[count]; the log prior of each; and which meet, float32[count, count].

    Sets of several groups are likelier than single ones by a constant for all of a size.
    """

    sets: Masks
    prior: Floats
    meet: npt.NDArray[np.float32]


@cache
def _table(groups: int, degree: int) -> _Table:
    drawn = [
        sum(1 << group for group in chosen)
        for size in range(1, degree + 1)
        for chosen in itertools.combinations(range(groups), size)
    ]
    sets = np.sort(np.array(drawn, dtype=np.int64))
    sizes = np.bitwise_count(sets)
    prior = _SEVERAL * (sizes > 1) - np.log(np.bincount(sizes)[sizes])
    return _Table(sets, prior.astype(np.float64), (sets[:, None] & sets != 0).astype(np.float32))


def _neighbours(items: int, facts: Sequence[tuple[Facts, float]]) -> list[tuple[Masks, Floats]]:
    """Give, for each item, those it was compared with and what sharing with each counts."""
    near: list[tuple[list[int], list[float]]] = [([], []) for _ in range(items)]
    for said, weight in facts:
        for one, other, share in said:
            for item, to in ((one, other), (other, one)):
                near[item][0].append(to)
                near[item][1].append(weight if share else -weight)
    return [(np.array(to, dtype=np.int64), np.array(counts)) for to, counts in near]


def _redraw(
    masks: Masks,
    item: int,
    table: _Table,
    near: tuple[Masks, Floats],
    temperature: float,
    rng: np.random.Generator,
) -> None:
    """Draw the set of one item anew, in all chains."""
    to, counts = near
    masks[:, item] = 0
    used = np.bitwise_or.reduce(masks, axis=1)
    opened = np.bitwise_count(table.sets & ~used[:, None])
    odds = table.prior - _OPENING * opened
    if len(to):
        places = np.searchsorted(table.sets, masks[:, to])
        odds += np.einsum("cts,t->cs", table.meet[places], counts.astype(np.float32))
    odds /= temperature
    chances = np.exp(odds - odds.max(1, keepdims=True)).cumsum(1)
    drawn = rng.random(len(masks)) * chances[:, -1]
    masks[:, item] = table.sets[(chances > drawn[:, None]).argmax(1)]


def _survivors(masks: Masks, facts: Facts, rng: np.random.Generator) -> Masks:
    """Let chains that break fewer answers take the place of others; the best comes first."""
    if not facts:
        return masks
    one, other, share = (np.array(column) for column in zip(*facts, strict=True))
    broken = (((masks[:, one] & masks[:, other]) != 0) != share).sum(1)
    weights = np.exp(-_BELIEVED * (broken - broken.min()))
    kept = rng.choice(len(masks), len(masks), p=weights / weights.sum())
    # of equals those of few groups, and of few for each item
    groups = np.bitwise_count(np.bitwise_or.reduce(masks, axis=1))
    plain = np.lexsort((np.bitwise_count(masks).sum(1), groups, broken))
    rank = np.empty(len(masks), dtype=np.int64)
    rank[plain] = np.arange(len(masks))
    return masks[kept[np.argsort(rank[kept], kind="stable")]]


def _compact(masks: Masks) -> tuple[Masks, int]:
    """Renumber the groups of each chain from 0 on; and how many the one with most has."""
    packed, most = np.empty_like(masks), 0
    for chain, held in enumerate(np.bitwise_or.reduce(masks, axis=1).tolist()):
        groups = np.array(members(held), dtype=np.int64)
        bits = masks[chain][:, None] >> groups & 1
        packed[chain] = (bits << np.arange(len(groups))).sum(1)
        most = max(most, len(groups))
    return packed, most
