"""FC2: hand cases, reference values, and what its input must survive."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from engine import clusterers
from engine.clusterers.fc2 import violated
from engine.clusterers.fc2.isolated import homes
from engine.clusterers.fc2.merging import Groups, Merge, widest_gap
from engine.clusterers.fc2.subclusters import pure
from engine.constraints import Constraints
from engine.errors import Cancelled, ConstraintError, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index, rand_index
from engine.model import Clustering, Pair, Verdict
from engine.problem import Problem
from engine.spreading import Links, of_labels

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT


def closed(*said: tuple[int, int, Verdict]) -> Constraints:
    closure = Constraints()
    for seq, (a, b, verdict) in enumerate(said):
        closure.add(Pair.of(a, b), verdict, seq)
    return closure


def answers(truth: np.ndarray, count: int, seed: int) -> Constraints:
    rng = np.random.default_rng(seed)
    pairs: set[Pair] = set()
    while len(pairs) < count:
        pairs.add(Pair.of(*rng.choice(len(truth), 2, replace=False).tolist()))
    return closed(
        *((p.a, p.b, SAME if truth[p.a] == truth[p.b] else DIFFERENT) for p in sorted(pairs))
    )


def labelled(truth: np.ndarray, count: int, seed: int) -> Constraints:
    rng = np.random.default_rng(seed)
    labels = np.full(len(truth), -1)
    some = rng.choice(len(truth), count, replace=False)
    labels[some] = truth[some]
    return of_labels(labels)


def bundled(load: object) -> tuple[np.ndarray, np.ndarray]:
    data = load()  # type: ignore[operator]
    return (data.data - data.data.min(0)) / np.ptp(data.data, axis=0), data.target


def fc2(points: np.ndarray, closure: Constraints, **params: str) -> tuple[Clustering, dict]:
    method = clusterers.make("fc2", params)
    found = method.cluster(Problem(points), closure, Job())
    return found, method.report()


def by_hand(must: dict[tuple[int, int], float], cannot: dict[tuple[int, int], float]) -> tuple:
    """Small groups, and what merging by repulsion makes of them, of five items on a line."""
    links = [Links.of(5, list(given), list(given.values())) for given in (must, cannot)]
    graphs = [one.graph() for one in links]
    small = pure(graphs[0], graphs[1], 0.5, Job())
    groups = Groups(small, graphs[0], graphs[1], np.arange(5.0)[:, None], Job())
    merges = groups.merge(groups.repulsion(1.0), 1, Job())
    return small.tolist(), groups.labels.tolist(), merges, links


def test_two_groups_by_hand() -> None:
    must = {(0, 1): 1.0, (1, 2): 0.8, (3, 4): 1.0}
    small, labels, merges, links = by_hand(must, {(0, 3): 1.0, (2, 4): 0.6})
    assert small == labels == [0, 0, 0, 1, 1]
    assert merges == []
    assert violated(*links, np.array(labels)) == (0, 0.0)


def test_repulsion_by_hand() -> None:
    must = {(0, 1): 1.0, (1, 2): 0.8, (3, 4): 1.0, (2, 3): 0.4}
    _, labels, merges, links = by_hand(must, {(0, 3): 1.0, (2, 4): 0.6})
    assert labels == [0, 0, 0, 1, 1]
    graphs = [one.graph() for one in links]
    groups = Groups(np.array(labels), *graphs, np.arange(5.0)[:, None], Job())
    assert groups.merge(groups.repulsion(np.inf), 1, Job())[0].cost == pytest.approx(4, rel=1e-6)
    assert violated(*links, np.array(labels))[1] == pytest.approx(0.4, rel=1e-6)
    small, labels, merges, links = by_hand(must, {(2, 4): 0.3})
    assert small == [0, 0, 0, 1, 1]
    assert labels == [0] * 5
    assert merges[0].cost == pytest.approx(0.75, rel=1e-6)
    # merging changes J* by CL - ML
    before, after = (violated(*links, np.array(some))[1] for some in (small, labels))
    assert after - before == pytest.approx(0.3 - 0.4, rel=1e-5)


@pytest.mark.parametrize("k", ["0", "3"])
@pytest.mark.parametrize("spread", ["yes", "no"])
def test_complete_links_give_the_groups_they_came_from(k: str, spread: str) -> None:
    points, truth = bundled(load_iris)
    found, report = fc2(points, of_labels(truth), groups=k, spread=spread)
    assert rand_index(found.labels, truth) == 1
    assert report["objective"] == 0
    assert report["given_broken"] == 0


def test_complete_links_keep_their_groups_whatever_is_wanted() -> None:
    points, truth = bundled(load_iris)
    found, report = fc2(points, of_labels(truth), groups="5")
    assert rand_index(found.labels, truth) == 1
    assert report["warnings"] == ["the answers and their links make only 3 groups, not 5"]


def test_small_groups_break_no_strong_cannot_link() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(4, 30))
        pairs = [pair for pair in combinations(range(n), 2) if rng.random() < 0.3]
        kind = rng.random(len(pairs)) < 0.5
        strength = rng.choice([0.2, 0.4, 0.6, 0.8, 1.0], len(pairs))
        links = [
            Links.of(n, np.array(pairs).reshape(-1, 2)[some], strength[some])
            for some in (kind, ~kind)
        ]
        small = pure(links[0].graph(), links[1].graph(), 0.5, Job())
        strong = links[1].where(links[1].strength >= 0.5)
        one, other = strong.pairs.T
        assert (small[one] != small[other]).all()
        linked = np.zeros(n, dtype=bool)
        linked[np.unique(np.concatenate([one.pairs.ravel() for one in links]))] = True
        np.testing.assert_array_equal(small >= 0, linked)


SOURCE = {"tikhonov": "0.01"}

ROWS = [
    (load_iris, answers, {20: 0.91, 50: 0.96, 100: 0.97}),
    (load_iris, labelled, {10: 0.95, 20: 0.94, 40: 0.97}),
    (load_wine, answers, {20: 0.86, 50: 0.92, 100: 0.97}),
    (load_wine, labelled, {10: 0.82, 20: 0.88, 40: 0.93}),
]


@pytest.mark.parametrize(("load", "given", "rows"), ROWS)
def test_reference_values_at_three_groups(load: object, given: object, rows: dict) -> None:
    """Means over 5 other seeds than the reference's: within 0.02, and what chance adds to both."""
    points, truth = bundled(load)
    for count, reference in rows.items():
        found = [
            rand_index(
                fc2(points, given(truth, count, seed), groups="3", **SOURCE)[0].labels,  # type: ignore[operator]
                truth,
            )
            for seed in range(5)
        ]
        chance = 2 * np.std(found, ddof=1) * np.sqrt(2 / 5)
        assert abs(np.mean(found) - reference) <= 0.02 + chance, (count, np.mean(found))


def test_automatic_number_of_groups() -> None:
    points, truth = bundled(load_iris)
    for count, reference in ((20, 0.88), (50, 0.93), (100, 0.94)):
        found = [fc2(points, answers(truth, count, seed), **SOURCE)[0] for seed in range(3)]
        assert np.mean([rand_index(one.labels, truth) for one in found]) >= reference - 0.04
        assert 2 <= np.mean([one.n_groups for one in found]) <= 7
        strict = fc2(points, answers(truth, count, 0), auto="strict")[0].n_groups
        gap = fc2(points, answers(truth, count, 0), auto="gap")[0].n_groups
        assert strict >= max(found[0].n_groups, 6)
        assert 1 <= gap <= 150


def test_tolerance_merges_what_is_hardly_in_conflict() -> None:
    points, truth = bundled(load_iris)
    closure = answers(truth, 100, 0)
    some = [fc2(points, closure, tolerance=text)[0].n_groups for text in ("0", "0.02", "1")]
    assert some[0] >= some[1] >= some[2] == 1


def test_merging_is_that_of_the_cheapest_pair_again_and_again() -> None:
    """Against all pairs tried at every step."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n, g = 40, 12
        small = np.concatenate([np.arange(g), rng.integers(0, g, n - g)])
        pairs = np.array([pair for pair in combinations(range(n), 2) if rng.random() < 0.2])
        kind, strength = rng.random(len(pairs)) < 0.5, rng.choice([0.25, 0.5, 1.0], len(pairs))
        graphs = [Links.of(n, pairs[some], strength[some]).graph() for some in (kind, ~kind)]
        space = rng.random((n, 2))
        for rule in ("repulsion", "agreeing", "penalised"):
            groups = Groups(small, *graphs, space, Job())
            costs = {
                "repulsion": groups.repulsion(1.0),
                "agreeing": groups.agreeing(0.0),
                "penalised": groups.penalised,
            }[rule]
            merges = groups.merge(costs, 3, Job())
            assert_cheapest(small, [graph.toarray() for graph in graphs], space, rule, merges)


def assert_cheapest(
    small: np.ndarray, full: list[np.ndarray], space: np.ndarray, rule: str, merges: list[Merge]
) -> None:
    label = small.copy()
    for step in range(len(set(small)) - 3):
        best = None
        for i, j in combinations(sorted(set(label.tolist())), 2):
            one, other = label == i, label == j
            ml, cl = (float(links[np.ix_(one, other)].sum()) for links in full)
            a, b = one.sum(), other.sum()
            means = space[one].mean(0) - space[other].mean(0)
            ward = a * b / (a + b) * np.square(means).sum()
            if rule == "repulsion":
                cost = cl / ml if ml > 0 and cl < ml else np.inf
            elif rule == "agreeing":
                cost = ward if cl - ml <= 0 else np.inf
            else:
                cost = ward * (1 + 10 * max(0, (cl - ml) / (a * b)))
            key = (round(cost, 9), round(-ml, 6) if rule == "repulsion" else 0, i, j)
            if np.isfinite(cost) and (best is None or key < best):
                best = key
        if best is None:
            assert len(merges) == step
            return
        assert merges[step].cost == pytest.approx(best[0], abs=1e-6)
        assert (merges[step].one, merges[step].other) == best[2:]
        label[label == best[3]] = best[2]


def test_the_widest_gap() -> None:
    assert widest_gap([Merge(0, 1, r) for r in (0.0, 0.1, 0.2, 4.0, 5.0)]) == 3
    assert widest_gap([Merge(0, 1, 0.0)] * 4) == 4
    assert widest_gap([Merge(0, 1, 3.0)]) == 1
    assert widest_gap([]) == 0


def test_isolated_items_come_to_the_nearest_group_unless_they_lie_far_out() -> None:
    space = np.array([[0.0], [1], [2], [10], [11], [12], [4], [500]])
    labels = np.array([0, 0, 0, 1, 1, 1, -1, -1])
    found = homes(space, labels, Job())
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1, 0, 1]
    assert found.isolated == 2
    # members of the first lie 1.5, 1, 1.5 from the others: 1.33 + 3 * 0.24 = 2.04 < 3
    assert homes(space, labels, Job(), outliers=True).labels.tolist() == [0, 0, 0, 1, 1, 1, -1, -1]
    near = np.array([[0.0], [1], [2], [10], [11], [12], [2.5], [500]])
    assert homes(near, labels, Job(), outliers=True).labels.tolist()[6:] == [0, -1]


def test_an_outlier_is_undecided_and_unsure() -> None:
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(3, 0.1, (20, 2)), [[50, -40]]])
    closure = of_labels(np.concatenate([[0] * 20, [1] * 20, [-1]]))
    found, report = fc2(points, closure, outliers="yes")
    assert found.labels.tolist() == [0] * 20 + [1] * 20 + [-1]
    assert found.confidence[-1] == 0
    assert report["outliers"] == 1
    assert report["isolated"] == 1
    assert fc2(points, closure)[0].labels[-1] >= 0


def test_no_answers_give_wards_groups_or_a_refusal() -> None:
    points, _ = bundled(load_iris)
    found, report = fc2(points, Constraints(), groups="3")
    assert report["warnings"] == ["there are no answers: the groups are those of Ward's method"]
    ward = clusterers.make("tahc", {"groups": "3", "linkage": "ward"})
    expected = ward.cluster(Problem(points), Constraints(), Job())
    np.testing.assert_array_equal(found.labels, expected.labels)
    for spread in ("yes", "no"):
        with pytest.raises(ConstraintError, match="no answers"):
            fc2(points, Constraints(), spread=spread)


def test_contradictions_are_refused_or_left_out() -> None:
    points = np.random.default_rng(0).random((9, 2))
    closure = closed((0, 1, SAME), (1, 2, SAME), (0, 2, DIFFERENT), (3, 0, DIFFERENT))
    with pytest.raises(ConstraintError, match="1 and 3 different, but from 1 and 2 same, 2 and 3"):
        fc2(points, closure)
    found, report = fc2(points, closure, contradictions="leave-out")
    assert report["warnings"][0] == "answers that contradict earlier ones, left out: 1"
    assert found.labels[0] == found.labels[1] == found.labels[2] != found.labels[3]


def test_more_groups_than_items_are_refused() -> None:
    with pytest.raises(ParameterError, match="at most 3, one per item, not 4"):
        fc2(np.eye(3), closed((0, 1, SAME)), groups="4")


@pytest.mark.parametrize("spread", ["yes", "no"])
@pytest.mark.parametrize("groups", ["0", "1", "2"])
@pytest.mark.parametrize("auto", ["conflict", "strict", "gap"])
def test_few_items_copies_constant_columns_and_parts_far_apart(
    spread: str, groups: str, auto: str
) -> None:
    params = {"spread": spread, "groups": groups, "auto": auto, "outliers": "yes"}
    for closure in (
        closed((0, 1, SAME)),
        closed((0, 1, DIFFERENT)),
        closed((0, 1, SAME), (2, 3, SAME), (0, 2, DIFFERENT)),
    ):
        n = len(closure.parts()) + 3
        far = np.random.default_rng(0).random((n, 3))
        far[n // 2 :] += 1e4
        for points in (np.zeros((n, 2)), np.ones((n, 1)), far):
            found, report = fc2(points, closure, **params)
            assert len(found.labels) == n
            assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
            assert report["trace"] is not None
    two = fc2(np.zeros((2, 1)), closed((0, 1, DIFFERENT)), spread=spread, auto=auto)[0]
    assert two.labels.tolist() == [0, 1]


def test_one_item_without_answers() -> None:
    assert fc2(np.zeros((1, 1)), Constraints(), groups="1")[0].labels.tolist() == [0]


def test_report_tells_links_rounds_and_merges() -> None:
    points, truth = bundled(load_iris)
    method = clusterers.make("fc2", {"groups": "3"})
    method.cluster(Problem(points), answers(truth, 50, 0), Job())
    report = method.report()
    assert report["learned_must"] > 100
    assert report["learned_cannot"] > 100
    assert report["small_groups"] >= 3
    assert report["spreading_ended"] == "share"
    rounds = [one for one in report["trace"] if "share" in one]
    merges = [one for one in report["trace"] if "merge" in one]
    assert [one["number"] for one in rounds] == list(range(len(rounds)))
    assert len(merges) == report["small_groups"] - 3


def test_it_is_deterministic_and_learned_links_help_on_iris() -> None:
    points, truth = bundled(load_iris)
    closure = answers(truth, 50, 1)
    one, other = (fc2(points, closure, groups="3")[0] for _ in range(2))
    np.testing.assert_array_equal(one.labels, other.labels)
    plain = fc2(points, closure, groups="3", spread="no")[0]
    assert adjusted_rand_index(truth, one.labels) > adjusted_rand_index(truth, plain.labels)


def test_it_can_be_stopped() -> None:
    points, truth = bundled(load_iris)
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        clusterers.make("fc2", {}).cluster(Problem(points), answers(truth, 20, 0), job)
