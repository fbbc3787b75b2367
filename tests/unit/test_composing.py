"""Answers about items in several groups: cells, explanations, who follows whom, questions."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path

import numpy as np
import pytest
import torch

from engine import export
from engine.cli import main
from engine.compare import compare
from engine.compositional.functions import function
from engine.compositional.membership import Composed
from engine.errors import ParameterError
from engine.job import Job
from engine.metrics import compositional_rand_index
from engine.model import Approach, Pair, Verdict
from engine.parameters import unmarked
from engine.problem import Problem
from engine.session import Session
from engine.strategies import complete, make
from engine.strategies.composing import Several
from engine.strategies.composing.asking import Compared, Told, doubtful, pick
from engine.strategies.composing.cells import Cells
from engine.strategies.composing.explaining import (
    CHAINS,
    NOTHING,
    Explanations,
    Masks,
    adjusted,
    explained,
    members,
    packed,
    unpacked,
)
from engine.strategies.composing.following import Kind, followed
from engine.study import Study
from tests.unit.planted import planted

SUM = Kind(function("sum"), normalize=False)


def found(sets: list[tuple[int, ...]], groups: int) -> Composed:
    distinct = sorted(set(sets), key=lambda one: (len(one), one))
    chosen = np.array([distinct.index(one) for one in sets])
    zeros = np.zeros(len(sets))
    return Composed.of(distinct, chosen, zeros, zeros, zeros, np.zeros((groups, 2)))


# ---------------------------------------------------------------------------- cells


def test_every_set_is_a_cell_and_the_widest_is_divided() -> None:
    points = torch.tensor([[0.0, 0], [0, 1], [9, 9], [9, 9.5], [20, 0], [30, 0]])
    cells = Cells.of(found([(0,), (0,), (1,), (1,), (0, 1), (0, 1)], 2), points, 4, Job())
    assert cells.sets == ((0,), (1,), (0, 1), (0, 1))
    assert cells.cell.tolist() == [0, 0, 1, 1, 3, 2] or cells.cell.tolist() == [0, 0, 1, 1, 2, 3]
    again = Cells.read(cells.written, 6)
    assert again.sets == cells.sets
    assert again.cell.tolist() == cells.cell.tolist()


def test_equal_items_are_never_divided() -> None:
    points = torch.tensor([[0.1, 0.7]] * 5 + [[0.1 + 1e-7, 0.7]])
    cells = Cells.of(found([(0,)] * 6, 1), points, 6, Job())
    assert cells.count == 2
    assert sorted(cells.sizes.tolist()) == [1, 5]


def test_the_item_nearest_to_the_mean_stands_for_its_cell_unless_set_aside() -> None:
    points = torch.tensor([[0.0], [1.0], [2.5], [9.0]])
    cells = Cells.of(found([(0,), (0,), (0,), (1,)], 2), points, 2, Job())
    is_open = np.ones(4, dtype=np.bool_)
    assert cells.standing(points, is_open, Job()).tolist() == [1, 3]
    is_open[[1, 3]] = False
    assert cells.standing(points, is_open, Job()).tolist() == [0, -1]


# ---------------------------------------------------------------------------- explanations


def explain(items: int, facts: list[tuple[int, int, bool]], degree: int = 2) -> Masks:
    masks = NOTHING.masks
    for said in range(len(facts) + 1):
        rng = np.random.default_rng(said)
        masks = explained(masks, items, facts[:said], (), degree, rng, Job())
    return masks


def test_two_that_share_nothing_but_share_with_a_third_make_it_a_composition() -> None:
    masks = explain(3, [(0, 2, True), (1, 2, True), (0, 1, False)])
    one, other, both = (members(mask) for mask in masks[0].tolist())
    assert set(one).isdisjoint(other)
    assert len(both) == 2
    assert set(both) & set(one)
    assert set(both) & set(other)


def test_all_pairs_of_all_sets_give_the_sets_back() -> None:
    """Five groups, of which items have one or two: 105 answers, none of them broken."""
    truth = [one for size in (1, 2) for one in itertools.combinations(range(5), size)]
    pairs = list(itertools.combinations(range(len(truth)), 2))
    order = np.random.default_rng(3).permutation(len(pairs))
    facts = [
        (*pairs[at], not set(truth[pairs[at][0]]).isdisjoint(truth[pairs[at][1]])) for at in order
    ]
    masks = explain(len(truth), facts)
    sets = [members(mask) for mask in masks[0].tolist()]
    assert compositional_rand_index(truth, sets) == 1
    doubt = Explanations(masks).doubt(len(truth))
    assert doubt < 0.01 < Explanations(explain(len(truth), [])).doubt(len(truth))


def test_a_wrong_answer_among_many_is_left_unexplained() -> None:
    truth = [(0,), (0,), (0,), (1,), (1,), (1,)]
    facts = [
        (one, other, (truth[one] == truth[other]) != ((one, other) == (0, 3)))
        for one, other in itertools.combinations(range(6), 2)
    ]
    sets = [members(mask) for mask in explain(6, facts, degree=1)[0].tolist()]
    assert compositional_rand_index(truth, sets) == 1


def test_no_set_is_larger_than_the_degree() -> None:
    facts = [(0, other, True) for other in range(1, 6)]
    facts += [(one, other, False) for one, other in itertools.combinations(range(1, 6), 2)]
    for degree in (1, 2, 3):
        masks = explain(6, facts, degree)
        assert np.bitwise_count(masks).max() <= degree
        assert masks.min() > 0


def test_sets_are_changed_no_further_than_answers_demand() -> None:
    begun = [frozenset({0}), frozenset({1}), frozenset({2}), frozenset({3})]
    assert adjusted(begun, [(0, 1, False)], 2, Job()) == begun
    changed = adjusted(begun, [(0, 1, True)], 2, Job())
    assert changed[2:] == begun[2:]
    assert not changed[0].isdisjoint(changed[1])
    assert sum(one == other for one, other in zip(changed, begun, strict=True)) == 3
    alike = [frozenset({0})] * 3  # two of them share nothing, the third with both
    changed = adjusted(alike, [(0, 1, True), (1, 2, True), (0, 2, False)], 2, Job())
    assert changed[0].isdisjoint(changed[2])
    assert not changed[1].isdisjoint(changed[0])
    assert not changed[1].isdisjoint(changed[2])
    shared = [frozenset({0, 1}), frozenset({1})]
    apart = adjusted(shared, [(0, 1, False)], 2, Job())
    assert apart[0].isdisjoint(apart[1])


# ---------------------------------------------------------------------------- following


def test_those_spoken_of_keep_their_sets_and_the_others_are_with_the_nearest() -> None:
    points = torch.tensor([[1.0, 0], [1.1, 0], [0, 1], [0, 1.1], [1, 1], [1.1, 1]])
    begun = [(0,), (0,), (1,), (1,), (0, 1), (0,)]
    assert followed(points, begun, {}, SUM, Job()).item_sets()[5] == (0, 1)
    kept = followed(points, begun, {5: (0,)}, SUM, Job())
    assert kept.item_sets()[5] == (0,)
    assert kept.item_sets()[4] == (0, 1)
    assert kept.compositions[0].fit < kept.compositions[0].alone


def test_a_function_that_does_not_suit_the_data_is_not_relied_on() -> None:
    """The third heap is made of both others, but lies where no sum of theirs does."""
    rng = np.random.default_rng(0)
    heaps = [np.array([5.0, 0, 0]), np.array([0, 5.0, 0]), np.array([0, 0, 9.0])]
    points = np.concatenate([heap + 0.3 * rng.normal(size=(20, 3)) for heap in heaps])
    begun = [(0,)] * 20 + [(1,)] * 20 + [(0, 1)] * 15 + [(1,)] * 5
    got = followed(torch.from_numpy(points).float(), begun, {}, SUM, Job()).item_sets()
    assert got == [(0,)] * 20 + [(1,)] * 20 + [(0, 1)] * 20


# ---------------------------------------------------------------------------- questions


def test_asked_is_what_explanations_differ_on_and_nothing_twice() -> None:
    masks = np.ones((CHAINS, 4), dtype=np.int64)
    masks[::2, 1] = 2  # half of them say that the second shares nothing with the others
    masks[: CHAINS // 4, 3] = 2
    compared = Compared((10, 11, 12, 13), np.array([1, 5, 9, 1]))
    told = Told({}, frozenset())
    chosen = pick(compared, Explanations(masks), told, ())
    assert chosen is not None
    assert (chosen.pair, chosen.worth) == (Pair(11, 12), 14)
    told = Told({Pair(11, 12): True}, frozenset({Pair(10, 11)}))
    chosen = pick(compared, Explanations(masks), told, ())
    assert chosen is not None
    assert chosen.pair == Pair(12, 13)
    assert pick(compared, Explanations(masks), told, (11, 13)) is None


def test_the_item_in_most_doubt_is_compared_with_one_of_its_groups() -> None:
    compared = Compared((0, 1), np.array([2, 2]))
    told = Told({Pair(0, 1): False}, frozenset())
    sets = [(0,), (1,), (1,), (0, 1)]
    confidence = np.array([0.9, 0.9, 0.5, 0.1], dtype=np.float32)
    chosen = doubtful(compared, told, (), sets, confidence)
    assert chosen is not None
    assert chosen.pair == Pair(0, 3)
    chosen = doubtful(compared, told, (3,), sets, confidence)
    assert chosen is not None
    assert chosen.pair == Pair(1, 2)
    assert doubtful(compared, told, (2, 3), sets, confidence) is None


def test_which_group_is_asked_where_several_may_be_common() -> None:
    """Two items in both groups, and one that stands for each: which do the two have in common?"""
    masks = np.tile(np.array([1, 2, 3, 3], dtype=np.int64), (CHAINS, 1))
    masks[: CHAINS // 3, 3] = 4
    told = Told({Pair(0, 1): False, Pair(0, 2): True, Pair(1, 2): True}, frozenset())
    chosen = pick(Compared((0, 1, 2, 3), np.array([1, 1, 8, 8])), Explanations(masks), told, ())
    assert chosen is not None
    assert chosen.pair == Pair(2, 3)
    assert chosen.common == (0, 1)
    chosen = pick(Compared((0, 1, 2, 3), np.array([1, 1, 8, 8])), Explanations(masks), told, [0])
    assert chosen is not None
    assert chosen.common == ()  # what is set aside stands for nothing


# ---------------------------------------------------------------------------- in a session


def told_all(live: Session, truth: list[tuple[int, ...]], answers: int) -> None:
    for _ in range(answers):
        question = live.ask()
        if question is None:
            return
        shared = set(truth[question.pair.a]) & set(truth[question.pair.b])
        common = [item for item in question.common if shared & set(truth[item])]
        verdict = Verdict.SAME if shared else Verdict.DIFFERENT
        live.tell(question.pair, verdict, common=common if shared else ())


def test_answers_find_sets_again_that_features_confuse() -> None:
    points, truth = planted(4, 2, "max", 1, each=10, p=8)
    points = points + 0.2 * np.random.default_rng(0).normal(size=points.shape)
    live = Session(Problem(points), "composing", {"compose": "max"})
    before = compositional_rand_index(truth, live.item_sets)
    told_all(live, truth, 100)
    assert compositional_rand_index(truth, live.item_sets) > before + 0.03
    assert live.snapshot().overruled == ()


def test_groups_named_as_common_are_facts_about_the_items_that_stand_for_them() -> None:
    points, truth = planted(3, 2, "sum", 0, each=6, p=6)
    live = Session(Problem(points), "composing")
    pure = [truth.index((0,)), truth.index((1,))]
    both = [at for at, one in enumerate(truth) if one == (0, 1)][:2]
    live.tell(Pair(*pure), Verdict.DIFFERENT)
    snapshot = live.tell(Pair(*both), Verdict.SAME, common=pure)
    shared = snapshot.overview.memberships
    assert shared is not None
    assert snapshot.history[-1].items == tuple(sorted(pure))
    for item in both:
        assert [shared.share(item, one) for one in pure] == [True, True]
    (said,) = (one for one in live.statements if one.common)
    assert len(said.facts) == 5
    changed = live.revise(said.seq, Verdict.DIFFERENT)
    assert changed.overview.memberships is not None
    assert not changed.overview.memberships.share(*both)


@pytest.mark.parametrize("params", [{"method": "ckm"}, {"method": "cap"}, {"method": "cap-subset"}])
def test_any_method_may_begin(params: dict[str, str]) -> None:
    points, truth = planted(3, 2, "sum", 0, each=6, p=6)
    live = Session(Problem(points), "composing", params)
    told_all(live, truth, 30)
    assert compositional_rand_index(truth, live.item_sets) > 0.9


def test_a_degree_out_of_range_is_refused_at_once() -> None:
    with pytest.raises(ParameterError, match="degree"):
        make("composing", {"degree": "5"})


def test_what_it_says_of_itself() -> None:
    points, _ = planted(3, 2, "sum", 0, each=6, p=6)
    strategy = make("composing", {"compose": "mean"})
    assert isinstance(strategy, Several)
    next(strategy.run(Problem(points), Job()))
    report = strategy.report()
    assert set(report) == {"cells", "groups", "open", "warnings"}
    assert report["cells"] == 7


def test_explanations_are_kept_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    for top in (3, 30, 31, 61):
        masks = rng.integers(1, 2**top, (CHAINS, 7))
        kept = unpacked(packed(Explanations(masks, relied=top > 30)))
        assert (kept.masks.tolist(), kept.relied) == (masks.tolist(), top > 30)
    assert unpacked(packed(NOTHING)).masks.shape == (CHAINS, 0)


def test_what_is_relied_on_is_not_lightly_given_up() -> None:
    sure = Explanations(np.ones((CHAINS, 3), dtype=np.int64)).judged(3, NOTHING)
    assert sure.relied
    masks = np.ones((CHAINS, 3), dtype=np.int64)
    masks[: CHAINS // 4, 0] = 2  # a doubt of .083
    assert not Explanations(masks).judged(3, NOTHING).relied
    assert Explanations(masks).judged(3, sure).relied


def test_answers_given_again_are_not_taken_for_the_same_answers_given_once() -> None:
    points, _ = planted(3, 2, "sum", 6, each=6, p=6)
    problem = Problem(points)
    said = [(Pair(0, 9), Verdict.SAME), (Pair(3, 20), Verdict.DIFFERENT)]

    def found(answers: list[tuple[Pair, Verdict]]) -> Composed:
        strategy = make("composing", {})
        assert isinstance(strategy, Several)
        next(strategy.run(problem, Job()))
        for pair, verdict in answers:
            strategy.overhear(pair, verdict)
        return strategy.composed()

    # explanations went through more answers, and may be others
    assert found([*said, said[0]]) is not found(said[::-1])
    assert found(said) is found(said)


@pytest.fixture
def weighed(tmp_path: Path) -> tuple[Path, Path, list[tuple[int, ...]]]:
    """A project in which a file says how groups compose, that file, and the true sets."""
    points, truth = planted(3, 2, "sum", 0, each=6, p=6)
    source, weights, made = tmp_path / "a.npz", tmp_path / "w.npz", tmp_path / "p.pairloom"
    np.savez(source, X=points, y=["+".join(map(str, one)) for one in truth])
    np.savez(weights, W1=np.eye(6), W2=np.zeros((6, 6)), bias=np.zeros(6))
    params = {"compose": str(weights)}
    with Study.create(source, Job(), path=made, strategy="composing", params=params) as study:
        assert study.project is not None
        study.project.save_copy(tmp_path / "copy.pairloom")  # what is on the disk at once
    return made, weights, truth


def weighing(weights: Path, **others: str) -> Approach:
    return Approach("composing", (("compose", str(weights)), *others.items()))


def contents(project: Path) -> int:
    """Count the files that a project has kept the content of."""
    connection = sqlite3.connect(project)
    found = connection.execute("SELECT count(*) FROM arrays WHERE name LIKE 'content %'")
    (count,) = found.fetchone()
    connection.close()
    return int(count)


@pytest.mark.parametrize("left", ["nothing", "rubbish", "others"])
def test_a_project_keeps_how_groups_compose_whatever_becomes_of_the_file(
    tmp_path: Path, weighed: tuple[Path, Path, list[tuple[int, ...]]], left: str
) -> None:
    made, weights, truth = weighed
    other = tmp_path / "copy.pairloom"
    with Study.open(made, Job()) as study:
        told_all(study.session, truth, 20)
        sets = study.session.item_sets
    weights.unlink()
    if left == "rubbish":
        weights.write_bytes(b"rubbish")
    elif left == "others":
        np.savez(weights, W1=-np.eye(6), W2=np.ones((6, 6)), bias=np.ones(6))
    with Study.open(other, Job()) as study:
        told_all(study.session, truth, 20)
        assert study.session.item_sets == sets
        assert study.session.warnings == ()
        trials = [("it", study.session.approach)]
        if left == "others":  # looked at, and tried out: nothing of it is kept
            looked = study.session.consider(weighing(weights, groups="3"), Job())
            trials.append(("others", looked.approach))
        compared = list(compare(study, trials, Job(), budget=2))
        assert compared[-1].complete
        assert not any(trial.refused for trial in compared[-1].trials)
        if left == "others":  # chosen anew, it is another function
            chosen = study.session.choose(weighing(weights))
            before = dict(study.settings.params)["compose"]
            assert dict(chosen.approach.params)["compose"] != before
            assert unmarked(before)[0] == str(weights)


class Doubled(torch.nn.Module):
    """Twice the sum: no function that has a name."""

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return 2 * vectors.sum(-2)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_module_is_no_part_of_the_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    points, truth = planted(3, 2, "sum", 0, each=6, p=6)
    source, module, made = tmp_path / "a.npz", tmp_path / "m.pt", tmp_path / "p.pairloom"
    np.savez(source, X=points)
    torch.jit.save(torch.jit.script(Doubled()), module)
    content = module.read_bytes()
    params = {"compose": str(module)}
    with Study.create(source, Job(), path=made, strategy="composing", params=params) as study:
        told_all(study.session, truth, 3)
    with Study.open(made, Job()) as study:
        assert study.session.warnings == ()
    for left in (None, content[:-1]):  # who opens it must not run what somebody put in its place
        module.unlink()
        if left is not None:
            module.write_bytes(left)
        with Study.open(made, Job()) as study:
            (warning,) = study.session.warnings
        assert main(["replay", str(made)]) == 0
        assert warning in capsys.readouterr().out
        module.write_bytes(content)


def test_a_project_opens_where_it_lost_how_groups_compose(
    weighed: tuple[Path, Path, list[tuple[int, ...]]],
) -> None:
    made, weights, truth = weighed
    with Study.open(made, Job()) as study:
        told_all(study.session, truth, 20)
    weights.unlink()
    connection = sqlite3.connect(made)
    connection.execute("UPDATE arrays SET data = x'00' WHERE name LIKE 'content %'")
    connection.commit()
    connection.close()
    with Study.open(made, Job()) as study:
        assert len(study.session.statements) == 20
        (warning,) = study.session.warnings
        assert str(weights) in warning
        assert warning in export.origin(study)
        told_all(study.session, truth, 5)
        study.session.choose(Approach("composing", (("compose", "sum"),)))
        assert study.session.warnings == ()


def test_what_is_only_looked_at_is_not_kept(
    tmp_path: Path, weighed: tuple[Path, Path, list[tuple[int, ...]]]
) -> None:
    made, weights, _ = weighed
    assert contents(made) == 1
    np.savez(weights, W1=2 * np.eye(6), W2=np.zeros((6, 6)), bias=np.zeros(6))
    wide = tmp_path / "wide.npz"
    np.savez(wide, W1=np.eye(9), W2=np.zeros((9, 9)), bias=np.zeros(9))
    with Study.open(made, Job()) as study:
        study.session.consider(weighing(weights), Job())
        with pytest.raises(ParameterError, match="are for 9 features"):
            study.session.choose(weighing(wide))
    assert contents(made) == 1
    with Study.open(made, Job()) as study:
        study.session.choose(weighing(weights))
    assert contents(made) == 2


def test_one_function_has_one_result_whatever_its_file_is_called(tmp_path: Path) -> None:
    points, truth = planted(3, 2, "sum", 0, each=6, p=6)
    found = []
    for name in ("w.npz", "one more.NPZ"):
        weights = tmp_path / name
        with weights.open("wb") as file:
            np.savez(file, W1=np.eye(6), W2=np.zeros((6, 6)), bias=np.zeros(6))
        params = {"compose": str(weights), "cells": "6"}
        session = Session(Problem(points), "composing", dict(complete("composing", params).params))
        told_all(session, truth, 12)
        found.append(([one.pair for one in session.statements], session.item_sets))
    assert found[0] == found[1]
