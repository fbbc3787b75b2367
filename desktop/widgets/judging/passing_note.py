"""A quiet line for what just happened, gone after a while."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from desktop.widgets.paragraph import Paragraph

SHOWN_MS = 5000


class PassingNote(Paragraph):
    """Says something for five seconds; below that, it may give a standing hint."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(2, parent)
        self._hint = ""
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.passing = QTimer(self)
        self.passing.setSingleShot(True)
        self.passing.setInterval(SHOWN_MS)
        self.passing.timeout.connect(self.clear)

    def say(self, text: str) -> None:
        """Show a text for a while."""
        self.setText(text)
        self.passing.start()

    def hint(self, text: str) -> None:
        """Show a text whenever there is nothing else to say; "" = none."""
        self._hint = text
        if not self.passing.isActive():
            self.setText(text)

    def clear(self) -> None:
        """Go back to the hint."""
        self.passing.stop()
        self.setText(self._hint)
