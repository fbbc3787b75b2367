"""Problem and step cache: nothing twice, nothing beyond the budget, nothing written to."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import EmbeddingError
from engine.model import IntArray
from engine.problem import Problem, StepCache

POINTS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize("points", [[], [1.0, 2.0], np.zeros((0, 3))])
def test_refuses_what_has_no_rows(points: object) -> None:
    with pytest.raises(EmbeddingError, match="at least one row"):
        Problem(np.array(points))


def test_points_are_a_copy_that_nobody_writes_to() -> None:
    given = POINTS.copy()
    problem = Problem(given)
    given[0] = 99
    assert problem.points[0].tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        problem.points[0, 0] = 1


def test_one_memory_serves_every_run_of_a_problem() -> None:
    problem = Problem(POINTS)
    other = problem.without(frozenset({1}))
    assert other.set_aside == {1}
    assert other.steps is problem.steps
    for one in (problem, other):
        assert one.tensor.numpy().ctypes.data == problem.points.ctypes.data


def test_other_points_and_other_shapes_have_another_fingerprint() -> None:
    shared = StepCache()
    several = [POINTS, POINTS + 1, POINTS.reshape(4, 3), POINTS[::-1]]
    found = {Problem(points, steps=shared).fingerprint for points in several}
    assert len(found) == 4
    assert Problem(POINTS, seed=9).without(frozenset({2})).fingerprint in found


def test_streams_differ_by_purpose_and_seed_and_not_by_order() -> None:
    one, other = Problem(POINTS, seed=1), Problem(POINTS, seed=2)
    late = one.rng("b"), one.rng("a")
    assert one.rng("a").integers(1 << 40) == late[1].integers(1 << 40)
    assert one.rng("b").integers(1 << 40) == late[0].integers(1 << 40)
    drawn = {int(p.rng(name).integers(1 << 60)) for p in (one, other) for name in "ab"}
    assert len(drawn) == 4


@pytest.mark.parametrize(
    "wrap",
    [
        lambda array: array,
        lambda array: (array, "x"),
        lambda array: {"found": [array]},
        lambda array: Problem(array[:, None]),
    ],
)
def test_what_is_held_stays_within_the_budget(wrap: object) -> None:
    cache = StepCache(budget=10_000)
    made: list[int] = []

    def take(key: int) -> object:
        def compute() -> object:
            made.append(key)
            return wrap(np.zeros(1000, dtype=np.float32))  # type: ignore[operator]

        return cache.get(key, compute)

    assert take(0) is take(0)
    for key in (1, 2):
        take(key)
    take(2)
    take(0)
    assert made == [0, 1, 2, 0]


class Drawer:
    """A shelf in memory."""

    def __init__(self) -> None:
        self.held: dict[str, IntArray] = {}

    def load_indices(self, key: str) -> IntArray | None:
        return self.held.get(key)

    def save_indices(self, key: str, indices: IntArray) -> None:
        self.held[key] = indices


def test_item_ids_are_computed_once_for_all_sessions() -> None:
    drawer = Drawer()
    found = StepCache(shelf=drawer).indices("a", lambda: [3, 1])
    again = StepCache(shelf=drawer).indices("a", lambda: pytest.fail("computed again"))
    assert found.dtype == again.dtype == np.int32
    assert again.tolist() == [3, 1]


def test_what_fails_is_not_kept() -> None:
    cache = StepCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 2) == 2
