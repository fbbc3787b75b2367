"""Cells: heaps of items so alike that one of each can stand for the others.

Hidden here: how heaps are found and divided. Promised: a pure function of problem and method; as
many cells as wanted, where the items differ so much, each with the groups it is in before anybody
was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.compositional.membership import Composed
from engine.compositional.nearest import read
from engine.job import Job
from engine.model import IntArray

if TYPE_CHECKING:
    import torch

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ROUNDS = 20  # of k-means with two centres, when a cell is divided


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cells, and what a method without answers made of them.

    Attributes
    ----------
    cell
        int64[n], the cell of each item.
    sets
        Of each cell, its groups as the method found them.
    """

    cell: Ints
    sets: tuple[tuple[int, ...], ...]

    @property
    def written(self) -> IntArray:
        """Write them as whole numbers, int32."""
        flat = [number for one in self.sets for number in (len(one), *one)]
        return np.concatenate([self.cell, flat]).astype(np.int32)

    @classmethod
    def read(cls, written: IntArray, n: int) -> Cells:
        """Read what `written` wrote of n items."""
        numbers = written[n:].tolist()
        sets = []
        while numbers:
            length, *numbers = numbers
            sets.append(tuple(numbers[:length]))
            numbers = numbers[length:]
        return cls(written[:n].astype(np.int64), tuple(sets))

    @property
    def count(self) -> int:
        """Number of cells."""
        return len(self.sets)

    @property
    def sizes(self) -> Ints:
        """Items of each cell, int64[count]."""
        return np.bincount(self.cell, minlength=self.count)

    @classmethod
    def of(cls, found: Composed, points: torch.Tensor, wanted: int, job: Job) -> Cells:
        """Make every set of groups a cell, and divide the widest until there are enough.

        Parameters
        ----------
        found
            What a compositional method found.
        points
            Tensor[n, p].
        wanted
            Number of cells, at least; fewer where items are equal.
        """
        rows = np.concatenate([some.numpy() for _, some in read(points, job)])
        cell = found.chosen.astype(np.int64)
        sets = list(found.sets)
        spread = [_spread(rows[cell == at]) for at in range(len(sets))]
        while len(sets) < wanted and max(spread) > 0:
            job.step()
            widest = int(np.argmax(spread))
            items = np.flatnonzero(cell == widest)
            second = _halved(rows[items], job)
            cell[items[second]] = len(sets)
            sets.append(sets[widest])
            spread[widest] = _spread(rows[items[~second]])
            spread.append(_spread(rows[items[second]]))
        return cls(cell, tuple(sets))

    def standing(self, points: torch.Tensor, is_open: npt.NDArray[np.bool_], job: Job) -> Ints:
        """Give the item that stands for each cell: the nearest to its mean; -1 = all are set aside.

        Parameters
        ----------
        points
            Tensor[n, p].
        is_open
            bool[n], which items may be asked about.
        """
        rows = np.concatenate([some.numpy() for _, some in read(points, job)])
        means = np.zeros((self.count, rows.shape[1]))
        np.add.at(means, self.cell, rows)
        means /= self.sizes[:, None]
        far = np.square(rows - means[self.cell]).sum(1)
        far[~is_open] = np.inf
        order = np.lexsort((far, self.cell))
        first = order[np.searchsorted(self.cell[order], np.arange(self.count))]
        found: Ints = np.where(np.isfinite(far[first]), first, -1)
        return found


def _spread(rows: Floats) -> float:
    """Give the sum of squared distances to the mean; 0 for equal rows, whatever rounding says."""
    if not len(rows) or (rows == rows[0]).all():
        return 0.0
    return float(np.square(rows - rows.mean(0)).sum())


def _halved(rows: Floats, job: Job) -> npt.NDArray[np.bool_]:
    """Divide rows by k-means from two that are far from each other: bool[m], which are second."""
    one = int(np.square(rows - rows.mean(0)).sum(1).argmax())
    other = int(np.square(rows - rows[one]).sum(1).argmax())
    centres = rows[[one, other]]
    second = np.zeros(len(rows), dtype=np.bool_)
    for _ in range(_ROUNDS):
        job.step()
        before = second
        along = rows @ (centres[1] - centres[0])
        second = along > (np.square(centres[1]).sum() - np.square(centres[0]).sum()) / 2
        if second.all() or not second.any():
            second = np.arange(len(rows)) == other
        if (second == before).all():
            break
        centres = np.stack([rows[~second].mean(0), rows[second].mean(0)])
    return second
