"""Sets of groups: every composition that may be chosen, enumerated once.

Hidden here: how they are enumerated and found again. Promised: an order that never changes (by
size, then lexicographically, so that with ties single groups win), and a refusal before anything
is built that would not fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.compositional.functions import Compose
from engine.errors import ParameterError, ResourceError

if TYPE_CHECKING:
    import torch

MOST = 4
"""Groups that a set may have."""

Members = npt.NDArray[np.int64]

_BYTES = 8  # of a value kept for each item and each set


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """All sets of 1 to `degree` out of `k` groups.

    Attributes
    ----------
    k
        Single groups, numbered 0..k-1.
    by_size
        int64[count_r, r] for r = 1, 2, ...: members in rising order; read-only. Sizes of which
        there are none, for lack of groups, are left out.
    """

    k: int
    by_size: tuple[Members, ...]

    @classmethod
    def of(cls, k: int, degree: int, rows: int, memory: int) -> Sets:
        """Enumerate them.

        Parameters
        ----------
        k
            Single groups, at least 1.
        degree
            Members at most, 1 to `MOST`.
        rows
            Items for each of which a method keeps a value per set.
        memory
            Bytes that these values may take.

        Raises
        ------
        ParameterError
            For a degree out of range.
        ResourceError
            When the values take more; the message has the figures.
        """
        check_degree(degree)
        total = count(k, degree)
        needed = rows * total * _BYTES
        if needed > memory:
            most = largest(degree, rows, memory)
            lower = ", a lower degree" if degree > 1 else ""
            raise ResourceError(
                f"{k:,} groups make {total:,} sets of up to {degree}; with {rows:,} items their "
                f"values take {needed / 1e6:,.0f} MB of memory, {memory / 1e6:,.0f} MB are allowed",
                f"Allow more, or choose fewer items{lower} or at most {most:,} groups.",
            )
        by_size = []
        drawn = np.arange(k, dtype=np.int64)[:, None]
        for size in range(1, min(degree, k) + 1):
            drawn = drawn if size == 1 else _extended(drawn, k)
            drawn.flags.writeable = False
            by_size.append(drawn)
        return cls(k, tuple(by_size))

    @property
    def count(self) -> int:
        """Number of sets."""
        return sum(len(members) for members in self.by_size)

    def members(self, index: int) -> tuple[int, ...]:
        """Give the groups of a set, in rising order.

        Raises
        ------
        IndexError
            When there is no such set.
        """
        at = index
        for members in self.by_size:
            if 0 <= at < len(members):
                return tuple(members[at].tolist())
            at -= len(members)
        raise IndexError(f"there are {self.count} sets, and none is number {index}")

    def index(self, members: Sequence[int]) -> int:
        """Give the number of the set with these groups, in any order.

        Raises
        ------
        ValueError
            When there is no such set.
        """
        wanted = sorted(members)
        size = len(wanted)
        inside = wanted and wanted[0] >= 0 and wanted[-1] < self.k
        if not inside or len(set(wanted)) < size or size > len(self.by_size):
            raise ValueError(f"no set has the members {list(members)}")
        before = sum(len(smaller) for smaller in self.by_size[: size - 1])
        after = sum(math.comb(self.k - 1 - one, size - at) for at, one in enumerate(wanted))
        return before + math.comb(self.k, size) - 1 - after

    def incidence(self) -> npt.NDArray[np.bool_]:
        """Give which set has which group, bool[count, k]."""
        table = np.zeros((self.count, self.k), dtype=np.bool_)
        start = 0
        for members in self.by_size:
            rows = np.arange(start, start + len(members))
            table[rows[:, None], members] = True
            start += len(members)
        return table

    def composed(self, singles: torch.Tensor, g: Compose) -> torch.Tensor:
        """Compose the vectors of every set.

        Parameters
        ----------
        singles
            Tensor[..., k, p], a vector per group.
        g
            The composition function.

        Returns
        -------
        Tensor
            [..., count, p], in the order of the sets; the first k are `singles`.
        """
        import torch

        return torch.cat([part for _, part in self.in_blocks(singles, g)], dim=-2)

    def in_blocks(
        self, singles: torch.Tensor, g: Compose, values: int = 2**20
    ) -> Iterator[tuple[slice, torch.Tensor]]:
        """Compose some sets at a time, where all would not fit or take too long.

        Parameters
        ----------
        singles, g
            As for `composed`.
        values
            Numbers gathered at once, to be composed.

        Yields
        ------
        tuple
            The numbers of some sets of one size, and Tensor[..., block, p].
        """
        import torch

        shape = singles.shape[:-2]
        start = 0
        for size, members in enumerate(self.by_size, 1):
            each = size * (singles.numel() // self.k)
            block = max(1, values // max(1, each))
            for at in range(0, len(members), block):
                some = members[at : at + block]
                numbers = slice(start + at, start + at + len(some))
                if size == 1:
                    yield numbers, singles[..., at : at + block, :]
                    continue
                index = torch.from_numpy(some.flatten()).to(singles.device)
                gathered = singles.index_select(-2, index)
                yield numbers, g(gathered.reshape(*shape, len(some), size, gathered.shape[-1]))
            start += len(members)


def count(k: int, degree: int) -> int:
    """Count the sets of 1 to `degree` out of k groups."""
    return sum(math.comb(k, size) for size in range(1, degree + 1))


def largest(degree: int, rows: int, memory: int) -> int:
    """Give the most groups whose sets fit into so many bytes."""
    k = 0
    while rows * count(k + 1, degree) * _BYTES <= memory:
        # the last doubling overshoots, and is gone back on in ever smaller steps
        step = 1
        while rows * count(k + 2 * step, degree) * _BYTES <= memory:
            step *= 2
        k += step
    return k


def check_degree(degree: int) -> None:
    """Refuse sets of none or of more than `MOST`.

    Raises
    ------
    ParameterError
        When the degree is out of range.
    """
    if not 1 <= degree <= MOST:
        raise ParameterError(f"degree must be from 1 to {MOST} groups, not {degree}")


def _extended(drawn: Members, k: int) -> Members:
    """Add to every set each group beyond its last one; lexicographic order is kept."""
    more = k - 1 - drawn[:, -1]
    before = np.repeat(drawn, more, axis=0)
    first = np.repeat(np.cumsum(more) - more, more)
    added = before[:, -1] + 1 + np.arange(len(before)) - first
    return np.column_stack([before, added])
