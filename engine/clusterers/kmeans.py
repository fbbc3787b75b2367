"""k-means: the plain partition of points around k means, as a baseline.

References
----------
Lloyd (1982); Arthur & Vassilvitskii (2007), k-means++.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.clusterers.noted import answers_left_aside
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.model import Clustering
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

_BLOCK_VALUES = 2**21  # distances held at once


@dataclass(frozen=True, slots=True)
class KMeansParams:
    """Parameters of k-means."""

    groups: int = field(metadata={"least": 1, "help": "The number of groups."})
    starts: int = field(
        default=10, metadata={"least": 1, "help": "Random starts; the tightest result is kept."}
    )
    rounds: int = field(
        default=300, metadata={"least": 1, "help": "Moves of the means per start, at most."}
    )


class KMeans:
    """Lloyd's rounds from k-means++ starts; a group left empty takes the farthest point.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "kmeans"
    version: ClassVar[int] = 1
    heeds: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = KMeansParams

    def __init__(self, params: KMeansParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []
        self._warnings: list[str] = []

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Group the points around means; constraints are left aside.

        Confidence is the margin (e - d) / (e + d) between the distances to the nearest and the
        second nearest mean.

        Raises
        ------
        ParameterError
            When there are fewer points than groups.
        """
        self._trace, self._warnings = [], answers_left_aside(self.name, constraints)
        k = self._params.groups
        if k > problem.n:
            raise ParameterError(
                f"kmeans: groups must be at most {problem.n}, one per item, not {k}"
            )
        points = problem.tensor.double()
        rng = problem.rng("kmeans.starts")

        def attempt(start: int) -> tuple[float, torch.Tensor]:
            job.step(start, self._params.starts, "Looking for groups")
            spread, means = self._descend(points, _spread_out(points, k, rng, job), job)
            self._trace.append({"iteration": start + 1, "objective": spread})
            return spread, means

        _, means = min(map(attempt, range(self._params.starts)), key=lambda found: found[0])
        labels, near, second = _nearest(points, means, job)
        sure = margin(near.sqrt().numpy(), second.sqrt().numpy())
        return Clustering.of(labels.numpy(), sure)

    def report(self) -> dict[str, object]:
        """Give a line per start: its number, and the sum of squared distances to the means."""
        return {"trace": list(self._trace), "warnings": list(self._warnings)}

    def _descend(
        self, points: torch.Tensor, means: torch.Tensor, job: Job
    ) -> tuple[float, torch.Tensor]:
        """Move the means until no point changes group; give the spread and the means."""
        import torch

        before = None
        for _ in range(self._params.rounds):
            labels, near, _ = _nearest(points, means, job)
            _fill_empty(labels, near, len(means))
            if before is not None and torch.equal(labels, before):
                break
            before = labels
            sizes = torch.bincount(labels, minlength=len(means)).double()
            means = torch.zeros_like(means).index_add_(0, labels, points) / sizes[:, None]
        return float(_nearest(points, means, job)[1].sum()), means


def _spread_out(points: torch.Tensor, k: int, rng: np.random.Generator, job: Job) -> torch.Tensor:
    """Draw k starting means: each with a chance that grows with its distance to those drawn."""
    import torch

    n = len(points)
    drawn = [int(rng.integers(n))]
    apart = torch.full((n,), torch.inf, dtype=torch.float64)
    while len(drawn) < k:
        job.step()
        apart = torch.minimum(apart, (points - points[drawn[-1]]).square_().sum(1))
        total = float(apart.sum())
        chance = None if total == 0 else (apart / total).numpy()
        drawn.append(int(rng.choice(n, p=chance)))
    return points[drawn]


def _nearest(
    points: torch.Tensor, means: torch.Tensor, job: Job
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Give each point's nearest mean, and the squared distances to it and to the second nearest.

    int64[n], float64[n], float64[n]; the last is infinite when there is one mean only.
    """
    import torch

    from engine.kernels import squared_distances

    n = len(points)
    labels = torch.empty(n, dtype=torch.int64)
    near = torch.empty(n, dtype=torch.float64)
    second = torch.full((n,), torch.inf, dtype=torch.float64)
    block = max(1, _BLOCK_VALUES // len(means))
    for start in range(0, n, block):
        job.step()
        rows = slice(start, start + block)
        squares = squared_distances(points[rows], means)
        near[rows], labels[rows] = squares.min(1)
        if len(means) > 1:
            second[rows] = squares.scatter_(1, labels[rows, None], torch.inf).min(1).values
    return labels, near, second


def _fill_empty(labels: torch.Tensor, near: torch.Tensor, k: int) -> None:
    """Give every empty group the point farthest from its mean, if that one is not alone."""
    import torch

    sizes = torch.bincount(labels, minlength=k)
    near = near.clone()
    for empty in torch.nonzero(sizes == 0).flatten().tolist():
        farthest = int(torch.where(sizes[labels] > 1, near, -1).argmax())
        sizes[labels[farthest]] -= 1
        sizes[empty] = 1
        labels[farthest] = empty
        near[farthest] = 0
