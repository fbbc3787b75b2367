"""Terminal: the progress line, remarks, Ctrl-C, and what a command ends with.

Hides signals and carriage returns. Promises that an interrupted command ends where nothing is half
done.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

from engine.job import Job

DONE, FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130
"""Exit status: done, damage found, what a person got wrong, Ctrl-C."""


def plain(text: str) -> str:
    """Put a text on one line, without signs that could drive the terminal."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)


def remark(text: str) -> None:
    """Write a line to stderr, over that of the progress."""
    if sys.stderr.isatty():
        sys.stderr.write("\r" + " " * 79 + "\r")
    sys.stderr.write(plain(f"pairloom: {text}") + "\n")


class Progress:
    """One line on the terminal, overwritten as the work goes on."""

    def __init__(self) -> None:
        self._width = 0

    def report(self, done: int, total: int, text: str) -> None:
        """Show where a job is."""
        line = f"{text} {done:,} of {total:,}" if total else text
        if total and done >= total:
            self.clear()
            return
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
        self._width = 0


@contextlib.contextmanager
def interruptible(job: Job) -> Iterator[None]:
    """Let Ctrl-C stop the job where nothing is half done; a second one stops at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        if job.cancelled:
            raise KeyboardInterrupt
        job.cancel()

    if threading.current_thread() is not threading.main_thread():  # only that one may
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
