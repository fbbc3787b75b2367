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
    parted_by
        What stands between parts of the text that are shown whole or not at all; "" = it has none.
    """

    def __init__(
        self,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
        *,
        least: int = 0,
        parted_by: str = "",
    ) -> None:
        super().__init__(parent)
        self._mode = mode
        self._least = least
        self._parted_by = parted_by
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
        text = self._parts_in(room)  # `elidedText` counts fractions of a pixel: whole if it fits
        if text:
            return text
        text = self.text().split(self._parted_by)[0] if self._parted_by else self.text()
        if room < _FEW * self.fontMetrics().averageCharWidth():
            return ""
        return self.fontMetrics().elidedText(text, self._mode, room)

    def fits(self, room: int) -> bool:
        """Whether at least the first part of the text has room, in pixels."""
        return bool(self._parts_in(room))

    def _parts_in(self, room: int) -> str:
        """Give the first parts of the text, as many as have room."""
        parts = self.text().split(self._parted_by) if self._parted_by else [self.text()]
        fitting = (self._parted_by.join(parts[:count]) for count in range(len(parts), 0, -1))
        metrics = self.fontMetrics()
        return next((text for text in fitting if metrics.horizontalAdvance(text) <= room), "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        text = self.shown()
        self.setToolTip(self._more or (self.text() if text != self.text() else ""))
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        flags = int(self.alignment()) | int(Qt.TextFlag.TextDontClip)  # the dots of a Ü stand out
        painter.drawText(self.contentsRect(), flags, text)
        painter.end()
