"""How strategies are told apart: a colour, dashes and a sign each, the same in plots and tables.

Hides colours, dashes and pyqtgraph's symbols. Promises that no two of the first seven share any of
the three, and that the first 56 differ at least in two.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPen, QPixmap

from desktop import theme
from desktop.theme import Colors

SAMPLE = QSize(40, 16)
"""A piece of a line that shows its dashes and its sign."""
SIGN = 9
"""Size of a sign on a line, in pixels."""

_DASHES: tuple[Sequence[float] | None, ...] = (
    None,
    (6, 3),
    (1.5, 2),
    (8, 2.5, 1.5, 2.5),
    (3, 2),
    (10, 4),
    (6, 2, 1.5, 2, 1.5, 2),
)
"""In widths of the line; None = solid. Seven, for the colours are eight: no pair repeats soon."""


def color(place: int, colors: Colors) -> QColor:
    """Colour of the strategy in a place."""
    return QColor(colors.slots[place % len(colors.slots)])


def pen(place: int, colors: Colors, width: float = 2.4) -> QPen:
    """Line of the strategy in a place."""
    made: QPen = pg.mkPen(color(place, colors), width=width)
    dashes = _DASHES[place % len(_DASHES)]
    if dashes is not None:
        made.setDashPattern(list(dashes))
    return made


def symbol(place: int) -> str:
    """Sign of the strategy in a place, as pyqtgraph names it."""
    return theme.slot_symbol(place)


def sign(place: int) -> str:
    """Sign of the strategy in a place, as text."""
    return theme.slot_text(place)[0]


def draw_sample(painter: QPainter, place: int, colors: Colors) -> None:
    """Draw the piece of a line, from the painter's origin."""
    middle, width = SAMPLE.height() / 2, SAMPLE.width()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line = pen(place, colors)
    line.setCosmetic(False)  # as thick on fine screens
    painter.setPen(line)
    painter.drawLine(QPointF(1, middle), QPointF(width - 1, middle))
    painter.translate(width / 2, middle)
    ink = color(place, colors)
    drawSymbol(painter, symbol(place), SIGN + 1, pg.mkPen(ink), pg.mkBrush(ink))
    painter.restore()


def icon(place: int) -> QIcon:
    """Give the piece of a line as an icon, in the colours in force."""
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    pixmap = QPixmap(SAMPLE * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_sample(painter, place, theme.current().colors)
    painter.end()
    made = QIcon(pixmap)
    made.addPixmap(pixmap, QIcon.Mode.Selected)  # else it would be tinted in a chosen row
    return made
