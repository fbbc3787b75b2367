"""A heading that shows and hides what stands below it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from desktop import theme


class FoldedSection(QWidget):
    """The heading and what it hides, closed at first.

    Parameters
    ----------
    title
        What the heading says; with a mnemonic.
    inside
        What is shown and hidden.

    Notes
    -----
    `toggled(bool)`: a person, or `open`, has shown or hidden it.
    """

    toggled = Signal(bool)

    def __init__(self, title: str, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self._inside = inside
        self.heading = QToolButton(self)
        self.heading.setCheckable(True)
        self.heading.setProperty("role", "fold")
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.toggled.connect(self._show)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.heading, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(inside)
        theme.current().themeChanged.connect(self._recolour)
        inside.setVisible(False)
        self.say("")
        self._recolour()

    @property
    def is_open(self) -> bool:
        """Whether what it hides is shown."""
        return self.heading.isChecked()

    def open(self) -> None:
        """Show what it hides."""
        self.heading.setChecked(True)

    def say(self, news: str) -> None:
        """Add to the title what is worth knowing of what it hides; "" = nothing."""
        text = f"{self._title}  ·  {news}" if news else self._title
        self.heading.setText(text)
        self.heading.setAccessibleName(text.replace("&", ""))

    def _show(self, *_: object) -> None:
        self._inside.setVisible(self.is_open)
        self._recolour()
        self.toggled.emit(self.is_open)

    def _recolour(self) -> None:
        self.heading.setIcon(theme.icon("down" if self.is_open else "forward"))
        self.heading.setAccessibleDescription(
            self.tr("Shown; press to hide") if self.is_open else self.tr("Hidden; press to show")
        )
