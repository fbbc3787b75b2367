"""From exemplars to the sets that items have: a choice that never contradicts itself.

Hidden here: how the sets of the exemplars are gone through. Promised: an exemplar has itself
alone; any other item has the set that is nearest to it, and of equally near ones the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from engine.compositional.cap.messages import Settled
from engine.compositional.cap.table import Floats, Space, sets_between
from engine.compositional.sets import Sets
from engine.job import Job

COMPARING = "Comparing items with sets of exemplars"

_VALUES = 2**21  # features of items compared at once


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A set for each item.

    Attributes
    ----------
    exemplars
        int64 Tensor[m], in rising order.
    sets
        Sets of places among the exemplars.
    chosen
        int64 Tensor[n], the number of each item's set.
    squares
        float64 Tensor[n], squared distance to it; that of an exemplar to itself is 0.
    next_squares
        float64 Tensor[n], to the next best set that the item may have; infinite = there is none.
    """

    exemplars: torch.Tensor
    sets: Sets
    chosen: torch.Tensor
    squares: torch.Tensor
    next_squares: torch.Tensor

    def net_similarity(self, space: Space, costs: Floats) -> float:
        """Give the sum of the similarities of all items to their sets, exemplars at their cost."""
        values = space.similarities(self.squares.clone())
        values[self.exemplars] = torch.from_numpy(costs)[self.exemplars]
        return float(values.sum())


def founders(settled: Settled, sets: Sets) -> torch.Tensor:
    """Give the exemplars; where there are none the item that most speaks for."""
    found = settled.exemplars(sets)
    return found if len(found) else settled.evidence.argmax()[None]


def choose(
    space: Space,
    exemplars: torch.Tensor,
    degree: int,
    job: Job,
    *,
    among: torch.Tensor | None = None,
) -> Choice:
    """Give every item the nearest of the sets of the exemplars.

    Parameters
    ----------
    exemplars
        int64 Tensor[m], m >= 1, in rising order.
    among
        int64 Tensor[q], the numbers of the sets that may be chosen, in rising order; without: all.
    """
    sets = Sets.of(len(exemplars), degree, 1, 2**62)  # no value per item is kept of them
    allowed = torch.ones(sets.count, dtype=torch.bool)
    if among is not None:
        allowed.fill_(value=False)
        allowed[among] = True
    singles = space.points[exemplars].double()
    found = []
    at_once = max(1, _VALUES // singles.shape[1])
    for at in range(0, space.n, at_once):
        job.step()
        some = space.targets(slice(at, at + at_once))
        found.append(nearest := _Nearest.none(len(some)))
        for numbers, squares in space.squares(singles, sets, some, job, COMPARING):
            squares[~allowed[numbers]] = torch.inf
            nearest.take(numbers.start, squares)
    chosen = torch.cat([nearest.chosen for nearest in found])
    best = torch.cat([nearest.best for nearest in found])
    second = torch.cat([nearest.second for nearest in found])
    chosen[exemplars] = torch.arange(len(exemplars))
    best[exemplars] = 0
    second[exemplars] = _of_others(space, exemplars, sets, allowed, job)
    return Choice(exemplars, sets, chosen, best, second)


@dataclass(frozen=True, slots=True, eq=False)
class _Nearest:
    """The two nearest sets of some items so far, and which is the nearest, Tensor[n] each."""

    best: torch.Tensor
    second: torch.Tensor
    chosen: torch.Tensor

    @classmethod
    def none(cls, n: int) -> _Nearest:
        far = torch.full((n,), torch.inf, dtype=torch.float64)
        return cls(far, far.clone(), torch.zeros(n, dtype=torch.int64))

    def take(self, start: int, squares: torch.Tensor) -> None:
        """Let sets from number `start` on take their places; Tensor[sets, n] is written to."""
        columns = torch.arange(squares.shape[1])
        for _ in range(min(2, len(squares))):
            near, at = squares.min(0)
            better = near < self.best
            torch.minimum(self.second, torch.where(better, self.best, near), out=self.second)
            self.chosen[better] = start + at[better]
            self.best[better] = near[better]
            squares[at, columns] = torch.inf


def _of_others(
    space: Space, exemplars: torch.Tensor, sets: Sets, allowed: torch.Tensor, job: Job
) -> torch.Tensor:
    """Give how far exemplars are from the nearest set without them: they may have no other."""
    nearest = _Nearest.none(len(exemplars))
    singles, to = space.points[exemplars].double(), space.targets(exemplars)
    for numbers, squares in space.squares(singles, sets, to, job, COMPARING):
        squares[~allowed[numbers]] = torch.inf
        squares.scatter_(1, sets_between(sets, numbers), torch.inf)
        nearest.take(numbers.start, squares)
    return nearest.best
