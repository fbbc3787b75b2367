"""Spreadsheets and Parquet files, made here cell by cell."""

from __future__ import annotations

import datetime as dt
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pytest
from pyarrow import parquet

from engine import readers
from engine.dataset import ColumnKind, Role
from engine.errors import DatasetError
from engine.job import Job
from engine.readers import spreadsheets

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f"<c><v>{value!r}</v></c>"


def xlsx(path: Path, *sheets: list[list[Any]]) -> Path:
    """Write the smallest workbook that is one."""
    numbers = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
    linked = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/s{n}.xml"/>'
        for n in numbers
    )
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/s{n}.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>'
        for n in numbers
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/'
            'vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/'
            f'vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>{overrides}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{RELATIONS}">{linked}</Relationships>',
        )
        for number, rows in zip(numbers, sheets, strict=True):
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            archive.writestr(
                f"xl/worksheets/s{number}.xml",
                f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>',
            )
    return path


ROWS: list[list[Any]] = [
    ["id", "size", "word", "ok"],
    ["a", 1, "u", True],
    ["b", 2.5, "v", False],
    ["c", None, "u", True],
    ["d", 4, "v", True],
]


def test_typed_cells_become_texts(tmp_path: Path) -> None:
    dataset = readers.read(xlsx(tmp_path / "t.xlsx", ROWS), Job())
    assert dataset.items[0].cells == ("a", "1", "u", "True")
    assert dataset.items[1].cells[1] == "2.5"
    assert dataset.items[2].cells[1] == ""
    assert [column.role for column in dataset.columns] == [Role.ID, *[Role.FEATURE] * 3]
    assert dataset.columns[1].missing == 1
    assert dataset.columns[3].kind is ColumnKind.CATEGORY


def test_the_first_sheet_that_holds_anything(tmp_path: Path) -> None:
    dataset = readers.read(xlsx(tmp_path / "t.xlsx", [], ROWS, [["other"]]), Job())
    assert len(dataset) == 4
    assert "3 sheets: only “S2” is read" in dataset.notes


def test_empty_rows_and_columns_around_the_table(tmp_path: Path) -> None:
    rows = [[*row, None, None] for row in ROWS]
    dataset = readers.read(xlsx(tmp_path / "t.xlsx", [*rows, [None], rows[1]]), Job())
    assert [column.name for column in dataset.columns] == ["id", "size", "word", "ok"]
    assert len(dataset) == 4
    assert dataset.n_copies == 1


def test_open_document(tmp_path: Path) -> None:
    name = "urn:oasis:names:tc:opendocument:xmlns"
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="float" office:value="{value}"/>'
            if isinstance(value, float)
            else f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>'
            "</table:table-cell>"
            for value in row
        )
        + "</table:table-row>"
        for row in [["a", "b"], [1.5, 2.0], [3.0, 4.25]]
    )
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{name}:manifest:1.0"/>',
        )
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{name}:office:1.0" '
            f'xmlns:table="{name}:table:1.0" xmlns:text="{name}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="T">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    dataset = readers.read(tmp_path / "t.ods", Job())
    assert [item.cells for item in dataset.items] == [("1.5", "2"), ("3", "4.25")]


@pytest.mark.parametrize("suffix", [".xlsx", ".xls", ".ods", ".parquet"])
def test_other_files_under_these_names(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"fake{suffix}"
    for data in (b"", b"a,b\n1,2\n", b"PK\x03\x04 cut off"):
        path.write_bytes(data)
        with pytest.raises(DatasetError, match=f"fake{suffix} cannot be read as a table"):
            readers.read(path, Job())


def test_a_sheet_without_cells(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="the table is empty"):
        readers.read(xlsx(tmp_path / "t.xlsx", []), Job())


def test_spreadsheet_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = xlsx(tmp_path / "t.xlsx", ROWS)
    monkeypatch.setattr(spreadsheets, "MOST_UNPACKED", 1000)
    with pytest.raises(DatasetError, match="unpacks to"):
        readers.read(path, Job())


@pytest.mark.parametrize("place", ["XFD1048576", "xfd1048576"])
def test_a_stray_cell_at_the_far_corner_is_refused(tmp_path: Path, place: str) -> None:
    """The library would ask for 512 GiB and end the process."""
    near = xlsx(tmp_path / "near.xlsx", ROWS)
    far = tmp_path / "far.xlsx"
    with zipfile.ZipFile(near) as old, zipfile.ZipFile(far, "w") as new:
        for name in old.namelist():
            data = old.read(name).replace(
                b"</sheetData>", f'<row><c r="{place}"><v>1</v></c></row></sheetData>'.encode()
            )
            new.writestr(name, data)
    with pytest.raises(DatasetError, match="reaches to row 1,048,576 of column XFD"):
        readers.read(far, Job())


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "x": pa.array([0.1, None, 0.3], pa.float32()),
            "n": [1, 2, 3],
            "when": [dt.date(2020, 1, day) for day in (1, 2, 3)],
            "word": pa.array(["u", "v", "u"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    dataset = readers.read(tmp_path / "t.parquet", Job())
    assert dataset.items[0].cells == ("a", "0.1", "1", "2020-01-01", "u")
    assert dataset.columns[1].missing == 1
    assert dataset.feature_names[:2] == ("x", "n")
    assert dataset.items[2].name == "c"


def test_numbers_as_column_names_stay_names(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"0": [1.5, 2.5], "1": [3.5, 1.5]}), tmp_path / "t.parquet")
    dataset = readers.read(tmp_path / "t.parquet", Job())
    assert dataset.feature_names == ("0", "1")
    assert len(dataset) == 2


def test_infinite_in_parquet_is_refused(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": [1.0, float("inf")]}), tmp_path / "t.parquet")
    with pytest.raises(DatasetError, match="column “x”, line 2: “inf” is not a finite number"):
        readers.read(tmp_path / "t.parquet", Job())


def test_parquet_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(pa.table({"x": [1.0, 2.0]}), tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DatasetError, match=r"pairloom\[parquet\]"):
        readers.read(tmp_path / "t.parquet", Job())


def test_parquet_values_that_python_cannot_hold(tmp_path: Path) -> None:
    times = pa.array([1, 2, 1_700_000_000_123_456_789], pa.timestamp("ns"))
    parquet.write_table(pa.table({"x": [1.0, 2, 3], "t": times}), tmp_path / "t.parquet")
    assert "1970-01-01" in readers.read(tmp_path / "t.parquet", Job()).items[0].cells[1]
    offsets, letters = pa.py_buffer(bytes([0, 0, 0, 0, 1, 0, 0, 0])), pa.py_buffer(b"\xff")
    no_text = pa.Array.from_buffers(pa.string(), 1, [None, offsets, letters])
    parquet.write_table(pa.table({"odd": no_text}), tmp_path / "t.parquet")
    with pytest.raises(DatasetError, match="column “odd” holds values that cannot be read"):
        readers.read(tmp_path / "t.parquet", Job())
