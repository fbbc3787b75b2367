"""Claim: the right to write a project file, which no stray file handle can take away.

SQLite locks a file by POSIX record locks, and the system drops all of a process's record locks on
a file as soon as *any* handle of that process on it is closed: a file dialog that opens the file
to guess its type is enough. A claim therefore holds a lock of the other kind (`flock`), which
lives as long as its own handle; and it can tell whether somebody has written to the file.

On Windows locks belong to handles, so SQLite's own suffices there and a claim does nothing.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from engine.errors import ProjectLockedError

_COUNTER_AT, _COUNTER_BYTES = 24, 4  # SQLite's file change counter, in the header
# Network file systems without locks: there SQLite's lock, if any, is all there is.
_NO_SUCH_LOCK = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}


def locked(path: Path) -> ProjectLockedError:
    """Describe a file that somebody else has open."""
    return ProjectLockedError(
        f"{path} is open in another window or program.", "Close it there first."
    )


class Claim:
    """Held from before SQLite opens the file until after it has closed it.

    Parameters
    ----------
    path
        An existing file.

    Raises
    ------
    ProjectLockedError
        When another claim on the file is held, by this process or another.
    OSError
        When the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None
        self._seen = b""
        if sys.platform == "win32":
            return
        import fcntl

        self._handle = os.open(path, os.O_RDONLY)
        # Of a file that cannot be written there may be any number of readers.
        kind = fcntl.LOCK_EX if os.access(path, os.W_OK) else fcntl.LOCK_SH
        try:
            fcntl.flock(self._handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise locked(path) from None
        except OSError as error:
            if error.errno not in _NO_SUCH_LOCK:
                self.release()
                raise
        self.note()

    def note(self) -> None:
        """Take the file as it is now for what we know: we have just read or written it."""
        self._seen = self._counter()

    def check(self) -> None:
        """Make sure that nobody has written to the file since `note`.

        Raises
        ------
        ProjectLockedError
            When somebody has: writing now would destroy what they wrote.
        """
        if self._counter() != self._seen:
            raise ProjectLockedError(
                f"{self._path} was changed by another program while it was open; "
                "the last change was not saved.",
                "Close the project, and open it again.",
            )

    def release(self) -> None:
        """Give the file free. Harmless when done already."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _counter(self) -> bytes:
        if sys.platform == "win32" or self._handle is None:
            return b""
        return os.pread(self._handle, _COUNTER_BYTES, _COUNTER_AT)
