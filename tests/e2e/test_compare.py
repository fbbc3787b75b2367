"""Comparing with the real engine at the real window: found, stopped, used, taken back, saved."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop.dialogs.strategy import StrategyDialog
from desktop.messages import CreateProject, SaveComparison
from engine.compare import Comparison
from engine.dataset import Role
from tests.e2e.person import Person

N = 48


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    kinds = np.arange(N) % 3
    places = np.array([[0, 0], [1, 0], [0, 1]])[kinds] + rng.normal(0, 0.12, (N, 2))
    lines = [f"{x:.4f},{y:.4f},{'abc'[kind]}" for (x, y), kind in zip(places, kinds, strict=True)]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["x,y,kind", *lines]), encoding="utf-8")
    return path


@pytest.fixture
def person(qtbot: QtBot, table: Path) -> Iterator[Person]:
    made = Person((1280, 800))
    project = table.with_suffix(".pairloom")
    made.controller.send(
        CreateProject(table, project, "table", 0, roles={"kind": Role.LABEL}, question="Same?")
    )
    made.wait(lambda: made.controller.opened is not None)
    made.wait_ready()
    yield made
    assert made.leave()


def answer(person: Person, times: int) -> None:
    """Answer as the labels say, by keyboard."""
    for _ in range(times):
        person.wait_ready()
        opened, before = person.controller.opened, person.snapshot
        assert opened is not None
        assert before.question is not None
        one, other = (opened.items[item].cells[-1] for item in before.question.pair)
        person.press(Qt.Key.Key_S if one == other else Qt.Key.Key_D)
        person.wait(lambda before=before: person.snapshot.revision > before.revision)


def test_compare_stop_use_and_take_back(person: Person, tmp_path: Path) -> None:
    page, window = person.window.compare, person.window
    answer(person, 12)
    window.actions_by_id["show_compare"].trigger()
    page.setup.questions.setValue(15)
    heard: list[Comparison] = []
    person.controller.compared.connect(heard.append)
    QTest.mouseClick(page.setup.start, Qt.MouseButton.LeftButton)
    person.wait(lambda: heard and heard[-1].complete)
    assert len(heard) == 5  # two strategies on answers and labels, and the end
    assert not page.setup.progress.isVisible()
    assert page.answers.plot.length == 12
    assert page.labels.plot.length == 15
    assert page.answers.table.item(0, 2).text() == "1.00\nthe same"
    assert person.snapshot.progress.answered == 12

    saved = tmp_path / "c.csv"
    person.controller.send(SaveComparison(heard[-1], saved))
    person.wait(saved.exists)
    with saved.open(encoding="utf-8-sig", newline="") as file:
        assert {row["measure"] for row in csv.DictReader(file)} == {"foreseen", "ari", "nmi"}

    first = person.snapshot.approach
    other = heard[-1].trials[1].approach
    last = page.answers.table.columnCount() - 1
    QTest.mouseClick(
        page.answers.table.cellWidget(1, last).findChild(QPushButton), Qt.MouseButton.LeftButton
    )
    (dialog,) = window.findChildren(StrategyDialog)
    person.wait(dialog.change.isEnabled)
    QTest.mouseClick(dialog.change, Qt.MouseButton.LeftButton)
    person.wait(lambda: person.snapshot.approach == other)
    assert page.stale.isVisible()
    window.actions_by_id["undo"].trigger()
    person.wait(lambda: person.snapshot.approach == first)
    assert not page.stale.isVisible()
    assert not person.troubles

    page.setup.questions.setValue(2000)
    heard.clear()
    QTest.mouseClick(page.setup.start, Qt.MouseButton.LeftButton)
    person.wait(lambda: heard)
    QTest.mouseClick(page.setup.start, Qt.MouseButton.LeftButton)
    person.wait(lambda: not person.controller.busy)
    assert page.setup.start.text().replace("&", "") == "Compare"
    assert page.answers.isVisible()
    assert not person.troubles
