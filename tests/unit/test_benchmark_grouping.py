"""The measure of methods that ask nothing runs, and its data are tangled and the same each time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.benchmark import grouping
from tests.benchmark.synthetic import tangled


def test_one_command_measures_time_memory_and_growth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--methods", "rcc", "--sizes", "90", "60", "--columns", "5"]
    assert grouping.main([*small, "-o", str(tmp_path)]) == 0
    runs = json.loads((tmp_path / "grouping.json").read_text())["runs"]
    assert [(run["method"], run["n"], run["d"]) for run in runs] == [("rcc", 60, 5), ("rcc", 90, 5)]
    for run in runs:
        assert 0 < run["above"] < run["peak"]
        assert 0 < 1e-3 * run["unstopped"] <= run["cpu"]
        assert run["rounds"] > 1
    assert "rcc: work grows as n^" in capsys.readouterr().out


def test_what_cannot_be_measured_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (["--methods", "falcon"], ["--set", "rounds=0"]):
        assert grouping.main([*wrong, "--sizes", "50", "-o", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("grouping: ")


def test_tangled_data() -> None:
    points, classes = tangled(5000, 6, 1)
    again, _ = tangled(5000, 6, 1)
    np.testing.assert_array_equal(points, again)
    assert points.shape == (5000, 6)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()
    assert 40 < len(np.unique(classes)) <= 50
    assert not np.array_equal(tangled(5000, 6, 2)[0], points)
