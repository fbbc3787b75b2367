"""What lies under a pointer on a dendrogram.

Hides how near is near enough. Promises that marks go before branches, and that a place under a bar
belongs to the smallest branch whose bar lies above it.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF

from desktop.widgets.tree.answers_at_cut import SaidAt
from desktop.widgets.tree.frame import BAR, CHIP, LABELS, Frame
from desktop.widgets.tree.tree_drawing import TreeDrawing
from engine.hierarchy import Inquiry

_REACH = 6.0  # pixels beside the cut line in which it is taken hold of
_STEM, _MARK = 4.0, 10.0


@dataclass(frozen=True, slots=True)
class Found:
    """What is under the pointer: a branch, and questions or answers if it is on their mark."""

    node: int | None = None
    inquiries: tuple[Inquiry, ...] = ()
    said: tuple[SaidAt, ...] = ()


def find(drawing: TreeDrawing, frame: Frame, at: QPointF) -> Found:
    """Find what is at a place of the paper."""
    places = reversed(drawing.strip.places(frame))
    asked = tuple(one for place, one in places if QLineF(at, place).length() <= _MARK)
    if asked:
        return Found(inquiries=asked)
    for node, said in drawing.marked(frame).items():
        if QLineF(at, frame.foot(node)).length() <= _MARK:
            return Found(node, said=tuple(said))
    inside = frame.plot.adjusted(0, 0, 0, LABELS + BAR + CHIP).contains(at)
    return Found(_branch_at(at, drawing, frame) if inside else None)


def _branch_at(at: QPointF, drawing: TreeDrawing, frame: Frame) -> int | None:
    """Find the branch whose stem is near, else the smallest whose bar lies above."""
    branches, drawn = drawing.branches, drawing.drawn(frame)
    best: tuple[float, int] | None = None
    for node in (*drawn.open, *drawn.condensed, *drawn.items):
        foot, parent = frame.foot(node), branches.parent[node]
        left, right = frame.x(branches.left[node]), frame.x(branches.right[node])
        on_stem = parent >= 0 and abs(at.x() - foot.x()) <= _STEM
        if on_stem and frame.foot(parent).y() < at.y() <= foot.y():
            return node
        under_bar = left <= at.x() <= right and foot.y() <= at.y() + _STEM
        if under_bar and (best is None or foot.y() > best[0]):
            best = foot.y(), node
    return best[1] if best is not None else None


def is_on_cut(frame: Frame, groups: int, at: QPointF) -> bool:
    """Whether a place is near enough to the cut line to take hold of it."""
    right = frame.strip.right() if frame.strip is not None else frame.plot.right()
    near = abs(at.y() - frame.cut_y(groups)) <= _REACH
    return near and frame.plot.left() - 8 <= at.x() <= right
