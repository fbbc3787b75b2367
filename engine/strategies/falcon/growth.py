"""The rounds of FALCON: which prototypes come next, never depending on the answers.

Hidden here: how a round is computed and kept in the problem's step cache, so that undo, replay
and look-ahead need no new sums. Promised: a pure function of points, seed and parameters; a round
costs O(n) per new prototype, whatever came before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.model import FloatArray, IntArray
from engine.problem import Problem
from engine.strategies.falcon.params import FalconParams, shown

if TYPE_CHECKING:
    import torch

    from engine.kernels import Approximation, Kernel, KernelMatrix

NEAR = 8  # prototypes remembered for each point, nearest first

_START = 2  # prototypes of the first round
_ITSELF = -1.0  # distance that puts a prototype before any copy of it
_COMPARING = "Comparing all items with each other"
_CANDIDATES = 2048  # points among which criticisms are sought where all would take too long
_ALL_SOUGHT = 400_000  # numbers of points that do not


@dataclass(frozen=True, slots=True)
class Partition:
    """The points by their nearest prototype: Voronoi cells, the article's super-instances.

    Attributes
    ----------
    near
        int32[k, n], each point's nearest prototypes as positions in `Growth.all_prototypes`,
        nearest first, k <= 8. A prototype comes first for itself, also among copies.
    distance
        float32[k, n], Euclidean distances to them.
    pull
        Tensor[n], the sum over all prototypes z of k(x, z).
    """

    near: IntArray
    distance: FloatArray
    pull: torch.Tensor

    @property
    def nearest(self) -> IntArray:
        """int32[n], position of the nearest prototype."""
        nearest: IntArray = self.near[0]
        return nearest


class Growth:
    """The rounds of one problem: prototypes, criticisms, and every point's nearest prototypes.

    Round 0 has the first prototypes, or the items known of before; each later round has criticisms,
    the cell they single out, and the prototypes added to it. All of it is a function of the points,
    the items known of and the parameters.

    Parameters
    ----------
    name
        Strategy and version, for the keys of what is kept.
    """

    def __init__(self, problem: Problem, params: FalconParams, name: str, job: Job) -> None:
        self._problem = problem
        self._params = params
        self._job = job
        self._key = f"{name} {shown(params)} seed={problem.seed} on {problem.fingerprint}"
        if problem.known.items:
            self._key += f" from {' '.join(map(str, problem.known.items))}"
        self._rounds: list[IntArray] = []

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

    def between(self, index: int) -> npt.NDArray[np.float64]:
        """Give squared distances of a round's prototypes to all those of the rounds up to it.

        Returns
        -------
        ndarray
            float64[a, m], columns as in `all_prototypes(index)`.
        """

        def compute() -> npt.NDArray[np.float64]:
            points = self._problem.points
            known = points[self.all_prototypes(index)].astype(np.float64)
            rows = points[self.prototypes(index)].astype(np.float64)
            return np.stack([np.square(known - row).sum(axis=1) for row in rows])

        return self._problem.steps.get((self._key, "between", index), compute)

    def sizes(self, index: int) -> list[int]:
        """Give the number of points nearest to each prototype that a round adds."""

        def tally() -> IntArray:
            total = sum(map(len, self._rounds[: index + 1]))
            added = len(self._rounds[index])
            counts = np.bincount(self.partition(index).nearest, minlength=total)
            return counts[total - added :].astype(np.int32)

        return [int(size) for size in self._indices("sizes", index, tally)]

    def criticisms(self, index: int) -> list[int]:
        """Give the points that led to a round; the first has none, nor one that divides no cell."""
        if index == 0 or self._params.local == "none":
            return []
        pick = partial(self._criticise, index)
        return [int(item) for item in self._indices("criticisms", index, pick)]

    def partition(self, index: int) -> Partition:
        """Give the points by their nearest prototype of the rounds up to `index`."""
        key = (self._key, "partition", index)
        return self._problem.steps.get(key, lambda: self._assign(index))

    def _nearest_held(self, index: int) -> tuple[int, Partition | None]:
        """Give the latest partition before a round that is still held, and its prototypes."""
        for earlier in range(index - 1, -1, -1):
            held = self._problem.steps.held((self._key, "partition", earlier))
            if isinstance(held, Partition):
                return len(self.all_prototypes(earlier)), held
        return 0, None

    def report(self) -> dict[str, object]:
        """Tell the kernel and its width, and how its sums over all points were computed.

        Of the kernel for criticisms, too, once it was used and is another one.
        """
        kernel, own = self._kernel(), self._kernel(criticisms=True)
        told = {"kernel": self._params.kernel, **self._sums_of(kernel)}
        if own != kernel and self._params.local != "none" and len(self._rounds) > 1:
            told["criticisms"] = self._sums_of(own)
        return told

    def _sums_of(self, kernel: Kernel) -> dict[str, object]:
        """Tell the width of a kernel, and how its sums over all points were computed."""
        found = self._features(kernel)
        how = {"sums": "exact"} if found is None else asdict(found.accuracy)
        return {"width": kernel.sigma, **how}

    def _grow(self, index: int) -> list[int]:
        """Pick the prototypes of a round: the article's first ones, or local ones of a cell."""
        from engine.kernels import mmd

        if index == 0 and self._problem.known.items:
            return list(self._problem.known.items)
        matrix = self._matrix()
        if index == 0:
            return mmd.prototypes(matrix, self._means(), _START, self._job)
        chosen = self.all_prototypes(index - 1)
        if self._params.local == "none":
            inside = self.partition(index - 1).pull
            return mmd.prototypes(matrix, self._means(), 1, self._job, chosen, inside)
        nearest = self.partition(index - 1).nearest
        counts = np.bincount(nearest[self.criticisms(index)], minlength=len(chosen))
        sizes = np.bincount(nearest, minlength=len(chosen))
        by = (sizes, counts) if self._params.split == "size" else (counts, sizes)
        cell = max(range(len(chosen)), key=lambda at: (by[0][at], by[1][at], -at))
        members = np.flatnonzero(nearest == cell).astype(np.int32)
        fixed = int(np.flatnonzero(members == chosen[cell])[0])
        count = min(int(counts.max()), len(members) - 1)  # with split=size there may be fewer
        if self._params.local == "random":
            rng = self._problem.rng(f"falcon.local.{index}")
            return [
                int(item) for item in rng.choice(np.delete(members, fixed), count, replace=False)
            ]
        part = matrix.part(members)
        picked = mmd.prototypes(part, part.means(self._job), count, self._job, [fixed])
        return [int(members[at]) for at in picked]

    def _criticise(self, index: int) -> IntArray:
        """Pick the criticisms of a round, one more than there are prototypes.

        Their number times the points among which they are sought is the cost of a round. Of
        many points, and of wide ones, a sample does, another one in each round: what counts is how
        many criticisms fall in each cell. The groups are as good as with all points sought
        (compared on PENDIGITS, SATIMAGE, OPTDIGITS and LETTER, with other `_CANDIDATES`).
        """
        from engine.kernels import mmd

        chosen = self.all_prototypes(index - 1)
        matrix = self._matrix(criticisms=True)
        witness = self._means(criticisms=True) - self.partition(index - 1).pull / len(chosen)
        candidates = np.delete(np.arange(self._problem.n, dtype=np.int32), chosen)
        some = self._features(self._kernel(criticisms=True)) is not None or (
            self._params.sums == "auto" and self._problem.points.size > _ALL_SOUGHT
        )
        if some and len(candidates) > _CANDIDATES:
            rng = self._problem.rng(f"falcon.criticisms.{index}")
            candidates = np.sort(rng.choice(candidates, _CANDIDATES, replace=False))
        part = matrix.part(candidates)
        return candidates[mmd.criticisms(part, witness[candidates], len(chosen) + 1, self._job)]

    def _assign(self, index: int) -> Partition:
        """Add to the last known partition what later rounds bring; from nothing if need be."""
        n = self._problem.n
        matrix = self._matrix(criticisms=self._params.local != "none")
        chosen = self.all_prototypes(index)
        known, before = self._nearest_held(index)
        fresh, width = chosen[known:], min(NEAR, len(chosen))
        near = np.full((width, n), len(chosen), np.int32)
        distance = np.full((width, n), np.inf, np.float32)
        pull = matrix.zeros()
        if before is not None:
            kept = len(before.near)
            near[:kept], distance[:kept] = before.near, before.distance
            pull += before.pull
        for rows, apart in matrix.distances(fresh, self._job):
            values = matrix.of_distances(apart)
            to_fresh = apart.float().cpu().numpy()
            for column, item in enumerate(fresh):
                pull[rows] += values[:, column]  # one by one: the same sum from wherever it starts
                if rows.start <= item < rows.stop:
                    to_fresh[item - rows.start, column] = _ITSELF
                _insert(near[:, rows], distance[:, rows], known + column, to_fresh[:, column])
        return Partition(near, distance, pull)

    # ------------------------------------------------------------------ kernel sums

    @cached_property
    def _points(self) -> torch.Tensor:
        """The points where sums over them are computed."""
        from engine import device

        problem = self._problem
        return problem.tensor.to(device.choose(problem.device, problem.n, problem.d))

    @cached_property
    def _width(self) -> float:
        """The width for prototypes."""
        from engine import kernels

        return self._problem.steps.get(
            (self._key, "width"),
            lambda: kernels.width(
                self._params.width,
                self._problem.tensor,
                share=self._params.c,
                sigma=self._params.sigma,
                rng=self._problem.rng("falcon.width"),
                job=self._job,
            ),
        )

    def _kernel(self, *, criticisms: bool = False) -> Kernel:
        """Give the kernel for prototypes, or the one for criticisms."""
        from engine import kernels

        width = self._width * (self._params.criticism_width if criticisms else 1)
        return kernels.kernel(self._params.kernel, width)

    def _matrix(self, *, criticisms: bool = False) -> KernelMatrix:
        from engine import kernels

        kernel = self._kernel(criticisms=criticisms)
        found = self._features(kernel)
        features = None if found is None else found.features
        return kernels.KernelMatrix(self._points, kernel, features)

    def _features(self, kernel: Kernel) -> Approximation | None:
        """Give the features that sums over all points come from; None = they are exact."""
        from engine import kernels

        return self._problem.steps.get(
            (self._key, "features", kernel),
            lambda: kernels.approximate(
                self._points,
                kernel,
                sums=self._params.sums,
                rank=self._params.rank,
                landmarks=self._params.landmarks,
                rng=self._problem.rng("falcon.features"),
                job=self._job,
                text=_COMPARING,
            ),
        )

    def _means(self, *, criticisms: bool = False) -> torch.Tensor:
        """Give the column means of the kernel matrix, Tensor[n]."""
        return self._problem.steps.get(
            (self._key, "means", self._kernel(criticisms=criticisms)),
            lambda: self._matrix(criticisms=criticisms).means(self._job, _COMPARING),
        )

    def _indices(self, what: str, index: int, compute: Callable[[], npt.ArrayLike]) -> IntArray:
        return self._problem.steps.indices(f"{self._key} {what} {index}", compute)


def _insert(near: IntArray, distance: FloatArray, fresh: int, apart: FloatArray) -> None:
    """Put a fresh prototype among the nearest known, behind those as near; in place.

    Most points are nearer to all that they know than to the fresh one: those are left alone.
    """
    touched = np.flatnonzero(apart < distance[-1])
    if len(touched) == 0:
        return
    known, apart = distance[:, touched], apart[touched]
    rank = (known <= apart).sum(axis=0)
    nearer = np.arange(len(known))[:, None] < rank
    for held, value in ((near, np.int32(fresh)), (distance, apart)):
        old = held[:, touched]
        new = np.where(nearer, old, np.concatenate([old[:1], old[:-1]]))
        new[rank, np.arange(len(touched))] = value
        held[:, touched] = new
