"""The place of work: the pair in the middle, the live overview, history and progress beside it.

Hidden: docks and their layout. Promised: what a person moved stays moved, a panel is named once (by
its tab or by its title), and the first layout can always be had again.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from desktop.controller import Controller
from desktop.docks.history import HistoryDock
from desktop.docks.overview import OverviewDock
from desktop.docks.progress import ProgressDock
from desktop.images import PictureStore
from desktop.pages.judge import JudgePage

LAYOUT_VERSION = 1  # raise when docks are added or renamed
_NARROW = 480  # pixels that the panels may take of a small window; of a large one a third


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
        self.history.contradictionRequested.connect(self.judge.look_at)
        self.progress.contradictionRequested.connect(self.judge.look_at_contradiction)
        self._sized = False
        self._untitled = {dock: QWidget(dock) for dock in self.docks}  # instead of a title
        self._titling = QTimer(self, singleShot=True, interval=0)  # once, after all have moved
        self._titling.timeout.connect(self._title)
        self._arrange()
        # Docks that are added again leave their old tab bars behind; restoring a state does not.
        self._first = self.saveState(LAYOUT_VERSION)
        for dock in self.docks:
            for moved in (dock.visibilityChanged, dock.topLevelChanged, dock.dockLocationChanged):
                moved.connect(self._titling.start)

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
        self.restoreState(self._first, LAYOUT_VERSION)
        self.history.raise_()
        self._size()

    def _arrange(self) -> None:
        for dock in self.docks:
            self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        self.splitDockWidget(self.overview, self.history, Qt.Orientation.Vertical)
        self.tabifyDockWidget(self.history, self.progress)
        self.history.raise_()

    def _size(self) -> None:
        """Share out the room; this has an effect only once there is some."""
        wide, high = self.width(), self.height()
        beside = min(wide * 2 // 5, max(_NARROW, wide // 3))
        self.resizeDocks([self.overview], [beside], Qt.Orientation.Horizontal)
        self.resizeDocks(
            [self.overview, self.history],
            [high * 21 // 40, high * 19 // 40],
            Qt.Orientation.Vertical,
        )

    def _title(self) -> None:
        """Take the title off panels that have a tab, and give it back to the others."""
        for dock in self.docks:
            has_tab = not dock.isFloating() and bool(self.tabifiedDockWidgets(dock))
            title = self._untitled[dock] if has_tab else None
            if dock.titleBarWidget() is not title:
                dock.setTitleBarWidget(title)  # type: ignore[arg-type]  # None is the usual one

    def showEvent(self, event: QShowEvent) -> None:
        """Share out the room the first time it is there, unless a saved layout did."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self._size()
