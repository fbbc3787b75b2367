"""NPU: the item whose group is least certain, for the questions that it will take, comes next.

Hidden here: how likely an item belongs to each neighbourhood, by a random forest that learns the
groups as they stand, and which item comes where the forest is sure of all. Promised: no item comes
twice, but what was left unsure; it is compared with the likeliest neighbourhood first.

References
----------
Xiong, Azimi & Fern (2014), "Active learning of constraints for semi-supervised clustering", IEEE
Transactions on Knowledge and Data Engineering 26(1): the loop is `MpckNpu.run`, the normalised
point-based uncertainty `uncertainty`. Bilenko, Basu & Mooney (2004) for the groups, MPCK-Means.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from engine import forest
from engine.forest import Binned, Bytes, Floats
from engine.job import Job
from engine.model import Reason
from engine.problem import Problem
from engine.strategies.neighbourhoods import MeansAround

if TYPE_CHECKING:
    from engine.strategies import Queries

_TREES = 50
_TREE_ROWS = 512  # rows that a tree learns from, about, where there are more
_TREE_DRAWS = 1000  # number of the first tree's draw; those before are for other things
_ALIKE = 1e-9  # uncertainties this close, as a share of the greatest, are the same
_BLOCK_VALUES = 2**20  # values held at once

_DOUBTFUL = (
    "Of one of these it is least certain where it belongs; the other is the closest example of its"
    " likeliest group that is not ruled out."
)
_FAR = (
    "There is no doubt to settle first, so one of these was taken that lies far from everything"
    " compared so far; the other is the closest example of the group most like it that is not"
    " ruled out."
)

Mask = npt.NDArray[np.bool_]


class MpckNpu(MeansAround):
    """The strategy as the loop of the paper; groups by MPCK-Means.

    Where the paper is silent, or leads nowhere:

    - Where the forest is sure of every item, as it is while there is one neighbourhood, the one
      farthest from all that are placed comes next. Of equally uncertain ones a random one does.
    - An item that the forest finds like no neighbourhood may belong to any: it is as uncertain as
      can be. So groups that no answer is about yet are asked about first.
    - With a number of groups, all of them met, telling an item apart from all but one places it:
      the expected number of questions counts none for the last.
    - A tree learns from about 512 rows where there are more; each tree draws the same rows
      whenever it is grown, so that what changes between two picks is what answers changed.

    For what is left unsure see `Neighbourhoods`.
    """

    name: ClassVar[str] = "mpck-npu"
    version: ClassVar[int] = 1
    draw: ClassVar[str] = "npu"
    learns: ClassVar[bool] = True

    def run(self, problem: Problem, job: Job) -> Queries:
        """Place the most uncertain item, again and again; come back to what was left unsure."""
        self._start(problem, job)
        yield from self._begin()
        while (left := self._left()).any():
            item, doubtful, *order = self._next(left)
            yield from self._place(item, Reason.of(_DOUBTFUL if doubtful else _FAR), order)
        yield from self._come_back()

    def _left(self) -> Mask:
        """Tell which items may come next: bool[n]."""
        self._job.step()
        left = np.ones(self._started.n, dtype=np.bool_)
        left[[item for own in self._members for item in own]] = False
        left[[*self._apart, *self._started.set_aside]] = False
        return left

    def _next(self, left: Mask) -> list[int]:
        """Give what `_pick` does; the same answers need no second search."""
        problem = self._started
        state = (*self._state, sorted(self._apart), sorted(problem.set_aside))
        name = hashlib.blake2b(repr(state).encode(), digest_size=16).hexdigest()
        own = f"{self.name}/{self.version}/{problem.fingerprint}/{problem.seed}/{self._known_k}"
        found = problem.steps.indices(f"{own}/next/{name}", lambda: self._pick(left))
        return [int(value) for value in found]

    def _pick(self, left: Mask) -> list[int]:
        """Choose the next item.

        Returns
        -------
        list of int
            The item; whether it is uncertain (1) or not (0); the neighbourhoods, likeliest first.
        """
        if not self._members:
            return [int(np.where(left, self._draws.uniform(0), 2).argmin()), 0]
        told = len(self._members) == self._known_k
        share, worth = uncertainty(self._alike(), told=told)
        worth[~left] = -1
        most = float(worth.max())
        doubtful = most > _ALIKE
        if doubtful:
            equal = worth >= most * (1 - _ALIKE)
            item = int(np.where(equal, self._draws.uniform(1), 2).argmin())
        else:
            item = self._farthest(np.flatnonzero(left))
        near = list(self._likely(item))
        order = sorted(near, key=lambda group: -share[item, group])  # equally likely: by the mean
        return [item, int(doubtful), *order]

    def _farthest(self, among: npt.NDArray[np.intp]) -> int:
        """Give the item farthest from all that are placed."""
        points = self._started.points
        placed = points[[item for own in self._members for item in own]].astype(np.float64)
        squares = np.square(placed).sum(axis=1)
        apart = np.empty(len(among))
        block = max(1, _BLOCK_VALUES // max(placed.shape))
        for start in range(0, len(among), block):
            self._job.step()
            rows = points[among[start : start + block]].astype(np.float64)
            near = (squares - 2 * rows @ placed.T).min(axis=1)
            apart[start : start + block] = near + np.square(rows).sum(axis=1)
        return int(among[apart.argmax()])

    def _alike(self) -> Floats:
        """Learn the groups, and give how alike items and neighbourhoods are: float64[n, l]."""
        problem = self._started
        key = (self.draw, problem.fingerprint, problem.seed)
        binned = problem.steps.get((*key, "bins"), lambda: Binned.of(problem.points, self._job))
        times = problem.steps.get((*key, "times"), self._times)
        labels, _ = self._groups()
        columns = problem.rng("npu.columns")
        leaf = forest.leaves(binned, labels, times, columns, self._job)
        return forest.likeness(leaf, self._members, self._job)

    def _times(self) -> Bytes:
        """Draw how often each tree learns from each item: uint8[trees, n]."""
        share = min(1.0, _TREE_ROWS / self._started.n)
        times = np.empty((_TREES, self._started.n), dtype=np.uint8)
        for tree in range(_TREES):
            self._job.step()
            times[tree] = forest.drawn(self._draws.uniform(_TREE_DRAWS + tree), share)
        return times


def uncertainty(alike: Floats, *, told: bool) -> tuple[Floats, Floats]:
    """Give the normalised point-based uncertainty: entropy per question that an item will take.

    Parameters
    ----------
    alike
        float64[n, l] >= 0, of items and neighbourhoods.
    told
        Whether there are no other groups, so that the last of them need not be asked about.

    Returns
    -------
    share
        float64[n, l], the chance that an item belongs to each neighbourhood: its likeness,
        as a share of all; like none, any is as likely.
    worth
        float64[n], entropy of these (in bits) over the expected number of questions when the
        likeliest is asked about first: the sum of i p_i.
    """
    count = alike.shape[1]
    total = alike.sum(axis=1, keepdims=True)
    share = np.divide(alike, total, out=np.full(alike.shape, 1 / count), where=total > 0)
    bits = np.log2(share, out=np.zeros_like(share), where=share > 0)
    questions = np.arange(1, count + 1)
    if told and count > 1:
        questions[-1] -= 1
    expected = (-np.sort(-share, axis=1) * questions).sum(axis=1)
    return share, -(share * bits).sum(axis=1) / expected
