"""The place of work: the pair in the middle, the live overview, history and progress beside it.

Hidden: docks and their layout. Promised: what a person moved stays moved.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from desktop.controller import Controller
from desktop.docks.history import HistoryDock
from desktop.docks.overview import OverviewDock
from desktop.docks.progress import ProgressDock
from desktop.images import PictureStore
from desktop.pages.judge import JudgePage

LAYOUT_VERSION = 1  # raise when docks are added or renamed


class Workspace(QMainWindow):
    """Judging, with all that is seen while judging.

    Parameters
    ----------
    controller, pictures
        Handed on to the views.
    """

    def __init__(
        self, controller: Controller, pictures: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("workspace")
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._controller = controller
        self.judge = JudgePage(controller, pictures)
        self.overview = OverviewDock(controller, pictures)
        self.history = HistoryDock(controller, pictures)
        self.progress = ProgressDock(controller)
        self.setCentralWidget(self.judge)
        self._sized = False
        self._arrange()

    @property
    def docks(self) -> tuple[QDockWidget, ...]:
        """The panels."""
        return self.overview, self.history, self.progress

    def toggles(self) -> list[QAction]:
        """Give the switches that show and hide the panels."""
        return [dock.toggleViewAction() for dock in self.docks]

    def show_step(self, seq: int) -> None:
        """Look at the state after a step, as a click in the history does."""
        self.history.show()
        self.history.raise_()
        self._controller.view(seq)

    # ------------------------------------------------------------------ layout

    def layout_state(self) -> QByteArray:
        """Give the layout, for the next session."""
        return self.saveState(LAYOUT_VERSION)

    def restore(self, state: QByteArray) -> None:
        """Put a saved layout in force; one that cannot be used is passed over."""
        self._sized = not state.isEmpty() and self.restoreState(state, LAYOUT_VERSION)

    def reset(self) -> None:
        """Put every panel back where it was at first."""
        self._arrange()

    def _arrange(self) -> None:
        right = Qt.DockWidgetArea.RightDockWidgetArea
        for dock in self.docks:
            dock.setFloating(False)
            self.addDockWidget(right, dock)
            dock.show()
        self.splitDockWidget(self.overview, self.history, Qt.Orientation.Vertical)
        self.tabifyDockWidget(self.history, self.progress)
        self.history.raise_()
        self._size()

    def _size(self) -> None:
        """Share out the room; this has an effect only once there is some."""
        wide, high = self.width(), self.height()
        self.resizeDocks([self.overview], [wide * 2 // 5], Qt.Orientation.Horizontal)
        self.resizeDocks(
            [self.overview, self.history], [high * 3 // 5, high * 2 // 5], Qt.Orientation.Vertical
        )

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the room the first time it is there, unless a saved layout did."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self._size()
