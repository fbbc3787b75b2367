"""A table, or a folder of tables, as a dataset: one item per row.

Hidden: pictures named in cells, what makes two rows copies, which columns become features.
Promised: nothing is dropped or filled in without a problem or note that says so.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.dataset import (
    CONTENT_BYTES,
    Column,
    ColumnKind,
    Dataset,
    Item,
    ItemProblem,
    Role,
    SourceKind,
    copy_notes,
    counted,
    same_content,
    told_apart,
)
from engine.errors import DatasetError
from engine.job import Job
from engine.model import FloatArray
from engine.readers.columns import (
    Parsed,
    complaint_about,
    decide_roles,
    parse_columns,
    paths_of_pictures,
    tell_strays,
)
from engine.readers.features import category_features, check_scale, number_features
from engine.readers.files import Found, Unreadable, printable
from engine.readers.images import Examined, examine
from engine.readers.sheets import Sheet, read_sheet, read_sheets

_BETWEEN_STEPS = 2000  # rows
_LISTED = 3  # columns whose fault is spelled out


@dataclass(frozen=True, slots=True)
class Choices:
    """How a table is to be read.

    Attributes
    ----------
    roles
        By column name; the rest is guessed.
    scale
        "minmax" or "none".
    strict
        Raise when the columns cannot be compared. Otherwise (for a preview, in which a person may
        still change the roles) say so in the notes, and make no features.
    """

    roles: Mapping[str, Role]
    scale: str = "minmax"
    strict: bool = True


def read_table(path: Path, job: Job, choices: Choices) -> Dataset:
    """Read one table.

    Raises
    ------
    DatasetError
        When the file is no table, holds no rows, or (strict) cannot be compared.
    ParameterError
        For an unknown scale.
    ResourceError
        When it is too large for memory.
    """
    check_scale(choices.scale)
    try:
        sheet = read_sheet(path, path.name, job)
    except Unreadable as error:
        raise DatasetError(
            f"{printable(path.name)} cannot be read as a table: {error}",
            "Save it again as CSV or xlsx and try that.",
        ) from error
    return _Rows(sheet, path, path.parent, job, choices).dataset()


def read_tables(folder: Path, tables: Sequence[Found], job: Job, choices: Choices) -> Dataset:
    """Read the tables of a folder, all with the same columns, as one.

    The name of its file becomes the column "file" of each row. Tables that cannot be read become
    problems.

    Raises
    ------
    DatasetError, ParameterError, ResourceError
        As `read_table`, and when a table has other columns than the first.
    """
    check_scale(choices.scale)
    return _Rows(read_sheets(folder, tables, job), folder, folder, job, choices).dataset()


class _Rows:
    """The rows of a sheet on their way to becoming items."""

    def __init__(self, sheet: Sheet, source: Path, root: Path, job: Job, choices: Choices) -> None:
        self._sheet, self._source, self._root = sheet, source, root
        self._job, self._choices = job, choices
        self._name = printable(source.name)
        self._problems = list(sheet.problems)
        self._notes = list(sheet.notes)
        self._places: dict[tuple[Path, str], Path | None] = {}
        if not sheet.rows:
            raise DatasetError(
                f"{self._name} holds no rows that can be used",
                f"{sheet.problems[0].name}: {sheet.problems[0].reason}" if sheet.problems else "",
            )
        columns = _transposed(sheet.rows, job)
        parsed = parse_columns(sheet.header, columns, job, comma_likely=sheet.comma_likely)
        # Where a row was kept says nothing about what it is.
        roles = {sheet.file_column: Role.IGNORED} if sheet.file_column else {}
        roles |= choices.roles
        self._parsed = decide_roles(parsed, roles, self._is_picture, self._name)

    def dataset(self) -> Dataset:
        """Make the dataset."""
        sheet, job = self._sheet, self._job
        usable, paths, looked_at = self._pictures()
        contents = self._contents(usable, paths, looked_at)
        copies = same_content(contents)
        kept = [usable[position] for position in copies]
        features, feature_names = self._features(np.array(kept, dtype=np.intp))
        labels = self._labels()
        names = self._names()
        items = []
        for place, (position, others) in enumerate(copies.items()):
            row = usable[position]
            if place % _BETWEEN_STEPS == 0:
                job.step(place, len(kept), "Making the items")
            items.append(
                Item(
                    id=place,
                    name=names[row],
                    content=contents[position],
                    path=self._relative(paths[row]) if paths else None,
                    cells=sheet.rows[row],
                    copies=tuple(names[usable[other]] for other in others),
                    label=labels[row],
                )
            )
        self._notes += copy_notes(copies, [labels[row] for row in usable])
        self._notes += self._tell_strays()
        self._notes += _notes_on(self._columns())
        if len(items) == 1:
            self._notes.append("a single item: there is nothing to compare it with")
        return Dataset(
            root=self._root,
            source=self._source,
            kind=SourceKind.TABLE,
            items=tuple(items),
            columns=self._columns(),
            features=features,
            feature_names=feature_names,
            problems=tuple(self._problems),
            notes=tuple(self._notes),
        )

    def _columns(self) -> tuple[Column, ...]:
        return tuple(parsed.column for parsed in self._parsed)

    def _with_role(self, *roles: Role) -> list[Parsed]:
        return [parsed for parsed in self._parsed if parsed.role in roles]

    # ------------------------------------------------------------------ pictures

    def _place(self, row: int, text: str) -> Path | None:
        """Find the picture that a cell names, from the folder of its table."""
        folder, text = self._sheet.folders[row], text.strip()
        if (folder, text) not in self._places:
            spellings = (text, text.replace("\\", "/"))
            there = [folder / spelling for spelling in spellings]
            self._places[folder, text] = next((path for path in there if _is_file(path)), None)
        return self._places[folder, text]

    def _is_picture(self, row: int, text: str) -> bool:
        return self._place(row, text) is not None

    def _pictures(self) -> tuple[list[int], list[Path | None], dict[Path, Examined]]:
        """Look at the pictures of the rows.

        Returns
        -------
        The rows that can be used, the picture of each row (empty: the table has none), and what
        was found in them.
        """
        sheet = self._sheet
        columns = self._with_role(Role.IMAGE)
        if not columns:
            return list(range(len(sheet.rows))), [], {}
        paths = []
        for row, text in enumerate(columns[0].texts):
            if row % _BETWEEN_STEPS == 0:
                self._job.step(row, len(sheet.rows), "Looking for the pictures")
            paths.append(self._place(row, text))
        looked_at = examine(sorted({path for path in paths if path is not None}), self._job)
        usable = []
        for row, path in enumerate(paths):
            text = printable(columns[0].texts[row].strip())
            if path is None:
                reason = f"the picture {text} does not exist" if text else "no picture is named"
            else:
                reason = looked_at[path].reason and f"{text}: {looked_at[path].reason}"
            if reason:
                self._problems.append(ItemProblem(sheet.lines[row], reason))
            else:
                usable.append(row)
        if not usable:
            problem = self._problems[-1]
            raise DatasetError(
                f"{self._name}: none of the pictures in column “{columns[0].column.name}” can be "
                f"used; {problem.name}: {problem.reason}",
                "Paths are looked for from the folder in which the table lies.",
            )
        return usable, paths, looked_at

    def _relative(self, path: Path | None) -> bytes | None:
        if path is None:
            return None
        return os.fsencode(Path(os.path.relpath(path, self._root)).as_posix())

    # ------------------------------------------------------------------ values

    def _contents(
        self, rows: Sequence[int], paths: list[Path | None], looked_at: dict[Path, Examined]
    ) -> list[bytes]:
        """Hash what sorting and judging depend on: numbers by value, texts, the picture's bytes."""
        numeric = [p.numbers for p in self._with_role(Role.FEATURE) if p.numbers is not None]
        worded = [p.words() for p in self._with_role(Role.FEATURE) if p.numbers is None]
        worded += [p.words() for p in self._with_role(Role.TEXT)]
        values = np.empty((len(self._sheet.rows), len(numeric)), np.float64)
        for place, column in enumerate(numeric):
            self._job.step(place, len(numeric), "Looking for copies")
            values[:, place] = np.where(np.isnan(column), np.nan, column + 0.0)  # no -0.0
        contents = []
        for done, row in enumerate(rows):
            if done % _BETWEEN_STEPS == 0:
                self._job.step(done, len(rows), "Looking for copies")
            digest = hashlib.blake2b(values[row].tobytes(), digest_size=CONTENT_BYTES)
            digest.update("\0".join([words[row] for words in worded]).encode("utf-8", "replace"))
            path = paths[row] if paths else None
            digest.update(b"" if path is None else looked_at[path].content)
            contents.append(digest.digest())
        return contents

    def _features(self, rows: npt.NDArray[np.intp]) -> tuple[FloatArray | None, tuple[str, ...]]:
        """Make the features of the rows, or say why there are none."""
        complaints = [complaint_about(parsed, self._sheet.lines) for parsed in self._parsed]
        compared = self._with_role(Role.FEATURE)
        if not compared and not self._with_role(Role.IMAGE):
            complaints.append(self._nothing_to_compare())
        found = [complaint for complaint in complaints if complaint]
        if found and self._choices.strict:
            raise DatasetError(f"{self._name}: {found[0]}", "Correct it, or change the roles.")
        if not self._choices.strict or not compared:
            self._notes += found
            return None, ()
        blocks: list[FloatArray] = []
        names: list[str] = []
        for place, parsed in enumerate(compared):
            name = parsed.column.name
            self._job.step(place, len(compared), "Scaling the columns")
            if parsed.numbers is not None:
                values = parsed.numbers[rows]
                blocks.append(number_features(values, name, self._choices.scale, self._name))
                names.append(name)
            else:
                words = parsed.words()
                block, block_names = category_features([words[row] for row in rows], name)
                blocks.append(block)
                names += block_names
        self._tell_filled_in()
        return np.ascontiguousarray(np.hstack(blocks)), tuple(names)

    def _nothing_to_compare(self) -> str:
        """Say why no column can be compared."""
        if all(parsed.column.distinct <= 1 for parsed in self._parsed):
            return "all rows are the same, so there is nothing to compare"
        for parsed in self._parsed:
            for row, path in paths_of_pictures(parsed):
                if not self._is_picture(row, path):
                    return (
                        f"the pictures in column “{printable(parsed.column.name)}” are not where "
                        f"it says, such as {printable(path)}, seen from the folder of the table"
                    )
        return "no column can be compared: none that is used holds numbers or categories"

    def _tell_filled_in(self) -> None:
        """Say in the columns' notes what stands for missing values."""
        for place, parsed in enumerate(self._parsed):
            column = parsed.column
            if parsed.role is Role.FEATURE and column.missing:
                what = "the median" if column.kind is ColumnKind.NUMBER else "the most frequent"
                note = f"{counted(column.missing, 'missing value')} filled in with {what}"
                note = "; ".join(part for part in (column.note, note) if part)
                self._parsed[place] = replace(parsed, column=replace(column, note=note))

    def _tell_strays(self) -> list[str]:
        """Say which texts among numbers were passed over."""
        found = [parsed for parsed in self._with_role(Role.FEATURE) if parsed.strays]
        notes = [
            f"column “{printable(parsed.column.name)}”: {tell_strays(parsed.texts, parsed.strays)}"
            for parsed in found[:_LISTED]
        ]
        if (more := len(found) - _LISTED) > 0:
            notes.append(f"{counted(more, 'more column')} with single values that are no numbers")
        return notes

    def _labels(self) -> list[str | None]:
        columns = self._with_role(Role.LABEL)
        if not columns:
            return [None] * len(self._sheet.rows)
        return [word or None for word in columns[0].words()]

    def _names(self) -> list[str]:
        columns = self._with_role(Role.ID)
        if not columns:
            return told_apart(self._sheet.names)
        words = columns[0].words()
        return told_apart(
            [printable(word) or row for word, row in zip(words, self._sheet.names, strict=True)]
        )


def _transposed(rows: Sequence[tuple[str, ...]], job: Job) -> list[tuple[str, ...]]:
    """Turn rows into columns, in pieces that fit into the processor's cache.

    Tuples of texts, unlike lists, cost the garbage collector nothing.
    """
    columns: list[list[str]] = [[] for _ in rows[0]]
    for start in range(0, len(rows), _BETWEEN_STEPS):
        job.step(start, len(rows), "Reading the columns")
        pieces = zip(*rows[start : start + _BETWEEN_STEPS], strict=True)
        for column, piece in zip(columns, pieces, strict=True):
            column.extend(piece)
    return [tuple(column) for column in columns]


def _is_file(path: Path) -> bool:
    """Whether there is a file; impossible names are none."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for names that are too long


def _notes_on(columns: Sequence[Column]) -> list[str]:
    """Sum up what was done to the columns."""
    notes = []
    holed = [c for c in columns if c.role is Role.FEATURE and c.missing]
    if holed:
        values = counted(sum(column.missing for column in holed), "missing value")
        notes.append(f"{values} in {counted(len(holed), 'column')} filled in")
    dropped = [printable(c.name) for c in columns if c.role is Role.IGNORED and c.distinct <= 1]
    if dropped:
        which = ", ".join(dropped[:8]) + (" …" if len(dropped) > 8 else "")
        notes.append(f"{counted(len(dropped), 'constant or empty column')} dropped: {which}")
    shown = [c for c in columns if c.role is Role.TEXT and c.note]
    notes += [f"column “{printable(c.name)}” is not compared: {c.note}" for c in shown[:_LISTED]]
    if (more := len(shown) - _LISTED) > 0:
        which = "1 more column is" if more == 1 else f"{more} more columns are"
        notes.append(f"{which} not compared for such reasons")
    return notes
