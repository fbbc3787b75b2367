"""One answer of a contradiction as a card: its two items, its sign, what is known of it.

Hides painting. Promises that the answer is told by sign and words, not by colour alone, and that
its buttons say what they do.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import words
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.item_words import Cell
from desktop.widgets.judging.loops import Link
from desktop.widgets.thumbs import draw_line, draw_sign, draw_thumb
from engine.model import Confidence, Verdict

if TYPE_CHECKING:
    from desktop.images import PictureStore

_SIDE = 76  # pixels of the layout: a picture
_SIGN = 22
_GAP = 6
_PAD = 8


class LinkCard(QFrame):
    """One answer: its two items, its sign, when and how it was given, and what can be done.

    Notes
    -----
    `entered`: it was clicked, or one of its buttons has the focus. `changeWanted(seq, verdict)`.
    """

    entered = Signal()
    changeWanted = Signal(int, object)

    def __init__(
        self, link: Link, tiles: tuple[Tile, Tile], *, is_suspect: bool, why_not: str
    ) -> None:
        super().__init__()
        self._is_suspect, self._is_chosen = is_suspect, False
        self.link = link
        self._tiles = tiles
        self._mark = QLabel(self)
        self._warning = QLabel(self)
        self._warning.setFixedSize(16, 16)
        self._mark.setText(self.tr("Likeliest slip") if is_suspect else "")
        self._lines = said(link)
        opposite = words.verdict_word(link.opposite).lower()
        self.change = self._button(
            self.tr("Change #{0} to {1}").format(link.seq, opposite), self.tr("Enter"), why_not
        )
        self.leave_open = self._button(
            self.tr("#{0}: cannot say").format(link.seq), self.tr("U"), why_not
        )
        self._wire(link)
        self._lay_out()
        self.setAccessibleName(self.sentence())
        self.change.setAccessibleDescription(self.accessibleName())
        self.leave_open.setAccessibleDescription(self.accessibleName())
        self.recolour()

    def _button(self, text: str, key: str, why_not: str) -> PlainButton:
        button = PlainButton(text, self)
        button.setProperty("role", "small")
        button.setToolTip(why_not or f"{text} ({key})")
        button.setEnabled(not why_not)
        button.focused.connect(self.entered)
        return button

    def _wire(self, link: Link) -> None:
        for button, verdict in ((self.change, link.opposite), (self.leave_open, Verdict.UNSURE)):
            button.clicked.connect(
                lambda _=False, verdict=verdict: self.changeWanted.emit(link.seq, verdict)
            )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(_PAD, _PAD - 2, _PAD, _PAD)
        column.setSpacing(2)
        mark = QHBoxLayout()
        mark.setSpacing(4)
        mark.addWidget(self._warning)
        mark.addWidget(self._mark, 1)
        column.addLayout(mark)
        pair = QHBoxLayout()
        pair.setSpacing(_GAP)
        pair.addStretch(1)
        pair.addWidget(self._tiles[0])
        pair.addWidget(_Sign(self.link.verdict, self))
        pair.addWidget(self._tiles[1])
        pair.addStretch(1)
        column.addLayout(pair)
        for at, text in enumerate(self._lines):
            line = ElidedLabel(parent=self, least=1)
            line.setText(text)
            line.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
            line.setProperty("role", "muted" if at else "strong")
            column.addWidget(line)
        column.addSpacing(4)
        column.addWidget(self.change)
        column.addSpacing(2)
        column.addWidget(self.leave_open)
        column.addStretch(1)

    def sentence(self) -> str:
        """Say everything about the answer, as a screen reader would."""
        parts = [self._mark.text(), *(tile.spoken for tile in self._tiles), *self._lines]
        return ", ".join(part for part in parts if part)

    def mark(self, *, is_chosen: bool) -> None:
        """Show whether this is the answer that is looked at."""
        self._is_chosen = is_chosen
        self.recolour()

    def repaint_tiles(self) -> None:
        """Show pictures that have come."""
        for tile in self._tiles:
            tile.update()

    def recolour(self) -> None:
        """Take the colours in force."""
        colors = theme.current().colors
        edge = colors.accent if self._is_chosen else colors.border
        if self._is_suspect:
            self._warning.setPixmap(theme.icon("warning", colors.warning).pixmap(16, 16))
            self._mark.setStyleSheet(f"color: {colors.warning}; font-weight: 600;")
            edge = edge if self._is_chosen else colors.warning
        width, pad = (2, 0) if self._is_chosen else (1, 1)
        self.setStyleSheet(
            f"LinkCard {{ background: {colors.surface}; border: {width}px solid {edge}; "
            f"border-radius: 8px; padding: {pad}px; }}"
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Look at this answer."""
        if self.change.isEnabled():
            self.change.setFocus(Qt.FocusReason.MouseFocusReason)
        self.entered.emit()
        event.accept()


class PlainButton(QPushButton):
    """A button that leaves all keys but Space to what is around it, and says when it is reached."""

    focused = Signal()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say so."""
        super().focusInEvent(event)
        self.focused.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Be pressed by Space."""
        if event.key() == Qt.Key.Key_Space:
            super().keyPressEvent(event)
        else:
            event.ignore()  # else the arrows would wander through all buttons


class Tile(QWidget):
    """An item: its picture, or what its row says; below it its letter and its name.

    Parameters
    ----------
    store
        Where its thumbnail comes from; None = it has no picture.
    cells
        What a row says, where there is no picture.
    """

    def __init__(
        self,
        item: int,
        called: str,
        name: str,
        store: PictureStore | None,
        cells: tuple[Cell, ...] = (),
    ) -> None:
        super().__init__()
        self._item, self._store, self._cells = item, store, cells
        self._called, self._name = called, name
        self.setFixedSize(_SIDE, _SIDE + self.fontMetrics().height() + 4)
        told = (name, *(f"{cell.column}: {cell.text}" for cell in cells))
        self.setToolTip("\n".join(part for part in told if part))

    @property
    def spoken(self) -> str:
        """The item in words."""
        return " ".join((self._called, self._name, *self._texts())).rstrip()

    def _texts(self) -> tuple[str, ...]:
        return tuple(text for cell in self._cells for text in (cell.column, cell.text))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint picture or cells, letter and name."""
        painter = QPainter(self)
        colors, line = theme.current().colors, self.fontMetrics().height()
        square = QRect(0, 0, _SIDE, _SIDE).adjusted(1, 1, -1, -1)
        if self._store is not None:
            draw_thumb(painter, square, self._store, self._item)
        else:
            painter.setPen(QColor(colors.border))
            painter.drawRoundedRect(square, 4, 4)
            for at, text in enumerate(self._texts()):
                painter.setPen(QColor(colors.text if at % 2 else colors.muted))
                place = square.adjusted(5, 5 + at * line, -3, 0)
                draw_line(painter, QRect(place.topLeft(), QSize(place.width(), line)), text)
        below = QRect(0, _SIDE + 2, _SIDE, line)
        bold, plain = QFont(self.font()), QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(colors.text))
        draw_line(painter, below, self._called)
        below.setLeft(painter.fontMetrics().horizontalAdvance(self._called) + 5)
        painter.setFont(plain)
        painter.setPen(QColor(colors.muted))
        draw_line(painter, below, self._name, Qt.TextElideMode.ElideMiddle)
        painter.end()


class _Sign(QWidget):
    """The verdict between two items."""

    def __init__(self, verdict: Verdict, parent: QWidget) -> None:
        super().__init__(parent)
        self._verdict = verdict
        self.setFixedSize(_SIGN, _SIGN)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_sign(painter, self.rect(), self._verdict)
        painter.end()


def said(link: Link) -> tuple[str, str, str, str]:
    """Say what is known of an answer: number and verdict, when, how sure and quick, what else."""
    word = words.verdict_word(link.verdict)
    sure = {
        Confidence.GUESS: _tr("a guess"),
        Confidence.QUITE: _tr("quite sure"),
        Confidence.CERTAIN: _tr("certain"),
    }[link.answer.confidence]
    seconds = _seconds(link.answer.response_ms)
    changed = _tr("changed at #{0}").format(link.changed) if link.changed is not None else ""
    return (
        f"#{link.seq} · {word}",
        words.clock(link.at, time.time()),
        f"{sure} · {seconds}" if seconds else sure,
        " · ".join(part for part in (changed, link.answer.note) if part),
    )


def _seconds(milliseconds: int | None) -> str:
    if milliseconds is None:
        return ""
    return _tr("{0} s").format(QLocale().toString(milliseconds / 1000, "f", 1))


def letter(place: int) -> str:
    """Name the items of a loop: A, B, ... Z, A1, B1, ..."""
    return chr(ord("A") + place % 26) + (str(place // 26) if place >= 26 else "")


def _tr(text: str) -> str:
    return QCoreApplication.translate("LinkCard", text)
