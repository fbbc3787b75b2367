"""What every compositional method keeps to, whatever it does."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine import compositional
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.model import Pair, Verdict
from engine.problem import Problem

METHODS = list(compositional.REGISTRY)


def made(method: str, groups: int, **params: str) -> compositional.Composer:
    """Make a method that is told the number of groups if it takes one."""
    known = {one.name for one in compositional.parameters(method)}
    texts = {"groups": str(groups), "restarts": "3", "rounds": "30", **params}
    return compositional.make(method, {name: text for name, text in texts.items() if name in known})


def points(n: int = 30) -> np.ndarray:
    rng = np.random.default_rng(0)
    singles = rng.random((3, 6))
    sets = [[0], [1], [2], [0, 1], [1, 2]]
    return np.stack([singles[sets[i % 5]].sum(0) for i in range(n)]) + 0.03 * rng.random((n, 6))


@pytest.mark.parametrize("method", METHODS)
def test_sets_for_all_and_a_report_for_json(method: str) -> None:
    composer = made(method, 3)
    found = composer.compose(Problem(points()), Constraints(), Job())
    assert found.memberships.shape == (30, found.groups)
    assert found.memberships.any(1).all()
    assert found.memberships.any(0).all()
    assert found.centres.shape == (found.groups, 6)
    assert np.isfinite(found.fit).all()
    assert not np.isnan(found.apart).any()
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    assert list(found.sets) == sorted(set(found.sets), key=lambda one: (len(one), one))
    assert found.degree <= 2
    report = json.loads(json.dumps(composer.report(), allow_nan=False))
    assert all(isinstance(line, dict) for line in report["trace"])
    assert report["warnings"] == [] or all(isinstance(one, str) for one in report["warnings"])


@pytest.mark.parametrize("method", METHODS)
def test_deterministic_given_the_seed(method: str) -> None:
    one, other = (made(method, 3).compose(Problem(points(), 5), Constraints(), Job()) for _ in "ab")
    assert one.sets == other.sets
    for name in ("chosen", "fit", "apart", "centres"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rows", "groups"),
    [([[3.0, 1.0]], 1), ([[0.0], [1.0]], 2), ([[1.0], [1.0]], 1), (np.zeros((7, 2)), 2)],
)
def test_one_item_two_items_copies_and_constants(method: str, rows, groups: int) -> None:
    found = made(method, groups).compose(Problem(rows), Constraints(), Job())
    assert found.n == len(rows)
    assert found.memberships.any(1).all()
    assert np.isfinite(found.fit).all()
    assert not np.isnan(found.confidence).any()


@pytest.mark.parametrize("method", METHODS)
def test_answers_are_used_or_said_to_be_left_aside(method: str) -> None:
    answers = Constraints()
    answers.add(Pair(0, 1), Verdict.SAME, 1)
    answers.add(Pair(0, 2), Verdict.UNSURE, 2)
    composer = made(method, 3)
    composer.compose(Problem(points()), answers, Job())
    warnings = composer.report()["warnings"]
    assert isinstance(warnings, list)
    assert any("no answers" in one for one in warnings)


@pytest.mark.parametrize("method", METHODS)
def test_stops_when_asked_to(method: str) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        made(method, 3).compose(Problem(points()), Constraints(), job)


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_told_in_a_sentence(method: str) -> None:
    for one in compositional.parameters(method):
        assert one.help.endswith("."), one.name
    with pytest.raises(ParameterError, match="has no parameter"):
        compositional.make(method, {"nonsense": "1"})


def test_unknown_methods() -> None:
    with pytest.raises(ParameterError, match="no compositional method 'cup'"):
        compositional.make("cup", {})
