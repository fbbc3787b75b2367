"""The kernel matrix: columns, sums, means and parts, from tiles of any size and from features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from torch._subclasses import FakeTensorMode

from engine import kernels
from engine.errors import Cancelled
from engine.job import Job
from engine.kernels import KERNELS, KernelMatrix, Rbf
from engine.kernels import matrix as matrix_module

JOB = Job()
PART = np.array([3, 80, 5], dtype=np.int32)


def cloud(n: int = 90, d: int = 5) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).random((n, d)), dtype=torch.float32)


def full(points: torch.Tensor, name: str = "rbf", sigma: float = 0.25) -> np.ndarray:
    apart = torch.from_numpy(cdist(points.double(), points.double()))
    return kernels.kernel(name, sigma).of_distances(apart).numpy()


def whole(points: torch.Tensor) -> torch.Tensor:
    """Give features that are as good as the kernel matrix itself."""
    return torch.linalg.cholesky(torch.from_numpy(full(points)).double()).float()


@pytest.mark.parametrize("tile", [2**24, 70 * 70 * 16, 16])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("d", [1, 5, 784])
def test_results_are_those_of_the_full_matrix(
    monkeypatch: pytest.MonkeyPatch, tile: int, name: str, d: int
) -> None:
    monkeypatch.setattr(matrix_module, "TILE_BYTES", tile)
    points = cloud(d=d)
    sigma = 0.25 * np.sqrt(d)
    matrix, expected = KernelMatrix(points, kernels.kernel(name, sigma)), full(points, name, sigma)
    # The root of a distance of 0 that the dot product rounded to 1e-15 is 3e-8.
    near = {"rtol": 1e-12, "atol": 1e-6 if name == "laplacian" else 1e-14}
    assert matrix.n == 90
    np.testing.assert_allclose(matrix.means(JOB), expected.mean(0), rtol=1e-12)
    np.testing.assert_allclose(matrix.column(7, JOB), expected[:, 7], rtol=1e-12)
    chosen = list(range(0, 90, 4))
    np.testing.assert_allclose(matrix.columns(chosen, JOB), expected[:, chosen], rtol=1e-12)
    np.testing.assert_allclose(matrix.sums(chosen, JOB), expected[:, chosen].sum(1), **near)
    part = matrix.part(PART)
    block = expected[np.ix_(PART, PART)]
    np.testing.assert_allclose(part.means(JOB), block.mean(0), rtol=1e-12)
    np.testing.assert_allclose(part.column(1, JOB), block[:, 1], rtol=1e-12)


def test_of_no_columns() -> None:
    matrix = KernelMatrix(cloud(), Rbf(0.25))
    assert matrix.columns([], JOB).shape == (90, 0)
    assert torch.equal(matrix.sums([], JOB), matrix.zeros())
    assert matrix.part(PART[:0]).n == 0


def test_of_one_point() -> None:
    matrix = KernelMatrix(cloud(1), Rbf(0.25))
    assert matrix.means(JOB).tolist() == matrix.column(0, JOB).tolist() == [1]
    assert matrix.columns([0, 0], JOB).tolist() == [[1, 1]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_copies_and_constant_columns(dtype: torch.dtype) -> None:
    points = torch.hstack([cloud(40, 3), torch.full((40, 2), 7.0)]).repeat(2, 1)
    matrix = KernelMatrix(points, Rbf(0.25), dtype=dtype)
    columns = matrix.columns(range(80), JOB)
    assert torch.equal(columns, columns.T)
    assert torch.equal(columns[:40], columns[40:])
    assert bool((columns.diagonal() == 1).all())


@pytest.mark.parametrize("sigma", [5e-324, 1e-200, 1e200, 1e308, float("inf")])
def test_widths_whose_square_is_no_number(sigma: float) -> None:
    points = cloud(10)
    expected = 1.0 if sigma > 1 else 0.1  # all alike, or like themselves only
    np.testing.assert_allclose(KernelMatrix(points, Rbf(sigma)).means(JOB), expected)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_points_whose_distances_have_no_square_in_float32(scale: float) -> None:
    expected = full(cloud())
    matrix = KernelMatrix(cloud() * scale, Rbf(0.25 * scale), whole(cloud()))
    assert matrix.dtype == torch.float64
    np.testing.assert_allclose(matrix.column(3, JOB), expected[:, 3], rtol=1e-5)


def test_never_holds_more_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = 2**16
    monkeypatch.setattr(matrix_module, "TILE_BYTES", budget)
    largest = 0

    class Watched(Rbf):
        def of_squared_(self, squared: torch.Tensor) -> torch.Tensor:
            nonlocal largest
            largest = max(largest, squared.nbytes)
            return Rbf.of_squared_(self, squared)

    matrix = KernelMatrix(cloud(700), Watched(0.25))
    matrix.means(JOB)
    matrix.sums(range(0, 700, 2), JOB)
    matrix.column(3, JOB)
    assert 0 < largest <= budget


def test_distances_come_in_blocks_and_are_exactly_zero_between_copies() -> None:
    points = torch.cat([cloud(40), cloud(40)])
    matrix = KernelMatrix(points, Rbf(0.25))
    seen = 0
    for rows, apart in matrix.distances([3, 43, 10], JOB):
        assert rows.start == seen
        seen = rows.stop
        np.testing.assert_allclose(apart, cdist(points[rows], points[[3, 43, 10]]), rtol=1e-6)
        assert apart[3, 1] == apart[43, 0] == 0
        assert torch.equal(apart[:, 0], apart[:, 1])
        expected = matrix.columns([3, 43, 10], JOB)[rows]
        assert torch.equal(matrix.of_distances(apart), expected)
    assert seen == 80


class TestWithFeatures:
    def test_columns_are_exact_all_the_same_and_means_come_from_the_features(self) -> None:
        points, expected = cloud(), full(cloud())
        poor = KernelMatrix(points, Rbf(0.25), torch.zeros(90, 2))
        np.testing.assert_allclose(poor.column(7, JOB), expected[:, 7], atol=1e-6)
        np.testing.assert_allclose(poor.columns([1, 7], JOB), expected[:, [1, 7]], atol=1e-6)
        np.testing.assert_allclose(poor.sums([1, 7], JOB), expected[:, [1, 7]].sum(1), atol=1e-6)
        np.testing.assert_allclose(poor.means(JOB), 1 / 90)  # nothing but the diagonal

    @pytest.mark.parametrize("rows", [1, 7, 4096])
    def test_means_of_all_and_of_parts(self, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
        monkeypatch.setattr(matrix_module, "_FEATURE_ROWS", rows)
        monkeypatch.setattr(matrix_module, "SMALL", 2)
        points, expected = cloud(), full(cloud())
        matrix = KernelMatrix(points, Rbf(0.25), whole(points))
        np.testing.assert_allclose(matrix.means(JOB), expected.mean(0), rtol=1e-5)
        part = matrix.part(PART)
        block = expected[np.ix_(PART, PART)]
        np.testing.assert_allclose(part.means(JOB), block.mean(0), rtol=1e-5)
        members = np.arange(5, 85, 2, dtype=np.int32)
        inner = np.array([30, 2, 11], dtype=np.int32)
        block = expected[np.ix_(members[inner], members[inner])]
        found = matrix.part(members).part(inner).means(JOB)
        np.testing.assert_allclose(found, block.mean(0), rtol=1e-5)

    def test_means_of_small_parts_are_exact(self) -> None:
        part = KernelMatrix(cloud(), Rbf(0.25), torch.zeros(90, 2)).part(PART)
        expected = full(cloud())[np.ix_(PART, PART)].mean(0)
        np.testing.assert_allclose(part.means(JOB), expected, rtol=1e-5)

    def test_sums_over_many_points_do_not_drift(self) -> None:
        """Of 200,000 points, added up in float32 one by one, the mean would be off by 1e-3."""
        n = 200_000
        features = torch.full((n, 1), 0.1**0.5)
        matrix = KernelMatrix(torch.zeros(n, 1), Rbf(1.0), features)
        found = matrix.means(JOB)
        np.testing.assert_allclose(found, 0.1 * (n - 1) / n + 1 / n, rtol=2e-6)

    def test_the_points_are_never_copied_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(matrix_module, "TILE_BYTES", 2**14)
        points, copied = cloud(3000, 8), []
        rows_of = KernelMatrix._rows
        monkeypatch.setattr(
            KernelMatrix,
            "_rows",
            lambda self, items: copied.append(rows := rows_of(self, items)) or rows,
        )
        matrix = KernelMatrix(points, Rbf(0.25), torch.zeros(3000, 2))
        matrix.column(5, JOB)
        matrix.sums(range(40), JOB)
        assert max(rows.nbytes for rows in copied) <= 2**14
        start, end = points.data_ptr(), points.data_ptr() + points.nbytes
        views = [rows for rows in copied if start <= rows.data_ptr() < end]
        assert sum(map(len, views)) == 2 * 3000


class TestTypes:
    def test_float64_where_all_is_exact(self) -> None:
        matrix = KernelMatrix(cloud(), Rbf(0.25))
        assert matrix.dtype == matrix.sum_dtype == torch.float64
        assert matrix.column(0, JOB).dtype == matrix.means(JOB).dtype == torch.float64

    @pytest.mark.parametrize("part", [False, True])
    def test_float32_values_and_float64_sums_with_features(self, part: bool) -> None:
        matrix = KernelMatrix(cloud(), Rbf(0.25), whole(cloud()))
        matrix = matrix.part(PART) if part else matrix
        assert matrix.dtype == matrix.column(0, JOB).dtype == torch.float32
        assert next(matrix.distances([0], JOB))[1].dtype == torch.float32
        for sums in (matrix.means(JOB), matrix.sums([0, 1], JOB), matrix.zeros()):
            assert sums.dtype == matrix.sum_dtype == torch.float64

    def test_float32_throughout_where_there_is_no_float64(self) -> None:
        with FakeTensorMode():
            matrix = KernelMatrix(torch.empty(9, 2, device="mps"), Rbf(0.25))
            assert matrix.dtype == matrix.sum_dtype == matrix.zeros().dtype == torch.float32

    def test_as_asked_for(self) -> None:
        matrix = KernelMatrix(cloud(), Rbf(0.25), dtype=torch.float32)
        assert matrix.dtype == matrix.part(PART).column(0, JOB).dtype == torch.float32
        np.testing.assert_allclose(matrix.means(JOB), full(cloud()).mean(0), rtol=1e-5)


@pytest.mark.parametrize("features", [False, True])
def test_all_stays_on_the_device_of_the_points(features: bool) -> None:
    """Without a graphics card: "meta" is a device of its own, and none may be mixed with it."""
    with FakeTensorMode():
        points = torch.empty(5000, 3, device="meta")
        known = torch.empty(5000, 4, device="meta") if features else None
        matrix = KernelMatrix(points, Rbf(0.25), known)
        with pytest.raises(RuntimeError, match="same device"):
            matrix.zeros() + torch.zeros(5000)
        for part in (matrix, matrix.part(PART), matrix.part(np.arange(4000)).part(PART)):
            found = [
                part.column(1, JOB),
                part.columns([0, 2], JOB),
                part.sums([0, 1], JOB),
                part.sums([0, 1] * 20, JOB),
                part.means(JOB),
                next(part.distances([1], JOB))[1],
            ]
            assert {tensor.device.type for tensor in found} == {"meta"}


@pytest.mark.parametrize("features", [False, True])
@pytest.mark.parametrize(
    "work",
    [
        KernelMatrix.means,
        lambda matrix, job: matrix.column(0, job),
        lambda matrix, job: matrix.sums([1], job),
        lambda matrix, job: list(matrix.distances([1], job)),
    ],
)
def test_the_work_can_be_stopped_between_tiles(
    monkeypatch: pytest.MonkeyPatch, features: bool, work: Callable[[KernelMatrix, Job], object]
) -> None:
    class Impatient(Job):
        steps = 0

        def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
            Impatient.steps += 1
            if Impatient.steps == 3:
                self.cancel()
            super().step(done, total, text)

    monkeypatch.setattr(matrix_module, "TILE_BYTES", 2**10)
    monkeypatch.setattr(matrix_module, "_FEATURE_ROWS", 16)
    matrix = KernelMatrix(cloud(900), Rbf(0.25), torch.zeros(900, 2) if features else None)
    with pytest.raises(Cancelled):
        work(matrix, Impatient())
    assert Impatient.steps == 3


@pytest.mark.parametrize("features", [False, True])
def test_progress_is_reported(features: bool) -> None:
    seen: list[tuple[int, int, str]] = []
    matrix = KernelMatrix(cloud(), Rbf(0.25), torch.zeros(90, 2) if features else None)
    matrix.means(Job(lambda *step: seen.append(step)), "Comparing")
    assert seen[-1] == ((2, 2, "Comparing") if features else (1, 1, "Comparing"))
