from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from engine import clusterers, penalised
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index, normalized_mutual_information
from engine.model import Clustering, Pair, Verdict
from engine.problem import Problem


def pck(points: np.ndarray, groups: int, closure: Constraints, **params: str) -> Clustering:
    method = clusterers.make("pck", {"groups": str(groups), **params})
    return method.cluster(Problem(points), closure, Job())


def closed(*said: tuple[int, int, Verdict]) -> Constraints:
    closure = Constraints()
    for seq, (a, b, verdict) in enumerate(said):
        assert closure.add(Pair.of(a, b), verdict, seq) is None
    return closure


def iris() -> tuple[np.ndarray, np.ndarray]:
    data = load_iris()
    return (data.data - data.data.min(0)) / np.ptp(data.data, axis=0), data.target


def random_answers(truth: np.ndarray, count: int, seed: int = 0) -> Constraints:
    rng = np.random.default_rng(seed)
    pairs = {Pair.of(*rng.choice(len(truth), 2, replace=False).tolist()) for _ in range(count)}
    return closed(
        *(
            (pair.a, pair.b, Verdict.SAME if truth[pair.a] == truth[pair.b] else Verdict.DIFFERENT)
            for pair in sorted(pairs)
        )
    )


def test_without_answers_it_is_k_means_reference_value_on_iris() -> None:
    points, truth = iris()
    found = pck(points, 3, Constraints())
    assert normalized_mutual_information(found.labels, truth) == pytest.approx(0.742, abs=5e-4)
    assert adjusted_rand_index(found.labels, truth) == pytest.approx(0.716, abs=5e-4)


def test_answers_about_single_items_move_them() -> None:
    line = np.array([[0.0], [0.1], [0.2], [0.45], [0.8], [0.9], [1.0]])
    assert pck(line, 2, Constraints()).labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    linked = closed((3, 4, Verdict.SAME), (4, 5, Verdict.SAME))
    assert pck(line, 2, linked).labels.tolist() == [0, 0, 0, 1, 1, 1, 1]
    apart = closed((3, 0, Verdict.DIFFERENT), (3, 1, Verdict.DIFFERENT))
    assert pck(line, 2, apart).labels.tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_an_answer_may_be_broken_and_a_weight_decides() -> None:
    two = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    joined = closed((0, 3, Verdict.SAME))
    assert pck(two, 2, joined, weight="0").labels.tolist() == [0, 0, 0, 1, 1, 1]
    dear = pck(two, 2, joined, weight="1000").labels
    assert dear[0] == dear[3]


@pytest.mark.parametrize("learn", [False, True])
def test_prices_and_objective_are_the_sums_over_all_pairs(learn: bool) -> None:
    """The papers' objectives, term by term, of a state with broken pairs of both kinds."""
    points = np.random.default_rng(5).random((40, 3)).astype(np.float32)
    truth = np.random.default_rng(6).integers(0, 3, 40)  # answers that the points know nothing of
    closure = random_answers(truth, 60)
    draws = penalised.Draws(points, 0, "test", Job())
    rows = points.astype(np.float64) - points.astype(np.float64).mean(axis=0)
    descent = penalised._Descent(
        rows, rows[:3].copy(), closure, draws, Job(), learn=learn, weight=0.05
    )
    found = descent.run()
    labels, metric, means = found.labels, descent._metric, descent._means
    expected = 0.0
    for row, label in zip(rows, labels, strict=True):
        expected += (metric[label] * (row - means[label]) ** 2).sum()
        expected -= np.log(metric[label]).sum()
    flat = float(np.square(rows).sum(axis=1).mean())
    broken = [0, 0]
    for a, b in combinations(range(40), 2):
        verdict, same = closure.verdict(Pair(a, b)), labels[a] == labels[b]
        between = [(metric[labels[end]] * (rows[a] - rows[b]) ** 2).sum() for end in (a, b)]
        if verdict is Verdict.SAME and not same:
            broken[0] += 1
            expected += 0.05 * (sum(between) / 2 if learn else flat)
        elif verdict is Verdict.DIFFERENT and same:
            broken[1] += 1
            widest = descent._widest[labels[a]]
            expected += 0.05 * (widest - between[0] if learn else flat)
    assert min(broken) > 0
    assert found.total == pytest.approx(expected, rel=1e-9)


def test_a_learnt_metric_is_the_inverse_spread_of_each_group() -> None:
    """Groups that a common metric cannot tell: one thin in one column, one in the other."""
    rng = np.random.default_rng(2)
    truth = np.repeat([0, 1], 150)
    points = np.where(truth[:, None] == 0, [0.02, 0.5], [0.5, 0.02]) * rng.normal(size=(300, 2))
    points = (points + np.where(truth[:, None] == 0, 0, [0.6, -0.6])).astype(np.float32)
    closure = closed(
        *((0, item, Verdict.SAME) for item in range(1, 15)),
        *((150, item, Verdict.SAME) for item in range(151, 165)),
        (0, 150, Verdict.DIFFERENT),
    )
    agreement = []
    for learn in (False, True):
        draws = penalised.Draws(points, 0, "test", Job())
        seeds = [list(range(15)), list(range(150, 165))]
        found = penalised.fit(points, 2, seeds, closure, draws, Job(), learn=learn)
        agreement.append(adjusted_rand_index(found.labels.astype(np.int32), truth))
    assert agreement[1] > agreement[0] + 0.1


def test_more_answers_help_on_iris() -> None:
    points, truth = iris()
    plain = adjusted_rand_index(pck(points, 3, Constraints()).labels, truth)
    found = pck(points, 3, random_answers(truth, 400))
    assert adjusted_rand_index(found.labels, truth) > plain + 0.1


def test_the_order_of_the_items_does_not_matter() -> None:
    points = np.unique(iris()[0].astype(np.float32), axis=0)
    order = np.random.default_rng(0).permutation(len(points))
    one, other = pck(points, 4, Constraints()), pck(points[order], 4, Constraints())
    assert adjusted_rand_index(one.labels[order], other.labels) == 1
    draws = [penalised.Draws(some, 0, "x", Job()).uniform(3) for some in (points, points[order])]
    np.testing.assert_array_equal(draws[0][order], draws[1])
    assert 0 < draws[0].min() < 0.1 < 0.9 < draws[0].max() < 1


def test_draws_follow_their_weights() -> None:
    points = np.arange(4, dtype=np.float32)[:, None]
    draws = penalised.Draws(points, 0, "x", Job())
    drawn = [draws.one(number, np.array([0.0, 1.0, 2.0, 5.0])) for number in range(4000)]
    np.testing.assert_allclose(
        np.bincount(drawn, minlength=4) / 4000, [0, 1 / 8, 1 / 4, 5 / 8], atol=0.03
    )


def test_few_items_copies_and_constant_columns() -> None:
    assert pck(np.zeros((1, 1)), 1, Constraints()).labels.tolist() == [0]
    copies = pck(np.zeros((5, 2)), 3, closed((0, 1, Verdict.DIFFERENT)))
    assert copies.labels.tolist() == [0] * 5  # no mean is nearer, and what has no spread no price
    wide = np.hstack([np.eye(4), np.ones((4, 2))])
    assert pck(wide, 4, Constraints()).n_groups == 4


def test_more_groups_than_items_are_refused_and_the_work_can_be_stopped() -> None:
    with pytest.raises(ParameterError, match="at most 3, one per item, not 4"):
        pck(np.eye(3), 4, Constraints())
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        clusterers.make("pck", {"groups": "2"}).cluster(Problem(np.eye(3)), Constraints(), job)
