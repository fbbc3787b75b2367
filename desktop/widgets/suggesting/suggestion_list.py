"""The list of suggestions: what is likely of which two items, how strongly, and what it changes.

Hides how another list becomes the fewest row changes, and painting. Promises that rows which stay
keep their place in the view, and that a suggestion is told by word and sign, not by colour alone.
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
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.widgets.item_words import ItemWords
from desktop.widgets.suggesting import suggestion_words
from desktop.widgets.thumbs import draw_icon, draw_line, draw_meter, draw_sign, draw_thumb
from engine.model import Pair
from engine.suggestions import Suggestion

if TYPE_CHECKING:
    from desktop.images import PictureStore

SUGGESTION = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_THUMB, _SIGN, _GAP, _PAD = 38, 20, 7, 6
_METER = QSize(28, 5)


class SuggestionModel(QAbstractListModel):
    """One row per suggestion."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: list[Suggestion] = []
        self.item_words = ItemWords(None)
        self.names_hidden = False

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self.beginResetModel()
        self.item_words, self._found = item_words, []
        self.endResetModel()

    def hide_names(self, *, hidden: bool) -> None:
        """Hide names, or show them."""
        self.names_hidden = hidden
        self._say_changed()

    def show(self, found: tuple[Suggestion, ...]) -> None:
        """Show other suggestions; those that are there already stay where they are."""
        wanted = {one.pair: one for one in found}
        for row in reversed(range(len(self._found))):
            if self._found[row].pair not in wanted:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._found[row]
                self.endRemoveRows()
        kept = {one.pair for one in self._found}
        if [one.pair for one in self._found] != [one.pair for one in found if one.pair in kept]:
            self.beginResetModel()  # learned anew: another order
            self._found = list(found)
            self.endResetModel()
            return
        for row, one in enumerate(found):
            if one.pair not in kept:
                self.beginInsertRows(QModelIndex(), row, row)
                self._found.insert(row, one)
                self.endInsertRows()
        if self._found != list(found):
            self._found = list(found)
            self._say_changed()

    def _say_changed(self) -> None:
        if self._found:
            self.dataChanged.emit(self.index(0), self.index(len(self._found) - 1))

    @property
    def found(self) -> tuple[Suggestion, ...]:
        """The suggestions shown."""
        return tuple(self._found)

    def row_of(self, pair: Pair | None) -> int:
        """Find the row of a pair; -1 where it is not listed."""
        return next((row for row, one in enumerate(self._found) if one.pair == pair), -1)

    def rowCount(self, parent: _Index | None = None) -> int:
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self._found)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid() or index.row() >= len(self._found):
            return None
        one = self._found[index.row()]
        if role == SUGGESTION:
            return one
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return suggestion_words.sentence(one, self.item_words, names_hidden=self.names_hidden)
        if role == Qt.ItemDataRole.ToolTipRole:
            named = suggestion_words.names(one, self.item_words, names_hidden=self.names_hidden)
            lines = (named, suggestion_words.standing(one), suggestion_words.about_strength())
            return "\n".join(line for line in lines if line)
        return None


class SuggestionList(QListView):
    """The list.

    Notes
    -----
    `chosen(Suggestion | None)`: another one is looked at.
    """

    chosen = Signal(object)

    def __init__(self, pictures: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.suggestions = SuggestionModel(self)
        self.setModel(self.suggestions)
        self.setItemDelegate(_SuggestionDelegate(pictures, self))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Suggestions"))
        self.setSelectionMode(QListView.SelectionMode.SingleSelection)
        self.selectionModel().currentChanged.connect(self._choose)
        self._filling = False
        pictures.pictureReady.connect(self.viewport().update)
        theme.current().themeChanged.connect(self.viewport().update)

    @property
    def current(self) -> Suggestion | None:
        """The one that is looked at."""
        found = self.currentIndex().data(SUGGESTION)
        return found if isinstance(found, Suggestion) else None

    def fill(self, found: tuple[Suggestion, ...], wanted: Pair | None = None) -> None:
        """Show other suggestions, and look at one.

        Parameters
        ----------
        wanted
            The one to look at. By default, and where it is not there, the same one as before; where
            that has gone, the next one.
        """
        before, was = self.suggestions.found, self.current
        self._filling = True
        self.suggestions.show(found)
        self._filling = False
        row = self.suggestions.row_of(wanted)
        if row < 0:
            row = self._following(before, was)
        self.go_to(row)
        self._choose()

    def _following(self, before: tuple[Suggestion, ...], was: Suggestion | None) -> int:
        """Find the row of the one looked at before, else of the next that is still there."""
        at = next((row for row, one in enumerate(before) if was and one.pair == was.pair), 0)
        rows = (self.suggestions.row_of(one.pair) for one in before[at:])
        last = self.suggestions.rowCount() - 1
        return next((row for row in rows if row >= 0), 0 if was is None else last)

    def go_to(self, row: int) -> None:
        """Look at the suggestion in a row."""
        last = self.suggestions.rowCount() - 1
        if last >= 0:
            self.setCurrentIndex(self.suggestions.index(max(0, min(last, row))))
            self.scrollTo(self.currentIndex())

    def step(self, by: int) -> None:
        """Look at the next suggestion, or the one before."""
        self.go_to(self.currentIndex().row() + by)

    def _choose(self, _index: object = None, _before: object = None) -> None:
        if not self._filling:
            self.chosen.emit(self.current)


class _SuggestionDelegate(QStyledItemDelegate):
    """Paints a suggestion: its sign, the two items, how strong it is, what it would change."""

    def __init__(self, pictures: PictureStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Ask for thumbnails and two lines, or for three lines."""
        line = QFontMetrics(option.font).height()
        model = cast("SuggestionModel", index.model())
        high = max(_THUMB, 2 * line) if model.item_words.has_pictures else 3 * line
        return QSize(200, high + 2 * _PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a suggestion."""
        one = cast("Suggestion", index.data(SUGGESTION))
        model = cast("SuggestionModel", index.model())
        colors, rect = theme.current().colors, option.rect
        painter.save()
        self._draw_ground(painter, option)
        sign = QRect(rect.left() + _GAP, rect.center().y() - _SIGN // 2 + 1, _SIGN, _SIGN)
        draw_sign(painter, sign, one.verdict)
        place = rect.adjusted(sign.right() + _GAP - rect.left(), 0, -_GAP, 0)
        with_pictures = model.item_words.has_pictures
        if with_pictures:
            for item in one.pair:
                square = QRect(place.left(), place.center().y() - _THUMB // 2 + 1, _THUMB, _THUMB)
                draw_thumb(painter, square, self._pictures, item)
                place.setLeft(square.right() + 4)
            place.setLeft(place.left() + 4)
        line = painter.fontMetrics().height()
        lines = 2 if with_pictures else 3
        first = QRect(place.left(), place.center().y() - lines * line // 2, place.width(), line)
        self._draw_verdict(painter, first, one)
        below = first.translated(0, line)
        if not with_pictures:
            painter.setPen(QColor(colors.text))
            named = suggestion_words.names(one, model.item_words, names_hidden=model.names_hidden)
            draw_line(painter, below, named, Qt.TextElideMode.ElideMiddle)
            below.translate(0, line)
        if one.changes:
            icon = QRect(below.left(), below.center().y() - 7, 14, 14)
            draw_icon(painter, icon, "warning", colors.warning)
            painter.setPen(QColor(colors.warning))
            beside = below.adjusted(18, 0, 0, 0)
            whole, short = suggestion_words.changes(), suggestion_words.changes(short=True)
            fits = painter.fontMetrics().horizontalAdvance(whole) <= beside.width()
            draw_line(painter, beside, whole if fits else short)
        painter.restore()

    @staticmethod
    def _draw_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
        colors, rect, state = theme.current().colors, option.rect, option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.fillRect(rect, QColor(colors.hover))
        if state & QStyle.StateFlag.State_Selected:
            edge = QRect(rect.left(), rect.top(), 3, rect.height())
            painter.fillRect(edge, QColor(colors.accent))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(colors.accent), 1, Qt.PenStyle.DotLine))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    @staticmethod
    def _draw_verdict(painter: QPainter, line: QRect, one: Suggestion) -> None:
        """Write what is likely, and at the right how strong it is."""
        colors, metrics = theme.current().colors, painter.fontMetrics()
        number = suggestion_words.strength(one.confidence)
        painter.setPen(QColor(colors.muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, number)
        right = line.right() - metrics.horizontalAdvance(number) - 6
        bar = QRect(right - _METER.width(), 0, _METER.width(), _METER.height())
        bar.moveTop(line.center().y() - _METER.height() // 2)
        draw_meter(painter, bar, one.confidence, QColor(colors.muted))
        plain, bold = QFont(painter.font()), QFont(painter.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(colors.text))
        title = line.adjusted(0, 0, -(line.right() - bar.left()) - 6, 0)
        draw_line(painter, title, suggestion_words.together(one.verdict))
        painter.setFont(plain)
