from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from engine.metrics import (
    adjusted_mutual_information,
    adjusted_rand_index,
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
