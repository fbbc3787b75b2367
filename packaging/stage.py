"""The program with its engine, off the screen, for pictures to be taken of it.

Hides waiting. Promises that a picture is taken when nothing moves any more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop
from PySide6.QtWidgets import QWidget

from desktop import theme, worker
from desktop.controller import Controller
from desktop.dialogs.choice import ChoiceDialog
from desktop.main_window import MainWindow
from desktop.messages import CreateProject, GoTo, NameGroup, OpenProject, Revise, Tell, Undo
from desktop.settings import Settings
from engine.model import Verdict

Truth = Mapping[str, frozenset[str]]
"""What each item shows, by its name."""
SIZES = {"": (1280, 800), "-large": (1920, 1080)}
SMALLEST = (1000, 640)
PATIENCE = 300.0  # s; describing 600 pictures on a slow machine
QUIET = 0.4  # s without work before a picture is taken: fades have ended, thumbnails are there


class Stage:
    """The program with its engine, ready to be looked at."""

    def __init__(self) -> None:
        self.engine = worker.EngineWorker()
        self.thread = worker.start(self.engine)
        self.controller = Controller(self.engine)
        self.troubles: list[object] = []
        self.controller.failed.connect(self.troubles.append)
        self.controller.crashed.connect(self.troubles.append)
        self.settings = Settings(None)
        self.window = MainWindow(self.controller, self.settings)

    def show(self, size: tuple[int, int]) -> None:
        """Give the window a size, and its panels their first places in it."""
        self.window.resize(*size)
        self.window.show()
        self.settle()
        self.window.workspace.reset()
        self.settle()

    def until(self, done: Callable[[], bool]) -> None:
        """Let the program work until `done`."""
        end = time.monotonic() + PATIENCE
        while not done():
            if self.troubles or time.monotonic() > end:
                sys.exit(f"screenshots: {self.troubles or 'the program takes too long'}")
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            # outside `exec` what is to be deleted would stay, and be seen
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def settle(self) -> None:
        """Let pictures load and fades end."""
        self.until(lambda: not self.controller.busy)
        end = time.monotonic() + QUIET
        self.until(lambda: time.monotonic() > end)

    def open(self, project: Path) -> None:
        """Open a project file and go to the pair."""
        self.controller.send(OpenProject(project))
        self.until(lambda: self.controller.opened is not None and not self.controller.busy)
        self.window.show_judge()

    def create(self, request: CreateProject) -> None:
        """Make a project and go to the pair."""
        self.controller.send(request)
        self.until(lambda: self.opened_path == request.path and not self.controller.busy)
        self.window.show_judge()

    @property
    def opened_path(self) -> Path | None:
        """The project that is open."""
        opened = self.controller.opened
        return None if opened is None else opened.path

    def ask(self, request: Tell | Revise | Undo | GoTo | NameGroup) -> None:
        """Change the state."""
        was = self.controller.snapshot.revision
        self.controller.send(request)
        self.until(lambda: self.controller.snapshot.revision > was and not self.controller.busy)

    def judge(self, answers: int, truth: Truth) -> None:
        """Answer as the truth says, through the page that people use."""
        judge = self.window.workspace.judge
        for _ in range(answers):
            snapshot = self.controller.snapshot
            assert snapshot is not None
            if snapshot.question is None:
                return
            one, other = (self.held(item, truth) for item in snapshot.question.pair)
            self.until(lambda: judge.gate.is_open)
            judge.answer(Verdict.SAME if one & other else Verdict.DIFFERENT)
            if judge.pane.choice.isVisible():
                self._name_common(one & other, truth)
            was = snapshot.revision
            self.until(lambda was=was: self.controller.snapshot.revision > was)
        self.settle()

    def _name_common(self, common: frozenset[str], truth: Truth) -> None:
        """Say which groups two have in common, where it is asked."""
        choice = self.window.workspace.judge.pane.choice
        self.until(lambda: choice.gate.is_open)
        for card in choice.cards:
            card.setChecked(bool(common & self.held(card.candidate.item, truth)))
        choice.take()

    def held(self, item: int, truth: Truth) -> frozenset[str]:
        """Give what an item shows in truth."""
        return truth[self.controller.opened.items[item].name]

    def in_all_looks(self, take: Callable[[str], None], *, small: bool = False) -> None:
        """Take a picture in each look and size, with `small` in the smallest window as well."""
        sizes = {**SIZES, "-small": SMALLEST} if small else SIZES
        for scheme in ("light", "dark"):
            theme.current().set_scheme(scheme)
            for suffix, size in sizes.items():
                self.show(size)
                take(f"{scheme}{suffix}")
        theme.current().set_scheme("light")
        self.show(SIZES[""])

    def in_both_looks(self, take: Callable[[str], None]) -> None:
        """Take a picture in each look, in the usual size."""
        for scheme in ("light", "dark"):
            theme.current().set_scheme(scheme)
            self.show(SIZES[""])
            take(scheme)
        theme.current().set_scheme("light")

    def take_both(self, file: Path, dialog: QWidget) -> None:
        """Take a picture of a dialog in each look."""
        for scheme in ("light", "dark"):
            theme.current().set_scheme(scheme)
            self.take(file.with_name(f"{file.name}-{scheme}.png"), dialog)
        theme.current().set_scheme("light")

    def considering(self, kind: type[ChoiceDialog], name: str = "") -> ChoiceDialog:
        """Give the dialog that is open, once it has looked at a choice."""
        (dialog,) = (one for one in self.window.findChildren(kind) if one.isVisible())
        if name:
            dialog.choice.names.setCurrentIndex(dialog.choice.names.findData(name))
        self.until(dialog.change.isEnabled)
        return dialog

    def take(self, file: Path, widget: QWidget | None = None) -> None:
        """Draw a widget, by default the whole window, into a file."""
        self.settle()
        (widget or self.window).grab().save(str(file))
        with Image.open(file) as drawn:  # fewer bytes; fewer colours would falsify the groups'
            drawn.convert("RGB").save(file, optimize=True)
        print(file, flush=True)

    def leave(self) -> None:
        """Close window and engine."""
        self.window.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        worker.stop(self.engine, self.thread)
