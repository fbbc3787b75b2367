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
SMALLEST, SIDE, LARGEST = 48, 72, 208


class MembersDelegate(QStyledItemDelegate):
    """Paints an item: thumbnail with a certainty bar, or name and cells."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self.side = SIDE
        self.across = _ROW_WIDTH
        """Width of the view: that of a heading, which has its line to itself."""
        self._size: tuple[tuple[int, bool, int], QSize] | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Ask for a tile, or for tables a row of two lines; for a heading a line."""
        model = _model_of(index)
        line = option.fontMetrics.height()
        if index.row() == model.heading:
            return QSize(self.across, line + 14)
        asked = (self.side, model.item_words.has_pictures, line)
        if self._size is None or self._size[0] != asked:  # it is asked for 10,000 items
            self._size = asked, self._tile(*asked)
        return self._size[1]

    @staticmethod
    def _tile(side: int, has_pictures: object, line: int) -> QSize:
        if not has_pictures:
            return QSize(_ROW_WIDTH, 2 * line + 14)
        named = line if side >= _NAMED else 0
        return QSize(side + 2 * _PAD, side + 2 * _PAD + _METER + 3 + named)

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
    """Draw the signs of groups along the lower edge of a thumbnail, or how many have no room.

    Each has an edge in the colour of the ground, so that it is told from the picture.
    """
    if not slots:
        return
    font = QFont(painter.font())
    font.setPointSizeF(font.pointSizeF() * _CHIP)
    font.setBold(True)
    metrics = QFontMetrics(font)
    wide = [metrics.horizontalAdvance(theme.slot_text(slot)) + 13 for slot in slots]
    spare = metrics.horizontalAdvance(f"+{len(slots)}") + 8
    room = square.width() - 4
    shown = len(slots)
    while shown > 1 and sum(wide[:shown]) + (spare if shown < len(slots) else 0) > room:
        shown -= 1
    painter.save()
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground = QColor(theme.current().colors.surface)
    line = metrics.height() + 2
    at = QRect(square.left() + 3, square.bottom() - line - 2, square.width(), line)
    for slot, width in zip(slots[:shown], wide, strict=False):
        _draw_pad(painter, QRect(at.left() - 1, at.top() - 1, width + 1, line + 2), ground)
        draw_chip(painter, at, slot)
        at.setLeft(at.left() + width)
    if shown < len(slots):
        pad = QRect(at.left() - 1, at.top() - 1, spare, line + 2)
        _draw_pad(painter, pad, ground)
        painter.setPen(QColor(theme.current().colors.text))
        painter.drawText(pad, Qt.AlignmentFlag.AlignCenter, f"+{len(slots) - shown}")
    painter.restore()


def _draw_pad(painter: QPainter, pad: QRect, ground: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(pad, 7, 7)
