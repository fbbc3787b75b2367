"""Showing: a state as views are told of it.

Hidden: which steps were described before, and what each of them changed. Promised: what is told is
read-only, and the same objects for as long as they say the same.
"""

from __future__ import annotations

import numpy as np

from engine import answers, choices, overview
from engine.answers import AnswerLog, Event, EventKind
from engine.fold import Colours, Fold, State
from engine.job import Job
from engine.model import (
    Effect,
    FloatArray,
    HistoryItem,
    Overview,
    Progress,
    Snapshot,
    StepKind,
    Verdict,
)
from engine.problem import Problem

_RECENT = 20  # answers looked back on for the honest "did the last ones change anything?"


class Showing:
    """Tells of the states of one log.

    Parameters
    ----------
    problem, log, folding
        What states are of.
    planned
        Number of questions the person means to answer; only for display.
    """

    def __init__(
        self, problem: Problem, log: AnswerLog, folding: Fold, planned: int | None
    ) -> None:
        self._problem = problem
        self._log = log
        self._folding = folding
        self._planned = planned
        self._effects: dict[int, Effect] = {}
        self._items: dict[tuple[int, bool], HistoryItem] = {}  # by step, and whether on the path
        self._maps: dict[str, FloatArray] = {}  # the last one of a learned space

    def note(self, before: State, after: State) -> None:
        """Keep what the step between two states changed."""
        self._effects[after.position] = effect(before, after)
        self._items.pop((after.position, True), None)
        self._items.pop((after.position, False), None)

    def show(self, state: State, revision: int, groups: Overview | None = None) -> Snapshot:
        """Tell of a state all but what only the present has: question, undo, redo.

        `groups`: as `drawn` gives them, where they were drawn before.
        """
        groups = drawn(state) if groups is None else groups
        return Snapshot(
            revision=revision,
            question=None,
            clustering=state.clustering,
            overview=groups,
            history=self._history(state.path),
            position=state.position,
            undo=None,
            redo=None,
            progress=self._progress(state, len(groups.groups)),
            conflicts=state.constraints.conflicts,
            live=False,
            overruled=self._folding.overruled(state),
            approach=state.approach,
            grouping=state.chosen.grouping,
            grouped_after=state.chosen.grouped_after,
            space=state.chosen.space,
            learned_after=state.chosen.learned_after,
            coordinates=self.map(state, self._folding.job),
        )

    def map(self, state: State, job: Job) -> FloatArray | None:
        """Give the map of a learned space, the same array for as long as it is the same map."""
        learned = state.chosen.learned
        if learned is None:
            return None
        if learned.key not in self._maps:
            self._maps = {learned.key: choices.drawn(self._problem, learned, job)}
        return self._maps[learned.key]

    def _history(self, path: tuple[Event, ...]) -> tuple[HistoryItem, ...]:
        on_path = {step.seq for step in path}
        return tuple(self._item(step, on_path=step.seq in on_path) for step in self._log.steps())

    def _item(self, step: Event, *, on_path: bool) -> HistoryItem:
        """Describe a step, once for all the snapshots that show it."""
        item = self._items.get((step.seq, on_path))
        if item is None:
            item = self._items[step.seq, on_path] = HistoryItem(
                seq=step.seq,
                parent=self._log.parent(step.seq),
                kind=StepKind(step.kind.value),
                at=step.at,
                on_path=on_path,
                answer=step.answer,
                items=step.items,
                text=step.text,
                target=step.target,
                approach=answers.read(step.text) if step.kind in answers.CHOICES else None,
                effect=self._effects.get(step.seq),
            )
        return item

    def _progress(self, state: State, n_groups: int) -> Progress:
        said = answers.statements(state.path)
        asked = [step.seq for step in state.path if step.kind is EventKind.ANSWER][-_RECENT:]
        effects = [self._effects[seq] for seq in asked if seq in self._effects]
        return Progress(
            answered=len(said),
            unsure=sum(one.verdict is Verdict.UNSURE for one in said),
            groups=n_groups,  # those with items that are not set aside
            implied=state.constraints.implied,
            planned=self._planned,
            recent=len(effects),
            recent_changes=sum(
                effect.moved > 0 or effect.groups_before != effect.groups_after
                for effect in effects
            ),
            set_aside=len(state.set_aside),
        )


def drawn(state: State) -> Overview:
    """Draw the groups of a state."""
    if state.shared is not None:
        namings = answers.namings(state.path)
        return overview.build_shared(state.shared, state.clustering.confidence, namings)
    return overview.build(
        state.clustering,
        state.slots,
        answers.names(state.path),
        state.set_aside,
        state.constraints.frozen,
    )


def effect(before: State, after: State) -> Effect:
    """Tell what a step between two states changed."""
    if before.shared is None and after.shared is None:
        moved = before.slots != after.slots
    else:
        was, now = (Colours.of(state).table for state in (before, after))
        width = max(was.shape[1], now.shape[1])
        was, now = (np.pad(one, ((0, 0), (0, width - one.shape[1]))) for one in (was, now))
        moved = (was != now).any(1)
    return Effect(before.groups, after.groups, int(moved.sum()))
