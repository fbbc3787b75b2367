"""Screens of a project in which items belong to several groups: drawings laid over each other.

One project, from its import to what its groups make together, as a person would come by them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stage import Stage, Truth
from superposed import superpose

from desktop.dialogs.import_dialog import ImportDialog
from desktop.dialogs.strategy import StrategyDialog
from desktop.messages import CreateProject, NameGroup
from desktop.pages.matrix import GRAPH, MATRIX
from desktop.pages.overview import BOTH, MAP
from desktop.widgets.composing.sharing import Wanted, Which
from desktop.widgets.groups.belonging import named_by
from engine.model import Verdict

_QUESTION = "Do these two show a symbol in common?"
_ANSWERS = 60
_NAMES = ("Alpha", "Beta")


def look_at_several(
    stage: Stage, folder: Path, symbols: Mapping[str, Sequence[Path]], source: Path
) -> None:
    """Make the project and look at all its screens.

    Parameters
    ----------
    symbols
        Drawings of each symbol, dark on light.
    source
        Where the pictures go that are made of them.
    """
    truth = superpose(symbols, source, alone=16, pairs=8)
    _import(stage, folder, source)
    # one group too many, so that there is doubt which groups two have in common
    params = {"groups": str(len(symbols) + 1), "compose": "mean"}
    project = source.with_suffix(".pairloom")
    stage.create(
        CreateProject(source, project, "lite0", 0, "composing", params, {}, _QUESTION, 100)
    )
    _judge(stage, folder, truth)
    _overview(stage, folder)
    _matrix(stage, folder)
    _graph(stage, folder)
    _change(stage, folder)


def _import(stage: Stage, folder: Path, source: Path) -> None:
    stage.window.import_from(source)
    dialog = stage.window.findChild(ImportDialog)
    stage.settle()
    dialog.kind.several.setChecked(True)
    stage.take_both(folder / "import-several", dialog)
    dialog.reject()
    stage.settle()


def _judge(stage: Stage, folder: Path, truth: Truth) -> None:
    """Look at a pair, at the question which groups it has in common, and at a step long past."""
    stage.judge(_ANSWERS, truth)
    while not _asks_which(stage, truth):
        stage.judge(1, truth)
    overview = stage.controller.snapshot.overview
    for name, group in zip(_NAMES, overview.groups, strict=False):
        stage.ask(NameGroup(named_by(overview, group.slot), name))
    judge = stage.window.workspace.judge
    _everywhere(stage, folder, "judge-shared")
    stage.until(lambda: judge.gate.is_open)
    judge.answer(Verdict.SAME)
    stage.until(lambda: judge.pane.choice.gate.is_open)
    judge.pane.choice.toggle(1)
    _everywhere(stage, folder, "judge-which")
    judge.pane.choice.take()
    stage.settle()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"judge-which-told-{scheme}.png"))
    stage.window.workspace.show_step(stage.controller.snapshot.history[25].seq)
    _everywhere(stage, folder, "history-shared")
    stage.controller.view(None)
    stage.settle()


def _asks_which(stage: Stage, truth: Truth) -> bool:
    """Whether two are shown that have a symbol in common, and it would be asked which."""
    question = stage.controller.snapshot.question
    one, other = (stage.held(item, truth) for item in question.pair)
    return bool(one & other and question.common)


def _overview(stage: Stage, folder: Path) -> None:
    """Look at the groups, at the map, at a group that others share, at an item of several."""
    page = stage.window.overview
    stage.window.show_overview()
    _everywhere(stage, folder, "overview-shared")
    overview = stage.controller.snapshot.overview
    group = max(overview.groups, key=lambda one: one.mixed)
    mixed = [int(item) for item in group.members[-group.mixed :]]
    item = max(mixed, key=lambda one: len(overview.memberships.of(one)))
    page.item_view.groupRequested.emit(group.slot)
    page.gallery.itemSelected.emit(item)

    def take(name: str) -> None:
        page.gallery.select(item)
        stage.take(folder / f"group-shared-{name}.png")

    stage.in_all_looks(take, small=True)
    page.item_view.inCommonRequested.emit(item)
    stage.in_both_looks(lambda scheme: stage.take(folder / f"in-common-{scheme}.png"))
    page.gallery.go_back()
    page.show_parts(MAP)
    _everywhere(stage, folder, "map-shared")
    page.show_parts(BOTH)


def _matrix(stage: Stage, folder: Path) -> None:
    """Look at the matrix, and at the items in it that belong to several groups."""
    page = stage.window.matrix
    stage.window.show_matrix()
    page.matrix.setFocus()
    _everywhere(stage, folder, "matrix")
    page.want(Wanted(Which.MIXED))
    page.matrix.setFocus()
    stage.in_both_looks(lambda scheme: stage.take(folder / f"matrix-several-{scheme}.png"))
    page.want(Wanted())


def _graph(stage: Stage, folder: Path) -> None:
    """Look at what groups make together, and at what speaks most clearly for one such set."""
    page = stage.window.matrix
    page.show_view(GRAPH)
    page.setFocus()
    _everywhere(stage, folder, "compositions")
    made = stage.controller.snapshot.overview.memberships.compositions
    if made:
        best = max(made, key=lambda one: (one.items > 2, one.alone - one.fit))
        page.graph.choose(best.groups)
        stage.in_both_looks(lambda scheme: stage.take(folder / f"compositions-chosen-{scheme}.png"))
    page.graph.choose(None)
    page.show_view(MATRIX)


def _change(stage: Stage, folder: Path) -> None:
    """Look at what the project would be if each item belonged to one group."""
    stage.window.show_judge()
    stage.window.change_strategy()
    (dialog,) = (one for one in stage.window.findChildren(StrategyDialog) if one.isVisible())
    stage.settle()
    stage.take_both(folder / "change-shared", dialog)
    dialog.choice.kind.one.setChecked(True)
    stage.until(dialog.change.isEnabled)
    stage.take_both(folder / "change-to-one-group", dialog)
    dialog.reject()
    stage.settle()


def _everywhere(stage: Stage, folder: Path, screen: str) -> None:
    """Take a screen in each look and size."""
    stage.in_all_looks(lambda name: stage.take(folder / f"{screen}-{name}.png"), small=True)
