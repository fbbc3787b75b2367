"""The M-step: links spread to the items nearest in the learned space.

Hidden here: how all distances are gone through in tiles, and which pairs a rule comes to. Promised:
the rules see the links before the round only, so that their order does not matter; equally near
items are taken lowest first.

References
----------
algorithms.md, sec. 6, "M-step" and "Soft regularisation".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import IntArray
from engine.spreading.links import Keys, Links, keys_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_TILE_WORK = 1e7  # products in a tile of distances
_TILE = 2**20  # distances in a tile
_BLOCK_LINKS = 2**20  # pairs written down at once


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
    active = np.flatnonzero((degrees[0] > 0) | (degrees[1] > 0))
    found: tuple[list[IntArray], list[IntArray]] = ([], [])
    spans: list[Floats] = []
    total, links = 0.0, 0
    for done, rows in _tiles(active, n, space.shape[1]):
        job.step(done, len(active), "Spreading the answers")
        apart = _distances(space, rows)
        apart[np.arange(len(rows)), rows] = np.inf
        at, limit = _spans(apart, cannot[rows], np.minimum, np.inf)
        some, distance = _nearest(apart, limit, near, at)
        found[1].append(np.column_stack((rows[some[:, 0]], some[:, 1])).astype(np.int32))
        spans.append(distance)
        at, sums = _spans(apart, must[rows], np.add, 0.0)
        total, links = total + float(sums.sum()), links + int(degrees[0][rows].sum())
        own = must[rows]
        apart[np.repeat(np.arange(len(rows)), np.diff(own.indptr)), own.indices] = np.inf
        mean = sums / np.maximum(degrees[0][rows], 1)
        some, _ = _nearest(apart, mean, near, at)
        found[0].append(np.column_stack((rows[some[:, 0]], some[:, 1])).astype(np.int32))
    usual = total / links if links else np.inf
    empty = np.empty((0, 2), dtype=np.int32)
    spread = [np.concatenate([empty, *some]) for some in found]
    within = np.concatenate([np.empty(0), *spans]) < usual
    return Reach(spread[0], spread[1][within])


def must_keys(n: int, found: Reach) -> Keys:
    """Give the pairs whose must-link grows: each item and those its must-links spread to."""
    return np.unique(keys_of(n, found.must[:, 0], found.must[:, 1]))


def cannot_keys(
    links: Links, on: csr_array, found: Reach, step: float, most: int, job: Job
) -> Keys | None:
    """Give the pairs whose cannot-link grows: all cannot-linked to v, with those near v.

    Pairs that are as strong as they can become are left out.

    Parameters
    ----------
    on
        Cannot-links that count as neighbours, symmetric [n, n].
    most
        Pairs that may be held.

    Returns
    -------
    Keys or None
        None = there are more.
    """
    from scipy.sparse import csr_array

    n = links.n
    ones = np.ones(len(found.cannot), dtype=np.int32)
    near = csr_array((ones, (found.cannot[:, 0], found.cannot[:, 1])), shape=(n, n))
    pattern = csr_array((np.ones(on.nnz, dtype=np.int32), on.indices, on.indptr), shape=on.shape)
    work = np.concatenate([[0], np.cumsum(pattern @ np.diff(near.indptr))])
    top = np.float32(1 - step)
    grown, held = [np.empty(0, dtype=np.int64)], 0
    for rows in _rows(work):
        job.step()
        pairs = (pattern[rows] @ near).tocoo()
        one, other = pairs.row.astype(np.int64) + rows.start, pairs.col.astype(np.int64)
        keys = keys_of(n, one, other)[one != other]
        grown.append(_unique(keys[links.at(keys) < top]))
        held += len(grown[-1])
        if held > 2 * most:  # a pair can come from both its ends
            return None
    unique = _unique(np.concatenate(grown))
    fresh = np.count_nonzero(links.places(unique) < 0)
    return unique if len(links) + fresh <= most else None


def regularised(must: Links, cannot: Links) -> tuple[Links, Links]:
    """Let given links win, and let the two kinds share 1 where both have a say.

    M <- min(M, M / (M + C)) and C likewise: their sum is at most 1 afterwards.
    """
    keys = np.intersect1d(must.keys, cannot.keys, assume_unique=True)
    if not len(keys):
        return must, cannot
    at, to = must.places(keys), cannot.places(keys)
    m, c = must.strength[at].astype(np.float64), cannot.strength[to].astype(np.float64)
    total = np.maximum(m + c, 1)
    settled = (m == 1) | (c == 1)
    one, other = must.strength.copy(), cannot.strength.copy()
    one[at] = np.where(settled, np.where(m == 1, 1, 0), m / total)
    other[to] = np.where(settled, np.where((c == 1) & (m < 1), 1, 0), c / total)
    return (
        Links(must.n, must.keys, one, must.since, must.strong).where(one > 0),
        Links(cannot.n, cannot.keys, other, cannot.since, cannot.strong).where(other > 0),
    )


def _tiles(active: npt.NDArray[np.int64], n: int, width: int) -> Iterator[tuple[int, Keys]]:
    """Cut items into tiles whose distances to all are soon worked out."""
    side = max(1, int(min(_TILE / n, _TILE_WORK / (n * max(width, 1)))))
    return ((at, active[at : at + side]) for at in range(0, len(active), side))


def _distances(space: Floats, rows: Keys) -> Floats:
    """Give Euclidean distances from some items to all: float64[r, n]."""
    squares = np.square(space).sum(axis=1)
    apart = space[rows] @ space.T
    apart *= -2
    apart += squares
    apart += squares[rows, None]
    np.maximum(apart, 0, out=apart)
    np.sqrt(apart, out=apart)
    return apart


def _spans(apart: Floats, links: csr_array, ufunc: np.ufunc, empty: float) -> tuple[Bools, Floats]:
    """Take the distances to linked items together: which rows have any, and float64[r]."""
    degree = np.diff(links.indptr)
    some = degree > 0
    found = np.full(len(degree), empty)
    if some.any():
        linked = apart[np.repeat(np.arange(len(degree)), degree), links.indices]
        found[some] = ufunc.reduceat(linked, links.indptr[:-1][some])
    return some, found


def _nearest(apart: Floats, limit: Floats, near: int, chosen: Bools) -> tuple[Keys, Floats]:
    """Give the k nearest of some rows below a limit: int64[s, 2] (row, item), and how far."""
    import torch

    if not chosen.any():
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    k = min(near, apart.shape[1])
    part = apart if chosen.all() else apart[chosen]
    last = torch.topk(torch.from_numpy(part), k, dim=1, largest=False).values[:, -1].numpy()
    row, item = np.nonzero(
        part <= np.where(np.isinf(last), np.finfo(np.float64).max, last)[:, None]
    )
    distance = part[row, item]
    order = np.lexsort((item, distance, row))
    row, item, distance = row[order], item[order], distance[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    kept = (rank < k) & (distance < limit[chosen][row])
    return np.column_stack((np.flatnonzero(chosen)[row[kept]], item[kept])), distance[kept]


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
