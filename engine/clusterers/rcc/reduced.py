"""RCC-DR: RCC in few dimensions that are learned along with the groups.

Points are written as sparse codes over a dictionary, and the representatives of the codes pull
their neighbours together. All constants are those of the authors' program. Its floor under the
scale of the data term, 2000, is a squared length in the data's own unit: on data between 0 and 1 it
makes that term a plain square, and 0 takes it away.

The objective is told, and judged for settling, as a round begins: after the penalties are weighed
and before the codes move. The sources leave that open.

References
----------
Shah & Koltun (2017), Robust continuous clustering, PNAS 114(37), equation 8 and the supplement.
Beck & Teboulle (2009), FISTA: the accelerated proximal steps for the codes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engine.clusterers.noted import answers_left_aside
from engine.clusterers.rcc import RccParams
from engine.clusterers.rcc.components import (
    blocks,
    firmness,
    joined,
    lengths_squared,
    moves_squared,
)
from engine.clusterers.rcc.continuation import Floats, Scales, Schedule, line_process, penalty
from engine.clusterers.rcc.doubts import ALIKE, about_graph, about_groups, unsettled
from engine.clusterers.rcc.graph import Graph, graph_of
from engine.clusterers.rcc.solves import (
    laplacian,
    largest_eigenvalue,
    principal,
    ratio,
    solve,
    spectral_norm,
    system,
)
from engine.constraints import Constraints
from engine.job import Job
from engine.model import Clustering
from engine.problem import Problem

_MOVING = "Learning dimensions in which neighbours come together"
_DICTIONARY_EVERY = 10  # rounds
_RIDGE = 1e-4  # beta, over the trace of Z^T Z


@dataclass(frozen=True, slots=True)
class RccDrParams(RccParams):
    """Parameters of RCC-DR: those of RCC and its own."""

    tolerance: float = field(
        default=0.01,
        metadata={
            "above": 0.0,
            "more": True,
            "help": "A change of the objective below this counts as none.",
        },
    )
    dimensions: int = field(
        default=100,
        metadata={"least": 1, "help": "How many dimensions are learned, at most."},
    )
    gamma: float = field(
        default=0.2,
        metadata={
            "least": 0.0,
            "more": True,
            "help": "What each unit of a code costs, so that codes are short.",
        },
    )
    eta: float = field(
        default=0.9,
        metadata={
            "least": 0.0,
            "most": 1.0,
            "more": True,
            "help": "How much of the old dimensions is kept when new ones are learned.",
        },
    )
    nu: float = field(
        default=1.0,
        metadata={
            "above": 0.0,
            "more": True,
            "help": "What coming together counts beside describing the items well.",
        },
    )
    zeta: float = field(
        default=8.0,
        metadata={
            "above": 0.0,
            "more": True,
            "help": "Where the penalty between an item and its representative begins.",
        },
    )
    floor: float = field(
        default=2000.0,
        metadata={
            "least": 0.0,
            "help": "The least value at which that penalty begins, a squared length; 0 for "
            "features between 0 and 1.",
        },
    )


def shrunk(values: Floats, by: float) -> Floats:
    """Draw every value towards 0 by so much, and no farther (soft threshold)."""
    result: Floats = np.sign(values) * np.maximum(np.abs(values) - by, 0)
    return result


class Codes:
    """A dictionary B and the codes Z of the points over it.

    Attributes
    ----------
    codes
        Z, float64[n, d].
    fixed
        h, float64[n]: how firmly each code is held by its representative.
    """

    def __init__(self, points: Floats, dictionary: Floats, params: RccDrParams, job: Job) -> None:
        self._points = points
        self._params = params
        self._job = job
        self.fixed = np.ones(len(points))
        self._set(dictionary)
        self._before = self.codes = self._seen
        self._ridge = self._dictionary_cost()

    def move(self, representatives: Floats, number: int) -> None:
        """Take an accelerated step of the codes, the `number`-th, towards the objective."""
        momentum = (number - 1) / (number + 2)  # the paper's (t - 2) / (t + 1), t from 2 on
        moved = np.empty_like(self.codes)
        for rows in self._rows():
            ahead = self.codes[rows] + momentum * (self.codes[rows] - self._before[rows])
            held = self._params.nu * self.fixed[rows, None] * (ahead - representatives[rows])
            along = ahead @ self._inner - self._seen[rows] + held
            moved[rows] = shrunk(ahead - self._pace * along, self._pace * self._params.gamma)
        self._before, self.codes = self.codes, moved

    def learn(self) -> None:
        """Mix the dictionary with the one that suits the codes now (ridge regression)."""
        self._ridge = self._dictionary_cost()
        size, d = self.codes.shape[1], self._points.shape[1]
        gram, suits = self._ridge * np.eye(size), np.zeros((size, d))
        for rows in self._rows():
            gram += self.codes[rows].T @ self.codes[rows]
            suits += self.codes[rows].T @ self._points[rows]
        # least squares, for codes may all have become 0
        best = np.linalg.lstsq(gram, suits, rcond=None)[0].T
        self._set(self._params.eta * self.dictionary + (1 - self._params.eta) * best)

    def cost(self) -> float:
        """Give 1/2 ||X - Z B^T||² + gamma ||Z||_1 + beta/2 ||B||²."""
        paid = self._ridge * np.square(self.dictionary).sum() / 2
        for rows in self._rows():
            missed = self._points[rows] - self.codes[rows] @ self.dictionary.T
            paid += np.square(missed).sum() / 2
            paid += self._params.gamma * np.abs(self.codes[rows]).sum()
        return float(paid)

    def _dictionary_cost(self) -> float:
        return _RIDGE * sum(float(np.square(self.codes[rows]).sum()) for rows in self._rows())

    def _set(self, dictionary: Floats) -> None:
        self.dictionary = dictionary
        seen = np.empty((len(self._points), dictionary.shape[1]))
        for rows in self._rows():
            seen[rows] = self._points[rows] @ dictionary
        self._seen = seen
        self._inner = dictionary.T @ dictionary
        steepest = float(np.linalg.norm(self._inner, 2)) + self._params.nu * self.fixed.max()
        self._pace = 1 / steepest

    def _rows(self) -> Iterator[slice]:
        return blocks(len(self._points), self._points.shape[1], self._job)


class RccDr:
    """Continuous clustering and reduction of dimensions by one objective.

    Parameters
    ----------
    params
        The number of groups is none of them.
    """

    name: ClassVar[str] = "rcc-dr"
    version: ClassVar[int] = 1
    heeds: ClassVar[bool] = False
    Params: ClassVar[type[Any]] = RccDrParams

    def __init__(self, params: RccDrParams) -> None:
        self._params = params
        self._trace: list[dict[str, object]] = []
        self._warnings: list[str] = []

    def cluster(self, problem: Problem, constraints: Constraints, job: Job) -> Clustering:
        """Group the points; answers are left aside.

        Confidence is the share of an item's edges that stay within its group.
        """
        params = self._params
        self._trace = []
        self._warnings = answers_left_aside(self.name, constraints)
        if problem.n == 1:
            return Clustering.of(np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.float32))
        graph = graph_of(problem, params.neighbours, params.metric, job)
        self._warnings += about_graph(problem.n, params.neighbours, graph)
        points = np.multiply(problem.points, params.stretch, dtype=np.float64)
        size = min(params.dimensions, problem.d, problem.n - 1)
        directions = principal(points, size, problem.rng("rcc-dr.directions"), job)
        codes = Codes(points, directions, params, job)
        lengths = np.sqrt(lengths_squared(codes.codes, graph.edges, job))
        scales = Scales.of(lengths, size, params.mu_start)
        if scales is None:
            self._warnings.append(ALIKE)
            labels = joined(codes.codes, graph, np.inf, "edges", job)
        else:
            moved = self._moved(problem, codes, graph, scales, job)
            labels = joined(moved, graph, params.reach * scales.eps, params.pairs, job)
            self._warnings += about_groups(labels, scales, params.mu_end)
        return Clustering.of(labels, firmness(graph, labels))

    def report(self) -> dict[str, object]:
        """Give a line per round (iteration, objective, mu, mu of the data, lambda, seconds)."""
        return {"trace": list(self._trace), "warnings": list(self._warnings)}

    def _moved(
        self, problem: Problem, codes: Codes, graph: Graph, scales: Scales, job: Job
    ) -> Floats:
        """Give the representatives of the codes when the objective has settled."""
        params, began = self._params, time.perf_counter()
        schedule = Schedule(scales, params.tolerance, params.inner_rounds, params.mu_end)
        random = problem.rng("rcc-dr.norms")
        probe, other = (
            random.standard_normal(problem.n),
            random.standard_normal(min(codes.codes.shape)),
        )

        def balance() -> float:
            held = codes.fixed[:, None] * codes.codes
            pulled = codes.fixed.max() + largest_eigenvalue(pull, probe, job)
            return ratio(spectral_norm(held, other, job), pulled)

        spread = np.square(codes.codes - codes.codes.mean(axis=0)).sum(axis=1).mean()
        end = 2 * float(spread)
        loose = max(params.floor, params.zeta * end)
        pull = laplacian(graph.n, graph.edges, graph.weights)
        strength, found = balance(), codes.codes
        for number in range(1, params.rounds + 1):
            job.step(number, params.rounds, _MOVING)
            squares = lengths_squared(found, graph.edges, job)
            line = line_process(squares, schedule.mu)
            astray = moves_squared(codes.codes, found, job)
            codes.fixed = line_process(astray, loose)
            paid = penalty(astray, codes.fixed, loose).sum()
            paid += strength * (graph.weights @ penalty(squares, line, schedule.mu))
            objective = codes.cost() + params.nu * float(paid) / 2
            self._trace.append(
                {
                    "iteration": number,
                    "objective": objective,
                    "mu": schedule.mu,
                    "mu_data": loose,
                    "lambda": strength,
                    "seconds": round(time.perf_counter() - began, 3),
                }
            )
            codes.move(found, number)
            pull = laplacian(graph.n, graph.edges, graph.weights * line)
            whole = system(codes.fixed, pull, strength)
            right = codes.fixed[:, None] * codes.codes
            found = solve(whole, right, found, params.solver, graph.work, job)
            if (number + 1) % _DICTIONARY_EVERY == 0:
                codes.learn()
            if schedule.take(objective):
                loose = loose / 2 if loose >= end else end / 2
                strength = balance()
            if schedule.done:
                return found
        self._warnings.append(unsettled(params.rounds))
        return found
