"""The similarity of every item to every set of items, S(i, c), in blocks that a pass goes through.

Hidden here: how the table is built without ever holding all composed vectors, what exemplars cost,
how ties are broken, how the table is cut. Promised: no value is NaN or +inf; -inf stands for sets
that would contradict themselves, and for nothing else; every item has a finite value for every
single exemplar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from engine.compositional.functions import Compose, unit
from engine.compositional.sets import Sets
from engine.errors import ResourceError
from engine.job import Job
from engine.kernels import squared_distances

TIE = 1e-12
"""Standard deviation of the noise that breaks ties, in parts of the largest similarity."""

BUILDING = "Comparing items with what others make together"

_WORK = 4e7  # multiplications between two job steps
_CENTRED = 1024  # items whose mean is the centre
_SAMPLED = 64  # rows that tell about where the median is
_STEP_VALUES = 2**20  # numbers drawn or looked at between them
_SEGMENT_VALUES = 2**16  # of the longest run that is taken at once: it should stay in the cache
_BLOCK_VALUES = 2**20  # of working memory, a row per item
_NARROWEST = 32  # items of a block: fewer would make a pass of nothing but overhead

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The items, and how far they are from what others make together.

    Attributes
    ----------
    points
        Tensor[n, p] of any float type; only those compared are ever copied into float64.
    centre
        float64 Tensor[p], near the points: rounding errors grow with the distance from it.
    g
        The composition function.
    normalize
        Whether vectors are scaled to length 1 once they are composed.
    squared
        Whether similarities are squared distances.
    """

    points: torch.Tensor
    centre: torch.Tensor
    g: Compose
    normalize: bool = False
    squared: bool = True

    @classmethod
    def of(
        cls, points: torch.Tensor, g: Compose, *, normalize: bool = False, squared: bool = True
    ) -> Space:
        """Make it of Tensor[n, p]."""
        some = points[:_CENTRED].double()
        centre = (unit(some) if normalize else some).mean(0)
        return cls(points, centre, g, normalize, squared)

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.points)

    def rows(self, items: torch.Tensor) -> Space:
        """Give some of the items, int64 Tensor[m]."""
        return Space(self.points[items], self.centre, self.g, self.normalize, self.squared)

    def targets(self, items: torch.Tensor | slice) -> torch.Tensor:
        """Give some items as composed vectors are compared with them, float64 Tensor[m, p]."""
        some = self.points[items].double()
        return (unit(some) if self.normalize else some) - self.centre

    def squares(
        self, singles: torch.Tensor, sets: Sets, to: torch.Tensor, job: Job, text: str = ""
    ) -> Iterator[tuple[slice, torch.Tensor]]:
        """Give squared distances of items to composed vectors, some sets at a time.

        Parameters
        ----------
        singles
            float64 Tensor[k, p], the vectors to be composed.
        to
            float64 Tensor[m, p], some `targets`.

        Yields
        ------
        tuple
            The numbers of some sets of one size, and float64 Tensor[block, m].
        """
        each = len(to) * (to.shape[1] + 40)
        block = max(1, int(_WORK / max(1, each)))
        for numbers, composed in sets.in_blocks(singles, self.g):
            for at in range(0, len(composed), block):
                job.step(numbers.start + at, sets.count, text)
                some = composed[at : at + block]
                some = (unit(some) if self.normalize else some) - self.centre
                start = numbers.start + at
                yield slice(start, start + len(some)), squared_distances(some, to)

    def similarities(self, squares: torch.Tensor) -> torch.Tensor:
        """Turn squared distances into similarities, in place."""
        return (squares if self.squared else squares.sqrt_()).neg_()


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Similarities of all items to all sets of them.

    Attributes
    ----------
    sets
        The sets; single groups are items.
    width
        Items of a block; the last one may have fewer.
    blocks
        Tensor[count, width] each, all of one float type: a row per set, a column per item.
    """

    sets: Sets
    width: int
    blocks: tuple[torch.Tensor, ...]

    @classmethod
    def empty(cls, sets: Sets, dtype: torch.dtype = torch.float64) -> Table:
        """Make room for all values; they are not set."""
        n = sets.k
        longest = max(len(members) * size // n for size, members in enumerate(sets.by_size, 1))
        fitting = min(_SEGMENT_VALUES // longest, _BLOCK_VALUES // n)
        widest = min(n, max(_NARROWEST, fitting))
        width = -(-n // -(-n // widest))  # blocks of nearly equal width
        cuts = [min(width, n - start) for start in range(0, n, width)]
        return cls(sets, width, tuple(torch.empty(sets.count, cut, dtype=dtype) for cut in cuts))

    @classmethod
    def of(cls, sets: Sets, values: torch.Tensor) -> Table:
        """Make it of Tensor[n, count], a row per item."""
        table = cls.empty(sets, values.dtype)
        table.put(slice(0, sets.count), values.T)
        return table

    @property
    def n(self) -> int:
        """Number of items."""
        return self.sets.k

    def columns(self) -> Iterator[tuple[slice, torch.Tensor]]:
        """Give every block and the items that it is about."""
        for number, block in enumerate(self.blocks):
            start = number * self.width
            yield slice(start, start + block.shape[1]), block

    def put(self, rows: slice, values: torch.Tensor) -> None:
        """Set the values of some sets, Tensor[sets, n]."""
        for items, block in self.columns():
            block[rows] = values[:, items]

    def at(self, chosen: torch.Tensor) -> torch.Tensor:
        """Give the similarity of each item to one set, int64 Tensor[n]: Tensor[n]."""
        parts = [
            block.gather(0, chosen[None, items])[0].double() for items, block in self.columns()
        ]
        return torch.cat(parts)


def affinities(
    space: Space,
    sets: Sets,
    preferences: float | Floats | None,
    job: Job,
    dtype: torch.dtype = torch.float64,
) -> tuple[Table, Floats]:
    """Build the table of similarities, without noise.

    `S(i, c) = -||x_i - g(x_c)||^2`, or not squared; `S(i, {i})` is the preference of i, what it
    costs to be an exemplar; -inf where i is in c with others, for then i would not be one.

    Parameters
    ----------
    preferences
        One for all or one each; None = the median similarity of two items, or, where most are
        copies so that exemplars would cost nothing, the median of those that are not. -inf = never,
        if it can be helped.
    dtype
        Float type of the table.

    Returns
    -------
    tuple
        The table, and float64[n], the preferences.
    """
    table = Table.empty(sets, dtype)
    to = space.targets(slice(None))
    singles = torch.empty(space.n, space.n, dtype=torch.float64)
    for rows, squares in space.squares(space.points.double(), sets, to, job, BUILDING):
        values = space.similarities(squares)
        if rows.stop <= space.n:
            singles[rows] = values
        else:
            values.scatter_(1, sets_between(sets, rows), -torch.inf)
        table.put(rows, values)
    given = _median(singles, job) if preferences is None else preferences
    costs = np.broadcast_to(np.asarray(given, dtype=np.float64), (space.n,)).copy()
    # so low that no exemplar more than there must be is worth it, and still a number to reckon with
    singles.fill_diagonal_(0)
    low = float(np.min(costs, initial=float(singles.min()), where=np.isfinite(costs)))
    costs[np.isneginf(costs)] = -1 + 2 * (space.n + 1) * low
    for items, block in table.columns():
        block[: space.n][items].diagonal().copy_(torch.from_numpy(costs[items]))
    return table, costs


def break_ties(table: Table, random: np.random.Generator, job: Job) -> None:
    """Add noise to every value, in place: equally good choices must not be chosen by all at once.

    Its size is `TIE` times the largest similarity to a single item, which may be the same for all:
    composed vectors may be so far from all items that any part of that would drown the rest. In a
    table of float32 it is what that type can still tell apart.
    """
    largest = 0.0
    for block in table.blocks:
        job.step()
        largest = max(largest, float(block[: table.n].abs().max()))
    dtype = table.blocks[0].dtype
    scale = largest * (TIE if dtype == torch.float64 else 4 * torch.finfo(dtype).eps)
    step = max(1, _STEP_VALUES // table.n)
    for at in range(0, table.sets.count, step):
        job.step(at, table.sets.count, BUILDING)
        rows = slice(at, min(at + step, table.sets.count))
        shape = rows.stop - at, table.n
        drawn = torch.from_numpy(random.standard_normal(shape, np.float32)).double().mul_(scale)
        for items, block in table.columns():
            block[rows] += drawn[:, items]


def sets_between(sets: Sets, numbers: slice) -> torch.Tensor:
    """Give the members of consecutive sets of one size, int64 Tensor[sets, size]."""
    size = len(sets.members(numbers.start))
    before = sum(len(smaller) for smaller in sets.by_size[: size - 1])
    some = sets.by_size[size - 1][numbers.start - before : numbers.stop - before]
    return torch.from_numpy(some.copy())


def check_memory(n: int, count: int, memory: int) -> None:
    """Refuse what would not fit: the table, and two messages between any two items.

    Raises
    ------
    ResourceError
        With the figures.
    """
    needed = 8 * n * (count + 2 * n)
    if needed > memory:
        raise ResourceError(
            f"{n:,} items and {count:,} sets of them take {needed / 1e6:,.0f} MB of memory, "
            f"{memory / 1e6:,.0f} MB are allowed",
            "Allow more, or choose fewer items.",
        )


def _median(singles: torch.Tensor, job: Job) -> float:
    """Give the median similarity of two different items, of Tensor[n, n]; its diagonal is lost."""
    singles.fill_diagonal_(torch.nan)
    median = _middle(singles, job)
    if median == 0:
        median = _middle(torch.where(singles < 0, singles, torch.nan), job)
    return -1.0 if np.isnan(median) else median  # all are copies: any cost makes them one group


def _middle(values: torch.Tensor, job: Job) -> float:
    """Give the median of what is not NaN in Tensor[n, n]; NaN = nothing.

    Sorting millions of values takes too long to be stopped in between: those near the median of
    some rows are collected, and where the median is not among them, all.
    """
    n = len(values)
    rows = values[:: max(1, n // _SAMPLED)]
    sample = rows[~rows.isnan()].numpy()
    near = np.quantile(sample, [0.47, 0.53]).tolist() if len(sample) else [torch.inf, -torch.inf]
    step = max(1, _STEP_VALUES // n)
    for low, high in (near, (-torch.inf, torch.inf)):
        below, count, inside = 0, 0, []
        for at in range(0, n, step):
            job.step()
            some = values[at : at + step]
            below += int((some < low).sum())
            count += some.numel() - int(some.isnan().sum())
            inside.append(some[(some >= low) & (some <= high)])
        kept = torch.cat(inside).numpy()
        ranks = [(count - 1) // 2 - below, count // 2 - below]
        if ranks[0] >= 0 and ranks[1] < len(kept):
            return float(np.partition(kept, ranks)[ranks].mean())
    return float("nan")
