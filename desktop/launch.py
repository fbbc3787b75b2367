"""The composition root: application, engine thread, controller and window are put together here.

Promised: the window is shown before anything heavy is loaded; an interrupt or a bug never costs an
answer; the engine thread has ended before the process does.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, QTimer
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from desktop import log, paths, theme, worker
from desktop.controller import Controller
from desktop.main_window import MainWindow
from desktop.settings import Settings
from desktop.versions import version, versions

_SWITCH_INTERVAL = 0.001  # seconds; the default 5 ms lets Python code of the engine hold up the GUI


def launch(path: Path | None) -> int:
    """Show the window, with `path` opened, until the person closes it."""
    log.start(paths.log_file())
    sys.setswitchinterval(_SWITCH_INTERVAL)
    app = QApplication(sys.argv[:1])
    app.setApplicationName(paths.APP)
    app.setApplicationVersion(version())
    app.setDesktopFileName("pairloom")
    settings = Settings(paths.settings_file())
    theme.apply(app, settings.scheme)
    engine = worker.EngineWorker()
    thread = worker.start(engine)
    controller = Controller(engine)
    window = MainWindow(controller, settings)
    sys.excepthook = lambda *error: _caught(window, *error)
    opener = _Opener(window)
    app.installEventFilter(opener)
    wake = _quit_on_signals(app)
    window.show()
    QTimer.singleShot(0, lambda: _begin(window, engine, path))
    status = app.exec()
    wake.setEnabled(False)
    if not worker.stop(engine, thread):
        log.LOG.error("the engine did not stop; leaving without it")
        os._exit(1)
    return status


def _begin(window: MainWindow, engine: worker.EngineWorker, path: Path | None) -> None:
    """Do what need not be done before the window is there."""
    log.LOG.info("window shown")
    engine.warm_up()
    if path is not None:
        window.use(path.absolute())


class _Opener(QObject):
    """Opens what macOS asks to be opened by an event instead of an argument."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._window.use(Path(event.file()))
            return True
        return False


def _caught(
    window: MainWindow,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    """Show a bug of the window itself, and go on."""
    log.write_down(kind, error, trace)
    text = "".join(traceback.format_exception(kind, error, trace))
    window.show_crash(f"{versions()}\n\n{text}")


def _quit_on_signals(app: QApplication) -> QSocketNotifier:
    """Close properly on SIGTERM and Ctrl+C. Qt's loop does not let Python see signals by itself."""
    reading, writing = socket.socketpair()
    writing.settimeout(0)
    signal.set_wakeup_fd(writing.fileno())
    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, lambda *_: None)
    notifier = QSocketNotifier(reading.fileno(), QSocketNotifier.Type.Read, app)
    notifier.activated.connect(app.quit)
    notifier.setProperty("sockets", (reading, writing))  # closed with the application
    return notifier
