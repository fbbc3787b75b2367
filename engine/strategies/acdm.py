"""ACDM: asks about items in doubt that many others in doubt are linked to, and lets labels spread.

Hidden here: how much of each answer arrives at every item over a graph of nearest neighbours, and
which item is asked about next. Promised: an item is compared with the group most likely for it
first and joins the one it is said to be like; told apart from all, it opens a new one. The groups
keep to the answers. What one answer changes costs one sparse diffusion, and nothing when it was
given before.

References
----------
"ACDM: An effective and scalable active clustering with pairwise constraint" (CIKM 2024): its loop
of choosing by doubt and representativeness, asking by sets of joined items, and diffusing from
these over a nearest-neighbour graph is `Acdm.run`. The diffusion is that of `engine.diffusion`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine import neighbors
from engine.diffusion import Diffusion
from engine.errors import ParameterError
from engine.job import Job
from engine.model import Clustering, IntArray, Reason
from engine.neighbors import Neighbours
from engine.problem import Problem
from engine.strategies.neighbourhoods import Neighbourhoods

if TYPE_CHECKING:
    from engine.strategies import Queries

_UNMET = 0.05  # what speaks for a group not met yet; 1 = as much as an answer does for its own item
_BLOCK_VALUES = 2**20  # distances held at once

_FAR = (
    "Many items are like one of these, and little of what was answered so far reaches it; the other"
    " is the closest example of the group most likely for it that is not ruled out."
)
_TORN = (
    "The neighbours of one of these do not agree on its group; the other is the closest example of"
    " the group most likely for it that is not ruled out."
)
_FAINT = (
    "One of these is linked to its likely group only loosely, and many items like it depend on it;"
    " the other is the closest example of the likeliest group that is not ruled out."
)
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AcdmParams:
    """Parameters of ACDM.

    Notes
    -----
    The defaults lie on a plateau: their mean ARI over 200 questions on 43 labelled tables is .725;
    5 or 20 neighbours and a reach of .6 or .95 lose about .01, batches of 5 about .03
    (`python -m tests.benchmark.curves DATA --most-rows 2500 --seeds 1 --strategies acdm
    "acdm neighbours=5" ...`).
    """

    neighbours: int = field(
        default=10,
        metadata={
            "least": 1,
            "help": "The number of items, the nearest ones, to which each is linked. More make"
            " groups run together, fewer make them fall apart.",
        },
    )
    reach: float = field(
        default=0.85,
        metadata={
            "above": 0.0,
            "help": "How far an answer spreads from neighbour to neighbour: the share passed on at"
            " each step, below 1. The nearer to 1, the farther.",
        },
    )
    batch: int = field(
        default=1,
        metadata={
            "least": 1,
            "help": "The number of items chosen at once. More need fewer sums on large data, but"
            " what is learnt of one then says nothing for the others.",
        },
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Leaning:
    """What speaks for the groups at each item.

    Attributes
    ----------
    group
        int64[n], the group that most speaks for.
    first, second, total
        float64[n], what speaks for it, for the next one, for all together.
    """

    group: Ints
    first: Floats
    second: Floats
    total: Floats

    @classmethod
    def of(cls, evidence: Sequence[Floats], n: int, job: Job) -> _Leaning:
        """Compare what speaks for each group, float64[n] a group; of equals the oldest leads."""
        group = np.zeros(n, dtype=np.int64)
        first, second, total = np.zeros((3, n))
        for number, one in enumerate(evidence):
            job.step()
            group[one > first] = number
            np.maximum(second, np.minimum(first, one), out=second)
            np.maximum(first, one, out=first)
            total += one
        return cls(group, first, second, total)

    @property
    def margin(self) -> Floats:
        """How sure the leading group is, float64[n] in [0, 1): 0 where little speaks for any."""
        share: Floats = (self.first - self.second) / (_UNMET + self.total)
        return share


class Acdm(Neighbourhoods):
    """The strategy as the loop of the paper, by default one item at a time.

    Where this differs from the paper, or is ours because its abstract leaves it open. Each answered
    item sends a value of 1 over a graph with self-tuning weights, and what arrives speaks for its
    group; groups not met yet are spoken for by a small constant. Doubt is one less the margin
    between the two likeliest groups. Representativeness is the squared doubt of all items, diffused
    to the item: it is asked about where an answer would reach much doubt. The paper's batch of
    n/100 items asks for more before it shows anything than people answer.

    An item is shown as a group of its own once it was told apart from a group and what is left
    speaks no more for any other than for one not met yet. An item left unsure is passed over, and
    asked about once more, by other examples, when all others are placed.
    """

    name: ClassVar[str] = "acdm"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = AcdmParams

    def __init__(self, params: AcdmParams) -> None:
        if params.reach >= 1:
            raise ParameterError(
                f"acdm: reach must be below 1, not {params.reach:g}",
                "At 1 every answer would reach all items alike.",
            )
        super().__init__()
        self._params = params
        self._parts = 0
        self._evidence: list[Floats] = []  # for each group, float64[n]
        self._placed: list[int] = []  # in the order placed

    def run(self, problem: Problem, job: Job) -> Queries:
        """Choose, ask and diffuse until all items are placed; come back to those left unsure."""
        self._start(problem, job)
        neighbours, reach = self._params.neighbours, self._params.reach
        self._key = (f"acdm/{self.version}", problem.fingerprint, neighbours, reach)
        near, self._parts = problem.steps.get((*self._key[:-1], "near"), self._near)
        self._diffusion = problem.steps.get(
            (*self._key, "graph"), lambda: Diffusion.over(near, reach, job)
        )
        aside = ",".join(map(str, sorted(problem.set_aside)))
        self._trail = hashlib.blake2b(f"{self._params.batch};{aside}".encode(), digest_size=12)
        yield from self._begin()
        while chosen := self._chosen():
            for item in chosen:
                yield from self._place(item, self._reason(item))
        yield from self._come_back()

    def clustering(self) -> Clustering:
        """Put each item into the group that most speaks for; where nothing does, the nearest.

        Confidence is the margin between the two likeliest groups, 1 for what answers placed and 0
        for what they only ruled groups out for; 0 before the first answer.
        """
        problem = self._started
        if not self._members:
            return Clustering(np.zeros(problem.n, np.int32), np.zeros(problem.n, np.float32))
        sets, evidence = list(self._members), list(self._evidence)
        for item, out in self._apart.items():
            if out and self._lonely(item):
                sets.append([item])
                evidence.append(self._column(item))
        leaning = _Leaning.of(evidence, problem.n, self._job)
        labels, sure = leaning.group, leaning.margin.astype(np.float32)
        unreached = np.flatnonzero(leaning.total == 0).astype(np.int64)
        if len(unreached):
            labels[unreached] = self._nearest_set(unreached, sets)
        for number, own in enumerate(sets):
            labels[own], sure[own] = number, 1
        for item, out in self._apart.items():
            sure[item] = 0
            if labels[item] in out:
                labels[item] = next(group for group in self._likely(item) if group not in out)
        if not self._answers:
            sure[:] = 0
        return Clustering.of(labels, sure, exemplars=tuple(self._placed))

    def report(self) -> dict[str, object]:
        """Tell the groups found by answers, and into how many parts the graph falls by itself."""
        return super().report() | {"parts": self._parts}

    # ------------------------------------------------------------------ choosing

    def _chosen(self) -> list[int]:
        """Give the items to ask about next; none when all were asked about."""
        if not self._open().any():
            return []
        version, *rest = self._key
        key = "/".join(map(str, (version, *rest, "chosen", self._trail.hexdigest())))
        chosen: list[int] = self._started.steps.indices(key, self._choose).tolist()
        return chosen

    def _choose(self) -> IntArray:
        """Search for the items that settle most doubt, the best first: int32[batch] or fewer."""
        problem, job = self._started, self._job
        leaning = _Leaning.of(self._evidence, problem.n, job)
        doubt = np.square(1 - leaning.margin)
        doubt[[*self._placed, *problem.set_aside]] = 0
        worth = doubt * self._diffusion.spread(doubt, job)
        candidates = np.flatnonzero(self._open())
        best = candidates[np.argsort(-worth[candidates], kind="stable")[: self._params.batch]]
        return best.astype(np.int32)

    def _open(self) -> npt.NDArray[np.bool_]:
        """Tell which items can be asked about and were not yet, bool[n]."""
        is_open = np.ones(self._started.n, dtype=np.bool_)
        is_open[[*self._placed, *self._apart, *self._started.set_aside]] = False
        return is_open

    def _reason(self, item: int) -> Reason:
        """Say why an item was chosen."""
        found = sorted((float(one[item]) for one in self._evidence), reverse=True)
        if sum(found) < _UNMET:
            return Reason.of(_FAR)
        return Reason.of(_TORN if sum(found[1:2]) > found[0] / 2 else _FAINT)

    # ------------------------------------------------------------------ asking

    def _join(self, item: int, group: int) -> None:
        """Let an item speak for its group from now on."""
        super()._join(item, group)
        if group == len(self._evidence):
            self._evidence.append(np.zeros(self._started.n))
        self._placed.append(item)
        self._evidence[group] = self._evidence[group] + self._column(item)
        self._trail.update(b"%d:%d;" % (item, group))

    def _pass_over(self, item: int) -> None:
        self._trail.update(b"%d?" % item)

    def _likely(self, item: int) -> list[int]:
        """Give the groups, the likeliest for an item first; of equally likely ones the nearest."""
        speaks = [-float(one[item]) for one in self._evidence]
        near = [self._squares(item, members).min() for members in self._members]
        return [int(group) for group in np.lexsort((near, speaks))]

    def _squares(self, item: int, others: list[int]) -> Floats:
        """Give squared distances from an item to others, float64[m]."""
        self._job.step()
        points = self._started.points
        squares: Floats = np.square(points[others] - points[item].astype(np.float64)).sum(axis=1)
        return squares

    # ------------------------------------------------------------------ diffusing

    def _near(self) -> tuple[Neighbours, int]:
        """Find the neighbours of all items, and the parts of their graph."""
        near = neighbors.nearest(self._started.points, self._params.neighbours, self._job)
        edges = near.edges()
        self._job.step()
        parts = neighbors.components(self._started.n, edges)
        self._job.step()
        return near, int(parts.max()) + 1

    def _column(self, item: int) -> Floats:
        """Give how much of an item arrives at each, float64[n]; depends on no answer."""
        return self._started.steps.get(
            (*self._key, "column", item), partial(self._diffusion.from_item, item, self._job)
        )

    def _worth(self, item: int) -> int:
        """Count the items that would follow this one were it a group of its own."""
        column = self._column(item)
        first = _Leaning.of(self._evidence, len(column), self._job).first
        return max(1, int((column > first).sum()))

    def _lonely(self, item: int) -> bool:
        """Tell whether what is left speaks for no group more than for one not met yet."""
        out = self._apart[item]
        left = (one[item] for group, one in enumerate(self._evidence) if group not in out)
        return max(left, default=0.0) < _UNMET

    def _nearest_set(self, items: Ints, sets: list[list[int]]) -> Ints:
        """Give the set with the nearest member to each item that nothing reaches: int64[m]."""
        from engine.kernels import squared_distances

        points = self._started.tensor
        members = [item for own in sets for item in own]
        of: Ints = np.repeat(np.arange(len(sets)), [len(own) for own in sets])
        to = points[members].double()
        block = max(1, _BLOCK_VALUES // max(len(members), self._started.d))
        found = np.empty(len(items), dtype=np.int64)
        for start in range(0, len(items), block):
            self._job.step()
            rows = slice(start, start + block)
            found[rows] = squared_distances(points[items[rows]].double(), to).argmin(1).numpy()
        return of[found]
