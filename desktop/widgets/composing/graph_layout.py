"""Where groups and compositions lie on the graph: groups in a column, what they make beside it.

Hides the search for an order with few crossings. Promises the same places for the same sets, that
nothing overlaps, and that every line runs between neighbouring columns, behind no other card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Slots = tuple[int, ...]
Order = list[Slots]

ONE_SIDE = 12
"""Compositions up to which all lie right of the groups; more lie on both sides."""
_SWEEPS = 8
_MOST_LINES = 1500  # of which crossings are counted


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of cards and of what lies between them, in pixels."""

    group: tuple[float, float]
    composition: tuple[float, float]
    gap: float
    between: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The places.

    Attributes
    ----------
    columns
        From the left: the sets in each column, from the top. A group is a set of one.
    places
        Left, top, width and height of each.
    groups_at
        Which of the columns is that of the groups.
    """

    columns: tuple[tuple[Slots, ...], ...]
    places: dict[Slots, tuple[float, float, float, float]]
    groups_at: int

    def middle(self, slots: Slots) -> float:
        """Give the height of a card's middle."""
        _, top, _, high = self.places[slots]
        return top + high / 2


def lay_out(groups: Sequence[int], compositions: Sequence[Slots], sizes: Sizes) -> Layout:
    """Find places for groups, by slot, and for sets of them."""
    alone, made = _ordered([(slot,) for slot in sorted(groups)], sorted(compositions))
    if len(made) > ONE_SIDE:
        columns, groups_at = [made[1::2], alone, made[0::2]], 1
    else:
        columns, groups_at = [alone, made] if made else [alone], 0
    tall = max(
        _height(column, sizes.group if at == groups_at else sizes.composition, sizes.gap)
        for at, column in enumerate(columns)
    )
    places = {}
    left = 0.0
    for at, column in enumerate(columns):
        wide, high = sizes.group if at == groups_at else sizes.composition
        free = tall - len(column) * high
        # groups lie spread along what they make, compositions one below the other
        gap = free / max(1, len(column)) if at == groups_at else sizes.gap
        top = gap / 2 if at == groups_at else (tall - _height(column, (wide, high), gap)) / 2
        for slots in column:
            places[slots] = (left, top, wide, high)
            top += high + gap
        left += wide + sizes.between
    return Layout(tuple(tuple(column) for column in columns), places, groups_at)


def _height(column: Sequence[Slots], size: tuple[float, float], gap: float) -> float:
    return len(column) * size[1] + max(0, len(column) - 1) * gap


def _ordered(alone: Order, made: Order) -> tuple[Order, Order]:
    """Order both sides by the middle of what each is joined to, in turns; keep the best order.

    This is the barycentre method for drawings in two layers (Sugiyama et al. 1981).
    """
    made = _by_middle(made, alone)
    best = alone, made
    least = crossings(*best)
    for _ in range(_SWEEPS):
        if least == 0:
            break
        alone = _by_middle(alone, made)
        made = _by_middle(made, alone)
        crossed = crossings(alone, made)
        if crossed < least:
            best, least = (alone, made), crossed
    return best


def _by_middle(moved: Order, fixed: Order) -> Order:
    """Order sets by the mean place of those on the other side that have a group in common."""
    places: dict[int, list[int]] = {}
    for at, slots in enumerate(fixed):
        for slot in slots:
            places.setdefault(slot, []).append(at)
    still = {slots: at for at, slots in enumerate(moved)}

    def middle(slots: Slots) -> tuple[float, int]:
        joined = [at for slot in slots for at in places.get(slot, ())]
        # without lines it stays about where it was
        mean = sum(joined) / len(joined) if joined else still[slots] * len(fixed) / len(moved)
        return mean, still[slots]

    return sorted(moved, key=middle)


def crossings(alone: Order, made: Order) -> int:
    """Count the pairs of lines that cross between two columns; 0 where there are too many lines."""
    at = {slots[0]: place for place, slots in enumerate(alone)}
    lines = [(at[slot], below) for below, slots in enumerate(made) for slot in slots if slot in at]
    if len(lines) > _MOST_LINES or not lines:
        return 0
    left, right = np.array(lines).T
    return int(((left[:, None] < left) & (right[:, None] > right)).sum())
