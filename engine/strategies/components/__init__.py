"""Components: a passive method groups the items first, and questions are about what it found.

- `parts`: the first guess, what stands for each set of it, and how one is halved.
- `shape`: the groups of the first guess, merged and split by answers.

Two kinds of question. Do the items that stand for two sets belong together? The largest set comes
first, and is compared with the groups so far, the nearest first. Is a set one at all? What stands
for its halves is compared. What decides about most items is asked first, and after a bounded number
of questions another strategy goes on with what was answered. The groups keep the shape of the first
guess, whoever asks.

References
----------
None for the questions: they are ours. For the first guess Shah & Koltun (2017), see
`engine.clusterers.rcc`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.clusterers.rcc import MOST_STRETCHED
from engine.clusterers.rcc.graph import METRICS
from engine.constraints import Constraints, Known
from engine.errors import UsageError
from engine.job import Job
from engine.model import Clustering, Cue, Pair, Query, Reason, Verdict
from engine.problem import Problem
from engine.strategies.acdm import Acdm
from engine.strategies.cobras import Cobras
from engine.strategies.components.parts import METHODS, First, Part, squares_to
from engine.strategies.components.shape import Shape
from engine.strategies.consolidate import ActivePCK, ExploreConsolidate
from engine.strategies.falcon import Falcon
from engine.strategies.npu import MpckNpu

if TYPE_CHECKING:
    from engine.strategies import Queries, Strategy

Asking = Generator[Query, Verdict | Cue, Verdict | None]

_NEXT: dict[str, type[Any]] = {
    strategy.name: strategy
    for strategy in (Falcon, Acdm, Cobras, MpckNpu, ExploreConsolidate, ActivePCK)
}
_EXAMPLES = 4  # members of a group that may be shown for it, the nearest first
_DOUBT = 0.1  # what a question whether a set is one decides, as a share of its items

_ALONE = (
    "A first guess that nobody has checked puts one of these into no group; the other is the"
    " closest example of the group most like it that is not ruled out."
)
_TOGETHER = (
    "A first guess that nobody has checked takes {size} items for one group, and one of these"
    " stands for them; the other is the closest example of the group most like them that is not"
    " ruled out."
)
_ONE = (
    "A first guess that nobody has checked takes {size} items for one group. These two stand for"
    " its two halves: is it one?"
)


@dataclass(frozen=True, slots=True)
class ComponentsParams:
    """Parameters of the first guess, of the questions about it, and who goes on.

    Notes
    -----
    The defaults of `stretch` and `metric` are not those of the method itself, which are made for
    other data than features between 0 and 1. They were chosen on twelve labelled tables, as were
    the rules for what is asked first, how a set is halved and when one goes with another.

    Mean ARI over 100 questions on 43 labelled tables, and on three folders of pictures: .606 and
    .684; FALCON alone .572 and .479, ACDM alone .639 and .550; with `then=acdm questions=25` .621
    and .686; with `questions=25` .596 and .689 (`python -m tests.benchmark.curves DATA --most-rows
    2500 --budget 100 --strategies components ...`). Best on digits and pictures. Where no guess
    can see the classes (COLUMN_2C, HEARTDISEASE, FERTILITY) it does harm.
    """

    method: str = field(
        default="rcc",
        metadata={"choices": tuple(METHODS), "help": "The method that makes the first guess."},
    )
    questions: int = field(
        default=50,
        metadata={
            "least": 0,
            "help": "The number of questions about the first guess, at most. Then the other"
            " strategy goes on.",
        },
    )
    then: str = field(
        default="falcon",
        metadata={
            "choices": tuple(_NEXT),
            "help": "The strategy that goes on with what was answered.",
        },
    )
    checks: int = field(
        default=3,
        metadata={
            "least": 0,
            "more": True,
            "help": "How often a group of the first guess is halved, at most, to ask whether it is"
            " one. 0 = it is never asked.",
        },
    )
    stretch: float = field(
        default=16.0,
        metadata={
            "above": 0.0,
            "most": MOST_STRETCHED,
            "more": True,
            "help": "What features are multiplied by for the first guess: a larger value gives"
            " fewer groups where it falls apart into many.",
        },
    )
    metric: str = field(
        default="euclidean",
        metadata={
            "choices": METRICS,
            "more": True,
            "help": "How the nearest others are chosen for the first guess.",
        },
    )


class Components:
    """The questions about a first guess, and then those of another strategy.

    A set is compared by one item, the nearest to its mean or one that answers spoke about. Said to
    be like a group it joins it; told apart from all it opens one; left unsure it is passed over. A
    group is as near as the nearest of its items that were compared. If halves belong together, each
    is a set of its own in the same group, and may be halved again.

    Parameters
    ----------
    params
        See `ComponentsParams`.
    """

    name: ClassVar[str] = "components"
    version: ClassVar[int] = 1
    Params: ClassVar[type[Any]] = ComponentsParams
    tolerant: ClassVar[bool] = False
    transitive: ClassVar[bool] = True

    def __init__(self, params: ComponentsParams) -> None:
        self._params = params
        self._problem: Problem | None = None
        self._closure = Constraints()
        self._said: list[tuple[Pair, Verdict]] = []
        self._seeding = 0  # questions asked about the first guess
        self._components = 0
        self._waiting: list[Part] = []
        self._placed: list[Part] = []
        self._shape: Shape | None = None
        self._next: Strategy | None = None

    def run(self, problem: Problem, job: Job) -> Queries:
        """Ask about the first guess what decides most, then let the other strategy go on."""
        job.step()
        self._problem, self._job = problem, job
        params = self._params
        settings = {"stretch": params.stretch, "metric": params.metric}
        mark = f"{self.name}/{self.version}"
        self._first = first = First(problem, params.method, settings, mark, job)
        self._components = int(first.labels.max()) + 1
        self._shape = Shape(problem, first, job)
        for pair, verdict in problem.known.verdicts():
            self._take(pair, verdict)
        self._waiting = self._shape.divided(self._closure)
        yield from self._settle_known()
        while self._seeding < params.questions and (part := self._weightiest()) is not None:
            job.step()
            if part in self._waiting:
                yield from self._place(part)
            else:
                yield from self._check(part)
        yield from self._go_on()

    def overhear(self, pair: Pair, verdict: Verdict) -> bool:
        """Make no use of answers but those asked for."""
        del pair, verdict
        return False

    def clustering(self) -> Clustering:
        """Give the first guess, merged and split by all answers, whoever asked: see `Shape`.

        Not what the other strategy would show, which leaves the first guess behind: on three
        folders of pictures that lost .17 of mean ARI between two questions, when FALCON took over.
        """
        if self._shape is None:
            raise UsageError("components has not been started")
        return self._shape.clustering(self._closure)

    def report(self) -> dict[str, object]:
        """Tell of the first guess and the questions about it, and what the other one tells."""
        found: dict[str, object] = {"components": self._components, "seeding": self._seeding}
        return found if self._next is None else found | self._next.report()

    @property
    def _started(self) -> Problem:
        if self._problem is None:
            raise UsageError("components has not been started")
        return self._problem

    # ------------------------------------------------------------------ asking

    def _settle_known(self) -> Queries:
        """Compare the sets that earlier answers speak about, mostly without asking."""
        place = {item: number for number, item in enumerate(self._started.known.items)}
        known = [part for part in self._waiting if part.exemplar in place]
        for part in sorted(known, key=lambda part: place[part.exemplar]):
            yield from self._place(part)

    def _weightiest(self) -> Part | None:
        """Give the set about which an answer decides most; None = there is nothing to ask.

        Of equals the one whose features come first: the order of the items makes no difference.
        """
        self._job.step()
        worth = [(float(len(part.items)), part) for part in self._waiting]
        worth += [
            (_DOUBT * len(part.items), part)
            for part in self._placed
            if part.checks < self._params.checks and len(part.items) > 1
        ]
        most = max((value for value, _ in worth), default=0)
        best = [part for value, part in worth if value == most]
        points = self._started.points
        return min(best, key=lambda part: points[part.exemplar].tobytes(), default=None)

    def _place(self, part: Part) -> Queries:
        """Ask which group a set belongs to, the nearest first; with none it opens one."""
        verdict: Verdict | None = None
        unsure = False
        size = len(part.items)
        reason = Reason.of(_TOGETHER, size=size) if size > 1 else Reason.of(_ALONE)
        for examples in self._nearest(part.exemplar):
            self._job.step()
            pair, *others = (Pair.of(part.exemplar, example) for example in examples)
            verdict = yield from self._ask(Query(pair, reason, size, tuple(others)))
            if verdict is None:
                return
            unsure = unsure or verdict is Verdict.UNSURE
            if verdict is Verdict.SAME:
                break
        self._waiting = [one for one in self._waiting if one is not part]
        if verdict is Verdict.SAME or not unsure:
            self._placed.append(part)

    def _check(self, part: Part) -> Queries:
        """Ask whether the halves of a set belong together."""
        halves = self._first.halves(part)
        verdict: Verdict | None = Verdict.UNSURE
        if halves is not None:
            one, other = halves
            reason = Reason.of(_ONE, size=len(part.items))
            pair = Pair.of(one.exemplar, other.exemplar)
            verdict = yield from self._ask(Query(pair, reason, len(other.items)))
        if verdict is None:
            return
        at = next(number for number, own in enumerate(self._placed) if own is part)
        if halves is None or verdict is Verdict.UNSURE:
            self._placed[at] = replace(part, checks=self._params.checks)  # not to be asked again
            return
        self._placed[at], other = halves
        (self._placed if verdict is Verdict.SAME else self._waiting).append(other)

    def _go_on(self) -> Queries:
        """Let the other strategy begin with all that was answered, and pass its questions on."""
        problem = self._started
        chosen = _NEXT[self._params.then]
        self._next = then = chosen(chosen.Params())
        queries = then.run(
            problem.without(problem.set_aside, Known.of(self._said, problem.set_aside)), self._job
        )
        query = next(queries, None)
        while query is not None:
            verdict = yield from self._ask(query)
            try:
                query = queries.send(Verdict.UNSURE if verdict is None else verdict)
            except StopIteration:
                return

    def _ask(self, query: Query) -> Asking:
        """Give the verdict on a query's pair, asking only what the answers leave open.

        None when all questions about the first guess have been asked.
        """
        known = self._closure.verdict(query.pair)
        if known is not None:  # UNSURE too: a pair is never asked twice
            return known
        if self._next is None:
            if self._seeding == self._params.questions:
                return None
            self._seeding += 1
        verdict = yield query
        if isinstance(verdict, Cue):
            raise UsageError("only a fresh query is sent a cue")
        self._take(query.pair, verdict)
        return verdict

    def _take(self, pair: Pair, verdict: Verdict) -> None:
        self._closure.add(pair, verdict, len(self._said))
        self._said.append((pair, verdict))
        if verdict is not Verdict.UNSURE and self._shape is not None:
            for item in pair:
                self._shape.hear(item)

    def _nearest(self, item: int) -> list[list[int]]:
        """Give the groups, the nearest first, each by those that stand for it, nearest first."""
        problem, found = self._started, dict[int, list[tuple[float, int]]]()
        exemplars = np.array([part.exemplar for part in self._placed], dtype=np.int32)
        row = problem.points[item].astype(np.float64)
        far = squares_to(problem, exemplars, row, self._job)
        for square, exemplar in zip(far.tolist(), exemplars.tolist(), strict=True):
            found.setdefault(self._closure.component(exemplar), []).append((square, exemplar))
        groups = sorted(sorted(members)[:_EXAMPLES] for members in found.values())
        return [[exemplar for _, exemplar in members] for members in groups]
