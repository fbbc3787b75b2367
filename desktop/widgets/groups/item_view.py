"""One item looked at: its picture or its cells, its group, how sure that is, what was said of it.

Hides loading and the history walk. Promises that it shows the state of the window, replayed or
live, and stays on its item until another is chosen.
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
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListView,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets import trail, words
from desktop.widgets.groups.group_header import GroupChip
from desktop.widgets.item_words import Cell, ItemWords
from desktop.widgets.judging.picture_view import PictureView
from desktop.widgets.thumbs import draw_line, draw_sign, draw_thumb
from desktop.widgets.trail import Said

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.images import PictureStore

_Index = QModelIndex | QPersistentModelIndex
SAID = Qt.ItemDataRole.UserRole
OTHER = Qt.ItemDataRole.UserRole + 1
_THUMB = 32


class ItemView(QWidget):
    """The view of one item.

    Parameters
    ----------
    controller
        Whose `shown` state is read.
    pictures
        Where pictures come from.
    with_back
        Whether it has a way back to what was there before.

    Notes
    -----
    Signals: `backClicked()`; `itemSelected(int)`, the other item of an answer was chosen;
    `groupRequested(int)`, all items of its group are wanted.
    """

    backClicked = Signal()
    itemSelected = Signal(int)
    groupRequested = Signal(int)

    def __init__(
        self,
        controller: Controller,
        pictures: PictureStore,
        parent: QWidget | None = None,
        *,
        with_back: bool = False,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._pictures = pictures
        self._words = ItemWords(None)
        self._item: int | None = None
        self._make_parts(pictures)
        self._back.setVisible(with_back)
        self._lay_out()
        self._back.clicked.connect(self.backClicked)
        self._show_group.clicked.connect(self._ask_for_group)
        self._answers.activated.connect(self._choose_other)
        self._answers.clicked.connect(self._choose_other)
        pictures.pictureReady.connect(self._arrived)
        pictures.pictureFailed.connect(self._failed)
        controller.studyOpened.connect(self._open)
        controller.closed.connect(self._open)
        controller.snapshotChanged.connect(self._refresh)
        controller.replayChanged.connect(self._refresh)
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()
        self._open()

    def _make_parts(self, pictures: PictureStore) -> None:
        self._back = QToolButton(self)
        self._back.setAccessibleName(self.tr("Back"))
        self._back.setToolTip(self.tr("Back (Esc)"))
        self._name = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._name.setProperty("role", "strong")
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        self._name.setTextInteractionFlags(selectable)
        self._chip = GroupChip(self)
        self._group = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._group.setToolTip(words.about_certainty())
        self._show_group = QToolButton(self)
        self._show_group.setAccessibleName(self.tr("Show all items of its group"))
        self._show_group.setToolTip(self.tr("Show all items of its group"))
        self._copies = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._copies.setProperty("role", "muted")
        self._picture = PictureView(self)
        self._picture.setAccessibleName(self.tr("Picture of the item"))
        self._cells = CellsModel(self)
        self._table = QTableView(self)
        self._table.setModel(self._cells)
        self._table.setAccessibleName(self.tr("Cells of the item"))
        self._table.verticalHeader().hide()
        self._table.setShowGrid(False)
        self._table.setAlternatingRowColors(True)
        self._table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._heading = QLabel(self)
        self._heading.setProperty("role", "strong")
        self._said = SaidModel(self)
        self._answers = QListView(self)
        self._answers.setModel(self._said)
        self._answers.setItemDelegate(SaidDelegate(pictures, self._answers))
        self._answers.setUniformItemSizes(True)
        self._answers.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._answers.setAccessibleName(self.tr("Answers about the item"))
        self._heading.setBuddy(self._answers)

    def _lay_out(self) -> None:
        above, group = QHBoxLayout(), QHBoxLayout()
        above.addWidget(self._back, 0, Qt.AlignmentFlag.AlignTop)
        above.addWidget(self._name, 1)
        group.addWidget(self._chip)
        group.addWidget(self._group, 1)
        group.addWidget(self._show_group)
        said = QWidget(self)
        below = QVBoxLayout(said)
        below.setContentsMargins(0, 4, 0, 0)
        below.addWidget(self._heading)
        below.addWidget(self._answers, 1)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        for part in (self._picture, self._table, said):
            self._split.addWidget(part)
        self._split.setStretchFactor(0, 3)
        self._split.setStretchFactor(1, 3)
        self._split.setStretchFactor(2, 1)
        self._split.setSizes([300, 300, 90])
        self._split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(6)
        layout.addLayout(above)
        layout.addLayout(group)
        layout.addWidget(self._copies)
        layout.addWidget(self._split, 1)

    # ------------------------------------------------------------------ what a view can ask

    @property
    def item(self) -> int | None:
        """The item shown."""
        return self._item

    def show_item(self, item: int | None) -> None:
        """Show an item; None = none chosen."""
        self._item = item
        self._show_picture()
        self._refresh()

    # ------------------------------------------------------------------ states

    def _open(self, _opened: object = None) -> None:
        self._words = ItemWords(self._controller.opened)
        self._said.open(self._words)
        self.show_item(None)

    def _recolour(self) -> None:
        self._back.setIcon(theme.icon("back"))
        self._show_group.setIcon(theme.icon("overview"))
        self._answers.viewport().update()

    def _refresh(self, _snapshot: object = None) -> None:
        shown, item = self._controller.shown, self._item
        is_here = shown is not None and item is not None
        for part in (self._chip, self._show_group, self._heading, self._answers, self._copies):
            part.setVisible(is_here)
        if shown is None or item is None:
            self._name.setText(self.tr("No item chosen"))
            self._group.setText(self.tr("Click an item on the map or in the gallery."))
            self._cells.show(())
            self._said.show((), -1)
            return
        slot = int(shown.overview.slots[item])
        group = next((group for group in shown.overview.groups if group.slot == slot), None)
        self._name.setText(self._words.name(item))
        self._chip.set_slot(slot)
        self._chip.setVisible(group is not None)
        self._show_group.setVisible(group is not None)
        if group is not None:
            title = group.name or self.tr("Group {0}").format(slot + 1)
            sure = words.certainty(float(shown.overview.confidence[item]))
            text = f"{title} · {sure}"
            if not trail.is_placed(shown, item):
                text = self.tr("not placed yet; nearest: {0}").format(title)
        elif item in trail.items_set_aside(shown):
            text = self.tr("set aside")
        else:
            text = self.tr("in no group")
        if item in shown.overview.prototypes:
            text += " · " + self.tr("prototype")
        elif item in shown.overview.criticisms:
            text += " · " + self.tr("badly represented")
        self._group.setText(text)
        copies = self._words.copies(item)
        self._copies.setVisible(bool(copies))
        self._copies.setText(
            self.tr("Also stands for its exact copies: {0}").format(", ".join(copies))
        )
        self._cells.show(self._words.cells(item))
        said = trail.answers_about(shown, item)
        self._said.show(said, item)
        self._heading.setText(
            self.tr("Answers about it: {0}").format(len(said))
            if said
            else self.tr("No answers about it yet")
        )
        self._answers.setVisible(bool(said))

    # ------------------------------------------------------------------ the picture

    def _show_picture(self) -> None:
        item = self._item
        self._picture.setVisible(item is not None and self._words.has_picture(item))
        self._table.setVisible(item is not None and bool(self._words.cells(item)))
        if item is None or not self._words.has_picture(item):
            self._picture.show_message("")
            return
        self._picture.show_message(self.tr("Loading…"))
        self._pictures.request(item)

    def _arrived(self, item: int, _size: int, _image: object) -> None:
        if item != self._item:
            return
        picture = self._pictures.picture(item)
        if picture is not None and self._picture.picture is not picture:
            self._picture.show_picture(picture, item)

    def _failed(self, item: int, reason: str) -> None:
        if item == self._item:
            self._picture.show_message(reason, failed=True)

    # ------------------------------------------------------------------ what a person does

    def _ask_for_group(self) -> None:
        shown = self._controller.shown
        if shown is not None and self._item is not None:
            self.groupRequested.emit(int(shown.overview.slots[self._item]))

    def _choose_other(self, index: QModelIndex) -> None:
        self.itemSelected.emit(int(index.data(OTHER)))


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
        self._words = ItemWords(None)

    def open(self, item_words: ItemWords) -> None:
        """Begin with another study."""
        self._words = item_words

    def show(self, said: tuple[Said, ...], item: int) -> None:
        """Show the answers about an item."""
        if (said, item) != (self._said, self._item):
            self.beginResetModel()
            self._said, self._item = said, item
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
            verdict = words.verdict_word(said.answer.verdict)
            return f"{verdict} · {self._words.name(other)} · #{said.seq}"
        return None


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
        item_words = cast("SaidModel", index.model()).item_words
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
        verdict = words.verdict_word(said.answer.verdict)
        draw_line(painter, text, f"{verdict} · #{said.seq}")
        painter.setPen(QColor(colors.muted))
        below = text.translated(0, line)
        draw_line(painter, below, item_words.name(other), Qt.TextElideMode.ElideMiddle)
        painter.restore()
