"""Baselines of compositional methods: formulas, and thirds against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.mixture import GaussianMixture

from engine.clusterers import make as make_clusterer
from engine.compositional import make
from engine.compositional.baselines import oracle_singletons
from engine.compositional.membership import Composed
from engine.compositional.mixtures import responsibilities, thresholded
from engine.constraints import Constraints
from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.problem import Problem
from tests.unit.planted import planted


def run(method: str, points: np.ndarray, **params: object) -> tuple[Composed, dict]:
    made = make(method, {name: str(value) for name, value in params.items()})
    return made.compose(Problem(points), Constraints(), Job()), made.report()


def blobs(n: int = 90, p: int = 3) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, p)) + 5 * np.eye(p)[np.arange(n) % 3]


def test_responsibilities_by_their_formula() -> None:
    squares = torch.tensor([[1.0, 4.0, 9.0], [0.0, 1.0, 2.0], [0.0, 0.0, 3.0]]).double()
    found = responsibilities(squares, 1.2)
    d = np.array([1.0, 2.0, 3.0])
    expected = [1 / sum((one / other) ** (2 / 0.2) for other in d) for one in d]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    assert found[1:].tolist() == [[1, 0, 0], [0.5, 0.5, 0]]
    assert responsibilities(torch.full((1, 2), 1e-300).double(), 1.01).tolist() == [[0.5, 0.5]]


def test_thresholds() -> None:
    shares = np.array(
        [[0.5, 0.4, 0.1], [0.9, 0.05, 0.05], [0.335, 0.33, 0.335], [1 / 3, 1 / 3, 1 / 3]]
    )
    assert thresholded(shares, 2) == [(0, 1), (0,), (0, 2), (0,)]
    assert thresholded(shares, 1) == [(0,), (0,), (0,), (0,)]
    assert thresholded(np.array([[0.3, 0.4, 0.26, 0.04]]), 2) == [(0, 1)]
    assert thresholded(np.ones((1, 1)), 2) == [(0,)]


def test_fuzzy_means_rest_where_their_formula_puts_them() -> None:
    points = blobs()
    found, report = run("fcm", points, groups=3)
    assert found.groups == 3
    centres = torch.from_numpy(found.centres.astype(np.float64))
    squares = torch.cdist(torch.from_numpy(points), centres).square()
    shares = responsibilities(squares, 1.2).numpy()
    raised = shares**1.2
    np.testing.assert_allclose(raised.T @ points / raised.sum(0)[:, None], found.centres, atol=2e-2)
    assert min(line["objective"] for line in report["trace"]) == pytest.approx(
        float((raised * squares.numpy()).sum()), rel=1e-3
    )
    assert found.item_sets()[0] == (0,)


@pytest.mark.parametrize("shape", ["diagonal", "full"])
def test_mixtures_come_to_the_likelihood_of_scikit_learn(shape: str) -> None:
    points = blobs(150)
    found, report = run("gmm", points, groups=3, shape=shape)
    theirs = GaussianMixture(
        3, covariance_type="diag" if shape == "diagonal" else "full", random_state=0
    ).fit(points)
    assert report["trace"][-1]["objective"] == pytest.approx(theirs.score(points), abs=5e-3)
    shares = theirs.predict_proba(points)
    sets = thresholded(shares, 2)
    assert compositional_rand_index(sets, found.item_sets()) > 0.98


def test_full_covariances_that_do_not_fit() -> None:
    with pytest.raises(ResourceError, match="full covariances of 500 features"):
        run("gmm", np.random.default_rng(0).random((9, 500)), groups=2, shape="full", memory=1)


@pytest.mark.parametrize("method", ["fcm", "gmm"])
def test_mixtures_between_two_groups(method: str) -> None:
    points = np.array([[0.0], [0.1], [-0.1], [4.0], [4.1], [3.9], [2.0]])
    found, _ = run(method, points, groups=2, compose="mean")
    assert found.item_sets()[0] == (0,)
    assert found.item_sets()[3] == (1,)
    with pytest.raises(ParameterError, match="at most 7"):
        run(method, points, groups=8)


def test_ward_as_sets() -> None:
    points = blobs()
    found, _ = run("ward-sets", points, groups=3)
    tahc = make_clusterer("tahc", {"groups": "3", "linkage": "ward"})
    labels = tahc.cluster(Problem(points), Constraints(), Job()).labels
    assert found.item_sets() == [(label,) for label in labels.tolist()]
    np.testing.assert_allclose(found.centres[0], points[labels == 0].mean(0), rtol=1e-5)


def test_oracle_singletons() -> None:
    truth = [("a", "b"), {"a"}, ("b", "a"), ("b",)]
    assert oracle_singletons(truth) == [(0,), (1,), (0,), (2,)]
    _, planted_sets = planted(4, 2, "sum", 0)
    oracle = oracle_singletons(planted_sets)
    assert compositional_rand_index(planted_sets, oracle) == pytest.approx(0.879, abs=5e-4)
