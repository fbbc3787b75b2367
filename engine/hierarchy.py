"""Hierarchy: every grouping that merging pairs of groups goes through, from n groups to one.

Hidden here: how a level becomes labels, and where two items meet. Promised: frozen values, heights
that never fall from merge to merge; cutting costs O(n log n) without a loop over items, so that a
cut line can be dragged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.model import IntArray, Pair, Verdict, numbered


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The n - 1 merges that lead from single items to one group.

    Node i < n is item i; node n + t is the group that merge t makes. Arrays are read-only.

    Attributes
    ----------
    merges
        int32[n - 1, 2], the two nodes merged, the lower one first.
    heights
        float64[n - 1], how far apart the two were; never falls.
    sizes
        int32[n - 1], items in the group made.
    """

    merges: IntArray
    heights: npt.NDArray[np.float64]
    sizes: IntArray

    @classmethod
    def of(cls, pairs: npt.NDArray[np.integer], heights: npt.NDArray[np.floating]) -> Hierarchy:
        """Make a hierarchy of merges that are given as an item of either side.

        Parameters
        ----------
        pairs
            int[n - 1, 2], the lowest joins first; any item may stand for the group it is in.
        heights
            float[n - 1], in the same order, never falling.

        Raises
        ------
        ValueError
            When heights fall, or a merge joins items that are in one group already.
        """
        if np.any(np.diff(heights) < 0):
            raise ValueError("heights fall")
        n = len(pairs) + 1
        above = list(range(2 * n - 1))
        weight = [1] * n
        nodes = np.empty((n - 1, 2), dtype=np.int32)
        for made, (one, other) in enumerate(pairs.tolist(), n):
            first, second = _top(above, one), _top(above, other)
            if first == second:
                raise ValueError(f"items {one} and {other} are merged twice")
            above[first] = above[second] = made
            weight.append(weight[first] + weight[second])
            nodes[made - n] = min(first, second), max(first, second)
        hierarchy = cls(
            nodes, np.array(heights, dtype=np.float64), np.array(weight[n:], dtype=np.int32)
        )
        for array in (hierarchy.merges, hierarchy.heights, hierarchy.sizes):
            array.flags.writeable = False
        return hierarchy

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.merges) + 1

    def cut(self, groups: int) -> IntArray:
        """Give the grouping with so many groups.

        Returns
        -------
        IntArray
            int32[n], groups numbered 0..k-1 in order of first appearance.

        Raises
        ------
        ValueError
            For less than one group, or more than items.
        """
        return numbered(self.nodes(groups))

    def cut_at(self, height: float) -> IntArray:
        """Give the grouping in which everything is merged that is at most `height` apart."""
        return self.cut(self.groups_at(height))

    def groups_at(self, height: float) -> int:
        """Count the groups left when everything at most `height` apart is merged."""
        return self.n - int(np.searchsorted(self.heights, height, side="right"))

    def nodes(self, groups: int) -> IntArray:
        """Give each item's node, int32[n], when there are so many groups.

        Raises
        ------
        ValueError
            For less than one group, or more than items.
        """
        n = self.n
        if not 1 <= groups <= n:
            raise ValueError(f"{n} items have from 1 to {n} groups, not {groups}")
        merged = n - groups
        above = np.arange(n + merged, dtype=np.int32)
        above[self.merges[:merged]] = np.arange(n, n + merged, dtype=np.int32)[:, None]
        while True:  # each round doubles how far up every node looks
            further = above[above]
            if np.array_equal(further, above):
                return above[:n]
            above = further

    def parents(self) -> tuple[IntArray, npt.NDArray[np.float64]]:
        """Give the node that each node is merged into, and how high that is.

        Returns
        -------
        tuple
            int32[2n - 1] and float64[2n - 1]; the last node, the root, has -1 and infinity.
        """
        parent = np.full(2 * self.n - 1, -1, dtype=np.int32)
        joined = np.full(2 * self.n - 1, np.inf)
        parent[self.merges] = np.arange(self.n, 2 * self.n - 1, dtype=np.int32)[:, None]
        joined[self.merges] = self.heights[:, None]
        return parent, joined

    def meetings(self, pairs: Sequence[Pair]) -> IntArray:
        """Give the merge that first brings the two of each pair together, int32[len(pairs)]."""
        one, other = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
        parent, _ = self.parents()
        while (apart := one != other).any():  # the lower node is never above the higher one
            climbs = apart & (one < other)
            one[climbs] = parent[one[climbs]]
            climbs = apart & ~climbs
            other[climbs] = parent[other[climbs]]
        return one - np.int32(self.n)

    def leaves(self) -> IntArray:
        """Give the items, int32[n], in an order in which no two branches cross.

        Of two branches the one with the lower node comes first: the one that was formed earlier.
        """
        start, _ = self.spans()
        order = np.empty(self.n, dtype=np.int32)
        order[start[: self.n]] = np.arange(self.n, dtype=np.int32)
        return order

    def spans(self) -> tuple[IntArray, IntArray]:
        """Give where in the order of `leaves` each node's items are.

        Returns
        -------
        tuple
            int32[2n - 1], the place of the first one; int32[2n - 1], one past the last.
        """
        n = self.n
        size = [1] * n + self.sizes.tolist()
        start = [0] * (2 * n - 1)
        for node, (first, second) in zip(
            range(2 * n - 2, n - 1, -1), self.merges[::-1].tolist(), strict=True
        ):
            start[first], start[second] = start[node], start[node] + size[first]
        begin = np.array(start, dtype=np.int32)
        return begin, begin + np.array(size, dtype=np.int32)

    def linkage_matrix(self) -> npt.NDArray[np.float64]:
        """Give the merges as scipy's functions take them: float64[n - 1, 4]."""
        return np.column_stack([self.merges, self.heights, self.sizes]).astype(np.float64)


class Inquiry(NamedTuple):
    """A question that arose while groups were being merged.

    `verdict`: None = it waits for its answer. `step`: merges made when it arose, of the n - 1 that
    there are. `certainty`: how sure of its groups the machine was then, in [0, 1].
    """

    pair: Pair
    verdict: Verdict | None
    step: int
    certainty: float


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A hierarchy as it is drawn beside the questions.

    Attributes
    ----------
    hierarchy
        Every level.
    groups
        The level that is taken for the grouping; None = the grouping is none of its levels.
    certainty
        float64[n], how sure of its groups the machine is after 0, 1, ... n - 1 merges, in [0, 1].
    inquiries
        What was asked on the way, in the order asked, and what is asked now.
    """

    hierarchy: Hierarchy
    groups: int | None
    certainty: npt.NDArray[np.float64]
    inquiries: tuple[Inquiry, ...] = ()


def _top(above: list[int], node: int) -> int:
    """Find the root above a node and shorten the way to it."""
    while above[node] != node:
        above[node] = above[above[node]]
        node = above[node]
    return node
