"""How groups are found and in which space items are compared are steps like any other."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import answers, clusterers, strategies
from engine.answers import AnswerLog
from engine.choices import LearnedParams
from engine.constraints import Constraints
from engine.errors import Cancelled, ConstraintError, EngineError, ResourceError
from engine.job import Job
from engine.model import (
    GIVEN,
    OWN,
    Approach,
    Pair,
    Source,
    StepKind,
    Verdict,
)
from engine.parameters import describe
from engine.problem import Problem
from engine.session import Session
from engine.suggestions import MOST, _in_turn
from tests.property.test_session import (
    POINTS,
    TOLERANT,
    Fuse,
    blobs,
    moves,
    oracle,
    perform,
    seen,
    session,
    together,
    unmoved,
)

GROUPING, SPACE = StepKind.GROUPING, StepKind.SPACE
RCC = Approach("rcc", (("neighbours", "3"), ("stretch", "16")))
FC2 = Approach("fc2")
LEARNED = Approach("learned")
ASKING = Approach("learned", (("questions", "yes"),))
CHOICES = (
    (GROUPING, OWN),
    (GROUPING, RCC),
    (GROUPING, FC2),
    (GROUPING, Approach("kmeans", (("groups", "3"),))),
    (SPACE, GIVEN),
    (SPACE, LEARNED),
    (SPACE, ASKING),
)
plans = st.lists(
    st.one_of(
        st.tuples(st.just("choose"), st.sampled_from(CHOICES)),
        moves.map(lambda some: some[0] if some else ("answer", None)),
    ),
    max_size=12,
)
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def choose(live: Session, what: tuple[StepKind, Approach]) -> None:
    """Choose, after looking; what cannot be done changes nothing."""
    kind, approach = what
    before, events = seen(live.snapshot()), live.log.events
    try:
        outlook = live.consider(approach, Job(), kind)
    except ConstraintError:
        aside = answers.set_aside(live.log.path())
        telling = [
            one
            for one in live.statements
            if one.verdict is not Verdict.UNSURE and aside.isdisjoint(one.pair)
        ]
        assert live.shares or not telling
        assert (seen(live.snapshot()), live.log.events) == (before, events)
        return
    assert seen(live.snapshot()) == before
    after = live.choose(approach, kind)
    look = outlook.look
    assert look is not None
    assert after.clustering.labels.tolist() == look.clustering.labels.tolist()
    assert after.overview.slots.tolist() == look.overview.slots.tolist()
    assert after.history[-1].effect == outlook.effect


def do(live: Session, move: tuple[str, Any]) -> None:
    if move[0] == "choose":
        choose(live, move[1])
    else:
        perform(live, move)


def told(snapshot: Any) -> dict[str, object]:
    map_ = snapshot.coordinates
    return {
        **unmoved(snapshot),
        "grouping": (snapshot.grouping, snapshot.grouped_after),
        "space": (snapshot.space, snapshot.learned_after),
        "map": None if map_ is None else map_.tolist(),
    }


@pytest.mark.parametrize("strategy", ["falcon", "cobras", TOLERANT])
@SLOW
@given(plans)
def test_the_live_state_is_the_fold_of_the_log(strategy: str, plan: list[Any]) -> None:
    live = session(strategy)
    for move in plan:
        do(live, move)
    fresh = Problem(POINTS, seed=7)  # nothing is kept of what was worked out before
    again = session(strategy, AnswerLog(live.log.events), fresh)
    assert told(live.snapshot()) == told(again.snapshot())
    for seq in [0, *(step.seq for step in live.snapshot().history)]:
        assert told(live.at(seq)) == told(again.at(seq))


@pytest.mark.parametrize("strategy", ["falcon", "acdm"])
@SLOW
@given(plans)
def test_the_groups_break_no_answer_in_force(strategy: str, plan: list[Any]) -> None:
    live = session(strategy)
    for move in plan:
        do(live, move)
    snapshot = live.snapshot()
    excused = {conflict.seq for conflict in snapshot.conflicts} | {*snapshot.overruled}
    for said in answers.statements(live.log.path()):
        if said.seq not in excused and said.verdict is not Verdict.UNSURE:
            assert together(live, said.pair) == (said.verdict is Verdict.SAME)


@pytest.mark.parametrize(("kind", "approach"), [c for c in CHOICES if c[1] not in (OWN, GIVEN)])
@pytest.mark.parametrize("strategy", ["falcon", "hmcahc", TOLERANT])
def test_a_choice_is_one_step_that_undo_takes_back(
    strategy: str, kind: StepKind, approach: Approach
) -> None:
    live = session(strategy)
    oracle(live, 10)
    before = told(live.snapshot())
    chosen = told(live.choose(approach, kind))
    assert chosen["grouping" if kind is GROUPING else "space"][1] == 10
    asked_elsewhere = approach is ASKING
    if not asked_elsewhere:
        assert chosen["question"] == before["question"]
    assert told(live.undo()) == before
    assert told(live.redo()) == chosen
    back = live.choose(OWN if kind is GROUPING else GIVEN, kind)
    if not asked_elsewhere:  # a strategy begun anew goes another way
        assert back.clustering.labels.tolist() == before["labels"]


def test_later_answers_are_kept_to_and_change_nothing_else() -> None:
    live = session("falcon")
    oracle(live, 6)
    live.choose(FC2, GROUPING)
    base = live.clustering.labels.copy()
    oracle(live, 6)
    said = [item for one in live.statements for item in one.pair]
    others = np.setdiff1d(np.arange(len(base)), said)
    partners = [(a, b) for a in others for b in others]
    now = live.clustering.labels
    assert [now[a] == now[b] for a, b in partners] == [base[a] == base[b] for a, b in partners]
    assert live.snapshot().grouped_after == 6
    assert live.choose(FC2, GROUPING).grouped_after == 12


def test_a_first_grouping_needs_no_answer_and_the_questions_stay() -> None:
    live = session("falcon")
    asked = live.ask()
    shown = live.choose(RCC, GROUPING)
    assert len(shown.overview.groups) > 1
    assert shown.question is not None
    assert shown.question.pair == asked.pair


def test_the_map_of_a_learned_space_stays_while_answers_come() -> None:
    live = session("falcon")
    oracle(live, 8)
    map_ = live.choose(LEARNED, SPACE).coordinates
    oracle(live, 4)
    assert live.snapshot().coordinates is map_
    assert live.at(live.log.position).coordinates is map_
    assert live.choose(GIVEN, SPACE).coordinates is None


def test_set_aside_items_are_in_no_group_whatever_finds_them() -> None:
    live = session("falcon")
    live.set_aside([3, 4])
    live.choose(RCC, GROUPING)
    assert live.snapshot().overview.slots[[3, 4]].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("kind", "approach"),
    [
        (GROUPING, Approach("oracle")),
        (GROUPING, Approach("own", (("x", "1"),))),
        (GROUPING, Approach("kmeans")),
        (GROUPING, Approach("kmeans", (("groups", "99"),))),
        (GROUPING, FC2),  # without answers
        (SPACE, Approach("elsewhere")),
        (SPACE, Approach("learned", (("gain", "2"),))),
        (SPACE, LEARNED),
    ],
)
def test_what_cannot_be_done_never_reaches_the_log(kind: StepKind, approach: Approach) -> None:
    live = session("falcon")
    before = seen(live.snapshot())
    for attempt in (
        lambda: live.consider(approach, Job(), kind),
        lambda: live.choose(approach, kind),
    ):
        with pytest.raises(EngineError):
            attempt()
    assert not live.log.events
    assert seen(live.snapshot()) == before


WITH_NUMBERS = (
    *((StepKind.STRATEGY, name, one.Params) for name, one in strategies.REGISTRY.items()),
    *((GROUPING, name, one.Params) for name, one in clusterers.REGISTRY.items()),
    (SPACE, "learned", LearnedParams),
)
EXTREME = [
    (kind, name, one.name, value)
    for kind, name, params in WITH_NUMBERS
    for one in describe(params)
    if one.type is float
    for value in ("1e-300", "1e20", "1e300")
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("kind", "name", "parameter", "value"), EXTREME)
def test_no_number_is_too_large_or_small_to_be_refused_or_done(
    kind: StepKind, name: str, parameter: str, value: str
) -> None:
    live = session("falcon")
    oracle(live, 8)
    given = {parameter: value}
    if name in ("kmeans", "tahc", "pck"):
        given["groups"] = "3"
    with contextlib.suppress(EngineError):
        live.consider(Approach(name, tuple(given.items())), Job(), kind)


def test_a_choice_beyond_memory_never_reaches_the_log() -> None:
    live = session("falcon", problem=Problem(np.random.default_rng(0).random((900, 2))))
    for pair in [(0, item) for item in range(1, 400)]:
        live.log.append(  # as if answered: faster than telling them
            answers.EventKind.ANSWER,
            answer=answers.Answer(Pair.of(*pair), Verdict.SAME),
        )
    live = session("falcon", AnswerLog(live.log.events), live.problem)
    events = live.log.events
    for kind, name in ((GROUPING, "fc2"), (SPACE, "learned")):
        with pytest.raises(ResourceError):
            live.choose(Approach(name, (("memory", "1"),)), kind)
    assert live.log.events == events


@pytest.mark.parametrize(("kind", "approach"), CHOICES)
def test_a_stop_leaves_no_half_choice(kind: StepKind, approach: Approach) -> None:
    live = session("falcon", problem=Problem(POINTS, seed=7))
    oracle(live, 8)
    before = told(live.snapshot())
    for steps in range(0, 12, 2):
        live.job = Fuse(steps)
        with contextlib.suppress(Cancelled):
            live.choose(approach, kind)
            live.job = Job()
            live.undo()
        live.job = Job()
        assert told(live.snapshot()) == before


def test_what_was_worked_out_is_there_when_the_project_is_opened_again() -> None:
    kept: dict[str, Any] = {}

    class Shelf:
        def load_indices(self, key: str) -> Any:
            return kept.get(key)

        def save_indices(self, key: str, indices: Any) -> None:
            kept[key] = indices

    from engine.problem import StepCache

    live = session("falcon", problem=Problem(POINTS, seed=7, steps=StepCache(shelf=Shelf())))
    oracle(live, 8)
    live.choose(RCC, GROUPING)
    live.choose(ASKING, SPACE)
    before = told(live.snapshot())
    again = Problem(POINTS, seed=7, steps=StepCache(shelf=Shelf()))
    hits = len(kept)
    assert told(session("falcon", AnswerLog(live.log.events), again).snapshot()) == before
    assert len(kept) == hits


# ---------------------------------------------------------------------- suggestions


WIDE, KIND = blobs(120)


def wide(strategy: str, done: int) -> Session:
    """Begin with more items than the closure of a few answers covers, and answer."""
    live = session(strategy, problem=Problem(WIDE, seed=7))
    for _ in range(done):
        question = live.ask()
        if question is None:
            break
        live.tell(question.pair, right(question.pair))
    return live


def right(pair: Pair) -> Verdict:
    return Verdict.SAME if KIND[pair.a] == KIND[pair.b] else Verdict.DIFFERENT


def suggested(live: Session) -> list[Any]:
    found = live.suggested
    return [] if found is None else list(found.found)


@pytest.mark.parametrize("strategy", ["falcon", "cobras", TOLERANT])
@SLOW
@given(moves)
def test_suggestions_are_open_questions(strategy: str, plan: list[Any]) -> None:
    live = wide(strategy, 12)
    before = seen(live.snapshot())
    assert live.suggest(Job()).found
    assert seen(live.snapshot()) == before
    for kind, what in plan:
        question = live.ask()
        truly = kind == "answer" and what is None and question is not None
        perform(live, (kind, right(question.pair) if truly and question else what))
        settled = Constraints()
        for said in live.statements:
            settled.add(said.pair, said.verdict, said.seq)
        aside = answers.set_aside(live.log.path()) | settled.frozen
        for one in suggested(live):
            assert settled.verdict(one.pair) is None
            assert aside.isdisjoint(one.pair)
            assert 0.5 <= one.confidence < 1
            slots = live.snapshot().overview.slots[list(one.pair)]
            assert one.changes == ((slots[0] == slots[1]) != (one.verdict is Verdict.SAME))


def test_a_confirmed_suggestion_is_an_answer_and_undo_brings_it_back() -> None:
    live = wide("falcon", 20)
    live.suggest(Job())
    first = suggested(live)[0]
    seqs = {one.seq for one in live.statements}
    assert first.because
    assert seqs.issuperset(first.because)
    now = live.tell(first.pair, first.verdict, source=Source.SUGGESTED)
    assert now.history[-1].answer.source is Source.SUGGESTED
    assert live.log.events[-1].engine.startswith("cs-pds/")
    assert first.pair not in [one.pair for one in suggested(live)]
    live.undo()
    assert first in suggested(live)


def test_one_suggestion_for_any_two_sets_that_answers_join() -> None:
    live = wide("falcon", 20)
    found = live.suggest(Job()).found
    assert 20 < len(found) <= MOST
    sets = [frozenset(map(live.constraints.component, one.pair)) for one in found]
    assert len(set(sets)) == len(sets)
    assert np.mean([right(one.pair) is one.verdict for one in found]) > 0.9
    one, other = [one for one in found if not one.changes][:2]
    assert set(one.pair).isdisjoint(other.pair)  # ever other items come first


def test_what_would_change_the_groups_and_what_would_not_come_in_turn() -> None:
    pairs = np.column_stack((np.arange(500), np.arange(500, 1000)))
    changes = np.arange(500) % 5 == 0
    chosen = _in_turn(pairs, changes)
    assert len(set(chosen.tolist())) == len(chosen) == MOST
    assert changes[chosen].tolist() == [True, False] * (MOST // 2)
    assert chosen[:4].tolist() == [0, 1, 5, 2]
    assert _in_turn(pairs, changes & False).tolist() == list(range(MOST))
    few = _in_turn(pairs[:8], changes[:8])
    assert few.tolist() == [0, 1, 5, 2, 3, 4, 6, 7]
    assert _in_turn(pairs[:0], changes[:0]).tolist() == []


def test_there_is_nothing_to_suggest_from_before_an_answer() -> None:
    live = session("falcon")
    assert live.suggested is None
    with pytest.raises(ConstraintError, match="no answers"):
        live.suggest(Job())
    live.tell(Pair(0, 1), Verdict.UNSURE)
    with pytest.raises(ConstraintError, match="no answers"):
        live.suggest(Job())
    assert live.suggested is None
