"""What stands above the items on the map: prototypes, criticisms, the pair in hand, group signs.

Hides pens, sizes and how overlapping group signs give way. Promises that marks keep their size on
the screen at any zoom, and are told apart by shape as well as by colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QApplication, QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from desktop import theme
from desktop.widgets.groups.map_looks import look_of

_ABOVE = 18

Place = tuple[float, float]
Slots = tuple[int, ...]
"""Of the groups that an item belongs to; none = undecided."""


class Sign(NamedTuple):
    """A group's sign on the map: its slot, where it stands, whether it is dimmed."""

    slot: int
    place: Place
    dimmed: bool


class GroupSign(QGraphicsItem):
    """A chip such as "▲2" just above its group's middle, of fixed size on the screen."""

    def __init__(self, sign: Sign) -> None:
        super().__init__()
        self._sign = sign
        self._font = QFont(QApplication.font())
        self._font.setBold(True)
        self._text = theme.slot_text(sign.slot)
        size = QFontMetricsF(self._font).boundingRect(self._text).size()
        self._rect = QRectF(0, 0, size.width() + 10, size.height() + 3)
        self._rect.moveCenter(QPointF(0, -_ABOVE))  # so that it does not cover a tight group
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setZValue(40)
        self.setPos(*sign.place)
        self.setOpacity(0.25 if sign.dimmed else 1.0)

    @property
    def slot(self) -> int:
        """Slot of the group."""
        return self._sign.slot

    def boundingRect(self) -> QRectF:
        """Give what it covers, in pixels around its place."""
        return self._rect.adjusted(-1, -1, 1, 1)

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Paint it in the colours of the theme."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = theme.slot_color(self._sign.slot)
        painter.setPen(QPen(QColor(theme.current().colors.surface), 1.5))
        painter.setBrush(QBrush(color))
        painter.drawRoundedRect(self._rect, 6, 6)
        painter.setFont(self._font)
        painter.setPen(theme.slot_ink(self._sign.slot))
        painter.drawText(self._rect, Qt.AlignmentFlag.AlignCenter, self._text)


class MapMarks:
    """The marks of one map.

    Parameters
    ----------
    box
        The view box that they are added to.
    """

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self._signs: list[GroupSign] = []
        self._line = pg.PlotCurveItem()
        self._pair = pg.ScatterPlotItem(pxMode=True)
        self._prototypes = pg.ScatterPlotItem(pxMode=True)
        self._criticisms = pg.ScatterPlotItem(pxMode=True)
        self._selected = pg.ScatterPlotItem(pxMode=True)
        # what is judged or looked at is never covered by a group's sign (40)
        for height, layer in (
            (10, self._criticisms),
            (11, self._prototypes),
            (12, self._line),
            (50, self._pair),
            (51, self._selected),
        ):
            layer.setZValue(height)
            box.addItem(layer, ignoreBounds=True)

    def mark_prototypes(self, places: Sequence[Place], slots: Sequence[Slots]) -> None:
        """Mark prototypes: their group's sign, larger, outlined."""
        outline = _pen(theme.current().colors.text, 1.6)
        looks = [look_of(one) for one in slots]
        brushes, symbols = [look.brush for look in looks], [look.symbol for look in looks]
        self._set(self._prototypes, places, pen=outline, brush=brushes, symbol=symbols, size=13.0)

    def mark_criticisms(self, places: Sequence[Place]) -> None:
        """Mark criticisms, the items that the prototypes represent badly: a ring."""
        ring = _pen(theme.current().colors.muted, 1.2)
        self._set(self._criticisms, places, pen=ring, brush=_no_fill(), symbol="o", size=14.0)

    def mark_pair(
        self, places: Sequence[Place], slots: Sequence[Slots], *, line: bool = True
    ) -> None:
        """Mark the two items in hand: a ring around each, and (with `line`) one between them."""
        accent = theme.current().colors.accent
        halo = QColor(accent)
        halo.setAlphaF(0.20)
        self._set_around(self._pair, places, slots, "o", _pen(accent, 2.4), QBrush(halo))
        pen = _pen(accent, 2.0)
        pen.setStyle(Qt.PenStyle.DashLine)
        ends = np.asarray(places if line else (), dtype=np.float64).reshape(-1, 2)
        self._line.setData(x=ends[:, 0], y=ends[:, 1], pen=pen)

    def mark_selected(self, places: Sequence[Place], slots: Sequence[Slots]) -> None:
        """Mark the item that is looked at, if any: a square frame."""
        frame = _pen(theme.current().colors.text, 2.0)
        self._set_around(self._selected, places, slots, "s", frame, _no_fill())

    def _set_around(
        self,
        layer: pg.ScatterPlotItem,
        places: Sequence[Place],
        slots: Sequence[Slots],
        shape: str,
        pen: QPen,
        ground: QBrush,
    ) -> None:
        """Draw items in a shape, and again within it, so that they stand out when dimmed."""
        n = len(places)
        edge = _pen(theme.current().colors.surface, 0.8)
        looks = [look_of(one) for one in slots]
        self._set(
            layer,
            [*places, *places],
            symbol=[shape] * n + [look.symbol for look in looks],
            size=[24.0] * n + [12.0 * look.larger for look in looks],
            pen=[pen] * n + [edge] * n,
            brush=[ground] * n + [look.brush for look in looks],
        )

    def set_signs(self, signs: Iterable[Sign]) -> None:
        """Put a sign at the middle of each group, the most important first."""
        for old in self._signs:
            self._box.removeItem(old)
        self._signs = [GroupSign(sign) for sign in signs]
        for sign in self._signs:
            self._box.addItem(sign, ignoreBounds=True)
        self.give_way()

    def give_way(self) -> None:
        """Hide the signs that would cover more important ones at the present zoom."""
        taken: list[QRectF] = []
        for sign in self._signs:
            there = sign.boundingRect().translated(self._box.mapViewToDevice(sign.pos()))
            free = not any(there.intersects(other) for other in taken)
            sign.setVisible(free)
            if free:
                taken.append(there)

    @property
    def shown_signs(self) -> tuple[int, ...]:
        """Slots of the groups whose signs can be seen."""
        return tuple(sign.slot for sign in self._signs if sign.isVisible())

    @staticmethod
    def _set(layer: pg.ScatterPlotItem, places: Sequence[Place], **style: object) -> None:
        at = np.asarray(places, dtype=np.float64).reshape(-1, 2)
        layer.setData(x=at[:, 0], y=at[:, 1], **style)


def _pen(color: str, width: float) -> QPen:
    """Make a pen of fixed width: pyqtgraph draws signs on a scaled painter."""
    pen = QPen(QColor(color), width)
    pen.setCosmetic(True)
    return pen


def _no_fill() -> QBrush:
    return QBrush(Qt.BrushStyle.NoBrush)
