"""Superposed symbols are made of the drawings they say, and one command measures on them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.compositional.functions import function
from tests.benchmark import composed
from tests.benchmark.composing import Learned, learn
from tests.benchmark.superposed import dealt, eightfold, every_set, read_drawings, superpose

SIDE = 24


def bars(folder: Path, classes: int, drawings: int = 2) -> Path:
    """Draw a bar for each class, at another place, black on white."""
    for number in range(classes):
        (folder / f"bar{number:02}").mkdir(parents=True)
        for drawing in range(drawings):
            paper = np.full((SIDE, SIDE), 255, np.uint8)
            at = 3 + number % 9 * 2
            ink = (slice(4, 20), slice(at, at + 2))
            paper[ink if number < 9 else ink[::-1]] = drawing
            Image.fromarray(paper).save(folder / f"bar{number:02}" / f"{drawing}.png")
    return folder


def test_pictures_are_the_darker_of_turned_and_moved_drawings(tmp_path: Path) -> None:
    drawings = list(read_drawings(bars(tmp_path, 3), SIDE).values())
    assert [ink.shape for ink in drawings] == [(2, SIDE, SIDE)] * 3
    assert all(ink[:, 0, 0].max() == 0 and ink.max() == 255 for ink in drawings)
    truth = [(0,), (1,), (0, 1), (0, 1, 2)] * 20
    made = superpose(drawings, truth, np.random.default_rng(0))
    assert made.shape == (80, SIDE, SIDE, 3)
    ink = (made[..., 0] < 128).sum((1, 2)).reshape(20, 4).mean(0)
    assert 25 < ink[0] < 40
    assert ink[0] < ink[2] < ink[3]
    assert len(np.unique(made[::4].reshape(20, -1), axis=0)) > 10
    again = superpose(drawings, truth, np.random.default_rng(0))
    np.testing.assert_array_equal(made, again)


def test_sets_are_dealt_alike() -> None:
    sets = every_set(5, 3)
    assert [len(one) for one in sets] == [1] * 5 + [2] * 10 + [3] * 10
    given = dealt(sets, 60, np.random.default_rng(1))
    assert {given.count(one) for one in sets} == {2, 3}


def test_turns_and_mirror_images_are_classes() -> None:
    ink = np.zeros((1, 4, 4), np.uint8)
    ink[0, 0, 1] = 255
    made = eightfold({"a": ink})
    assert len({one.tobytes() for one in made.values()}) == 8


def test_what_composes_is_learned(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(8, 6))
    truth = every_set(8, 3) * 6
    points = np.stack([centres[list(one)].sum(0) + 2 * len(one) for one in truth])
    points += rng.normal(0, 0.05, points.shape)
    for steps in (0, 20):
        learned = learn(points, truth, np.ones(6), size=4, steps=steps)
        learned.save(tmp_path / "form.npz")
        again = Learned.load(tmp_path / "form.npz")
        found = again.project(points).astype(np.float64)
        import torch

        g = function(str(tmp_path / "form.npz"), 4)
        means = {one: found[[other == one for other in truth]].mean(0) for one in truth}
        pairs = [one for one in means if len(one) == 2]
        made = g(torch.from_numpy(np.stack([[means[one[:1]], means[one[1:]]] for one in pairs])))
        real = np.stack([means[one] for one in pairs])
        assert np.square(made.numpy() - real).mean() < 0.1 * real.var(0).mean()


def test_one_command_measures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = bars(tmp_path / "bars", 15), tmp_path / "out"
    monkeypatch.setattr(composed, "_SIDE", 32)
    monkeypatch.setattr(composed, "_ALONE", 2)
    monkeypatch.setattr(composed, "_LEARNED", 8)
    given = [str(folder), "--sizes", "30", "--trials", "2", "--steps", "2", "--restarts", "2"]
    given += ["--pairs", "20", "--triples", "10", "--sample", "20", "-o", str(out)]
    assert composed.main(given) == 0
    rows = json.loads((out / "composed-2-learned-learned.json").read_text())["runs"]
    assert {row["method"] for row in rows} == {composed.ORACLE, *composed.METHODS}
    assert len(rows) == 2 * 9
    assert all(0 <= row["cri"] <= 1 for row in rows)
    assert rows[0]["ari"] == 1
    told = capsys.readouterr().out
    assert "n = 30, 2 trials, ckm" in told
    kept = {file: file.read_bytes() for file in out.glob("*.np*")}
    assert composed.main([*given, "--features", "lite0", "--compose", "mean"]) == 0
    assert {file: file.read_bytes() for file in out.glob("*.np*")} == kept


def test_what_cannot_be_measured_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(bars(tmp_path / "bars", 3)), "-o", str(tmp_path / "out")]
    for wrong in ([], ["--methods", "rcc"], ["--sizes", "30", "60", "--trials", "1", "2", "3"]):
        assert composed.main([*given, *wrong]) == 2
        assert capsys.readouterr().err.startswith("composed: ")
