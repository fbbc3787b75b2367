from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from engine.metrics import (
    adjusted_mutual_information,
    adjusted_rand_index,
    compositional_rand_index,
    normalized_mutual_information,
    rand_index,
)

MEASURES = [
    (rand_index, reference.rand_score),
    (adjusted_rand_index, reference.adjusted_rand_score),
    (normalized_mutual_information, reference.normalized_mutual_info_score),
    (adjusted_mutual_information, reference.adjusted_mutual_info_score),
]


@pytest.mark.parametrize(("ours", "theirs"), MEASURES)
@pytest.mark.parametrize(("n", "k"), [(2, 2), (7, 3), (60, 5), (500, 40), (3000, 3)])
def test_agrees_with_scikit_learn(ours, theirs, n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, k, n), rng.integers(0, 2 * k, n)
    near = np.where(rng.random(n) < 0.1, b, a)
    for other in (b, near, a):
        assert ours(a, other) == pytest.approx(theirs(a, other), abs=1e-12)


@pytest.mark.parametrize(("measure", "_theirs"), MEASURES)
@given(labels=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_knows_no_sides_and_no_names(measure, _theirs, labels: list[tuple[int, int]]) -> None:
    a = np.array([one for one, _ in labels], dtype=int)
    b = np.array([other for _, other in labels], dtype=int)
    assert measure(a, b) == pytest.approx(measure(b, a), abs=1e-12)
    assert measure(a, b) == pytest.approx(measure(10 - a, 3 * b - 7), abs=1e-12)
    assert measure(a, a) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("measure", "_theirs"), MEASURES)
def test_trivial_labellings(measure, _theirs) -> None:
    assert measure([], []) == 1
    assert measure([4], [7]) == 1
    assert measure([1, 1, 1], [0, 0, 0]) == 1
    assert measure([0, 1, 2], [2, 0, 1]) == pytest.approx(1)


def test_values_worked_out_by_hand() -> None:
    # of the six pairs of 0011 and 0012, five agree
    assert rand_index([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(5 / 6)
    assert adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(4 / 7)
    assert adjusted_rand_index([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(-0.5)
    assert normalized_mutual_information([0, 0, 1, 1], [0, 1, 0, 1]) == 0


@pytest.mark.parametrize(("measure", "_theirs"), MEASURES)
def test_refuses_labellings_of_different_items(measure, _theirs) -> None:
    with pytest.raises(ValueError, match="same items"):
        measure([0, 1], [0, 1, 2])


def by_definition(a, b) -> float:
    n = len(a)
    agreed = [
        (set(a[i]) <= set(a[j])) == (set(b[i]) <= set(b[j]))
        for i in range(n)
        for j in range(n)
        if i != j
    ]
    return sum(agreed) / len(agreed)


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ([{1}, {2}, {1, 2}], [{5}, {7}, {5, 7}], 1),
        ([{1}, {2}, {1, 2}], [{1}, {2}, {3}], 2 / 3),
        ([{1}, {2}, {1, 2}], [{1}, {1}, {1}], 1 / 3),
        ([{1}, {1}, {2}, {1, 2}], [{1}, {1}, {2}, {1, 2}], 1),
        ([{1}, {1}, {2}, {1, 2}], [{1}, {1}, {2}, {3}], 0.75),
        ([{1}, {1}, {2}, {1, 2}], [{1}, {1}, {1, 2}, {2}], 0.5),
        ([("a", "b")], [(1,)], 1),
        ([], [], 1),
    ],
)
def test_compositional_rand_index_by_hand(truth, found, expected: float) -> None:
    assert compositional_rand_index(truth, found) == pytest.approx(expected, abs=1e-15)
    assert compositional_rand_index(found, truth) == pytest.approx(expected, abs=1e-15)


SOME = st.frozensets(st.integers(0, 3), min_size=1, max_size=3)


@given(labels=st.lists(st.tuples(SOME, SOME), min_size=2, max_size=9))
def test_compositional_rand_index_is_its_definition(labels) -> None:
    a, b = [one for one, _ in labels], [other for _, other in labels]
    assert compositional_rand_index(a, b) == pytest.approx(by_definition(a, b), abs=1e-15)
    assert compositional_rand_index(a, [{f"g{i}" for i in one} for one in a]) == 1


@pytest.mark.parametrize(("n", "k"), [(7, 3), (500, 40), (3000, 3)])
def test_of_single_groups_it_is_the_rand_index(n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, k, n), rng.integers(0, 2 * k, n)
    sets = [[{one} for one in labels.tolist()] for labels in (a, b)]
    assert compositional_rand_index(*sets) == pytest.approx(rand_index(a, b), abs=1e-12)


@pytest.mark.parametrize(("k", "degree", "expected"), [(3, 2, 0.832), (4, 2, 0.879), (3, 3, 0.753)])
def test_an_oracle_of_single_groups(k: int, degree: int, expected: float) -> None:
    sets = [set(s) for r in range(1, degree + 1) for s in combinations(range(k), r)]
    truth = [one for one in sets for _ in range(20)]
    fresh = [{sets.index(one)} for one in truth]
    assert compositional_rand_index(truth, fresh) == pytest.approx(expected, abs=5e-4)


def test_sets_that_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="some group"):
        compositional_rand_index([{1}, set()], [{1}, {2}])
    with pytest.raises(ValueError, match="same items"):
        compositional_rand_index([{1}, {2}], [{1}])
