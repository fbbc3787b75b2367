"""Another way of choosing pairs, by the real window and engine: looked at, taken, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from desktop.messages import Consider
from engine.model import StepKind
from tests.e2e.drawings import draw_folder
from tests.e2e.person import Person


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return draw_folder(tmp_path / "shapes", 40, sides=(28, 48))


@pytest.fixture
def person(qtbot: QtBot) -> Iterator[Person]:
    someone = Person()
    yield someone
    assert someone.leave()


def opened_dialog(person: Person) -> StrategyDialog:
    """Open the dialog by its key's action."""
    person.window.actions_by_id["change_strategy"].trigger()
    found = [one for one in person.window.findChildren(StrategyDialog) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def choose(dialog: StrategyDialog, name: str) -> None:
    dialog.choice.names.setCurrentIndex(dialog.choice.names.findData(name))


def test_it_is_looked_at_taken_and_undone(person: Person, pictures: Path, tmp_path: Path) -> None:
    person.import_folder(pictures, tmp_path / "shapes.pairloom", embedder="pixels")
    for _ in range(8):
        person.answer()
    before = person.snapshot
    dialog = opened_dialog(person)
    assert not dialog.change.isEnabled()
    choose(dialog, "cobras")
    person.wait(dialog.change.isEnabled)
    assert "All 8 answers are kept." in dialog.outlook.lines.text()
    assert person.snapshot.revision == before.revision
    assert person.snapshot.history == before.history
    QTest.mouseClick(dialog.change, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.snapshot.revision > before.revision)
    assert person.snapshot.approach.strategy == "cobras"
    assert person.snapshot.history[-1].kind is StepKind.STRATEGY
    assert person.snapshot.progress.answered == 8
    assert "COBRAS" in person.window.workspace.progress._strategy.text()
    person.turn_to_window()
    person.answer()
    person.undo()
    undone = person.undo()
    assert undone.approach == before.approach
    assert undone.question is not None
    assert before.question is not None
    assert undone.question.pair == before.question.pair
    assert person.troubles == []


def test_a_look_is_stopped_and_done_again(person: Person, pictures: Path, tmp_path: Path) -> None:
    person.import_folder(pictures, tmp_path / "shapes.pairloom", embedder="pixels")
    person.answer()
    dialog = opened_dialog(person)
    choose(dialog, "active-pck")
    dialog.look()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    person.wait(lambda: not person.controller.busy)
    assert dialog.isVisible()
    if not dialog.change.isEnabled():  # else it was through before the stop came
        QTest.mouseClick(dialog.again, Qt.MouseButton.LeftButton)
        person.wait(dialog.change.isEnabled)
    for name in ("random", "cobras", "explore-consolidate"):  # faster than they can be looked at
        choose(dialog, name)
        dialog.look()
    person.wait(dialog.change.isEnabled)
    assert dialog._outlook is not None
    assert dialog._outlook.approach.strategy == "explore-consolidate"
    dialog.reject()
    assert person.snapshot.approach.strategy == "falcon"


def test_a_project_begins_with_the_strategy_chosen(
    person: Person, pictures: Path, tmp_path: Path
) -> None:
    asked: list[object] = []
    person.controller.requestSent.connect(asked.append)
    person.window.import_from(pictures)
    dialog = person.window.findChild(ImportDialog)
    assert dialog is not None
    person.wait(dialog.make.isEnabled)
    dialog.embedder.setCurrentIndex(dialog.embedder.findData("pixels"))
    dialog.choice.names.setCurrentIndex(dialog.choice.names.findData("active-pck"))
    assert dialog.choice.settings is not None
    assert dialog.choice.settings.groups is not None
    dialog.choice.settings.groups.text = "4"
    dialog.path.setText(str(tmp_path / "four.pairloom"))
    QTest.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.controller.opened is not None, 300)
    assert person.snapshot.approach.strategy == "active-pck"
    assert dict(person.snapshot.approach.params)["groups"] == "4"
    person.turn_to_window()
    person.wait_ready()
    dialog = opened_dialog(person)
    assert dialog.choice.settings.groups.text == "4"
    assert "chosen now" in dialog.outlook.heading.text()
    dialog.reject()
    assert not any(isinstance(request, Consider) for request in asked)
