"""The headings of the matrix: of a group its sign, colour, name and number of items.

Hides painting. Promises that the column sorted by and the column of the current cell can be seen.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPolygonF
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from desktop import theme
from desktop.widgets import words
from desktop.widgets.composing.matrix_model import MatrixModel
from desktop.widgets.composing.sharing import Column, Field
from desktop.widgets.thumbs import chip_width, draw_chip

_PAD = 6
_ARROW = 5.0


class MatrixHeader(QHeaderView):
    """The headings; a click on one is a wish to sort."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(40)
        self.setAccessibleName(self.tr("Columns"))
        theme.current().themeChanged.connect(self.viewport().update)

    def sectionSizeFromContents(self, _logical: int) -> QSize:
        """Ask for three lines: sign, name, number of items."""
        return QSize(64, 3 * self.fontMetrics().height() + 2 * _PAD + 4)

    def sizeHint(self) -> QSize:
        """Ask for the same, also while there are no columns."""
        return QSize(super().sizeHint().width(), self.sectionSizeFromContents(0).height())

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        """Paint a heading."""
        model = cast("MatrixModel", self.model())
        if logical >= len(model.columns):
            return
        column, colors = model.columns[logical], theme.current().colors
        table = cast("QTableView", self.parent())
        is_current = table.currentIndex().column() == logical
        painter.save()
        painter.fillRect(rect, QColor(colors.hover if is_current else colors.window))
        painter.setPen(QColor(colors.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inner = rect.adjusted(_PAD, _PAD, -_PAD, -_PAD)
        group = model.group(column)
        if column.field is Field.GROUP and group is not None:
            self._paint_group(painter, inner, column, model)
        else:
            self._paint_title(painter, inner, model.title(column), column.field)
        if model.sorting.column == column:
            self._paint_arrow(painter, inner, reverse=model.sorting.reverse)
        painter.restore()

    def _paint_group(
        self, painter: QPainter, inner: QRect, column: Column, model: MatrixModel
    ) -> None:
        group, colors = model.group(column), theme.current().colors
        line = self.fontMetrics().height()
        chip = chip_width(self.font(), column.slot)
        left = max(inner.left(), inner.center().x() - chip // 2)
        painter.setFont(self.font())
        draw_chip(painter, QRect(left, inner.top(), inner.width(), line + 2), column.slot)
        if group is None:
            return
        painter.setPen(QColor(colors.text if group.name else colors.muted))
        name = QRect(inner.left(), inner.top() + line + 4, inner.width(), line)
        shown = self.fontMetrics().elidedText(
            model.title(column), Qt.TextElideMode.ElideRight, name.width()
        )
        painter.drawText(name, Qt.AlignmentFlag.AlignCenter, shown)
        painter.setPen(QColor(colors.muted))
        count = name.translated(0, line)
        painter.drawText(count, Qt.AlignmentFlag.AlignCenter, words.number(group.size))

    def _paint_title(self, painter: QPainter, inner: QRect, title: str, field: Field) -> None:
        font = QFont(self.font())
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(theme.current().colors.text))
        line = QFontMetrics(font).height()
        place = QRect(inner.left(), inner.bottom() - line, inner.width(), line)
        right = field in (Field.FIT, Field.COUNT)
        shown = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, place.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(place, side | Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_arrow(self, painter: QPainter, inner: QRect, *, reverse: bool) -> None:
        """Point down where it rises from above, up where it is the other way round."""
        middle = QPointF(inner.right() - 3, inner.top() + 8)
        turn = -1 if reverse else 1
        corners = [QPointF(-_ARROW, -3 * turn), QPointF(_ARROW, -3 * turn), QPointF(0, 4 * turn)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.current().colors.accent))
        painter.drawPolygon(QPolygonF([middle + corner for corner in corners]))
