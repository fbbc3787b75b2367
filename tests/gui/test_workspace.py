"""The place of work: panels, tabs, titles, and the way back to the first layout."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QDockWidget, QTabBar
from pytestqt.qtbot import QtBot

from desktop.controller import Controller
from desktop.images import PictureStore
from desktop.pages.workspace import Workspace
from engine.model import Pair
from tests.gui.handmade import chain, controller_on


@pytest.fixture
def workspace(qtbot: QtBot) -> Workspace:
    controller, opened = controller_on(history=chain(12), pair=Pair(0, 1))
    made = Workspace(controller, PictureStore(controller))
    qtbot.addWidget(made)
    made.resize(1196, 747)  # what is left of a window of 1280 x 800
    made.show()
    controller.receive(opened)
    settle()
    return made


def settle() -> None:
    for _ in range(5):
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def tab_bars(workspace: Workspace) -> list[QTabBar]:
    bars = workspace.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [bar for bar in bars if bar.isVisible() and workspace.rect().intersects(bar.geometry())]


def is_titled(dock: QDockWidget) -> bool:
    return dock.titleBarWidget() is None


def test_resetting_again_and_again_leaves_one_tab_bar(workspace: Workspace) -> None:
    for _ in range(3):
        workspace.reset()
        settle()
        (bar,) = tab_bars(workspace)
        assert [bar.tabText(at) for at in range(bar.count())] == ["History", "Progress"]
        assert bar.tabText(bar.currentIndex()) == "History"
        for other in (workspace.judge, workspace.overview, workspace.history):
            assert not bar.geometry().intersects(other.geometry())


def test_reset_brings_back_what_was_closed_floated_or_moved(workspace: Workspace) -> None:
    workspace.overview.setFloating(True)
    workspace.history.close()
    workspace.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, workspace.progress)
    settle()
    assert tab_bars(workspace) == []
    workspace.reset()
    settle()
    assert len(tab_bars(workspace)) == 1
    assert all(not dock.isHidden() and not dock.isFloating() for dock in workspace.docks)
    assert workspace.overview.geometry().left() > workspace.judge.geometry().right()


def test_a_panel_is_named_once(workspace: Workspace) -> None:
    assert is_titled(workspace.overview)
    assert not is_titled(workspace.history)
    assert not is_titled(workspace.progress)
    workspace.progress.close()
    settle()
    assert is_titled(workspace.history)
    workspace.progress.show()
    settle()
    assert not is_titled(workspace.history)
    workspace.progress.setFloating(True)
    settle()
    assert is_titled(workspace.history)
    assert is_titled(workspace.progress)


def test_a_small_window_shows_four_steps(workspace: Workspace) -> None:
    steps = workspace.history.list
    assert steps.viewport().height() >= 4 * steps.sizeHintForRow(0)


def test_a_layout_is_kept(workspace: Workspace, qtbot: QtBot) -> None:
    workspace.history.close()
    state = workspace.layout_state()
    controller = Controller()
    other = Workspace(controller, PictureStore(controller))
    qtbot.addWidget(other)
    other.restore(state)
    other.show()
    assert other.history.isHidden()
    other.reset()
    assert not other.history.isHidden()
