"""Reading a snapshot's history: the way that led to a state, and what holds there.

Hides the tree of steps. Promises answers for the state a snapshot *ends with*, live or replayed,
whatever branch it lies on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.model import OWN, Answer, HistoryItem, Pair, Snapshot, StepKind, Verdict


@dataclass(frozen=True, slots=True)
class Said:
    """What is in force about one pair.

    Attributes
    ----------
    answer
        Where it was changed, what it was changed to.
    seq
        Number of the step that first gave it.
    at
        When `answer` was said, in seconds since the epoch, UTC.
    changed
        `seq` of the change; None where there was none.
    """

    answer: Answer
    seq: int
    at: float
    changed: int | None = None


def mark_of(snapshot: Snapshot) -> tuple[int, int, bool, int]:
    """Tell apart the states that look different; look-ahead sends the same one again.

    Cuts of a hierarchy belong to one state and differ in their number of groups.
    """
    groups = len(snapshot.overview.groups)
    return snapshot.revision, snapshot.position, snapshot.live, groups


def path_to(history: Iterable[HistoryItem], seq: int) -> tuple[HistoryItem, ...]:
    """Give the steps from the first one to `seq`, in order; empty for 0."""
    steps = {step.seq: step for step in history}
    path = []
    while seq in steps:
        path.append(steps[seq])
        seq = steps[seq].parent
    return tuple(reversed(path))


def step_at(snapshot: Snapshot, seq: int) -> HistoryItem | None:
    """Find a step of the history."""
    return next((step for step in snapshot.history if step.seq == seq), None)


def path_of(snapshot: Snapshot) -> tuple[HistoryItem, ...]:
    """Give the steps that led to a snapshot."""
    return path_to(snapshot.history, snapshot.position)


def is_guess(snapshot: Snapshot, step: HistoryItem) -> bool:
    """Whether a step found groups where no answer had told of any."""
    if step.kind is not StepKind.GROUPING or step.approach == OWN:
        return False
    before = path_to(snapshot.history, step.parent)
    return not any(
        (one.answer is not None and one.answer.verdict is not Verdict.UNSURE)
        or one.kind is StepKind.GROUPING
        for one in before
    )


def items_set_aside(snapshot: Snapshot) -> frozenset[int]:
    """Give the items that were taken out of the questions."""
    return frozenset(
        item for step in path_of(snapshot) if step.kind is StepKind.SET_ASIDE for item in step.items
    )


def pair_in_hand(snapshot: Snapshot) -> Pair | None:
    """Give the pair to mark: the one asked now, or in a replay the one answered last."""
    if snapshot.question is not None:
        return snapshot.question.pair
    if snapshot.live:
        return None
    last = path_of(snapshot)[-1:]
    return last[0].answer.pair if last and last[0].answer is not None else None


def answers_in_force(snapshot: Snapshot) -> dict[int, Said]:
    """Give all answers in force by the step that first said them, in that order."""
    given: dict[int, Said] = {}
    for step in path_of(snapshot):
        if step.answer is None:
            continue
        if step.kind is StepKind.REVISE and step.target is not None:
            given[step.target] = Said(step.answer, step.target, step.at, step.seq)
        else:
            given[step.seq] = Said(step.answer, step.seq, step.at)
    return given


def answers_about(snapshot: Snapshot, item: int) -> tuple[Said, ...]:
    """Give the answers in force that name `item`, newest first; a changed one as it is now."""
    given = answers_in_force(snapshot)
    return tuple(said for said in reversed(given.values()) if item in said.answer.pair)


def is_placed(snapshot: Snapshot, item: int) -> bool:
    """Whether more than nearness says that `item` belongs to its group.

    Where the clustering gives it no certainty at all and no *same* in force names it, its group is
    only the nearest one, as for most items that are asked about.
    """
    return bool(snapshot.overview.confidence[item] > 0) or any(
        said.answer.verdict is Verdict.SAME for said in answers_about(snapshot, item)
    )
