"""The oracle answers as told, and the curve is what a person's answers would give."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine.dataset import Dataset, Item, SourceKind
from engine.errors import Cancelled, ParameterError
from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.model import Pair, Verdict
from engine.project import Project, Settings
from engine.simulate import RATER, Oracle, peak_rss_mb, simulate
from engine.study import Study


def blobs(n_groups: int = 3, size: int = 12) -> tuple[np.ndarray, list[str]]:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(n_groups, 4)) * 6
    points = np.concatenate([centre + rng.normal(size=(size, 4)) for centre in centres])
    return points.astype(np.float32), [f"class {g}" for g in range(n_groups) for _ in range(size)]


def study_of(points, labels, project: Path | None = None, **settings) -> Study:
    items = tuple(
        Item(i, f"row {i}", hashlib.blake2b(row.tobytes(), digest_size=16).digest(), label=label)
        for i, (row, label) in enumerate(zip(points, labels, strict=True))
    )
    source = project.with_name("data.npz") if project else Path("data.npz")
    dataset = Dataset(source.parent, source, SourceKind.ARRAY, items, features=points)
    chosen = Settings(
        **({"source": str(source), "embedder": "table", "strategy": "falcon"} | settings)
    )
    kept = None if project is None else Project.create(project, dataset=dataset, settings=chosen)
    return Study(dataset, chosen, kept, points, Job())


def test_perfect_oracle_tells_the_truth():
    oracle = Oracle([0, 0, 1, -1])
    assert oracle.judge(Pair(0, 1)) is Verdict.SAME
    assert oracle.judge(Pair(0, 2)) is Verdict.DIFFERENT
    assert oracle.judge(Pair(0, 3)) is Verdict.UNSURE


def test_noisy_oracle_errs_as_often_as_told_whatever_the_order_of_the_pairs():
    labels = np.arange(80) % 4
    pairs = [Pair(a, b) for a in range(80) for b in range(a + 1, 80)]
    right = [Oracle(labels).judge(pair) for pair in pairs]
    noisy = [Oracle(labels, 0.2, seed=5).judge(pair) for pair in pairs]
    share = np.mean([a is not b for a, b in zip(right, noisy, strict=True)])
    assert share == pytest.approx(0.2, abs=0.03)
    again = Oracle(labels, 0.2, seed=5)
    assert [again.judge(pair) for pair in reversed(pairs)] == noisy[::-1]
    assert [Oracle(labels, 0.2, seed=6).judge(pair) for pair in pairs] != noisy


def test_noisy_oracle_judges_a_pair_anew_each_time():
    pairs = [Pair(a, b) for a in range(40) for b in range(a + 1, 40)]
    oracle = Oracle(np.zeros(40), 0.2, seed=5)
    times = np.array(
        [[oracle.judge(pair) is Verdict.DIFFERENT for _ in range(4)] for pair in pairs]
    )
    assert times.mean(axis=0) == pytest.approx(0.2, abs=0.05)
    both = (times[:, 0] & times[:, 1]).mean()
    assert both == pytest.approx(0.04, abs=0.02)  # independent: neither 0 nor 0.2
    again = Oracle(np.zeros(40), 0.2, seed=5)
    rounds = [[again.judge(pair) is Verdict.DIFFERENT for pair in pairs] for _ in range(4)]
    assert np.array_equal(np.array(rounds).T, times)


@pytest.mark.parametrize("noise", [-0.1, 1.5, float("nan")])
def test_noise_must_be_a_probability(noise):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        Oracle([0, 1], noise)


def test_curve_ends_with_the_classes():
    study = study_of(*blobs())
    curve = simulate(study.session, Oracle(study.truth()), 40, Job())
    assert len(curve.ari) == len(curve.nmi) == curve.budget == 40
    assert len(curve.questions) == curve.asked == len(curve.waits)
    assert (curve.n, curve.d, curve.strategy) == (36, 4, "falcon")
    assert curve.ari[-1] == pytest.approx(1.0)
    assert curve.groups == 3
    assert curve.ari[-1] == adjusted_rand_index(study.truth(), study.session.clustering.labels)


def test_last_value_is_carried_forward_when_nothing_is_left_to_ask():
    study = study_of(*blobs(2, 2))
    curve = simulate(study.session, Oracle(study.truth()), 30, Job())
    assert curve.asked < 30
    assert len(curve.ari) == 30
    assert set(curve.ari[curve.asked :]) == {curve.ari[curve.asked - 1]}


def test_a_single_item_needs_no_question():
    study = study_of(np.ones((1, 2), dtype=np.float32), ["a"])
    curve = simulate(study.session, Oracle(study.truth()), 3, Job())
    assert (curve.asked, curve.ari) == (0, (1.0, 1.0, 1.0))


def test_items_without_a_label_are_unsure_and_not_measured():
    points, labels = blobs()
    labels[0] = labels[13] = None
    study = study_of(points, labels)
    curve = simulate(study.session, Oracle(study.truth()), 40, Job())
    assert all(verdict == "unsure" for a, b, verdict in curve.questions if {a, b} & {0, 13})
    assert curve.ari[-1] == pytest.approx(1.0)


def test_answers_are_kept_in_the_project_as_they_come(tmp_path):
    path = tmp_path / "p.pairloom"
    with study_of(*blobs(), project=path) as study:
        curve = simulate(study.session, Oracle(study.truth()), 5, Job())
    with Project.open(path) as project:
        events = project.events()
    assert [(*e.answer.pair, e.answer.verdict.value) for e in events] == list(curve.questions)
    assert {event.answer.rater for event in events} == {RATER}


def test_same_seed_same_curve():
    first, second = (
        simulate(study.session, Oracle(study.truth(), 0.1, 2), 25, Job())
        for study in (study_of(*blobs(), seed=4), study_of(*blobs(), seed=4))
    )
    assert first.questions == second.questions
    assert first.ari == second.ari


def test_a_stopped_run_raises_and_keeps_its_answers():
    study = study_of(*blobs())
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        simulate(study.session, Oracle(study.truth()), 5, job)
    assert study.session.log.events == ()


def test_json_has_the_agreed_keys():
    study = study_of(*blobs(2, 4))
    result = simulate(study.session, Oracle(study.truth()), 3, Job()).as_json(0.5, 1.5)
    assert list(result) == [
        "strategy", "version", "seed", "n", "d", "budget", "asked", "groups", "ari", "nmi",
        "report", "questions", "seconds", "peak_rss_mb",
    ]  # fmt: skip
    assert set(result["seconds"]) == {"prepare", "ask_p50", "ask_p95", "total"}
    a, b, verdict = result["questions"][0]
    assert a < b
    assert verdict in {"same", "different"}


def test_memory_is_measured():
    assert 10 < peak_rss_mb() < 100_000
