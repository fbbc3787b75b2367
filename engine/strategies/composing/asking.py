"""Asking: the pair whose answer tells most about who belongs to which group.

Hidden here: who stands for a group, and how doubt is measured. Promised: no pair is asked twice,
nor what the answers on other pairs with the same groups settle; the first of equally good pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.job import Job
from engine.model import Pair, Reason
from engine.strategies.composing.assigning import Assigned, Bools, Floats, Ints

_AMONG = (
    "These two stand for two groups that nobody has compared yet: do the groups have anything in"
    " common?"
)
_TORN = (
    "It is uncertain whether one of these belongs to the group that the other stands for; {alike}"
    " items are in the same doubt."
)


class Pick(NamedTuple):
    """A pair to ask about, why, how many items hang on it, and whom it may be alike in.

    `common`: items that stand for groups which the two may share, if these are several.
    """

    pair: Pair
    reason: Reason
    worth: int
    common: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What was said: sharing or not by pair, and the pairs nobody could judge."""

    facts: Mapping[Pair, bool]
    unsure: frozenset[Pair]

    def __contains__(self, pair: Pair) -> bool:
        return pair in self.facts or pair in self.unsure


def pick(found: Assigned, told: Told, aside: Iterable[int], job: Job) -> Pick | None:
    """Choose the next pair; None when nothing is left that would tell anything.

    First those that stand for groups are compared among each other: whether two groups share
    something, or one of them stands for nothing alone, concerns all their items.
    """
    is_open = np.ones(len(found.chosen), dtype=np.bool_)
    is_open[list(aside)] = False
    energies = found.energies()
    ranked = _ranked(found, energies, told, is_open)
    shown = {group: int(held[0]) for group, held in ranked.items()}
    members = found.costs.incidence[found.chosen]
    for one, other in itertools.combinations(sorted(set(shown.values())), 2):
        if Pair(one, other) not in told:
            touched = members[:, found.costs.incidence[found.chosen[[one, other]]].any(0)].any(1)
            pair = Pair(one, other)
            common = _standing(found, ranked, pair, pair)
            return Pick(pair, Reason.of(_AMONG), int(touched.sum()), common)
    best: tuple[float, int, int, int] | None = None
    for example in shown.values():
        job.step()
        doubt, alike = _doubt(found, energies, example)
        doubt[~is_open] = -1
        doubt[[example, *_settled(found, told, example)]] = -1
        item = int(doubt.argmax())
        if doubt[item] >= 0 and (best is None or doubt[item] > best[0]):
            best = float(doubt[item]), item, example, int(alike[item])
    if best is None:
        return None
    _, item, example, worth = best
    pair = Pair.of(item, example)
    common = _standing(found, ranked, pair, (example,))
    return Pick(pair, Reason.of(_TORN, alike=worth), worth, common)


def _standing(
    found: Assigned, ranked: Mapping[int, Ints], pair: Pair, shared_by: Iterable[int]
) -> tuple[int, ...]:
    """Give items of one group only that stand for the groups of some of a pair.

    None when there are not two: it need not be asked then which group is common.
    """
    incidence, chosen = found.costs.incidence, found.chosen
    groups = np.flatnonzero(incidence[chosen[list(shared_by)]].any(0)).tolist()
    pure = incidence[chosen].sum(1) == 1
    out = []
    for group in groups:
        held = ranked.get(group, np.zeros(0, dtype=np.int64))
        out += [item for item in held[pure[held]][:3].tolist() if item not in pair][:1]
    return tuple(out) if len(out) > 1 else ()


def _ranked(found: Assigned, energies: Floats, told: Told, is_open: Bools) -> dict[int, Ints]:
    """Give who stands for each group, the best first: of few groups, spoken about most, surest."""
    chosen, incidence = found.chosen, found.costs.incidence
    at = np.arange(len(chosen))
    size = incidence.sum(1)[chosen]
    said = np.zeros(len(chosen), dtype=np.int64)
    for pair in told.facts:
        said[list(pair)] += 1
    own = energies[at, chosen]
    rest = energies.copy()
    rest[at, chosen] = np.inf
    sure = _margin(own, rest.min(1))
    shown = {}
    for group in range(incidence.shape[1]):
        held = np.flatnonzero(incidence[chosen, group] & is_open)
        if len(held):
            shown[group] = held[np.lexsort((-sure[held], -said[held], size[held]))]
    return shown


def _doubt(found: Assigned, energies: Floats, example: int) -> tuple[Floats, Ints]:
    """Tell how doubtful it is whether items share a group with one, and how many doubt alike.

    Returns
    -------
    tuple
        float64[n] in [0, 1], and int64[n].
    """
    hits = found.costs.hits[found.chosen[example]]
    within, without = np.flatnonzero(hits), np.flatnonzero(~hits)
    if not len(without):
        return np.zeros(len(energies)), np.ones(len(energies), dtype=np.int64)
    share, none = energies[:, within], energies[:, without]
    first, second = share.argmin(1), none.argmin(1)
    at = np.arange(len(energies))
    near, far = share[at, first], none[at, second]
    doubt = 1 - _margin(np.minimum(near, far), np.maximum(near, far))
    cells = within[first] * len(hits) + without[second]
    _, cell, count = np.unique(cells, return_inverse=True, return_counts=True)
    return doubt, count[cell.reshape(-1)]


def _margin(near: Floats, far: Floats) -> Floats:
    """Give (e - d) / (e + d) of squared distances d <= e; 0 where both are 0."""
    d, e = np.sqrt(np.maximum(near, 0)), np.sqrt(np.maximum(far, 0))
    with np.errstate(invalid="ignore"):
        share: Floats = np.where(np.isinf(e), 1.0, (e - d) / np.maximum(e + d, 1e-300))
    return share


def _settled(found: Assigned, told: Told, example: int) -> list[int]:
    """Give items of which is known whether they share a group with one, or nobody could tell."""
    incidence, chosen = found.costs.incidence, found.chosen
    groups = incidence[chosen[example]]
    out = []
    for pair, share in told.facts.items():
        for one, other in (pair, (pair.b, pair.a)):
            held = incidence[chosen[other]]
            known = not (held & ~groups).any() if share else not (groups & ~held).any()
            if known or other == example:
                out.append(one)
    out += [pair.a if pair.b == example else pair.b for pair in told.unsure if example in pair]
    return out
