"""HMCAHC: asks inside a hierarchy, where merging made it surer, and goes back where it was wrong.

Hidden here: that the merges are known before they are made (`course`), and that what stands after
the same answers is kept, so that undo and replay merge nothing again. Promised: the groups keep to
every answer; at any pause they are those the method would end with if nothing more were asked.

References
----------
Zheng & Wu (2016), "Which, When, and How: Hierarchical Clustering with Human-Machine Cooperation",
Algorithms 9(4), 88: algorithm 1 is TAHC (`course.Course.of`), algorithm 3 `Hmcahc.run`. What it
leaves open, such as ties, is said where it is settled.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from engine.clusterers.tahc import Tahc, TahcParams
from engine.confidence import of_level
from engine.errors import UsageError
from engine.hierarchy import Hierarchy, Inquiry, Tree
from engine.job import Job
from engine.model import Clustering, Cue, FloatArray, IntArray, Pair, Query, Reason, Verdict
from engine.neighbors import nearest
from engine.problem import Problem
from engine.strategies.hmcahc.certainty import of_levels
from engine.strategies.hmcahc.merging import Merging, Standing
from engine.strategies.hmcahc.params import HmcahcParams
from engine.strategies.hmcahc.settled import Answers

if TYPE_CHECKING:
    from engine.strategies import Queries

_WHY = {
    "when1": "Merging has made the groups look less sure, down to {groups} groups.",
    "when2": "{groups} groups are left, and it is time for a question.",
}
_SURER = "Merging has made the groups look surer, down to {groups} groups."
_STOPPED = "Merging has stopped at {groups} groups."
_FURTHER = "Could two more groups be one? {groups} would be left then."
_DOUBT = " These two are the most doubtful pair, in a group of {size} items."
_DISPUTE = " Other ways of merging part these two, which are in a group of {size} items here."


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The groups shown after some answers: a level of a hierarchy.

    Attributes
    ----------
    hierarchy, made
        Which merges, and how many of them.
    labels
        int32[n].
    confidence
        float32[n].
    certainty
        Before any answer counts, so that it can be compared whatever was answered.
    """

    hierarchy: Hierarchy
    made: int
    labels: IntArray
    confidence: FloatArray
    certainty: float


class Hmcahc:
    """The strategy as algorithm 3, with the variants of the article's analysis.

    Complete linkage. An answer of which nobody was sure closes its pair: the next most doubtful
    one is asked about later. Items set aside are merged, but neither asked about nor judged.

    Where the article is silent: when no pair is left in the groups large enough to be judged, those
    in the smaller ones are asked about. If the number of groups is unknown, two groups are then
    merged to ask whether they are one, and so on until all is settled.

    More answers do not always make the groups better. Infinite distances forbid merges that would
    have been useful, since complete linkage goes by the farthest pair. `keep_best` is an aid.

    Parameters
    ----------
    params
        See `HmcahcParams`.
    """

    name: ClassVar[str] = "hmcahc"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = HmcahcParams
    tolerant: ClassVar[bool] = False
    transitive: ClassVar[bool] = True

    def __init__(self, params: HmcahcParams) -> None:
        self._params = params
        self._problem: Problem | None = None
        self._job = Job()
        self._answers: Answers = ()
        self._stood: list[Standing] = []  # after 0, 1, ... answers
        self._keys: list[bytes] = []  # what each of these depends on

    def run(self, problem: Problem, job: Job) -> Queries:
        """Merge until a question arises; by its answer adjust the groups, and merge on."""
        standing = self._begin(problem, job)
        while standing.pair is not None:
            verdict = yield self._query(standing, standing.pair)
            if isinstance(verdict, Cue):
                raise UsageError("only a fresh query is sent a cue")
            standing = self._take(standing.pair, verdict)

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def clustering(self) -> Clustering:
        """Merge on to the number of groups without asking.

        Confidence is the margin between the heights at which the item came to the core of its group
        and at which the group is merged into another: see `engine.confidence.of_level`.
        """
        shown = self._shown()
        return Clustering.of(shown.labels, shown.confidence.copy())

    def tree(self) -> Tree:
        """Give the hierarchy that the groups shown are a level of, and what was asked on the way.

        Beyond that level it goes on as merging would: groups told apart come together last.
        """
        problem, merging = self._started, self._merging
        at = self._best()
        shown, stood = self._seen(at), self._stood[at]
        certainty = problem.steps.get(
            (self._keys[-1], at, "certainty"),
            lambda: merging.levels(stood).certainties(merging.known(self._answers), self._job),
        )
        asked = [*self._answers, (self._stood[-1].pair, None)]
        inquiries = tuple(
            Inquiry(pair, verdict, now.made, now.certainty)
            for (pair, verdict), now in zip(asked, self._stood, strict=True)
            if pair is not None
        )
        return Tree(shown.hierarchy, problem.n - shown.made, certainty, inquiries)

    def report(self) -> dict[str, object]:
        """Tell at how many groups merging stops now; empty before the start."""
        if not self._stood:
            return {}
        shown = self._shown()
        return {
            "groups": shown.hierarchy.n - shown.made,
            "certainty": round(self._stood[-1].certainty, 6),
        }

    @property
    def _started(self) -> Problem:
        if self._problem is None or not self._stood:
            raise UsageError("hmcahc has not been started")
        return self._problem

    def _begin(self, problem: Problem, job: Job) -> Standing:
        """Give what stands before the first answer."""
        self._problem, self._job = problem, job
        self._merging = Merging(problem, self._params, f"{self.name}/{self.version}", job)
        chosen = astuple(replace(self._params, keep_best=False, memory=1))  # these change no merge
        aside = sorted(problem.set_aside)
        what = (self.name, self.version, problem.fingerprint, chosen, aside, problem.known)
        self._keys.append(hashlib.blake2b(repr(what).encode(), digest_size=16).digest())
        self._stood.append(problem.steps.get((self._keys[0], "stood"), self._merging.begin))
        return self._stood[0]

    def _take(self, pair: Pair, verdict: Verdict) -> Standing:
        """Give what stands after one more answer; what was kept after the same ones is used."""
        before, said = self._stood[-1], f"{pair.a} {pair.b} {verdict.value}".encode()
        key = hashlib.blake2b(self._keys[-1] + said, digest_size=16).digest()
        answers = (*self._answers, (pair, verdict))
        standing = self._started.steps.get(
            (key, "stood"), lambda: self._merging.after(before, answers, key)
        )
        self._answers = answers
        self._keys.append(key)
        self._stood.append(standing)
        return standing

    def _query(self, standing: Standing, pair: Pair) -> Query:
        why = _WHY.get(self._params.variant, _SURER)
        if standing.stopped:
            why = _FURTHER if standing.further else _STOPPED
        what = _DISPUTE if self._params.variant == "which" else _DOUBT
        groups = standing.course.hierarchy.n - standing.made
        reason = Reason.of(why + what, groups=groups, size=standing.size)
        return Query(pair, reason, standing.size)

    def _shown(self) -> Shown:
        return self._seen(self._best())

    def _best(self) -> int:
        """Give the number of answers after which the groups are the ones to be shown."""
        now = len(self._answers)
        if not self._params.keep_best:
            return now
        known = self._merging.known(self._answers)
        best = now
        for at in range(now - 1, -1, -1):
            if self._seen(at).certainty > self._seen(best).certainty and not known.broken(
                self._seen(at).labels
            ):
                best = at
        return best

    def _seen(self, at: int) -> Shown:
        """Give the groups that were shown after so many answers."""
        problem, merging, standing = self._started, self._merging, self._stood[at]

        def compute() -> Shown:
            made, hierarchy = merging.level(standing), standing.course.hierarchy
            return Shown(
                hierarchy,
                made,
                hierarchy.cut(problem.n - made),
                of_level(hierarchy, problem.n - made),
                merging.levels(standing).certainty(merging.known(()), made, self._job),
            )

        return problem.steps.get((self._keys[at], "shown"), compute)


def tree_of_data(problem: Problem, job: Job) -> Tree:
    """Give the hierarchy of the data alone, by complete linkage, whatever was answered.

    Raises
    ------
    ResourceError
        When the distances between all items take too much memory.
    """
    hierarchy = Tahc(TahcParams(groups=1)).hierarchy(problem, job)
    k = HmcahcParams().neighbours

    def certainty() -> npt.NDArray[np.float64]:
        return of_levels(hierarchy, nearest(problem.points, k, job).items, k, job)

    key = ("tree of data", problem.fingerprint, "certainty")
    return Tree(hierarchy, None, problem.steps.get(key, certainty))
