from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, is_monotonic, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris

from engine import clusterers
from engine.clusterers.distances import footprint
from engine.clusterers.linkage import LINKAGES, of_distances, of_points
from engine.clusterers.tahc import Tahc, TahcParams
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError, ResourceError
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.metrics import adjusted_rand_index, normalized_mutual_information
from engine.model import Clustering
from engine.problem import Problem

MEMORY = 10**8


def tahc(points: np.ndarray, groups: int, **params: str) -> Clustering:
    method = clusterers.make("tahc", {"groups": str(groups), **params})
    return method.cluster(Problem(points), Constraints(), Job())


def hierarchy(points: np.ndarray, kind: str = "complete") -> Hierarchy:
    return of_points(points, kind, Job(), memory=MEMORY)


def by_the_book(distances: np.ndarray, kind: str) -> tuple[list[tuple[int, int]], list[float]]:
    """Always merge the closest pair, computing every distance from the items; O(n^4)."""
    reduce = {"complete": np.max, "average": np.mean, "single": np.min}[kind]
    groups = [[item] for item in range(len(distances))]
    pairs, heights = [], []
    while len(groups) > 1:
        apart, one, other = min(
            (reduce(distances[np.ix_(a, b)]), a[0], b[0])
            for a, b in itertools.combinations(sorted(groups), 2)
        )
        a = next(group for group in groups if group[0] == one)
        b = next(group for group in groups if group[0] == other)
        groups = [group for group in groups if group not in (a, b)] + [sorted(a + b)]
        pairs.append((one, other))
        heights.append(apart)
    return pairs, heights


class TestIris:
    data = load_iris()
    points = (data.data - data.data.min(0)) / np.ptp(data.data, axis=0)
    steps = (1, 50, 100, 120, 130, 140, 142, 144, 145, 146, 147)
    measured = (0.360, 0.393, 0.429, 0.486, 0.510, 0.570, 0.591, 0.608, 0.639, 0.689, 0.756)
    published = (0.36, 0.39, 0.43, 0.49, 0.53, 0.63, 0.60, 0.61, 0.64, 0.67, 0.73)

    def test_agreement_along_the_hierarchy(self) -> None:
        levels = hierarchy(self.points)
        found = [
            normalized_mutual_information(levels.cut(150 - step), self.data.target)
            for step in self.steps
        ]
        # Measured in float64, where rounding tells some equal distances apart: 0.3930 for 0.3944.
        assert found == pytest.approx(self.measured, abs=2e-3)
        # The article's row has two decimals; step 140 is the farthest from it, 0.57 for 0.63.
        assert np.round(found, 2) == pytest.approx(self.published, abs=0.0601)

    def test_three_groups(self) -> None:
        found = tahc(self.points, 3)
        assert sorted(np.bincount(found.labels).tolist()) == [34, 50, 66]
        assert adjusted_rand_index(found.labels, self.data.target) == pytest.approx(0.706, abs=1e-3)


@pytest.mark.parametrize("kind", LINKAGES)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (3, 2), (40, 2), (150, 5), (300, 16)])
class TestWithoutTies:
    def test_as_scipy(self, kind: str, n: int, d: int) -> None:
        points = np.random.default_rng(n).normal(size=(n, d))
        found, expected = hierarchy(points, kind), linkage(points, kind)
        np.testing.assert_allclose(found.heights, expected[:, 2], rtol=2e-6)
        assert is_valid_linkage(found.linkage_matrix())
        cuts = cut_tree(expected)  # column t: after t merges; numbered by first appearance
        for groups in range(1, n + 1):
            np.testing.assert_array_equal(found.cut(groups), cuts[:, n - groups])

    def test_of_distances_either_way(self, kind: str, n: int, d: int) -> None:
        points = np.random.default_rng(n).normal(size=(n, d))
        condensed = pdist(points)
        square = squareform(condensed)
        for distances in (condensed, square, condensed.astype(np.float32)):
            before = distances.copy()
            found = of_distances(distances, kind, Job(), memory=MEMORY)
            np.testing.assert_array_equal(distances, before)
            np.testing.assert_array_equal(found.merges, hierarchy(points, kind).merges)
            np.testing.assert_allclose(found.heights, hierarchy(points, kind).heights, rtol=1e-6)


@pytest.mark.parametrize("copies", [1, 3, 8])
def test_many_features(copies: int) -> None:
    rng = np.random.default_rng(2)
    points = 1000 + np.repeat(rng.normal(size=(40, 200)), copies, axis=0)
    points[-1] += 1e-6  # all but a copy
    found, expected = hierarchy(points), linkage(points, "complete")
    np.testing.assert_allclose(found.heights, expected[:, 2], rtol=1e-6)
    labels = found.cut_at(0)
    assert len(np.unique(labels)) == len(np.unique(points, axis=0))
    cuts = cut_tree(expected)
    for groups in range(1, 41):
        np.testing.assert_array_equal(found.cut(groups), cuts[:, len(points) - groups])


def tied(seed: int) -> np.ndarray:
    """Points on a small grid: many copies, and as many equal distances."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (24, 2)).astype(float)


class TestTies:
    @pytest.mark.parametrize("seed", range(12))
    def test_the_lowest_items_go_first(self, seed: int) -> None:
        square = squareform(pdist(tied(seed))).astype(np.float32).astype(float)
        pairs, heights = by_the_book(square, "complete")
        expected = Hierarchy.of(np.array(pairs), np.array(heights))
        found = of_distances(square, "complete", Job(), memory=MEMORY)
        np.testing.assert_array_equal(found.merges, expected.merges)
        np.testing.assert_array_equal(found.heights, expected.heights)

    @pytest.mark.parametrize("seed", range(12))
    def test_single_linkage_has_the_right_groups_at_every_height(self, seed: int) -> None:
        square = squareform(pdist(tied(seed)))
        found = of_distances(square, "single", Job(), memory=MEMORY)
        expected = Hierarchy.of(*map(np.array, by_the_book(square, "single")))
        np.testing.assert_allclose(found.heights, expected.heights, rtol=1e-6)
        for height in np.unique(expected.heights):
            between = height * 1.001
            np.testing.assert_array_equal(found.cut_at(between), expected.cut_at(between))

    @pytest.mark.parametrize("kind", LINKAGES)
    @pytest.mark.parametrize("seed", range(20))
    def test_valid_and_monotone(self, kind: str, seed: int) -> None:
        found = hierarchy(tied(seed), kind)
        assert is_valid_linkage(found.linkage_matrix())
        assert is_monotonic(found.linkage_matrix())
        copies = np.unique(tied(seed), axis=0, return_inverse=True)[1]
        same = copies[:, None] == copies
        labels = found.cut_at(0)
        np.testing.assert_array_equal(labels[:, None] == labels, same)

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_all_alike(self, kind: str) -> None:
        found = hierarchy(np.full((9, 3), 7.0), kind)
        assert found.heights.tolist() == [0] * 8
        assert found.cut(8).tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7]
        shown = tahc(np.full((9, 3), 7.0), 2, linkage=kind)
        assert shown.confidence.tolist() == [0] * 9


@pytest.mark.parametrize("kind", LINKAGES)
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e30])
def test_the_unit_does_not_matter(kind: str, scale: float) -> None:
    points = np.random.default_rng(5).normal(size=(50, 3))
    plain, scaled = hierarchy(points, kind), hierarchy(points * scale, kind)
    np.testing.assert_array_equal(scaled.merges, plain.merges)
    np.testing.assert_allclose(scaled.heights, plain.heights * scale, rtol=1e-5)


class TestMethod:
    def test_one_group_and_as_many_groups_as_items(self) -> None:
        points = np.random.default_rng(1).random((6, 2))
        one = tahc(points, 1)
        assert one.labels.tolist() == [0] * 6
        assert one.confidence.tolist() == [1] * 6
        assert tahc(points, 6).labels.tolist() == [0, 1, 2, 3, 4, 5]
        assert tahc(points[:1], 1).labels.tolist() == [0]
        assert tahc(points[:2], 1).labels.tolist() == [0, 0]

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_groups_far_apart(self, kind: str) -> None:
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 4, 200)
        points = np.stack([truth % 2, truth // 2], 1) + rng.normal(0, 0.03, (200, 2))
        found = tahc(points, 4, linkage=kind)
        assert adjusted_rand_index(found.labels, truth) == 1
        assert found.labels.dtype == np.int32
        assert found.confidence.dtype == np.float32
        assert found.confidence.min() > 0.5

    def test_confidence_by_hand(self) -> None:
        # {0, 1} at 1 and {3, 4} at 1; 2 comes to {0, 1} at 3; both groups meet at 13
        found = tahc(np.array([[0.0], [1], [3], [12], [13]]), 2)
        assert found.labels.tolist() == [0, 0, 0, 1, 1]
        near, far = 12 / 14, 10 / 16
        assert found.confidence == pytest.approx([near, near, far, near, near])

    def test_more_groups_than_items_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="at most 3, one per item, not 4"):
            tahc(np.eye(3), 4)

    def test_the_hierarchy_is_grown_once(self) -> None:
        problem = Problem(np.random.default_rng(1).random((20, 2)))
        first, other = (Tahc(TahcParams(k)).hierarchy(problem, Job()) for k in (3, 5))
        assert first is other
        assert Tahc(TahcParams(3, "single")).hierarchy(problem, Job()) is not first


class TestResources:
    def test_too_much_memory_is_refused_with_the_figure(self) -> None:
        with pytest.raises(ResourceError) as caught:
            tahc(np.zeros((1000, 1)), 2, memory="3")
        assert "1,000 items take 4 MB of memory; 3 MB are allowed" in caught.value.message
        assert "at most 866 items" in caught.value.hint
        assert footprint(866) <= 3e6 < footprint(867)
        assert tahc(np.zeros((1000, 1)), 2, memory="4").n_groups == 2
        with pytest.raises(ResourceError):
            of_distances(np.zeros((9, 9)), "single", Job(), memory=footprint(9) - 1)

    @pytest.mark.parametrize("kind", LINKAGES)
    def test_the_work_can_be_stopped_anywhere(self, kind: str) -> None:
        points = np.random.default_rng(1).random((40, 2))
        texts = []

        class Counting(Job):
            left = 10**6

            def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
                texts.append(text)
                self.left -= 1
                if self.left < 0:
                    self.cancel()
                super().step(done, total, text)

        of_points(points, kind, Counting(), memory=MEMORY)
        assert {"Measuring distances", "Merging groups"} <= set(texts)
        for left in (0, 1, 2, len(texts) // 2, len(texts) - 1):
            job = Counting()
            job.left = left
            with pytest.raises(Cancelled):
                of_points(points, kind, job, memory=MEMORY)

    def test_stopping_leaves_nothing_behind(self) -> None:
        problem, job = Problem(np.eye(5)), Job()
        job.cancel()
        method = Tahc(TahcParams(2))
        with pytest.raises(Cancelled):
            method.cluster(problem, Constraints(), job)
        assert method.cluster(problem, Constraints(), Job()).n_groups == 2


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (np.zeros(2), "no number of items"),
        (np.zeros((2, 3)), "a square"),
        (np.zeros((0, 0)), "a square"),
        (np.zeros((1, 1, 1)), "no number of items"),
        (np.array([[0.0, 1], [2, 0]]), "symmetric"),
        (np.array([1, np.inf, 1]), "finite"),
        (np.array([1, np.nan, 1]), "finite"),
        (np.array([1, -1.0, 1]), "not negative"),
    ],
)
def test_distances_that_are_none(distances: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        of_distances(distances, "complete", Job(), memory=MEMORY)
