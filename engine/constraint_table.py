"""Constraint table: answers about pairs as a CSV that people and programs write and read.

    a,b,answer,confidence
    cats/1.jpg,cats/2.jpg,same,quite
    row 3,17,different,0.9

Hidden here: how an item is told by a name or number. Promised: every mistake is told with file and
line, and a contradiction with the lines it contradicts.

A line names two items and says same or different. The header may be missing, semicolons may stand
for commas, and the confidence may be left out: guess, quite, certain, or a number above 0 up to 1.
An item goes by its name in groups.csv, or that of an exact copy of it; a whole number that is no
name is the number of a row, counted from 1.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine import answers
from engine.answers import EventKind
from engine.constraints import Constraints
from engine.dataset import Dataset, counted
from engine.errors import DatasetError
from engine.export import write_table
from engine.model import Confidence, Pair, Verdict

if TYPE_CHECKING:
    from engine.study import Study

COLUMNS = ("a", "b", "answer", "confidence")
SURENESS = {"guess": 0.5, "quite": 0.75, "certain": 1.0}
"""What the words of a confidence count as, where a number is needed."""

_VERDICTS = {"same": Verdict.SAME, "different": Verdict.DIFFERENT}


def read_constraints(path: Path, dataset: Dataset, *, least: float = 0.0) -> Constraints:
    """Read a table of answers about the items of a dataset.

    Parameters
    ----------
    least
        Answers with a lesser confidence are left out; those without one count in full.

    Returns
    -------
    Constraints
        Their closure; the number of each answer is its line.

    Raises
    ------
    DatasetError
        For a file that cannot be read or holds no answers, an unknown or ambiguous item, an item
        paired with itself, another word than same or different, and contradictions.
    """
    names = _Names(dataset)
    closed, found = Constraints(), 0
    for line, row in _rows(path):
        where = f"{path.name}, line {line}"
        if not 3 <= len(row) <= 4:
            raise DatasetError(f"{where} has {counted(len(row), 'cell')}, not 3 or 4", _FORM)
        one, other = (names.item(cell, where) for cell in row[:2])
        verdict = _VERDICTS.get(row[2].strip().casefold())
        if verdict is None:
            raise DatasetError(f"{where}: '{row[2]}' is neither same nor different", _FORM)
        if one == other:
            raise DatasetError(f"{where}: '{row[0]}' and '{row[1]}' are one and the same item")
        found += 1
        if _sureness(row[3] if len(row) == 4 else "", where) < least:
            continue
        conflict = closed.add(Pair.of(one, other), verdict, line)
        if conflict is not None:
            chain = "; ".join(
                f"line {number}: '{names.name(pair.a)}' and '{names.name(pair.b)}' are {said.value}"
                for number, pair, said in conflict.chain
            )
            raise DatasetError(
                f"{where} contradicts lines before it: it says that '{row[0]}' and '{row[1]}' are "
                f"{verdict.value}, but by {chain}",
                "Take out or change one of these lines.",
            )
    if not found:
        raise DatasetError(f"{path.name} holds no answers", _FORM)
    return closed


def write_constraints(study: Study, path: Path) -> str:
    """Write the answers in force, in the order first given; say what was left out.

    Unsure answers, those that wait because they contradict others, and those that the groups
    overrule are no constraints. So what is written can always be read again.

    Raises
    ------
    EngineError
        As `export.write_groups_csv`.
    """
    log, items = study.session.log, study.dataset.items
    sure = _confidences(study)
    conflicts = {conflict.seq for conflict in study.session.constraints.conflicts}
    left_out = conflicts | set(study.session.snapshot().overruled)
    rows: dict[Pair, list[str]] = {}
    unsure = against = 0
    for said in answers.statements(log.path()):
        if said.verdict is Verdict.UNSURE:
            unsure += 1
        elif said.seq in left_out:
            against += 1
        else:
            one, other = (items[item].name for item in said.pair)
            rows[said.pair] = [one, other, said.verdict.value, sure[said.seq].value]
    told = write_table(study, path, COLUMNS, list(rows.values()))
    if unsure:
        told += f" Left out: {counted(unsure, 'unsure answer')}."
    if against:
        told += f" Left out: {counted(against, 'answer')} that others contradict."
    return told


def _confidences(study: Study) -> dict[int, Confidence]:
    """Give how sure the person was of each answer when it was last changed."""
    sure = {}
    for step in study.session.log.path():
        if step.answer is not None:
            revised = step.kind is EventKind.REVISE and step.target is not None
            sure[step.target if revised else step.seq] = step.answer.confidence
    return {seq: confidence for seq, confidence in sure.items() if seq is not None}


_FORM = "Each line is a,b,same or a,b,different, and may end with a confidence."


class _Names:
    """Items by what a person may call them."""

    def __init__(self, dataset: Dataset) -> None:
        self._items = dataset.items
        # with copies or unusable rows left out, the place of an item is not that of its row
        self._in_order = not (dataset.n_copies or dataset.problems)
        self._by_name: dict[str, int] = {}
        self._ambiguous: set[str] = set()
        for item in dataset.items:
            for name in (item.name, *item.copies):
                shown = _shown(name)
                if self._by_name.setdefault(shown, item.id) != item.id:
                    self._ambiguous.add(shown)

    def name(self, item: int) -> str:
        return _shown(self._items[item].name)

    def item(self, cell: str, where: str) -> int:
        """Find an item; a mark that keeps spreadsheets from calculating is seen through."""
        for name in (cell, cell.strip(), cell.removeprefix("'"), f"row {cell.strip()}"):
            if name in self._ambiguous:
                raise DatasetError(f"{where}: several items are called '{name}'")
            if name in self._by_name:
                return self._by_name[name]
        number = cell.strip()
        if self._in_order and number.isascii() and number.isdecimal():
            if 1 <= int(number) <= len(self._items):
                return int(number) - 1
            raise DatasetError(
                f"{where}: there is no row {number}; they go from 1 to {len(self._items):,}"
            )
        raise DatasetError(
            f"{where}: there is no item '{cell}'",
            "Items are called as in groups.csv, or by the number of their row, from 1.",
        )


def _shown(name: str) -> str:
    """Write a name as a CSV can hold it."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the lines that are neither empty nor the header, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise DatasetError(f"{path.name} is no text in UTF-8", "Save it as CSV UTF-8.") from None
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror or error}") from None
    first = text.lstrip().partition("\n")[0]
    reader = csv.reader(
        text.splitlines(keepends=True), delimiter=";" if ";" in first and "," not in first else ","
    )
    try:
        for number, row in enumerate(reader):
            if not any(cell.strip() for cell in row):
                continue
            begins = [cell.strip().casefold() for cell in row[:3]]
            if number == 0 and begins[:2] == ["a", "b"] and begins[-1] not in _VERDICTS:
                continue
            yield reader.line_num, row
    except csv.Error as error:
        raise DatasetError(f"{path.name}, line {reader.line_num}: {error}") from None


def _sureness(cell: str, where: str) -> float:
    """Give a confidence as a number; 1 where none is told."""
    word = cell.strip().casefold()
    if not word:
        return 1.0
    if word in SURENESS:
        return SURENESS[word]
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not 0 < number <= 1:
        raise DatasetError(
            f"{where}: the confidence '{cell}' is none of {', '.join(SURENESS)}, and no number "
            f"above 0 up to 1"
        )
    return number
