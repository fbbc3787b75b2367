"""The history as rows from the newest step to the start, with the branches not taken.

Hides how a tree of steps becomes an indented list. Promises one row per step, every branch below
a row that counts it, and the same row keys from one snapshot to the next.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.model import HistoryItem, StepKind

_SHORT = 5
"""Branches of at most so many steps are open until a person closes them."""

_DEEPEST = 3
"""Further nesting is not indented any more: a narrow dock has no room for it."""

START = 0
"""`seq` of the state before the first step."""


class Standing(enum.Enum):
    """How a row stands to the present."""

    PAST = "past"
    UNDONE = "undone"
    BRANCH = "branch"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the history.

    Attributes
    ----------
    seq
        State that the row shows; `START` for the one before the first step. For the head of a
        branch, the last step of that branch.
    step
        None for the start and for the head of a branch.
    root
        `seq` of the first step of the branch that the row belongs to; 0 on the main line.
    depth
        0 on the main line, 1.. in branches.
    count
        Steps in the branch, for its head; else 0.
    is_open
        Whether the branch below its head is shown.
    """

    seq: int
    step: HistoryItem | None
    standing: Standing
    root: int = 0
    depth: int = 0
    count: int = 0
    is_open: bool = True

    @property
    def is_head(self) -> bool:
        """Whether this is the head of a branch."""
        return self.step is None and self.root != 0

    @property
    def key(self) -> tuple[bool, int]:
        """What makes it the same row in another snapshot."""
        return (True, self.root) if self.is_head else (False, self.seq)


class HistoryTree:
    """The steps of a snapshot as a tree that knows its main line.

    Parameters
    ----------
    history
        All steps, by rising `seq`.
    position, redo
        Of the live snapshot.
    """

    def __init__(self, history: Sequence[HistoryItem], position: int, redo: int | None) -> None:
        self._steps = {step.seq: step for step in history}
        self._children: dict[int, list[int]] = {}
        self._latest = {step.seq: step.seq for step in history}
        self._sizes = dict.fromkeys(self._steps, 1)
        for step in history:
            self._children.setdefault(step.parent, []).append(step.seq)
        for step in reversed(history):
            if step.parent != START:
                latest = max(self._latest[step.parent], self._latest[step.seq])
                self._latest[step.parent] = latest
                self._sizes[step.parent] += self._sizes[step.seq]
        self._position = position
        self._redo = redo
        self._questions = {START: 0}
        for step in history:  # a parent comes before its children
            asked = step.kind is StepKind.ANSWER
            self._questions[step.seq] = self._questions.get(step.parent, 0) + asked

    def question(self, seq: int) -> int:
        """Say the how manieth answer a step is on its way: the number its question had."""
        return self._questions[seq]

    def parent(self, seq: int) -> int:
        """Give the state before a step."""
        return self._steps[seq].parent

    def line_through(self, seq: int) -> tuple[int, ...]:
        """Give the states a replay walks when it stands on `seq`: start ... `seq` ... tip.

        On the way to the present the tip is the present; on a branch it is the branch's end.
        """
        past = self._past(self._position)
        if seq in past:
            return past
        return (*self._past(seq), *self._onwards(seq))

    def rows(
        self,
        matches: Callable[[HistoryItem], bool] | None,
        toggled: Mapping[int, bool],
    ) -> list[Row]:
        """Lay out the steps that match, newest first.

        Parameters
        ----------
        matches
            Which steps to show, None = all. The head of a branch is shown where any of its steps
            is.
        toggled
            Branches, by `root`, that a person opened or closed.
        """
        past = self._past(self._position)
        undone = () if self._redo is None else (self._redo, *self._onwards(self._redo))
        behind = set(past)
        rows: list[Row] = []
        for seq, branches in self._downwards((*past, *undone)):
            for root in branches:
                rows += self._branch(root, 1, matches, toggled)
            standing = Standing.PAST if seq in behind else Standing.UNDONE
            if seq == START:
                rows.append(Row(START, None, standing))
            elif matches is None or matches(self._steps[seq]):
                rows.append(Row(seq, self._steps[seq], standing))
        return rows

    def _branch(
        self,
        root: int,
        depth: int,
        matches: Callable[[HistoryItem], bool] | None,
        toggled: Mapping[int, bool],
    ) -> list[Row]:
        inside: list[Row] = []
        for seq, branches in self._downwards((root, *self._onwards(root))):
            for other in branches:
                inside += self._branch(other, depth + 1, matches, toggled)
            if matches is None or matches(self._steps[seq]):
                indent = min(depth, _DEEPEST)
                inside.append(Row(seq, self._steps[seq], Standing.BRANCH, root, indent))
        if not inside:
            return []
        count = self._sizes[root]
        is_open = toggled.get(root, count <= _SHORT or matches is not None)
        tip = self._latest[root]
        head = Row(tip, None, Standing.BRANCH, root, min(depth, _DEEPEST), count, is_open)
        return [head, *inside] if is_open else [head]

    def _downwards(self, line: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Walk a line from its end: each state with the branches that leave the line there."""
        on_line = set(line)
        for seq in reversed(line):
            leaving = [child for child in self._children.get(seq, ()) if child not in on_line]
            yield seq, sorted(leaving, key=self._latest.__getitem__, reverse=True)

    def _past(self, seq: int) -> tuple[int, ...]:
        past = [seq]
        while past[-1] in self._steps:
            past.append(self._steps[past[-1]].parent)
        return tuple(reversed(past))

    def _onwards(self, seq: int) -> tuple[int, ...]:
        """Follow the steps taken last from `seq` to the end of its branch."""
        onwards: list[int] = []
        while children := self._children.get(seq):
            seq = max(children, key=self._latest.__getitem__)
            onwards.append(seq)
        return tuple(onwards)
