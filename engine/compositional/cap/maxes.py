"""The best set with each member and the best without, for every item: FindAllMaxes.

For one item, `b(c) = S(c) + sum_{k in c} a_k` over all sets c. Wanted are, for each k at once,
`in_k = max_{c with k} b(c)` and `out_k = max_{c without k} b(c)`.

Hidden here: how it is done in a fixed number of passes over the table that read what lies side by
side. Promised: values that a scan of all sets would give, to the last bits of the sums; of equally
good sets the first is chosen.

`in` by elimination. Sets of one size with the same first member j lie side by side, and without j
they are, in the same order, the last sets of the next smaller size. So j is taken out of all sets
that begin with it, `T(c') <- max(T(c'), T({j} + c') + a_j)`, from the largest sets downwards: a
smaller set then stands for all that end with it. Before j goes, `in_j` is read off the same run.
That is two additions and two maxima for each value, whatever the degree; a scatter over lists of
which member is in which set would cost a random access for each member of each set.

`out` is b(c*) for all k that the best set c* lacks. For a member k of c*, sets are taken by their
first member again: those that begin after k lack it; of those that begin with j before k the best
one is known; it is the answer if it lacks k, and does not matter if it is no better than what was
found. Only the runs that are left over are scanned again.

References
----------
Algorithms.md, sec. 4.1 (FindAllMaxes); the elimination and the bounds are this project's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch

from engine.compositional.cap.table import Table
from engine.compositional.sets import Members
from engine.job import Job

_STEP_VALUES = 2**20  # values gone through between two job steps
_SCAN_VALUES = 2**18  # values of runs scanned again at once


@dataclass(frozen=True, slots=True, eq=False)
class Maxes:
    """What was found for the items of one block.

    Attributes
    ----------
    items
        Which they are.
    within
        float64 Tensor[n, width], `in_ik - a_ik`: row k, column i.
    without
        float64 Tensor[n, width], `out_ik`.
    chosen
        int64 Tensor[width], the number of the best set.
    """

    items: slice
    within: torch.Tensor
    without: torch.Tensor
    chosen: torch.Tensor


class Finder:
    """Finds all maxima of a table, again and again, in the same working memory.

    Parameters
    ----------
    table
        Similarities of at least two items.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._runs = Runs(table.sets.by_size, table.n)
        self._rooms: dict[int, Room] = {}
        self._passes: list[_Pass] = []

    def __call__(self, added: torch.Tensor, job: Job) -> Iterator[Maxes]:
        """Go through the blocks; what was found for one may be overwritten by the next.

        Parameters
        ----------
        added
            float64 Tensor[n, n], a_ik: row k, column i. Only columns of blocks already yielded
            may be changed meanwhile.
        """
        for number, (items, block) in enumerate(self._table.columns()):
            job.step()
            if number == len(self._passes):
                self._passes.append(self._pass(items, block))
            yield self._passes[number].found(added[:, items], job)

    def _pass(self, items: slice, block: torch.Tensor) -> _Pass:
        width = block.shape[1]
        if width not in self._rooms:
            self._rooms[width] = Room.of(self._runs, width, block.dtype)
        return _Pass(self._runs, self._rooms[width], items, block)


class Runs:
    """Where sets with the same first member lie.

    Parameters
    ----------
    by_size
        int64[count_r, r] for r = 1, 2, ...: all sets of r members in lexicographic order.
    n
        Number of members there are.

    Attributes
    ----------
    members
        int64 Tensor[count_r, r] for each size.
    lengths, starts
        int64 Tensor[n] for each size: how many sets begin with j, and where.
    """

    def __init__(self, by_size: tuple[Members, ...], n: int) -> None:
        self.n = n
        self.members = [torch.from_numpy(members.copy()) for members in by_size]
        self.lengths, self.starts = [], []
        for size in range(1, len(by_size) + 1):
            lengths = torch.tensor([math.comb(n - 1 - j, size - 1) for j in range(n)])
            self.lengths.append(lengths)
            self.starts.append(lengths.cumsum(0) - lengths)

    @property
    def sizes(self) -> int:
        """The largest size."""
        return len(self.members)


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Working memory for blocks of one width.

    Attributes
    ----------
    added
        Tensor[count_r, width] for r = 1..d-1, sums of a over the members of each set.
    merged
        Tensor[count_r, width] for r = 1..d-1, the best of the sets that end with each: T.
    firsts
        Tensor[d, n, width], the best set of each size with each first member; -inf = none.
    within
        Tensor[n, width].
    best
        Tensor[n, width], of one size.
    spare
        Tensor[longest run, width].
    """

    added: list[torch.Tensor]
    merged: list[torch.Tensor]
    firsts: torch.Tensor
    within: torch.Tensor
    best: torch.Tensor
    spare: torch.Tensor

    @classmethod
    def of(cls, runs: Runs, width: int, dtype: torch.dtype) -> Room:
        """Make room; nothing is set."""
        inner = [len(members) for members in runs.members[: max(1, runs.sizes - 1)]]
        longest = max(int(lengths.max()) for lengths in runs.lengths)

        def room(*shape: int) -> torch.Tensor:
            return torch.empty(*shape, width, dtype=dtype)

        return cls(
            [room(count) for count in inner],
            [room(count) for count in inner],
            room(runs.sizes, runs.n),
            room(runs.n),
            room(runs.n),
            room(longest),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Sets with the same first member j, and what they meet: views, Tensor[run, width] or [width].

    Attributes
    ----------
    own
        Values of the sets.
    rest
        Sums of a over their members but j.
    merged
        The best of the sets that end with their members but j.
    added, best
        a_j, and the best of the run without it.
    spare
        Working memory.
    """

    own: torch.Tensor
    rest: torch.Tensor
    merged: torch.Tensor
    added: torch.Tensor
    best: torch.Tensor
    spare: torch.Tensor

    def read_off(self) -> None:
        """Find the best of the run."""
        torch.add(self.own, self.rest, out=self.spare)
        torch.amax(self.spare, 0, out=self.best)

    def take_out(self) -> None:
        """Let smaller sets stand for those of the run."""
        torch.add(self.own, self.added, out=self.spare)
        torch.maximum(self.merged, self.spare, out=self.merged)


class _Pass:
    """The maxima of one block, and all the views that they take: made once, used every time."""

    def __init__(self, runs: Runs, room: Room, items: slice, block: torch.Tensor) -> None:
        self.items = items
        self._runs = runs
        self._room = room
        counts = [len(members) for members in runs.members]
        self._values = list(torch.split(block, counts))
        self._before = torch.tensor([0, *counts]).cumsum(0)
        self._sums = [self._over(size, room.added[size - 1]) for size in range(2, runs.sizes)]
        self._merged = [self._over(size, room.merged[size - 1]) for size in range(2, runs.sizes)]
        self._plain = [
            self._over(size, self._values[size - 1]) for size in range(2, runs.sizes + 1)
        ]

    def found(self, added: torch.Tensor, job: Job) -> Maxes:
        """Find all maxima, given a, Tensor[n, width]."""
        room = self._room
        room.added[0].copy_(added)
        for runs in self._sums:
            for run in runs:
                torch.add(run.rest, run.added, out=run.own)
        torch.add(self._values[0], room.added[0], out=room.firsts[0])
        if self._runs.sizes == 1:
            return self._of_singles()
        self._eliminate(job)
        tops = room.firsts.amax(1)
        best = tops.amax(0)
        size = (tops == best).int().argmax(0)  # of equally good ones the smallest
        chosen = self._chosen(size, job)
        without = best.repeat(self._runs.n, 1)
        self._leave_out(size, chosen, without, job)
        return Maxes(
            self.items, room.within.double(), without.double(), chosen + self._before[size]
        )

    def _of_singles(self) -> Maxes:
        """Find the maxima where all sets are single: out_k is the best, or the next best, b."""
        sums = self._room.firsts[0]
        best, chosen = sums.max(0)
        sums.scatter_(0, chosen[None], -torch.inf)
        without = best.repeat(self._runs.n, 1).scatter_(0, chosen[None], sums.amax(0)[None])
        self._room.within.copy_(self._values[0])
        return Maxes(self.items, self._room.within.double(), without.double(), chosen)

    def _over(self, size: int, own: torch.Tensor) -> list[_Run]:
        """Give the runs of a size, with the given values."""
        room, runs = self._room, []
        rest, merged = room.added[size - 2], room.merged[size - 2]
        starts, lengths = self._runs.starts[size - 1], self._runs.lengths[size - 1]
        for j, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
            if length:
                last = slice(len(rest) - length, len(rest))
                runs.append(
                    _Run(
                        own[start : start + length],
                        rest[last],
                        merged[last],
                        room.added[0][j],
                        room.best[j],
                        room.spare[:length],
                    )
                )
        return runs

    def _eliminate(self, job: Job) -> None:
        """Find the best set with each member, and the best of each size by first member."""
        room, sizes = self._room, self._runs.sizes
        for merged, values in zip(room.merged, self._values, strict=False):
            merged.copy_(values)
        room.within.fill_(-torch.inf)
        for size in range(sizes, 1, -1):
            largest = size == sizes
            room.best.fill_(-torch.inf)
            for run in _stepping(self._plain[-1] if largest else self._merged[size - 2], job):
                run.read_off()
                run.take_out()
            torch.maximum(room.within, room.best, out=room.within)
            if not largest:
                for run in _stepping(self._plain[size - 2], job):
                    run.read_off()
            torch.add(room.best, room.added[0], out=room.firsts[size - 1])
        torch.maximum(room.within, room.merged[0], out=room.within)

    def _chosen(self, size: torch.Tensor, job: Job) -> torch.Tensor:
        """Give the place of the best set among those of its size, int64 Tensor[width]."""
        columns = torch.arange(len(size))
        first = self._room.firsts[size, :, columns].argmax(1)
        place = first.clone()
        for number in range(1, self._runs.sizes):
            of_size = (size == number).nonzero()[:, 0]
            for some, values in self._scans(number, first[of_size], of_size, None, job):
                at = of_size[some]
                place[at] = self._runs.starts[number][first[at]] + values.argmax(1)
        return place

    def _leave_out(
        self, size: torch.Tensor, chosen: torch.Tensor, without: torch.Tensor, job: Job
    ) -> None:
        """Set, for each member of an item's best set, the best of the sets that lack it."""
        members = torch.full((len(size), self._runs.sizes), -1)
        for number in range(self._runs.sizes):
            of_size = (size == number).nonzero()[:, 0]
            members[of_size, : number + 1] = self._runs.members[number][chosen[of_size]]
        columns, slot = (members >= 0).nonzero().unbind(1)
        left = members[columns, slot]
        without[left, columns] = self._lacking(left, columns, job)

    def _lacking(self, left: torch.Tensor, columns: torch.Tensor, job: Job) -> torch.Tensor:
        """Give the best of the sets that lack a member, one for each of some columns.

        Parameters
        ----------
        left
            int64 Tensor[q], the member.
        columns
            int64 Tensor[q], places of items in the block.
        """
        firsts = self._room.firsts[:, :, columns]
        before = torch.arange(self._runs.n)[:, None] < left
        firsts[:, left, torch.arange(len(left))] = -torch.inf
        best = firsts[0].amax(0)
        for number in range(1, self._runs.sizes):
            known = firsts[number]
            best = torch.maximum(best, known.masked_fill(before, -torch.inf).amax(0))
            start, which = (before & (known > best)).nonzero().unbind(1)
            if number == 1:
                start, which = self._doubtful(start, which, left, columns, known, best)
            for some, values in self._scans(number, start, columns[which], left[which], job):
                best.scatter_reduce_(0, which[some], values.amax(1), "amax")
        return best

    def _doubtful(
        self,
        start: torch.Tensor,
        which: torch.Tensor,
        left: torch.Tensor,
        columns: torch.Tensor,
        known: torch.Tensor,
        best: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Leave out runs of pairs whose best one is not the pair with `left`: it is the answer.

        Parameters
        ----------
        start, which
            int64 Tensor[runs], the first member, and for which of the columns.
        left, columns, known
            As in `_lacking`; Tensor[n, q], the best of each run.
        best
            Tensor[q], raised in place to the answers.

        Returns
        -------
        tuple
            Those of `start` and `which` that are left.
        """
        item, other = columns[which], left[which]
        added, reached = self._room.added[0], known[start, which]
        place = self._runs.starts[1][start] + other - start - 1
        # in the order of the elimination: equal sums must be equal to the last bit
        pair = self._values[1][place, item] + added[other, item] + added[start, item]
        lacks = pair < reached
        best.scatter_reduce_(0, which[lacks], reached[lacks], "amax")
        doubtful = ~lacks & (reached > best[which])
        return start[doubtful], which[doubtful]

    def _scans(
        self,
        number: int,
        first: torch.Tensor,
        columns: torch.Tensor,
        left: torch.Tensor | None,
        job: Job,
    ) -> Iterator[tuple[slice, torch.Tensor]]:
        """Give b of all sets of a size that begin with a member, -inf for those with another.

        Parameters
        ----------
        number
            The size, less 1.
        first, columns, left
            int64 Tensor[q], the first member, the place of the item in the block, the member that
            sets must lack.

        Yields
        ------
        tuple
            Which of the q, and Tensor[some, longest]; beyond the end of a run -inf.
        """
        lengths, starts = self._runs.lengths[number], self._runs.starts[number]
        smaller = self._runs.members[number - 1]
        values, sums = self._values[number], self._room.added[number - 1]
        at = 0
        while at < len(first):
            job.step()
            longest = int(lengths[first[at:]].max())
            some = slice(at, at + max(1, _SCAN_VALUES // (longest * number)))
            at = some.stop
            begin, column = first[some], columns[some, None]
            place = torch.arange(longest)
            length = lengths[begin][:, None]
            inside = place < length
            own = torch.where(inside, starts[begin][:, None] + place, 0)
            rest = torch.where(inside, len(sums) - length + place, 0)
            found = values[own, column] + sums[rest, column]
            found += self._room.added[0][begin[:, None], column]
            if left is not None:
                inside &= (smaller[rest] != left[some, None, None]).all(2)
            yield some, found.masked_fill_(~inside, -torch.inf)


def _stepping(runs: list[_Run], job: Job) -> Iterator[_Run]:
    """Give runs one after the other, with a step of the job in due time."""
    done = _STEP_VALUES
    for run in runs:
        if done >= _STEP_VALUES:
            job.step()
            done = 0
        done += run.own.numel()
        yield run
