"""A strip above the page that says what went wrong, or what was done; it never stops the work."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from desktop import theme


class Banner(QFrame):
    """One message with an optional hint, until dismissed or replaced. Hidden at first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.setAccessibleName(self.tr("Message"))
        self._icon_name = "info"
        self._icon = QLabel()
        self._icon.setFixedSize(QSize(20, 20))
        self.message = QLabel()
        self.message.setProperty("role", "strong")
        self.hint = QLabel()
        self.hint.setProperty("role", "muted")
        for label in (self.message, self.hint):
            label.setWordWrap(True)
        self.dismiss = QToolButton()
        self.dismiss.setAccessibleName(self.tr("Dismiss the message"))
        self.dismiss.setToolTip(self.tr("Dismiss"))
        self.dismiss.clicked.connect(self.hide)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.message)
        words.addWidget(self.hint)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        row.addWidget(self.dismiss)
        theme.current().themeChanged.connect(self._color)
        self._color()
        self.hide()

    def warn(self, message: str, hint: str = "") -> None:
        """Say that something went wrong, and what can be done."""
        self._show("warning", message, hint)

    def tell(self, message: str, hint: str = "") -> None:
        """Say that something was done."""
        self._show("info", message, hint)

    def _show(self, icon: str, message: str, hint: str) -> None:
        self._icon_name = icon
        self.setProperty("tone", icon)
        self.style().unpolish(self)
        self.style().polish(self)
        self.message.setText(message)
        self.hint.setText(hint)
        self.hint.setVisible(bool(hint))
        self._color()
        self.show()
        self.setAccessibleDescription(f"{message} {hint}".strip())
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _color(self) -> None:
        colors = theme.current().colors
        ink = colors.warning if self._icon_name == "warning" else colors.accent
        self._icon.setPixmap(theme.icon(self._icon_name, ink).pixmap(20, 20))
        self.dismiss.setIcon(theme.icon("close"))
