"""The map separates what is separate, whatever the number of items; nothing odd breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from engine import layout
from engine.errors import Cancelled
from engine.job import Job
from engine.layout import project_to_map


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
    monkeypatch.setattr(layout, "_EXACT", 50)
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
    assert layout._repulsion(plane) == pytest.approx(exact, abs=0.02 * np.abs(exact).max())


def test_map_reports_progress_and_can_be_stopped(digits):
    said = []
    job = Job(lambda done, total, text: (said.append((done, total, text)), job.cancel()))
    with pytest.raises(Cancelled):
        project_to_map(digits[0], 0, job)
    assert said[0][2] == "Drawing the map"


@pytest.fixture
def sampled(monkeypatch):
    monkeypatch.setattr(layout, "_DRAWN", 200)


def test_a_sample_guides_the_others_to_their_groups(digits, sampled):
    points, classes = digits
    plane = project_to_map(points, 0, Job())
    assert same_class_neighbours(plane, classes) > 0.85
    assert len(np.unique(plane, axis=0)) == len(points)
    assert np.array_equal(plane, project_to_map(points, 0, Job()))


def test_copies_lie_where_an_item_of_the_sample_lies(digits, sampled):
    points = np.concatenate([digits[0][:190]] * 2)
    plane = project_to_map(points, 0, Job())
    gap = np.linalg.norm(plane[:190] - plane[190:], axis=1)
    assert np.median(gap) < 1e-3


@pytest.mark.parametrize("shape", [(260, 70), (260, 300)])
def test_other_rows_are_projected_onto_the_same_components(monkeypatch, shape):
    points = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    for exact in (1024, 50):
        monkeypatch.setattr(layout, "_EXACT", exact)
        scores, project = layout._principal_components(points, np.random.default_rng(1), Job())
        assert project(points) == pytest.approx(scores, abs=1e-3)


def test_odd_data_of_many_items_gives_a_finite_map(sampled):
    far = np.random.default_rng(0).normal(size=(300, 3))
    far[-1] = 1e30
    for points in (np.ones((300, 3)), np.arange(300.0)[:, None], far):
        plane = project_to_map(points, 0, Job())
        assert plane.shape == (300, 2)
        assert np.isfinite(plane).all()
        assert np.abs(plane).max() <= 1.0
