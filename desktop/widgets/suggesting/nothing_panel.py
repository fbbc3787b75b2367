"""What stands in the place of the suggestions where there are none: why, and what can be done.

Hides which of several reasons holds. Promises words for every one of them, and never an empty page.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.suggestions import Suggestions

_WIDE = 460


class Told(NamedTuple):
    """A heading and what follows it."""

    heading: str
    text: str


class NothingPanel(QWidget):
    """The panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = QLabel(self)
        self.heading.setProperty("role", "heading")
        self.text = QLabel(self, wordWrap=True)
        self.text.setProperty("role", "muted")
        said = QWidget(self)
        said.setFixedWidth(_WIDE)
        column = QVBoxLayout(said)
        column.setSpacing(6)
        column.addStretch(1)
        for label in (self.heading, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.addWidget(said)

    def say(self, told: Told) -> None:
        """Say why there is nothing."""
        self.heading.setText(told.heading)
        self.text.setText(told.text)
        self.setAccessibleName(f"{told.heading} {told.text}".strip())


def why(*, can_learn: bool, is_learning: bool, learned: Suggestions | None, newer: int) -> Told:
    """Say why there is no suggestion.

    Parameters
    ----------
    can_learn
        Whether an answer says something about a pair.
    is_learning
        Whether it is being learned.
    learned
        What was learned last; None = nothing has been.
    newer
        Answers given, changed or taken back since.
    """
    if is_learning:
        return Told(_tr("Learning from your answers…"), "")
    if not can_learn:
        return Told(
            _tr("No answers yet"),
            _tr("Judge a few pairs first; what they make likely of others is listed here."),
        )
    if learned is None:
        return Told(_tr("Nothing has been learned yet"), "")
    if learned.must + learned.cannot == 0:
        return Told(
            _tr("Your answers do not reach further yet"),
            _tr(
                "Nothing follows from them for other items that are alike. Judge some more pairs,"
                " then look again."
            ),
        )
    if newer:
        return Told(
            _tr("You have gone through them all"),
            _tr("Learn again (L) to see what your newer answers make likely."),
        )
    return Told(
        _tr("Nothing to suggest"), _tr("All that was learned follows from what you said anyway.")
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("NothingPanel", text)
