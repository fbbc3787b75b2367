"""Suggestions in the real window: confirmed by a key, taken back; and the space that is learned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.model import GIVEN, Source
from tests.e2e.drawings import draw_folder
from tests.e2e.person import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return draw_folder(tmp_path / "shapes", 40, sides=(28, 48))


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path, pictures: Path) -> Iterator[Person]:
    someone = Person()
    someone.import_folder(pictures, tmp_path / "shapes.pairloom", embedder="pixels")
    yield someone
    assert someone.leave()


def press(key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, held)


def look_for_some(person: Person) -> None:
    """Answer until the answers reach further."""
    for _ in range(20):
        press(Qt.Key.Key_2, CONTROL)
        for _ in range(3):
            person.answer()
        press(Qt.Key.Key_6, CONTROL)
        person.wait(lambda: person.window.suggestions.learning.newer == 0)
        person.wait(lambda: person.controller.suggested and not person.controller.busy)
        if person.controller.suggested.suggestions.found:
            return
    raise AssertionError("nothing was suggested")


def test_a_suggestion_is_confirmed_and_taken_back(person: Person) -> None:
    look_for_some(person)
    page = person.window.suggestions
    before = person.snapshot
    first = page.list.current
    person.wait(lambda: page.answering.gate.is_open)
    press(Qt.Key.Key_Return)
    person.wait(lambda: person.snapshot.revision > before.revision)
    answer = person.snapshot.history[-1].answer
    assert (answer.pair, answer.verdict, answer.source) == (
        first.pair,
        first.verdict,
        Source.SUGGESTED,
    )
    person.wait(lambda: first.pair not in [one.pair for one in page.list.suggestions.found])
    press(Qt.Key.Key_Z, CONTROL)
    person.wait(lambda: page.list.current and page.list.current.pair == first.pair)
    assert person.snapshot.progress.answered == before.progress.answered
    assert np.array_equal(person.snapshot.overview.slots, before.overview.slots)


def test_the_learned_space_is_a_step_that_is_kept(
    person: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    look_for_some(person)
    page, before = person.window.suggestions, person.snapshot
    given = page.map.positions([0, 1, 2])
    page.space.names.setFocus()
    press(Qt.Key.Key_Down)
    person.wait(lambda: person.snapshot.space.strategy == "learned")
    assert person.snapshot.learned_after == before.progress.answered
    person.wait(lambda: not np.array_equal(page.map.positions([0, 1, 2]), given))
    taught = page.map.positions([0, 1, 2])
    assert np.array_equal(person.snapshot.overview.slots, before.overview.slots)

    page.setFocus()
    press(Qt.Key.Key_Z, CONTROL)
    person.wait(lambda: person.snapshot.space == GIVEN)
    person.wait(lambda: np.array_equal(page.map.positions([0, 1, 2]), given))
    press(Qt.Key.Key_Y, CONTROL)
    person.wait(lambda: person.snapshot.space.strategy == "learned")
    asked = person.snapshot.question

    later = Person()
    person.window.close_project()
    person.wait(lambda: person.controller.opened is None)
    try:
        later.open(tmp_path / "shapes.pairloom")
        assert later.snapshot.space.strategy == "learned"
        assert (later.snapshot.question is None) == (asked is None)
        later.window.show_suggestions()
        shown = later.window.suggestions.map
        later.wait(lambda: np.allclose(shown.positions([0, 1, 2]), taught, atol=1e-4))
    finally:
        assert later.leave()
