"""Solves: the linear systems of RCC, sparse and symmetric positive definite.

Hidden here: factorising small ones, and conjugate gradients for large ones, a few columns at a
time and in an order that keeps neighbours close in memory. Promised: neither holds a matrix of all
pairs; both can be stopped between steps; the same result to the precision asked for.

References
----------
Hestenes & Stiefel (1952), Methods of conjugate gradients for solving linear systems; with the
approximate inverse of `engine.clusterers.rcc.multigrid`. Cuthill & McKee (1969), Reducing the
bandwidth of sparse symmetric matrices: the order.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.clusterers.rcc.multigrid import Multigrid
from engine.job import Job
from engine.model import IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

SOLVERS = ("auto", "direct", "gradients")
PRECISION = 1e-6
"""Length of what is left of a right-hand side, over its own, at which gradients stop."""

_MOST_WORK = 2e9  # multiplications of a factorisation, which cannot be stopped: about a second
_BLOCK_VALUES = 2**20  # of a matrix worked on at once
_COLUMNS = 16  # of a right-hand side worked on at once: two lines of fast memory a point
_SMALL = 256  # rows or columns up to which norms come from a dense matrix
_DENSE = 1500  # rows or columns up to which principal directions come from a dense matrix
_MOST_STEPS = 2000
_NORM_PRECISION = 1e-7


def laplacian(n: int, edges: IntArray, strengths: Floats) -> csr_array:
    """Give A = diag(R 1) - R, float64[n, n] sparse, where R holds the strength of each edge."""
    from scipy.sparse import coo_array

    one, other = edges[:, 0], edges[:, 1]
    pulled = np.bincount(edges.ravel(), np.repeat(strengths, 2), minlength=n)
    every = np.arange(n, dtype=np.int32)
    values = np.concatenate([pulled, -strengths, -strengths])
    rows, columns = np.concatenate([every, one, other]), np.concatenate([every, other, one])
    matrix: csr_array = coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    return matrix


def system(diagonal: Floats, pull: csr_array, strength: float) -> csr_array:
    """Give diag(diagonal) + strength * pull, float64[n, n] sparse."""
    from scipy.sparse import diags_array

    whole: csr_array = (diags_array(diagonal) + strength * pull).tocsr()
    return whole


def ratio(data: float, pull: float) -> float:
    """Give lambda, which balances two norms; 0 where nothing pulls."""
    return data / pull if pull > 0 else 0.0


def largest_eigenvalue(matrix: csr_array, start: Floats, job: Job) -> float:
    """Give the largest eigenvalue of a symmetric matrix without negative ones.

    Parameters
    ----------
    start
        float64[n], random: where the search begins.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = matrix.shape[0]
    if n <= _SMALL:
        return float(np.linalg.eigvalsh(matrix.toarray())[-1])

    def times(vector: Floats) -> Floats:
        job.step()
        product: Floats = matrix @ vector
        return product

    operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
    values = eigsh(
        operator, k=1, which="LA", v0=start, tol=_NORM_PRECISION, return_eigenvectors=False
    )
    return float(values[-1])


def spectral_norm(rows: Floats, start: Floats, job: Job) -> float:
    """Give the largest singular value of a matrix, float64[n, d].

    Parameters
    ----------
    start
        float64[min(n, d)], random.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    if len(rows) < rows.shape[1]:
        rows = rows.T
    size = float(np.abs(rows).max(initial=0))
    if size == 0:
        return 0.0
    d = rows.shape[1]
    if d <= _SMALL:
        job.step()
        gram = sum(_gram(rows, size, job))
        return size * float(np.sqrt(max(0.0, np.linalg.eigvalsh(gram)[-1])))

    def times(vector: Floats) -> Floats:
        job.step()
        product: Floats = rows.T @ (rows @ (vector / size)) / size
        return product

    operator = LinearOperator((d, d), matvec=times, dtype=np.float64)
    values = eigsh(
        operator, k=1, which="LA", v0=start, tol=_NORM_PRECISION, return_eigenvectors=False
    )
    return size * float(np.sqrt(max(0.0, values[-1])))


def _gram(rows: Floats, size: float, job: Job) -> list[Floats]:
    """Give the parts of X^T X / size², a block of rows each."""
    block = max(1, _BLOCK_VALUES // rows.shape[1])
    parts = []
    for first in range(0, len(rows), block):
        job.step()
        some = rows[first : first + block] / size
        parts.append(some.T @ some)
    return parts


def principal(rows: Floats, count: int, random: np.random.Generator, job: Job) -> Floats:
    """Give the directions in which rows, measured from their mean, spread most: float64[d, count].

    The largest entry of each is positive, so that signs are no matter of chance.

    Parameters
    ----------
    rows
        float64[n, d]; `count` is at most the lesser of d and n - 1.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    n, d = rows.shape
    mean = rows.mean(axis=0)
    size = float(np.abs(rows - mean).max()) or 1.0
    if d <= _DENSE:
        gram = sum(_gram(rows - mean, size, job))
        basis = np.linalg.eigh(gram)[1][:, ::-1][:, :count]
    elif n <= _DENSE:
        centred = (rows - mean) / size
        job.step()
        basis = np.linalg.svd(centred, full_matrices=False)[2][:count].T
    else:

        def times(vector: Floats) -> Floats:
            job.step()
            away = rows @ vector - mean @ vector
            product: Floats = (rows.T @ away - mean * away.sum()) / size**2
            return product

        operator = LinearOperator((d, d), matvec=times, dtype=np.float64)
        start = random.standard_normal((d,))
        basis = eigsh(operator, k=count, which="LA", v0=start, tol=_NORM_PRECISION)[1][:, ::-1]
    largest = basis[np.abs(basis).argmax(axis=0), np.arange(count)]
    directions: Floats = np.ascontiguousarray(basis * np.where(largest < 0, -1, 1))
    return directions


def solve(
    matrix: csr_array, right: Floats, start: Floats, solver: str, work: float, job: Job
) -> Floats:
    """Solve a symmetric positive definite system for many right-hand sides.

    Parameters
    ----------
    matrix
        float64[n, n], sparse.
    right
        float64[n, d].
    start
        float64[n, d], a guess, such as the solution of the system before.
    solver
        One of `SOLVERS`; "auto" factorises where that takes a second at most, for it cannot be
        stopped.
    work
        Multiplications that a factorisation would take.

    Returns
    -------
    Floats
        float64[n, d].
    """
    if solver == "direct" or (solver == "auto" and work <= _MOST_WORK):
        # On data of extreme scale what pulls outweighs what holds by more than the digits of a
        # number, and no factors are found: gradients come as near as can be.
        with contextlib.suppress(RuntimeError):
            return _factorised(matrix, right, job)
    return _by_gradients(matrix, right, start, job)


def _factorised(matrix: csr_array, right: Floats, job: Job) -> Floats:
    """Solve by one factorisation; symmetric, so nothing is exchanged for size."""
    from scipy.sparse.linalg import splu

    job.step()
    factors = splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    job.step()
    solution: Floats = factors.solve(right)
    return solution


def _by_gradients(matrix: csr_array, right: Floats, start: Floats, job: Job) -> Floats:
    """Solve a few columns at a time, points put in an order in which neighbours are close.

    What a point reads of its neighbours is then at hand, in the fast memory next to the processor:
    most of the time would go in waiting for it.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    job.step()
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    job.step()
    ordered = matrix[order][:, order]
    ordered.sort_indices()
    inverse = Multigrid(ordered, job)
    found = np.empty_like(right)
    for first in range(0, right.shape[1], _COLUMNS):
        columns = slice(first, first + _COLUMNS)
        aim, guess = right[order, columns], start[order, columns]
        exponent = np.frexp(np.abs(aim).max(axis=0))[1]  # so that values are neither huge nor tiny
        aim, guess = np.ldexp(aim, -exponent), np.ldexp(guess, -exponent)
        found[order, columns] = np.ldexp(_descended(ordered, inverse, aim, guess, job), exponent)
    return found


def _descended(
    matrix: csr_array, inverse: Multigrid, right: Floats, found: Floats, job: Job
) -> Floats:
    """Go down from a guess, which is overwritten, until every column is precise."""
    enough = PRECISION**2 * np.einsum("ij,ij->j", right, right)
    left = right - matrix @ found
    way = np.zeros_like(right)
    slope = np.ones(right.shape[1])
    for _ in range(_MOST_STEPS):
        job.step()
        going = np.einsum("ij,ij->j", left, left) > enough
        if not going.any():
            break
        towards = inverse(left)
        before, slope = slope, np.einsum("ij,ij->j", left, towards)
        # a column that has arrived stays as it is, for its slope may be nothing but rounding
        way *= np.divide(slope, before, out=np.zeros_like(slope), where=going & (before > 0))
        way += towards
        job.step()
        pushed = matrix @ way
        curve = np.einsum("ij,ij->j", way, pushed)
        by = np.divide(slope, curve, out=np.zeros_like(slope), where=going & (curve > 0))
        left -= np.multiply(by, pushed, out=pushed)
        found += np.multiply(by, way, out=pushed)
    return found
