"""A person at the real window: real engine, real files; acts by keys and clicks, waits by looking.

For tests in this process, and for the program that `test_main_job` kills.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop import worker
from desktop.controller import Controller
from desktop.dialogs.crash import CrashDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.main_window import MainWindow
from desktop.messages import Failed
from desktop.settings import Settings
from desktop.widgets.judging.answer_gate import GateState
from engine.model import Snapshot, Verdict
from tests.e2e.drawings import kind_of

PATIENCE = 60.0  # s; loading torch on a busy machine
KEYS = {
    Verdict.SAME: Qt.Key.Key_S,
    Verdict.DIFFERENT: Qt.Key.Key_D,
    Verdict.UNSURE: Qt.Key.Key_U,
}


class Person:
    """Starts the window with an engine of its own; `leave` ends both.

    Parameters
    ----------
    show_as
        Size of the window in pixels.
    """

    def __init__(self, show_as: tuple[int, int] = (1280, 800)) -> None:
        self.engine = worker.EngineWorker()
        self.thread = worker.start(self.engine)
        self.controller = Controller(self.engine)
        self.troubles: list[Failed | str] = []
        self.controller.failed.connect(self.troubles.append)
        self.controller.reported.connect(self.troubles.append)
        self.window = MainWindow(self.controller, Settings(None))
        self.window.resize(*show_as)
        self.window.show()
        self.window.activateWindow()

    # ------------------------------------------------------------------ looking

    @property
    def snapshot(self) -> Snapshot:
        """The live state."""
        assert self.controller.snapshot is not None, self.troubles
        return self.controller.snapshot

    @property
    def names_shown(self) -> frozenset[str]:
        """Names of the two pictures that are on the screen."""
        return frozenset(self.window.workspace.judge.pane.area.shown_names)

    @property
    def names_asked(self) -> frozenset[str]:
        """Names of the two that the engine asks about."""
        opened, question = self.controller.opened, self.snapshot.question
        assert opened is not None
        assert question is not None
        return frozenset(opened.items[item].name for item in question.pair)

    @property
    def crash_panels(self) -> list[CrashDialog]:
        """The crash panels on the screen."""
        panels = self.window.findChildren(CrashDialog)
        return [panel for panel in panels if panel.isVisible()]

    def wait(self, until: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Let the window live until something is so."""
        deadline = time.monotonic() + seconds
        while not until():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s in vain; troubles: {self.troubles}")
            self.pass_time(0.005)

    def pass_time(self, seconds: float) -> None:
        """Let the window live for a while."""
        loop = QEventLoop()
        QTimer.singleShot(round(seconds * 1000), loop.quit)
        loop.exec()

    def wait_ready(self) -> None:
        """Wait until an answer counts, or nothing is left to ask."""
        gate = self.window.workspace.judge.gate
        self.wait(lambda: gate.is_open or (self._asks_nothing and gate.state is GateState.NOTHING))

    @property
    def _asks_nothing(self) -> bool:
        snapshot = self.controller.snapshot
        return snapshot is not None and snapshot.question is None

    # ------------------------------------------------------------------ acting

    def import_folder(self, source: Path, project: Path, *, embedder: str) -> None:
        """Make a project of a folder, by the dialog, and wait for the first question."""
        self.window.import_from(source)
        dialog = self.window.findChild(ImportDialog)
        assert dialog is not None
        self.wait(dialog.make.isEnabled)
        dialog.embedder.setCurrentIndex(dialog.embedder.findData(embedder))
        dialog.path.setText(str(project))
        QTest.mouseClick(dialog.make, Qt.MouseButton.LeftButton)
        self.wait(lambda: self.controller.opened is not None, 10 * PATIENCE)
        self.turn_to_window()
        self.wait_ready()

    def open(self, project: Path) -> None:
        """Open a project and wait for its question."""
        self.window.open_path(project)
        self.wait(lambda: self.controller.opened is not None)
        self.wait_ready()

    def turn_to_window(self) -> None:
        """Give the window the keyboard, as a window manager does when a dialog has gone."""
        self.window.activateWindow()
        self.wait(lambda: QApplication.focusWidget() is not None)

    def press(self, key: Qt.Key) -> None:
        """Press a key where the keyboard is: on the judge page or a part of it."""
        judge, focus = self.window.workspace.judge, QApplication.focusWidget()
        assert focus is not None
        assert focus is judge or judge.isAncestorOf(focus), focus
        QTest.keyClick(focus, key)

    def answer(self, verdict: Verdict | None = None) -> Snapshot:
        """Answer the pair by keyboard, by default as it looks; wait for what it changed."""
        self.wait_ready()
        assert self.names_shown == self.names_asked
        left, right = (kind_of(name) for name in self.names_shown)
        seen = Verdict.SAME if left == right else Verdict.DIFFERENT
        return self._change(KEYS[verdict or seen])

    def undo(self) -> Snapshot:
        """Take the last step back by keyboard; wait until it is."""
        return self._change(Qt.Key.Key_Backspace)

    def _change(self, key: Qt.Key) -> Snapshot:
        before = self.snapshot.revision
        self.press(key)
        self.wait(lambda: self.snapshot.revision > before)
        return self.snapshot

    def leave(self) -> bool:
        """Close the window; whether the engine thread has ended."""
        self.window.close()
        self.window.pictures.close()
        ended = worker.stop(self.engine, self.thread)
        self.window.deleteLater()
        return ended


def told(snapshot: Snapshot) -> dict[str, object]:
    """Write a state down so that another process can compare it: all that a person gave or sees."""
    question = snapshot.question
    return {
        "question": list(question.pair) if question is not None else None,
        "position": snapshot.position,
        "undo": snapshot.undo,
        "redo": snapshot.redo,
        "labels": snapshot.clustering.labels.tolist(),
        "slots": snapshot.overview.slots.tolist(),
        "confidence": snapshot.overview.confidence.tolist(),
        "history": [
            [
                step.seq,
                step.parent,
                step.kind.value,
                step.on_path,
                [*step.answer.pair, step.answer.verdict.value] if step.answer is not None else [],
                step.answer.shown_left if step.answer is not None else None,
                step.answer.response_ms if step.answer is not None else None,
            ]
            for step in snapshot.history
        ],
    }
