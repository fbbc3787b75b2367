from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from engine import strategies
from engine.errors import ParameterError, UsageError
from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.model import Clustering, Pair, Query, Verdict
from engine.problem import Problem, StepCache
from engine.session import Session
from engine.strategies.cobras import Cobras, CobrasParams, Splitter
from tests.unit.playing import Judge, expert, played

# Four tight triples on a line: halves of halves, without a tie.
LINE = np.array([[0.0, 0.01, 0.03, 1.0, 1.01, 1.03, 5.0, 5.01, 5.03, 6.3, 6.31, 6.33]]).T
TRIPLES = np.repeat(np.arange(4), 3)


def play(
    problem: Problem, judge: Judge, budget: int = 10_000
) -> tuple[list[tuple[Query, Verdict]], Clustering]:
    strategy = strategies.make("cobras", {})
    return played(strategy, problem, judge, budget)


def splitter(problem: Problem, starts: int = 10) -> Splitter:
    return Splitter(problem, starts, "test", Job())


def parts(problem: Problem, k: int) -> list[list[int]]:
    found = splitter(problem)
    whole = found.whole()
    assert whole is not None
    return [sorted(part.items.tolist()) for part in found.split(whole, k)]


def test_a_yes_ends_the_search_for_a_level_and_halves_once() -> None:
    asked, _ = play(Problem(LINE), lambda _: Verdict.SAME, 2)
    halves = [sorted(part) for part in parts(Problem(LINE), 2)]
    assert halves == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    first = asked[0][0].pair
    assert [sum(item in half for item in first) for half in halves] == [1, 1]
    # that yes joins the two parts, so the next question is about the halves of one of them
    assert sum(item < 6 for item in asked[1][0].pair) in {0, 2}


def test_each_no_doubles_the_parts() -> None:
    asked, _ = play(Problem(LINE), expert(TRIPLES), 6)
    (one, _), (two, _), (three, said) = asked[:3]
    assert {item // 6 for item in one.pair} == {0, 1}
    assert len({item // 6 for item in two.pair}) == 1  # within a half: two triples
    assert len({item // 3 for item in two.pair}) == 2
    assert len({item // 3 for item in three.pair}) == 1  # within a triple: yes
    assert said is Verdict.SAME
    # two no: four parts, all told apart but what the search for the level settled
    merged = [query.pair for query, _ in asked[3:]]
    assert all(len({item // 3 for item in pair}) == 2 for pair in merged)


def test_shows_the_last_complete_merge_put_right_by_the_answers() -> None:
    _, found = play(Problem(LINE), expert(TRIPLES), 1)
    # one group but for what the no moved: one of the two medoids
    assert sorted(np.bincount(found.labels).tolist()) == [1, 11]
    asked, found = play(Problem(LINE), expert(TRIPLES), 40)
    assert adjusted_rand_index(found.labels, TRIPLES) == 1
    assert len(asked) < 40


def test_asks_the_closest_clusters_first() -> None:
    asked, _ = play(Problem(LINE), expert(TRIPLES), 8)
    gaps = [abs(float(LINE[q.pair.a, 0] - LINE[q.pair.b, 0])) for q, _ in asked[3:]]
    of_merge = [gap for gap in gaps if gap > 0.5]
    assert of_merge == sorted(of_merge)


def test_a_split_does_not_depend_on_other_draws_or_the_order_filed() -> None:
    points = np.random.default_rng(5).random((40, 3))
    order = np.random.default_rng(6).permutation(40)
    plain, busy, moved = Problem(points), Problem(points), Problem(points[order])
    busy.rng("cobras.split").random(7)
    busy_splitter = splitter(busy)
    whole = busy_splitter.whole()
    assert whole is not None
    busy_splitter.split(whole, 3)
    assert parts(plain, 5) == parts(busy, 5)
    back = [sorted(order[part].tolist()) for part in parts(moved, 5)]
    assert sorted(back) == sorted(parts(plain, 5))


def test_a_part_without_items_to_ask_about_joins_the_nearest() -> None:
    problem = Problem(LINE, set_aside=frozenset({9, 10, 11}))
    found = parts(problem, 4)
    assert sorted(item for part in found for item in part) == list(range(12))
    assert [6, 7, 8, 9, 10, 11] in found
    left = Problem(LINE, set_aside=frozenset(range(2, 12)))
    assert len(parts(left, 2)) == 2  # the two that may be asked about, though close
    nothing = Problem(LINE, set_aside=frozenset(range(12)))
    asked, shown = play(nothing, expert(TRIPLES))
    assert not asked
    assert shown.n_groups == 1


def test_copies_are_split_too() -> None:
    found = parts(Problem(np.zeros((5, 2))), 2)
    assert [len(part) for part in found] == [3, 2]


def test_a_pair_left_unsure_gives_way_to_the_next_closest() -> None:
    asked, found = play(Problem(LINE), lambda _: Verdict.UNSURE)
    assert len({query.pair for query, _ in asked}) == len(asked)
    assert len(asked) == 12 * 11 // 2  # in the end all
    assert found.labels.shape == (12,)


def test_splits_are_kept_so_that_replay_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = StepCache()
    points = np.random.default_rng(1).random((60, 2))
    truth = (points[:, 0] * 3).astype(int)
    first = play(Problem(points, steps=steps), expert(truth), 80)

    def refuse(*_: object) -> None:
        raise AssertionError("a split was computed again")

    monkeypatch.setattr(Splitter, "_kmeans", refuse)
    again = play(Problem(points, steps=steps), expert(truth), 80)
    assert [q.pair for q, _ in first[0]] == [q.pair for q, _ in again[0]]
    np.testing.assert_array_equal(first[1].labels, again[1].labels)


def test_reference_value_on_iris() -> None:
    """The authors' program has a mean ARI of 0.87 over 200 questions (peers.md)."""
    data = load_iris()
    points, kept = np.unique(data.data, axis=0, return_index=True)
    points = (points - points.min(0)) / np.ptp(points, axis=0)
    truth = data.target[kept]
    session = Session(Problem(points), "cobras", {})
    curve: list[float] = []
    while len(curve) < 200 and (question := session.ask()) is not None:
        session.tell(question.pair, expert(truth)(question.pair))
        curve.append(adjusted_rand_index(session.clustering.labels, truth))
    curve += curve[-1:] * (200 - len(curve))
    assert np.mean(curve) > 0.85


def test_tells_nothing_and_weighs_nothing() -> None:
    strategy = Cobras(CobrasParams())
    with pytest.raises(UsageError, match="not been started"):
        strategy.clustering()
    assert strategy.report() == {}
    assert not strategy.tolerant
    assert not strategy.overhear(Pair(0, 1), Verdict.SAME)
    with pytest.raises(ParameterError, match="starts"):
        strategies.make("cobras", {"starts": "0"})
