"""Overview: the groups of one state, with numbers that stay theirs.

Hides how groups of two revisions are matched and their items put in order. Promises that a group
keeps its slot for as long as most of its items stay together, and to take no more than a few
milliseconds for a hundred thousand items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.model import Clustering, FloatArray, Group, IntArray, Overview

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
    slot_of = np.full(n_groups, -1, dtype=np.int32)
    taken: set[int] = set()
    if previous_slots is not None:
        n_slots = int(previous_slots.max(initial=-1)) + 1
        pairs = labels.astype(np.int64) * n_slots + previous_slots  # one number for both: quick
        usable = (labels >= 0) & (previous_slots >= 0)
        found, counts = np.unique(pairs[usable], return_counts=True)
        known = np.array(sorted(set(anchors)), dtype=np.int64)
        known = known[usable[known]]
        np.add.at(counts, np.searchsorted(found, pairs[known]), len(labels) - 1)
        for which in np.argsort(-counts, kind="stable"):
            label, slot = divmod(int(found[which]), n_slots)
            if slot_of[label] < 0 and slot not in taken:
                slot_of[label] = slot
                taken.add(slot)
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
    free = 0
    for label in np.lexsort((np.arange(n_groups), -sizes)):
        if slot_of[label] < 0:
            while free in taken:
                free += 1
            slot_of[label] = free
            taken.add(free)
    return _frozen(np.append(slot_of, np.int32(-1))[labels])


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
