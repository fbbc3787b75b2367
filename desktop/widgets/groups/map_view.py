"""The canvas below the map: a pyqtgraph view without axes, and its three zoom buttons.

Hides pyqtgraph's menus, axes and mouse conventions. Promises plain signals: where the pointer is,
what was clicked (not dragged), when it left.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QToolButton, QWidget

from desktop import theme

_MARGIN, _ABOVE = 20, 36  # pixels around all items, and above them for a group's sign


class MapView(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """The canvas.

    Notes
    -----
    Signals: `hovered(QPoint)` while no button is down, `clicked(QPoint)` for a click without a
    drag, `left()` when the pointer goes away.
    """

    hovered = Signal(QPoint)
    clicked = Signal(QPoint)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pressed: QPoint | None = None
        self.hideAxis("left")
        self.hideAxis("bottom")
        self.hideButtons()
        self.setMenuEnabled(False)
        box = self.getPlotItem().getViewBox()
        box.setAspectLocked(True)
        box.disableAutoRange()
        self.getPlotItem().layout.setContentsMargins(0, 0, 0, 0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click began."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell a click from a drag."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        where = event.position().toPoint()
        if pressed is not None and event.button() == Qt.MouseButton.LeftButton:
            moved = (where - pressed).manhattanLength()
            if moved < QApplication.startDragDistance():
                self.clicked.emit(where)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell where the pointer is."""
        super().mouseMoveEvent(event)
        if event.buttons() == Qt.MouseButton.NoButton:
            self.hovered.emit(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the pointer went away."""
        super().leaveEvent(event)
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave keys to the map: the scroll area would take the arrows."""
        event.ignore()


class ZoomButtons(QFrame):
    """The buttons in the map's corner: closer, farther, all of it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.closer = self._button(self.tr("Zoom in"), "+")
        self.farther = self._button(self.tr("Zoom out"), "-")
        self.fit = self._button(self.tr("Show the whole map"), "0")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(0)
        for button in (self.closer, self.farther, self.fit):
            layout.addWidget(button)

    def _button(self, text: str, key: str) -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(text)
        button.setAutoRaise(True)
        button.setFixedSize(26, 26)
        button.setToolTip(f"{text} ({key})")
        return button

    def recolour(self) -> None:
        """Draw the icons in the ink of the theme."""
        self.closer.setIcon(theme.icon("zoom-in"))
        self.farther.setIcon(theme.icon("zoom-out"))
        self.fit.setIcon(theme.icon("fit"))


def with_margins(extent: QRectF, width: float, height: float) -> QRectF:
    """Widen a rectangle (y upwards) to a view of some pixels: no mark or sign is cut off."""
    across = max(1.0, width - 2 * _MARGIN) / extent.width()
    up = max(1.0, height - _MARGIN - _ABOVE) / extent.height()
    scale = min(across, up)
    wide, high = max(1.0, width) / scale, max(1.0, height) / scale
    spare = high - extent.height() - (_MARGIN + _ABOVE) / scale
    left = extent.center().x() - wide / 2
    return QRectF(left, extent.top() - _MARGIN / scale - spare / 2, wide, high)
