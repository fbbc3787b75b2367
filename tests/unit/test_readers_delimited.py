"""Text tables of any hand: encodings, separators, quotes, headers, ragged rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.job import Job
from engine.readers.delimited import decode, parse, sniff
from engine.readers.files import Unreadable
from engine.readers.sheets import Sheet, read_sheet


def sheet(tmp_path: Path, data: str | bytes, name: str = "table.csv") -> Sheet:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_sheet(path, name, Job())


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(tmp_path: Path, separator: str, ending: str) -> None:
    rows = [["name", "size"], ["a", "1"], ["b", "2"]]
    found = sheet(tmp_path, ending.join(separator.join(row) for row in rows) + ending)
    assert found.header == ["name", "size"]
    assert found.rows == [("a", "1"), ("b", "2")]
    assert found.lines == ["line 2", "line 3"]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ('id,text\n1,"a; b"\n2,"c; d"\n', ","),
        ("a b\tc, d\ne\tf, g\n", "\t"),
        ("one\ntwo\n", ","),
        ("", ","),
        ("a,b,c\n1,2,3\n1,2\n4,5,6\n", ","),
        ("x;y;z\n1;2;3\n4,1;5;6\n", ";"),
    ],
)
def test_sniffing(text: str, separator: str) -> None:
    assert sniff(text) == separator


def test_separator_told_by_the_file(tmp_path: Path) -> None:
    found = sheet(tmp_path, "sep=|\na,x|b,x\n1|2\n")
    assert found.header == ["a,x", "b,x"]
    assert found.lines == ["line 3"]


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("utf-32", "UTF-32"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_encodings(encoding: str, note: str | None) -> None:
    text, notes = decode("größe,naïve “quoted”\n1,2\n".encode(encoding))
    assert text == "größe,naïve “quoted”\n1,2\n"
    assert notes == ((f"text read as {note}",) if note else ())


def test_bytes_that_windows_does_not_know_are_latin() -> None:
    assert decode(b"a\x81\xe9,b\n")[0] == "a\x81é,b\n"


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(Unreadable, match="not a text table"):
        decode(bytes(range(32)) * 50)
    with pytest.raises(Unreadable, match="UTF-16"):
        decode(b"\xff\xfea\0b")


def test_nul_bytes_are_left_out_and_told(tmp_path: Path) -> None:
    found = sheet(tmp_path, b"a,b\n1\0,2\nx\0\0,y\n")
    assert found.rows == [("1", "2"), ("x", "y")]
    assert "3 NUL bytes left out" in found.notes


def test_quotes_newlines_and_huge_fields(tmp_path: Path) -> None:
    huge = "x" * 300_000
    found = sheet(tmp_path, f'a,b\n"say ""hi"", you","two\nlines"\n1, "{huge}"\nlast,row\n')
    assert found.rows == [('say "hi", you', "two\nlines"), ("1", huge), ("last", "row")]
    assert found.lines == ["line 2", "line 4", "line 5"]


def test_ragged_rows_are_problems_by_line(tmp_path: Path) -> None:
    found = sheet(tmp_path, "a,b,c\n1,2,3\n4,5\n\n6,7,8,9\n1,1,1,,\n7,8,9\n")
    assert found.rows == [("1", "2", "3"), ("1", "1", "1"), ("7", "8", "9")]
    assert [(problem.name, problem.reason) for problem in found.problems] == [
        ("table.csv, line 3", "2 fields instead of 3"),
        ("table.csv, line 5", "4 fields instead of 3"),
    ]
    assert found.names == ["row 1", "row 4", "row 5"]


def test_a_quote_never_closed_is_guessed_at(tmp_path: Path) -> None:
    found = sheet(tmp_path, 'a,b\n1,2\n3,4\n5,6\n"oops,7\n8,9\n')
    assert len(found.rows) == 3
    assert "quotation mark" in found.problems[0].reason
    assert found.problems[0].name == "table.csv, line 5"


def test_duplicated_and_missing_names(tmp_path: Path) -> None:
    found = sheet(tmp_path, "x,x,,x (2),y \n1,2,3,4,a\n5,6,7,8,b\n")
    assert found.header == ["x", "x (3)", "column 3", "x (2)", "y"]
    assert "columns of the same name told apart: x (3)" in found.notes


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.9,virginica\n", None),
        ("1;2\n3;4\n", None),
        ("3\n1\n2\n", None),
        ("0,1,2\n5.5,6.5,7.5\n1.5,2.5,3.5\n", ["0", "1", "2"]),
        ("2019,2020,2021\n5,6,7\n1,2,3\n", ["2019", "2020", "2021"]),
        ("name,colour\nann,red\nbob,blue\n", ["name", "colour"]),
        ("red,ann\nblue,bob\nred,cid\n", None),
        ("a,b\n", ["a", "b"]),
        ("x,y\n,\n1,\n", ["x", "y"]),
        ("größe;gewicht\n1,5;2,5\n", ["größe", "gewicht"]),
        ("1.5,2.5\n", None),
    ],
)
def test_headers_are_told_from_data(tmp_path: Path, text: str, header: list[str] | None) -> None:
    found = sheet(tmp_path, text)
    if header is None:
        assert found.header == [f"column {place + 1}" for place in range(len(found.header))]
        assert any("no header" in note for note in found.notes)
        assert len(found.rows) == text.count("\n")
    else:
        assert found.header == header
        assert not any("no header" in note for note in found.notes)


def test_row_names_as_r_writes_them(tmp_path: Path) -> None:
    found = sheet(tmp_path, "mpg\tcyl\nMazda\t21\t6\nFiat\t32\t4\n", "cars.tsv")
    assert found.header == ["column 1", "mpg", "cyl"]
    assert found.rows[0] == ("Mazda", "21", "6")


def test_empty_tables(tmp_path: Path) -> None:
    for text in ("", "\n\n", ",,\n,,\n"):
        with pytest.raises(Unreadable, match="empty"):
            sheet(tmp_path, text)


def test_parsing_steps() -> None:
    steps: list[str] = []
    parse(b"a,b\n" * 10_000, Job(lambda done, total, text: steps.append(text)))
    assert set(steps) == {"Reading the table"}
