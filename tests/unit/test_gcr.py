"""GCR: hand cases, reasons to stop, thresholds, planted compositions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.compositional import make
from engine.compositional.functions import function
from engine.compositional.gcr import (
    ALL_DONE,
    BASES,
    COMPOSED_PART,
    IS_A_PART,
    THRESHOLD,
    TOO_FEW,
    GcrParams,
    Reassigned,
    reassigned,
    suggested_tau,
)
from engine.compositional.sets import count
from engine.constraints import Constraints
from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.model import Pair, Verdict
from engine.problem import Problem
from tests.unit.planted import planted


def run(centres: list[list[float]], tau: float, **params) -> Reassigned:
    tensor = torch.tensor(centres, dtype=torch.float64)
    return reassigned(tensor, function("sum"), GcrParams(**params), tau, Job())


def test_one_of_three_is_composed_of_the_others() -> None:
    found = run([[1, 0], [0, 1], [1, 1.1]], 0.4)
    np.testing.assert_allclose(found.gaps, [4.41, 4.01, 0.01])
    assert found.nearest == ((1, 2), (0, 2), (0, 1))
    assert found.sets == ((0,), (1,), (0, 1))
    assert (found.order, found.parts, found.stopped) == ((2,), (0, 1), THRESHOLD)


@pytest.mark.parametrize(
    ("last", "first", "reason"),
    [([[1, 1], [2, 1]], (0, 1), COMPOSED_PART), ([[2, 1], [1, 1]], (0, 3), IS_A_PART)],
)
def test_a_composition_is_no_part(last, first: tuple[int, ...], reason: str) -> None:
    centres = [[1, 0], [0, 1], *last]
    found = run(centres, 0.4)
    assert found.gaps[2:].tolist() == [0, 0]
    assert found.order == (2,)
    assert found.sets[2] == first
    assert found.stopped == reason
    skipping = run(centres, 0.4, on_conflict="skip")
    assert (skipping.order, skipping.stopped) == ((2,), THRESHOLD)


def test_thresholds_and_ends() -> None:
    noisy = [[1, 0.01], [0, 1], [1.02, 1], [5, 5]]
    assert run(noisy, 0).sets == ((0,), (1,), (2,), (3,))
    assert run(noisy, 1e9).stopped in {COMPOSED_PART, IS_A_PART}
    skipping = run(noisy, 1e9, on_conflict="skip")
    assert skipping.stopped == ALL_DONE
    assert not set(skipping.order) & set(skipping.parts)
    assert run([[1, 0], [0, 1]], 9).stopped == TOO_FEW
    assert run(noisy, 1e9, degree=1).stopped == THRESHOLD


def test_directions_alone_may_be_compared() -> None:
    found = run([[1, 0], [0, 1], [7, 7]], 1e-9, normalize=True)
    assert found.sets[2] == (0, 1)


def test_a_suggested_threshold_follows_the_spread() -> None:
    points = torch.tensor([[0.0], [2.0], [10.0], [10.0], [20.0], [26.0]], dtype=torch.float64)
    labels = np.array([0, 0, 1, 1, 2, 2])
    centres = torch.tensor([[1.0], [10.0], [23.0]], dtype=torch.float64)
    assert suggested_tau(points, centres, labels, Job(), normalize=False) == 4
    assert suggested_tau(points, centres, labels, Job(), normalize=True) == 0.4


@pytest.mark.parametrize("compose", ["sum", "max"])
@pytest.mark.parametrize(("k", "degree", "least"), [(3, 2, 1), (4, 2, 1), (5, 2, 1), (3, 3, 0.75)])
def test_planted(compose: str, k: int, degree: int, least: float) -> None:
    points, truth = planted(k, degree, compose, 0)
    method = make(
        "gcr",
        {
            "compose": compose,
            "degree": str(degree),
            "groups": str(count(k, degree)),
            "tau": "0.3",
        },
    )
    found = method.compose(Problem(points), Constraints(), Job())
    assert compositional_rand_index(truth, found.item_sets()) >= least
    if least == 1:
        assert found.groups == k
        assert len(found.compositions) == count(k, degree) - k
        assert max(one.fit for one in found.compositions) < 0.5


def test_the_threshold_suggested_finds_what_was_planted() -> None:
    points, truth = planted(4, 2, "sum", 1)
    method = make("gcr", {"groups": "10"})
    answers = Constraints()
    answers.add(Pair(0, 1), Verdict.SAME, 1)
    found = method.compose(Problem(points), answers, Job())
    report = method.report()
    assert compositional_rand_index(truth, found.item_sets()) == 1
    assert report["tau_suggested"] is True
    assert report["tau"] == pytest.approx(4 * 20 * 0.05**2, rel=0.3)
    assert report["stopped"] == THRESHOLD
    assert len(report["trace"]) == len(report["composed"]) == 6
    assert report["warnings"] == ["gcr knows no answers: those given had no part in this grouping."]


@pytest.mark.parametrize("base", BASES)
def test_after_any_base(base: str) -> None:
    points, _ = planted(3, 2, "sum", 0, each=8)
    groups = "0" if base.startswith("rcc") else "6"
    found = make("gcr", {"base": base, "groups": groups}).compose(
        Problem(points), Constraints(), Job()
    )
    assert found.memberships.shape == (48, found.groups)
    assert found.memberships.any(1).all()


@pytest.mark.parametrize("choose", ["silhouette", "gap"])
def test_the_number_to_begin_with_is_found_out(choose: str) -> None:
    points, truth = planted(3, 2, "sum", 0, each=10)
    method = make("gcr", {"choose": choose, "most": "9"})
    found = method.compose(Problem(points), Constraints(), Job())
    assert method.report()["base_groups"] == 6, method.report()["tried"]
    assert compositional_rand_index(truth, found.item_sets()) == 1


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"base": "rcc", "groups": "3"}, "finds out the number"),
        ({"groups": "9"}, "at most 4"),
        ({"groups": "2", "degree": "5"}, "from 1 to 4"),
        ({"groups": "2", "compose": "product"}, "compose must be one of"),
    ],
)
def test_mistakes(params: dict[str, str], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        make("gcr", params).compose(Problem(np.eye(4)), Constraints(), Job())


def test_small_and_alike() -> None:
    for points, groups in (([[1.0]], 1), ([[1.0], [1.0]], 2), (np.ones((5, 2)), 4)):
        found = make("gcr", {"groups": str(groups)}).compose(Problem(points), Constraints(), Job())
        assert found.n == len(points)
        assert np.isfinite(found.fit).all()
    with pytest.raises(ResourceError, match="400 groups make 80,200 sets"):
        make("gcr", {"groups": "400", "memory": "200"}).compose(
            Problem(np.eye(400)), Constraints(), Job()
        )
