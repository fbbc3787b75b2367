from __future__ import annotations

import numpy as np
import pytest

from engine.metrics import adjusted_rand_index
from engine.model import Clustering, Pair, Query, Verdict
from engine.problem import Problem
from engine.session import Session
from engine.strategies import make
from tests.unit.playing import Judge, expert, played

NAMES = ("explore-consolidate", "active-pck")


def blobs(n: int = 90, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    truth = np.arange(n) % k
    centres = np.eye(k)
    return centres[truth] + rng.normal(0, 0.08, (n, k)), truth


def play(
    problem: Problem, judge: Judge, budget: int, name: str = NAMES[0], groups: int = 0
) -> tuple[list[tuple[Query, Verdict]], Clustering]:
    strategy = make(name, {"groups": str(groups)})
    return played(strategy, problem, judge, budget)


def test_explores_the_farthest_item_first_then_asks_at_random() -> None:
    points, truth = blobs()
    asked, _ = play(Problem(points), expert(truth), 40, groups=3)
    far = [query for query, _ in asked if "farthest" in str(query.reason)]
    assert len(far) <= 3  # each far item shows a new group: 1 + 2 questions, or 1 + 1 if implied
    assert [query for query, _ in asked[: len(far)]] == far
    assert all("at random" in str(query.reason) for query, _ in asked[len(far) :])
    start = far[0].pair
    apart = np.square(points - points[start.a]).sum(1), np.square(points - points[start.b]).sum(1)
    assert apart[0].argmax() == start.b or apart[1].argmax() == start.a


def test_a_known_number_of_groups_saves_the_last_question() -> None:
    points, truth = blobs(k=2)
    asked, found = play(Problem(points), expert(truth), 1000, groups=2)
    assert len(asked) == len(points) - 1  # one per item, whatever the answer
    assert adjusted_rand_index(found.labels, truth) == 1


def test_nothing_is_inferred_where_somebody_was_not_sure() -> None:
    points, truth = blobs(12, 2)
    left = iter([Verdict.DIFFERENT, Verdict.UNSURE])
    asked, _ = play(Problem(points), lambda p: next(left, expert(truth)(p)), 1000, groups=2)
    unsure = next(query.pair for query, verdict in asked if verdict is Verdict.UNSURE)
    item = next(i for i in unsure if sum(i in query.pair for query, _ in asked[:2]) == 1)
    later = [verdict for query, verdict in asked[2:] if item in query.pair]
    assert later


def test_what_was_left_unsure_comes_back_with_another_example() -> None:
    points, truth = blobs(20, 2)
    doubtful: set[Pair] = set()

    def judge(pair: Pair) -> Verdict:
        if len(doubtful) < 3:
            doubtful.add(pair)
            return Verdict.UNSURE
        return expert(truth)(pair)

    asked, found = play(Problem(points), judge, 1000)
    assert any("Nobody was sure" in str(query.reason) for query, _ in asked)
    assert adjusted_rand_index(found.labels, truth) == 1


def test_without_a_number_it_stops_exploring_and_still_finds_late_groups() -> None:
    points, truth = blobs(60, 3)
    inside = np.vstack([points, points.mean(0, keepdims=True)])  # never far from anything
    late = np.append(truth, 3)
    asked, found = play(Problem(inside), expert(late), 10_000)
    assert found.n_groups == 4
    assert sum("farthest" in str(query.reason) for query, _ in asked) < 40


@pytest.mark.parametrize("name", NAMES)
def test_the_number_of_groups_holds_from_the_first_answer_on(name: str) -> None:
    points, truth = blobs(90, 3)
    for budget in (0, 1, 5):
        _, found = play(Problem(points), expert(truth), budget, name, groups=3)
        assert found.n_groups == 3
    _, few = play(Problem(points[:2]), expert(truth[:2]), 5, name, groups=9)
    assert few.labels.tolist() == [0, 1]


@pytest.mark.parametrize("name", NAMES)
def test_good_groups_after_few_answers(name: str) -> None:
    points, truth = blobs(150, 5)
    _, found = play(Problem(points), expert(truth), 20, name, groups=5)
    assert adjusted_rand_index(found.labels, truth) > 0.95


def test_both_ask_the_same() -> None:
    points, truth = blobs()
    one, other = (play(Problem(points), expert(truth), 60, name)[0] for name in NAMES)
    assert one == other


def test_undo_fits_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine import penalised

    points, truth = blobs()
    session = Session(Problem(points), NAMES[0], {"groups": "3"})
    for _ in range(10):
        question = session.ask()
        assert question is not None
        session.tell(question.pair, expert(truth)(question.pair))
    monkeypatch.setattr(penalised, "fit", lambda *_, **__: pytest.fail("fitted anew"))
    session.undo()
    session.undo()
    session.redo()
