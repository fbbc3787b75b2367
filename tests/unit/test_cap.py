from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist

from engine.compositional.cap import Ap, ApParams, Cap, CapParams, CapSubset, CapSubsetParams
from engine.compositional.cap.decode import choose, founders
from engine.compositional.cap.maxes import Finder
from engine.compositional.cap.messages import Messages, Settled, feasible, settle
from engine.compositional.cap.swapping import swapped
from engine.compositional.cap.table import Space, Table, affinities, break_ties
from engine.compositional.functions import function
from engine.compositional.sets import Sets
from engine.constraints import Constraints
from engine.errors import Cancelled, ParameterError, ResourceError
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.model import Pair, Verdict
from engine.problem import Problem
from tests.unit import planted as composites

AMPLE = 10**9
METHODS = {
    "cap": (Cap, CapParams),
    "cap-subset": (CapSubset, CapSubsetParams),
    "ap": (Ap, ApParams),
}


def composed(points, method: str = "cap", seed: int = 0, **params: object):
    kind, given = METHODS[method]
    made = kind(given(**params))
    return made.compose(Problem(points, seed), Constraints(), Job()), made.report()


def table_of(points, degree: int, compose: str = "sum", cost: float | None = None):
    space = Space.of(torch.as_tensor(points), function(compose))
    sets = Sets.of(space.n, degree, space.n, AMPLE)
    table, costs = affinities(space, sets, cost, Job())
    return space, table, costs


def values(table: Table) -> np.ndarray:
    return torch.cat(list(table.blocks), 1).T.numpy()


def random_table(n: int, degree: int, rng: np.random.Generator, digits: int = 9) -> Table:
    sets = Sets.of(n, degree, n, AMPLE)
    drawn = rng.normal(size=(n, sets.count)).round(digits)
    incidence = sets.incidence()
    drawn[(incidence & (incidence.sum(1) > 1)[:, None]).T] = -np.inf
    return Table.of(sets, torch.from_numpy(drawn))


# ------------------------------------------------------------------------- the table


@pytest.mark.parametrize(("compose", "make"), [("sum", np.sum), ("max", np.max), ("mean", np.mean)])
@pytest.mark.parametrize("squared", [True, False])
def test_similarities_by_hand(compose: str, make, squared: bool) -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(6, 4)) + 50
    space = Space.of(torch.from_numpy(points), function(compose), squared=squared)
    sets = Sets.of(6, 3, 6, AMPLE)
    table, _ = affinities(space, sets, -2.5, Job())
    found = values(table)
    for at in range(sets.count):
        members = list(sets.members(at))
        whole = make(points[members], axis=0)
        for i in range(6):
            distance = np.linalg.norm(points[i] - whole)
            expected = -(distance**2) if squared else -distance
            if i in members:
                expected = -2.5 if len(members) == 1 else -np.inf
            assert found[i, at] == pytest.approx(expected, abs=1e-9)


def test_directions_are_compared_after_composing() -> None:
    points = np.array([[3.0, 0.0], [0.0, 1.0], [6.0, 2.0]])
    space = Space.of(torch.from_numpy(points), function("sum"), normalize=True)
    table, _ = affinities(space, Sets.of(3, 2, 3, AMPLE), None, Job())
    assert values(table)[2, 3] == pytest.approx(0, abs=1e-12)


def test_the_median_preference() -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    _, table, costs = table_of(points, 1)
    others = values(table)[~np.eye(9, dtype=bool)]
    np.testing.assert_allclose(costs, np.median(others))
    _, table, costs = table_of(np.repeat(np.arange(200.0)[:, None] ** 2, 2, axis=1), 1)
    others = values(table)[~np.eye(200, dtype=bool)]
    np.testing.assert_allclose(costs, np.median(others))
    # most pairs are copies: a median of 0 would let every copy be an exemplar for nothing
    _, _, costs = table_of(np.array([[0.0], [0.0], [0.0], [0.0], [2.0]]), 1)
    np.testing.assert_allclose(costs, -4)


def test_ties_are_broken_by_the_seed() -> None:
    _, table, _ = table_of(np.eye(5), 2)
    before = values(table).copy()
    break_ties(table, np.random.default_rng(0), Job())
    after = values(table)
    finite = np.isfinite(before)
    assert np.array_equal(finite, np.isfinite(after))
    assert len(np.unique(after[finite])) == finite.sum()
    np.testing.assert_allclose(after[finite], before[finite], atol=1e-10)


# ----------------------------------------------------------------------- all maxima


@pytest.mark.parametrize(
    ("n", "degree"), [(2, 1), (2, 2), (3, 3), (6, 3), (7, 4), (5, 4), (30, 2), (9, 1), (20, 3)]
)
@pytest.mark.parametrize("digits", [9, 0])  # with many ties, too
def test_find_all_maxes_as_a_scan_does(n: int, degree: int, digits: int) -> None:
    rng = np.random.default_rng(n)
    table = random_table(n, degree, rng, digits)
    incidence = table.sets.incidence()
    added = -rng.random((n, n)).round(digits)
    np.fill_diagonal(added, rng.random(n).round(digits))
    for maxes in Finder(table)(torch.from_numpy(added.copy()), Job()):
        for column, i in enumerate(range(n)[maxes.items]):
            sums = values(table)[i] + incidence @ added[:, i]
            with_k = np.where(incidence.T, sums, -np.inf).max(1) - added[:, i]
            without_k = np.where(incidence.T, -np.inf, sums).max(1)
            np.testing.assert_allclose(maxes.within[:, column], with_k, atol=1e-12)
            np.testing.assert_allclose(maxes.without[:, column], without_k, atol=1e-12)
            assert sums[maxes.chosen[column]] == pytest.approx(sums.max(), abs=1e-12)
            if digits == 0:  # whole numbers: ties are exact, and the first wins
                assert maxes.chosen[column] == sums.argmax()


def test_find_all_maxes_in_several_blocks(monkeypatch) -> None:
    from engine.compositional.cap import maxes as module
    from engine.compositional.cap import table as other

    rng = np.random.default_rng(3)
    values_once = torch.from_numpy(-rng.random((50, 50)))
    table = random_table(50, 2, rng)
    once = [torch.cat(part, -1) for part in _found(table, values_once)]
    monkeypatch.setattr(other, "_SEGMENT_VALUES", 0)
    monkeypatch.setattr(module, "_SCAN_VALUES", 100)
    cut = Table.of(table.sets, torch.cat(list(table.blocks), 1).T)
    assert len(cut.blocks) > len(table.blocks)
    for one, another in zip(once, _found(cut, values_once), strict=True):
        assert torch.equal(one, torch.cat(another, -1))


def _found(table: Table, added: torch.Tensor):
    parts = [(one.within.clone(), one.without, one.chosen) for one in Finder(table)(added, Job())]
    return zip(*parts, strict=True)


# ------------------------------------------------------------------------- messages


def affinity_propagation(
    similarities: np.ndarray, rounds: int, damping: float
) -> tuple[np.ndarray, np.ndarray]:
    """Frey & Dueck (2007), as the article has it: responsibilities and availabilities [i, k]."""
    n = len(similarities)
    r, a = np.zeros((n, n)), np.zeros((n, n))
    for _ in range(rounds):
        new = np.empty((n, n))
        for k in range(n):
            others = np.arange(n) != k
            new[:, k] = similarities[:, k] - (a + similarities)[:, others].max(1)
        r = damping * r + (1 - damping) * new
        for i in range(n):
            for k in range(n):
                others = (np.arange(n) != i) & (np.arange(n) != k)
                backed = np.maximum(0, r[others, k]).sum()
                new[i, k] = backed if i == k else min(0, r[k, k] + backed)
        a = damping * a + (1 - damping) * new
    return r, a


def test_messages_of_single_exemplars_are_affinity_propagation() -> None:
    points = np.random.default_rng(1).normal(size=(30, 3))
    _, table, _ = table_of(points, 1)
    messages = Messages(table, 0.5)
    for _ in range(50):
        messages.exchange(Job())
    r, a = affinity_propagation(values(table), 50, 0.5)
    np.testing.assert_allclose(messages.responsibilities.T, r, atol=1e-9)
    np.testing.assert_allclose(messages.availabilities.T, a, atol=1e-9)


def max_sum(similarities: np.ndarray, sets: Sets, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Max-sum on the factor graph, by tables over all configurations; r and a, both [i, k]."""
    n, incidence = sets.k, sets.incidence()
    grid = np.indices((sets.count,) * n)
    allowed = []
    for k in range(n):
        used = np.any([incidence[grid[i], k] for i in range(n)], axis=0)
        allowed.append(np.where(used & (grid[k] != k), -np.inf, 0.0))
    to_item = np.zeros((n, n, sets.count))  # from factor k to item i
    r, a = np.zeros((n, n)), np.zeros((n, n))
    for _ in range(rounds):
        total = similarities + to_item.sum(0)
        to_factor = total[None] - to_item
        for k in range(n):
            for i in range(n):
                used = incidence[:, k]
                r[i, k] = to_factor[k, i, used].max() - to_factor[k, i, ~used].max()
        for k, i in itertools.product(range(n), range(n)):
            others = [j for j in range(n) if j != i]
            summed = allowed[k] + sum(to_factor[k, j][grid[j]] for j in others)
            message = summed.max(axis=tuple(others))
            used = incidence[:, k] if i != k else np.arange(sets.count) == k
            message = message - message[~incidence[:, k]].max()
            a[i, k] = message[used].max()
            message[np.isneginf(message)] = -1e3  # a set that contradicts itself
            to_item[k, i] = message
        np.testing.assert_allclose(to_item[k][:, ~incidence[:, k]], 0, atol=1e-12)
    return r, a


@pytest.mark.parametrize(("n", "degree"), [(3, 2), (3, 3), (4, 2)])
@pytest.mark.parametrize("compose", ["sum", "max"])
def test_messages_are_those_of_the_full_tables(n: int, degree: int, compose: str) -> None:
    points = np.random.default_rng(n + degree).random((n, 3))
    _, table, _ = table_of(points, degree, compose, -0.4)
    similarities = values(table).copy()
    similarities[np.isneginf(similarities)] = -1e6
    messages = Messages(table, 0.0)
    for _ in range(6):
        messages.exchange(Job())
    r, a = max_sum(similarities, table.sets, 6)
    np.testing.assert_allclose(messages.responsibilities.T, r, atol=1e-9)
    np.testing.assert_allclose(messages.availabilities.T, a, atol=1e-9)


# ----------------------------------------------------------------- what comes of them


def test_three_points_by_hand() -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    found, report = composed(points, preference="-0.5")
    assert found.item_sets() == [(0,), (1,), (0, 1)]
    assert report["net_similarity"] == pytest.approx(-1)
    assert report["feasible"]
    assert report["converged"]
    np.testing.assert_allclose(found.fit, 0, atol=1e-7)
    np.testing.assert_allclose(found.apart, [2**0.5, 2**0.5, 1], atol=1e-6)
    found, report = composed(points, preference="-0.5", degree=1)
    assert found.item_sets() == [(0,), (1,), (2,)]
    assert report["net_similarity"] == pytest.approx(-1.5)


def best_by_trying_all(points: np.ndarray, degree: int, cost: float) -> float:
    """The best net similarity of all choices that do not contradict themselves."""
    _, table, _ = table_of(points, degree, cost=cost)
    n, incidence = len(points), table.sets.incidence()
    nets = []
    for exemplars in itertools.product([False, True], repeat=n):
        chosen = np.array(exemplars)
        if chosen.any():
            within = ~incidence[:, ~chosen].any(1)
            best = values(table)[:, within].max(1)
            nets.append(np.where(chosen, cost, best).sum())
    return max(nets)


def test_seven_points_against_all_choices() -> None:
    optimal = 0
    for seed in range(6):
        points = Problem(np.random.default_rng(seed).random((7, 3))).points.astype(float)
        _, report = composed(points, preference="-0.25", rounds=400)
        best = best_by_trying_all(points, 2, -0.25)
        assert report["net_similarity"] <= best + 1e-9
        optimal += report["net_similarity"] > best - 1e-9
    assert optimal >= 5


def net_of(table: Table, exemplars: list[int], costs: np.ndarray) -> float:
    """The net similarity of exemplars, by looking at all sets."""
    outside = [one for one in range(table.n) if one not in exemplars]
    within = ~table.sets.incidence()[:, outside].any(1)
    best = values(table)[:, within].max(1)
    best[exemplars] = costs[exemplars]
    return float(best.sum())


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_swaps_end_where_no_swap_is_better(degree: int) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        space = Space.of(torch.from_numpy(rng.random((9, 3))), function("sum"))
        sets = Sets.of(9, degree, 9, AMPLE)
        costs = -rng.random(9)
        table, _ = affinities(space, sets, costs, Job())
        begun = sorted(rng.choice(9, 1 + seed, replace=False).tolist())
        found = swapped(table, torch.tensor(begun), costs, degree, Job()).tolist()
        net = net_of(table, found, costs)
        assert len(found) == len(set(found)) == len(begun)
        assert net >= net_of(table, begun, costs)
        for at, one in itertools.product(range(len(found)), range(9)):
            if one not in found:
                other = sorted([*found[:at], *found[at + 1 :], one])
                assert net_of(table, other, costs) <= net + 1e-9


def test_swaps_may_be_left_out() -> None:
    gained = []
    for seed in range(6):
        points = np.random.default_rng(seed).random((14, 3))
        given = {"preference": "-0.25", "degree": 3, "damping": "0.5", "rounds": 30}
        _, with_swaps = composed(points, **given)
        _, without = composed(points, **given, swap=False)
        gained.append(with_swaps["net_similarity"] - without["net_similarity"])
    assert min(gained) >= 0
    assert max(gained) > 1e-3


def planted(compose: str, each: int, seed: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Points of three groups and their pairs, of which no two come to nearly the same."""
    return next(
        (points, truth)
        for points, truth in (
            composites.planted(3, 2, compose, 100 * again + seed, each=each, p=6)
            for again in range(100)
        )
        if pdist(points.reshape(6, each, 6).mean(1)).min() > 0.4
    )


@pytest.mark.parametrize("compose", ["sum", "max"])
@pytest.mark.parametrize("preference", ["-0.3", "-1", "-2"])
def test_planted_sets_are_found(compose: str, preference: str) -> None:
    for seed in range(3):
        points, truth = planted(compose, 6, seed)
        found, report = composed(points, compose=compose, preference=preference, damping="0.5")
        assert compositional_rand_index(truth, found.item_sets()) == 1
        assert found.groups == 3
        assert report["feasible"]


def test_fewer_digits_find_the_same() -> None:
    points, truth = planted("max", 6, 3)
    points = np.vstack([points, points[:3]])  # some of them copies
    found, _ = composed(points, compose="max", preference="-1", precision="float32")
    exact, _ = composed(points, compose="max", preference="-1")
    assert compositional_rand_index([*truth, *truth[:3]], found.item_sets()) == 1
    assert found.sets == exact.sets
    assert np.array_equal(found.memberships, exact.memberships)


@pytest.mark.parametrize("compose", ["sum", "max"])
def test_planted_sets_are_found_by_a_few(compose: str) -> None:
    for seed in range(3):
        points, truth = planted(compose, 60, seed)
        found, _ = composed(
            points,
            "cap-subset",
            compose=compose,
            preference="-1",
            sample=40,
            damping="0.5",
        )
        assert len(found.sets) == 6
        assert compositional_rand_index(truth, found.item_sets()) == 1
        # exemplars keep themselves: centres are items
        assert all((points.astype(np.float32) == centre).all(1).any() for centre in found.centres)


# --------------------------------------------------------------------- what may go wrong


@pytest.mark.parametrize("method", METHODS)
def test_one_item_and_two(method: str) -> None:
    found, report = composed([[3.0, 4.0]], method)
    assert found.item_sets() == [(0,)]
    assert report["converged"]
    assert np.isinf(found.apart).all()
    found, _ = composed([[0.0], [1.0]], method, preference="-0.1")
    assert found.item_sets() == [(0,), (1,)]
    found, _ = composed([[0.0], [1.0]], method, preference="-3")
    assert found.item_sets() == [(0,), (0,)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("where", [0.0, 1.0, 1e6])
def test_copies_are_one_group(method: str, where: float) -> None:
    found, report = composed(np.full((12, 3), where), method)
    assert found.groups == 1
    assert found.sets == ((0,),)
    assert np.isfinite(report["net_similarity"])


@pytest.mark.parametrize("compose", ["sum", "max", "mean"])
def test_copies_are_in_the_same_sets(compose: str) -> None:
    points, _ = planted("sum", 1, 0)
    found, _ = composed(np.repeat(points, 5, axis=0), compose=compose, preference="-0.5")
    for copies in found.chosen.reshape(6, 5):
        assert len(set(copies.tolist())) == 1


@pytest.mark.parametrize("degree", [3, 4])
def test_a_degree_above_the_number_of_items(degree: int) -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0]])
    found, _ = composed(points, degree=degree, preference="-0.5")
    assert found.item_sets() == [(0,), (1,)]


def test_sets_of_three() -> None:
    points = np.vstack([np.eye(3), np.eye(3) + 0.01, [[1, 1, 1], [1, 0, 1], [1.01, 1, 1]]])
    found, report = composed(points, degree=3, preference="-0.3")
    assert found.item_sets()[6:] == [(0, 1, 2), (0, 2), (0, 1, 2)]
    assert report["feasible"]


@pytest.mark.parametrize("degree", [1, 2])
def test_no_item_wants_to_be_an_exemplar(degree: int) -> None:
    rng = np.random.default_rng(0)
    points = torch.from_numpy(rng.random((8, 2)))
    space = Space.of(points, function("sum"))
    sets = Sets.of(8, degree, 8, AMPLE)
    table, costs = affinities(space, sets, -np.inf, Job())
    assert np.isfinite(costs).all()
    break_ties(table, rng, Job())
    settled = settle(table, 0.7, 200, 15, Job())
    assert not torch.isnan(settled.evidence).any()
    choice = choose(space, founders(settled, sets), degree, Job())
    assert len(choice.exemplars) == 1
    # some that must not be, where others may
    costs = np.where(np.arange(8) < 4, -np.inf, -0.05)
    table, _ = affinities(space, sets, costs, Job())
    break_ties(table, rng, Job())
    found = founders(settle(table, 0.7, 200, 15, Job()), sets)
    assert (found >= 4).all()


def test_a_choice_that_contradicts_itself_is_repaired() -> None:
    sets = Sets.of(4, 2, 4, AMPLE)
    chosen = torch.tensor([sets.index([1]), sets.index([2]), sets.index([0, 3]), sets.index([0])])
    assert not feasible(chosen, sets)
    evidence = torch.tensor([0.0, 3.0, 1.0, 2.0], dtype=torch.float64)
    assert founders(Settled(0.5, chosen, False, evidence, 9, False), sets).tolist() == [1]
    chosen[3] = 3
    assert founders(Settled(0.5, chosen, False, evidence, 9, False), sets).tolist() == [3]
    chosen[:] = 3
    assert feasible(chosen, sets)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_each_time(method: str) -> None:
    points, _ = planted("sum", 4, 1)
    sample = {"sample": 20} if method == "cap-subset" else {}
    once, report = composed(points, method, preference="-1", seed=4, **sample)
    again, second = composed(points, method, preference="-1", seed=4, **sample)
    assert once.sets == again.sets
    assert np.array_equal(once.chosen, again.chosen)
    assert np.array_equal(once.centres, again.centres)
    assert report == second


def test_drawing_all_items_is_cap() -> None:
    points, _ = planted("sum", 5, 1)
    few, _ = composed(points, "cap-subset", preference="-1", sample=30)
    assert np.array_equal(few.chosen, composed(points, preference="-1")[0].chosen)


def test_too_much_memory_is_refused() -> None:
    points = np.random.default_rng(0).random((200, 2))
    with pytest.raises(ResourceError, match="MB are allowed"):
        composed(points, memory=10)
    with pytest.raises(ResourceError, match="MB are allowed"):
        composed(np.random.default_rng(0).random((1000, 2)), "ap", memory=20)


@pytest.mark.parametrize(
    "given",
    [
        {"preference": "1"},
        {"preference": "much"},
        {"preference": "nan"},
        {"preference": "-inf"},
        {"damping": "1"},
        {"damping": "-0.1"},
        {"damping": "x"},
        {"degree": 5},
        {"compose": "product"},
    ],
)
def test_parameters_out_of_range(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=next(iter(given))):
        composed(np.eye(3), **given)


def test_answers_are_left_aside_with_a_warning() -> None:
    constraints = Constraints()
    constraints.add(Pair(0, 1), Verdict.SAME, 1)
    cap = Cap(CapParams())
    cap.compose(Problem(np.eye(3)), constraints, Job())
    assert "no answers" in " ".join(cap.report()["warnings"])


def test_the_report_tells_of_every_round_and_damping() -> None:
    points, _ = planted("sum", 3, 0)
    _, report = composed(points, preference="-1", rounds=5)
    assert [one["damping"] for one in report["attempts"]] == [0.9, 0.7, 0.5]
    assert [line["iteration"] for line in report["trace"]] == [*range(6)] * 3
    assert report["iterations"] == 5
    assert not report["converged"]
    assert report["net_similarity"] == max(one["net_similarity"] for one in report["attempts"])
    assert len(report["warnings"]) == 1


class Counting(Job):
    """Cancels itself at a certain step."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.steps, self._last_step = 0, last

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        self.steps += 1
        if self.steps == self._last_step:
            self.cancel()
        super().step(done, total, text)


@pytest.mark.parametrize("method", METHODS)
def test_it_stops_wherever_it_is_told_to(method: str) -> None:
    points, _ = planted("sum", 5, 0)
    kind, given = METHODS[method]

    sample = {"sample": 15} if method == "cap-subset" else {}

    def run(job: Counting) -> None:
        made = kind(given(preference="-1", damping="0.7", rounds=20, **sample))
        made.compose(Problem(points), Constraints(), job)

    whole = Counting(0)
    run(whole)
    for last in np.linspace(1, whole.steps, 8).astype(int).tolist():
        job = Counting(last)
        with pytest.raises(Cancelled):
            run(job)
        assert job.steps == last
