"""Some releases of the Qt binding lose references to None and True on every call and then abort."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


class Sender(QObject):
    """One signal."""

    said = Signal(object)


def test_calls_do_not_lose_references(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    sender = Sender()
    before = [sys.getrefcount(value) for value in (None, True, False)]
    for _ in range(200):
        widget.setEnabled(True)
        widget.setToolTip("")
        sender.said.emit(1)
    after = [sys.getrefcount(value) for value in (None, True, False)]
    for lost in (old - new for old, new in zip(before, after, strict=True)):
        assert lost < 100
