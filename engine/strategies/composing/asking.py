"""Asking: the pair whose answer tells most about who belongs to which group.

Hidden here: how doubt is measured, and who may stand for a group. Promised: no pair is asked twice,
nor one about an item that is set aside; the first of equally good pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.model import FloatArray, Pair, Reason
from engine.strategies.composing.explaining import Explanations, members

_OPEN = (
    "What was said so far leaves open whether these two have a group in common. They stand for"
    " {alike} items."
)
_TORN = (
    "It is uncertain to which groups one of these belongs. The other one is in a group that it is"
    " likely to be in."
)

_AGREED = 0.1  # variance of an answer, below which explanations agree: two in 24 may not
_LIKELY = 0.1  # chance that a group is shared, below which it is not offered
_OFFERED = 6  # groups at most


class Pick(NamedTuple):
    """A pair to ask about, why, how many items hang on it, and what it may have in common.

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

    @property
    def items(self) -> frozenset[int]:
        """The items of which something was said."""
        return frozenset(item for pair in self.facts for item in pair)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The items that explanations are about: int per place, and how many each stands for."""

    items: Sequence[int]
    sizes: npt.NDArray[np.int64]


def pick(compared: Compared, found: Explanations, told: Told, aside: Iterable[int]) -> Pick | None:
    """Choose the pair on which explanations differ most, weighed by how many items it stands for.

    None when they agree on all pairs not asked about.
    """
    share, items = found.share, compared.items
    doubt = share * (1 - share) * np.sqrt(np.outer(compared.sizes, compared.sizes))
    doubt[np.tril_indices(len(items))] = 0
    place = {item: at for at, item in enumerate(items)}
    for one, other in (*told.facts, *told.unsure):
        if one in place and other in place:
            doubt[place[one], place[other]] = doubt[place[other], place[one]] = 0
    out = [place[item] for item in aside if item in place]
    doubt[out] = doubt[:, out] = 0
    at, to = divmod(int(doubt.argmax()), len(items)) if len(items) else (0, 0)
    if not len(items) or share[at, to] * (1 - share[at, to]) < _AGREED or not doubt[at, to]:
        return None
    worth = int(compared.sizes[at] + compared.sizes[to])
    common = _standing(compared, found, told, (at, to, *out))
    reason = Reason.of(_OPEN, alike=worth)
    return Pick(Pair.of(items[at], items[to]), reason, worth, common)


def doubtful(
    compared: Compared,
    told: Told,
    aside: Iterable[int],
    sets: Sequence[tuple[int, ...]],
    confidence: FloatArray,
) -> Pick | None:
    """Choose the item in most doubt of those that nothing was said of; None = there is none.

    It is compared with one that is said to be in its groups, of few groups rather.

    Parameters
    ----------
    sets, confidence
        The groups of all items, and how clear they are.
    """
    clear = confidence.astype(np.float64)
    spoken = told.items
    clear[[*spoken, *aside]] = np.inf
    out = set(aside)
    place = {item: at for at, item in enumerate(compared.items)}
    known = [item for item in compared.items if item in spoken and item not in out]
    known = known or [item for item in compared.items if item not in out][:1]
    known.sort(key=lambda item: (len(sets[item]), place[item]))
    for item in np.argsort(clear, kind="stable").tolist():
        if not np.isfinite(clear[item]):
            return None
        for other in known:
            if other == item:
                continue
            pair = Pair.of(item, other)
            if pair not in told and not set(sets[item]).isdisjoint(sets[other]):
                return Pick(pair, Reason.of(_TORN), 1, ())
    return None


def _standing(
    compared: Compared, found: Explanations, told: Told, out: Sequence[int]
) -> tuple[int, ...]:
    """Give items of one group only that stand for groups which both of a pair may be in.

    None when there are not two: it need not be asked then which group is common. `out` begins with
    the pair; it and what else is in it stands for nothing.
    """
    share, spoken = found.share, told.items
    best = found.masks[0].tolist()
    offered: dict[int, tuple[float, int]] = {}
    for at, item in enumerate(compared.items):
        groups = members(best[at])
        if at in out or item not in spoken or len(groups) > 1:
            continue
        likely = float(share[at, out[0]] * share[at, out[1]])
        if likely >= _LIKELY and likely > offered.get(groups[0], (0.0, 0))[0]:
            offered[groups[0]] = likely, item
    chosen = sorted(offered.values(), key=lambda one: (-one[0], one[1]))[:_OFFERED]
    return tuple(item for _, item in chosen) if len(chosen) > 1 else ()
