"""Assigning: the sets of groups that fit items and explain what was answered about them.

Hidden here: how sets are found that break few answers, when a group of its own is opened for an
item, and how centres follow. Promised: a pure function of its arguments; an answer counts for more
than any fit, unless others say the opposite.

References
----------
Own design. Descent coordinate by coordinate, the largest gain first; then both items of an answer
still broken at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.compositional.functions import Compose
from engine.compositional.nearest import compared, read
from engine.compositional.sets import Sets
from engine.job import Job
from engine.model import Pair

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Facts = Sequence[tuple[Pair, bool]]
"""Pairs, each once, and whether they share a group."""

_BLOCK_WORK = 5e6  # multiplications between two job steps
_TOGETHER = 700  # sets at most, for both items of a pair to be moved at once
_STEPS = 40  # of the centres in a refit
_GAIN = 1e-6  # of the squares: less is no improvement


@dataclass(frozen=True, slots=True)
class Kind:
    """How groups compose.

    Attributes
    ----------
    g
        What the groups of a set make together.
    degree, normalize, memory
        As `ComposingParams` has them; memory in bytes.
    """

    g: Compose
    degree: int
    normalize: bool
    memory: int


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What every set of groups costs every item: squared distances, float64[n, count]."""

    centres: torch.Tensor
    sets: Sets
    squares: Floats
    hits: Bools  # [count, count], whether two sets have a group in common
    incidence: Bools  # [count, k]

    @classmethod
    def of(cls, points: torch.Tensor, centres: torch.Tensor, kind: Kind, job: Job) -> Costs:
        """Compare all items with what all sets make.

        Parameters
        ----------
        points
            Tensor[n, p].
        centres
            float64[k, p].
        """
        from engine.kernels import squared_distances

        sets = Sets.of(len(centres), kind.degree, len(points), kind.memory)
        vectors = compared(sets.composed(centres, kind.g), normalize=kind.normalize)
        squares = np.empty((len(points), sets.count))
        block = max(1, int(_BLOCK_WORK / (sets.count * (points.shape[1] + 10))))
        for start in range(0, len(points), block):
            job.step()
            rows = slice(start, start + block)
            some = compared(points[rows].double(), normalize=kind.normalize)
            squares[rows] = squared_distances(some, vectors).numpy()
        member = sets.incidence()
        counts = member.astype(np.float32)
        return cls(centres, sets, squares, counts @ counts.T > 0, member)


@dataclass(frozen=True, slots=True, eq=False)
class Assigned:
    """Sets that explain answers.

    Attributes
    ----------
    chosen
        int64[n], the place in `costs.sets` of each item's set.
    items
        int64[a], the items spoken about, in the order met.
    blame
        float64[a, count], how many answers about such an item each set would break.
    """

    costs: Costs
    chosen: Ints
    items: Ints
    blame: Floats
    price: float

    @property
    def broken(self) -> Floats:
        """How many answers about each item are broken, float64[n]."""
        found = np.zeros(len(self.chosen))
        found[self.items] = self.blame[np.arange(len(self.items)), self.chosen[self.items]]
        return found

    def energies(self) -> Floats:
        """Give squared distances plus what broken answers cost, float64[n, count]."""
        found = self.costs.squares.copy()
        found[self.items] += self.price * self.blame
        return found


def assigned(costs: Costs, facts: Facts, price: float, job: Job) -> Assigned:
    """Give every item the set that fits best and, where answers are about it, explains them.

    Parameters
    ----------
    price
        What a broken answer costs, in squared distances.
    """
    chosen = costs.squares.argmin(1)
    places: dict[int, int] = {}
    ends = [
        (places.setdefault(pair.a, len(places)), places.setdefault(pair.b, len(places)), share)
        for pair, share in facts
    ]
    items = np.fromiter(places, dtype=np.int64, count=len(places))
    if not ends:
        return Assigned(costs, chosen, items, np.zeros((0, costs.sets.count)), price)
    descent = _Descent(costs.squares[items], costs.hits, ends, price, job)
    descent.run()
    chosen[items] = descent.chosen
    return Assigned(costs, chosen, items, descent.blame, price)


class _Descent:
    """The sets of the items spoken about, moved until no move gains anything."""

    def __init__(
        self,
        fit: Floats,
        hits: Bools,
        ends: Sequence[tuple[int, int, bool]],
        price: float,
        job: Job,
    ) -> None:
        self.fit, self.hits, self.ends, self.price, self.job = fit, hits, ends, price, job
        self.chosen: Ints = fit.argmin(1)
        self.near: list[list[tuple[int, bool]]] = [[] for _ in fit]
        for a, b, share in ends:
            self.near[a].append((b, share))
            self.near[b].append((a, share))
        self.blame = np.zeros_like(fit)
        for item, about in enumerate(self.near):
            for other, share in about:
                self.blame[item] += self._broken_by(other, share=share)
        self.least = _GAIN * max(price, 1e-300)

    def _broken_by(self, other: int, *, share: bool) -> Bools:
        """Tell which sets break an answer, given the set of the other item: bool[count]."""
        broken: Bools = self.hits[self.chosen[other]] != share
        return broken

    def run(self) -> None:
        """Move single items, then pairs where an answer is still broken, until nothing gains."""
        self._singly()
        for _ in range(len(self.ends)):
            if len(self.hits) > _TOGETHER or not self._any_both():
                return
            self._singly()

    def _any_both(self) -> bool:
        return any(self._both(one, other, share=share) for one, other, share in self.ends)

    def _singly(self) -> None:
        at = np.arange(len(self.fit))
        total = self.fit + self.price * self.blame
        gain = total[at, self.chosen] - total.min(1)
        for _ in range(20 * len(at)):
            self.job.step()
            item = int(gain.argmax())
            if gain[item] <= self.least:
                return
            self._move(item, int(total[item].argmin()))
            some = [item, *(other for other, _ in self.near[item])]
            total[some] = self.fit[some] + self.price * self.blame[some]
            gain[some] = total[some, self.chosen[some]] - total[some].min(1)

    def _move(self, item: int, to: int) -> None:
        was = self.chosen[item]
        self.chosen[item] = to
        change = self.hits[to].astype(np.float64) - self.hits[was]
        for other, share in self.near[item]:
            self.blame[other] += -change if share else change

    def _both(self, one: int, other: int, *, share: bool) -> bool:
        """Move both items of a broken answer, if that gains; tell whether it did."""
        if self.hits[self.chosen[one], self.chosen[other]] == share:
            return False
        self.job.step()
        first, second = (
            self.fit[item] + self.price * (self.blame[item] - self._broken_by(to, share=share))
            for item, to in ((one, other), (other, one))
        )
        joint = first[:, None] + second[None, :] + self.price * (self.hits != share)
        best = int(joint.argmin())
        now = joint[self.chosen[one], self.chosen[other]]
        if now - joint.flat[best] <= self.least:
            return False
        to_one, to_other = divmod(best, len(self.hits))
        self._move(one, to_one)
        self._move(other, to_other)
        return True


def lonely(found: Assigned, facts: Facts) -> int | None:
    """Give the item that was told apart from all groups by most answers; None = there is none.

    Of equals it is the one that fits worst: the others stand for groups.
    """
    apart = np.zeros_like(found.blame)
    at = {int(item): place for place, item in enumerate(found.items)}
    for pair, share in facts:
        if not share:
            for one, other in ((pair.a, pair.b), (pair.b, pair.a)):
                apart[at[one]] += found.costs.hits[found.chosen[other]]
    out = apart.min(1, initial=np.inf)
    if not len(out) or out.max() < 1:
        return None
    worst = found.costs.squares[found.items].min(1)
    return int(found.items[np.lexsort((-worst, -out))[0]])


def refitted(points: torch.Tensor, found: Assigned, kind: Kind, job: Job) -> torch.Tensor:
    """Move the centres to where squares are less, with the sets as they are: float64[k, p].

    Notes
    -----
    Along the gradient, each centre by a step that its number of items allows; a step that does
    not gain is halved.
    """
    import torch

    sets, centres = found.costs.sets, found.costs.centres
    counts, sums = _sums(points, found, kind, job)
    used = torch.from_numpy(sets.incidence().T).double() @ counts
    rate = (0.5 / used.clamp(min=1e-300))[:, None] * (used > 0)[:, None]

    def look(at: torch.Tensor) -> tuple[float, torch.Tensor]:
        job.step()
        tried = at.clone().requires_grad_()
        vectors = compared(sets.composed(tried, kind.g), normalize=kind.normalize)
        value = (counts * vectors.square().sum(1) - 2 * (vectors * sums).sum(1)).sum()
        (slope,) = torch.autograd.grad(value, tried)
        return float(value.detach()), slope

    value, slope = look(centres)
    step = 1.0
    for _ in range(_STEPS):
        moved = centres - step * rate * slope
        now, after = look(moved)
        if now < value:
            done = value - now <= _GAIN * abs(value)
            centres, value, slope = moved, now, after
            if done:
                break
        else:
            step /= 2
    return centres


def _sums(
    points: torch.Tensor, found: Assigned, kind: Kind, job: Job
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give how much each set counts, float64[count], and the sum of its items, [count, p]."""
    import torch

    chosen = torch.from_numpy(found.chosen)
    count = found.costs.sets.count
    counts = torch.bincount(chosen, minlength=count).double()
    sums = torch.zeros((count, points.shape[1]), dtype=torch.float64)
    for rows, some in read(points, job, normalize=kind.normalize):
        sums.index_add_(0, chosen[rows], some)
    return counts, sums
