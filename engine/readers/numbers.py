"""Texts of a table column as numbers, however people write them.

Hidden: missing values, decimal commas, thousands separators, signs. Promised: a column is numeric
only when every value in it is a number or missing, but for very few stray texts, which are listed;
and nothing is guessed silently: what was read in another way than Python would is said in
`NumberText.note`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.job import Job

Floats = npt.NDArray[np.float64]

_MISSING_TEXT = frozenset({"", "na", "n/a", "n.a.", "nan", "null", "#n/a", "#na", "<na>", "?"})
_MISSING_NUMBER = _MISSING_TEXT | {
    *("none", "-", "--", "---", "–", "—", ".", "..", "...", "…", "??", "???", "#div/0!", "#value!"),
    *("missing", "unknown", "not known", "not available", "n.d.", "n. d.", "nd", "n/d", "nil"),
    *("k.a.", "k. a.", "k.a", "ka", "keine angabe", "fehlt", "fehlend", "unbekannt"),
    *("n.b.", "n. b.", "nicht bekannt", "nicht bestimmt"),
    *("manquant", "manquante", "inconnu", "inconnue", "non disponible", "n.c.", "nc"),
    *("s/d", "s.d.", "sin dato", "sin datos", "desconocido", "desconocida", "no disponible"),
    *("mancante", "sconosciuto", "sconosciuta", "n.p.", "non disponibile"),
    *("缺失", "未知", "不详", "不詳", "无", "無", "未测", "未測"),
}
# Most are answers in a column of words (symptom: none, mild, severe; site: unknown).

_MOST_STRAY = 5  # different texts among numbers ...
_NUMBERS_PER_STRAY = 50  # ... and so many values for each: at most 2 %

_SPACES = "\u00a0\u202f '\u2019"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_POINT = re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:[,{_SPACES}]\d{{3}})+|\d*)(?:\.\d*)?{_EXPONENT}")
_COMMA = re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:[.{_SPACES}]\d{{3}})+|\d*)(?:,\d*)?{_EXPONENT}")
_THOUSANDS_BY_POINT = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
_DIGIT = re.compile(r"\d")
_MINUS = str.maketrans({"\u2212": "-"})
_PIECE = 50_000  # values converted between steps
_NO_GROUPS = str.maketrans("", "", _SPACES)


@dataclass(frozen=True, slots=True)
class NumberText:
    """A numeric column: float64[n], NaN where missing, infinite where the text says so.

    `strays` are the different texts that are no numbers, taken as missing, in order of appearance.
    """

    values: Floats
    note: str = ""
    strays: tuple[str, ...] = ()


def is_missing(text: str, *, number: bool = False) -> bool:
    """Whether a cell means "no value", in a column of words or of numbers."""
    word = " ".join(text.split()).casefold()
    return word in (_MISSING_NUMBER if number else _MISSING_TEXT)


def looks_like_number(text: str) -> bool:
    """Whether a cell is a finite number in any of the ways that are read."""
    text = text.strip().translate(_MINUS)
    return bool(_DIGIT.search(text)) and bool(_POINT.fullmatch(text) or _COMMA.fullmatch(text))


def find_strays(texts: Sequence[str]) -> tuple[str, ...]:
    """Give the different texts that alone keep a column from being numeric, if they are very few.

    Infinite values are none: they are refused by name, not passed over.
    """
    odd: list[str] = []
    for text in dict.fromkeys(texts):
        if not (is_missing(text, number=True) or looks_like_number(text) or _is_infinite(text)):
            odd.append(text)
            if len(odd) > _MOST_STRAY:
                return ()
    counts = Counter(texts) if odd else Counter()
    present = sum(n for text, n in counts.items() if not is_missing(text, number=True))
    few = sum(counts[text] for text in odd) * _NUMBERS_PER_STRAY <= present
    return tuple(odd) if few else ()


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def plain(texts: Sequence[str], job: Job) -> Floats | None:
    """Read a column whose numbers are written as Python writes them; None for any other.

    The fast way, taken by nearly every column: no Python code runs per value.
    """
    try:
        values = _floats(texts, job)
    except ValueError:
        different = set(texts)
        missing = {text for text in different if is_missing(text, number=True)}
        if not missing or len(missing) == len(different):
            return None
        try:
            values = _floats(["nan" if text in missing else text for text in texts], job)
        except ValueError:
            return None
    if np.isnan(values).all() or "_" in "".join(texts):  # float() takes 1_000
        return None
    return values


def _floats(texts: Sequence[str], job: Job) -> Floats:
    """Convert in pieces: the interpreter hears nothing during a piece."""
    values = np.empty(len(texts), np.float64)
    for start in range(0, len(texts), _PIECE):
        job.step()
        piece = texts[start : start + _PIECE]
        values[start : start + _PIECE] = np.fromiter(map(float, piece), np.float64, len(piece))
    return values


class Spelled:
    """A column that is numeric only in a spelling of its own, if at all.

    Parameters
    ----------
    texts
        The cells.

    Attributes
    ----------
    point, comma
        Whether all its values are numbers with a decimal point (and commas, spaces or apostrophes
        between thousands), or with a decimal comma (and points between thousands). Both for values
        such as "1,234", which only the rest of the table can settle.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._tidy = {text: text.strip().translate(_MINUS) for text in set(texts)}
        present = [tidy for text, tidy in self._tidy.items() if not is_missing(text, number=True)]
        numeric = bool(present) and all(map(_DIGIT.search, present))
        self.point = numeric and all(map(_POINT.fullmatch, present))
        self.comma = numeric and all(map(_COMMA.fullmatch, present))

    def read(self, *, comma: bool) -> NumberText | None:
        """Read the column with a decimal comma or point; None when it is not numeric so."""
        if not (self.comma if comma else self.point):
            return None
        known = {
            text: np.nan if is_missing(text, number=True) else _number(tidy, comma=comma)
            for text, tidy in self._tidy.items()
        }
        values = np.fromiter(map(known.__getitem__, self._texts), np.float64, len(self._texts))
        return NumberText(values, "decimal comma" if comma else "separators between thousands")


def _number(tidy: str, *, comma: bool) -> float:
    tidy = tidy.translate(_NO_GROUPS)
    return float(tidy.replace(".", "").replace(",", ".") if comma else tidy.replace(",", ""))


def read_numbers(
    columns: Sequence[Sequence[str]], job: Job, *, comma_likely: bool
) -> list[NumberText | None]:
    """Read the columns of one table; None where a column is not numeric.

    Parameters
    ----------
    comma_likely
        What "1,234" means when no column settles it: with semicolons between the fields the table
        comes from a program that writes decimal commas.
    """
    fast = [plain(texts, job) for texts in columns]
    strays = [
        find_strays(texts) if values is None else ()
        for texts, values in zip(columns, fast, strict=True)
    ]
    columns = list(columns)
    for place, odd in enumerate(strays):
        if odd:
            columns[place] = ["" if text in odd else text for text in columns[place]]
            fast[place] = plain(columns[place], job)
    spelled = [
        Spelled(texts) if values is None else None
        for texts, values in zip(columns, fast, strict=True)
    ]
    others = [column for column in spelled if column is not None]
    certain = any(column.comma and not column.point for column in others)
    english = any(column.point and not column.comma for column in others)
    comma = certain or (comma_likely and not english)
    found: list[NumberText | None] = []
    for texts, values, other in zip(columns, fast, spelled, strict=True):
        if other is not None:
            found.append(other.read(comma=comma) or other.read(comma=not comma))
        elif values is not None and certain and _thousands_by_point(texts):
            grouped = [text.replace(".", "") for text in texts]
            plain_values = plain(grouped, job)
            assert plain_values is not None  # noqa: S101 - the same digits without the points
            found.append(NumberText(plain_values, "points read as thousands separators"))
        else:
            found.append(NumberText(values) if values is not None else None)
    return [
        replace(column, strays=odd) if column is not None else None
        for column, odd in zip(found, strays, strict=True)
    ]


def _thousands_by_point(texts: Sequence[str]) -> bool:
    """Whether every point in a column stands before three digits, as in 1.234 for 1234."""
    pointed = {text.strip() for text in texts if "." in text and not is_missing(text, number=True)}
    return bool(pointed) and all(map(_THOUSANDS_BY_POINT.fullmatch, pointed))
