"""AnswerLog: what people said, append-only; undo, revision and branches are a fold over it.

Steps (an answer, a revision, ...) form a tree: each hangs on the step that was the present when
it was taken. Moves (undo, redo, go to) only walk on the tree, so nothing is ever lost.
"""

from __future__ import annotations

import enum
import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engine.errors import ProjectDamagedError, UsageError
from engine.model import Answer, Approach, Pair, Source, Verdict


class EventKind(enum.Enum):
    """Steps (ANSWER to SPACE) grow the tree of states; moves walk on it."""

    ANSWER = "answer"
    REVISE = "revise"
    SET_ASIDE = "set_aside"
    NAME = "name"
    STRATEGY = "strategy"
    GROUPING = "grouping"
    SPACE = "space"
    UNDO = "undo"
    REDO = "redo"
    GOTO = "goto"


MOVES = frozenset({EventKind.UNDO, EventKind.REDO, EventKind.GOTO})
CHOICES = frozenset({EventKind.STRATEGY, EventKind.GROUPING, EventKind.SPACE})

_CHOSEN = frozenset({Source.VOLUNTEERED, Source.IMPORTED})


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the log.

    Attributes
    ----------
    seq
        1, 2, 3, ... without gaps.
    at
        Seconds since the epoch, UTC.
    answer
        For ANSWER and REVISE.
    items
        For SET_ASIDE (those set aside), NAME (an item of the group named; where items may belong
        to several, some more of it), and ANSWER where items may belong to several groups: those
        that stand for the groups said to be common.
    text
        For NAME: the name. For STRATEGY, GROUPING and SPACE: what `written` makes of the choice.
    target
        For REVISE: seq of the answer changed. For GOTO: seq of the step to stand on, 0 = start.
    engine
        What asked, with version and seed, such as "falcon/1 seed=0"; empty when nobody asked.
    previous, hash
        blake2b-256 chain: `hash` covers `previous` and every other field.
    """

    seq: int
    kind: EventKind
    at: float
    answer: Answer | None = None
    items: tuple[int, ...] = ()
    text: str = ""
    target: int | None = None
    engine: str = ""
    previous: bytes = b""
    hash: bytes = b""


class Statement(NamedTuple):
    """What holds about a pair on a path: the verdict in force, and the step that first said it.

    `asked`: it replied to a question. `deliberate`: the person chose to say it (volunteered,
    brought along) or to change it. `common`: items that stand for the groups said to be common:
    each of the two shares a group with each of them.
    """

    seq: int
    pair: Pair
    verdict: Verdict
    asked: bool = True
    deliberate: bool = False
    common: tuple[int, ...] = ()

    @property
    def facts(self) -> tuple[tuple[Pair, Verdict], ...]:
        """What it says about pairs, where nothing follows from answers: first about its own."""
        others = (
            Pair.of(item, other)
            for other in self.common
            for item in self.pair
            if item != other and self.verdict is Verdict.SAME
        )
        return (self.pair, self.verdict), *((pair, Verdict.SAME) for pair in others)


def digest(event: Event) -> bytes:
    """Hash an event together with its predecessor's hash (blake2b, 32 bytes)."""
    answer = event.answer
    fields = {
        "seq": event.seq,
        "kind": event.kind.value,
        "at": repr(event.at),
        "answer": answer
        and [
            *answer.pair,
            answer.verdict.value,
            answer.confidence.value,
            answer.source.value,
            answer.shown_left,
            answer.response_ms,
            answer.rater,
            answer.note,
        ],
        "items": event.items,
        "text": event.text,
        "target": event.target,
        "engine": event.engine,
    }
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(event.previous + text.encode("ascii"), digest_size=32).digest()


class AnswerLog:
    """The events and the tree they make; stands on one step, the present.

    Parameters
    ----------
    events
        An earlier log, oldest first.

    Raises
    ------
    ProjectDamagedError
        When numbering or hash chain of `events` is broken; the message names the event.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events: list[Event] = []
        self._parent: dict[int, int] = {}
        self._forward: dict[int, int] = {}  # step -> the child to which redo leads
        self._position = 0
        for event in events:
            self.absorb(event)

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything, oldest first."""
        return tuple(self._events)

    @property
    def position(self) -> int:
        """`seq` of the step that is the present; 0 = before the first."""
        return self._position

    @property
    def undo_target(self) -> int | None:
        """The step that undo takes back."""
        return self._position or None

    @property
    def redo_target(self) -> int | None:
        """The step that redo brings again: the latest one left from here."""
        return self._forward.get(self._position)

    def event(self, seq: int) -> Event:
        """Return one event by its number.

        Raises
        ------
        UsageError
            When there is none.
        """
        if not 1 <= seq <= len(self._events):
            raise UsageError(f"no event {seq} in a log of {len(self._events)}")
        return self._events[seq - 1]

    def parent(self, seq: int) -> int:
        """Return the step before a step; 0 for a first one."""
        return self._parent[seq]

    def steps(self) -> tuple[Event, ...]:
        """Return all steps of all branches, oldest first."""
        return tuple(event for event in self._events if event.kind not in MOVES)

    def path(self, position: int | None = None) -> tuple[Event, ...]:
        """Return the steps from the start to `position` (default: the present)."""
        seq = self._position if position is None else position
        if seq != 0 and seq not in self._parent:
            raise UsageError(f"event {seq} is not a step")
        steps: list[Event] = []
        while seq:
            steps.append(self._events[seq - 1])
            seq = self._parent[seq]
        return tuple(reversed(steps))

    def draft(
        self,
        kind: EventKind,
        *,
        answer: Answer | None = None,
        items: Sequence[int] = (),
        text: str = "",
        target: int | None = None,
        engine: str = "",
        at: float | None = None,
    ) -> Event:
        """Make the next event without taking it in, so that it can be saved first."""
        event = Event(
            seq=len(self._events) + 1,
            kind=kind,
            at=time.time() if at is None else at,
            answer=answer,
            items=tuple(items),
            text=text,
            target=target,
            engine=engine,
            previous=self._events[-1].hash if self._events else b"",
        )
        self._check(event)
        return replace(event, hash=digest(event))

    def append(self, kind: EventKind, *, answer: Answer | None = None, **fields: Any) -> Event:
        """Draft an event and absorb it at once."""
        event = self.draft(kind, answer=answer, **fields)
        self.absorb(event)
        return event

    def absorb(self, event: Event) -> None:
        """Take in a drafted or loaded event and move the present."""
        expected = self._events[-1].hash if self._events else b""
        if event.seq != len(self._events) + 1:
            raise ProjectDamagedError(
                f"the answer log is broken: event {event.seq} follows event {len(self._events)}"
            )
        if event.previous != expected or event.hash != digest(event):
            raise ProjectDamagedError(
                f"the answer log is broken: event {event.seq} does not fit its hash",
                "The file was altered outside Pairloom; a backup copy may be sound.",
            )
        try:
            self._check(event)
        except UsageError as error:
            raise ProjectDamagedError(f"the answer log is broken: {error}") from error
        self._events.append(event)
        self._move(event)

    def _check(self, event: Event) -> None:
        """Refuse an event that makes no sense on this log."""
        match event.kind:
            case EventKind.UNDO if self.undo_target is None:
                raise UsageError("there is nothing to undo")
            case EventKind.REDO if self.redo_target is None:
                raise UsageError("there is nothing to redo")
            case EventKind.GOTO if event.target != 0 and event.target not in self._parent:
                raise UsageError(f"event {event.target} is not a step")
            case EventKind.REVISE if event.answer is None or self._root(event) is None:
                raise UsageError(f"event {event.target} is not an answer on this branch")
            case EventKind.ANSWER if event.answer is None:
                raise UsageError("an answer event needs an answer")
            case EventKind.ANSWER if event.items and not _shares(event):
                raise UsageError("only of two items that share a group can it be said which")
            case EventKind.SET_ASIDE | EventKind.NAME if not event.items:
                raise UsageError(f"a {event.kind.value} event needs an item")
            case kind if kind in CHOICES and read(event.text) is None:
                raise UsageError(f"a {kind.value} event says '{event.text}'")
            case _:
                pass

    def _root(self, revision: Event) -> Event | None:
        """Find the answer that a revision is about, if it lies on the path."""
        return next(
            (
                step
                for step in self.path()
                if step.seq == revision.target and step.kind is EventKind.ANSWER
            ),
            None,
        )

    def _move(self, event: Event) -> None:
        match event.kind:
            case EventKind.UNDO:
                self._position = self._parent[self._position]
            case EventKind.REDO:
                self._position = self._forward[self._position]
            case EventKind.GOTO:
                self._position = event.target or 0
                # Redo then leads along the branch that was chosen.
                seq = self._position
                while seq:
                    self._forward[self._parent[seq]] = seq
                    seq = self._parent[seq]
            case _:
                self._parent[event.seq] = self._position
                self._forward[self._position] = event.seq
                self._position = event.seq


def _shares(event: Event) -> bool:
    return event.answer is not None and event.answer.verdict is Verdict.SAME


def statements(path: Iterable[Event]) -> tuple[Statement, ...]:
    """List what is said on a path, in the order first said, with revised verdicts put in place.

    A verdict given after UNSURE on the same pair takes its place at the end; other repeated
    answers on a pair stand beside each other, so that `Constraints` can find them in conflict.
    """
    said: dict[int, Statement] = {}
    for step in path:
        if step.answer is None:
            continue
        if step.kind is EventKind.REVISE and step.target is not None:
            first = said[step.target]
            said[step.target] = first._replace(verdict=step.answer.verdict, deliberate=True)
        else:
            pair, verdict = step.answer.pair, step.answer.verdict
            chosen = step.answer.source in _CHOSEN
            said[step.seq] = Statement(step.seq, pair, verdict, not chosen, chosen, step.items)
    return tuple(said.values())


def set_aside(path: Iterable[Event]) -> frozenset[int]:
    """Collect the items set aside on a path."""
    return frozenset(
        item for step in path if step.kind is EventKind.SET_ASIDE for item in step.items
    )


def names(path: Iterable[Event]) -> dict[int, str]:
    """Collect group names by the item they were given on; the latest is last."""
    given: dict[int, str] = {}
    for items, name in namings(path):
        given.pop(items[0], None)
        given[items[0]] = name
    return given


def namings(path: Iterable[Event]) -> tuple[tuple[tuple[int, ...], str], ...]:
    """List the names given to groups, and the items by which each group is known again."""
    return tuple((step.items, step.text) for step in path if step.kind is EventKind.NAME)


def choice(path: Iterable[Event], kind: EventKind) -> tuple[Approach, int] | None:
    """Tell what was chosen last on a path, and the `seq` of the step that chose it.

    Parameters
    ----------
    kind
        One of `CHOICES`.

    Returns
    -------
    tuple or None
        None = nothing; it is as from the start.
    """
    steps = [step for step in path if step.kind is kind]
    chosen = read(steps[-1].text) if steps else None
    return None if chosen is None else (chosen, steps[-1].seq)


def written(approach: Approach) -> str:
    """Write a choice as the text of its event."""
    return json.dumps([approach.strategy, dict(approach.params)])


def read(text: str) -> Approach | None:
    """Read what `written` wrote; None = it did not."""
    try:
        strategy, params = json.loads(text)
        pairs = tuple(params.items())
    except (ValueError, TypeError, AttributeError):
        return None
    words = [strategy, *(word for pair in pairs for word in pair)]
    return Approach(strategy, pairs) if all(isinstance(word, str) for word in words) else None
