"""What is exported is complete, harmless to open, and costs no original."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import export, outfile
from engine.dataset import Column, ColumnKind, Dataset, Item, Role, SourceKind
from engine.errors import Cancelled, EngineError, ResourceError
from engine.export import copy_into_folders, harmless, tidy_name, write_groups_csv
from engine.job import Job
from engine.model import OWN, Approach, Pair, StepKind, Verdict
from engine.project import Settings
from engine.study import Study


def content_of(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def sorted_study(dataset: Dataset) -> Study:
    """Odd and even items told apart, the group of 0 named, the last one set aside."""
    n = len(dataset)
    points = np.array([[item % 2, item / 100] for item in range(n)], dtype=np.float32)
    study = Study(dataset, Settings(str(dataset.source), "x", "random"), None, points, Job())
    while (question := study.session.ask()) is not None:
        same = sum(question.pair) % 2 == 0
        study.session.tell(question.pair, Verdict.SAME if same else Verdict.DIFFERENT)
    study.session.name_group(0, "even: 1/2")
    study.session.set_aside([n - 1])
    return study


@pytest.fixture
def pictures(tmp_path):
    root = tmp_path / "pictures"
    names = ["a/x.png", "a/y.png", "b/X.PNG", "b/y.png", "c/x.png", "gone.png", "z.png"]
    items = []
    for i, name in enumerate(names):
        data = f"picture {i}".encode()
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        items.append(Item(i, name, content_of(data), os.fsencode(name)))
    items[0] = Item(0, names[0], items[0].content, os.fsencode(names[0]), copies=("a/copy.png",))
    (root / "a/copy.png").write_bytes(b"picture 0")
    return Dataset(root, root, SourceKind.IMAGES, tuple(items))


def read_csv(path: Path) -> list[dict[str, str]]:
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def listing(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ---------------------------------------------------------------------------- groups.csv


def test_every_file_has_a_line(pictures, tmp_path):
    report = write_groups_csv(sorted_study(pictures), tmp_path / "groups.csv")
    rows = {row["item"]: row for row in read_csv(tmp_path / "groups.csv")}
    assert "8 lines" in report
    assert tuple(next(iter(rows.values()))) == export.COLUMNS
    assert len(rows) == 8
    first, copy = rows["a/x.png"], rows["a/copy.png"]
    assert first["path"] == "a/x.png"
    assert first["content"] == content_of(b"picture 0").hex()
    assert first["group"].isdigit()
    assert first["name"] == "even: 1/2"
    assert 0 <= float(first["certainty"]) <= 1
    assert (first["status"], first["copy_of"]) == ("grouped", "")
    assert copy == first | {"item": "a/copy.png", "path": "a/copy.png", "copy_of": "a/x.png"}
    assert rows["a/y.png"]["group"] != first["group"]
    aside = rows["z.png"]
    assert (aside["status"], aside["group"], aside["certainty"]) == ("set aside", "", "")


def test_it_says_how_groups_were_found_where_they_are_not_the_strategy_s_own(pictures):
    n = len(pictures)
    points = np.array([[item % 2, item / 100] for item in range(n)], dtype=np.float32)
    study = Study(pictures, Settings(str(pictures.source), "x", "random"), None, points, Job())
    session = study.session
    assert export.origin(study) == ""
    session.choose(Approach("rcc", (("neighbours", "2"),)), StepKind.GROUPING)
    assert "a guess nobody has checked: rcc" in export.origin(study)
    session.tell(Pair(0, 2), Verdict.SAME)
    session.tell(Pair(0, 1), Verdict.DIFFERENT)
    said = "The groups were found by rcc without an answer, and keep to 2 answers."
    assert export.origin(study) == said
    look = session.consider(Approach("rcc"), Job(), StepKind.GROUPING)
    assert not any("knows no answers" in warning for warning in look.warnings)  # they are kept to
    session.choose(Approach("fc2"), StepKind.GROUPING)
    assert export.origin(study) == "The groups were found by fc2 from 2 answers."
    session.tell(Pair(1, 3), Verdict.SAME)
    assert export.origin(study).endswith("from 2 answers, and keep to all 3.")
    session.choose(OWN, StepKind.GROUPING)
    assert export.origin(study) == ""


def test_group_numbers_are_those_of_the_screen(pictures, tmp_path):
    study = sorted_study(pictures)
    write_groups_csv(study, tmp_path / "groups.csv")
    slots = study.session.snapshot().overview.slots
    for item, row in zip(
        pictures.items,
        sorted(
            (row for row in read_csv(tmp_path / "groups.csv") if not row["copy_of"]),
            key=lambda row: [item.name for item in pictures.items].index(row["item"]),
        ),
        strict=True,
    ):
        assert row["group"] == (str(slots[item.id] + 1) if slots[item.id] >= 0 else "")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-x", "'-x"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-", "'-"),
        ("-1+cmd", "'-1+cmd"),
        ("-inf", "'-inf"),
        ("-3.5", "-3.5"),
        ("+1e-7", "+1e-7"),
        ("-3,5", "-3,5"),
        ("-.5", "-.5"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula_and_numbers_stay_numbers(cell, written):
    assert harmless(cell) == written


def test_formulas_in_names_are_made_harmless(tmp_path):
    items = tuple(Item(i, name, bytes([i] * 16)) for i, name in enumerate(["=cmd|'x'!A", "b", "c"]))
    study = sorted_study(Dataset(tmp_path, tmp_path / "t.npz", SourceKind.ARRAY, items))
    study.session.name_group(1, "@evil")
    write_groups_csv(study, tmp_path / "g.csv")
    cells = {cell for row in read_csv(tmp_path / "g.csv") for cell in row.values()}
    assert {"'=cmd|'x'!A", "'@evil"} <= cells
    assert not any(cell.startswith(("=", "@")) for cell in cells)


def test_an_earlier_csv_is_replaced_and_nothing_else_left(pictures, tmp_path):
    target = tmp_path / "out" / "groups.csv"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    write_groups_csv(sorted_study(pictures), target)
    assert len(read_csv(target)) == 8
    assert list(target.parent.iterdir()) == [target]


def test_a_failed_csv_leaves_the_old_one(pictures, tmp_path, monkeypatch):
    target = tmp_path / "out" / "groups.csv"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(export.os, "fsync", full)
    with pytest.raises(ResourceError, match="no space"):
        write_groups_csv(sorted_study(pictures), target)
    assert target.read_text(encoding="utf-8") == "old"
    assert list(target.parent.iterdir()) == [target]


def test_a_csv_in_a_missing_folder_is_an_error_in_words(pictures, tmp_path):
    with pytest.raises(EngineError, match="does not exist") as caught:
        write_groups_csv(sorted_study(pictures), tmp_path / "no" / "groups.csv")
    assert caught.value.hint


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_utf8_are_written(tmp_path):
    raw = b"caf\xe9.png"
    (tmp_path / os.fsdecode(raw)).write_bytes(b"x")
    items = (Item(0, "caf\ufffd.png", content_of(b"x"), raw), Item(1, "b", bytes(16)))
    study = sorted_study(Dataset(tmp_path, tmp_path, SourceKind.IMAGES, items))
    write_groups_csv(study, tmp_path / "g.csv")
    assert read_csv(tmp_path / "g.csv")[0]["path"] == r"caf\xe9.png"
    copy_into_folders(study, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").rglob("*.png")] == ["caf_xe9.png"]


# ---------------------------------------------------------------------------- folders


def test_pictures_are_copied_by_group(pictures, tmp_path):
    before = listing(pictures.root)
    study = sorted_study(pictures)
    report = copy_into_folders(study, tmp_path / "out")
    even, odd = (f"{study.session.snapshot().overview.slots[item] + 1:02d}" for item in (0, 1))
    assert listing(tmp_path / "out") == {
        f"{even} even_ 1_2/x.png": b"picture 0",
        f"{even} even_ 1_2/copy.png": b"picture 0",
        f"{even} even_ 1_2/X (2).PNG": b"picture 2",
        f"{even} even_ 1_2/x (3).png": b"picture 4",
        f"{odd}/y.png": b"picture 1",
        f"{odd}/y (2).png": b"picture 3",
        f"{odd}/gone.png": b"picture 5",
        "set aside/z.png": b"picture 6",
    }
    assert listing(pictures.root) == before
    assert "Copied 8 pictures into 3 folders" in report


def test_times_are_kept(pictures, tmp_path):
    os.utime(pictures.root / "z.png", (1_000_000_000, 1_000_000_000))
    copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert (tmp_path / "out/set aside/z.png").stat().st_mtime == 1_000_000_000


def test_vanished_and_changed_pictures_are_reported(pictures, tmp_path):
    (pictures.root / "gone.png").unlink()
    (pictures.root / "z.png").write_bytes(b"another picture")
    report = copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert "1 picture could not be read and was left out: gone.png" in report
    assert "1 picture changed after being sorted, look again: z.png" in report
    assert (tmp_path / "out/set aside/z.png").exists()


def test_long_lists_are_cut_short(pictures, tmp_path):
    for path in pictures.root.rglob("*.*"):
        path.unlink()
    (pictures.root / "z.png").write_bytes(b"picture 6")
    report = copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert "7 pictures could not be read" in report
    assert report.endswith("and 2 more.")


def test_a_folder_that_has_gone_is_an_error_and_leaves_nothing(pictures, tmp_path):
    shutil.rmtree(pictures.root)
    with pytest.raises(EngineError, match="None of 8 pictures is in"):
        copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_refused(pictures, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(EngineError, match="is not empty"):
        copy_into_folders(sorted_study(pictures), tmp_path / "out")
    with pytest.raises(EngineError, match="is not a folder"):
        copy_into_folders(sorted_study(pictures), tmp_path / "out" / "mine.txt")
    with pytest.raises(EngineError, match="does not exist"):
        copy_into_folders(sorted_study(pictures), tmp_path / "no" / "out")
    assert listing(tmp_path / "out") == {"mine.txt": b"mine"}


def test_an_empty_folder_is_filled(pictures, tmp_path):
    (tmp_path / "out").mkdir()
    copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert len(listing(tmp_path / "out")) == 8


def test_too_little_space_is_told_before_anything_is_copied(pictures, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(export.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(ResourceError, match="MB"):
        copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("exists", [True, False])
def test_a_stopped_copy_leaves_nothing(pictures, tmp_path, exists, monkeypatch):
    if exists:
        (tmp_path / "out").mkdir()
    job = Job(lambda done, total, text: job.cancel() if text == "Copying pictures" else None)
    monkeypatch.setattr(Job, "_INTERVAL", 0)  # every step is reported
    with pytest.raises(Cancelled):
        copy_into_folders(sorted_study(pictures), tmp_path / "out", job)
    assert (tmp_path / "out").exists() == exists
    assert not exists or not any((tmp_path / "out").iterdir())


def test_a_disk_that_fills_up_leaves_nothing(pictures, tmp_path, monkeypatch):
    real, calls = os.utime, []

    def full(*args, **kwargs):
        calls.append(args)
        if len(calls) > 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(*args, **kwargs)

    monkeypatch.setattr(export.os, "utime", full)
    with pytest.raises(ResourceError, match="no space"):
        copy_into_folders(sorted_study(pictures), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "tidy"),
    [
        ("naevus", "naevus"),
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("a\0b", "a_b"),
        ("CON", "_CON"),
        ("con.txt", "_con.txt"),
        ("Lpt1.png", "_Lpt1.png"),
        ("console", "console"),
        ("trailing. .", "trailing"),
        ("..", "_"),
        ("", "_"),
        ("  ", "_"),
        ('a<b>c:d"e|f?g*h\\i', "a_b_c_d_e_f_g_h_i"),
        ("e\u0301", "\u00e9"),
        ("\udce9.png", "_.png"),
    ],
)
def test_names_suit_every_system(name, tidy):
    assert tidy_name(name) == tidy


@pytest.mark.parametrize("letter", ["x", "é", "漢"])
def test_long_names_are_cut_and_keep_their_ending(letter):
    name = tidy_name(letter * 300 + ".jpeg")
    assert name.endswith(letter + ".jpeg")
    assert len(name.encode()) <= 150
    assert len(tidy_name("x." + letter * 300).encode()) <= 150


def test_long_and_odd_names_stay_apart(tmp_path):
    names = ["x" * 200 + "1.png", "x" * 200 + "2.png", "e\u0301.png", "\u00e9.png", "É.png", "."]
    items = []
    for i, name in enumerate(names):
        (tmp_path / "in" / str(i)).mkdir(parents=True)
        path = f"{i}/{'p.png' if name == '.' else name}"
        (tmp_path / "in" / path).write_bytes(bytes([i]))
        items.append(Item(i, path, content_of(bytes([i])), os.fsencode(path)))
    study = sorted_study(Dataset(tmp_path / "in", tmp_path / "in", SourceKind.IMAGES, tuple(items)))
    copy_into_folders(study, tmp_path / "out")
    copied = listing(tmp_path / "out")
    assert sorted(copied.values()) == [bytes([i]) for i in range(6)]
    assert len({name.casefold() for name in copied}) == 6


# ---------------------------------------------------------------------------- tables


def test_a_table_becomes_one_csv_per_group(tmp_path):
    columns = (
        Column("id", ColumnKind.TEXT, Role.ID),
        Column("size", ColumnKind.NUMBER, Role.FEATURE),
    )
    items = tuple(
        Item(i, f"r{i}", bytes([i] * 16), cells=(f"r{i}", f"-{i}.5"), copies=("r9",) * (i == 0))
        for i in range(4)
    )
    dataset = Dataset(tmp_path, tmp_path / "t.csv", SourceKind.TABLE, items, columns)
    report = copy_into_folders(sorted_study(dataset), tmp_path / "out")
    assert report == f"Wrote 3 tables in {tmp_path / 'out'}."
    tables = {path.name: read_csv(path) for path in (tmp_path / "out").iterdir()}
    even = next(rows for name, rows in tables.items() if "even" in name)
    assert [(row["item"], row["copy_of"], row["size"]) for row in even] == [
        ("r0", "", "-0.5"), ("r9", "r0", "-0.5"), ("r2", "", "-2.5"),
    ]  # fmt: skip
    assert [row["id"] for row in tables["set aside.csv"]] == ["r3"]


def test_a_table_with_pictures_gives_both(tmp_path):
    items = []
    for i in range(4):
        (tmp_path / f"{i}.png").write_bytes(bytes([i]))
        items.append(Item(i, f"r{i}", bytes([i] * 16), f"{i}.png".encode(), cells=(f"{i}.png",)))
    columns = (Column("picture", ColumnKind.TEXT, Role.IMAGE),)
    dataset = Dataset(tmp_path, tmp_path / "t.csv", SourceKind.TABLE, tuple(items), columns)
    report = copy_into_folders(sorted_study(dataset), tmp_path / "out")
    assert "Copied 4 pictures" in report
    assert "changed" not in report
    assert "Wrote 3 tables" in report


# ---------------------------------------------------------------------------- outfile


def test_json_takes_names_that_no_encoding_takes(tmp_path):
    outfile.write_json(tmp_path / "a.json", {"name": "half \ud800"})
    assert json.loads((tmp_path / "a.json").read_bytes()) == {"name": "half \ud800"}


def test_a_read_only_folder_is_told_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(outfile.os, "access", lambda _path, _mode: False)
    with pytest.raises(EngineError, match="is read-only"):
        outfile.check_output(tmp_path / "new.json")


def test_output_is_checked_before_the_work(tmp_path):
    outfile.check_output(tmp_path / "new.json")
    outfile.check_output(outfile.STDOUT)
    outfile.check_output(None)
    with pytest.raises(EngineError, match="does not exist"):
        outfile.check_output(tmp_path / "no" / "x.json")
    with pytest.raises(EngineError, match="is a folder"):
        outfile.check_output(tmp_path)
