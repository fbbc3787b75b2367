"""The import dialog: what was found, what is chosen, what is asked for, what goes wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop import paths, theme
from desktop.controller import Controller
from desktop.dialogs.files import FileDialogs
from desktop.dialogs.import_dialog import ImportDialog
from desktop.images import PictureStore
from desktop.messages import CreateProject, Failed, Offer, Scanned, ScanSource, Stopped, Working
from desktop.settings import Settings
from desktop.widgets.thumb_grid import ThumbGrid
from engine import strategies
from engine.dataset import Column, ColumnKind, ItemProblem, Role
from tests.gui.handmade import controller_on

COLUMNS = (
    Column("patient", ColumnKind.TEXT, Role.ID, 0, 5),
    Column("radius", ColumnKind.NUMBER, Role.FEATURE, 3, 5, "3 missing values imputed"),
    Column("site", ColumnKind.CATEGORY, Role.FEATURE, 1, 2),
    Column("diagnosis", ColumnKind.CATEGORY, Role.LABEL, 0, 2),
)
ROWS = (("p1", "17.9", "left", "m"), ("p2", "12.0", "right", "b"))


class Answering(FileDialogs):
    """File dialogs that are answered at once."""

    def __init__(self, answer: Path | None) -> None:
        super().__init__(Settings(None))
        self.answer = answer

    def new(
        self, parent: QWidget, purpose: str, title: str, kinds: str, proposed: Path
    ) -> Path | None:
        return self.answer


def pictures(source: Path, **changes: object) -> Scanned:
    fields: dict[str, object] = {
        "source": source,
        "kind": "images",
        "n_items": 1204,
        "n_copies": 0,
        "columns": (),
        "preview": (),
        "problems": (),
        "notes": (),
        "embedders": ("lite0", "lite0-fast", "classic", "pixels"),
        "offers": tuple(Offer(name, strategies.parameters(name)) for name in strategies.REGISTRY),
    }
    return Scanned(**(fields | changes))  # type: ignore[arg-type]


def table(source: Path) -> Scanned:
    return pictures(
        source, kind="table", n_items=5, columns=COLUMNS, preview=ROWS, embedders=("table",)
    )


@pytest.fixture
def controller(qtbot: QtBot) -> Controller:
    return Controller()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "retina"
    folder.mkdir()
    return folder


@pytest.fixture
def dialog(qtbot: QtBot, controller: Controller, source: Path) -> ImportDialog:
    made = ImportDialog(controller, Answering(None), source)
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_looks_at_once_and_creates_only_when_told(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    assert controller.sent == [ScanSource(source)]
    assert not dialog.make.isEnabled()
    assert dialog.progress.isVisible()
    controller.receive(Working(300, 1204, "Reading pictures"))
    assert dialog.progress.value() == 300
    assert "300" in dialog.doing.text()
    controller.receive(pictures(source))
    assert "1204 pictures" in dialog.found.summary.text()
    assert dialog.make.isEnabled()
    assert not dialog.progress.isVisible()
    dialog.question.setText(" The same vessel? ")
    dialog.seed.setValue(7)
    dialog.planned.setValue(0)
    dialog.embedder.setCurrentIndex(2)
    qtbot.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    assert controller.sent[1:] == [
        CreateProject(
            source=source,
            path=source.with_name("retina.pairloom"),
            embedder="classic",
            seed=7,
            question="The same vessel?",
            planned=None,
        )
    ]


def test_everything_found_is_said(
    dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    problems = (ItemProblem("a.png", "the file is cut short"), ItemProblem("b.png", "empty"))
    controller.receive(
        pictures(source, n_copies=35, problems=problems, notes=("310 pictures turned upright",))
    )
    assert "35 exact copies" in dialog.found.summary.text()
    assert "2 cannot be used" in dialog.found.summary.text()
    assert "310 pictures turned upright" in dialog.found.notes.text()
    rows = [dialog.found.problems.topLevelItem(at) for at in range(2)]
    assert [(row.text(0), row.text(1)) for row in rows if row] == [
        ("a.png", "the file is cut short"),
        ("b.png", "empty"),
    ]
    assert dialog.found.problems.isVisible()
    assert not dialog.found.columns.isVisible()


def test_some_of_the_pictures_are_shown(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    for number in range(12):
        Image.new("RGB", (60, 40), (20 * number, 90, 40)).save(source / f"{number}.png")
    samples = tuple(source / f"{number}.png" for number in range(12))
    suffixes = (("jpg", 1000), ("jpeg", 4), ("png", 200))
    controller.receive(pictures(source, samples=samples, suffixes=suffixes))
    assert "• 1004 JPEG, 200 PNG" in dialog.found.notes.text()
    grid = dialog.found.pictures
    qtbot.waitUntil(lambda: all(grid._store.thumbnail(item) is not None for item in range(12)))
    squares = grid.squares()
    assert len(squares) == 12
    assert all(grid.rect().contains(square) for square in squares)
    dialog.reject()
    assert not grid._store.has_picture(0)


def test_samples_give_way_where_there_is_no_room(qtbot: QtBot) -> None:
    store = PictureStore(None)
    grid = ThumbGrid(store)
    qtbot.addWidget(grid)
    grid.show_items(range(60))
    for wide, high in ((690, 430), (300, 90), (1400, 900), (80, 75)):
        grid.resize(wide, high)
        squares = grid.squares()
        assert squares
        assert all(grid.rect().contains(square) for square in squares)
        assert not any(
            one.intersects(other) for at, one in enumerate(squares) for other in squares[:at]
        )
    grid.show_items(())
    assert grid.squares() == []
    store.close()


@pytest.mark.parametrize("which", ["pictures", "table"])
def test_the_samples_need_no_choice(qtbot: QtBot, controller: Controller, which: str) -> None:
    source = paths.sample_images() if which == "pictures" else paths.sample_table()
    dialog = ImportDialog(controller, Answering(None), source)
    qtbot.addWidget(dialog)
    controller.receive(pictures(source) if which == "pictures" else table(source))
    assert dialog.make.isEnabled()
    dialog.make.click()
    request = controller.sent[-1]
    assert isinstance(request, CreateProject)
    asked = {
        "pictures": ("Do these two show the same digit?", "classic", 100),
        "table": ("Are these two tumours of the same kind?", "table", 10),  # 5 rows, 10 pairs
    }
    assert (request.question, request.embedder, request.planned) == asked[which]


def test_slips_can_be_expected(dialog: ImportDialog, controller: Controller, source: Path) -> None:
    controller.receive(pictures(source))
    asked = []
    slips = dialog.choice.settings.slips
    assert slips.choice.isVisible()
    for at in range(slips.choice.count()):
        slips.choice.setCurrentIndex(at)
        assert slips.share.isVisible() is (at == slips.choice.count() - 1)
        slips.share.text = "0.2"
        dialog.make.click()
        request = controller.sent[-1]
        assert isinstance(request, CreateProject)
        strategies.make(request.strategy, request.params)  # raises what it does not know
        asked.append(request.params)
        controller.receive(Stopped("CreateProject"))
    assert asked == [{}, {"noise": "0.05"}, {"noise": "0.1"}, {"noise": "0.2"}]


def test_how_pairs_are_chosen(dialog: ImportDialog, controller: Controller, source: Path) -> None:
    controller.receive(pictures(source))
    choice = dialog.choice
    assert choice.strategy == "falcon"
    assert "recommended" in choice.names.currentText()
    assert choice.settings.form is not None
    assert not choice.settings.form.isVisible()  # until it is asked for
    assert "noise" not in choice.settings.form.fields  # its words are "your answers"
    choice.settings.fold.open()
    assert choice.settings.form.isVisible()
    choice.names.setCurrentIndex(choice.names.findData("active-pck"))
    assert choice.settings.slips is None
    assert choice.settings.groups.isVisible()
    choice.settings.groups.input.setText("many")
    assert "whole number" in dialog.fault.text()
    assert not dialog.make.isEnabled()
    choice.settings.groups.input.setText("7")
    dialog.make.click()
    request = controller.sent[-1]
    assert isinstance(request, CreateProject)
    assert (request.strategy, request.params) == ("active-pck", {"groups": "7"})


@pytest.mark.parametrize(
    ("n_items", "planned"), [(1, 0), (3, 3), (5, 10), (20, 40), (100, 200), (5000, 200)]
)
def test_no_more_questions_are_planned_than_there_are_pairs(
    dialog: ImportDialog, controller: Controller, source: Path, n_items: int, planned: int
) -> None:
    controller.receive(pictures(source, n_items=n_items))
    assert dialog.planned.value() == planned
    assert dialog.planned.maximum() <= max(0, n_items * (n_items - 1) // 2)


def test_notes_of_columns_have_room(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    dialog.show()
    noted = tuple(replace(column, note="1 of 120 values missing") for column in COLUMNS)
    controller.receive(replace(table(source), columns=noted))
    columns = dialog.found.columns
    columns.grab()
    index = columns.model().index(0, columns.model().columnCount() - 1)
    words = columns.fontMetrics().horizontalAdvance(index.data())
    assert columns.columnWidth(index.column()) >= words + 16
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "1 of 120 values missing"
    for combo in columns.findChildren(QComboBox):
        assert combo.width() >= combo.fontMetrics().horizontalAdvance(combo.currentText()) + 28


def test_roles_are_read_whole_in_the_program_s_own_style(
    qapp: QApplication, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    theme.apply(qapp, "light")
    dialog.show()
    controller.receive(table(source))
    part = QStyle.SubControl.SC_ComboBoxEditField
    for combo in dialog.found.columns.findChildren(QComboBox):
        option = QStyleOptionComboBox()
        combo.initStyleOption(option)
        kind = QStyle.ComplexControl.CC_ComboBox
        room = combo.style().subControlRect(kind, option, part, combo).width()
        assert room >= combo.fontMetrics().horizontalAdvance(combo.currentText())


def test_columns_get_roles(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(table(source))
    combos = dialog.found.columns.findChildren(QComboBox)
    assert len(combos) == len(COLUMNS)
    assert all(combo.accessibleName() for combo in combos)
    model = dialog.found.columns.model()
    texts = [[model.index(row, at).data() for at in range(5)] for row in range(4)]
    assert texts[1] == ["radius", "feature", "number", "17.9, 12.0", "3 missing values imputed"]
    assert texts[2][4] == "1 missing"
    combo = next(combo for combo in combos if "site" in combo.accessibleName())
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert dialog.found.columns.roles["site"] is Role.TEXT
    qtbot.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    (request,) = controller.sent[1:]
    assert isinstance(request, CreateProject)
    assert request.roles == {
        "patient": Role.ID,
        "radius": Role.FEATURE,
        "site": Role.TEXT,
        "diagnosis": Role.LABEL,
    }
    assert request.embedder == "table"


def test_roles_that_cannot_work_are_refused_with_a_reason(
    dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(table(source))
    model = dialog.found.columns.model()

    def give(row: int, role: Role) -> None:
        model.setData(model.index(row, 1), role)

    give(1, Role.ID)
    assert "Only one column" in dialog.fault.text()
    assert not dialog.make.isEnabled()
    give(1, Role.IGNORED)
    give(2, Role.IGNORED)
    assert "at least one column" in dialog.fault.text()
    give(2, Role.FEATURE)
    assert dialog.fault.text() == ""
    assert dialog.make.isEnabled()


def test_many_columns_stay_quick_and_editable(
    dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    many = tuple(Column(f"c{at}", ColumnKind.NUMBER, Role.FEATURE) for at in range(3000))
    controller.receive(pictures(source, kind="table", columns=many, embedders=("table",)))
    assert len(dialog.found.columns.roles) == 3000
    assert dialog.found.columns.findChildren(QComboBox) == []
    assert dialog.found.columns.edit(dialog.found.columns.model().index(5, 1)) is None
    assert dialog.make.isEnabled()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Choose where"),
        ("relative.pairloom", "Choose where"),
        ("/no/such/folder/a.pairloom", "does not exist"),
        ("{folder}/taken.pairloom", "exists already"),
        ("{folder}/taken", "exists already"),
    ],
)
def test_the_project_file_is_never_one_that_cannot_be(
    dialog: ImportDialog, controller: Controller, source: Path, text: str, reason: str
) -> None:
    (source.parent / "taken.pairloom").write_text("precious")
    controller.receive(pictures(source))
    dialog.path.setText(text.format(folder=source.parent))
    assert reason in dialog.fault.text()
    assert not dialog.make.isEnabled()
    dialog.path.setText(str(source.parent / "free"))
    assert dialog.make.isEnabled()
    dialog.make.click()
    request = controller.sent[-1]
    assert isinstance(request, CreateProject)
    assert request.path == source.parent / "free.pairloom"
    assert (source.parent / "taken.pairloom").read_text() == "precious"


def test_browse_takes_what_was_chosen(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(pictures(source))
    before = dialog.path.text()
    dialog.browse.click()
    assert dialog.path.text() == before
    assert isinstance(dialog._files, Answering)
    dialog._files.answer = source.parent / "chosen.pairloom"
    dialog.browse.click()
    assert dialog.path.text() == str(source.parent / "chosen.pairloom")


@pytest.mark.parametrize("news", ["unusable", "failed", "nothing"])
def test_a_source_that_cannot_be_used_is_explained(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path, news: str
) -> None:
    if news == "unusable":
        controller.receive(pictures(source, n_items=0, unusable="No pictures", hint="Try again"))
    elif news == "failed":
        controller.receive(Failed("No pictures", "Try again"))
    else:
        controller.receive(pictures(source, n_items=0))
    assert dialog.found.summary.text()
    assert dialog.found.notes.isVisible()
    assert not dialog.make.isVisible()
    assert not dialog.choices.isVisible()
    with qtbot.waitSignal(dialog.otherWanted):
        dialog.other.click()
    assert not dialog.isVisible()


def test_a_failure_keeps_the_choices(
    dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(pictures(source))
    dialog.question.setText("Same?")
    dialog.make.click()
    assert not dialog.choices.isEnabled()
    controller.receive(Failed("There is no space left on the disk.", "Free some."))
    assert dialog.isVisible()
    assert "no space left" in dialog.fault.text()
    assert dialog.question.text() == "Same?"
    assert dialog.make.isEnabled()


def test_stopping_leaves_the_dialog_and_then_closes_it(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(pictures(source))
    dialog.make.click()
    controller.receive(Working(10, 1204, "Describing pictures"))
    assert dialog.progress.maximum() == 1204
    dialog.stop.click()
    assert dialog.isVisible()
    controller.receive(Stopped("CreateProject"))
    assert dialog.make.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_quitting_while_it_creates_is_not_held_up(
    monkeypatch: pytest.MonkeyPatch, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    stops: list[bool] = []
    monkeypatch.setattr(controller, "cancel", lambda: stops.append(True))
    controller.receive(pictures(source))
    dialog.make.click()
    assert dialog.close()
    assert not dialog.isVisible()
    assert stops == [True]


def test_closing_while_it_looks_stops_the_look(
    dialog: ImportDialog, controller: Controller
) -> None:
    dialog.stop.click()
    assert not dialog.isVisible()
    controller.receive(Stopped("ScanSource"))


def test_it_closes_when_the_project_is_open(
    qtbot: QtBot, dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    _, opened = controller_on()
    controller.receive(pictures(source))
    dialog.make.click()
    with qtbot.waitSignal(dialog.accepted):
        controller.receive(opened)


def test_a_look_at_another_source_is_not_taken_for_this_one(
    dialog: ImportDialog, controller: Controller, source: Path
) -> None:
    controller.receive(pictures(source / "other"))
    assert not dialog.make.isEnabled()
