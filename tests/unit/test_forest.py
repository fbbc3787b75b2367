from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from engine import forest
from engine.errors import Cancelled
from engine.forest import Binned
from engine.job import Job


def grown(
    points: np.ndarray, labels: np.ndarray, trees: int = 40, share: float = 1.0, seed: int = 0
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    times = forest.drawn(rng.random((trees, len(points))), share)
    binned = Binned.of(points.astype(np.float32), Job())
    return forest.leaves(binned, labels, times, np.random.default_rng(seed), Job())


def test_columns_are_cut_into_even_bins_and_few_values_are_all_kept() -> None:
    few = np.array([[5.0, 1.0], [2.0, 1.0], [5.0, 1.0], [9.0, 1.0]], dtype=np.float32)
    assert Binned.of(few, Job()).bins.tolist() == [[1, 0], [0, 0], [1, 0], [2, 0]]
    many = np.random.default_rng(0).random((3200, 1)).astype(np.float32) ** 4
    counts = np.bincount(Binned.of(many, Job()).bins[:, 0])
    assert len(counts) == 32
    assert counts.min() > 90
    assert counts.max() < 110


def test_rows_are_drawn_as_often_as_with_replacement() -> None:
    uniform = (np.arange(100_000) + 0.5) / 100_000
    np.testing.assert_allclose(
        np.bincount(forest.drawn(uniform, 1.0))[:4] / 100_000,
        np.exp(-1) / np.array([1, 1, 2, 6]),
        atol=1e-4,
    )
    assert forest.drawn(uniform, 0.25).mean() == pytest.approx(0.25, abs=1e-3)


def test_likeness_is_the_share_of_trees_with_the_same_leaf() -> None:
    leaf = np.array([[0, 0, 1, 1], [0, 1, 1, 2], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=np.int32)
    # 0 and 1 meet in trees 0 and 3, 0 and 2 in tree 3; 3 and 1 in tree 2, 3 and 2 in 0 and 2
    found = forest.likeness(leaf, [[1], [1, 2]], Job())
    np.testing.assert_allclose(found[0], [2 / 4, (2 / 4 + 1 / 4) / 2])
    np.testing.assert_allclose(found[3], [1 / 4, (1 / 4 + 2 / 4) / 2])
    np.testing.assert_allclose(found[1], [1, (1 + 3 / 4) / 2])


def test_one_cut_parts_two_groups_at_the_purest_place() -> None:
    line = np.arange(12.0)[:, None]
    labels = (line[:, 0] >= 5).astype(np.int64)
    times = np.ones((1, 12), dtype=np.uint8)
    binned = Binned.of(line.astype(np.float32), Job())
    leaf = forest.leaves(binned, labels, times, np.random.default_rng(0), Job())
    assert leaf[0].tolist() == [0] * 5 + [1] * 7
    unseen = times.copy()
    unseen[0, 5:8] = 0  # fall through: the purest cut that is met first is between 4 and 5
    leaf = forest.leaves(binned, labels, unseen, np.random.default_rng(0), Job())
    assert leaf[0].tolist() == [0] * 5 + [1] * 7


def test_leaves_hold_one_group_of_the_rows_that_were_learnt_from() -> None:
    rng = np.random.default_rng(3)
    points, labels = rng.random((300, 5)), rng.integers(0, 4, 300)
    times = forest.drawn(rng.random((20, 300)), 1.0)
    binned = Binned.of(points.astype(np.float32), Job())
    same = {tuple(row) for row in binned.bins.tolist()}
    assert len(same) == 300
    leaf = forest.leaves(binned, labels, times, rng, Job())
    for tree, drawn in zip(leaf, times, strict=True):
        learnt = drawn > 0
        assert len({*zip(tree[learnt], labels[learnt], strict=True)}) == len({*tree[learnt]})
        assert set(tree.tolist()) == set(range(tree.max() + 1))


def test_groups_are_found_again_as_well_as_by_another_forest() -> None:
    """Rows held out of Iris, by the class they are most alike, beside scikit-learn's forest."""
    data = load_iris()
    train = np.random.default_rng(0).random(150) < 0.6
    labels = np.where(train, data.target, 3)
    share = np.where(train, 1.0, 0.0)
    times = forest.drawn(np.random.default_rng(1).random((100, 150)), 1.0) * share.astype(np.uint8)
    binned = Binned.of(data.data.astype(np.float32), Job())
    leaf = forest.leaves(binned, labels, times, np.random.default_rng(0), Job())
    members = [np.flatnonzero(train & (data.target == group)).tolist() for group in range(3)]
    ours = forest.likeness(leaf, members, Job()).argmax(axis=1)
    other = RandomForestClassifier(100, random_state=0).fit(data.data[train], data.target[train])
    accuracy = [
        (found[~train] == data.target[~train]).mean() for found in (ours, other.predict(data.data))
    ]
    assert accuracy[0] >= accuracy[1] - 0.05


def test_the_order_of_the_rows_does_not_matter_and_the_seed_does() -> None:
    rng = np.random.default_rng(5)
    points, labels = rng.random((80, 4)).astype(np.float32), rng.integers(0, 3, 80)
    times, order = forest.drawn(rng.random((10, 80)), 1.0), rng.permutation(80)

    def grow(rows: np.ndarray, seed: int) -> np.ndarray:
        binned = Binned.of(points[rows], Job())
        return forest.leaves(
            binned, labels[rows], times[:, rows], np.random.default_rng(seed), Job()
        )

    plain = grow(np.arange(80), 1)
    np.testing.assert_array_equal(grow(order, 1), plain[:, order])
    assert (grow(np.arange(80), 2) != plain).any()


def test_one_group_one_row_copies_and_constant_columns() -> None:
    assert not grown(np.random.default_rng(0).random((9, 2)), np.full(9, 4)).any()
    assert grown(np.zeros((1, 1)), np.zeros(1, dtype=np.int64)).tolist() == [[0]] * 40
    copies = grown(np.zeros((8, 3)), np.arange(8) % 2)  # nothing can part them
    assert not copies.any()
    column = np.array([0.0, 0, 0, 0, 1, 1, 1, 1])
    wide = np.hstack([column[:, None], np.zeros((8, 30))])  # most draws of columns part nothing
    leaf = grown(wide, column.astype(np.int64))
    assert np.mean(leaf[:, 0] != leaf[:, -1]) > 0.9


def test_can_be_stopped() -> None:
    job = Job()
    job.cancel()
    binned = Binned.of(np.eye(4, dtype=np.float32), Job())
    with pytest.raises(Cancelled):
        forest.leaves(
            binned, np.arange(4), np.ones((3, 4), np.uint8), np.random.default_rng(0), job
        )
