from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from engine import clusterers
from engine.clusterers.rcc.reduced import Codes, RccDrParams, shrunk
from engine.constraints import Constraints
from engine.job import Job
from engine.metrics import adjusted_mutual_information, adjusted_rand_index
from engine.problem import Problem


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    return load_digits(return_X_y=True)


def grouped(points, **params: object):
    method = clusterers.make("rcc-dr", {key: str(value) for key, value in params.items()})
    return method.cluster(Problem(points), Constraints(), Job()), method.report()


def test_soft_threshold() -> None:
    np.testing.assert_allclose(shrunk(np.array([0.5, -0.5, 0.1]), 0.2), [0.3, -0.3, 0])


def test_without_a_price_codes_over_a_whole_basis_stay() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 5))
    basis = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    codes = Codes(points, basis, RccDrParams(gamma=0.0), Job())
    codes.move(codes.codes, 1)
    np.testing.assert_allclose(codes.codes, points @ basis, atol=1e-12)


def test_a_dictionary_that_suits_the_codes_is_kept() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 5))
    basis = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    codes = Codes(points, basis, RccDrParams(), Job())
    codes.learn()
    np.testing.assert_allclose(codes.dictionary, basis, rtol=1e-3, atol=1e-3)


def test_the_cost_is_that_of_the_formula() -> None:
    points = np.array([[1.0, 2.0], [3.0, -4.0]])
    codes = Codes(points, np.array([[1.0], [0.0]]), RccDrParams(gamma=0.5), Job())
    # missed 2² + 4², codes 1 and 3, beta = 1e-4 (1 + 9)
    assert codes.cost() == pytest.approx(20 / 2 + 0.5 * 4 + 1e-3 / 2)


@pytest.mark.parametrize(
    ("dimensions", "groups", "ami", "ari"), [(64, 11, 0.900, 0.810), (20, 12, 0.900, 0.809)]
)
def test_digits_as_they_are(digits, dimensions: int, groups: int, ami: float, ari: float) -> None:
    points, truth = digits
    found, _ = grouped(points, dimensions=dimensions)
    assert found.n_groups == groups
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(ami, abs=0.002)
    assert adjusted_rand_index(truth, found.labels) == pytest.approx(ari, abs=0.002)


@pytest.mark.parametrize(("dimensions", "ami"), [(20, 0.908), (64, 0.767)])
def test_digits_between_0_and_1(digits, dimensions: int, ami: float) -> None:
    points, truth = digits
    found, _ = grouped(points / 16, dimensions=dimensions, floor=0)
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(ami, abs=0.003)


def test_a_floor_matters_only_below_it() -> None:
    rng = np.random.default_rng(0)
    points = 10 * rng.normal(size=(60, 4)) * np.linspace(1, 3, 4)
    low, high = (grouped(points, floor=floor)[1]["trace"][0]["mu_data"] for floor in (0, 1e9))
    assert high == 1e9
    # all four dimensions are kept, so codes spread as the points do
    spread = np.square(points - points.mean(axis=0)).sum(axis=1).mean()
    assert low == pytest.approx(8 * 2 * spread, rel=1e-5)
