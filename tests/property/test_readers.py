"""Whatever a table or file holds, reading it keeps the promises of a dataset."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import readers
from engine.dataset import Dataset, Role, same_content, told_apart
from engine.errors import EngineError
from engine.job import Job
from engine.readers.delimited import parse
from engine.readers.features import category_features, median, number_features
from engine.readers.files import Unreadable
from engine.readers.numbers import read_numbers

CELLS = st.one_of(
    st.integers(-999, 999).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["", "NA", "red", "blue", "-", "1,5", "2 000", "x"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
few = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 5))
    columns = [
        draw(
            st.one_of(
                st.lists(CELLS, min_size=6, max_size=6),
                st.lists(st.integers(0, 9).map(str), min_size=6, max_size=6),
                st.lists(st.sampled_from(["a", "b", ""]), min_size=6, max_size=6),
            )
        )
        for _ in range(width)
    ]
    header = [draw(st.sampled_from(["id", "x", "class", "note", "y", ""])) for _ in range(width)]
    return [header, *(list(row) for row in zip(*columns, strict=True))]


def read_or_refuse(source: Path) -> tuple[Dataset | None, str]:
    try:
        return readers.read(source, Job()), ""
    except EngineError as error:
        return None, error.message


def write(folder: str, rows: list[list[str]], delimiter: str) -> Path:
    path = Path(folder) / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


@few
@given(tables(), st.sampled_from(",;\t|"))
def test_any_table_is_a_sound_dataset_or_a_clear_refusal(
    rows: list[list[str]], delimiter: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, rows, delimiter)
        dataset, refusal = read_or_refuse(path)
        if dataset is None:
            assert "table.csv" in refusal
            return
        assert [item.id for item in dataset.items] == list(range(len(dataset)))
        assert len({item.content for item in dataset.items}) == len(dataset)
        names = [name for item in dataset.items for name in (item.name, *item.copies)]
        assert len(set(names)) == len(names)
        assert all(name.isprintable() for name in names)
        assert all(len(item.cells) == len(dataset.columns) for item in dataset.items)
        assert dataset.features is not None
        assert dataset.features.shape == (len(dataset), len(dataset.feature_names))
        assert np.isfinite(dataset.features).all()
        assert ((dataset.features >= 0) & (dataset.features <= 1)).all()
        truths = [column.name for column in dataset.columns if column.role is Role.LABEL]
        assert not any(name.split(" = ")[0] in truths for name in dataset.feature_names)
        roles = {column.name: column.role for column in dataset.columns}
        again = readers.read(path, Job(), roles=roles)
        assert again.items == dataset.items
        assert np.array_equal(again.features, dataset.features)  # type: ignore[arg-type]
        found = readers.preview(path, Job())
        assert found.n_items == len(dataset)
        assert [column.role for column in found.columns] == list(roles.values())


@few
@given(st.binary(max_size=300), st.sampled_from(["t.csv", "t.tsv", "t.xlsx", "t.npz", "d/p.png"]))
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        read_or_refuse(path.parent if name == "d/p.png" else path)


@few
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_parsing_loses_no_plain_text(text: str) -> None:
    try:
        rows = parse(text.encode("utf-8-sig"), Job()).rows
    except Unreadable:  # nothing but control characters
        return
    held = "".join(cell for row in rows for cell in row)
    assert set(held) <= set(text.replace("\r", "\n"))


@few
@given(st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=30))
def test_scaling_keeps_the_order(values: list[float]) -> None:
    array = np.array(values)
    feature = number_features(array, "x", "minmax", "t")[:, 0]
    assert feature.dtype == np.float32
    assert ((feature >= 0) & (feature <= 1)).all()
    present = ~np.isnan(array)
    ordered = feature[present][np.argsort(array[present])]
    assert (np.diff(ordered) >= 0).all()
    if len(set(array[present])) > 1:
        assert feature.min() == 0
        assert feature.max() == 1


@few
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20))
def test_median_is_the_median(values: list[float]) -> None:
    assert np.isclose(median(np.array(values)), np.median(values), rtol=1e-12, atol=1e-300)


@few
@given(st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=20))
def test_one_hot_is_one_hot(words: list[str]) -> None:
    block, names = category_features(words, "w")
    assert (block.sum(axis=1) == 1).all()
    assert block.shape == (len(words), len(names))


@few
@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 3)), min_size=1, max_size=9))
def test_decimal_commas_mean_the_same(values: list[float]) -> None:
    texts = [f"{value:.4f}".replace(".", ",") for value in values]
    found = read_numbers([texts], Job(), comma_likely=True)[0]
    assert found is not None
    assert np.allclose(found.values, values)


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "b"]), max_size=8))
def test_names_told_apart(names: list[str]) -> None:
    apart = told_apart(names)
    assert len(set(apart)) == len(names)
    assert all(new.startswith(old) for new, old in zip(apart, names, strict=True))


@given(st.lists(st.binary(max_size=1), max_size=20))
def test_copies_partition_the_items(contents: list[bytes]) -> None:
    copies = same_content(contents)
    assert sorted([*copies, *(other for others in copies.values() for other in others)]) == list(
        range(len(contents))
    )
    assert list(copies) == sorted(copies)
    assert all(contents[one] == contents[other] for one in copies for other in copies[one])
