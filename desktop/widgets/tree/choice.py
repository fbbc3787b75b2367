"""What a person looks at, in dendrogram, map and gallery at once: a branch, an item, or a pair.

Hides how the three follow each other. Promises that one thing is chosen at a time, and that a
branch which is a group is shown as that group.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from desktop.widgets.groups.group_gallery import GroupGallery
from desktop.widgets.groups.scatter_map import ScatterMap
from desktop.widgets.tree.cut_look import CutLook
from desktop.widgets.tree.dendrogram import Dendrogram
from desktop.widgets.tree.tree_drawing import TreeDrawing
from engine.model import Pair


class Choice(QObject):
    """Lets the three views follow each other.

    Parameters
    ----------
    tree, places, gallery
        The views.
    look
        Gives the state that map and gallery show.

    Notes
    -----
    `changed()`: something else is chosen.
    """

    changed = Signal()

    def __init__(
        self, tree: Dendrogram, places: ScatterMap, gallery: GroupGallery, look: CutLook
    ) -> None:
        super().__init__(tree)
        self._tree, self._map, self._gallery, self._look = tree, places, gallery, look
        tree.branchPicked.connect(self.pick_branch)
        tree.pairPicked.connect(self.pick_pair)
        places.itemSelected.connect(self.pick_place)
        gallery.itemSelected.connect(self.pick_item)
        gallery.groupHighlighted.connect(self.pick_group)

    def clear(self) -> None:
        """Let nothing stand out."""
        self._tree.mark_branch(None)
        self._tree.mark_item(None)
        self._map.point_out(None)
        self._map.select(None)
        self._map.highlight(None)
        self._gallery.show_group(None)
        self.changed.emit()

    def let_go(self) -> bool:
        """Let nothing stand out; whether anything did."""
        drawing = self._tree.drawing
        if drawing is None or (drawing.branch, drawing.item, drawing.pair) == (None, None, None):
            return False
        self.clear()
        return True

    def pick_branch(self, node: int | None) -> None:
        """Choose the items below a node; None = nothing."""
        drawing = self._tree.drawing
        self.clear()
        if node is not None and drawing is not None:
            if node < drawing.branches.n:
                self.pick_place(node)
            else:
                self._show_branch(drawing, node)
            self.changed.emit()

    def _show_branch(self, drawing: TreeDrawing, node: int) -> None:
        self._tree.mark_branch(node)
        items, slot = drawing.branches.items(node), drawing.branches.slot(node)
        shown = self._look.shown
        groups = shown.overview.groups if shown is not None else ()
        group = next((group for group in groups if group.slot == slot), None)
        if group is not None and np.isin(group.members, items).all():
            self._map.highlight(group.slot)
            self._gallery.show_group(group.slot)
        else:
            self._map.highlight_items(items)
            self._gallery.show_branch(items)

    def pick_place(self, item: int) -> None:
        """Choose an item outside the gallery: it follows."""
        self._tree.mark_branch(None)
        self._gallery.reveal(item)
        self._map.highlight(None)
        self.pick_item(item)

    def pick_item(self, item: int) -> None:
        """Choose an item."""
        self._map.point_out(None)
        self._map.select(item)
        self._gallery.select(item)
        self._tree.mark_item(item)
        self.changed.emit()

    def pick_group(self, slot: int | None) -> None:
        """Choose a group; the branch that has all of it is marked, if there is one."""
        drawing = self._tree.drawing
        self._map.highlight(slot)
        own = []
        if drawing is not None and slot is not None:
            branches = drawing.branches
            own = [node for node in branches.tops(drawing.groups) if branches.slot(node) == slot]
        self._tree.mark_branch(own[0] if len(own) == 1 else None)
        self.changed.emit()

    def pick_pair(self, pair: Pair) -> None:
        """Choose two items."""
        self._tree.mark_branch(None)
        self._tree.mark_pair(pair)
        self._map.highlight(None)
        self._map.point_out(pair)
        self.changed.emit()
