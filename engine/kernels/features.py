"""Features F with K ~ F F^T, for sums over more points than can be compared with each other.

Hidden here: landmarks, factors, and how far off they are. Promised: seeded; a float32[n, rank]
within a byte budget; computed in tiles in float64; the error that was measured is told along.

References
----------
Williams & Seeger (2001), Using the Nystroem method to speed up kernel machines.
Rahimi & Recht (2007), Random features for large-scale kernel machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.kernels import mmd
from engine.kernels.functions import Kernel, exact, squared_distances
from engine.kernels.matrix import TILE_BYTES, KernelMatrix

SUMS = ("auto", "exact", "nystroem", "random-features")
LANDMARKS = ("uniform", "k-means++", "prototypes")

EXACT = 5000
"""Up to so many points "auto" sums exactly."""

FEATURE_BYTES = 2**30
"""Memory that features may take."""

_POOL = 5000  # points among which landmarks are sought, and at least four per landmark
_JITTER, _MOST_JITTER = 1e-8, 1e-2  # added to the diagonal of the landmarks' kernel matrix
_TILE_WORK = 2e8  # multiplications in a tile: keeps the time between two job steps short
_COLUMNS, _PAIRS = 128, 1000  # looked at for the error


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far sums from features are off, on points drawn for the purpose.

    Attributes
    ----------
    sums, landmarks, rank
        How the sums were approximated; no landmarks for random features.
    columns
        Number of columns whose means were compared with the exact ones.
    mean_error, largest_error
        Absolute errors of these means, which are in [0, 1].
    share_of_spread
        Mean error over the standard deviation of the exact means: what decides which points are
        picked. 0 when the means are all the same.
    pairs
        Number of pairs whose kernel value was compared with the exact one.
    pair_error, largest_pair_error
        Absolute errors of these values.
    """

    sums: str
    landmarks: str
    rank: int
    columns: int
    mean_error: float
    largest_error: float
    share_of_spread: float
    pairs: int
    pair_error: float
    largest_pair_error: float


@dataclass(frozen=True, slots=True)
class Approximation:
    """Features float32[n, rank], and how far their sums are off."""

    features: torch.Tensor
    accuracy: Accuracy


def approximate(
    points: torch.Tensor,
    kernel: Kernel,
    *,
    sums: str = "auto",
    rank: int = 256,
    landmarks: str = "uniform",
    rng: np.random.Generator,
    job: Job,
    text: str = "",
    budget: int = FEATURE_BYTES,
) -> Approximation | None:
    """Find features for the kernel matrix of some points, unless it is to be summed exactly.

    Parameters
    ----------
    points
        Tensor[n, d]; features are on its device.
    sums
        One of `SUMS`. "auto" is "exact" up to 5000 points, then "nystroem" with as many landmarks
        as the budget allows, `rank` at most.
    rank
        Number of landmarks (never more than points) or of random features, >= 1.
    landmarks
        One of `LANDMARKS`. "uniform" draws points at random: quickest. "k-means++" draws them far
        apart, so that small groups have one too. "prototypes" takes what brings down MMD^2 most,
        for up to a second more of work (a few with 784 columns). The latter two look at 5000
        points drawn at random. Mean errors of the means on LETTER and PENDIGITS (UCI), as told by
        `simulate DATA --set sums=nystroem landmarks=NAME --json FILE`: 0.0017 and 0.0010 uniform,
        0.0017 and 0.0009 k-means++, 0.0007 and 0.0003 prototypes.
    text
        What this is for, in plain words; empty = no progress is reported.
    budget
        Bytes that features may take, with what is needed to compute them. Exact sums need none.

    Returns
    -------
    Approximation or None
        None for exact sums.

    Raises
    ------
    ParameterError
        For an unknown way to sum or to choose landmarks.
    ResourceError
        When features that were asked for by name do not fit in the budget.
    """
    _check("way to sum", sums, SUMS)
    _check("way to choose landmarks", landmarks, LANDMARKS)
    n, d = points.shape
    if sums == "exact" or (sums == "auto" and n <= EXACT):
        return None
    if sums != "random-features":
        rank = min(rank, n)
    fitting, taken = _fitting(sums, n, d, budget), _taken_by(sums, n, d, rank)
    if sums == "auto":
        sums, rank = "nystroem", max(1, min(rank, fitting))
    elif rank > fitting:
        raise ResourceError(
            f"{rank} features of each of {n} items take {taken / 2**20:,.0f} MiB; "
            f"{budget / 2**20:,.0f} MiB are allowed.",
            f"Choose a rank of at most {fitting}, or sums=exact, which takes longer."
            if fitting
            else "Choose sums=exact, which takes longer.",
        )
    if sums == "nystroem":
        chosen = _landmarks(landmarks, points, kernel, rank, rng, job)
        features = nystroem(points, kernel, chosen, job, text)
    else:
        landmarks, features = "", random_features(points, kernel, rank, rng, job, text)
    columns = _mean_errors(points, kernel, features, rng, job)
    pairs = _pair_errors(points, kernel, features, rng)
    return Approximation(features, Accuracy(sums, landmarks, rank, *columns, *pairs))


def _taken_by(sums: str, n: int, d: int, rank: int) -> int:
    """Give the bytes that features take, with what is needed to compute them.

    For random features these are their frequencies, float64[d, rank], twice while they are drawn,
    and a tile; for landmarks five float64[rank, rank], among them a Cholesky factor.
    """
    if sums == "random-features":
        return rank * (4 * n + 16 * d + 256)
    return rank * (4 * n + 40 * rank)


def _fitting(sums: str, n: int, d: int, budget: int) -> int:
    """Give the highest rank for which `_taken_by` is within the budget."""
    if sums == "random-features":
        return budget // _taken_by(sums, n, d, 1)
    return (math.isqrt(n * n + 10 * budget) - n) // 20


def nystroem(
    points: torch.Tensor,
    kernel: Kernel,
    landmarks: npt.NDArray[np.int64],
    job: Job,
    text: str = "",
) -> torch.Tensor:
    """Give F = K_nl L^-T with K_ll + 1e-8 I = L L^T, float32[n, len(landmarks)].

    With every point a landmark F F^T is K, but for what is added to the diagonal.
    """
    marks = _taken(points, landmarks)
    between = kernel(marks, marks).fill_diagonal_(1)
    whitening = _whitening(between.cpu()).to(marks.device)
    return _in_tiles(
        points, len(landmarks), lambda rows: kernel(rows, marks) @ whitening, job, text
    )


def random_features(
    points: torch.Tensor,
    kernel: Kernel,
    count: int,
    rng: np.random.Generator,
    job: Job,
    text: str = "",
) -> torch.Tensor:
    """Give sqrt(2 / R) cos(w . x + b) for R draws of w and b, float32[n, R].

    The error of a kernel value falls with the root of R: about 0.02 for R = 2000.
    """
    device = exact(points[:1]).device
    frequencies = torch.from_numpy(kernel.frequencies(points.shape[1], count, rng)).to(device)
    phases = torch.from_numpy(rng.uniform(0, 2 * math.pi, count)).to(device)
    scale = math.sqrt(2 / count)

    def waves(rows: torch.Tensor) -> torch.Tensor:
        return torch.addmm(phases, rows, frequencies).cos_().mul_(scale)

    return _in_tiles(points, count, waves, job, text)


def _in_tiles(
    points: torch.Tensor,
    rank: int,
    compute: Callable[[torch.Tensor], torch.Tensor],
    job: Job,
    text: str,
) -> torch.Tensor:
    """Compute features float32[n, rank] out of some rows in float64 at a time."""
    n, d = points.shape
    features = torch.empty((n, rank), dtype=torch.float32, device=points.device)
    size = min(TILE_BYTES // (8 * (d + 3 * rank)), int(_TILE_WORK / (rank * (d + rank))))
    size = max(16, size)
    for start in range(0, n, size):
        job.step(start, n, text)
        features[start : start + size] = compute(exact(points[start : start + size])).float()
    return features


def _whitening(between: torch.Tensor) -> torch.Tensor:
    """Give L^-T for landmarks' kernel values, with as little on the diagonal as will do."""
    identity = torch.eye(len(between), dtype=between.dtype)
    jitter = _JITTER
    while torch.linalg.cholesky_ex(between + jitter * identity).info and jitter < _MOST_JITTER:
        jitter *= 10  # rounding made it not quite positive definite
    factor = torch.linalg.cholesky(between + jitter * identity)
    inverse: torch.Tensor = torch.linalg.solve_triangular(factor, identity, upper=False)
    return inverse.T


def _landmarks(
    how: str,
    points: torch.Tensor,
    kernel: Kernel,
    count: int,
    rng: np.random.Generator,
    job: Job,
) -> npt.NDArray[np.int64]:
    """Choose `count` different points, in rising order."""
    n = len(points)
    if how == "uniform" or count == n:
        return np.sort(rng.choice(n, count, replace=False))
    pool = np.sort(rng.choice(n, min(n, max(_POOL, 4 * count)), replace=False))
    rows = _taken(points, pool)
    if how == "prototypes":
        matrix = KernelMatrix(rows, kernel)
        return np.sort(pool[mmd.prototypes(matrix, matrix.means(job), count, job)])
    return np.sort(pool[_far_apart(rows, count, rng, job)])


def _far_apart(
    rows: torch.Tensor, count: int, rng: np.random.Generator, job: Job
) -> npt.NDArray[np.int64]:
    """Pick by k-means++: each with a chance in proportion to the squared distance to the rest."""
    picked = [int(rng.integers(len(rows)))]
    squared = np.full(len(rows), np.inf)
    while len(picked) < count:
        job.step()
        apart = squared_distances(rows, rows[picked[-1:]])[:, 0].cpu().numpy()
        squared = np.minimum(squared, apart)
        if not squared.any():  # only copies are left
            break
        picked.append(int(rng.choice(len(rows), p=squared / squared.sum())))
    left = np.setdiff1d(np.arange(len(rows)), picked)
    return np.append(picked, rng.choice(left, count - len(picked), replace=False))


def _mean_errors(
    points: torch.Tensor,
    kernel: Kernel,
    features: torch.Tensor,
    rng: np.random.Generator,
    job: Job,
) -> tuple[int, float, float, float]:
    """Measure what `Accuracy` holds of columns."""
    n = len(points)
    columns = np.sort(rng.choice(n, min(n, _COLUMNS), replace=False))
    centres = _taken(points, columns)
    right = torch.zeros(len(columns), dtype=torch.float64, device=centres.device)
    size = max(16, int(_TILE_WORK / (len(columns) * (points.shape[1] + 40))) // 4)
    for start in range(0, n, size):
        job.step()
        right += kernel(exact(points[start : start + size]), centres).sum(0)
    right /= n
    found = KernelMatrix(points, kernel, features).means(job)
    off = (_taken(found, columns) - right).abs()
    spread, mean = float(right.std(correction=0)), float(off.mean())
    return len(columns), mean, float(off.max()), mean / spread if spread > 0 else 0.0


def _pair_errors(
    points: torch.Tensor, kernel: Kernel, features: torch.Tensor, rng: np.random.Generator
) -> tuple[int, float, float]:
    """Measure what `Accuracy` holds of pairs."""
    first, second = rng.integers(len(points), size=(2, _PAIRS))
    apart = torch.linalg.vector_norm(_taken(points, first) - _taken(points, second), dim=1)
    product = (_taken(features, first) * _taken(features, second)).sum(1)
    product[torch.from_numpy(first == second).to(product.device)] = 1  # as the diagonal is
    off = (product - kernel.of_distances(apart)).abs()
    return _PAIRS, float(off.mean()), float(off.max())


def _taken(rows: torch.Tensor, items: npt.NDArray[np.int64]) -> torch.Tensor:
    """Give some rows in float64."""
    return exact(rows.index_select(0, torch.from_numpy(items).to(rows.device)))


def _check(what: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        raise ParameterError(f"there is no {what} “{name}”.", f"Choose one of {', '.join(names)}.")
