"""What a plot's legend shows beside a name: a piece of its line, dashes and sign included.

Hides that pyqtgraph makes a sample of an item drawn in the plot.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt

from desktop.theme import Colors
from desktop.widgets.comparing import keys

ROW = 22
"""Height of a line of a legend, in pixels."""


class Key(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """What the legend shows of a curve; place None = the level."""

    def __init__(self, place: int | None, colors: Colors) -> None:
        super().__init__()
        self.place, self.colors = place, colors
        self.opts: dict[str, object] = {}

    def boundingRect(self) -> QRectF:
        """Take no room: the sample does."""
        return QRectF()

    def paint(self, *_: object) -> None:
        """Paint nothing: the sample does."""


class Sample(pg.graphicsItems.LegendItem.ItemSample):  # type: ignore[misc]  # as above
    """A piece of line, long enough to show its dashes and sign."""

    def __init__(self, item: Key) -> None:
        super().__init__(item)
        self.setFixedWidth(keys.SAMPLE.width())
        self.setFixedHeight(ROW - 2)

    def boundingRect(self) -> QRectF:
        """Take the room of a sample."""
        return QRectF(0, 0, keys.SAMPLE.width(), ROW - 2)

    def mouseClickEvent(self, _event: object) -> None:
        """Leave the curves as they are: clicking would hide them."""

    def paint(self, painter: Any, *_: object) -> None:
        """Paint the piece of line."""
        painter.save()
        painter.translate(0, 3)
        if self.item.place is None:
            painter.setPen(pg.mkPen(self.item.colors.muted, width=1, style=Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(0, 8), QPointF(keys.SAMPLE.width(), 8))
        else:
            keys.draw_sample(painter, self.item.place, self.item.colors)
        painter.restore()
