"""CS-PDS: the source's rules by hand and word by word, and what its answers must survive."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from engine import spreading
from engine.constraints import Constraints
from engine.errors import Cancelled, ConstraintError, ParameterError, ResourceError
from engine.job import Job
from engine.model import Pair, Verdict
from engine.problem import Problem
from engine.spreading import Links, Spread, SpreadParams, learn, of_labels
from engine.spreading.links import NEVER
from engine.spreading.projection import principal, project, scatter
from engine.spreading.reinforcement import cannot_keys, reach, regularised

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT


def closed(*said: tuple[int, int, Verdict]) -> Constraints:
    closure = Constraints()
    for seq, (a, b, verdict) in enumerate(said):
        closure.add(Pair.of(a, b), verdict, seq)
    return closure


def answers(truth: np.ndarray, count: int, seed: int = 0) -> Constraints:
    rng = np.random.default_rng(seed)
    pairs: dict[Pair, None] = {}
    while len(pairs) < count:
        pairs[Pair.of(*rng.choice(len(truth), 2, replace=False).tolist())] = None
    return closed(*((p.a, p.b, SAME if truth[p.a] == truth[p.b] else DIFFERENT) for p in pairs))


def bundled(load: object) -> tuple[np.ndarray, np.ndarray]:
    data = load()  # type: ignore[operator]
    return (data.data - data.data.min(0)) / np.ptp(data.data, axis=0), data.target


def run(points: np.ndarray, closure: Constraints, **params: object) -> Spread:
    """Spread with the source's Tikhonov term unless another is asked for."""
    setting = SpreadParams(**{"tikhonov": 0.01, **params})  # type: ignore[arg-type]
    return spreading.spread(Problem(points), closure, setting, Job())


def test_a_link_grows_by_a_fifth_up_to_four_fifths() -> None:
    links, key = Links.of(3, np.empty((0, 2))), np.array([1])
    found = []
    for number in range(1, 6):
        links = links.raised(key, 0.2, number)
        found.append(float(links.strength[0]))
    np.testing.assert_allclose(found, [0.2, 0.4, 0.6, 0.8, 0.8], rtol=1e-6)
    assert links.since.tolist() == [1]
    assert links.strong.tolist() == [3]
    strong = Links.of(3, [(0, 1), (1, 2)], [0.9, 1.0]).raised(np.array([1, 5]), 0.2, 1)
    np.testing.assert_allclose(strong.strength, [0.9, 1.0], rtol=1e-6)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((0.8, 0.6), (0.571429, 0.428571)),
        ((0.4, 0.2), (0.4, 0.2)),
        ((1, 0.2), (1, 0)),
        ((0.2, 1), (0, 1)),
    ],
)
def test_two_links_of_a_pair_share_what_there_is(
    before: tuple[float, float], after: tuple[float, float]
) -> None:
    must, cannot = regularised(*(Links.of(2, [(0, 1)], value) for value in before))
    found = [float(links.at(np.array([1]))[0]) for links in (must, cannot)]
    np.testing.assert_allclose(found, after, atol=1e-6)


@pytest.mark.parametrize("links", ["half", "given", "any"])
def test_every_round_keeps_what_must_hold(links: str) -> None:
    points, truth = bundled(load_iris)
    closure = answers(truth, 20)
    given = spreading.given(150, closure, 10**9)
    for rounds in range(1, 8):
        found = run(points, closure, rounds=rounds, links=links)
        sums = np.zeros((150, 150))
        for learned, own in zip((found.must, found.cannot), given, strict=True):
            graph = learned.graph().toarray()
            np.testing.assert_array_equal(graph, graph.T)
            assert not graph.diagonal().any()
            assert (graph[tuple(own.pairs.T)] == 1).all()
            assert (learned.strength[learned.since > 0] <= np.float32(0.8)).all()
            assert (learned.since[learned.strength == 1] == 0).all()
            sums += graph
        assert sums.max() <= 1 + 1e-6


def test_the_eigenproblem_by_hand() -> None:
    points = np.array([[0.0], [1.0], [5.0]])
    must, cannot = Links.of(3, [(0, 1)]), Links.of(3, [(0, 2)])
    near, far = (scatter(points, links, Job())[0, 0] for links in (must, cannot))
    assert near + 0.01 == pytest.approx(1.01)
    assert far == pytest.approx(25)
    space = project(points, must, cannot, Job(), tikhonov=0.01)
    # one direction w with w P w = 1; the square of a distance in it is that in the line over P
    assert (space[1, 0] - space[0, 0]) ** 2 == pytest.approx(1 / 1.01)
    assert (space[2, 0] - space[0, 0]) ** 2 == pytest.approx(25 / 1.01)
    assert far / (near + 0.01) == pytest.approx(24.7525, abs=1e-4)


def test_eigenvectors_solve_the_problem_and_keep_the_rank() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 6))
    must = Links.of(40, [(0, 1), (2, 3), (4, 9)], [1.0, 0.5, 0.8])
    cannot = Links.of(40, [(0, 2), (5, 6)], [1.0, 0.25])
    space = project(points, must, cannot, Job(), tikhonov=0.01)
    assert space.shape == (40, 2)  # two cannot-links: rank 2
    assert project(points, must, cannot, Job(), tikhonov=0.01, components=1).shape == (40, 1)
    near = np.zeros((6, 6))
    far = np.zeros((6, 6))
    for links, total in ((must, near), (cannot, far)):
        for (a, b), value in zip(links.pairs.tolist(), links.strength, strict=True):
            total[:] += value * np.outer(points[a] - points[b], points[a] - points[b])
    near += 0.01 * np.eye(6)
    w = np.linalg.lstsq(points, space, rcond=None)[0]
    np.testing.assert_allclose(w.T @ near @ w, np.eye(2), atol=1e-8)
    values = np.diag(w.T @ far @ w)
    assert values[0] >= values[1] > 0
    np.testing.assert_allclose(far @ w, near @ w * values, atol=1e-6)


def test_without_cannot_links_must_links_shorten_and_without_must_links_others_lengthen() -> None:
    points = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    none = Links.of(4, np.empty((0, 2)))
    space = project(points, Links.of(4, [(0, 1)]), none, Job(), tikhonov=0.01)
    assert space.shape == (4, 2)
    assert np.linalg.norm(space[1] - space[0]) == pytest.approx(1 / np.sqrt(1.01))
    assert np.linalg.norm(space[2] - space[0]) == pytest.approx(10)
    space = project(points, none, Links.of(4, [(0, 1)]), Job(), tikhonov=0.01)
    assert space.shape == (4, 1)
    assert abs(space[1, 0] - space[0, 0]) == pytest.approx(10)
    assert abs(space[2, 0] - space[0, 0]) == pytest.approx(0, abs=1e-9)


def test_turning_changes_no_distance_and_drops_what_has_no_spread() -> None:
    rng = np.random.default_rng(1)
    for shape in ((30, 5), (8, 40)):
        points = np.column_stack((rng.normal(size=shape), np.ones(shape[0])))
        turned, spanned = principal(points)
        assert turned.shape[1] == min(shape[1], shape[0] - 1)
        assert spanned == pytest.approx(1)
        apart = [np.square(p[:, None] - p[None]).sum(2) for p in (points, turned)]
        np.testing.assert_allclose(*apart, atol=1e-9)
    wide, spanned = principal(rng.normal(size=(400, 300)))
    assert wide.shape == (400, 256)
    assert 0.8 < spanned < 1


def dense_round(
    space: np.ndarray, must: np.ndarray, cannot: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The M-step of the specification, word by word, on full matrices."""
    n = len(space)
    apart = np.sqrt(np.square(space[:, None] - space[None]).sum(2))
    grown = np.zeros((2, n, n), dtype=bool)
    on = must >= 0.5, cannot >= 0.5
    mu = apart[on[0]].mean() if on[0].any() else np.inf
    for u in range(n):
        if on[0][u].any():
            limit = apart[u, on[0][u]].mean()
            near = [j for j in np.argsort(apart[u], kind="stable") if j != u and not on[0][u, j]]
            for j in near[:k]:
                if apart[u, j] < limit:
                    grown[0, u, j] = grown[0, j, u] = True
        if on[1][u].any():
            limit = min(mu, apart[u, on[1][u]].min())
            near = [j for j in np.argsort(apart[u], kind="stable") if j != u]
            for j in near[:k]:
                if apart[u, j] < limit:
                    for i in np.flatnonzero(on[1][u]):
                        if i != j:
                            grown[1, i, j] = grown[1, j, i] = True
    return grown[0], grown[1]


@pytest.mark.parametrize("rounds", [0, 3, 6])
def test_a_round_is_the_specifications_word_by_word(rounds: int) -> None:
    points, truth = bundled(load_wine)
    before = run(points, answers(truth, 40), rounds=rounds)
    space = before.space.astype(np.float64)
    full = [links.graph().toarray() for links in (before.must, before.cannot)]
    expected = dense_round(space, full[0], full[1], 3)
    on = before.cannot.graph(0.5)
    found = reach(space, before.must.graph(0.5), on, 3, Job())
    grown = np.zeros((178, 178), dtype=bool)
    grown[tuple(found.must.T)] = True
    np.testing.assert_array_equal(grown | grown.T, expected[0])
    keys = cannot_keys(before.cannot, on, found, 0.2, 0.5, 10**9, Job())
    assert keys is not None
    pairs = {tuple(pair) for pair in np.column_stack(np.divmod(keys, 178)).tolist()}
    for a, b in combinations(range(178), 2):
        grows = bool(expected[1][a, b]) and full[1][a, b] < np.float32(0.8)
        assert ((a, b) in pairs) == grows
    assert cannot_keys(before.cannot, on, found, 0.2, 0.5, len(keys) // 8, Job()) is None


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("count", [20, 50, 100])
@pytest.mark.parametrize("tikhonov", [0.0, 0.01])
def test_what_is_learned_is_right(load: object, count: int, tikhonov: float) -> None:
    points, truth = bundled(load)
    right: tuple[list[float], list[float]] = ([], [])
    for seed in range(10):
        found = run(points, answers(truth, count, seed), tikhonov=tikhonov)
        for kind, links in enumerate((found.learned_must(), found.learned_cannot())):
            same = truth[links.pairs[:, 0]] == truth[links.pairs[:, 1]]
            if len(links):
                right[kind].append(float(np.mean(same != bool(kind))))
    assert np.mean(right[0]) >= 0.95
    assert np.mean(right[1]) >= 0.93


def test_how_much_is_held_back_follows_the_scale_of_the_features() -> None:
    points, truth = bundled(load_wine)
    closure = answers(truth, 30)
    one, other = (run(factor * points, closure, tikhonov=0.0) for factor in (1, 64))
    assert one.tikhonov == pytest.approx(0.3 * points.var(axis=0).sum(), rel=1e-5)
    assert other.tikhonov == pytest.approx(64**2 * one.tikhonov)
    np.testing.assert_array_equal(one.must.keys, other.must.keys)
    np.testing.assert_array_equal(one.cannot.keys, other.cannot.keys)
    assert run(np.zeros((3, 2)), closed((0, 1, SAME)), tikhonov=0.0).tikhonov == 0.01


def test_in_many_dimensions_answers_spread_by_default() -> None:
    data = load_digits()
    points, truth = data.data[:300] / 16, data.target[:300]
    closure = answers(truth, 120)
    source = run(points, closure)
    assert len(source.learned_must()) == len(source.learned_cannot()) == 0
    found = run(points, closure, tikhonov=0.0)
    for must, links in ((True, found.learned_must()), (False, found.learned_cannot())):
        same = truth[links.pairs[:, 0]] == truth[links.pairs[:, 1]]
        assert len(links) > 50
        assert np.mean(same == must) > 0.98


def test_a_learned_link_leads_back_to_what_was_given() -> None:
    points, truth = bundled(load_iris)
    closure = answers(truth, 30)
    found = run(points, closure)
    for must, links in ((True, found.learned_must()), (False, found.learned_cannot())):
        assert len(links) > 20
        for pair in links.pairs[:: len(links) // 20].tolist():
            behind = found.behind(Pair(*pair), must=must)
            assert len(behind) == 1
            assert closure.verdict(behind[0]) is (SAME if must else DIFFERENT)
    given = Pair(*spreading.given(150, closure, 10**9)[0].pairs[0].tolist())
    assert found.behind(given, must=True) == (given,)
    none = next(
        p
        for p in combinations(range(150), 2)
        if not found.must.at(np.array([150 * p[0] + p[1]]))[0]
    )
    assert found.behind(Pair(*none), must=True) == ()


def test_answers_that_say_nothing_more_than_the_closure_change_nothing() -> None:
    points, truth = bundled(load_iris)
    closure = answers(truth, 30)
    more = answers(truth, 30)
    (pair, verdict), *_ = [
        (Pair(*pair), SAME) for pair in spreading.given(150, closure, 10**9)[0].pairs.tolist()
    ]
    more.add(pair, verdict, 99)
    one, other = run(points, closure), run(points, more)
    assert one.must.same_as(other.must)
    np.testing.assert_array_equal(one.space, other.space)
    problem = Problem(points)
    params = SpreadParams()
    held = spreading.spread(problem, closure, params, Job())
    assert spreading.spread(problem, more, params, Job()) is held


def test_labels_become_all_pairs_among_those_labelled() -> None:
    labels = np.array([2, -1, 0, 2, 0, 1])
    closure = of_labels(labels)
    for a, b in combinations(range(6), 2):
        if labels[a] < 0 or labels[b] < 0:
            assert closure.verdict(Pair(a, b)) is None
        else:
            assert closure.verdict(Pair(a, b)) is (SAME if labels[a] == labels[b] else DIFFERENT)


def test_it_ends_by_share_rounds_nothing_new_and_memory() -> None:
    points, truth = bundled(load_iris)
    assert run(points, answers(truth, 100)).stopped == "share"
    two = run(points, answers(truth, 20), rounds=2)
    assert (two.stopped, len(two.trace)) == ("rounds", 3)
    assert [one.number for one in two.trace] == [0, 1, 2]
    assert all(one.dimensions == 4 for one in two.trace)
    apart = np.array([[0.0], [1], [100], [200], [300]])
    assert run(apart, closed((0, 1, SAME))).stopped == "unchanged"
    crowd = np.random.default_rng(0).random((2000, 2))
    sides = (crowd[:, 0] > 0.5).astype(int)
    little = run(crowd, answers(sides, 60), memory=1, share=1.0)
    assert little.stopped == "memory"
    assert len(little.must) + len(little.cannot) <= 10**6 // 64


def test_bad_input_is_refused_in_words() -> None:
    points = np.random.default_rng(0).random((10, 2))
    with pytest.raises(ConstraintError, match="no answers"):
        run(points, Constraints())
    with pytest.raises(ConstraintError, match="about item 12; there are 10 items"):
        run(points, closed((0, 11, SAME)))
    both = Links.of(10, [(0, 1)])
    with pytest.raises(ConstraintError, match="items 1 and 2 are given both"):
        learn(points, both, both, SpreadParams(), Job())
    with pytest.raises(ParameterError, match="below 1"):
        run(points, closed((0, 1, SAME)), gain=1.0)
    with pytest.raises(ResourceError, match="settle 19,900 pairs"):
        run(np.zeros((200, 1)), of_labels(np.zeros(200, dtype=int)), memory=1)
    for pairs, strength in (([(1, 1)], 1.0), ([(0, 10)], 1.0), ([(0, 1)], 0.0), ([(0, 1)], 1.5)):
        with pytest.raises(ValueError, match=r"pair|strength"):
            Links.of(10, pairs, strength)


def test_a_contradiction_is_refused_with_its_chain() -> None:
    closure = closed((0, 1, SAME), (1, 2, SAME), (0, 2, DIFFERENT))
    told = (
        "1 and 3 different, but from 1 and 2 same, 2 and 3 same it follows that they are the same"
    )
    with pytest.raises(ConstraintError, match=told):
        spreading.consistent(closure)
    spreading.consistent(closed((0, 1, SAME)))


def test_copies_constant_columns_two_items_and_parts_far_apart() -> None:
    run(np.zeros((5, 3)), closed((0, 1, SAME), (0, 2, DIFFERENT)))
    run(np.zeros((2, 1)), closed((0, 1, DIFFERENT)))
    run(np.eye(2), closed((0, 1, SAME)))
    points = np.random.default_rng(0).random((60, 3))
    points[:, 1] = 7
    points[30:] += 1e4
    found = run(points, closed((0, 1, SAME), (30, 31, SAME), (0, 30, DIFFERENT)))
    assert np.isfinite(found.space).all()
    one, other = (found.must.pairs < 30).T
    assert (one == other).all()


def test_soft_links_count_by_their_strength_and_do_not_spread_below_half() -> None:
    points = np.random.default_rng(0).random((30, 2))
    weak = learn(points, Links.of(30, [(0, 1)], 0.4), Links.of(30, []), SpreadParams(), Job())
    assert len(weak.must) == 1
    assert Links.of(30, [(0, 1)], 0.4).strong.tolist() == [NEVER]
    strong = learn(points, Links.of(30, [(0, 1)], 0.9), Links.of(30, []), SpreadParams(), Job())
    assert strong.stopped in {"unchanged", "rounds", "share"}


def test_it_can_be_stopped_and_tells_its_progress() -> None:
    points, truth = bundled(load_iris)
    told: list[tuple[int, int, str]] = []
    problem = Problem(points)
    job = Job(lambda *step: told.append(step))
    spreading.spread(problem, answers(truth, 20), SpreadParams(), job)
    assert told
    stopped = Job()
    stopped.cancel()
    with pytest.raises(Cancelled):
        spreading.spread(Problem(points), answers(truth, 20), SpreadParams(), stopped)
