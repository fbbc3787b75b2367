"""What a path dropped on the window, or given on the command line, can be used for.

Hidden: file suffixes. Promised: whatever cannot be used is refused with a reason in plain words.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from desktop.paths import SUFFIX
from engine.readers.files import PICTURE_SUFFIXES
from engine.readers.sheets import READ_SUFFIXES

TABLES = tuple(sorted(READ_SUFFIXES | {".npz"}))


class Use(enum.Enum):
    """What to do with a path."""

    OPEN = "open"
    IMPORT = "import"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Offer:
    """A path and its use; `words` says what will happen, or why nothing will."""

    use: Use
    words: str
    path: Path = Path()


def offer(paths: Sequence[Path]) -> Offer:
    """Say what can be done with paths that were dropped together."""
    if not paths:
        return _refuse(_tr("Only files and folders of this computer can be dropped here."))
    if len(paths) > 1:
        return _refuse(_tr("Drop one thing at a time: a folder, a table or a project."))
    path = paths[0]
    suffix = path.suffix.lower()
    if path.is_dir():
        return Offer(Use.IMPORT, _tr("New project from the folder “{0}”").format(path.name), path)
    if not path.exists():
        return _refuse(_tr("“{0}” does not exist.").format(path.name))
    if suffix == SUFFIX:
        return Offer(Use.OPEN, _tr("Open the project “{0}”").format(path.stem), path)
    if suffix in TABLES:
        return Offer(Use.IMPORT, _tr("New project from the table “{0}”").format(path.name), path)
    if suffix in PICTURE_SUFFIXES:
        return _refuse(_tr("Drop the folder that holds the pictures, not a single picture."))
    return _refuse(
        _tr("“{0}” is neither a folder, nor a table, nor a Pairloom project.").format(path.name)
    )


def _refuse(words: str) -> Offer:
    return Offer(Use.REFUSE, words)


def _tr(english: str) -> str:
    return QCoreApplication.translate("Sources", english)
