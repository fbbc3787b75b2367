"""The command line as people and scripts use it, mistakes included."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import cli, compare, strategies
from engine.cli import main, measuring, terminal
from engine.errors import Cancelled
from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.model import Verdict
from engine.project import Project
from engine.study import Study

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def array(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    path = tmp_path / "data.npz"
    np.savez(path, X=rng.normal(size=(45, 3)) + y[:, None] * 6, y=y)
    return path


@pytest.fixture
def table(tmp_path) -> Path:
    lines = ["name;size;kind", *(f"n{i};{i % 3 + i / 100:.2f};{'abc'[i % 3]}" for i in range(18))]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def pictures(tmp_path) -> Path:
    folder = tmp_path / "pictures"
    rng = np.random.default_rng(0)
    for group, level in (("dark", 40), ("light", 200)):
        (folder / group).mkdir(parents=True)
        for i in range(5):
            pixels = rng.integers(level - 30, level + 30, size=(20, 20, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / group / f"{i}.png")
    (folder / "dark" / "copy.png").write_bytes((folder / "dark" / "0.png").read_bytes())
    return folder


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture
def project(array, tmp_path, capsys) -> Path:
    path = tmp_path / "p.pairloom"
    assert run("simulate", array, "--budget", 12, "--project", path) == 0
    capsys.readouterr()
    return path


# ---------------------------------------------------------------------------- what works


def test_simulate_writes_the_agreed_json(array, tmp_path, capsys):
    out = tmp_path / "out.json"
    assert run("simulate", array, "--strategy", "falcon", "--budget", 30, "--seed", 4,
               "--set", "width=fixed", "sigma=0.3", "--json", out) == 0  # fmt: skip
    result = json.loads(out.read_text(encoding="utf-8"))
    assert (result["strategy"], result["seed"], result["budget"]) == ("falcon", 4, 30)
    assert (result["n"], result["d"]) == (45, 3)
    assert len(result["ari"]) == len(result["nmi"]) == 30
    assert result["ari"][-1] > 0.9
    assert len(result["questions"]) == result["asked"]
    assert result["peak_rss_mb"] > 10
    shown = capsys.readouterr()
    assert shown.out.startswith("falcon asked")
    assert shown.err == ""


def test_json_on_stdout_is_alone_there(array, capsys):
    assert run("simulate", array, "--budget", 3, "--strategy", "random", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["strategy"] == "random"


def test_simulate_is_repeatable_and_noise_matters(array, capsys):
    def questions(*more: str) -> list[object]:
        assert run("simulate", array, "--budget", 15, "--json", "-", *more) == 0
        return json.loads(capsys.readouterr().out)["questions"]

    assert questions() == questions()
    assert questions("--noise", "0.4") != questions()


def test_simulate_with_the_labels_of_a_table(table, capsys):
    assert run("simulate", table, "--label", "kind", "--budget", 10, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["d"] == 1


def test_simulate_with_the_labels_of_folders(pictures, capsys):
    assert run("simulate", pictures, "--label-from-folders", "--embedder", "pixels",
               "--budget", 8, "--json", "-") == 0  # fmt: skip
    result = json.loads(capsys.readouterr().out)
    assert (result["n"], result["ari"][-1]) == (10, 1.0)


def test_a_budget_of_nothing(array, capsys):
    assert run("simulate", array, "--budget", 0, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["ari"] == []


def test_simulated_answers_are_a_real_project(array, tmp_path, capsys):
    path, out = tmp_path / "p.pairloom", tmp_path / "out.json"
    assert run("simulate", array, "--budget", 12, "--project", path, "--json", out) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    capsys.readouterr()

    assert run("verify", path) == 0
    assert "is sound" in capsys.readouterr().out

    assert run("info", path, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["items"], facts["strategy"], facts["steps"]) == (45, "falcon", 12)
    assert sum(facts["answers"].values()) == 12

    assert run("replay", path, "--json", "-") == 0
    state = json.loads(capsys.readouterr().out)
    assert [[*step["pair"], step["verdict"]] for step in state["steps"]] == result["questions"]
    assert state["ari"] == pytest.approx(result["ari"][-1], abs=1e-6)
    assert state["groups"] == result["groups"]

    for step in (0, 5, 12):
        assert run("replay", path, "--at", step, "--json", "-") == 0
        state = json.loads(capsys.readouterr().out)
        assert state["position"] == len(state["steps"]) == step
        if step:
            assert state["ari"] == pytest.approx(result["ari"][step - 1], abs=1e-6)
            truth = np.load(array)["y"]
            assert state["ari"] == adjusted_rand_index(truth, state["labels"])


def test_new_makes_a_project(pictures, tmp_path, capsys):
    (pictures / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    path = tmp_path / "new.pairloom"
    assert run("new", pictures, "-o", path, "--embedder", "pixels", "--seed", 7,
               "--question", "Same light?", "--planned", 20,
               "--set", "width=fixed") == 0  # fmt: skip
    shown = capsys.readouterr().out
    assert "10 items, 1 that cannot be used" in shown
    assert "not used: broken.png" in shown
    assert "1 exact copy collapsed" in shown
    with Project.open(path) as project:
        settings = project.settings
    assert (settings.seed, settings.question, settings.planned) == (7, "Same light?", 20)
    assert settings.params["width"] == "fixed"


def test_info_in_words(project, capsys):
    assert run("info", project) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^items: +45$", shown, re.MULTILINE)
    assert re.search(r"^source found: +yes$", shown, re.MULTILINE)


def test_replay_in_words(project, capsys):
    assert run("replay", project) == 0
    assert capsys.readouterr().out.startswith("After step #12: 12 answers, ")


def test_roles_of_columns(table, tmp_path, capsys):
    path = tmp_path / "p.pairloom"
    assert run("new", table, "-o", path, "--role", "kind=feature", "--role", "size=ignored") == 0
    with Project.open(path) as project:
        assert {name.partition("=")[0].split(":")[0] for name in project.dataset().feature_names}
        assert not any("size" in name for name in project.dataset().feature_names)
    capsys.readouterr()


def test_new_says_what_each_column_is_used_for(tmp_path, capsys):
    header = "nr;" + ";".join(f"m{i}" for i in range(10)) + ";Bemerkung;Ort;Gruppe"
    rows = [
        f"{i};" + ";".join(str(i * j % 11 + j / 10) for j in range(1, 11)) + f";Text {i};x;{i % 2}"
        for i in range(12)
    ]
    table = tmp_path / "t.csv"
    table.write_text("\n".join([header, *rows]), encoding="utf-8")
    assert run("new", table, "-o", tmp_path / "p.pairloom") == 0
    assert capsys.readouterr().out.splitlines()[1:7] == [
        "10 features by table",
        "  features:   m0, m1, m2, m3, m4, m5, m6, m7 and 2 more",
        "  only shown: Bemerkung",
        "  id:         nr",
        "  label:      Gruppe",
        "  ignored:    Ort",
    ]


def test_labels_that_are_hardly_groups_are_doubted(table, capsys):
    assert run("simulate", table, "--label", "name", "--role", "kind=ignored",
               "--budget", 3, "--json", "-") == 0  # fmt: skip
    shown = capsys.readouterr()
    assert json.loads(shown.out)["asked"] == 3
    assert re.fullmatch(
        r"pairloom: nearly every item has .* \(18 labels for 18 items\)[^\n]*\n", shown.err
    )


def test_export(pictures, tmp_path, capsys):
    path = tmp_path / "p.pairloom"
    assert run("simulate", pictures, "--label-from-folders", "--embedder", "pixels",
               "--budget", 8, "--project", path) == 0  # fmt: skip
    assert run("export", path, "--csv", tmp_path / "g.csv", "--folders", tmp_path / "out") == 0
    assert "Copied 11 pictures into 2 folders" in capsys.readouterr().out
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.reader(file))) == 12
    sizes = sorted(len(list(folder.iterdir())) for folder in (tmp_path / "out").iterdir())
    assert sizes == [5, 6]


def test_embed_makes_an_array_that_can_be_simulated(pictures, tmp_path, capsys):
    out = tmp_path / "features.npz"
    assert run("embed", pictures, "-o", out, "--embedder", "pixels", "--label-from-folders") == 0
    with np.load(out) as arrays:
        assert arrays["X"].shape[0] == len(arrays["names"]) == len(arrays["y"]) == 10
        assert arrays["y_names"].tolist() == ["dark", "light"]
        assert str(arrays["embedder"]) == "pixels"
    assert run("simulate", out, "--scale", "none", "--budget", 5, "--json", "-") == 0
    assert list(tmp_path.glob(".pairloom*")) == []
    capsys.readouterr()


def test_embed_without_labels_has_no_y(table, tmp_path):
    assert run("embed", table, "-o", tmp_path / "x.npz") == 0
    with np.load(tmp_path / "x.npz") as arrays:
        assert "y" not in arrays


def test_methods_by_name_with_their_parameters(capsys):
    assert run("methods") == 0
    shown = capsys.readouterr().out
    assert "--set width=" in shown
    assert "kmeans" in shown
    assert run("methods", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {"falcon", "random"} <= {entry["name"] for entry in found["strategies"]}
    assert {"lite0", "table"} <= {entry["name"] for entry in found["embedders"]}
    assert all(one["help"] for entry in found["strategies"] for one in entry["parameters"])


@pytest.mark.parametrize(
    "command", ["", "methods", "simulate", "new", "info", "verify", "replay", "export", "embed"]
)
def test_every_command_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"] if command else ["--help"])
    assert end.value.code == 0
    assert "usage: pairloom-cli" in capsys.readouterr().out


def test_nothing_in_a_project_drives_the_terminal(array, tmp_path, capsys):
    path = tmp_path / "p.pairloom"
    assert run("new", array, "-o", path, "--question", "Same\n\x1b[31mlesion?") == 0
    assert run("info", path) == 0
    assert "question:     Same \ufffd[31mlesion?\n" in capsys.readouterr().out
    assert run("info", tmp_path / "\x1b[31m") == 2
    assert "\x1b" not in capsys.readouterr().err


def test_results_do_not_join_the_tables_they_are_made_of(table, tmp_path, capsys):
    folder = tmp_path / "tables"
    folder.mkdir()
    table.rename(folder / "a.csv")
    path = tmp_path / "p.pairloom"
    assert run("new", folder, "-o", path) == 0
    assert run("export", path, "--csv", folder / "groups.csv") == 2
    assert run("export", path, "--folders", folder / "sorted") == 2
    assert [one.name for one in folder.iterdir()] == ["a.csv"]
    assert capsys.readouterr().err.count("would be read with the tables there") == 2


def test_ctrl_c_while_the_program_is_loaded(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    with pytest.raises(SystemExit) as end:
        runpy.run_module("engine", run_name="__main__")
    assert end.value.code == 130


# ---------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["simulate", "{array}"], "--budget"),
        (["simulate", "{array}", "--budget", "many"], "'many' is not a whole number"),
        (["simulate", "{array}", "--budget", "-3"], "'-3' is not a whole number"),
        (["simulate", "{array}", "--budget", "2.5"], "'2.5' is not a whole number"),
        (["simulate", "{array}", "--budget", "9" * 20], "from 0 to 1,000,000"),
        (["simulate", "", "--budget", "3"], "is no name of a file"),
        (["simulate", "{array}", "--budget", "3", "--project", ""], "is no name of a file"),
        (["simulate", "{array}", "--budget", "3", "--json", ""], "is no name of a file"),
        (["simulate", "{array}", "--budget", "3", "--json", "{array}"], "would overwrite"),
        (["simulate", "{array}", "--budget", "3", "--json", "/dev/null"], "name of a file"),
        (
            ["simulate", "{array}", "--budget", "3", "--json", "{here}/p", "--project", "{here}/p"],
            "would overwrite",
        ),
        (["simulate", "{array}", "--budget", "3", "--noise", "2"], "between 0 and 1"),
        (["simulate", "{array}", "--budget", "3", "--noise", "x"], "invalid float value: 'x'"),
        (["simulate", "{array}", "--budget", "3", "--seed", "x"], "'x' is not a whole number"),
        (
            ["simulate", "{array}", "--budget", "3", "--strategy", "x"],
            "falcon, hmcahc, cobras, acdm, components, mpck-npu, explore-consolidate, active-pck",
        ),
        (["simulate", "{array}", "--budget", "3", "--set", "width"], "key=value"),
        (["simulate", "{array}", "--budget", "3", "--set", "depth=1"], "it has: width"),
        (["simulate", "{array}", "--budget", "3", "--set", "width=1"], "must be one of"),
        (["simulate", "{array}", "--budget", "3", "--scale", "log"], "minmax"),
        (["simulate", "{array}", "--budget", "3", "--label", "kind"], "called 'kind'"),
        (["simulate", "{array}", "--budget", "3", "--embedder", "magic"], "lite0"),
        (["simulate", "{array}", "--budget", "3", "--json", "{no}/x.json"], "does not exist"),
        (["simulate", "{array}", "--budget", "3", "--json", "{here}"], "is a folder"),
        (["simulate", "{array}", "--budget", "3", "--project", "{array}"], "exists already"),
        (["simulate", "{array}", "--budget", "3", "--project", "{no}/p"], "does not exist"),
        (["simulate", "{array}", "--budget", "3", "--label-from-folders"], "folder"),
        (["simulate", "{no}", "--budget", "3"], "does not exist"),
        (["simulate", "{table}", "--budget", "3"], "has no labels"),
        (["simulate", "{table}", "--budget", "3", "--label", "colour"], "kind"),
        (["simulate", "{table}", "--budget", "3", "--role", "kind=nice"], "label"),
        (
            ["simulate", "{table}", "--budget", "3", "--label", "kind", "--label-from-folders"],
            "not",
        ),
        (["new", "{table}"], "--output"),
        (["new", "{table}", "-o", "{array}"], "exists already"),
        (["new", "{empty}", "-o", "{here}/p.pairloom"], "empty"),
        (["info", "{no}"], "no"),
        (["info", "{table}"], "table.csv"),
        (["verify", "{array}"], "data.npz"),
        (["replay", "{here}"], "folder"),
        (["replay", "{array}", "--at", "-1"], "'-1' is not a whole number"),
        (["export", "{array}"], "--csv"),
        (["export", "{array}", "--csv", "{here}/g.csv"], "data.npz"),
        (["embed", "{no}", "-o", "{here}/x.npz"], "does not exist"),
        (["embed", "{table}", "-o", "{no}/x.npz"], "does not exist"),
        (["embed", "{array}", "-o", "{array}"], "would overwrite"),
        (["embed", "{array}", "-o", "-"], "is no name of a file"),
        (["embed", "{table}", "-o", "{here}/f.csv"], "Call it f.npz; numpy.load reads it."),
        (["embed", "{table}", "-o", "{array}"], "exists already. Choose another name"),
        (["export", "{array}", "--folders", "{here}/o", "--overwrite"], "--overwrite is for --csv"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(arguments, said, array, table, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    places = {
        "array": array, "table": table, "no": tmp_path / "nowhere", "here": tmp_path,
        "empty": tmp_path / "empty",
    }  # fmt: skip
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert main([argument.format(**places) for argument in arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"pairloom: [^\n]+\n", shown.err)
    assert said in shown.err
    assert "Traceback" not in shown.err
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_no_result_replaces_what_it_is_made_of(project, array, pictures, tmp_path, capsys):
    before = [path.read_bytes() for path in (project, array)]
    (tmp_path / "link.csv").symlink_to(array)
    for result in (project, array, tmp_path / "link.csv"):
        assert run("export", project, "--csv", result) == 2
    assert run("replay", project, "--json", project) == 2
    assert [path.read_bytes() for path in (project, array)] == before
    picture = pictures / "dark" / "0.png"
    assert run("embed", pictures, "-o", picture, "--embedder", "pixels") == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5
    assert all("would overwrite" in line for line in said)
    for more in ([], ["--overwrite"]):  # an earlier result may be replaced, wherever it lies
        assert run("embed", pictures, "-o", pictures / "x.npz", "--embedder", "pixels", *more) == 0
    capsys.readouterr()


def test_a_bad_label_column_names_those_that_exist(table, capsys):
    assert run("simulate", table, "--budget", 3, "--label", "colour") == 2
    shown = capsys.readouterr().err
    assert all(name in shown for name in ("colour", "name", "size", "kind"))


def test_a_project_made_for_nothing_is_removed(table, tmp_path, capsys):
    assert run("simulate", table, "--budget", 3, "--project", tmp_path / "p.pairloom") == 2
    assert list(tmp_path.iterdir()) == [table]
    capsys.readouterr()


def test_a_step_that_does_not_exist(project, capsys):
    assert run("replay", project, "--at", 99) == 2
    shown = capsys.readouterr().err
    assert "has no step #99; the last is #12. Steps have the numbers" in shown


def test_steps_have_the_numbers_of_the_history(project, capsys):
    with Study.open(project, Job()) as study:
        study.session.undo()
        pair = study.session.ask().pair
        study.session.tell(pair, Verdict.UNSURE)
    assert run("replay", project, "--at", "#14") == 0
    assert capsys.readouterr().out.startswith("After step #14: 12 answers, ")
    assert run("replay", project, "--at", 13) == 2  # the undo
    assert "no step #13; the last is #14." in capsys.readouterr().err
    assert run("replay", project, "--at", 0) == 0
    assert capsys.readouterr().out.startswith("At the start: 0 answers")
    assert run("replay", project, "--json", "-") == 0
    state = json.loads(capsys.readouterr().out)
    assert (state["position"], state["answered"]) == (14, 12)
    assert state["steps"][-1]["step"] == 14
    assert run("info", project) == 0
    assert re.search(r"^position: +step #14$", capsys.readouterr().out, re.MULTILINE)


def test_a_folder_that_is_not_empty(project, tmp_path, capsys):
    assert run("export", project, "--folders", tmp_path) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_result_is_replaced_only_when_told(project, tmp_path, capsys):
    groups, folder = tmp_path / "g.csv", tmp_path / "sorted"
    groups.write_text("mine", encoding="utf-8")
    assert run("export", project, "--csv", groups, "--folders", folder) == 2
    assert "g.csv exists already. Choose another name, or" in capsys.readouterr().err
    assert groups.read_text(encoding="utf-8") == "mine"
    assert not folder.exists()
    assert run("export", project, "--csv", tmp_path / "h.csv", "--folders", tmp_path) == 2
    assert not (tmp_path / "h.csv").exists()  # neither, as one is refused
    assert run("export", project, "--csv", groups, "--overwrite") == 0
    assert groups.read_text(encoding="utf-8-sig").startswith("item,path,")
    capsys.readouterr()


def test_damage_is_found(project, capsys):
    data = bytearray(project.read_bytes())
    place = data.rfind(b"same")
    data[place : place + 4] = b"sane"
    project.write_bytes(data)
    assert run("verify", project) in {1, 2}
    shown = capsys.readouterr()
    assert "is sound" not in shown.out
    assert shown.out or shown.err


def test_no_memory(monkeypatch, capsys):
    def fail(*_):
        raise MemoryError

    monkeypatch.setitem(cli._COMMANDS, "methods", fail)
    assert run("methods") == 2
    assert "not enough memory for this. Use fewer items.\n" in capsys.readouterr().err


def test_a_bug_is_not_hidden(monkeypatch):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setitem(cli._COMMANDS, "methods", fail)
    with pytest.raises(ZeroDivisionError):
        run("methods")


# ---------------------------------------------------------------------------- the terminal


def test_interrupted_by_the_keyboard(monkeypatch, capsys):
    def work(_, job: Job) -> int:
        signal.raise_signal(signal.SIGINT)
        assert job.cancelled
        job.step()
        raise AssertionError("went on")

    monkeypatch.setitem(cli._COMMANDS, "methods", work)
    before = signal.getsignal(signal.SIGINT)
    assert run("methods") == 130
    assert capsys.readouterr().err == "pairloom: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_interruption_does_not_wait(monkeypatch, capsys):
    def work(*_) -> int:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("went on")

    monkeypatch.setitem(cli._COMMANDS, "methods", work)
    assert run("methods") == 130
    capsys.readouterr()


def test_other_threads_may_run_commands(capsys):
    status: list[int] = []
    thread = threading.Thread(target=lambda: status.append(run("methods")))
    thread.start()
    thread.join()
    assert status == [0]
    capsys.readouterr()


def test_progress_is_one_line_that_goes_away(capsys):
    progress = terminal.Progress()
    progress.report(1, 20, "Reading pictures")
    progress.report(2, 20, "Short")
    progress.report(20, 20, "Short")
    shown = capsys.readouterr().err
    assert shown.startswith("\rReading pictures 1 of 20\rShort 2 of 20")
    assert shown.endswith("\r")
    progress.clear()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_the_process_stops_on_ctrl_c_and_leaves_nothing(tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "big.npz", X=rng.normal(size=(6000, 20)), y=rng.integers(9, size=6000))
    command = [sys.executable, "-m", "engine", "simulate", "big.npz", "--budget", "500"]
    process = subprocess.Popen(
        [*command, "--project", "p.pairloom", "--json", "out.json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "p.pairloom").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "pairloom: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["big.npz"]


def test_python_m_engine(tmp_path):
    shown = subprocess.run(
        [sys.executable, "-m", "engine", "info", "missing.pairloom"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 2
    assert shown.stderr.count("\n") == 1


def test_compare_on_labels_and_on_the_answers_of_a_project(array, tmp_path, capsys):
    out, table, project = (tmp_path / name for name in ("c.json", "c.csv", "c.pairloom"))
    two = ("--strategies", "falcon", "few: cobras starts=2")
    assert run("compare", array, *two, "--budget", 12, "--json", out, "--csv", table) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [one["label"] for one in found["strategies"]] == ["falcon", "few"]
    assert [len(one["simulated"]["ari"]) for one in found["strategies"]] == [12, 12]
    assert found["strategies"][1]["params"] == {"starts": "2"}
    assert all(one["own"] is None for one in found["strategies"])
    assert table.read_text(encoding="utf-8-sig").startswith("strategy,parameters,measure")
    assert run("simulate", array, "--budget", 10, "--project", project) == 0
    capsys.readouterr()
    assert run("compare", project, *two, "--budget", 0) == 0
    told = capsys.readouterr().out
    assert "On the answers given" in told
    assert "few" in told
    assert "expert" not in told


def test_compare_says_what_its_columns_mean(array, tmp_path, capsys):
    project = tmp_path / "p.pairloom"
    assert run("simulate", array, "--budget", 8, "--project", project) == 0
    capsys.readouterr()
    assert run("compare", project, "--strategies", "falcon", "--budget", 20, "--noise", 0.1) == 0
    told = capsys.readouterr().out
    for words in (
        "given (8)",
        "no accuracy",
        "mean little",
        "10% of them wrong",
        "wait",
        "as if by",
    ):
        assert words in told
    assert max(len(line) for line in told.splitlines()) < 100


def test_compare_tries_the_strategy_that_a_project_uses(array, tmp_path, capsys):
    project, out = tmp_path / "p.pairloom", tmp_path / "c.json"
    assert run("simulate", array, "--budget", 6, "--set", "c=0.5", "--project", project) == 0
    assert run("compare", project, "--budget", 0, "--json", out) == 0
    first, *others = json.loads(out.read_text(encoding="utf-8"))["strategies"]
    assert first["label"] == "in use"
    assert (first["strategy"], first["params"]["c"]) == ("falcon", "0.5")
    assert first["own"]["agreement"] == 1
    alike = [name for name, one in strategies.REGISTRY.items() if one.transitive]
    assert [one["label"] for one in others] == alike  # those that ask the same question


@pytest.mark.parametrize(
    ("asked", "told"), [(("composing",), "CRI"), (("composing", "random"), "ARI")]
)
def test_strategies_of_two_kinds_are_compared_by_one_measure(array, capsys, asked, told):
    assert run("compare", array, "--budget", 3, "--strategies", *asked) == 0
    assert f": {told} after so many answers" in capsys.readouterr().out


def test_compare_tells_what_was_found_before_it_was_interrupted(
    array, tmp_path, capsys, monkeypatch
):
    def interrupted(*given, **chosen):
        yield next(compare_all(*given, **chosen))
        raise Cancelled

    compare_all, out = compare.compare, tmp_path / "c.json"
    monkeypatch.setattr(compare, "compare", interrupted)
    two = ("--strategies", "falcon", "cobras")
    assert run("compare", array, *two, "--budget", 5, "--json", out) == 130
    told = capsys.readouterr()
    assert "falcon" in told.out
    assert "cobras" not in told.out
    assert "interrupted" in told.err
    assert not out.exists()


def test_compare_says_what_could_not_be_tried(tmp_path, capsys):
    many = tmp_path / "many.npz"
    np.savez(many, X=np.random.default_rng(0).random((600, 2)), y=np.arange(600) % 3)
    large = ("--budget", 2, "--strategies", "hmcahc memory=1")
    assert run("compare", many, *large, "random") == 0
    told = capsys.readouterr().out
    assert "Not tried: hmcahc memory=1: the distances between 600 items" in told
    assert run("compare", many, *large) == 2
    assert "1 MB are allowed" in capsys.readouterr().err


def test_compare_loses_nothing_to_a_file_that_cannot_be_written(
    array, tmp_path, capsys, monkeypatch
):
    def full(*_given):
        raise OSError(errno.ENOSPC, "No space left on device")

    two = ("--budget", 3, "--strategies", "falcon", "random")
    monkeypatch.setattr(compare, "compare", lambda *_given, **_chosen: pytest.fail("too late"))
    missing = tmp_path / "no"
    for target, named in ((missing / "c.csv", missing), (tmp_path, tmp_path), (array, array)):
        assert run("compare", array, *two, "--csv", target) == 2
        assert str(named) in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(measuring, "write_json", full)
    monkeypatch.setattr(compare, "write_csv", full)
    for option in ("--csv", "--json"):
        assert run("compare", array, *two, option, tmp_path / "c") == 2
        told = capsys.readouterr()
        assert "random" in told.out
        assert "No space left" in told.err


def test_compare_refuses_what_it_cannot_use(array, table, tmp_path, capsys):
    for arguments, words in (
        ((array, "--strategies", "oracle"), "no strategy 'oracle'"),
        ((array, "--strategies", "falcon width"), "key=value"),
        ((array, "--strategies", "falcon", "falcon"), "same label"),
        ((table,), "labels"),
        ((array, "--noise", "7"), "noise"),
        ((tmp_path / "none.pairloom",), "none.pairloom"),
        ((tmp_path / "none.pairloom", "--seed", "3"), "--seed"),
        ((array, "--strategies", "random", "cobras starts=0"), "starts"),
        ((array, "--strategies", "falcon", "--budget", "0"), "nothing to compare"),
    ):
        assert run("compare", "--budget", 3, *arguments) == 2
        assert words in capsys.readouterr().err


def test_a_strategy_chosen_later_is_the_one_told(array, tmp_path, capsys):
    project = tmp_path / "p.pairloom"
    assert run("simulate", array, "--budget", 8, "--project", project) == 0
    with Study.open(project, Job()) as study:
        study.session.choose(strategies.read("cobras starts=4")[1])
    capsys.readouterr()
    assert run("info", project, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["strategy"], told["params"]) == ("cobras", {"starts": "4"})
    assert run("info", project) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "strategy: cobras params: starts=4 seed:" in words
    assert run("replay", project, "--json", "-") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["strategy"], told["steps"][-1]["kind"]) == ("cobras", "strategy")
