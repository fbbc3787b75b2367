"""Session: ask and tell. Everything shown is a fold of one strategy over the answers of one path.

Hidden: what has been folded before and need not be again, look-ahead, and what an interruption
leaves. Promised: every answer is committed before the state moves on; one log survives undo,
revision, replay and a change of strategy. No threads, no Qt, no files.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from engine import answers, choices, overview, strategies, suggestions
from engine.answers import AnswerLog, Event, EventKind, Statement
from engine.compositional.membership import Composed
from engine.constraints import Constraints
from engine.errors import ConstraintError, UsageError
from engine.fold import Colours, Fold, State, broken, in_slots, take
from engine.hierarchy import Tree
from engine.job import Job
from engine.model import (
    Answer,
    Approach,
    Clustering,
    Confidence,
    IntArray,
    Outlook,
    Overview,
    Pair,
    Question,
    Snapshot,
    Source,
    StepKind,
    Verdict,
)
from engine.parameters import unmarked
from engine.problem import Problem
from engine.showing import Showing, drawn, effect
from engine.strategies.hmcahc import tree_of_data
from engine.suggestions import Suggestions

Commit = Callable[[Event], None]

_KNOWN_BY = 9  # items of a group that others may be in as well, when it is named
_SEEN_BYTES = 64 * 2**20  # groupings of earlier states kept for replay
_READ_AS_SHARED = (
    "The question becomes another one. Answers of “same” given so far are read as “have a group in "
    "common”, and answers of “different” as “have nothing in common”."
)
_READ_AS_ONE = (
    "The question becomes another one. Answers of “have a group in common” given so far are read "
    "as “the same group”, from which others follow, and may then contradict each other."
)
_LIKELY_FIRST = (Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE)


class Session:
    """Active clustering of one problem by one person.

    Parameters
    ----------
    problem
        The items' features and the seed.
    strategy, params
        Registry name and `key=value` parameters, until a step changes them.
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
        self._commit = commit or (lambda _event: None)
        self._folding = Fold(
            problem, Approach(strategy, tuple((params or {}).items())), job or Job()
        )
        self._showing = Showing(problem, self.log, self._folding, planned)
        self._revision = 0
        self._slots: dict[int, IntArray] = {}  # step -> slot of each group after it, by label
        self._seen: OrderedDict[int, tuple[Clustering, Composed | None]] = OrderedDict()
        self._ahead: dict[Verdict, tuple[State, Overview]] = {}
        # the present answers, with another choice
        self._considered: tuple[tuple[StepKind, Approach], State] | None = None
        self._suggestions: Suggestions | None = None
        self._overview: Overview | None = None  # of the present state, once drawn
        self._state: State | None = self._fold(self.log.path())
        self._keep(self._folding.approach(()))

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
        common: Iterable[int] = (),
    ) -> Snapshot:
        """Take an answer about any pair, asked for or volunteered.

        Parameters
        ----------
        source
            By default ASKED when `pair` is the present question, else VOLUNTEERED.
        common
            Where items may belong to several groups and these two share some: items that stand
            for those groups, as `Question.common` offers them. Each of the two shares a group with
            each of these as well.

        Raises
        ------
        UsageError
            For an item that does not exist, or `common` where it makes no sense.
        """
        pair = Pair.of(*self._checked(pair))
        common = tuple(sorted({*self._checked(common)} - {*pair}))
        if common and self._live.run.strategy.transitive:
            raise UsageError(
                "which groups two items share is asked only where they may have several"
            )
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
        # What is said deliberately may weigh more than the reply that was prepared for.
        prepared = asked and answer.source is Source.ASKED and not common
        ahead = self._ahead.get(verdict) if prepared else None
        engine = suggestions.ENGINE if source is Source.SUGGESTED else self._engine if asked else ""
        self._append(EventKind.ANSWER, answer=answer, items=common, engine=engine)
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
        """Name the group that holds `item`; where it is in several, that of fewest pure items.

        There the group is known again by some more of its items, as the sets of one may change.
        """
        items = self._checked((item,))
        shared = self._live.shared
        if shared is not None and shared.of(items[0]):
            groups = {group.slot: group for group in self.snapshot().overview.groups}
            pure = {slot: groups[slot].size - groups[slot].mixed for slot in shared.of(items[0])}
            members = groups[min(pure, key=lambda slot: (pure[slot], slot))].members
            others = [one for one in members[:_KNOWN_BY].tolist() if one != items[0]]
            items = (*items, *others)
        self._append(EventKind.NAME, items=items, text=name)
        return self._moved()

    def choose(self, approach: Approach, kind: StepKind = StepKind.STRATEGY) -> Snapshot:
        """Do something otherwise from here on; the answers stay what they are.

        Worked out before it is saved: what cannot be done must not be in the log, for a project
        with it could not be opened any more.

        Parameters
        ----------
        kind
            STRATEGY: how questions are chosen. GROUPING: how the groups are found (`OWN`, or a
            method of `clusterers` on the answers so far). SPACE: what items are compared in
            (`GIVEN`, or what the answers so far teach); see `engine.choices`.

        Raises
        ------
        ParameterError
            For an unknown name or parameter; nothing is changed then.
        ConstraintError
            When the answers do not suffice for it; nothing is changed then.
        ResourceError, Cancelled
            When it takes too much memory, or was stopped; nothing is changed then either.
        """
        approach = choices.complete(kind, approach)
        state = self._led_to(kind, approach, self.job)
        self._keep(approach)
        self._append(EventKind(kind.value), text=answers.written(approach))
        return self._moved((state, drawn(state)))

    def _led_to(self, kind: StepKind, approach: Approach, job: Job) -> State:
        """Give the state that a choice leads to, kept until something else is done."""
        if self._considered is not None and self._considered[0] == (kind, approach):
            return self._considered[1]
        if kind is not StepKind.STRATEGY and not self._live.run.strategy.transitive:
            raise ConstraintError(
                "Where items may belong to several groups, these come with how questions are "
                "chosen.",
                "Choose questions otherwise to find the groups by another method.",
            )
        event = self.log.draft(EventKind(kind.value), text=answers.written(approach))
        state = self._folding.step(self._live, event, job=job)
        self._showing.map(state, job)  # drawn before it is saved: it may be stopped
        self._considered = (kind, approach), state
        return state

    # ------------------------------------------------------------------ looking

    def consider(self, approach: Approach, job: Job, kind: StepKind = StepKind.STRATEGY) -> Outlook:
        """Work out with the present answers what a choice would change; see `choose`.

        Writes nothing; what was worked out is kept for `choose`.

        Raises
        ------
        ParameterError, ConstraintError, ResourceError, Cancelled
            As `choose`.
        """
        live = self._live
        approach = choices.complete(kind, approach)
        state = self._led_to(kind, approach, job)
        return Outlook(
            approach,
            self._revision,
            effect(live, state),
            len(answers.statements(live.path)),
            self._question(state),
            kind,
            self._showing.show(state, self._revision),
            _warnings(kind, live, state),
        )

    def suggest(self, job: Job) -> Suggestions:
        """Learn from the answers what is likely of other pairs; `suggested` keeps what is open.

        Writes nothing. Answers that may be wrong are taken as they are.

        Raises
        ------
        ConstraintError
            When there are no answers, or nothing follows from them.
        ResourceError, Cancelled
            When the answers settle too much for memory, or `job` was cancelled.
        """
        live = self._live
        if not live.run.strategy.transitive:
            raise ConstraintError("nothing follows from answers where items have several groups")
        said = answers.statements(live.path)
        self._suggestions = suggestions.suggest(
            self.problem, _closed(said), len(said), live.set_aside, live.slots, job
        )
        return self._suggestions

    @property
    def suggested(self) -> Suggestions | None:
        """What was suggested last and is still open at present; None = nothing was."""
        live = self._live
        if not live.run.strategy.transitive:
            return None
        return self._suggestions and self._suggestions.still_open(
            _closed(answers.statements(live.path)), live.set_aside, live.slots
        )

    def tree(self, job: Job) -> Tree:
        """Give the hierarchy behind the groups: the strategy's own, else that of the data alone.

        Raises
        ------
        ResourceError
            When the distances between all items take too much memory.
        Cancelled
            When `job` was cancelled.
        """
        strategy = self._live.run.strategy
        if isinstance(strategy, strategies.Hierarchical):
            return strategy.tree()
        return tree_of_data(self.problem, job)

    def cut(self, groups: int, job: Job) -> Snapshot:
        """Look at the groups that a level of the hierarchy makes, in colours like the present ones.

        Read-only; the answers are those of the present, and the cut may break some.

        Raises
        ------
        UsageError
            When there is no such level.
        ResourceError, Cancelled
            As `tree`.
        """
        live = self._live
        if not 1 <= groups <= self.problem.n:
            raise UsageError(f"{self.problem.n} items have no level of {groups} groups")
        labels = self.tree(job).hierarchy.cut(groups)
        clustering = Clustering.of(labels, np.ones(len(labels), dtype=np.float32))
        shown = labels.copy()
        shown[list(live.set_aside)] = -1
        slots = overview.match_slots(shown, live.slots)
        state = replace(live, clustering=clustering, slots=slots, composed=None, shared=None)
        return replace(self._showing.show(state, self._revision), overruled=broken(state))

    @property
    def approach(self) -> Approach:
        """How questions are chosen at present."""
        return self._live.approach

    @property
    def job(self) -> Job:
        """Progress and cancellation of what the session is doing; exchange it per request."""
        return self._folding.job

    @job.setter
    def job(self, job: Job) -> None:
        self._folding.job = job
        prepared = (state for state, _ in self._ahead.values())
        considered = self._considered and self._considered[1]
        for state in (self._state, considered, *prepared):
            if state is not None:
                state.run.relay.target = job

    @property
    def clustering(self) -> Clustering:
        """The best grouping at this point."""
        return self._live.clustering

    @property
    def shares(self) -> bool:
        """Whether items may belong to several groups at once, and answers say what they share."""
        return self._live.composed is not None

    @property
    def groups(self) -> int:
        """Number of groups; of those that items may share, the single ones."""
        return self._live.groups

    @property
    def item_sets(self) -> list[tuple[int, ...]]:
        """The groups of each item; one of each where they cannot have several."""
        composed = self._live.composed
        if composed is None:
            return [(label,) for label in self.clustering.labels.tolist()]
        return composed.item_sets()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the person says at present, in the order first said."""
        return answers.statements(self._live.path)

    @property
    def constraints(self) -> Constraints:
        """The closure of the answers in force."""
        return self._live.constraints

    def report(self) -> dict[str, object]:
        """Tell what the strategy chose for the data, and what it approximated and how well."""
        return self._live.run.strategy.report()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know of the strategy before trusting the groups."""
        found = self.report().get("warnings")
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def snapshot(self) -> Snapshot:
        """Return all that a view needs of the present state."""
        live = self._live
        if self._overview is None:
            self._overview = drawn(live)
        return replace(
            self._showing.show(live, self._revision, self._overview),
            question=self._question(live),
            undo=self.log.undo_target,
            redo=self.log.redo_target,
            next_if={verdict: self._question(state) for verdict, (state, _) in self._ahead.items()},
            live=True,
        )

    def at(self, seq: int) -> Snapshot:
        """Look at the state after any step of any branch, read-only; 0 = before the first."""
        path = self.log.path(seq)
        held = self._seen.get(seq)
        if held is None:
            state = self._fold(path)
        else:
            self._seen.move_to_end(seq)
            aside = answers.set_aside(path)
            closure = self._folding.closed(path)
            approach, chosen = self._folding.approach(path), self._folding.chosen(path)
            run, slots = self._live.run, self._slots[seq]
            state = State(path, approach, chosen, closure, aside, run, held[0], slots, held[1])
            state = _coloured(state, slots)
        return self._showing.show(state, self._revision)

    def speculate(self, job: Job) -> Snapshot:
        """Prepare the state after every verdict, so that the next question is there at once.

        Writes nothing. The snapshot has the same revision and `next_if` filled. UNSURE, the rare
        one, is prepared last.

        Raises
        ------
        Cancelled
            When `job` was cancelled; a branch that is ready is kept.
        """
        live = self._live
        question = self._question(live)
        if question is not None:
            for verdict in _LIKELY_FIRST:
                if verdict not in self._ahead:
                    closure = self._folding.closed(live.path)
                    said = Statement(len(self.log.events) + 1, question.pair, verdict)
                    take(closure, said, live.run)
                    state = self._folding.build(
                        live.path, Colours.of(live), closure=closure, job=job
                    )
                    self._ahead[verdict] = state, drawn(state)
        return self.snapshot()

    # ------------------------------------------------------------------ the fold

    @property
    def _live(self) -> State:
        """The present state; rebuilt when a step towards it was interrupted."""
        if self._state is None:
            self._state = self._fold(self.log.path())
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

    def _keep(self, approach: Approach) -> None:
        """Keep what is in files that an approach names: they need not be there next time."""
        for _, value in approach.params:
            marked = unmarked(value)[1]
            if marked is not None:
                self.problem.contents.keep(marked)

    def _moved(self, ahead: tuple[State, Overview] | None = None) -> Snapshot:
        """Fold up to the new present, from the state before or one prepared, and show it."""
        self._revision += 1
        self._ahead, self._considered = {}, None
        # An interruption between here and the end leaves no state: `_live` then rebuilds it.
        before, self._state, self._overview = self._state, None, None
        path = self.log.path()
        if before is not None and before.path == path:
            self._state = before
        elif before is not None and before.path == path[:-1] and path:
            prepared, groups = ahead or (None, None)
            self._state = self._advance(before, path[-1], prepared)
            self._overview = groups
        return self.snapshot()

    def _fold(self, path: tuple[Event, ...]) -> State:
        """Build the state of a path.

        Groups keep their colours from step to step, so a state's colours depend on the steps
        before it: steps never seen are folded one by one, those seen before in one go.
        """
        known = len(path)
        while known and path[known - 1].seq not in self._slots:
            known -= 1
        seen, unseen = path[:known], path[known:]
        state = self._folding.build(seen, None)
        slots = self._slots.get(state.position)
        if slots is not None:
            state = _coloured(state, slots)
        self._remember(state, None)
        for done, event in enumerate(unseen, 1):
            self.job.step(done, len(unseen), "Replaying answers")
            state = self._advance(state, event)
        return state

    def _advance(self, before: State, event: Event, ahead: State | None = None) -> State:
        state = self._folding.step(before, event, ahead)
        self._remember(state, before)
        return state

    def _remember(self, state: State, before: State | None) -> None:
        """Keep what replay needs, and what the step changed."""
        seq = state.position
        self._slots[seq] = _slot_of_label(state)
        if before is not None:
            self._showing.note(before, state)
        self._seen[seq] = state.clustering, state.composed
        self._seen.move_to_end(seq)
        each = 8 if state.composed is None else 20  # bytes of an item
        while len(self._seen) > max(8, _SEEN_BYTES // (each * self.problem.n)):
            self._seen.popitem(last=False)

    def _question(self, state: State) -> Question | None:
        query, pair = state.run.query, state.run.pair
        if query is None or pair is None:
            return None
        return Question(pair, query.reason, query.worth, self._revision, query.common)

    def _checked(self, items: Iterable[int]) -> tuple[int, ...]:
        """Give plain item ids; what is none must never reach the log, which keeps it for ever."""
        checked = tuple(map(operator.index, items))
        for item in checked:
            if not 0 <= item < self.problem.n:
                raise UsageError(f"no item {item} among {self.problem.n}")
        return checked


def _closed(said: Iterable[Statement]) -> Constraints:
    closure = Constraints()
    for one in said:
        closure.add(one.pair, one.verdict, one.seq)
    return closure


def _warnings(kind: StepKind, before: State, after: State) -> tuple[str, ...]:
    """Tell what a person should know before a choice is taken."""
    if kind is StepKind.GROUPING:
        return after.chosen.warnings
    asked, asks = before.run.strategy.transitive, after.run.strategy.transitive
    if kind is not StepKind.STRATEGY or asked == asks or not answers.statements(before.path):
        return ()
    return (_READ_AS_ONE if asks else _READ_AS_SHARED,)


def _slot_of_label(state: State) -> IntArray:
    """Give the slot of each group by label, -1 = all of it set aside: few numbers, not n."""
    if state.shared is not None:
        return state.shared.slots
    slots = np.full(state.clustering.n_groups + 1, -1, dtype=np.int32)  # the last is of label -1
    shown = state.slots >= 0
    slots[state.clustering.labels[shown]] = state.slots[shown]
    return slots


def _coloured(state: State, slots: IntArray) -> State:
    """Give the groups of a state the slots that `_slot_of_label` kept."""
    if state.composed is not None:
        return in_slots(state, state.composed, slots)
    of_item = slots[state.clustering.labels]
    of_item[list(state.set_aside)] = -1
    of_item.flags.writeable = False
    return replace(state, slots=of_item)
