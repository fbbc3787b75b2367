"""Spreadsheets (xlsx, xls, ods) and Parquet files as rows of cells.

Hidden: python-calamine, pyarrow (the extra `parquet`), typed cells. Promised: the same texts as if
the table had been saved as CSV with a decimal point.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import python_calamine

from engine.dataset import counted
from engine.job import Job
from engine.readers.delimited import Grid
from engine.readers.files import Unreadable, open_regular, printable
from engine.readers.threads import patiently

MOST_UNPACKED = 2 * 2**30
"""Bytes: archives that unpack to more are refused."""
MOST_SHEET_CELLS = 20_000_000
"""Of the rectangle that a sheet spans, empty cells included."""

# In <row r="12"> and <c r="AB12">.
_ROW = re.compile(rb"""\sr=["'][A-Za-z]{0,3}(\d{1,10})["']""")
_COLUMN = re.compile(rb"""\sr=["']([A-Za-z]{1,3})\d""")
_LONGEST_NAME = 20  # bytes
_PIECE = 2**20  # bytes
_BETWEEN_STEPS = 500  # rows
_TEXT = "Reading the table"


def _refuse_bomb(path: Path, job: Job) -> None:
    """Refuse a zipped spreadsheet that would not fit into memory.

    calamine holds the whole rectangle from the first cell to the last, and ends the process when
    that cannot be had: one stray cell at the far corner of a sheet is enough.

    Raises
    ------
    Unreadable
        Naming the size, or when it is no sound archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > MOST_UNPACKED:
                raise Unreadable(
                    f"it unpacks to {size / 2**30:,.1f} GiB; more than "
                    f"{MOST_UNPACKED / 2**30:,.0f} GiB are not read"
                )
            if path.suffix.lower() != ".ods":  # there calamine itself looks at the size
                for member in archive.namelist():
                    if member.lower().endswith(".xml"):
                        _refuse_far_cells(archive, member, job)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise Unreadable("it is damaged, or cut off") from error


def _refuse_far_cells(archive: zipfile.ZipFile, member: str, job: Job) -> None:
    """Look for the last row and column that a sheet names."""
    last_row, letters = 0, b""
    rest = b""
    with archive.open(member) as file:
        while piece := file.read(_PIECE):
            job.step(0, 0, _TEXT)
            piece = rest + piece  # a name may lie across two pieces
            rest = piece[-_LONGEST_NAME:]
            rows = set(_ROW.findall(piece))
            last_row = max(last_row, max(map(int, rows), default=0))
            columns = {column.upper() for column in set(_COLUMN.findall(piece))}
            letters = max({letters} | columns, key=lambda name: (len(name), name))
    width = 0
    for letter in letters:
        width = 26 * width + letter - ord("A") + 1
    if last_row * width > MOST_SHEET_CELLS:
        raise Unreadable(
            f"a sheet reaches to row {last_row:,} of column {letters.decode()}, too far: "
            "delete stray cells, or save the table as CSV"
        )


def read_spreadsheet(path: Path, job: Job) -> Grid:
    """Read the first sheet that holds anything.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    open_regular(path).close()
    if zipfile.is_zipfile(path):
        _refuse_bomb(path, job)
    try:
        book = patiently(lambda: python_calamine.load_workbook(str(path)), job, _TEXT)
        names = book.sheet_names
        notes: tuple[str, ...] = ()
        for place, name in enumerate(names):
            sheet = patiently(
                lambda place=place: book.get_sheet_by_index(place),  # type: ignore[misc]
                job,
                _TEXT,
            )
            if sheet.height:
                if len(names) > 1:
                    notes = (f"{counted(len(names), 'sheet')}: only “{printable(name)}” is read",)
                return _grid(sheet, job, notes)
    except python_calamine.PasswordError as error:
        raise Unreadable("it is protected by a password") from error
    except python_calamine.CalamineError as error:
        raise Unreadable(f"it is damaged, or not a spreadsheet ({error})") from error
    return Grid([], [])


def _grid(sheet: python_calamine.CalamineSheet, job: Job, notes: tuple[str, ...]) -> Grid:
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    for line, cells in enumerate(sheet.iter_rows(), start=1):
        if line % _BETWEEN_STEPS == 1:
            job.step(line, sheet.total_height, _TEXT)
        row = tuple(_text(cell) for cell in cells)
        if any(row):
            rows.append(row)
            lines.append(line)
    width = max((_used(row) for row in rows), default=0)
    return Grid([row[:width] for row in rows], lines, "", notes)


def _used(row: Sequence[str]) -> int:
    """Count the cells up to the last that is not empty."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1]), 0)


def _text(cell: Any) -> str:
    """Write a typed cell as text: whole numbers without a point, dates as ISO 8601."""
    if isinstance(cell, str):
        return cell.replace("\0", "")
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    if isinstance(cell, (dt.date, dt.datetime, dt.time)):
        return cell.isoformat()
    return str(cell)


def read_parquet(path: Path, job: Job, most_cells: int) -> Grid:
    """Read a Parquet file; its first row of the grid holds the column names.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise Unreadable(
            "Parquet files need the extra “parquet”: pip install 'pairloom[parquet]'"
        ) from error
    open_regular(path).close()
    try:
        with parquet.ParquetFile(path) as opened:
            shape = (opened.metadata.num_rows, opened.metadata.num_columns)
            if shape[0] * shape[1] > most_cells:
                raise Unreadable(
                    f"it holds {shape[0]:,} rows of {shape[1]:,} columns; at most "
                    f"{most_cells:,} cells are read"
                )
            table = patiently(opened.read, job, _TEXT)
    except (pa.ArrowException, OSError) as error:
        raise Unreadable(f"it is damaged, or not a Parquet file ({error})") from error
    columns = []
    for place, column in enumerate(table.columns):
        job.step(place, table.num_columns, _TEXT)
        narrow = pa.types.is_float32(column.type)  # 0.1, not 0.10000000149011612
        try:
            cells = _python_values(column)
        except (pa.ArrowException, ValueError) as error:
            name = table.column_names[place]
            raise Unreadable(f"column “{name}” holds values that cannot be read") from error
        if narrow:
            cells = [None if cell is None else np.float32(cell) for cell in cells]
        columns.append([_text(cell) for cell in cells])
    rows = list(zip(*columns, strict=True))
    header = tuple(name.replace("\0", "") for name in table.column_names)
    return Grid([header, *rows], list(range(len(rows) + 1)))


def _python_values(column: Any) -> list[Any]:
    """Give the values of an Arrow column; those that Python has no type for as texts."""
    try:
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):  # nanoseconds and far dates
        values = column.cast("string").to_pylist()
    return values
