"""What every strategy of the registry promises, whatever it asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.constraints import Constraints, Known
from engine.errors import Cancelled, EmbeddingError
from engine.job import Job
from engine.metrics import adjusted_rand_index, compositional_rand_index, rand_index
from engine.model import Clustering, Cue, Pair, Verdict
from engine.problem import Problem
from engine.strategies import REGISTRY, Composing, Strategy, make

ROOT = Path(__file__).resolve().parents[2]
Judge = Callable[[Pair], Verdict]


CASES = (
    *REGISTRY,
    "falcon noise=0.1",
    "explore-consolidate groups=4",
    "acdm batch=5",
    "components questions=4 then=acdm",
    "mpck-npu groups=4",
    "hmcahc variant=which",
)
"""Registry name, and parameters of a way of asking that differs much from the usual one."""

AGAIN = 3  # how often a tolerant strategy may ask about one pair


@pytest.fixture(params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(name: str) -> Strategy:
    strategy, *params = name.split()
    return make(strategy, dict(param.split("=") for param in params))


def groups(n: int = 60, d: int = 3, k: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random groups that overlap, no two distances alike."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    return rng.random((k, d))[truth] + rng.normal(0, 0.12, (n, d)), truth


def expert(truth: np.ndarray) -> Judge:
    return lambda pair: Verdict.SAME if truth[pair.a] == truth[pair.b] else Verdict.DIFFERENT


class Heard(Constraints):
    """Facts about pairs, from which nothing follows."""

    def add(self, pair: Pair, verdict: Verdict, seq: int) -> None:
        self.hear(pair, verdict)


def play(
    name: str,
    problem: Problem,
    judge: Judge,
    budget: int,
    check: Callable[[Constraints, Clustering], None] | None = None,
) -> tuple[list[tuple[Pair, Verdict]], Clustering]:
    """Drive a strategy as a session does: what the answers settle is sent, the rest is judged."""
    strategy, closure = made(name), Constraints()
    if not strategy.transitive:
        closure = Heard()
    run = strategy.run(problem, Job())
    asked: list[tuple[Pair, Verdict]] = []
    yielded: Counter[Pair] = Counter()
    query = next(run, None)
    while query is not None and len(asked) < budget:
        pair = query.pair
        assert 0 <= pair.a < pair.b < problem.n
        assert query.fresh == strategy.tolerant
        if query.fresh:
            assert yielded[pair] < AGAIN, "asked too often"
        else:
            assert pair not in yielded, "asked twice"
            assert not closure.settles(pair), "asked what its answers settle"
        assert problem.set_aside.isdisjoint(pair), "asked about an item set aside"
        assert str(query.reason)
        assert query.worth >= 1
        yielded[pair] += 1
        asked.append((pair, judge(pair)))
        closure.add(*asked[-1], len(asked))
        try:
            query = run.send(asked[-1][1])
        except StopIteration:
            query = None
        if check is not None:
            check(closure, strategy.clustering())
    return asked, strategy.clustering()


def sound(found: Clustering, n: int) -> None:
    assert found.labels.shape == found.confidence.shape == (n,)
    assert found.labels.dtype == np.int32
    assert found.confidence.dtype == np.float32
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    labels = found.labels[found.labels >= 0]
    assert labels.max(initial=-1) + 1 == len(set(labels.tolist()))
    first = [labels.tolist().index(group) for group in range(found.n_groups)]
    assert first == sorted(first), "not numbered by first appearance"
    assert {*found.exemplars, *found.criticisms} <= set(range(n))


def keeps_to_the_answers(name: str, asked: list[tuple[Pair, Verdict]], found: Clustering) -> None:
    if made(name).tolerant:  # it may overrule them
        return
    for pair, verdict in asked:
        same = found.labels[pair.a] == found.labels[pair.b]
        if verdict is Verdict.SAME:
            assert same, f"{pair} was said to be the same"
        elif verdict is Verdict.DIFFERENT:
            assert not same, f"{pair} was said to be different"


def test_begins_with_what_another_strategy_was_told(name: str) -> None:
    """Told of sixteen items that answers joined or told apart, it groups the rest with them."""
    points, truth = groups()
    spoken = np.random.default_rng(5).choice(60, 16, replace=False)
    said = [
        (pair, expert(truth)(pair))
        for at, one in enumerate(spoken)
        for pair in (Pair.of(int(one), int(other)) for other in spoken[:at])
    ]
    problem = Problem(points).without(frozenset(), Known.of(said, frozenset()))
    settled = Constraints()
    for number, (pair, verdict) in enumerate(said):
        settled.add(pair, verdict, number)
    strategy = made(name)
    run = strategy.run(problem, Job())
    query = next(run, None)
    if isinstance(strategy, Composing):  # the fold lets it hear them, as facts about pairs
        sets = [(group,) for group in truth.tolist()]
        first = compositional_rand_index(sets, strategy.composed().item_sets())
        assert all(strategy.overhear(*fact) for fact in said)
        run.send(Cue.RECONSIDER)
        composed = strategy.composed()
        sound(strategy.clustering(), 60)
        assert all(composed.share(*pair) == (verdict is Verdict.SAME) for pair, verdict in said)
        assert compositional_rand_index(sets, composed.item_sets()) > first
        return
    while query is not None and (verdict := settled.verdict(query.pair)) is not None:
        query = run.send(verdict)  # the fold answers what is settled
    found = strategy.clustering()
    sound(found, 60)
    keeps_to_the_answers(name, said, found)
    alone = made(name)
    next(alone.run(Problem(points), Job()))
    before = adjusted_rand_index(truth, alone.clustering().labels)
    assert adjusted_rand_index(truth, found.labels) > max(0.5, before)


def test_follows_every_answer_from_the_first_to_the_last(name: str) -> None:
    points, truth = groups()
    given: list[tuple[Pair, Verdict]] = []

    def judge(pair: Pair) -> Verdict:
        given.append((pair, expert(truth)(pair)))
        return given[-1][1]

    def check(_closure: Constraints, found: Clustering) -> None:
        sound(found, 60)
        keeps_to_the_answers(name, given, found)

    if isinstance(made(name), Composing):  # in the end it asks about nearly all pairs
        _, found = play(name, Problem(points), judge, 300, check)
        assert rand_index(truth, found.labels) > 0.97
        return
    asked, found = play(name, Problem(points), judge, 100_000, check)
    assert len(asked) > 60
    # all questions answered: the groups are known
    assert (found.labels[:, None] == found.labels).tolist() == (truth[:, None] == truth).tolist()


def test_the_same_seed_asks_the_same(name: str) -> None:
    points, truth = groups()
    one, other = (play(name, Problem(points, seed=3), expert(truth), 80) for _ in range(2))
    assert one[0] == other[0]
    for field in ("labels", "confidence"):
        np.testing.assert_array_equal(getattr(one[1], field), getattr(other[1], field))
    assert one[1].exemplars == other[1].exemplars


PLAY_ALONE = """
import json, sys
import numpy as np
from engine import strategies
from engine.job import Job
from engine.model import Verdict
from engine.problem import Problem
rng = np.random.default_rng(1)
points = rng.random((50, 4))
truth = rng.integers(0, 3, 50)
shown = {}
for name in strategies.REGISTRY:
    strategy = strategies.make(name, {})
    run = strategy.run(Problem(points, 5), Job())
    query, pairs = next(run), []
    for _ in range(40):
        pairs.append(query.pair)
        same = truth[query.pair.a] == truth[query.pair.b]
        query = run.send(Verdict.SAME if same else Verdict.DIFFERENT)
    found = strategy.clustering()
    shown[name] = [pairs, found.labels.tolist(), found.confidence.tolist(), found.exemplars]
print(json.dumps(shown))
"""


def test_only_where_nothing_follows_items_belong_to_several_groups(name: str) -> None:
    strategy = made(name)
    assert isinstance(strategy, Composing) == (not strategy.transitive)
    assert strategy.transitive or strategy.tolerant


def test_two_processes_ask_the_same() -> None:
    shown = [
        subprocess.run(
            [sys.executable, "-c", PLAY_ALONE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert shown[0] == shown[1]
    assert set(json.loads(shown[0])) == set(REGISTRY)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), name=st.sampled_from(CASES))
def test_survives_unsure_anywhere(data: st.DataObject, name: str) -> None:
    points, truth = groups(18, seed=data.draw(st.integers(0, 3)))
    given: list[tuple[Pair, Verdict]] = []

    def judge(pair: Pair) -> Verdict:
        unsure = data.draw(st.booleans())
        given.append((pair, Verdict.UNSURE if unsure else expert(truth)(pair)))
        return given[-1][1]

    def check(_closure: Constraints, found: Clustering) -> None:
        sound(found, 18)
        keeps_to_the_answers(name, given, found)

    play(name, Problem(points), judge, 60, check)


@pytest.mark.parametrize("answer", list(Verdict))
def test_survives_the_same_answer_always(name: str, answer: Verdict) -> None:
    asked, found = play(name, Problem(groups()[0]), lambda _: answer, 300)
    sound(found, 60)
    keeps_to_the_answers(name, asked, found)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_items(name: str, n: int) -> None:
    truth = np.arange(n) % 2
    asked, found = play(name, Problem(groups(n)[0]), expert(truth), 10)
    at_most = n * (n - 1) // 2 * (AGAIN if made(name).tolerant else 1)
    assert n - 1 <= len(asked) <= at_most
    assert found.labels.tolist() == truth.tolist()


def test_one_item_is_one_group_that_nobody_asks_about(name: str) -> None:
    strategy = made(name)
    assert next(strategy.run(Problem([[0.5]]), Job()), None) is None
    assert strategy.clustering().labels.tolist() == [0]


def test_copies_can_be_told_apart(name: str) -> None:
    truth = np.arange(12) % 2
    problem = Problem(np.zeros((12, 2)))
    asked, found = play(name, problem, expert(truth), 1000)
    sound(found, 12)
    keeps_to_the_answers(name, asked, found)
    assert found.labels.tolist() == truth.tolist()


def test_one_column_and_constant_columns(name: str) -> None:
    points, truth = groups(30, d=1)
    wide = np.hstack([points, np.ones((30, 2))])
    for some in (points, wide):
        asked, found = play(name, Problem(some), expert(truth), 40)
        keeps_to_the_answers(name, asked, found)


def test_leaves_items_set_aside_alone(name: str) -> None:
    points, truth = groups()
    plain, _ = play(name, Problem(points), expert(truth), 60)
    aside = frozenset(item for pair, _ in plain[:10] for item in pair)
    asked, found = play(name, Problem(points, set_aside=aside), expert(truth), 60)
    assert asked
    sound(found, 60)


def test_refuses_what_is_not_a_number(name: str) -> None:
    points = groups()[0]
    points[7, 1] = np.nan
    with pytest.raises(EmbeddingError, match="row 7, column 1"):
        play(name, Problem(points), lambda _: Verdict.SAME, 1)


def test_can_be_stopped_before_and_on_the_way(name: str) -> None:
    problem = Problem(groups()[0])
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        next(made(name).run(problem, job))
    job = Job()
    run = made(name).run(problem, job)
    next(run)
    job.cancel()
    with pytest.raises(Cancelled):
        deque(iter(lambda: run.send(Verdict.SAME), None), maxlen=0)


class _Clock(Job):
    """Keeps the longest time between two steps, in seconds of the processor."""

    def __init__(self) -> None:
        super().__init__()
        self.last = time.thread_time()
        self.longest = 0.0

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self.last)
        self.last = now


@pytest.mark.benchmark
def test_steps_are_close_enough_to_stop_promptly(name: str) -> None:
    points, truth = groups(8000, d=64, k=10)
    clock = _Clock()
    run = made(name).run(Problem(points), clock)
    query = next(run)
    for _ in range(40):
        query = run.send(expert(truth)(query.pair))
    assert clock.longest < 0.1


def test_another_order_of_the_items_gives_the_same_groups(name: str) -> None:
    if name in {"random", "composing"}:
        pytest.skip("draws by item numbers: another order is another draw")
    points, truth = groups(90)
    order = np.random.default_rng(4).permutation(90)
    for budget in (1, 20, 60):
        asked, found = play(name, Problem(points), expert(truth), budget)
        again, moved = play(name, Problem(points[order]), expert(truth[order]), budget)
        assert [pair for pair, _ in asked] == [Pair.of(*order[list(pair)]) for pair, _ in again]
        same = found.labels[order][:, None] == found.labels[order]
        np.testing.assert_array_equal(moved.labels[:, None] == moved.labels, same)
        np.testing.assert_allclose(moved.confidence, found.confidence[order], rtol=1e-5)
