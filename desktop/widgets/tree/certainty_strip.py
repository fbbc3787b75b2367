"""The strip beside a dendrogram: certainty level by level, and the questions on the way.

Hides how thousands of levels become a line. Promises that what is not known is left out, and that
nothing is drawn where nothing is known.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from desktop import theme
from desktop.widgets.tree import signs
from desktop.widgets.tree.branches import Branches
from desktop.widgets.tree.frame import Frame
from engine.hierarchy import Inquiry, Tree


class CertaintyStrip:
    """The strip of one tree.

    Parameters
    ----------
    tree, branches
        The same hierarchy, as values and as places.
    """

    def __init__(self, tree: Tree, branches: Branches) -> None:
        self._tree = tree
        self._branches = branches
        self._known = np.flatnonzero(np.isfinite(tree.certainty))

    @property
    def is_told(self) -> bool:
        """Whether there is anything to draw."""
        return len(self._known) > 0 or bool(self._tree.inquiries)

    def at(self, groups: int) -> float | None:
        """Give the certainty of a level; None = not known."""
        certainty = float(self._tree.certainty[self._branches.n - groups])
        return certainty if np.isfinite(certainty) else None

    def places(self, frame: Frame) -> list[tuple[QPointF, Inquiry]]:
        """Give where each question is marked, as far as it is in sight; what waits comes last."""
        if frame.strip is None:
            return []
        found = []
        for one in self._tree.inquiries:
            y = frame.y(self._branches.level(self._branches.n - one.step, frame.scale))
            if frame.plot.top() <= y <= frame.plot.bottom():
                found.append((QPointF(self._x(frame.strip, one.certainty), y), one))
        return sorted(found, key=lambda at: at[1].verdict is None)

    @staticmethod
    def _x(strip: QRectF, certainty: float) -> float:
        shown = min(1.0, max(0.0, certainty)) if np.isfinite(certainty) else 0.5
        return strip.left() + shown * strip.width()

    def paint(self, painter: QPainter, frame: Frame, groups: int) -> None:
        """Paint scale, curve, the certainty at the cut, and the questions."""
        strip = frame.strip
        if strip is None:
            return
        colors = theme.current().colors
        painter.setPen(QPen(QColor(colors.border), 1))
        for share in (0.0, 0.5, 1.0):
            x = strip.left() + share * strip.width()
            painter.drawLine(QPointF(x, strip.top()), QPointF(x, strip.bottom()))
        painter.setPen(QColor(colors.muted))
        high = QFontMetricsF(painter.font()).height()
        above = QRectF(strip.left() - 10, strip.top() - 27, strip.width() + 18, high)
        painter.drawText(above, _CENTRE, QCoreApplication.translate("Tree", "Certainty"))
        for share in (0.0, 1.0):
            x = strip.left() + share * strip.width()
            place = QRectF(x - 12, strip.bottom() + 3, 24, high)
            painter.drawText(place, _CENTRE, QLocale().toString(share, "g", 2))
        self._paint_curve(painter, frame, strip)
        here = self.at(groups)
        if here is not None:
            painter.setPen(QPen(QColor(colors.surface), 1.2))
            painter.setBrush(QColor(colors.accent))
            painter.drawEllipse(QPointF(self._x(strip, here), frame.cut_y(groups)), 5, 5)
        for at, one in self.places(frame):
            signs.draw_verdict(painter, at, one.verdict)

    def _paint_curve(self, painter: QPainter, frame: Frame, strip: QRectF) -> None:
        """Draw the curve: certainty is that of a level from merge to merge.

        Of all levels that end on one pixel the last is drawn.
        """
        reach = self._branches.levels(frame.scale)[self._known]
        seen = reach[:, 0] <= frame.top
        pixels = np.floor(reach[seen, 1] / frame.top * strip.height())
        last = np.flatnonzero(np.append(pixels[1:] != pixels[:-1], True))[: int(seen.sum())]
        line = []
        certainty = self._tree.certainty[self._known[seen][last]]
        for sure, (lower, upper) in zip(certainty, reach[seen][last], strict=True):
            x = self._x(strip, float(sure))
            line += [QPointF(x, frame.y(up)) for up in (lower, min(upper, frame.top))]
        painter.setPen(QPen(QColor(theme.current().colors.text), 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(line))


_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
