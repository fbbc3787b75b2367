"""PCK-Means: k-means that pays for every answer it breaks.

References
----------
Basu, Banerjee & Mooney (2004), "Active semi-supervision for pairwise constrained clustering".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engine import penalised
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.job import Job
from engine.model import Clustering
from engine.problem import Problem


@dataclass(frozen=True, slots=True)
class PCKParams:
    """Parameters of PCK-Means."""

    groups: int = field(metadata={"least": 1, "help": "The number of groups."})
    weight: float = field(
        default=1.0,
        metadata={
            "least": 0.0,
            "help": "What a broken answer costs, in mean squared distances from the mean.",
        },
    )
    starts: int = field(
        default=10,
        metadata={"least": 1, "help": "Random starts; the result that costs least is kept."},
    )


class PCKMeans:
    """Minimises squared distances to the means, and `weight` for every pair that breaks answers.

    The k largest sets of items joined by answers give the first means; any others are drawn as by
    k-means++. Items answered about are assigned one after the other in random order. Pairs that
    follow from the answers count as answers. Answers may be broken; a group may be left empty,
    and then there are fewer.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "pck"
    version: ClassVar[int] = 2
    heeds: ClassVar[bool] = True
    Params: ClassVar[type[Any]] = PCKParams

    def __init__(self, params: PCKParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Group the points around means.

        Confidence is the margin (e - d) / (e + d) between the distances to the own and the
        nearest other mean.

        Raises
        ------
        ParameterError
            When there are fewer points than groups.
        """
        k = self._params.groups
        if k > problem.n:
            raise ParameterError(f"pck: groups must be at most {problem.n}, one per item, not {k}")
        draws = penalised.Draws(problem.points, problem.seed, "pck", job)
        joined = [items for items, _ in constraints.parts().values() if len(items) > 1]
        first = draws.uniform(-1)  # settles between equal sizes
        joined.sort(key=lambda items: (-len(items), first[items].min()))
        found = penalised.fit(
            problem.points,
            k,
            joined[:k],
            constraints,
            draws,
            job,
            learn=False,
            weight=self._params.weight,
            starts=self._params.starts,
        )
        self._trace = [{"iteration": 1, "objective": found.total}]
        apart = np.sqrt(found.squares)
        own = np.take_along_axis(apart, found.labels[:, None], axis=1)[:, 0]
        apart[:, np.bincount(found.labels, minlength=k) == 0] = np.inf  # empty: no group at all
        np.put_along_axis(apart, found.labels[:, None], np.inf, axis=1)
        return Clustering.of(found.labels, margin(own, apart.min(axis=1)))

    def report(self) -> dict[str, object]:
        """Give one line: what the result kept costs."""
        return {"trace": list(self._trace), "warnings": []}
