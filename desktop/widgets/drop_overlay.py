"""What is laid over the window while something is dragged across it: what a drop would do."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from desktop import theme
from desktop.sources import Offer, Use


class DropOverlay(QWidget):
    """Covers its parent; hidden at first. Lets every event through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._below = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("What a drop would do"))
        self.offer: Offer | None = None
        self.hide()

    def show_offer(self, offer: Offer) -> None:
        """Say what a drop would do, or why it would do nothing."""
        self.offer = offer
        self.setAccessibleDescription(offer.words)
        self.setGeometry(self._below.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint a veil, a frame and the words."""
        if self.offer is None:
            return
        colors = theme.current().colors
        refused = self.offer.use is Use.REFUSE
        ink = QColor(colors.error if refused else colors.accent)
        veil = QColor(colors.window)
        veil.setAlphaF(0.94)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), veil)
        painter.setPen(QPen(ink, 3, Qt.PenStyle.DashLine))
        frame = QRectF(self.rect()).adjusted(16, 16, -16, -16)
        painter.drawRoundedRect(frame, 12, 12)
        icon = theme.icon("aside" if refused else "drop", ink.name())
        middle = frame.center()
        icon.paint(painter, int(middle.x()) - 28, int(middle.y()) - 76, 56, 56)
        font = painter.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        painter.setFont(font)
        painter.setPen(QColor(colors.error if refused else colors.text))
        below = frame.adjusted(32, frame.height() / 2, -32, -16)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(below, int(flags) | int(Qt.TextFlag.TextWordWrap), self.offer.words)
        painter.end()
