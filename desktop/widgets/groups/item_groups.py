"""The groups of an item that may belong to several, a line each, and what shares one with it.

Hides painting. Promises that every line can be clicked and reached by keys, and that a long name
is shortened and told whole in the tooltip.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import words
from desktop.widgets.thumbs import draw_chip, draw_icon, draw_line
from engine.model import Group

_PAD, _ARROW = 6, 14


class ItemGroups(QWidget):
    """The lines.

    Notes
    -----
    Signals: `groupChosen(int)`, all items of a group are wanted; `inCommonChosen()`, the items that
    have a group in common with this one.
    """

    groupChosen = Signal(int)
    inCommonChosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[GroupLine] = []
        self.in_common = _Line(self)
        self.in_common.clicked.connect(self.inCommonChosen)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.in_common)
        self.hide()

    def show_groups(self, groups: Sequence[Group], others: int) -> None:
        """Show the groups of an item, and how many others have one in common with it."""
        while len(self.lines) < len(groups):
            line = GroupLine(self)
            line.chosen.connect(self.groupChosen)
            self._column.insertWidget(len(self.lines), line)
            self.lines.append(line)
        for line, group in zip(self.lines, groups, strict=False):
            line.show_group(group)
        for at, line in enumerate(self.lines):
            line.setVisible(at < len(groups))
        self.in_common.say(self._in_common(others))
        self.in_common.setEnabled(others > 0)
        self.setVisible(bool(groups))

    def _in_common(self, others: int) -> str:
        if others == 0:
            return self.tr("no other item shares a group with it")
        if others == 1:
            return self.tr("1 other item shares a group with it")
        return self.tr("{0} others share a group with it").format(words.number(others))


class _Line(QAbstractButton):
    """A line that leads somewhere."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._slot: int | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.current().themeChanged.connect(self.update)

    def say(self, text: str, accessible: str = "") -> None:
        """Say something else."""
        self.setText(text)
        self.setAccessibleName(accessible or text)
        self.setToolTip(accessible or text)
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a line; a text without room is shortened."""
        return QSize(160, self.fontMetrics().height() + 7)

    def minimumSizeHint(self) -> QSize:
        """Be content with a sign and a little more."""
        return QSize(100, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint sign, text, and an arrow."""
        colors, painter = theme.current().colors, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() and self.isEnabled():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(self.rect(), 5, 5)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 5, 5)
        inner = self.rect().adjusted(_PAD, 0, -_PAD, 0)
        if self.isEnabled():
            top = inner.center().y() - _ARROW // 2 + 1
            arrow = QRect(inner.right() - _ARROW, top, _ARROW, _ARROW)
            draw_icon(painter, arrow, "forward", colors.muted)
            inner.setRight(arrow.left() - _PAD)
        if self._slot is not None:
            inner.setLeft(draw_chip(painter, inner, self._slot).right() + _PAD)
        painter.setPen(QColor(colors.text if self._slot is not None else colors.muted))
        draw_line(painter, inner, self.text())
        painter.end()


class GroupLine(_Line):
    """A group: its sign and name. Signal `chosen(int)`: its items are wanted."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.clicked.connect(self._choose)

    def show_group(self, group: Group) -> None:
        """Show a group."""
        self._slot = group.slot
        title = group.name or self.tr("Group {0}").format(group.slot + 1)
        sign = theme.slot_text(group.slot)
        self.say(title, self.tr("Show all items of {0} {1}").format(sign, title))

    def _choose(self) -> None:
        self.chosen.emit(self._slot)
