"""Fold: the state that the answers of one path lead to, built anew or one step further.

A strategy is a generator that yields the pair it needs judged. Whatever an answer or the closure
settles is sent at once; the first pair that nobody has settled is the question. A fold is a pure
function of problem, strategy and path: it keeps nothing between calls.

A tolerant strategy reckons with wrong answers. It is sent the answers themselves, one by one, and
may overrule them; only what a person said deliberately is closed and kept to, as for the others.

Where items may belong to several groups, nothing follows from an answer: it is a fact about its
pair. All of them are heard, whoever asked, and none is closed; what the groups do not explain is
told like what is overruled.

A strategy chosen in mid-project begins with what was answered before (`Problem.known`): otherwise
it would ask about pairs of its own, and make little of answers to other questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine import answers, choices, overview, strategies
from engine.answers import Event, EventKind, Statement
from engine.compositional.membership import Composed
from engine.constraints import Constraints, Known
from engine.errors import UsageError
from engine.job import Job, Relay
from engine.model import (
    GIVEN,
    OWN,
    Approach,
    Clustering,
    Cue,
    IntArray,
    Memberships,
    Pair,
    Query,
    Verdict,
)
from engine.problem import Problem
from engine.strategies import Strategy

_NOTHING = np.zeros(0, dtype=np.int32)
_NO_GROUPS = Clustering(_NOTHING, np.zeros(0, dtype=np.float32)), _NOTHING  # of a state half made
_PATIENCE = 32  # queries that wait at least for items that an older answer is about


class Run:
    """One strategy under way: its generator and the query it waits on.

    Attributes
    ----------
    query
        What the strategy waits on; None = it has finished.
    pair
        The pair put to the person for it: the query's own, or one instead of it.
    unsure
        Pairs passed on as UNSURE; a later answer may settle them.
    """

    def __init__(self, strategy: Strategy, problem: Problem, job: Job) -> None:
        self.strategy = strategy
        self.relay = Relay(job)
        self.unsure: list[Pair] = []
        self._heard = 0  # answers that may be wrong, gone through so far
        self._parked: list[tuple[Pair, Verdict]] = []  # about items that did not come for long
        self._waited = 0  # times that the next answer let a query wait
        self.pair: Pair | None = None
        self._generator = strategy.run(problem, self.relay)
        self.query: Query | None = next(self._generator, None)

    def send(self, verdict: Verdict | Cue) -> None:
        """Tell the strategy the verdict on its query, or what else to do about it."""
        if self.query is None:
            raise UsageError("the strategy has finished")
        if verdict is Verdict.UNSURE:
            self.unsure += (self.query.pair, *self.query.instead)
        try:
            self.query = self._generator.send(verdict)
        except StopIteration:
            self.query = None
        self.pair = None

    def go_through(self, closure: Constraints) -> bool:
        """Pass on the next of the answers that may be wrong, or let the query wait for it.

        Strictly in the order given, whatever is asked: so a run that is built anew comes to where
        the live one is, and no answer is forgotten when the questions take another course. Facts
        about pairs, from which nothing follows, are all passed on at once.

        Returns
        -------
        bool
            False when all have been gone through.
        """
        if not self.strategy.transitive:
            return self._overhear_all(closure)
        for place, (pair, verdict) in enumerate(self._parked):
            if self._pass_on(pair, verdict):
                del self._parked[place]
                return True
        if self._heard == len(closure.heard):
            return False
        pair, verdict = closure.heard[self._heard]
        if self._pass_on(pair, verdict):
            self._heard, self._waited = self._heard + 1, 0
        elif self.query is not None and self._waited < _PATIENCE + self._heard:
            self._waited += 1
            self.send(Cue.LATER)
        else:  # it may never come
            self._parked.append((pair, verdict))
            self._heard, self._waited = self._heard + 1, 0
        return True

    def _overhear_all(self, closure: Constraints) -> bool:
        """Pass on all facts not gone through yet; False = there are none."""
        fresh = closure.heard[self._heard :]
        for pair, verdict in fresh:
            self.strategy.overhear(pair, verdict)
        self._heard += len(fresh)
        if fresh and self.query is not None:
            self.send(Cue.RECONSIDER)
        return bool(fresh)

    def _pass_on(self, pair: Pair, verdict: Verdict) -> bool:
        """Pass on an answer to the query, or about another pair; False = it has to wait."""
        if self.query is not None and pair == self.query.pair:
            self.send(verdict)
            return True
        if not self.strategy.overhear(pair, verdict):
            return False
        if self.query is not None:
            self.send(Cue.RECONSIDER)
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What a person chose about groups and space, worked out; see `Snapshot`.

    `within`: what pairs are chosen in. `clustering`: the groups; None = the strategy's own.
    """

    within: Problem
    grouping: Approach = OWN
    clustering: Clustering | None = None
    grouped_after: int = 0
    warnings: tuple[str, ...] = ()
    space: Approach = GIVEN
    learned: choices.Space | None = None
    learned_after: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The fold of one path: what holds, where the strategy stands, how the groups look.

    `composed`, `shared`: where items may belong to several groups, as found and by slot.
    """

    path: tuple[Event, ...]
    approach: Approach
    chosen: Chosen
    constraints: Constraints
    set_aside: frozenset[int]
    run: Run
    clustering: Clustering
    slots: IntArray
    composed: Composed | None = None
    shared: Memberships | None = None

    @property
    def groups(self) -> int:
        """Number of groups; of those that items may share, the single ones."""
        return self.clustering.n_groups if self.composed is None else self.composed.groups

    def together(self, pair: Pair) -> bool:
        """Tell what the groups say of a pair: one group, or one in common."""
        if self.composed is not None:
            return self.composed.share(*pair)
        labels = self.clustering.labels
        return bool(labels[pair.a] == labels[pair.b])

    @property
    def position(self) -> int:
        """`seq` of the step that this state ends with; 0 = before the first."""
        return self.path[-1].seq if self.path else 0


@dataclass(frozen=True, slots=True)
class Colours:
    """The groups' colours in the state before, and the items by which a group is known again."""

    slots: IntArray
    anchors: tuple[int, ...] = ()
    shared: Memberships | None = None

    @property
    def table(self) -> npt.NDArray[np.bool_]:
        """Which item was in which slot, bool[n, slots]."""
        if self.shared is not None:
            return self.shared.table
        held: npt.NDArray[np.bool_] = self.slots[:, None] == np.arange(self.slots.max() + 1)
        return held

    @classmethod
    def of(cls, state: State) -> Colours:
        """Anchors are the prototypes whose group an answer settled."""
        certain = state.clustering.confidence > 0
        known = tuple(item for item in state.clustering.exemplars if certain[item])
        return cls(state.slots, known, state.shared)


class Fold:
    """States of one problem.

    Parameters
    ----------
    problem
        The items' features and the seed.
    approach
        How questions are chosen until a step says otherwise.
    job
        Progress and cancellation of runs once they are built.

    Raises
    ------
    ParameterError
        For an unknown strategy or parameter.
    """

    def __init__(self, problem: Problem, approach: Approach, job: Job) -> None:
        _made(approach)  # an unknown one is told at once
        self.job = job
        self._problem = problem
        self._first = approach
        self._last = problem.points, problem  # the space learned last

    def approach(self, path: tuple[Event, ...]) -> Approach:
        """Tell how questions are chosen at the end of a path."""
        chosen = answers.choice(path, EventKind.STRATEGY)
        return self._first if chosen is None else chosen[0]

    def build(
        self,
        path: tuple[Event, ...],
        colours: Colours | None,
        *,
        closure: Constraints | None = None,
        job: Job | None = None,
    ) -> State:
        """Start a new run and drive it by all that is settled.

        Parameters
        ----------
        path
            The steps from the start.
        colours
            Those of the state before; None = there is none.
        closure
            The closed answers; by default those of the path.
        job
            Progress and cancellation while this is built; by default as afterwards.
        """
        approach, aside = self.approach(path), answers.set_aside(path)
        strategy = _made(approach)
        closure = self.closed(path) if closure is None else closure
        chosen = self.chosen(path, job)
        begun = _begun(path)
        before = [said for said in answers.statements(path) if said.seq < begun]
        known = _known_from(before if strategy.transitive else (), aside)
        run = Run(strategy, chosen.within.without(aside, known), job or self.job)
        _drive(run, closure, aside)
        run.relay.target = self.job
        return _grouped(State(path, approach, chosen, closure, aside, run, *_NO_GROUPS), colours)

    def step(
        self, before: State, event: Event, ahead: State | None = None, job: Job | None = None
    ) -> State:
        """Go one step on.

        An answer uses `before` up: its run and closure may go on in the new state.

        Parameters
        ----------
        ahead
            The state after this step, where it was prepared.
        job
            As `build`.
        """
        path = (*before.path, event)
        colours = Colours.of(before)
        if event.kind is EventKind.NAME:
            state = replace(before, path=path)
        elif ahead is not None:
            state = replace(ahead, path=path)
        elif event.kind is EventKind.ANSWER:
            (said,) = answers.statements([event])
            if take(before.constraints, said, before.run):
                _drive(before.run, before.constraints, before.set_aside)
                state = _grouped(replace(before, path=path), colours)
            else:
                state = self.build(path, colours, closure=before.constraints)
        elif event.kind in answers.CHOICES and _begun(path) != event.seq:
            state = _grouped(replace(before, path=path, chosen=self.chosen(path, job)), colours)
        else:
            state = self.build(path, colours, job=job)
        return state

    def closed(self, path: tuple[Event, ...]) -> Constraints:
        """Take in the answers of a path, as the strategy at its end takes them."""
        strategy = _made(self.approach(path))
        closure = Constraints()
        for said in answers.statements(path):
            _take(closure, said, strategy)
        return closure

    def chosen(self, path: tuple[Event, ...], job: Job | None = None) -> Chosen:
        """Work out what was chosen on a path about groups and space; kept among the steps."""
        problem, job = self._problem, job or self.job
        chosen = Chosen(problem)
        if not _made(self.approach(path)).transitive:
            return chosen  # both reckon with answers that say what is one group
        grouping = answers.choice(path, EventKind.GROUPING)
        if grouping is not None and grouping[0] != OWN:
            said, aside = _before(path, grouping[1])
            found = choices.grouped(problem, grouping[0], _known_from(said, aside), job)
            chosen = replace(
                chosen,
                grouping=grouping[0],
                clustering=found.clustering,
                grouped_after=len(said),
                warnings=found.warnings,
            )
        space = answers.choice(path, EventKind.SPACE)
        if space is not None and space[0] != GIVEN:
            said, aside = _before(path, space[1])
            learned = choices.learned(problem, space[0], _known_from(said, aside), job)
            chosen = replace(
                chosen,
                within=self._within(space[0], learned),
                space=space[0],
                learned=learned,
                learned_after=len(said),
            )
        return chosen

    def _within(self, approach: Approach, space: choices.Space) -> Problem:
        """Give the problem in which pairs are chosen."""
        if not choices.asks_within(approach):
            return self._problem
        held, problem = self._last
        if held is not space.points:
            problem = self._problem.moved(space.points)
            self._last = space.points, problem
        return problem

    def overruled(self, state: State) -> tuple[int, ...]:
        """Give the answers that the groups break; only a tolerant strategy's do."""
        if not _made(state.approach).tolerant:
            return ()
        waiting = {conflict.seq for conflict in state.constraints.conflicts}
        return tuple(seq for seq in broken(state) if seq not in waiting)


def broken(state: State) -> tuple[int, ...]:
    """Give the answers that the groups break."""
    return tuple(
        said.seq
        for said in answers.statements(state.path)
        if said.verdict is not Verdict.UNSURE
        and (said.verdict is Verdict.SAME) != state.together(said.pair)
    )


def take(closure: Constraints, said: Statement, run: Run) -> bool:
    """Take in one more answer, as the strategy of `run` takes them.

    Returns
    -------
    bool
        Whether `run` can go on: False when it was sent what the answer now makes untrue.
    """
    strategy = run.strategy
    if not _take(closure, said, strategy):
        # One that had nothing left to ask may have now.
        return strategy.transitive or run.query is not None
    # A tolerant run knows the closure by what it asked only.
    return not strategy.tolerant and not any(map(closure.settles, run.unsure))


def _take(closure: Constraints, said: Statement, strategy: Strategy) -> bool:
    """Close an answer, or keep it beside the closure; tell whether it was closed."""
    if not strategy.transitive:
        for fact in said.facts:
            closure.hear(*fact)
        return False
    if strategy.tolerant:
        if said.asked:
            closure.hear(said.pair, said.verdict)
        if not _firm(said):
            return False
    closure.add(said.pair, said.verdict, said.seq)
    return True


def _begun(path: tuple[Event, ...]) -> int:
    """Give the `seq` of the step with which the strategy in use began; 0 = with the project."""
    begun, within = 0, False
    for step in path:
        if step.kind is EventKind.STRATEGY:
            begun = step.seq
        elif step.kind is EventKind.SPACE:
            was_within, within = within, choices.asks_within(answers.read(step.text) or GIVEN)
            begun = step.seq if within or was_within else begun
    return begun


def _before(path: tuple[Event, ...], seq: int) -> tuple[tuple[Statement, ...], frozenset[int]]:
    """Give what was said when a step was taken, as it was said then, and what was set aside."""
    prefix = [step for step in path if step.seq < seq]
    return answers.statements(prefix), answers.set_aside(prefix)


def _known_from(said: Iterable[Statement], aside: frozenset[int]) -> Known:
    return Known.of(((one.pair, one.verdict) for one in said), aside)


def _made(approach: Approach) -> Strategy:
    return strategies.make(approach.strategy, dict(approach.params))


def _firm(said: Statement) -> bool:
    """Tell what even a tolerant strategy has to keep to."""
    return said.deliberate and said.verdict is not Verdict.UNSURE


def honoured(clustering: Clustering, closure: Constraints) -> Clustering:
    """Move single items so that no group breaks an answer in force.

    A strategy groups by what it asked. Of an answer it did not ask for (volunteered, or given
    before another was revised) it may know nothing, and what was left unsure it may put anywhere.
    Items linked by answers go to the group that most of them are in, the surest first; those held
    apart from everything there open a group.
    """
    labels, confidence = clustering.labels, clustering.confidence
    parts = closure.parts()
    surest = sorted(parts, key=lambda root: (-confidence[parts[root][0]].max(), parts[root][0]))
    holders: dict[int, set[int]] = {}
    moved: dict[int, int] = {}
    fresh = clustering.n_groups
    for root in surest:
        items, apart = parts[root]
        weights: dict[int, float] = {}
        for item in items:
            weights[int(labels[item])] = weights.get(int(labels[item]), 0.0) + 1 + confidence[item]
        if set(weights) == {-1} and len(items) == 1:
            continue  # undecided, and no answer asks for a group
        likely = sorted(weights, key=lambda label: (-weights[label], label))
        free = (g for g in likely if g >= 0 and apart.isdisjoint(holders.get(g, ())))
        group = next(free, fresh)
        fresh = max(fresh, group + 1)
        holders.setdefault(group, set()).add(root)
        moved.update((item, group) for item in items if labels[item] != group)
    if not moved:
        return clustering
    labels = labels.copy()
    labels[list(moved)] = list(moved.values())
    return Clustering.of(labels, confidence, clustering.exemplars, clustering.criticisms)


def _drive(run: Run, closure: Constraints, aside: frozenset[int]) -> None:
    """Send every verdict that is settled, and stop at the first pair nobody has settled."""
    out = aside | closure.frozen
    while run.query is not None:
        query = run.query
        verdict = _known(query, closure)
        if verdict is None:
            pairs = (query.pair, *query.instead)
            run.pair = next((pair for pair in pairs if out.isdisjoint(pair)), None)
            if run.pair is not None:
                if query.fresh and run.go_through(closure):
                    continue
                return
            verdict = Verdict.UNSURE
        run.send(verdict)
    while run.go_through(closure):
        pass


def _known(query: Query, closure: Constraints) -> Verdict | None:
    """Give what the closure knows of a query: about its own pair, else about one instead of it."""
    unsure = False
    for pair in (query.pair, *query.instead):
        verdict = closure.verdict(pair)
        if verdict in {Verdict.SAME, Verdict.DIFFERENT}:
            return verdict
        unsure = unsure or verdict is Verdict.UNSURE
    return Verdict.UNSURE if unsure else None


def _grouped(state: State, before: Colours | None) -> State:
    """Complete a state by the groups that its run now sees, in the colours they had before."""
    chosen, strategy = state.chosen.clustering, state.run.strategy
    if isinstance(strategy, strategies.Composing):
        return _shared(state, strategy.composed(), before)
    found = strategy.clustering() if chosen is None else chosen
    clustering = honoured(found, state.constraints)
    for held in (clustering.labels, clustering.confidence):
        held.flags.writeable = False  # snapshots go from thread to thread
    labels = clustering.labels
    if state.set_aside:
        labels = labels.copy()
        labels[list(state.set_aside)] = -1
    known = (before.slots, before.anchors) if before is not None else (None,)
    slots = overview.match_slots(labels, *known)
    return replace(state, clustering=clustering, slots=slots, composed=None, shared=None)


def _shared(state: State, composed: Composed, before: Colours | None) -> State:
    """Complete a state in which items may belong to several groups."""
    table = before.table if before is not None else None
    return in_slots(state, composed, overview.match_shared(composed, table, state.set_aside))


def in_slots(state: State, composed: Composed, slots: IntArray) -> State:
    """Complete a state by sets of groups whose slots are known, int32[groups]."""
    shared = overview.in_slots(composed, slots, state.set_aside)
    return replace(
        state,
        clustering=composed.as_clustering(),
        slots=overview.first_slots(shared),
        composed=composed,
        shared=shared,
    )
