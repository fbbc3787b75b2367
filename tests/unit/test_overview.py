"""Groups keep their slots and are described as they are."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model import Clustering
from engine.overview import build, match_slots


def labels_of(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def test_first_slots_follow_size():
    assert match_slots(labels_of(0, 1, 1, 2, 2, 2, -1), None).tolist() == [2, 1, 1, 0, 0, 0, -1]


def test_slots_stay_with_the_largest_overlap():
    before = match_slots(labels_of(0, 0, 0, 1, 1, 2), None)
    # Group numbers shuffled, and one item moved.
    after = match_slots(labels_of(2, 2, 0, 0, 0, 1), before)
    assert after.tolist() == [0, 0, 1, 1, 1, 2]


def test_split_gives_the_smaller_part_the_smallest_free_slot():
    before = labels_of(0, 0, 0, 2, 2)
    assert match_slots(labels_of(0, 0, 1, 2, 2), before).tolist() == [0, 0, 1, 2, 2]


def test_a_group_is_known_by_what_was_said_of_it_not_by_what_moved_along():
    before = labels_of(0, 0, 0, 0, 0, 1)
    after = labels_of(0, 1, 1, 1, 1, 2)  # item 0 was judged; the others only lay near it
    assert match_slots(after, before).tolist() == [2, 0, 0, 0, 0, 1]
    assert match_slots(after, before, anchors=(0, 5)).tolist() == [0, 2, 2, 2, 2, 1]


def test_merge_frees_a_slot_and_undo_brings_it_back():
    before = labels_of(0, 0, 0, 1, 1, 2)
    merged = match_slots(labels_of(0, 0, 0, 0, 0, 1), before)
    assert merged.tolist() == [0, 0, 0, 0, 0, 2]
    assert match_slots(labels_of(0, 0, 0, 1, 1, 2), merged).tolist() == [0, 0, 0, 1, 1, 2]


def test_slots_survive_undecided_items():
    before = labels_of(-1, 0, 0, -1)
    assert match_slots(labels_of(0, 0, 0, -1), before).tolist() == [0, 0, 0, -1]
    assert match_slots(labels_of(-1, -1), None).tolist() == [-1, -1]


def clustering(labels, confidence, exemplars=(), criticisms=()):
    return Clustering(
        labels_of(*labels), np.array(confidence, dtype=np.float32), exemplars, criticisms
    )


def test_groups_are_ordered_and_described():
    given = clustering(
        (0, 0, 0, 1, 1, -1, 0),
        (0.9, 0.2, 0.8, 0.5, 0.7, 0.0, 0.6),
        exemplars=(2, 6, 5),
        criticisms=(1, 3),
    )
    slots = match_slots(given.labels, None)
    seen = build(given, slots, {3: "cups", 4: "mugs"}, frozenset({3}), frozenset({0}))
    large, small = seen.groups
    assert (large.slot, large.exemplar, large.members.tolist()) == (0, 2, [2, 6, 0, 1])
    assert large.confidence == pytest.approx(np.mean([0.9, 0.2, 0.8, 0.6]), abs=1e-6)
    assert large.in_conflict
    assert (small.slot, small.name, small.members.tolist()) == (1, "mugs", [4])
    assert not small.in_conflict
    assert seen.slots.tolist() == [0, 0, 0, -1, 1, -1, 0]
    assert slots[3] == 1  # what was given is left alone
    assert seen.prototypes == (2, 6, 5)
    assert seen.criticisms == (1,)
    assert not seen.slots.flags.writeable


def test_a_group_that_is_wholly_set_aside_or_undecided_is_none():
    given = clustering((0, 1, -1), (1, 1, 0))
    seen = build(given, match_slots(given.labels, None), {}, frozenset({0, 1}), frozenset())
    assert seen.groups == ()
    assert seen.slots.tolist() == [-1, -1, -1]


def test_latest_name_wins_and_names_of_undecided_items_go_unused():
    given = clustering((0, 0, -1), (1, 1, 0))
    seen = build(
        given, match_slots(given.labels, None), {2: "x", 0: "a", 1: "b"}, frozenset(), set()
    )
    assert [group.name for group in seen.groups] == ["b"]
