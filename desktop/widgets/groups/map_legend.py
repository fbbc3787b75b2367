"""What the marks of several colours on the map mean: a line below it.

Hides which marks occur. Promises to be away where every item is in one group, and to show a mark
that is on the map.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from desktop import theme
from desktop.widgets.groups.map_looks import draw_look, look_of
from engine.model import Memberships, Overview

_SIDE = 15  # pixels of the layout


class MapLegend(QWidget):
    """The line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._two, self._more = _Mark(self), _Mark(self)
        self.two, self.more = QLabel(self), QLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(6)
        for mark, text in ((self._two, self.two), (self._more, self.more)):
            text.setProperty("role", "muted")
            row.addWidget(mark)
            row.addWidget(text)
            row.addSpacing(10)
        row.addStretch(1)
        self.hide()

    def show_overview(self, overview: Overview | None) -> None:
        """Explain the marks of a state."""
        memberships = None if overview is None else overview.memberships
        two = _most(memberships, 2, 2)
        more = _most(memberships, 3, 99)
        for mark, text, found in ((self._two, self.two, two), (self._more, self.more, more)):
            mark.show_mark(found)
            mark.setVisible(bool(found))
            text.setVisible(bool(found))
        self.two.setText(self.tr("in two groups"))
        self.two.setToolTip(self._example(two))
        self.more.setText(self.tr("in more"))
        self.more.setToolTip(self._example(more))
        told = [
            text
            for text, found in ((self._example(two), two), (self._example(more), more))
            if found
        ]
        self.setAccessibleName(" ".join(told))
        self.setVisible(bool(told))

    def _example(self, slots: tuple[int, ...]) -> str:
        signs = self.tr(" and ").join(theme.slot_text(slot) for slot in slots)
        if len(slots) == 2:
            text = self.tr("A mark of two halves is an item in two groups, such as {0}.")
        else:
            text = self.tr("A disc of sectors is an item in more than two groups, such as {0}.")
        return text.format(signs)


def _most(memberships: Memberships | None, least: int, most: int) -> tuple[int, ...]:
    """Give the composition of so many groups that has most items; none where there is none."""
    made = () if memberships is None else memberships.compositions
    fitting = [one for one in made if least <= len(one.groups) <= most]
    return max(fitting, key=lambda one: one.items).groups if fitting else ()


class _Mark(QWidget):
    """A mark as on the map."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._slots: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.current().themeChanged.connect(self.update)

    def show_mark(self, slots: tuple[int, ...]) -> None:
        """Show the mark of other groups."""
        self._slots = slots
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a square."""
        return QSize(_SIDE, _SIDE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it in the colours of the theme."""
        painter = QPainter(self)
        draw_look(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), look_of(self._slots))
        painter.end()
