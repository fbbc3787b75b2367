"""Overview: the groups of one state, with numbers that stay theirs.

Hides how groups of two revisions are matched and their items put in order. Promises that a group
keeps its slot for as long as most of its items stay together, and to take no more than a few
milliseconds for a hundred thousand items.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.compositional.membership import Composed
from engine.model import (
    Clustering,
    Composition,
    FloatArray,
    Group,
    IntArray,
    Memberships,
    Overview,
)

Bools = npt.NDArray[np.bool_]

_Kind = TypeVar("_Kind", bound=np.generic)

_ONE = int(np.float32(1).view(np.int32))  # its bits


def match_slots(
    labels: IntArray, previous_slots: IntArray | None, anchors: Sequence[int] = ()
) -> IntArray:
    """Give every group a slot, keeping those of an earlier revision: by anchors, then overlap.

    Parameters
    ----------
    labels
        int32[n], groups 0..k-1; -1 = in no group.
    previous_slots
        int32[n], slot of each item's group before; -1 = none. None = nothing before.
    anchors
        Item ids whose group was settled by answers before. A group is known by what the person
        said of it: one anchor outweighs any number of items that only moved along.

    Returns
    -------
    int32[n], slots from 0; -1 where the label is -1. Groups that keep no slot take the smallest
    free numbers, the largest group first. O(n log n), ties by label: deterministic.
    """
    n_groups = int(labels.max(initial=-1)) + 1
    overlaps: Iterable[tuple[int, int]] = ()
    if previous_slots is not None:
        n_slots = int(previous_slots.max(initial=-1)) + 1
        pairs = labels.astype(np.int64) * n_slots + previous_slots  # one number for both: quick
        usable = (labels >= 0) & (previous_slots >= 0)
        found, counts = np.unique(pairs[usable], return_counts=True)
        known = np.array(sorted(set(anchors)), dtype=np.int64)
        known = known[usable[known]]
        np.add.at(counts, np.searchsorted(found, pairs[known]), len(labels) - 1)
        order = np.argsort(-counts, kind="stable")
        overlaps = (divmod(int(found[which]), n_slots) for which in order)
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
    return _frozen(np.append(_slotted(overlaps, sizes), np.int32(-1))[labels])


def match_shared(composed: Composed, previous: Bools | None, set_aside: frozenset[int]) -> IntArray:
    """Give groups that items may share slots, keeping those of an earlier revision by overlap.

    Parameters
    ----------
    composed
        The sets of groups found.
    previous
        bool[n, slots], which item was in which slot before; None = nothing before.
    set_aside
        Item ids that belong to no group now.

    Returns
    -------
    int32[groups], slots from 0.
    """
    held = composed.memberships.astype(np.float32)
    held[list(set_aside)] = 0
    overlaps: Iterable[tuple[int, int]] = ()
    if previous is not None:
        counts = (held.T @ previous.astype(np.float32)).astype(np.int64)
        order = np.argsort(-counts, axis=None, kind="stable")
        order = order[: np.count_nonzero(counts)]
        overlaps = (divmod(int(which), counts.shape[1]) for which in order)
    return _frozen(_slotted(overlaps, held.sum(0).astype(np.int64)))


def in_slots(composed: Composed, slots: IntArray, set_aside: frozenset[int]) -> Memberships:
    """Describe by slots, from `match_shared`, to which groups items belong."""
    renumbered = [tuple(sorted(slots[list(members)].tolist())) for members in composed.sets]
    chosen = composed.chosen.copy()
    chosen[list(set_aside)] = -1
    occur = np.unique(chosen[chosen >= 0])
    order = sorted(occur.tolist(), key=lambda at: (len(renumbered[at]), renumbered[at]))
    places = np.full(len(renumbered) + 1, -1, dtype=np.int32)  # the last is of -1
    places[order] = np.arange(len(order))
    chosen = places[chosen]
    return Memberships(
        tuple(renumbered[at] for at in order),
        _frozen(chosen),
        composed.fit,
        _compositions([renumbered[at] for at in order], chosen, composed),
        slots,
    )


def _compositions(
    sets: Sequence[tuple[int, ...]], chosen: IntArray, composed: Composed
) -> tuple[Composition, ...]:
    shown = chosen >= 0
    at = chosen[shown]
    items, fit, alone = (
        np.bincount(at, weights=weights, minlength=len(sets))
        for weights in (None, composed.fit[shown], composed.alone[shown])
    )
    return tuple(
        Composition(one, int(items[at]), float(fit[at] / items[at]), float(alone[at] / items[at]))
        for at, one in enumerate(sets)
        if len(one) > 1
    )


def first_slots(memberships: Memberships) -> IntArray:
    """Give the first of each item's slots, int32[n]; -1 = set aside."""
    first = np.array([*(members[0] for members in memberships.sets), -1], dtype=np.int32)
    return _frozen(first[memberships.chosen])


def _slotted(overlaps: Iterable[tuple[int, int]], sizes: npt.NDArray[np.int64]) -> IntArray:
    """Give every group a slot: by its overlap with the slots before, the largest first.

    The others take the smallest free numbers, the largest group first.
    """
    slot_of = np.full(len(sizes), -1, dtype=np.int32)
    taken: set[int] = set()
    for group, slot in overlaps:
        if slot_of[group] < 0 and slot not in taken:
            slot_of[group] = slot
            taken.add(slot)
    free = 0
    for group in np.lexsort((np.arange(len(sizes)), -sizes)):
        if slot_of[group] < 0:
            while free in taken:
                free += 1
            slot_of[group] = free
            taken.add(free)
    return slot_of


def build(
    clustering: Clustering,
    slots: IntArray,
    names: Mapping[int, str],
    set_aside: frozenset[int],
    conflicted: frozenset[int],
) -> Overview:
    """Describe the groups of one state, ready to draw.

    Parameters
    ----------
    clustering
        The grouping.
    slots
        int32[n] from `match_slots`.
    names
        Item id -> name given to the group that holds it, oldest first: the latest wins.
    set_aside
        Item ids that belong to no group now.
    conflicted
        Item ids that take part in contradicting answers.
    """
    shown = slots.copy()
    shown[list(set_aside)] = -1
    confidence = clustering.confidence
    prototypes = tuple(item for item in clustering.exemplars if item not in set_aside)
    order = _ordered(shown, confidence, prototypes)
    edges = np.flatnonzero(np.diff(shown[order])) + 1
    name_of = {int(shown[item]): name for item, name in names.items()}
    disputed = {int(shown[item]) for item in conflicted}
    groups = []
    for members in np.split(order, edges) if len(order) else []:
        slot = int(shown[members[0]])
        groups.append(
            Group(
                slot=slot,
                name=name_of.get(slot, ""),
                exemplar=int(members[0]),
                members=_frozen(members),
                confidence=float(confidence[members].mean()),
                in_conflict=slot in disputed,
            )
        )
    groups.sort(key=lambda group: (-group.size, group.slot))
    return Overview(
        groups=tuple(groups),
        slots=_frozen(shown),
        confidence=confidence,
        prototypes=prototypes,
        criticisms=tuple(item for item in clustering.criticisms if item not in set_aside),
    )


def build_shared(
    memberships: Memberships,
    confidence: FloatArray,
    namings: Sequence[tuple[tuple[int, ...], str]],
) -> Overview:
    """Describe the groups of items that may belong to several, ready to draw.

    A name is that of the group which most of the items have by which it was named, see `_named`.

    Parameters
    ----------
    memberships
        From `in_slots`.
    confidence
        float32[n].
    namings
        Item ids by which a group was named, and the name, oldest first: the latest wins.
    """
    table = memberships.table
    sizes = np.append([len(members) for members in memberships.sets], 0)[memberships.chosen]
    groups = []
    name_of = _named(memberships, table, sizes, namings)
    for slot in np.flatnonzero(table.any(0)).tolist():
        held = np.flatnonzero(table[:, slot])
        members = held[np.lexsort((held, -confidence[held], sizes[held]))].astype(np.int32)
        groups.append(
            Group(
                slot=slot,
                name=name_of.get(slot, ""),
                exemplar=int(members[0]),
                members=_frozen(members),
                confidence=float(confidence[members].mean()),
                mixed=int((sizes[members] > 1).sum()),
            )
        )
    groups.sort(key=lambda group: (-group.size, group.slot))
    return Overview(
        groups=tuple(groups),
        slots=first_slots(memberships),
        confidence=confidence,
        memberships=memberships,
    )


def _named(
    memberships: Memberships,
    table: Bools,
    sizes: npt.NDArray[np.int64],
    namings: Sequence[tuple[tuple[int, ...], str]],
) -> dict[int, str]:
    """Give the name of each slot that has one.

    Items of one group count more than those of several. Of equals it is the group that has fewest
    items of its own: only such a group is shown by one of several.
    """
    pure = table[sizes == 1].sum(0)
    name_of = {}
    for items, name in namings:
        votes: dict[int, float] = {}
        for item in items:
            slots = memberships.of(item)
            for slot in slots:
                votes[slot] = votes.get(slot, 0.0) + 1 / len(slots)
        if votes:
            name_of[min(votes, key=lambda slot: (-votes[slot], pure[slot], slot))] = name
    return name_of


def _ordered(shown: IntArray, confidence: FloatArray, first: tuple[int, ...]) -> IntArray:
    """Sort the items shown by slot, the surest ahead, but `first` at the head of each group.

    All but the slot goes into one whole number per item, as that sorts much faster than several
    keys: the bits of a float in [0, 1] rise as it does.
    """
    doubt = _ONE - (confidence + np.float32(0)).view(np.int32).astype(np.int64)  # + 0: no -0
    keys = np.arange(len(shown)) | doubt << 32 | 1 << 62
    keys[list(first)] &= ~(1 << 62)
    keys = np.sort(keys[shown >= 0])
    items = (keys & 0xFFFFFFFF).astype(np.int32)
    slots = shown[items]
    if slots.max(initial=0) < 2**15:
        slots = slots.astype(np.int16)  # of these numpy sorts by counting
    return items[np.argsort(slots, kind="stable")]


def _frozen(array: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
    """Make an array read-only: snapshots are shared between threads."""
    array.flags.writeable = False
    return array
