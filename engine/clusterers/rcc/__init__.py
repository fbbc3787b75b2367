"""RCC: points pull their neighbours together until groups are left; how many is found out.

Every point has a representative. Those of neighbours are drawn to each other by a penalty that at
first is nearly convex, and then lets go of pairs that are far apart. Which program and paper differ
on is told by the parameters `mu_start`, `mu_end` and `pairs`; by default it is as the program does.

The method has a scale of its own: a change of the objective below `tolerance` is none, and mu, a
squared length, is compared with delta, a length. On data between 0 and 1 it may stop before groups
have come together; it warns of that, and `stretch` takes it away.

Handwritten digits, 1797 x 64, as they are: AMI 0.911, ARI 0.862 in 15 groups and half a second;
RCC-DR with 64 dimensions AMI 0.900, ARI 0.810 in 11 groups (`python -m engine cluster digits.npz
--method rcc --scale none --json OUT`).

70,000 x 64 whose neighbours are tangled: RCC 7 minutes of one core and 0.65 GB, AMI 0.926, growing
as n^1.3 from 20,000 on; RCC-DR 8 minutes and 0.77 GB (`python -m tests.benchmark.grouping --sizes
20000 70000 -o OUT`).

References
----------
Shah & Koltun (2017), Robust continuous clustering, PNAS 114(37), equations 2, 3, 5, 7 and
algorithm 1.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engine.clusterers.noted import answers_left_aside
from engine.clusterers.rcc.components import PAIRS, firmness, joined, lengths_squared, moves_squared
from engine.clusterers.rcc.continuation import (
    MU_ENDS,
    MU_STARTS,
    Floats,
    Scales,
    Schedule,
    line_process,
    penalty,
)
from engine.clusterers.rcc.doubts import ALIKE, about_graph, about_groups, unsettled
from engine.clusterers.rcc.graph import METRICS, Graph, graph_of
from engine.clusterers.rcc.solves import (
    SOLVERS,
    laplacian,
    largest_eigenvalue,
    ratio,
    solve,
    spectral_norm,
    system,
)
from engine.constraints import Constraints
from engine.job import Job
from engine.model import Clustering
from engine.problem import Problem

MOST_STRETCHED = 1e6
"""Far beyond any use: lengths are squared and multiplied, and must stay finite."""

_MOVING = "Moving neighbours together"


@dataclass(frozen=True, slots=True)
class RccParams:
    """Parameters of RCC."""

    neighbours: int = field(
        default=10, metadata={"least": 1, "help": "How many nearest others each item names."}
    )
    metric: str = field(
        default="cosine",
        metadata={
            "choices": METRICS,
            "more": True,
            "help": "How the nearest others are chosen.",
        },
    )
    tolerance: float = field(
        default=0.1,
        metadata={
            "above": 0.0,
            "more": True,
            "help": "A change of the objective below this counts as none.",
        },
    )
    rounds: int = field(default=100, metadata={"least": 1, "more": True, "help": "Rounds at most."})
    inner_rounds: int = field(
        default=4,
        metadata={
            "least": 1,
            "more": True,
            "help": "Rounds before the penalty gets stricter, at most.",
        },
    )
    reach: float = field(
        default=1.0,
        metadata={
            "above": 0.0,
            "most": MOST_STRETCHED,
            "help": "How near two representatives must be to be one: a larger value gives fewer "
            "groups.",
        },
    )
    stretch: float = field(
        default=1.0,
        metadata={
            "above": 0.0,
            "most": MOST_STRETCHED,
            "help": "What features are multiplied by first: the method has a scale of its own. For "
            "those between 0 and 1, 16 does better.",
        },
    )
    mu_start: str = field(
        default="largest",
        metadata={
            "choices": MU_STARTS,
            "more": True,
            "help": "Where the penalty begins: at the largest squared length of an edge, as the "
            "authors' program does, or at the median, as their paper says.",
        },
    )
    mu_end: str = field(
        default="delta",
        metadata={
            "choices": MU_ENDS,
            "more": True,
            "help": "Where the penalty ends: at a length, as the authors' program does, so that "
            "the scale of the data matters; or at its square.",
        },
    )
    pairs: str = field(
        default="edges",
        metadata={
            "choices": PAIRS,
            "more": True,
            "help": "Which representatives may be found to be one: those of neighbours, as in the "
            "authors' program, or any two, as their paper says.",
        },
    )
    solver: str = field(
        default="auto",
        metadata={
            "choices": SOLVERS,
            "more": True,
            "help": "How the linear systems are solved; auto: directly where that is little work, "
            "else by conjugate gradients.",
        },
    )


class Rcc:
    """Continuous clustering by an objective that all points share.

    Parameters
    ----------
    params
        The number of groups is none of them.
    """

    name: ClassVar[str] = "rcc"
    version: ClassVar[int] = 1
    heeds: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = RccParams

    def __init__(self, params: RccParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []
        self._warnings: list[str] = []

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Group the points; answers are left aside.

        Confidence is the share of an item's edges that stay within its group.
        """
        self._trace = []
        self._warnings = answers_left_aside(self.name, constraints)
        if problem.n == 1:
            return Clustering.of(np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.float32))
        graph = graph_of(problem, self._params.neighbours, self._params.metric, job)
        self._warnings += about_graph(problem.n, self._params.neighbours, graph)
        points = np.multiply(problem.points, self._params.stretch, dtype=np.float64)
        lengths = np.sqrt(lengths_squared(points, graph.edges, job))
        scales = Scales.of(lengths, problem.d, self._params.mu_start)
        if scales is None:
            self._warnings.append(ALIKE)
            labels = joined(points, graph, np.inf, "edges", job)
        else:
            moved = self._moved(problem, points, graph, scales, job)
            within = self._params.reach * scales.eps
            labels = joined(moved, graph, within, self._params.pairs, job)
            self._warnings += about_groups(labels, scales, self._params.mu_end)
        return Clustering.of(labels, firmness(graph, labels))

    def report(self) -> dict[str, object]:
        """Give a line per round (iteration, objective, mu, lambda, seconds), and warnings."""
        return {"trace": list(self._trace), "warnings": list(self._warnings)}

    def _moved(
        self, problem: Problem, points: Floats, graph: Graph, scales: Scales, job: Job
    ) -> Floats:
        """Give the representatives when the objective has settled, float64[n, d]."""
        params, n = self._params, problem.n
        began = time.perf_counter()
        random = problem.rng("rcc.norms")
        probe = random.standard_normal(n)
        xi = spectral_norm(points, random.standard_normal(min(points.shape)), job)
        schedule = Schedule(scales, params.tolerance, params.inner_rounds, params.mu_end)
        pull = laplacian(n, graph.edges, graph.weights)
        strength, ones = ratio(xi, largest_eigenvalue(pull, probe, job)), np.ones(n)
        found = points
        for number in range(1, params.rounds + 1):
            job.step(number, params.rounds, _MOVING)
            squares = lengths_squared(found, graph.edges, job)
            line = line_process(squares, schedule.mu)
            paid = graph.weights @ penalty(squares, line, schedule.mu)
            objective = (moves_squared(points, found, job).sum() + strength * paid) / 2
            self._trace.append(
                {
                    "iteration": number,
                    "objective": float(objective),
                    "mu": schedule.mu,
                    "lambda": strength,
                    "seconds": round(time.perf_counter() - began, 3),
                }
            )
            pull = laplacian(n, graph.edges, graph.weights * line)
            found = solve(
                system(ones, pull, strength), points, found, params.solver, graph.work, job
            )
            if schedule.take(float(objective)):
                strength = ratio(xi, largest_eigenvalue(pull, probe, job))
            if schedule.done:
                return found
        self._warnings.append(unsettled(params.rounds))
        return found
