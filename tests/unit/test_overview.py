"""The map separates what is separate; groups keep their slots; nothing odd breaks either."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from engine import overview
from engine.errors import Cancelled
from engine.job import Job
from engine.model import Clustering
from engine.overview import build, match_slots, project_to_map


def labels_of(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def same_class_neighbours(plane: np.ndarray, classes: np.ndarray, k: int = 10) -> float:
    nearest = NearestNeighbors(n_neighbors=k).fit(plane).kneighbors(return_distance=False)
    return float((classes[nearest] == classes[:, None]).mean())


@pytest.fixture(scope="module")
def digits():
    points, classes = load_digits(return_X_y=True)
    return points[:400] / 16, classes[:400]


def test_refined_map_separates_classes_better_than_pca(digits):
    points, classes = digits
    plain = same_class_neighbours(project_to_map(points, 0, Job(), refine=False), classes)
    refined = same_class_neighbours(project_to_map(points, 0, Job()), classes)
    assert refined > 0.88
    assert refined > plain + 0.2


def test_map_is_deterministic_and_within_bounds(digits):
    points, _ = digits
    first, second = (project_to_map(points[:150], 3, Job()) for _ in range(2))
    assert np.array_equal(first, second)
    assert first.dtype == np.float32
    assert first.shape == (150, 2)
    assert not first.flags.writeable
    assert np.abs(first).max() == pytest.approx(1.0)


def test_unrefined_map_shows_the_principal_components():
    points = np.random.default_rng(0).normal(size=(40, 6)) * np.arange(6, 0, -1)
    plane = project_to_map(points, 0, Job(), refine=False)
    expected = PCA(2).fit_transform(points.astype(np.float32))
    for axis in range(2):
        assert abs(np.corrcoef(plane[:, axis], expected[:, axis])[0, 1]) == pytest.approx(1)
    ratio = np.ptp(plane, axis=0) / np.ptp(expected, axis=0)
    assert ratio[0] == pytest.approx(ratio[1], rel=1e-4)


def test_components_by_iteration_agree_with_exact_ones(monkeypatch):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(90, 70)) * 0.6 ** np.arange(70)
    exact = project_to_map(points, 0, Job(), refine=False)
    monkeypatch.setattr(overview, "_EXACT", 50)
    assert project_to_map(points, 0, Job(), refine=False) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((1, 4)),
        np.array([[0.0], [1.0]]),
        np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0]]),
        np.ones((30, 3)),
        np.repeat([[0.0, 0.0], [1.0, 1.0]], 60, axis=0),
        np.arange(6.0)[:, None],
        np.concatenate([np.zeros((20, 2)), [[1e6, 1e6]]]),
        np.random.default_rng(0).normal(size=(8, 3)) * 1e30,
    ],
    ids=["one", "two", "three", "constant", "duplicates", "one column", "outlier", "huge"],
)
@pytest.mark.parametrize("refine", [True, False])
def test_odd_data_gives_a_finite_map(points, refine):
    plane = project_to_map(points, 0, Job(), refine=refine)
    assert plane.shape == (len(points), 2)
    assert np.isfinite(plane).all()
    assert np.abs(plane).max() <= 1.0


def test_two_piles_of_duplicates_lie_apart():
    plane = project_to_map(np.repeat([[0.0, 0.0], [1.0, 1.0]], 60, axis=0), 0, Job())
    gap = np.linalg.norm(plane[:60].mean(axis=0) - plane[60:].mean(axis=0))
    assert gap > 2 * plane[:60].std(axis=0).max()


def test_repulsion_from_the_grid_agrees_with_the_exact_sum():
    plane = np.random.default_rng(0).normal(size=(300, 2)) * 2
    apart = plane[:, None] - plane
    kernel = 1 / (1 + (apart**2).sum(axis=2))
    exact = (kernel[:, :, None] ** 2 * apart).sum(axis=1) / (kernel.sum() - 300)
    assert overview._repulsion(plane) == pytest.approx(exact, abs=0.02 * np.abs(exact).max())


def test_map_reports_progress_and_can_be_stopped(digits):
    said = []
    job = Job(lambda done, total, text: (said.append((done, total, text)), job.cancel()))
    with pytest.raises(Cancelled):
        project_to_map(digits[0], 0, job)
    assert said[0][2] == "Drawing the map"


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
