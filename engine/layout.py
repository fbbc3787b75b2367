"""Layout: the fixed map, on which items that are alike lie together.

Hides how high-dimensional features become a picture: principal components, then t-SNE with
interpolated repulsion, of a sample when there are many items. Promises that the map depends on
nothing but points and seed, and that nothing of size n x n is held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_Array = npt.NDArray[np.float64]

_TEXT = "Drawing the map"
_DRAWN = 12_000  # with more items a sample of so many is laid out, and guides the others
_GUIDES = 5  # drawn items that an item not drawn is put beside
_FAR = 1e15  # a score whose square float32 still holds
_COMPONENTS = 50  # principal components in which neighbours are looked up
_EXACT = 1024  # with more rows and columns than this the components are found by iteration
_FEWEST = 5  # with fewer items there is no neighbourhood to preserve: PCA alone
_EARLY = 120  # gradient steps with early exaggeration, ...
_STEPS = 400  # ... and with those that follow
_EXAGGERATION = 12.0
_SEPARATION = 1.5  # exaggeration to the end: groups part more clearly than at 1
_BLOCK = 1 << 22  # values or distances dealt with at a time
_SPACING = 0.4  # of the grid's nodes on the map while it is drawn (the kernel's width is 1)


def project_to_map(
    points: npt.ArrayLike, seed: int, job: Job, *, refine: bool = True
) -> FloatArray:
    """Lay the items out on a plane so that similar ones lie together.

    Parameters
    ----------
    points
        float[n, d], finite, n >= 1.
    seed
        The project's seed.
    job
        Told "Drawing the map"; may stop it.
    refine
        Whether t-SNE follows the principal components.

    Returns
    -------
    float32[n, 2] within [-1, 1], read-only.

    Raises
    ------
    Cancelled
        When the job was stopped.

    References
    ----------
    van der Maaten & Hinton, "Visualizing data using t-SNE", JMLR 9 (2008), eqs. 1 and 3-5.
    Linderman et al., "Fast interpolation-based t-SNE", Nature Methods 16 (2019): the repulsion.
    Kobak & Berens, Nature Communications 10 (2019): start from PCA, learning rate by n.
    """
    array = np.asarray(points, dtype=np.float32)
    job.step(0, _STEPS, _TEXT)
    rng = np.random.default_rng([seed % 2**63, 0x6D6170])  # "map": a stream of its own
    if refine and len(array) > _DRAWN:
        plane = _drawn_by_sample(array, rng, job)
    else:
        plane = _drawn(_principal_components(array, rng, job)[0], rng, job, refine=refine)
    plane -= (plane.min(axis=0) + plane.max(axis=0)) / 2
    extent = np.abs(plane).max()
    if extent > 0:
        plane /= extent
    job.step(_STEPS, _STEPS, _TEXT)
    drawn = plane.astype(np.float32)
    drawn.flags.writeable = False
    return drawn


def _drawn(scores: _Array, rng: np.random.Generator, job: Job, *, refine: bool) -> _Array:
    """Lay out all of `scores` float64[n, k]; float64[n, 2], in no particular unit."""
    plane = np.zeros((len(scores), 2))
    plane[:, : min(2, scores.shape[1])] = scores[:, :2]
    if refine and len(scores) >= _FEWEST:
        plane = _tsne(scores, plane, rng, job)
    return plane


def _drawn_by_sample(array: FloatArray, rng: np.random.Generator, job: Job) -> _Array:
    """Lay out a sample, and put every other item beside those of the sample that are most like it.

    The time of t-SNE is then that of the sample, whatever n is. Copies of an item of the sample
    lie where it lies.
    """
    n = len(array)
    sample = np.sort(rng.choice(n, _DRAWN, replace=False))
    scores, project = _principal_components(array[sample], rng, job)
    plane = np.empty((n, 2))
    plane[sample] = guides = _drawn(scores, rng, job, refine=True)
    reach = float(np.ptp(guides, axis=0).prod()) * _GUIDES / _DRAWN  # so many lie as near as that
    others = np.setdiff1d(np.arange(n), sample)
    rows = max(1, _BLOCK // array.shape[1])
    for begin in range(0, len(others), rows):
        part = others[begin : begin + rows]
        apart, nearest = _nearest(scores, _GUIDES, job, project(array[part]))
        plane[part] = _beside(guides[nearest], apart, reach)
    return plane


def _beside(guides: _Array, apart: _Array, reach: float) -> _Array:
    """Give the places float64[m, 2] of items beside their guides float64[m, k, 2].

    A mean weighted by squared distance `apart` float64[m, k], nearest first. A guide beyond the
    squared distance `reach` from the nearest one on the map hardly counts: what lies between two
    groups there lies in neither.
    """
    away = np.square(guides - guides[:, :1]).sum(axis=2)
    farthest = np.where(apart[:, -1:] > 0, apart[:, -1:], 1.0)
    weights = 1.0 / (np.maximum(apart / farthest, 1e-12) * (1.0 + away / max(reach, 1e-12)))
    weights[apart[:, 0] == 0, 1:] = 0.0  # a copy of the first
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray((weights[:, :, None] * guides).sum(axis=1))


def _principal_components(
    array: FloatArray, rng: np.random.Generator, job: Job
) -> tuple[_Array, Callable[[FloatArray], _Array]]:
    """Scores float64[n, <= 50] on the leading components; signs by the largest score.

    The second thing given projects other rows onto the same components.

    The smaller of the two Gram matrices is decomposed; where both are large, a randomised range
    finder with two power iterations takes its place (Halko, Martinsson & Tropp 2011, alg. 4.4).
    """
    n, d = array.shape
    kept = min(_COMPONENTS, n, d)
    mean = array.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = np.empty_like(array)
    blocks = [slice(begin, begin + _BLOCK // d + 1) for begin in range(0, n, _BLOCK // d + 1)]
    largest = 1e-30
    for block in blocks:
        job.step()
        np.subtract(array[block], mean, out=centred[block])
        largest = max(largest, float(np.abs(centred[block]).max()))
    for block in blocks:
        job.step()
        centred[block] /= largest  # squares must stay within float32
    basis = None
    if min(n, d) > _EXACT:
        basis = rng.standard_normal((d, kept + 10), dtype=np.float32)
        for _ in range(3):
            job.step()
            basis, _r = np.linalg.qr(centred @ basis)
            job.step()
            basis = centred.T @ basis
        basis, _r = np.linalg.qr(basis)
        centred = centred @ basis
    wide = centred.shape[1] > n
    gram = (centred @ centred.T if wide else centred.T @ centred).astype(np.float64)
    values, vectors = np.linalg.eigh(gram)
    job.step()
    values, vectors = values[::-1][:kept], vectors[:, ::-1][:, :kept]
    scores = vectors * np.sqrt(np.maximum(values, 0.0)) if wide else centred @ vectors
    top = np.abs(scores).argmax(axis=0)
    signs = np.where(scores[top, np.arange(kept)] < 0, -1.0, 1.0)

    def project(rows: FloatArray) -> _Array:
        others = np.subtract(rows, mean, dtype=np.float64) / largest
        if basis is not None:
            others = others @ basis
        turn = vectors / np.sqrt(np.maximum(values, 1e-30)) if wide else vectors
        found = (others @ centred.T if wide else others) @ (turn * signs)
        return np.asarray(found.clip(-_FAR, _FAR), dtype=np.float64)

    return np.asarray(scores * signs, dtype=np.float64), project


def _tsne(scores: _Array, start: _Array, rng: np.random.Generator, job: Job) -> _Array:
    """Refine `start` float64[n, 2] by t-SNE; two phases of gradient descent with momentum."""
    n = len(start)
    affinities = _affinities(scores, job)
    # A tiny spread from the principal components; the jitter parts exact duplicates.
    spread = start[:, 0].std()
    plane = (start / spread if spread > 0 else start) * 1e-4
    plane = plane + rng.normal(scale=1e-6, size=plane.shape)
    velocity, gains = np.zeros_like(plane), np.ones_like(plane)
    rate = n / _EXAGGERATION
    for step in range(_STEPS):
        job.step(step, _STEPS, _TEXT)
        early = step < _EARLY
        gradient = _attraction(plane, affinities) * (_EXAGGERATION if early else _SEPARATION)
        gradient -= _repulsion(plane)
        agree = np.sign(gradient) == np.sign(velocity)
        gains = np.maximum(np.where(agree, gains * 0.8, gains + 0.2), 0.01)
        velocity *= 0.5 if early else 0.8
        velocity -= rate * gains * gradient
        plane = plane + velocity
        plane -= plane.mean(axis=0)
    return plane


def _affinities(scores: _Array, job: Job) -> csr_array:
    """Joint probabilities p_ij of neighbours, upper triangle only, summing to 1/2 (eq. 1)."""
    from scipy.sparse import csr_array, triu

    n = len(scores)
    # Fewer neighbours on large data: the picture hardly changes, and memory and time do.
    perplexity = min(30.0 if n <= 4000 else 12.0, (n - 1) / 3)
    distances, neighbours = _nearest(scores, min(n - 1, int(3 * perplexity)), job)
    target = np.log(perplexity)
    low, high = np.zeros(n), np.full(n, np.inf)
    # Scaled by each item's own distances, so that the search starts near its end.
    shifted = distances - distances[:, :1]
    scale = shifted.mean(axis=1)
    shifted /= np.where(scale > 0, scale, 1.0)[:, None]
    precision = np.ones(n)
    for _ in range(40):
        job.step()
        weights = np.exp(-shifted * precision[:, None])
        total = weights.sum(axis=1)
        entropy = np.log(total) + precision * (shifted * weights).sum(axis=1) / total
        flat = entropy > target
        low, high = np.where(flat, precision, low), np.where(flat, high, precision)
        grown = np.where(np.isinf(high), precision * 2, (low + high) / 2)
        precision = np.minimum(grown, 1e12)  # many exact duplicates: no precision is enough
    conditional = (weights / total[:, None]).ravel()
    pointers = np.arange(n + 1) * neighbours.shape[1]
    directed = csr_array((conditional, neighbours.ravel(), pointers), shape=(n, n))
    joint = csr_array(triu(directed + directed.T, k=1))
    joint.data /= 2 * joint.data.sum()
    return joint


def _nearest(
    scores: _Array, k: int, job: Job, others: _Array | None = None
) -> tuple[_Array, npt.NDArray[np.int64]]:
    """Squared distances and ids of the k nearest of `scores`, [n, k] each, nearest first; exact.

    For each of `others`, or without these for each of `scores`, itself left out.
    """
    import torch

    points = torch.from_numpy(scores.astype(np.float32))
    wanted = points if others is None else torch.from_numpy(others.astype(np.float32))
    squares = (points * points).sum(dim=1)
    own = squares if others is None else (wanted * wanted).sum(dim=1)
    n = len(wanted)
    rows = max(1, _BLOCK // len(points))
    distances, neighbours = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
    for begin in range(0, n, rows):
        job.step(0 if others is None else _STEPS - 1, _STEPS, _TEXT)
        end = min(n, begin + rows)
        block = torch.addmm(squares, wanted[begin:end], points.T, alpha=-2.0)
        block += own[begin:end, None]
        if others is None:
            block[torch.arange(end - begin), torch.arange(begin, end)] = torch.inf
        nearest, ids = torch.topk(block, k, dim=1, largest=False)
        distances[begin:end], neighbours[begin:end] = nearest.clamp_(min=0).numpy(), ids.numpy()
    return distances, neighbours


def _attraction(plane: _Array, affinities: csr_array) -> _Array:
    """First sum of the gradient: sum_j p_ij q_ij Z (y_i - y_j), over neighbours only."""
    from scipy.sparse import csr_array

    n = len(plane)
    heads = np.repeat(np.arange(n), np.diff(affinities.indptr))
    apart = plane[heads] - plane[affinities.indices]
    pull = affinities.data / (1.0 + np.einsum("ij,ij->i", apart, apart))
    half = csr_array((pull, affinities.indices, affinities.indptr), shape=(n, n))
    weighted = np.column_stack([np.ones(n), plane])
    sums = half @ weighted + half.T @ weighted
    return np.asarray(plane * sums[:, :1] - sums[:, 1:])


def _repulsion(plane: _Array) -> _Array:
    """Second sum of the gradient: sum_j q_ij^2 Z (y_i - y_j), from a grid.

    Each item is spread over the 3 x 3 nodes around it with quadratic Lagrange weights; sums
    between nodes are convolutions. Unlike the paper the kernel is the force itself: it is odd, so
    that no item pushes itself, whatever the grid.
    """
    from scipy import fft
    from scipy.sparse import csr_array

    n = len(plane)
    low = plane.min(axis=0)
    span = max(float((plane.max(axis=0) - low).max()), 1e-12)
    side = int(np.clip(np.ceil(span / _SPACING), 48, 256))
    position = (plane - low) / span * (side - 3) + 1.0
    middle = np.rint(position).astype(np.int64)
    t = position - middle  # in node distances from the nearest node
    along = np.stack([t * (t - 1) / 2, 1 - t * t, t * (t + 1) / 2])
    weights = along[:, None, :, 0] * along[None, :, :, 1]
    steps = np.array([-1, 0, 1])[:, None]
    rows, columns = middle[:, 0] + steps, middle[:, 1] + steps
    nodes = rows[:, None, :] * side + columns[None, :, :]
    pointers = np.arange(n + 1) * 9
    spread = csr_array(
        (weights.reshape(9, n).T.ravel(), nodes.reshape(9, n).T.ravel(), pointers),
        shape=(n, side * side),
    )
    size = fft.next_fast_len(2 * side, real=True)
    offset = fft.fftfreq(size, 1 / size) * (span / (side - 3))
    kernel = 1.0 / (1.0 + offset[:, None] ** 2 + offset**2)
    force = kernel * kernel * offset[:, None]
    counts = np.asarray(spread.sum(axis=0)).reshape(side, side)
    kernels = fft.rfft2(np.stack([kernel, force, force.T]))
    sums = fft.irfft2(kernels * fft.rfft2(counts, s=(size, size)), s=(size, size))
    felt = spread @ sums[:, :side, :side].reshape(3, side * side).T
    normaliser = max(float(felt[:, 0].sum()) - n, 1e-12)
    return np.asarray(felt[:, 1:] / normaliser)
