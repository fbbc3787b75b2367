"""What each column of a table holds and what it is for, guessed or as told.

Hidden: the rules of thumb. Promised: the same table gets the same roles; roles that are given win;
giving back the guessed roles changes nothing; no label is ever guessed to be a feature because of
its name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.dataset import Column, ColumnKind, Role
from engine.errors import DatasetError
from engine.job import Job
from engine.readers.files import PICTURE_SUFFIXES, printable
from engine.readers.numbers import (
    Floats,
    NumberText,
    is_missing,
    looks_like_number,
    read_numbers,
)

# Without accents, in small letters: see `_plain_name`.
LABEL_NAMES = frozenset(
    {
        *("label", "labels", "class", "classes", "target", "targets", "diagnosis", "species", "y"),
        *("truth", "ground truth", "groundtruth", "gt", "group"),
        *("gruppe", "klasse", "diagnose", "art", "spezies", "befund"),  # German
        *("groupe", "classe", "diagnostic", "espece", "etiquette"),  # French
        *("grupo", "clase", "especie", "diagnostico", "etiqueta"),  # Spanish
        *("gruppo", "diagnosi", "specie", "etichetta"),  # Italian
        *("类别", "類別", "分组", "分組", "组别", "組別", "分类", "分類", "类", "類"),
        *("诊断", "診斷", "诊断结果", "診斷結果", "标签", "標籤", "物种", "物種"),
    }
)
_ID_NAMES = frozenset(
    {
        *("id", "ids", "uid", "uuid", "identifier", "accession"),
        *("kennung", "identifiant", "identificador", "identificativo"),
    }
)
_NAME_NAMES = frozenset(
    {
        *("name", "names", "patient", "sample", "subject", "case", "specimen", "code", "title"),
        *("file", "filename", "file name", "key", "index", "nr", "no", "number", "row"),
        *("rownames", "row names", "unnamed 0", "index level 0"),
        *("nummer", "fall", "probe", "proband", "datei", "dateiname", "n°"),
        *("numero", "nom", "dossier", "echantillon", "fichier", "numero de dossier"),
        *("codigo", "caso", "paciente", "muestra", "archivo", "numero de caso"),
        *("codice", "nome", "paziente", "campione", "numero di caso"),
        *("姓名", "名称", "名稱", "序号", "序號", "病历号", "病歷號", "病例号", "病例號"),
        *("患者", "样本", "樣本", "文件名"),
    }
)
_NUMBERED = re.compile(r".+ (?:nr|no|number)|.*nummer|.*[a-z]{3}nr|.*(?:编号|編號)")
"""Names that end as those of running numbers do, such as "case no", "Fallnummer", "PatientenNr"."""

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
    strays
        The different texts among the numbers that are none; they count as missing.
    """

    column: Column
    texts: Sequence[str]
    numbers: Floats | None
    missing: npt.NDArray[np.bool_]
    strays: tuple[str, ...] = ()

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
        parsed.append(_as_numbers(name, texts, numeric) if numeric else _as_words(name, texts))
    return parsed


def _as_numbers(name: str, texts: Sequence[str], numeric: NumberText) -> Parsed:
    missing = np.isnan(numeric.values)
    distinct = _n_distinct(numeric.values[~missing])
    notes = [part for part in (numeric.note, tell_strays(texts, numeric.strays)) if part]
    column = Column(
        name, ColumnKind.NUMBER, Role.IGNORED, int(missing.sum()), distinct, "; ".join(notes)
    )
    return Parsed(column, texts, numeric.values, missing, numeric.strays)


def _as_words(name: str, texts: Sequence[str]) -> Parsed:
    kinds = {text: is_missing(text) for text in set(texts)}
    missing = np.fromiter(map(kinds.__getitem__, texts), np.bool_, len(texts))
    present = {text.strip() for text, gone in kinds.items() if not gone}
    kind, note = ColumnKind.TEXT, ""
    if _are_categories(present, int((~missing).sum())):
        kind = ColumnKind.CATEGORY
    else:
        note = _nearly_numbers(texts)
    column = Column(name, kind, Role.IGNORED, int(missing.sum()), len(present), note)
    return Parsed(column, texts, None, missing)


def tell_strays(texts: Sequence[str], strays: Sequence[str]) -> str:
    """Quote the texts among numbers that were taken as missing."""
    if not strays:
        return ""
    quoted = ", ".join(f"“{printable(text.strip()[:40])}”" for text in strays)
    number = sum(map(set(strays).__contains__, texts))
    what = "1 value is no number" if number == 1 else f"{number:,} values are no numbers"
    return f"{what} ({quoted}): taken as missing"


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
    shown = f"“{printable(texts[odd[0]].strip()[:40])}”"
    if len(odd) == 1:
        return f"1 of {len(texts):,} values is no number, in row {odd[0] + 1}: {shown}"
    return (
        f"{len(odd):,} of {len(texts):,} values are no numbers, "
        f"the first in row {odd[0] + 1}: {shown}"
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
        every_text_counts = column.strays and role in {Role.ID, Role.LABEL, Role.TEXT}
        kept = _as_words(column.column.name, column.texts) if every_text_counts else column
        # That a name or label is no number is nothing to tell.
        own = "" if kept.numbers is None and role is not Role.TEXT else kept.column.note
        notes = "; ".join(part for part in (own, note) if part)
        decided.append(replace(kept, column=replace(kept.column, role=role, note=notes)))
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
            name = _plain_name(parsed.column.name)
            known = name in _NAME_NAMES or _NUMBERED.fullmatch(name) is not None
            return known and _tells_rows_apart(parsed)

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
    if parsed.strays:
        parsed = _as_words(parsed.column.name, parsed.texts)
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
    """Give a header in small letters, without accents and with spaces for other separators."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\s_.:#\-]+", " ", bare).strip()


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
