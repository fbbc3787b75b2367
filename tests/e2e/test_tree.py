"""The tree in the real window: worked out, cut by keys, looked at, left; the groups stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

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


def press(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, held)


def test_a_cut_is_looked_at_and_the_groups_stay(person: Person) -> None:
    for _ in range(6):
        person.answer()
    page, before = person.window.tree, person.snapshot
    press(Qt.Key.Key_4, CONTROL)
    person.wait(lambda: page.dendrogram.drawing is not None)
    assert "your answers had no part" in page.notice.text.text()
    said = page.dendrogram.drawing.answers.said
    assert [one.pair for one in said] == [
        step.answer.pair for step in before.history if step.answer is not None
    ]

    press(Qt.Key.Key_Down)
    groups = page.header.groups.value()
    person.wait(lambda: page.look.groups == groups)
    cut = page.look.shown
    assert len(cut.overview.groups) == groups
    assert len(page.gallery.groups._cards) == groups
    broken = {one.seq for one in page.dendrogram.drawing.answers.broken(groups)}
    assert broken == set(person.controller.cut.snapshot.overruled)
    assert person.controller.shown is person.snapshot
    assert person.snapshot.revision == before.revision

    for key in (Qt.Key.Key_S, Qt.Key.Key_D):  # no answers here
        press(key)
    press(Qt.Key.Key_Z, CONTROL)  # an undo ends the look; the tree is that of the new state
    person.wait(lambda: person.snapshot.revision > before.revision)
    assert page.look.groups is None
    person.wait(lambda: page.loader.is_current)
    assert len(page.dendrogram.drawing.answers.said) == 5

    press(Qt.Key.Key_Down)
    person.wait(lambda: page.look.groups is not None)
    press(Qt.Key.Key_2, CONTROL)
    assert page.look.groups is None
    person.answer()
    assert person.snapshot.progress.answered == 6
