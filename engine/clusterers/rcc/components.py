"""Components: the groups that representatives make, and how firmly each point is in its own.

Hidden here: how all pairs are gone through in tiles. Promised: exact groups in memory for a few MB
of distances.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.clusterers.rcc.graph import Graph
from engine.job import Job
from engine.model import FloatArray, IntArray
from engine.neighbors import components

Floats = npt.NDArray[np.float64]

PAIRS = ("edges", "all")
_BLOCK_VALUES = 2**18  # 2 MB: a block and what is made of it stay in the fast memory
_SIDE = 1024
_LOOKING = "Joining what has come together"


def blocks(n: int, d: int, job: Job) -> Iterator[slice]:
    """Go through n rows of d values a few rows at a time, with a chance to stop before each."""
    block = max(1, _BLOCK_VALUES // d)
    for first in range(0, n, block):
        job.step()
        yield slice(first, first + block)


def lengths_squared(points: Floats, edges: IntArray, job: Job) -> Floats:
    """Give the squared length of every edge, float64[m]."""
    squares = np.empty(len(edges))
    for some in blocks(len(edges), points.shape[1], job):
        one, other = edges[some].T
        apart = points[one] - points[other]
        squares[some] = np.einsum("ij,ij->i", apart, apart)
    return squares


def moves_squared(points: Floats, moved: Floats, job: Job) -> Floats:
    """Give the squared distance of every point to where it has moved, float64[n]."""
    squares = np.empty(len(points))
    for rows in blocks(len(points), points.shape[1], job):
        apart = points[rows] - moved[rows]
        squares[rows] = np.einsum("ij,ij->i", apart, apart)
    return squares


def joined(points: Floats, graph: Graph, within: float, pairs: str, job: Job) -> IntArray:
    """Group what a chain of steps shorter than `within` joins.

    Parameters
    ----------
    points
        float64[n, d], the representatives.
    pairs
        One of `PAIRS`: the steps are edges of the graph, as in the program released; or any two
        points, as the paper's supplement says.

    Returns
    -------
    IntArray
        int32[n], numbered in order of first appearance.
    """
    close = lengths_squared(points, graph.edges, job) < within**2
    parts = components(graph.n, graph.edges[close])
    return parts if pairs == "edges" else _of_all_pairs(points, parts, within, job)


def _of_all_pairs(points: Floats, parts: IntArray, within: float, job: Job) -> IntArray:
    """Unite parts of which two points are close, going through all pairs in tiles."""
    import torch

    from engine.kernels import squared_distances

    n = len(points)
    rows = torch.from_numpy(points - points.mean(axis=0))
    starts = range(0, n, _SIDE)
    total, done = len(starts) * (len(starts) + 1) // 2, 0
    for number, first in enumerate(starts):
        here = slice(first, first + _SIDE)
        for second in starts[number:]:
            done += 1
            job.step(done, total, _LOOKING)
            there = slice(second, second + _SIDE)
            close = (squared_distances(rows[here], rows[there]) < within**2).numpy()
            i, j = np.nonzero(close & (parts[here, None] != parts[None, there]))
            if len(i):
                links = np.column_stack([parts[here][i], parts[there][j]])
                united = components(int(parts.max()) + 1, np.unique(links, axis=0))
                parts = united[parts]
    return parts


def firmness(graph: Graph, labels: IntArray) -> FloatArray:
    """Give the share of a point's edges that stay within its group, float32[n].

    1 where there are no edges at all.
    """
    within = labels[graph.edges[:, 0]] == labels[graph.edges[:, 1]]
    stay = np.bincount(graph.edges[within].ravel(), minlength=graph.n)
    every = np.bincount(graph.edges.ravel(), minlength=graph.n)
    share: FloatArray = np.where(every > 0, stay / np.maximum(every, 1), 1).astype(np.float32)
    return share
