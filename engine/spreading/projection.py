"""The E-step: a space in which must-linked items lie close and cannot-linked ones far apart.

Hidden here: the eigenproblem and how it is kept small. Promised: the same links and points give
the same space, signs included.

References
----------
algorithms.md, sec. 6, "E-step": B w = lambda P w with the Laplacians of both kinds of links.
Belkin & Niyogi (2003), Laplacian eigenmaps, for the graph Laplacian D - A.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.spreading.links import Links

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

_AXES = 256  # kept at most of the points: the eigenproblem takes their cube
_EIGEN = 1e-8  # of the largest eigenvalue: below it there is only rounding
_BLOCK = 2e7  # products between two job steps


def principal(points: npt.NDArray[np.floating]) -> tuple[Floats, float]:
    """Turn points onto their principal axes, the widest first; axes without spread are left out.

    Turning changes no distance and no solution of the eigenproblem, as its Tikhonov term is the
    same in all directions. Only of more than 256 axes are the narrowest left out.

    Returns
    -------
    tuple
        float64[n, r] around 0, and the share of the squared spread that it has.
    """
    from scipy.linalg import eigh

    centred = points - points.mean(axis=0, dtype=np.float64)
    n, d = centred.shape
    wide = d > n
    spread, axes = eigh(centred @ centred.T if wide else centred.T @ centred)
    spread, axes = np.maximum(spread[::-1], 0), axes[:, ::-1]
    kept = min(_AXES, max(1, int(np.count_nonzero(spread > 1e-12 * spread[0]))))
    if wide:  # the Gram matrix holds the coordinates themselves
        turned: Floats = axes[:, :kept] * np.sqrt(spread[:kept])
    else:
        turned = centred @ axes[:, :kept]
    total = float(spread.sum())
    return _signed(turned), float(spread[:kept].sum()) / total if total else 1.0


def project(
    points: Floats, must: Links, cannot: Links, job: Job, *, tikhonov: float, components: int = 0
) -> Floats:
    """Solve B w = lambda P w for B = X'L(C)X and P = X'L(M)X + aI, and give Y = XW.

    Parameters
    ----------
    points
        float64[n, m], X.
    tikhonov
        a, above 0: keeps P invertible, and directions without must-links in bounds.
    components
        The most eigenvectors kept, those of the largest eigenvalues first; 0 = all that are above
        1e-8 of the largest, at most the rank of B.

    Returns
    -------
    Floats
        float64[n, c]. Eigenvectors have w'Pw = 1. Without cannot-links there is nothing to be
        pulled apart, and Y = XP^(-1/2).
    """
    from scipy.linalg import eigh

    near = scatter(points, must, job) + tikhonov * np.eye(points.shape[1])
    job.step()
    if not len(cannot):
        values, vectors = eigh(near)
        return points @ (vectors / np.sqrt(values)) @ vectors.T
    far = scatter(points, cannot, job)
    job.step()
    values, vectors = eigh(far, near)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = max(1, int(np.count_nonzero(values > _EIGEN * max(values[0], 0))))
    kept = min(kept, components) if components else kept
    return _signed(points @ vectors[:, :kept])


def scatter(points: Floats, links: Links, job: Job) -> Floats:
    """Give X'L(A)X, the sum over all links of a_ij (x_i - x_j)(x_i - x_j)': float64[m, m]."""
    graph = links.graph().astype(np.float64)
    degree = graph.sum(axis=1)
    drawn: Floats = (points * degree[:, None]).T @ points
    for rows in _blocks(graph, points.shape[1]):
        job.step()
        drawn -= points[rows].T @ (graph[rows] @ points)
    return (drawn + drawn.T) / 2


def _blocks(graph: csr_array, width: int) -> list[slice]:
    """Cut the rows so that each block has about as many links."""
    total = graph.nnz * width
    parts = max(1, int(total / _BLOCK))
    ends = np.searchsorted(graph.indptr, np.linspace(0, graph.nnz, parts + 1)[1:-1])
    bounds = np.unique(np.concatenate([[0], ends, [graph.shape[0]]])).tolist()
    return [slice(one, other) for one, other in pairwise(bounds)]


def _signed(space: Floats) -> Floats:
    """Turn every axis so that its item farthest out has a positive place: it is drawn as a map."""
    if not space.size:
        return space
    far = np.abs(space).argmax(axis=0)
    signs = np.where(space[far, np.arange(space.shape[1])] < 0, -1.0, 1.0)
    turned: Floats = space * signs
    return turned
