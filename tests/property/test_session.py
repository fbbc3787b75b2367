"""Whatever a person does, the state shown is the fold of the log; undo and replay are exact."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import answers, strategies
from engine.answers import AnswerLog
from engine.errors import Cancelled, ConstraintError, ParameterError, ResourceError, UsageError
from engine.job import Job
from engine.model import Approach, Pair, Snapshot, Source, StepKind, Verdict
from engine.problem import Problem
from engine.session import Session

N = 24
STRATEGIES = tuple(strategies.REGISTRY)
TOLERANT = "falcon noise=0.1"  # weighs answers, and may overrule them
EVERY = (*STRATEGIES, TOLERANT)
TRANSITIVE = tuple(name for name, one in strategies.REGISTRY.items() if one.transitive)


def blobs(n: int = N) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    truth = np.arange(n) % 4
    centres = np.array([[0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]])
    return centres[truth] + rng.normal(0, 0.09, (n, 2)), truth


POINTS, TRUTH = blobs()
PROBLEM = Problem(POINTS, seed=7)


def session(strategy: str, log: AnswerLog | None = None, problem: Problem | None = None) -> Session:
    name, *params = strategy.split()
    return Session(problem or PROBLEM, name, dict(param.split("=") for param in params), log=log)


def seen(snapshot: Snapshot) -> dict[str, object]:
    """Collect what a person can see of a state, as comparable values."""
    return {
        "labels": snapshot.clustering.labels.tolist(),
        "confidence": snapshot.clustering.confidence.tolist(),
        "prototypes": snapshot.clustering.exemplars,
        "slots": snapshot.overview.slots.tolist(),
        "names": [(group.slot, group.name) for group in snapshot.overview.groups],
        "question": snapshot.question and snapshot.question.pair,
        "position": snapshot.position,
        "undo": snapshot.undo,
        "redo": snapshot.redo,
        "progress": snapshot.progress,
        "conflicts": snapshot.conflicts,
        "overruled": snapshot.overruled,
        "approach": snapshot.approach,
        "history": snapshot.history,
    }


def unmoved(snapshot: Snapshot) -> dict[str, object]:
    """Leave out what undo may change: the way forward, and the log itself."""
    return {k: v for k, v in seen(snapshot).items() if k not in {"redo", "history"}}


def judge(pair: Pair) -> Verdict:
    return Verdict.SAME if TRUTH[pair.a] == TRUTH[pair.b] else Verdict.DIFFERENT


def oracle(live: Session, answers: int) -> None:
    for _ in range(answers):
        question = live.ask()
        if question is None:
            return
        live.tell(question.pair, judge(question.pair))


def together(live: Session, pair: Pair) -> bool:
    """Whether two items are in the same group, or have one in common, those set aside too."""
    if live.shares:
        sets = live.item_sets
        return not set(sets[pair.a]).isdisjoint(sets[pair.b])
    labels = live.clustering.labels
    return bool(labels[pair.a] == labels[pair.b] != -1)


moves = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), st.sampled_from([*Verdict, None, None, None])),
        st.tuples(
            st.just("volunteer"),
            st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.sampled_from(Verdict)),
        ),
        st.tuples(st.just("undo"), st.none()),
        st.tuples(st.just("redo"), st.none()),
        st.tuples(st.just("go to"), st.integers(0, 30)),
        st.tuples(st.just("revise"), st.tuples(st.integers(0, 30), st.sampled_from(Verdict))),
        st.tuples(st.just("set aside"), st.integers(0, N - 1)),
        st.tuples(st.just("name"), st.tuples(st.integers(0, N - 1), st.sampled_from("abc"))),
        st.tuples(st.just("look ahead"), st.none()),
        st.tuples(st.just("change strategy"), st.sampled_from(EVERY)),
        st.tuples(st.just("consider"), st.sampled_from(EVERY)),
    ),
    max_size=25,
)


def consider(live: Session, strategy: str) -> None:
    before = seen(live.snapshot())
    live.consider(strategies.read(strategy)[1], Job())
    assert seen(live.snapshot()) == before


SIMPLE: dict[str, Callable[[Session, Any], object]] = {
    "set aside": lambda live, item: live.set_aside([item]),
    "name": lambda live, what: live.name_group(*what),
    "look ahead": lambda live, _: live.speculate(Job()),
    "consider": consider,
    "change strategy": lambda live, text: live.choose(strategies.read(text)[1]),
}


def perform(live: Session, move: tuple[str, object]) -> None:
    kind, what = move
    question = live.ask()
    snapshot = live.snapshot()
    if kind == "answer" and question is not None:
        live.tell(question.pair, what or judge(question.pair))
    elif kind == "volunteer":
        a, b, verdict = what
        if a != b:
            live.tell(Pair.of(a, b), verdict)
    elif kind == "undo" and snapshot.undo is not None:
        live.undo()
    elif kind == "redo" and snapshot.redo is not None:
        live.redo()
    elif kind == "go to":
        steps = [0, *(item.seq for item in snapshot.history)]
        live.go_to(steps[what % len(steps)])
    elif kind == "revise":
        at, verdict = what
        said = [h.seq for h in snapshot.history if h.on_path and h.kind is StepKind.ANSWER]
        if said:
            live.revise(said[at % len(said)], verdict)
    elif kind in SIMPLE:
        SIMPLE[kind](live, what)


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves)
def test_the_live_state_is_the_fold_of_the_log(
    strategy: str, plan: list[tuple[str, object]]
) -> None:
    live = session(strategy)
    for move in plan:
        perform(live, move)
    again = session(strategy, AnswerLog(live.log.events))
    ours, theirs = seen(live.snapshot()), seen(again.snapshot())
    # A fresh session has not walked other branches: it knows the effects on its own path only.
    for state in (ours, theirs):
        state["history"] = [
            h if h.on_path else (h.seq, h.parent, h.answer) for h in state["history"]
        ]
    assert ours == theirs


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves)
def test_the_groups_break_no_answer_in_force(strategy: str, plan: list[tuple[str, object]]) -> None:
    live = session(strategy)
    for move in plan:
        perform(live, move)
    snapshot = live.snapshot()
    excused = {conflict.seq for conflict in snapshot.conflicts}
    excused.update(snapshot.overruled)  # where a move chose a strategy that may overrule answers
    for said in answers.statements(live.log.path()):
        if said.seq not in excused and said.verdict is not Verdict.UNSURE:
            assert together(live, said.pair) == (said.verdict is Verdict.SAME)


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves, st.sampled_from(Verdict))
def test_undo_takes_an_answer_back_exactly(
    strategy: str, plan: list[tuple[str, object]], verdict: Verdict
) -> None:
    live = session(strategy)
    for move in plan:
        perform(live, move)
    question = live.ask()
    if question is None:
        return
    before = unmoved(live.snapshot())
    after = seen(live.tell(question.pair, verdict))
    assert unmoved(live.undo()) == before
    again = seen(live.redo())
    assert {**again, "history": None} == {**after, "history": None}


@pytest.mark.parametrize("strategy", EVERY)
def test_every_state_can_be_looked_at_again_as_it_was(strategy: str) -> None:
    live = session(strategy)
    shown = [unmoved(live.snapshot())]
    for _ in range(20):
        question = live.ask()
        if question is None:
            break
        shown.append(unmoved(live.tell(question.pair, judge(question.pair))))
    present = seen(live.snapshot())
    for fresh in (live, session(strategy, AnswerLog(live.log.events))):
        for then in shown:
            replayed = fresh.at(then["position"])
            assert not replayed.live
            assert unmoved(replayed) == {**then, "question": None, "undo": None}
    assert seen(live.snapshot()) == present


@pytest.mark.parametrize("verdict", list(Verdict))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_look_ahead_changes_nothing_but_the_wait(strategy: str, verdict: Verdict) -> None:
    plain, ahead = session(strategy), session(strategy)
    for step in range(12):
        question = plain.ask()
        if question is None:
            break
        ready = ahead.speculate(Job())
        assert ready.revision == plain.snapshot().revision
        told = verdict if step % 3 == 0 else judge(question.pair)
        a = plain.tell(question.pair, told)
        b = ahead.tell(question.pair, told)
        mine, theirs = seen(a), seen(b)
        for state in (mine, theirs):
            state["history"] = [(h.seq, h.answer, h.effect) for h in state["history"]]
        assert mine == theirs
        expected = ready.next_if[told]
        assert (expected and expected.pair) == (b.question and b.question.pair)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("source", list(Source))
def test_a_deliberate_answer_is_no_reply_and_is_not_taken_for_one(
    strategy: str, source: Source
) -> None:
    plain, ahead = session(strategy), session(strategy)
    for _ in range(8):
        ahead.speculate(Job())
        question = plain.ask()
        told = judge(question.pair)
        theirs = ahead.tell(question.pair, told, source=source)
        assert unmoved(plain.tell(question.pair, told, source=source)) == unmoved(theirs)


def test_what_a_person_placed_keeps_its_colour_whatever_moves_along() -> None:
    live = session("falcon")
    slot_of: dict[int, int] = {}
    for _ in range(40):
        question = live.ask()
        if question is None:
            break
        snapshot = live.tell(question.pair, judge(question.pair))
        now = {
            item: int(snapshot.overview.slots[item])
            for item in snapshot.clustering.exemplars
            if snapshot.clustering.confidence[item] > 0
        }
        assert {item: now[item] for item in slot_of} == slot_of
        slot_of = now


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_answered_or_implied_pair_is_asked_and_set_aside_items_never(strategy: str) -> None:
    live = session(strategy)
    live.set_aside([0, 5, 9])
    for _ in range(60):
        question = live.ask()
        if question is None:
            break
        assert live.constraints.verdict(question.pair) is None
        assert not {0, 5, 9} & set(question.pair)
        live.tell(question.pair, judge(question.pair))
    assert set(live.snapshot().overview.slots[[0, 5, 9]]) == {-1}


@pytest.mark.parametrize("strategy", TRANSITIVE)
def test_a_contradiction_is_logged_shown_and_left_without_effect(strategy: str) -> None:
    live = session(strategy)
    live.tell(Pair(0, 4), Verdict.SAME)
    before = live.tell(Pair(4, 8), Verdict.SAME).clustering.labels.tolist()
    snapshot = live.tell(Pair(0, 8), Verdict.DIFFERENT)
    (conflict,) = snapshot.conflicts
    assert [pair for _, pair, _ in conflict.chain] == [Pair(0, 4), Pair(4, 8)]
    assert snapshot.clustering.labels.tolist() == before
    assert any(group.in_conflict for group in snapshot.overview.groups)
    assert not {0, 4, 8} & set(snapshot.question.pair)
    assert len(live.log.events) == 3
    assert live.revise(2, Verdict.DIFFERENT).conflicts == ()


def test_sharing_is_not_transitive_and_leaving_closes_the_answers() -> None:
    """A shares with B, B with C, A nothing with C: no contradiction where B may be both."""
    live = session("composing")
    live.tell(Pair(0, 4), Verdict.SAME)
    live.tell(Pair(4, 8), Verdict.SAME)
    snapshot = live.tell(Pair(0, 8), Verdict.DIFFERENT)
    assert snapshot.conflicts == snapshot.overruled == ()
    assert snapshot.progress.implied == 0
    composed = snapshot.overview.memberships
    assert composed is not None
    assert [composed.share(*pair) for pair in ((0, 4), (4, 8), (0, 8))] == [True, True, False]
    assert live.clustering.n_groups == len(composed.sets)
    ordinary = live.choose(Approach("falcon"))
    assert ordinary.overview.memberships is None
    assert [one.pair for one in ordinary.conflicts] == [Pair(0, 8)]
    again = live.choose(Approach("composing"))
    assert again.conflicts == again.overruled == ()
    assert live.suggested is None
    with pytest.raises(ConstraintError):
        live.suggest(Job())


def test_of_two_facts_about_a_pair_the_later_holds_and_the_other_is_told() -> None:
    live = session("composing")
    live.tell(Pair(0, 1), Verdict.SAME)
    assert live.tell(Pair(0, 1), Verdict.DIFFERENT).overruled == (1,)


def test_an_answer_that_cannot_be_saved_changes_nothing() -> None:
    full = False

    def commit(_event: object) -> None:
        if full:
            raise OSError("no space left on device")

    live = Session(PROBLEM, "falcon", commit=commit)
    oracle(live, 5)
    before, full = seen(live.snapshot()), True
    question = live.ask()
    for attempt in (
        lambda: live.tell(question.pair, Verdict.SAME),
        live.undo,
        lambda: live.set_aside([1]),
        lambda: live.revise(1, Verdict.UNSURE),
    ):
        with pytest.raises(OSError, match="no space"):
            attempt()
        assert seen(live.snapshot()) == before
    full = False
    oracle(live, 1)
    assert live.snapshot().progress.answered == 6


@pytest.mark.parametrize("strategy", EVERY)
def test_what_was_prepared_outlives_the_job_it_was_prepared_in(strategy: str) -> None:
    live, plain = session(strategy), session(strategy)
    for _ in range(6):
        live.job = earlier = Job()
        live.speculate(earlier)
        live.job = Job()
        earlier.cancel()
        for _ in range(3):  # the first takes up what was prepared, the others drive it on
            question = live.ask()
            if question is None:
                break
            told = live.tell(question.pair, judge(question.pair))
            assert (
                seen(told)["labels"]
                == seen(plain.tell(question.pair, judge(question.pair)))["labels"]
            )
            assert live.ask() == plain.ask()


class Fuse(Job):
    """Stops what it is given to after some steps, as a person may at any moment."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.left = steps

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves, st.lists(st.none() | st.integers(0, 25), min_size=1, max_size=25))
def test_look_ahead_half_way_or_whole_never_shows_after_any_move(
    strategy: str, plan: list[tuple[str, object]], fuses: list[int | None]
) -> None:
    plain = session(strategy)
    ahead = session(strategy, problem=Problem(POINTS, seed=7))  # its own step cache: there is work
    for at, move in enumerate(plan):
        fuse = fuses[at % len(fuses)]
        with contextlib.suppress(Cancelled):
            ahead.speculate(Job() if fuse is None else Fuse(fuse))
        perform(plain, move)
        perform(ahead, move)
        assert unmoved(ahead.snapshot()) == unmoved(plain.snapshot())
        assert ahead.ask() == plain.ask()
    question = ahead.ask()
    ready = ahead.speculate(Job()).next_if
    assert set(ready) == (set(Verdict) if question else set())
    for verdict, following in ready.items():
        then = session(strategy, AnswerLog(plain.log.events)).tell(question.pair, verdict).question
        assert (following and following.pair) == (then and then.pair)


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves)
def test_what_is_no_longer_held_is_shown_as_it_was(
    strategy: str, plan: list[tuple[str, object]]
) -> None:
    live = session(strategy)
    for move in plan:
        perform(live, move)
    for seq in [0, *(item.seq for item in live.snapshot().history)]:
        held = seen(live.at(seq))
        live._seen.clear()
        assert seen(live.at(seq)) == held


def test_a_step_leaves_a_few_numbers_and_is_described_once() -> None:
    live = session("falcon")
    oracle(live, 10)
    before = live.snapshot().history
    oracle(live, 1)
    after = live.snapshot().history
    assert all(one is other for one, other in zip(before, after, strict=False))
    assert max(map(len, live._slots.values())) <= live.clustering.n_groups + 1


@pytest.mark.parametrize("strategy", EVERY)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(moves, st.lists(st.integers(0, 12), min_size=1, max_size=25))
def test_a_stop_at_any_moment_leaves_no_half_state(
    strategy: str, plan: list[tuple[str, object]], fuses: list[int]
) -> None:
    live = session(strategy, problem=Problem(POINTS, seed=7))  # its own step cache: there is work
    for at, move in enumerate(plan):
        live.job = Job()
        live.ask()
        live.job = Fuse(fuses[at % len(fuses)])
        with contextlib.suppress(Cancelled):
            if move[0] == "look ahead":
                live.speculate(live.job)
            else:
                perform(live, move)
    live.job = Job()
    again = session(strategy, AnswerLog(live.log.events))
    assert unmoved(live.snapshot()) == unmoved(again.snapshot())


@pytest.mark.parametrize("prepared", [False, True])
def test_a_strategy_that_cannot_be_begun_never_reaches_the_log(prepared: bool) -> None:
    """Else neither this session nor any later one could build the state."""
    live = session("random", problem=Problem(np.random.default_rng(0).random((600, 2))))
    for _ in range(3):
        live.tell(live.ask().pair, Verdict.DIFFERENT)
    before, events = seen(live.snapshot()), live.log.events
    if prepared:  # another one was looked at meanwhile
        live.consider(Approach("cobras"), Job())
    live.job = stopped = Job()
    with pytest.raises(ResourceError):
        live.choose(Approach("hmcahc", (("memory", "1"),)))
    stopped.cancel()
    with pytest.raises(Cancelled):
        live.choose(Approach("hmcahc"))
    live.job = Job()
    assert seen(live.snapshot()) == before
    assert live.log.events == events
    assert live.choose(Approach("hmcahc")).approach.strategy == "hmcahc"


def test_what_a_snapshot_shows_cannot_be_written_to() -> None:
    live = session("falcon")
    oracle(live, 3)
    for state in (live.snapshot(), live.at(1)):
        shown = state.clustering, state.overview
        assert not any(part.confidence.flags.writeable for part in shown)
        assert not state.clustering.labels.flags.writeable
        assert not state.overview.slots.flags.writeable


@pytest.mark.parametrize("item", [-1, N, 1.5, "1", None])
def test_what_is_no_item_never_reaches_the_log(item: Any) -> None:
    one = session("falcon")
    for attempt in (
        lambda: one.set_aside([0, item]),
        lambda: one.name_group(item, "x"),
        lambda: one.tell(Pair(0, item), Verdict.SAME),
    ):
        with pytest.raises((UsageError, TypeError)):
            attempt()
    assert one.log.events == ()
    one.set_aside(np.array([2, 3]))
    assert [type(i) for i in one.log.events[0].items] == [int, int]


# ---------------------------------------------------------------------- another strategy


@pytest.mark.parametrize("other", EVERY)
@pytest.mark.parametrize("first", ["falcon", "cobras", TOLERANT])
def test_another_strategy_takes_over_the_answers(first: str, other: str) -> None:
    live = session(first)
    oracle(live, 14)
    approach = strategies.read(other)[1]
    outlook = live.consider(approach, Job())
    assert outlook.approach == approach
    assert outlook.answers == 14
    before = live.snapshot()
    after = live.choose(approach)
    assert after.approach == approach
    assert (after.question and after.question.pair) == (outlook.question and outlook.question.pair)
    assert after.history[-1].approach == approach
    assert after.history[-1].effect == outlook.effect
    if TOLERANT not in {first, other} and after.overview.memberships is None:
        labels = after.clustering.labels
        for said in live.statements:
            same = labels[said.pair.a] == labels[said.pair.b]
            assert same == (said.verdict is Verdict.SAME)
    replayed = session(first, AnswerLog(live.log.events))
    assert seen(replayed.snapshot()) == seen(after)
    assert unmoved(live.undo()) == unmoved(replayed.undo()) == unmoved(before)


def test_a_considered_strategy_is_taken_as_it_was_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live = session("falcon")
    oracle(live, 8)
    approach = strategies.read("cobras")[1]
    live.consider(approach, Job())
    monkeypatch.setattr(live._folding, "build", None)  # nothing is built anew
    live.choose(approach)
    assert live.approach == approach
    monkeypatch.undo()
    assert seen(session("falcon", AnswerLog(live.log.events)).snapshot()) == seen(live.snapshot())


def test_an_unknown_strategy_changes_nothing() -> None:
    live = session("falcon")
    with pytest.raises(ParameterError, match="no strategy"):
        live.choose(Approach("oracle of Delphi"))
    with pytest.raises(ParameterError, match="width"):
        live.choose(Approach("falcon", (("width", "huge"),)))
    assert not live.log.events


def test_a_cut_is_looked_at_and_leaves_no_trace() -> None:
    live = session("falcon")
    oracle(live, 10)
    before = seen(live.snapshot())
    for count in (1, 4, N):
        cut = live.cut(count, Job())
        assert len(cut.overview.groups) == count
        assert not cut.live
        labels = cut.clustering.labels
        assert set(cut.overruled) == {
            said.seq
            for said in live.statements
            if (said.verdict is Verdict.SAME) != (labels[said.pair.a] == labels[said.pair.b])
        }
    assert seen(live.snapshot()) == before
    with pytest.raises(UsageError, match="level"):
        live.cut(N + 1, Job())
