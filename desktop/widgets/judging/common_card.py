"""One group that two items may have in common, as a card to choose.

Hides painting. Promises that the group is told by sign and number, name and example, and that a
chosen card is told by a tick, not by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.judging.answer_bar import mixed
from desktop.widgets.thumb_strip import paint_thumbnail
from desktop.widgets.thumbs import chip_width, draw_chip, draw_icon, draw_line, draw_parts

_THUMB = 46
_PAD = 8
_GAP = 8
_TICK = 16
_CORNER = 8.0
_GROUND = 0.14  # share of the accent in the ground of a chosen card: words stay readable
_NAME, _ROW = 7, 18  # letters of a group's name, and of a row, that have room at least


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group that two may have in common.

    Attributes
    ----------
    item
        Stands for it.
    slot, name
        Of the group; -1 = it has none now.
    row
        The item in words, where it has no picture; "" = it is shown.
    """

    item: int
    slot: int
    name: str
    row: str = ""


class CommonCard(QAbstractButton):
    """The card.

    Parameters
    ----------
    candidate
        What it stands for.
    number
        The key that chooses it; there are none beyond 9.
    """

    def __init__(
        self, candidate: Candidate, number: int, store: PictureStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.candidate = candidate
        self._number = str(number) if number <= 9 else ""
        self._store = store
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        sign = theme.slot_text(candidate.slot)
        said = " ".join(part for part in (sign, candidate.name) if part)
        told = ", ".join(
            part for part in (self.tr("Group {0}").format(said), candidate.row) if part
        )
        self.setAccessibleName(told)
        self.setAccessibleDescription(self.tr("Key: {0}").format(self._number))
        self.setToolTip(f"{told} ({self._number})" if self._number else told)

    def sizeHint(self) -> QSize:
        """Ask for room for example, sign and name."""
        letters = max(_NAME, len(self.candidate.name))
        return QSize(self._width(letters), _THUMB + 2 * _PAD)

    def minimumSizeHint(self) -> QSize:
        """Give up part of a long name, whose whole is in the tool tip, and nothing else."""
        return QSize(self._width(_NAME), _THUMB + 2 * _PAD)

    def _width(self, letters: int) -> int:
        metrics = self.fontMetrics()
        if self.candidate.row:
            letters = max(letters, _ROW)
        text = max(
            metrics.averageCharWidth() * letters,
            chip_width(self.font(), self.candidate.slot) + _TICK + 2,
        )
        shown = 0 if self.candidate.row else _THUMB + _GAP
        return self._key_width() + shown + text + 2 * _PAD

    def _key_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("8") + _GAP if self._number else 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint key, example, sign and name."""
        colors = theme.current().colors
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        place = self.rect().adjusted(_PAD, _PAD, -_PAD, -_PAD)
        if self._number:
            painter.setPen(QColor(colors.muted))
            painter.drawText(
                place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._number
            )
            place.setLeft(place.left() + self._key_width())
        if not self.candidate.row:
            square = QRectF(place.left(), place.top(), _THUMB, _THUMB)
            paint_thumbnail(painter, square, self._store.thumbnail(self.candidate.item))
            place.setLeft(place.left() + _THUMB + _GAP)
        self._paint_words(painter, place)
        painter.end()

    def _paint_words(self, painter: QPainter, place: QRect) -> None:
        """Paint the sign, and beside or below it the name; below, what stands for a group of rows.

        Of a row as many values are written as fit whole on two lines.
        """
        colors = theme.current().colors
        line = painter.fontMetrics().height()
        lines = 3 if self.candidate.row else 2 if self.candidate.name else 1
        top = place.center().y() - lines * line // 2
        above = QRect(place.left(), top, place.width(), line)
        chip = draw_chip(painter, above, self.candidate.slot)
        if self.isChecked():
            tick = QRect(place.right() - _TICK + 1, 0, _TICK, _TICK)
            tick.moveCenter(above.center())
            tick.moveRight(place.right())
            draw_icon(painter, tick, "same", colors.accent)
        painter.setPen(QColor(colors.text))
        below = above.translated(0, line + 1)
        if not self.candidate.row:
            draw_line(painter, below, self.candidate.name)
            return
        name = above.adjusted(chip.width() + 6, 0, -_TICK - 2, 0)
        draw_line(painter, name, self.candidate.name)
        painter.setPen(QColor(colors.muted))
        draw_parts(painter, below, self.candidate.row.split(" · "), " · ", 2)

    def _paint_ground(self, painter: QPainter) -> None:
        colors = theme.current().colors
        accent = QColor(colors.accent)
        ground = QColor(colors.hover if self.underMouse() else colors.raised)
        pen = QPen(QColor(colors.border), 1.2)
        if self.isChecked():
            ground = mixed(QColor(colors.raised), accent, _GROUND)
            pen = QPen(accent, 1.2)
        if self.hasFocus():
            pen = QPen(accent, 2.4)
        painter.setBrush(ground)
        painter.setPen(pen)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(1.2, 1.2, -1.2, -1.2), _CORNER, _CORNER
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)  # else the example would be filled with it
