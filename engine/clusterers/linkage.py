"""The nearest-neighbour chain: a whole hierarchy of groups in O(n²) time.

Hidden here: the one n x n matrix of distances in float32, how it is filled and used up, and the
chain. Promised: at most `footprint(n)` bytes and some blocks of a few MB; for complete, average
and Ward linkage (up to rounding) the very merges, in the very order, of always merging the closest
pair, ties going to the pair with the lowest first, then the lowest second item of the two groups.

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
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.errors import ResourceError
from engine.hierarchy import Hierarchy
from engine.job import Job

if TYPE_CHECKING:
    import torch

LINKAGES = ("complete", "single", "average", "ward")

Row = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]

_TILE_WORK = 1e7  # differences computed at once: keeps the time between two job steps short
_FEW = 64  # features up to which there is little to gain by the dot product
_NEAR = 1e-5  # of the squared norm: squares below it lose more than float32 does by the dot product
_COPIED = 2**20  # distances copied at once
_MERGING = "Merging groups"


def footprint(n: int) -> int:
    """Give the bytes that the distances between n items take."""
    return 4 * n * n


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
    _afford(len(points), memory)
    spread = points.max(0).astype(np.float64) - points.min(0)
    exponent = _exponent(float(np.sqrt(np.square(spread).sum())))
    return _hierarchy(_filled(points, exponent, job), exponent, linkage, job)


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
    _afford(n, memory)
    largest = 0.0
    for rows in _blocks(n, _COPIED // n):
        job.step(rows.start, n, _MERGING)
        for row in range(rows.start, rows.stop):
            part = _above_diagonal(distances, row, n)
            if len(part):
                if not (np.isfinite(part).all() and part.min() >= 0):
                    raise ValueError("distances must be finite and not negative")
                largest = max(largest, float(part.max()))
    exponent = _exponent(largest)
    matrix = np.zeros((n, n), dtype=np.float32)
    for rows in _blocks(n, _COPIED // n):
        job.step(rows.start, n, _MERGING)
        for row in range(rows.start, rows.stop):
            part = np.ldexp(_above_diagonal(distances, row, n).astype(np.float64), -exponent)
            matrix[row, row + 1 :] = matrix[row + 1 :, row] = part
    return _hierarchy(matrix, exponent, linkage, job)


def _afford(n: int, memory: int) -> None:
    if footprint(n) > memory:
        most = math.isqrt(memory // 4)
        raise ResourceError(
            f"the distances between {n:,} items take {footprint(n) / 1e6:,.0f} MB of memory; "
            f"{memory / 1e6:,.0f} MB are allowed",
            f"Allow more, or take at most {most:,} items.",
        )


def _count(distances: npt.NDArray[np.floating]) -> int:
    """Tell the number of items from the shape."""
    if distances.ndim == 2:
        n, columns = map(int, distances.shape)
        if n != columns or n == 0:
            raise ValueError(f"a square of distances was expected, not {n} x {columns}")
        for rows in _blocks(n, _COPIED // n):
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


def _exponent(largest: float) -> int:
    """Give the power of two by which distances are divided, so that float32 holds their squares.

    A power of two changes no digit.
    """
    return math.frexp(largest)[1]


def _blocks(n: int, rows: int) -> Iterator[slice]:
    step = max(1, rows)
    return (slice(at, min(at + step, n)) for at in range(0, n, step))


def _filled(points: npt.NDArray[np.floating], exponent: int, job: Job) -> Matrix:
    """Compute all distances in float64 and keep them, divided by 2**exponent, in float32.

    Copies are 0 apart, and with few features equal distances stay equal: how ties are broken is
    part of the result.
    """
    import torch

    n, d = points.shape
    matrix = np.empty((n, n), dtype=np.float32)
    side = min(1024, max(16, math.isqrt(int(_TILE_WORK / (d + 20)))))
    starts = range(0, n, side)
    total, done = len(starts) * (len(starts) + 1) // 2, 0
    exact = torch.from_numpy(np.array(points, dtype=np.float64))
    exact -= exact.mean(0)
    for first in starts:
        rows = slice(first, first + side)
        for second in range(first, n, side):
            done += 1
            job.step(done, total, "Measuring distances")
            columns = slice(second, second + side)
            tile = np.ldexp(_distances(exact[rows], exact[columns]).numpy(), -exponent)
            matrix[rows, columns] = tile
            if second != first:
                matrix[columns, rows] = tile.T
    return matrix


def _distances(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Give distances, Tensor[a, b], in float64: exact enough that all of float32 is right.

    Difference by difference; many features, by the dot product, which takes a tenth of the time
    and is wrong for near points only: these are taken difference by difference again.
    """
    import torch

    from engine.kernels.functions import direct_distances, squared_distances

    if rows.shape[1] <= _FEW:
        return direct_distances(rows, columns)
    squares = squared_distances(rows, columns)
    largest = torch.maximum(rows.square().sum(1).max(), columns.square().sum(1).max())
    one, other = torch.nonzero(squares <= _NEAR * largest, as_tuple=True)
    if len(one) > 4 * len(squares):
        return direct_distances(rows, columns)
    squares[one, other] = (rows[one] - columns[other]).square_().sum(1)
    return squares.sqrt_()


def _hierarchy(matrix: Matrix, exponent: int, linkage: str, job: Job) -> Hierarchy:
    """Merge everything, and put the merges in order; the matrix is used up."""
    squared = linkage == "ward"
    if squared:
        for rows in _blocks(len(matrix), _COPIED // len(matrix)):
            job.step()
            np.square(matrix[rows], out=matrix[rows])
    pairs, apart = _Chain(matrix, _UPDATES[linkage]).merge_all(job)
    job.step()
    heights = apart.astype(np.float64)
    heights = np.ldexp(np.sqrt(heights) if squared else heights, exponent)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], apart))
    return Hierarchy.of(pairs[order], heights[order])


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
        """Merge until one group is left.

        Returns
        -------
        tuple
            int64[n - 1, 2], the lowest items of the groups merged, the lower first; float32[n - 1],
            their distances. In the order in which the chain came upon them.
        """
        n = len(self._matrix)
        pairs = np.empty((n - 1, 2), dtype=np.int64)
        apart = np.empty(n - 1, dtype=np.float32)
        for made in range(n - 1):
            pairs[made], apart[made] = self._closest(made, n - 1, job)
            kept, lost = pairs[made].tolist()
            self._merge(kept, lost, float(apart[made]))
        return pairs, apart

    def _closest(self, made: int, total: int, job: Job) -> tuple[tuple[int, int], np.float32]:
        """Follow the chain to two groups that are each other's nearest, and take them off it."""
        nodes, gaps = self._nodes, self._gaps
        if self._length == 0:
            nodes[0], self._length = self._live[0], 1
        while True:
            job.step(made, total, _MERGING)
            end = self._length - 1
            here = int(nodes[end])
            # No two pairs have the same key: of equally near groups the lowest is the nearest.
            nearest = int(np.add(self._matrix[here], self._gone, out=self._row).argmin())
            if end and nearest == nodes[end - 1]:
                self._length -= 2
                return (min(here, nearest), max(here, nearest)), gaps[end - 1]
            nodes[end + 1], gaps[end] = nearest, self._row[nearest]
            self._length += 1

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
