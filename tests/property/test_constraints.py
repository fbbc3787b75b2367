"""Closure against brute force: an equivalence relation, cannot-links between whole classes."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from engine.constraints import Constraints
from engine.model import Pair, Verdict

N = 7
pairs = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1])
told = st.lists(st.tuples(pairs, st.sampled_from(Verdict)), max_size=25)


def brute_force(facts: list[tuple[Pair, Verdict]]) -> dict[Pair, Verdict]:
    """Close by repeated joining of labels; every fact is known to be free of contradiction."""
    label = list(range(N))
    for pair, verdict in facts:
        if verdict is Verdict.SAME:
            old, new = label[pair.b], label[pair.a]
            label = [new if x == old else x for x in label]
    closed: dict[Pair, Verdict] = {}
    for a, b in combinations(range(N), 2):
        if label[a] == label[b]:
            closed[Pair(a, b)] = Verdict.SAME
        elif any(
            v is Verdict.DIFFERENT and {label[p.a], label[p.b]} == {label[a], label[b]}
            for p, v in facts
        ):
            closed[Pair(a, b)] = Verdict.DIFFERENT
    return closed


@given(told)
def test_closure_equals_brute_force(answers: list[tuple[tuple[int, int], Verdict]]) -> None:
    constraints = Constraints()
    facts: list[tuple[Pair, Verdict]] = []
    for seq, (raw, verdict) in enumerate(answers, 1):
        pair = Pair.of(*raw)
        conflict = constraints.add(pair, verdict, seq)
        if conflict is None and verdict is not Verdict.UNSURE:
            facts.append((pair, verdict))
    closed = brute_force(facts)
    for a, b in combinations(range(N), 2):
        pair = Pair(a, b)
        assert (constraints.verdict(pair) if constraints.settles(pair) else None) == closed.get(
            pair
        )
    assert constraints.implied == len(closed) - len({pair for pair, _ in facts})


@given(told)
def test_every_settled_pair_is_explained_by_answers_given(
    answers: list[tuple[tuple[int, int], Verdict]],
) -> None:
    constraints = Constraints()
    given_answers = set()
    for seq, (raw, verdict) in enumerate(answers, 1):
        pair = Pair.of(*raw)
        if constraints.add(pair, verdict, seq) is None:
            given_answers.add((seq, pair, verdict))
    for a, b in combinations(range(N), 2):
        pair = Pair(a, b)
        chain = constraints.why(pair)
        assert set(chain) <= given_answers
        if not constraints.settles(pair):
            assert chain == ()
            continue
        # The chain alone, taken as answers, must settle the pair the same way.
        alone = Constraints()
        for seq, link, verdict in chain:
            alone.add(link, verdict, seq)
        assert alone.verdict(pair) == constraints.verdict(pair)
        apart = [verdict for _, _, verdict in chain].count(Verdict.DIFFERENT)
        assert apart == (constraints.verdict(pair) is Verdict.DIFFERENT)


@given(told)
def test_a_contradiction_names_its_chain_and_changes_nothing(
    answers: list[tuple[tuple[int, int], Verdict]],
) -> None:
    constraints = Constraints()
    for seq, (raw, verdict) in enumerate(answers, 1):
        pair = Pair.of(*raw)
        before = constraints.verdict(pair)
        conflict = constraints.add(pair, verdict, seq)
        if conflict is not None:
            assert constraints.verdict(pair) == before
            assert conflict.chain == constraints.why(pair)
            assert set(pair) <= constraints.frozen


def test_unsure_gives_way_to_an_answer() -> None:
    constraints = Constraints()
    pair = Pair(0, 1)
    constraints.add(pair, Verdict.UNSURE, 1)
    assert constraints.verdict(pair) is Verdict.UNSURE
    constraints.add(pair, Verdict.DIFFERENT, 2)
    assert constraints.verdict(pair) is Verdict.DIFFERENT
    constraints.add(pair, Verdict.UNSURE, 3)
    assert constraints.verdict(pair) is Verdict.DIFFERENT
