"""TAHC: the two closest groups are merged again and again.

References
----------
Traditional agglomerative hierarchical clustering, algorithm 1 of Zheng & Wu (2016), "Which, When,
and How: Hierarchical Clustering with Human-Machine Cooperation", Algorithms 9(4), 88; Sørensen
(1948), complete linkage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.clusterers.linkage import LINKAGES, of_points
from engine.clusterers.noted import answers_left_aside
from engine.confidence import of_level
from engine.constraints import Constraints
from engine.errors import ParameterError
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.model import Clustering
from engine.problem import Problem


@dataclass(frozen=True, slots=True)
class TahcParams:
    """Parameters of TAHC."""

    groups: int = field(metadata={"least": 1, "help": "The number of groups."})
    linkage: str = field(
        default="complete",
        metadata={
            "choices": LINKAGES,
            "help": "How far apart two groups are: as their farthest items, as their nearest, the "
            "mean over all pairs, or how much merging would spread them out (ward).",
        },
    )
    memory: int = field(
        default=2000,
        metadata={
            "least": 1,
            "help": "Memory for the distances between all items, in MB, at most; 10,000 items "
            "take 400.",
        },
    )


class Tahc:
    """Merges from single items up to the number of groups wanted; every level is at hand.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "tahc"
    version: ClassVar[int] = 2
    heeds: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = TahcParams

    def __init__(self, params: TahcParams) -> None:
        self._params = params
        self._warnings: list[str] = []

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Cut the hierarchy where the wanted number of groups is left; constraints are left aside.

        Confidence is the margin (e - d) / (e + d) between two heights: d, at which the item came
        to the core of its group, and e, at which the group is merged into another. The core is
        what is reached by following the larger branch down; of two equally large branches both
        come to each other.

        Raises
        ------
        ParameterError
            When there are fewer points than groups.
        ResourceError
            When the distances take more memory than allowed.
        """
        self._warnings = answers_left_aside(self.name, constraints)
        k = self._params.groups
        if k > problem.n:
            raise ParameterError(f"tahc: groups must be at most {problem.n}, one per item, not {k}")
        hierarchy = self.hierarchy(problem, job)
        return Clustering.of(hierarchy.cut(k), of_level(hierarchy, k))

    def report(self) -> dict[str, object]:
        """Give warnings; nothing is done in rounds."""
        return {"trace": [], "warnings": list(self._warnings)}

    def hierarchy(self, problem: Problem, job: Job) -> Hierarchy:
        """Give every level; kept among the problem's steps, whatever the number of groups."""
        linkage, memory = self._params.linkage, self._params.memory * 10**6
        key = (self.name, self.version, problem.fingerprint, linkage)
        return problem.steps.get(
            key, lambda: of_points(problem.points, linkage, job, memory=memory)
        )
