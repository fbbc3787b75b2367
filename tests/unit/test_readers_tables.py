"""Tables as datasets: roles, features, missing values, copies, pictures, many files as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import readers
from engine.dataset import ColumnKind, Dataset, Role, SourceKind
from engine.errors import Cancelled, DatasetError, ParameterError, ResourceError
from engine.job import Job
from engine.readers import sheets


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(tmp_path: Path, text: str, **options: object) -> Dataset:
    path = write(tmp_path / "table.csv", text)
    return readers.read(path, Job(), **options)  # type: ignore[arg-type]


def roles(dataset: Dataset) -> dict[str, Role]:
    return {column.name: column.role for column in dataset.columns}


MIXED = """id,age,size,colour,comment,class,site
p1,30,1.5,red,first long remark,a,X
p2,40,2.5,blue,second remark,b,X
p3,50,3.5,red,another one,a,X
p4,60,4.5,blue,and more,b,X
"""


def test_roles_and_features(tmp_path: Path) -> None:
    dataset = read(tmp_path, MIXED)
    assert dataset.kind is SourceKind.TABLE
    assert (dataset.root, dataset.source) == (tmp_path, tmp_path / "table.csv")
    assert roles(dataset) == {
        "id": Role.ID,
        "age": Role.FEATURE,
        "size": Role.FEATURE,
        "colour": Role.FEATURE,
        "comment": Role.TEXT,
        "class": Role.LABEL,
        "site": Role.IGNORED,
    }
    kinds = {column.name: column.kind for column in dataset.columns}
    assert kinds["age"] is ColumnKind.NUMBER
    assert kinds["colour"] is ColumnKind.CATEGORY
    assert kinds["comment"] is ColumnKind.TEXT
    assert dataset.feature_names == ("age", "size", "colour = blue", "colour = red")
    assert dataset.features is not None
    assert dataset.features.dtype == np.float32
    third = np.float32(1 / 3)
    assert dataset.features.tolist()[1] == [third, third, 1, 0]
    assert [item.name for item in dataset.items] == ["p1", "p2", "p3", "p4"]
    assert [item.label for item in dataset.items] == ["a", "b", "a", "b"]
    assert dataset.items[0].cells == ("p1", "30", "1.5", "red", "first long remark", "a", "X")
    assert dataset.items[0].path is None
    assert "1 constant or empty column dropped: site" in dataset.notes


def test_given_back_roles_change_nothing(tmp_path: Path) -> None:
    first = read(tmp_path, MIXED)
    again = read(tmp_path, MIXED, roles=roles(first))
    assert roles(again) == roles(first)
    assert again.items == first.items
    assert again.feature_names == first.feature_names
    assert np.array_equal(again.features, first.features)


def test_given_roles_win(tmp_path: Path) -> None:
    dataset = read(
        tmp_path,
        MIXED,
        roles={
            "colour": Role.LABEL,
            "comment": Role.ID,
            "class": Role.IGNORED,
            "age": Role.TEXT,
            "id": Role.FEATURE,
        },
    )
    assert dataset.items[1].name == "second remark"
    assert dataset.items[1].label == "blue"
    assert dataset.feature_names == ("id = p1", "id = p2", "id = p3", "id = p4", "size")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"nope": Role.ID}, "no column “nope”"),
        ({"id": Role.LABEL, "age": Role.LABEL}, "only one column can be the label"),
        ({"age": Role.TEXT, "size": Role.TEXT, "colour": Role.TEXT}, "no column can be compared"),
    ],
)
def test_impossible_roles(tmp_path: Path, given: dict[str, Role], words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        read(tmp_path, MIXED, roles=given)


def test_missing_values_are_filled_in_and_counted(tmp_path: Path) -> None:
    dataset = read(tmp_path, "a,b,c\n0,x,1\n10,x,2\nNA,y,3\n4,,4\n,x,5\n")
    a, b, c = dataset.columns
    assert (a.missing, b.missing, c.missing) == (2, 1, 0)
    assert a.note == "2 missing values filled in with the median"
    assert b.note == "1 missing value filled in with the most frequent"
    assert "3 missing values in 2 columns filled in" in dataset.notes
    assert dataset.features is not None
    assert dataset.features[:, 0].tolist() == pytest.approx([0, 1, 0.4, 0.4, 0.4])
    assert dataset.features[:, 1:3].tolist() == [[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]]


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e999"])
def test_infinite_values_are_refused_by_name(tmp_path: Path, value: str) -> None:
    text = f"a,b\n1,2\n3,{value}\n"
    with pytest.raises(DatasetError, match=f"column “b”, line 3: “{value}” is not a finite number"):
        read(tmp_path, text)
    assert read(tmp_path, text, roles={"b": Role.IGNORED}).feature_names == ("a",)
    found = readers.preview(tmp_path / "table.csv", Job())
    assert any("not a finite number" in note for note in found.notes)
    assert found.n_items == 2


def test_unscaled(tmp_path: Path) -> None:
    dataset = read(tmp_path, "a,b\n-5,1\n20,3\n", scale="none")
    assert dataset.features is not None
    assert dataset.features.tolist() == [[-5, 1], [20, 3]]
    with pytest.raises(DatasetError, match="too large to be compared unscaled"):
        read(tmp_path, "a\n1\n1e300\n", scale="none")
    for one, other in (("1e-300", "2e-300"), ("1000000000", "1000000000.5")):
        with pytest.raises(DatasetError, match="column “a” are too small or too close"):
            read(tmp_path, f"a\n{one}\n{other}\n", scale="none")
    with pytest.raises(ParameterError, match="zscore"):
        read(tmp_path, "a\n1\n2\n", scale="zscore")


def test_extreme_numbers_scale(tmp_path: Path) -> None:
    dataset = read(tmp_path, "a,b\n-1.7e308,1e-310\n1.7e308,2e-310\n0,3e-310\n,1\n")
    assert dataset.features is not None
    assert dataset.features[:, 0].tolist() == [0, 1, 0.5, 0.5]
    assert np.isfinite(dataset.features).all()


def test_copies_are_rows_with_equal_values(tmp_path: Path) -> None:
    dataset = read(
        tmp_path,
        "id,x,word,class\na,1.0,u,p\nb,1,u,q\nc,2,u,p\nd,-0,u,p\ne,0,v,p\nf,0.0,u,p\n",
    )
    assert [item.name for item in dataset.items] == ["a", "c", "d", "e"]
    assert dataset.items[0].copies == ("b",)
    assert dataset.items[2].copies == ("f",)
    assert dataset.items[0].label == "p"
    assert dataset.features is not None
    assert len(dataset.features) == len(dataset) == 4
    assert "2 exact copies collapsed" in dataset.notes
    assert any("another label" in note for note in dataset.notes)


def test_content_ignores_what_is_not_compared(tmp_path: Path) -> None:
    one = read(tmp_path, "id,x,class\na,1,p\nb,2,q\n")
    other = read(tmp_path, "id,x,class\nc,1.00,r\nd,2,q\n")
    changed = read(tmp_path, "id,x,class\na,1,p\nb,3,q\n")
    assert one.fingerprint() == other.fingerprint() != changed.fingerprint()


def test_labels_only_by_their_names(tmp_path: Path) -> None:
    assert roles(read(tmp_path, "x,y\n1,2\n2,1\n3,2\n4,1\n"))["y"] is Role.FEATURE
    assert roles(read(tmp_path, "a,y\n1,2\n2,1\n3,2\n4,1\n"))["y"] is Role.LABEL
    twice = read(tmp_path, "a,Species,Target\n1,s,1\n2,t,0\n3,s,1\n4,t,0\n")
    assert roles(twice) == {"a": Role.FEATURE, "Species": Role.LABEL, "Target": Role.IGNORED}
    told = read(
        tmp_path, "a,species,kind\n1,s,1\n2,t,0\n3,s,1\n4,t,0\n", roles={"kind": Role.LABEL}
    )
    assert roles(told)["species"] is Role.IGNORED
    gaps = read(tmp_path, "a,class\n1,s\n2,\n3,t\n4,s\n")
    assert [item.label for item in gaps.items] == ["s", None, "t", "s"]


def test_identifiers_never_become_features(tmp_path: Path) -> None:
    found = read(tmp_path, "name,patient_id,x\nann,7,1\nbob,7,2\ncid,9,3\ndan,9,4\n")
    assert roles(found) == {"name": Role.ID, "patient_id": Role.IGNORED, "x": Role.FEATURE}
    index = read(tmp_path, ",x\n0,5\n1,6\n2,7\n")
    assert roles(index) == {"column 1": Role.ID, "x": Role.FEATURE}
    assert [item.name for item in index.items] == ["0", "1", "2"]


def test_rows_without_an_identifier_are_numbered(tmp_path: Path) -> None:
    dataset = read(tmp_path, "x,z\n1,2\n3\n5,6\n")
    assert [item.name for item in dataset.items] == ["row 1", "row 3"]
    assert dataset.problems[0].name == "table.csv, line 3"


def test_repeated_names_are_told_apart(tmp_path: Path) -> None:
    dataset = read(tmp_path, "n,x\na,1\na,2\n,3\n", roles={"n": Role.ID})
    assert [item.name for item in dataset.items] == ["a", "a (2)", "row 3"]


def test_columns_of_nearly_numbers_say_why(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number}\n" for number in range(40))
    dataset = read(tmp_path, f"a,b\n{rows}<0.5,50\n")
    assert dataset.columns[0].role is Role.TEXT
    reason = "1 of 41 values is no number, in row 41: “<0.5”"
    assert dataset.columns[0].note == reason
    assert f"column “a” is not compared: {reason}" in dataset.notes


def test_a_stray_text_among_numbers_is_missing_and_quoted(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number},{number}\n" for number in range(100))
    dataset = read(tmp_path, f"a,b,nr\n{rows}k.A.,abc ,x1\n")
    a, b, number = dataset.columns
    assert (a.role, a.missing, a.note) == (
        Role.FEATURE, 1, "1 missing value filled in with the median",
    )  # fmt: skip
    said = "1 value is no number (“abc”): taken as missing"
    assert (b.role, b.kind, b.missing) == (Role.FEATURE, ColumnKind.NUMBER, 1)
    assert b.note == f"{said}; 1 missing value filled in with the median"
    assert f"column “b”: {said}" in dataset.notes
    assert (number.role, number.missing, number.note) == (Role.ID, 0, "")  # a name is no number
    assert dataset.items[-1].name == "x1"
    assert dataset.features is not None
    assert dataset.features[-1].tolist() == [0.5, 0.5]
    again = read(tmp_path, f"a,b,nr\n{rows}k.A.,abc ,x1\n", roles=roles(dataset))
    assert again.columns == dataset.columns
    shown = read(tmp_path, f"a,b,nr\n{rows}k.A.,abc ,x1\n", roles={"b": Role.TEXT})
    assert shown.columns[1].missing == 0


def test_infinite_values_are_no_strays(tmp_path: Path) -> None:
    rows = "".join(f"{number}\n" for number in range(100))
    with pytest.raises(DatasetError, match="“inf” is not a finite number"):
        read(tmp_path, f"a\n{rows}inf\nabc\n")


@pytest.mark.parametrize(
    "name",
    [
        *("Gruppe", "KLASSE", "Diagnose", "Art", "Spezies", "Befund", "group"),
        *("groupe", "classe", "diagnostic", "espèce", "espe\u0300ce"),
        *("grupo", "clase", "Especie", "Diagnóstico", "gruppo", "diagnosi", "specie"),
        *("类别", "分组", "诊断"),
    ],
)
def test_labels_have_names_in_other_languages_too(tmp_path: Path, name: str) -> None:
    text = "1,a\n2,b\n3,a\n4,b\n"
    assert roles(read(tmp_path, f"x,{name}\n{text}"))[name] is Role.LABEL
    unlike = read(tmp_path, f"x,{name}\n1,11\n2,12\n3,13\n4,14\n")
    assert roles(unlike)[name] is Role.IGNORED


@pytest.mark.parametrize(
    "name",
    [
        *(
            "PatientenNr",
            "Patienten-ID",
            "Fallnummer",
            "Nr",
            "Nr.",
            "Nummer",
            "Kennung",
            "Lfd. Nr.",
        ),
        *(
            "Probennr",
            "case no",
            "sample_no.",
            "numéro",
            "N°",
            "código",
            "caso",
            "编号",
            "患者编号",
        ),
    ],
)
def test_identifiers_have_names_in_other_languages_too(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, f"x,{name}\n1.5,11\n2.5,12\n3.5,14\n4.5,17\n")
    assert roles(found) == {"x": Role.FEATURE, name: Role.ID}
    assert found.items[3].name == "17"


def test_measurements_that_end_like_numbers_are_kept(tmp_path: Path) -> None:
    found = read(tmp_path, "SNR,serum no,smoker no\n11,0.5,0\n12,0.7,1\n14,1.5,0\n17,2.5,1\n")
    assert set(roles(found).values()) == {Role.FEATURE}


def test_free_text_cannot_be_insisted_on(tmp_path: Path) -> None:
    rows = "".join(f"{number},text {number}\n" for number in range(300))
    with pytest.raises(DatasetError, match="300 different texts"):
        read(tmp_path, f"a,b\n{rows}", roles={"b": Role.FEATURE})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "table is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1\n2\n", "no rows that can be used"),
        ("a,b\n1,1\n1,1\n", "all rows are the same"),
        ("word\nfirst remark\nsecond one\nthird\nfourth\nfifth\n", "no column can be compared"),
    ],
)
def test_tables_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        read(tmp_path, text)


def test_one_row_and_one_column(tmp_path: Path) -> None:
    dataset = read(tmp_path, "a\n1\n2\n3\n")
    assert dataset.features is not None
    assert dataset.features.tolist() == [[0], [0.5], [1]]
    single = read(tmp_path, "a,b,c\n1,red,\n")
    assert single.features is not None
    assert single.features.tolist() == [[0, 1]]
    assert "a single item: there is nothing to compare it with" in single.notes


def test_labels_from_folders_need_pictures(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no folder"):
        read(tmp_path, MIXED, labels_from_folders=True)
    with pytest.raises(DatasetError, match="holds tables"):
        readers.read(tmp_path, Job(), labels_from_folders=True)


def test_too_large_is_refused_with_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "MOST_CELLS", 7)
    with pytest.raises(ResourceError, match="4 rows of 2 columns"):
        read(tmp_path, "a,b\n1,2\n3,4\n5,6\n7,8\n")


def test_preview_shows_the_first_rows(tmp_path: Path) -> None:
    text = "a,b,class\n" + "".join(f"{row},{row % 3},{row % 2}\n" for row in range(30))
    found = readers.preview(write(tmp_path / "t.csv", text), Job(), roles={"b": Role.IGNORED})
    assert found.kind is SourceKind.TABLE
    assert (found.n_items, found.n_copies) == (30, 0)
    assert found.rows[0] == ("0", "0", "0")
    assert len(found.rows) == 8
    assert [column.role for column in found.columns] == [Role.FEATURE, Role.IGNORED, Role.LABEL]


def test_preview_of_what_cannot_be_compared_yet(tmp_path: Path) -> None:
    found = readers.preview(write(tmp_path / "t.csv", "a,b\nx y z,q\nu v,w\ns,t\n"), Job())
    assert any("no column can be compared" in note for note in found.notes)


class StopsAt(Job):
    """Is stopped when a certain stage is reached."""

    def __init__(self, stage: str) -> None:
        super().__init__()
        self.stage = stage

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        if text == self.stage:
            self.cancel()
        super().step(done, total, text)


def test_stopping(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number * 2}\n" for number in range(5000))
    path = write(tmp_path / "t.csv", "a,b\n" + rows)
    for text in ("Reading the table", "Reading the columns", "Looking for copies"):
        with pytest.raises(Cancelled):
            readers.read(path, StopsAt(text))


# ------------------------------------------------------------------ pictures in a table


def pictures(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for shade, name in enumerate(names):
        Image.new("L", (5, 5), shade * 20).save(folder / name)


def test_a_table_of_pictures(tmp_path: Path) -> None:
    pictures(tmp_path / "img", "a.png", "b.png", "c.png")
    dataset = read(
        tmp_path, "picture,size\nimg/a.png,1\nimg\\b.png,2\n./img/c.png,3\nimg/gone.png,4\n"
    )
    assert roles(dataset) == {"picture": Role.IMAGE, "size": Role.FEATURE}
    assert dataset.kind is SourceKind.TABLE
    assert [item.path for item in dataset.items] == [b"img/a.png", b"img/b.png", b"img/c.png"]
    assert [(problem.name, problem.reason) for problem in dataset.problems] == [
        ("line 5", "the picture img/gone.png does not exist")
    ]
    assert dataset.features is not None
    assert dataset.features.tolist() == [[0], [0.5], [1]]


def test_content_follows_the_picture_not_its_name(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png", "b.png")
    one = read(tmp_path, "p,s\na.png,1\nb.png,2\n")
    (tmp_path / "a.png").rename(tmp_path / "z.png")
    other = read(tmp_path, "p,s\nz.png,1\nb.png,2\n")
    assert one.fingerprint() == other.fingerprint()
    Image.new("L", (5, 5), 99).save(tmp_path / "b.png")
    assert read(tmp_path, "p,s\nz.png,1\nb.png,2\n").fingerprint() != one.fingerprint()


def test_pictures_without_measurements(tmp_path: Path) -> None:
    pictures(tmp_path, "a.png", "b.png")
    (tmp_path / "bad.png").write_bytes(b"x")
    dataset = read(tmp_path, "p\na.png\nb.png\nbad.png\n")
    assert dataset.features is None
    assert len(dataset) == 2
    assert "bad.png" in dataset.problems[0].reason


@pytest.mark.parametrize("column", ["scan", "file"])
def test_paths_from_another_computer_are_named(tmp_path: Path, column: str) -> None:
    with pytest.raises(DatasetError, match=rf"“{column}” are not where .* C:\\a\.png"):
        read(tmp_path, f"{column},label\nC:\\a.png,x\nC:\\b.png,y\nC:\\c.png,x\n")


def test_no_picture_of_a_told_column_exists(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="none of the pictures in column “p”"):
        read(tmp_path, "p,s\na.png,1\nb.png,2\n", roles={"p": Role.IMAGE})


# ------------------------------------------------------------------ folders of tables


def test_many_tables_are_one(tmp_path: Path) -> None:
    write(tmp_path / "day1.csv", "a,b\n1,2\n3,4\n")
    write(tmp_path / "sub/day2.csv", "b,a\n6,5\n")
    write(tmp_path / "read me.txt", "not a table")
    dataset = readers.read(tmp_path, Job())
    assert [column.name for column in dataset.columns] == ["a", "b", "file"]
    assert dataset.columns[2].role is Role.IGNORED
    assert [item.cells for item in dataset.items] == [
        ("1", "2", "day1.csv"),
        ("3", "4", "day1.csv"),
        ("5", "6", "sub/day2.csv"),
    ]
    assert dataset.items[2].name == "sub/day2.csv, row 1"
    assert dataset.root == dataset.source == tmp_path
    assert "2 tables read as one" in dataset.notes
    labelled = readers.read(tmp_path, Job(), roles={"file": Role.LABEL})
    assert labelled.items[2].label == "sub/day2.csv"


def test_tables_that_do_not_fit_together(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n3,4\n")
    write(tmp_path / "2.csv", "a,c\n1,2\n3,4\n")
    with pytest.raises(DatasetError, match=r"2\.csv has other columns than 1\.csv: it lacks b and"):
        readers.read(tmp_path, Job())


def test_a_broken_table_among_good_ones(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n3,4,5\n7,8\n")
    write(tmp_path / "2.xlsx", "no spreadsheet")
    write(tmp_path / "3.csv", "")
    dataset = readers.read(tmp_path, Job())
    assert len(dataset) == 2
    assert [problem.name for problem in dataset.problems] == ["2.xlsx", "3.csv", "1.csv, line 3"]
    for name in ("1.csv", "3.csv"):
        (tmp_path / name).unlink()
    with pytest.raises(DatasetError, match=r"none of the tables.*2\.xlsx"):
        readers.read(tmp_path, Job())


def test_pictures_are_looked_for_beside_their_own_table(tmp_path: Path) -> None:
    for day in ("one", "two"):
        pictures(tmp_path / day / "img", "x.png")
        write(tmp_path / day / "t.csv", f"p,s\nimg/x.png,{len(day) + (day == 'two')}\n")
    for day in ("one", "two"):
        (tmp_path / day / "img").rename(tmp_path / day / ".img")  # else the folder is of pictures
        write(tmp_path / day / "t.csv", f"p,s\n.img/x.png,{len(day) + (day == 'two')}\n")
    dataset = readers.read(tmp_path, Job())
    assert [item.path for item in dataset.items] == [b"one/.img/x.png", b"two/.img/x.png"]
