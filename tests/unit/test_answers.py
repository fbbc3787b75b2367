"""The log: a tree of steps, moves on it, and a chain of hashes that shows any change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import answers
from engine.answers import AnswerLog, Event, EventKind
from engine.errors import ProjectDamagedError, UsageError
from engine.model import Answer, Pair, Verdict


def said(a: int, b: int, verdict: Verdict = Verdict.SAME) -> Answer:
    return Answer(Pair.of(a, b), verdict)


def log_of(*pairs: tuple[int, int]) -> AnswerLog:
    log = AnswerLog()
    for a, b in pairs:
        log.append(EventKind.ANSWER, answer=said(a, b))
    return log


def positions(log: AnswerLog) -> list[int]:
    return [step.seq for step in log.path()]


def test_undo_and_redo_walk_without_losing_anything() -> None:
    log = log_of((0, 1), (1, 2), (2, 3))
    log.append(EventKind.UNDO)
    log.append(EventKind.UNDO)
    assert positions(log) == [1]
    assert log.redo_target == 2
    log.append(EventKind.REDO)
    assert positions(log) == [1, 2]
    assert len(log.events) == 6


def test_an_answer_after_undo_starts_a_branch_and_the_old_one_stays() -> None:
    log = log_of((0, 1), (1, 2))
    log.append(EventKind.UNDO)
    new = log.append(EventKind.ANSWER, answer=said(4, 5))
    assert positions(log) == [1, new.seq]
    assert {step.seq for step in log.steps()} == {1, 2, new.seq}
    log.append(EventKind.GOTO, target=2)
    assert positions(log) == [1, 2]


def test_redo_follows_the_branch_chosen_last() -> None:
    log = log_of((0, 1), (1, 2))
    log.append(EventKind.UNDO)
    log.append(EventKind.ANSWER, answer=said(4, 5))
    log.append(EventKind.GOTO, target=2)
    log.append(EventKind.UNDO)
    assert log.redo_target == 2


def test_a_revision_changes_the_verdict_in_its_place() -> None:
    log = log_of((0, 1), (1, 2))
    log.append(EventKind.REVISE, answer=said(0, 1, Verdict.DIFFERENT), target=1)
    told = answers.statements(log.path())
    assert [(one.seq, one.verdict) for one in told] == [
        (1, Verdict.DIFFERENT),
        (2, Verdict.SAME),
    ]
    log.append(EventKind.UNDO)
    assert answers.statements(log.path())[0].verdict is Verdict.SAME


def test_items_set_aside_and_names_belong_to_the_path() -> None:
    log = AnswerLog()
    log.append(EventKind.SET_ASIDE, items=(3, 5))
    log.append(EventKind.NAME, items=(1,), text="one")
    log.append(EventKind.NAME, items=(2,), text="two")
    log.append(EventKind.NAME, items=(1,), text="uno")
    assert answers.set_aside(log.path()) == {3, 5}
    assert list(answers.names(log.path()).items()) == [(2, "two"), (1, "uno")]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (EventKind.UNDO, {}),
        (EventKind.REDO, {}),
        (EventKind.GOTO, {"target": 7}),
        (EventKind.REVISE, {"target": 7, "answer": said(0, 1)}),
        (EventKind.ANSWER, {}),
        (EventKind.SET_ASIDE, {}),
        (EventKind.NAME, {"text": "x"}),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_the_log_as_it_was(
    kind: EventKind, fields: dict[str, object]
) -> None:
    log = AnswerLog()
    with pytest.raises(UsageError):
        log.append(kind, **fields)
    assert log.events == ()


def test_any_altered_event_breaks_the_chain_and_is_named() -> None:
    events = log_of((0, 1), (1, 2), (2, 3)).events
    assert AnswerLog(events).events == events
    changes: list[Event] = [
        replace(events[1], at=1.0),
        replace(events[1], answer=said(1, 2, Verdict.DIFFERENT)),
        replace(events[1], engine="other"),
        replace(events[1], seq=5),
        replace(events[1], previous=b"x"),
    ]
    for changed in changes:
        with pytest.raises(ProjectDamagedError, match=r"event [25]"):
            AnswerLog((events[0], changed, events[2]))
    with pytest.raises(ProjectDamagedError):
        AnswerLog(events[1:])


def test_names_that_are_not_unicode_can_be_hashed() -> None:
    log = AnswerLog()
    log.append(EventKind.NAME, items=(0,), text="caf\udce9")
    assert AnswerLog(log.events).position == 1
