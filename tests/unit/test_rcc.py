from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from engine import clusterers
from engine.clusterers.rcc.components import firmness, joined
from engine.clusterers.rcc.continuation import Scales, Schedule, line_process, penalty
from engine.clusterers.rcc.elimination import work
from engine.clusterers.rcc.graph import Graph, directions, weights
from engine.clusterers.rcc.solves import (
    laplacian,
    largest_eigenvalue,
    principal,
    solve,
    spectral_norm,
    system,
)
from engine.constraints import Constraints
from engine.errors import Cancelled
from engine.job import Job
from engine.metrics import adjusted_mutual_information, adjusted_rand_index
from engine.model import Pair, Verdict
from engine.problem import Problem

PATH = np.array([[0, 1], [1, 2]], dtype=np.int32)


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    return load_digits(return_X_y=True)


def grouped(points, name: str = "rcc", **params: object):
    method = clusterers.make(name, {key: str(value) for key, value in params.items()})
    found = method.cluster(Problem(points), Constraints(), Job())
    return found, method.report()


def blobs(n: int, groups: int, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % groups
    return rng.normal(size=(n, d)) + 12 * rng.normal(size=(groups, d))[truth], truth


# ------------------------------------------------------------------------ the parts by hand


def test_line_process_and_penalty() -> None:
    assert line_process(np.array([4.0]), 4.0) == pytest.approx(0.25)
    assert line_process(np.array([9.0]), 1.0) == pytest.approx(0.01)
    assert line_process(np.array([0.0]), 1.0) == 1
    squares = np.array([4.0])
    assert penalty(squares, line_process(squares, 4.0), 4.0) == pytest.approx(2)
    grid = np.linspace(0, 1, 100_001)
    assert penalty(squares, grid, 4.0).min() == pytest.approx(2, abs=1e-8)


def test_weights_of_a_path() -> None:
    np.testing.assert_allclose(weights(3, PATH), 0.942809, atol=5e-7)


def test_the_mean_degree_counts_points_without_edges() -> None:
    np.testing.assert_allclose(weights(4, PATH), 1 / np.sqrt(2))


def test_two_points() -> None:
    points = np.array([[1.0, 5.0], [4.0, 1.0]])
    edges = np.array([[0, 1]], dtype=np.int32)
    pull = laplacian(2, edges, np.array([0.3]))
    found = solve(system(np.ones(2), pull, 7.0), points, points, "direct", 1, Job())
    np.testing.assert_allclose(found[0] - found[1], (points[0] - points[1]) / (1 + 2 * 7 * 0.3))
    np.testing.assert_allclose(found.sum(axis=0), points.sum(axis=0))
    _, report = grouped(points, metric="euclidean")
    assert report["trace"][0]["lambda"] == pytest.approx(np.linalg.norm(points, 2) / 2)


@pytest.mark.parametrize("solver", ["direct", "gradients"])
@pytest.mark.parametrize("strength", [0.0, 1.0, 200.0])
def test_solving_keeps_the_sums_of_columns(solver: str, strength: float) -> None:
    points, _ = blobs(300, 3)
    graph = Graph.over(points.astype(np.float32), 6, "euclidean", Job())
    pull = laplacian(300, graph.edges, graph.weights)
    matrix = system(np.ones(300), pull, strength)
    found = solve(matrix, points, np.zeros_like(points), solver, graph.work, Job())
    np.testing.assert_allclose(found.sum(axis=0), points.sum(axis=0), rtol=1e-4)
    np.testing.assert_allclose(found, np.linalg.solve(matrix.toarray(), points), atol=1e-3)
    if strength == 0:
        np.testing.assert_allclose(found, points)


@pytest.mark.parametrize(("n", "d"), [(400, 300), (300, 400), (5, 3), (3, 5), (1, 4), (400, 2)])
def test_norms(n: int, d: int) -> None:
    rng = np.random.default_rng(n)
    rows = rng.normal(2, 1, (n, d))
    start = rng.standard_normal(min(n, d))
    assert spectral_norm(rows, start, Job()) == pytest.approx(np.linalg.norm(rows, 2), rel=1e-6)
    assert spectral_norm(0 * rows, start, Job()) == 0
    assert spectral_norm(1e200 * rows, start, Job()) == pytest.approx(
        1e200 * np.linalg.norm(rows, 2), rel=1e-6
    )
    if n > 2:
        points = rows.astype(np.float32)
        graph = Graph.over(points, 4, "euclidean", Job())
        pull = laplacian(n, graph.edges, graph.weights)
        largest = largest_eigenvalue(pull, rng.standard_normal(n), Job())
        assert largest == pytest.approx(np.linalg.norm(pull.toarray(), 2), rel=1e-6)


@pytest.mark.parametrize("dense", [0, 1500])
@pytest.mark.parametrize(("n", "d"), [(60, 8), (30, 50)])
def test_principal_directions(n: int, d: int, dense: int, monkeypatch) -> None:
    monkeypatch.setattr("engine.clusterers.rcc.solves._DENSE", dense)
    rng = np.random.default_rng(1)
    rows = rng.normal(3, 1, (n, d)) * np.linspace(1, 5, d)
    found = principal(rows, 4, rng, Job())
    wanted = np.linalg.svd(rows - rows.mean(axis=0))[2][:4].T
    np.testing.assert_allclose(np.abs((found * wanted).sum(axis=0)), 1, atol=1e-6)
    assert (found[np.abs(found).argmax(axis=0), np.arange(4)] > 0).all()


def test_scales_leave_copies_out() -> None:
    lengths = np.array([0.0, 0.001, 3.0, 5.0, 1.0])
    assert Scales.of(lengths, 1, "largest") == Scales(1.0, 1.0, 75.0)
    assert Scales.of(lengths, 1, "median") == Scales(1.0, 1.0, 3.0)
    assert Scales.of(np.array([0.001, 0.002]), 1, "largest") == Scales(0.001, 0.001, 3 * 0.002**2)
    assert Scales.of(np.zeros(3), 1, "largest") is None
    assert Scales.of(np.array([0.0, 0.0, 2.0]), 1, "median").mu == 12


def test_delta_takes_the_shortest_250() -> None:
    lengths = np.arange(1.0, 40_001)
    scales = Scales.of(lengths, 1, "largest")
    assert scales.delta == pytest.approx(125.5)
    assert scales.eps == pytest.approx(200.5)


def test_schedule() -> None:
    schedule = Schedule(Scales(1.0, 1.0, 3.0), tolerance=0.1, inner=4, mu_end="delta")
    assert [schedule.take(value) for value in (9.0, 8.0, 7.99)] == [False, False, True]
    assert schedule.mu == 1.5
    assert [schedule.take(value) for value in (5.0, 4.0, 3.0, 2.0)] == [False, False, False, True]
    assert schedule.mu == 0.75
    assert [schedule.take(value) for value in (5.0, 4.0, 3.0, 2.0)] == [False, False, False, True]
    assert schedule.mu == 0.5  # half of delta, for it had not settled
    assert not schedule.done
    assert not schedule.take(2.01)
    assert schedule.done


def test_edges_are_mutual_neighbours_and_a_forest() -> None:
    points = np.array([[0.0], [1], [2.1], [10], [11]], dtype=np.float32)
    graph = Graph.over(points, 1, "euclidean", Job())
    assert graph.edges.tolist() == [[0, 1], [1, 2], [3, 4]]
    assert graph.parts == 2
    graph = Graph.over(points, 4, "euclidean", Job())
    assert len(graph.edges) == 10
    assert graph.parts == 1


def test_directions_have_the_cosine_distances() -> None:
    points = np.array([[3, 0], [0, 1e-30], [0, 0], [-1e30, 0], [0, 0]], dtype=np.float32)
    unit = directions(points).astype(float)
    distance = np.square(unit[:, None] - unit[None]).sum(axis=2) / 2
    wanted = np.array(
        [[0, 1, 1, 2, 1], [1, 0, 1, 1, 1], [1, 1, 0, 1, 0], [2, 1, 1, 0, 1], [1, 1, 0, 1, 0]]
    )
    np.testing.assert_allclose(distance, wanted, atol=1e-6)


@pytest.mark.parametrize("within", [0.01, 0.2, 0.5])
@pytest.mark.parametrize("side", [7, 1024])
def test_all_pairs_are_gone_through(within: float, side: int, monkeypatch) -> None:
    from scipy.sparse.csgraph import connected_components

    monkeypatch.setattr("engine.clusterers.rcc.components._SIDE", side)
    points = np.random.default_rng(0).random((60, 3))
    graph = Graph.over(points.astype(np.float32), 2, "euclidean", Job())
    found = joined(points, graph, within, "all", Job())
    close = np.linalg.norm(points[:, None] - points[None], axis=2) < within
    _, wanted = connected_components(close, directed=False)
    assert adjusted_rand_index(found, wanted) == 1
    assert found[0] == 0


def test_firmness() -> None:
    graph = Graph(4, PATH, weights(4, PATH), 2, 0.0)
    np.testing.assert_allclose(firmness(graph, np.array([0, 0, 1, 2])), [1, 0.5, 0, 1])


def test_work_of_known_graphs() -> None:
    path = np.column_stack([np.arange(99), np.arange(1, 100)]).astype(np.int32)
    assert work(100, path, Job()) == 99 * 4 + 1
    full = np.array([(i, j) for i in range(100) for j in range(i)], dtype=np.int32)
    assert work(100, full, Job()) == pytest.approx(100**3 / 3)


# ------------------------------------------------------------------------ the method


def test_digits_as_they_are(digits) -> None:
    points, truth = digits
    graph = Graph.over(points.astype(np.float32), 10, "cosine", Job())
    assert len(graph.edges) == 5593
    found, report = grouped(points)
    trace = report["trace"]
    assert trace[0]["mu"] == pytest.approx(3135)
    assert trace[0]["lambda"] == pytest.approx(187.67, abs=0.01)
    assert trace[-1]["mu"] == pytest.approx(9.948 / 2, abs=1e-3)
    assert len(trace) == 46
    assert found.n_groups == 15
    assert (np.bincount(found.labels) >= 5).sum() == 14
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(0.911, abs=0.002)
    assert adjusted_rand_index(truth, found.labels) == pytest.approx(0.862, abs=0.002)
    assert report["warnings"] == []
    median, _ = grouped(points, mu_start="median")
    np.testing.assert_array_equal(median.labels, found.labels)
    larger, _ = grouped(points / 16, stretch=16)
    np.testing.assert_array_equal(larger.labels, found.labels)


def test_digits_by_euclidean_neighbours(digits) -> None:
    points, truth = digits
    graph = Graph.over(points.astype(np.float32), 10, "euclidean", Job())
    assert len(graph.edges) == 5751
    found, _ = grouped(points, metric="euclidean")
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(0.904, abs=0.002)
    assert adjusted_rand_index(truth, found.labels) == pytest.approx(0.854, abs=0.002)


def test_digits_between_0_and_1(digits) -> None:
    points, truth = digits
    found, _ = grouped(points / 16)
    assert found.n_groups == 25
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(0.896, abs=0.002)
    assert adjusted_rand_index(truth, found.labels) == pytest.approx(0.839, abs=0.002)


def test_iris_and_the_warning_when_scale_makes_fragments() -> None:
    points, truth = load_iris(return_X_y=True)
    found, report = grouped(points)
    assert found.n_groups == 4
    assert adjusted_mutual_information(truth, found.labels) == pytest.approx(0.809, abs=0.002)
    assert adjusted_rand_index(truth, found.labels) == pytest.approx(0.791, abs=0.002)
    assert not any("scale" in warning for warning in report["warnings"])
    least, most = points.min(axis=0), points.max(axis=0)
    found, report = grouped((points - least) / (most - least))
    assert found.n_groups == 66
    assert any("66 groups" in warning and "stretch" in warning for warning in report["warnings"])


def test_the_objective_falls_while_mu_and_lambda_stay() -> None:
    points, _ = blobs(200, 4)
    _, report = grouped(points)
    trace = report["trace"]
    pairs = [
        (before["objective"], after["objective"])
        for before, after in itertools.pairwise(trace)
        if (before["mu"], before["lambda"]) == (after["mu"], after["lambda"])
    ]
    assert len(pairs) > 2
    assert all(after <= before * (1 + 1e-9) for before, after in pairs)
    assert [line["iteration"] for line in trace] == list(range(1, len(trace) + 1))
    assert all(line["seconds"] >= 0 for line in trace)


@pytest.mark.parametrize("name", ["rcc", "rcc-dr"])
def test_solvers_agree(name: str) -> None:
    points, truth = blobs(240, 4, d=8, seed=3)
    direct, _ = grouped(points, name, solver="direct")
    steps, _ = grouped(points, name, solver="gradients")
    np.testing.assert_array_equal(direct.labels, steps.labels)
    assert adjusted_rand_index(truth, direct.labels) > 0.9


@pytest.mark.parametrize("name", ["rcc", "rcc-dr"])
@pytest.mark.parametrize(
    "points",
    [
        np.ones((1, 3)),
        np.eye(2),
        np.ones((2, 1)),
        np.zeros((30, 4)),
        np.full((40, 2), 7.0),
        np.repeat(np.eye(3), 9, axis=0),
        np.column_stack([np.zeros(25), np.arange(25)]),
        np.eye(4) * 1e-30,
        np.random.default_rng(0).normal(size=(30, 3)) * 1e30,
        np.random.default_rng(0).normal(size=(5, 40)),
    ],
)
@pytest.mark.parametrize("pairs", ["edges", "all"])
def test_hard_data(name: str, points: np.ndarray, pairs: str) -> None:
    found, report = grouped(points, name, pairs=pairs)
    assert found.labels.shape == (len(points),)
    assert found.labels[0] == 0
    assert np.isfinite(found.confidence).all()
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    assert all(np.isfinite(line["objective"]) for line in report["trace"])


@pytest.mark.parametrize("name", ["rcc", "rcc-dr"])
def test_copies_are_one_group_and_join_their_twin(name: str) -> None:
    found, report = grouped(np.full((40, 2), 7.0), name)
    assert found.n_groups == 1
    assert any("copies" in warning for warning in report["warnings"])
    points, _ = blobs(60, 3)
    points[-2:] = 400, -300, 200, 100, 0  # far from all, but not from each other
    labels = grouped(points, name)[0].labels
    assert labels[-1] == labels[-2]


def test_warnings() -> None:
    _, report = grouped(np.random.default_rng(0).normal(size=(6, 3)))
    assert any("only 6 items" in warning for warning in report["warnings"])
    apart = np.concatenate(
        [np.eye(40, 50) + 5 * np.eye(1, 50), -np.eye(40, 50) - 5 * np.eye(1, 50)]
    )
    found, report = grouped(apart)
    assert any("falls into 2 parts" in warning for warning in report["warnings"])
    assert found.labels[0] != found.labels[-1]
    _, report = grouped(blobs(100, 3)[0], rounds=2)
    assert any("2 rounds" in warning for warning in report["warnings"])


@pytest.mark.parametrize("name", ["rcc", "rcc-dr", "kmeans", "tahc"])
def test_answers_have_no_part_and_this_is_said(name: str) -> None:
    points, _ = blobs(30, 3)
    params = {} if name.startswith("rcc") else {"groups": "3"}
    method = clusterers.make(name, params)
    without = method.cluster(Problem(points), Constraints(), Job())
    assert not any("answers" in warning for warning in method.report()["warnings"])
    answers = Constraints()
    answers.add(Pair(0, 1), Verdict.SAME, 1)
    found = method.cluster(Problem(points), answers, Job())
    assert any(f"{name} knows no answers" in warning for warning in method.report()["warnings"])
    np.testing.assert_array_equal(found.labels, without.labels)


@pytest.mark.parametrize("name", ["rcc", "rcc-dr"])
def test_the_same_each_time_and_can_be_stopped(name: str) -> None:
    points, _ = blobs(300, 5, seed=2)
    one, other = grouped(points, name)[0], grouped(points, name)[0]
    np.testing.assert_array_equal(one.labels, other.labels)

    class StoppedLater(Job):
        left = 60

        def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
            self.left -= 1
            if self.left == 0:
                self.cancel()
            super().step(done, total, text)

    with pytest.raises(Cancelled):
        clusterers.make(name, {"solver": "gradients"}).cluster(
            Problem(points), Constraints(), StoppedLater()
        )
