"""What the judge page shows when every pair is answered or implied: a result, not an error."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import words
from engine.model import Snapshot

_ICON = 64


class JudgeEnd(QWidget):
    """Says that nothing is left to ask, and what one may do now.

    Notes
    -----
    `exportRequested`, `overviewRequested`, `undoRequested`, `contradictionRequested`: what was
    chosen.
    """

    exportRequested = Signal()
    overviewRequested = Signal()
    undoRequested = Signal()
    contradictionRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sign = QLabel(self)
        self._sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._title = QLabel(self)
        self._title.setProperty("role", "title")
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._title.setWordWrap(True)
        self._waits = False  # for a contradiction to be settled
        self._result = QLabel(self)
        self._result.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._result.setWordWrap(True)
        self._export = QPushButton(self.tr("Export the groups…"), self)
        self._export.setProperty("role", "primary")
        self._export.clicked.connect(self.exportRequested)
        look = QPushButton(self.tr("Look at the groups"), self)
        look.clicked.connect(self.overviewRequested)
        self._look = QPushButton(self.tr("Look at the contradiction  C"), self)
        self._look.setProperty("role", "primary")
        self._look.clicked.connect(self.contradictionRequested)
        self._undo = QPushButton(self.tr("Undo the last step"), self)
        self._undo.setProperty("role", "quiet")
        self._undo.clicked.connect(self.undoRequested)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        for button in (self._export, look, self._undo):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 32, 32, 32)
        column.setSpacing(12)
        column.addStretch(2)
        for widget in (self._sign, self._title, self._result):
            column.addWidget(widget)
        column.addSpacing(8)
        column.addWidget(self._look, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(row)
        column.addStretch(3)
        self._color()
        theme.current().themeChanged.connect(self._color)

    @property
    def text(self) -> str:
        """The result in words."""
        return self._result.text()

    def show_state(self, snapshot: Snapshot) -> None:
        """Tell the result, or that a contradiction is in the way of one."""
        self._waits = bool(snapshot.conflicts)
        self._say_what_waits(len(snapshot.conflicts))
        self._export.setProperty("role", None if self._waits else "primary")
        self.style().polish(self._export)
        self._color()
        progress = snapshot.progress
        groups = (
            self.tr("1 group")
            if progress.groups == 1
            else self.tr("{0} groups").format(words.number(progress.groups))
        )
        answers = (
            self.tr("1 answer")
            if progress.answered == 1
            else self.tr("{0} answers").format(words.number(progress.answered))
        )
        if len(snapshot.overview.slots) == 1:
            text = self.tr("There is only one item here, so there is nothing to compare it with.")
        elif progress.groups == 0:
            text = self.tr("All items are set aside.")
        elif snapshot.shares:
            text = self.tr(
                "Of every item it is known with which groups it has something in common, or nobody "
                "could say.\n{0} from {1}."
            ).format(groups, answers)
            if snapshot.overruled:
                text += "\n" + _unexplained(len(snapshot.overruled))
        elif self._waits:
            text = self.tr(
                "Some of your answers contradict each other. Until that is settled, nothing is "
                "asked about the items they name.\n{0} from {1} so far."
            ).format(groups, answers)
        else:
            text = self.tr(
                "Every pair that could change the groups is answered or follows from your "
                "answers.\n{0} from {1}."
            ).format(groups, answers)
        self._result.setText(text)
        self._export.setEnabled(progress.groups > 0)
        self._look.setVisible(self._waits)
        self._undo.setEnabled(snapshot.undo is not None)

    def _say_what_waits(self, conflicts: int) -> None:
        if conflicts == 0:
            self._title.setText(self.tr("Nothing more to ask"))
        elif conflicts == 1:
            self._title.setText(self.tr("A contradiction is to be settled first"))
            self._look.setText(self.tr("Look at the contradiction  C"))
        else:
            count = words.number(conflicts)
            self._title.setText(self.tr("{0} contradictions are to be settled first").format(count))
            self._look.setText(self.tr("Look at the contradictions  C"))

    def _color(self) -> None:
        colors = theme.current().colors
        name, tone = ("warning", colors.warning) if self._waits else ("same", colors.same)
        self._sign.setPixmap(theme.icon(name, tone).pixmap(_ICON, _ICON))


def _unexplained(count: int) -> str:
    """Say how many answers the groups break; the history lists them."""
    if count == 1:
        return QCoreApplication.translate(
            "JudgeEnd", "1 answer is not explained by the groups found; the history marks it."
        )
    return QCoreApplication.translate(
        "JudgeEnd", "{0} answers are not explained by the groups found; the history marks them."
    ).format(words.number(count))
