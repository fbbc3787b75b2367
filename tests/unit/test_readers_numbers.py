"""Numbers as people write them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.job import Job
from engine.readers.numbers import is_missing, looks_like_number, plain, read_numbers

NAN = float("nan")


def one(*texts: str, comma_likely: bool = False) -> list[float] | None:
    found = read_numbers([texts], Job(), comma_likely=comma_likely)[0]
    return None if found is None else found.values.tolist()


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (("1", "2.5", "-3e2", " 4 "), [1, 2.5, -300, 4]),
        (("1", "", "NA", "nan", "-", "None"), [1, NAN, NAN, NAN, NAN, NAN]),
        (("1,5", "2"), [1.5, 2]),
        (("1.234,5", "7"), [1234.5, 7]),
        (("1,234.5", "7"), [1234.5, 7]),
        (("1,234,567", ""), [1234567, NAN]),
        (("1,234", "5"), [1234, 5]),
        (("0,123", "5"), [0.123, 5]),
        (("12 345,6", "1\u202f000"), [12345.6, 1000]),
        (("1'000.5", "2"), [1000.5, 2]),
        (("\u22125", "6"), [-5, 6]),
        (("1,5e3", "2"), [1500, 2]),
        (("1", "two"), None),
        (("1_000", "2"), None),
        (("", "NA"), None),
        ((".", ","), None),
        (("1.5", "2,5"), None),
        (("12%", "5"), None),
        (("1e999", "inf"), [np.inf, np.inf]),
    ],
)
def test_one_column(texts: tuple[str, ...], values: list[float] | None) -> None:
    found = one(*texts)
    if values is None:
        assert found is None
    else:
        assert found is not None
        assert np.array_equal(found, values, equal_nan=True)


def test_the_table_settles_what_a_comma_means() -> None:
    ambiguous = ("1,234", "2,345")
    assert one(*ambiguous) == [1234, 2345]
    assert one(*ambiguous, comma_likely=True) == [1.234, 2.345]
    decimal = read_numbers([ambiguous, ("1,5", "2,25")], Job(), comma_likely=False)
    assert [column.values.tolist() for column in decimal if column] == [[1.234, 2.345], [1.5, 2.25]]
    english = read_numbers([ambiguous, ("1,234.5", "2")], Job(), comma_likely=True)
    assert [column.values.tolist() for column in english if column] == [[1234, 2345], [1234.5, 2]]


def test_points_between_thousands_only_beside_decimal_commas() -> None:
    grouped = ("1.234", "12.345", "7")
    assert one(*grouped) == [1.234, 12.345, 7]
    found = read_numbers([grouped, ("1,5", "2", "3")], Job(), comma_likely=True)
    assert found[0] is not None
    assert found[0].values.tolist() == [1234, 12345, 7]
    assert found[0].note == "points read as thousands separators"
    kept = read_numbers([("0.123", "1.234"), ("1,5", "2")], Job(), comma_likely=True)
    assert kept[0] is not None
    assert kept[0].values.tolist() == [0.123, 1.234]


def test_missing_words_and_numbers() -> None:
    assert is_missing(" n/A ")
    assert not is_missing("none")
    assert not is_missing("-")
    assert is_missing("none", number=True)


@pytest.mark.parametrize(
    "word",
    [
        *(
            "k.A.",
            "k. A.",
            "k.\u00a0A.",
            "n/a",
            "na",
            "n.a.",
            "NaN",
            "NULL",
            "none",
            "-",
            "--",
            "?",
        ),
        *(
            "unknown",
            "Unbekannt",
            "keine  Angabe",
            "fehlt",
            "s/d",
            "nd",
            "n.d.",
            ".",
            "#N/A",
            "缺失",
        ),
    ],
)
def test_words_for_no_value_among_numbers(word: str) -> None:
    assert np.array_equal(one("1", word, "3"), [1, NAN, 3], equal_nan=True)
    assert np.array_equal(one("1,5", word, "3"), [1.5, NAN, 3], equal_nan=True)


def test_very_few_stray_texts_are_missing() -> None:
    numbers = [f"{number},5" for number in range(150)]
    found = read_numbers([[*numbers, "abc", "<3", "abc"]], Job(), comma_likely=True)[0]
    assert found is not None
    assert (found.strays, found.note) == (("abc", "<3"), "decimal comma")
    assert np.isnan(found.values[-3:]).all()
    assert one(*numbers, *"abcd") is None  # more than 2 %
    assert one(*numbers * 10, *"abcdef") is None  # more than 5 different ones
    assert one("x", *[""] * 100, "1") is None


def test_looking_like_a_number() -> None:
    assert all(map(looks_like_number, ("1", "-1,5", "1.000,5", "1e5", " 3 ")))
    assert not any(map(looks_like_number, ("", "x", "1 x", ".", "inf", "nan", "2020-01-01")))


def test_long_columns_in_pieces() -> None:
    texts = [str(number) for number in range(120_001)]
    values = plain(texts, Job())
    assert values is not None
    assert values[-1] == 120_000
