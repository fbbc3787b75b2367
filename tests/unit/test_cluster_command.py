"""Grouping without a question on the command line, and the answers it is given."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from engine import clusterers, compositional
from engine.cli import main
from engine.dataset import Role
from engine.job import Job
from engine.model import Pair, Source, Verdict
from engine.study import Study
from tests.unit.planted import planted

PARAMS = {"kmeans": ["--groups", 3], "tahc": ["--groups", 3], "pck": ["--groups", 3]}


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture
def array(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    path = tmp_path / "data.npz"
    np.savez(path, X=rng.normal(size=(45, 3)) + 9 * np.eye(3)[y], y=y)
    return path


@pytest.fixture
def table(tmp_path) -> Path:
    lines = ["name,size", *(f"n{i},{i % 3 + i / 100:.2f}" for i in range(18)), "n18,0.00"]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("method", list(clusterers.REGISTRY))
def test_every_method_writes_the_agreed_json(array, tmp_path, capsys, method: str) -> None:
    out, links = tmp_path / "out.json", tmp_path / "links.csv"
    links.write_text("1,4,same\n1,2,different\n", encoding="utf-8")
    arguments = ["cluster", array, "--method", method, *PARAMS.get(method, [])]
    assert run(*arguments, "--constraints", links, "--json", out) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert set(result) >= {"labels", "groups", "trace", "warnings", "seconds", "peak_rss_mb"}
    assert set(result["metrics"]) == {"ari", "nmi", "ami", "ri"}
    assert len(result["labels"]) == len(result["items"]) == result["n"] == 45
    assert result["groups"] == max(result["labels"]) + 1
    assert all(isinstance(line, dict) for line in result["trace"])
    assert all(isinstance(warning, str) for warning in result["warnings"])
    assert f"{method}: 45 items in" in capsys.readouterr().out


@pytest.fixture
def mixed(tmp_path) -> Path:
    """A table with a label column of the form a+b."""
    points, truth = planted(3, 2, "max", 0, each=6, p=8)
    names = [
        "+".join("abc"[group] for group in (one if at % 2 else one[::-1]))
        for at, one in enumerate(truth)
    ]
    path = tmp_path / "mixed.csv"
    with path.open("w", encoding="utf-8") as file:
        print(*(f"x{column}" for column in range(8)), "who", sep=",", file=file)
        for row, name in zip(points, names, strict=True):
            print(*(f"{value:.5f}" for value in row), name, sep=",", file=file)
    return path


@pytest.mark.parametrize("method", list(compositional.REGISTRY))
def test_every_compositional_method_writes_the_agreed_json(
    mixed, tmp_path, capsys, method: str
) -> None:
    out = tmp_path / "out.json"
    told = {one.name for one in compositional.parameters(method)}
    arguments = ["cluster", mixed, "--label", "who", "--method", method, "--scale", "none"]
    if "groups" in told:
        arguments += ["--groups", 6 if method in {"gcr", "ward-sets"} else 3]
    if "compose" in told:
        arguments += ["--compose", "max"]
    assert run(*arguments, "--json", out) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert set(result) >= {"memberships", "compositions", "cri", "trace", "warnings", "seconds"}
    assert set(result["metrics"]) == {"cri", "ari", "nmi", "ami", "ri"}
    assert len(result["memberships"]) == len(result["labels"]) == result["n"] == 36
    assert result["groups"] == 1 + max(group for one in result["memberships"] for group in one)
    assert result["cri"] == result["metrics"]["cri"] > 0.5
    told_sets = {tuple(one) for one in result["memberships"] if len(one) > 1}
    assert {tuple(one["groups"]) for one in result["compositions"]} == told_sets
    shown = capsys.readouterr().out
    assert f"{method}: 36 items in" in shown
    assert "CRI 0." in shown or "CRI 1.000" in shown


def test_planted_compositions_are_found_on_the_command_line(mixed, capsys) -> None:
    arguments = ["--compose", "max", "--degree", 2, "--groups", 3, "--scale", "none"]
    assert (
        run("cluster", mixed, "--label", "who", "--method", "ckm", *arguments, "--json", "-") == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert result["cri"] == 1
    assert [one["items"] for one in result["compositions"]] == [6, 6, 6]
    assert (
        run("cluster", mixed, "--method", "ckm", *arguments, "--json", "-", "--role", "who=id") == 0
    )
    assert json.loads(capsys.readouterr().out)["cri"] is None


def test_without_labels_nothing_is_measured(table, capsys) -> None:
    assert run("cluster", table, "--method", "rcc", "--json", "-") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["metrics"] is None
    assert result["trace"][0]["iteration"] == 1


def test_scale_and_settings_count(array, capsys) -> None:
    mus = []
    for more in (["--scale", "none"], ["--set", "stretch=16", "mu_start=median"], []):
        assert run("cluster", array, "--method", "rcc", *more, "--json", "-") == 0
        mus.append(json.loads(capsys.readouterr().out)["trace"][0]["mu"])
    assert len(set(mus)) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--method", "kmeens"], "no method 'kmeens'"),
        (["--method", "kmeans"], "needs the parameter 'groups'"),
        (["--method", "kmeans", "--groups", "46"], "at most 45"),
        (["--method", "kmeans", "--groups", "0"], "at least 1 group"),
        (["--method", "kmeans", "--groups", "2", "--set", "groups=3"], "give one of them"),
        (["--method", "rcc", "--groups", "3"], "finds out the number of groups"),
        (["--method", "rcc", "--compose", "max"], "rcc composes no groups"),
        (["--method", "kmeans", "--groups", "3", "--degree", "2"], "kmeans composes no groups"),
        (["--method", "ckm", "--degree", "7"], "from 1 to 4"),
        (["--method", "ckm", "--degree", "0"], "at least 1"),
        (["--method", "gcr", "--compose", "median"], "compose must be one of"),
        (["--method", "ckm", "--compose", "max", "--set", "compose=sum"], "give one of them"),
        (["--method", "rcc", "--set", "mu_end=x"], "one of delta, delta-squared"),
        (["--method", "rcc", "--constraints", "nowhere.csv"], "cannot be read"),
    ],
)
def test_mistakes(array, capsys, arguments: list[str], told: str) -> None:
    assert run("cluster", array, *arguments) == 2
    shown = capsys.readouterr().err
    assert told in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "links.csv holds no answers"),
        ("a,b,answer\n\n", "links.csv holds no answers"),
        ("1,2,same\n1,99,same\n", "links.csv, line 2: there is no row 99"),
        ("cat,2,same\n", "links.csv, line 1: there is no item 'cat'"),
        ("a,b,answer\n\n5,row 5,same\n", "line 3: '5' and 'row 5' are one and the same item"),
        ("1,2,maybe\n", "line 1: 'maybe' is neither same nor different"),
        ("1,2\n", "line 1 has 2 cells"),
        ("1,2,same,often\n", "line 1: the confidence 'often'"),
        ("1,2,same,0\n", "line 1: the confidence '0'"),
        ("1,2,same,nan\n", "line 1: the confidence 'nan'"),
        (
            "1,2,same\n3,2,same\n1,3,different\n",
            (
                "line 3 contradicts lines before it: it says that '1' and '3' are different, but "
                "by line 1: 'row 1' and 'row 2' are same; line 2: 'row 2' and 'row 3' are same"
            ),
        ),
        ("1,2,different\n2,1,same\n", "line 2 contradicts"),
    ],
)
def test_bad_constraints(array, tmp_path, capsys, text: str, told: str) -> None:
    links = tmp_path / "links.csv"
    links.write_text(text, encoding="utf-8")
    assert run("cluster", array, "--method", "pck", "--groups", 3, "--constraints", links) == 2
    assert told in capsys.readouterr().err


def test_other_bytes_than_text(array, tmp_path, capsys) -> None:
    links = tmp_path / "links.csv"
    links.write_bytes(b"\xff\xfe1,2,same")
    assert run("cluster", array, "--method", "rcc", "--constraints", links) == 2
    assert "UTF-8" in capsys.readouterr().err


def test_names_copies_semicolons_and_confidence(table, tmp_path) -> None:
    from engine.constraint_table import read_constraints

    links = tmp_path / "links.csv"
    links.write_text("a;b;verdict;how sure\nn1;n4;SAME;guess\n'n1; n2 ;different\n", "utf-8-sig")
    with Study.create(table, Job(), path=None, roles={"name": Role.ID}) as study:
        names = [item.name for item in study.dataset.items]
        pair = Pair.of(names.index("n1"), names.index("n4"))
        told = read_constraints(links, study.dataset)
        assert told.verdict(pair) is Verdict.SAME
        assert told.verdict(Pair.of(pair.a, names.index("n2"))) is Verdict.DIFFERENT
        assert read_constraints(links, study.dataset, least=0.6).verdict(pair) is None


def test_answers_of_a_project_come_back(array, tmp_path, capsys) -> None:
    path, links = tmp_path / "p.pairloom", tmp_path / "links.csv"
    with Study.create(array, Job(), path=path) as study:
        session = study.session
        session.tell(Pair(0, 3), Verdict.SAME, source=Source.VOLUNTEERED)
        session.tell(Pair(0, 1), Verdict.UNSURE, source=Source.VOLUNTEERED)
        session.tell(Pair(3, 4), Verdict.DIFFERENT, source=Source.VOLUNTEERED)
        session.tell(Pair(0, 4), Verdict.SAME, source=Source.VOLUNTEERED)  # contradicts
        session.tell(Pair(6, 9), Verdict.DIFFERENT, source=Source.VOLUNTEERED)
        session.revise(session.log.position, Verdict.SAME)
    assert run("constraints", path, "-o", links) == 0
    told = capsys.readouterr().out
    assert "Left out: 1 unsure answer" in told
    assert "Left out: 1 answer that others contradict" in told
    with links.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["a", "b", "answer", "confidence"],
        ["row 1", "row 4", "same", "quite"],
        ["row 4", "row 5", "different", "quite"],
        ["row 7", "row 10", "same", "quite"],
    ]
    assert run("cluster", array, "--method", "pck", "--groups", 3, "--constraints", links) == 0
    assert run("constraints", path, "-o", links) == 2
    assert "exists already" in capsys.readouterr().err
    assert run("constraints", path, "-o", links, "--overwrite") == 0
    assert run("constraints", path, "-o", path, "--overwrite") == 2
