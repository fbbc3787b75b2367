"""Graph: which points are compared at all, and how much each comparison counts.

Hidden here: the two metrics by which neighbours are chosen. Promised: pairs of points that are
each among the k nearest of the other, and a spanning forest of all neighbours, so that no point is
without an edge; copies and rows of zeros are legal.

References
----------
Shah & Koltun (2017), Robust continuous clustering, PNAS 114(37): mutual neighbours joined with a
minimum spanning tree, and the weights of equation 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.clusterers.rcc.elimination import work
from engine.job import Job
from engine.model import IntArray
from engine.neighbors import components, nearest
from engine.problem import Problem

Floats = npt.NDArray[np.float64]

METRICS = ("cosine", "euclidean")
_LEAST_LENGTH = 1e-12  # of an edge of the forest: a sparse matrix drops zeros


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The pairs that pull at each other.

    Attributes
    ----------
    n
        Number of points.
    edges
        int32[m, 2], each pair once, the lower point first, in rising order.
    weights
        float64[m].
    parts
        Into how many parts the graph falls that no edge joins.
    work
        Multiplications that it would take to factorise a matrix with this pattern.
    """

    n: int
    edges: IntArray
    weights: Floats
    parts: int
    work: float

    @classmethod
    def over(cls, points: npt.NDArray[np.float32], k: int, metric: str, job: Job) -> Graph:
        """Join mutual neighbours, and all that can be joined by a spanning forest.

        Parameters
        ----------
        points
            float32[n, d], n >= 2.
        k
            How many neighbours each point names; all others where there are fewer.
        metric
            One of `METRICS`.
        """
        n = len(points)
        near = nearest(directions(points) if metric == "cosine" else points, k, job)
        job.step()
        listed, lengths = near.edges_measured()
        job.step()
        forest = _spanning(n, listed, lengths, squared=metric == "cosine")
        job.step()
        both = np.concatenate([near.edges(mutual=True), forest]).astype(np.int64)
        job.step()
        edges = np.column_stack(np.divmod(np.unique(both[:, 0] * n + both[:, 1]), n))
        edges = edges.astype(np.int32)
        parts = int(components(n, edges).max()) + 1
        return cls(n, edges, weights(n, edges), parts, work(n, edges, job))


def graph_of(problem: Problem, k: int, metric: str, job: Job) -> Graph:
    """Give the graph over a problem's points; kept among its steps."""
    key = ("rcc.graph", 1, problem.fingerprint, k, metric)
    return problem.steps.get(key, lambda: Graph.over(problem.points, k, metric, job))


def directions(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Put every point at length 1, so that distances rise with cosine distances.

    Rows of zeros have no direction: they get one of their own, at cosine distance 1 from every
    other and 0 from each other.

    Returns
    -------
    NDArray
        float32[n, d], or [n, d + 1] where there are such rows.
    """
    largest = np.abs(points).max(axis=1, initial=0)
    none = largest == 0
    scaled = points / np.where(none, 1, largest)[:, None]  # first, for float32 may not hold squares
    unit = scaled / np.maximum(np.linalg.norm(scaled, axis=1), 1)[:, None]
    if none.any():
        unit = np.column_stack([unit, none.astype(np.float32)])
    return np.ascontiguousarray(unit, dtype=np.float32)


def weights(n: int, edges: IntArray) -> Floats:
    """Give every edge mean(N) / sqrt(N_p N_q), N the numbers of edges at the points: float64[m].

    So a point with many edges is pulled at no more than one with few (equation 5).
    """
    degree = np.bincount(edges.ravel(), minlength=n).astype(np.float64)
    ends = degree[edges]
    weight: Floats = degree.mean() / np.sqrt(ends[:, 0] * ends[:, 1])
    return weight


def _spanning(n: int, edges: IntArray, lengths: Floats, *, squared: bool) -> IntArray:
    """Give a minimum spanning forest, int32[f, 2], the lower point first.

    Parameters
    ----------
    squared
        Whether half the squared length counts: between directions it is the cosine distance.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    apart = (lengths**2 / 2 if squared else lengths) + _LEAST_LENGTH
    graph = csr_array((apart, (edges[:, 0], edges[:, 1])), shape=(n, n))
    forest = minimum_spanning_tree(graph).tocoo()
    pairs = np.column_stack([forest.row, forest.col])
    return np.sort(pairs, axis=1).astype(np.int32)
