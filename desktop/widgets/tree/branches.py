"""Where the branches of a hierarchy stand, and which of them are worth drawing.

Hides the room that each branch gets, and how ten thousand items come down to a few hundred strokes.
Promises places that depend on the hierarchy alone, whatever is drawn of it: across from 0 to 1, up
from 0 (single items) to 1 (one group).
"""

from __future__ import annotations

import enum
import heapq
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.hierarchy import Hierarchy
from engine.model import IntArray

MOST = 300
"""So many merges are drawn at most; what is below is condensed."""

ABOVE = 1.04
"""Where the cut stands that leaves one group."""

_UPPER = 60  # merges that are the last ones
_LEAST = 18.0  # pixels that a branch takes for the two in it to be drawn
_HAIR = 1e-12  # what places may differ by that are the same
_ITEM = 3.0  # pixels that are enough for each item of a small one


class Scale(enum.Enum):
    """What the way up measures."""

    DISTANCE = "distance"
    GROUPS = "groups"
    """The number of groups left; twice as many are always as far apart."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn: nodes shown with the two in them, nodes condensed, and single items."""

    open: tuple[int, ...]
    condensed: tuple[int, ...]
    items: tuple[int, ...]


class Branches:
    """The places of one hierarchy.

    Parameters
    ----------
    hierarchy
        Of at least one item.

    Attributes
    ----------
    left, right
        By node: from where to where it has room. Half of all room is shared out by items, half
        among the branches that meet in the last merges, so that a small group can be seen.
    stem
        By node: where the line to its parent begins, half-way between those of the two in it.
    order
        Items from left to right.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.n = hierarchy.n
        self.order = hierarchy.leaves()
        self._two: list[list[int]] = hierarchy.merges.tolist()
        self._size: list[int] = [1] * self.n + hierarchy.sizes.tolist()
        self.parent: list[int] = hierarchy.parents()[0].tolist()
        self._tops: tuple[int, list[int]] | None = None
        self._around = (0.0, 1.0), self.root
        self._place()
        self._ups = {scale: self._up(scale) for scale in Scale}
        self.color(np.full(self.n, -1, dtype=np.int32))

    def _place(self) -> None:
        n, size = self.n, self._size
        weight = [1.0] * n + [0.0] * (n - 1)
        upper = min(_UPPER, n - 1)
        for at, (one, other) in enumerate(self._two):
            if at >= n - 1 - upper:
                weight[one] += n / (2 * upper)
                weight[other] += n / (2 * upper)
            weight[n + at] = weight[one] + weight[other]
        left, right, first = [0.0] * (2 * n - 1), [1.0] * (2 * n - 1), [0] * (2 * n - 1)
        for node in range(2 * n - 2, n - 1, -1):
            one, other = self._two[node - n]
            share = weight[one] / (weight[one] + weight[other])
            between = left[node] + (right[node] - left[node]) * share
            left[one], right[one], first[one] = left[node], between, first[node]
            left[other], right[other], first[other] = between, right[node], first[node] + size[one]
        stem = [(left[node] + right[node]) / 2 for node in range(n)]
        for one, other in self._two:
            stem.append((stem[one] + stem[other]) / 2)
        self.left, self.right, self.stem, self._first = left, right, stem, first

    def _up(self, scale: Scale) -> npt.NDArray[np.float64]:
        heights, n = self.hierarchy.heights, self.n
        if scale is Scale.DISTANCE and n > 1 and heights[-1] > 0:
            ups: npt.NDArray[np.float64] = heights / heights[-1]
        else:
            left = np.arange(n - 1, 0, -1)  # groups left after each merge
            ups = 1.0 - np.log(left) / math.log(max(2, n))
        return ups

    # ------------------------------------------------------------------ sizes and kin

    @property
    def root(self) -> int:
        """The node of all items."""
        return 2 * self.n - 2

    def size(self, node: int) -> int:
        """Count the items of a branch."""
        return self._size[node]

    def two(self, node: int) -> tuple[int, int]:
        """Give the two nodes that a merge made one."""
        one, other = self._two[node - self.n]
        return one, other

    def items(self, node: int) -> IntArray:
        """Give the items of a branch, from left to right."""
        first = self._first[node]
        return self.order[first : first + self._size[node]]

    def way_up(self, item: int) -> list[int]:
        """Give the nodes from an item to the root, both included."""
        way = [item]
        while self.parent[way[-1]] >= 0:
            way.append(self.parent[way[-1]])
        return way

    def around(self, left: float, right: float) -> int:
        """Find the smallest branch that has all of a stretch in it."""
        if self._around[0] != (left, right):
            self._around = (left, right), self._find(left, right)
        return self._around[1]

    def _find(self, left: float, right: float) -> int:
        node = self.root
        while node >= self.n:
            inner = [
                one
                for one in self.two(node)
                if self.left[one] <= left + _HAIR and right <= self.right[one] + _HAIR
            ]
            if not inner:
                break
            node = inner[0]
        return node

    def at(self, across: float) -> int:
        """Find the item in whose room a place lies."""
        return self._find(across, across)

    # ------------------------------------------------------------------ levels

    @property
    def has_distances(self) -> bool:
        """Whether any two items are apart; copies are not, and then only numbers tell levels."""
        return self.n > 1 and bool(self.hierarchy.heights[-1] > 0)

    def up(self, node: int, scale: Scale) -> float:
        """Give how high a node stands; items stand at 0."""
        return float(self._ups[scale][node - self.n]) if node >= self.n else 0.0

    def level(self, groups: int, scale: Scale) -> float:
        """Give how high the cut stands that leaves so many groups: half-way between merges."""
        made, ups = self.n - groups, self._ups[scale]
        if made >= len(ups):
            return ABOVE
        below = float(ups[made - 1]) if made else 0.0
        return (below + float(ups[made])) / 2

    def levels(self, scale: Scale) -> npt.NDArray[np.float64]:
        """Give from where to where the levels reach after 0, 1, ... n - 1 merges, float64[n, 2]."""
        ups = self._ups[scale]
        return np.column_stack([np.append(0.0, ups), np.append(ups, 2 * ABOVE - 1.0)])

    def groups_at(self, up: float, scale: Scale) -> int:
        """Count the groups that a cut at some height leaves."""
        return self.n - int(np.searchsorted(self._ups[scale], up, side="right"))

    def tops(self, groups: int) -> list[int]:
        """Give the branches that are the groups of a cut, from left to right."""
        if self._tops is None or self._tops[0] != groups:
            nodes = np.unique(self.hierarchy.nodes(groups)).tolist()
            self._tops = groups, sorted(nodes, key=self.left.__getitem__)
        return self._tops[1]

    # ------------------------------------------------------------------ what is drawn

    def drawn(self, left: float, right: float, pixels: float) -> Drawn:
        """Choose what to draw of a stretch that is so many pixels wide: the upper merges first.

        Begins with the smallest branch that has all of it.
        """
        scale = pixels / (right - left)
        opened: list[int] = []
        condensed: list[int] = []
        items: list[int] = []
        waiting = [-self.around(left, right)]
        while waiting:
            node = -heapq.heappop(waiting)
            if self.right[node] <= left + _HAIR or self.left[node] >= right - _HAIR:
                continue
            wide, size = (self.right[node] - self.left[node]) * scale, self._size[node]
            if size == 1:
                items.append(node)
            elif len(opened) < MOST and wide >= min(_LEAST, _ITEM * size):
                opened.append(node)
                for inner in self.two(node):
                    heapq.heappush(waiting, -inner)
            else:
                condensed.append(node)
        return Drawn(tuple(opened), tuple(condensed), tuple(items))

    # ------------------------------------------------------------------ colours

    def color(self, slots: IntArray) -> None:
        """Take the groups of a state; -1 = no group: undecided or set aside."""
        along = slots[self.order]
        known = np.flatnonzero(along >= 0)
        grouped = along[known]
        changes = np.flatnonzero(grouped[1:] != grouped[:-1]) + 1
        self._before = np.searchsorted(known, np.arange(self.n + 1)).tolist()
        self._run = np.searchsorted(changes, np.arange(len(known)), side="right").tolist()
        self._grouped = grouped.tolist()

    def slot(self, node: int) -> int | None:
        """Give the group that all items of a branch are in: -1 = in none, None = in several."""
        first = self._first[node]
        start, end = self._before[first], self._before[first + self._size[node]]
        if start == end:
            return -1
        same = self._run[start] == self._run[end - 1]
        return int(self._grouped[start]) if same else None
