"""A line that says as much as there is room for, in whole words.

Hides measuring. Promises to take one line whatever it says, and that the tooltip and screen
readers have all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

_LEAST = 80  # pixels that are not given up for what stands beside it


class FittingLine(QLabel):
    """The line."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ways: tuple[str, ...] = ("",)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "muted")

    def say(self, ways: Sequence[str], whole: str = "") -> None:
        """Say something in the first way that fits, else in the last one; `whole` = all of it."""
        self._ways = tuple(ways) or ("",)
        self.setAccessibleName(whole or self._ways[0])
        self.setToolTip(whole or (self._ways[0] if len(self._ways) > 1 else ""))
        self._fit()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Ask for room for all."""
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self._ways[0]) + 2, hint.height())

    def minimumSizeHint(self) -> QSize:
        """Be content with little."""
        return QSize(min(_LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say what there is room for."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        fitting = (way for way in self._ways if metrics.horizontalAdvance(way) <= room)
        last = metrics.elidedText(self._ways[-1], Qt.TextElideMode.ElideRight, max(0, room))
        self.setText(next(fitting, last))
