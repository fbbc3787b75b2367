"""What is listed of one item: its cells, and the answers about it.

Hides painting. Promises that an answer is told as what was said of two items, never as what
follows from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import (
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.widgets import words
from desktop.widgets.item_words import Cell, ItemWords
from desktop.widgets.thumbs import draw_line, draw_sign, draw_thumb
from desktop.widgets.trail import Said
from engine.model import Snapshot

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
SAID = Qt.ItemDataRole.UserRole
OTHER = Qt.ItemDataRole.UserRole + 1
_THUMB = 32


class CellsModel(QAbstractTableModel):
    """The cells of one row: column and value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cells: tuple[Cell, ...] = ()

    def show(self, cells: tuple[Cell, ...]) -> None:
        """Show other cells."""
        if cells != self._cells:
            self.beginResetModel()
            self._cells = cells
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the columns."""
        return 0 if parent.isValid() else 2

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid():
            return None
        cell = self._cells[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return cell.column if index.column() == 0 else cell.text
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name the columns."""
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return self.tr("Column") if section == 0 else self.tr("Value")


class SaidModel(QAbstractListModel):
    """The answers about one item, newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._said: tuple[Said, ...] = ()
        self._item = -1
        self._shared = False
        self._unexplained: frozenset[int] = frozenset()
        self._words = ItemWords(None)

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._words = item_words

    def show(self, said: tuple[Said, ...], item: int, shown: Snapshot | None) -> None:
        """Show the answers about an item in a state."""
        shared = shown is not None and shown.shares
        unexplained = frozenset(shown.overruled) if shown is not None and shared else frozenset()
        after = (said, item, shared, unexplained)
        if after != (self._said, self._item, self._shared, self._unexplained):
            self.beginResetModel()
            self._said, self._item, self._shared, self._unexplained = after
            self.endResetModel()

    @property
    def item_words(self) -> ItemWords:
        """Words for the items."""
        return self._words

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._said)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid():
            return None
        said = self._said[index.row()]
        pair = said.answer.pair
        other = pair.b if pair.a == self._item else pair.a
        if role == SAID:
            return said
        if role == OTHER:
            return other
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            parts = (self.verdict(said), self._words.name(other), f"#{said.seq}", self.note(said))
            return " · ".join(part for part in parts if part)
        return None

    def verdict(self, said: Said) -> str:
        """Name what was answered."""
        return words.verdict_word(said.answer.verdict, shared=self._shared)

    def note(self, said: Said) -> str:
        """Say of an answer where items may belong to several groups if theirs do not explain it."""
        return self.tr("not explained") if said.seq in self._unexplained else ""


class SaidDelegate(QStyledItemDelegate):
    """Paints an answer: its sign, the other item, its number."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Ask for two lines."""
        line = QFontMetrics(option.font).height()
        return QSize(120, max(2 * line + 8, _THUMB + 8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint an answer."""
        said, other = cast("Said", index.data(SAID)), int(index.data(OTHER))
        model = cast("SaidModel", index.model())
        item_words = model.item_words
        colors, rect = theme.current().colors, option.rect
        painter.save()
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(colors.hover))
        left = rect.left() + 6
        sign = QRect(left, rect.center().y() - 9, 20, 20)
        draw_sign(painter, sign, said.answer.verdict)
        left = sign.right() + 8
        if item_words.has_picture(other):
            square = QRect(left, rect.center().y() - _THUMB // 2 + 1, _THUMB, _THUMB)
            draw_thumb(painter, square, self._pictures, other)
            left = square.right() + 8
        line = painter.fontMetrics().height()
        text = QRect(left, rect.top() + 4, rect.right() - left - 6, line)
        painter.setPen(QColor(colors.text))
        parts = (model.verdict(said), f"#{said.seq}", model.note(said))
        draw_line(painter, text, " · ".join(part for part in parts if part))
        painter.setPen(QColor(colors.muted))
        below = text.translated(0, line)
        draw_line(painter, below, item_words.name(other), Qt.TextElideMode.ElideMiddle)
        painter.restore()
