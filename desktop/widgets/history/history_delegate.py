"""Painting a step of the history: branch lines, verdict, two thumbnails, time, what it changed.

Hides layout. Promises that a step is told by sign and word, not by colour alone, and that nothing
but names that are too long is cut off from a width of 300 pixels on.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.widgets import words
from desktop.widgets.history.history_model import IS_NOW, IS_SHOWN, HistoryModel
from desktop.widgets.history.history_rows import Row, Standing
from desktop.widgets.thumbs import draw_icon, draw_line, draw_parts, draw_sign, draw_thumb
from engine.model import HistoryItem, StepKind

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
_RAIL = 26  # width of the line with the signs
_INDENT = 14
_SIGN = 18
_THUMB = 40
_GAP = 6
_FAINT = 0.65
_NARROW = 180  # pixels of text below which times have no seconds
_ICONS = {
    StepKind.REVISE: "undo",
    StepKind.SET_ASIDE: "aside",
    StepKind.NAME: "pencil",
    StepKind.STRATEGY: "strategy",
    StepKind.GROUPING: "overview",
    StepKind.SPACE: "names",
}


class HistoryDelegate(QStyledItemDelegate):
    """Paints a row of a `HistoryModel`."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Ask for three lines."""
        # One height for all: a list of 2,000 rows of its own heights is slow to lay out.
        return QSize(120, max(3 * QFontMetrics(option.font).height() + 12, _THUMB + 12))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a row."""
        model = cast("HistoryModel", index.model())
        row = model.row_at(index)
        painter.save()
        self._draw_ground(painter, option, index)
        is_faint = row.standing is not Standing.PAST and not index.data(IS_SHOWN)
        painter.setOpacity(_FAINT if is_faint else 1.0)
        left = option.rect.left() + 4 + row.depth * _INDENT
        self._draw_rail(painter, option.rect, left, row)
        place = option.rect.adjusted(0, 4, -8, -4)
        place.setLeft(left + _RAIL)
        now = model.tr("now") if index.data(IS_NOW) else ""
        if row.step is None:
            self._draw_head(painter, place, row, model)
        else:
            taken = _chip_width(painter.fontMetrics(), now) + _GAP if now else 0
            self._draw_step(painter, place, row, row.step, model, taken)
        if now:
            self._draw_now(painter, place, now)
        painter.restore()

    @staticmethod
    def _draw_ground(painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        colors, rect = theme.current().colors, option.rect
        state = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(colors.hover))
        if index.data(IS_SHOWN):
            painter.fillRect(
                QRect(rect.left(), rect.top(), 3, rect.height()), QColor(colors.accent)
            )
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colors.accent), 1, Qt.PenStyle.DotLine))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    @staticmethod
    def _draw_now(painter: QPainter, place: QRect, text: str) -> None:
        """Draw the chip that marks the present."""
        colors, metrics = theme.current().colors, painter.fontMetrics()
        chip = QRect(0, 0, _chip_width(metrics, text), metrics.height() + 1)
        chip.moveCenter(place.center())
        chip.moveRight(place.right())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.accent))
        painter.drawRoundedRect(chip, 6, 6)
        painter.setPen(QColor(colors.on_accent))
        painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)

    @staticmethod
    def _draw_rail(painter: QPainter, rect: QRect, left: int, row: Row) -> None:
        """Draw the line that joins steps, and what the step is upon it."""
        colors = theme.current().colors
        x, y = left + _RAIL // 2, rect.center().y()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors.border), 2))
        for depth in range(row.depth):  # the lines that pass this branch by
            beside = x - (row.depth - depth) * _INDENT
            painter.drawLine(QPoint(beside, rect.top()), QPoint(beside, rect.bottom()))
        top = y if row.is_head else rect.top()
        is_start = row.step is None and not row.is_head
        painter.drawLine(QPoint(x, top), QPoint(x, y if is_start else rect.bottom()))
        sign = QRect(0, 0, _SIGN, _SIGN)
        sign.moveCenter(QPoint(x, y))
        step = row.step
        if step is not None and step.kind is StepKind.ANSWER and step.answer is not None:
            draw_sign(painter, sign, step.answer.verdict)
            return
        painter.setPen(QPen(QColor(colors.border), 1.5))
        painter.setBrush(QColor(colors.surface))
        painter.drawEllipse(sign)
        icon = "branch" if row.is_head else _ICONS[step.kind] if step is not None else "home"
        draw_icon(painter, sign.adjusted(3, 3, -3, -3), icon, colors.muted)

    @staticmethod
    def _draw_head(painter: QPainter, place: QRect, row: Row, model: HistoryModel) -> None:
        colors, line = theme.current().colors, painter.fontMetrics().height()
        if row.is_head:
            arrow = QRect(place.right() - 14, place.center().y() - 7, 14, 14)
            draw_icon(painter, arrow, "down" if row.is_open else "forward", colors.muted)
            place = place.adjusted(0, 0, -18, 0)
        above = QRect(place.left(), place.center().y() - line, place.width(), line)
        painter.setPen(QColor(colors.text))
        draw_line(painter, above, model.title(row))
        painter.setPen(QColor(colors.muted))
        draw_line(painter, above.translated(0, line), model.detail(row))

    def _draw_step(
        self,
        painter: QPainter,
        place: QRect,
        row: Row,
        step: HistoryItem,
        model: HistoryModel,
        taken: int,
    ) -> None:
        """Write three lines: what and when; number and remark, or names; what it changed.

        Of the second line `taken` pixels are left free at the right.
        """
        colors, item_words = theme.current().colors, model.item_words
        subjects = model.subjects(step)
        middle = " · ".join(part for part in (model.numbers(row), model.remark(row)) if part)
        if step.approach is not None:
            pass  # it is about no items, and its name needs the room
        elif item_words.has_pictures:
            place = self._draw_thumbs(painter, place, subjects)
        else:
            middle += "   " + " – ".join(item_words.name(item) for item in subjects)
        line = painter.fontMetrics().height()
        top = place.center().y() - (3 * line) // 2 + 1
        first = QRect(place.left(), top, place.width(), line)
        is_narrow = place.width() < _NARROW
        clock = words.clock(step.at, time.time(), seconds=not is_narrow)
        painter.setPen(QColor(colors.muted))
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, clock)
        title = QRect(first)
        title.setRight(first.right() - painter.fontMetrics().horizontalAdvance(clock) - _GAP)
        plain, bold = QFont(painter.font()), QFont(painter.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(colors.text))
        draw_line(painter, title, model.title(row))
        painter.setFont(plain)
        stands_out = model.contradicts(row) or model.is_overruled(row)
        painter.setPen(QColor(colors.warning if stands_out else colors.muted))
        draw_line(painter, first.translated(0, line).adjusted(0, 0, -taken, 0), middle)
        is_change = words.changed_groups(step.effect) or step.kind is StepKind.NAME
        painter.setPen(QColor(colors.text if is_change else colors.muted))
        below, detail = first.translated(0, 2 * line), model.detail(row)
        if painter.fontMetrics().horizontalAdvance(detail) > below.width():
            draw_parts(painter, below, model.detail(row, short=True).split(" · "), " · ")
        else:
            draw_line(painter, below, detail)

    def _draw_thumbs(self, painter: QPainter, place: QRect, items: tuple[int, ...]) -> QRect:
        """Draw up to two thumbnails; give the room that is left."""
        left = place.left()
        top = place.center().y() - _THUMB // 2
        for item in items[:2]:
            square = QRect(left, top, _THUMB, _THUMB)
            draw_thumb(painter, square, self._pictures, item)
            left = square.right() + 4
        return place.adjusted(2 * (_THUMB + 3) + _GAP, 0, 0, 0)


def _chip_width(metrics: QFontMetrics, text: str) -> int:
    return metrics.horizontalAdvance(text) + 12
