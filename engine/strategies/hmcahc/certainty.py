"""Certainty: how far the nearest neighbours of a group's items are in the group too.

Hidden here: how the certainty of every level of a hierarchy is found without looking at every
group at every level. Promised: exact values; ties go to the closest pair, then the lowest items.

P_i is the share of item i's k nearest others that are in its group. A group's certainty is the
least mean of P_i and P_j over its open pairs, the machine's that of its dirtiest group. All sums
are of whole numbers of neighbours, so that no two levels differ by rounding. How ties are broken is
left open by the article.

References
----------
Zheng & Wu (2016): certainty by k-nearest-neighbour consistency.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.clusterers.distances import COPIED, Distances, blocks
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.model import IntArray, Pair
from engine.strategies.hmcahc.settled import Settled

NONE = np.iinfo(np.int32).max
"""In place of a sum: there is no open pair, or the group is too small to be judged."""


def nearest_of(distances: Distances, k: int, job: Job) -> IntArray:
    """Give the k nearest others of every item, by distances that are held anyway.

    Ties go by the same numbers as those between the pairs to be asked about; where no distances
    are held, see `engine.neighbors`.

    Returns
    -------
    IntArray
        int32[n, min(k, n - 1)], the nearest first; of equally near ones the lowest first.
    """
    n = distances.n
    found = np.empty((n, min(k, n - 1)), dtype=np.int32)
    for rows in blocks(n, COPIED // n):
        part = distances.matrix[rows].copy()
        at = np.arange(len(part))
        part[at, at + rows.start] = np.inf
        for rank in range(found.shape[1]):
            job.step(rows.start, n, "Looking for nearest items")
            nearest = part.argmin(axis=1)
            part[at, nearest] = np.inf
            found[rows, rank] = nearest
    return found


def of_levels(
    hierarchy: Hierarchy, neighbours: IntArray, min_size: int, job: Job
) -> npt.NDArray[np.float64]:
    """Give the certainty of every level of any hierarchy, before anything was answered.

    Parameters
    ----------
    hierarchy
        Of n items.
    neighbours
        int32[n, k], the nearest others of each, such as `nearest_of` finds.
    min_size
        Groups of up to so many items are not judged.

    Returns
    -------
    float64[n]
        After 0, 1, ... n - 1 merges; 1 where no group is judged.
    """
    levels = Levels(hierarchy, neighbours, min_size, job)
    return levels.certainties(Settled(hierarchy.n), job)


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """The most questionable pair of the dirtiest group.

    Attributes
    ----------
    pair
        The two items.
    members
        int32[m], the items of their group, in rising order.
    """

    pair: Pair
    members: IntArray


class Levels:
    """The certainty of every group in a hierarchy.

    Where two neighbours meet in the hierarchy says from which level on the one counts for the
    other. Groups that no answer speaks about are measured once; the others as answers come.

    Parameters
    ----------
    hierarchy
        Of n items.
    neighbours
        int32[n, k].
    min_size
        Groups of up to so many items are not judged.
    """

    def __init__(self, hierarchy: Hierarchy, neighbours: IntArray, min_size: int, job: Job) -> None:
        job.step()
        k = neighbours.shape[1]
        self._hierarchy = hierarchy
        self.unit = 2 * k  # a sum of two whole numbers of neighbours is this many times a certainty
        self._min_size = min_size
        self._start, self._end = hierarchy.spans()
        self._order = np.argsort(self._start[: hierarchy.n]).astype(np.int32)  # item by place
        job.step()
        self._met = _meetings(hierarchy, self._start, neighbours, job)[self._order]
        self._parent, _ = hierarchy.parents()
        self._sums: IntArray | None = None

    def certainties(self, known: Settled, job: Job) -> npt.NDArray[np.float64]:
        """Give the certainty after 0, 1, ... n - 1 merges, float64[n]."""
        return np.array([certainty for _, certainty in self.walk(known, 0, job)])

    def walk(self, known: Settled, made: int, job: Job) -> Iterator[tuple[int, float]]:
        """Give (merges made, certainty), from a level on to the last."""
        n = self._hierarchy.n
        lowest = _Sums(self, known, job)
        heap = [(lowest.of(node), node) for node in self._tops(made)]
        heapq.heapify(heap)
        for now in range(made, n):
            job.step(now, n, "Looking for doubtful groups")
            if now > made:
                heapq.heappush(heap, (lowest.of(n + now - 1), n + now - 1))
            while 0 <= self._parent[heap[0][1]] - n < now:
                heapq.heappop(heap)
            yield now, self._share(heap[0][0])

    def certainty(self, known: Settled, made: int, job: Job) -> float:
        """Give the certainty after so many merges."""
        lowest = _Sums(self, known, job)
        return self._share(min(map(lowest.of, self._tops(made))))

    def doubts(self, known: Settled, made: int, job: Job, *, small: bool = False) -> list[int]:
        """Give the groups with the least certainty, as nodes, the one with the lowest item first.

        `small`: of the groups too small to be judged. Empty when no pair in them is open.
        """
        lowest = _Sums(self, known, job)
        tops = self._tops(made)
        sums = [lowest.small(node) if small else lowest.of(node) for node in tops]
        least = min(sums)
        if least == NONE:
            return []
        return [node for node, one in zip(tops, sums, strict=True) if one == least]

    def groups(self, made: int, *, small: bool = False) -> list[IntArray]:
        """Give the items of the groups that are judged, or of the others; single items left out."""
        n = self._hierarchy.n
        tops = [node for node in self._tops(made) if node >= n and self.judged(node) is not small]
        return [self.members(node) for node in tops]

    def members(self, node: int) -> IntArray:
        """Give the items of a node, in no order."""
        return self._order[self._start[node] : self._end[node]]

    def counts(self, node: int) -> IntArray:
        """Give how many of its neighbours each of the members has with it in the node."""
        met = self._met[self._start[node] : self._end[node]]
        counts: IntArray = (met <= node - self._hierarchy.n).sum(axis=1, dtype=np.int32)
        return counts

    def _tops(self, made: int) -> list[int]:
        """Give the nodes that are groups after so many merges, by their lowest items."""
        tops: list[int] = np.unique(self._hierarchy.nodes(self._hierarchy.n - made)).tolist()
        return tops

    def _share(self, lowest: int) -> float:
        return 1.0 if lowest == NONE else lowest / self.unit

    def judged(self, node: int) -> bool:
        """Tell whether a node has items enough for its certainty to count."""
        return bool(self._end[node] - self._start[node] > self._min_size)

    def plain(self, job: Job) -> IntArray:
        """Give the least sum of every merged node when all pairs are open, int32[n - 1]."""
        if self._sums is None:
            n = self._hierarchy.n
            sums = np.full(n - 1, NONE, dtype=np.int32)
            for made in range(n - 1):
                job.step()
                if self.judged(n + made):
                    counts = self.counts(n + made)
                    sums[made] = np.partition(counts, 1)[:2].sum()
            self._sums = sums
        return self._sums

    def spoken(self, known: Settled) -> set[int]:
        """Give the nodes above items that are spoken about or set aside."""
        found: set[int] = set()
        for item in np.flatnonzero(known.place != -1).tolist():
            node = item
            while node >= 0 and node not in found:
                found.add(node)
                node = int(self._parent[node])
        return found


class _Sums:
    """The least sum of nodes, given what is known."""

    def __init__(self, levels: Levels, known: Settled, job: Job) -> None:
        self._levels = levels
        self._known = known
        self._plain = levels.plain(job)
        self._spoken = levels.spoken(known)
        self._n = len(known.place)

    def of(self, node: int) -> int:
        """Give the least sum over open pairs; `NONE` when the node is too small."""
        if node < self._n or node not in self._spoken:
            return int(self._plain[node - self._n]) if node >= self._n else NONE
        return self._measured(node) if self._levels.judged(node) else NONE

    def small(self, node: int) -> int:
        """Give the least sum over open pairs of a node too small to be judged, else `NONE`."""
        return NONE if node < self._n or self._levels.judged(node) else self._measured(node)

    def _measured(self, node: int) -> int:
        return least_sum(self._levels.counts(node), self._levels.members(node), self._known)


def least_sum(counts: IntArray, members: IntArray, known: Settled) -> int:
    """Give the least sum of the counts of two members whose pair is open; `NONE` if none is.

    Only the few members that answers speak about are compared pair by pair.
    """
    place = known.place[members]
    free, told = np.sort(counts[place == -1])[:2], counts[place >= 0]
    least = NONE
    if len(free) == 2:
        least = int(free.sum())
    if len(free) and len(told):
        least = min(least, int(free[0] + told.min()))
    if len(told) > 1 and np.partition(told, 1)[:2].sum() < least:
        at = place[place >= 0]
        sums = np.where(known.closed[np.ix_(at, at)], NONE, told[:, None] + told)
        least = min(least, int(sums.min()))
    return least


def closest_open(
    levels: Levels, nodes: Iterable[int], known: Settled, distances: Distances, job: Job
) -> Doubt | None:
    """Give the closest of the pairs with the least sum in groups; of these the lowest pair."""
    best: tuple[float, int, int] | None = None
    group = np.zeros(0, dtype=np.int32)
    for node in nodes:
        members = np.sort(levels.members(node))
        counts = levels.counts(node)[np.argsort(levels.members(node))]
        found = _closest(members, counts, least_sum(counts, members, known), known, distances, job)
        if found is not None and (best is None or found < best):
            best, group = found, members
    return None if best is None else Doubt(Pair.of(best[1], best[2]), group)


def _closest(
    members: IntArray,
    counts: IntArray,
    total: int,
    known: Settled,
    distances: Distances,
    job: Job,
) -> tuple[float, int, int] | None:
    """Give (distance, item, item) of the closest open pair with a sum; members in rising order."""
    best: tuple[float, int, int] | None = None
    for count in np.unique(counts).tolist():
        if count > total - count:
            break
        one, other = members[counts == count], members[counts == total - count]
        if len(other) == 0:
            continue
        if len(one) > len(other):
            one, other = other, one
        for rows in blocks(len(one), COPIED // max(4 * len(other), distances.n // 2)):
            job.step()
            part = distances.matrix[one[rows][:, None], other]
            part[known.shut(one[rows], other)] = np.inf
            gap = float(part.min())
            if np.isinf(gap):
                continue
            at, to = np.nonzero(part == gap)
            low, high = np.minimum(one[rows][at], other[to]), np.maximum(one[rows][at], other[to])
            first = np.lexsort((high, low))[0]
            found = gap, int(low[first]), int(high[first])
            best = found if best is None else min(best, found)
    return best


def _meetings(hierarchy: Hierarchy, start: IntArray, neighbours: IntArray, job: Job) -> IntArray:
    """Give the merge that brings each item and each of its neighbours together, int32[n, k].

    Between two places in an order without crossings the highest merge is that of the two: the
    greatest of a range, by a table of ranges whose lengths are powers of two.
    """
    n = hierarchy.n
    step = np.zeros(n, dtype=np.int32)  # by place: the merge that joins it to the place before
    step[start[hierarchy.merges[:, 1]]] = np.arange(n - 1, dtype=np.int32)
    ranges = [step]
    while 2 ** len(ranges) < n:
        job.step()
        half = 2 ** (len(ranges) - 1)
        ranges.append(np.maximum(ranges[-1][:-half], ranges[-1][half:]))
    one, other = start[:n, None], start[neighbours]
    low, high = np.minimum(one, other) + 1, np.maximum(one, other)
    power = np.frexp(high - low + 1)[1] - 1
    met = np.empty(neighbours.shape, dtype=np.int32)
    for level, table in enumerate(ranges):
        job.step()
        at = power == level
        met[at] = np.maximum(table[low[at]], table[high[at] - 2**level + 1])
    return met
