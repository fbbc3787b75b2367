"""Compare: several strategies on the answers a person gave, and on an expert made of labels.

Hides how answers are replayed through another strategy. Promises that nothing is logged or kept in
the project, that each strategy sees the very same items and answers, that what is known so far is
told after every step, and that a strategy which takes too much memory keeps no other from its turn.

A strategy's groups are judged without labels by **foresight**: before each answer that nothing had
settled, what did the groups made of the answers before it say about the pair? The pairs were chosen
by whatever asked at the time, mostly the hard ones; so the share foreseen compares strategies on
this path and is no accuracy on all pairs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine import answers, metrics, strategies
from engine.answers import Event, EventKind
from engine.constraints import Constraints
from engine.errors import ParameterError, ResourceError
from engine.job import Job
from engine.model import Approach, IntArray, Pair, Verdict

if TYPE_CHECKING:
    from engine.simulate import Curve, Oracle
    from engine.study import Study

_REFUSALS = (ParameterError, ResourceError)  # of one strategy, with these data
_ANOTHER_QUESTION = (
    "The answers given are to another question: whether two items belong to one group, or whether "
    "they have one in common."
)
_LOOKS = 50  # at the groups along the answers


@dataclass(frozen=True, slots=True)
class OwnAnswers:
    """What the answers given so far lead to with a strategy.

    Attributes
    ----------
    groups
        Groups after all answers.
    answers
        Answers in force, UNSURE included; all of them hold.
    agreement
        Adjusted Rand index between its groups and those on the screen.
    foreseen
        For each answer that nothing had settled, in the order given: whether the groups before it
        said the same. Groups are worked out anew at most 50 times, evenly spread.
    ari, nmi, cri
        Agreement of its groups with the labels; None without labels. The compositional Rand index
        only where items may belong to several groups, of which ARI and NMI compare the sets.
    seconds
        What replaying the answers took.
    """

    groups: int
    answers: int
    agreement: float
    foreseen: tuple[bool, ...]
    ari: float | None
    nmi: float | None
    seconds: float
    cri: float | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """One strategy in a comparison; None = not tried yet, or there is nothing to try it on.

    `refused`: why it cannot be tried on so many items; empty = it can.
    """

    label: str
    approach: Approach
    own: OwnAnswers | None = None
    curve: Curve | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Strategies side by side.

    Attributes
    ----------
    trials
        In the order asked for.
    commoner
        Share of the commoner verdict among the answers to be foreseen: what saying always that
        would have foreseen. None without such answers.
    labelled
        Whether there are labels to make an expert of.
    budget, noise
        Of the simulated expert.
    complete
        False while some is still to come.
    """

    trials: tuple[Trial, ...]
    commoner: float | None
    labelled: bool
    budget: int
    noise: float
    complete: bool = False


def compare(
    study: Study,
    approaches: Sequence[tuple[str, Approach]],
    job: Job,
    *,
    budget: int = 100,
    noise: float = 0.0,
) -> Iterator[Comparison]:
    """Try strategies one after the other.

    Parameters
    ----------
    study
        Its answers are replayed; its labels, if it has any, make the simulated expert.
    approaches
        Label and strategy; labels differ.
    budget, noise
        Questions put to the simulated expert, and the chance that a reply is wrong.

    Yields
    ------
    Comparison
        After each strategy's part, and at last the complete one.

    Raises
    ------
    ParameterError
        For an unknown strategy or parameter, two equal labels, or a noise that is none.
    Cancelled
        When `job` was cancelled.
    """
    from engine.simulate import Oracle

    _check(approaches, noise)
    truth = study.truth()
    steps, open_ones = _answers_in_force(study)
    asked = study.session.shares
    verdicts = [same for _, same in open_ones.values()]
    share = float(np.mean(verdicts)) if verdicts else None
    found = Comparison(
        tuple(Trial(label, approach) for label, approach in approaches),
        None if share is None else max(share, 1 - share),
        truth is not None,
        budget,
        noise,
    )
    for at, trial in enumerate(found.trials if steps else ()):
        if _shares(trial.approach) != asked:
            found = _with(found, at, replace(trial, refused=_ANOTHER_QUESTION))
            continue
        try:
            own = _on_own_answers(study, trial.approach, steps, open_ones, truth, job)
            found = _with(found, at, replace(trial, own=own))
        except _REFUSALS as error:  # the others are not to go without
            found = _with(found, at, replace(trial, refused=error.message))
        yield found
    for at, trial in enumerate(found.trials if truth is not None and budget else ()):
        if trial.refused:
            continue
        sets = study.truth_sets() if _shares(trial.approach) else None
        oracle = Oracle(truth if truth is not None else (), noise, study.problem.seed, sets=sets)
        try:
            curve = _simulated(study, trial, oracle, budget, job)
            found = _with(found, at, replace(trial, curve=curve))
        except _REFUSALS as error:
            found = _with(found, at, replace(trial, refused=error.message))
        yield found
    yield replace(found, complete=True)


def _check(approaches: Sequence[tuple[str, Approach]], noise: float) -> None:
    """Refuse what is out of range before anything is done: the last may come after minutes."""
    from engine.simulate import Oracle

    labels = [label for label, _ in approaches]
    if len(set(labels)) < len(labels):
        raise ParameterError("two strategies have the same label", "Write “label: name key=value”.")
    Oracle((), noise)
    for _, approach in approaches:
        strategies.make(approach.strategy, dict(approach.params))


def _shares(approach: Approach) -> bool:
    """Tell whether a strategy asks what items have in common."""
    return not strategies.REGISTRY[approach.strategy].transitive


def _with(comparison: Comparison, at: int, trial: Trial) -> Comparison:
    trials = list(comparison.trials)
    trials[at] = trial
    return replace(comparison, trials=tuple(trials))


# ---------------------------------------------------------------------------- own answers


def _answers_in_force(study: Study) -> tuple[tuple[Event, ...], dict[int, tuple[Pair, bool]]]:
    """Give the steps that bear on groups, and the answers that nothing before them settled.

    Changed answers stand where they were first given, with the verdict in force. Of the ways of
    asking and the spaces that were chosen only the last are kept, which are in use. Names are left
    out, and so is a chosen way of finding groups: strategies are compared by their own.

    Returns
    -------
    tuple
        The steps; by `seq` of an answer, its pair and whether it is SAME.
    """
    path = study.session.log.path()
    changed = {step.target: step for step in path if step.kind is EventKind.REVISE and step.answer}
    chosen = [
        step
        for kind in (EventKind.STRATEGY, EventKind.SPACE)
        for step in [one for one in path if one.kind is kind][-1:]
    ]
    steps: list[Event] = []
    for step in path:
        if step.kind is EventKind.SET_ASIDE or step in chosen:
            steps.append(step)
        elif step.kind is EventKind.ANSWER:
            change = changed.get(step.seq)
            if change is None:
                steps.append(step)
            else:
                steps += [replace(step, answer=change.answer), change]
    closure, open_ones, follows = Constraints(), {}, not study.session.shares
    known: set[Pair] = set()
    for said in answers.statements(path):
        settled = closure.settles(said.pair) if follows else said.pair in known
        if said.verdict is not Verdict.UNSURE and not settled:
            open_ones[said.seq] = said.pair, said.verdict is Verdict.SAME
        if follows:
            closure.add(said.pair, said.verdict, said.seq)
        known.update(pair for pair, _ in said.facts)
    has_answers = any(step.kind is EventKind.ANSWER for step in steps)
    return (tuple(steps) if has_answers else ()), open_ones


def _on_own_answers(
    study: Study,
    approach: Approach,
    steps: tuple[Event, ...],
    open_ones: dict[int, tuple[Pair, bool]],
    truth: IntArray | None,
    job: Job,
) -> OwnAnswers:
    """Let a strategy begin with more and more of the answers, and look at what it foresees.

    The strategy in use is not begun anew each time since it was chosen: its groups are those there
    were.
    """
    from engine.fold import Fold, State
    from engine.simulate import sets_agreement

    started = time.perf_counter()
    folding = Fold(study.problem.apart(), approach, job)
    in_use = approach == study.session.approach
    taken = Event(len(study.session.log.events) + 1, EventKind.STRATEGY, 0.0)
    taken = replace(taken, text=answers.written(approach))
    chosen = [at for at, step in enumerate(steps, 1) if step.kind in answers.CHOICES]

    def groups(done: int) -> State:
        as_there_were = in_use and all(at <= done for at in chosen)
        now = () if as_there_were else (taken,)
        return folding.build((*steps[:done], *now), None)

    stops = _stops(len(steps))
    foreseen = []
    for done, (start, end) in enumerate(pairwise((*stops, len(steps)))):
        job.step(done, len(stops), "Replaying answers")
        state = groups(start)
        for step in steps[start:end]:
            if step.kind is EventKind.ANSWER and step.seq in open_ones:
                pair, same = open_ones[step.seq]
                foreseen.append(state.together(pair) == same)
    state = groups(len(steps))
    labels = state.clustering.labels
    ari = nmi = cri = None
    if truth is not None:
        known = truth >= 0
        ari = metrics.adjusted_rand_index(truth[known], labels[known])
        nmi = metrics.normalized_mutual_information(truth[known], labels[known])
    sets = study.truth_sets()
    if state.composed is not None and sets is not None:
        cri = sets_agreement(sets, state.composed.item_sets())
    return OwnAnswers(
        groups=state.groups,
        answers=len(answers.statements(steps)),
        agreement=metrics.adjusted_rand_index(study.session.clustering.labels, labels),
        foreseen=tuple(foreseen),
        ari=ari,
        nmi=nmi,
        cri=cri,
        seconds=time.perf_counter() - started,
    )


def _stops(steps: int) -> list[int]:
    """Choose after how many steps the groups are looked at: all of them, or `_LOOKS` of many."""
    looks = min(steps, _LOOKS)
    return [steps * at // looks for at in range(looks)]


def _simulated(study: Study, trial: Trial, oracle: Oracle, budget: int, job: Job) -> Curve:
    """Let an expert made of labels answer, from the first question on."""
    from engine.session import Session
    from engine.simulate import simulate

    problem = study.problem.apart()  # what is worked out for it is no part of the project
    params = dict(trial.approach.params)
    session = Session(problem, trial.approach.strategy, params, job=job)
    return simulate(session, oracle, budget, job)


# ---------------------------------------------------------------------------- results


def as_json(comparison: Comparison) -> dict[str, object]:
    """Give a comparison as plain values."""
    return {
        "commoner": comparison.commoner,
        "labelled": comparison.labelled,
        "budget": comparison.budget,
        "noise": comparison.noise,
        "strategies": [
            {
                "label": trial.label,
                "strategy": trial.approach.strategy,
                "params": dict(trial.approach.params),
                "own": None if trial.own is None else _own_as_json(trial.own),
                "simulated": None if trial.curve is None else _curve_as_json(trial.curve),
                "refused": trial.refused or None,
            }
            for trial in comparison.trials
        ],
    }


def _own_as_json(own: OwnAnswers) -> dict[str, object]:
    return {
        "groups": own.groups,
        "answers": own.answers,
        "agreement": round(own.agreement, 6),
        "foreseen": [int(one) for one in own.foreseen],
        "ari": own.ari if own.ari is None else round(own.ari, 6),
        "nmi": own.nmi if own.nmi is None else round(own.nmi, 6),
        "cri": own.cri if own.cri is None else round(own.cri, 6),
        "seconds": round(own.seconds, 4),
    }


def _curve_as_json(curve: Curve) -> dict[str, object]:
    return {
        "asked": curve.asked,
        "groups": curve.groups,
        "ari": [round(value, 6) for value in curve.ari],
        "nmi": [round(value, 6) for value in curve.nmi],
        "cri": [round(value, 6) for value in curve.cri] or None,
        "wait_p50": round(curve.wait(50), 6),
        "wait_p95": round(curve.wait(95), 6),
    }


COLUMNS = ("strategy", "parameters", "measure", "question", "value")
"""Columns of the CSV file: a line for each strategy, measure and question."""


def rows(comparison: Comparison) -> Iterator[tuple[str, str, str, int, str]]:
    """Give the lines of the CSV file; `foreseen` is 1 or 0 for each answer to be foreseen."""
    for trial in comparison.trials:
        params = " ".join(f"{key}={value}" for key, value in trial.approach.params)
        measures: dict[str, Sequence[float]] = {}
        if trial.own is not None:
            measures["foreseen"] = [int(one) for one in trial.own.foreseen]
        if trial.curve is not None:
            measures |= {"ari": trial.curve.ari, "nmi": trial.curve.nmi}
            measures |= {"cri": trial.curve.cri} if trial.curve.cri else {}
        for measure, values in measures.items():
            for question, value in enumerate(values, 1):
                yield trial.label, params, measure, question, f"{value:.6g}"


def write_csv(study: Study, comparison: Comparison, path: Path) -> str:
    """Write a comparison as a table; say what was written.

    Raises
    ------
    EngineError
        When the file cannot be written, or is the source or the project itself.
    """
    from engine.export import write_table

    lines = [[str(cell) for cell in row] for row in rows(comparison)]
    return write_table(study, path, COLUMNS, lines)
