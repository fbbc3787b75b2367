"""A contradiction in the real window: made by a change, looked at, settled, undone, redone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.model import Snapshot, StepKind, Verdict
from tests.e2e.drawings import draw_folder
from tests.e2e.person import Person

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path) -> Iterator[Person]:
    pictures = draw_folder(tmp_path / "shapes", 40, sides=(28, 48))
    someone = Person()
    someone.import_folder(pictures, tmp_path / "shapes.pairloom", embedder="pixels")
    yield someone
    assert someone.leave()


def press(person: Person, key: Qt.Key, held: Qt.KeyboardModifier | None = None) -> Snapshot:
    """Press a key where the keyboard is, and wait for what it changes."""
    before, focus = person.snapshot.revision, QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, held or Qt.KeyboardModifier.NoModifier)
    person.wait(lambda: person.snapshot.revision > before and not person.controller.busy)
    return person.snapshot


def contradict(person: Person) -> None:
    """Say an item is not like the nearest but like the next; then that those two are alike."""
    while person.snapshot.progress.groups < 4:
        person.answer()
    for verdict in (Verdict.DIFFERENT, Verdict.SAME):
        person.answer(verdict)
    history, judge = person.window.workspace.history, person.window.workspace.judge
    for step in person.snapshot.history:
        if step.answer is None or step.answer.verdict is not Verdict.DIFFERENT:
            continue
        menu = history.menu_for(history.steps.index(history.steps.row_of(step.seq)))
        before = person.snapshot.revision
        next(entry for entry in menu.actions() if entry.text() == "&Same").trigger()
        person.wait(lambda was=before: person.snapshot.revision > was)
        if person.snapshot.conflicts:
            return
        judge.setFocus()
        press(person, Qt.Key.Key_Backspace)
    raise AssertionError("no change makes a contradiction")


def test_it_is_settled_in_one_step_and_judging_goes_on(person: Person) -> None:
    contradict(person)
    person.wait_ready()
    judge = person.window.workspace.judge
    judge.setFocus()
    assert judge.pane.conflict.isVisible()
    seqs = {conflict.seq for conflict in person.snapshot.conflicts}
    person.answer()
    assert {conflict.seq for conflict in person.snapshot.conflicts} == seqs
    steps = len(person.snapshot.history)

    judge.setFocus()
    QTest.keyClick(judge, Qt.Key.Key_C)
    view = judge.contradiction
    assert view.isVisible()
    person.pass_time(view.pause_ms / 1000 + 0.05)
    wrong = view.strip.cards[view.strip.at].link
    open_before = len(person.snapshot.conflicts)
    settled = press(person, Qt.Key.Key_Return)
    assert len(settled.conflicts) < open_before
    assert len(settled.history) == steps + 1
    assert settled.history[-1].kind is StepKind.REVISE
    assert settled.history[-1].target == wrong.seq
    labels = settled.clustering.labels.tolist()

    back = press(person, Qt.Key.Key_Z, CONTROL)
    assert {conflict.seq for conflict in back.conflicts} == seqs
    again = press(person, Qt.Key.Key_Y, CONTROL)
    assert len(again.conflicts) == len(settled.conflicts)
    assert again.clustering.labels.tolist() == labels
    assert person.troubles == []
