"""The answers that a cut breaks, as a list: what was said, of which two, and at which step.

Promises that a list that comes again while the cut is dragged keeps its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.widgets import words
from desktop.widgets.item_words import ItemWords
from desktop.widgets.thumbs import draw_line, draw_sign, draw_thumb
from desktop.widgets.tree.answers_at_cut import SaidAt

if TYPE_CHECKING:
    from desktop.images import PictureStore

SAID = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_THUMB = 32


class BrokenModel(QAbstractListModel):
    """One row per answer."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._said: tuple[SaidAt, ...] = ()
        self.item_words = ItemWords(None)

    def show(self, said: tuple[SaidAt, ...], item_words: ItemWords) -> None:
        """Show other answers."""
        self.item_words = item_words
        if said != self._said:
            self.beginResetModel()
            self._said = said
            self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self._said)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid():
            return None
        said = self._said[index.row()]
        if role == SAID:
            return said
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            names = " — ".join(self.item_words.name(item) for item in said.pair)
            return f"#{said.seq} · {words.verdict_word(said.verdict)} · {names}"
        return None


class BrokenList(QListView):
    """The list.

    Notes
    -----
    `chosen(SaidAt)`: an answer was clicked or walked to. `stepWanted(int)`: its step is wanted.
    """

    chosen = Signal(object)
    stepWanted = Signal(int)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answers = BrokenModel(self)
        self.setModel(self.answers)
        self.setItemDelegate(_BrokenDelegate(pictures, self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Answers that this cut breaks"))
        self.setMinimumHeight(96)
        self.setSelectionMode(QListView.SelectionMode.SingleSelection)
        self.selectionModel().currentChanged.connect(self._choose)
        self.clicked.connect(self._choose)
        self.doubleClicked.connect(self._go)
        pictures.pictureReady.connect(self.viewport().update)
        theme.current().themeChanged.connect(self.viewport().update)

    def sizeHint(self) -> QSize:
        """Ask for three rows."""
        return QSize(400, 3 * (_THUMB + 8) + 4)

    def _choose(self, index: QModelIndex, _before: object = None) -> None:
        if index.isValid():
            self.chosen.emit(index.data(SAID))

    def _go(self, index: QModelIndex) -> None:
        self.stepWanted.emit(cast("SaidAt", index.data(SAID)).seq)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the step by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._go(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _BrokenDelegate(QStyledItemDelegate):
    """Paints an answer: its sign, number, and the two items."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Ask for a thumbnail's height."""
        return QSize(200, max(QFontMetrics(option.font).height() + 12, _THUMB + 8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint an answer."""
        said = cast("SaidAt", index.data(SAID))
        item_words = cast("BrokenModel", index.model()).item_words
        colors, rect = theme.current().colors, option.rect
        painter.save()
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(colors.hover))
        sign = QRect(rect.left() + 6, rect.center().y() - 9, 20, 20)
        draw_sign(painter, sign, said.verdict)
        painter.setPen(QColor(colors.muted))
        number = QRect(sign.right() + 8, rect.top(), 48, rect.height())
        draw_line(painter, number, f"#{said.seq}")
        half = (rect.right() - number.right() - 8) // 2
        painter.setPen(QColor(colors.text))
        for at, item in enumerate(said.pair):
            place = QRect(number.right() + at * half, rect.top(), half - 8, rect.height())
            if item_words.has_picture(item):
                square = QRect(place.left(), place.center().y() - _THUMB // 2, _THUMB, _THUMB)
                draw_thumb(painter, square, self._pictures, item)
                place.setLeft(square.right() + 8)
            draw_line(painter, place, item_words.name(item), Qt.TextElideMode.ElideMiddle)
        painter.restore()
