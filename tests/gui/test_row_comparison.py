from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.widgets.judging.row_comparison import RowComparison, compare, find_ranges, number_in
from engine.dataset import Column, ColumnKind, Item, Role

COLUMNS = (
    Column("id", ColumnKind.TEXT, Role.ID),
    Column("radius", ColumnKind.NUMBER, Role.FEATURE),
    Column("smoothness", ColumnKind.NUMBER, Role.FEATURE),
    Column("site", ColumnKind.CATEGORY, Role.FEATURE),
    Column("remark", ColumnKind.TEXT, Role.TEXT),
    Column("picture", ColumnKind.TEXT, Role.IMAGE),
    Column("diagnosis", ColumnKind.CATEGORY, Role.LABEL),
    Column("junk", ColumnKind.NUMBER, Role.IGNORED),
)
ROWS = (
    ("1", "10", "0,1", "left", "", "a.png", "benign", "4"),
    ("2", "20", "0,9", "left", "calcified", "b.png", "malignant", "4"),
    ("3", "1000", "0,2", "right", "", "c.png", "benign", "4"),
    ("4", "", "0,1", "left", "", "d.png", "benign", "4"),
)
ITEMS = tuple(Item(i, f"row {i + 1}", b"", cells=cells) for i, cells in enumerate(ROWS))
RANGES = find_ranges(ITEMS, COLUMNS)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1.5),
        ("1,5", 1.5),
        ("1.234,5", 1234.5),
        (" 12 ", 12.0),
        ("1 204", 1204.0),
        ("-3e-2", -0.03),
        ("", None),
        ("n/a", None),
        ("nan", None),
        ("inf", None),
        ("1,2,3", None),
    ],
)
def test_numbers_are_read_in_many_spellings(text: str, number: float | None) -> None:
    assert number_in(text) == number


def test_the_largest_standardised_difference_comes_first() -> None:
    lines = compare(ITEMS[0], ITEMS[1], COLUMNS, RANGES)
    assert [line.name for line in lines] == ["smoothness", "radius", "site", "remark"]
    smoothness, radius, site, remark = lines
    assert smoothness.apart > 2  # 0.8 apart, though 10 is the larger number
    assert radius.apart < 0.1
    assert smoothness.texts == ("0,1", "0,9")  # as in the file
    assert site.apart == 0
    assert not site.differs
    assert remark.differs  # shown texts come last, whatever they hold


def test_labels_ids_and_ignored_columns_are_never_shown() -> None:
    shown = {line.name for line in compare(ITEMS[0], ITEMS[2], COLUMNS, RANGES)}
    assert shown == {"radius", "smoothness", "site", "remark"}


def test_places_in_the_range() -> None:
    lines = {line.name: line for line in compare(ITEMS[0], ITEMS[2], COLUMNS, RANGES)}
    assert lines["radius"].places == (0.0, 1.0)
    assert lines["smoothness"].places[1] == pytest.approx(0.125)
    assert lines["site"].places == (None, None)


def test_a_missing_value_has_no_place_but_differs() -> None:
    line = next(
        line for line in compare(ITEMS[0], ITEMS[3], COLUMNS, RANGES) if line.name == "radius"
    )
    assert line.texts == ("10", "")
    assert line.places == (0.0, None)
    assert line.differs


def test_a_column_of_one_value() -> None:
    columns = (Column("c", ColumnKind.NUMBER, Role.FEATURE),)
    items = tuple(Item(i, "", b"", cells=("7",)) for i in range(3))
    (line,) = compare(items[0], items[1], columns, find_ranges(items, columns))
    assert line.places == (0.5, 0.5)
    assert line.apart == 0


def test_a_large_table_is_sampled_and_the_pair_still_lies_in_range() -> None:
    columns = tuple(Column(f"c{i}", ColumnKind.NUMBER, Role.FEATURE) for i in range(10))
    rows = [("5",) * 10] * 20_000
    rows[1] = ("900",) * 10  # between two sampled rows
    items = tuple(Item(i, "", b"", cells=cells) for i, cells in enumerate(rows))
    ranges = find_ranges(items, columns)
    line = compare(items[0], items[1], columns, ranges)[0]
    assert line.places == (0.0, 1.0)


def test_the_table_reports_that_it_is_painted(qtbot: QtBot) -> None:
    view = RowComparison()
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.set_table(ITEMS, COLUMNS)
    with qtbot.waitExposed(view):
        view.show()
    tokens: list[int] = []
    view.painted.connect(tokens.append)
    view.show_rows(ITEMS[0], ITEMS[1], 7)
    assert tokens == []
    qtbot.waitUntil(lambda: tokens == [7])
    view.viewport().repaint()
    assert tokens == [7]  # once per pair
    model = view.model()
    assert model.index(0, 0).data() == "smoothness"
    assert model.index(0, 1).data(Qt.ItemDataRole.FontRole).bold()
    assert model.index(2, 1).data(Qt.ItemDataRole.FontRole) is None  # same site: not bold
    view.set_heads("this", "that")
    heads = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(3)]
    assert heads == ["Column", "this", "that"]
    assert "0,1" in model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)


def test_a_long_text_is_read_whole(qtbot: QtBot) -> None:
    view = RowComparison()
    qtbot.addWidget(view)
    view.resize(600, 300)
    report = "Opacity in the upper lobe, margins irregular; follow-up after three months. " * 4
    rows = [ITEMS[0].cells, (*ITEMS[1].cells[:4], report, *ITEMS[1].cells[5:])]
    items = tuple(Item(i, f"row {i + 1}", b"", cells=cells) for i, cells in enumerate(rows))
    view.set_table(items, COLUMNS)
    with qtbot.waitExposed(view):
        view.show()
    view.show_rows(items[0], items[1], 1)
    row = [line.name for line in view.lines].index("remark")
    usual = view.rowHeight(0)
    letters = view.columnWidth(2) // view.fontMetrics().averageCharWidth()
    line = view.fontMetrics().lineSpacing()
    assert view.rowHeight(row) >= (len(report) // letters) * line
    assert {view.rowHeight(other) for other in range(row)} == {usual}
    tall = view.rowHeight(row)
    view.resize(1200, 300)
    qtbot.waitUntil(lambda: view.rowHeight(row) < tall)  # wider, so lower
    view.show_rows(ITEMS[0], ITEMS[2], 2)
    assert {view.rowHeight(other) for other in range(len(view.lines))} == {usual}
