"""Answers about items in several groups: hand cases of sets, opened groups, centres, questions."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from engine.compositional.functions import function
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.model import Pair, Verdict
from engine.problem import Problem
from engine.session import Session
from engine.strategies import make
from engine.strategies.composing import Several
from engine.strategies.composing.asking import Told, pick
from engine.strategies.composing.assigning import Costs, Kind, assigned, lonely, refitted
from tests.unit.planted import planted

KIND = Kind(function("sum"), 2, normalize=False, memory=10**9)
CENTRES = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
POINTS = torch.tensor(
    [
        [1.0, 0.1, 0.0],
        [0.0, 1.0, 0.1],
        [0.1, 0.0, 1.0],
        [0.9, 0.45, 0.0],  # of the first group, rather than of the first two
        [0.9, 0.9, 0.1],
    ]
)


def costs(centres: torch.Tensor = CENTRES) -> Costs:
    return Costs.of(POINTS, centres, KIND, Job())


def sets(found: object) -> list[tuple[int, ...]]:
    return [found.costs.sets.members(at) for at in found.chosen]  # type: ignore[attr-defined]


def test_without_answers_every_item_has_the_set_that_fits_best() -> None:
    found = assigned(costs(), [], 1.0, Job())
    assert sets(found) == [(0,), (1,), (2,), (0,), (0, 1)]
    assert found.energies().tolist() == found.costs.squares.tolist()


def test_an_answer_moves_the_item_that_it_costs_least() -> None:
    found = assigned(costs(), [(Pair(1, 3), True)], 10.0, Job())
    assert sets(found) == [(0,), (1,), (2,), (0, 1), (0, 1)]
    assert found.broken.tolist() == [0] * 5
    found = assigned(costs(), [(Pair(1, 4), False), (Pair(0, 4), True)], 10.0, Job())
    assert sets(found)[4] in {(0,), (0, 2)}


def test_sets_found_are_mostly_the_best_and_no_move_of_one_item_is_better() -> None:
    """All of 6^4 ways to give four items their sets are tried; answers at random are hard."""
    table = costs()
    rng = np.random.default_rng(0)
    as_good = 0
    for _ in range(30):
        pairs = list(itertools.combinations(range(4), 2))
        facts = [(Pair(*pair), bool(rng.integers(2))) for pair in pairs if rng.integers(2)]
        found = assigned(table, facts, 100.0, Job())

        def energy(chosen: tuple[int, ...], facts: list[tuple[Pair, bool]] = facts) -> float:
            broken = sum(table.hits[chosen[a], chosen[b]] != share for (a, b), share in facts)
            return float(100 * broken + sum(table.squares[i, s] for i, s in enumerate(chosen)))

        best = min(map(energy, itertools.product(range(6), repeat=4)))
        chosen = tuple(found.chosen[:4].tolist())
        as_good += energy(chosen) <= best + 1e-6
        for item, other in itertools.product(range(4), range(6)):
            assert energy(chosen) <= energy((*chosen[:item], other, *chosen[item + 1 :])) + 1e-3
        assert found.broken.sum() / 2 == energy(chosen) // 100
    assert as_good >= 20, as_good


def test_only_an_item_told_apart_from_all_groups_is_lonely() -> None:
    among = [(Pair(0, 1), False), (Pair(0, 2), False), (Pair(1, 2), False)]
    facts = [*among, (Pair(0, 3), False), (Pair(1, 3), False)]
    assert lonely(assigned(costs(), facts, 10.0, Job()), facts) is None
    facts.append((Pair(2, 3), False))
    assert lonely(assigned(costs(), facts, 10.0, Job()), facts) == 3
    # of three groups where two are allowed: no group of its own would help
    facts = [*among, *((Pair(item, 3), True) for item in range(3))]
    assert lonely(assigned(costs(), facts, 10.0, Job()), facts) is None


def test_centres_of_sums_go_to_least_squares() -> None:
    found = assigned(costs(), [], 1.0, Job())
    shares = torch.from_numpy(found.costs.incidence[found.chosen]).double()
    best = torch.linalg.lstsq(shares, POINTS.double()).solution
    moved = refitted(POINTS, found, KIND, Job())
    torch.testing.assert_close(moved, best, atol=2e-3, rtol=0)


def test_those_that_stand_for_groups_come_first_then_the_one_most_in_doubt() -> None:
    facts: dict[Pair, bool] = {}
    asked = []
    for _ in range(4):
        chosen = pick(
            assigned(costs(), list(facts.items()), 10.0, Job()), Told(facts, frozenset()), (), Job()
        )
        assert chosen is not None
        asked.append(chosen.pair)
        facts[chosen.pair] = False
    assert asked == [Pair(0, 1), Pair(0, 2), Pair(1, 2), Pair(1, 3)]


def test_answers_find_sets_again_that_features_confuse() -> None:
    points, truth = planted(4, 2, "max", 1, each=10, p=8)
    points = points + 0.2 * np.random.default_rng(0).normal(size=points.shape)
    live = Session(Problem(points), "composing", {"compose": "max", "groups": "4"})

    def score() -> float:
        composed = live.snapshot().overview.memberships
        assert composed is not None
        return compositional_rand_index(truth, [composed.sets[at] for at in composed.chosen])

    before = score()
    while (question := live.ask()) is not None:
        apart = set(truth[question.pair.a]).isdisjoint(truth[question.pair.b])
        live.tell(question.pair, Verdict.DIFFERENT if apart else Verdict.SAME)
    assert score() > max(0.97, before)
    assert live.log.position < 100 * 6


def test_what_it_says_of_itself() -> None:
    strategy = make("composing", {"groups": "3", "compose": "mean"})
    assert isinstance(strategy, Several)
    next(strategy.run(Problem(POINTS.numpy()), Job()))
    assert strategy.report() == {"groups": 3, "opened": 0, "unexplained": 0}
