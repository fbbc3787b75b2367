"""The groups of one side of the pair, where it may have several: signs, names, examples.

Hidden: painting, and what gives way where there is little room. Promised: every group is told by
sign and number, whatever the room; a name is written whole or not at all; the examples of a group
stand beside its sign, for nothing that holds of one group need hold of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.thumb_strip import paint_thumbnail
from desktop.widgets.thumbs import chip_width, draw_chip
from engine.model import Group

_EXAMPLES = 3  # of each group
_GAP = 4
_APART = 12  # between groups


@dataclass(frozen=True, slots=True)
class _Told:
    """What is shown of a group: whether its name, and which examples."""

    group: Group
    named: bool
    examples: tuple[int, ...]


class SideGroups(QWidget):
    """Shows the groups of one item.

    Parameters
    ----------
    store
        Where thumbnails come from.
    side
        Of a thumbnail, in pixels of the layout.
    """

    def __init__(self, store: PictureStore, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._side = side
        self._groups: tuple[Group, ...] = ()
        self._item = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        store.pictureReady.connect(self._arrived)
        store.pictureFailed.connect(self._arrived)
        theme.current().themeChanged.connect(self.update)

    def show_groups(self, groups: Sequence[Group], item: int, full: str) -> None:
        """Show the groups of an item; `full` says all of it in words."""
        self._groups, self._item = tuple(groups), item
        self.setVisible(bool(self._groups))
        self.setToolTip(full)
        self.setAccessibleName(full)
        self.updateGeometry()
        self.update()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups shown."""
        return self._groups

    def told(self) -> list[_Told]:
        """Share out the room: first all signs, then all names, then as many examples as fit."""
        names = [bool(group.name) for group in self._groups]
        left = self.width() - sum(map(self._chip_width, self._groups))
        left -= _APART * (len(self._groups) - 1)
        wanted = sum(self._name_width(group) for group in self._groups)
        if wanted > left:
            names = [False] * len(names)
        else:
            left -= wanted
        each = (left // max(1, len(self._groups))) // (self._side + _GAP)
        return [
            _Told(group, named, self._examples(group, max(0, min(_EXAMPLES, each))))
            for group, named in zip(self._groups, names, strict=True)
        ]

    def _examples(self, group: Group, count: int) -> tuple[int, ...]:
        """Give the first of a group: those that belong to it alone come first."""
        first = [int(member) for member in group.members[: count + 1]]
        shown = [member for member in first if member != self._item][:count]
        return tuple(item for item in shown if self._store.has_picture(item))

    def _chip_width(self, group: Group) -> int:
        return chip_width(self.font(), group.slot)

    def _name_width(self, group: Group) -> int:
        width = self.fontMetrics().horizontalAdvance(group.name)
        return width + 6 if group.name else 0

    def sizeHint(self) -> QSize:
        """Ask for room for signs and names."""
        width = sum(self._chip_width(one) + self._name_width(one) for one in self._groups)
        return QSize(width + _APART * max(0, len(self._groups) - 1), self._side)

    def minimumSizeHint(self) -> QSize:
        """Never give up a sign."""
        width = sum(map(self._chip_width, self._groups))
        return QSize(width + _APART * max(0, len(self._groups) - 1), self._side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint group by group."""
        painter = QPainter(self)
        left = 0
        for told in self.told():
            chip = draw_chip(painter, QRect(left, 0, self.width(), self.height()), told.group.slot)
            left = chip.right() + 1
            if told.named:
                width = self._name_width(told.group)
                place = QRect(left + 6, 0, width, self.height())
                painter.setPen(QColor(theme.current().colors.muted))
                align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(place, int(align), told.group.name)
                left += width
            for item in told.examples:
                square = QRectF(left + _GAP, 0, self._side, self._side)
                paint_thumbnail(painter, square, self._store.thumbnail(item))
                left += self._side + _GAP
            left += _APART
        painter.end()

    def _arrived(self, item: int, *_: object) -> None:
        if any(item in told.examples for told in self.told()):
            self.update()
