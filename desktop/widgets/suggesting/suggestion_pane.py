"""The chosen suggestion, large: its two items, what speaks for it, and what can be said.

Hides layout. Promises that a button says what pressing it will say, and by which key.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.judging.link_card import PlainButton
from desktop.widgets.judging.pair_area import PairArea
from desktop.widgets.judging.passing_note import PassingNote
from desktop.widgets.notice import Notice
from desktop.widgets.suggesting import suggestion_words
from engine.model import Verdict
from engine.suggestions import Suggestion

_ICON = QSize(20, 20)


class SuggestionPane(QWidget):
    """The pane.

    Parameters
    ----------
    store
        Where pictures come from.

    Attributes
    ----------
    area
        The two items.
    confirm, reject, unsure, undo
        What can be done.
    failure
        Says that a picture cannot be shown.
    note
        What the last step did.

    Notes
    -----
    `stepWanted(int)`: an answer that it was learned from is wanted in the history.
    """

    stepWanted = Signal(int)

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._one: Suggestion | None = None
        self._sign = QLabel(self)
        self._title = ElidedLabel(parent=self, least=16)
        self._title.setProperty("role", "heading")
        self._standing = ElidedLabel(parent=self, parted_by=" · ")
        self._standing.setProperty("role", "muted")
        self._standing.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._standing.set_more(suggestion_words.about_strength())
        self.failure = Notice("image", "warning", self)
        self.area = PairArea(store, self)
        self.because = QLabel(self, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.because.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.because.setToolTip(self.tr("Show the answer in the history"))
        self.because.linkActivated.connect(lambda seq: self.stepWanted.emit(int(seq)))
        self.note = PassingNote(self)
        self.confirm = self._button(self.tr("Enter"))
        self.reject = self._button(self.tr("Delete"))
        self.unsure = self._button(self.tr("U"))
        self.unsure.setProperty("role", "unsure")
        self.undo = self._button("")
        self.undo.setText(self.tr("Undo"))
        self.undo.setAccessibleName(self.tr("Undo"))
        self.undo.setToolTip(self.tr("Take the last step back (Backspace or Ctrl+Z)"))
        self.undo.setProperty("role", "quiet")
        self._lay_out()
        theme.current().themeChanged.connect(self._recolour)
        self._recolour()

    def _button(self, key: str) -> PlainButton:
        button = PlainButton(self)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(self.tr("Key: {0}; with Shift: certain").format(key))
        return button

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._sign)
        head.addWidget(self._title)
        head.addWidget(self._standing, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.confirm, self.reject, self.unsure):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.undo)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.because, 3)
        foot.addWidget(self.note, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addLayout(head)
        column.addWidget(self.failure)
        column.addWidget(self.area, 1)
        column.addLayout(foot)
        column.addLayout(buttons)

    def show_suggestion(self, one: Suggestion) -> None:
        """Say what is likely of the two items in `area`."""
        self._one = one
        self._title.setText(suggestion_words.heading(one))
        self._standing.setText(suggestion_words.standing(one))
        self._standing.setAccessibleName(suggestion_words.standing(one))
        ink = theme.current().colors.accent
        text = suggestion_words.because(one)
        self.because.setText(f"<style>a {{ color: {ink}; }}</style>{text}")
        opposite = suggestion_words.opposite(one.verdict)
        self._name(self.confirm, suggestion_words.confirm(one), self.tr("Enter"), one.verdict)
        self._name(self.reject, suggestion_words.reject(one), self.tr("Delete"), opposite)
        self._name(self.unsure, self.tr("Unsure"), self.tr("U"), Verdict.UNSURE)
        self._draw_sign()

    def _name(self, button: QPushButton, text: str, key: str, verdict: Verdict) -> None:
        button.setText(f"{text}  {key}")
        button.setAccessibleName(text)
        if button.property("role") != verdict.value:
            button.setProperty("role", verdict.value)
            button.style().unpolish(button)
            button.style().polish(button)

    def set_counts(self, *, counts: bool) -> None:
        """Say whether anything can be said now."""
        for button in (self.confirm, self.reject, self.unsure):
            button.setEnabled(counts)

    def on_failure(self, text: str, act: Callable[[], None]) -> None:
        """Offer something to do where a picture cannot be shown."""
        self.failure.add_button(text, act)

    def _draw_sign(self) -> None:
        if self._one is not None:
            name = self._one.verdict.value
            ink = getattr(theme.current().colors, name)
            self._sign.setPixmap(theme.icon(name, ink).pixmap(_ICON))

    def _recolour(self) -> None:
        self.undo.setIcon(theme.icon("undo"))
        if self._one is not None:
            self.show_suggestion(self._one)
