"""The values that cross every boundary: frozen, and named as the field names them.

Items are numbered 0..n-1 for the life of a project (`int` item ids); the project binds each id to
the hash of the item's content, so that answers survive renamed and moved files.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float32]


class Verdict(enum.Enum):
    """What a person said about a pair: must-link, cannot-link, or no constraint."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class Confidence(enum.Enum):
    """How sure the person was."""

    GUESS = "guess"
    QUITE = "quite"
    CERTAIN = "certain"


class Source(enum.Enum):
    """Why the pair was judged."""

    ASKED = "asked"
    AUDIT = "audit"
    REPEAT = "repeat"
    VOLUNTEERED = "volunteered"
    IMPORTED = "imported"
    SUGGESTED = "suggested"
    """What other answers make likely was put forward, and confirmed or rejected."""


class Pair(NamedTuple):
    """Two different items, `a < b`. Make one with `Pair.of`."""

    a: int
    b: int

    @classmethod
    def of(cls, one: int, other: int) -> Pair:
        """Order two item ids.

        Raises
        ------
        ValueError
            When both are the same item.
        """
        if one == other:
            raise ValueError(f"an item cannot be paired with itself: {one}")
        return cls(int(min(one, other)), int(max(one, other)))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a pair is asked, in plain words: a translatable template and what fills it.

    `str(reason)` gives the English sentence.
    """

    template: str
    values: tuple[tuple[str, str | int | float], ...] = ()

    @classmethod
    def of(cls, template: str, **values: str | float) -> Reason:
        """Pair a template such as "Group {a} and group {b} lie side by side." with its values."""
        return cls(template, tuple(values.items()))

    def __str__(self) -> str:
        return self.template.format(**dict(self.values))


@dataclass(frozen=True, slots=True)
class Query:
    """What a strategy yields: the pair it wants judged, why, and what an answer is worth.

    Attributes
    ----------
    worth
        The number of items whose group an answer may decide.
    instead
        Other pairs that ask the same, the best first: put to the person when an item of `pair` is
        part of an unsettled contradiction.
    fresh
        Asks for one more answer on the pair, whatever is known. Older answers come first, in the
        order given: as the verdict if on this pair, else as a `Cue`. For strategies that are
        `tolerant`.
    common
        Items that stand for groups which the two may have in common. Two or more: after SAME it is
        worth asking which; see `Session.tell`. Only where items may belong to several groups.
    """

    pair: Pair
    reason: Reason
    worth: int
    instead: tuple[Pair, ...] = ()
    fresh: bool = False
    common: tuple[int, ...] = ()


class Cue(enum.Enum):
    """What a fresh query is sent instead of a verdict while older answers are gone through.

    They may be about other pairs: after a revision, or when an item was set aside, a strategy
    does not ask what it asked before.
    """

    RECONSIDER = "reconsider"
    """An answer about another pair was taken in: ask what is to be asked now."""
    LATER = "later"
    """The next answer is about items that have not come yet: go on, and come back to this one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked: a query bound to the state (`revision`) in which it arose.

    `common`: as in `Query`; none or at least two.
    """

    pair: Pair
    reason: Reason
    worth: int
    revision: int
    common: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One thing a person said about a pair. Only these, never derived facts, enter the log."""

    pair: Pair
    verdict: Verdict
    confidence: Confidence = Confidence.QUITE
    source: Source = Source.ASKED
    shown_left: int | None = None
    """Item shown on the left; sides are shuffled, and position bias can be measured."""
    response_ms: int | None = None
    rater: str = ""
    note: str = ""


def numbered(groups: npt.NDArray[np.integer]) -> IntArray:
    """Renumber groups in order of first appearance.

    Parameters
    ----------
    groups
        int[n], >= 0, or -1 = undecided, which stays.

    Returns
    -------
    IntArray
        int32[n].
    """
    first = np.full(int(groups.max()) + 2, len(groups))
    first[groups[::-1]] = np.arange(len(groups))[::-1]  # the earliest item is written last
    first[-1] = len(groups)
    labels = np.empty(len(first), dtype=np.int32)
    labels[np.argsort(first, kind="stable")] = np.arange(len(first))
    labels[-1] = -1
    found: IntArray = labels[groups]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A grouping of all items.

    Attributes
    ----------
    labels
        int32[n], groups numbered 0..k-1 in order of first appearance; -1 = undecided.
    confidence
        float32[n] in [0, 1].
    exemplars
        Item ids of the prototypes (representatives) found so far, in the order found.
    criticisms
        Item ids that the prototypes represent badly; empty for methods without the notion.
    """

    labels: IntArray
    confidence: FloatArray
    exemplars: tuple[int, ...] = ()
    criticisms: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        groups: npt.NDArray[np.integer],
        confidence: FloatArray,
        exemplars: tuple[int, ...] = (),
        criticisms: tuple[int, ...] = (),
    ) -> Clustering:
        """Renumber groups as `numbered` does."""
        return cls(numbered(groups), confidence, exemplars, criticisms)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.labels.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class Composition:
    """A set of two or more groups to which items belong as a whole.

    Attributes
    ----------
    groups
        Its groups, in rising order.
    items
        How many items belong to just these.
    fit
        Mean distance of these items to what the groups make together.
    alone
        Mean distance of these items to the nearest single group: the evidence is that `fit` is
        less.
    """

    groups: tuple[int, ...]
    items: int
    fit: float
    alone: float


@dataclass(frozen=True, slots=True, eq=False)
class Memberships:
    """Which groups items belong to that may belong to several at once; groups by their slots.

    Attributes
    ----------
    sets
        The distinct sets of slots that occur, each rising, by size, then lexicographically.
    chosen
        int32[n], the place in `sets` of each item's set; -1 = set aside.
    fit
        float32[n], distance of each item to what its groups make together.
    compositions
        The sets of two or more, in the order of `sets`.
    slots
        int32[groups], slot of each group as it was numbered when found.
    """

    sets: tuple[tuple[int, ...], ...]
    chosen: IntArray
    fit: FloatArray
    compositions: tuple[Composition, ...]
    slots: IntArray

    def of(self, item: int) -> tuple[int, ...]:
        """Give the slots of an item's groups; none when it is set aside."""
        place = int(self.chosen[item])
        return self.sets[place] if place >= 0 else ()

    def share(self, one: int, other: int) -> bool:
        """Tell whether two items have a group in common."""
        return not set(self.of(one)).isdisjoint(self.of(other))

    @property
    def table(self) -> npt.NDArray[np.bool_]:
        """Which item belongs to which group, bool[n, highest slot + 1]."""
        width = max((members[-1] for members in self.sets), default=-1) + 1
        held = np.zeros((len(self.sets) + 1, width), dtype=np.bool_)  # the last is of -1
        for row, members in enumerate(self.sets):
            held[row, list(members)] = True
        found: npt.NDArray[np.bool_] = held[self.chosen]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One group as people see it.

    `slot` fixes colour, sign and number, and stays with the group across revisions (largest
    overlap). `members`: int32 item ids, exemplar first, most doubtful last; where items may belong
    to several groups, the last `mixed` of them belong to others too, and the pure ones come first.
    """

    slot: int
    name: str
    exemplar: int
    members: IntArray
    confidence: float
    in_conflict: bool = False
    mixed: int = 0

    @property
    def size(self) -> int:
        """Number of items."""
        return len(self.members)


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """The groups of one state, ready to draw on the fixed map.

    Attributes
    ----------
    groups
        Largest first.
    slots
        int32[n]: slot of each item's group; -1 = undecided or set aside. Of several the first.
    confidence
        float32[n] in [0, 1].
    prototypes, criticisms
        Item ids to mark on the map.
    memberships
        Where items may belong to several groups at once: which. None = each is in one. An answer
        then says whether two items have a group in common, and nothing follows from it.
    """

    groups: tuple[Group, ...]
    slots: IntArray
    confidence: FloatArray
    prototypes: tuple[int, ...] = ()
    criticisms: tuple[int, ...] = ()
    memberships: Memberships | None = None

    @property
    def shares(self) -> bool:
        """Whether items may belong to several groups at once."""
        return self.memberships is not None


@dataclass(frozen=True, slots=True)
class Effect:
    """What one answer changed: groups before and after, and how many items changed group."""

    groups_before: int
    groups_after: int
    moved: int


@dataclass(frozen=True, slots=True)
class Approach:
    """How something is done: a method by its registry name, and `key=value` parameters.

    Strategies choose questions; methods of `clusterers` find groups; a space is what items are
    compared in. `str(approach)` is what the command line takes after `--strategies`.
    """

    strategy: str
    params: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.strategy, *(f"{key}={value}" for key, value in self.params)])


class StepKind(enum.Enum):
    """A step in the history that can be taken back."""

    ANSWER = "answer"
    REVISE = "revise"
    SET_ASIDE = "set_aside"
    NAME = "name"
    STRATEGY = "strategy"
    GROUPING = "grouping"
    SPACE = "space"


OWN = Approach("own")
"""The groups are those of the strategy."""
GIVEN = Approach("given")
"""Items are compared by the features they came with."""


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One step of the history.

    Attributes
    ----------
    seq
        Number of its event in the log, unique and rising.
    parent
        `seq` of the step before it, 0 for the first: steps form a tree, branches are kept.
    kind, answer, items, text
        `answer` for ANSWER and REVISE; `items` for SET_ASIDE (those set aside), NAME (an item
        of the named group) and ANSWER (items that stand for the groups said to be common);
        `text` is the name given.
    approach
        For STRATEGY, GROUPING and SPACE: how questions are chosen, groups found and items compared
        from here on.
    target
        For REVISE: `seq` of the answer that is changed.
    at
        Seconds since the epoch, UTC.
    on_path
        Whether it belongs to the active branch up to "now".
    effect
        What it changed; None off the active path when not computed.
    """

    seq: int
    parent: int
    kind: StepKind
    at: float
    on_path: bool
    answer: Answer | None = None
    items: tuple[int, ...] = ()
    text: str = ""
    target: int | None = None
    approach: Approach | None = None
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """An answer that contradicts earlier ones: `seq` of the answer, and its chain of pairs.

    `chain` holds the answered pairs (with `seq`) that together imply the opposite.
    """

    seq: int
    pair: Pair
    verdict: Verdict
    chain: tuple[tuple[int, Pair, Verdict], ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """Honest figures, no promises.

    Attributes
    ----------
    answered
        Answers in force on this path, UNSURE included.
    unsure
        How many of them are UNSURE.
    groups
        Groups now.
    implied
        Pairs settled by transitive closure beyond the ones answered.
    planned
        Number of questions the person planned for; None = open end.
    recent, recent_changes
        Of the last `recent` answers (at most 20), `recent_changes` changed the groups.
    set_aside
        Items set aside.
    """

    answered: int
    unsure: int
    groups: int
    implied: int
    planned: int | None
    recent: int
    recent_changes: int
    set_aside: int


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All that a view needs of one state.

    Attributes
    ----------
    revision
        Rises with every change; a reply to an older revision is stale.
    question
        None = nothing left to ask (or a replayed, read-only state).
    next_if
        The question that would follow each verdict, where look-ahead knows it.
    history
        Every step ever taken, by rising `seq`, all branches.
    position
        `seq` of the step this state ends with; 0 = before the first answer.
    undo, redo
        `seq` of the step that undo would take back / redo would bring again; None = nothing.
    live
        False for a replayed state (`Session.at`): read-only.
    overruled
        `seq` of the answers that the groups shown break, because others weigh more. Only where
        the strategy reckons with people who err, or items belong to several groups (the sets found
        do not explain these); elsewhere no answer in force is broken.
    approach
        How questions are chosen in this state.
    grouping, grouped_after
        How the groups are found, and how many answers were in force when that was chosen: later
        ones are kept to, but do not change the groups beyond that. `OWN` follows every answer.
    space, learned_after
        What items are compared in, and from how many answers it was learned.
    coordinates
        float32[n, 2], the map of a learned space; None = the map is that of the given features.
    """

    revision: int
    question: Question | None
    clustering: Clustering
    overview: Overview
    history: tuple[HistoryItem, ...]
    position: int
    undo: int | None
    redo: int | None
    progress: Progress
    conflicts: tuple[Conflict, ...] = ()
    next_if: dict[Verdict, Question | None] = field(default_factory=dict)
    live: bool = True
    overruled: tuple[int, ...] = ()
    approach: Approach = Approach("falcon")
    grouping: Approach = OWN
    grouped_after: int = 0
    space: Approach = GIVEN
    learned_after: int = 0
    coordinates: FloatArray | None = None

    @property
    def shares(self) -> bool:
        """Whether items may belong to several groups at once, in this state."""
        return self.overview.shares


@dataclass(frozen=True, slots=True, eq=False)
class Outlook:
    """What a choice would lead to with the same answers; nothing has been changed.

    Attributes
    ----------
    approach
        What is looked at: a strategy, a method to find groups, or a space, as `kind` says.
    revision
        The state that it is compared with.
    effect
        What taking it would change.
    answers
        Answers in force, UNSURE included; all of them hold.
    question
        What would be asked next; None = nothing.
    kind
        STRATEGY, GROUPING or SPACE.
    look
        The state that it would lead to, read-only.
    warnings
        What a person should know before taking it.
    """

    approach: Approach
    revision: int
    effect: Effect
    answers: int
    question: Question | None
    kind: StepKind = StepKind.STRATEGY
    look: Snapshot | None = None
    warnings: tuple[str, ...] = ()
