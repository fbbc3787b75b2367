"""Asks which of two items to set aside: a menu beside its button, never a dialogue."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget


class AsideMenu(QMenu):
    """The menu.

    Notes
    -----
    `chosen(items)`: a tuple of one or both item ids.
    """

    chosen = Signal(object)

    def ask(self, left: int, right: int, beside: QWidget) -> None:
        """Open above a button, with the left item chosen first."""
        self.clear()
        for text, items in (
            (self.tr("Set the &left one aside"), (left,)),
            (self.tr("Set the &right one aside"), (right,)),
            (self.tr("Set &both aside"), (left, right)),
        ):
            action = self.addAction(text)
            action.setData(items)
            action.triggered.connect(self._choose)
        self.setActiveAction(self.actions()[0])
        self.popup(beside.mapToGlobal(QPoint(0, -self.sizeHint().height())))

    def _choose(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.chosen.emit(action.data())
