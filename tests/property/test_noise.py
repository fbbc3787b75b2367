"""Where answers are weighed: what is kept to, what is overruled, and what freezes nothing.

What holds of every strategy is in `test_session`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from engine import answers
from engine.answers import AnswerLog
from engine.job import Job
from engine.model import Verdict
from engine.session import Session
from engine.simulate import Oracle
from tests.property.test_session import (
    POINTS,
    PROBLEM,
    TOLERANT,
    judge,
    moves,
    perform,
    seen,
    session,
    together,
    unmoved,
)


def weighing(log: AnswerLog | None = None) -> Session:
    return session(TOLERANT, log)


def wavering(seed: int) -> Oracle:
    return Oracle(np.arange(len(POINTS)) % 4, 0.25, seed)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves)
def test_what_was_said_unasked_is_kept_to(plan: list[tuple[str, object]]) -> None:
    live = weighing()
    for move in plan:
        perform(live, move)
    snapshot = live.snapshot()
    waiting = {one.seq for one in snapshot.conflicts}
    broken = set()
    for said in answers.statements(live.log.path()):
        if said.verdict is Verdict.UNSURE or said.seq in waiting:
            continue
        if together(live, said.pair) != (said.verdict is Verdict.SAME):
            broken.add(said.seq)
            # where items may belong to several groups, no set need explain it
            assert live.shares or not said.deliberate
    assert set(snapshot.overruled) == broken


@pytest.mark.parametrize("seed", range(3))
def test_contradicting_answers_freeze_nothing_and_every_state_comes_back(seed: int) -> None:
    live, oracle = weighing(), wavering(seed)
    shown = [unmoved(live.snapshot())]
    for _ in range(60):
        question = live.ask()
        if question is None:
            break
        shown.append(unmoved(live.tell(question.pair, oracle.judge(question.pair))))
    assert live.snapshot().conflicts == ()
    assert live.snapshot().overruled
    for fresh in (live, weighing(AnswerLog(live.log.events))):
        for then in shown:
            replayed = unmoved(fresh.at(then["position"]))
            assert replayed == {**then, "question": None, "undo": None}


def test_look_ahead_changes_nothing_but_the_wait() -> None:
    plain, ahead = weighing(), weighing()
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


def test_answers_given_to_the_plain_strategy_are_weighed_by_the_other() -> None:
    plain = Session(PROBLEM, "falcon")
    for _ in range(12):
        question = plain.ask()
        plain.tell(question.pair, judge(question.pair))
    said = [event.answer.pair for event in plain.log.events]
    weighed = weighing(AnswerLog(plain.log.events))
    assert list(weighed.constraints.heard) == [(pair, judge(pair)) for pair in said]
    assert len(weighed.clustering.exemplars) > 2  # it went on by what it found said
