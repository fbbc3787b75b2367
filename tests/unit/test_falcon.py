from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from sklearn import datasets

from engine import kernels, strategies
from engine.errors import UsageError
from engine.job import Job
from engine.kernels import mmd
from engine.metrics import adjusted_rand_index
from engine.model import Clustering, IntArray, Pair, Query, Verdict
from engine.problem import Problem, StepCache
from engine.session import Session
from tests.unit.playing import Judge, expert, played

FIXED = {"width": "fixed", "order": "mean"}  # as in the article


def scaled(points: np.ndarray) -> np.ndarray:
    span = np.ptp(points, axis=0)
    return (points - points.min(0)) / np.where(span > 0, span, 1)


def learning_curve(points: np.ndarray, truth: np.ndarray, budget: int) -> list[float]:
    """Give the ARI after each question that closure does not settle."""
    session = Session(Problem(points), "falcon", FIXED)
    curve: list[float] = []
    while len(curve) < budget and (question := session.ask()) is not None:
        session.tell(question.pair, expert(truth)(question.pair))
        curve.append(adjusted_rand_index(session.clustering.labels, truth))
    return curve


def play(
    problem: Problem, judge: Judge, budget: int = 10_000, **params: str
) -> tuple[list[tuple[Query, Verdict]], Clustering]:
    strategy = strategies.make("falcon", FIXED | params)
    return played(strategy, problem, judge, budget)


def five_gaussians() -> tuple[np.ndarray, np.ndarray]:
    """Five unbalanced round groups around a circle, 400 points (our own set; see the test)."""
    generator = torch.Generator().manual_seed(0)
    angle = torch.arange(5) * 2 * torch.pi / 5
    centres = torch.stack([angle.cos(), angle.sin()], 1)
    sizes = (160, 100, 80, 40, 20)
    points = [
        centre + 0.2 * torch.randn(size, 2, generator=generator)
        for centre, size in zip(centres, sizes, strict=True)
    ]
    return scaled(torch.cat(points).numpy()), np.repeat(np.arange(5), sizes)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (datasets.load_iris, {10: 0.886, 25: 0.886, 50: 0.904, 100: 0.941}),
        # The reference has 0.770 at 10 questions. There it leaves a point with the nearest group
        # although it was just told apart from it; ours goes to the next nearest at once.
        (datasets.load_wine, {10: 0.799, 25: 0.847, 50: 0.865, 100: 0.965}),
    ],
)
def test_reference_values(load: Callable[[], object], expected: dict[int, float]) -> None:
    data = load()
    curve = learning_curve(scaled(data.data), data.target, 100)
    assert {at: round(curve[at - 1], 3) for at in expected} == expected


def test_five_unbalanced_gaussians() -> None:
    """The reference names such a set but not its generator: 0.831, 0.951, 0.945 there."""
    curve = learning_curve(*five_gaussians(), 50)
    assert [round(curve[at - 1], 3) for at in (10, 25, 50)] == [0.925, 0.959, 0.945]


def test_rounds_are_those_of_the_algorithm() -> None:
    """Growth written once more, plainly and with full matrices, on data without ties."""
    points = np.random.default_rng(5).random((70, 3)).astype(np.float32)
    problem = Problem(points)
    _, found = play(problem, lambda _: Verdict.SAME, 40)
    x = points.astype(np.float64)
    apart = np.square(x[:, None] - x).sum(-1)
    k = np.exp(-apart / (2 * 0.25**2))
    matrix = kernels.KernelMatrix(problem.tensor, kernels.Rbf(0.25))
    chosen = mmd.prototypes(matrix, matrix.means(Job()), 2, Job())
    while len(chosen) < len(found.exemplars):
        witness = torch.tensor(k.mean(0) - k[:, chosen].mean(1))
        others = np.delete(np.arange(len(points), dtype=np.int32), chosen)
        part = matrix.part(others)
        picked = others[mmd.criticisms(part, witness[others], len(chosen) + 1, Job())].tolist()
        cell_of = apart[:, chosen].argmin(1)
        counts = np.bincount(cell_of[picked], minlength=len(chosen))
        sizes = np.bincount(cell_of, minlength=len(chosen))
        cell = max(range(len(chosen)), key=lambda at: (counts[at], sizes[at]))
        members = np.flatnonzero(cell_of == cell)
        part = matrix.part(members.astype(np.int32))
        fixed = members.tolist().index(chosen[cell])
        fresh = mmd.prototypes(part, part.means(Job()), int(counts[cell]), Job(), [fixed])
        chosen += [int(members[at]) for at in fresh]
        if len(chosen) == len(found.exemplars):
            assert list(found.criticisms) == picked
    assert list(found.exemplars) == chosen


def test_points_go_with_their_nearest_prototype() -> None:
    points, truth = five_gaussians()
    _, found = play(Problem(points), expert(truth), 31)
    chosen = list(found.exemplars)
    nearest = np.square(points[:, None] - points[chosen]).sum(-1).argmin(1)
    np.testing.assert_array_equal(found.labels, found.labels[chosen][nearest])


@pytest.mark.parametrize("by_rule", ["mean", "example"])
def test_groups_are_asked_by_their_distance(by_rule: str) -> None:
    points, truth = five_gaussians()
    joined: dict[int, list[int]] = {}  # group by its first prototype, as the answers make them
    asked, _ = play(Problem(points), expert(truth), 60, order=by_rule)
    tried: dict[int, int] = {}
    for query, verdict in asked:
        known = {item for members in joined.values() for item in members}
        if not known:
            joined[query.pair.a] = [query.pair.a]  # either may be the first; both are known below
            known = {query.pair.a}
        fresh = query.pair.b if query.pair.a in known else query.pair.a
        other = query.pair.a + query.pair.b - fresh
        group = next(name for name, members in joined.items() if other in members)
        apart = np.square(points - points[fresh]).sum(1)
        far = {
            "mean": {
                name: np.square(points[members].mean(0) - points[fresh]).sum()
                for name, members in joined.items()
            },
            "example": {name: apart[members].min() for name, members in joined.items()},
        }[by_rule]
        assert sorted(far, key=lambda name: far[name])[tried.get(fresh, 0)] == group
        assert other == min(joined[group], key=lambda item: apart[item])
        tried[fresh] = tried.get(fresh, 0) + 1
        if verdict is Verdict.SAME:
            joined[group].append(fresh)
        elif tried[fresh] == len(joined):
            joined[fresh] = [fresh]


def test_an_item_told_apart_leaves_the_group_at_once() -> None:
    points, truth = five_gaussians()
    for budget in range(1, 60):
        asked, found = play(Problem(points), expert(truth), budget)
        for query, verdict in asked:
            same = found.labels[query.pair.a] == found.labels[query.pair.b]
            assert same == (verdict is Verdict.SAME)


def test_unsure_neither_opens_a_group_nor_joins_one() -> None:
    points, _ = five_gaussians()
    asked, found = play(Problem(points), lambda _: Verdict.UNSURE, 12)
    assert found.n_groups == 1
    # only the very first prototype stands for a group: all others are compared with it
    first = set(asked[0][0].pair) & set(asked[1][0].pair)
    assert all(first & set(query.pair) for query, _ in asked)
    settled = found.confidence > 0
    assert settled[list(first)].all()
    assert not settled[[item for item in found.exemplars if item not in first]].any()


def test_unsure_after_a_no_goes_with_the_group_not_ruled_out() -> None:
    points = np.array([[0.0, 0], [0.02, 0], [0.9, 0], [0.92, 0], [0.5, 0], [0.52, 0]])
    truth = np.array([0, 0, 1, 1, 2, 2])

    def judge(pair: Pair) -> Verdict:
        if set(pair) & {4, 5} and set(pair) & {2, 3}:
            return Verdict.UNSURE
        return expert(truth)(pair)

    asked, found = play(Problem(points), judge)
    labels = found.labels
    assert any(verdict is Verdict.UNSURE for _, verdict in asked)
    assert labels[2] == labels[3] == labels[4] != labels[0]
    assert found.n_groups == 2


def test_items_set_aside_are_never_asked_about() -> None:
    points, truth = five_gaussians()
    plain, _ = play(Problem(points), expert(truth), 80)
    aside = frozenset(item for query, _ in plain[::3] for item in query.pair)
    asked, found = play(Problem(points, set_aside=aside), expert(truth), 80)
    assert len(asked) == 80
    assert not any(aside & set(query.pair) for query, _ in asked)
    assert (found.labels >= 0).all()


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_all_items_set_aside(n: int) -> None:
    points = np.random.default_rng(0).random((n, 2))
    asked, found = play(Problem(points, set_aside=frozenset(range(n))), lambda _: Verdict.SAME)
    assert asked == []
    assert found.labels.tolist() == [0] * n
    assert found.confidence.tolist() == [0] * n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17])
@pytest.mark.parametrize("copies", [False, True])
def test_ends_when_every_item_is_a_prototype(n: int, copies: bool) -> None:
    points = np.zeros((n, 2)) if copies else np.random.default_rng(n).random((n, 2))
    truth = np.arange(n) % 3
    _, found = play(Problem(points), expert(truth))
    assert sorted(found.exemplars) == list(range(n))
    assert adjusted_rand_index(found.labels, truth) == 1
    assert (found.confidence == (0 if copies and n > 1 else 1)).all()


def test_labels_are_numbered_by_first_appearance() -> None:
    points, truth = five_gaussians()
    _, found = play(Problem(points[::-1]), expert(truth[::-1]), 40)
    assert found.labels.dtype == np.int32
    first = [int(np.flatnonzero(found.labels == group)[0]) for group in range(found.n_groups)]
    assert first[0] == 0
    assert first == sorted(first)


def test_confidence_is_the_margin_between_groups() -> None:
    points, truth = five_gaussians()
    _, found = play(Problem(points), expert(truth), 30)
    chosen = np.array(found.exemplars)
    settled = found.confidence[chosen] > 0  # as the tests on UNSURE show
    assert 0 < settled.sum() < len(chosen)
    apart = np.sqrt(np.square(points[:, None] - points[chosen]).sum(-1))
    own = settled & (found.labels[chosen] == found.labels[:, None])
    inner = np.where(own, apart, np.inf).min(1)
    outer = np.where(own, np.inf, apart).min(1)
    expected = np.maximum(0, (outer - inner) / (outer + inner))
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    # exact where the eight nearest prototypes include one of another group, else a lower bound
    assert (found.confidence <= expected + 1e-5).all()
    near_border = expected < 0.2
    assert near_border.sum() > 10
    np.testing.assert_allclose(found.confidence[near_border], expected[near_border], atol=1e-5)


def test_questions_say_why_and_what_an_answer_is_worth() -> None:
    points, truth = five_gaussians()
    asked, _ = play(Problem(points), expert(truth), 40)
    query, _ = asked[0]
    assert str(query.reason).startswith(f"One of these stands for {query.worth} items")
    again = next(query for query, _ in asked if dict(query.reason.values).get("ruled_out", 0) > 1)
    assert "groups are ruled out" in str(again.reason)
    alone, _ = play(Problem(points[:2]), expert(truth[:2]))
    assert str(alone[0][0].reason).startswith("No answer has placed one of these yet; the other")
    assert all(1 <= query.worth <= len(points) for query, _ in asked)


class _Drawer:
    """A shelf that lives in memory."""

    def __init__(self) -> None:
        self.held: dict[str, IntArray] = {}

    def load_indices(self, key: str) -> IntArray | None:
        return self.held.get(key)

    def save_indices(self, key: str, indices: IntArray) -> None:
        self.held[key] = indices


def test_a_project_opened_again_computes_no_round_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    points, truth = five_gaussians()
    drawer = _Drawer()
    first = play(Problem(points, steps=StepCache(shelf=drawer)), expert(truth), 60)

    def forbidden(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(mmd, "prototypes", forbidden)
    monkeypatch.setattr(mmd, "criticisms", forbidden)
    monkeypatch.setattr(kernels.KernelMatrix, "means", forbidden)
    again = play(Problem(points, steps=StepCache(shelf=drawer)), expert(truth), 60)
    assert again[0] == first[0]
    np.testing.assert_array_equal(again[1].labels, first[1].labels)
    np.testing.assert_array_equal(again[1].confidence, first[1].confidence)


def test_what_is_kept_for_other_points_or_widths_is_not_taken() -> None:
    points, truth = five_gaussians()
    drawer = _Drawer()
    play(Problem(points, steps=StepCache(shelf=drawer)), expert(truth), 20)
    turned = points @ np.array([[0.0, 1], [1, 0.5]])
    shared = play(Problem(turned, steps=StepCache(shelf=drawer)), expert(truth), 20)
    alone = play(Problem(turned), expert(truth), 20)
    assert shared[0] == alone[0]


def test_a_small_step_cache_changes_nothing() -> None:
    points, truth = five_gaussians()
    roomy = play(Problem(points), expert(truth), 60)
    tight = play(Problem(points, steps=StepCache(budget=1)), expert(truth), 60)
    assert tight[0] == roomy[0]
    np.testing.assert_array_equal(tight[1].confidence, roomy[1].confidence)


def test_the_width_rule_does_not_mind_the_scale() -> None:
    points, truth = five_gaussians()
    median = {"width": "median"}
    curves = []
    for scale in (1, 100):
        session = Session(Problem(points * scale), "falcon", median)
        pairs = []
        for _ in range(25):
            question = session.ask()
            assert question is not None
            pairs.append(question.pair)
            session.tell(question.pair, expert(truth)(question.pair))
        curves.append(pairs)
    assert curves[0] == curves[1]


def test_asked_for_groups_before_it_was_started() -> None:
    for name in strategies.REGISTRY:
        with pytest.raises(UsageError):
            strategies.make(name, {}).clustering()
