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
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from unittest import mock

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from several import look_at_several
from stage import SIZES, Stage, Truth

from desktop import log, paths, theme
from desktop.dialogs.grouping import GroupingDialog
from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from desktop.messages import CreateProject, GoTo, NameGroup, Revise, Undo
from engine.model import Verdict

_SYMBOLS = 5  # that are laid over each other
_COMPARED = 4  # strategies


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
        _end(stage, folder, images, place / "few")
        look_at_several(stage, folder, _by_digit(images), place / "symbols")
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
        look_at_several(stage, folder, symbols, Path(made) / "symbols")
        stage.leave()


def _by_digit(images: Path) -> dict[str, list[Path]]:
    """Give the pictures of some digits."""
    drawn: dict[str, list[Path]] = {}
    for name, held in sorted(_digits().items()):
        for digit in held:
            drawn.setdefault(digit, []).append(images / name)
    return {digit: drawn[digit] for digit in sorted(drawn)[1 : 1 + _SYMBOLS]}


def _imports(stage: Stage, folder: Path, source: Path) -> None:
    stage.window.import_from(source)
    dialog = stage.window.findChild(ImportDialog)
    stage.settle()
    kind = "pictures" if source.is_dir() else "table"
    stage.take_both(folder / f"import-{kind}", dialog)
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
    stage.in_all_looks(lambda name: stage.take(folder / f"start-{name}.png"))
    stage.window.show_judge()
    _name_groups(stage, truth)
    stage.in_all_looks(lambda name: stage.take(folder / f"judge-pictures-{name}.png"))
    stage.window.show_overview()
    stage.in_all_looks(lambda name: stage.take(folder / f"overview-{name}.png"))
    stage.window.overview.map.itemSelected.emit(int(stage.controller.snapshot.question.pair.a))
    stage.in_both_looks(lambda scheme: stage.take(folder / f"overview-item-{scheme}.png"))
    _tree(stage, folder)
    stage.window.show_judge()
    _strategy(stage, folder)
    _grouping(stage, folder, "pictures")
    step = stage.controller.snapshot.history[25].seq
    stage.window.workspace.show_step(step)
    stage.in_all_looks(lambda name: stage.take(folder / f"history-replay-{name}.png"))
    stage.controller.view(None)
    _branch(stage, folder, truth)
    _conflict(stage, folder)


def _tree(stage: Stage, folder: Path) -> None:
    """Look at the tree, and at a cut of it with what it breaks."""
    page = stage.window.tree
    stage.window.show_tree()
    stage.until(lambda: page.dendrogram.drawing is not None)
    stage.in_all_looks(lambda name: stage.take(folder / f"tree-{name}.png"))
    page.header.groups.setValue(5)
    page.header.broken.setChecked(True)
    stage.settle()
    page.broken.setCurrentIndex(page.broken.answers.index(0))
    stage.in_both_looks(lambda scheme: stage.take(folder / f"tree-cut-{scheme}.png"))
    page.header.broken.setChecked(False)
    page.choice.clear()


def _name_groups(stage: Stage, truth: Truth) -> None:
    for group in stage.controller.snapshot.overview.groups:
        (name,) = stage.held(group.exemplar, truth)
        stage.ask(NameGroup(group.exemplar, f"Digit {name}"))


def _strategy(stage: Stage, folder: Path) -> None:
    """Look at what another strategy would make of the answers."""
    stage.window.change_strategy()
    dialog = stage.considering(StrategyDialog, "cobras")
    stage.take_both(folder / "change-strategy", dialog)
    dialog.reject()
    stage.settle()


def _grouping(stage: Stage, folder: Path, kind: str) -> None:
    """Look at how else groups can be found, and at what such groups are called."""
    stage.window.change_grouping()
    dialog = stage.considering(GroupingDialog, "fc2")
    stage.take_both(folder / f"change-grouping-{kind}", dialog)
    dialog.reject()
    stage.settle()


def _first_guess(stage: Stage, folder: Path, kind: str) -> None:
    """Take a guess before any answer, look at it, and take it back."""
    stage.window.show_overview()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"no-groups-{kind}-{scheme}.png"))
    stage.window.overview.note.guess.click()
    dialog = stage.considering(GroupingDialog)
    stage.take_both(folder / f"first-guess-{kind}", dialog)
    dialog.change.click()
    stage.until(lambda: not stage.window.findChildren(GroupingDialog))
    stage.in_all_looks(lambda name: stage.take(folder / f"guessed-{kind}-{name}.png"))
    stage.window.show_judge()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"guessed-judge-{kind}-{scheme}.png"))
    stage.ask(Undo())


def _branch(stage: Stage, folder: Path, truth: Truth) -> None:
    """Take steps back and answer on, so that the history forks."""
    stage.ask(GoTo(stage.controller.snapshot.history[55].seq))
    stage.until(lambda: stage.window.workspace.judge.gate.is_open)
    stage.window.workspace.judge.answer(Verdict.UNSURE)
    stage.settle()
    stage.judge(2, truth)
    stage.window.workspace.history.list.scrollToTop()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"history-branch-{scheme}.png"))
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
    stage.in_both_looks(lambda scheme: stage.take(folder / f"judge-conflict-{scheme}.png"))
    judge = stage.window.workspace.judge
    judge.look_at_contradiction()
    stage.in_all_looks(lambda name: stage.take(folder / f"contradiction-{name}.png"))
    judge.return_to_pair()


def _end(stage: Stage, folder: Path, images: Path, few: Path) -> None:
    """Answer all there is to ask about a few pictures."""
    few.mkdir()
    for file in sorted(images.iterdir())[:12]:
        shutil.copy(file, few)
    stage.create(CreateProject(few, few.with_suffix(".pairloom"), "classic", 0))
    stage.judge(200, _digits())
    stage.in_both_looks(lambda scheme: stage.take(folder / f"judge-end-{scheme}.png"))


def _digits() -> Truth:
    with paths.sample_images().with_suffix(".csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return {Path(row["file"]).name: frozenset([row["digit"]]) for row in rows}


def _table(stage: Stage, folder: Path, source: Path) -> None:
    with paths.sample_table().open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        truth = {row["case"]: frozenset([row["diagnosis"]]) for row in rows}
    project = source.with_suffix(".pairloom")
    question = "Are these two tumours of the same kind?"
    stage.create(CreateProject(source, project, "table", 0, question=question, planned=50))
    _first_guess(stage, folder, "table")
    stage.window.show_judge()
    stage.judge(25, truth)
    _grouping(stage, folder, "table")
    stage.in_all_looks(lambda name: stage.take(folder / f"judge-table-{name}.png"))
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
    stage.in_all_looks(lambda name: stage.take(folder / f"suggestions-{kind}-{name}.png"))
    page.space.names.setCurrentIndex(1)
    page.space.names.activated.emit(1)
    stage.until(lambda: not page.space.is_busy and not stage.controller.busy)
    stage.in_both_looks(
        lambda scheme: stage.take(folder / f"suggestions-learned-{kind}-{scheme}.png")
    )


def _compare(stage: Stage, folder: Path) -> None:
    """Try some strategies on the answers and on the labels."""
    page = stage.window.compare
    stage.window.show_compare()
    for row in range(_COMPARED):
        page.setup.contenders.item(row).setCheckState(Qt.CheckState.Checked)
    page.compare()
    stage.until(lambda: page.setup.start.isEnabled() and not stage.controller.busy)
    stage.in_all_looks(lambda name: stage.take(folder / f"compare-{name}.png"))
    page.halves.button(1).click()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"compare-labels-{scheme}.png"))
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
