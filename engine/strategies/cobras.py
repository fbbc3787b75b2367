"""COBRAS: asks about super-instances, small sets of like items, and splits the largest of them.

Hidden here: how a set is split (k-means) and into how many (trial splits in two), and in which
order clusters are compared. Promised: the groups shown are those of the last complete merge, put
right by what has been answered since; two items in one group that no answer speaks about are in
one super-instance or in two that answers join.

References
----------
Van Craenendonck, Dumancic, Van Wolputte, Blockeel (2018), COBRAS: fast, iterative, active
clustering with pairwise constraints (IDA): its loop is `Cobras.run`, the choice of a splitting
level `_level`, the merging `_merge`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine.clusterers.kmeans import KMeans, KMeansParams
from engine.confidence import margin
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, FloatArray, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

if TYPE_CHECKING:
    from engine.strategies import Queries

_BLOCK_VALUES = 2**20  # distances held at once
_OTHERS = 3  # pairs that may stand in for the closest one
_PAIR = 2  # parts of a trial split

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


@dataclass(frozen=True, slots=True, eq=False)
class SuperInstance:
    """Items taken as alike until they are split.

    Attributes
    ----------
    items
        int32[m], in canonical order (see `Splitter`).
    medoid
        The item nearest to their mean that may be asked about; it stands for all.
    """

    items: IntArray
    medoid: int


Cluster = list[SuperInstance]


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
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = CobrasParams
    tolerant: ClassVar[bool] = False

    def __init__(self, params: CobrasParams) -> None:
        self._params = params
        self._constraints = Constraints()
        self._answers = 0
        self._place: IntArray = np.zeros(0, dtype=np.int32)  # of items in the canonical order
        self._unsure: set[Pair] = set()
        self._clusters: list[Cluster] = []
        self._problem: Problem | None = None
        self._shown: Shown | None = None

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
            one, other = halves = splitter.split(part, _PAIR)
            pair = Pair.of(one.medoid, other.medoid)
            why = Reason.of(
                "{size} items have been taken as alike so far. These two stand for its two parts:"
                " should it be divided finely?"
                if part is whole
                else "{size} items are being divided. These two stand for the parts of a smaller"
                " part, to see how finely.",
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
        while (query := merging.closest()) is not None:
            asked = True
            verdict = yield from self._ask(query)
            merging.take(verdict)
        self._clusters = merging.clusters()
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


class Splitter:
    """Splits super-instances by k-means.

    Each split has a random stream of its own, named by the points that are split: what was drawn
    before, and the order in which items are filed, makes no difference to it. For this items are
    put into a canonical order, by the bytes of their features.

    Parameters
    ----------
    problem
        The points, and the items that must not be asked about.
    starts
        Random starts of each k-means.
    mark
        Name and version of the strategy, for the keys of steps.

    Attributes
    ----------
    place
        int32[n], of each item in the canonical order.
    """

    def __init__(self, problem: Problem, starts: int, mark: str, job: Job) -> None:
        self._problem = problem
        self._starts = starts
        self._mark = f"{mark}/{problem.fingerprint}/{problem.seed}/{starts}"
        self._job = job
        self._usable = np.ones(problem.n, dtype=np.bool_)
        self._usable[list(problem.set_aside)] = False
        self._order = problem.steps.indices(f"{self._mark}/order", self._canonical)
        self.place = np.empty(problem.n, dtype=np.int32)
        self.place[self._order] = np.arange(problem.n, dtype=np.int32)

    def whole(self) -> SuperInstance | None:
        """Give the super-instance of all items; None when none may be asked about."""
        self._job.step()
        return self._super_instance(self._order) if self._usable.any() else None

    def around(self, items: Sequence[int]) -> list[SuperInstance]:
        """Give a super-instance around each of some items: all that is nearest to it."""
        if not items:
            return []
        points = self._problem.points
        at = points[list(items)].astype(np.float64)
        near = np.empty(len(points), dtype=np.int64)
        block = max(1, _BLOCK_VALUES // at.size)
        for start in range(0, len(points), block):
            self._job.step()
            rows = points[start : start + block, None]
            near[start : start + block] = np.square(rows - at).sum(axis=2).argmin(axis=1)
        near[list(items)] = np.arange(len(items))  # also among copies
        ordered = near[self._order]
        return [
            SuperInstance(self._order[ordered == number], item) for number, item in enumerate(items)
        ]

    def divisible(self, one: SuperInstance) -> bool:
        """Tell whether there are two items or more that may be asked about."""
        return int(self._usable[one.items].sum()) >= _PAIR

    def split(self, one: SuperInstance, k: int) -> list[SuperInstance]:
        """Divide a divisible super-instance in k, or as many as it has items to ask about.

        A part with none of these joins the part with the nearest medoid. At least two come back.
        """
        self._job.step()
        k = min(k, int(self._usable[one.items].sum()))
        parts = self._parts(one.items, k)
        if sum(self._usable[part].any() for part in parts) < _PAIR:
            usable = self._usable[one.items]
            parts = [*self._parts(one.items[usable], k), *one.items[~usable][:, None]]
        found = [self._super_instance(part) for part in parts if self._usable[part].any()]
        strays = [part for part in parts if not self._usable[part].any()]
        return self._taken_in(found, strays) if strays else found

    def _taken_in(self, found: list[SuperInstance], strays: list[IntArray]) -> list[SuperInstance]:
        """Let parts without an item to ask about join those with the nearest medoid."""
        points = self._problem.points
        medoids = points[[one.medoid for one in found]].astype(np.float64)
        joined = [[one.items] for one in found]
        for part in strays:
            self._job.step()
            mean = points[part].mean(axis=0, dtype=np.float64)
            joined[int(np.square(medoids - mean).sum(axis=1).argmin())].append(part)
        together = (np.concatenate(items) for items in joined)
        return [self._super_instance(items[np.argsort(self.place[items])]) for items in together]

    def _parts(self, items: IntArray, k: int) -> list[IntArray]:
        """Give the parts of a k-means, each in canonical order, by their first items."""
        if k == len(items):
            return list(items[:, None])
        name = hashlib.blake2b(self.place[items].tobytes(), digest_size=16).hexdigest()
        labels = self._problem.steps.indices(
            f"{self._mark}/split/{k}/{name}", lambda: self._kmeans(items, k, name)
        )
        return [items[labels == part] for part in range(int(labels.max()) + 1)]

    def _kmeans(self, items: IntArray, k: int, name: str) -> IntArray:
        """Group items around k means; copies, which means cannot part, are cut in two."""
        seed = int(self._problem.rng(f"cobras.split.{k}.{name}").integers(2**62))
        method = KMeans(KMeansParams(groups=k, starts=self._starts))
        some = Problem(self._problem.points[items], seed)
        labels = method.cluster(some, Constraints(), self._job).labels
        if labels.any():
            return labels
        return (np.arange(len(items)) >= (len(items) + 1) // 2).astype(np.int32)

    def _super_instance(self, items: IntArray) -> SuperInstance:
        points = self._problem.points[items]
        mean = points.mean(axis=0, dtype=np.float64)
        squares = np.square(points - mean).sum(axis=1)
        squares[~self._usable[items]] = np.inf
        return SuperInstance(items, int(items[squares.argmin()]))

    def _canonical(self) -> list[int]:
        """Sort items by the bytes of their features, copies by their numbers."""
        keys: list[bytes] = []
        for row in self._problem.points:
            self._job.step()
            keys.append((row + np.float32(0)).tobytes())  # -0 is 0
        return sorted(range(self._problem.n), key=keys.__getitem__)


class Merging:
    """One bottom-up merge: the clusters, and which pairs of them are still open.

    Parameters
    ----------
    clusters
        What there is before; left as it is.
    constraints, unsure
        What has been answered; kept up to date by the caller.
    """

    def __init__(
        self,
        problem: Problem,
        clusters: list[Cluster],
        constraints: Constraints,
        unsure: set[Pair],
        job: Job,
    ) -> None:
        self._problem = problem
        self._constraints = constraints
        self._unsure = unsure
        self._job = job
        self._clusters = dict(enumerate(list(group) for group in clusters))
        self._far: dict[tuple[int, int], float] = {}  # open pairs of clusters, and how far apart
        self._passed: set[tuple[int, int]] = set()  # left unsure in this merge
        self._asking: tuple[int, int] | None = None

    def clusters(self) -> list[Cluster]:
        """Give the clusters as they are now."""
        return list(self._clusters.values())

    def join_linked(self) -> None:
        """Join clusters that earlier answers link; note how far apart the others are."""
        of: dict[int, int] = {}
        for key, group in list(self._clusters.items()):
            first = of.setdefault(self._constraints.component(group[0].medoid), key)
            if first != key:
                self._clusters[first] += self._clusters.pop(key)
        for one, other in combinations(self._clusters, 2):
            if self._open(one, other):
                self._job.step()
                self._far[one, other] = float(self._squares(one, other).min())

    def closest(self) -> Query | None:
        """Give the query on the closest pair of clusters that is open; None = there is none."""
        self._job.step()
        for key in sorted(self._far, key=lambda key: (self._far[key], key)):
            if key in self._passed or not self._open(*key):
                continue
            pairs = [pair for pair in self._nearest_pairs(*key) if pair not in self._unsure]
            if pairs:
                self._asking = key
                one, other = (sum(len(each.items) for each in self._clusters[k]) for k in key)
                why = Reason.of(
                    "Two sets, of {one} and {other} items, may be one group: no answer joins"
                    " them or tells them apart. These are their closest examples.",
                    one=one,
                    other=other,
                )
                return Query(pairs[0], why, min(one, other), tuple(pairs[1 : _OTHERS + 1]))
            self._passed.add(key)
        return None

    def take(self, verdict: Verdict) -> None:
        """Take in the verdict on the pair asked about last."""
        if self._asking is None:
            raise UsageError("nothing was asked")
        one, other = self._asking
        if verdict is Verdict.UNSURE:
            self._passed.add(self._asking)
        elif verdict is Verdict.SAME:
            self._clusters[one] += self._clusters.pop(other)
            for third in self._clusters:
                far = self._far.pop(_ordered(other, third), np.inf)
                if third != one:
                    key = _ordered(one, third)
                    # what was told apart is no longer open, and costs no more than a look
                    self._far[key] = min(far, self._far.get(key, np.inf))
            self._far.pop((one, other), None)

    def _open(self, one: int, other: int) -> bool:
        """Tell whether no answer settles two clusters; any of their medoids speaks for each."""
        pair = Pair.of(self._clusters[one][0].medoid, self._clusters[other][0].medoid)
        return not self._constraints.settles(pair)

    def _squares(self, one: int, other: int) -> npt.NDArray[np.float64]:
        """Give squared distances between the medoids of two clusters."""
        points = self._problem.points
        rows, columns = (
            points[[each.medoid for each in self._clusters[key]]].astype(np.float64)
            for key in (one, other)
        )
        return np.array([np.square(columns - row).sum(axis=1) for row in rows])

    def _nearest_pairs(self, one: int, other: int) -> Iterator[Pair]:
        """Give the pairs of medoids of two clusters, the closest first."""
        squares = self._squares(one, other)
        for at in np.argsort(squares, axis=None, kind="stable"):
            row, column = divmod(int(at), squares.shape[1])
            yield Pair.of(self._clusters[one][row].medoid, self._clusters[other][column].medoid)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The super-instances of a complete merge, and what is shown of them.

    Attributes
    ----------
    medoids
        By number.
    own
        int32[n], number of each item's super-instance.
    confidence
        float32[n].
    """

    medoids: tuple[int, ...]
    own: IntArray
    confidence: FloatArray

    @classmethod
    def of(
        cls,
        problem: Problem,
        parts: list[SuperInstance],
        job: Job,
        constraints: Constraints | None = None,
    ) -> Shown:
        """Keep the super-instances that a merge ended with, and measure how sure they are."""
        own = np.zeros(problem.n, dtype=np.int32)
        for number, part in enumerate(parts):
            own[part.items] = number
        medoids = tuple(part.medoid for part in parts)
        if constraints is None:  # nothing was answered yet
            return cls(medoids, own, np.zeros(problem.n, dtype=np.float32))
        group = _numbered(constraints.component(medoid) for medoid in medoids)
        return cls(medoids, own, _confidence(problem, medoids, group, own, job))

    def clustering(self, problem: Problem, constraints: Constraints, place: IntArray) -> Clustering:
        """Group items so that no group breaks an answer.

        Parameters
        ----------
        place
            int32[n], of items in the canonical order: in this order they choose.

        Notes
        -----
        A super-instance has the group of what its medoid is linked to. Other items that answers
        speak about go, with all they are linked to, where most of them are; told apart from that,
        to the nearest group they were not told apart from; from all, to one of their own.
        """
        if not self.medoids:
            return Clustering(self.own.copy(), self.confidence.copy())
        roots = [constraints.component(medoid) for medoid in self.medoids]
        group = _numbered(roots)
        labels, confidence = group[self.own], self.confidence.copy()
        holds: list[set[int]] = [set() for _ in range(int(group.max()) + 1)]
        for number, root in zip(group, roots, strict=True):
            holds[number].add(root)
        leads = dict(zip(roots, group.tolist(), strict=True))
        parts = constraints.parts()
        for root in sorted(parts, key=lambda root: place[parts[root][0]].min()):
            items, apart = parts[root]
            to = leads.get(root)
            if to is None:
                order = self._likely(problem, items, labels, group)
                to = next((at for at in order if apart.isdisjoint(holds[at])), len(holds))
                if to == len(holds):
                    holds.append(set())
                holds[to].add(root)
            moved = [item for item in items if labels[item] != to]
            labels[moved], confidence[moved] = to, 0
        return Clustering.of(labels, confidence, exemplars=self.medoids)

    def _likely(
        self, problem: Problem, items: list[int], labels: IntArray, group: IntArray
    ) -> Iterator[int]:
        """Give groups for linked items: where most of them are, then the others by nearness."""
        usual = int(np.bincount(labels[items]).argmax())
        yield usual
        medoids = problem.points[list(self.medoids)].astype(np.float64)
        squares = np.square(medoids - problem.points[items].mean(axis=0, dtype=np.float64))
        near = group[np.argsort(squares.sum(axis=1), kind="stable")]
        yield from (at for at in dict.fromkeys(near.tolist()) if at != usual)


def _ordered(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)


def _numbered(names: Iterable[int]) -> IntArray:
    """Give names numbers by first appearance: int32[m]."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int32)


def _confidence(
    problem: Problem, medoids: tuple[int, ...], group: IntArray, own: IntArray, job: Job
) -> FloatArray:
    """Give the margin between the nearest medoids of an item's own and of any other group.

    Parameters
    ----------
    group
        int32[m], of each medoid.
    own
        int32[n], number of each item's medoid.
    """
    from engine.kernels import squared_distances

    at = problem.tensor[list(medoids)].double()
    inner, outer = np.empty(problem.n), np.empty(problem.n)
    block = max(1, _BLOCK_VALUES // max(len(medoids), problem.d))
    for start in range(0, problem.n, block):
        job.step()
        rows = slice(start, start + block)
        squares = squared_distances(problem.tensor[rows].double(), at).numpy()
        ours = group == group[own[rows], None]
        inner[rows] = np.where(ours, squares, np.inf).min(axis=1)
        outer[rows] = np.where(ours, np.inf, squares).min(axis=1)
    return margin(np.sqrt(np.maximum(inner, 0)), np.sqrt(np.maximum(outer, 0)))
