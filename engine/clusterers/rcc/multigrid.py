"""Multigrid: an approximate inverse of a system that pulls neighbours together.

Gradients pass a change on by one edge a step, so on many points they need hundreds of steps. Here
points that pull hard at each other are taken for one, again and again, and what is left of a
right-hand side is spread on all these levels at once: a tenth of the steps, whatever the weights.

Hidden here: how points are grouped, and the levels. Promised: symmetric and positive, so that
conjugate gradients may use it; a few times the memory of the matrix, for the graph of groups has
never more edges than the graph; the same each time.

References
----------
Koutis, Miller & Tolliver (2011), Combinatorial preconditioners and multilevel solvers for problems
in computer vision and image processing: groups made of each point and its strongest neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import numbered

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

_EVEN = 0.1  # pulls that differ by less than this share are taken for equal
_MOST_UNEVEN = 1e5  # diagonal over what holds, up to which the digits of float32 will do


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """One matrix, and how it gets to the next.

    Attributes
    ----------
    matrix
        float[n, n].
    inverse
        float[n, 1], what a value of the right-hand side is multiplied by for a first guess.
    spread
        float[n, g], 1 where a point is in a group; None on the last level.
    gather
        Its transpose.
    """

    matrix: csr_array
    inverse: npt.NDArray[np.floating]
    spread: csr_array | None = None
    gather: csr_array | None = None

    def of(self, kind: type[np.floating]) -> _Level:
        """Give the same in numbers of another kind."""
        spread = None if self.spread is None else self.spread.astype(kind)
        gather = None if self.gather is None else self.gather.astype(kind)
        return _Level(self.matrix.astype(kind), self.inverse.astype(kind), spread, gather)


class Multigrid:
    """An approximate inverse, applied by calling it: float[n, d] to float[n, d].

    As it only points the way, it makes do with float32, which is half to read, unless what holds
    would be lost in its rounding beside what pulls.

    Parameters
    ----------
    matrix
        float64[n, n] sparse, its indices sorted: off the diagonal nothing above 0, no row with a
        sum below 0 but by rounding.
    """

    def __init__(self, matrix: csr_array, job: Job) -> None:
        self._job = job
        self._levels: list[_Level] = []
        diagonal = matrix.diagonal()
        held = np.clip(matrix.sum(axis=1), 0, diagonal)
        even = bool((diagonal <= _MOST_UNEVEN * held.min()).all())
        self._kind: type[np.floating] = np.float32 if even else np.float64
        while True:
            job.step()
            # With h what holds and s the sum of the pulls, the matrix is at most h + 2 s. Twice
            # the divisor is above that, so that the guess never goes too far; and a point that
            # nothing pulls gets its exact value.
            inverse = 1 / (1.5 * diagonal - 0.5 * held)[:, None]
            spread = _groups(matrix, 2 * held < diagonal)
            if spread is None:
                self._levels.append(_Level(matrix, inverse).of(self._kind))
                return
            job.step()
            gather = spread.T.tocsr()
            self._levels.append(_Level(matrix, inverse, spread, gather).of(self._kind))
            alone = (np.diff(spread.indptr) == 0).astype(np.float64)
            held = gather @ (held - matrix @ alone)
            matrix = (gather @ matrix @ spread).tocsr()
            matrix.sort_indices()
            # anew, for what holds is lost in the rounding of sums of what pulls
            matrix.setdiag(0)
            diagonal = held - matrix.sum(axis=1)
            matrix.setdiag(diagonal)

    @property
    def sizes(self) -> list[int]:
        """Number of points on every level."""
        return [level.matrix.shape[0] for level in self._levels]

    def __call__(self, right: Floats) -> npt.NDArray[np.floating]:
        """Apply it; the values should be neither huge nor tiny."""
        return self._cycle(right.astype(self._kind), 0)

    def _cycle(self, right: npt.NDArray[np.floating], number: int) -> npt.NDArray[np.floating]:
        """Guess, correct by what the groups make of what is left, and guess again."""
        self._job.step()
        level = self._levels[number]
        found: npt.NDArray[np.floating] = level.inverse * right
        if level.spread is None or level.gather is None:
            return found
        missed = level.matrix @ found
        np.subtract(right, missed, out=missed)
        found += level.spread @ self._cycle(level.gather @ missed, number + 1)
        self._job.step()
        missed = level.matrix @ found
        np.subtract(right, missed, out=missed)
        missed *= level.inverse
        found += missed
        return found


def _groups(matrix: csr_array, pulled: npt.NDArray[np.bool_]) -> csr_array | None:
    """Put every point with the neighbour that pulls at it hardest.

    Of neighbours that pull about equally hard, one is taken by lot: else a path of equal edges
    would be one group from end to end.

    Parameters
    ----------
    matrix
        float64[n, n].
    pulled
        bool[n], the points that are moved by others rather than held: only these are grouped.

    Returns
    -------
    csr_array
        float64[n, g], 1 where a point is in a group, groups in order of first appearance; None
        where no two points belong together.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = matrix.shape[0]
    rows, columns = np.repeat(np.arange(n), np.diff(matrix.indptr)), matrix.indices
    kept = (rows != columns) & pulled[rows] & pulled[columns] & (matrix.data < 0)
    rows, columns = rows[kept], columns[kept]
    if not len(rows):
        return None
    lot = 1 - _EVEN * np.random.default_rng(0).random(n)
    hard = -matrix.data[kept] * lot[columns]
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    hardest = np.maximum.reduceat(hard, starts)
    chosen = np.flatnonzero(hard == np.repeat(hardest, np.diff(starts, append=len(rows))))
    chosen = chosen[np.diff(rows[chosen], prepend=-1) != 0]
    links = csr_array(
        (np.ones(len(chosen), dtype=np.int8), (rows[chosen], columns[chosen])), shape=(n, n)
    )
    _, part = connected_components(links, directed=False)
    group = numbered(part[pulled])
    starts = np.concatenate([[0], np.cumsum(pulled)]).astype(np.int32)
    return csr_array((np.ones(len(group)), group, starts), shape=(n, int(group.max()) + 1))
