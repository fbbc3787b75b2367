"""Draw the program's own screens into files: the real window and engine, off the screen.

    python packaging/screenshots.py window PROJECT FILE   one picture of a project being judged
    python packaging/screenshots.py all FOLDER            every screen of the help, from the samples
    python packaging/screenshots.py shared DRAWINGS FOLDER   those of items in several groups, of
                                                          drawings laid over each other

Run from the project's folder, inside its environment.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from unittest import mock

from PIL import Image, ImageChops
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt
from PySide6.QtWidgets import QApplication, QWidget
from superposed import superpose

from desktop import log, paths, theme, worker
from desktop.controller import Controller
from desktop.dialogs.choice import ChoiceDialog
from desktop.dialogs.grouping import GroupingDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from desktop.main_window import MainWindow
from desktop.messages import CreateProject, GoTo, NameGroup, OpenProject, Revise, Tell, Undo
from desktop.pages.matrix import GRAPH, MATRIX
from desktop.settings import Settings
from desktop.widgets.composing.sharing import Wanted, Which
from engine.model import Verdict

SIZES = {"": (1280, 800), "-large": (1920, 1080)}
SMALLEST = (1000, 640)
_SYMBOLS = 5  # that are laid over each other
PATIENCE = 300.0  # s; describing 600 pictures on a slow machine
_COMPARED = 4  # strategies
_CORNERS = {"0": (0, 0), "1": (96, 0), "4": (0, 96), "7": (96, 96)}
"""Digits on a sheet, and where each stands."""
_SHEETS = 120
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

    def share(self, answers: int, truth: dict[str, frozenset[str]]) -> None:
        """Answer whether two pictures show a symbol in common, as the truth says."""
        for _ in range(answers):
            snapshot, opened = self.controller.snapshot, self.controller.opened
            assert snapshot is not None
            assert opened is not None
            if snapshot.question is None:
                return
            pair = snapshot.question.pair
            one, other = (truth[opened.items[item].name] for item in pair)
            verdict = Verdict.SAME if one & other else Verdict.DIFFERENT
            self.ask(Tell(snapshot.revision, *pair, verdict))

    def ask(self, request: Tell | Revise | Undo | GoTo | NameGroup) -> None:
        """Change the state."""
        was = self.controller.snapshot.revision
        self.controller.send(request)
        self.until(lambda: self.controller.snapshot.revision > was and not self.controller.busy)

    def judge(self, answers: int, truth: dict[str, str]) -> None:
        """Answer as the truth says, through the page that people use."""
        judge = self.window.workspace.judge
        for _ in range(answers):
            snapshot, opened = self.controller.snapshot, self.controller.opened
            assert snapshot is not None
            assert opened is not None
            if snapshot.question is None:
                return
            pair = (truth[opened.items[item].name] for item in snapshot.question.pair)
            one, other = (set(held.split("+")) for held in pair)
            self.until(lambda: judge.gate.is_open)
            judge.answer(Verdict.SAME if one & other else Verdict.DIFFERENT)
            if judge.pane.choice.isVisible():
                self._name_common(one & other, truth)
            was = snapshot.revision
            self.until(lambda was=was: self.controller.snapshot.revision > was)
        self.settle()

    def _name_common(self, common: set[str], truth: dict[str, str]) -> None:
        """Say which groups two have in common, where it is asked."""
        choice = self.window.workspace.judge.pane.choice
        self.until(lambda: choice.gate.is_open)
        for card in choice.cards:
            held = truth[self.controller.opened.items[card.candidate.item].name]
            card.setChecked(bool(common & set(held.split("+"))))
        choice.take()

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


def window(project: Path, file: Path) -> None:
    """Draw a project as it is when it is opened."""
    stage = Stage()
    stage.show(SIZES[""])
    stage.open(project)
    stage.show(SIZES[""])
    stage.take(file)
    stage.leave()


def everything(folder: Path) -> None:
    """Draw every screen of the help, light and dark, small and large."""
    folder.mkdir(parents=True, exist_ok=True)
    # The samples are shown from a place of no meaning: pictures tell nothing of this computer.
    with tempfile.TemporaryDirectory(prefix="pairloom-") as made:
        place = Path(made)
        images, table = place / "digits", place / "tumours.csv"
        shutil.copytree(paths.sample_images(), images)
        shutil.copy(paths.sample_table(), table)
        with (
            mock.patch.object(paths, "sample_images", return_value=images),
            mock.patch.object(paths, "sample_table", return_value=table),
        ):
            stage = Stage()
            stage.show(SIZES[""])
            for source in (images, table):
                _imports(stage, folder, source)
        _pictures(stage, folder, images)
        _table(stage, folder, table)
        _suggested_pictures(stage, folder, images, place / "suggested.pairloom")
        _sheets(stage, folder, images, place / "sheets")
        _end(stage, folder, images, place / "few")
        _several_groups(stage, folder, place / "several")
        _shared(stage, folder, _by_digit(images), place / "symbols")
        stage.leave()


def shared(drawings: Path, folder: Path) -> None:
    """Draw the screens of a project in which items belong to several groups.

    Parameters
    ----------
    drawings
        One folder of drawings for each symbol; of these some are taken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    classes = sorted(one for one in drawings.iterdir() if one.is_dir())
    chosen = classes[:: max(1, len(classes) // _SYMBOLS)][:_SYMBOLS]
    with tempfile.TemporaryDirectory(prefix="pairloom-") as made:
        stage = Stage()
        stage.show(SIZES[""])
        symbols = {one.name: sorted(one.iterdir()) for one in chosen}
        _shared(stage, folder, symbols, Path(made) / "symbols")
        stage.leave()


def _looks(stage: Stage, take: Callable[[str], None]) -> None:
    """Take a picture in each look and size."""
    for scheme in ("light", "dark"):
        theme.current().set_scheme(scheme)
        for suffix, size in SIZES.items():
            stage.show(size)
            take(f"{scheme}{suffix}")
    theme.current().set_scheme("light")
    stage.show(SIZES[""])


def _by_digit(images: Path) -> dict[str, list[Path]]:
    truth = _digits()
    files = sorted(images.iterdir())
    digits = sorted(set(truth.values()))[1 : 1 + _SYMBOLS]
    return {digit: [file for file in files if truth[file.name] == digit] for digit in digits}


def _shared(stage: Stage, folder: Path, symbols: dict[str, list[Path]], source: Path) -> None:
    """Look at pictures of one or two symbols: who belongs where, and what groups make together."""
    truth = superpose(symbols, source, alone=16, pairs=8)
    params = {"groups": str(len(symbols)), "compose": "mean"}
    question = "Do these two show a symbol in common?"
    project = source.with_suffix(".pairloom")
    stage.create(CreateProject(source, project, "lite0", 0, "composing", params, {}, question))
    stage.share(80, truth)
    groups = stage.controller.snapshot.overview.groups[:2]
    for name, group in zip(("Alpha", "Beta"), groups, strict=True):
        stage.ask(NameGroup(group.exemplar, name))
    _matrix(stage, folder)


def _matrix(stage: Stage, folder: Path) -> None:
    """Look at the matrix, at what it holds of several groups, and at the graph of compositions."""
    page = stage.window.matrix
    stage.window.show_matrix()
    page.matrix.setFocus()
    _all_sizes(stage, lambda name: stage.take(folder / f"matrix-{name}.png"))
    page.want(Wanted(Which.MIXED))
    page.matrix.setFocus()
    _both(stage, lambda scheme: stage.take(folder / f"matrix-several-{scheme}.png"))
    page.want(Wanted())
    page.show_view(GRAPH)
    page.setFocus()
    _all_sizes(stage, lambda name: stage.take(folder / f"compositions-{name}.png"))
    made = stage.controller.snapshot.overview.memberships.compositions
    if made:
        best = max(made, key=lambda one: (one.items > 2, one.alone - one.fit))
        page.graph.choose(best.groups)
        _both(stage, lambda scheme: stage.take(folder / f"compositions-chosen-{scheme}.png"))
    page.graph.choose(None)
    page.show_view(MATRIX)


def _all_sizes(stage: Stage, take: Callable[[str], None]) -> None:
    """Take a picture in each look and size, and in the smallest window that there is."""
    _looks(stage, take)
    for scheme in ("light", "dark"):
        theme.current().set_scheme(scheme)
        stage.show(SMALLEST)
        take(f"{scheme}-small")
    theme.current().set_scheme("light")
    stage.show(SIZES[""])


def _imports(stage: Stage, folder: Path, source: Path) -> None:
    stage.window.import_from(source)
    dialog = stage.window.findChild(ImportDialog)
    stage.settle()
    kind = "pictures" if source.is_dir() else "table"
    for scheme in ("light", "dark"):
        theme.current().set_scheme(scheme)
        stage.take(folder / f"import-{kind}-{scheme}.png", dialog)
    theme.current().set_scheme("light")
    dialog.reject()
    stage.settle()


def _pictures(stage: Stage, folder: Path, source: Path) -> None:
    truth = _digits()
    project = source.with_suffix(".pairloom")
    question = "Do these two show the same digit?"
    stage.create(CreateProject(source, project, "classic", 0, question=question, planned=100))
    _first_guess(stage, folder, "pictures")
    stage.window.show_judge()
    stage.judge(60, truth)
    stage.window.show_start()
    _looks(stage, lambda name: stage.take(folder / f"start-{name}.png"))
    stage.window.show_judge()
    _name_groups(stage, truth)
    _looks(stage, lambda name: stage.take(folder / f"judge-pictures-{name}.png"))
    stage.window.show_overview()
    _looks(stage, lambda name: stage.take(folder / f"overview-{name}.png"))
    stage.window.overview.map.itemSelected.emit(int(stage.controller.snapshot.question.pair.a))
    _both(stage, lambda scheme: stage.take(folder / f"overview-item-{scheme}.png"))
    _tree(stage, folder)
    stage.window.show_judge()
    _strategy(stage, folder)
    _grouping(stage, folder, "pictures")
    step = stage.controller.snapshot.history[25].seq
    stage.window.workspace.show_step(step)
    _looks(stage, lambda name: stage.take(folder / f"history-replay-{name}.png"))
    stage.controller.view(None)
    _branch(stage, folder, truth)
    _conflict(stage, folder)


def _tree(stage: Stage, folder: Path) -> None:
    """Look at the tree, and at a cut of it with what it breaks."""
    page = stage.window.tree
    stage.window.show_tree()
    stage.until(lambda: page.dendrogram.drawing is not None)
    _looks(stage, lambda name: stage.take(folder / f"tree-{name}.png"))
    page.header.groups.setValue(5)
    page.header.broken.setChecked(True)
    stage.settle()
    page.broken.setCurrentIndex(page.broken.answers.index(0))
    _both(stage, lambda scheme: stage.take(folder / f"tree-cut-{scheme}.png"))
    page.header.broken.setChecked(False)
    page.choice.clear()


def _name_groups(stage: Stage, truth: dict[str, str]) -> None:
    for group in stage.controller.snapshot.overview.groups:
        name = truth[stage.controller.opened.items[group.exemplar].name]
        stage.ask(NameGroup(group.exemplar, f"Digit {name}"))


def _strategy(stage: Stage, folder: Path) -> None:
    """Look at what another strategy would make of the answers."""
    stage.window.change_strategy()
    dialog = _considering(stage, StrategyDialog, "cobras")
    _take_both(stage, folder / "change-strategy", dialog)
    dialog.reject()
    stage.settle()


def _grouping(stage: Stage, folder: Path, kind: str) -> None:
    """Look at how else groups can be found, and at what such groups are called."""
    stage.window.change_grouping()
    dialog = _considering(stage, GroupingDialog, "fc2")
    _take_both(stage, folder / f"change-grouping-{kind}", dialog)
    dialog.reject()
    stage.settle()


def _first_guess(stage: Stage, folder: Path, kind: str) -> None:
    """Take a guess before any answer, look at it, and take it back."""
    stage.window.show_overview()
    _both(stage, lambda scheme: stage.take(folder / f"no-groups-{kind}-{scheme}.png"))
    stage.window.overview.note.guess.click()
    dialog = _considering(stage, GroupingDialog)
    _take_both(stage, folder / f"first-guess-{kind}", dialog)
    dialog.change.click()
    stage.until(lambda: not stage.window.findChildren(GroupingDialog))
    _looks(stage, lambda name: stage.take(folder / f"guessed-{kind}-{name}.png"))
    stage.window.show_judge()
    _both(stage, lambda scheme: stage.take(folder / f"guessed-judge-{kind}-{scheme}.png"))
    stage.ask(Undo())


def _considering(stage: Stage, kind: type[ChoiceDialog], name: str = "") -> ChoiceDialog:
    """Give the dialog that is open, once it has looked at a choice."""
    (dialog,) = (one for one in stage.window.findChildren(kind) if one.isVisible())
    if name:
        dialog.choice.names.setCurrentIndex(dialog.choice.names.findData(name))
    stage.until(dialog.change.isEnabled)
    return dialog


def _take_both(stage: Stage, file: Path, dialog: QWidget) -> None:
    """Take a picture of a dialog in each look."""
    for scheme in ("light", "dark"):
        theme.current().set_scheme(scheme)
        stage.take(file.with_name(f"{file.name}-{scheme}.png"), dialog)
    theme.current().set_scheme("light")


def _branch(stage: Stage, folder: Path, truth: dict[str, str]) -> None:
    """Take steps back and answer on, so that the history forks."""
    stage.ask(GoTo(stage.controller.snapshot.history[55].seq))
    stage.until(lambda: stage.window.workspace.judge.gate.is_open)
    stage.window.workspace.judge.answer(Verdict.UNSURE)
    stage.settle()
    stage.judge(2, truth)
    stage.window.workspace.history.list.scrollToTop()
    _both(stage, lambda scheme: stage.take(folder / f"history-branch-{scheme}.png"))
    _name_groups(stage, truth)


def _conflict(stage: Stage, folder: Path) -> None:
    """Change an answer so that it contradicts others."""
    for step in stage.controller.snapshot.history:
        if step.on_path and step.answer and step.answer.verdict is Verdict.DIFFERENT:
            stage.ask(Revise(step.seq, Verdict.SAME))
            if stage.controller.snapshot.conflicts:
                break
            stage.ask(Undo())
    stage.window.workspace.history.list.scrollToTop()
    _both(stage, lambda scheme: stage.take(folder / f"judge-conflict-{scheme}.png"))
    judge = stage.window.workspace.judge
    judge.look_at_contradiction()
    _looks(stage, lambda name: stage.take(folder / f"contradiction-{name}.png"))
    judge.return_to_pair()


def _sheets(stage: Stage, folder: Path, images: Path, sheets: Path) -> None:
    """Judge sheets that show one digit or two: what they have in common, and which."""
    truth = _sheets(images, sheets)
    stage.window.import_from(sheets)
    dialog = stage.window.findChild(ImportDialog)
    stage.settle()
    dialog.kind.several.setChecked(True)
    _take_both(stage, folder / "import-several", dialog)
    dialog.reject()
    stage.settle()
    project = sheets.with_suffix(".pairloom")
    params = {"groups": str(len(_CORNERS) + 1)}  # one too many, so that there is doubt
    stage.create(CreateProject(sheets, project, "pixels", 0, "composing", params, planned=60))
    judge = stage.window.workspace.judge
    for group in stage.controller.snapshot.overview.groups[:3]:
        digit = truth[stage.controller.opened.items[group.exemplar].name].partition("+")[0]
        stage.ask(NameGroup(group.exemplar, f"Digit {digit}"))
    stage.judge(4, truth)
    while not _asks_which(stage, truth):
        stage.judge(1, truth)
    _looks(stage, lambda name: stage.take(folder / f"judge-shared-{name}.png"))
    stage.until(lambda: judge.gate.is_open)
    judge.answer(Verdict.SAME)
    stage.until(lambda: judge.pane.choice.gate.is_open)
    judge.pane.choice.toggle(1)
    _looks(stage, lambda name: stage.take(folder / f"judge-which-{name}.png"))
    judge.pane.choice.take()
    stage.settle()
    _both(stage, lambda scheme: stage.take(folder / f"judge-which-told-{scheme}.png"))
    stage.window.change_strategy()
    dialog = next(one for one in stage.window.findChildren(StrategyDialog) if one.isVisible())
    dialog.choice.kind.one.setChecked(True)
    stage.until(dialog.change.isEnabled)
    _take_both(stage, folder / "change-to-one-group", dialog)
    dialog.reject()
    stage.settle()


def _asks_which(stage: Stage, truth: dict[str, str]) -> bool:
    """Whether two are shown that have a digit in common, and it would be asked which."""
    items, question = stage.controller.opened.items, stage.controller.snapshot.question
    one, other = (set(truth[items[item].name].split("+")) for item in question.pair)
    return bool(one & other and question.common)


def _sheets(images: Path, folder: Path) -> dict[str, str]:
    """Put one or two digits on each sheet, each in a corner of its own; give what is on which."""
    folder.mkdir()
    drawn = {digit: [] for digit in _CORNERS}
    for name, digit in _digits().items():
        if digit in drawn:
            drawn[digit].append(images / name)
    truth = {}
    sets = [one for size in (1, 2) for one in itertools.combinations(_CORNERS, size)]
    for number in range(_SHEETS):
        held = sets[number % len(sets)]
        sheet = Image.new("L", (192, 192), 255)
        for digit in held:
            file = drawn[digit][number // len(sets)]
            sheet.paste(Image.open(file), _CORNERS[digit])
        name = f"sheet-{number + 1:03}.png"
        sheet.save(folder / name)
        truth[name] = "+".join(held)
    return truth


def _end(stage: Stage, folder: Path, images: Path, few: Path) -> None:
    """Answer all there is to ask about a few pictures."""
    few.mkdir()
    for file in sorted(images.iterdir())[:12]:
        shutil.copy(file, few)
    stage.create(CreateProject(few, few.with_suffix(".pairloom"), "classic", 0))
    stage.judge(200, _digits())
    _both(stage, lambda scheme: stage.take(folder / f"judge-end-{scheme}.png"))


def _several_groups(stage: Stage, folder: Path, source: Path) -> None:
    """Look at items that belong to several groups: on the map, in a group, one by one."""
    truth = _laid_over(source)
    page = stage.window.overview
    stage.create(
        CreateProject(
            source, source.with_suffix(".pairloom"), "lite0", 0,
            strategy="composing", params={"groups": "4", "degree": "3"}, planned=60,
        )
    )  # fmt: skip
    _share(stage, 40, truth)
    stage.window.show_overview()
    _looks(stage, lambda name: stage.take(folder / f"overview-shared-{name}.png"))
    overview = stage.controller.snapshot.overview
    group = max(overview.groups, key=lambda one: one.mixed)
    stage.ask(NameGroup(group.exemplar, "Digit " + "".join(truth[group.exemplar])))
    page.item_view.groupRequested.emit(group.slot)
    mixed = group.members[-group.mixed :]
    page.gallery.itemSelected.emit(int(mixed[0]))

    def take(name: str) -> None:
        page.gallery.select(int(mixed[0]))
        stage.take(folder / f"group-shared-{name}.png")

    _looks(stage, take)
    page.gallery.itemSelected.emit(int(mixed[-1]))
    page.item_view.inCommonRequested.emit(page.item_view.item)
    _both(stage, lambda scheme: stage.take(folder / f"in-common-{scheme}.png"))
    page.gallery.go_back()
    stage.window.show_judge()
    _looks(stage, lambda name: stage.take(folder / f"judge-shared-{name}.png"))


def _laid_over(source: Path) -> list[tuple[str, ...]]:
    """Lay digits over each other, one to three in a picture; give the digits of each."""
    kinds = ("0", "1", "4", "7")
    drawn = {kind: [name for name, digit in _digits().items() if digit == kind] for kind in kinds}
    source.mkdir()
    truth = []
    for degree, each in ((1, 20), (2, 8), (3, 3)):
        truth += [one for one in itertools.combinations(kinds, degree) for _ in range(each)]
    for at, digits in enumerate(truth):
        picture = Image.new("L", (96, 96), 255)
        for kind in digits:
            name = drawn[kind][at % len(drawn[kind])]
            with Image.open(paths.sample_images() / name) as digit:
                picture = ImageChops.darker(picture, digit.convert("L"))
        picture.save(source / f"scan-{at + 1:03}.png")
    return truth


def _share(stage: Stage, answers: int, truth: list[tuple[str, ...]]) -> None:
    """Answer as the truth says whether two have a digit in common."""
    for _ in range(answers):
        snapshot = stage.controller.snapshot
        if snapshot.question is None:
            return
        a, b = snapshot.question.pair
        verdict = Verdict.SAME if set(truth[a]) & set(truth[b]) else Verdict.DIFFERENT
        stage.ask(Tell(snapshot.revision, a, b, verdict))


def _both(stage: Stage, take: Callable[[str], None]) -> None:
    """Take a picture in each look, in the small size."""
    for scheme in ("light", "dark"):
        theme.current().set_scheme(scheme)
        stage.show(SIZES[""])
        take(scheme)
    theme.current().set_scheme("light")


def _digits() -> dict[str, str]:
    with paths.sample_images().with_suffix(".csv").open(encoding="utf-8") as file:
        return {Path(row["file"]).name: row["digit"] for row in csv.DictReader(file)}


def _table(stage: Stage, folder: Path, source: Path) -> None:
    with paths.sample_table().open(encoding="utf-8") as file:
        truth = {row["case"]: row["diagnosis"] for row in csv.DictReader(file)}
    project = source.with_suffix(".pairloom")
    question = "Are these two tumours of the same kind?"
    stage.create(CreateProject(source, project, "table", 0, question=question, planned=50))
    _first_guess(stage, folder, "table")
    stage.window.show_judge()
    stage.judge(25, truth)
    _grouping(stage, folder, "table")
    _looks(stage, lambda name: stage.take(folder / f"judge-table-{name}.png"))
    stage.window.show_overview()
    stage.take(folder / "overview-table-light.png")
    stage.window.show_tree()
    stage.until(lambda: stage.window.tree.dendrogram.drawing is not None)
    stage.take(folder / "tree-table-light.png")
    _suggestions(stage, folder, "table")
    stage.ask(Undo())
    _compare(stage, folder)


def _suggested_pictures(stage: Stage, folder: Path, source: Path, project: Path) -> None:
    """Look at what a few answers make likely of pictures: with this strategy they reach far."""
    stage.create(CreateProject(source, project, "classic", 0, strategy="acdm"))
    stage.window.show_suggestions()
    stage.take(folder / "suggestions-none-light.png")
    stage.window.show_judge()
    stage.judge(20, _digits())
    _suggestions(stage, folder, "pictures")


def _suggestions(stage: Stage, folder: Path, kind: str) -> None:
    """Look at suggestions, then at the map of what the answers teach."""
    page = stage.window.suggestions
    stage.window.show_suggestions()
    stage.until(lambda: stage.controller.suggested is not None and not stage.controller.busy)
    _looks(stage, lambda name: stage.take(folder / f"suggestions-{kind}-{name}.png"))
    page.space.names.setCurrentIndex(1)
    page.space.names.activated.emit(1)
    stage.until(lambda: not page.space.is_busy and not stage.controller.busy)
    _both(stage, lambda scheme: stage.take(folder / f"suggestions-learned-{kind}-{scheme}.png"))


def _compare(stage: Stage, folder: Path) -> None:
    """Try some strategies on the answers and on the labels."""
    page = stage.window.compare
    stage.window.show_compare()
    for row in range(_COMPARED):
        page.setup.contenders.item(row).setCheckState(Qt.CheckState.Checked)
    page.compare()
    stage.until(lambda: page.setup.start.isEnabled() and not stage.controller.busy)
    _looks(stage, lambda name: stage.take(folder / f"compare-{name}.png"))
    page.halves.button(1).click()
    _both(stage, lambda scheme: stage.take(folder / f"compare-labels-{scheme}.png"))
    page.halves.button(0).click()


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("window")
    one.add_argument("project", type=Path)
    one.add_argument("file", type=Path)
    commands.add_parser("all").add_argument("folder", type=Path)
    several = commands.add_parser("shared")
    several.add_argument("drawings", type=Path)
    several.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    log.hear_qt()  # off the screen Qt complains of every window
    app = QApplication(sys.argv[:1])
    theme.apply(app, "light")
    if arguments.command == "window":
        window(arguments.project.absolute(), arguments.file)
    elif arguments.command == "shared":
        shared(arguments.drawings, arguments.folder)
    else:
        everything(arguments.folder)


if __name__ == "__main__":
    main()
