"""A loop of answers as a strip of pictures: each pair with its sign, and what is known of it.

Hides layout and scrolling. Promises that every answer is told by sign and words, not by colour
alone, that its buttons say what they do, and that the chosen answer is in view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QScrollArea, QWidget

from desktop import theme
from desktop.widgets.item_words import ItemWords
from desktop.widgets.judging.link_card import LinkCard, Tile, letter
from desktop.widgets.judging.loops import Loop

if TYPE_CHECKING:
    from desktop.images import PictureStore

_GAP = 6
_CELLS = 2  # of a row without picture


class FilmStrip(QScrollArea):
    """The strip.

    Parameters
    ----------
    store
        Where thumbnails come from.

    Notes
    -----
    - `chosen(int)`: the place of the answer that is looked at now.
    - `changeWanted(seq, verdict)`: an answer is to be changed.
    """

    chosen = Signal(int)
    changeWanted = Signal(int, object)

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.cards: tuple[LinkCard, ...] = ()
        self._at = -1
        self.setProperty("role", "bare")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the buttons in it have the focus
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setAccessibleName(self.tr("The answers that contradict each other"))
        store.pictureReady.connect(self._repaint)
        store.pictureFailed.connect(self._repaint)
        theme.current().themeChanged.connect(self._recolour)

    def show_loop(
        self, loop: Loop, item_words: ItemWords, *, names_hidden: bool, why_not: str
    ) -> None:
        """Show another loop.

        Parameters
        ----------
        why_not
            Why nothing can be changed; "" = it can.
        """
        items = loop.items
        columns = _telling(items, item_words)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        row = self._row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        cards = []
        for at, link in enumerate(loop.links):
            is_last = at == len(loop.links) - 1
            if is_last:
                row.addWidget(_but(self.tr("but"), inside))
            one, other = (
                self._tile(
                    item, letter(items.index(item)), item_words, columns, named=not names_hidden
                )
                for item in link.ends
            )
            card = LinkCard(link, (one, other), is_suspect=at == loop.suspect, why_not=why_not)
            card.entered.connect(lambda at=at: self._enter(at))
            card.changeWanted.connect(self.changeWanted)
            row.addWidget(card)
            cards.append(card)
        row.addStretch(1)
        self.cards, self._at = tuple(cards), -1
        self.setWidget(inside)
        self.viewport().setAutoFillBackground(False)
        self._fit()

    def _tile(
        self,
        item: int,
        called: str,
        item_words: ItemWords,
        columns: Sequence[str],
        *,
        named: bool,
    ) -> Tile:
        name = PurePath(item_words.short_name(item)).stem if named else ""
        if item_words.has_picture(item):
            return Tile(item, called, name, self._store)
        cells = tuple(cell for cell in item_words.cells(item) if cell.column in columns)
        return Tile(item, called, name, None, cells)

    @property
    def at(self) -> int:
        """The place of the answer that is looked at."""
        return self._at

    def choose(self, at: int) -> None:
        """Look at an answer; the keyboard goes along where it is in the strip."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._hand_keyboard(at)
        self._enter(at)

    def take_keyboard(self) -> None:
        """Give the keyboard to the button of the answer that is looked at, if it can be pressed."""
        if self._at >= 0:
            self._hand_keyboard(self._at)

    def _hand_keyboard(self, at: int) -> None:
        button = self.cards[at].change
        if button.isEnabled():
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _enter(self, at: int) -> None:
        if at == self._at:
            return
        self._at = at
        for place, card in enumerate(self.cards):
            card.mark(is_chosen=place == at)
        self._row.activate()
        self.ensureWidgetVisible(self.cards[at], _GAP, 0)
        self.chosen.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave keys to what is around it: arrows choose an answer, which then comes into view."""
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the scroll bar where it is needed; what is looked at stays in view."""
        super().resizeEvent(event)
        self._fit()
        if self._at >= 0:
            self.ensureWidgetVisible(self.cards[self._at], _GAP, 0)

    def _fit(self) -> None:
        if not self.cards:
            return
        needed = self._row.minimumSize()
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(needed.height() + (bar if needed.width() > self.width() else 0))

    def _repaint(self, *_: object) -> None:
        for card in self.cards:
            card.repaint_tiles()

    def _recolour(self) -> None:
        for card in self.cards:
            card.recolour()


def _telling(items: Sequence[int], item_words: ItemWords) -> tuple[str, ...]:
    """Choose the columns that most set the rows of a loop apart: the same ones for all of them."""
    votes = Counter(
        cell.column for item in items for cell in item_words.telling(item, items, _CELLS)
    )
    return tuple(column for column, _ in votes.most_common(_CELLS))


def _but(text: str, parent: QWidget) -> QLabel:
    """Set the contradicting answer apart from the chain."""
    label = QLabel(text, parent)
    label.setProperty("role", "muted")
    return label
