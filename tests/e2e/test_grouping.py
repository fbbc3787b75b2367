"""Another way of finding groups, by the real window and engine: guessed, undone, kept."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop import paths
from desktop.dialogs.grouping import GroupingDialog
from desktop.messages import CloseProject, Export
from engine.model import OWN, StepKind, Verdict
from tests.e2e.person import Person


@pytest.fixture
def person(qtbot: QtBot) -> Iterator[Person]:
    someone = Person()
    yield someone
    assert someone.leave()


@pytest.fixture(scope="module")
def truth() -> dict[str, str]:
    with paths.sample_table().open(encoding="utf-8") as file:
        return {row["case"]: row["diagnosis"] for row in csv.DictReader(file)}


def shown_dialog(person: Person) -> GroupingDialog:
    (dialog,) = (one for one in person.window.findChildren(GroupingDialog) if one.isVisible())
    return dialog


def take(person: Person, dialog: GroupingDialog) -> None:
    before = person.snapshot.revision
    person.wait(dialog.change.isEnabled)
    QTest.mouseClick(dialog.change, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.snapshot.revision > before)
    person.turn_to_window()


def judge(person: Person, truth: dict[str, str], answers: int) -> None:
    for _ in range(answers):
        person.wait_ready()
        opened, before = person.controller.opened, person.snapshot
        assert opened is not None
        assert before.question is not None
        one, other = (truth[opened.items[item].name] for item in before.question.pair)
        verdict = Verdict.SAME if one == other else Verdict.DIFFERENT
        person.window.workspace.judge.answer(verdict)
        person.wait(lambda before=before: person.snapshot.revision > before.revision)


def test_a_guess_is_taken_back_and_groups_found_on_answers_stay(
    person: Person, truth: dict[str, str], tmp_path: Path
) -> None:
    project = tmp_path / "tumours.pairloom"
    person.import_folder(paths.sample_table(), project, embedder="table")
    note = person.window.workspace.overview.note
    assert person.snapshot.overview.groups == ()
    QTest.mouseClick(note.guess, Qt.MouseButton.LeftButton)
    dialog = shown_dialog(person)
    person.wait(dialog.change.isEnabled)
    assert "There are none yet." in dialog.outlook.lines.text()
    assert dialog.outlook.moves.moves.rowCount() > 1
    assert person.snapshot.history == ()
    take(person, dialog)
    assert person.snapshot.grouping.strategy == "rcc"
    assert len(person.snapshot.overview.groups) > 1
    assert note.text.text().startswith("A guess nobody has checked")
    exported: list[str] = []
    person.controller.exported.connect(lambda news: exported.append(news.report))
    person.controller.send(Export(csv=tmp_path / "groups.csv"))
    person.wait(lambda: exported)
    assert "a guess nobody has checked" in exported[0]

    undone = person.undo()
    assert undone.grouping == OWN
    assert undone.overview.groups == ()

    judge(person, truth, 12)
    own = person.snapshot
    person.window.actions_by_id["change_grouping"].trigger()
    dialog = shown_dialog(person)
    dialog.choice.names.setCurrentIndex(dialog.choice.names.findData("fc2"))
    person.wait(dialog.change.isEnabled)
    assert "Your 12 answers are kept to in any case." in dialog.outlook.lines.text()
    moves = dialog.outlook.moves.moves
    moving = sum(len(move.items) for move in moves._moves)
    assert person.snapshot.revision == own.revision
    take(person, dialog)
    found = person.snapshot
    assert found.grouping.strategy == "fc2"
    assert found.grouped_after == found.progress.answered == 12
    assert found.history[-1].kind is StepKind.GROUPING
    assert int((found.overview.slots != own.overview.slots).sum()) == moving
    assert note.text.text() == "Groups by FC2, found from your 12 answers."

    judge(person, truth, 2)
    assert "2 newer ones are kept to" in note.text.text()
    slots = person.snapshot.overview.slots.tolist()
    person.controller.send(CloseProject())
    person.wait(lambda: person.controller.opened is None)
    person.open(project)
    assert person.snapshot.overview.slots.tolist() == slots
    assert person.snapshot.grouping == found.grouping
    QTest.mouseClick(note.again, Qt.MouseButton.LeftButton)
    take(person, shown_dialog(person))
    assert person.snapshot.grouped_after == 14
    assert note.text.text() == "Groups by FC2, found from your 14 answers."
    assert person.troubles == []
