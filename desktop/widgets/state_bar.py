"""The status bar: what the engine does, how to stop it, and that everything is saved."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from desktop.controller import Controller
from desktop.messages import Compare, Stopped, Working
from desktop.widgets import words

_PATIENCE_MS = 250  # what is done sooner is not worth telling
_COUNTED = 1_000_000


def said(news: Working) -> str:
    """Say how far a task is; counts in the millions are bytes, and people want a share of them."""
    if not news.total:
        return f"{news.text}…"
    if news.total > _COUNTED:
        return f"{news.text}  {100 * news.done // news.total} %"
    return f"{news.text}  {words.number(news.done)} / {words.number(news.total)}"


class StateBar(QStatusBar):
    """Follows the controller."""

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._told_elsewhere = False
        self.setSizeGripEnabled(False)
        self.doing = QLabel(self.tr("Ready"))
        self.doing.setAccessibleName(self.tr("What the engine does"))
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(180)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.stop = QPushButton(self.tr("Stop"))
        self.stop.setProperty("role", "small")
        self.stop.setAccessibleName(self.tr("Stop what the engine does"))
        self.stop.clicked.connect(controller.cancel)
        self.counts = QLabel()
        self.saved = QLabel()
        self.addWidget(self.doing)
        self.addWidget(self.progress)
        self.addWidget(self.stop)
        self.addPermanentWidget(self.counts)
        self.addPermanentWidget(self.saved)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(_PATIENCE_MS)
        self._late.timeout.connect(self._still_busy)
        controller.requestSent.connect(self._late.start)
        controller.working.connect(self._working)
        controller.idle.connect(self._idle)
        controller.stopped.connect(self._stopped)
        controller.snapshotChanged.connect(self._count)
        controller.closed.connect(self._count)
        self._idle()
        self._count()

    def leave_to(self, *, dialog: bool) -> None:
        """Keep quiet about what the engine does while a dialog tells it; or no longer."""
        self._told_elsewhere = dialog
        if dialog:
            self._idle()

    def _still_busy(self) -> None:
        if self._controller.unsaved:  # behind something that takes long
            self.saved.setText(self.tr("An answer waits to be saved"))
        waits = self._controller.busy and not self._told_elsewhere
        if waits and not self.progress.isVisible():
            self.doing.setText(self.tr("Working…"))

    def _working(self, news: Working) -> None:
        if self._told_elsewhere:
            return
        self.doing.setText(said(news))
        self.progress.setRange(0, news.total)
        self.progress.setValue(news.done)
        self.progress.show()
        self.stop.setVisible(self._controller.can_stop)

    def _idle(self) -> None:
        self._late.stop()
        self.doing.setText(self.tr("Ready"))
        self.progress.hide()
        self.stop.hide()
        if not self._controller.unsaved:
            self._count()

    def _stopped(self, news: Stopped) -> None:
        if news.what == Compare.__name__:  # of which the page keeps what was found
            self.showMessage(self.tr("Stopped; nothing was changed"), 4000)
        else:
            self.showMessage(self.tr("Stopped; nothing was left behind"), 4000)

    def _count(self) -> None:
        opened, snapshot = self._controller.opened, self._controller.snapshot
        if opened is None or snapshot is None:
            self.counts.setText("")
            self.saved.setText("")
            return
        answered = words.answers(snapshot.progress.answered)
        self.counts.setText(f"{words.items(len(opened.items))}  ·  {answered}")
        self.saved.setText(self.tr("✓ Every answer saved"))
