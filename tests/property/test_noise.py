"""Where answers are weighed and may be overruled, the state still is the fold of the log."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import answers
from engine.answers import AnswerLog
from engine.errors import Cancelled
from engine.job import Job
from engine.model import Verdict
from engine.problem import Problem
from engine.session import Session
from engine.simulate import Oracle
from tests.property.test_session import (
    POINTS,
    PROBLEM,
    Fuse,
    judge,
    moves,
    perform,
    seen,
    unmoved,
)

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
Plan = list[tuple[str, object]]


def session(log: AnswerLog | None = None, problem: Problem = PROBLEM) -> Session:
    return Session(problem, "falcon", {"noise": "0.1"}, log=log)


def wavering(seed: int) -> Oracle:
    return Oracle(np.arange(len(POINTS)) % 4, 0.25, seed)


@QUICK
@given(moves)
def test_the_live_state_is_the_fold_of_the_log(plan: Plan) -> None:
    live = session()
    for move in plan:
        perform(live, move)
    again = session(AnswerLog(live.log.events))
    ours, theirs = seen(live.snapshot()), seen(again.snapshot())
    for state in (ours, theirs):
        state["history"] = [item.seq for item in state["history"]]
    assert ours == theirs
    assert live.snapshot().overruled == again.snapshot().overruled


@QUICK
@given(moves, st.sampled_from(Verdict))
def test_undo_takes_an_answer_back_exactly(plan: Plan, verdict: Verdict) -> None:
    live = session()
    for move in plan:
        perform(live, move)
    question = live.ask()
    if question is None:
        return
    before = unmoved(live.snapshot())
    after = seen(live.tell(question.pair, verdict))
    assert unmoved(live.undo()) == before
    assert {**seen(live.redo()), "history": None} == {**after, "history": None}


@QUICK
@given(moves)
def test_what_was_said_unasked_is_kept_to(plan: Plan) -> None:
    live = session()
    for move in plan:
        perform(live, move)
    snapshot = live.snapshot()
    labels, waiting = snapshot.clustering.labels, {one.seq for one in snapshot.conflicts}
    broken = set()
    for said in answers.statements(live.log.path()):
        if said.verdict is Verdict.UNSURE or said.seq in waiting:
            continue
        together = labels[said.pair.a] == labels[said.pair.b]
        if together != (said.verdict is Verdict.SAME):
            broken.add(said.seq)
            assert not said.deliberate
    assert set(snapshot.overruled) == broken


@pytest.mark.parametrize("seed", range(3))
def test_contradicting_answers_freeze_nothing_and_every_state_comes_back(seed: int) -> None:
    live, oracle = session(), wavering(seed)
    shown = [unmoved(live.snapshot())]
    for _ in range(60):
        question = live.ask()
        if question is None:
            break
        shown.append(unmoved(live.tell(question.pair, oracle.judge(question.pair))))
    assert live.snapshot().conflicts == ()
    assert live.snapshot().overruled
    for fresh in (live, session(AnswerLog(live.log.events))):
        for then in shown:
            replayed = unmoved(fresh.at(then["position"]))
            assert replayed == {**then, "question": None, "undo": None}


def test_look_ahead_changes_nothing_but_the_wait() -> None:
    plain, ahead = session(), session()
    one, other = wavering(1), wavering(1)
    for _ in range(40):
        question = plain.ask()
        if question is None:
            break
        ready = ahead.speculate(Job())
        verdict = one.judge(question.pair)
        a, b = (
            plain.tell(question.pair, verdict),
            ahead.tell(question.pair, other.judge(question.pair)),
        )
        mine, theirs = seen(a), seen(b)
        for state in (mine, theirs):
            state["history"] = [(h.seq, h.answer, h.effect) for h in state["history"]]
        assert mine == theirs
        expected = ready.next_if[verdict]
        assert (expected and expected.pair) == (b.question and b.question.pair)


@QUICK
@given(moves, st.lists(st.integers(0, 12), min_size=1, max_size=25))
def test_a_stop_at_any_moment_leaves_no_half_state(plan: Plan, fuses: list[int]) -> None:
    live = session(problem=Problem(POINTS, seed=7))
    for at, move in enumerate(plan):
        live.job = Job()
        live.ask()
        live.job = Fuse(fuses[at % len(fuses)])
        with contextlib.suppress(Cancelled):
            perform(live, move)
    live.job = Job()
    assert unmoved(live.snapshot()) == unmoved(session(AnswerLog(live.log.events)).snapshot())


def test_answers_given_to_the_plain_strategy_are_weighed_by_the_other() -> None:
    plain = Session(PROBLEM, "falcon")
    for _ in range(12):
        question = plain.ask()
        plain.tell(question.pair, judge(question.pair))
    said = [event.answer.pair for event in plain.log.events]
    weighed = session(AnswerLog(plain.log.events))
    assert all(weighed.constraints.heard(pair) == [judge(pair)] for pair in said)
    assert len(weighed.clustering.exemplars) > 2  # it went on by what it found said
