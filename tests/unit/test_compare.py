"""Comparing strategies: own answers, an expert made of labels, and what is written of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine import compare, strategies
from engine.dataset import Role
from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.model import Approach, Verdict
from engine.simulate import Oracle, simulate
from engine.study import Study

TWO = [strategies.read(text) for text in ("falcon", "other: cobras starts=3")]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    truth = np.arange(48) % 3
    points = np.array([[0, 0], [1, 0], [0, 1]])[truth] + rng.normal(0, 0.15, (48, 2))
    lines = ["x,y,kind", *(f"{x},{y},{'abc'[k]}" for (x, y), k in zip(points, truth, strict=True))]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def study(table: Path, tmp_path: Path) -> Iterator[Study]:
    path = tmp_path / "three.pairloom"
    with Study.create(table, Job(), path=path, roles={"kind": Role.LABEL}) as made:
        yield made


def last(found: Iterable[compare.Comparison]) -> compare.Comparison:
    *_, complete = found
    return complete


def test_with_neither_answers_nor_a_budget_there_is_nothing_to_try(study: Study) -> None:
    comparison = last(compare.compare(study, TWO, Job(), budget=0))
    assert comparison.complete
    assert [(trial.own, trial.curve) for trial in comparison.trials] == [(None, None)] * 2
    assert list(compare.rows(comparison)) == []


def test_own_answers(study: Study) -> None:
    session = study.session
    simulate(session, Oracle(study.truth()), 20, Job())
    events = len(session.log.events)
    found = list(compare.compare(study, TWO, Job(), budget=0))
    assert [one.complete for one in found] == [False, False, True]
    falcon, cobras = (trial.own for trial in found[-1].trials)
    assert falcon.agreement == 1  # it is the one that asked
    assert falcon.ari > 0.9
    assert falcon.answers == cobras.answers == 20
    assert len(falcon.foreseen) == len(cobras.foreseen) == 20
    said = [one.verdict is Verdict.SAME for one in session.statements]
    assert found[-1].commoner == max(said.count(True), said.count(False)) / 20
    assert len(session.log.events) == events


def test_foreseen_is_what_the_groups_said_before_the_answer(study: Study) -> None:
    session = study.session
    expected = []
    oracle = Oracle(study.truth())
    for _ in range(12):
        pair = session.ask().pair
        labels, verdict = session.clustering.labels, oracle.judge(pair)
        expected.append(bool(labels[pair.a] == labels[pair.b]) == (verdict is Verdict.SAME))
        session.tell(pair, verdict)
    own = last(compare.compare(study, TWO[:1], Job(), budget=0)).trials[0].own
    assert own.foreseen == tuple(expected)


@pytest.mark.parametrize("other", [*strategies.REGISTRY, "falcon noise=0.1"])
def test_one_chosen_later_is_compared_as_it_is_in_use(study: Study, other: str) -> None:
    """It began with the answers of those before it, and its groups are the ones on the screen."""
    session, oracle, expected = study.session, Oracle(study.truth()), []
    chosen = strategies.read(other)
    for approach in (strategies.read("random")[1], chosen[1]):
        session.choose(approach)
        expected = []
        for _ in range(10):
            question = session.ask()
            if question is None:
                break
            sets, verdict = session.item_sets, oracle.judge(question.pair)
            a, b = question.pair
            if not session.constraints.settles(question.pair):
                together = not set(sets[a]).isdisjoint(sets[b])
                expected.append(together == (verdict is Verdict.SAME))
            session.tell(question.pair, verdict)
        session.set_aside([approach == chosen[1]])
    session.revise(session.statements[0].seq, session.statements[0].verdict)
    own = last(compare.compare(study, [chosen], Job(), budget=0)).trials[0].own
    assert own.agreement == 1
    assert own.groups == session.groups
    if not other.endswith("noise=0.1"):
        assert own.foreseen[-len(expected) :] == tuple(expected)


def test_many_answers_are_looked_at_in_stretches(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(study.session, Oracle(study.truth()), 20, Job())
    every = last(compare.compare(study, TWO[:1], Job(), budget=0)).trials[0].own
    monkeypatch.setattr(compare, "_LOOKS", 6)
    some = last(compare.compare(study, TWO[:1], Job(), budget=0)).trials[0].own
    assert len(some.foreseen) == len(every.foreseen)
    assert some.agreement == every.agreement == 1


def test_a_changed_answer_counts_as_it_is_now(study: Study) -> None:
    session = study.session
    simulate(session, Oracle(study.truth()), 10, Job())
    session.revise(session.log.events[0].seq, Verdict.UNSURE)
    own = last(compare.compare(study, TWO, Job(), budget=0)).trials[0].own
    assert len(own.foreseen) == 9
    assert own.agreement == 1


def test_simulated(study: Study) -> None:
    comparison = last(compare.compare(study, TWO, Job(), budget=15, noise=0.1))
    assert comparison.labelled
    for trial in comparison.trials:
        assert trial.own is None
        assert len(trial.curve.ari) == 15
    assert not study.session.log.events


def test_the_simulated_curve_is_that_of_simulate(study: Study, table: Path) -> None:
    curve = last(compare.compare(study, TWO, Job(), budget=15)).trials[1].curve
    params = {"starts": "3"}
    with Study.create(
        table, Job(), path=None, strategy="cobras", params=params, roles={"kind": Role.LABEL}
    ) as alone:
        assert simulate(alone.session, Oracle(alone.truth()), 15, Job()).ari == curve.ari


def test_nothing_is_left_in_the_project(study: Study) -> None:
    simulate(study.session, Oracle(study.truth()), 10, Job())
    study.session.snapshot()
    file = study.project.path
    kept = file.read_bytes()
    last(compare.compare(study, TWO, Job(), budget=10))
    assert file.read_bytes() == kept


@pytest.mark.parametrize(
    ("approaches", "noise", "message"),
    [
        ([TWO[0], TWO[0]], 0, "same label"),
        ([("x", Approach("nonsense"))], 0, "no strategy"),
        (TWO, 1.5, "noise"),
    ],
)
def test_nonsense_is_refused(
    study: Study, approaches: list[tuple[str, Approach]], noise: float, message: str
) -> None:
    simulate(study.session, Oracle(study.truth()), 3, Job())
    with pytest.raises(ParameterError, match=message):
        last(compare.compare(study, approaches, Job(), budget=5, noise=noise))


@pytest.mark.parametrize("answered", [0, 5])
def test_one_that_takes_too_much_memory_keeps_no_other_from_its_turn(
    tmp_path: Path, answered: int
) -> None:
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "many.npz", X=rng.random((600, 2)), y=np.arange(600) % 3)
    three = [TWO[1], strategies.read("large: hmcahc memory=1"), strategies.read("random")]
    with Study.create(tmp_path / "many.npz", Job(), path=None) as many:
        simulate(many.session, Oracle(many.truth()), answered, Job())
        found = last(compare.compare(many, three, Job(), budget=3))
    first, large, other = found.trials
    assert (large.own, large.curve) == (None, None)
    assert "1 MB are allowed" in large.refused
    for trial in (first, other):
        assert not trial.refused
        assert trial.curve is not None
        assert (trial.own is not None) is bool(answered)
    assert [one["refused"] for one in compare.as_json(found)["strategies"]] == [
        None,
        large.refused,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "label", "name"),
    [
        ("c=0.5: falcon c=0.5", "c=0.5", "falcon"),
        ("falcon c=0.5: falcon c=0.5", "falcon c=0.5", "falcon"),
        (" two  words :cobras", "two  words", "cobras"),
        ("falcon   c=0.5", "falcon c=0.5", "falcon"),
    ],
)
def test_labels(text: str, label: str, name: str) -> None:
    found, approach = strategies.read(text)
    assert (found, approach.strategy) == (label, name)


@pytest.mark.parametrize("text", ["mine: rubbish", "rubbish", "a: rubbish c=1"])
def test_a_strategy_that_there_is_not_is_named(text: str) -> None:
    with pytest.raises(ParameterError, match="no strategy 'rubbish'"):
        strategies.read(text)


def test_one_that_does_not_suit_the_data_keeps_no_other_from_its_turn(
    study: Study, tmp_path: Path
) -> None:
    weights = tmp_path / "for five: w.npz"
    np.savez(weights, W1=np.eye(5), W2=np.eye(5), bias=np.zeros(5))
    spec = f'wrong: composing "compose={weights}"'
    assert strategies.read(spec.partition(": ")[2])[0] == spec.partition(": ")[2]  # no label
    found = last(compare.compare(study, [strategies.read(spec), TWO[0]], Job(), budget=3))
    wrong, other = found.trials
    assert "are for 5 features" in wrong.refused
    assert not other.refused


def test_it_can_be_stopped(study: Study) -> None:
    job = Job()
    found = compare.compare(study, TWO, job, budget=10)
    next(found)
    job.cancel()
    with pytest.raises(Cancelled):
        next(found)


def test_written(study: Study, tmp_path: Path) -> None:
    simulate(study.session, Oracle(study.truth()), 6, Job())
    comparison = last(compare.compare(study, TWO, Job(), budget=5))
    told = compare.write_csv(study, comparison, tmp_path / "out.csv")
    assert "out.csv" in told
    with (tmp_path / "out.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    ari = [row for row in rows if row["strategy"] == "other" and row["measure"] == "ari"]
    assert [int(row["question"]) for row in ari] == [1, 2, 3, 4, 5]
    assert float(ari[-1]["value"]) == pytest.approx(comparison.trials[1].curve.ari[-1], abs=1e-5)
    assert {row["measure"] for row in rows} == {"ari", "nmi", "foreseen"}
    assert json.dumps(compare.as_json(comparison))
