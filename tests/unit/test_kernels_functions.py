from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from engine import kernels
from engine.errors import ParameterError
from engine.kernels import KERNELS, Kernel, Laplacian, RationalQuadratic, Rbf, squared_distances

SIGMA = 0.7
EACH = pytest.mark.parametrize("name", KERNELS)


def cloud(n: int = 50, d: int = 4) -> np.ndarray:
    return np.random.default_rng(d).random((n, d))


def formula(name: str, apart: np.ndarray, sigma: float = SIGMA) -> np.ndarray:
    if name == "rbf":
        return np.exp(-(apart**2) / (2 * sigma**2))
    if name == "laplacian":
        return np.exp(-apart / sigma)
    return 1 / (1 + apart**2 / (2 * sigma**2))


@EACH
@pytest.mark.parametrize("columns", [3, 40])  # difference by difference, and by the dot product
def test_values_are_those_of_the_formula(name: str, columns: int) -> None:
    x = cloud()
    rows = torch.from_numpy(x)
    found = kernels.kernel(name, SIGMA)(rows, rows[:columns])
    np.testing.assert_allclose(found, formula(name, cdist(x, x[:columns])), atol=2e-8)


def test_values_are_those_of_sklearn() -> None:
    x = cloud()
    rows = torch.from_numpy(x)
    expected = rbf_kernel(x, gamma=1 / (2 * SIGMA**2))
    np.testing.assert_allclose(Rbf(SIGMA)(rows, rows), expected, rtol=1e-12)
    line = x[:, :1]  # where city blocks and straight lines are the same
    rows = torch.from_numpy(line)
    expected = laplacian_kernel(line, gamma=1 / SIGMA)
    np.testing.assert_allclose(Laplacian(SIGMA)(rows, rows[:9]), expected[:, :9], rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_the_rational_quadratic_has_the_tail_asked_for(alpha: float) -> None:
    x = cloud()
    rows = torch.from_numpy(x)
    expected = (1 + cdist(x, x) ** 2 / (2 * alpha * SIGMA**2)) ** -alpha
    np.testing.assert_allclose(RationalQuadratic(SIGMA, alpha)(rows, rows), expected, rtol=1e-12)


@EACH
def test_values_from_distances_are_the_same_and_leave_them_alone(name: str) -> None:
    kernel = kernels.kernel(name, SIGMA)
    apart = torch.from_numpy(cdist(cloud(), cloud()))
    before = apart.clone()
    np.testing.assert_allclose(kernel.of_distances(apart), formula(name, before.numpy()))
    assert torch.equal(apart, before)
    squared = apart.square()
    assert kernel.of_squared_(squared) is squared
    np.testing.assert_allclose(squared, formula(name, before.numpy()), rtol=1e-12)


@EACH
def test_positive_definite_symmetric_and_one_on_the_diagonal(name: str) -> None:
    apart = torch.from_numpy(cdist(cloud(30, 2), cloud(30, 2)))
    matrix = kernels.kernel(name, 0.3).of_distances(apart)
    assert torch.equal(matrix, matrix.T)
    assert torch.equal(matrix.diagonal(), torch.ones(30, dtype=torch.float64))
    assert float(torch.linalg.eigvalsh(matrix).min()) > -1e-12
    assert float(matrix.min()) >= 0


@EACH
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("sigma", [5e-324, 1e-200, 1e-30, 1e30, 1e200, float("inf")])
def test_widths_whose_square_is_no_number(name: str, dtype: torch.dtype, sigma: float) -> None:
    apart = torch.tensor([0.0, 1.0, 1e15, torch.inf], dtype=dtype)
    found = kernels.kernel(name, sigma).of_distances(apart)
    assert found[0] == 1
    assert found[3] == 0
    assert found[1] == pytest.approx(1.0 if sigma > 1 else 0.0)
    assert bool((found[1:] <= found[:-1]).all())


@EACH
def test_float32_stays_float32_and_is_near(name: str) -> None:
    x = cloud(60, 784)
    rows = torch.from_numpy(x)
    kernel = kernels.kernel(name, 4.0)
    found = kernel(rows.float(), rows.float())
    assert found.dtype == torch.float32
    off_diagonal = ~np.eye(60, dtype=bool)
    expected = formula(name, cdist(x, x), 4.0)
    np.testing.assert_allclose(found.numpy()[off_diagonal], expected[off_diagonal], atol=1e-5)


def test_float32_does_not_mind_where_the_points_are() -> None:
    rows = torch.from_numpy(cloud(60, 8)).float() + 4000
    expected = cdist(rows.double().numpy(), rows.double().numpy(), "sqeuclidean")
    np.testing.assert_allclose(squared_distances(rows, rows), expected, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_copies_are_exactly_alike_to_few_columns(dtype: torch.dtype) -> None:
    rows = torch.from_numpy(cloud(40, 9)).to(dtype).repeat(2, 1)
    squared = squared_distances(rows, rows[:3])
    assert bool((squared[:3].diagonal() == 0).all())
    assert torch.equal(squared[:40], squared[40:])


@pytest.mark.parametrize(
    "kernel",
    [Rbf(0.8), Laplacian(0.8), RationalQuadratic(0.8), RationalQuadratic(0.8, 2.5)],
    ids=str,
)
def test_frequencies_have_the_kernel_as_characteristic_function(kernel: Kernel) -> None:
    draws = kernel.frequencies(3, 40_000, np.random.default_rng(0))
    assert draws.shape == (3, 40_000)
    between = cloud(12, 3) - cloud(12, 3)[::-1] * 1.5
    found = np.cos(between @ draws).mean(1)
    apart = torch.from_numpy(np.linalg.norm(between, axis=1))
    np.testing.assert_allclose(found, kernel.of_distances(apart), atol=0.02)


def test_names() -> None:
    assert KERNELS == ("rbf", "laplacian", "rational-quadratic")
    assert kernels.kernel("rational-quadratic", 2) == RationalQuadratic(2, 1.0)
    with pytest.raises(ParameterError) as caught:
        kernels.kernel("linear", 1)
    assert caught.value.hint == "Choose one of rbf, laplacian, rational-quadratic."
