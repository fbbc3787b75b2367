"""Curves side by side, read by pointer or by arrow keys, and saved as a picture.

Hides pyqtgraph: axes, legend, hovering. Promises that no curve is told by its colour alone, that
each value can be read, and that what is saved is on white and has a legend, whatever the look. On
the screen a legend is drawn where it leaves room; the names stand beside the same signs (`keys`)
near by.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QEvent, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPaintDevice,
    QPainter,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop import theme
from desktop.theme import LIGHT, Colors
from desktop.widgets.comparing import keys
from desktop.widgets.comparing.legend import ROW, Key, Sample

_SIGNS_ON_A_LINE = 6
_LINE = 2.4  # px
_MARGIN = 8
_JUMP = 10  # values, by Page Up and Page Down
_ROOM = 300  # px of height that a legend must leave to the curves
_SHEET = QSize(1000, 600)  # of a saved plot
_FINER = 2  # than a screen, of a saved picture


@dataclass(frozen=True, slots=True)
class Line:
    """One curve.

    Attributes
    ----------
    name
        In the legend.
    place
        Which colour, dashes and sign it has (see `keys`).
    values
        One after each question, from the first on.
    """

    name: str
    place: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Axes:
    """What the axes say, and how a value is read out.

    Attributes
    ----------
    across, up
        Their titles.
    low, high
        Least and greatest value that there can be; the plot begins lower where a curve does.
    level
        A straight line to compare with, and its name; None = none.
    after
        Heading of what is read after so many questions.
    written
        How a value is written.
    """

    across: str
    up: str
    low: float
    high: float
    after: Callable[[int], str]
    written: Callable[[float], str]
    level: tuple[float, str] | None = None


class CurvePlot(pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """The plot."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._lines: tuple[Line, ...] = ()
        self._axes: Axes | None = None
        self._at: int | None = None
        self._on_paper = False  # to be saved, not to be seen
        self._finer = 1.0  # than a screen, of what it is saved in
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(170)
        self.setAccessibleName(name)
        self._plot = self.addPlot(row=0, col=0)
        self._plot.hideButtons()
        self._plot.setMenuEnabled(False)
        self._plot.setMouseEnabled(x=False, y=False)
        self._below = self.addViewBox(row=1, col=0, enableMouse=False, enableMenu=False)
        self._legend: Any = None
        self._hair = pg.InfiniteLine(angle=90, movable=False)
        self._reading = QLabel(self)
        self._reading.setProperty("role", "chip")
        self._reading.setTextFormat(Qt.TextFormat.RichText)
        self._reading.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._reading.hide()
        self._redraw()
        theme.current().themeChanged.connect(self._redraw)

    # ------------------------------------------------------------------ what is shown

    def show_lines(self, lines: Sequence[Line], axes: Axes) -> None:
        """Draw curves; those before are gone."""
        self._lines, self._axes = tuple(line for line in lines if line.values), axes
        self._redraw()
        self.read(self._at)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is drawn."""
        return self._lines

    @property
    def length(self) -> int:
        """Questions of the longest curve."""
        return max((len(line.values) for line in self._lines), default=0)

    @property
    def _colors(self) -> Colors:
        return LIGHT if self._on_paper else theme.current().colors

    @property
    def _fineness(self) -> float:
        """Dots per pixel, by which pyqtgraph's lines do not grow of themselves."""
        return self._finer if self._on_paper else self.devicePixelRatioF()

    def _redraw(self) -> None:
        self._draw(self._colors)

    def _draw(self, colors: Colors) -> None:
        self.setBackground(colors.surface)
        self._plot.clear()
        self._dress(colors)
        axes = self._axes
        if axes is not None and axes.level is not None:
            pen = pg.mkPen(colors.muted, width=1, style=Qt.PenStyle.DashLine)
            self._plot.addItem(pg.InfiniteLine(axes.level[0], angle=0, pen=pen))
        for at, line in enumerate(self._lines):
            self._draw_line(line, at, colors)
        self._hair.setPen(pg.mkPen(colors.muted, width=1))
        self._plot.addItem(self._hair, ignoreBounds=True)
        self._hair.setVisible(self._at is not None)
        if axes is not None:
            least = min((min(line.values) for line in self._lines), default=axes.low)
            self._plot.setYRange(min(axes.low, least), axes.high, padding=0.04)
            self._plot.setXRange(0, max(1, self.length), padding=0.025)
        self._draw_legend(colors)

    def _draw_line(self, line: Line, at: int, colors: Colors) -> None:
        """Draw a curve, and its sign here and there, each curve's in places of its own."""
        count = len(line.values)
        across = list(range(1, count + 1))
        pen = keys.pen(line.place, colors, _LINE * self._fineness)
        self._plot.addItem(pg.PlotCurveItem(across, list(line.values), pen=pen, antialias=True))
        step = max(1, math.ceil(count / _SIGNS_ON_A_LINE))
        first = (at * step) // max(1, len(self._lines))
        signed = range(min(first, count - 1), count, step)
        ink = keys.color(line.place, colors)
        self._plot.addItem(
            pg.ScatterPlotItem(
                [across[place] for place in signed],
                [line.values[place] for place in signed],
                symbol=keys.symbol(line.place),
                size=keys.SIGN,
                pen=pg.mkPen(colors.surface, width=1),
                brush=pg.mkBrush(ink),
                antialias=True,
            )
        )

    def _dress(self, colors: Colors) -> None:
        """Give the plot the ink of the look, a faint grid and figures of the window's size."""
        self._plot.showGrid(x=True, y=True, alpha=0.16)
        for side in ("left", "bottom"):
            axis = self._plot.getAxis(side)
            axis.enableAutoSIPrefix(enable=False)  # an agreement of 0.8, not of 800 thousandths
            axis.setPen(colors.muted)
            axis.setTextPen(colors.text)
            axis.setStyle(tickFont=self.font())
        if self._axes is not None:
            size = f"{self.font().pointSizeF():g}pt"
            style = {"color": colors.text, "font-size": size}
            self._plot.setLabel("bottom", self._axes.across, **style)
            self._plot.setLabel("left", self._axes.up, **style)

    # ------------------------------------------------------------------ the legend

    def _draw_legend(self, colors: Colors) -> None:
        if self._legend is not None:
            self._below.scene().removeItem(self._legend)
        names = [line.name for line in self._lines]
        level = self._axes.level if self._axes is not None else None
        if level is not None and names:
            names.append(level[1])
        columns = self._columns_for(names)
        height = math.ceil(len(names) / columns) * ROW + 4
        room = self.height() - height >= _ROOM
        self._below.setFixedHeight(height if room else 0)
        self._below.setVisible(room)
        if not room:
            self._legend = None
            return
        self._legend = pg.LegendItem(
            colCount=columns,
            labelTextSize=f"{self.font().pointSizeF():g}pt",
            labelTextColor=colors.text,
            horSpacing=12,
            verSpacing=0,
            sampleType=Sample,
        )
        for line in self._lines:
            self._legend.addItem(Key(line.place, colors), html.escape(line.name))
        if level is not None and names:
            self._legend.addItem(Key(None, colors), html.escape(level[1]))
        self._legend.layout.activate()  # what is never shown is not laid out of itself
        self._legend.updateSize()
        self._legend.setParentItem(self._below)
        self._legend.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._legend.anchor(itemPos=(0.5, 0), parentPos=(0.5, 0), offset=(0, 0))

    def _columns_for(self, names: Sequence[str]) -> int:
        """Choose so many columns that the widest names fit beside each other."""
        metrics = QFontMetrics(self.font())
        widest = max((metrics.horizontalAdvance(name) for name in names), default=1)
        room: int = self.width() - 2 * _MARGIN
        return max(1, min(len(names), room // (widest + keys.SAMPLE.width() + 36)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Spread the legend over the width there is."""
        super().resizeEvent(event)
        if hasattr(self, "_reading"):  # pyqtgraph resizes while it is made
            self._draw_legend(self._colors)
            self.read(self._at)

    # ------------------------------------------------------------------ reading

    @property
    def reading(self) -> str:
        """What is read at the place looked at; "" = none is."""
        return "" if self._reading.isHidden() else self._reading.text()

    def read(self, question: int | None) -> None:
        """Tell the values of all curves after a question; None = no longer."""
        if question is None or self._axes is None or not self._lines:
            self._at = None
            self._hair.hide()
            self._reading.hide()
            self.setAccessibleDescription("")
            return
        self._at = at = min(max(1, question), self.length)
        colors, written = self._colors, self._axes.written
        there = [(line.values[at - 1], line) for line in self._lines if len(line.values) >= at]
        there.sort(key=lambda one: -one[0])
        rows = "".join(
            f'<tr><td style="color:{keys.color(line.place, colors).name()}">'
            f"{keys.sign(line.place)}&nbsp;</td>"
            f'<td align="right"><b>{html.escape(written(value))}</b>&nbsp;&nbsp;</td>'
            f"<td>{html.escape(line.name)}</td></tr>"
            for value, line in there
        )
        after = self._axes.after(at)
        self._reading.setText(f"<b>{html.escape(after)}</b><table cellspacing=0>{rows}</table>")
        self.setAccessibleDescription(
            f"{after}: " + "; ".join(f"{line.name} {written(value)}" for value, line in there)
        )
        self._hair.setPos(at)
        self._hair.show()
        middle = (self._axes.low + self._axes.high) / 2
        above = sum(value for value, _ in there) / len(there) > middle
        self._place_reading(at, low=above)

    def _place_reading(self, at: int, *, low: bool) -> None:
        """Put what is read beside the line, on the side with more room, away from the curves."""
        self._reading.adjustSize()
        box = self._plot.getViewBox()
        line = self.mapFromScene(box.mapViewToScene(QPointF(at, 0))).x()
        wide = self._reading.width()
        left = line + _MARGIN if line < self.width() / 2 else line - _MARGIN - wide
        left = min(max(0, left), max(0, self.width() - wide))
        room = self.mapFromScene(box.sceneBoundingRect()).boundingRect()
        top = room.top() + _MARGIN
        if low:
            top = max(top, room.bottom() - _MARGIN - self._reading.height())
        self._reading.move(int(left), top)
        self._reading.show()
        self._reading.raise_()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read where the pointer is."""
        super().mouseMoveEvent(event)
        box = self._plot.getViewBox()
        where = self.mapToScene(event.position().toPoint())
        inside = box.sceneBoundingRect().contains(where)
        self.read(round(box.mapSceneToView(where).x()) if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        """Read nothing any more."""
        super().leaveEvent(event)
        self.read(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Read step by step; Escape ends it."""
        at = self._at or 0
        steps = {
            Qt.Key.Key_Left: at - 1,
            Qt.Key.Key_Right: at + 1,
            Qt.Key.Key_PageUp: at - _JUMP,
            Qt.Key.Key_PageDown: at + _JUMP,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: self.length,
        }
        if event.key() in steps and self._lines:
            self.read(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Escape and self._at is not None:
            self.read(None)
        else:
            event.ignore()

    # ------------------------------------------------------------------ saving

    def save(self, path: Path) -> None:
        """Write what is drawn, with a legend and on white: as its name ends: .svg or .png.

        Raises
        ------
        OSError
            When it cannot be written.
        """
        sheet = CurvePlot(self._name)
        sheet.resize(_SHEET)
        sheet._lines, sheet._axes, sheet._on_paper = self._lines, self._axes, True
        is_drawing = path.suffix.lower() == ".svg"
        sheet._finer = 1.0 if is_drawing else _FINER
        sheet._redraw()
        sheet.grab()  # lays out what is never shown
        written = sheet._as_svg(path) if is_drawing else sheet._as_image().save(str(path))
        sheet.deleteLater()
        if not written:
            raise OSError(self.tr("{0} cannot be written").format(path))

    def _as_image(self) -> QImage:
        """Draw into a picture, twice as fine as a screen."""
        image = QImage(_SHEET * _FINER, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(_FINER)
        self._paint_on(image)
        return image

    def _as_svg(self, path: Path) -> bool:
        """Draw into a file; pyqtgraph's own exporter fails on round signs."""
        paper = QSvgGenerator()
        content = QBuffer()
        paper.setOutputDevice(content)
        paper.setResolution(self.logicalDpiX())  # else axes, drawn before, would be of another size
        paper.setSize(_SHEET)
        paper.setViewBox(QRectF(QPointF(0, 0), QSizeF(_SHEET)))
        paper.setTitle(self._name)
        self._paint_on(paper)
        return path.write_bytes(content.data().data()) > 0

    def _paint_on(self, device: QPaintDevice) -> None:
        painter = QPainter(device)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.render(painter, QRectF(QPointF(0, 0), QSizeF(_SHEET)), self.viewport().rect())
        painter.end()
