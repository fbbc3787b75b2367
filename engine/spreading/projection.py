"""The E-step: a space in which must-linked items lie close and cannot-linked ones far apart.

Hidden here: the eigenproblem and how it is kept small. Promised: the same links and points give
the same space, signs included.

References
----------
CS-PDS, its E-step: B w = lambda P w with the Laplacians of both kinds of links. How many
eigenvectors are kept, and what is done without cannot-links, are decisions of ours.
Belkin & Niyogi (2003), Laplacian eigenmaps, for the graph Laplacian D - A.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.spreading.links import Links

Floats = npt.NDArray[np.float64]

_AXES = 256  # kept at most of the points: the eigenproblem takes their cube
_EIGEN = 1e-8  # of the largest eigenvalue: below it there is only rounding
_HELD_BACK = 0.3  # of the total variance
_SMALL = 0.01  # of items that are all the same
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


def held_back(points: Floats) -> float:
    """Give a Tikhonov term by the items' total variance, for points around 0: float64[n, m].

    The term has the unit of a squared distance, so a fixed one means another thing for features
    of every scale and number. Where it is small beside the spread, the few directions between
    must-linked items shrink to nothing in many dimensions: then no other item is as near as these,
    and nothing spreads. A decision of ours; the source's value for features of [0, 1] is 0.01.
    """
    return _HELD_BACK * float(np.square(points).sum()) / len(points) or _SMALL


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
    n, m = points.shape
    degree, crossed = np.zeros(n), np.zeros((m, m))
    for rows in _blocks(links, m):
        job.step()
        half = links.half(rows).astype(np.float64)
        degree[rows] += half.sum(axis=1)
        degree += half.sum(axis=0)
        crossed += points[rows].T @ (half @ points)
    drawn: Floats = (points * degree[:, None]).T @ points - crossed - crossed.T
    return (drawn + drawn.T) / 2


def _blocks(links: Links, width: int) -> list[slice]:
    """Cut the items so that each block has about as many links to higher ones."""
    parts = max(1, int(len(links) * (width + 8) / _BLOCK))
    ends = links.keys[np.linspace(0, len(links), parts + 1).astype(np.int64)[1:-1]] // links.n
    bounds = np.unique(np.concatenate([[0], ends, [links.n]])).tolist()
    return [slice(one, other) for one, other in pairwise(bounds)]


def _signed(space: Floats) -> Floats:
    """Turn every axis so that its item farthest out has a positive place: it is drawn as a map."""
    if not space.size:
        return space
    far = np.abs(space).argmax(axis=0)
    signs = np.where(space[far, np.arange(space.shape[1])] < 0, -1.0, 1.0)
    turned: Floats = space * signs
    return turned
