"""Text tables (CSV, TSV and their kin) as rows of cells, whoever wrote them.

Hidden: encodings, separators, quoting, stray bytes. Promised: `parse` gives the cells as they are
in the file, each row with the line it begins on.
"""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.job import Job
from engine.readers.files import Unreadable

_SEPARATORS = "\t;|,"  # the more telling first: commas also stand in numbers and texts
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000  # characters looked at to find the separator
_SAMPLE_ROWS = 200
_AGREEING = 0.8  # share of rows with the usual number of fields
_LONGEST_FIELD = 2**31 - 1  # characters; the csv module's own limit is 131,072
_BETWEEN_STEPS = 2000  # rows
_BINARY = 0.02  # share of control characters in what is no text


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells, not yet told apart into header and data.

    `lines`: the line (or sheet row) each row begins on, counted from 1. `separator` is empty for
    spreadsheets.
    """

    rows: list[tuple[str, ...]]
    lines: list[int]
    separator: str = ""
    notes: tuple[str, ...] = ()


def parse(data: bytes, job: Job, *, separator: str = "") -> Grid:
    """Split a text table into cells.

    Parameters
    ----------
    separator
        Taken when the file agrees with it, such as a tab for `.tsv`.

    Raises
    ------
    Unreadable
        When the file is no text.
    """
    text, notes = decode(data)
    job.step()
    told = _told_separator(text[:20])
    if told:
        text = text.partition("\n")[2]
    separator = told or sniff(text, separator)
    csv.field_size_limit(_LONGEST_FIELD)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    reader = csv.reader(_lines(text), delimiter=separator, skipinitialspace=True)
    line = 1 + bool(told)
    try:
        for row in reader:
            if len(rows) % _BETWEEN_STEPS == 0:
                job.step(0, 0, "Reading the table")
            if row and (len(row) > 1 or row[0].strip()) and any(row):
                rows.append(tuple(row))
                lines.append(line)
            line = reader.line_num + 1 + bool(told)
    except csv.Error as error:
        raise Unreadable(f"line {line}: {error}") from error
    return Grid(rows, lines, separator, notes)


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """Turn bytes into text, and say what was not as usual.

    Raises
    ------
    Unreadable
        When the bytes are no text.
    """
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "")
    notes = []
    if not encoding and (wide := _wide_encoding(data)):
        encoding = wide
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        if encoding:
            raise Unreadable(f"the text is not {encoding.upper()}, although it says so") from error
        text, encoding = _western(data), "Windows-1252"
    if encoding not in {"", "utf-8-sig"}:
        notes.append(f"text read as {encoding if encoding[0] == 'W' else encoding.upper()}")
    if "\0" in text:
        notes.append(f"{text.count(chr(0)):,} NUL bytes left out")
        text = text.replace("\0", "")
    head = text[:_SAMPLE]
    control = sum(character < " " and character not in "\t\n\r\f\v\x1a" for character in head)
    if control > _BINARY * len(head):
        raise Unreadable("it is not a text table")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, tuple(notes)


def _lines(text: str) -> Iterator[str]:
    """Cut a text into lines, without holding it twice."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _western(data: bytes) -> str:
    """Read what is not UTF-8 as Windows-1252, or as Latin-1 where that has no letter."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _wide_encoding(data: bytes) -> str:
    """Recognise UTF-16 without a mark by the zero beside every Latin letter."""
    head = data[:2000]
    half = max(1, len(head) // 2)
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.1 * half:
        return "utf-16-be"
    return ""


def _told_separator(start: str) -> str:
    """Find the separator in a first line such as "sep=;", which Excel understands."""
    first = start.partition("\n")[0].strip(' "\n')
    return first[4] if first[:4].lower() == "sep=" and len(first) == 5 else ""


def sniff(text: str, preferred: str = "") -> str:
    r"""Find the separator: the one that cuts nearly all rows into the same number of fields.

    Among several such, the rarer characters win (tab, semicolon, bar, comma), because a comma also
    stands in "1,5;2,5". A table of one column has none; then it is a comma.
    """
    best, best_share = ",", 0.0
    for separator in dict.fromkeys(preferred + _SEPARATORS):
        widths = [len(row) for row in _first_rows(text, separator)]
        width, share = _usual(widths)
        # A header may be one short: R leaves out the name of the row names.
        if width < 2 or widths[0] not in {width, width - 1} or widths[0] < 2:
            continue
        if share >= _AGREEING:
            return separator
        if share > best_share:
            best, best_share = separator, share
    return best


def _first_rows(text: str, separator: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_FIELD)
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE:  # the last line is cut in two
        sample = sample[: sample.rfind("\n") + 1] or sample
    reader = csv.reader(_lines(sample), delimiter=separator, skipinitialspace=True)
    count = 0
    try:
        for row in reader:
            if any(row):
                yield row
                count += 1
            if count == _SAMPLE_ROWS:
                return
    except csv.Error:
        return


def _usual(widths: list[int]) -> tuple[int, float]:
    """Give the most frequent number of fields and the share of rows that have it."""
    if not widths:
        return 0, 0.0
    width, count = Counter(widths).most_common(1)[0]
    return width, count / len(widths)
