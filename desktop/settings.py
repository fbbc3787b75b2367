"""What is remembered between sessions: window layout, look, recent projects.

Hidden: the ini file, and that it may not be writable (then things are remembered until the end of
the session). Promised: reading never fails, whatever the file holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

RECENT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Recent:
    """A project opened lately, as it was when last seen.

    Attributes
    ----------
    path
        Its file.
    items, answers
        How many there were.
    pictures
        Whether the items are pictures (else rows of a table).
    """

    path: str
    items: int
    answers: int
    pictures: bool


class Settings:
    """Reads and writes what is remembered.

    Parameters
    ----------
    file
        The ini file; None = remember nothing beyond this session.
    """

    def __init__(self, file: Path | None) -> None:
        self._store = QSettings(str(file), QSettings.Format.IniFormat) if file else None
        self._memory: dict[str, object] = {}

    # ------------------------------------------------------------------ projects

    def recent(self) -> tuple[Recent, ...]:
        """Projects opened lately, newest first."""
        try:
            rows = json.loads(self._text("recent/projects", "[]"))
            return tuple(
                Recent(str(r["path"]), int(r["items"]), int(r["answers"]), bool(r["pictures"]))
                for r in rows[:RECENT_LIMIT]
            )
        except (ValueError, TypeError, KeyError):  # edited by hand or written by another version
            return ()

    def remember(self, project: Recent) -> None:
        """Put a project first in the list."""
        others = [known for known in self.recent() if known.path != project.path]
        self._write_recent([project, *others])

    def forget(self, path: str) -> None:
        """Take a project off the list; its file stays."""
        self._write_recent([known for known in self.recent() if known.path != path])

    def forget_all(self) -> None:
        """Empty the list."""
        self._write_recent([])

    def _write_recent(self, projects: Sequence[Recent]) -> None:
        rows = [asdict(project) for project in projects[:RECENT_LIMIT]]
        self._put("recent/projects", json.dumps(rows))

    # -------------------------------------------------------------------- window

    @property
    def scheme(self) -> str:
        """Look: "system", "light" or "dark"."""
        scheme = self._text("look/scheme", "system")
        return scheme if scheme in ("system", "light", "dark") else "system"

    @scheme.setter
    def scheme(self, scheme: str) -> None:
        self._put("look/scheme", scheme)

    def layout(self, part: str) -> QByteArray:
        """Give the saved layout of a part of the window; empty = none."""
        value = self._get(f"layout/{part}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def save_layout(self, part: str, layout: QByteArray) -> None:
        """Keep the layout of a part of the window."""
        self._put(f"layout/{part}", layout)

    def folder(self, purpose: str, default: Path) -> Path:
        """Folder that a file dialog starts in."""
        folder = Path(self._text(f"folders/{purpose}", str(default)))
        return folder if folder.is_dir() else default

    def save_folder(self, purpose: str, folder: Path) -> None:
        """Keep the folder that a file dialog ended in."""
        self._put(f"folders/{purpose}", str(folder))

    # --------------------------------------------------------------------- store

    def _get(self, key: str) -> object:
        return self._store.value(key) if self._store else self._memory.get(key)

    def _text(self, key: str, default: str) -> str:
        value = self._get(key)
        return value if isinstance(value, str) else default

    def _put(self, key: str, value: object) -> None:
        if self._store:
            self._store.setValue(key, value)
        else:
            self._memory[key] = value
