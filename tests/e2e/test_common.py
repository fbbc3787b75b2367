"""Items in several groups by the real window and engine: made, judged, named, changed, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from engine.model import Question, Snapshot, StepKind, Verdict
from tests.e2e.drawings import draw_sheets, kind_of
from tests.e2e.person import Person


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path) -> Iterator[Person]:
    someone = Person()
    import_sheets(someone, draw_sheets(tmp_path / "sheets", 48), tmp_path / "sheets.pairloom")
    yield someone
    assert someone.leave()


def import_sheets(person: Person, source: Path, project: Path) -> None:
    """Make a project of them, by the dialog, in which items may belong to several groups."""
    person.window.import_from(source)
    dialog = person.window.findChild(ImportDialog)
    assert dialog is not None
    person.wait(dialog.make.isEnabled)
    dialog.embedder.setCurrentIndex(dialog.embedder.findData("pixels"))
    dialog.kind.several.click()
    settings = dialog.choice.settings
    assert settings is not None
    assert settings.groups is not None
    settings.groups.input.setText("4")
    dialog.path.setText(str(project))
    QTest.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.controller.opened is not None, 600)
    person.turn_to_window()
    person.wait_ready()


def question_of(shown: Person | Snapshot) -> Question:
    """Give what is asked; there must be something."""
    snapshot = shown.snapshot if isinstance(shown, Person) else shown
    assert snapshot.question is not None
    return snapshot.question


def in_common(person: Person) -> bool:
    """Whether the two on the screen have a mark in common."""
    one, other = (set(kind_of(name).split("+")) for name in person.names_shown)
    return bool(one & other)


def press(key: Qt.Key) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key)


def answer(person: Person) -> None:
    """Answer the pair as it looks; where it is asked which, without a group."""
    person.wait_ready()
    before, judge = person.snapshot.revision, person.window.workspace.judge
    person.press(Qt.Key.Key_S if in_common(person) else Qt.Key.Key_D)
    if judge.pane.choice.isVisible():
        person.wait(lambda: judge.pane.choice.gate.is_open)
        press(Qt.Key.Key_Return)
    person.wait(lambda: person.snapshot.revision > before)


def test_groups_are_named_told_and_taken_back(person: Person) -> None:
    judge = person.window.workspace.judge
    assert judge.pane.question.text() == "Do these two have a group in common?"
    while len(question_of(person).common) < 2:  # which of them is asked once some groups are known
        answer(person)
    person.wait_ready()
    common = question_of(person).common
    before = person.snapshot
    answered = before.progress.answered
    person.press(Qt.Key.Key_S)
    assert person.snapshot.revision == before.revision
    person.wait(lambda: judge.pane.choice.gate.is_open)
    press(Qt.Key.Key_2)
    press(Qt.Key.Key_Return)
    person.wait(lambda: person.snapshot.revision > before.revision)
    step = person.snapshot.history[-1]
    assert step.answer is not None
    assert (step.answer.verdict, step.items) == (Verdict.SAME, (common[1],))
    person.wait_ready()
    person.undo()
    person.wait_ready()
    assert person.snapshot.progress.answered == answered
    assert question_of(person).pair == question_of(before).pair
    for _ in range(6):
        answer(person)
    assert person.snapshot.conflicts == ()
    assert person.snapshot.progress.implied == 0


def test_a_project_becomes_ordinary_and_takes_up_several_groups_again(person: Person) -> None:
    for _ in range(4):
        answer(person)
    window, before = person.window, person.snapshot
    assert not window.actions_by_id["show_tree"].isEnabled()
    window.actions_by_id["change_strategy"].trigger()
    (dialog,) = (one for one in window.findChildren(StrategyDialog) if one.isVisible())
    dialog.choice.kind.one.click()
    person.wait(dialog.change.isEnabled)
    assert "question becomes another one" in dialog.outlook.warnings.text.text()
    assert "Every item would belong to one group again." in dialog.outlook.lines.text()
    QTest.mouseClick(dialog.change, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.snapshot.revision > before.revision)
    assert person.snapshot.history[-1].kind is StepKind.STRATEGY
    assert person.snapshot.overview.memberships is None
    judge = window.workspace.judge
    assert judge.pane.question.text() == "Do these two belong together?"
    window.show_tree()
    person.wait(lambda: not person.controller.busy)
    revision = person.snapshot.revision
    window.actions_by_id["undo"].trigger()
    person.wait(lambda: person.snapshot.revision > revision)
    assert person.snapshot.overview.memberships is not None
    assert window.pages.currentWidget() is window.matrix  # it has the place of the tree there
    assert judge.pane.question.text() == "Do these two have a group in common?"
    assert person.troubles == []
