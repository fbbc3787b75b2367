"""A study comes together once, opens anywhere, and leaves nothing behind when it does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import layout, strategies, study
from engine.dataset import Role
from engine.errors import (
    Cancelled,
    DatasetError,
    EngineError,
    ParameterError,
    ProjectDamagedError,
    ProjectError,
    UsageError,
)
from engine.job import Job
from engine.model import Pair, Verdict
from engine.project import Project
from engine.study import Study


@pytest.fixture
def table(tmp_path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["id,height,width,kind"]
    for i in range(24):
        height, width = rng.normal(size=2) + (i % 3) * 5
        lines.append(f"r{i},{height:.3f},{width:.3f},{'abc'[i % 3]}")
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def pictures(tmp_path) -> Path:
    folder = tmp_path / "pictures"
    rng = np.random.default_rng(0)
    for group, level in (("dark", 40), ("light", 200)):
        (folder / group).mkdir(parents=True)
        for i in range(6):
            pixels = rng.integers(level - 30, level + 30, size=(24, 24, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / group / f"{i}.png")
    return folder


def make(source: Path, path: Path | None = None, **settings) -> Study:
    if source.suffix:
        settings.setdefault("roles", {"kind": Role.LABEL})
    else:
        settings.setdefault("embedder", "pixels")
    return Study.create(source, Job(), path=path, **settings)


def answer(made: Study, n: int) -> None:
    for _ in range(n):
        question = made.session.ask()
        assert question is not None
        made.session.tell(question.pair, Verdict.DIFFERENT)


def test_a_study_in_memory_has_all_its_parts(table):
    made = make(table, params={"width": "fixed"}, seed=3, question="Same kind?", planned=40)
    assert made.project is None
    assert made.problem.points.shape == (24, 2)
    assert made.problem.seed == 3
    assert made.settings.embedder == "table"
    assert made.settings.source == str(table)
    assert made.coordinates.shape == (24, 2)
    assert made.coordinates is made.coordinates
    assert made.session.snapshot().progress.planned == 40
    assert made.source_found
    assert made.truth().tolist() == [0, 1, 2] * 8
    made.close()


def test_every_parameter_is_kept_so_that_new_defaults_change_no_old_project(table):
    kept = make(table).settings.params
    every = {one.name: one.default for one in strategies.parameters("falcon")}
    assert kept == every


def test_labels_are_never_features(table):
    assert make(table).dataset.feature_names == ("height", "width")


def test_without_labels_there_is_no_truth(table):
    assert make(table, roles={"kind": Role.IGNORED}).truth() is None


def test_some_labels_missing(table):
    text = table.read_text(encoding="utf-8").replace(",a\n", ",\n")
    table.write_text(text, encoding="utf-8")
    assert make(table).truth().tolist() == [-1, 0, 1] * 8


def test_reopened_it_is_the_same(pictures, tmp_path):
    path = tmp_path / "p.pairloom"
    with make(pictures, path, labels_from_folders=True, seed=5) as made:
        answer(made, 4)
        question, coordinates = made.session.ask().pair, made.coordinates
        labels, points = made.session.clustering.labels, made.problem.points
    with Study.open(path, Job()) as again:
        assert again.session.ask().pair == question
        assert np.array_equal(again.session.clustering.labels, labels)
        assert np.array_equal(again.problem.points, points)
        assert np.array_equal(again.coordinates, coordinates)
        assert again.settings.seed == 5
        assert again.truth().tolist() == [0] * 6 + [1] * 6


def test_opening_computes_nothing_and_needs_no_picture(pictures, tmp_path, monkeypatch):
    path = tmp_path / "p.pairloom"
    make(pictures, path).close()
    shutil.rmtree(pictures)

    def never(*_args, **_kwargs):
        raise AssertionError("computed again")

    monkeypatch.setattr(study, "project_to_map", never)
    monkeypatch.setattr(study, "_embed", never)
    with Study.open(path, Job()) as made:
        assert not made.source_found
        answer(made, 2)


def test_what_a_killed_program_left_undone_is_done_at_opening(pictures, tmp_path):
    path = tmp_path / "p.pairloom"
    whole = make(pictures)
    # As `create` leaves it when it is killed while describing pictures.
    Project.create(path, dataset=whole.dataset, settings=whole.settings).close()
    with Study.open(path, Job()) as made:
        assert np.array_equal(made.problem.points, whole.problem.points)
    with Project.open(path) as project:
        assert project.load_array("embedding") is not None
        assert project.load_array("map") is not None


def test_arrays_of_another_length_are_damage(table, tmp_path):
    path = tmp_path / "p.pairloom"
    with make(table, path) as made:
        made.project.save_array("map", np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(ProjectDamagedError, match="does not fit its 24 items"):
        Study.open(path, Job())
    with Project.open(path):  # given free again
        pass


@pytest.mark.parametrize("text", ["Drawing the map", "pixels"])
def test_stopped_while_made_it_leaves_no_file(pictures, tmp_path, text, monkeypatch):
    path = tmp_path / "p.pairloom"
    job = Job()

    def stop(*_args, **_kwargs):
        job.cancel()
        job.step()

    monkeypatch.setattr(study, "project_to_map" if "map" in text else "_embed", stop)
    before = set(tmp_path.iterdir())
    with pytest.raises(Cancelled):
        Study.create(pictures, job, path=path, embedder="pixels")
    assert set(tmp_path.iterdir()) == before


def test_a_failure_while_made_leaves_no_file(table, tmp_path):
    before = set(tmp_path.iterdir())
    with pytest.raises(EngineError):
        make(table, tmp_path / "p.pairloom", embedder="lite0")
    assert set(tmp_path.iterdir()) == before


def test_an_existing_file_is_never_touched(table, tmp_path):
    path = tmp_path / "p.pairloom"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(ProjectError, match="exists already"):
        make(table, path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_mistakes_are_told_before_anything_is_read(tmp_path):
    nowhere = tmp_path / "nowhere"
    with pytest.raises(ParameterError, match="no strategy"):
        Study.create(nowhere, Job(), path=None, strategy="oracle")
    with pytest.raises(ParameterError, match="no parameter"):
        Study.create(nowhere, Job(), path=None, params={"depth": "2"})
    with pytest.raises(ParameterError, match="no features called"):
        Study.create(nowhere, Job(), path=None, embedder="magic")
    with pytest.raises(ProjectError, match="does not exist"):
        Study.create(nowhere, Job(), path=tmp_path / "no" / "p.pairloom")
    with pytest.raises(DatasetError, match="does not exist"):
        Study.create(nowhere, Job(), path=None)


def test_moved_pictures_are_found_again(pictures, tmp_path):
    path = tmp_path / "p.pairloom"
    with make(pictures, path, labels_from_folders=True) as made:
        answer(made, 3)
        labels = made.session.clustering.labels
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    pictures.rename(moved)
    (moved / "dark" / "0.png").unlink()
    with Study.open(path, Job()) as made:
        assert not made.source_found
        result = made.relink(moved, Job())
        assert (result.found, result.missing) == (11, 1)
        assert made.source_found
        assert made.dataset.source == moved
        assert made.settings.source == str(moved)
        assert np.array_equal(made.session.clustering.labels, labels)
    with Study.open(path, Job()) as made:
        assert made.dataset.root == moved


def test_a_moved_table_is_found_again_with_its_roles(table, tmp_path):
    path = tmp_path / "p.pairloom"
    make(table, path).close()
    moved = table.rename(tmp_path / "renamed.csv")
    with Study.open(path, Job()) as made:
        assert made.relink(moved, Job()).found == 24


def test_a_folder_with_other_pictures_is_refused(pictures, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    Image.new("RGB", (9, 9), "red").save(other / "red.png")
    with make(pictures, tmp_path / "p.pairloom") as made:
        with pytest.raises(ProjectError, match="None of the 12 items"):
            made.relink(other, Job())
        assert made.dataset.source == pictures


def test_a_study_in_memory_cannot_be_relinked(table):
    with pytest.raises(UsageError):
        make(table).relink(table, Job())


def test_a_single_item_and_exact_copies(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]]))
    made = Study.create(tmp_path / "x.npz", Job(), path=None)
    assert len(made.dataset) == 2
    assert made.coordinates.shape == (2, 2)
    made.session.tell(Pair(0, 1), Verdict.DIFFERENT)


def test_the_map_depends_on_the_seed_only(table):
    first, second = make(table, seed=1), make(table, seed=1)
    assert np.array_equal(first.coordinates, second.coordinates)
    expected = layout.project_to_map(first.problem.points, 1, Job())
    assert np.array_equal(first.coordinates, expected)
