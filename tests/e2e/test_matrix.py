"""The matrix in the real window: groups that the engine found, an item set aside, another way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.messages import Choose, CreateProject, Request, SetAside, Tell, Undo
from engine.model import Approach, Verdict
from tests.e2e.person import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
HIGH = ((True, False), (False, True), (True, True))  # which measures are high, of each kind


@pytest.fixture
def person(qtbot: QtBot, tmp_path: Path) -> Iterator[Person]:
    rng = np.random.default_rng(0)
    rows = ["case,one,two"]
    for case in range(36):
        one, two = np.where(HIGH[case % 3], 8.0, 0.0) + rng.normal(scale=0.3, size=2)
        rows.append(f"c{case},{one:.3f},{two:.3f}")
    source = tmp_path / "cases.csv"
    source.write_text("\n".join(rows))
    someone = Person()
    params = {"method": "ckm", "groups": "2", "compose": "max"}
    someone.controller.send(
        CreateProject(source, tmp_path / "cases.pairloom", "table", 0, "composing", params)
    )
    someone.wait(lambda: someone.controller.opened is not None and not someone.controller.busy)
    yield someone
    assert someone.leave()


def press(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, held)


def ask(person: Person, request: Request) -> None:
    was = person.snapshot.revision
    person.controller.send(request)
    person.wait(lambda: person.snapshot.revision > was and not person.controller.busy)


def tell(person: Person) -> None:
    """Answer what is asked as the measures say."""
    state = person.snapshot
    assert state.question is not None
    a, b = state.question.pair
    shares = any(one and other for one, other in zip(HIGH[a % 3], HIGH[b % 3], strict=True))
    verdict = Verdict.SAME if shares else Verdict.DIFFERENT
    ask(person, Tell(state.revision, a, b, verdict))


def test_groups_found_are_seen_sifted_and_left(person: Person) -> None:
    for _ in range(4):
        tell(person)
    page, made = person.window.matrix, person.window.actions_by_id
    press(Qt.Key.Key_7, CONTROL)
    assert person.window.pages.currentWidget() is page
    model = page.matrix.matrix
    assert model.sharing is not None
    assert len(model.sharing.groups) == 2
    (composition,) = model.sharing.compositions
    assert composition.items == 12
    assert composition.fit < composition.alone
    both = {item for item in range(36) if item % 3 == 2}
    press(Qt.Key.Key_C)
    press(Qt.Key.Key_Right)  # stands on a group
    press(Qt.Key.Key_Right)
    assert page.graph.choice == composition.groups
    press(Qt.Key.Key_Return)
    assert {model.item_at(row) for row in range(model.rowCount())} == both
    press(Qt.Key.Key_Escape)

    ask(person, SetAside(person.snapshot.revision, (2,)))
    assert model.item_at(35) == 2
    assert model.is_aside(2)
    ask(person, Undo())
    assert not model.is_aside(2)

    ask(person, Choose(person.snapshot.revision, Approach("random")))
    assert person.window.pages.currentWidget() is person.window.tree
    assert not made["show_matrix"].isEnabled()
    ask(person, Undo())
    assert person.window.pages.currentWidget() is page
    assert len(model.columns) == 6
