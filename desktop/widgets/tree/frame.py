"""The frame of a dendrogram: where places of the hierarchy lie on the paper, and the scale beside.

Hides margins, how high a part of the tree is drawn, and round numbers for the scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QPointF, QRectF

from desktop.widgets.tree.branches import ABOVE, Branches, Scale

AXIS, STRIP = 58.0, 92.0
LABELS, BAR, CHIP = 58.0, 5.0, 22.0
"""Heights below the tree: labels, the bars of the groups, and their signs."""

_TOP, _GAP, _EDGE = 30.0, 14.0, 8.0
_ROOM = 1.05  # how much higher than the highest merge the paper goes
_APART = 22.0  # pixels between two marks of the scale


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of the tree that is looked at, from left to right; all of it is 0 to 1."""

    left: float = 0.0
    right: float = 1.0

    @property
    def wide(self) -> float:
        """How much of the whole."""
        return self.right - self.left


class Frame:
    """The paper.

    Parameters
    ----------
    branches
        What is drawn on it.
    stretch, scale
        Which part of it, and what the way up measures.
    room
        The whole paper, in pixels.
    strip
        Whether certainty is drawn beside the tree.

    Attributes
    ----------
    plot, strip
        Where the tree is drawn, and where certainty is (None = nowhere).
    top
        How high the paper goes, where 1 is the last merge.
    """

    def __init__(
        self, branches: Branches, stretch: Stretch, scale: Scale, room: QRectF, *, strip: bool
    ) -> None:
        self.branches, self.stretch, self.scale = branches, stretch, scale
        beside = STRIP + _GAP if strip else 0.0
        self.plot = room.adjusted(AXIS, _TOP, -_EDGE - beside, -LABELS - BAR - CHIP - 4)
        self.strip = (
            QRectF(self.plot.right() + _GAP, self.plot.top(), STRIP, self.plot.height())
            if strip
            else None
        )
        self.top = self._top()

    def _top(self) -> float:
        """Use all the height for the part that is looked at, however low it was merged."""
        node = self.branches.around(self.stretch.left, self.stretch.right)
        while self.branches.up(node, self.scale) <= 0 and self.branches.parent[node] >= 0:
            node = self.branches.parent[node]
        if node == self.branches.root:
            return ABOVE * _ROOM
        return self.branches.up(node, self.scale) * _ROOM

    # ------------------------------------------------------------------ places

    def x(self, across: float) -> float:
        """Give the pixel of a place across."""
        share = (across - self.stretch.left) / self.stretch.wide
        return self.plot.left() + share * self.plot.width()

    def y(self, up: float) -> float:
        """Give the pixel of a height."""
        return self.plot.bottom() - up / self.top * self.plot.height()

    def across(self, x: float) -> float:
        """Give the place of a pixel."""
        return self.stretch.left + (x - self.plot.left()) / self.plot.width() * self.stretch.wide

    def up(self, y: float) -> float:
        """Give the height of a pixel."""
        return (self.plot.bottom() - y) / self.plot.height() * self.top

    def foot(self, node: int) -> QPointF:
        """Give the place of a node: the middle of its bar, or the foot of an item."""
        up = self.branches.up(node, self.scale)
        return QPointF(self.x(self.branches.stem[node]), self.y(up))

    def inside(self, at: QPointF) -> QPointF:
        """Move a place to the edge of the paper where it lies outside."""
        x = min(self.plot.right(), max(self.plot.left(), at.x()))
        return QPointF(x, min(self.plot.bottom(), max(self.plot.top(), at.y())))

    def sees(self, at: QPointF) -> bool:
        """Whether a place lies on the paper."""
        return self.plot.adjusted(-0.1, -1, 0.1, 1).contains(at)

    def sides(self, node: int) -> tuple[float, float]:
        """Give from where to where a branch has room on the paper, in pixels."""
        left, right = self.x(self.branches.left[node]), self.x(self.branches.right[node])
        return max(left, self.plot.left()), min(right, self.plot.right())

    def cut_y(self, groups: int) -> float:
        """Give the pixel of a cut; one above the paper is drawn at its upper edge."""
        up = self.branches.level(groups, self.scale)
        return max(self.y(up), self.plot.top() - 5)

    def is_above(self, groups: int) -> bool:
        """Whether a cut lies above the part that is looked at."""
        return self.branches.level(groups, self.scale) > self.top

    # ------------------------------------------------------------------ the scale

    def marks(self) -> list[tuple[float, str]]:
        """Give the pixels and numbers of the scale."""
        if self.scale is Scale.GROUPS or not self.branches.has_distances:
            marks = self._group_marks()
        else:
            marks = self._distance_marks()
        spaced: list[tuple[float, str]] = []
        for y, text in marks:
            if y >= self.plot.top() - 1 and all(abs(y - other) >= _APART for other, _ in spaced):
                spaced.append((y, text))
        return spaced

    def _group_marks(self) -> list[tuple[float, str]]:
        n, scale = self.branches.n, self.scale
        counts = [1]
        while (last := counts[-1]) < n:
            first = int(str(last)[0])
            counts.append(last * 2 if first == 1 else last * 5 // 2 if first == 2 else last * 2)
        if counts[-1] > n:
            counts[-1] = n
        return [(self.y(self.branches.level(k, scale)), QLocale().toString(k)) for k in counts]

    def _distance_marks(self) -> list[tuple[float, str]]:
        highest = float(self.branches.hierarchy.heights[-1])
        most = self.top * highest
        step = _round(most / max(1.0, self.plot.height() / 60))
        marks = []
        for at in range(int(most / step) + 1):
            text = QLocale().toString(at * step, "g", 4)
            marks.append((self.y(at * step / highest), text))
        return marks


def _round(step: float) -> float:
    """Give the next round number: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(power * one for one in (1, 2, 5, 10) if power * one >= step * 0.999)
