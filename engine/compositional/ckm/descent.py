"""All restarts at once: centres move until what they and their compositions leave over stays.

Hidden here: blocks, chunks, in which float type distances are computed, when restarts are done.
Promised: of every restart the best centres it came by; a result that does not depend on blocks
(beyond rounding); beside the data and what `footprint` says, some tens of MB.

Only how many items each set has, N, and their sum, s, is kept: with these the sum of squared
distances to the composed centres m is sum_i |x_i|^2 + sum_sets (N |m|^2 - 2 m s), whose gradient
takes no look at the items, and items that keep their set cost nothing but their distances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.compositional.functions import Compose
from engine.compositional.nearest import compared, read
from engine.compositional.sets import Sets
from engine.job import Job

if TYPE_CHECKING:
    import torch

_FIRST, _SECOND, _FLOOR = 0.9, 0.999, 1e-8  # Adam's, as its paper recommends
_GAIN = 1e-6  # of the objective: less is no improvement
_PATIENCE = 20  # steps without one, after which a restart is done
_SINGULAR = 1e-10  # of the largest eigenvalue: directions in which no item tells centres apart

_CHUNK_VALUES = 2**19  # numbers in the composed centres of some restarts
_BLOCK_VALUES = 2**20  # distances held at once
_BLOCK_WORK = 2e8  # multiplications between two job steps
_EXACT_WORK = 2e9  # multiplications in a step, up to which float64 is affordable
_DENSE = 40  # how much more an item costs that is moved alone than one in a product of matrices

_MOVING = "Moving groups and their compositions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How centres move.

    Attributes
    ----------
    rate
        Adam's step, in the units of the data.
    rounds
        Steps at most.
    shares
        For compositions that are linear: what each member counts, 1 / |set| for the mean. Then
        centres are those of least squares, and `rate` has no part. None = by gradient.
    normalize
        Compare directions only.
    """

    rate: float
    rounds: int
    shares: torch.Tensor | None = None
    normalize: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Descents:
    """What R restarts came by.

    Attributes
    ----------
    centres
        float64[R, k, p].
    spreads
        float64[R], the sum of squared distances.
    steps
        int64[R], steps taken.
    """

    centres: torch.Tensor
    spreads: torch.Tensor
    steps: torch.Tensor


def footprint(restarts: int, n: int, k: int, p: int, sets: int) -> int:
    """Give the bytes that so many restarts take."""
    return restarts * (8 * (sets * p + 6 * k * p) + 2 * n)


def descend(
    points: torch.Tensor, starts: torch.Tensor, sets: Sets, g: Compose, manner: Manner, job: Job
) -> Descents:
    """Move all restarts until each is done.

    Parameters
    ----------
    points
        Tensor[n, p], any float type.
    starts
        float64[R, k, p].

    Notes
    -----
    A restart is done after 20 steps without an improvement of a millionth; with `shares`, when no
    item changes its set. Adam: Kingma & Ba (2015), algorithm 1.
    """
    import torch

    restarts = len(starts)
    best = Descents(
        starts.clone(),
        torch.full((restarts,), torch.inf, dtype=torch.float64),
        torch.zeros(restarts, dtype=torch.int64),
    )
    items = _Items.of(points, restarts, sets, g, manner, job)
    live = torch.arange(restarts)
    job.step()
    state = _State.of(starts, len(points), sets.count)
    stale = torch.zeros(restarts, dtype=torch.int64)
    for step in range(manner.rounds + 1):  # the last one is looked at only
        job.step(step, manner.rounds, _MOVING)
        spreads, slopes, moved = items.look(state, job)
        gained = spreads < best.spreads[live] * (1 - _GAIN)
        stale = torch.where(gained, 0, stale + 1)
        better = spreads < best.spreads[live]
        best.spreads[live[better]] = spreads[better]
        best.centres[live[better]] = state.centres[better]
        best.steps[live] = step
        going = moved > 0 if manner.shares is not None else stale < _PATIENCE
        if not going.all():
            live, stale, slopes = live[going], stale[going], slopes[going]
            state = state.part(going)
        if not len(live):
            break
        if manner.shares is not None:
            _solve(state, manner.shares, items.mean)
        else:
            _adam(state, slopes, manner.rate, step + 1)
    return best


@dataclass(slots=True, eq=False)
class _State:
    """What changes from step to step: centres, who has which set, N and s, Adam's two means."""

    centres: torch.Tensor  # float64[R, k, p]
    chosen: torch.Tensor  # int16[R, n], -1 before the first step
    counts: torch.Tensor  # float64[R, count]
    sums: torch.Tensor  # float64[R, count, p]
    first: torch.Tensor
    second: torch.Tensor

    @classmethod
    def of(cls, starts: torch.Tensor, n: int, count: int) -> _State:
        import torch

        restarts, _, p = starts.shape
        whole = torch.int16 if count < 2**15 else torch.int32
        return cls(
            starts.clone(),
            torch.full((restarts, n), -1, dtype=whole),
            starts.new_zeros((restarts, count)),
            starts.new_zeros((restarts, count, p)),
            torch.zeros_like(starts),
            torch.zeros_like(starts),
        )

    def part(self, which: torch.Tensor) -> _State:
        """Keep some restarts."""
        return _State(
            self.centres[which],
            self.chosen[which],
            self.counts[which],
            self.sums[which],
            self.first[which],
            self.second[which],
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """The items, as they are compared and less their mean, which makes float32 exact enough."""

    points: torch.Tensor  # float32 or float64 [n, p]
    mean: torch.Tensor  # float64[p]
    total: float  # sum of their squared lengths
    sets: Sets
    g: Compose
    manner: Manner

    @classmethod
    def of(
        cls,
        points: torch.Tensor,
        restarts: int,
        sets: Sets,
        g: Compose,
        manner: Manner,
        job: Job,
    ) -> _Items:
        import torch

        n, p = points.shape
        mean = torch.zeros(p, dtype=torch.float64)
        for _, some in read(points, job, normalize=manner.normalize):
            mean += some.sum(0) / n
        work = n * p * sets.count * restarts
        found = torch.empty((n, p), dtype=torch.float64 if work <= _EXACT_WORK else torch.float32)
        total = 0.0
        for rows, some in read(points, job, normalize=manner.normalize):
            less = some - mean
            total += float(less.square().sum())
            found[rows] = less
        return cls(found, mean, total, sets, g, manner)

    def look(self, state: _State, job: Job) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Give every item the nearest set of each restart.

        Returns
        -------
        tuple
            float64[R], the sums of squared distances; float64[R, k, p], their gradients over n;
            int64[R], how many items changed their set.
        """
        import torch

        spreads, slopes, moved = [], [], []
        for some in self._chunks(len(state.centres)):
            job.step()
            centres = state.centres[some].clone().requires_grad_()
            composed = compared(
                self.sets.composed(centres, self.g), normalize=self.manner.normalize
            )
            vectors = composed - self.mean
            moved.append(self._assign(state, some, vectors.detach(), job))
            counts, sums = state.counts[some], state.sums[some]
            left = (counts * vectors.square().sum(-1) - 2 * (vectors * sums).sum(-1)).sum(-1)
            (slope,) = torch.autograd.grad(left.sum() / len(self.points), centres)
            spreads.append((left.detach() + self.total).clamp(min=0))
            slopes.append(slope)
        return torch.cat(spreads), torch.cat(slopes), torch.cat(moved)

    def _chunks(self, restarts: int) -> Iterator[slice]:
        """Give the restarts that are taken at once."""
        size = max(1, _CHUNK_VALUES // (self.sets.count * self.points.shape[1]))
        return (slice(at, at + size) for at in range(0, restarts, size))

    def _assign(self, state: _State, some: slice, vectors: torch.Tensor, job: Job) -> torch.Tensor:
        """Find the nearest of some restarts' vectors, [r, count, p], and bring N and s up to date.

        Of equal ones the first is taken: a maximum over weights that fall with the number of the
        set is many times quicker than a search for the place of the minimum.
        """
        import torch

        restarts, count, p = vectors.shape
        n, kind = len(self.points), state.chosen.dtype
        flat = vectors.transpose(0, 1).reshape(count * restarts, p).to(self.points.dtype)
        norms = flat.square().sum(1)[:, None]
        weights = torch.arange(count, 0, -1, dtype=kind)[:, None, None]
        change = _Change.of(count, restarts, p)
        columns = count * restarts
        block = max(1, min(_BLOCK_VALUES // columns, int(_BLOCK_WORK / (columns * (p + 20)))))
        for start in range(0, n, block):
            job.step()
            rows = slice(start, start + block)
            part = self.points[rows]
            apart = torch.addmm(norms, flat, part.T, alpha=-2).view(count, restarts, len(part))
            nearest = torch.eq(apart, apart.amin(0)).to(kind).mul_(weights).amax(0)
            new = (count - nearest).clamp_(max=count - 1)
            change.take(state.chosen[some, rows], new, part)
            state.chosen[some, rows] = new
        state.counts[some] += change.counts.T
        state.sums[some] += change.sums.view(count, restarts, p).transpose(0, 1)
        return change.moved


@dataclass(slots=True, eq=False)
class _Change:
    """What items that change their set take along, for some restarts."""

    counts: torch.Tensor  # float64[count, r]
    sums: torch.Tensor  # float64[count * r, p]
    moved: torch.Tensor  # int64[r]

    @classmethod
    def of(cls, count: int, restarts: int, p: int) -> _Change:
        import torch

        return cls(
            torch.zeros((count, restarts), dtype=torch.float64),
            torch.zeros((count * restarts, p), dtype=torch.float64),
            torch.zeros(restarts, dtype=torch.int64),
        )

    def take(self, old: torch.Tensor, new: torch.Tensor, points: torch.Tensor) -> None:
        """Take in that some items, [b, p], change from old sets to new ones, both int[r, b]."""
        import torch

        count, restarts = self.counts.shape
        differ = old != new
        moved = differ.sum(1)
        self.moved += moved
        many = int(moved.sum())
        if many * _DENSE > count * old.numel():
            moves = points.new_zeros((count, *old.shape))
            moves.scatter_(0, new[None].long(), 1)
            if int(old[0, 0]) >= 0:
                moves.scatter_add_(0, old[None].long(), moves.new_full((1, *old.shape), -1))
            self.counts += moves.sum(-1, dtype=torch.float64)
            self.sums += moves.view(count * restarts, -1) @ points
        elif many:
            restart, item = differ.nonzero(as_tuple=True)
            rows = points[item].double()
            for places, sign in ((new[restart, item], 1), (old[restart, item], -1)):
                if sign < 0 and int(places[0]) < 0:
                    break  # nothing had a set before the first step
                at = places.long() * restarts + restart
                self.sums.index_add_(0, at, rows, alpha=sign)
                ones = torch.full((many,), float(sign), dtype=torch.float64)
                self.counts.view(-1).index_add_(0, at, ones)


def _adam(state: _State, slopes: torch.Tensor, rate: float, step: int) -> None:
    """Move the centres along their gradients; one that has none stays."""
    state.first.mul_(_FIRST).add_(slopes, alpha=1 - _FIRST)
    state.second.mul_(_SECOND).addcmul_(slopes, slopes, value=1 - _SECOND)
    first = state.first / (1 - _FIRST**step)
    second = state.second / (1 - _SECOND**step)
    state.centres -= rate * first / (second.sqrt() + _FLOOR * rate)


def _solve(state: _State, shares: torch.Tensor, mean: torch.Tensor) -> None:
    """Put the centres where the squares are least, given who has which set; unused ones stay.

    That is the least-squares solution M of H M = X with the smallest norm, H [n, k] the shares of
    each item's groups, by its normal equations: H^T H = A^T N A and H^T X = A^T s for the shares A,
    float64[count, k], of each set. The sums kept are those of items less their mean.
    """
    import torch

    gram = torch.einsum("ck,rc,cl->rkl", shares, state.counts, shares)
    sums = state.sums + state.counts[..., None] * mean
    right = torch.einsum("ck,rcp->rkp", shares, sums)
    solved = torch.linalg.pinv(gram, rtol=_SINGULAR, hermitian=True) @ right
    used = gram.diagonal(dim1=-2, dim2=-1) > 0
    state.centres = torch.where(used[..., None], solved, state.centres)
