"""Superposed symbols are made of the drawings they say, and one command measures on them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.compositional.functions import function
from tests.benchmark import composed
from tests.benchmark.composing import Learned, Lessons, learn
from tests.benchmark.invented import invent
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


def test_invented_characters_are_drawn_by_many_hands() -> None:
    made = invent(5, 3, SIDE, np.random.default_rng(0))
    assert [ink.shape for ink in made.values()] == [(3, SIDE, SIDE)] * 5
    inks = np.stack(list(made.values()))
    assert len(np.unique(inks.reshape(15, -1), axis=0)) == 15
    assert ((inks > 127).mean((2, 3)) > 0.01).all()
    assert (inks[:, :, 0, 0] == 0).mean() > 0.9  # on paper
    again = invent(5, 3, SIDE, np.random.default_rng(0))
    assert all(np.array_equal(made[label], again[label]) for label in made)


def test_what_composes_is_learned(tmp_path: Path) -> None:
    import torch

    rng = np.random.default_rng(0)
    centres = 3 * rng.random((8, 24))
    sets = every_set(5, 3)
    chosen = np.array([np.sort(rng.choice(8, 5, replace=False)) for _ in range(20)])

    def shown(members: np.ndarray) -> np.ndarray:
        return centres[members].max(0) + rng.normal(0, 0.05, 24)

    mixed = np.array([[shown(row[list(one)]) for one in sets] for row in chosen])
    alone = centres[:, None] + rng.normal(0, 0.05, (8, 4, 24))
    lessons = Lessons(alone, chosen, mixed, mixed.mean((0, 1)), np.ones(24))
    right = []
    for steps in (1, 300):
        learn(lessons, 12, steps).save(tmp_path / "form.npz")
        again = Learned.load(tmp_path / "form.npz")
        g = function(str(tmp_path / "form.npz"), 12)
        parts = torch.from_numpy(again.project(alone.mean(1))[chosen]).double()
        made = torch.stack([g(parts[:, list(one)]) for one in sets], 1).numpy()
        apart = np.square(again.project(mixed)[:, :, None] - made[:, None]).sum(-1)
        right.append((apart.argmin(-1) == np.arange(25)).mean())
    assert right[1] > max(0.5, 2 * right[0])


def test_one_command_measures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = bars(tmp_path / "bars", 15), tmp_path / "out"
    small = {"SIDE": 32, "HELD": 5, "INVENTED": 6, "HANDS": 3, "ALONE": 2, "LEARNED": 8}
    for name, value in small.items():
        monkeypatch.setattr(composed, f"_{name}", value)
    given = [str(folder), "--sizes", "30", "--trials", "2", "--steps", "2", "--restarts", "2"]
    given += ["--contests", "3", "--sample", "20", "-o", str(out)]
    assert composed.main(given) == 0
    rows = json.loads((out / "composed-measured-2-learned-learned.json").read_text())["runs"]
    assert {row["method"] for row in rows} == {composed.ORACLE, *composed.METHODS}
    assert len(rows) == 2 * 9
    assert all(0 <= row["cri"] <= 1 for row in rows)
    assert rows[0]["ari"] == 1
    told = capsys.readouterr().out
    assert "n = 30, 2 trials, ckm" in told
    kept = {file: file.read_bytes() for file in out.glob("*.np*")}
    assert composed.main([*given, "--compose", "mean"]) == 0
    assert {file: file.read_bytes() for file in out.glob("*.np*")} == kept
    few = [*given, "--methods", "ckm", "--trials", "1"]
    assert composed.main([*few, "--features", "lite0", "--compose", "mean"]) == 0
    assert composed.main([*few, "--classes", "choosing"]) == 0
    assert (out / "composed-choosing-2-learned-learned.json").exists()


def test_what_cannot_be_measured_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(bars(tmp_path / "bars", 3)), "-o", str(tmp_path / "out")]
    for wrong in ([], ["--methods", "rcc"], ["--sizes", "30", "60", "--trials", "1", "2", "3"]):
        assert composed.main([*given, *wrong]) == 2
        assert capsys.readouterr().err.startswith("composed: ")
