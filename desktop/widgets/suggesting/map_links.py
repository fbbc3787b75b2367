"""Suggestions on a map: a line for each, solid = together, dashed = apart.

Hides pens and how lines follow the items. Promises that together and apart are told by the stroke
as well as by colour, and that the lines of the others cover no mark.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QObject
from PySide6.QtGui import QColor, QPen

from desktop import theme
from desktop.widgets.groups.scatter_map import ScatterMap
from engine.model import Verdict
from engine.suggestions import Suggestion

_AMONG, _ABOVE = 5, 13  # above the items and below their marks; above the pair in hand
_THIN, _THICK = 1.1, 3.4
_QUIET, _FAINT, _MANY = 0.55, 0.32, 60  # opacity of the others, and of very many of them


class MapLinks(QObject):
    """The lines on one map.

    Parameters
    ----------
    place
        The map.
    """

    def __init__(self, place: ScatterMap) -> None:
        super().__init__(place)
        self._map = place
        self._found: tuple[Suggestion, ...] = ()
        self._chosen: Suggestion | None = None
        self._lines = {verdict: pg.PlotCurveItem() for verdict in (Verdict.SAME, Verdict.DIFFERENT)}
        self._thick = pg.PlotCurveItem()
        for layer in self._lines.values():
            place.add_layer(layer, _AMONG)
        place.add_layer(self._thick, _ABOVE)
        place.drawn.connect(self._draw)

    def show_links(self, found: Iterable[Suggestion], chosen: Suggestion | None) -> None:
        """Draw these, one of them thick."""
        self._found, self._chosen = tuple(found), chosen
        self._map.point_out(None if chosen is None else chosen.pair, line=False)
        self._draw()

    @property
    def drawn(self) -> dict[Verdict, int]:
        """How many lines there are of either kind."""
        return {verdict: len(layer.xData) // 2 for verdict, layer in self._lines.items()}

    def _draw(self) -> None:
        opacity = _QUIET if len(self._found) <= _MANY else _FAINT
        for verdict, layer in self._lines.items():
            items = [item for one in self._found if one.verdict is verdict for item in one.pair]
            self._set(layer, items, _pen(verdict, _THIN, opacity))
        chosen = self._chosen
        items = [] if chosen is None else list(chosen.pair)
        verdict = Verdict.SAME if chosen is None else chosen.verdict
        self._set(self._thick, items, _pen(verdict, _THICK, 1.0))

    def _set(self, layer: pg.PlotCurveItem, items: list[int], pen: QPen) -> None:
        at = self._map.positions(items) if items else np.zeros((0, 2))
        layer.setData(x=at[:, 0], y=at[:, 1], pen=pen, connect="pairs")


def _pen(verdict: Verdict, width: float, opacity: float) -> QPen:
    colors = theme.current().colors
    color = QColor(colors.same if verdict is Verdict.SAME else colors.different)
    color.setAlphaF(opacity)
    pen = QPen(color, width)
    pen.setCosmetic(True)
    if verdict is Verdict.DIFFERENT:
        pen.setDashPattern([4.0, 3.0] if width < _THICK else [2.4, 1.6])
    return pen
