"""A text of a fixed number of lines: what does not fit ends in "…", and the tool tip has it all.

Promised: whatever it says, it takes the same height, so that nothing around it ever moves.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class Paragraph(QLabel):
    """The text.

    Parameters
    ----------
    lines
        For how many of them height is kept.
    """

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Ask for the lines, of any width."""
        return QSize(0, self._lines * self.fontMetrics().lineSpacing() + 2)

    def minimumSizeHint(self) -> QSize:
        """Ask for the lines, of any width."""
        return self.sizeHint()

    def shown(self) -> list[str]:
        """Give the lines as they fit the room there is."""
        room, metrics = self.contentsRect(), self.fontMetrics()
        most = max(1, room.height() // metrics.lineSpacing())
        text = " ".join(self.text().split())
        layout = QTextLayout(text, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        lines: list[str] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(room.width())
            start = line.textStart()
            if len(lines) == most - 1:
                rest = text[start:]
                lines.append(metrics.elidedText(rest, Qt.TextElideMode.ElideRight, room.width()))
                break
            lines.append(text[start : start + line.textLength()].rstrip())
        layout.endLayout()
        return lines

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what fits."""
        lines = self.shown()
        is_cut = bool(lines) and lines[-1].endswith("…") and not self.text().endswith("…")
        self.setToolTip(self.text() if is_cut else "")
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room, height = QRectF(self.contentsRect()), self.fontMetrics().lineSpacing()
        align = self.alignment()
        top = room.top()
        if align & Qt.AlignmentFlag.AlignVCenter:
            top += max(0.0, (room.height() - height * len(lines)) / 2)
        across = align & Qt.AlignmentFlag.AlignHorizontal_Mask
        for at, line in enumerate(lines):
            place = QRectF(room.left(), top + at * height, room.width(), height)
            flags = across | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(place, int(flags) | int(Qt.TextFlag.TextDontClip), line)
        painter.end()
