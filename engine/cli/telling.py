"""Telling: results as lines for people and plain values for JSON.

Hides how much of a list is spelled out. Promises that no name drives the terminal.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.cli.terminal import plain
from engine.dataset import Dataset, Role, SourceKind, counted

if TYPE_CHECKING:
    from engine.compare import Comparison, OwnAnswers
    from engine.compositional.membership import Composed
    from engine.model import Clustering, Composition, IntArray, Snapshot
    from engine.parameters import Parameter
    from engine.simulate import Curve
    from engine.study import Study

_MARKS = (10, 25, 50, 100, 200, 500)  # questions after which a learning curve is told
_FEW = 10  # answers, below which differences mean little
_NAMED = 8  # columns of one kind that are named


def first_line(documented: object) -> str:
    """Give the first line of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def parameter_facts(parameter: Parameter) -> dict[str, object]:
    """Give what can be set, as plain values."""
    return {
        "name": parameter.name,
        "type": parameter.type.__name__,
        "default": parameter.default,
        "choices": [*parameter.choices, *(f"FILE{ending}" for ending in parameter.files)],
        "help": parameter.help,
    }


def entries_in_words(entries: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Give the lines about what can be asked for by name."""
    width = max((len(entry["name"]) for entry in entries), default=0)
    for entry in entries:
        yield f"  {entry['name']:<{width}}  {entry['about']}"
        for one in entry.get("parameters", ()):
            default = "must be given" if one["default"] is None else f"default {one['default']}"
            values = "|".join(one["choices"]) or one["type"]
            yield f"      --set {one['name']}={values}  ({default}) {one['help']}"


def columns_in_words(dataset: Dataset, embedder: str) -> list[str]:
    """Say, a line for each use, which columns of a table are used for what."""
    if dataset.kind is not SourceKind.TABLE:
        return []
    features = "features" if embedder == "table" else f"not used by {embedder}"
    uses = {
        Role.FEATURE: features,
        Role.TEXT: "only shown",
        Role.ID: "id",
        Role.IMAGE: "picture",
        Role.LABEL: "label",
        Role.IGNORED: "ignored",
    }
    lines = []
    for role, use in uses.items():
        names = [plain(column.name) for column in dataset.columns if column.role is role]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        if names:
            lines.append(f"  {use + ':':<12}{', '.join(names[:_NAMED])}{more}")
    return lines


def moment(at: float) -> str:
    """Write a time (seconds since 1970) as people and programs read it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def after(position: int) -> str:
    """Say where in the history a state is, as the window numbers it."""
    return f"After step #{position}" if position else "At the start"


def described(dataset: Dataset) -> str:
    """Say how many items there are, and how many could not be read."""
    return counted(len(dataset), "item") + (
        f", {len(dataset.problems)} that cannot be used" if dataset.problems else ""
    )


def comparison_in_words(comparison: Comparison) -> Iterator[str]:
    """Give the lines of a comparison: tables of what was tried, and what the columns mean."""
    width = max(len(plain(trial.label)) for trial in comparison.trials)
    own = [(trial.label, trial.own) for trial in comparison.trials if trial.own]
    if own:
        yield from _own_in_words(own, comparison, width)
    curves = [(trial.label, trial.curve) for trial in comparison.trials if trial.curve]
    if own and curves:
        yield ""
    if curves:
        yield from _curves_in_words(curves, comparison, width)
    for trial in comparison.trials:
        if trial.refused:
            yield f"Not tried: {plain(trial.label)}: {plain(trial.refused)}"


def _own_in_words(
    own: Sequence[tuple[str, OwnAnswers]], comparison: Comparison, width: int
) -> Iterator[str]:
    labelled = comparison.labelled
    yield f"On the answers given ({own[0][1].answers}):"
    shares = any(one.cri is not None for _, one in own)
    labels = ("   CRI" if shares else "") + "   ARI   NMI" if labelled else ""
    yield f"  {'':<{width}}  groups  agreement  foreseen       {labels}".rstrip()
    for label, one in own:
        right, among = sum(one.foreseen), len(one.foreseen)
        foreseen = f"{right} of {among}, {right / among:.0%}" if among else "-"
        values = ""
        if one.ari is not None and one.nmi is not None:
            values = f"{one.cri:>6.3f}" if one.cri is not None else ""
            values += f"{one.ari:>6.3f}{one.nmi:>6.3f}"
        yield (
            f"  {plain(label):<{width}}  {one.groups:>6}  {one.agreement:>9.3f}"
            f"  {foreseen:<15}{values}"
        ).rstrip()
    yield "  agreement: ARI with the groups there are; 1 = the same, 0 = as if by chance."
    yield "  foreseen: answers that the groups made of those before them said already; the pairs"
    yield "  were chosen by whatever asked, so this is no accuracy on all pairs."
    if comparison.commoner is not None:
        yield f"  Always the commoner answer would have foreseen {comparison.commoner:.0%}."
    if len(own[0][1].foreseen) < _FEW:
        yield "  With so few, differences mean little."
    if labelled:
        yield f"  {'CRI, ' if shares else ''}ARI, NMI: with the labels."


def _curves_in_words(
    curves: Sequence[tuple[str, Curve]], comparison: Comparison, width: int
) -> Iterator[str]:
    marks = [mark for mark in _MARKS if mark < comparison.budget] + [comparison.budget]
    wrong = f", {comparison.noise:.0%} of them wrong" if comparison.noise else ""
    # beside others, items that may belong to several groups are measured as these: every set is one
    name = "CRI" if all(curve.cri for _, curve in curves) else "ARI"
    yield f"With an expert made of the labels{wrong}: {name} after so many answers"
    yield f"  {'':<{width}}  " + "".join(f"{mark:>7}" for mark in marks) + "   mean    wait"
    for label, curve in curves:
        measured = curve.cri if name == "CRI" else curve.ari
        values = "".join(f"{measured[mark - 1]:>7.3f}" for mark in marks)
        mean = sum(measured) / len(measured)
        line = f"  {plain(label):<{width}}  {values}{mean:>7.3f}{curve.wait(95):>6.2f} s"
        if curve.asked < curve.budget:
            line += f"  nothing left to ask after {curve.asked}"
        yield line
    least = "0 = as if by chance; " if name == "ARI" else ""
    yield f"  1 = the groups of the labels, {least}mean: over all questions;"
    yield "  wait: 95 of 100 questions came within it. Labels are never used to choose a pair."


def agreement(truth: IntArray, labels: IntArray) -> dict[str, float]:
    """Measure a grouping against labels, on the items that have one."""
    from engine import metrics

    known = truth >= 0
    return {
        "ari": metrics.adjusted_rand_index(truth[known], labels[known]),
        "nmi": metrics.normalized_mutual_information(truth[known], labels[known]),
        "ami": metrics.adjusted_mutual_information(truth[known], labels[known]),
        "ri": metrics.rand_index(truth[known], labels[known]),
    }


def clustering_facts(found: Clustering, truth: IntArray | None) -> dict[str, Any]:
    """Give a grouping as plain values, measured against labels where there are any."""
    return {
        "labels": found.labels.tolist(),
        "confidence": [round(value, 4) for value in found.confidence.tolist()],
        "groups": found.n_groups,
        "metrics": None if truth is None else agreement(truth, found.labels),
    }


def composed_facts(found: Composed, labels: Sequence[str | None]) -> dict[str, Any]:
    """Give sets of groups as plain values; labels of the form "a+b" name sets too.

    `labels` of the result, and all measures but CRI, take every set for a group of its own.
    """
    from engine import metrics
    from engine.dataset import label_parts

    clustering = found.as_clustering()
    sets = found.item_sets()
    known = [at for at, label in enumerate(labels) if label is not None]
    measured: dict[str, float] | None = None
    if known:
        truth = [label_parts(label) for label in labels if label is not None]
        numbers = {one: at for at, one in enumerate(dict.fromkeys(truth))}
        cri = metrics.compositional_rand_index(truth, [sets[at] for at in known])
        numbered = np.array([numbers[one] for one in truth], dtype=np.int32)
        measured = {"cri": cri, **agreement(numbered, clustering.labels[known])}
    compositions = [composition_facts(one) for one in found.compositions]
    return {
        "memberships": [list(one) for one in sets],
        "labels": clustering.labels.tolist(),
        "confidence": [round(value, 4) for value in found.confidence.tolist()],
        "groups": found.groups,
        "compositions": compositions,
        "cri": measured["cri"] if measured else None,
        "metrics": measured,
    }


def composition_facts(one: Composition) -> dict[str, Any]:
    """Give what is known of a set of groups, as plain values."""
    return {
        "groups": list(one.groups),
        "items": one.items,
        "fit": round(one.fit, 6),
        "alone": round(one.alone, 6),
    }


def clustering_in_words(result: dict[str, Any]) -> Iterator[str]:
    """Give the lines about a grouping that asked nothing."""
    made = (
        f" and {counted(len(sets), 'composition')}" if (sets := result.get("compositions")) else ""
    )
    yield (
        f"{result['method']}: {counted(result['n'], 'item')} in "
        f"{counted(result['groups'], 'group')}{made}, {result['seconds']:.1f} s"
    )
    if result["metrics"] is not None:
        yield "  ".join(f"{name.upper()} {value:.3f}" for name, value in result["metrics"].items())
    for warning in result["warnings"]:
        yield plain(f"Note: {warning}")


def state_facts(study: Study, snapshot: Snapshot) -> dict[str, Any]:
    """Give a state as plain values: what is asked, what was answered, who is in which group."""
    from engine import metrics, strategies

    truth, labels = study.truth(), snapshot.clustering.labels
    steps = [
        {
            "step": step.seq,
            "kind": step.kind.value,
            "pair": list(step.answer.pair) if step.answer else None,
            "verdict": step.answer.verdict.value if step.answer else None,
            "rater": step.answer.rater if step.answer else None,
            "items": list(step.items),
            "text": step.text,
            "target": step.target,
        }
        for step in snapshot.history
        if step.on_path
    ]
    question = snapshot.question
    known = None if truth is None else truth >= 0
    return {
        "warnings": list(study.session.warnings) if snapshot.live else [],
        **_shared_facts(study, snapshot),
        "strategy": snapshot.approach.strategy,
        "params": dict(snapshot.approach.params),
        "version": strategies.REGISTRY[snapshot.approach.strategy].version,
        "grouping": str(snapshot.grouping),
        "space": str(snapshot.space),
        "seed": study.settings.seed,
        "n": study.problem.n,
        "d": study.problem.d,
        "position": snapshot.position,
        "answered": snapshot.progress.answered,
        "groups": len(snapshot.overview.groups),
        "names": {str(group.slot): group.name for group in snapshot.overview.groups if group.name},
        "slots": snapshot.overview.slots.tolist(),
        "labels": labels.tolist(),
        "question": list(question.pair) if question else None,
        "steps": steps,
        "conflicts": [conflict.seq for conflict in snapshot.conflicts],
        "ari": None if truth is None else metrics.adjusted_rand_index(truth[known], labels[known]),
    }


def _shared_facts(study: Study, snapshot: Snapshot) -> dict[str, object]:
    """Give the slots of items that may belong to several groups; nothing for others."""
    from engine.simulate import sets_agreement

    shared = snapshot.overview.memberships
    if shared is None:
        return {"memberships": None, "compositions": None, "cri": None}
    sets = [shared.of(item) for item in range(study.problem.n)]
    truth = study.truth_sets()
    return {
        "memberships": [list(one) for one in sets],
        "compositions": [composition_facts(one) for one in shared.compositions],
        "cri": None if truth is None else sets_agreement(truth, sets),
    }
