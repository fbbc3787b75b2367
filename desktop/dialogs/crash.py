"""The crash panel: what happened, that nothing is lost, and a report to copy. The window stays."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme


class CrashDialog(QDialog):
    """Shows the report of a bug, not modal.

    Signals
    -------
    reopenWanted
        The person wants the project read afresh from its file.
    """

    reopenWanted = Signal()

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Something went wrong"))
        self.resize(720, 480)
        title = QLabel(self.tr("Pairloom met an error of its own"))
        title.setProperty("role", "heading")
        words = QLabel(
            self.tr(
                "Your answers are safe: each one was saved when you gave it. Reopen the project to "
                "go on. The report below holds versions and the place of the error, none of your "
                "data; please pass it on to whoever looks after Pairloom for you."
            )
        )
        words.setWordWrap(True)
        self.report = QPlainTextEdit(report)
        self.report.setReadOnly(True)
        self.report.setAccessibleName(self.tr("Report"))
        self.report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.copy = QPushButton(theme.icon("copy"), self.tr("&Copy report"))
        self.copy.clicked.connect(self._copy)
        self.reopen = QPushButton(self.tr("&Reopen the project"))
        self.reopen.setProperty("role", "primary")
        self.reopen.clicked.connect(self._reopen)
        close = QPushButton(self.tr("C&lose"))
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(close)
        row.addWidget(self.reopen)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(12)
        column.addWidget(title)
        column.addWidget(words)
        column.addWidget(self.report, 1)
        column.addLayout(row)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))

    def _reopen(self) -> None:
        self.close()
        self.reopenWanted.emit()
