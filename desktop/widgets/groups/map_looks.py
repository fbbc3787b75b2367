"""How an item is drawn on the map: the sign of its group, or one mark of several colours.

Hides paths and brushes. Promises that an item of one group looks as its group's sign, one of two
groups is the left half of one sign and the right half of the other, so that it is told by shape as
well as by colour, and one of more is a disc with a sector for each; and that a mark is drawn as
quickly as a plain sign, since it is one path and one brush.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QConicalGradient,
    QGradient,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)

from desktop import theme

_LARGER = {1: 1.0, 2: 1.4}  # marks of several colours need more room to be read
_LARGEST = 1.55
_EDGE = 0.001  # of a gradient, in which one colour gives way to the next
_TOP = 90.0  # degrees, counted counter-clockwise as Qt does
_PEN, _OPACITY = 0.8, 0.7


class Look(NamedTuple):
    """What an item looks like: a pyqtgraph symbol, its fill, and how much larger than usual."""

    symbol: str | QPainterPath
    brush: QBrush
    larger: float


def look_of(slots: tuple[int, ...], opacity: float = 1.0) -> Look:
    """Give the look of an item of some groups, in the colours of the theme; of none = undecided."""
    if len(slots) < 2:
        slot = slots[0] if slots else -1
        brush = QBrush(_color(slot, opacity), Qt.BrushStyle.SolidPattern)
        return Look(theme.slot_symbol(slot), brush, _LARGER[1])
    colors = [_color(slot, opacity) for slot in slots]
    larger = _LARGER.get(len(slots), _LARGEST)
    if len(slots) == 2:
        left, right = (theme.slot_symbol(slot) for slot in slots)
        return Look(
            _halves(left, right), _stripes(QLinearGradient(-0.5, 0, 0.5, 0), colors), larger
        )
    return Look(_sectors(len(slots)), _stripes(QConicalGradient(0, 0, _TOP), colors), larger)


def edge_pen() -> QPen:
    """Give the pen that sets marks apart from each other."""
    edge = QColor(theme.current().colors.surface)
    edge.setAlphaF(_OPACITY)
    pen = QPen(edge, _PEN)
    pen.setCosmetic(True)  # the painter is scaled to the size of a sign
    return pen


def draw_look(painter: QPainter, place: QRectF, look: Look) -> None:
    """Draw a mark in the middle of a place, as large as it allows."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(place.center())
    drawSymbol(painter, look.symbol, min(place.width(), place.height()), edge_pen(), look.brush)
    painter.restore()


def _color(slot: int, opacity: float) -> QColor:
    color = theme.slot_color(slot)
    color.setAlphaF(opacity)
    return color


def _stripes(gradient: QGradient, colors: list[QColor]) -> QBrush:
    """Fill with one colour after the other, without a passage between them."""
    share = 1 / len(colors)
    for at, color in enumerate(colors):
        gradient.setColorAt(at * share + (_EDGE if at else 0), color)
        gradient.setColorAt((at + 1) * share, color)
    return QBrush(gradient)


def _star(inner: float) -> tuple[tuple[float, float], ...]:
    radii = (0.5, inner)
    turns = [math.pi * at / 5 for at in range(10)]
    return tuple(
        (radii[at % 2] * math.sin(turn), -radii[at % 2] * math.cos(turn))
        for at, turn in enumerate(turns)
    )


_ARM = 0.24  # half the width of the arms of a cross
_OUTLINES = {
    "s": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "t1": ((0, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "t": ((-0.5, -0.5), (0.5, -0.5), (0, 0.5)),
    "d": ((0, -0.5), (0.42, 0), (0, 0.5), (-0.42, 0)),
    "star": _star(0.3),
    "+": (
        *((-0.5, -_ARM), (-_ARM, -_ARM), (-_ARM, -0.5), (_ARM, -0.5), (_ARM, -_ARM), (0.5, -_ARM)),
        *((0.5, _ARM), (_ARM, _ARM), (_ARM, 0.5), (-_ARM, 0.5), (-_ARM, _ARM), (-0.5, _ARM)),
    ),
}
_ARROW = ((-0.5, -0.5), (0, 0), (-0.5, 0.5))  # halved it would be none: each half has a whole one

# Each path is made once, as pyqtgraph knows a symbol again by its identity.


@cache
def _halves(left: str, right: str) -> QPainterPath:
    path = QPainterPath()
    for symbol, side in ((left, -1.0), (right, 0.0)):
        half = QPainterPath()
        half.addRect(QRectF(side, -1, 1, 2))
        path.addPath(_full(symbol).intersected(half))
    return path


def _full(symbol: str) -> QPainterPath:
    """Give a sign with so much area that half of it shows its colour at eight pixels."""
    path = QPainterPath()
    if symbol == "o":
        path.addEllipse(QRectF(-0.5, -0.5, 1, 1))
    elif symbol == "t2":
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in _ARROW]))
        path.closeSubpath()
        path.addPath(path.translated(0.5, 0))
    else:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in _OUTLINES[symbol]]))
        path.closeSubpath()
    return path


@cache
def _sectors(count: int) -> QPainterPath:
    path, turn = QPainterPath(), 360 / count
    for at in range(count):
        path.moveTo(QPointF(0, 0))
        path.arcTo(QRectF(-0.5, -0.5, 1, 1), _TOP + at * turn, turn)
        path.closeSubpath()
    return path
