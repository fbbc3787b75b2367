"""How an item of a group is painted: a thumbnail with a certainty bar, or name and cells.

Hides sizes and marks. Promises that an item of several groups shows the signs of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.widgets.groups.members_model import MembersModel
from desktop.widgets.thumbs import draw_chip, draw_line, draw_meter, draw_parts, draw_thumb

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
_PAD = 4
_METER = 4
_NAMED = 112  # thumbnails at least this large have their name below
_ROW_WIDTH = 160  # a list makes its rows as wide as itself
_CHIP = 0.85  # size of the letters on a chip, as a share of the usual
_CHIP_PAD = 13  # pixels that a chip has beside its letters, its edge with them
_TWO_ROWS = 64  # thumbnails at least this large have room for two rows of chips
SMALLEST, SIDE, LARGEST = 48, 72, 208


class MembersDelegate(QStyledItemDelegate):
    """Paints an item: thumbnail with a certainty bar, or name and cells."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self.side = SIDE
        self._heading: int | None = None
        self._tile = self._line = QSize(_ROW_WIDTH, SIDE)

    def prepare(self, model: MembersModel, metrics: QFontMetrics, across: int) -> None:
        """Reckon sizes before they are asked for, item by item of ten thousand.

        Parameters
        ----------
        model
            The items.
        metrics
            Of the view's font.
        across
            Width of the view, which is that of a heading: it has its line to itself.
        """
        line = metrics.height()
        self._heading = model.heading
        self._line = QSize(across, line + 14)
        if not model.item_words.has_pictures:
            self._tile = QSize(_ROW_WIDTH, 2 * line + 14)
            return
        named = line if self.side >= _NAMED else 0
        self._tile = QSize(self.side + 2 * _PAD, self.side + 2 * _PAD + _METER + 3 + named)

    def sizeHint(self, _option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Ask for a tile, or for tables a row of two lines; for a heading a line."""
        return self._line if index.row() == self._heading else self._tile

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint an item."""
        model = _model_of(index)
        item = model.item_at(index.row())
        painter.save()
        if item is None:
            _draw_heading(painter, option, model.heading_text())
            painter.restore()
            return
        _draw_ground(painter, option)
        if model.item_words.has_pictures:
            self._paint_tile(painter, option, model, item)
        else:
            self._paint_row(painter, option, model, item)
        painter.restore()

    def _paint_tile(
        self, painter: QPainter, option: QStyleOptionViewItem, model: MembersModel, item: int
    ) -> None:
        rect = option.rect
        square = QRect(rect.left() + _PAD, rect.top() + _PAD, self.side, self.side)
        draw_thumb(painter, square, self._pictures, item)
        bar = QRect(square.left(), square.bottom() + 3, self.side, _METER)
        _draw_certainty(painter, bar, model.certainty(item))
        if model.mark(item):
            _draw_mark(painter, square, prototype=model.is_prototype(item))
        _draw_chips(painter, square, model.other_slots(item))
        if self.side >= _NAMED:
            painter.setPen(QColor(theme.current().colors.text))
            line = QRect(square.left(), bar.bottom() + 2, self.side, painter.fontMetrics().height())
            draw_line(painter, line, model.item_words.short_name(item), Qt.TextElideMode.ElideLeft)

    def _paint_row(
        self, painter: QPainter, option: QStyleOptionViewItem, model: MembersModel, item: int
    ) -> None:
        rect = option.rect.adjusted(8, 4, -8, -5)
        height = painter.fontMetrics().height()
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        left = rect.left()
        for slot in model.other_slots(item):
            at = QRect(left, rect.top() - 1, rect.width(), height + 2)
            left = draw_chip(painter, at, slot).right() + 5
        painter.setPen(QColor(theme.current().colors.text))
        draw_line(
            painter, QRect(left, rect.top(), rect.right() - 69 - left, height),
            " · ".join(filter(None, (model.item_words.name(item), model.mark(item)))),
        )  # fmt: skip
        bar = QRect(rect.right() - 60, rect.top() + height // 2 - 2, 60, _METER)
        _draw_certainty(painter, bar, model.certainty(item))
        font.setBold(False)
        painter.setFont(font)
        painter.setPen(QColor(theme.current().colors.muted))
        cells = QRect(rect.left(), rect.top() + height + 2, rect.width(), height)
        draw_parts(painter, cells, model.telling(item), "   ")


def _draw_certainty(painter: QPainter, bar: QRect, certainty: float | None) -> None:
    if certainty is not None:
        draw_meter(painter, bar, certainty, QColor(theme.current().colors.accent))


def _model_of(index: _Index) -> MembersModel:
    return cast("MembersModel", index.model())


def _draw_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    colors = theme.current().colors
    if option.state & QStyle.StateFlag.State_Selected:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(colors.hover))
        painter.setPen(QPen(QColor(colors.accent), 2))
        painter.drawRoundedRect(option.rect.adjusted(1, 1, -2, -2), 6, 6)
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(option.rect, QColor(colors.hover))


def _draw_mark(painter: QPainter, square: QRect, *, prototype: bool) -> None:
    """Draw a star for a prototype, a ring for an item that is badly represented."""
    colors = theme.current().colors
    badge = QRect(square.left() + 3, square.top() + 3, 18, 18)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(colors.surface))
    painter.setPen(QPen(QColor(colors.border), 1))
    painter.drawEllipse(badge)
    painter.setPen(QColor(colors.text))
    painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, "★" if prototype else "○")


def _draw_heading(painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
    """Write a heading, and a line from it to the right."""
    colors, rect = theme.current().colors, option.rect.adjusted(_PAD, 6, -_PAD, -2)
    font = QFont(option.font)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(colors.text))
    draw_line(painter, rect, text)
    end = rect.left() + QFontMetrics(font).horizontalAdvance(text) + 8
    painter.setPen(QColor(colors.border))
    painter.drawLine(end, rect.center().y(), rect.right(), rect.center().y())


def _draw_chips(painter: QPainter, square: QRect, slots: tuple[int, ...]) -> None:
    """Draw the signs of groups at the lower edge of a thumbnail, or how many have no room.

    Each has an edge in the colour of the ground, so that it is told from the picture.
    """
    if not slots:
        return
    font = QFont(painter.font())
    font.setPointSizeF(font.pointSizeF() * _CHIP)
    font.setBold(True)
    metrics = QFontMetrics(font)
    texts = [theme.slot_text(slot) for slot in slots]
    rows = 2 if square.height() >= _TWO_ROWS else 1
    lines = _wrapped(texts, metrics, square.width() - 4, rows)
    painter.save()
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    high = metrics.height() + 2
    top = square.bottom() - 2 - high - (len(lines) - 1) * (high + 1)
    for line in lines:
        left = square.left() + 3
        for at, text in line:
            width = metrics.horizontalAdvance(text) + _CHIP_PAD
            pad = QRect(left - 1, top - 1, width + 1, high + 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.current().colors.surface))
            painter.drawRoundedRect(pad, 7, 7)
            if at is not None:
                draw_chip(painter, QRect(left, top, width, high), slots[at])
            else:
                painter.setPen(QColor(theme.current().colors.text))
                painter.drawText(pad, Qt.AlignmentFlag.AlignCenter, text)
            left += width
        top += high + 1
    painter.restore()


def _wrapped(
    texts: list[str], metrics: QFontMetrics, room: int, rows: int
) -> list[list[tuple[int | None, str]]]:
    """Share out texts to lines that they fit on, each with its place; of the rest their number."""
    lines: list[list[tuple[int | None, str]]] = [[]]
    left = room
    for at, text in enumerate(texts):
        rest = f"+{len(texts) - at}"
        width = metrics.horizontalAdvance(text) + _CHIP_PAD
        is_last = at == len(texts) - 1
        spare = 0 if is_last or len(lines) < rows else metrics.horizontalAdvance(rest) + _CHIP_PAD
        if lines[-1] and width + spare > left:
            if len(lines) == rows:
                lines[-1].append((None, rest))
                return lines
            lines.append([])
            left = room
        lines[-1].append((at, text))
        left -= width
    return lines
