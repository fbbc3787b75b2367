"""Drawing: learning curves as PNG.

Hides pyqtgraph and how lines are told apart. Promises that no line is told by its colour alone, and
that no display is needed.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from desktop.theme import LIGHT
from tests.benchmark.scores import Curves, Floats, mean_curves

WIDTH = 1600  # px
_HEIGHT = 900  # px of the one plot
_SMALL = 230  # px, height of one of many plots
_COLUMNS = 6
_TITLE = 36  # px, the two lines above one of many plots
_LEGEND = 30  # px, a line of the legend above many plots
_IN_LEGEND = 5  # methods in a line of it
_SAMPLE = 56  # px of a line in a legend: long enough for every dash to be seen
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


def draw_means(path: Path, curves: Curves, rivals: Collection[str], title: str) -> None:
    """Draw the mean over the sets, a line per method.

    Parameters
    ----------
    curves
        Methods with the same sets.
    rivals
        Methods drawn with thinner lines.
    """
    with _Sheet(WIDTH, _HEIGHT) as sheet:
        n_sets = len(next(iter(curves.values())))
        over = f", mean over {n_sets} sets" if n_sets > 1 else ""
        plot = sheet.layout.addPlot(title=_sized(title, 15))
        _dress(plot, 12)
        plot.setLabel("bottom", _sized("Questions answered", 13))
        plot.setLabel("left", _sized(f"Agreement with the truth (ARI){over}", 13))
        means = mean_curves(curves)
        legend = _legend(12, brush="#FFFFFFE0", pen=LIGHT.border)
        legend.setParentItem(plot.vb)
        legend.anchor(itemPos=(1, 1), parentPos=(1, 1), offset=(-20, -20))
        for name in sorted(means, key=lambda name: -means[name].mean()):
            pen = _pen(list(means).index(name), 2.2 if name in rivals else 3.4)
            line = plot.plot(_questions(means[name]), means[name], pen=pen, antialias=True)
            line.setZValue(0 if name in rivals else 1)
            legend.addItem(line, f"{means[name].mean():.3f}&nbsp; {name}")
        top = max(curve.max() for curve in means.values())
        low = min(0.0, *(curve.min() for curve in means.values()))
        plot.setYRange(low, min(1.0, top * 1.06), padding=0.01)
        plot.setXRange(0, len(next(iter(means.values()))), padding=0.012)
        sheet.save(path)


def draw_each_set(
    path: Path, curves: Curves, rivals: Collection[str], titles: Mapping[str, str]
) -> None:
    """Draw every set in a plot of its own, all on the same scale.

    Parameters
    ----------
    rivals
        Methods drawn with thinner lines.
    titles
        What stands below the name of a set, above its plot; gives the order.
    """
    columns = min(_COLUMNS, max(3, math.ceil(math.sqrt(len(titles)))))
    rows = math.ceil(len(titles) / columns)
    lines = math.ceil(len(curves) / _IN_LEGEND)
    height = _SMALL * _COLUMNS // columns
    with _Sheet(WIDTH, rows * height + lines * _LEGEND + 20) as sheet:
        pens = {
            name: _pen(place, 1.5 if name in rivals else 2.8) for place, name in enumerate(curves)
        }
        _legend_above(sheet.layout, pens, columns, lines * _LEGEND)
        for place, (one, title) in enumerate(titles.items()):
            # Side by side they would be too wide for some.
            above = f'<p align="center">{_sized(one, 10)}<br>{_sized(title, 8)}</p>'
            plot = sheet.layout.addPlot(row=1 + place // columns, col=place % columns, title=above)
            plot.titleLabel.setMaximumHeight(_TITLE)
            plot.layout.setRowFixedHeight(0, _TITLE)
            _dress(plot, 9)
            for name, by_set in curves.items():
                if one in by_set:
                    curve = by_set[one].curve
                    line = plot.plot(_questions(curve), curve, pen=pens[name], antialias=True)
                    line.setZValue(0 if name in rivals else 1)
                    plot.setXRange(0, len(curve), padding=0.06)
            plot.setYRange(0, 1, padding=0.07)
            plot.getAxis("left").setTicks(
                [[(0, "0"), (0.5, "0.5"), (1, "1")], [(0.25, ""), (0.75, "")]]
            )
            if place % columns == 0:
                plot.setLabel("left", _sized("ARI", 10))
            if place + columns >= len(titles):
                plot.setLabel("bottom", _sized("Questions", 10))
        sheet.save(path)


def _legend_above(layout: Any, pens: Mapping[str, Any], columns: int, height: int) -> None:
    """Put names and lines of the methods into the first row."""
    import pyqtgraph as pg

    box = layout.addViewBox(row=0, col=0, colspan=columns, enableMouse=False, enableMenu=False)
    box.setFixedHeight(height)
    legend = _legend(11, columns=min(len(pens), _IN_LEGEND))
    legend.setParentItem(box)
    for name, pen in pens.items():
        legend.addItem(pg.PlotDataItem(pen=pen), f"{name}&nbsp;&nbsp;&nbsp;")
    legend.anchor(itemPos=(0.5, 0), parentPos=(0.5, 0), offset=(0, 0))


def _legend(points: int, *, columns: int = 1, **frame: str) -> Any:
    """Make a legend whose lines are long enough to show their dashes."""
    import pyqtgraph as pg
    from PySide6.QtCore import QRectF

    class Sample(pg.graphicsItems.LegendItem.ItemSample):  # type: ignore[misc]  # has no types
        def __init__(self, item: Any) -> None:
            super().__init__(item)
            self.setFixedWidth(_SAMPLE)

        def boundingRect(self) -> QRectF:
            return QRectF(0, 0, _SAMPLE, 20)

        def paint(self, painter: Any, *_: object) -> None:
            painter.setRenderHint(painter.RenderHint.Antialiasing)
            painter.setPen(self.item.opts["pen"])
            painter.drawLine(0, 11, _SAMPLE - 6, 11)

    return pg.LegendItem(
        colCount=columns,
        labelTextSize=f"{points}pt",
        labelTextColor=LIGHT.text,
        sampleType=Sample,
        **frame,
    )


class _Sheet:
    """White paper of a size in pixels, off the screen."""

    def __init__(self, width: int, height: int) -> None:
        displays = ("DISPLAY", "WAYLAND_DISPLAY")
        if sys.platform == "linux" and not any(os.environ.get(name) for name in displays):
            os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        import pyqtgraph as pg

        self._application = pg.mkQApp()  # a picture needs one, and it must not be collected
        self._view = pg.GraphicsLayoutWidget(size=(width, height))
        self._view.setBackground("w")
        self._width = width
        self.layout: Any = self._view.ci

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._view.close()
        self._view.deleteLater()

    def save(self, path: Path) -> None:
        """Write what was drawn."""
        from pyqtgraph.exporters import ImageExporter

        self._view.grab()  # lays out what was never shown
        exporter = ImageExporter(self._view.scene())
        exporter.parameters()["width"] = self._width
        exporter.parameters()["antialias"] = True
        image = exporter.export(toBytes=True)
        if not image.save(str(path)):
            raise OSError(f"{path} cannot be written")


def _dress(plot: Any, points: int) -> None:
    """Give a plot dark ink, a faint grid and legible figures."""
    from PySide6.QtGui import QFont

    font = QFont()
    font.setPointSize(points)
    plot.showGrid(x=True, y=True, alpha=0.18)
    plot.hideButtons()
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.enableAutoSIPrefix(False)  # an ARI of 0.8, not of 800 thousandths
        axis.setPen(LIGHT.muted)
        axis.setTextPen(LIGHT.text)
        axis.setStyle(tickFont=font)


def _pen(place: int, width: float) -> Any:
    """Give the line of a method by its place among them."""
    import pyqtgraph as pg

    dash = _DASHES[place % len(_DASHES)]
    pen = pg.mkPen(LIGHT.slots[place % len(LIGHT.slots)], width=width)
    if dash is not None:
        pen.setDashPattern(list(dash))
    return pen


def _sized(text: str, points: int) -> str:
    return f'<span style="font-size:{points}pt; color:{LIGHT.text}">{text}</span>'


def _questions(curve: Floats) -> Floats:
    return np.arange(1.0, len(curve) + 1)
