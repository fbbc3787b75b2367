"""The items of a group as a grid of thumbnails, or for tables as rows of cells.

Hides virtual lists of tens of thousands of items. Promises that a new state keeps the scroll
position and the current item, and that only what is on the screen is asked for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.widgets import words
from desktop.widgets.certainty import very_sure
from desktop.widgets.item_words import ItemWords
from desktop.widgets.thumbs import draw_line, draw_meter, draw_parts, draw_thumb
from engine.model import FloatArray, IntArray, Overview

if TYPE_CHECKING:
    from desktop.images import PictureStore

ITEM = Qt.ItemDataRole.UserRole

_Index = QModelIndex | QPersistentModelIndex
_PAD = 4
_METER = 4
_NAMED = 112  # thumbnails at least this large have their name below
_CELLS = 10
_ROW_WIDTH = 160  # a list makes its rows as wide as itself
SMALLEST, SIDE, LARGEST = 48, 72, 208


class MembersModel(QAbstractListModel):
    """One row per item, in the order of the group: exemplar first, most doubtful last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: IntArray = np.zeros(0, dtype=np.int32)
        self._confidence: FloatArray = np.zeros(0, dtype=np.float32)
        self._very_sure = 1.0
        self._is_known = True
        self._prototypes: frozenset[int] = frozenset()
        self._criticisms: frozenset[int] = frozenset()
        self._exemplars: tuple[int, ...] = ()
        self._words = ItemWords(None)

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self.beginResetModel()
        self._words, self._items = item_words, np.zeros(0, dtype=np.int32)
        self.endResetModel()

    def show(self, items: IntArray, overview: Overview) -> bool:
        """Show items of a state.

        Returns
        -------
        Whether the rows are others than before; if not, only their looks may have changed.
        """
        self._confidence = overview.confidence
        self._very_sure = very_sure(overview)
        # of a cut that is looked at nothing is known
        self._is_known = not any(math.isnan(group.confidence) for group in overview.groups)
        self._prototypes = frozenset(overview.prototypes)
        self._criticisms = frozenset(overview.criticisms)
        self._exemplars = tuple(group.exemplar for group in overview.groups)
        if np.array_equal(items, self._items):
            if len(items):
                self.dataChanged.emit(self.index(0), self.index(len(items) - 1))
            return False
        self.beginResetModel()
        self._items = items
        self.endResetModel()
        return True

    @property
    def item_words(self) -> ItemWords:
        """Words for the items."""
        return self._words

    def row_of(self, item: int) -> int:
        """Find the row of an item; -1 where it is not here."""
        found = np.flatnonzero(self._items == item)
        return int(found[0]) if len(found) else -1

    def certainty(self, item: int) -> float | None:
        """Give how sure the item's place is, as a share of what is very sure in this state.

        None = not known.
        """
        if not self._is_known:
            return None
        return min(1.0, float(self._confidence[item]) / self._very_sure)

    def mark(self, item: int) -> str:
        """Say whether the item is a prototype or a criticism; "" for neither."""
        if item in self._prototypes:
            return self.tr("prototype")
        if item in self._criticisms:
            return self.tr("badly represented")
        return ""

    def is_prototype(self, item: int) -> bool:
        """Whether the item stands for its group."""
        return item in self._prototypes

    def telling(self, item: int) -> tuple[str, ...]:
        """Give the cells that set a row apart from the exemplars."""
        cells = self._words.telling(item, self._exemplars, _CELLS)
        return tuple(f"{cell.column} {cell.text}" for cell in cells)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = int(self._items[index.row()])
        if role == ITEM:
            return item
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.name(item)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            sure = words.certainty(float(self._confidence[item])) if self._is_known else ""
            parts = (self._words.name(item), sure, self.mark(item))
            joint = "\n" if role == Qt.ItemDataRole.ToolTipRole else ", "
            return joint.join(part for part in parts if part)
        return None


class MembersDelegate(QStyledItemDelegate):
    """Paints an item: thumbnail with a certainty bar, or name and cells."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self.side = SIDE

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Ask for a tile, or for tables a row of two lines."""
        line = QFontMetrics(option.font).height()
        if not _model_of(index).item_words.has_pictures:
            return QSize(_ROW_WIDTH, 2 * line + 14)
        named = line if self.side >= _NAMED else 0
        return QSize(self.side + 2 * _PAD, self.side + 2 * _PAD + _METER + 3 + named)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint an item."""
        model, item = _model_of(index), int(index.data(ITEM))
        painter.save()
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
        painter.setPen(QColor(theme.current().colors.text))
        draw_line(
            painter, QRect(rect.left(), rect.top(), rect.width() - 70, height),
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


class MembersView(QListView):
    """The grid.

    Parameters
    ----------
    pictures
        Where thumbnails come from.

    Notes
    -----
    Signal `itemActivated(int)`: a person clicked an item, or walked to it with the keyboard and
    pressed Enter.
    """

    itemActivated = Signal(int)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._members = MembersModel(self)
        self._delegate = MembersDelegate(pictures, self)
        self.setModel(self._members)
        self.setItemDelegate(self._delegate)
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Items of the group"))
        self.setAccessibleDescription(self.tr("Enter looks at an item."))
        pictures.pictureReady.connect(self._repaint)
        pictures.pictureFailed.connect(self._repaint)
        theme.current().themeChanged.connect(self._repaint)

    def _repaint(self, *_: object) -> None:
        self.viewport().update()

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._members.open(item_words)
        self.setWrapping(item_words.has_pictures)
        across = (
            QListView.Flow.LeftToRight if item_words.has_pictures else QListView.Flow.TopToBottom
        )
        self.setFlow(across)

    def show_items(self, items: IntArray, overview: Overview, *, anew: bool) -> None:
        """Show items of a state; `anew` = of another group, so from the top."""
        current = self.current_item
        offset = self.verticalScrollBar().value()
        if not self._members.show(items, overview):
            return
        if anew:
            self.scrollToTop()
            return
        self.doItemsLayout()
        self.verticalScrollBar().setValue(offset)
        if current is not None:
            self._set_current(current)

    @property
    def current_item(self) -> int | None:
        """The item that the keyboard stands on."""
        return cast("int | None", self.currentIndex().data(ITEM))

    def select(self, item: int | None) -> None:
        """Mark an item and bring it into view; None or an item of another group = none."""
        if item is None or not self._set_current(item):
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
        else:
            self.scrollTo(self.currentIndex())

    def _set_current(self, item: int) -> bool:
        row = self._members.row_of(item)
        if row < 0:
            return False
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        horizontal = self.horizontalScrollBar().value()
        self.setAutoScroll(False)
        self.selectionModel().setCurrentIndex(self._members.index(row), flags)
        self.setAutoScroll(True)
        self.horizontalScrollBar().setValue(horizontal)
        return True

    def set_side(self, side: int) -> None:
        """Make thumbnails larger or smaller, in pixels."""
        self._delegate.side = side
        self.scheduleDelayedItemsLayout()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Look at the item that was clicked."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.itemActivated.emit(int(index.data(ITEM)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Look at an item by Enter."""
        item = self.current_item
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.itemActivated.emit(item)
        else:
            super().keyPressEvent(event)


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
