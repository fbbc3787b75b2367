"""CKM: hand cases, its step against formulas, planted compositions."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.clusterers import make as make_clusterer
from engine.compositional import make
from engine.compositional.ckm import descent
from engine.compositional.ckm.descent import Manner, _Items, _solve, _State
from engine.compositional.functions import function
from engine.compositional.membership import Composed
from engine.compositional.sets import Sets
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError, ResourceError
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.problem import Problem
from tests.unit.planted import planted

AMPLE = 10**9
SIX = np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0]])


def run(points: np.ndarray, seed: int = 0, **params: object) -> tuple[Composed, dict]:
    method = make("ckm", {name: str(value) for name, value in params.items()})
    found = method.compose(Problem(points, seed), Constraints(), Job())
    return found, method.report()


def stood(
    points: np.ndarray, starts: np.ndarray, degree: int, compose: str, manner: Manner
) -> tuple[_Items, _State, Sets]:
    """Put restarts where they begin; nothing has been assigned yet."""
    sets = Sets.of(starts.shape[1], degree, 1, AMPLE)
    tensor = torch.from_numpy(points)
    items = _Items.of(tensor, len(starts), sets, function(compose), manner, Job())
    return items, _State.of(torch.from_numpy(starts), len(points), sets.count), sets


@pytest.mark.parametrize("solver", ["exact", "gradient"])
def test_two_groups_and_their_sum(solver: str) -> None:
    found, report = run(SIX, groups=2, solver=solver)
    assert found.sets == ((0,), (1,), (0, 1))
    assert found.chosen.tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_allclose(found.centres.ravel(), [1, 2], atol=1e-6)
    assert report["objective"] == pytest.approx(0, abs=1e-10)
    assert report["objective"] == min(line["objective"] for line in report["trace"])
    assert [line["start"] for line in report["trace"]] == ["rows"] * 20 + ["gcr"]


def test_the_exact_step_by_hand() -> None:
    found, report = run(np.array([[1.0], [2.0], [3.3]]), groups=2)
    assert found.item_sets() == [(0,), (1,), (0, 1)]
    np.testing.assert_allclose(found.centres.ravel(), [1.1, 2.1], atol=1e-6)
    assert report["objective"] == pytest.approx(0.03, abs=1e-6)


@pytest.mark.parametrize("compose", ["sum", "mean"])
def test_the_exact_step_is_the_least_squares_of_smallest_norm(compose: str) -> None:
    rng = np.random.default_rng(0)
    points, starts = rng.random((30, 4)), rng.random((6, 5, 4))
    items, state, sets = stood(points, starts, 2, compose, Manner(rate=1, rounds=1))
    shares = sets.incidence().astype(float)
    if compose == "mean":
        shares /= shares.sum(1, keepdims=True)
    items.look(state, Job())
    # in the last restart two groups only ever occur together, and one never does
    state.chosen[-1] = torch.from_numpy(rng.choice([0, sets.index((1, 2)), 3], 30))
    members = shares[state.chosen.numpy()]
    state.counts = torch.stack([torch.bincount(one, minlength=sets.count) for one in state.chosen])
    state.counts = state.counts.double()
    less = points - points.mean(0)
    state.sums = torch.zeros(6, sets.count, 4, dtype=torch.float64)
    for restart in range(6):
        places = state.chosen[restart].long()
        state.sums[restart].index_add_(0, places, torch.from_numpy(less))
    _solve(state, torch.from_numpy(shares), items.mean)
    for restart, table in enumerate(members):
        used = table.any(0)
        solved = np.linalg.lstsq(table[:, used], points, rcond=None)[0]
        np.testing.assert_allclose(state.centres[restart][used], solved, atol=1e-9)
        np.testing.assert_array_equal(state.centres[restart][~used], starts[restart][~used])


@pytest.mark.parametrize("compose", ["sum", "max", "mean"])
@pytest.mark.parametrize("normalize", [False, True])
def test_objective_and_gradient_are_those_of_all_items(
    monkeypatch, compose: str, normalize: bool
) -> None:
    rng = np.random.default_rng(1)
    points, starts = rng.random((40, 3)), rng.random((5, 4, 3))
    g = function(compose)
    for name in ("_CHUNK_VALUES", "_BLOCK_VALUES", "_DENSE"):
        monkeypatch.setattr(descent, name, 1 if name == "_DENSE" else 60)
    manner = Manner(rate=1, rounds=1, normalize=normalize)
    items, state, sets = stood(points, starts, 3, compose, manner)
    for _ in range(3):  # the first look takes all in, the others what changes
        centres = state.centres.clone().requires_grad_()
        vectors = sets.composed(centres, g)
        given = torch.from_numpy(points)
        if normalize:
            vectors, given = (
                torch.nn.functional.normalize(one, dim=-1) for one in (vectors, given)
            )
        squares = (given[None, :, None] - vectors[:, None]).square().sum(-1)
        least, chosen = squares.min(-1)
        (slopes,) = torch.autograd.grad(least.sum() / 40, centres)
        before = state.chosen.clone()
        spreads, found, moved = items.look(state, Job())
        torch.testing.assert_close(state.chosen.long(), chosen)
        torch.testing.assert_close(spreads, least.sum(1).detach())
        torch.testing.assert_close(found, slopes)
        assert moved.tolist() == (before != state.chosen).sum(1).tolist()
        state.centres += torch.from_numpy(rng.normal(size=starts.shape) * 0.1)


def test_of_equal_sets_the_first_is_taken() -> None:
    # the sum of the first two centres is the third
    starts = np.array([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    items, state, _ = stood(np.array([[1.0, 1.0]]), starts, 2, "sum", Manner(rate=1, rounds=1))
    items.look(state, Job())
    assert state.chosen.tolist() == [[2]]


@pytest.mark.parametrize("name", ["_BLOCK_VALUES", "_CHUNK_VALUES", "_EXACT_WORK", "_DENSE"])
def test_blocks_and_float_types_change_nothing_but_rounding(monkeypatch, name: str) -> None:
    points, truth = planted(3, 2, "max", 0, each=10, p=6)
    expected, _ = run(points, groups=3, compose="max", restarts=4, rounds=60)
    monkeypatch.setattr(descent, name, 300 if name != "_DENSE" else 1e9)
    found, _ = run(points, groups=3, compose="max", restarts=4, rounds=60)
    assert found.item_sets() == expected.item_sets()
    np.testing.assert_allclose(found.centres, expected.centres, atol=1e-3)
    assert compositional_rand_index(truth, found.item_sets()) == 1


def test_with_single_groups_only_it_is_k_means() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3)) + 6 * np.eye(3)[np.arange(60) % 3]
    means = make_clusterer("kmeans", {"groups": "3"}).cluster(Problem(points), Constraints(), Job())
    for compose in ("sum", "max"):
        found, _ = run(points, groups=3, degree=1, compose=compose)
        assert found.as_clustering().labels.tolist() == means.labels.tolist()
        np.testing.assert_allclose(found.centres[0], points[means.labels == 0].mean(0), atol=1e-2)


@pytest.mark.parametrize(
    ("compose", "k", "degree"),
    [("max", 3, 2), ("max", 4, 2), ("max", 5, 2), ("sum", 3, 2), ("sum", 3, 3), ("sum", 5, 2)],
)
def test_planted(compose: str, k: int, degree: int) -> None:
    points, truth = planted(k, degree, compose, 1)
    found, report = run(points, groups=k, degree=degree, compose=compose)
    assert compositional_rand_index(truth, found.item_sets()) == 1
    assert report["objective"] == pytest.approx(len(points) * 20 * 0.05**2, rel=0.1)
    assert report["objective"] == pytest.approx(
        min(line["objective"] for line in report["trace"]), rel=1e-5
    )


def test_planted_with_the_gradient_of_a_sum() -> None:
    points, truth = planted(3, 2, "sum", 0)
    found, _ = run(points, groups=3, solver="gradient", gcr_start="no")
    assert compositional_rand_index(truth, found.item_sets()) == 1


def test_directions_weights_and_batches(tmp_path) -> None:
    points, truth = planted(3, 2, "sum", 0)
    rng = np.random.default_rng(0)
    scaled = points * rng.uniform(0.5, 2, (len(points), 1))
    found, _ = run(scaled, groups=3, compose="mean", normalize="yes", rounds=400)
    assert compositional_rand_index(truth, found.item_sets()) > 0.95
    path = tmp_path / "sum.npz"
    np.savez(path, W1=np.eye(20), W2=np.zeros((20, 20)), bias=np.zeros(20))
    by_file, _ = run(points, groups=3, compose=path)
    by_name, _ = run(points, groups=3, compose="sum", solver="gradient")
    assert by_file.item_sets() == by_name.item_sets()
    one_by_one, report = run(points, groups=3, memory=1, restarts=300, gcr_start="no")
    assert compositional_rand_index(truth, one_by_one.item_sets()) == 1
    assert len(report["trace"]) == 300


def test_the_number_of_groups_is_found_out() -> None:
    points, truth = planted(3, 2, "sum", 0, each=10)
    for how in ("silhouette", "gap"):
        found, report = run(points, choose=how, most=4, restarts=10)
        assert found.groups == 3, (how, report["tried"])
        assert compositional_rand_index(truth, found.item_sets()) == 1
        assert [line["groups"] for line in report["tried"]][-1] == 4


def test_seeds_and_cancelling() -> None:
    points, _ = planted(3, 2, "max", 0, each=5)
    one, first = run(points, 3, groups=3, compose="max", restarts=3, rounds=20)
    other, second = run(points, 3, groups=3, compose="max", restarts=3, rounds=20)
    assert first == second
    np.testing.assert_array_equal(one.centres, other.centres)
    _, third = run(points, 4, groups=3, compose="max", restarts=3, rounds=20)
    assert first != third

    class Impatient(Job):
        seen = 0

        def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
            self.seen += 1
            if self.seen == 40:
                self.cancel()
            super().step(done, total, text)

    with pytest.raises(Cancelled):
        make("ckm", {"groups": "3"}).compose(Problem(points), Constraints(), Impatient())


@pytest.mark.parametrize(
    ("points", "groups"),
    [([[2.0]], 1), ([[1.0], [1.0]], 2), (np.ones((4, 3)), 2), (np.eye(3), 3), (np.ones((4, 3)), 0)],
)
@pytest.mark.parametrize("compose", ["sum", "max"])
def test_small_and_alike(points, groups: int, compose: str) -> None:
    found, _ = run(np.array(points), groups=groups, compose=compose, degree=3)
    assert found.n == len(points)
    assert np.isfinite(found.fit).all()
    np.testing.assert_allclose(found.fit, 0, atol=1e-6)


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"groups": 7}, "at most 6"),
        ({"groups": 2, "solver": "exact", "compose": "max"}, "exact solver is for"),
        ({"groups": 2, "solver": "exact", "normalize": "yes"}, "exact solver is for"),
        ({"groups": 2, "degree": 5}, "from 1 to 4"),
    ],
)
def test_mistakes(params, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        run(SIX, **params)


def test_too_many_sets() -> None:
    with pytest.raises(ResourceError, match="60 groups make"):
        run(np.random.default_rng(0).random((200, 2)), groups=60, degree=3, memory=50)
