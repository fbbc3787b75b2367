"""What is written down for the day something goes wrong: a rotating log, crashes, Qt's messages.

Promised: a log that cannot be written never keeps the program from running.
"""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from desktop.versions import versions

LOG = logging.getLogger("desktop")
_HARMLESS = ("This plugin does not support propagateSizeHints()",)
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def start(file: Path | None) -> None:
    """Log to a file (None = to the error stream), Qt's words and fatal signals included."""
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if file is not None:
        try:
            handler = logging.handlers.RotatingFileHandler(
                file, maxBytes=1_000_000, backupCount=3, encoding="utf-8", delay=False
            )
        except OSError:
            file = None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    _catch_signals(file)
    threading.excepthook = _in_thread
    hear_qt()
    LOG.info("started\n%s", versions())


def hear_qt() -> None:
    """Let Qt's messages go to the log, without those that mean nothing."""
    qInstallMessageHandler(_from_qt)


def write_down(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Log an exception that nobody caught."""
    LOG.critical("uncaught", exc_info=(kind, error, trace))


def _catch_signals(file: Path | None) -> None:
    """Have a native crash leave a traceback; the file stays open as long as the program runs."""
    if file is not None:
        try:
            faulthandler.enable(file.with_name("crash.log").open("a", encoding="utf-8"))
        except OSError:
            file = None
    if file is None and sys.stderr is not None:
        faulthandler.enable()


def _in_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        write_down(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def _from_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    if not message.startswith(_HARMLESS):
        logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", message)
