"""A folder of pictures: what is found, passed over, collapsed, and said."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from engine import readers
from engine.dataset import SourceKind
from engine.errors import Cancelled, DatasetError
from engine.job import Job


def picture(path: Path, shade: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (6, 6), shade).save(path)
    return path


def test_recursive_sorted_by_path(tmp_path: Path) -> None:
    for shade, name in enumerate(["b/2.png", "a.PNG", "b/10.png", "c/d/e/1.bmp", "B/1.tif"]):
        picture(tmp_path / name, shade)
    dataset = readers.read(tmp_path, Job())
    assert dataset.kind is SourceKind.IMAGES
    assert [item.name for item in dataset.items] == [
        "B/1.tif",
        "a.PNG",
        "b/10.png",
        "b/2.png",
        "c/d/e/1.bmp",
    ]
    assert [item.id for item in dataset.items] == [0, 1, 2, 3, 4]
    assert dataset.items[2].path == b"b/10.png"
    assert dataset.root == dataset.source == tmp_path
    assert dataset.features is None
    assert len(dataset.fingerprint()) == 16
    assert dataset.fingerprint() == readers.read(tmp_path, Job()).fingerprint()


def test_one_bad_file_never_stops_the_rest(tmp_path: Path) -> None:
    picture(tmp_path / "good.png", 9)
    (tmp_path / "empty.jpg").touch()
    (tmp_path / "photo.heic").write_bytes(b"?")
    (tmp_path / "gone.png").symlink_to("nowhere.png")
    dataset = readers.read(tmp_path, Job())
    assert len(dataset) == 1
    assert [(problem.name, problem.reason) for problem in dataset.problems] == [
        ("empty.jpg", "the file is empty"),
        ("gone.png", "it is a link to a file that does not exist"),
        ("photo.heic", "HEIC files are not read; convert it to PNG or TIFF"),
    ]
    assert "a single item: there is nothing to compare it with" in dataset.notes


def test_exact_copies_collapse_onto_the_first(tmp_path: Path) -> None:
    picture(tmp_path / "x/1.png", 5)
    picture(tmp_path / "y/1.png", 5)
    picture(tmp_path / "y/2.png", 5)
    picture(tmp_path / "y/3.png", 6)
    dataset = readers.read(tmp_path, Job(), labels_from_folders=True)
    assert [item.name for item in dataset.items] == ["x/1.png", "y/3.png"]
    assert dataset.items[0].copies == ("y/1.png", "y/2.png")
    assert dataset.items[0].label == "x"
    assert dataset.n_copies == 2
    assert dataset.notes == (
        "2 exact copies collapsed",
        "2 of the collapsed copies had another label than the first, which was kept",
    )


def test_labels_are_the_first_folder(tmp_path: Path) -> None:
    for shade, name in enumerate(["cat/a.png", "dog/young/b.png", "c.png"]):
        picture(tmp_path / name, shade)
    dataset = readers.read(tmp_path, Job(), labels_from_folders=True)
    assert [item.label for item in dataset.items] == [None, "cat", "dog"]
    assert all(item.label is None for item in readers.read(tmp_path, Job()).items)


def test_no_folders_no_labels(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    with pytest.raises(DatasetError, match="lies in a folder"):
        readers.read(tmp_path, Job(), labels_from_folders=True)


def test_hidden_and_foreign_things_are_passed_over(tmp_path: Path) -> None:
    picture(tmp_path / "seen.png", 1)
    for shade, name in enumerate([".hidden.png", ".cache/a.png", "__MACOSX/b.png", "@eaDir/c.png"]):
        picture(tmp_path / name, 10 + shade)
    (tmp_path / "Thumbs.db").write_bytes(b"?")
    (tmp_path / ".DS_Store").write_bytes(b"?")
    dataset = readers.read(tmp_path, Job())
    assert [item.name for item in dataset.items] == ["seen.png"]
    assert not dataset.problems
    assert "1 other file passed over" in dataset.notes
    assert "1 hidden picture or table passed over" in dataset.notes


def test_links_to_files_count_links_to_folders_do_not(tmp_path: Path) -> None:
    inside = tmp_path / "data"
    picture(inside / "a.png", 1)
    picture(tmp_path / "elsewhere/b.png", 2)
    picture(tmp_path / "elsewhere/c.png", 3)
    (inside / "b.png").symlink_to(tmp_path / "elsewhere/b.png")
    (inside / "folder").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (inside / "loop").symlink_to(inside, target_is_directory=True)
    dataset = readers.read(inside, Job())
    assert [item.name for item in dataset.items] == ["a.png", "b.png"]
    assert "2 links to a folder not followed" in dataset.notes


def test_undecodable_names(tmp_path: Path) -> None:
    picture(tmp_path / "plain.png", 1)
    data = (tmp_path / "plain.png").read_bytes()
    for raw in (b"caf\xe9.png", b"caf\xe8.png"):
        # Bytes after the end do not disturb a PNG.
        (tmp_path / os.fsdecode(raw)).write_bytes(data + raw)
    dataset = readers.read(tmp_path, Job())
    assert [item.path for item in dataset.items] == [b"caf\xe8.png", b"caf\xe9.png", b"plain.png"]
    names = [item.name for item in dataset.items]
    assert names == ["caf\ufffd.png", "caf\ufffd.png (2)", "plain.png"]
    assert all(name.encode() for name in names)  # they can be stored and shown


def test_control_characters_in_names_are_not_shown(tmp_path: Path) -> None:
    picture(tmp_path / "two\nlines\x1b[31m.png")
    name = readers.read(tmp_path, Job()).items[0].name
    assert name.isprintable()


def test_twins_in_unicode_stay_two(tmp_path: Path) -> None:
    for shade, form in enumerate(("NFC", "NFD")):
        picture(tmp_path / (unicodedata.normalize(form, "Zähne") + ".png"), shade)
    dataset = readers.read(tmp_path, Job())
    assert len({item.path for item in dataset.items}) == 2
    assert len({item.name for item in dataset.items}) == 2


def test_pictures_win_over_tables(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 1)
    (tmp_path / "measures.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    dataset = readers.read(tmp_path, Job())
    assert dataset.kind is SourceKind.IMAGES
    assert any("1 table passed over" in note for note in dataset.notes)
    assert readers.read(tmp_path / "measures.csv", Job()).kind is SourceKind.TABLE


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "is empty"),
        ({"notes.docx": b"x"}, "holds no pictures and no tables: 1 other file passed over"),
        ({".a.png": b"x"}, "holds no pictures and no tables: 1 hidden picture or table"),
        ({"a.png": b"", "b.png": b"x"}, "none of the 2 pictures.*a.png: the file is empty"),
        ({"a.heic": b"x"}, "HEIC"),
    ],
)
def test_useless_folders(tmp_path: Path, files: dict[str, bytes], words: str) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(DatasetError, match=words):
        readers.read(tmp_path, Job())


def test_sources_that_are_none(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    (tmp_path / "a.docx").touch()
    with pytest.raises(DatasetError, match="does not exist"):
        readers.read(tmp_path / "gone", Job())
    with pytest.raises(DatasetError, match="cannot be opened: file name too long"):
        readers.read(tmp_path / ("x" * 300), Job())
    with pytest.raises(DatasetError, match="single picture"):
        readers.read(tmp_path / "a.png", Job())
    with pytest.raises(DatasetError, match="neither a folder nor a table"):
        readers.read(tmp_path / "a.docx", Job())


def test_folders_without_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read anything, so the refusal is staged."""
    picture(tmp_path / "a.png", 1)
    picture(tmp_path / "locked/b.png", 2)
    real = os.scandir

    def scandir(path: Path) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    dataset = readers.read(tmp_path, Job())
    assert [item.name for item in dataset.items] == ["a.png"]
    assert dataset.problems[0].name == "locked/"
    assert "permission denied" in dataset.problems[0].reason
    with pytest.raises(DatasetError, match="permission denied"):
        readers.read(tmp_path / "locked", Job())


def test_preview_says_the_same(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 1)
    picture(tmp_path / "b.png", 1)
    (tmp_path / "c.png").touch()
    found = readers.preview(tmp_path, Job())
    assert (found.kind, found.n_items, found.n_copies) == (SourceKind.IMAGES, 1, 1)
    assert found.rows == found.columns == ()
    assert [problem.name for problem in found.problems] == ["c.png"]


def test_preview_gives_samples_of_all_parts(tmp_path: Path) -> None:
    for shade in range(130):
        picture(tmp_path / f"{shade:03}.png", shade)
    picture(tmp_path / "200.bmp", 200)
    found = readers.preview(tmp_path, Job())
    assert found.suffixes == (("png", 130), ("bmp", 1))
    assert 40 <= len(found.samples) <= 60
    assert all(sample.is_file() for sample in found.samples)
    numbers = [int(sample.stem) for sample in found.samples]
    assert numbers == sorted(numbers)
    assert numbers[0] < 3
    assert numbers[-1] > 125


def test_progress_and_stop(tmp_path: Path) -> None:
    for shade in range(60):
        picture(tmp_path / f"{shade}.png", shade)
    told: list[tuple[int, int, str]] = []
    readers.read(tmp_path, Job(lambda *state: told.append(state)))
    assert told[-1] == (60, 60, "Reading pictures")
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        readers.read(tmp_path, job)


def test_relative_sources_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture(tmp_path / "data/a.png")
    monkeypatch.chdir(tmp_path)
    assert readers.read(Path("data"), Job()).root == tmp_path / "data"
