"""The M-step: links spread to the items nearest in the learned space.

Hidden here: how all distances are gone through in tiles, and which pairs a rule comes to. Promised:
the rules see the links before the round only, so that their order does not matter; equally near
items are taken lowest first.

References
----------
CS-PDS, its M-step and the soft regularisation after it. Decisions of ours: that a pair grows once a
round whichever end it comes from, and the order of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import IntArray
from engine.spreading.links import Keys, Links, Strengths, keys_of, shared

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_TILE_WORK = 2e7  # products in a tile of distances
_TILE = 2**19  # distances in a tile
_STRIPES = 32
_ROUNDING = 1e-9  # far more than what squaring a root changes
_BLOCK_LINKS = 2**21  # pairs looked at at once


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """How far the links of each item reach, in one round, and which items lie within.

    Attributes
    ----------
    must, cannot
        int32[s, 2], (u, j): j takes over the must-links, or the cannot-links, of u.
    """

    must: IntArray
    cannot: IntArray


def reach(space: Floats, must: csr_array, cannot: csr_array, near: int, job: Job) -> Reach:
    """Find to which items the links of each item spread.

    Parameters
    ----------
    space
        float64[n, c].
    must, cannot
        Links that count as neighbours, symmetric [n, n].
    near
        k: the most items that the links of one spread to.

    Returns
    -------
    Reach
        Must-links of u spread to the k nearest others that are not linked to u and nearer than
        its linked ones on average. Cannot-links of v spread to the k nearest others that are
        nearer than must-linked items are on average, and than the nearest cannot-linked to v.
    """
    n = len(space)
    degrees = [np.diff(graph.indptr) for graph in (must, cannot)]
    kind = (degrees[0] > 0) + 2 * (degrees[1] > 0)
    active = np.argsort(kind, kind="stable")[np.count_nonzero(kind == 0) :]  # a tile has one kind
    found: tuple[list[IntArray], list[IntArray]] = ([], [])
    spans: list[Floats] = []
    total, links = 0.0, 0
    table = _Distances(space, near)
    for done, rows in _tiles(active, n, space.shape[1]):
        job.step(done, len(active), "Spreading the answers")
        squares = table.squares(rows)
        some = np.flatnonzero(degrees[1][rows])
        linked, at = _linked(squares, some, cannot[rows[some]])
        limit = np.minimum.reduceat(linked, at) if len(some) else linked
        pairs, apart = table.nearest(squares, some, limit)
        found[1].append(np.column_stack((rows[pairs[:, 0]], pairs[:, 1])).astype(np.int32))
        spans.append(apart)
        some = np.flatnonzero(degrees[0][rows])
        if not len(some):
            continue
        own, count = must[rows[some]], degrees[0][rows[some]]
        linked, at = _linked(squares, some, own)
        sums = np.add.reduceat(linked, at)
        total, links = total + float(sums.sum()), links + int(count.sum())
        squares[np.repeat(some, count), own.indices] = np.inf
        pairs, _ = table.nearest(squares, some, sums / count)
        found[0].append(np.column_stack((rows[pairs[:, 0]], pairs[:, 1])).astype(np.int32))
    usual = total / links if links else np.inf
    empty = np.empty((0, 2), dtype=np.int32)
    spread = [np.concatenate([empty, *some]) for some in found]
    within = np.concatenate([np.empty(0), *spans]) < usual
    return Reach(spread[0], spread[1][within])


def must_keys(n: int, found: Reach) -> Keys:
    """Give the pairs whose must-link grows: each item and those its must-links spread to."""
    return np.unique(keys_of(n, found.must[:, 0], found.must[:, 1]))


def cannot_keys(
    links: Links,
    weights: csr_array,
    found: Reach,
    step: float,
    least: float,
    most: int,
    job: Job,
) -> Keys | None:
    """Give the pairs whose cannot-link grows: all cannot-linked to v, with those near v.

    Pairs that are as strong as they can become are left out.

    Parameters
    ----------
    weights
        Cannot-links of at least `least`, or of 1 - `step`, whichever is less; symmetric [n, n].
    least
        From which strength on they count as neighbours.
    most
        Pairs that may be held.

    Returns
    -------
    Keys or None
        None = there are more.
    """
    from scipy.sparse import csr_array

    n = links.n
    on = at_least(weights, least)
    on = csr_array((np.ones(on.nnz, dtype=np.bool_), on.indices, on.indptr), shape=on.shape)
    items, place = np.unique(found.cannot[:, 1], return_inverse=True)
    # int32 throughout: scipy would widen all links anew for every block
    ends = np.concatenate([[0], np.cumsum(np.bincount(place))]).astype(np.int32)
    sources = found.cannot[np.argsort(place, kind="stable"), 0]
    near = csr_array((np.ones(len(place), dtype=np.bool_), sources, ends), shape=(len(items), n))
    work = np.concatenate([[0], np.cumsum(near.astype(np.int64) @ np.diff(on.indptr) + n // 8 + 1)])
    full = np.zeros((min(len(items), 8 * _BLOCK_LINKS // n + 1), n), dtype=np.bool_)
    top = np.float32(1 - step)
    grown, held = [np.empty(0, dtype=np.int64)], 0
    for rows in _rows(work):
        job.step()
        own, reached = weights[items[rows]], near[rows] @ on
        strong = np.flatnonzero(own.data >= top)
        row, column = _numbers(own)[strong], own.indices[strong]
        full[row, column] = True
        one, other = _numbers(reached), reached.indices
        fresh = np.flatnonzero(~full[one, other] & (items[rows][one] != other))
        full[row, column] = False
        one, other = one[fresh], other[fresh]
        grown.append(_unique(keys_of(n, items[rows][one], other)))
        held += len(grown[-1])
        if held > 2 * most:  # a pair can come from both its ends
            return None
    unique = _unique(np.concatenate(grown))
    more = np.count_nonzero(links.places(unique) < 0)
    return unique if len(links) + more <= most else None


def at_least(weights: csr_array, least: float) -> csr_array:
    """Give the links of at least so much strength."""
    from scipy.sparse import csr_array

    chosen = weights.data >= least
    if chosen.all():
        return weights
    ends = np.concatenate([[0], np.cumsum(chosen)])[weights.indptr].astype(weights.indptr.dtype)
    parts = weights.data[chosen], weights.indices[chosen], ends
    return csr_array(parts, shape=weights.shape)


def regularised(must: Links, cannot: Links) -> tuple[Links, Links]:
    """Let given links win, and let the two kinds share 1 where both have a say.

    M <- min(M, M / (M + C)) and C likewise: their sum is at most 1 afterwards.
    """
    at, to = shared(must, cannot)
    if not len(at):
        return must, cannot
    m, c = must.strength[at].astype(np.float64), cannot.strength[to].astype(np.float64)
    total = np.maximum(m + c, 1)
    settled = (m == 1) | (c == 1)
    one, other = must.strength.copy(), cannot.strength.copy()
    one[at] = np.where(settled, np.where(m == 1, 1, 0), m / total)
    other[to] = np.where(settled, np.where((c == 1) & (m < 1), 1, 0), c / total)
    return _kept(must, one), _kept(cannot, other)


def _kept(links: Links, strength: Strengths) -> Links:
    """Give links another strength, and leave out those without any."""
    links = replace(links, strength=strength)
    some = strength > 0
    return links if some.all() else links.where(some)


def _tiles(active: npt.NDArray[np.int64], n: int, width: int) -> Iterator[tuple[int, Keys]]:
    """Cut items into tiles whose distances to all are soon worked out."""
    side = max(1, int(min(_TILE / n, _TILE_WORK / (n * (width + 8)))))
    return ((at, active[at : at + side]) for at in range(0, len(active), side))


class _Distances:
    """Distances in a space, and the nearest items in a tile of them.

    Columns are padded to `_STRIPES` stripes of equal width, the padding infinitely far: the least
    of every column over the stripes is found far sooner than the k least of a row, and rules out
    nearly all columns.
    """

    def __init__(self, space: Floats, near: int) -> None:
        n, width = space.shape
        stripes = _STRIPES if n >= 4 * _STRIPES * near else 1
        self._side = -(-n // stripes)
        self._near = near
        squares = np.square(space).sum(axis=1)
        self._of = np.column_stack((-2 * space, squares, np.ones(n)))
        self._to = np.zeros((width + 2, stripes * self._side))
        self._to[:width, :n], self._to[width], self._to[-1] = space.T, 1, np.inf
        self._to[-1, :n] = squares

    def squares(self, rows: Keys) -> Floats:
        """Give squared distances from some items: float64[r, at least n]; itself is far away.

        Rounding may leave some a little below 0.
        """
        apart: Floats = self._of[rows] @ self._to
        apart[np.arange(len(rows)), rows] = np.inf
        return apart

    def nearest(self, squares: Floats, some: Keys, limit: Floats) -> tuple[Keys, Floats]:
        """Give the k nearest of some rows below a limit: int64[s, 2] (row, item), and how far."""
        import torch

        if not len(some):
            return np.empty((0, 2), dtype=np.int64), np.empty(0)
        part = squares if len(some) == len(squares) else squares[some]
        least = part.reshape(len(part), -1, self._side).min(axis=1)
        # k columns have an item each as near as this: none of the k nearest is farther
        k = min(self._near, self._side)
        last = torch.topk(torch.from_numpy(least), k, dim=1, largest=False).values[:, -1].numpy()
        last = np.minimum(np.maximum(last, 0), np.square(limit) * (1 + _ROUNDING))
        row, column = np.nonzero(least <= last[:, None])
        columns = column[:, None] + np.arange(0, part.shape[1], self._side)
        place, stripe = np.nonzero(part[row[:, None], columns] <= last[row, None])
        row, item = row[place], columns[place, stripe]
        distance = np.sqrt(np.maximum(part[row, item], 0))
        below = np.flatnonzero(distance < limit[row])
        row, item, distance = row[below], item[below], distance[below]
        order = np.lexsort((item, distance, row))
        row, item, distance = row[order], item[order], distance[order]
        kept = np.arange(len(row)) - np.searchsorted(row, row) < self._near
        return np.column_stack((some[row[kept]], item[kept])), distance[kept]


def _linked(squares: Floats, some: Keys, links: csr_array) -> tuple[Floats, Keys]:
    """Give the distances of some rows to their linked items, and where each row's begin."""
    row = np.repeat(some, np.diff(links.indptr))
    apart: Floats = np.sqrt(np.maximum(squares[row, links.indices], 0))
    return apart, links.indptr[:-1].astype(np.int64)


def _numbers(links: csr_array) -> Keys:
    """Give the row of each link."""
    return np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))


def _unique(keys: Keys) -> Keys:
    """Give keys once each, rising; `numpy.unique` hashes them, which takes far longer."""
    keys = np.sort(keys)
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def _rows(work: npt.NDArray[np.integer]) -> Iterator[slice]:
    """Cut rows into blocks of about as much work: rising int[n + 1]."""
    first, n = 0, len(work) - 1
    while first < n:
        last = int(np.searchsorted(work, work[first] + _BLOCK_LINKS, side="right")) - 1
        last = min(n, max(last, first + 1))
        yield slice(first, last)
        first = last
