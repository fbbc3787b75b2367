"""What the cells of the matrix are painted like: items with thumbnails, marks, figures, bars.

Hides painting. Promises that belonging is told by sign as well as by colour, and that items set
aside look pale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.widgets.composing.matrix_model import MatrixModel
from desktop.widgets.composing.sharing import Field
from desktop.widgets.thumbs import draw_line, draw_meter, draw_parts, draw_thumb

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
THUMB = 40
ROW = 48
"""Height of a row, in pixels; lines of text may ask for more."""
_PALE = 0.45
_PAD = 8
_LONGEST = 110  # of a bar, in pixels


def row_height(line: int) -> int:
    """Give the height of a row for lines so high."""
    return max(ROW, 2 * line + 10)


class MatrixDelegate(QStyledItemDelegate):
    """Paints a cell.

    Parameters
    ----------
    pictures
        Where thumbnails come from.
    frozen
        Whether it paints the items, which stay in place, or all else.
    """

    def __init__(
        self, pictures: PictureStore, parent: QObject | None = None, *, frozen: bool = False
    ) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._frozen = frozen

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Ask for a thumbnail or two lines."""
        return QSize(64, row_height(option.fontMetrics.height()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a cell; that of an item only where it stays in place."""
        model = cast("MatrixModel", index.model())
        column = model.columns[index.column()]
        if (column.field is Field.ITEM) is not self._frozen:
            return
        item = model.item_at(index.row())
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        plain = not selected and not option.state & QStyle.StateFlag.State_HasFocus
        if plain and column.field is Field.GROUP and not model.belongs(item, column.slot):
            return  # most cells are empty
        colors = theme.current().colors
        painter.save()
        if selected:
            painter.fillRect(option.rect, QColor(colors.hover))
        if model.is_aside(item):
            painter.setOpacity(_PALE)
        painter.setFont(option.font)
        match column.field:
            case Field.ITEM:
                self._paint_item(painter, option.rect, model, item, selected=selected)
            case Field.GROUP:
                if model.belongs(item, column.slot):
                    _paint_mark(painter, option.rect, column.slot)
            case Field.CERTAINTY:
                _paint_certainty(painter, option.rect, model, item, str(index.data()))
            case _:
                painter.setPen(QColor(colors.text))
                place = option.rect.adjusted(_PAD, 0, -_PAD, 0)
                ways = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(place, ways, str(index.data()))
        painter.setOpacity(1.0)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRect(option.rect.adjusted(1, 1, -2, -2))
        painter.restore()

    def _paint_item(
        self, painter: QPainter, rect: QRect, model: MatrixModel, item: int, *, selected: bool
    ) -> None:
        colors, item_words = theme.current().colors, model.item_words
        if selected:
            painter.fillRect(
                QRect(rect.left(), rect.top(), 3, rect.height()), QColor(colors.accent)
            )
        text = rect.adjusted(_PAD, 4, -_PAD, -5)
        if item_words.has_pictures:
            square = QRect(text.left(), rect.top() + (rect.height() - THUMB) // 2, THUMB, THUMB)
            draw_thumb(painter, square, self._pictures, item)
            text.setLeft(square.right() + _PAD)
        cells = model.telling(item)
        line = painter.fontMetrics().height()
        high = line if cells else text.height()
        top = text.top() + (text.height() - 2 * line) // 2 if cells else text.top()
        name = QRect(text.left(), top, text.width(), high)
        font = QFont(painter.font())
        font.setBold(bool(cells))
        painter.setFont(font)
        painter.setPen(QColor(colors.text))
        draw_line(painter, name, item_words.short_name(item), Qt.TextElideMode.ElideMiddle)
        if cells:
            font.setBold(False)
            painter.setFont(font)
            painter.setPen(QColor(colors.muted))
            draw_parts(painter, name.translated(0, line + 1), cells, "   ")


def _paint_mark(painter: QPainter, rect: QRect, slot: int) -> None:
    """Fill a tile with a group's colour, and put its sign on it."""
    side = min(26, rect.height() - 8, rect.width() - 8)
    tile = QRect(0, 0, side, side)
    tile.moveCenter(rect.center())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.slot_color(slot))
    painter.drawRoundedRect(tile, 6, 6)
    font = QFont(painter.font())
    font.setPixelSize(max(9, round(side * 0.55)))
    painter.setFont(font)
    painter.setPen(theme.slot_ink(slot))
    painter.drawText(tile, Qt.AlignmentFlag.AlignCenter, theme.slot_text(slot)[0])


def _paint_certainty(
    painter: QPainter, rect: QRect, model: MatrixModel, item: int, text: str
) -> None:
    if model.is_aside(item):
        painter.setPen(QColor(theme.current().colors.text))
        draw_line(painter, rect.adjusted(_PAD, 0, -_PAD, 0), model.aside_word)
        return
    figure = painter.fontMetrics().horizontalAdvance("0.00")
    inner = rect.adjusted(_PAD, 0, -_PAD, 0)
    painter.setPen(QColor(theme.current().colors.text))
    painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    bar = QRect(inner.left() + figure + 8, rect.center().y() - 2, 0, 5)
    bar.setRight(min(inner.right(), bar.left() + _LONGEST))
    accent = QColor(theme.current().colors.accent)
    draw_meter(painter, bar, model.certainty(item), accent)
