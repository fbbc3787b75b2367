"""Table files of any format as header and rows, one file or several as one.

Hidden: formats, headers and their absence, rows of another width. Promised: every row of a `Sheet`
is as wide as its header, and rows that are not are problems, by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.dataset import ItemProblem, counted, told_apart
from engine.errors import DatasetError, ResourceError
from engine.job import Job
from engine.readers import delimited, spreadsheets
from engine.readers.columns import nameless
from engine.readers.delimited import Grid
from engine.readers.files import Found, Unreadable, printable, read_whole
from engine.readers.numbers import looks_like_number

TEXT_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".txt"})
SPREADSHEET_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".ods"})
PARQUET_SUFFIXES = frozenset({".parquet", ".pq"})
READ_SUFFIXES = TEXT_SUFFIXES | SPREADSHEET_SUFFIXES | PARQUET_SUFFIXES

MOST_CELLS = 40_000_000
"""A table is held in memory as texts and numbers: about 100 bytes per cell."""

_FILE_COLUMN = "file"
_BETWEEN_STEPS = 2000  # rows
_HEADER_SAMPLE = 200  # rows looked at to tell a header from data


@dataclass(slots=True)
class Sheet:
    """Rows with one header, from one file or several.

    `lines`: what each row is called in a message; `names`: what it is called in the dataset;
    `folders`: where the paths in a row start from; `file_column`: name of the column that was
    added to several tables read as one.
    """

    header: list[str]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    problems: list[ItemProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comma_likely: bool = False
    file_column: str = ""


def read_sheets(folder: Path, tables: Sequence[Found], job: Job) -> Sheet:
    """Read the tables of a folder as one, with the name of its file as last column of each row.

    Tables that cannot be read become problems.

    Raises
    ------
    DatasetError
        When a table has other columns than the first, or none can be read.
    ResourceError
        When they are too large for memory.
    """
    whole: Sheet | None = None
    first = ""
    problems = []
    for found in tables:
        try:
            sheet = read_sheet(found.below(folder), found.name, job)
        except Unreadable as error:
            problems.append(ItemProblem(found.name, str(error)))
            continue
        if whole is None:
            whole, first = _with_file_column(sheet, found.name), found.name
        else:
            _append(whole, sheet, found.name, first)
    if whole is None:
        raise DatasetError(
            f"none of the tables in {printable(folder.name)} can be read; "
            f"{problems[0].name}: {problems[0].reason}"
        )
    whole.problems[:0] = problems
    if len(tables) - len(problems) > 1:
        whole.notes.insert(0, f"{len(tables) - len(problems)} tables read as one")
    return whole


def read_sheet(path: Path, name: str, job: Job) -> Sheet:
    """Read one file into header and rows.

    Raises
    ------
    Unreadable
        With the reason in words.
    ResourceError
        When it is too large for memory.
    """
    suffix = path.suffix.lower()
    if suffix in SPREADSHEET_SUFFIXES:
        grid = spreadsheets.read_spreadsheet(path, job)
    elif suffix in PARQUET_SUFFIXES:
        grid = spreadsheets.read_parquet(path, job, MOST_CELLS)
    else:
        data = read_whole(path, job, "Reading the table")
        grid = delimited.parse(data, job, separator="\t" if suffix in {".tsv", ".tab"} else "")
    sheet = _headed(grid, printable(name), job, always=suffix in PARQUET_SUFFIXES)
    _refuse_size(len(sheet.rows), len(sheet.header), printable(name))
    sheet.folders = [path.parent] * len(sheet.rows)
    return sheet


def _refuse_size(n_rows: int, n_columns: int, name: str) -> None:
    if n_rows * n_columns > MOST_CELLS:
        raise ResourceError(
            f"{name} holds {n_rows:,} rows of {n_columns:,} columns; at most {MOST_CELLS:,} cells "
            f"(about {MOST_CELLS * 100 / 2**30:.0f} GiB of memory) are read",
            "Take fewer rows or columns.",
        )


def _headed(grid: Grid, name: str, job: Job, *, always: bool) -> Sheet:
    """Tell header and data apart, and set rows of another width aside."""
    if not grid.rows:
        raise Unreadable("the table is empty")
    notes = list(grid.notes)
    rows, lines = grid.rows, grid.lines
    usual = Counter(len(row) for row in rows[1 : 1 + _HEADER_SAMPLE]).most_common(1)
    width = usual[0][0] if usual else len(rows[0])
    if always or _has_header(rows):
        header, rows, lines = [cell.strip() for cell in rows[0]], rows[1:], lines[1:]
        if len(header) == width - 1 and all(header):
            header.insert(0, "")  # as R writes it: the row names have no name
        while len(header) > width and not header[-1]:
            header.pop()
        if always:
            lines = list(range(1, len(rows) + 1))
    else:
        header = [""] * width
        notes.append("the table has no header: columns are called by their number")
    sheet = Sheet(_distinct_header(header, notes), notes=notes)
    sheet.comma_likely = grid.separator == ";"
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), start=1):
        if number % _BETWEEN_STEPS == 0:
            job.step(0, 0, "Reading the table")
        if len(row) > len(header) and not any(cell.strip() for cell in row[len(header) :]):
            cells = row[: len(header)]  # empty cells after the last column
        else:
            cells = row
        if len(cells) != len(header):
            sheet.problems.append(
                ItemProblem(
                    f"{name}, line {line}",
                    f"{counted(len(row), 'field')} instead of {len(header)}"
                    + ("; a quotation mark may be missing" if any("\n" in c for c in row) else ""),
                )
            )
            continue
        sheet.rows.append(cells)
        sheet.lines.append(f"line {line}")
        sheet.names.append(f"row {number}")
    return sheet


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns.

    A word above a column of numbers names it. Where every number column also begins with a number,
    the row is data, unless it counts (0, 1, 2 … or 2019, 2020 …: names after all). A table of words
    has a header when none of the first cells comes back below.
    """
    first, below = rows[0], rows[1 : 1 + _HEADER_SAMPLE]
    if not below:
        return not any(map(looks_like_number, first))
    numeric = []
    recurring = False
    for place, cell in enumerate(first):
        cells = [row[place].strip() for row in below if place < len(row)]
        filled = [cell for cell in cells if cell]
        if filled and sum(map(looks_like_number, filled)) > len(filled) / 2:
            numeric.append(cell.strip())
        recurring = recurring or cell.strip() in filled
    if any(cell and not looks_like_number(cell) for cell in numeric):
        return True
    if numeric:
        return _counts(numeric)
    return not recurring


def _counts(cells: Sequence[str]) -> bool:
    """Whether cells hold consecutive whole numbers, at least three."""
    if len(cells) < 3 or not all(cell.isdecimal() for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _distinct_header(header: Sequence[str], notes: list[str]) -> list[str]:
    named = [printable(cell) or nameless(place) for place, cell in enumerate(header)]
    distinct = told_apart(named)
    renamed = [name for name, before in zip(distinct, named, strict=True) if name != before]
    if renamed:
        notes.append(f"columns of the same name told apart: {', '.join(renamed)}")
    return distinct


def _with_file_column(sheet: Sheet, name: str) -> Sheet:
    header = told_apart([*sheet.header, _FILE_COLUMN])
    rows = [(*row, name) for row in sheet.rows]
    return replace(
        sheet,
        header=header,
        rows=rows,
        lines=_within(name, sheet.lines),
        names=_within(name, sheet.names),
        file_column=header[-1],
    )


def _within(name: str, places: Sequence[str]) -> list[str]:
    return [f"{name}, {place}" for place in places]


def _append(whole: Sheet, sheet: Sheet, name: str, first: str) -> None:
    """Add the rows of another table, its columns in the order of the first."""
    expected = whole.header[:-1]
    if set(sheet.header) != set(expected):
        lacking = [column for column in expected if column not in sheet.header]
        extra = [column for column in sheet.header if column not in expected]
        words = []
        if lacking:
            words.append(f"lacks {', '.join(lacking)}")
        if extra:
            words.append(f"has {', '.join(extra)} besides")
        raise DatasetError(
            f"{name} has other columns than {first}: it {' and '.join(words)}",
            "Tables of one folder are read as one, so they need the same columns.",
        )
    order = [sheet.header.index(column) for column in expected]
    if order != list(range(len(order))):
        whole.notes.append(f"columns of {name} put into the order of {first}")
    whole.rows += [(*(row[place] for place in order), name) for row in sheet.rows]
    whole.lines += _within(name, sheet.lines)
    whole.names += _within(name, sheet.names)
    whole.folders += sheet.folders
    whole.problems += sheet.problems
    whole.notes += [note for note in sheet.notes if note not in whole.notes]
    whole.comma_likely = whole.comma_likely or sheet.comma_likely
    _refuse_size(len(whole.rows), len(whole.header), "the folder")
