"""Components: a first guess is checked, and its groups are merged and split by answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.clusterers.rcc import Rcc, RccParams
from engine.constraints import Constraints, Known
from engine.job import Job
from engine.model import Clustering, Pair, Query, Verdict
from engine.problem import Problem, StepCache
from engine.strategies import Strategy, make
from engine.strategies.components import parts
from tests.unit.playing import Judge, expert, played

Guess = Callable[[list[int]], None]
DIFFERENT, SAME, UNSURE = Verdict.DIFFERENT, Verdict.SAME, Verdict.UNSURE


@pytest.fixture
def guess(monkeypatch: pytest.MonkeyPatch) -> Guess:
    """Let the first guess be what a test says it is."""

    def put(labels: list[int]) -> None:
        class Given(Rcc):
            def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
                return Clustering.of(np.array(labels), np.full(problem.n, 0.5, np.float32))

        monkeypatch.setitem(parts.METHODS, "rcc", (Given, RccParams))

    return put


def play(
    problem: Problem, judge: Judge, budget: int, **params: str
) -> tuple[list[tuple[Query, Verdict]], Clustering, Strategy]:
    strategy = make("components", params)
    return *played(strategy, problem, judge, budget), strategy


def line(*places: float) -> np.ndarray:
    return np.array(places)[:, None]


def pairs(asked: list[tuple[Query, Verdict]]) -> list[tuple[int, int]]:
    return [tuple(query.pair) for query, _ in asked]


def together(found: Clustering) -> list[list[int]]:
    return [np.flatnonzero(found.labels == group).tolist() for group in range(found.n_groups)]


def always(verdict: Verdict) -> Judge:
    return lambda _: verdict


# ---------------------------------------------------------------------- the first guess


def test_before_any_answer_the_first_guess_is_shown_and_none_of_it_is_sure() -> None:
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(3), 30, axis=0) + rng.normal(0, 0.05, (90, 3))
    _, found, _ = play(Problem(points), always(SAME), 0)
    rcc = Rcc(RccParams(stretch=16.0, metric="euclidean"))
    shown = rcc.cluster(Problem(points), Constraints(), Job())
    assert found.labels.tolist() == shown.labels.tolist()
    assert not found.confidence.any()


def test_the_first_guess_is_made_once_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shelf:
        def __init__(self) -> None:
            self.kept: dict[str, np.ndarray] = {}

        def load_indices(self, key: str) -> np.ndarray | None:
            return self.kept.get(key)

        def save_indices(self, key: str, indices: np.ndarray) -> None:
            self.kept[key] = indices

    points = np.random.default_rng(1).random((40, 3))
    judge, shelf = expert(np.arange(40) % 3), Shelf()
    made = play(Problem(points, steps=StepCache(shelf=shelf)), judge, 30)
    monkeypatch.setattr(Rcc, "cluster", None)
    again = play(Problem(points, steps=StepCache(shelf=shelf)), judge, 30)
    assert pairs(again[0]) == pairs(made[0])
    np.testing.assert_array_equal(again[1].labels, made[1].labels)
    np.testing.assert_array_equal(again[1].confidence, made[1].confidence)


# ---------------------------------------------------------------------- questions


def test_the_largest_come_first_and_are_compared_with_the_nearest_group(guess: Guess) -> None:
    guess([0, 1, 1, 1, 2, 2, 3, 3, 3, 3])
    points = line(0.0, 1.0, 1.1, 1.21, 1.5, 1.52, 3.0, 3.1, 3.21, 3.3)
    asked, found, _ = play(Problem(points), always(DIFFERENT), 3, checks="0")
    assert pairs(asked) == [(2, 7), (2, 4), (4, 7)]
    assert [query.worth for query, _ in asked] == [3, 2, 2]
    assert together(found) == [[0], [1, 2, 3], [4, 5], [6, 7, 8, 9]]
    asked, found, _ = play(Problem(points), always(SAME), 2, checks="0")
    assert pairs(asked) == [(2, 7), (2, 4)]
    assert found.n_groups == 1  # the first is as near as those said to belong together


def test_a_set_is_split_where_its_halves_do_not_belong_together(guess: Guess) -> None:
    guess([0] * 7)
    points = line(0.0, 0.1, 0.22, 0.3, 2.0, 2.1, 2.21)
    truth = np.array([0, 0, 0, 0, 1, 1, 1])
    asked, found, _ = play(Problem(points), expert(truth), 1)
    assert set(pairs(asked)[0]) & {4, 5, 6} == {5}
    assert found.labels.tolist() == truth.tolist()
    assert "two halves" in str(asked[0][0].reason)


def test_halves_that_belong_together_stay_one_group_and_are_halved_again(guess: Guess) -> None:
    guess([0] * 8)
    points = line(0.0, 0.1, 0.22, 0.3, 2.0, 2.1, 2.6, 2.71)
    asked, found, _ = play(Problem(points), always(SAME), 3)
    assert found.n_groups == 1
    assert len(asked) == 3
    sizes = [dict(query.reason.values).get("size") for query, _ in asked]
    assert sizes == [8, 4, 4]


def test_no_more_is_asked_about_the_first_guess_than_allowed(guess: Guess) -> None:
    guess(list(range(60)))
    points = np.random.default_rng(2).random((60, 2))
    for most in (0, 7):
        asked, _, strategy = play(
            Problem(points), expert(np.arange(60) % 5), 40, questions=str(most)
        )
        assert strategy.report()["components"] == 60
        assert strategy.report()["seeding"] == most
        about = ["first guess" in str(query.reason) for query, _ in asked]
        assert about == [True] * most + [False] * (40 - most)


def test_the_other_strategy_begins_with_what_was_answered(guess: Guess) -> None:
    guess([0, 0, 0, 1, 1, 1, 2, 2, 2])
    points = line(0.0, 0.1, 0.21, 1.0, 1.1, 1.21, 2.0, 2.1, 2.21)
    truth = np.repeat([0, 1, 0], 3)
    asked, found, _ = play(Problem(points), expert(truth), 100, questions="3", then="acdm")
    assert len(asked) == len({query.pair for query, _ in asked})
    assert found.labels.tolist() == truth.tolist()
    closure = Constraints()
    for number, (query, verdict) in enumerate(asked):
        assert not closure.settles(query.pair)
        closure.add(query.pair, verdict, number)


def test_what_is_left_unsure_is_passed_over(guess: Guess) -> None:
    guess([0, 0, 0, 1, 1, 2])
    points = line(0.0, 0.1, 0.21, 1.0, 1.1, 3.0)
    asked, found, strategy = play(Problem(points), always(UNSURE), 2, checks="0")
    assert pairs(asked) == [(1, 3), (1, 5)]  # of two equally near the mean, the lower
    assert found.n_groups == 3
    assert strategy.report()["seeding"] == 2


# ---------------------------------------------------------------------- groups


def test_items_go_with_their_set_and_not_with_what_is_nearer(guess: Guess) -> None:
    guess([0, 0, 0, 0, 1, 1])
    points = line(0.0, 0.3, 0.6, 0.9, 1.0, 1.3)
    _, found, _ = play(Problem(points), always(DIFFERENT), 1, checks="0")
    assert together(found) == [[0, 1, 2, 3], [4, 5]]  # 0.9 is nearer to 1.0 than to any other


def test_sets_nobody_spoke_about_go_with_the_nearest_if_near_ones_belonged_together(
    guess: Guess,
) -> None:
    guess([0, 0, 0, 1, 1, 2, 3])
    points = line(0.0, 0.1, 0.21, 1.0, 1.1, 1.5, 9.0)
    _, found, _ = play(Problem(points), always(SAME), 1, checks="0")
    assert together(found) == [[0, 1, 2, 3, 4, 5], [6]]
    assert found.confidence[5] == found.confidence[6] == 0
    assert found.confidence[0] == 0.5
    _, found, _ = play(Problem(points), always(DIFFERENT), 1, checks="0")
    assert together(found) == [[0, 1, 2], [3, 4], [5], [6]]


def test_earlier_answers_settle_questions_and_divide_sets(guess: Guess) -> None:
    guess([0, 0, 0, 0, 1, 1, 1])
    points = line(0.0, 0.1, 0.6, 0.7, 5.0, 5.1, 5.2)
    said = [(Pair(0, 3), DIFFERENT), (Pair(3, 5), SAME)]
    problem = Problem(points).without(frozenset(), Known.of(said, frozenset()))
    asked, found, strategy = play(problem, always(SAME), 0)
    assert together(found) == [[0, 1], [2, 3, 4, 5, 6]]
    assert strategy.report()["seeding"] <= 1
    closure = Constraints()
    for number, (pair, verdict) in enumerate(said):
        closure.add(pair, verdict, number)
    asked, _, _ = play(problem, always(UNSURE), 4)
    assert asked
    assert not any(closure.settles(query.pair) for query, _ in asked)


def test_a_set_that_is_set_aside_is_not_asked_about(guess: Guess) -> None:
    guess([0, 0, 0, 1, 1, 2])
    points = line(0.0, 0.1, 0.21, 1.0, 1.1, 3.0)
    asked, found, _ = play(Problem(points, set_aside=frozenset({1, 3, 4})), always(SAME), 100)
    assert {item for pair in pairs(asked) for item in pair} == {0, 2, 5}
    assert len(found.labels) == 6


def test_copies_can_be_told_apart_within_a_set(guess: Guess) -> None:
    guess([0] * 4)
    said = [(Pair(0, 1), DIFFERENT), (Pair(0, 2), SAME), (Pair(1, 3), SAME)]
    problem = Problem(np.zeros((4, 2))).without(frozenset(), Known.of(said, frozenset()))
    _, found, _ = play(problem, always(SAME), 0)
    assert found.labels.tolist() == [0, 1, 0, 1]
