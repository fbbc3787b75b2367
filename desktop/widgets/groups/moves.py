"""What another grouping would change, line by line: from which group, to which, how many items.

Hides painting. Promises that the largest moves come first, that groups have the signs and colours
that they have everywhere, and that every line can be reached by keys and read aloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
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
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.widgets import words
from desktop.widgets.groups.group_model import UNDECIDED
from desktop.widgets.thumbs import draw_chip, draw_icon, draw_line
from engine.model import IntArray, Overview

MOVE = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex
_PAD = 8
_ARROW = 14
_COUNT = 12  # letters that a count of items takes


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Items that would leave one group for another.

    `source` and `target` are slots, UNDECIDED = in no group; a source of None = there are no groups
    yet. `items`: int32, most certain of their new group first.
    """

    source: int | None
    target: int
    items: IntArray


def moves_between(now: Overview, then: Overview) -> list[Move]:
    """Give what differs between two groupings of the same items, the largest move first.

    Of groups that share items there are no moves to tell: they come with their questions alone, and
    no other grouping of such can be chosen.
    """
    begun = bool(now.groups)
    differs = np.flatnonzero(now.slots != then.slots)
    pairs = np.column_stack([now.slots[differs], then.slots[differs]])
    found, which, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    order = np.lexsort((-then.confidence[differs], which.ravel()))
    parts = np.split(differs[order].astype(np.int32), np.cumsum(counts)[:-1])
    moves = [
        Move(source if begun else None, target, items)
        for (source, target), items in zip(found.tolist(), parts, strict=False)
    ]
    return sorted(moves, key=lambda move: -len(move.items))


class MovesModel(QAbstractListModel):
    """One row per move."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._moves: tuple[Move, ...] = ()
        self._names: dict[int, str] = {}
        self._known: frozenset[int] = frozenset()

    def show(self, moves: Sequence[Move], now: Overview, then: Overview) -> None:
        """Show other moves."""
        self.beginResetModel()
        self._moves = tuple(moves)
        self._names = {group.slot: group.name for group in (*then.groups, *now.groups)}
        self._known = frozenset(group.slot for group in now.groups)
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self._moves)

    def name(self, slot: int) -> str:
        """Name a group beside its sign; a new one without a name is told to be new."""
        if slot == UNDECIDED:
            return self.tr("no group")
        is_new = bool(self._known) and slot not in self._known
        return self._names.get(slot) or (self.tr("new") if is_new else "")

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give what a row holds, in words for reading and for screen readers."""
        if not index.isValid():
            return None
        move = self._moves[index.row()]
        if role == MOVE:
            return move
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            count = words.items(len(move.items))
            if move.source is None:
                said = self.tr("{0}: {1}").format(self._called(move.target), count)
                return said[:1].upper() + said[1:]
            source, target = self._called(move.source), self._called(move.target)
            return self.tr("From {0} to {1}: {2}").format(source, target, count)
        return None

    def _called(self, slot: int) -> str:
        if slot == UNDECIDED:
            return self.tr("no group")
        name = self.name(slot)
        group = self.tr("group {0}").format(slot + 1)
        return f"{group} ({name})" if name else group


class MovesList(QListView):
    """The list.

    Notes
    -----
    `chosen(Move)`: another line was clicked or walked to.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.moves = MovesModel(self)
        self.setModel(self.moves)
        self.setItemDelegate(_MoveDelegate(self))
        self.setUniformItemSizes(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QListView.SelectionMode.SingleSelection)
        self.setAccessibleName(self.tr("What would move"))
        self.selectionModel().currentChanged.connect(self._choose)
        theme.current().themeChanged.connect(self.viewport().update)

    def show_moves(self, moves: Sequence[Move], now: Overview, then: Overview) -> None:
        """Show other moves, and choose the first."""
        self.moves.show(moves, now, then)
        if moves:
            self.setCurrentIndex(self.moves.index(0))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Ask for all lines, up to six."""
        rows = min(6, max(1, self.moves.rowCount()))
        return QSize(320, rows * self.sizeHintForRow(0) + 6 if self.moves.rowCount() else 40)

    def minimumSizeHint(self) -> QSize:
        """Be content with two lines."""
        return QSize(160, min(self.sizeHint().height(), 2 * max(20, self.sizeHintForRow(0)) + 6))

    def _choose(self, index: QModelIndex, _before: object = None) -> None:
        if index.isValid():
            self.chosen.emit(index.data(MOVE))


class _MoveDelegate(QStyledItemDelegate):
    """Paints a move: sign of the group left, arrow, sign of the group joined, count."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:
        """Ask for one line with room around it."""
        return QSize(200, QFontMetrics(option.font).height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint a move."""
        move, model = cast("Move", index.data(MOVE)), cast("MovesModel", index.model())
        colors, rect = theme.current().colors, option.rect.adjusted(_PAD, 0, -_PAD, 0)
        painter.save()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, QColor(colors.hover))
        if selected:
            edge = QRect(option.rect.topLeft(), QSize(3, option.rect.height()))
            painter.fillRect(edge, QColor(colors.accent))
        count = words.items(len(move.items))
        wide = painter.fontMetrics().averageCharWidth() * _COUNT
        right = QRect(rect.right() - wide, rect.top(), wide, rect.height())
        painter.setPen(QColor(colors.text))
        painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        left = QRect(rect.left(), rect.top(), right.left() - rect.left(), rect.height())
        if move.source is None:
            _draw_group(painter, left, move.target, model.name(move.target))
        else:
            half = (left.width() - _ARROW - 2 * _PAD) // 2
            side = QRect(left.left(), left.top(), half, left.height())
            _draw_group(painter, side, move.source, model.name(move.source))
            arrow = QRect(side.right() + _PAD, left.center().y() - _ARROW // 2, _ARROW, _ARROW)
            draw_icon(painter, arrow, "forward", colors.muted)
            side.moveLeft(arrow.right() + _PAD)
            _draw_group(painter, side, move.target, model.name(move.target))
        painter.restore()


def _draw_group(painter: QPainter, place: QRect, slot: int, name: str) -> None:
    """Draw a group's sign, and its name beside it; of what is in no group only words."""
    colors = theme.current().colors
    painter.setPen(QColor(colors.muted if slot == UNDECIDED else colors.text))
    if slot != UNDECIDED:
        chip = draw_chip(painter, place, slot)
        place = place.adjusted(chip.width() + 6, 0, 0, 0)
    if name:
        draw_line(painter, place, name)
