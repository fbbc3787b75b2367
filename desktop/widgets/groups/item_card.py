"""The card that shows an item under the pointer: thumbnail or telling cells, name, group.

Hides waiting for the picture and finding room beside the pointer. Promises never to take a click
or the keyboard focus.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import words
from desktop.widgets.groups.belonging import slots_of
from desktop.widgets.item_words import ItemWords

if TYPE_CHECKING:
    from desktop.images import PictureStore
    from engine.model import Overview

_SIDE = 128
_CELLS = 5
_GAP = 16


class ItemCard(QFrame):
    """The card.

    Parameters
    ----------
    pictures
        Where the thumbnail comes from.
    parent
        The card floats over it and stays within it.
    """

    def __init__(self, pictures: PictureStore, parent: QWidget) -> None:
        super().__init__(parent)
        self._room = parent
        self._pictures = pictures
        self._words = ItemWords(None)
        self._item: int | None = None
        self._at = QPoint()
        self._picture = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter)
        self._text = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setSpacing(4)
        layout.addWidget(self._picture)
        layout.addWidget(self._text)
        self._text.setFixedWidth(_SIDE + 24)
        pictures.pictureReady.connect(self._arrived)
        self.hide()

    def set_words(self, item_words: ItemWords) -> None:
        """Take the words for the items of another study."""
        self._words = item_words
        self._item = None

    @property
    def item(self) -> int | None:
        """The item shown; None while hidden."""
        return self._item if self.isVisibleTo(self._room) else None

    def show_item(self, item: int, overview: Overview, at: QPoint) -> None:
        """Show an item beside a point of the parent."""
        if self.item == item and at == self._at:
            return
        self._item, self._at = item, at
        slots = slots_of(overview, item)
        groups = [group for slot in slots for group in overview.groups if group.slot == slot]
        lines = [self._words.name(item)]
        lines += [f"{theme.slot_text(group.slot)} {group.name}".rstrip() for group in groups]
        if not groups:
            lines.append(self.tr("in no group"))
        elif not math.isnan(groups[0].confidence):
            sure = words.certainty(float(overview.confidence[item]))
            if len(groups) == 1:
                lines[-1] += f" · {sure}"
            else:
                lines.append(sure)
        exemplars = [group.exemplar for group in overview.groups]
        telling = self._words.telling(item, exemplars, _CELLS)
        lines += [f"{cell.column}: {cell.text}" for cell in telling]
        self._text.setText("\n".join(lines))
        self._show_picture()
        self._place()

    def _show_picture(self) -> None:
        self._picture.setVisible(self._words.has_pictures)
        if not self._words.has_pictures or self._item is None:
            return
        ratio = self.devicePixelRatioF()
        pixmap = self._pictures.thumbnail(self._item, round(_SIDE * ratio))
        self._picture.setFixedHeight(_SIDE)
        if pixmap is None:
            self._picture.clear()
            return
        mode = Qt.TransformationMode.SmoothTransformation
        side = round(_SIDE * ratio)
        scaled = pixmap.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, mode)
        scaled.setDevicePixelRatio(ratio)
        self._picture.setPixmap(scaled)

    def _arrived(self, item: int, *_: object) -> None:
        if item == self.item:
            self._show_picture()

    def _place(self) -> None:
        self._layout.activate()
        self.adjustSize()
        room = self._room.rect()
        x = self._at.x() + _GAP
        if x + self.width() > room.right():
            x = self._at.x() - _GAP - self.width()
        y = self._at.y() - self.height() // 2
        x = max(4, min(x, room.right() - self.width() - 4))
        y = max(4, min(y, room.bottom() - self.height() - 4))
        self.move(x, y)
        self.raise_()
        self.show()
