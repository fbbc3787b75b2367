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
import math
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
_TURNS = 16  # items assigned between two steps
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
    """The items answered about, and what each would break in every group, kept up to date.

    Attributes
    ----------
    items, part, label
        int64[m], the items, which part (items joined by answers) each belongs to, and the group
        it is in; -1 = in none yet.
    price
        float64[m, k], what an item would break in a group, given where the others are.
    """

    def __init__(self, rows: Floats, k: int, closure: Constraints, *, learn: bool) -> None:
        from scipy.sparse import csr_array

        parts = closure.parts()
        number = {root: at for at, root in enumerate(parts)}
        self.items = np.array([i for items, _ in parts.values() for i in items], dtype=np.int64)
        sizes = np.array([len(items) for items, _ in parts.values()], dtype=np.int64)
        self.part = np.repeat(np.arange(len(parts)), sizes)
        self.label = np.full(len(self.items), -1)
        self.price = np.zeros((len(self.items), k))
        self._k, self._learn = k, learn
        self._rows = rows[self.items]
        self._width = rows.shape[1] if learn else 0  # without distances the counts are enough
        ends = np.cumsum(sizes)
        self._linked = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        others = [sorted(number[other] for other in others) for _, others in parts.values()]
        starts = np.cumsum([0, *map(len, others)])
        flat = np.array([other for some in others for other in some], dtype=np.int64)
        self._apart = csr_array(
            (np.ones(len(flat)), flat, starts), shape=(len(parts), len(parts))
        )  # which parts are held apart
        self._parted: dict[int, Ints] = {}  # part -> items held apart from it

    def value(self, metric: Floats, widest: Floats, job: Job) -> None:
        """Reckon all prices anew, for other metrics: float64[k, d]; `widest` float64[k].

        Sums over the items of a part and group stand for the pairs: no pair is listed.
        """
        self._metric, self._widest = metric, widest
        count, one, two = self._sums()
        parted = (self._apart @ count)[self.part]
        if not self._learn:
            linked = count[self.part]
            self.price = linked.sum(axis=1, keepdims=True) - linked + parted
            inside = np.flatnonzero(self.label >= 0)
            self.price[inside] -= 1  # each is linked to itself, and does not break that
            self.price[inside, self.label[inside]] += 1
            return
        scaled = self._over_apart(one * metric)
        squares = self._apart @ (two * metric).sum(axis=2)
        for some, differences in self._differences(count, one, two, job):
            part, rows = self.part[some], self._rows[some]
            between = differences @ metric.T  # [item, group of the other, group of the metric]
            own = np.einsum("mgg->mg", between)
            broken = (between.sum(axis=1) - 2 * own + own.sum(axis=1, keepdims=True)) / 2
            far = parted[some] * (np.square(rows) @ metric.T) + squares[part]
            far -= 2 * np.einsum("mgd,md->mg", scaled[part], rows)
            self.price[some] = broken + parted[some] * widest - np.maximum(far, 0)

    def move(self, at: int, label: int) -> None:
        """Put answered item number `at` into a group."""
        before, part = self.label[at], int(self.part[at])
        if label == before:
            return
        linked, parted = self._linked[part], self._held_apart(part)
        if self._learn:
            near = np.square(self._rows[linked] - self._rows[at]) @ self._metric.T
            far = np.square(self._rows[parted] - self._rows[at])
        for group, sign in ((before, -1.0), (label, 1.0)):
            if group < 0:
                continue
            if self._learn:
                self.price[linked] += sign / 2 * (near + near[:, [group]])
                self.price[linked, group] -= sign * near[:, group]
                close = self._widest[group] - far @ self._metric[group]
                self.price[parted, group] += sign * close
            else:
                self.price[linked] += sign
                self.price[linked, group] -= sign
                self.price[at] -= sign
                self.price[at, group] += sign
                self.price[parted, group] += sign
        self.label[at] = label

    def pull(self, longest: Floats, job: Job) -> Floats:
        """Sum, by group and column, how broken pairs pull at the metric: float64[k, d].

        A broken must-link adds half its squared difference to both its groups, a broken
        cannot-link what it lacks to the longest pair, float64[k, d]; each is met from both ends.
        """
        pull = np.zeros_like(longest)
        count, one, two = self._sums()
        parted, ones, twos = self._apart @ count, self._over_apart(one), self._over_apart(two)
        for some, differences in self._differences(count, one, two, job):
            label, part, rows = self.label[some], self.part[some], self._rows[some]
            differences[np.arange(len(label)), label] = 0
            pull += differences.sum(axis=0) / 4
            np.add.at(pull, label, differences.sum(axis=1) / 4)
            here = parted[part, label][:, None]
            far = (here * rows - 2 * ones[part, label]) * rows + twos[part, label]
            np.add.at(pull, label, np.maximum(here * longest[label] - np.maximum(far, 0), 0) / 2)
        return pull

    def _sums(self) -> tuple[Floats, Floats, Floats]:
        """Sum up parts by group: items, float64[c, k], rows and squares, float64[c, k, d]."""
        inside = self.label >= 0
        cell = (self.part * self._k + self.label)[inside]
        rows = self._rows[inside, : self._width]
        parts = len(self._linked)
        count = np.bincount(cell, minlength=parts * self._k).astype(np.float64)
        one, two = np.zeros((2, parts * self._k, self._width))
        np.add.at(one, cell, rows)
        np.add.at(two, cell, np.square(rows))
        shape = (parts, self._k, self._width)
        return count.reshape(shape[:2]), one.reshape(shape), two.reshape(shape)

    def _over_apart(self, sums: Floats) -> Floats:
        """Add up float64[c, k, d] over the parts held apart from each."""
        added: Floats = self._apart @ sums.reshape(len(sums), math.prod(sums.shape[1:]))
        return added.reshape(sums.shape)

    def _differences(
        self, count: Floats, one: Floats, two: Floats, job: Job
    ) -> Iterator[tuple[slice, Floats]]:
        """Give, some items at a time, the squared differences to the items linked to each.

        float64[some, k, d]: summed over those in a group, by column.
        """
        step = max(1, _BLOCK_VALUES // (self._k * max(self._k, self._rows.shape[1])))
        for first in range(0, len(self.items), step):
            job.step()
            some = slice(first, first + step)
            part, rows = self.part[some], self._rows[some, None]
            found = (count[part][:, :, None] * rows - 2 * one[part]) * rows + two[part]
            yield some, np.maximum(found, 0)

    def _held_apart(self, part: int) -> Ints:
        """Give the numbers of the items held apart from a part."""
        if part not in self._parted:
            others = self._apart.indices[self._apart.indptr[part] : self._apart.indptr[part + 1]]
            some = [np.arange(self._linked[at].start, self._linked[at].stop) for at in others]
            self._parted[part] = np.concatenate([np.empty(0, dtype=np.int64), *some])
        return self._parted[part]


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
        """Go on until no item changes its group; of 1000 and more, but one in a thousand."""
        settled = len(self._rows) // 1000
        for number in range(_ROUNDS):
            squares, costs = self._costs()
            labels = costs.argmin(axis=1)
            labels[self._known.items] = self._in_turn(costs, number)
            changed = np.count_nonzero(labels != self._labels)
            if changed <= settled or number == _ROUNDS - 1:
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
        known.value(self._metric, self._widest, self._job)
        order = np.argsort(self._draws.uniform(-2 - number)[known.items], kind="stable")
        for turn, at in enumerate(order):
            if turn % _TURNS == 0:
                self._job.step()
            price = costs[known.items[at]] + self._weight * known.price[at]
            known.move(int(at), int(price.argmin()))
        return known.label.copy()

    def _diameters(self) -> Floats:
        """Give the squared length of the longest pair in each metric, float64[k].

        Two sweeps to the farthest point, the first from the mean of all: at least half of the
        true length.
        """
        start = self._rows[self._farthest(np.zeros_like(self._means))]
        end = self._rows[self._farthest(start)]
        self._longest = np.square(start - end)
        widest: Floats = (self._longest * self._metric).sum(axis=1)
        return widest

    def _farthest(self, points: Floats) -> Ints:
        """Give the row farthest from each point, float64[k, d], in its group's metric: int64[k]."""
        found, far = np.zeros(self._k, dtype=np.int64), np.full(self._k, -np.inf)
        scaled = 2 * (self._metric * points).T
        for part in self._blocks():
            rows = self._rows[part]
            apart = np.square(rows) @ self._metric.T - rows @ scaled
            best = apart.argmax(axis=0)
            length = apart[best, np.arange(self._k)]
            found = np.where(length > far, part.start + best, found)
            far = np.maximum(far, length)
        return found

    def _broken(self) -> float:
        """Sum the price of all broken pairs; each is met from both of its ends."""
        known = self._known
        known.value(self._metric, self._widest, self._job)
        return self._weight * float(known.price[np.arange(len(known.label)), known.label].sum()) / 2

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
        if len(self._known.items):
            spread += self._weight * self._known.pull(self._longest, self._job)
        # Few items say little of a spread: that within all groups stands in for what they lack.
        variance = (spread + _PRIOR * within) / (sizes[:, None] + _PRIOR)
        self._metric = 1 / np.maximum(variance, self._least)
