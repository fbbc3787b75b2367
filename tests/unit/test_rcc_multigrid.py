from __future__ import annotations

import numpy as np
import pytest

from engine.clusterers.rcc.multigrid import Multigrid
from engine.clusterers.rcc.solves import PRECISION, laplacian, solve, system
from engine.errors import Cancelled
from engine.job import Job
from engine.neighbors import components, nearest


def pulled(n: int, edges, strengths, held=None):
    """Give the system of points held at 1 each, or as told."""
    pull = laplacian(n, np.asarray(edges, dtype=np.int32), np.asarray(strengths, dtype=float))
    return system(np.ones(n) if held is None else held, pull, 1.0)


def tangle(n: int, seed: int = 0, spread: float = 8.0):
    """Give edges of a graph without order, of weights from 1e-8 to 1e8 for a spread of 8."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 8)).astype(np.float32)
    edges = nearest(points, 5, Job()).edges()
    return edges, 10 ** rng.uniform(-spread, spread, len(edges)), rng


def solved(matrix, right):
    return solve(matrix, right, np.zeros_like(right), "gradients", 0.0, Job())


@pytest.mark.parametrize("spread", [0.0, 3.0, 8.0])
def test_it_is_symmetric_and_positive(spread: float) -> None:
    edges, strengths, _ = tangle(120, spread=spread)
    inverse = Multigrid(pulled(120, edges, strengths), Job())(np.eye(120))
    digits = 1e-9 if spread == 8 else 1e-5
    assert inverse.dtype == (np.float64 if spread == 8 else np.float32)
    np.testing.assert_allclose(inverse, inverse.T, atol=digits * np.abs(inverse).max())
    assert np.linalg.eigvalsh((inverse + inverse.T) / 2).min() > 0


@pytest.mark.parametrize("spread", [0.0, 3.0, 8.0])
def test_gradients_come_to_what_factors_give(spread: float) -> None:
    edges, strengths, rng = tangle(2000, spread=spread)
    matrix = pulled(2000, edges, strengths, rng.uniform(0.1, 1, 2000))
    right = rng.normal(3, 1, (2000, 20))
    found = solved(matrix, right)
    wanted = solve(matrix, right, right, "direct", 0.0, Job())
    np.testing.assert_allclose(found, wanted, atol=1e-4 * np.abs(wanted).max())


def test_parts_and_points_without_edges() -> None:
    edges, strengths, rng = tangle(300)
    apart = np.concatenate([edges, edges + 300])
    matrix = pulled(650, apart, np.tile(strengths, 2))
    right = rng.normal(size=(650, 3))
    found = solved(matrix, right)
    np.testing.assert_allclose(found[600:], right[600:], atol=1e-5)
    part = components(650, apart)
    for column in range(3):  # what is held at 1 keeps its sum, part by part
        np.testing.assert_allclose(
            np.bincount(part, found[:, column]), np.bincount(part, right[:, column]), atol=1e-3
        )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(n: int) -> None:
    edges = np.array([[0, 1], [1, 2]][: n - 1]).reshape(-1, 2)
    matrix = pulled(n, edges, np.full(len(edges), 1e6))
    right = np.arange(n, dtype=float)[:, None]
    np.testing.assert_allclose(
        solved(matrix, right), np.linalg.solve(matrix.toarray(), right), atol=1e-5
    )


@pytest.mark.parametrize("spread", [0.0, 8.0])
def test_columns_may_be_of_any_size(spread: float) -> None:
    edges, strengths, rng = tangle(400, spread=spread)
    matrix = pulled(400, edges, strengths)
    right = rng.normal(size=(400, 1))
    sizes = 10.0 ** np.array([-60, -30, 0, 30, 60])
    found = solved(matrix, right * sizes) / sizes
    np.testing.assert_allclose(found, np.repeat(solved(matrix, right), 5, axis=1), atol=1e-5)


def test_nothing_to_solve_for() -> None:
    edges, strengths, _ = tangle(50)
    assert not solved(pulled(50, edges, strengths), np.zeros((50, 4))).any()


def test_a_path_of_equal_edges_is_many_groups() -> None:
    path = np.column_stack([np.arange(999), np.arange(1, 1000)])
    sizes = Multigrid(pulled(1000, path, np.full(999, 1e9)), Job()).sizes
    assert 200 < sizes[1] < 500
    assert sizes[-1] == 1


def test_held_points_are_left_as_they_are() -> None:
    edges, strengths, _ = tangle(200, spread=0.0)
    assert Multigrid(pulled(200, edges, 1e-3 * strengths), Job()).sizes == [200]


def test_steps_hardly_grow_with_the_weights() -> None:
    class Counted(Job):
        steps = 0

        def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
            self.steps += 1

    told = []
    for strength in (1e2, 1e6):
        edges, strengths, rng = tangle(3000, spread=1.0)
        job = Counted()
        right = rng.normal(size=(3000, 1))
        matrix = pulled(3000, edges, strength * strengths)
        found = solve(matrix, right, np.zeros_like(right), "gradients", 0.0, job)
        told.append(job.steps)
        left = np.linalg.norm(right - matrix @ found)
        assert left <= 2 * PRECISION * np.linalg.norm(right)
    assert told[1] < 2 * told[0] < 3000


def test_it_can_be_stopped_at_any_step() -> None:
    class StoppedAt(Job):
        def __init__(self, left: int) -> None:
            super().__init__()
            self.left = left

        def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
            self.left -= 1
            if self.left == 0:
                self.cancel()
            super().step(done, total, text)

    edges, strengths, rng = tangle(400)
    matrix, right = pulled(400, edges, strengths), rng.normal(size=(400, 2))
    for when in (1, 3, 10, 40):
        with pytest.raises(Cancelled):
            solve(matrix, right, right, "gradients", 0.0, StoppedAt(when))
