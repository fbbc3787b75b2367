"""The measure of growth runs, names what it measured, and makes data of the size asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmark import growth
from tests.benchmark.synthetic import chosen, make_data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for name, rows, columns, classes in (("long", 300, 4, 2), ("rich", 120, 24, 12)):
        truth = np.arange(rows) % classes
        points = rng.random((classes, columns))[truth] + rng.normal(0, 0.05, (rows, columns))
        np.savez(tmp_path / f"{name}.npz", X=points, y=truth)
    return tmp_path


def test_one_command_measures_both_ways(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "out"
    small = ["--sizes", "70", "--columns", "5", "--questions", "6", "--set", "c=0.4"]
    assert growth.main([str(folder), *small, "-o", str(out)]) == 0
    written = json.loads((out / "growth.json").read_text())
    (size,) = written["sizes"]
    plain, ahead = size["figures"]["without look-ahead"], size["figures"]["with look-ahead"]
    assert (size["n"], size["d"], plain["answers"], ahead["answers"]) == (70, 5, 6, 6)
    assert {"first", "question_p95", "undo_p95", "at_p95", "go_to_p95"} <= plain.keys()
    assert ahead["ahead_p95"] > 0
    assert 0 < ahead["above"] < ahead["peak"]
    assert "data from rich" in capsys.readouterr().out
    assert (out / "table.md").read_text().count("\n| ") == 3


def test_the_whole_way_is_measured_by_phase() -> None:
    task = growth.Task("the whole way", 60, 3, None, 1, "falcon", {}, 0, "wall")
    figures = growth.carry_out(task)
    assert figures["Drawing the map"] > 0
    assert figures["total"] > figures["Drawing the map"]


def test_the_exponent_is_that_of_the_times() -> None:
    sizes = [100, 200, 400]
    assert growth.exponent(sizes, [3e-4 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_what_cannot_be_measured_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    for wrong in ([str(tmp_path)], ["--set", "c=-1"], ["--strategy", "oracle"]):
        assert growth.main([*wrong, "--sizes", "50", "-o", str(tmp_path / "out")]) == 2
    assert "bad.npz" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("points", "truth"),
    [
        (np.zeros(5), np.zeros(5)),
        (np.zeros((0, 2)), np.zeros(0)),
        (np.zeros((9, 2)), np.zeros(2)),
        (np.full((9, 2), np.nan), np.zeros(9)),
        (np.array([["a"]]), np.zeros(1)),
    ],
)
def test_data_that_cannot_be_mixed_are_named(
    points: np.ndarray, truth: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "odd.npz", X=points, y=truth)
    torn = (tmp_path / "odd.npz").read_bytes()[:-40]
    (tmp_path / "torn.npz").write_bytes(torn)
    for name in ("odd.npz", "torn.npz"):
        assert growth.main([str(tmp_path / name), "-o", str(tmp_path / "out")]) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert name in told


def test_a_folder_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    for out in ("file", "file/out"):
        assert growth.main(["--sizes", "50", "-o", str(tmp_path / out)]) == 2
        (told,) = capsys.readouterr().err.splitlines()
        assert str(tmp_path / out) in told


@pytest.mark.parametrize("wrong", [["--sizes", "1"], ["--columns", "0"], ["--seed", "-1"]])
def test_numbers_too_small_are_refused(wrong: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        growth.main([*wrong, "-o", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize("columns", [24, 40])
def test_made_data_keeps_classes_and_fits(folder: Path, columns: int, real: bool) -> None:
    source = chosen(folder) if real else None
    points, classes = make_data(source, 500, columns, 3)
    again, _ = make_data(source, 500, columns, 3)
    assert points.shape == (500, columns)
    assert points.dtype == np.float32
    assert np.array_equal(points, again)
    assert points.min() == 0
    assert points.max() == 1
    assert len(np.unique(points, axis=0)) == 500
    centres = np.stack([points[classes == one].mean(axis=0) for one in range(classes.max() + 1)])
    nearest = np.linalg.norm(points[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == classes).mean() > 0.9
