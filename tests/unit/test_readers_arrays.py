"""Arrays in .npz files, honest and hostile."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import readers
from engine.dataset import Cells, Role, SourceKind
from engine.errors import Cancelled, DatasetError, ResourceError
from engine.job import Job
from engine.readers import arrays


def save(path: Path, **held: Any) -> Path:
    np.savez_compressed(path, **held)
    return path


X = np.array([[0.0, 10, 5], [1, 20, 5], [4, 30, 5]])


def test_points_and_labels(tmp_path: Path) -> None:
    dataset = readers.read(save(tmp_path / "a.npz", X=X, y=[0, 1, 1]), Job())
    assert dataset.kind is SourceKind.ARRAY
    assert dataset.features is not None
    assert dataset.features.dtype == np.float32
    assert dataset.features.tolist() == [[0, 0], [0.25, 0.5], [1, 1]]
    assert dataset.feature_names == ("x1", "x2")
    assert [column.role for column in dataset.columns] == [
        Role.FEATURE,
        Role.FEATURE,
        Role.IGNORED,
    ]
    assert [item.label for item in dataset.items] == ["0", "1", "1"]
    assert [item.name for item in dataset.items] == ["row 1", "row 2", "row 3"]
    assert dataset.items[1].cells == ("1", "20", "5")


def test_unscaled_and_scaled_twice_are_the_same(tmp_path: Path) -> None:
    scaled = np.random.default_rng(0).random((50, 4))
    scaled = (scaled - scaled.min(0)) / (scaled.max(0) - scaled.min(0))
    path = save(tmp_path / "a.npz", X=scaled)
    one = readers.read(path, Job()).features
    other = readers.read(path, Job(), scale="none").features
    assert one is not None
    assert np.array_equal(one, other)
    assert np.array_equal(one, scaled.astype(np.float32))


@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "b", "b"]),
        np.array([b"a", b"b", b"b"]),
        np.array([[0], [1], [1]], np.uint8),
        np.array([0.0, 1.0, 1.0]),
        np.array([False, True, True]),
    ],
)
def test_labels_of_any_type(tmp_path: Path, y: Any) -> None:
    labels = [item.label for item in readers.read(save(tmp_path / "a.npz", X=X, y=y), Job()).items]
    assert labels[0] != labels[1] == labels[2]
    assert labels[0] in {"a", "0", "False"}


@pytest.mark.parametrize("dtype", ["f4", ">f8", "i2", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_number_types_and_orders(tmp_path: Path, dtype: str, order: Any) -> None:
    values = np.asarray([[0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 1]], dtype, order=order)
    dataset = readers.read(save(tmp_path / "a.npz", X=values), Job(), scale="none")
    assert dataset.features is not None
    assert np.array_equal(dataset.features, values[:3].astype("f4"))
    assert dataset.items[2].copies == ("row 4",)


def test_missing_filled_in_infinite_refused(tmp_path: Path) -> None:
    values = X.copy()
    values[1, 0] = np.nan
    dataset = readers.read(save(tmp_path / "a.npz", X=values), Job())
    assert dataset.features is not None
    assert dataset.features[1, 0] == 0.5
    assert dataset.columns[0].missing == 1
    assert "1 missing value filled in with the median of the column" in dataset.notes
    values[2, 1] = np.inf
    path = save(tmp_path / "a.npz", X=values)
    with pytest.raises(DatasetError, match="column 2, row 3 is not a finite number"):
        readers.read(path, Job())
    assert "X, column 2, row 3 is not a finite number" in readers.preview(path, Job()).notes


def test_copies(tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.npz", X=np.vstack([X, X[:1], -0.0 * X[:1] + X[:1]]), y=[0, 1, 2, 3, 0]
    )
    dataset = readers.read(path, Job())
    assert dataset.items[0].copies == ("row 4", "row 5")
    assert dataset.items[0].label == "0"
    assert dataset.features is not None
    assert len(dataset.features) == 3


def test_preview(tmp_path: Path) -> None:
    found = readers.preview(save(tmp_path / "a.npz", X=X), Job())
    assert found.kind is SourceKind.TABLE
    assert found.rows[2] == ("4", "30", "5")


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ({"data": X}, "no array X .but data"),
        ({"X": X.ravel()}, "must have rows and columns .*9"),
        ({"X": np.zeros((2, 3, 4))}, "2 x 3 x 4"),
        ({"X": np.zeros((0, 3))}, "0 rows"),
        ({"X": np.array([["a"]])}, "must hold numbers"),
        ({"X": X + 1j}, "must hold numbers"),
        ({"X": np.array([[{}]], object)}, "Python objects"),
        ({"X": X, "y": np.array([{}, 1, 2], object)}, "y holds Python objects"),
        ({"X": X, "y": [1, 2]}, "one label for each row .of 3."),
        ({"X": np.ones((3, 2))}, "all rows are the same"),
    ],
)
def test_refused_clearly(tmp_path: Path, held: dict[str, Any], words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        readers.read(save(tmp_path / "a.npz", **held), Job())


def test_single_row(tmp_path: Path) -> None:
    dataset = readers.read(save(tmp_path / "a.npz", X=X[:1]), Job())
    assert dataset.features is not None
    assert dataset.features.tolist() == [[0, 0, 0]]


def test_bombs_are_refused_before_unpacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "_SMALL", 2**20)
    path = save(tmp_path / "a.npz", X=np.zeros((80_000, 8)))
    assert path.stat().st_size < 25_000
    with pytest.raises(DatasetError, match="to 5 MiB"):
        readers.read(path, Job())


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MOST_BYTES", 100)
    with pytest.raises(ResourceError, match="at most"):
        readers.read(save(tmp_path / "a.npz", X=X), Job())


def npz(path: Path, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", data)
    return path


def test_lying_headers(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, X)
    honest = buffer.getvalue()
    lying = honest.replace(b"(3, 3)", b"(9, 9)")
    with pytest.raises(DatasetError, match="larger than the file"):
        readers.read(npz(tmp_path / "a.npz", lying), Job())
    with pytest.raises(DatasetError, match="cannot be read"):
        readers.read(npz(tmp_path / "a.npz", honest[:-20]), Job())
    with pytest.raises(DatasetError, match="damaged"):
        readers.read(npz(tmp_path / "a.npz", b"no array"), Job())


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04..."])
def test_other_files(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises(DatasetError, match=r"a\.npz cannot be read"):
        readers.read(tmp_path / "a.npz", Job())


def test_cut_off_archive(tmp_path: Path) -> None:
    path = save(tmp_path / "a.npz", X=np.random.default_rng(0).random((200, 20)))
    data = bytearray(path.read_bytes())
    data[2000:2100] = bytes(100)
    path.write_bytes(data)
    with pytest.raises(DatasetError, match="cannot be read"):
        readers.read(path, Job())


def test_stopping(tmp_path: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        readers.read(save(tmp_path / "a.npz", X=X), job)


@pytest.mark.parametrize(
    "header",
    [
        "(" * 16,
        "-" * 9000 + "1",
        "{1: 2}",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (3, 4)}",
        "{'descr': '(3,)<f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2**3, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775808, 0)}",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({'1, ' * 100})}}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4)}",
    ],
)
def test_headers_that_describe_no_array(tmp_path: Path, header: str) -> None:
    member = b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header.encode() + bytes(99)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", member)
    with pytest.raises(DatasetError, match="cannot be read: X"):
        readers.read(tmp_path / "a.npz", Job())


def test_the_texts_of_a_row_are_held_as_one_and_seen_as_several() -> None:
    texts = ("1,5", "", 'say "ü"', "\ud800")
    cells = Cells.of(texts)
    assert cells == texts
    assert tuple(cells) == texts
    assert (cells[1], cells[2:], len(cells)) == ("", texts[2:], 4)
    assert hash(cells) == hash(texts)
    assert cells != texts[:3]
    assert Cells.of(cells) is cells
    assert not Cells.of(())


def test_numbers_are_shown_in_six_digits_whatever_they_are(tmp_path: Path) -> None:
    values = np.array([[0.1, -0.0, 1e-7, 123456789.0], [np.nan, 2.0, 1 / 3, 4.0]])
    np.savez(tmp_path / "x.npz", X=values)
    first, second = readers.read(tmp_path / "x.npz", Job()).items
    assert first.cells == ("0.1", "-0", "1e-07", "1.23457e+08")
    assert second.cells == ("nan", "2", "0.333333", "4")
