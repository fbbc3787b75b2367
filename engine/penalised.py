"""Penalised means: k-means that pays for every answer it breaks, with or without learnt distances.

Hidden here: how the price of all pairs that follow from the answers is summed without listing
them, how draws are made that do not depend on the order of the items, and how distances are
learnt. Promised: the same points, answers and draws give the same groups, whatever the order of
the rows; answers weigh, but may be broken.

References
----------
Basu, Banerjee & Mooney (2004), "Active semi-supervision for pairwise constrained clustering",
section 3: PCK-Means. Bilenko, Basu & Mooney (2004), "Integrating constraints and metric learning
in semi-supervised clustering", sections 3 and 4: MPCK-Means; here each group has a diagonal metric
(the paper allows full ones), drawn towards the spread within all groups where it has few items.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.job import Job

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK_VALUES = 2**20  # values held at once
_ROWS = 4096  # rows hashed between two steps
_ROUNDS = 50  # moves of the means, at most
_PRIOR = 10.0  # items that a group's spread is taken to hold of the spread within all groups
_LEAST = 1e-3  # least variance of a column, as a share of the columns' mean variance


class Draws:
    """Random numbers of each item, drawn from its row: another order of rows changes none.

    Parameters
    ----------
    points
        float32[n, d]; copies draw alike.
    seed, purpose
        Name the stream.
    """

    def __init__(self, points: npt.NDArray[np.float32], seed: int, purpose: str, job: Job) -> None:
        key = hashlib.blake2b(f"{seed}:{purpose}".encode(), digest_size=32).digest()
        words = bytearray()
        for at, row in enumerate(points):
            if at % _ROWS == 0:
                job.step()
            words += hashlib.blake2b(row.tobytes(), digest_size=8, key=key).digest()
        self._words = np.frombuffer(bytes(words), dtype="<u8").astype(np.uint64)

    def uniform(self, number: int) -> Floats:
        """Give draw `number` of every item: float64[n] in (0, 1)."""
        with np.errstate(over="ignore"):  # the finaliser of SplitMix64 (Steele et al., 2014)
            word = self._words + np.uint64((number + 1) * 0x9E3779B97F4A7C15 % 2**64)
            word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            word ^= word >> np.uint64(31)
        share: Floats = ((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
        return share

    def one(self, number: int, weights: Floats) -> int:
        """Draw an item with chances as the weights, float64[n] >= 0 (an exponential race)."""
        with np.errstate(divide="ignore"):
            return int(np.argmin(-np.log(self.uniform(number)) / weights))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Groups around means.

    Attributes
    ----------
    labels
        int64[n], 0..k-1; groups may be empty.
    squares
        float64[n, k], squared distances to the means, each in its group's metric.
    costs
        float64[n, k], `squares` and the price of the metric: what an unanswered item goes by.
    total
        The objective: lower is better.
    """

    labels: Ints
    squares: Floats
    costs: Floats
    total: float


def fit(
    points: npt.NDArray[np.float32],
    k: int,
    seeds: Sequence[Sequence[int]],
    closure: Constraints,
    draws: Draws,
    job: Job,
    *,
    learn: bool,
    weight: float = 1.0,
    starts: int = 1,
) -> Fit:
    """Group points around k means.

    Parameters
    ----------
    points
        float32[n, d].
    seeds
        At most k sets of items; the means of these are the first means, the others are drawn as
        by k-means++.
    closure
        Answers; every pair that they settle has its price when broken.
    learn
        Whether each group learns its distances (MPCK-Means). A broken pair then costs by its
        distance, else (PCK-Means) as much as the mean squared distance of the points from their
        mean.
    weight
        Times the price of a broken pair.
    starts
        Draws of first means, where some are to be drawn; the cheapest result is kept.
    """
    rows = points.astype(np.float64)
    rows -= rows.mean(axis=0)  # squares are taken apart below: small numbers lose less
    first = np.array([rows[list(seed)].mean(axis=0) for seed in seeds]).reshape(-1, rows.shape[1])
    if len(first) == k:
        starts = 1

    def attempt(start: int) -> Fit:
        means = _drawn(rows, k, first, draws, start, job)
        return _Descent(rows, means, closure, draws, job, learn=learn, weight=weight).run()

    return min(map(attempt, range(starts)), key=lambda found: found.total)


def _drawn(rows: Floats, k: int, first: Floats, draws: Draws, start: int, job: Job) -> Floats:
    """Complete the first means: each drawn with a chance as its squared distance to those before.

    float64[k, d].
    """
    means = list(first)
    apart = np.full(len(rows), np.inf)
    for mean in means:
        job.step()
        np.minimum(apart, _squared(rows, mean), out=apart)
    while len(means) < k:
        job.step()
        chance = apart if means else np.ones(len(rows))
        means.append(rows[draws.one(2 + start * k + len(means), chance)])
        np.minimum(apart, _squared(rows, means[-1]), out=apart)
    return np.array(means)


def _squared(rows: Floats, point: Floats) -> Floats:
    """Give squared distances of rows to a point, float64[n]."""
    apart: Floats = np.square(rows - point).sum(axis=1)
    return apart


class _Answered:
    """The items answered about: the sums over them from which all prices follow.

    Attributes
    ----------
    items, part
        int64[m], the items and which part (items joined by answers) each belongs to.
    count, one, two
        float64[c, k] and twice float64[c, k, d]: how many items of a part are in a group, and the
        sums of their rows and squared rows. The sum of squared distances to them follows.
    """

    def __init__(self, rows: Floats, k: int, closure: Constraints, *, learn: bool) -> None:
        parts = closure.parts()
        number = {root: at for at, root in enumerate(parts)}
        self.items = np.array([i for items, _ in parts.values() for i in items], dtype=np.int64)
        sizes = [len(items) for items, _ in parts.values()]
        self.part = np.repeat(np.arange(len(parts)), sizes)
        self._others = [[number[other] for other in others] for _, others in parts.values()]
        d = rows.shape[1] if learn else 0  # without distances the counts are enough
        self.rows = rows[self.items, :d]
        self.label = np.full(len(self.items), -1)
        self.count = np.zeros((len(parts), k))
        self.one = np.zeros((len(parts), k, d))
        self.two = np.zeros((len(parts), k, d))

    def move(self, at: int, label: int) -> None:
        """Put answered item number `at` into a group."""
        if label == self.label[at]:
            return
        row, part = self.rows[at], self.part[at]
        for group, sign in ((self.label[at], -1.0), (label, 1.0)):
            if group >= 0:
                self.count[part, group] += sign
                self.one[part, group] += sign * row
                self.two[part, group] += sign * row * row
        self.label[at] = label

    def linked(self, at: int) -> tuple[Floats, Floats]:
        """Sum up the items linked to one: how many per group, and squared differences.

        float64[k], float64[k, d].
        """
        part = self.part[at]
        differences = self._differences(at, self.count[part], self.one[part], self.two[part])
        count = self.count[part].copy()
        if self.label[at] >= 0:
            count[self.label[at]] -= 1  # itself; it differs from itself by nothing
        return count, differences

    def parted(self, at: int) -> tuple[Floats, Floats]:
        """Sum up the items held apart from one, as `linked` does."""
        others = self._others[self.part[at]]
        count = self.count[others].sum(axis=0)
        one, two = self.one[others].sum(axis=0), self.two[others].sum(axis=0)
        return count, self._differences(at, count, one, two)

    def _differences(self, at: int, count: Floats, one: Floats, two: Floats) -> Floats:
        row = self.rows[at]
        differences: Floats = np.maximum((count[:, None] * row - 2 * one) * row + two, 0)
        return differences


class _Descent:
    """One descent from given means: assign in turn, move the means, learn the distances."""

    def __init__(
        self,
        rows: Floats,
        means: Floats,
        closure: Constraints,
        draws: Draws,
        job: Job,
        *,
        learn: bool,
        weight: float,
    ) -> None:
        self._rows, self._means, self._draws, self._job = rows, means, draws, job
        self._learn = learn
        self._k, self._d = means.shape
        self._known = _Answered(rows, self._k, closure, learn=learn)
        self._metric = np.ones_like(means)
        column = np.square(rows).mean(axis=0)
        self._least = max(_LEAST * float(column.mean()), np.finfo(np.float64).tiny * 2**60)
        self._weight = weight if learn else weight * float(column.sum())
        if learn:  # begin with the spread of all, so that scale does not matter
            self._metric /= np.maximum(column.mean(), self._least)
        self._labels = np.full(len(rows), -1)

    def run(self) -> Fit:
        """Go on until no item changes its group."""
        for number in range(_ROUNDS):
            squares, costs = self._costs()
            labels = costs.argmin(axis=1)
            labels[self._known.items] = self._in_turn(costs, number)
            if np.array_equal(labels, self._labels) or number == _ROUNDS - 1:
                break
            self._labels = labels
            self._move()
        total = float(costs[np.arange(len(labels)), labels].sum()) + self._broken()
        return Fit(labels, squares, costs, total)

    def _costs(self) -> tuple[Floats, Floats]:
        """Give squared distances to the means, and these with the price of the metric."""
        squares = np.empty((len(self._rows), self._k))
        scaled = self._metric * self._means
        constant = (scaled * self._means).sum(axis=1)
        for part in self._blocks():
            rows = self._rows[part]
            near = np.square(rows) @ self._metric.T - 2 * (rows @ scaled.T) + constant
            squares[part] = np.maximum(near, 0)
        return squares, squares - np.log(self._metric).sum(axis=1)

    def _blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that are soon done with."""
        block = max(1, _BLOCK_VALUES // (self._d + self._k))
        for start in range(0, len(self._rows), block):
            self._job.step()
            yield slice(start, start + block)

    def _in_turn(self, costs: Floats, number: int) -> Ints:
        """Assign the answered items, one after the other in random order: int64[m]."""
        known = self._known
        self._widest = self._diameters() if self._learn and len(known.items) else np.ones(self._k)
        order = np.argsort(self._draws.uniform(-2 - number)[known.items], kind="stable")
        for turn, at in enumerate(order):
            if turn % 256 == 0:
                self._job.step()
            price = costs[known.items[at]] + self._weight * self._price(at)
            known.move(int(at), int(price.argmin()))
        return known.label.copy()

    def _price(self, at: int) -> Floats:
        """Give what an answered item breaks in each group, float64[k]."""
        linked, differences = self._known.linked(at)
        parted, far = self._known.parted(at)
        if not self._learn:
            count: Floats = linked.sum() - linked + parted
            return count
        between = differences @ self._metric.T  # [group of the other, group of the metric]
        own = between.diagonal()
        broken = (between.sum(axis=0) - own + own.sum() - own) / 2
        close = parted * self._widest - (far * self._metric).sum(axis=1)
        price: Floats = broken + close
        return price

    def _diameters(self) -> Floats:
        """Give the squared length of the longest pair in each metric, float64[k].

        Two sweeps to the farthest point: at least half of the true length.
        """
        self._longest = np.empty((self._k, self._d))
        for group, metric in enumerate(self._metric):
            self._job.step()
            far = self._rows[(np.square(self._rows) @ metric).argmax()]
            other = self._rows[(np.square(self._rows - far) @ metric).argmax()]
            self._longest[group] = np.square(far - other)
        widest: Floats = (self._longest * self._metric).sum(axis=1)
        return widest

    def _broken(self) -> float:
        """Sum the price of all broken pairs; each is met from both of its ends."""
        known, total = self._known, 0.0
        for at, label in enumerate(known.label):
            total += float(self._price(at)[label])
        return self._weight * total / 2

    def _move(self) -> None:
        """Move the means to their items, and learn each group's distances from their spread.

        A group left empty keeps its mean.
        """
        sizes = np.bincount(self._labels, minlength=self._k).astype(np.float64)
        sums, squares = np.zeros((2, self._k, self._d))
        for rows in self._blocks():
            own = (self._labels[rows] == np.arange(self._k)[:, None]).astype(np.float64)
            sums += own @ self._rows[rows]
            if self._learn:
                squares += own @ np.square(self._rows[rows])
        full = sizes > 0
        self._means[full] = sums[full] / sizes[full, None]
        if not self._learn:
            return
        spread = np.maximum(squares - sizes[:, None] * np.square(self._means), 0)
        within = spread.sum(axis=0) / len(self._rows)
        spread += self._weight * self._broken_spread()
        # Few items say little of a spread: that within all groups stands in for what they lack.
        variance = (spread + _PRIOR * within) / (sizes[:, None] + _PRIOR)
        self._metric = 1 / np.maximum(variance, self._least)

    def _broken_spread(self) -> Floats:
        """Sum, by group and column, how broken pairs pull at the metric: float64[k, d].

        A broken must-link adds half its squared difference to both its groups, a broken
        cannot-link what it lacks to the longest pair, each met from both ends.
        """
        known = self._known
        pull = np.zeros((self._k, self._d))
        for at, label in enumerate(known.label):
            _, differences = known.linked(at)
            others = np.arange(self._k) != label
            pull[others] += differences[others] / 4
            pull[label] += differences[others].sum(axis=0) / 4
            parted, far = known.parted(at)
            pull[label] += np.maximum(parted[label] * self._longest[label] - far[label], 0) / 2
        return pull
