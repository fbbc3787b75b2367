"""The system's file dialogs, behind one small object that tests replace."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from desktop import paths
from desktop.settings import Settings


class FileDialogs:
    """Asks for files and folders; remembers where each kind was found last.

    Parameters
    ----------
    settings
        Where the last folders are kept.

    Notes
    -----
    Every method returns None when the person cancels.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def folder(self, parent: QWidget, purpose: str, title: str) -> Path | None:
        """Ask for an existing folder."""
        chosen = QFileDialog.getExistingDirectory(parent, title, self._start(purpose))
        return self._chosen(purpose, chosen)

    def existing(self, parent: QWidget, purpose: str, title: str, kinds: str) -> Path | None:
        """Ask for an existing file; `kinds` is a Qt filter such as "Tables (*.csv)"."""
        chosen, _ = QFileDialog.getOpenFileName(parent, title, self._start(purpose), kinds)
        return self._chosen(purpose, chosen)

    def new(
        self, parent: QWidget, purpose: str, title: str, kinds: str, proposed: Path
    ) -> Path | None:
        """Ask for a file to be written; an existing one is confirmed by the dialog."""
        chosen, _ = QFileDialog.getSaveFileName(parent, title, str(proposed), kinds)
        return self._chosen(purpose, chosen)

    def _start(self, purpose: str) -> str:
        return str(self._settings.folder(purpose, paths.documents()))

    def _chosen(self, purpose: str, chosen: str) -> Path | None:
        if not chosen:
            return None
        self._settings.save_folder(purpose, Path(chosen).parent)
        return Path(chosen)
