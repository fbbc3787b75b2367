"""Where things lie: bundled resources, and this user's settings and logs.

Hidden: how the program was installed, and that a home folder may not be writable. Promised: every
function returns a usable path, or None where nothing can be written.
"""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import platformdirs

APP = "Pairloom"
SUFFIX = ".pairloom"


def resources() -> Path:
    """Folder of bundled resources: beside the packages, or where the wheel's data was put."""
    beside = Path(__file__).resolve().parent.parent / "resources"
    if beside.is_dir():
        return beside
    return Path(sysconfig.get_path("data")) / "share" / "pairloom" / "resources"


def icon_file(name: str) -> Path:
    """File of a line icon."""
    return resources() / "icons" / f"{name}.svg"


def sample_images() -> Path:
    """Bundled folder of handwritten digits."""
    return resources() / "samples" / "digits"


def sample_table() -> Path:
    """Bundled table of tumour measurements."""
    return resources() / "samples" / "tumours.csv"


def settings_file() -> Path | None:
    """File for window state and recent projects; None = nowhere to write."""
    return _file_in(Path(platformdirs.user_config_dir(APP, appauthor=False)), "pairloom.ini")


def log_file() -> Path | None:
    """File for the log; None = nowhere to write."""
    return _file_in(Path(platformdirs.user_log_dir(APP, appauthor=False)), "pairloom.log")


def documents() -> Path:
    """Give the user's documents folder, or the home folder where there is none."""
    folder = Path(platformdirs.user_documents_dir())
    return folder if folder.is_dir() else Path.home()


def is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`."""
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def new_project_file(source: Path) -> Path:
    """Propose a file for a project made of `source`, never one that exists.

    Beside the source, or in Documents where that folder is read-only or holds bundled samples.
    """
    stem = source.name if source.is_dir() else source.stem
    bundled = source.resolve().is_relative_to(resources().resolve())
    folder = source.resolve().parent
    if bundled or not is_writable(folder):
        folder = documents()
    path = folder / f"{stem}{SUFFIX}"
    number = 2
    while path.exists():
        path = folder / f"{stem} {number}{SUFFIX}"
        number += 1
    return path


def _file_in(folder: Path, name: str) -> Path | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder / name if is_writable(folder) else None
