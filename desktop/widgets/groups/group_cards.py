"""The groups as cards: sign, number, name, size, certainty, and a strip of its items.

Hides painting and which part of a card was hit. Promises that only thumbnails on the screen are
asked for, and that a group is told by sign and number as well as by colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.widgets.groups.group_model import CARD, SET_ASIDE, Card, GroupsModel
from desktop.widgets.thumbs import draw_chip, draw_icon, draw_line, draw_parts, draw_thumb
from engine.model import IntArray

if TYPE_CHECKING:
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
_PAD = 8
_STRIP = 48
_GAP = 4
_ARROW = 16
_NAMES = 12
_TEXT_LINES = 3


class CardPlaces(NamedTuple):
    """Where the parts of a card are painted, and clicked."""

    chip: QRect
    name: QRect
    arrow: QRect
    figures: QRect
    elsewhere: QRect
    """Where items may be in several groups: how many are; else of no height."""
    body: QRect
    """The strip of items, or for tables the lines of text."""

    def squares(self, members: IntArray) -> list[tuple[QRect, int]]:
        """Give the squares of the strip with their items: as many as there is room for."""
        room = max(0, (self.body.width() + _GAP) // (_STRIP + _GAP))
        left, top = self.body.left(), self.body.top()
        return [
            (QRect(left + at * (_STRIP + _GAP), top, _STRIP, _STRIP), int(item))
            for at, item in enumerate(members[:room])
        ]


def places(rect: QRect, font: QFont, *, shared: bool = False) -> CardPlaces:
    """Lay out a card; `shared` = with a line for items that are in other groups too."""
    metrics = QFontMetrics(font)
    line, inner = metrics.height(), rect.adjusted(_PAD, _PAD, -_PAD, -_PAD)
    chip = QRect(inner.left(), inner.top(), metrics.horizontalAdvance("★888") + 12, line + 2)
    arrow = QRect(inner.right() - _ARROW, inner.top() + (line - _ARROW) // 2, _ARROW, _ARROW)
    left = chip.right() + _GAP
    name = QRect(left, inner.top(), arrow.left() - _GAP - left, line + 2)
    figures = QRect(left, name.bottom() + 2, inner.right() - left, line)
    elsewhere = QRect(left, figures.bottom() + 1, figures.width(), line if shared else 0)
    body = QRect(inner.left(), elsewhere.bottom() + _GAP + 1, inner.width(), 0)
    body.setBottom(inner.bottom())
    return CardPlaces(chip, name, arrow, figures, elsewhere, body)


class GroupDelegate(QStyledItemDelegate):
    """Paints a card.

    Parameters
    ----------
    pictures
        Where thumbnails come from.
    compact
        Without the strip of items: for a narrow list beside other views.
    """

    def __init__(
        self, pictures: PictureStore, parent: QObject | None = None, *, compact: bool = False
    ) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._compact = compact

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Ask for two lines or three, and the strip or three more lines."""
        line = QFontMetrics(option.font).height()
        height = 2 * _PAD + (3 if _model_of(index).is_shared else 2) * line + 4
        if not self._compact:
            has_pictures = _model_of(index).item_words.has_pictures
            height += _GAP + (_STRIP if has_pictures else _TEXT_LINES * line)
        return QSize(120, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a card."""
        card, model = cast("Card", index.data(CARD)), _model_of(index)
        colors = theme.current().colors
        at = places(option.rect, option.font, shared=model.is_shared)
        painter.save()
        _draw_ground(painter, option)
        font = QFont(option.font)
        painter.setFont(font)
        if card.is_group:
            draw_chip(painter, at.chip, card.slot)
        else:
            icon = "aside" if card.slot == SET_ASIDE else "unsure"
            square = QRect(at.chip.topLeft(), QSize(at.chip.height(), at.chip.height()))
            draw_icon(painter, square, icon, colors.muted)
        draw_icon(painter, at.arrow, "forward", colors.muted)
        font.setBold(bool(card.name))
        painter.setFont(font)
        painter.setPen(QColor(colors.text))
        draw_line(painter, at.name, model.title(card))
        painter.setFont(option.font)
        _draw_figures(painter, at, card, model)
        if not self._compact:
            self._draw_body(painter, at, card, model)
        painter.restore()

    def _draw_body(
        self, painter: QPainter, at: CardPlaces, card: Card, model: GroupsModel
    ) -> None:  # fmt: skip
        if model.item_words.has_pictures:
            for square, item in at.squares(card.members):
                draw_thumb(painter, square, self._pictures, item)
            return
        line = painter.fontMetrics().height()
        colors = theme.current().colors
        names = (model.item_words.name(int(item)) for item in card.members[:_NAMES])
        painter.setPen(QColor(colors.text))
        draw_parts(painter, at.body, names, ", ")
        painter.setPen(QColor(colors.muted))
        cells = at.body.adjusted(0, line, 0, 0)
        draw_parts(painter, cells, model.telling(card), "   ", _TEXT_LINES - 1)

    # ------------------------------------------------------------------ naming

    def createEditor(
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: _Index
    ) -> QWidget:
        """Make the field for a name."""
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("Name of the group"))
        editor.setPlaceholderText(self.tr("Name of the group"))
        editor.setMaxLength(120)
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: _Index
    ) -> None:
        """Put the field where the name stands."""
        place = places(option.rect, option.font).name  # the same with a line below it
        height = editor.sizeHint().height()
        top = max(option.rect.top(), place.center().y() - height // 2)
        editor.setGeometry(place.left() - _PAD, top, place.width() + _ARROW + _PAD, height)


class GroupList(QListView):
    """The list of cards.

    Notes
    -----
    Signals: `groupClicked(int)` a card was clicked beside its name, or Enter pressed on it;
    `nameClicked(int)` its name was clicked, which only singles it out; `itemClicked(int)` an item
    of its strip was clicked.
    """

    groupClicked = Signal(int)
    nameClicked = Signal(int)
    itemClicked = Signal(int)

    def __init__(
        self, pictures: PictureStore, parent: QWidget | None = None, *, compact: bool = False
    ) -> None:
        super().__init__(parent)
        self._delegate = GroupDelegate(pictures, self, compact=compact)
        self._compact = compact
        self.setItemDelegate(self._delegate)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setAccessibleName(self.tr("Groups"))
        self.setAccessibleDescription(self.tr("Enter shows all items of a group, F2 names it."))
        pictures.pictureReady.connect(self._arrived)
        pictures.pictureFailed.connect(self._arrived)
        theme.current().themeChanged.connect(self._arrived)

    def _arrived(self, *_: object) -> None:
        self.viewport().update()

    def part_at(self, where: QPoint) -> tuple[Card, str, int] | None:
        """Find what lies at a point: the card, "name", "item" or "card", and the item there."""
        index = self.indexAt(where)
        if not index.isValid():
            return None
        card, rect = cast("Card", index.data(CARD)), self.visualRect(index)
        at = places(rect, self.font(), shared=_model_of(index).is_shared)
        if card.is_group and at.name.contains(where):
            return card, "name", -1
        if not self._compact and _model_of(index).item_words.has_pictures:
            for square, item in at.squares(card.members):
                if square.contains(where):
                    return card, "item", item
        return card, "card", -1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell what was clicked."""
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        match self.part_at(event.position().toPoint()):
            case card, "item", item:
                self.itemClicked.emit(item)
            case card, "name", _:
                self.nameClicked.emit(card.slot)
            case card, _, _:
                self.groupClicked.emit(card.slot)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Name a group by a double click on its name."""
        where = event.position().toPoint()
        match self.part_at(where):
            case _, "name", _:
                self.edit(self.indexAt(where))
            case _:
                super().mouseDoubleClickEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show by the pointer what a click would do."""
        super().mouseMoveEvent(event)
        found = self.part_at(event.position().toPoint())
        part = found[1] if found is not None else ""
        shapes = {"name": Qt.CursorShape.IBeamCursor, "": Qt.CursorShape.ArrowCursor}
        self.viewport().setCursor(shapes.get(part, Qt.CursorShape.PointingHandCursor))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open a group by Enter."""
        editing = self.state() == QAbstractItemView.State.EditingState
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not editing:
            card = cast("Card | None", self.currentIndex().data(CARD))
            if card is not None:
                self.groupClicked.emit(card.slot)
        else:
            super().keyPressEvent(event)


def _model_of(index: _Index) -> GroupsModel:
    return cast("GroupsModel", index.model())


def _draw_figures(painter: QPainter, at: CardPlaces, card: Card, model: GroupsModel) -> None:
    """Write how large a group is and how sure, and below it how many items it shares."""
    colors, figures = theme.current().colors, QRect(at.figures)
    if card.in_conflict:
        sign = QRect(figures.topLeft(), QSize(figures.height(), figures.height()))
        draw_icon(painter, sign, "warning", colors.warning)
        figures.setLeft(sign.right() + _GAP)
    painter.setPen(QColor(colors.warning if card.in_conflict else colors.muted))
    if card.mixed is None:
        draw_line(painter, figures, model.figures(card))
        return
    draw_line(painter, figures, model.short_figures(card))
    said = model.said_elsewhere(card)
    room = at.elsewhere.width()
    fitting = (one for one in said if painter.fontMetrics().horizontalAdvance(one) <= room)
    draw_line(painter, at.elsewhere, next(fitting, said[-1]))


def _draw_ground(painter: QPainter, option: QStyleOptionViewItem) -> None:
    colors, rect = theme.current().colors, option.rect
    selected = bool(option.state & QStyle.StateFlag.State_Selected)
    if selected or option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(rect, QColor(colors.hover))
    if selected:
        painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(colors.accent))
    painter.setPen(QColor(colors.border))
    painter.drawLine(rect.bottomLeft(), rect.bottomRight())
