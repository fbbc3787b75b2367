"""The form that makes itself: types, bounds, what is usual, what is folded away."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QFileDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.widgets.choosing.parameter_field import readable
from desktop.widgets.choosing.parameter_form import ParameterForm
from engine.parameters import Parameter, unmarked

PARAMETERS = (
    Parameter("given", int, None, (), "Must be given.", least=2),
    Parameter("c", float, "0.3", (), "A share.", above=0),
    Parameter("rule", str, "fixed", ("fixed", "median"), "Which."),
    Parameter("label_column", str, "", (), "Any text."),
    Parameter("groups", int, "0", (), "How many.", least=0),
    Parameter("exact", bool, "yes", (), "Whether.", more=True),
    Parameter("rank", int, "256", (), "How many.", least=1, more=True),
)


@pytest.fixture
def form(qtbot: QtBot) -> ParameterForm:
    made = ParameterForm(PARAMETERS, {"given": "3"})
    qtbot.addWidget(made)
    made.show()
    return made


def test_each_type_has_its_field_and_every_field_speaks(form: ParameterForm) -> None:
    inputs = {name: field.input for name, field in form.fields.items()}
    assert isinstance(inputs["exact"], QCheckBox)
    assert isinstance(inputs["rule"], QComboBox)
    assert isinstance(inputs["c"], QLineEdit)
    for name, widget in inputs.items():
        assert widget.accessibleName() == readable(name)
        assert form.fields[name].parameter.help in widget.accessibleDescription()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert readable("criticism_width") == "Criticism width"
    assert readable("groups") == "Number of groups"
    assert readable("c") == "c"


def test_values_are_those_of_the_engine(qtbot: QtBot, form: ParameterForm) -> None:
    assert form.texts == {
        "given": "3",
        "c": "0.3",
        "rule": "fixed",
        "label_column": "",
        "groups": "0",
        "exact": "yes",
        "rank": "256",
    }
    with qtbot.waitSignal(form.changed):
        form.fields["c"].input.setText(" .50 ")
    form.fields["rule"].input.setCurrentIndex(1)
    form.more.open()
    qtbot.mouseClick(form.fields["exact"].input, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    form.fields["groups"].input.setText("12")
    assert form.texts["c"] == "0.5"
    assert form.texts["rule"] == "median"
    assert form.texts["exact"] == "no"
    assert form.texts["groups"] == "12"
    assert form.fault == ""


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("c", "0", "a number above 0, such as 0.3"),
        ("c", "0,3", "a number above 0"),
        ("c", "inf", "a number above 0"),
        ("c", "", "a number above 0"),
        ("given", "1", "a whole number, 2 or more"),
        ("given", "2.5", "a whole number"),
        ("groups", "-1", "a whole number, 0 or more"),
    ],
)
def test_what_is_wrong_is_said_beside_the_field(
    form: ParameterForm, name: str, typed: str, words: str
) -> None:
    field = form.fields[name]
    field.input.setText(typed)
    assert words in field.fault
    said = [label.text() for label in field.findChildren(QLabel) if label.isVisible()]
    assert field.fault in said
    assert field.fault in field.input.accessibleDescription()
    assert form.fault == f"{field.title}: {field.fault}"
    field.input.setText("5")
    assert form.fault == ""


def test_a_value_that_must_be_given_is_missed(qtbot: QtBot) -> None:
    form = ParameterForm(PARAMETERS)
    qtbot.addWidget(form)
    assert "2 or more" in form.fault


def test_nothing_stands_for_a_number_that_is_not_known(form: ParameterForm) -> None:
    line = form.fields["groups"].input
    assert (line.text(), line.placeholderText()) == ("", "not known")
    line.setText("4")
    assert form.texts["groups"] == "4"
    line.setText(" ")
    assert form.texts["groups"] == "0"
    assert form.fields["groups"].is_usual


def test_what_is_not_as_usual_is_told_and_taken_back(form: ParameterForm) -> None:
    assert form.unusual == ("given",)
    form.fields["c"].input.setText("0.30")
    assert form.unusual == ("given",)
    form.fields["c"].input.setText("0.4")
    said = [label.text() for label in form.fields["c"].findChildren(QLabel) if label.isVisible()]
    assert "usually 0.3" in said
    form.fields["rank"].input.setText("9")
    assert form.more.heading.text().endswith("1 not as usual")
    form.fields["rank"].input.setText("none")
    assert form.more.heading.text().endswith("1 to put right")
    form.usual.click()
    assert form.unusual == ("given",)  # it has no usual value
    assert not form.fields["rank"].fault
    assert form.more.heading.accessibleName() == "More settings"


def test_few_settings_need_no_folding(qtbot: QtBot) -> None:
    form = ParameterForm(PARAMETERS[-2:])
    qtbot.addWidget(form)
    form.show()
    assert form.more is None
    assert all(field.isVisible() for field in form.fields.values())


def test_more_settings_open_by_the_keyboard(qtbot: QtBot, form: ParameterForm) -> None:
    assert not form.fields["rank"].isVisible()
    form.more.heading.setFocus()
    qtbot.keyClick(form.more.heading, Qt.Key.Key_Space)
    assert form.fields["rank"].isVisible()


def test_scrolling_past_a_choice_does_not_turn_it(qapp: QApplication, form: ParameterForm) -> None:
    choice = form.fields["rule"].input
    choice.clearFocus()
    middle = QPointF(choice.rect().center())
    turn = QWheelEvent(
        middle,
        QPointF(choice.mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    qapp.sendEvent(choice, turn)
    assert choice.currentIndex() == 0


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (Parameter("share", float, "0.5", (), "", least=0, most=1), "from 0 to 1"),
        (Parameter("reach", float, "1", (), "", above=0, most=1e6), "above 0 and at most 1e+06"),
    ],
)
def test_a_number_too_large_is_told_both_bounds(
    qtbot: QtBot, parameter: Parameter, words: str
) -> None:
    made = ParameterForm((parameter,), {parameter.name: "1e300"})
    qtbot.addWidget(made)
    assert words in made.fault


def test_a_file_may_be_chosen_beside_the_choices(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.npz"
    file.write_bytes(b"weights")
    offered = Parameter("compose", str, "sum", ("sum", "max"), "What.", files=(".npz", ".pt"))
    form = ParameterForm([offered], {"compose": "max"})
    qtbot.addWidget(form)
    field = form.fields["compose"]
    assert field.file is not None
    assert field.file in form.stops
    assert form.texts == {"compose": "max"}
    kinds, starts = [], []

    def choose(_parent: object, _title: str, start: str, kind: str) -> tuple[str, str]:
        kinds.append(kind)
        starts.append(start)
        return (str(file) if len(kinds) == 2 else ""), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    field.file.click()  # and think better of it
    assert form.texts == {"compose": "max"}
    with qtbot.waitSignal(form.changed):
        field.file.click()
    assert "*.npz *.pt" in kinds[0]
    assert starts == ["", ""]
    field.file.click()
    assert starts[-1] == str(file)
    assert not form.fault
    assert unmarked(form.texts["compose"])[0] == str(file)
    again = ParameterForm([offered], form.texts)
    qtbot.addWidget(again)
    assert again.texts == form.texts
    assert isinstance(field.input, QComboBox)
    for typed, wrong in (
        ("s", "or a file"),
        ("m", "or a file"),
        (str(file.with_name("gone.npz")), "There is no file"),
        (str(tmp_path), "or a file"),
        (f'"{file}"', ""),
    ):
        field.input.lineEdit().setText(typed)
        qtbot.keyClick(field.input, Qt.Key.Key_Return)
        assert wrong in form.fault
        assert bool(wrong) == bool(form.fault)
    assert field.input.count() == 2
    field.text = "min"
    assert "or a file" in form.fault
    form.reset()
    assert form.texts == {"compose": "sum"}
