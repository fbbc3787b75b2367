"""The tree page: the hierarchy behind the groups, and what any cut would make of the items.

Hides how dendrogram, map and gallery follow each other. Promises that a cut is only ever looked
at: it is said so, nothing else in the window shows it, and it ends when the page is left.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QVBoxLayout, QWidget

from desktop import theme
from desktop.messages import Choose, Cut, CutTree, TreeShown
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.errand import Stage
from desktop.widgets.groups.group_gallery import GroupGallery
from desktop.widgets.groups.scatter_map import ScatterMap
from desktop.widgets.item_words import ItemWords
from desktop.widgets.tree import tree_file
from desktop.widgets.tree.answers_at_cut import AnswersAtCut
from desktop.widgets.tree.branches import Scale
from desktop.widgets.tree.broken_list import BrokenList
from desktop.widgets.tree.choice import Choice
from desktop.widgets.tree.cut_look import CutLook
from desktop.widgets.tree.dendrogram import Dendrogram
from desktop.widgets.tree.tree_drawing import TreeDrawing
from desktop.widgets.tree.tree_header import TreeHeader
from desktop.widgets.tree.tree_loader import TreeLoader
from desktop.widgets.tree.tree_notice import Situation, TreeNotice
from desktop.widgets.tree.tree_words import TreeWords, counted_groups
from engine.hierarchy import Tree
from engine.model import OWN, Snapshot

if TYPE_CHECKING:
    from desktop.controller import Controller
    from desktop.dialogs.files import FileDialogs
    from desktop.images import PictureStore

_AIMS = "groups"  # parameter of strategies that stop at a number of groups
_HIERARCHIES = ("hmcahc",)
_MOST_GUESSED = 20
_LEAST_SAVED = QSize(900, 600)


class TreePage(QWidget):
    """The page.

    Parameters
    ----------
    controller
        Is asked for the tree and its cuts.
    pictures
        Where thumbnails come from.
    files
        Asks where to save a picture.

    Notes
    -----
    `stepWanted(int)`: a step is wanted in the history. `saved(Path)`, `notSaved(str)`: what came of
    saving a picture.
    """

    stepWanted = Signal(int)
    saved = Signal(object)
    notSaved = Signal(str)

    def __init__(
        self,
        controller: Controller,
        pictures: PictureStore,
        files: FileDialogs,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("treePage")
        self._controller, self._files = controller, files
        self._tree: Tree | None = None
        self._answers: AnswersAtCut | None = None
        self._words: TreeWords | None = None
        self._home = 1
        self.look = CutLook(controller, self)
        self.loader = TreeLoader(controller, self)
        self.header = TreeHeader(self)
        self.notice = TreeNotice(self)
        self.dendrogram = Dendrogram(self)
        self.broken = BrokenList(pictures, self)
        self.told = ElidedLabel(parent=self)
        self.told.setProperty("role", "muted")
        self.which = QLabel(self)
        self.which.setProperty("role", "strong")
        self.map = ScatterMap(self.look, pictures)
        self.gallery = GroupGallery(self.look, pictures)
        self.choice = Choice(self.dendrogram, self.map, self.gallery, self.look)
        self._lay_out()
        self._connect()
        self._forget()

    def _lay_out(self) -> None:
        self._left = QSplitter(Qt.Orientation.Vertical, self)
        self._left.addWidget(self.dendrogram)
        self._left.addWidget(self.broken)
        self._left.setStretchFactor(0, 1)
        self._left.setChildrenCollapsible(False)
        self.broken.hide()
        below = QWidget(self)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._left, 1)
        column.addWidget(self.told)
        views = QSplitter(Qt.Orientation.Vertical)
        views.addWidget(self.map)
        views.addWidget(self.gallery)
        views.setChildrenCollapsible(False)
        beside = QWidget(self)
        right = QVBoxLayout(beside)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(4)
        right.addWidget(self.which)
        right.addWidget(views, 1)
        beside.setMinimumWidth(280)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(below)
        split.addWidget(beside)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([640, 380])
        split.setChildrenCollapsible(False)
        page = QVBoxLayout(self)
        page.setContentsMargins(8, 8, 8, 6)
        page.setSpacing(6)
        for part in (self.header, self.notice):
            page.addWidget(part)
        page.addWidget(split, 1)
        self.setFocusProxy(self.dendrogram)

    def _connect(self) -> None:
        controller, tree, header = self._controller, self.dendrogram, self.header
        controller.studyOpened.connect(self._forget)
        controller.closed.connect(self._forget)
        controller.cutChanged.connect(self._cut_changed)
        controller.failed.connect(self._cut_failed)
        for changed in (controller.snapshotChanged, controller.replayChanged, self.loader.changed):
            changed.connect(self._refresh)
        self.loader.arrived.connect(self._show_tree)
        tree.cutMoved.connect(self._cut)
        tree.homeWanted.connect(self._go_home)
        tree.menuWanted.connect(self._open_menu)
        header.groupsChosen.connect(self._cut)
        header.scaleChosen.connect(tree.set_scale)
        header.brokenToggled.connect(self._list_broken)
        header.closer.clicked.connect(tree.zoom_in)
        header.farther.clicked.connect(tree.zoom_out)
        header.outward.clicked.connect(tree.up_one)
        header.whole.clicked.connect(tree.show_all)
        header.save.clicked.connect(self.save)
        self.notice.backWanted.connect(self.back_to_groups)
        self.notice.returnWanted.connect(lambda: controller.view(None))
        self.notice.stopWanted.connect(self.loader.stop)
        self.notice.retryWanted.connect(self.loader.retry)
        self.notice.groupsWanted.connect(self._aim_at)
        self.broken.chosen.connect(lambda said: self.choice.pick_pair(said.pair))
        self.broken.stepWanted.connect(self.stepWanted)
        self.choice.changed.connect(self._tell_chosen)

    # ------------------------------------------------------------------ the tree

    def _forget(self, _opened: object = None) -> None:
        self._tree = self._answers = self._words = None
        self.dendrogram.show_tree(None, None)
        self.header.show_tree(0, Scale.DISTANCE, has_distances=False)
        self._refresh()

    def _show_tree(self, shown: TreeShown) -> None:
        before = self.dendrogram.drawing
        item_words = ItemWords(self._controller.opened)
        self._tree = shown.tree
        self._answers = AnswersAtCut(shown.tree.hierarchy, shown.said)
        self._words = TreeWords(shown.tree, self._answers, item_words)
        self._home = self._own or self._fitting(shown.tree)
        drawing = TreeDrawing(shown.tree, self._answers, item_words)
        if before is not None and before.branches.n == drawing.branches.n:
            if drawing.branches.has_distances:
                drawing.scale = before.scale
            if np.array_equal(before.tree.hierarchy.merges, drawing.tree.hierarchy.merges):
                drawing.stretch = before.stretch
        drawing.groups = self.look.groups or self._home
        self.dendrogram.show_tree(drawing, self._words)
        branches = drawing.branches
        self.header.show_tree(branches.n, drawing.scale, has_distances=branches.has_distances)
        self.choice.clear()
        self._color()
        self._refresh()

    @property
    def _own(self) -> int | None:
        """The level that is the person's grouping, if it is one."""
        live = self._controller.snapshot
        found_otherwise = live is not None and live.grouping != OWN
        return None if self._tree is None or found_otherwise else self._tree.groups

    def _fitting(self, tree: Tree) -> int:
        """Give the number of groups that the person has, else the one with the widest gap."""
        live = self._controller.snapshot
        if live is not None and live.overview.groups:
            return min(tree.hierarchy.n, len(live.overview.groups))
        upper = tree.hierarchy.heights[-_MOST_GUESSED:]
        return int(np.diff(upper)[::-1].argmax()) + 2 if len(upper) > 1 else 1

    def _color(self) -> None:
        """Colour the tree by the cut that is looked at, else by the groups of now."""
        state = self.look.shown if self.look.groups is not None else self._controller.snapshot
        if state is not None:
            self.dendrogram.color(state.overview.slots)

    # ------------------------------------------------------------------ the cut

    def _cut(self, groups: int) -> None:
        """Look at a level; that of the person's own groups needs no look."""
        self.dendrogram.set_groups(groups)
        if self._tree is not None and groups == self._own:
            self.look.end()
        else:
            self.look.look(groups)
        self._refresh()

    def _go_home(self) -> None:
        self._cut(self._home)

    def back_to_groups(self) -> None:
        """End the look."""
        self.look.end()
        self.dendrogram.set_groups(self._home)
        self._refresh()

    def _cut_changed(self, cut: Cut | None) -> None:
        if cut is None:  # it ended, maybe because the state moved on
            self.dendrogram.set_groups(self._home)
        self._color()
        self._refresh()

    def _cut_failed(self, _news: object) -> None:
        """Put the line back where it says what is shown."""
        if isinstance(self._controller.under_way, CutTree):
            self.back_to_groups()

    def _aim_at(self, groups: int) -> None:
        """Let the strategy stop at another number of groups from now on."""
        live = self._controller.snapshot
        if live is not None:
            aims = {**dict(live.approach.params), _AIMS: str(groups)}
            approach = replace(live.approach, params=tuple(aims.items()))
            self._controller.send(Choose(live.revision, approach))

    def _can_aim(self, live: Snapshot | None, groups: int | None) -> bool:
        if live is None or groups is None or live.approach.strategy not in _HIERARCHIES:
            return False
        aims = dict(live.approach.params).get(_AIMS)
        return aims is not None and aims != str(groups)

    # ------------------------------------------------------------------ what is said

    def _refresh(self, _changed: object = None) -> None:
        opened, live = self._controller.opened, self._controller.snapshot
        drawing = self.dendrogram.drawing
        too_few = opened is not None and len(opened.items) < 2
        groups = drawing.groups if drawing is not None else 1
        looked = groups if drawing is not None and self._is_looking else None
        loading = self.loader.stage
        if drawing is None and opened is not None and loading is Stage.NOTHING:
            loading = Stage.WORKING
        self.notice.show_state(
            Situation(
                loading=loading,
                told=self.loader.told,
                own=self._own,
                of_strategy=self._tree is not None and self._tree.groups is not None,
                cut=looked,
                replaying=self._controller.replaying,
                can_ask=self._can_aim(live, looked),
                too_few=too_few,
                behind=self.loader.is_behind,
            )
        )
        broken = self._answers.broken(groups) if self._answers is not None else ()
        self.header.show_cut(groups, self._words, len(broken))
        self.broken.answers.show(broken, ItemWords(opened))
        self._list_broken()
        self._tell_which(looked)
        self._tell_chosen()

    @property
    def _is_looking(self) -> bool:
        """Whether a cut is shown or on its way: the line says so at once."""
        drawing = self.dendrogram.drawing
        if drawing is None or self.look.groups is not None:
            return self.look.groups is not None
        return drawing.groups not in (self._home, self._own)

    def _tell_which(self, looked: int | None) -> None:
        """Say above map and gallery what they show."""
        if self._controller.replaying:
            text = self.tr("An earlier step")
        elif looked is not None:
            text = self.tr("A cut: {0}. Only a look.").format(counted_groups(looked))
        else:
            text = self.tr("Your groups")
        self.which.setText(text)

    def _tell_chosen(self) -> None:
        drawing, said = self.dendrogram.drawing, self._words
        if drawing is None or said is None:
            self.told.setText("")
        elif drawing.pair is not None:
            self.told.setText(said.pair(drawing.pair))
        elif drawing.branch is not None:
            self.told.setText(said.branch(drawing.branch))
        elif drawing.item is not None:
            self.told.setText(said.branch(drawing.item))
        else:
            self.told.setText(
                self.tr("Drag the line (↑ ↓). Click a branch (← →), double-click opens it (Enter).")
            )

    def _list_broken(self, _toggled: object = None) -> None:
        wanted = self.header.broken.isChecked()
        self.broken.setVisible(wanted and self.broken.answers.rowCount() > 0)

    # ------------------------------------------------------------------ keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let go of what is chosen, then of the cut."""
        drawing = self.dendrogram.drawing
        if event.key() != Qt.Key.Key_Escape or drawing is None:
            super().keyPressEvent(event)
        elif not self.choice.let_go():
            self.back_to_groups()

    # ------------------------------------------------------------------ saving

    def _open_menu(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tree = self.dendrogram
        menu.addAction(self.tr("&Open this branch"), tree.open_branch).setEnabled(
            tree.drawing is not None and tree.drawing.branch is not None
        )
        menu.addAction(self.tr("One branch &up"), tree.up_one)
        menu.addAction(self.tr("Show the &whole tree"), tree.show_all)
        menu.addAction(self.tr("&Back to your groups"), self.back_to_groups)
        menu.addSeparator()
        menu.addAction(theme.icon("export"), self.tr("&Save the picture…"), self.save)
        menu.popup(where)

    def save(self) -> None:
        """Ask for a file, and write the picture of the tree into it."""
        opened, drawing = self._controller.opened, self.dendrogram.drawing
        if opened is None or drawing is None:
            return
        proposed = opened.path.with_name(f"{opened.path.stem}-tree.png")
        kinds = self.tr("Pictures (*.png *.svg)")
        file = self._files.new(self, "exports", self.tr("Save the tree"), kinds, proposed)
        if file is None:
            return
        if file.suffix.lower() not in tree_file.SUFFIXES:
            file = file.with_name(f"{file.name}.png")
        self._save(drawing, opened.path.stem, file)

    def _save(self, drawing: TreeDrawing, project: str, file: Path) -> None:
        told = self._words.cut(drawing.groups) if self._words is not None else ""
        size = self.dendrogram.size().expandedTo(_LEAST_SAVED)
        try:
            tree_file.save(drawing, f"{project} · {told}", size, self.font(), file)
        except OSError as error:
            self.notSaved.emit(str(error))
        else:
            self.saved.emit(file)

    # ------------------------------------------------------------------ seen or not

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the tree."""
        super().showEvent(event)
        if not event.spontaneous():
            self.loader.begin()
            self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """End the look with the page, and let the engine go."""
        super().hideEvent(event)
        if not event.spontaneous():
            self.loader.end()
            self.back_to_groups()
