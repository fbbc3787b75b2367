"""To which groups an item belongs, one or several: what every view of groups asks.

Hides whether items may belong to several groups at once. Promises that what is said of a group
that shares its items with others is said of all its items, and that nothing is said of pairs but
what the sets found say.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.model import Group, IntArray, Overview


class Together(NamedTuple):
    """The other groups that items of a group belong to as well, by slot, and how many do so."""

    others: tuple[int, ...]
    items: int


def slots_of(overview: Overview, item: int) -> tuple[int, ...]:
    """Give the slots of an item's groups, rising; none when it is undecided or set aside."""
    if overview.memberships is not None:
        return overview.memberships.of(item)
    slot = int(overview.slots[item])
    return (slot,) if slot >= 0 else ()


def slots_of_all(overview: Overview, items: frozenset[int]) -> frozenset[int]:
    """Give the slots of the groups that any of some items belong to."""
    if overview.memberships is None:
        return frozenset(overview.slots[list(items)].tolist())
    chosen = np.unique(overview.memberships.chosen[list(items)])
    sets = overview.memberships.sets
    return frozenset(slot for at in chosen.tolist() if at >= 0 for slot in sets[at])


def heart(group: Group) -> IntArray:
    """Give the items that belong to a group alone; all of them where none does."""
    pure = group.members[: group.size - group.mixed]
    return pure if len(pure) else group.members


def together_with(overview: Overview, slot: int) -> tuple[Together, ...]:
    """Give with which other groups a group shares items, and how many, the most first."""
    if overview.memberships is None:
        return ()
    found = (
        Together(tuple(other for other in one.groups if other != slot), one.items)
        for one in overview.memberships.compositions
        if slot in one.groups
    )
    return tuple(sorted(found, key=lambda one: (-one.items, len(one.others), one.others)))


def in_common_with(overview: Overview, item: int) -> IntArray:
    """Give the other items that have a group in common with one, those with just its set first."""
    memberships = overview.memberships
    own = slots_of(overview, item)
    if memberships is None or not own:
        return np.zeros(0, dtype=np.int32)
    common = [len(set(own).intersection(one)) for one in memberships.sets]
    unlike = [
        len(one) + len(own) - 2 * both for one, both in zip(memberships.sets, common, strict=True)
    ]
    shares = np.array([*(both > 0 for both in common), False])[memberships.chosen]
    shares[item] = False
    others = np.flatnonzero(shares)
    distance = np.array(unlike)[memberships.chosen[others]]
    order = np.lexsort((others, -overview.confidence[others], distance))
    return others[order].astype(np.int32)


def named_by(overview: Overview, slot: int) -> int | None:
    """Give the item on which a name is given to a group; None = none stands for it.

    A name given on an item of several groups is that of the one with fewest items of its own.
    """
    group = next((one for one in overview.groups if one.slot == slot), None)
    if group is None or overview.memberships is None or group.mixed < group.size:
        return None if group is None else int(group.members[0])
    own = {one.slot: one.size - one.mixed for one in overview.groups}
    for item in group.members.tolist():
        if min(overview.memberships.of(item), key=lambda one: (own[one], one)) == slot:
            return int(item)
    return None
