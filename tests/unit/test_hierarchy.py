from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.cluster.hierarchy import is_valid_linkage

from engine.clusterers.linkage import of_points
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.model import Pair

# 0 and 2 at 1, 1 and 4 at 2, {0, 2} and 3 at 2, the rest at 5
BY_HAND = Hierarchy.of(np.array([[0, 2], [4, 1], [3, 2], [1, 0]]), np.array([1, 2, 2, 5]))


def test_merges_by_hand() -> None:
    assert BY_HAND.n == 5
    assert BY_HAND.merges.tolist() == [[0, 2], [1, 4], [3, 5], [6, 7]]
    assert BY_HAND.sizes.tolist() == [2, 2, 3, 5]
    assert is_valid_linkage(BY_HAND.linkage_matrix())


@pytest.mark.parametrize(
    ("groups", "labels"),
    [
        (5, [0, 1, 2, 3, 4]),
        (4, [0, 1, 0, 2, 3]),
        (3, [0, 1, 0, 2, 1]),
        (2, [0, 1, 0, 0, 1]),
        (1, [0, 0, 0, 0, 0]),
    ],
)
def test_every_level(groups: int, labels: list[int]) -> None:
    found = BY_HAND.cut(groups)
    assert found.tolist() == labels
    assert found.dtype == np.int32


@pytest.mark.parametrize(
    ("height", "groups"), [(0.5, 5), (1, 4), (1.5, 4), (2, 2), (4.9, 2), (5, 1), (np.inf, 1)]
)
def test_cuts_at_a_height_merge_what_lies_at_it(height: float, groups: int) -> None:
    assert BY_HAND.groups_at(height) == groups
    assert BY_HAND.cut_at(height).tolist() == BY_HAND.cut(groups).tolist()


def test_nodes_and_parents() -> None:
    assert BY_HAND.nodes(2).tolist() == [7, 6, 7, 7, 6]
    parent, joined = BY_HAND.parents()
    assert parent.tolist() == [5, 6, 5, 7, 6, 7, 8, 8, -1]
    assert joined.tolist() == [1, 2, 1, 2, 2, 2, 5, 5, np.inf]


def test_branches_do_not_cross() -> None:
    assert BY_HAND.leaves().tolist() == [1, 4, 3, 0, 2]
    rng = np.random.default_rng(0)
    pairs = np.array([[i, rng.integers(i)] for i in range(1, 60)])
    hierarchy = Hierarchy.of(rng.permutation(pairs), np.arange(59.0))
    order = hierarchy.leaves()
    assert sorted(order.tolist()) == list(range(60))
    for groups in range(1, 61):
        along = hierarchy.cut(groups)[order]
        assert np.count_nonzero(np.diff(along)) == groups - 1


def test_one_item() -> None:
    single = Hierarchy.of(np.empty((0, 2), dtype=int), np.empty(0))
    assert single.n == 1
    assert single.cut(1).tolist() == [0]
    assert single.cut_at(0).tolist() == [0]
    assert single.leaves().tolist() == [0]
    assert single.parents()[0].tolist() == [-1]


@pytest.mark.parametrize("groups", [0, 6, -1])
def test_levels_that_do_not_exist(groups: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 5 groups"):
        BY_HAND.cut(groups)


def test_it_is_a_value() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        BY_HAND.heights = np.zeros(4)  # type: ignore[misc]
    for array in (BY_HAND.merges, BY_HAND.heights, BY_HAND.sizes):
        assert not array.flags.writeable


def test_no_nonsense_gets_in() -> None:
    with pytest.raises(ValueError, match="heights fall"):
        Hierarchy.of(np.array([[0, 1], [1, 2]]), np.array([2.0, 1.0]))
    with pytest.raises(ValueError, match="merged twice"):
        Hierarchy.of(np.array([[0, 1], [1, 0]]), np.array([1.0, 2.0]))


def test_pairs_meet_in_the_merge_that_first_holds_both() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(40, 2))
    hierarchy = of_points(points, "average", Job(), memory=10**9)
    pairs = [Pair(a, b) for a in range(40) for b in range(a + 1, 40)]
    for pair, merge in zip(pairs, hierarchy.meetings(pairs).tolist(), strict=True):
        together, before = hierarchy.cut(40 - merge - 1), hierarchy.cut(40 - merge)
        assert together[pair.a] == together[pair.b]
        assert before[pair.a] != before[pair.b]


def test_no_pairs_meet_nowhere() -> None:
    assert BY_HAND.meetings([]).shape == (0,)
