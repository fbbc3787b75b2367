"""A project file as SQLite sees it: opened safely, held alone, changed in whole transactions.

Hidden here: every dealing with SQLite and the file system: header and schema checks, the lock,
durability, migration, copies, and SQLite's error codes. Promised: whoever holds a `Document` is
its only user; what a finished `transaction` wrote is on the disk; every failure arrives as an
`EngineError` that names the file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from engine.errors import (
    EngineError,
    NotAProjectError,
    ProjectDamagedError,
    ProjectError,
    ProjectTooNewError,
    ResourceError,
    UsageError,
)
from engine.project import schema
from engine.project.claim import Claim, locked

Fill = Callable[[sqlite3.Connection], None]

_PATIENCE_MS = 500
"""Wait for a lock: enough for a virus scanner or a backup tool; another Pairloom keeps its lock."""


class Document:
    """One open project file, locked against every other opener until `close`.

    Parameters
    ----------
    path
        An existing file.
    steps
        The ladder of versions; see `engine.project.schema`.

    Raises
    ------
    NotAProjectError, ProjectTooNewError, ProjectDamagedError, ProjectLockedError, ProjectError
        When the file cannot be used; it is left as it was.

    Notes
    -----
    The locks (SQLite's own and a `Claim`) are the system's, which drops them when a process dies:
    there is no stale lock to clear. A file on read-only media opens for reading.
    """

    def __init__(self, path: Path, steps: Sequence[schema.Step] = schema.STEPS) -> None:
        self.path = Path(path).absolute()
        _refuse_what_is_no_file(self.path)
        with _explained(self.path):
            self._claim = Claim(self.path)
            try:
                self.connection = _connect(self.path)
                try:
                    self._check_and_migrate(steps)
                    self._identity = _identity(self.path)
                except BaseException:
                    self.connection.close()
                    raise
                self._claim.note()
            except BaseException:
                self._claim.release()
                raise

    @staticmethod
    def create(path: Path, fill: Fill, steps: Sequence[schema.Step] = schema.STEPS) -> None:
        """Write a new file whole or not at all; `fill` puts in the first rows.

        Raises
        ------
        ProjectError
            When `path` exists already or its folder does not.
        ResourceError
            When the disk is full.
        """
        path = Path(path).absolute()
        if os.path.lexists(path):
            raise ProjectError(
                f"{path} exists already.", "Choose another name, or open the file that is there."
            )
        with _written_aside(path) as connection, _atomic(connection):
            connection.execute(f"pragma application_id = {schema.APPLICATION_ID:d}")
            schema.climb(connection, steps, 0)
            fill(connection)

    def close(self) -> None:
        """Give the file free. Harmless when closed already."""
        self.connection.close()
        self._claim.release()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read."""
        with _explained(self.path):
            return self.connection.execute(sql, values).fetchall()

    def each(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Read row by row, for tables that may be larger than the memory."""
        with _explained(self.path):
            yield from self.connection.execute(sql)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing; on the disk for good (fsync) when the block is left.

        Raises
        ------
        ProjectError
            When the file was moved, deleted or changed by others meanwhile, or cannot be written.
        ResourceError
            When the disk is full.
        """
        # Holding the lock, SQLite would go on writing into a deleted file without a word.
        if _identity(self.path) != self._identity:
            raise ProjectError(
                f"{self.path} was moved, deleted or replaced while it was open; "
                "the last change was not saved.",
                "Put the file back, or save a copy under another name.",
            )
        with _explained(self.path):
            if self.connection.in_transaction:
                raise UsageError("a transaction within a transaction")
            self._claim.check()
            try:
                with _atomic(self.connection):
                    yield self.connection
            finally:
                self._claim.note()

    def copy_to(self, path: Path, amend: Fill) -> None:
        """Write a copy, whole or not at all, over whatever is at `path`.

        `amend` may change the copy before it gets its name. Works even when the open file has
        been deleted.
        """
        path = Path(path).absolute()
        if _identity(path) == self._identity:
            raise ProjectError(
                f"{path} is the project that is open.", "Choose another name for the copy."
            )
        with _written_aside(path) as target:
            self.connection.backup(target)
            with _atomic(target):
                amend(target)

    def findings(self) -> list[str]:
        """Say what SQLite's full check finds; empty = sound."""
        lines = [line for (line,) in self.rows("pragma integrity_check(20)") if line != "ok"]
        dangling = self.rows("pragma foreign_key_check")
        lines += [
            f"{table}, row {row}: refers to {parent} that do not exist"
            for table, row, parent, _ in dangling
        ]
        return lines

    def _check_and_migrate(self, steps: Sequence[schema.Step]) -> None:
        """Look at the header, lock, compare the schema, check the pages, climb the ladder."""
        connection = self.connection
        if _number(connection, "application_id") != schema.APPLICATION_ID:
            raise NotAProjectError(
                f"{self.path} is not a Pairloom project.",
                "Choose a file that Pairloom has made; their names end in .pairloom.",
            )
        version, newest = _number(connection, "user_version"), len(steps)
        if version > newest:
            raise ProjectTooNewError(
                f"{self.path} was made by a later Pairloom "
                f"(file version {version}; this program reads up to {newest}).",
                "Open it with the later Pairloom. The file was left as it is.",
                found=version,
                supported=newest,
            )
        # Taken once, kept until `close` (locking_mode). On read-only media it is a reading lock.
        connection.execute("begin exclusive")
        connection.execute("commit")
        # First the schema: the page check evaluates what it says.
        if version < 1 or schema.text_of(connection) != schema.expected_text(steps[:version]):
            raise ProjectDamagedError(
                f"{self.path} holds tables, triggers or views that Pairloom did not make.",
                "It may have been tampered with. Use a copy from a trusted place.",
            )
        _refuse_damage(connection, "quick_check", self.path)
        connection.execute("pragma journal_mode = delete")
        if version < newest:
            self._migrate(steps, version)

    def _migrate(self, steps: Sequence[schema.Step], version: int) -> None:
        """Climb from `version` in one transaction, after a copy of the file was put beside it."""
        _refuse_damage(self.connection, "integrity_check", self.path)
        backup = self.path.with_name(f"{self.path.name}.v{version}.bak")
        with _written_aside(backup) as target:
            self.connection.backup(target)
        with _atomic(self.connection):
            schema.climb(self.connection, steps, version)


@contextmanager
def _atomic(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit when the block is left, or roll back."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        # SQLite has rolled back by itself after some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def _connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """Connect with the settings that every project file is used with."""
    # Not `Path.as_uri`: SQLite wants no host part, so //server/share becomes ////server/share.
    posix = path.as_posix()
    name = ("" if posix.startswith("/") else "/") + quote(os.fsencode(posix))
    mode = "rwc" if create else "rw"
    connection = sqlite3.connect(f"file://{name}?mode={mode}", uri=True, isolation_level=None)
    try:
        # Text that is no longer UTF-8 is read all the same, so that its row can be named.
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for setting in (
            f"busy_timeout = {_PATIENCE_MS}",
            "trusted_schema = off",
            "cell_size_check = on",
            "mmap_size = 0",
            "foreign_keys = on",
            "synchronous = full",
            "locking_mode = exclusive",
        ):
            connection.execute(f"pragma {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"pragma {pragma}").fetchone()[0])


def _refuse_damage(connection: sqlite3.Connection, check: str, path: Path) -> None:
    found = [line for (line,) in connection.execute(f"pragma {check}(3)")]
    if found != ["ok"]:
        raise _damaged(path, found[0])


def _refuse_what_is_no_file(path: Path) -> None:
    """Say plainly what SQLite would call "unable to open", or take for an empty database.

    The header itself is read through SQLite only: on POSIX, closing a second handle of our own
    on the file would drop the lock that this process may hold on it.
    """
    try:
        if path.is_dir():
            raise NotAProjectError(f"{path} is a folder, not a project file.")
        size = path.stat().st_size
    except FileNotFoundError as error:
        raise ProjectError(
            f"There is no file {path}.", "It may have been moved or renamed; look for it there."
        ) from error
    except OSError as error:
        raise ProjectError(f"{path} cannot be opened: {error.strerror}.") from error
    if size == 0:
        raise NotAProjectError(f"{path} is empty; it is not a Pairloom project.")


def _identity(path: Path) -> tuple[int, int] | None:
    """Tell which file a name stands for now; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextmanager
def _written_aside(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a new database to fill beside `path`; it becomes `path` in one move, or goes."""
    part = path.with_name(path.name + ".part")
    with _explained(path):
        try:
            _remove(part)
            with closing(_connect(part, create=True)) as connection:
                yield connection
            _sync(part)
            part.replace(path)
            _sync(path.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                _remove(part)
            raise


def _remove(part: Path) -> None:
    for name in (part, part.with_name(part.name + "-journal")):
        name.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows has no such call for folders.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system say into what a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error
    except UnicodeDecodeError as error:  # an error that quotes damaged text
        raise _damaged(path, "its tables cannot be read") from error
    except MemoryError as error:
        raise ResourceError(
            f"There is not enough memory to work on {path}.", "Close other programs."
        ) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise _full(path) from error
        raise ProjectError(
            f"{path} cannot be written: {error.strerror}.",
            "Check that the folder exists and that you may write there.",
        ) from error


def _damaged(path: Path, detail: str) -> ProjectDamagedError:
    return ProjectDamagedError(
        f"{path} is damaged ({detail}).",
        "Use a backup. If a file of the same name with -journal at the end lay beside it, "
        "bring both together again.",
    )


def _full(path: Path) -> ResourceError:
    return ResourceError(
        f"The disk that holds {path} is full; the last change was not saved.",
        "Free some space and try again. Everything saved before is safe.",
    )


def explain(error: sqlite3.Error, path: Path) -> EngineError | UsageError:
    """Say in plain words what an error of SQLite means for a person and their file."""
    full = getattr(error, "sqlite_errorcode", None)
    match None if full is None else full & 0xFF:  # the low byte holds the primary code
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_NOMEM | sqlite3.SQLITE_TOOBIG:
            return ResourceError(f"There is not enough memory to work on {path} ({error}).")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return ProjectError(
                f"{path} cannot be changed: the file or its disk is read-only.",
                "Copy it, with the -journal file beside it if there is one, to a place where "
                "you may write.",
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return locked(path)
        case sqlite3.SQLITE_NOTADB:
            return NotAProjectError(
                f"{path} is not a Pairloom project, or its beginning is destroyed.",
                "Choose a file that Pairloom has made; their names end in .pairloom.",
            )
        case sqlite3.SQLITE_CANTOPEN:
            return ProjectError(
                f"{path} cannot be opened.",
                "Check that the folder exists and that you may read and write there.",
            )
        case sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_MISUSE:
            return UsageError(f"{path}: {error}")
        case None if isinstance(error, sqlite3.ProgrammingError):  # closed, or another thread
            return UsageError(f"{path}: {error}")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR | None:
            return _damaged(path, str(error))
    return ProjectError(
        f"Reading or writing {path} failed ({error}).",
        "Check the disk or the network drive that holds it. What was saved before is safe.",
    )
