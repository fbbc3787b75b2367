"""The nearest-neighbour chain: a whole hierarchy of groups in O(n²) time.

Hidden here: how the n x n matrix of distances is used up, and the chain. Promised: at most
`footprint(n)` bytes and some blocks of a few MB; for complete, average and Ward linkage (up to
rounding) the very merges, in the very order, of always merging the closest pair, ties going to the
pair with the lowest first, then the lowest second item of the two groups.

Why the chain may break ties so: the key of two groups is (distance, lowest item of one, lowest item
of the other). Merging the pair with the least key makes no key less than the lesser of the two it
comes from ("reducible", Bruynooghe), so pairs that are each other's nearest can be merged in any
order and sorted by key afterwards. With single linkage ties are the exception: there the groups at
any height are right, and the order among merges of one height is one of those possible.

References
----------
Murtagh (1983), A survey of recent advances in hierarchical clustering algorithms, sec. 3;
Bruynooghe (1977), reducibility; Lance & Williams (1967), the update of distances;
Murtagh & Legendre (2014), Ward's criterion on squared distances ("Ward2").
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.clusterers.distances import (
    COPIED,
    Distances,
    Matrix,
    afford,
    blocks,
    exponent_of,
    filled,
    reach,
)
from engine.hierarchy import Hierarchy
from engine.job import Job

LINKAGES = ("complete", "single", "average", "ward")

Row = npt.NDArray[np.float32]

_MERGING = "Merging groups"


def of_points(
    points: npt.NDArray[np.floating], linkage: str, job: Job, *, memory: int
) -> Hierarchy:
    """Merge points by their Euclidean distances.

    Parameters
    ----------
    points
        float[n, d], finite.
    linkage
        One of `LINKAGES`.
    memory
        Bytes that the distances may take.

    Raises
    ------
    ResourceError
        When the distances take more.
    """
    afford(len(points), memory)
    exponent = exponent_of(reach(points))
    return _hierarchy(filled(points, exponent, job), exponent, linkage, job)


def of_distances(
    distances: npt.NDArray[np.floating], linkage: str, job: Job, *, memory: int
) -> Hierarchy:
    """Merge items of which only the distances are known; these are copied, not changed.

    Parameters
    ----------
    distances
        float[n, n], symmetric, or float[n (n - 1) / 2], condensed: the rows above the diagonal one
        after the other. Finite and not negative; the diagonal is not looked at.
    linkage, memory
        As for `of_points`.

    Raises
    ------
    ResourceError
        When the copy takes more than `memory` bytes.
    ValueError
        When the distances are not as described.
    """
    n = _count(distances)
    afford(n, memory)
    largest = 0.0
    for rows in blocks(n, COPIED // n):
        job.step(rows.start, n, _MERGING)
        for row in range(rows.start, rows.stop):
            part = _above_diagonal(distances, row, n)
            if len(part):
                if not (np.isfinite(part).all() and part.min() >= 0):
                    raise ValueError("distances must be finite and not negative")
                largest = max(largest, float(part.max()))
    exponent = exponent_of(largest)
    matrix = np.zeros((n, n), dtype=np.float32)
    for rows in blocks(n, COPIED // n):
        job.step(rows.start, n, _MERGING)
        for row in range(rows.start, rows.stop):
            part = np.ldexp(_above_diagonal(distances, row, n).astype(np.float64), -exponent)
            matrix[row, row + 1 :] = matrix[row + 1 :, row] = part
    return _hierarchy(matrix, exponent, linkage, job)


def of_measured(distances: Distances, linkage: str, job: Job) -> Hierarchy:
    """Merge items whose distances have been measured; these are copied, not changed.

    Parameters
    ----------
    linkage
        One of `LINKAGES`.
    """
    return _hierarchy(_copied(distances.matrix, job), distances.exponent, linkage, job)


def of_groups(apart: Matrix, job: Job) -> tuple[npt.NDArray[np.int64], Row]:
    """Merge groups by complete linkage as long as any two may be merged.

    Parameters
    ----------
    apart
        float32[g, g], symmetric, how far apart the groups are; infinite = these two must not be
        merged, nor what they become part of. Used up.

    Returns
    -------
    tuple
        int64[m, 2], the two groups merged, the lower first, each standing for all it was merged
        with; float32[m], how far apart they were. In the order of merging, m < g.
    """
    pairs, heights = _Chain(apart, _complete).merge_all(job)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], heights))
    return pairs[order], heights[order]


def _copied(matrix: Matrix, job: Job) -> Matrix:
    copy = np.empty_like(matrix)
    for rows in blocks(len(matrix), COPIED // len(matrix)):
        job.step()
        copy[rows] = matrix[rows]
    return copy


def _count(distances: npt.NDArray[np.floating]) -> int:
    """Tell the number of items from the shape."""
    if distances.ndim == 2:
        n, columns = map(int, distances.shape)
        if n != columns or n == 0:
            raise ValueError(f"a square of distances was expected, not {n} x {columns}")
        for rows in blocks(n, COPIED // n):
            if not np.array_equal(distances[rows, rows.start :], distances[rows.start :, rows].T):
                raise ValueError("distances must be symmetric")
        return n
    n = (1 + math.isqrt(1 + 8 * distances.size)) // 2
    if distances.ndim != 1 or n * (n - 1) // 2 != distances.size:
        raise ValueError(f"no number of items has distances of shape {distances.shape}")
    return n


def _above_diagonal(
    distances: npt.NDArray[np.floating], row: int, n: int
) -> npt.NDArray[np.floating]:
    """Give the distances of an item to those after it."""
    if distances.ndim == 2:
        return distances[row, row + 1 :]
    start = row * n - row * (row + 1) // 2
    return distances[start : start + n - row - 1]


def _hierarchy(matrix: Matrix, exponent: int, linkage: str, job: Job) -> Hierarchy:
    """Merge everything, and put the merges in order; the matrix is used up."""
    squared = linkage == "ward"
    if squared:
        for rows in blocks(len(matrix), COPIED // len(matrix)):
            job.step()
            np.square(matrix[rows], out=matrix[rows])
    pairs, apart = _Chain(matrix, _UPDATES[linkage]).merge_all(job)
    job.step()
    del matrix  # to give so much memory back takes time too
    job.step()
    heights = apart.astype(np.float64)
    heights = np.ldexp(np.sqrt(heights) if squared else heights, exponent)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], apart))
    hierarchy = Hierarchy.of(pairs[order], heights[order])
    job.step()
    return hierarchy


# ---------------------------------------------------------------------------- the chain


class _Chain:
    """Groups, each followed by its nearest, until two are each other's nearest and are merged.

    A group is known by its lowest item, in whose row and column its distances are.

    Parameters
    ----------
    matrix
        float32[n, n], symmetric; used up.
    update
        Gives the distances of a merged group from those of its parts.
    """

    def __init__(self, matrix: Matrix, update: Update) -> None:
        n = len(matrix)
        np.fill_diagonal(matrix, np.inf)
        self._matrix = matrix
        self._update = update
        self._sizes = np.ones(n)
        self._live = np.arange(n)
        self._gone = np.zeros(n, dtype=np.float32)  # infinite for groups merged into another
        self._nodes = np.empty(n + 1, dtype=np.int64)  # the chain
        self._gaps = np.empty(n + 1, dtype=np.float32)  # from each of it to the next
        self._length = 0
        self._row = np.empty(n, dtype=np.float32)

    def merge_all(self, job: Job) -> tuple[npt.NDArray[np.int64], Row]:
        """Merge until all groups that are left are infinitely far apart: one, if none ever is.

        Returns
        -------
        tuple
            int64[m, 2], the lowest items of the groups merged, the lower first; float32[m], their
            distances. In the order in which the chain came upon them.
        """
        pairs: list[tuple[int, int]] = []
        apart: list[np.float32] = []
        while (closest := self._closest(len(pairs), job)) is not None:
            pair, gap = closest
            pairs.append(pair)
            apart.append(gap)
            self._merge(*pair, float(gap))
        return np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(apart, dtype=np.float32)

    def _closest(self, made: int, job: Job) -> tuple[tuple[int, int], np.float32] | None:
        """Follow the chain to two groups that are each other's nearest, and take them off it."""
        nodes, gaps = self._nodes, self._gaps
        while len(self._live):
            job.step(made, len(self._gone) - 1, _MERGING)
            if self._length == 0:
                nodes[0], self._length = self._live[0], 1
            end = self._length - 1
            here = int(nodes[end])
            # No two pairs have the same key: of equally near groups the lowest is the nearest.
            nearest = int(np.add(self._matrix[here], self._gone, out=self._row).argmin())
            if self._row[nearest] == np.inf:  # nothing to merge it with, so the chain begins here
                self._live = self._live[1:]
                self._length = 0
            elif end and nearest == nodes[end - 1]:
                self._length -= 2
                return (min(here, nearest), max(here, nearest)), gaps[end - 1]
            else:
                nodes[end + 1], gaps[end] = nearest, self._row[nearest]
                self._length += 1
        return None

    def _merge(self, kept: int, lost: int, apart: float) -> None:
        """Put the distances of two groups' union in the place of the first's."""
        matrix, live, sizes = self._matrix, self._live, self._sizes
        live = np.delete(live, np.searchsorted(live, lost))
        one, other = matrix[kept, live], matrix[lost, live]
        union = self._update(one, other, apart, sizes[kept], sizes[lost], sizes[live])
        union[np.searchsorted(live, kept)] = np.inf  # nothing is its own nearest
        matrix[kept, live] = union
        matrix[live, kept] = union
        sizes[kept] += sizes[lost]
        self._gone[lost] = np.inf
        self._live = live
        self._shorten(kept)

    def _shorten(self, merged: int) -> None:
        """Cut the chain where the merged group has become the nearest of one in it.

        No linkage brings a union nearer than both its parts were; but as the lowest of equally
        near groups it may now go before the one that follows.
        """
        length = self._length
        if length < 2:
            return
        nodes, gaps = self._nodes[:length], self._gaps[: length - 1]
        now = self._matrix[merged, nodes[:-1]]
        passed = (now < gaps) | ((now == gaps) & (merged < nodes[1:]))
        if passed.any():
            self._length = int(passed.argmax()) + 1


# ------------------------------------------------------------------------ Lance and Williams
#
# Each takes the distances float32[m] of two groups to m others, the distance between the two, and
# the numbers of items of the two and of the others float64[m]. Rounding must not bring a union
# nearer than its nearer part: heights would fall.

Update = Callable[[Row, Row, float, float, float, npt.NDArray[np.float64]], Row]


def _complete(one: Row, other: Row, *_: object) -> Row:
    return np.maximum(one, other)


def _single(one: Row, other: Row, *_: object) -> Row:
    return np.minimum(one, other)


def _average(
    one: Row, other: Row, apart: float, a: float, b: float, sizes: npt.NDArray[np.float64]
) -> Row:
    del apart, sizes
    mean = (a * one.astype(np.float64) + b * other) / (a + b)
    return _not_nearer(mean, one, other)


def _ward(
    one: Row, other: Row, apart: float, a: float, b: float, sizes: npt.NDArray[np.float64]
) -> Row:
    """Update squared distances: Murtagh & Legendre (2014), table 1."""
    grown = ((a + sizes) * one + (b + sizes) * other - sizes * apart) / (a + b + sizes)
    return _not_nearer(grown, one, other)


def _not_nearer(union: npt.NDArray[np.float64], one: Row, other: Row) -> Row:
    return np.maximum(union.astype(np.float32), np.minimum(one, other))


_UPDATES: dict[str, Update] = {
    "complete": _complete,
    "single": _single,
    "average": _average,
    "ward": _ward,
}
