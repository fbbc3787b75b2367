"""Overview: the fixed 2-D map, and the groups of one state with numbers that stay theirs.

Hides how high-dimensional features become a picture (PCA, then t-SNE with interpolated
repulsion) and how groups of two revisions are matched. Promises that the map depends on nothing
but points and seed, that a group keeps its slot for as long as most of its items stay together,
and that nothing of size n x n is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import Clustering, FloatArray, Group, IntArray, Overview

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_Array = npt.NDArray[np.float64]
_Kind = TypeVar("_Kind", bound=np.generic)

_TEXT = "Drawing the map"
_COMPONENTS = 50  # principal components in which neighbours are looked up
_EXACT = 1024  # with more rows and columns than this the components are found by iteration
_FEWEST = 5  # with fewer items there is no neighbourhood to preserve: PCA alone
_EARLY, _LATE = 120, 280  # gradient steps with and without early exaggeration
_EXAGGERATION = 12.0
_SEPARATION = 1.5  # exaggeration to the end: groups part more clearly than at 1
_BLOCK = 1 << 22  # values or distances dealt with at a time
_ONE = int(np.float32(1).view(np.int32))  # its bits
_SPACING = 0.4  # of the grid's nodes on the map while it is drawn (the kernel's width is 1)


# ---------------------------------------------------------------------------- the map


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
    steps = _EARLY + _LATE
    job.step(0, steps, _TEXT)
    rng = np.random.default_rng([seed % 2**63, 0x6D6170])  # "map": a stream of its own
    scores = _principal_components(array, rng, job)
    plane = np.zeros((len(array), 2))
    plane[:, : min(2, scores.shape[1])] = scores[:, :2]
    if refine and len(array) >= _FEWEST:
        plane = _tsne(scores, plane, rng, job)
    plane -= (plane.min(axis=0) + plane.max(axis=0)) / 2
    extent = np.abs(plane).max()
    if extent > 0:
        plane /= extent
    job.step(steps, steps, _TEXT)
    return _frozen(plane.astype(np.float32))


def _principal_components(array: FloatArray, rng: np.random.Generator, job: Job) -> _Array:
    """Scores float64[n, <= 50] on the leading components; signs by the largest score.

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
    return np.asarray(scores * signs, dtype=np.float64)


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
    for step in range(_EARLY + _LATE):
        job.step(step, _EARLY + _LATE, _TEXT)
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


def _nearest(scores: _Array, k: int, job: Job) -> tuple[_Array, npt.NDArray[np.int64]]:
    """Squared distances and ids of the k nearest others, [n, k] each, nearest first; exact."""
    import torch

    points = torch.from_numpy(scores.astype(np.float32))
    squares = (points * points).sum(dim=1)
    n = len(points)
    rows = max(1, _BLOCK // n)
    distances, neighbours = np.empty((n, k)), np.empty((n, k), dtype=np.int64)
    for begin in range(0, n, rows):
        job.step(0, _EARLY + _LATE, _TEXT)
        end = min(n, begin + rows)
        block = torch.addmm(squares, points[begin:end], points.T, alpha=-2.0)
        block += squares[begin:end, None]
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


# ---------------------------------------------------------------------------- the groups


def match_slots(
    labels: IntArray, previous_slots: IntArray | None, anchors: Sequence[int] = ()
) -> IntArray:
    """Give every group a slot, keeping those of an earlier revision: by anchors, then overlap.

    Parameters
    ----------
    labels
        int32[n], groups 0..k-1; -1 = in no group.
    previous_slots
        int32[n], slot of each item's group before; -1 = none. None = nothing before.
    anchors
        Item ids whose group was settled by answers before. A group is known by what the person
        said of it: one anchor outweighs any number of items that only moved along.

    Returns
    -------
    int32[n], slots from 0; -1 where the label is -1. Groups that keep no slot take the smallest
    free numbers, the largest group first. O(n log n), ties by label: deterministic.
    """
    n_groups = int(labels.max(initial=-1)) + 1
    slot_of = np.full(n_groups, -1, dtype=np.int32)
    taken: set[int] = set()
    if previous_slots is not None:
        n_slots = int(previous_slots.max(initial=-1)) + 1
        pairs = labels.astype(np.int64) * n_slots + previous_slots  # one number for both: quick
        usable = (labels >= 0) & (previous_slots >= 0)
        found, counts = np.unique(pairs[usable], return_counts=True)
        known = np.array(sorted(set(anchors)), dtype=np.int64)
        known = known[usable[known]]
        np.add.at(counts, np.searchsorted(found, pairs[known]), len(labels) - 1)
        for which in np.argsort(-counts, kind="stable"):
            label, slot = divmod(int(found[which]), n_slots)
            if slot_of[label] < 0 and slot not in taken:
                slot_of[label] = slot
                taken.add(slot)
    sizes = np.bincount(labels[labels >= 0], minlength=n_groups)
    free = 0
    for label in np.lexsort((np.arange(n_groups), -sizes)):
        if slot_of[label] < 0:
            while free in taken:
                free += 1
            slot_of[label] = free
            taken.add(free)
    return _frozen(np.append(slot_of, np.int32(-1))[labels])


def build(
    clustering: Clustering,
    slots: IntArray,
    names: Mapping[int, str],
    set_aside: frozenset[int],
    conflicted: frozenset[int],
) -> Overview:
    """Describe the groups of one state, ready to draw.

    Parameters
    ----------
    clustering
        The grouping.
    slots
        int32[n] from `match_slots`.
    names
        Item id -> name given to the group that holds it, oldest first: the latest wins.
    set_aside
        Item ids that belong to no group now.
    conflicted
        Item ids that take part in contradicting answers.
    """
    shown = slots.copy()
    shown[list(set_aside)] = -1
    confidence = clustering.confidence
    prototypes = tuple(item for item in clustering.exemplars if item not in set_aside)
    order = _ordered(shown, confidence, prototypes)
    edges = np.flatnonzero(np.diff(shown[order])) + 1
    name_of = {int(shown[item]): name for item, name in names.items()}
    disputed = {int(shown[item]) for item in conflicted}
    groups = []
    for members in np.split(order, edges) if len(order) else []:
        slot = int(shown[members[0]])
        groups.append(
            Group(
                slot=slot,
                name=name_of.get(slot, ""),
                exemplar=int(members[0]),
                members=_frozen(members),
                confidence=float(confidence[members].mean()),
                in_conflict=slot in disputed,
            )
        )
    groups.sort(key=lambda group: (-group.size, group.slot))
    return Overview(
        groups=tuple(groups),
        slots=_frozen(shown),
        confidence=confidence,
        prototypes=prototypes,
        criticisms=tuple(item for item in clustering.criticisms if item not in set_aside),
    )


def _ordered(shown: IntArray, confidence: FloatArray, first: tuple[int, ...]) -> IntArray:
    """Sort the items shown by slot, the surest ahead, but `first` at the head of each group.

    All but the slot goes into one whole number per item, as that sorts much faster than several
    keys: the bits of a float in [0, 1] rise as it does.
    """
    doubt = _ONE - (confidence + np.float32(0)).view(np.int32).astype(np.int64)  # + 0: no -0
    keys = np.arange(len(shown)) | doubt << 32 | 1 << 62
    keys[list(first)] &= ~(1 << 62)
    keys = np.sort(keys[shown >= 0])
    items = (keys & 0xFFFFFFFF).astype(np.int32)
    slots = shown[items]
    if slots.max(initial=0) < 2**15:
        slots = slots.astype(np.int16)  # of these numpy sorts by counting
    return items[np.argsort(slots, kind="stable")]


def _frozen(array: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
    """Make an array read-only: snapshots are shared between threads."""
    array.flags.writeable = False
    return array
