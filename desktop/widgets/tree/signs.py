"""Small signs on a dendrogram, drawn as lines so that they stay sharp in a saved picture."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop import theme
from engine.model import Verdict

RADIUS = 7.0


def draw_verdict(
    painter: QPainter, at: QPointF, verdict: Verdict | None, *, broken: bool = False
) -> None:
    """Draw a disc with the sign of a verdict; None = an empty ring, for what waits for an answer.

    `broken`: with a second ring, in the colour of errors.
    """
    colors = theme.current().colors
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if broken:
        painter.setPen(QPen(QColor(colors.error), 2.0))
        painter.setBrush(QColor(colors.surface))
        painter.drawEllipse(at, RADIUS + 3.0, RADIUS + 3.0)
    if verdict is None:
        painter.setPen(QPen(QColor(colors.accent), 2.4))
        painter.setBrush(QColor(colors.surface))
        painter.drawEllipse(at, RADIUS - 1, RADIUS - 1)
        painter.restore()
        return
    ink = {
        Verdict.SAME: colors.same,
        Verdict.DIFFERENT: colors.different,
        Verdict.UNSURE: colors.unsure,
    }[verdict]
    painter.setPen(QPen(QColor(colors.surface), 1.0))
    painter.setBrush(QColor(ink))
    painter.drawEllipse(at, RADIUS, RADIUS)
    _draw_sign(painter, at, verdict, QColor(colors.surface))
    painter.restore()


def _draw_sign(painter: QPainter, at: QPointF, verdict: Verdict, ink: QColor) -> None:
    pen = QPen(ink, 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    if verdict is Verdict.SAME:
        hook = [QPointF(-3.2, 0.2), QPointF(-0.9, 2.6), QPointF(3.2, -2.4)]
        painter.drawPolyline(QPolygonF([at + point for point in hook]))
    elif verdict is Verdict.DIFFERENT:
        for slope in (1.0, -1.0):
            end = QPointF(2.6, 2.6 * slope)
            painter.drawLine(at - end, at + end)
    else:
        font = QFont(painter.font())
        font.setBold(True)
        font.setPixelSize(10)
        painter.setFont(font)
        place = QRectF(at.x() - RADIUS, at.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "?")


def chip_size(painter: QPainter, slot: int) -> tuple[float, float]:
    """Give width and height of a group's chip."""
    metrics = QFontMetricsF(_bold(painter.font()))
    return metrics.horizontalAdvance(theme.slot_text(slot)) + 10, metrics.height() + 2


def draw_chip(painter: QPainter, at: QPointF, slot: int) -> None:
    """Draw a group's sign and number around a place."""
    wide, high = chip_size(painter, slot)
    place = QRectF(at.x() - wide / 2, at.y() - high / 2, wide, high)
    _draw_pill(painter, place, theme.slot_text(slot), theme.slot_color(slot), theme.slot_ink(slot))


def draw_handle(painter: QPainter, place: QRectF, text: str) -> None:
    """Draw what the cut line is held by, with the number of groups on it."""
    colors = theme.current().colors
    _draw_pill(painter, place, text, QColor(colors.accent), QColor(colors.on_accent))


def _draw_pill(painter: QPainter, place: QRectF, text: str, ground: QColor, ink: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.current().colors.surface), 1.2))
    painter.setBrush(ground)
    painter.drawRoundedRect(place, 6, 6)
    painter.setFont(_bold(painter.font()))
    painter.setPen(ink)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold
