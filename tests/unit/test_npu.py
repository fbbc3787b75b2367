from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from engine import forest, penalised
from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.model import Clustering, Pair, Query, Verdict
from engine.problem import Problem
from engine.session import Session
from engine.strategies import make
from engine.strategies.npu import uncertainty
from tests.unit.playing import Judge, expert, played


def blobs(n: int = 90, k: int = 3, spread: float = 0.25) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    truth = np.arange(n) % k
    return np.eye(k)[truth] + rng.normal(0, spread, (n, k)), truth


def play(
    problem: Problem, judge: Judge, budget: int, groups: int = 0
) -> tuple[list[tuple[Query, Verdict]], Clustering]:
    strategy = make("mpck-npu", {"groups": str(groups)})
    return played(strategy, problem, judge, budget)


def test_uncertainty_is_entropy_per_expected_question() -> None:
    alike = np.array([[0.2, 0.2, 0.4], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.3, 0.0, 0.3]])
    share, worth = uncertainty(alike, told=False)
    np.testing.assert_allclose(share[0], [0.25, 0.25, 0.5])
    np.testing.assert_allclose(share[2], [1 / 3, 1 / 3, 1 / 3])  # like none: any
    # entropies in bits; 1, 2 and 3 questions, the likeliest first
    expected = [1.5 / (0.5 + 0.5 + 0.75), 0, np.log2(3) / 2, 1 / 1.5]
    np.testing.assert_allclose(worth, expected, atol=1e-12)
    _, told = uncertainty(alike, told=True)  # 1, 2 and 2 questions: the third follows
    np.testing.assert_allclose(told, [1.5 / 1.5, 0, np.log2(3) / (5 / 3), 1 / 1.5], atol=1e-12)
    assert uncertainty(alike[:, :1], told=True)[1].tolist() == [0, 0, 0, 0]


def test_takes_the_greatest_uncertainty_and_asks_the_likeliest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points, truth = blobs(30, 3, 0.05)
    alike = np.tile([1.0, 0.0, 0.0], (30, 1))
    alike[20] = [0.2, 0.3, 0.0]
    alike[23] = [0.1, 0.3, 0.0]  # less certain than the others, more than 20
    monkeypatch.setattr(
        forest, "likeness", lambda leaf, members, job: alike[:, : len(members)].copy()
    )
    strategy = make("mpck-npu", {})
    run, judge = strategy.run(Problem(points), Job()), expert(truth)
    query, met = next(run), []
    while len(met) < 4:
        if len(strategy._members) >= 2 and ({20, 23} & {*query.pair}):
            item = next(iter({20, 23} & {*query.pair}))
            (other,) = {*query.pair} - {item}
            met.append((item, [other in own for own in strategy._members].index(True)))
        query = run.send(Verdict.DIFFERENT if len(met) % 2 else judge(query.pair))
    items = [item for item, _ in met]
    assert items.index(20) < items.index(23)
    assert met[0] == (20, 1)  # the likeliest neighbourhood first


def test_where_the_forest_is_sure_of_all_no_item_comes_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points, truth = blobs(60, 3, 0.02)
    first = np.zeros((60, 3))
    first[:, 0] = 1
    monkeypatch.setattr(
        forest, "likeness", lambda leaf, members, job: first[:, : len(members)].copy()
    )
    asked, found = play(Problem(points), expert(truth), 10_000, groups=3)
    assert sum("no doubt" in str(query.reason) for query, _ in asked) > 50
    pairs = [query.pair for query, _ in asked]
    assert len(set(pairs)) == len(pairs) <= 59 * 2
    assert adjusted_rand_index(found.labels, truth) == 1
    start = asked[0][0].pair  # the first is random, the second the farthest from it
    far = [np.square(points - points[item]).sum(1).argmax() for item in start]
    assert far[0] == start.b or far[1] == start.a


def test_finds_one_item_of_every_group_soon() -> None:
    points, truth = blobs(100, 5, 0.1)
    _, found = play(Problem(points), expert(truth), 20, groups=5)
    assert adjusted_rand_index(found.labels, truth) > 0.95
    _, alone = play(Problem(points), expert(truth), 20)
    assert alone.n_groups == 5


def test_what_was_left_unsure_waits_and_comes_back_with_another_example() -> None:
    points, truth = blobs(24, 2)
    doubtful: set[Pair] = set()

    def judge(pair: Pair) -> Verdict:
        if len(doubtful) < 3:
            doubtful.add(pair)
            return Verdict.UNSURE
        return expert(truth)(pair)

    asked, found = play(Problem(points), judge, 1000)
    again = [at for at, (query, _) in enumerate(asked) if "Nobody was sure" in str(query.reason)]
    assert again
    assert again == list(range(again[0], len(asked)))
    assert adjusted_rand_index(found.labels, truth) == 1


def test_reference_values_on_iris() -> None:
    data = load_iris()
    points = np.unique(data.data.astype(np.float32), axis=0, return_index=True)[1]
    truth, rows = data.target[points], data.data[points]
    rows = (rows - rows.min(0)) / np.ptp(rows, axis=0)
    for budget, least in ((0, 0.6), (30, 0.87), (100, 0.98)):
        _, found = play(Problem(rows), expert(truth), budget, groups=3)
        assert adjusted_rand_index(found.labels, truth) >= least
    _, found = play(Problem(rows), expert(truth), 60)
    assert adjusted_rand_index(found.labels, truth) >= 0.88


def test_undo_picks_and_fits_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    points, truth = blobs()
    session = Session(Problem(points), "mpck-npu", {"groups": "3"})
    for _ in range(12):
        question = session.ask()
        assert question is not None
        session.tell(question.pair, expert(truth)(question.pair))
    monkeypatch.setattr(penalised, "fit", lambda *_, **__: pytest.fail("fitted anew"))
    monkeypatch.setattr(forest, "leaves", lambda *_, **__: pytest.fail("grown anew"))
    session.undo()
    session.undo()
    session.redo()
