"""What a person should know before a choice is taken, above all that is said of it.

Hides how a method's own words become sentences. Promises a line for each warning, in the order
given.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop import theme

_ICON = 20


class Warnings(QFrame):
    """What a person should know before anything else."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "banner")
        self.setProperty("tone", "warning")
        self._icon = QLabel()
        self.text = QLabel(wordWrap=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 10, 8)
        row.setSpacing(10)
        signed = QVBoxLayout()
        signed.addWidget(self._icon)
        signed.addStretch(1)
        row.addLayout(signed)
        row.addWidget(self.text, 1)
        self._colour()
        theme.current().themeChanged.connect(self._colour)

    def show_all(self, warnings: tuple[str, ...]) -> None:
        """Show warnings, a line each; none hides it."""
        self.text.setText("\n".join(map(_sentence, warnings)))
        self.setVisible(bool(warnings))

    def _colour(self) -> None:
        tone = theme.current().colors.warning
        self._icon.setPixmap(theme.icon("warning", tone).pixmap(QSize(_ICON, _ICON)))


def _sentence(warning: str) -> str:
    """Write what a method says of itself as a sentence."""
    text = QCoreApplication.translate("Warnings", warning)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
