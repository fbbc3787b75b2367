from __future__ import annotations

import numpy as np
import pytest

from engine import neighbors
from engine.errors import Cancelled
from engine.job import Job
from engine.neighbors import Neighbours, components, nearest


def by_force(points: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    apart = np.sqrt(np.square(points[:, None] - points[None]).sum(2))
    np.fill_diagonal(apart, np.inf)
    items = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return items, np.take_along_axis(apart, items, axis=1)


@pytest.mark.parametrize(("n", "d", "k"), [(2, 1, 1), (40, 3, 5), (70, 20, 69), (200, 80, 10)])
@pytest.mark.parametrize("side", [16, 33, 4096])
def test_finds_what_brute_force_finds(
    n: int, d: int, k: int, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbors, "_side", lambda _: side)
    points = np.random.default_rng(n).normal(5, 1, (n, d))
    found = nearest(points, k, Job())
    items, distances = by_force(points, k)
    np.testing.assert_array_equal(found.items, items)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-13)
    assert found.items.dtype == np.int32


@pytest.mark.parametrize("d", [1, 64, 1280, 100_000])
def test_tiles_stay_within_their_budget(d: int) -> None:
    side = neighbors._side(d)
    assert 16 * side * side <= neighbors.TILE_BYTES
    assert side == 16 or side * side * d <= 5e7


@pytest.mark.parametrize("side", [16, 33, 4096])
def test_of_equally_near_items_the_lowest_are_taken(
    side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbors, "_side", lambda _: side)
    points = np.random.default_rng(0).integers(0, 4, (90, 25)) / 4
    found = nearest(points.astype(np.float32), 7, Job())
    np.testing.assert_array_equal(found.items, by_force(points, 7)[0])


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_scale_makes_no_difference(scale: float) -> None:
    points = np.random.default_rng(2).random((50, 20)).astype(np.float32)
    found = nearest(points * np.float32(scale), 5, Job())
    np.testing.assert_array_equal(found.items, by_force(points.astype(np.float64), 5)[0])


def test_points_far_from_zero_lose_nothing() -> None:
    points = np.random.default_rng(1).random((60, 30)) + 1e6
    found = nearest(points, 4, Job())
    np.testing.assert_array_equal(found.items, by_force(points, 4)[0])


def test_copies_are_each_others_neighbours_and_never_their_own() -> None:
    points = np.repeat([[0.0, 0.0], [1.0, 1.0]], 3, axis=0)
    found = nearest(points.astype(np.float32), 3, Job())
    assert found.distances[:, :2].max() == 0
    np.testing.assert_allclose(found.distances[:, 2], np.sqrt(2))
    for item, others in enumerate(found.items):
        assert item not in others
        assert {*others[:2].tolist(), item} == ({0, 1, 2} if item < 3 else {3, 4, 5})


def test_few_items_have_fewer_neighbours() -> None:
    assert nearest(np.zeros((1, 2)), 5, Job()).items.shape == (1, 0)
    assert nearest(np.zeros((3, 2)), 5, Job()).items.tolist() == [[1, 2], [0, 2], [0, 1]]
    assert nearest(np.zeros((1, 2)), 5, Job()).edges().shape == (0, 2)


def test_edges_of_a_hand_made_graph() -> None:
    found = Neighbours(np.array([[1], [2], [1], [0]], dtype=np.int32), np.ones((4, 1)))
    assert found.edges().tolist() == [[0, 1], [0, 3], [1, 2]]
    assert found.edges(mutual=True).tolist() == [[1, 2]]
    edges, lengths = nearest(np.array([[0.0], [1.0], [3.0]]), 1, Job()).edges_measured()
    assert edges.tolist() == [[0, 1], [1, 2]]
    assert lengths.tolist() == [1, 2]


def test_parts_are_numbered_by_first_appearance() -> None:
    edges = np.array([[1, 4], [2, 3], [0, 3]], dtype=np.int32)
    assert components(6, edges).tolist() == [0, 1, 0, 0, 1, 2]
    assert components(2, np.empty((0, 2), dtype=np.int32)).tolist() == [0, 1]


def test_can_be_stopped() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        nearest(np.zeros((5, 2)), 2, job)
