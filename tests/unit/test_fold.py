"""What a strategy is sent: by which pair it is asked, and which answer a fresh query gets."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from engine import strategies
from engine.answers import AnswerLog
from engine.job import Job
from engine.model import Clustering, Cue, Pair, Query, Reason, Source, Verdict
from engine.problem import Problem
from engine.session import Session

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
PROBLEM = Problem(np.arange(24.0).reshape(12, 2))


def strategy_of(
    *queries: Query, tolerates: bool = False, known: int = 0
) -> tuple[type[Any], list[Any]]:
    """Make a strategy that asks what it is told to, and a list of what it is sent.

    It makes use of answers to other questions about the first `known` items.
    """
    sent: list[Any] = []

    @dataclass(frozen=True)
    class Nothing:
        pass

    class Scripted:
        name: ClassVar[str] = "scripted"
        version: ClassVar[int] = 1
        Params: ClassVar[type[Any]] = Nothing
        tolerant: ClassVar[bool] = tolerates
        transitive: ClassVar[bool] = True

        def __init__(self, _params: Any) -> None:
            pass

        def run(self, _problem: Problem, _job: Job) -> Generator[Query, Verdict | Cue, None]:
            sent.clear()
            left = deque(queries)
            while left:
                verdict = yield left[0]
                if verdict is Cue.LATER:
                    left.rotate(-1)
                elif not isinstance(verdict, Cue):
                    sent.append(verdict)
                    left.popleft()

        def overhear(self, pair: Pair, verdict: Verdict) -> bool:
            if max(pair) >= known:
                return False
            sent.append((pair, verdict))
            return True

        def clustering(self) -> Clustering:
            return Clustering(np.zeros(12, np.int32), np.zeros(12, np.float32))

        def report(self) -> dict[str, object]:
            return {}

    return Scripted, sent


def query(*pairs: tuple[int, int], fresh: bool = False) -> Query:
    first, *instead = (Pair(*pair) for pair in pairs)
    return Query(first, Reason.of("So."), 1, tuple(instead), fresh)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch):
    def start(
        *queries: Query, log: AnswerLog | None = None, **kind: Any
    ) -> tuple[Session, list[Any]]:
        made, sent = strategy_of(*queries, **kind)
        monkeypatch.setitem(strategies.REGISTRY, "scripted", made)
        return Session(PROBLEM, "scripted", log=log), sent

    return start


def dispute(live: Session, *items: int) -> None:
    """Volunteer a contradiction about three items, so that they are frozen."""
    a, b, c = items
    live.tell(Pair(a, b), SAME)
    live.tell(Pair(b, c), SAME)
    live.tell(Pair(a, c), DIFFERENT)


def asked(live: Session) -> Pair | None:
    question = live.ask()
    return question and question.pair


# ---------------------------------------------------------------------- instead


def test_another_example_is_shown_when_the_nearest_is_in_dispute(started) -> None:
    live, sent = started(query((0, 1), (0, 4), (0, 5)), query((6, 7)))
    assert asked(live) == (0, 1)
    dispute(live, 1, 2, 3)
    assert asked(live) == (0, 4)
    live.tell(Pair(0, 4), DIFFERENT)
    assert sent == [DIFFERENT]
    assert asked(live) == (6, 7)
    assert live.log.events[-1].answer.source is Source.ASKED
    live.undo()
    assert asked(live) == (0, 4)


def test_a_query_passes_as_unsure_when_all_its_examples_are_in_dispute(started) -> None:
    live, sent = started(query((0, 1), (0, 2)), query((6, 7)))
    dispute(live, 1, 2, 3)
    assert sent == [UNSURE]
    assert asked(live) == (6, 7)


def test_what_is_known_of_any_example_is_sent_before_a_person_is_asked(started) -> None:
    live, sent = started(query((0, 1), (0, 4)), query((6, 7)))
    dispute(live, 1, 2, 3)
    live.tell(Pair(4, 5), SAME)
    live.tell(Pair(0, 5), SAME)
    assert sent == [SAME]


def test_unsure_about_the_other_example_is_the_end_of_it(started) -> None:
    live, sent = started(query((0, 1), (0, 4), (0, 5)), query((6, 7)))
    dispute(live, 1, 2, 3)
    live.tell(Pair(0, 4), UNSURE)
    assert sent == [UNSURE]
    live.tell(Pair(0, 5), DIFFERENT)  # said later, unasked: the query is settled after all
    assert sent == [DIFFERENT]
    assert asked(live) == (6, 7)


# ---------------------------------------------------------------------- fresh


def test_each_fresh_query_takes_one_more_answer_on_its_pair(started) -> None:
    live, sent = started(
        *[query((0, 1), fresh=True)] * 3, query((2, 3), fresh=True), tolerates=True
    )
    for verdict in (SAME, UNSURE, DIFFERENT):
        assert asked(live) == (0, 1)
        live.tell(Pair(0, 1), verdict)
    assert sent == [SAME, UNSURE, DIFFERENT]
    assert asked(live) == (2, 3)
    assert live.snapshot().conflicts == ()
    live.undo()
    assert sent == [SAME, UNSURE]
    assert asked(live) == (0, 1)


def test_what_a_person_said_unasked_or_changed_is_firm(started) -> None:
    live, sent = started(
        *[query((0, 2), fresh=True)] * 2, query((3, 4), fresh=True), tolerates=True
    )
    live.tell(Pair(0, 2), DIFFERENT)
    live.tell(Pair(0, 1), SAME)
    assert (asked(live), sent) == ((0, 2), [DIFFERENT])
    live.tell(Pair(1, 2), SAME)  # implies that 0 and 2 are the same
    assert (asked(live), sent) == ((3, 4), [SAME, SAME])
    live.tell(Pair(3, 4), SAME)
    live.revise(4, DIFFERENT)
    assert sent == [SAME, SAME, DIFFERENT]
    assert live.snapshot().clustering.labels[3] != live.snapshot().clustering.labels[4]


def test_answers_to_other_questions_are_passed_on_oldest_first(started) -> None:
    first, _ = started(
        *(query(pair, fresh=True) for pair in ((0, 1), (7, 8), (0, 2), (1, 2))), tolerates=True
    )
    for verdict in (SAME, DIFFERENT, UNSURE, DIFFERENT):
        first.tell(asked(first), verdict)
    log = AnswerLog(first.log.events)
    # now the strategy asks about others, and items 7 and 8 do not come for long
    live, sent = started(
        query((1, 2), fresh=True), query((0, 3), fresh=True), log=log, tolerates=True, known=4
    )
    overheard = [((0, 1), SAME), ((0, 2), UNSURE), ((1, 2), DIFFERENT)]
    assert sent == overheard
    assert asked(live) == (0, 3)
    live.tell(Pair(0, 3), SAME)
    assert sent == [*overheard, SAME]
    assert asked(live) == (1, 2)  # a fresh answer is wanted, and that one is used


def test_answers_that_the_groups_break_are_told(started) -> None:
    live, _ = started(query((0, 1), fresh=True), query((2, 3), fresh=True), tolerates=True)
    live.tell(Pair(0, 1), DIFFERENT)  # the strategy keeps all in one group
    assert live.snapshot().overruled == (1,)
    live.tell(Pair(2, 3), SAME)
    live.tell(Pair(5, 6), DIFFERENT)  # said unasked: kept to
    assert live.snapshot().overruled == (1,)
    assert live.at(1).overruled == (1,)
    assert live.at(0).overruled == ()
