from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from engine import diffusion, neighbors
from engine.errors import ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.model import Clustering, IntArray, Pair, Query, Verdict
from engine.problem import Problem, StepCache
from engine.session import Session
from engine.strategies import Strategy, make
from tests.unit.playing import Judge, expert, played


class _Counting(StepCache):
    """Counts how often items were chosen."""

    asked = 0

    def indices(self, key: str, compute: Callable[[], npt.ArrayLike]) -> IntArray:
        self.asked += 1
        return super().indices(key, compute)


def blobs(n: int = 90, k: int = 3, spread: float = 0.08) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    truth = np.arange(n) % k
    return np.eye(k)[truth] + rng.normal(0, spread, (n, k)), truth


def rings(n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    """One ring inside another: float[n, 2], int[n]."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(angle), np.sin(angle)], 1) * (1 + truth)[:, None], truth


def play(
    problem: Problem, judge: Judge, budget: int, **params: str
) -> tuple[list[tuple[Query, Verdict]], Clustering, Strategy]:
    strategy = make("acdm", params)
    return *played(strategy, problem, judge, budget), strategy


def test_the_first_two_items_are_those_that_reach_most_doubt() -> None:
    points, truth = blobs()
    asked, _, _ = play(Problem(points), expert(truth), 1)
    near = neighbors.nearest(points.astype(np.float32), 10, Job())
    links = diffusion.Diffusion.over(near, 0.85, Job()).links.toarray()
    spread = np.linalg.inv(np.eye(len(points)) - links)
    first = int(spread.sum(1).argmax())
    one = spread[:, first] / spread[first, first]
    doubt = (1 - one / (0.05 + one)) ** 2
    doubt[first] = 0
    second = int((doubt * (spread @ doubt)).argmax())
    assert asked[0][0].pair == Pair.of(first, second)


def test_few_answers_do_for_separate_groups() -> None:
    points, truth = blobs(300, 3)
    _, found, _ = play(Problem(points), expert(truth), 3)
    assert adjusted_rand_index(found.labels, truth) == 1


def test_labels_go_round_a_ring() -> None:
    points, truth = rings()
    _, found, _ = play(Problem(points), expert(truth), 12, neighbours="5")
    assert adjusted_rand_index(found.labels, truth) == 1


def test_the_likeliest_group_is_compared_first_by_its_nearest_member() -> None:
    points, truth = blobs(120, 4)
    asked, _, _ = play(Problem(points), expert(truth), 60)
    late = asked[30:]
    assert sum(verdict is Verdict.SAME for _, verdict in late) > 0.9 * len(late)
    seen: set[int] = set()
    for query, _ in asked:
        if query.instead:
            shared = set(query.pair).intersection(*query.instead)
            (item,) = shared
            apart = [
                np.square(points[pair.a] - points[pair.b]).sum()
                for pair in (query.pair, *query.instead)
            ]
            assert apart == sorted(apart)
            others = {member for pair in query.instead for member in pair} - {item}
            assert others <= seen
        seen.update(query.pair)


def test_an_item_told_apart_from_its_likeliest_group_is_shown_alone() -> None:
    points, truth = blobs(300, 3)
    asked, found, _ = play(Problem(points), expert(truth), 1)
    assert asked[0][1] is Verdict.DIFFERENT
    assert found.n_groups == 2
    # the third group's first item was told apart from one of two groups: it is shown already
    asked, found, _ = play(Problem(points), expert(truth), 2)
    assert asked[1][1] is Verdict.DIFFERENT
    assert found.n_groups == 3


def test_what_nothing_reaches_goes_to_the_nearest() -> None:
    far = np.concatenate([np.random.default_rng(0).random((20, 2)) + shift for shift in (0, 9, 40)])
    truth = np.repeat([0, 1, 1], 20)
    _, found, strategy = play(Problem(far), expert(truth), 1, neighbours="3")
    assert strategy.report() == {"found": 2, "parts": 3}
    placed = {int(np.searchsorted([20, 40], item, side="right")) for item in found.exemplars}
    assert found.n_groups == 2
    for part in {0, 1, 2} - placed:
        rows = slice(20 * part, 20 * part + 20)
        nearest = min(placed, key=lambda other: abs((0, 9, 40)[part] - (0, 9, 40)[other]))
        assert set(found.labels[rows]) == {found.labels[20 * nearest]}
        assert not found.confidence[rows].any()


def test_reasons_and_worth_are_those_of_the_moment() -> None:
    points, truth = blobs(90, 2, spread=0.35)
    asked, _, _ = play(Problem(points), expert(truth), 60)
    reasons = [str(query.reason) for query, _ in asked]
    assert "little of what was answered so far reaches it" in reasons[0]
    assert any("do not agree" in reason for reason in reasons)
    worths = [query.worth for query, _ in asked]
    assert max(worths[:5]) > max(worths[-5:])


def test_what_was_left_unsure_comes_back_with_another_example() -> None:
    points, truth = blobs(20, 2)
    doubtful: set[Pair] = set()

    def judge(pair: Pair) -> Verdict:
        if len(doubtful) < 3:
            doubtful.add(pair)
            return Verdict.UNSURE
        return expert(truth)(pair)

    asked, found, _ = play(Problem(points), judge, 1000)
    assert any("Nobody was sure" in str(query.reason) for query, _ in asked)
    assert adjusted_rand_index(found.labels, truth) == 1


def test_a_batch_is_chosen_at_once() -> None:
    points, truth = blobs(200, 3, spread=0.4)
    one, _, _ = play(Problem(points), expert(truth), 40)
    many, _, _ = play(Problem(points), expert(truth), 40, batch="8")
    assert [query.pair for query, _ in one] != [query.pair for query, _ in many]
    steps = _Counting()
    play(Problem(points, steps=steps), expert(truth), 40, batch="8")
    assert steps.asked <= 1 + 40 / 8


def test_a_reach_of_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="below 1"):
        make("acdm", {"reach": "1"})
    with pytest.raises(ParameterError, match="above"):
        make("acdm", {"reach": "0"})


def test_undo_and_redo_diffuse_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    points, truth = blobs(spread=0.3)
    session = Session(Problem(points), "acdm", {})
    for _ in range(12):
        question = session.ask()
        assert question is not None
        session.tell(question.pair, expert(truth)(question.pair))
    monkeypatch.setattr(diffusion.Diffusion, "spread", lambda *_: pytest.fail("diffused anew"))
    for _ in itertools.repeat(None, 3):
        session.undo()
    session.redo()
