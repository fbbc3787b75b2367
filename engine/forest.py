"""Random forest: how alike items are, told by trees that learn to tell given groups apart.

Hidden here: how trees are grown level by level, many at once, on columns cut into a few bins.
Promised: the same points, groups, draws and seed give the same trees, whatever the order of the
rows; no label of a row is needed to see which leaf it falls in but those the groups give.

References
----------
Breiman (2001), "Random forests": each tree sees the rows as often as a draw with replacement
would bring them, and at each node a few columns of its own; trees grow until a leaf holds one
group. Two items are as alike as the share of trees in which they fall in the same leaf (Breiman's
proximity).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.job import Job

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_BINS = 32  # of each column, at most
_LEVELS = 32  # of a tree, at most
_BLOCK_ROWS = 2**15  # rows of trees that are grown together
_BLOCK_CELLS = 2**18  # counts held at once: nodes x columns x bins x groups
_MOST = 8  # times that one row is drawn for one tree


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """Columns cut into bins that hold about as many rows each.

    Attributes
    ----------
    bins
        uint8[n, d]; rows with the same value share a bin.
    """

    bins: Bytes

    @classmethod
    def of(cls, points: npt.NDArray[np.float32], job: Job) -> Binned:
        """Cut every column of float32[n, d]; one with few values keeps them all apart."""
        bins = np.empty(points.shape, dtype=np.uint8)
        for column in range(points.shape[1]):
            job.step()
            values = np.sort(points[:, column])
            distinct = np.unique(values)
            if len(distinct) > _BINS:
                ranks = np.arange(1, _BINS) * len(values) // _BINS
                distinct = np.unique(np.append(values[:1], values[ranks]))
            bins[:, column] = np.searchsorted(distinct, points[:, column], side="right") - 1
        return cls(bins)


def drawn(uniform: Floats, share: float) -> Bytes:
    """Tell how often each row is drawn for a tree: uint8[...].

    Parameters
    ----------
    uniform
        float64[...] in (0, 1), of each row.
    share
        Rows drawn per row, on average. The number of times is Poisson's, which is what drawing
        with replacement comes to among many rows; here a row's own number decides it, not its
        place.
    """
    chance = [math.exp(-share) * share**times / math.factorial(times) for times in range(_MOST)]
    return np.searchsorted(np.cumsum(chance), uniform, side="right").astype(np.uint8)


def leaves(
    binned: Binned, labels: Ints, times: Bytes, rng: np.random.Generator, job: Job
) -> npt.NDArray[np.int32]:
    """Grow trees that tell groups apart, and give the leaf that each row falls in.

    Parameters
    ----------
    labels
        int64[n], the groups, >= 0.
    times
        uint8[trees, n], how often each tree learns from each row; others fall through it too.

    Returns
    -------
    int32[trees, n]
        Leaves are numbered within each tree.
    """
    trees, n = times.shape
    found = np.zeros((trees, n), dtype=np.int32)
    names, groups = np.unique(labels, return_inverse=True)
    if len(names) == 1:
        return found
    block = max(1, _BLOCK_ROWS // n)
    for first in range(0, trees, block):
        some = slice(first, first + block)
        found[some] = _Growth(binned.bins, groups, len(names), times[some], rng, job).grow()
    return found


def likeness(leaf: npt.NDArray[np.int32], members: Sequence[Sequence[int]], job: Job) -> Floats:
    """Give how alike each row and each set of rows are, on average: float64[n, sets].

    Parameters
    ----------
    leaf
        int32[trees, n], as of `leaves`.
    members
        The rows of each set, none of them empty.
    """
    rows = np.array([row for own in members for row in own], dtype=np.int64)
    sizes = np.array([len(own) for own in members])
    number = np.repeat(np.arange(len(members)), sizes)
    met = np.zeros((leaf.shape[1], len(members)))
    for tree in leaf:
        job.step()
        cells = (int(tree.max()) + 1) * len(members)
        counts = np.bincount(tree[rows] * len(members) + number, minlength=cells)
        met += counts.reshape(-1, len(members))[tree]
    share: Floats = met / (len(leaf) * sizes)
    return share


class _Growth:
    """Trees grown together, a level at a time.

    A node is numbered among those still growing, tree by tree. Rows that are in a leaf have node
    -1.
    """

    def __init__(
        self, bins: Bytes, groups: Ints, k: int, times: Bytes, rng: np.random.Generator, job: Job
    ) -> None:
        self._bins, self._groups, self._k = bins, groups, k
        self._times, self._rng, self._job = times, rng, job
        trees, n = times.shape
        self._columns = max(1, round(math.sqrt(bins.shape[1])))
        self._node = np.repeat(np.arange(trees), n)  # of each row of each tree
        self._row = np.tile(np.arange(n), trees)
        self._tree = np.arange(trees)  # of each node
        self._leaf = np.zeros(trees * n, dtype=np.int32)
        self._leaves = np.zeros(trees, dtype=np.int32)  # of each tree so far

    def grow(self) -> npt.NDArray[np.int32]:
        """Part nodes until each holds one group: int32[trees, n], the leaf of each row."""
        times = self._times.ravel()
        at = np.arange(len(self._node))  # the rows that are not in a leaf, and theirs
        for _ in range(_LEVELS):
            self._job.step()
            node = self._node[at]
            seen = times[at] > 0
            heard, weight = node[seen], times[at[seen]]
            row = self._row[at[seen]]
            counts = np.bincount(
                heard * self._k + self._groups[row], weight, len(self._tree) * self._k
            ).reshape(-1, self._k)
            mixed = (counts > 0).sum(axis=1) > 1
            at = self._settle(at, ~mixed)
            if not len(at):
                break
            keep = mixed[heard]
            heard = (np.cumsum(mixed) - 1)[heard[keep]]
            column, cut = self._splits(heard, row[keep], weight[keep])
            self._part(at, column, cut)
        self._settle(at, np.ones(len(self._tree), dtype=np.bool_))
        return self._leaf.reshape(self._times.shape)

    def _settle(self, at: Ints, done: npt.NDArray[np.bool_]) -> Ints:
        """Make leaves of nodes, renumber the others and give the rows in these."""
        node = self._node[at]
        trees = self._tree[done]
        start = np.searchsorted(trees, trees)  # nodes are numbered tree by tree
        number = np.zeros(len(done), dtype=np.int32)
        number[done] = self._leaves[trees] + np.arange(len(trees)) - start
        ended = done[node]
        self._leaf[at[ended]] = number[node[ended]]
        self._leaves += np.bincount(trees, minlength=len(self._leaves)).astype(np.int32)
        self._tree = self._tree[~done]
        left = at[~ended]
        self._node[left] = (np.cumsum(~done) - 1)[node[~ended]]
        return left

    def _splits(self, node: Ints, row: Ints, weight: Bytes) -> tuple[Ints, Ints]:
        """Find the best cut of every node among a few columns: int64[nodes] twice.

        Parameters
        ----------
        node, row, weight
            Of all rows that are learnt from.

        Returns
        -------
        column, cut
            Bins up to the cut go left. A cut of -1 parts nothing: the node tries other columns at
            the next level.
        """
        nodes, d = len(self._tree), self._bins.shape[1]
        chosen = self._rng.random((nodes, d)).argsort(axis=1)[:, : self._columns]
        order = np.argsort(node, kind="stable")
        node, row, weight = node[order], row[order], weight[order]
        column, cut = np.zeros((2, nodes), dtype=np.int64)
        step = max(1, _BLOCK_CELLS // (self._columns * _BINS * self._k))
        for first in range(0, nodes, step):
            self._job.step()
            some = slice(*np.searchsorted(node, (first, first + step)))
            here = chosen[first : first + step]
            best, cut[first : first + step] = self._best(
                node[some] - first, row[some], weight[some], here
            )
            column[first : first + step] = here[np.arange(len(here)), best]
        return column, cut

    def _best(self, node: Ints, row: Ints, weight: Bytes, chosen: Ints) -> tuple[Ints, Ints]:
        """Give which of the chosen columns to cut, and after which bin: the purest by Gini."""
        nodes, columns = chosen.shape
        shape = (self._k, nodes, columns, _BINS)
        cell = (self._groups[row] * nodes + node)[:, None] * columns + np.arange(columns)
        cell = cell * _BINS + self._bins[row[:, None], chosen[node]]
        weights = np.repeat(weight.astype(np.float64), columns)
        left = np.bincount(cell.ravel(), weights, math.prod(shape)).reshape(shape)
        left = left.cumsum(axis=3, dtype=np.float32)  # exact: whole numbers below 2**24
        right = left[..., -1:] - left
        purity = np.zeros(shape[1:], dtype=np.float32)
        for side in (left, right):
            size = side.sum(axis=0)
            # The weighted Gini impurity is least where this is greatest.
            purity += np.square(side).sum(axis=0) / np.maximum(size, 1)
            purity[size == 0] = -np.inf
        flat = purity.reshape(nodes, -1)
        best = flat.argmax(axis=1)
        found = flat[np.arange(nodes), best] > 0
        return best // _BINS, np.where(found, best % _BINS, -1)

    def _part(self, at: Ints, column: Ints, cut: Ints) -> None:
        """Send rows to the two nodes that come of each; where there is no cut, to one."""
        parts = np.where(cut >= 0, 2, 1)
        first = np.cumsum(parts) - parts
        node = self._node[at]
        right = (self._bins[self._row[at], column[node]] > cut[node]) & (cut[node] >= 0)
        self._node[at] = first[node] + right
        self._tree = np.repeat(self._tree, parts)
