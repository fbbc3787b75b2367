"""A line above the groups: how they were found, or that a first guess can be had.

Hides which of it is said. Promises to be away while the groups follow every answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop import strategies, theme
from desktop.widgets.groups import grouping_words
from engine.model import Snapshot

if TYPE_CHECKING:
    from desktop.controller import Controller

_ICON = 18


class GroupingNote(QFrame):
    """The line.

    Parameters
    ----------
    controller
        Whose `shown` state it speaks of.
    narrow
        Whether buttons stand below the words.

    Notes
    -----
    `groupingWanted(Approach)`: groups are to be looked at that are found so.
    """

    groupingWanted = Signal(object)

    def __init__(
        self, controller: Controller, parent: QWidget | None = None, *, narrow: bool = False
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setProperty("role", "banner")
        self._icon = QLabel(self)
        self.text = QLabel(self, wordWrap=True)
        self.guess = self._button(self.tr("Show a first guess…"), self._want_guess)
        self.again = self._button(self.tr("Find again…"), self._want_again)
        self.again.setToolTip(self.tr("See which groups all your answers give, then take them."))
        self._lay_out(narrow=narrow)
        self._colour()
        theme.current().themeChanged.connect(self._colour)
        controller.studyOpened.connect(self._show)
        controller.snapshotChanged.connect(self._show)
        controller.replayChanged.connect(self._show)
        controller.closed.connect(self._show)
        self._show()

    def _button(self, text: str, act: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "small")
        button.clicked.connect(act)
        return button

    def _lay_out(self, *, narrow: bool) -> None:
        words = QHBoxLayout()
        words.setSpacing(8)
        words.addWidget(self._icon)
        words.addWidget(self.text, 1)
        across = QBoxLayout.Direction.LeftToRight
        whole = QBoxLayout(QBoxLayout.Direction.TopToBottom if narrow else across, self)
        whole.setContentsMargins(12, 6, 8, 6)
        whole.setSpacing(6 if narrow else 10)
        whole.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.guess, self.again):
            buttons.addWidget(button)
        whole.addLayout(buttons)

    def _colour(self) -> None:
        tone = theme.current().colors.accent
        self._icon.setPixmap(theme.icon("info", tone).pixmap(QSize(_ICON, _ICON)))

    # ------------------------------------------------------------------ states

    def _show(self, _snapshot: object = None) -> None:
        shown, opened = self._controller.shown, self._controller.opened
        if shown is None or opened is None:
            self.hide()
            return
        guess = grouping_words.can_guess(shown, opened.methods)
        self.guess.setVisible(guess)
        again = grouping_words.can_find_again(shown, opened.methods)
        self.again.setVisible(again and shown.live)
        text = self._invitation(shown) if guess else grouping_words.told(shown, opened.methods)
        is_news = text != self.text.text()
        self.text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        if text and is_news and QAccessible.isActive() and self.isVisible():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _invitation(self, shown: Snapshot) -> str:
        if shown.progress.answered == 0:
            return self.tr("No groups yet: they come with your answers.")
        return self.tr("No groups yet: they come with an answer that is not “unsure”.")

    # ------------------------------------------------------------------ what a person does

    def _want_guess(self) -> None:
        opened = self._controller.opened
        pictures = opened is not None and any(item.path is not None for item in opened.items)
        self.groupingWanted.emit(strategies.first_guess(pictures=pictures))

    def _want_again(self) -> None:
        shown = self._controller.snapshot
        if shown is not None:
            self.groupingWanted.emit(shown.grouping)
