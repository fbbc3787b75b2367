"""The dialog that adds a strategy with parameters of one's own to a comparison.

Hides how parameters are read. Promises that what it gives is complete, and that what is wrong is
said while it is typed.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from desktop import strategies
from desktop.messages import Offer
from engine.errors import ParameterError
from engine.model import Approach
from engine.parameters import Parameter


class VariantDialog(QDialog):
    """The dialog.

    Parameters
    ----------
    offers
        The strategies there are.

    Notes
    -----
    `chosen(Approach)`: a strategy with all its parameters.
    """

    chosen = Signal(object)

    def __init__(self, offers: Sequence[Offer], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers = {offer.strategy: offer for offer in offers}
        self.setWindowTitle(self.tr("Add a strategy with other settings"))
        self.resize(640, 460)
        self.strategy = QComboBox()
        for name in self._offers:
            self.strategy.addItem(strategies.title(name), name)
        self.settings = QLineEdit()
        self.settings.setPlaceholderText(self.tr("key=value key=value …"))
        self.wrong = QLabel(wordWrap=True)
        self.wrong.setProperty("role", "error")
        self.wrong.setAccessibleName(self.tr("What is wrong"))
        self.known = QTextBrowser()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.add = self.buttons.addButton(self.tr("&Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.add.setProperty("role", "primary")
        self._lay_out()
        self.strategy.currentIndexChanged.connect(self._list_parameters)
        self.settings.textChanged.connect(self._check)
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self._list_parameters()
        self.settings.setFocus()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.addRow(self.tr("&Strategy"), self.strategy)
        form.addRow(self.tr("Se&ttings"), self.settings)
        self.known.setAccessibleName(self.tr("What can be set"))
        self.known.setTabChangesFocus(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(form)
        column.addWidget(self.wrong)
        column.addWidget(self.known, 1)
        column.addWidget(self.buttons)

    # ------------------------------------------------------------------ states

    @property
    def _offer(self) -> Offer:
        return self._offers[self.strategy.currentData()]

    def _list_parameters(self) -> None:
        rows = "".join(_row(one) for one in self._offer.parameters)
        heads = (self.tr("Key"), self.tr("Usually"), self.tr("What it does"))
        head = "".join(f'<th align="left">{html.escape(text)}</th>' for text in heads)
        self.known.setHtml(f"<table cellpadding=4><tr>{head}</tr>{rows}</table>" if rows else "")
        self.settings.clear()
        self._check()

    def _check(self) -> None:
        wrong = ""
        try:
            self._read()
        except ParameterError as error:
            wrong = error.message
        nothing = not self._offer.parameters
        if nothing:
            wrong = self.tr("There is nothing to set about this strategy.")
        self.wrong.setText(wrong)
        self.settings.setEnabled(not nothing)
        self.add.setEnabled(not wrong and bool(self.settings.text().strip()))

    def _read(self) -> Approach:
        return strategies.complete(self._offer, strategies.settings(self.settings.text()))

    def _accept(self) -> None:
        self.chosen.emit(self._read())
        self.accept()


def _row(parameter: Parameter) -> str:
    """Describe a parameter as a row of an HTML table."""
    said = parameter.help
    if parameter.choices:
        words = QCoreApplication.translate("VariantDialog", "One of: {0}.")
        said += " " + words.format(", ".join(parameter.choices))
    usually = parameter.default
    if usually is None:
        usually = QCoreApplication.translate("VariantDialog", "must be given")
    cells = (f"<b>{html.escape(parameter.name)}</b>", html.escape(usually), html.escape(said))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
