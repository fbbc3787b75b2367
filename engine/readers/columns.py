"""What each column of a table holds and what it is for, guessed or as told.

Hidden: the rules of thumb. Promised: the same table gets the same roles; roles that are given win;
giving back the guessed roles changes nothing; no label is ever guessed to be a feature because of
its name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.dataset import Column, ColumnKind, Role
from engine.errors import DatasetError
from engine.job import Job
from engine.readers.files import PICTURE_SUFFIXES, printable
from engine.readers.numbers import Floats, is_missing, looks_like_number, read_numbers

LABEL_NAMES = frozenset(
    {
        *("label", "labels", "class", "classes", "target", "targets", "diagnosis", "species", "y"),
        *("truth", "ground truth", "groundtruth", "gt", "klasse", "diagnose"),
    }
)
_ID_NAMES = frozenset({"id", "ids", "uid", "uuid", "identifier", "accession"})
_NAME_NAMES = frozenset(
    {
        *("name", "names", "patient", "sample", "subject", "case", "specimen", "code", "title"),
        *("file", "filename", "file name", "key", "index", "nr", "no", "number", "row"),
        *("rownames", "row names", "unnamed: 0", "index level 0"),
    }
)

_MOST_CATEGORIES = 20
_MOST_ONE_HOT = 200  # categories of a column that a person insists on
_LONG_TEXT = 60  # characters, beyond which a text is prose rather than a category
_LOOKED_AT = 50  # values looked at to recognise picture paths
_ONE_OF_A_KIND_ROLES = (Role.ID, Role.IMAGE, Role.LABEL)


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A column and its values.

    Attributes
    ----------
    texts
        As read.
    numbers
        float64[n] with NaN where missing; None unless the column holds numbers.
    missing
        bool[n].
    """

    column: Column
    texts: Sequence[str]
    numbers: Floats | None
    missing: npt.NDArray[np.bool_]

    @property
    def role(self) -> Role:
        """What the column is for."""
        return self.column.role

    def words(self) -> list[str]:
        """Give the values as tidy texts, "" where missing."""
        tidy = {text: "" if is_missing(text) else text.strip() for text in set(self.texts)}
        return [tidy[text] for text in self.texts]


def parse_columns(
    header: Sequence[str],
    columns: Sequence[Sequence[str]],
    job: Job,
    *,
    comma_likely: bool,
) -> list[Parsed]:
    """Find out what the columns hold; their roles are not decided yet (IGNORED)."""
    parsed = []
    found = read_numbers(columns, job, comma_likely=comma_likely)
    for place, (name, texts, numeric) in enumerate(zip(header, columns, found, strict=True)):
        job.step(place, len(header), "Reading the columns")
        if numeric is not None:
            missing = np.isnan(numeric.values)
            kind, distinct = ColumnKind.NUMBER, _n_distinct(numeric.values[~missing])
            values, note = numeric.values, numeric.note
        else:
            kinds = {text: is_missing(text) for text in set(texts)}
            missing = np.fromiter(map(kinds.__getitem__, texts), np.bool_, len(texts))
            present = {text.strip() for text, gone in kinds.items() if not gone}
            kind, distinct, values, note = ColumnKind.TEXT, len(present), None, ""
            if _are_categories(present, int((~missing).sum())):
                kind = ColumnKind.CATEGORY
            else:
                note = _nearly_numbers(texts)
        column = Column(name, kind, Role.IGNORED, int(missing.sum()), distinct, note)
        parsed.append(Parsed(column, texts, values, missing))
    return parsed


def _n_distinct(values: Floats) -> int:
    ordered = np.sort(values)
    return int((ordered[1:] != ordered[:-1]).sum()) + (len(ordered) > 0)


def _are_categories(present: set[str], n_present: int) -> bool:
    """Few short texts, each of which comes back: twice on average."""
    return (
        0 < len(present) <= min(_MOST_CATEGORIES, max(2, n_present // 2))
        and max(map(len, present)) <= _LONG_TEXT
    )


def _nearly_numbers(texts: Sequence[str]) -> str:
    """Point out the few texts that keep a column from being numeric."""
    odd = [
        row
        for row, text in enumerate(texts)
        if not is_missing(text, number=True) and not looks_like_number(text)
    ]
    if not odd or len(odd) > len(texts) // 4:
        return ""
    return (
        f"{len(odd):,} of {len(texts):,} values are not numbers, "
        f"the first in row {odd[0] + 1}: “{printable(texts[odd[0]][:40])}”"
    )


def decide_roles(
    parsed: Sequence[Parsed],
    roles: Mapping[str, Role],
    is_picture: Callable[[int, str], bool],
    source: str,
) -> list[Parsed]:
    """Give every column its role: the one told, or else a guess.

    Parameters
    ----------
    is_picture
        Whether the text in a row (counted from 0) names an existing picture.
    source
        Name of the table for messages.

    Raises
    ------
    DatasetError
        When a role is given to no column, or two columns get one that only one can have.
    """
    names = [column.column.name for column in parsed]
    for name in roles:
        if name not in names:
            raise DatasetError(
                f"{source} has no column “{name}”", f"Its columns are: {', '.join(names)}."
            )
    for role in _ONE_OF_A_KIND_ROLES:
        taken = [name for name in names if roles.get(name) is role]
        if len(taken) > 1:
            raise DatasetError(
                f"only one column can be the {role.value}, not {' and '.join(taken)}"
            )
    guess = _Guess(parsed, roles, is_picture)
    decided = []
    for column in parsed:
        role, note = guess.role_of(column)
        notes = "; ".join(part for part in (column.column.note, note) if part)
        decided.append(replace(column, column=replace(column.column, role=role, note=notes)))
    return decided


class _Guess:
    """The rules of thumb for one table."""

    def __init__(
        self,
        parsed: Sequence[Parsed],
        roles: Mapping[str, Role],
        is_picture: Callable[[int, str], bool],
    ) -> None:
        self._roles = roles
        self._is_picture = is_picture
        self._plain = {_plain_name(column.column.name) for column in parsed}
        free = [column for column in parsed if column.column.name not in roles]
        given = set(roles.values())
        self._label = None if Role.LABEL in given else self._find_label(free)
        self._image = None if Role.IMAGE in given else self._first(free, self._holds_pictures)
        self._id = None if Role.ID in given else self._find_id(free)

    def role_of(self, parsed: Parsed) -> tuple[Role, str]:
        """Give the role of a column, and why when it is not plain."""
        column = parsed.column
        role = self._roles.get(column.name, Role.FEATURE)
        if parsed is self._image:
            return Role.IMAGE, ""
        if role is Role.FEATURE and (not column.distinct or _is_constant(parsed)):
            return Role.IGNORED, "constant: dropped" if column.distinct else "empty: dropped"
        if column.name in self._roles:
            return role, ""
        if parsed is self._label:
            return Role.LABEL, "taken for the truth by its name: never used for sorting"
        if parsed is self._id:
            return Role.ID, ""
        name = _plain_name(column.name)
        if name in LABEL_NAMES and not self._is_coordinate(name):
            return Role.IGNORED, "may be a label by its name: not used unless you say so"
        if _is_id_name(column.name):
            return Role.IGNORED, "may be an identifier by its name: not used unless you say so"
        return (Role.TEXT if column.kind is ColumnKind.TEXT else Role.FEATURE), ""

    def _first(self, free: list[Parsed], test: Callable[[Parsed], bool]) -> Parsed | None:
        return next((column for column in free if test(column)), None)

    def _is_coordinate(self, name: str) -> bool:
        """Whether it is a column y beside a column x: a place, not a truth."""
        return name == "y" and "x" in self._plain

    def _find_label(self, free: list[Parsed]) -> Parsed | None:
        def is_label(parsed: Parsed) -> bool:
            name = _plain_name(parsed.column.name)
            return (
                name in LABEL_NAMES
                and not self._is_coordinate(name)
                and parsed.column.distinct > 1
                and parsed.column.distinct <= max(2, len(parsed.texts) // 2)
            )

        return self._first(free, is_label)

    def _find_id(self, free: list[Parsed]) -> Parsed | None:
        free = [column for column in free if column not in (self._label, self._image)]

        def is_id(parsed: Parsed) -> bool:
            return _is_id_name(parsed.column.name) and _tells_rows_apart(parsed)

        def is_name(parsed: Parsed) -> bool:
            return _plain_name(parsed.column.name) in _NAME_NAMES and _tells_rows_apart(parsed)

        def counts(parsed: Parsed) -> bool:
            return parsed.column.name == nameless(0) and _counts_rows(parsed)

        return self._first(free, is_id) or self._first(free, is_name) or self._first(free, counts)

    def _holds_pictures(self, parsed: Parsed) -> bool:
        """Values are paths of pictures, and at least half of the first ones are really there."""
        paths = paths_of_pictures(parsed)
        there = sum(self._is_picture(row, path) for row, path in paths)
        return bool(paths) and 2 * there >= len(paths)


def _is_constant(parsed: Parsed) -> bool:
    """Whether all of several rows have the same value."""
    return parsed.column.distinct <= 1 < len(parsed.texts)


def _tells_rows_apart(parsed: Parsed) -> bool:
    """Whether a column has a different text or whole number in each row."""
    if parsed.column.missing or parsed.column.distinct < len(parsed.texts):
        return False
    return parsed.numbers is None or bool((parsed.numbers == np.rint(parsed.numbers)).all())


def _counts_rows(parsed: Parsed) -> bool:
    """Whether a column numbers the rows, such as the index that pandas and R write."""
    numbers = parsed.numbers
    return numbers is not None and len(numbers) > 1 and bool((np.diff(numbers) == 1).all())


def nameless(place: int) -> str:
    """Call a column without a name by its place, counted from 0."""
    return f"column {place + 1}"


def _plain_name(name: str) -> str:
    return re.sub(r"[\s_.\-]+", " ", name.casefold()).strip()


def _is_id_name(name: str) -> bool:
    """Such as "id", "Patient ID", "case_id", "sampleId"."""
    plain = _plain_name(name)
    return (
        plain in _ID_NAMES
        or plain.endswith((" id", " uid"))
        or re.search(r"[a-z](?:Id|ID)$", name) is not None
    )


def paths_of_pictures(parsed: Parsed) -> list[tuple[int, str]]:
    """Give the first paths with their rows, wherever they lead; none when others are among them."""
    if parsed.numbers is not None:
        return []
    rows = np.flatnonzero(~parsed.missing)[:_LOOKED_AT]
    paths = [(int(row), parsed.texts[row].strip()) for row in rows]
    return paths if all(_names_picture(path) for _, path in paths) else []


def _names_picture(text: str) -> bool:
    return text[text.rfind(".") :].lower() in PICTURE_SUFFIXES if "." in text else False


def complaint_about(parsed: Parsed, lines: Sequence[str]) -> str:
    """Say why a column cannot be a feature; "" when it can, or is not meant to be one."""
    if parsed.role is not Role.FEATURE:
        return ""
    name = printable(parsed.column.name)
    if parsed.numbers is not None:
        rows = np.flatnonzero(np.isinf(parsed.numbers))
        if rows.size == 0:
            return ""
        row = int(rows[0])
        shown = printable(parsed.texts[row].strip()[:40])
        return f"column “{name}”, {lines[row]}: “{shown}” is not a finite number"
    if parsed.column.kind is ColumnKind.TEXT and parsed.column.distinct > _MOST_ONE_HOT:
        example = printable(parsed.texts[int(np.flatnonzero(~parsed.missing)[0])].strip()[:40])
        return (
            f"column “{name}” holds {parsed.column.distinct:,} different texts (such as "
            f"“{example}”), too many to be compared as categories"
        )
    return ""


def most_frequent(words: Sequence[str]) -> str:
    """Give the word that occurs most, the alphabetically first of several; "" counts for none."""
    counts = Counter(word for word in words if word)
    return min(counts, key=lambda word: (-counts[word], word), default="")
