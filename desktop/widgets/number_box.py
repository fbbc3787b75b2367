"""A box for whole numbers whose text begins where that of other fields does."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox, QWidget

_MARGIN = 7


class NumberBox(QSpinBox):
    """The box; style sheets have no say in where its text begins."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lineEdit().setTextMargins(_MARGIN, 0, 0, 0)
