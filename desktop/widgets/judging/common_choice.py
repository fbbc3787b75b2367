"""Which groups two items have in common: asked in the place of the answers, beside the pair.

Hidden: keys, focus, how the cards share the room. Promised: nothing is chosen before it has been on
the screen for a moment, a key held down chooses nothing, any number of groups may be chosen, and
the way back to the pair answers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.judging.answer_gate import AnswerGate
from desktop.widgets.judging.common_card import Candidate, CommonCard
from desktop.widgets.judging.judging_keys import JudgeKey, digit, meaning

_ARROWS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BACK = (Qt.Key.Key_Escape, Qt.Key.Key_Backspace)
_HELD = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
_ANSWERS = (JudgeKey.SAME, JudgeKey.DIFFERENT, JudgeKey.UNSURE, JudgeKey.SET_ASIDE, JudgeKey.GUESS)


class CommonChoice(QFrame):
    """The question, the cards, and what can be done.

    Parameters
    ----------
    store
        Where thumbnails come from.

    Attributes
    ----------
    gate
        Whether a key counts now.
    accept, back
        What can be done, as buttons.

    Notes
    -----
    - `accepted(items)`: those that stand for the groups chosen; may be none.
    - `left`: back to the pair.
    - `pressed(JudgeKey)`: a key that is about how the pair is seen.
    """

    accepted = Signal(object)
    left = Signal()
    pressed = Signal(object)

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.gate = AnswerGate(self)
        self._token = -1
        self._cards: list[CommonCard] = []
        self.heading = QLabel(self.tr("Which do they have in common?"), self)
        strong = QFont(self.font())
        strong.setPointSizeF(strong.pointSizeF() * 1.15)
        strong.setWeight(QFont.Weight.DemiBold)
        self.heading.setFont(strong)
        self._hint = ElidedLabel(parent=self)
        self._hint.setText(self.tr("One or several, by number or click"))
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._hint.setProperty("role", "muted")
        self.back = QPushButton(self.tr("Back to the pair  Esc"), self)
        self.back.setAccessibleName(self.tr("Back to the pair"))
        self.back.setProperty("role", "quiet")
        self.back.setToolTip(self.tr("Nothing is answered then (Esc or Backspace)"))
        self.back.clicked.connect(self.left)
        self.accept = QPushButton(self)
        self.accept.setProperty("role", "primary")
        self.accept.setToolTip(self.tr("Answer so (Enter or S)"))
        self.accept.clicked.connect(self.take)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.heading.text())
        self._lay_out()
        store.pictureReady.connect(self._arrived)
        theme.current().themeChanged.connect(self.update)
        self._name_accept()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.heading)
        head.addWidget(self._hint, 1)
        self._grid = QGridLayout()
        self._grid.setSpacing(8)
        foot = QHBoxLayout()
        foot.addWidget(self.back)
        foot.addStretch(1)
        foot.addWidget(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(7)
        column.addLayout(head)
        column.addLayout(self._grid)
        column.addLayout(foot)
        column.addStretch(1)

    # ------------------------------------------------------------------ what is asked

    def ask(self, candidates: Sequence[Candidate]) -> None:
        """Ask about these groups; none is chosen at first."""
        for card in self._cards:
            card.hide()
            card.deleteLater()
        self._cards = [
            CommonCard(candidate, number, self._store, self)
            for number, candidate in enumerate(candidates, 1)
        ]
        for card in self._cards:
            card.toggled.connect(self._name_accept)
            card.show()
        for before, after in zip(self._stops, self._stops[1:], strict=False):
            self.setTabOrder(before, after)
        for part in (self, *self._stops):  # again, so that these come before other filters
            part.installEventFilter(self)
        self._share()
        self._name_accept()
        self._token = self.gate.begin()

    def clear(self) -> None:
        """Ask nothing any more."""
        self.gate.clear()

    @property
    def cards(self) -> tuple[CommonCard, ...]:
        """The groups to choose from."""
        return tuple(self._cards)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The items that stand for the groups chosen."""
        return tuple(card.candidate.item for card in self._cards if card.isChecked())

    @property
    def _stops(self) -> list[QWidget]:
        return [*self._cards, self.accept, self.back]

    def sentence(self) -> str:
        """Say what is asked, as a screen reader would."""
        offered = [
            f"{number}: {card.accessibleName()}" for number, card in enumerate(self._cards, 1)
        ]
        return " ".join((self.heading.text(), "; ".join(offered)))

    # ------------------------------------------------------------------ choosing

    def take(self) -> None:
        """Accept what is chosen, if it has been on the screen for a moment."""
        if self.gate.take() is not None:
            self.accepted.emit(self.chosen)

    def toggle(self, number: int) -> None:
        """Choose the group of a number, or no longer."""
        if self.gate.is_open and number <= len(self._cards):
            self._cards[number - 1].toggle()

    def _name_accept(self) -> None:
        """Say on the button what it answers."""
        signs = [theme.slot_text(card.candidate.slot) for card in self._cards if card.isChecked()]
        text = self.tr("In common: {0}").format(", ".join(signs)) if signs else ""
        text = text or self.tr("Not sure which")
        self.accept.setText(self.tr("{0}  Enter").format(text))
        self.accept.setAccessibleName(text)

    def _step(self, by: int) -> None:
        """Give the keyboard to the card before or after."""
        focus = QApplication.focusWidget()
        at = next((at for at, card in enumerate(self._cards) if card is focus), None)
        goal = (0 if by > 0 else len(self._cards) - 1) if at is None else at + by
        self._cards[max(0, min(len(self._cards) - 1, goal))].setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    # ------------------------------------------------------------------ keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that mean something here, whichever part has the keyboard."""
        kind = event.type()
        if kind not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return super().eventFilter(watched, event)
        if not isinstance(event, QKeyEvent) or not self._means(event, watched):
            return super().eventFilter(watched, event)
        if kind is QEvent.Type.ShortcutOverride:
            event.accept()  # so that no shortcut elsewhere in the window takes it
        elif not event.isAutoRepeat() or event.key() in _ARROWS:
            self._act(event)
        return True

    def _means(self, event: QKeyEvent, watched: QObject) -> bool:
        """Whether a key is taken here. Enter presses the way back where that has the keyboard."""
        if event.modifiers() & _HELD:
            return False
        key = Qt.Key(event.key())
        if key in _ENTER:
            return watched is not self.back
        if key == Qt.Key.Key_Space:
            return event.isAutoRepeat()  # else it presses what has the keyboard
        is_known = key in _BACK or key in _ARROWS or digit(event) is not None
        return is_known or meaning(event) is not None

    def _act(self, event: QKeyEvent) -> None:
        key, number, meant = Qt.Key(event.key()), digit(event), meaning(event)
        if key in _BACK:
            self.left.emit()
        elif key in _ENTER:
            self.take()
        elif key in _ARROWS:
            self._step(_ARROWS[key])
        elif number is not None:
            self.toggle(number)
        elif meant is JudgeKey.SAME:
            self.take()
        elif meant is not None and meant not in _ANSWERS:
            self.pressed.emit(meant)

    # ------------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Know when it is on the screen."""
        super().paintEvent(event)
        self.gate.painted(self._token)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the room out anew."""
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        """Put as many cards beside each other as fit, in rows as even as can be."""
        if not self._cards:
            return
        wide = max(card.minimumSizeHint().width() for card in self._cards)
        most = max(1, (self.width() + self._grid.spacing()) // (wide + self._grid.spacing()))
        rows = -(-len(self._cards) // most)
        columns = -(-len(self._cards) // rows)
        for card in self._cards:
            self._grid.removeWidget(card)
        for at, card in enumerate(self._cards):
            self._grid.addWidget(card, at // columns, at % columns)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column < columns))

    def _arrived(self, item: int, *_: object) -> None:
        for card in self._cards:
            if card.candidate.item == item:
                card.update()
