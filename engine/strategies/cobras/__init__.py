"""COBRAS: asks about super-instances, small sets of like items, and splits the largest of them.

- `splitting`: super-instances, and how one is divided by k-means.
- `merging`: which clusters are compared next.
- `showing`: the groups as they are shown at any time.

References
----------
Van Craenendonck, Dumancic, Van Wolputte, Blockeel (2018), COBRAS: fast, iterative, active
clustering with pairwise constraints (IDA): its loop is `Cobras.run`, the choice of a splitting
level `_level`, the merging `_merge`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem
from engine.strategies.cobras.merging import Cluster, Merging
from engine.strategies.cobras.showing import Shown
from engine.strategies.cobras.splitting import PAIR, Splitter, SuperInstance

if TYPE_CHECKING:
    from engine.strategies import Queries

Asking = Generator[Query, Verdict | Cue, Verdict]


@dataclass(frozen=True, slots=True)
class CobrasParams:
    """Parameters of COBRAS."""

    starts: int = field(
        default=10,
        metadata={
            "least": 1,
            "help": "Random starts of the k-means that splits a set; the tightest is kept.",
        },
    )


class Cobras:
    """The strategy as the loop of the paper.

    Where the paper is silent: the search for a splitting level goes on in the smaller of the two
    parts; UNSURE ends it at the level reached. A pair of clusters left
    unsure stays apart until the next merge, which asks about their next closest pair. The medoids
    of two clusters are those closest to each other. Once nothing can be split, merging goes on
    until every pair of clusters is settled or was left unsure.

    Items set aside belong to super-instances, but are never their medoids.
    """

    name: ClassVar[str] = "cobras"
    version: ClassVar[int] = 2
    Params: ClassVar[type[Any]] = CobrasParams
    tolerant: ClassVar[bool] = False
    transitive: ClassVar[bool] = True

    def __init__(self, params: CobrasParams) -> None:
        self._params = params
        self._constraints = Constraints()
        self._answers = 0
        self._place: IntArray = np.zeros(0, dtype=np.int32)  # of items in the canonical order
        self._unsure: set[Pair] = set()
        self._clusters: list[Cluster] = []
        self._problem: Problem | None = None
        self._shown: Shown | None = None
        self._merged = False  # whether a merge has been completed

    def run(self, problem: Problem, job: Job) -> Queries:
        """Split the largest super-instance and merge what came of it, until all is settled."""
        splitter = Splitter(problem, self._params.starts, f"{self.name}/{self.version}", job)
        self._problem, self._place = problem, splitter.place
        whole = splitter.whole()
        if whole is None:  # every item is set aside
            self._shown = Shown.of(problem, [], job)
            return
        self._clusters = [[part] for part in splitter.around(problem.known.items) or [whole]]
        self._shown = Shown.of(problem, [whole], job)
        if problem.known.items:
            yield from self._merge(problem, job)
        while (largest := self._largest(splitter)) is not None:
            level = yield from self._level(largest, splitter)
            parts = splitter.split(largest, 2**level)
            kept = ([one for one in group if one is not largest] for group in self._clusters)
            self._clusters = [*filter(None, kept), *([part] for part in parts)]
            yield from self._merge(problem, job)
        while (yield from self._merge(problem, job)):
            pass  # left unsure somewhere: the next closest pairs

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def clustering(self) -> Clustering:
        """Give the groups of the last complete merge, put right by the answers since.

        While the first merge is under way, which may take hundreds of questions where there are
        many groups, its clusters are shown. (9 sets, seed 0, 200 questions: mean ARI .591 instead
        of .569; to show later merges under way makes it .580.
        `curves DATA --only VOWEL SOYBEAN YEAST ECOLI GLASS IRIS WINE ZOO DERMATOLOGY
        --strategies cobras -o OUT`.)

        Confidence is the margin (e - d) / (e + d) between the distances to the nearest medoid of
        the item's group and to the nearest one of any other, when that merge was complete; 0 for
        items that an answer moved away from their super-instance.
        """
        if self._problem is None or self._shown is None:
            raise UsageError("cobras has not been started")
        return self._shown.clustering(self._problem, self._constraints, self._place)

    def report(self) -> dict[str, object]:
        """Tell nothing: no choice was made, no sum approximated."""
        return {}

    def _largest(self, splitter: Splitter) -> SuperInstance | None:
        """Give the super-instance with most items that can be split; of equals the oldest."""
        found = [one for group in self._clusters for one in group if splitter.divisible(one)]
        return max(found, key=lambda one: len(one.items), default=None)

    def _level(self, whole: SuperInstance, splitter: Splitter) -> Generator[Query, Any, int]:
        """Find how often to halve a super-instance, by trial (Algorithm 2).

        Halves until a yes between the medoids of two halves, or until nothing is left to halve.
        """
        level, part = 0, whole
        while splitter.divisible(part):
            one, other = halves = splitter.split(part, PAIR)
            pair = Pair.of(one.medoid, other.medoid)
            why = Reason.of(
                "{size} items have been taken as alike so far. These two stand for its two parts:"
                " should it be divided finely?"
                if part is whole
                else "{size} items are being divided. These two stand for two halves of a part of"
                " them: should the part be divided again?",
                size=len(whole.items),
            )
            verdict = yield from self._ask(Query(pair, why, len(part.items)))
            if verdict is not Verdict.DIFFERENT:
                break
            level += 1
            left = [half for half in halves if splitter.divisible(half)]
            if not left:
                break
            part = min(left, key=lambda half: len(half.items))
        return max(level, 1)

    def _merge(self, problem: Problem, job: Job) -> Generator[Query, Any, bool]:
        """Compare clusters, the closest first, until each pair is settled (Algorithm 3).

        Returns
        -------
        bool
            Whether anything was asked.
        """
        merging = Merging(problem, self._clusters, self._constraints, self._unsure, job)
        merging.join_linked()
        asked = False
        if not self._merged:
            self._shown = Shown.begun(problem, merging.clusters())
        while (query := merging.closest()) is not None:
            asked = True
            verdict = yield from self._ask(query)
            merging.take(verdict)
        self._clusters, self._merged = merging.clusters(), True
        flat = [one for group in self._clusters for one in group]
        self._shown = Shown.of(problem, flat, job, self._constraints)
        return asked

    def _ask(self, query: Query) -> Asking:
        """Give the verdict on a query's pair, asking only what the answers leave open."""
        known = self._constraints.verdict(query.pair)
        if known is not None:  # UNSURE too: a pair is never asked twice
            return known
        verdict = yield query
        if isinstance(verdict, Cue):
            raise UsageError("only a fresh query is sent a cue")
        self._constraints.add(query.pair, verdict, self._answers)
        self._answers += 1
        if verdict is Verdict.UNSURE:
            self._unsure.add(query.pair)
        return verdict
