"""Choosing and suggesting from the command line."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from engine.cli import main
from engine.job import Job
from engine.model import Approach, StepKind
from engine.study import Study

TABLE = Path(__file__).resolve().parents[2] / "resources" / "samples" / "tumours.csv"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "p.pairloom"
    said = ["simulate", str(TABLE), "--budget", "20", "--label", "diagnosis"]
    assert main([*said, "--project", str(path)]) == 0
    return path


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return shutil.copy(made, tmp_path)


def state(project: Path) -> tuple[int, list[int], Approach]:
    with Study.open(project, Job()) as study:
        shown = study.session.snapshot()
        return len(study.session.log.events), shown.clustering.labels.tolist(), shown.grouping


def test_a_look_changes_nothing_and_a_choice_is_one_step(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, out = state(project), tmp_path / "out.json"
    chosen = ["choose", str(project), "--grouping", "rcc stretch=16", "--json", str(out)]
    assert main([*chosen, "--look"]) == 0
    assert state(project) == before
    looked = json.loads(out.read_text())
    assert not looked["taken"]
    assert "would make" in capsys.readouterr().out
    assert main(chosen) == 0
    taken = json.loads(out.read_text())
    assert {**taken, "taken": False} == looked
    events, labels, grouping = state(project)
    assert events == before[0] + 1
    assert labels == taken["labels"]
    assert grouping.strategy == "rcc"
    assert main(["choose", str(project), "--grouping", "own"]) == 0
    assert state(project)[1] == before[1]


def test_strategy_and_space(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["choose", str(project), "--strategy", "cobras starts=2"]) == 0
    assert main(["choose", str(project), "--space", "learned questions=yes"]) == 0
    with Study.open(project, Job()) as study:
        shown = study.session.snapshot()
        kinds = [step.kind for step in shown.history[-2:]]
        assert kinds == [StepKind.STRATEGY, StepKind.SPACE]
        assert shown.coordinates is not None
        assert shown.learned_after == 20
    capsys.readouterr()
    assert main(["replay", str(project), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["space"].startswith("learned")


def test_suggestions_are_written_as_constraints_are_read(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, table, out = state(project), tmp_path / "s.csv", tmp_path / "s.json"
    asked = ["suggest", str(project), "-o", str(table)]
    assert main([*asked, "--json", str(out)]) == 0
    assert state(project) == before
    found = json.loads(out.read_text())
    rows = list(csv.reader(table.read_text("utf-8-sig").splitlines()))[1:]
    assert len(rows) == len(found["suggestions"]) > 0
    assert rows[0][:2] == found["suggestions"][0]["items"]
    capsys.readouterr()
    assert main(asked) == 2
    assert "exists already" in capsys.readouterr().err
    assert main([*asked, "--overwrite"]) == 0
    grouped = ["cluster", str(TABLE), "--method", "fc2", "--json", str(out), "--label", "diagnosis"]
    assert main([*grouped, "--constraints", str(table), "--groups", "2", "--set", "spread=no"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--grouping", "nonsense"], "nonsense"),
        (["--grouping", ""], "there are"),
        (["--grouping", "kmeans"], "groups"),
        (["--grouping", "rcc stretch"], "key=value"),
        (["--space", "elsewhere"], "given, learned"),
        (["--strategy", "falcon", "--space", "given"], "not allowed"),
        ([], "required"),
        (["--space", "given", "--json", "no/such/folder/x.json"], "folder"),
    ],
)
def test_mistakes_change_nothing(
    project: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = state(project)
    assert main(["choose", str(project), *arguments]) == 2
    assert told in capsys.readouterr().err
    assert state(project) == before


def test_without_answers_there_is_nothing_to_learn_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.pairloom"
    assert main(["new", str(TABLE), "-o", str(path)]) == 0
    for command in (["suggest", str(path)], ["choose", str(path), "--space", "learned"]):
        assert main(command) == 2
        assert "no answers" in capsys.readouterr().err
