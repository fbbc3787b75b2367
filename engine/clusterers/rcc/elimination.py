"""Elimination: what it would take to factorise a matrix with the pattern of a graph.

Hidden here: the game of minimum degree, played on the graph alone. Promised: an estimate in a
second or two for 70,000 points, so that no factorisation is begun that would not end.

References
----------
Tinney & Walker (1967), the rule of minimum degree; George & Liu (1989), its evolution.
"""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import IntArray
from engine.neighbors import components

_TANGLED = 60  # neighbours, more of which are taken for a part that fills in altogether
_PAUSE = 64  # points between two steps of a job
_EDGES = 10_000  # the same


def work(n: int, edges: IntArray, job: Job) -> float:
    """Estimate the multiplications of a factorisation.

    The point with the fewest neighbours goes first, and its neighbours become each other's. Where
    all have many, what is left is counted as full, each connected part for itself.
    """
    around: list[set[int]] = [set() for _ in range(n)]
    for first in range(0, len(edges), _EDGES):
        job.step()
        for one, other in edges[first : first + _EDGES].tolist():
            around[one].add(other)
            around[other].add(one)
    job.step()
    waiting = [(len(others), point) for point, others in enumerate(around)]
    heapq.heapify(waiting)
    gone = np.zeros(n, dtype=bool)
    spent, seen = 0.0, 0
    while waiting:
        degree, point = heapq.heappop(waiting)
        if gone[point] or degree != len(around[point]):
            continue  # its neighbours have changed since, and it waits elsewhere
        if degree > _TANGLED:
            break
        seen += 1
        if seen % _PAUSE == 0:
            job.step()
        gone[point] = True
        spent += (degree + 1) ** 2
        others = around[point]
        for other in others:
            theirs = around[other]
            theirs |= others
            theirs.discard(other)
            theirs.discard(point)
            heapq.heappush(waiting, (len(theirs), other))
        around[point] = set()
    return spent + _full(gone, around, job)


def _full(gone: npt.NDArray[np.bool_], around: list[set[int]], job: Job) -> float:
    """Count a full factorisation, size³ / 3, of every part that is left."""
    left = np.flatnonzero(~gone)
    if not len(left):
        return 0.0
    links = []
    for number, one in enumerate(left.tolist()):
        if number % _PAUSE == 0:
            job.step()
        others = np.fromiter(around[one], dtype=np.int32, count=len(around[one]))
        links.append(np.column_stack([np.full(len(others), one, dtype=np.int32), others]))
    job.step()
    parts = components(len(gone), np.concatenate(links))[left]
    return float((np.unique(parts, return_counts=True)[1].astype(np.float64) ** 3).sum() / 3)
