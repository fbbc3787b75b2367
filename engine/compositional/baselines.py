"""What compositional methods are compared with: groups that cannot be composed.

The hierarchy by Ward's criterion, of which every item gets one group; and the best that any such
grouping could do, which knows the truth.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.clusterers.noted import answers_left_aside
from engine.compositional.gcr import plain
from engine.compositional.membership import Composed
from engine.constraints import Constraints
from engine.job import Job
from engine.problem import Problem


@dataclass(frozen=True, slots=True)
class WardSetsParams:
    """Parameters of Ward's hierarchy as sets."""

    groups: int = field(
        metadata={"least": 1, "help": "How many groups; what others compose counts as one more."}
    )
    memory: int = field(
        default=2000,
        metadata={
            "least": 1,
            "more": True,
            "help": "Memory for the distances between all items, in MB, at most.",
        },
    )


class WardSets:
    """Ward's groups, each item in one.

    Parameters
    ----------
    params
        The number of groups must be given.
    """

    name: ClassVar[str] = "ward-sets"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = WardSetsParams

    def __init__(self, params: WardSetsParams) -> None:
        self._params = params
        self._warnings: list[str] = []

    def compose(self, problem: Problem, constraints: Constraints, job: Job) -> Composed:
        """Cut the hierarchy where the wanted number of groups is left; answers are left aside.

        Raises
        ------
        ParameterError
            When there are fewer points than groups.
        ResourceError
            When the distances take more memory than allowed.
        """
        self._warnings = answers_left_aside(self.name, constraints)
        return plain(problem, "ward", self._params.groups, self._params.memory, job)

    def report(self) -> dict[str, object]:
        """Give warnings; nothing is done in rounds."""
        return {"trace": [], "warnings": list(self._warnings)}


def oracle_singletons(truth: Sequence[Collection[Hashable]]) -> list[tuple[int]]:
    """Give every distinct set of the truth a single group of its own.

    No method that puts each item into one group can know more; what its compositional Rand index
    lacks is what groups that cannot be composed must lack.
    """
    fresh: dict[frozenset[Hashable], int] = {}
    return [(fresh.setdefault(frozenset(one), len(fresh)),) for one in truth]
