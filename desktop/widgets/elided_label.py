"""A label that shortens its text to the room there is, and tells the whole of it on request."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

_FEW = 10  # letters that still say something


class ElidedLabel(QLabel):
    """One line of text with "…" where it does not fit; then the tool tip has all of it.

    Parameters
    ----------
    mode
        Where the text is shortened.
    least
        Letters that are not given up for what stands beside it.
    """

    def __init__(
        self,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
        *,
        least: int = 0,
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self._least = least
        self._more = ""
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        """Give way to what is beside it, but for the letters that must stay."""
        least = self._least * self.fontMetrics().averageCharWidth()
        return QSize(min(least, self.sizeHint().width()), super().minimumSizeHint().height())

    def set_more(self, text: str) -> None:
        """Give the tool tip something to say even where the whole text fits."""
        self._more = text
        self.update()

    def shown(self) -> str:
        """Give the text as it fits; nothing where only a few letters would."""
        room = self.contentsRect().width()
        if self.fontMetrics().horizontalAdvance(self.text()) <= room:
            return self.text()  # `elidedText` counts fractions of a pixel and would shorten it
        if room < _FEW * self.fontMetrics().averageCharWidth():
            return ""
        return self.fontMetrics().elidedText(self.text(), self._mode, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        text = self.shown()
        self.setToolTip(self._more or (self.text() if text != self.text() else ""))
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        flags = int(self.alignment()) | int(Qt.TextFlag.TextDontClip)  # the dots of a Ü stand out
        painter.drawText(self.contentsRect(), flags, text)
        painter.end()
