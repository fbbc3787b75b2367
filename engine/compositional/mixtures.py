"""Fuzzy c-means and Gaussian mixtures: an item has all groups that answer for enough of it.

Baselines: an item between two groups has both, whatever the two make together. Hidden here: how
responsibilities are found, in blocks. Promised: no more groups than `degree` for any item.

References
----------
Bezdek (1981), fuzzy c-means; Dempster, Laird & Rubin (1977), expectation and maximisation. The
thresholds are those of the authors of compositional affinity propagation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import clusterers
from engine.clusterers.noted import answers_left_aside
from engine.compositional.functions import Compose, function_for
from engine.compositional.membership import Composed
from engine.compositional.nearest import fitted, read
from engine.compositional.params import ComposingParams
from engine.compositional.sets import check_degree
from engine.constraints import Constraints
from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

SHAPES = ("diagonal", "full")

_SETTLED = 0.005  # change of a responsibility, below which fuzzy c-means ends
_GAIN = 1e-3  # of the mean log likelihood: less ends the mixture
_RIDGE = 1e-6  # of the data's variance, added to every variance


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureParams(ComposingParams):
    """Parameters of both; `compose` has no part in the groups, only in how well they fit."""

    groups: int = field(metadata={"least": 1, "help": "How many single groups."})


@dataclass(frozen=True, slots=True, kw_only=True)
class FcmParams(MixtureParams):
    """Parameters of fuzzy c-means."""

    fuzziness: float = field(
        default=1.2,
        metadata={"above": 1.0, "help": "How much groups overlap; near 1 they hardly do."},
    )
    starts: int = field(
        default=10, metadata={"least": 1, "help": "Random starts; the best result is kept."}
    )
    rounds: int = field(
        default=1000, metadata={"least": 1, "more": True, "help": "Moves of the centres, at most."}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GmmParams(MixtureParams):
    """Parameters of Gaussian mixtures."""

    shape: str = field(
        default="diagonal",
        metadata={
            "choices": SHAPES,
            "help": "Whether features vary on their own within a group, or in any direction, which "
            "takes many more items than features.",
        },
    )
    rounds: int = field(default=100, metadata={"least": 1, "more": True, "help": "Rounds at most."})


class Fcm:
    """Fuzzy c-means: centres are means weighted by how much each answers for an item.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "fcm"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = FcmParams

    def __init__(self, params: FcmParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []
        self._warnings: list[str] = []

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Give each item the groups that answer for more than their share; answers are left aside.

        Raises
        ------
        ParameterError
            For a function, degree or number of groups that cannot be.
        """
        import torch

        params = self._params
        self._trace, self._warnings = [], answers_left_aside(self.name, constraints)
        g = _checked(self.name, problem, params)
        points = _points(problem, params, job)
        rng = problem.rng("fcm.starts")

        def attempt(start: int) -> tuple[float, torch.Tensor, torch.Tensor]:
            drawn = rng.choice(problem.n, params.groups, replace=False)
            found = self._descend(points, points[torch.from_numpy(drawn)], job)
            self._trace.append({"iteration": start + 1, "objective": found[0]})
            return found

        _, centres, shares = min(map(attempt, range(params.starts)), key=lambda found: found[0])
        return _thresholded(points, centres, shares, g, params, job)

    def report(self) -> dict[str, object]:
        """Give a line per start: the weighted sum of squared distances it came to."""
        return {"trace": list(self._trace), "warnings": list(self._warnings)}

    def _descend(
        self, points: torch.Tensor, centres: torch.Tensor, job: Job
    ) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Move the centres until no responsibility changes much; give objective and both."""
        import torch

        from engine.kernels import squared_distances

        params = self._params
        shares = torch.zeros((len(points), len(centres)), dtype=torch.float64)
        objective = math.inf
        for done in range(params.rounds):
            job.step(done, params.rounds, "Looking for groups")
            sums, weights = torch.zeros_like(centres), centres.new_zeros(len(centres))
            change, objective = 0.0, 0.0
            for rows, some in read(points, job):
                squares = squared_distances(some, centres)
                found = responsibilities(squares, params.fuzziness)
                change = max(change, float((found - shares[rows]).abs().max()))
                shares[rows] = found
                raised = found**params.fuzziness
                objective += float((raised * squares).sum())
                sums += raised.T @ some
                weights += raised.sum(0)
            if change < _SETTLED:
                break
            centres = torch.where(weights[:, None] > 0, sums / weights[:, None], centres)
        return objective, centres, shares


class Gmm:
    """A mixture of Gaussians, by expectation and maximisation from the groups of k-means.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "gmm"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = GmmParams

    def __init__(self, params: GmmParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []
        self._warnings: list[str] = []

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Give each item the groups that answer for more than their share; answers are left aside.

        Raises
        ------
        ParameterError
            For a function, degree or number of groups that cannot be.
        ResourceError
            When full covariances take more memory than allowed.
        """
        import torch

        params = self._params
        self._trace, self._warnings = [], answers_left_aside(self.name, constraints)
        g = _checked(self.name, problem, params)
        needed = 8 * 3 * params.groups * problem.d**2
        if params.shape == "full" and needed > params.memory * 10**6:
            raise ResourceError(
                f"full covariances of {problem.d:,} features take {needed / 1e6:,.0f} MB of "
                f"memory; {params.memory:,} MB are allowed",
                "Allow more, or take shape=diagonal.",
            )
        points = _points(problem, params, job)
        k = params.groups
        start = clusterers.make("kmeans", {"groups": str(k)})
        labels = start.cluster(problem.moved(points.numpy()), Constraints(), job).labels
        shares = torch.zeros((problem.n, k), dtype=torch.float64)
        shares[torch.arange(problem.n), torch.from_numpy(labels.astype(np.int64))] = 1
        ridge = _RIDGE * float((points - points.mean(0)).square().mean()) or 1.0
        likelihood = -math.inf
        means = points[:k]
        for done in range(1, params.rounds + 1):
            job.step(done, params.rounds, "Looking for groups")
            means, density = _maximised(points, shares, ridge, params.shape, job)
            before, likelihood = likelihood, 0.0
            for rows, some in read(points, job):
                joint = density(some)
                whole = joint.logsumexp(1, keepdim=True)
                shares[rows] = (joint - whole).exp()
                likelihood += float(whole.sum()) / problem.n
            self._trace.append({"iteration": done, "objective": likelihood})
            if likelihood - before < _GAIN:
                break
        return _thresholded(points, means, shares, g, params, job)

    def report(self) -> dict[str, object]:
        """Give a line per round: the mean log likelihood."""
        return {"trace": list(self._trace), "warnings": list(self._warnings)}


def responsibilities(squares: torch.Tensor, fuzziness: float) -> torch.Tensor:
    """Give what each centre answers for: u_ic = 1 / sum_q (d_ic / d_iq)^(2 / (m - 1)).

    Parameters
    ----------
    squares
        float64[n, k], squared distances. Centres at distance 0 share the item among them.
    fuzziness
        m > 1.
    """
    import torch

    on = squares == 0
    least = torch.finfo(squares.dtype).tiny
    shares = torch.softmax(-squares.clamp(min=least).log() / (fuzziness - 1), 1)
    return torch.where(on.any(1, keepdim=True), on / on.sum(1, keepdim=True).clamp(min=1), shares)


def thresholded(shares: npt.NDArray[np.float64], degree: int) -> list[tuple[int, ...]]:
    """Give each item all groups that answer for more than 1 / k of it.

    If none does, the one that answers for most; if more than `degree` do, the `degree` largest.
    """
    k = shares.shape[1]
    order = np.argsort(-shares, axis=1, kind="stable")[:, :degree]
    enough = np.take_along_axis(shares, order, axis=1) > 1 / k
    enough[:, 0] = True
    return [tuple(sorted(row[kept].tolist())) for row, kept in zip(order, enough, strict=True)]


def _checked(name: str, problem: Problem, params: MixtureParams) -> Compose:
    """Refuse what cannot be, and give the composition function."""
    check_degree(params.degree)
    if params.groups > problem.n:
        raise ParameterError(
            f"{name}: groups must be at most {problem.n}, one per item, not {params.groups}"
        )
    return function_for(problem, params.compose)


def _points(problem: Problem, params: MixtureParams, job: Job) -> torch.Tensor:
    """Give the items as they are compared, float64[n, p]."""
    import torch

    points = torch.empty((problem.n, problem.d), dtype=torch.float64)
    for rows, some in read(problem.tensor, job, normalize=params.normalize):
        points[rows] = some
    return points


def _thresholded(
    points: torch.Tensor,
    centres: torch.Tensor,
    shares: torch.Tensor,
    g: Compose,
    params: MixtureParams,
    job: Job,
) -> Composed:
    """Make sets of responsibilities, and say how well they fit."""
    places: dict[tuple[int, ...], int] = {}
    sets = thresholded(shares.numpy(), params.degree)
    chosen = np.array([places.setdefault(one, len(places)) for one in sets], dtype=np.int64)
    return fitted(points, centres, list(places), chosen, g, job, normalize=params.normalize)


def _maximised(
    points: torch.Tensor, shares: torch.Tensor, ridge: float, shape: str, job: Job
) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
    """Give the means, and what tells log(weight) + log(density) of each component, [b, k]."""
    import torch

    n, p = points.shape
    k = shares.shape[1]
    weights = shares.sum(0).clamp(min=10 * torch.finfo(shares.dtype).eps)
    sums = torch.zeros((k, p), dtype=torch.float64)
    for rows, some in read(points, job):
        sums += shares[rows].T @ some
    means = sums / weights[:, None]
    constant = (weights / n).log() - p / 2 * math.log(2 * math.pi)
    if shape == "diagonal":
        spread = torch.zeros((k, p), dtype=torch.float64)
        for rows, some in read(points, job):
            for group in range(k):
                spread[group] += shares[rows, group] @ (some - means[group]).square()
        scale = (spread / weights[:, None] + ridge).rsqrt()
        logs = constant + scale.log().sum(1)
        return means, lambda some: torch.stack(
            [
                logs[group] - ((some - means[group]) * scale[group]).square().sum(1) / 2
                for group in range(k)
            ],
            1,
        )
    factors = torch.empty((k, p, p), dtype=torch.float64)
    for group in range(k):
        covariance = torch.eye(p, dtype=torch.float64) * ridge
        for rows, some in read(points, job):
            less = some - means[group]
            covariance += (less * shares[rows, group, None]).T @ less / weights[group]
        factors[group] = torch.linalg.cholesky(covariance)
    logs = constant - factors.diagonal(dim1=-2, dim2=-1).log().sum(1)

    def density(some: torch.Tensor) -> torch.Tensor:
        columns = []
        for group in range(k):
            job.step()
            less = (some - means[group]).T
            solved = torch.linalg.solve_triangular(factors[group], less, upper=False)
            columns.append(logs[group] - solved.square().sum(0) / 2)
        return torch.stack(columns, 1)

    return means, density
