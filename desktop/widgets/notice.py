"""A bar with one line that matters now and what can be done about it. Never a dialogue.

Promised: one line, whatever it says; what does not fit is in the tool tip.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from desktop import theme
from desktop.widgets.elided_label import ElidedLabel

_ICON = 20


class Notice(QFrame):
    """Says something until it no longer holds.

    Parameters
    ----------
    icon
        Name of its icon.
    tone
        "accent" or "warning": the colour of its icon and edge.
    """

    def __init__(self, icon: str, tone: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._tone = tone
        self._icon = QLabel(self)
        self._text = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 2, 4, 2)
        self._row.setSpacing(8)
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1)
        self.setProperty("role", "banner")
        self.setProperty("tone", tone)
        self._color()
        theme.current().themeChanged.connect(self._color)
        self.hide()

    def add_button(self, text: str, act: Callable[[], None]) -> QPushButton:
        """Offer something to do."""
        button = QPushButton(text, self)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setProperty("role", "small")
        button.clicked.connect(act)
        self._row.addWidget(button)
        return button

    def say(self, text: str) -> None:
        """Show a text; "" hides the bar."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    @property
    def text(self) -> str:
        """What it says; "" while hidden."""
        return self._text.text()

    def _color(self) -> None:
        tone = getattr(theme.current().colors, self._tone)
        self._icon.setPixmap(theme.icon(self._icon_name, tone).pixmap(QSize(_ICON, _ICON)))
