"""Exemplars swapped for other items, as long as the net similarity rises by it.

Messages often come to a choice near the best one, but not to it: more so the more sets compete.
Hidden here: in which order swaps are tried, and how sets of other exemplars are found in the table.
Promised: as many exemplars as before; a net similarity no lower; the same each time.

References
----------
The swaps are those of partitioning around medoids, Kaufman & Rousseeuw (1990), Finding Groups in
Data, ch. 2; that they follow affinity propagation, and with compositions, is ours.
"""

from __future__ import annotations

import math
from itertools import combinations

import torch

from engine.compositional.cap.table import Floats, Table
from engine.job import Job

SWAPPING = "Swapping exemplars"

_VALUES = 2**20  # of the table, looked at between two job steps
_MOST = 5 * 10**8  # values looked at before it ends where it is: some seconds


def swapped(
    table: Table, exemplars: torch.Tensor, costs: Floats, degree: int, job: Job
) -> torch.Tensor:
    """Swap one exemplar after another for the item that does best in its place.

    With many exemplars of many items it ends before no swap is better: 60 of 500 at degree 2 take
    2 s on one core, 20 are done after as long.

    Parameters
    ----------
    exemplars
        int64 Tensor[m], m >= 1.
    costs
        float64[n], the preferences.

    Returns
    -------
    Tensor
        int64[m], in rising order.
    """
    held: list[int] = exemplars.tolist()
    search = _Search(table, torch.from_numpy(costs), degree)
    looked, unchanged, place = 0, 0, 0
    while unchanged < len(held) and looked <= _MOST:
        others = held[:place] + held[place + 1 :]
        nets = search.nets(others, job)
        best = int(nets.argmax())
        better = float(nets[best]) > float(nets[held[place]])
        held[place] = best if better else held[place]
        unchanged = 0 if better else unchanged + 1
        looked += search.looks(others)
        place = (place + 1) % len(held)
    return torch.tensor(sorted(held))


class _Search:
    """Net similarities of exemplars all but one of which are given."""

    def __init__(self, table: Table, costs: torch.Tensor, degree: int) -> None:
        self._table = table
        self._costs = costs
        self._degree = min(degree, table.n)

    def looks(self, others: list[int]) -> int:
        """Count the values looked at for these."""
        sets = sum(math.comb(len(others), size) for size in range(self._degree))
        return sets * self._table.n**2

    def nets(self, others: list[int], job: Job) -> torch.Tensor:
        """Give the net similarity with each item as the last exemplar, float64 Tensor[n].

        That of an item that is one already is -inf.
        """
        n = self._table.n
        others = sorted(others)
        base = self._without(others)
        beside = self._beside(others)
        at_once = max(1, _VALUES // (n * sum(len(some) for some in beside)))
        nets = torch.empty(n, dtype=torch.float64)
        for start in range(0, n, at_once):
            job.step(start, n, SWAPPING)
            items = torch.arange(start, min(start + at_once, n))
            rows = torch.cat([self._numbers(items, some) for some in beside], 1)
            values = self._best(rows)
            if base is not None:
                values = torch.maximum(values, base)
            values[:, others] = self._costs[others]
            values[torch.arange(len(items)), items] = self._costs[items]
            nets[items] = values.sum(1)
        nets[others] = -torch.inf
        return nets

    def _without(self, others: list[int]) -> torch.Tensor | None:
        """Give every item its best similarity to a set of these alone, float64 Tensor[n]."""
        best = None
        for at, one in enumerate(others):
            for some in self._beside(others[at + 1 :]):
                found = self._best(self._numbers(torch.tensor([one]), some))[0]
                best = found if best is None else torch.maximum(best, found)
        return best

    def _beside(self, others: list[int]) -> list[torch.Tensor]:
        """Give all sets that one more item may make larger, int64 Tensor[s, size] each."""
        return [
            torch.tensor(list(combinations(others, size)), dtype=torch.int64).view(-1, size)
            if size
            else torch.empty((1, 0), dtype=torch.int64)
            for size in range(min(self._degree, len(others) + 1))
        ]

    def _numbers(self, items: torch.Tensor, beside: torch.Tensor) -> torch.Tensor:
        """Give the numbers of sets: each item, Tensor[b], with each of some, Tensor[s, size].

        An item that is among these already makes numbers of no meaning, within bounds.

        Returns
        -------
        Tensor
            int64[b, s].
        """
        n, size = self._table.n, beside.shape[1] + 1
        whole = torch.cat(
            [
                items[:, None, None].expand(-1, len(beside), 1),
                beside[None].expand(len(items), -1, -1),
            ],
            2,
        )
        members = whole.sort(2).values
        before = sum(math.comb(n, smaller) for smaller in range(1, size))
        after = torch.zeros(members.shape[:2], dtype=torch.int64)
        for at in range(size):
            after += _choose(n - 1 - members[:, :, at], size - at)
        return (before + math.comb(n, size) - 1 - after).clamp_(0, self._table.sets.count - 1)

    def _best(self, rows: torch.Tensor) -> torch.Tensor:
        """Give every item its best similarity to some sets, int64[b, s] to float64 Tensor[b, n]."""
        flat = rows.flatten()
        parts = [
            block[flat].view(*rows.shape, -1).amax(1).double() for _, block in self._table.columns()
        ]
        return torch.cat(parts, 1)


def _choose(many: torch.Tensor, size: int) -> torch.Tensor:
    """Give binomial coefficients of int64 Tensor[...] over `size`."""
    result = torch.ones_like(many)
    for at in range(size):
        result = result * (many - at) // (at + 1)
    return result
