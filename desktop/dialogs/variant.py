"""The dialog that adds a strategy with settings of one's own to a comparison.

Hides how settings are made into forms. Promises that what it gives is complete, and that what is
wrong is said while it is typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.messages import Offer
from desktop.widgets.choosing.strategy_choice import StrategyChoice
from desktop.widgets.scrolling import scrolled_card
from engine.model import Approach


class VariantDialog(QDialog):
    """The dialog.

    Parameters
    ----------
    offers
        The strategies there are.
    start
        The one to begin with.

    Notes
    -----
    `chosen(Approach)`: a strategy with all its parameters.
    """

    chosen = Signal(object)

    def __init__(
        self, offers: Sequence[Offer], start: Approach | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Add a strategy with other settings"))
        self.resize(560, 560)
        self.choice = StrategyChoice(folded=False)
        self.wrong = QLabel(wordWrap=True)
        self.wrong.setProperty("role", "error")
        self.wrong.setAccessibleName(self.tr("What is wrong"))
        self.cancel = QPushButton(self.tr("Cancel"))
        self.add = QPushButton(self.tr("&Add"))
        self.add.setProperty("role", "primary")
        self.add.setDefault(True)
        self._lay_out()
        self.choice.offer(offers, start)
        self.choice.changed.connect(self._check)
        self.add.clicked.connect(self._accept)
        self.cancel.clicked.connect(self.reject)
        self._check()
        self.choice.take_keyboard()

    def _lay_out(self) -> None:
        inside = QWidget()
        within = QVBoxLayout(inside)
        within.setContentsMargins(18, 16, 18, 16)
        within.addWidget(self.choice)
        within.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addWidget(scrolled_card(inside, self.tr("Choices")), 1)
        column.addWidget(self.wrong)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addStretch(1)
        for button in (self.cancel, self.add):
            buttons.addWidget(button)
        column.addLayout(buttons)

    def _check(self) -> None:
        fault = self.choice.fault
        self.wrong.setText(fault)
        self.add.setEnabled(not fault)

    def _accept(self) -> None:
        self.chosen.emit(self.choice.approach)
        self.accept()
