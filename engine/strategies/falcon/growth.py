"""The rounds of FALCON: which prototypes come next, never depending on the answers.

Hidden here: how a round is computed and kept in the problem's step cache, so that undo, replay
and look-ahead need no new sums. Promised: a pure function of points, seed and parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import FloatArray, IntArray
from engine.problem import Problem
from engine.strategies.falcon.params import FalconParams, shown

if TYPE_CHECKING:
    import torch

    from engine.kernels import KernelMatrix

NEAR = 8  # prototypes remembered for each point, nearest first

_START = 2  # prototypes of the first round
_ITSELF = -1.0  # distance that puts a prototype before any copy of it

_Near = tuple[IntArray, FloatArray]


class Growth:
    """The rounds of one problem: prototypes, criticisms, and every point's nearest prototypes.

    Round 0 has the first prototypes; each later round has criticisms, the cell they single out,
    and the prototypes added to it. All of it is a function of the points and the parameters.
    """

    def __init__(self, problem: Problem, params: FalconParams, name: str, job: Job) -> None:
        self.points = problem.points
        self._problem = problem
        self._params = params
        self._job = job
        self._key = f"{name} {shown(params)} seed={problem.seed} on {problem.fingerprint}"
        self._rounds: list[IntArray] = []
        self._last_near: tuple[int, _Near] | None = None

    def reach(self, index: int) -> bool:
        """Tell whether there is a round `index`, and make it known."""
        while len(self._rounds) <= index:
            if sum(map(len, self._rounds)) == self._problem.n:
                return False
            at = len(self._rounds)
            self._rounds.append(self._indices("prototypes", at, partial(self._grow, at)))
        return True

    def prototypes(self, index: int) -> list[int]:
        """Give the prototypes that a round adds."""
        return [int(item) for item in self._rounds[index]]

    def all_prototypes(self, index: int) -> list[int]:
        """Give the prototypes of all rounds up to `index`."""
        return [item for at in range(index + 1) for item in self.prototypes(at)]

    def sizes(self, index: int) -> list[int]:
        """Give the number of points nearest to each prototype that a round adds."""

        def tally() -> IntArray:
            total = sum(map(len, self._rounds[: index + 1]))
            nearest = self.near(index)[0][:, 0]
            added = len(self._rounds[index])
            return np.bincount(nearest, minlength=total)[total - added :].astype(np.int32)

        return [int(size) for size in self._indices("sizes", index, tally)]

    def criticisms(self, index: int) -> list[int]:
        """Give the points that led to a round; none for the first."""
        if index == 0:
            return []

        def pick() -> list[int]:
            from engine import mmd

            chosen = self.all_prototypes(index - 1)
            kernel = self._kernel()
            witness = self._means() - kernel.sums(chosen, self._job) / len(chosen)
            return mmd.criticisms(kernel, witness, len(chosen) + 1, self._job, chosen)

        return [int(item) for item in self._indices("criticisms", index, pick)]

    def near(self, index: int) -> _Near:
        """Give each point's nearest prototypes of the rounds up to `index`, nearest first.

        Returns
        -------
        tuple
            int32[n, k] positions in `all_prototypes(index)` and float32[n, k] distances, with
            k <= 8. A prototype always comes first for itself, also among copies.
        """
        return self._problem.steps.get((self._key, "near", index), lambda: self._find_near(index))

    def _grow(self, index: int) -> list[int]:
        """Compute the prototypes of a round."""
        from engine import mmd

        kernel = self._kernel()
        if index == 0:
            return mmd.prototypes(kernel, self._means(), _START, self._job)
        nearest = self.near(index - 1)[0][:, 0]
        chosen = self.all_prototypes(index - 1)
        counts = np.bincount(nearest[self.criticisms(index)], minlength=len(chosen))
        sizes = np.bincount(nearest, minlength=len(chosen))
        # A cell holds its prototype besides its criticisms, so there always are enough points.
        cell = max(range(len(chosen)), key=lambda at: (counts[at], sizes[at], -at))
        members = np.flatnonzero(nearest == cell).astype(np.int32)
        part = kernel.part(members)
        fixed = int(np.flatnonzero(members == chosen[cell])[0])
        picked = mmd.prototypes(part, part.means(self._job), int(counts[cell]), self._job, [fixed])
        return [int(members[at]) for at in picked]

    def _find_near(self, index: int) -> _Near:
        """Add to the last known state what later rounds bring; from nothing if need be."""
        from engine import kernels

        n = self._problem.n
        chosen = self.all_prototypes(index)
        known, near, distance = 0, np.empty((n, 0), np.int32), np.empty((n, 0), np.float32)
        if self._last_near is not None and self._last_near[0] < index:
            known = len(self.all_prototypes(self._last_near[0]))
            near, distance = self._last_near[1]
        width = min(NEAR, len(chosen))
        found = np.empty((n, width), np.int32), np.empty((n, width), np.float32)
        fresh = chosen[known:]
        position = np.arange(known, len(chosen), dtype=np.int32)
        for rows, apart in kernels.distances(self._problem.tensor, fresh, self._job):
            for column, item in enumerate(fresh):
                if rows.start <= item < rows.stop:
                    apart[item - rows.start, column] = _ITSELF
            all_apart = np.hstack([distance[rows], apart])
            all_near = np.hstack([near[rows], np.broadcast_to(position, apart.shape)])
            order = np.argsort(all_apart, axis=1, kind="stable")[:, :width]
            found[0][rows] = np.take_along_axis(all_near, order, axis=1)
            found[1][rows] = np.take_along_axis(all_apart, order, axis=1)
        self._last_near = index, found
        return found

    def _kernel(self) -> KernelMatrix:
        from engine import kernels

        width = self._params.sigma
        if self._params.width == "median":
            width = self._problem.steps.get(
                (self._key, "width"),
                lambda: kernels.median_width(
                    self._problem.tensor,
                    self._params.c,
                    self._problem.rng("falcon.width"),
                    self._job,
                ),
            )
        return kernels.KernelMatrix(self._problem.tensor, kernels.Rbf(width))

    def _means(self) -> torch.Tensor:
        return self._problem.steps.get(
            (self._key, "means"),
            lambda: self._kernel().means(self._job, "Comparing all items with each other"),
        )

    def _indices(self, what: str, index: int, compute: Callable[[], npt.ArrayLike]) -> IntArray:
        return self._problem.steps.indices(f"{self._key} {what} {index}", compute)
