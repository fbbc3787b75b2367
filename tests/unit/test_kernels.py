from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import rbf_kernel

from engine import kernels
from engine.errors import Cancelled
from engine.job import Job
from engine.kernels import KernelMatrix, Rbf, median_width
from engine.kernels import matrix as matrix_module

JOB = Job()


def cloud(n: int = 90, d: int = 5) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).random((n, d)), dtype=torch.float32)


def full(points: torch.Tensor, sigma: float = 0.25) -> np.ndarray:
    return rbf_kernel(points.double().numpy(), gamma=1 / (2 * sigma**2))


@pytest.mark.parametrize("tile", [2**24, 70 * 70 * 16, 16])
def test_means_sums_and_columns_are_those_of_the_full_matrix(
    monkeypatch: pytest.MonkeyPatch, tile: int
) -> None:
    monkeypatch.setattr(matrix_module, "TILE_BYTES", tile)
    points = cloud()
    matrix, expected = KernelMatrix(points, Rbf(0.25)), full(points)
    np.testing.assert_allclose(matrix.means(JOB), expected.mean(0), rtol=1e-12)
    np.testing.assert_allclose(matrix.column(7, JOB), expected[:, 7], rtol=1e-12)
    chosen = list(range(0, 90, 4))
    np.testing.assert_allclose(matrix.sums(chosen, JOB), expected[:, chosen].sum(1), rtol=1e-12)
    part = np.array([3, 80, 5], dtype=np.int32)
    np.testing.assert_allclose(
        matrix.part(part).means(JOB), expected[np.ix_(part, part)].mean(0), rtol=1e-12
    )


@pytest.mark.parametrize("sigma", [5e-324, 1e-200, 1e200, 1e308, float("inf")])
def test_widths_whose_square_is_no_number(sigma: float) -> None:
    points = cloud(10)
    expected = 1.0 if sigma > 1 else 0.1  # all alike, or like themselves only
    np.testing.assert_allclose(KernelMatrix(points, Rbf(sigma)).means(JOB), expected)


def test_never_holds_more_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = 2**16
    monkeypatch.setattr(matrix_module, "TILE_BYTES", budget)
    largest = 0

    def watched(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        nonlocal largest
        values = Rbf(0.25)(rows, columns)
        largest = max(largest, values.nbytes)
        return values

    matrix = KernelMatrix(cloud(700), watched)
    matrix.means(JOB)
    matrix.sums(range(0, 700, 2), JOB)
    assert 0 < largest <= budget


def test_distances_between_copies_are_exactly_zero() -> None:
    points = torch.cat([cloud(40), cloud(40)])
    for rows, apart in kernels.distances(points, [3, 43, 10], JOB):
        np.testing.assert_allclose(apart, cdist(points[rows], points[[3, 43, 10]]), rtol=1e-6)
        assert apart[3, 1] == apart[43, 0] == 0
        np.testing.assert_array_equal(apart[:, 0], apart[:, 1])


def test_the_work_can_be_stopped() -> None:
    job = Job()
    job.cancel()
    matrix = KernelMatrix(cloud(), Rbf(0.25))
    for work in (
        matrix.means,
        lambda job: matrix.column(0, job),
        lambda job: matrix.sums([1], job),
    ):
        with pytest.raises(Cancelled):
            work(job)


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int, str]] = []
    KernelMatrix(cloud(), Rbf(0.25)).means(Job(lambda *step: seen.append(step)), "Comparing")
    assert seen[-1] == (1, 1, "Comparing")


def test_median_width_is_a_share_of_the_median_distance() -> None:
    points = cloud(101)
    rng = np.random.default_rng(0)
    expected = np.median(pdist(points.double().numpy()))
    assert median_width(points, 1, rng, JOB) == pytest.approx(expected, rel=1e-6)
    assert median_width(points, 0.25, rng, JOB) == pytest.approx(expected / 4, rel=1e-6)
    assert median_width(3 * points, 1, rng, JOB) == pytest.approx(3 * expected, rel=1e-6)
    assert median_width(points.flip(0), 1, rng, JOB) == pytest.approx(expected, rel=1e-6)


def test_median_width_leaves_copies_out() -> None:
    points = torch.tensor([[0.0], [0.0], [0.0], [0.0], [3.0]])
    assert median_width(points, 1, np.random.default_rng(0), JOB) == 3
    assert median_width(torch.ones(9, 2), 1, np.random.default_rng(0), JOB) == kernels.FIXED_WIDTH
    assert median_width(torch.ones(1, 2), 1, np.random.default_rng(0), JOB) == kernels.FIXED_WIDTH


def test_median_width_of_many_points_looks_at_a_seeded_part() -> None:
    points = cloud(2500, 2)
    one, same, other = (median_width(points, 1, np.random.default_rng(s), JOB) for s in (1, 1, 2))
    assert one == same != other
    assert one == pytest.approx(other, rel=0.05)
