"""Session: ask and tell. Everything shown is a fold of one strategy over the answers of one path.

A strategy is a generator that yields the pair it needs judged. Session drives it: what an answer
or its closure settles is sent at once; the first open pair is the question. Hence one log survives
undo, revision, replay and a change of strategy. No threads, no Qt, no files.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine import answers, overview, strategies
from engine.answers import AnswerLog, Event, EventKind
from engine.constraints import Constraints
from engine.errors import UsageError
from engine.job import Job, Relay
from engine.model import (
    Answer,
    Clustering,
    Confidence,
    Effect,
    HistoryItem,
    IntArray,
    Pair,
    Progress,
    Query,
    Question,
    Snapshot,
    Source,
    StepKind,
    Verdict,
)
from engine.problem import Problem
from engine.strategies import Strategy

Commit = Callable[[Event], None]

_RECENT = 20  # answers looked back on for the honest "did the last ones change anything?"
_SEEN_BYTES = 64 * 2**20  # groupings of earlier states kept for replay
_SPECULATED = (Verdict.SAME, Verdict.DIFFERENT)


class _Run:
    """One strategy under way: its generator and the query it waits on."""

    def __init__(self, strategy: Strategy, problem: Problem, job: Job) -> None:
        self.strategy = strategy
        self.relay = Relay(job)
        self.unsure: list[Pair] = []  # sent as UNSURE; may be settled by a later answer
        self._generator = strategy.run(problem, self.relay)
        self.query: Query | None = next(self._generator, None)

    def send(self, verdict: Verdict) -> None:
        """Tell the strategy the verdict on its query."""
        if self.query is None:
            raise UsageError("the strategy has finished")
        if verdict is Verdict.UNSURE:
            self.unsure.append(self.query.pair)
        try:
            self.query = self._generator.send(verdict)
        except StopIteration:
            self.query = None


@dataclass(frozen=True, slots=True)
class _State:
    """The fold of one path: what holds, where the strategy stands, how the groups look."""

    path: tuple[Event, ...]
    constraints: Constraints
    set_aside: frozenset[int]
    run: _Run
    clustering: Clustering
    slots: IntArray

    @property
    def position(self) -> int:
        return self.path[-1].seq if self.path else 0


@dataclass(frozen=True, slots=True)
class _Colours:
    """The groups' colours in the state before, and the items by which a group is known again."""

    slots: IntArray
    anchors: tuple[int, ...] = ()

    @classmethod
    def of(cls, state: _State) -> _Colours:
        """Anchors are the prototypes whose group an answer settled."""
        certain = state.clustering.confidence > 0
        known = tuple(item for item in state.clustering.exemplars if certain[item])
        return cls(state.slots, known)


class Session:
    """Active clustering of one problem by one person.

    Parameters
    ----------
    problem
        The items' features and the seed.
    strategy, params
        Registry name and `key=value` parameters.
    log
        Earlier answers; empty by default.
    commit
        Called with each new event; must have it on disk when it returns. The state moves on only
        then, so what is shown has always been saved.
    planned
        Number of questions the person means to answer; only for display.
    job
        Progress and cancellation while earlier answers are replayed.

    Raises
    ------
    ParameterError
        For an unknown strategy or parameter.
    """

    def __init__(
        self,
        problem: Problem,
        strategy: str,
        params: Mapping[str, str] | None = None,
        *,
        log: AnswerLog | None = None,
        commit: Commit | None = None,
        planned: int | None = None,
        job: Job | None = None,
    ) -> None:
        self.problem = problem
        self.log = log or AnswerLog()
        self.planned = planned
        self._strategy = strategy
        self._params = dict(params or {})
        self._commit = commit or (lambda _event: None)
        self._job = job or Job()
        self._revision = 0
        self._slots: dict[int, IntArray] = {}  # step -> groups' colours after it
        self._effects: dict[int, Effect] = {}
        self._seen: OrderedDict[int, Clustering] = OrderedDict()
        self._ahead: dict[Verdict, _State] = {}
        self._state: _State | None = self._fold(self.log.path(), self._job)

    # ------------------------------------------------------------------ asking and telling

    def ask(self) -> Question | None:
        """Return the question to be answered now; None = nothing left to ask."""
        return self._question(self._live)

    def tell(
        self,
        pair: Pair,
        verdict: Verdict,
        *,
        confidence: Confidence = Confidence.QUITE,
        source: Source | None = None,
        shown_left: int | None = None,
        response_ms: int | None = None,
        rater: str = "",
        note: str = "",
    ) -> Snapshot:
        """Take an answer about any pair, asked for or volunteered.

        Parameters
        ----------
        source
            By default ASKED when `pair` is the present question, else VOLUNTEERED.

        Raises
        ------
        UsageError
            For an item that does not exist.
        """
        pair = Pair.of(*self._checked(pair))
        question = self.ask()
        asked = question is not None and question.pair == pair
        answer = Answer(
            pair,
            verdict,
            confidence,
            source or (Source.ASKED if asked else Source.VOLUNTEERED),
            shown_left,
            response_ms,
            rater,
            note,
        )
        ahead = self._ahead.get(verdict) if asked else None
        self._append(EventKind.ANSWER, answer=answer, engine=self._engine if asked else "")
        return self._moved(ahead)

    def undo(self) -> Snapshot:
        """Take back the last step. Implied verdicts go with it."""
        self._append(EventKind.UNDO)
        return self._moved()

    def redo(self) -> Snapshot:
        """Bring back the step last left from here."""
        self._append(EventKind.REDO)
        return self._moved()

    def revise(self, seq: int, verdict: Verdict) -> Snapshot:
        """Change the verdict of an earlier answer; later answers stay as they are."""
        event = self.log.event(seq)
        if event.kind is EventKind.REVISE and event.target is not None:
            event = self.log.event(event.target)
        if event.answer is None:
            raise UsageError(f"event {seq} is not an answer")
        answer = Answer(event.answer.pair, verdict, source=event.answer.source)
        self._append(EventKind.REVISE, answer=answer, target=event.seq)
        return self._moved()

    def go_to(self, seq: int) -> Snapshot:
        """Make any step, of any branch, the present; 0 = before the first answer."""
        self._append(EventKind.GOTO, target=seq)
        return self._moved()

    def set_aside(self, items: Iterable[int]) -> Snapshot:
        """Ask no more about some items: unusable pictures, rows that belong nowhere."""
        items = tuple(sorted(set(self._checked(items))))
        self._append(EventKind.SET_ASIDE, items=items)
        return self._moved()

    def name_group(self, item: int, name: str) -> Snapshot:
        """Name the group that holds `item`."""
        self._append(EventKind.NAME, items=self._checked((item,)), text=name)
        return self._moved()

    # ------------------------------------------------------------------ looking

    @property
    def job(self) -> Job:
        """Progress and cancellation of what the session is doing; exchange it per request."""
        return self._job

    @job.setter
    def job(self, job: Job) -> None:
        self._job = job
        if self._state is not None:
            self._state.run.relay.target = job

    @property
    def clustering(self) -> Clustering:
        """The best grouping at this point."""
        return self._live.clustering

    @property
    def constraints(self) -> Constraints:
        """The closure of the answers in force."""
        return self._live.constraints

    def snapshot(self) -> Snapshot:
        """Return all that a view needs of the present state."""
        live = self._live
        return replace(
            self._show(live),
            question=self._question(live),
            undo=self.log.undo_target,
            redo=self.log.redo_target,
            next_if={verdict: self._question(state) for verdict, state in self._ahead.items()},
            live=True,
        )

    def at(self, seq: int) -> Snapshot:
        """Look at the state after any step of any branch, read-only; 0 = before the first."""
        path = self.log.path(seq)
        clustering = self._seen.get(seq)
        if clustering is None:
            return self._show(self._fold(path, self._job))
        self._seen.move_to_end(seq)
        aside = answers.set_aside(path)
        return self._show(
            _State(path, _closure(path), aside, self._live.run, clustering, self._slots[seq])
        )

    def speculate(self, job: Job) -> Snapshot:
        """Prepare the states after SAME and DIFFERENT, so that the next question is there at once.

        Writes nothing. The snapshot has the same revision and `next_if` filled.

        Raises
        ------
        Cancelled
            When `job` was cancelled; a branch that is ready is kept.
        """
        live = self._live
        question = self._question(live)
        if question is not None:
            for verdict in _SPECULATED:
                if verdict not in self._ahead:
                    closure = _closure(live.path)
                    closure.add(question.pair, verdict, len(self.log.events) + 1)
                    self._ahead[verdict] = self._build(
                        live.path, closure, live.set_aside, _Colours.of(live), job
                    )
        return self.snapshot()

    # ------------------------------------------------------------------ the fold

    @property
    def _live(self) -> _State:
        """The present state; rebuilt when a step towards it was interrupted."""
        if self._state is None:
            self._state = self._fold(self.log.path(), self._job)
        return self._state

    @property
    def _engine(self) -> str:
        strategy = self._live.run.strategy
        return f"{strategy.name}/{strategy.version} seed={self.problem.seed}"

    def _append(self, kind: EventKind, **fields: Any) -> None:
        """Save an event, then take it in: nothing is shown that is not on disk."""
        event = self.log.draft(kind, **fields)
        self._commit(event)
        self.log.absorb(event)

    def _moved(self, ahead: _State | None = None) -> Snapshot:
        """Fold up to the new present, from the state before or one prepared, and show it."""
        self._revision += 1
        self._ahead = {}
        # An interruption between here and the end leaves no state: `_live` then rebuilds it.
        before, self._state = self._state, None
        path = self.log.path()
        if before is not None and before.path == path:
            self._state = before
        elif before is not None and before.path == path[:-1] and path:
            self._state = self._step(before, path[-1], ahead)
        return self.snapshot()

    def _fold(self, path: tuple[Event, ...], job: Job) -> _State:
        """Build the state of a path.

        Groups keep their colours from step to step, so a state's colours depend on the steps
        before it: steps never seen are folded one by one, those seen before in one go.
        """
        known = len(path)
        while known and path[known - 1].seq not in self._slots:
            known -= 1
        seen, unseen = path[:known], path[known:]
        slots = self._slots.get(seen[-1].seq if seen else 0)
        colours = _Colours(slots) if slots is not None else None
        state = self._build(seen, _closure(seen), answers.set_aside(seen), colours, job)
        self._remember(state, None)
        for done, event in enumerate(unseen, 1):
            job.step(done, len(unseen), "Replaying answers")
            state = self._step(state, event)
        return state

    def _build(
        self,
        path: tuple[Event, ...],
        closure: Constraints,
        aside: frozenset[int],
        colours: _Colours | None,
        job: Job,
    ) -> _State:
        """Start a new run and drive it by all that is settled; `colours` are those before."""
        strategy = strategies.make(self._strategy, self._params)
        run = _Run(strategy, self.problem.without(aside), job)
        _drive(run, closure, aside)
        run.relay.target = self._job
        return _grouped(path, closure, aside, run, colours)

    def _step(self, before: _State, event: Event, ahead: _State | None = None) -> _State:
        """Go one step on. `before` is used up: its run and closure may go on in the new state."""
        path = (*before.path, event)
        colours = _Colours.of(before)
        if event.kind is EventKind.NAME:
            state = replace(before, path=path)
        elif ahead is not None:
            state = replace(ahead, path=path)
        elif event.kind is EventKind.ANSWER and event.answer is not None:
            before.constraints.add(event.answer.pair, event.answer.verdict, event.seq)
            if any(map(before.constraints.settles, before.run.unsure)):
                # What was passed on as UNSURE is now known: only a new run can make use of it.
                state = self._build(path, before.constraints, before.set_aside, colours, self._job)
            else:
                _drive(before.run, before.constraints, before.set_aside)
                state = _grouped(path, before.constraints, before.set_aside, before.run, colours)
        else:
            state = self._build(path, _closure(path), answers.set_aside(path), colours, self._job)
        self._remember(state, before)
        return state

    def _remember(self, state: _State, before: _State | None) -> None:
        """Keep what replay needs, and what the step changed."""
        seq = state.position
        self._slots[seq] = state.slots
        if before is not None:
            self._effects[seq] = Effect(
                before.clustering.n_groups,
                state.clustering.n_groups,
                int((before.slots != state.slots).sum()),
            )
        self._seen[seq] = state.clustering
        self._seen.move_to_end(seq)
        while len(self._seen) > max(8, _SEEN_BYTES // (8 * self.problem.n)):
            self._seen.popitem(last=False)

    # ------------------------------------------------------------------ showing

    def _question(self, state: _State) -> Question | None:
        query = state.run.query
        if query is None:
            return None
        return Question(query.pair, query.reason, query.worth, self._revision)

    def _show(self, state: _State) -> Snapshot:
        """Show a state without what only the present has: question, undo, redo."""
        closure = state.constraints
        groups = overview.build(
            state.clustering,
            state.slots,
            answers.names(state.path),
            state.set_aside,
            closure.frozen,
        )
        return Snapshot(
            revision=self._revision,
            question=None,
            clustering=state.clustering,
            overview=groups,
            history=self._history(state.path),
            position=state.position,
            undo=None,
            redo=None,
            progress=self._progress(state, len(groups.groups)),
            conflicts=closure.conflicts,
            live=False,
        )

    def _history(self, path: tuple[Event, ...]) -> tuple[HistoryItem, ...]:
        on_path = {step.seq for step in path}
        return tuple(
            HistoryItem(
                seq=step.seq,
                parent=self.log.parent(step.seq),
                kind=StepKind(step.kind.value),
                at=step.at,
                on_path=step.seq in on_path,
                answer=step.answer,
                items=step.items,
                text=step.text,
                target=step.target,
                effect=self._effects.get(step.seq),
            )
            for step in self.log.steps()
        )

    def _progress(self, state: _State, n_groups: int) -> Progress:
        said = answers.statements(state.path)
        asked = [step.seq for step in state.path if step.kind is EventKind.ANSWER][-_RECENT:]
        effects = [self._effects[seq] for seq in asked if seq in self._effects]
        return Progress(
            answered=len(said),
            unsure=sum(one.verdict is Verdict.UNSURE for one in said),
            groups=n_groups,  # those with items that are not set aside
            implied=state.constraints.implied,
            planned=self.planned,
            recent=len(effects),
            recent_changes=sum(
                effect.moved > 0 or effect.groups_before != effect.groups_after
                for effect in effects
            ),
            set_aside=len(state.set_aside),
        )

    def _checked(self, items: Iterable[int]) -> tuple[int, ...]:
        """Give plain item ids; what is none must never reach the log, which keeps it for ever."""
        checked = tuple(map(operator.index, items))
        for item in checked:
            if not 0 <= item < self.problem.n:
                raise UsageError(f"no item {item} among {self.problem.n}")
        return checked


def _closure(path: Iterable[Event]) -> Constraints:
    """Close the answers of a path."""
    closure = Constraints()
    for said in answers.statements(path):
        closure.add(said.pair, said.verdict, said.seq)
    return closure


def _drive(run: _Run, closure: Constraints, aside: frozenset[int]) -> None:
    """Send every verdict that is settled, and stop at the first pair nobody has settled."""
    out = aside | closure.frozen
    while run.query is not None:
        pair = run.query.pair
        verdict = closure.verdict(pair)
        if verdict is None and (pair.a in out or pair.b in out):
            verdict = Verdict.UNSURE
        if verdict is None:
            return
        run.send(verdict)


def _grouped(
    path: tuple[Event, ...],
    closure: Constraints,
    aside: frozenset[int],
    run: _Run,
    before: _Colours | None,
) -> _State:
    """Complete a state by the groups that the run now sees, in the colours they had before."""
    clustering = run.strategy.clustering()
    labels = clustering.labels
    if aside:
        labels = labels.copy()
        labels[list(aside)] = -1
    known = (before.slots, before.anchors) if before is not None else (None,)
    slots = overview.match_slots(labels, *known)
    return _State(path, closure, aside, run, clustering, slots)
