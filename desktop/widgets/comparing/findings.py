"""What a comparison says, in words and figures: on the answers given, and on the labels.

Hides which figure is worth a column and how it is written. Promises that every measure is told with
what it does not mean, and that what was not tried yet is told as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QCoreApplication, QLocale

from desktop.widgets import words
from desktop.widgets.comparing.curve_plot import Axes, Line
from engine.compare import Comparison, OwnAnswers, Trial
from engine.model import Approach

FEW = 10
"""Answers, below which differences mean little."""
_MARKS = (10, 25, 50, 100)  # questions after which a curve is told
_NONE = "–"
_FIRM = "\N{NO-BREAK SPACE}"  # a figure stays with its unit
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class Row:
    """A strategy in the table: its name, a remark on it, and a text for each column."""

    approach: Approach
    place: int
    name: str
    remark: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """All that is shown of one half of a comparison.

    Attributes
    ----------
    facts
        What it rests on.
    meaning
        What the measures mean and do not mean.
    columns
        Title and explanation of each, after the name.
    rows, lines, axes
        The table and the plot.
    """

    facts: str
    meaning: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...]
    axes: Axes


def agreement(value: float) -> str:
    """Write an agreement, 1 = the same; never rounded up to it."""
    shown = 0.99 if 0.985 <= value < 1 else value
    return QLocale().toString(shown + 0.0 if abs(shown) >= 0.005 else 0.0, "f", 2)


def likeness(value: float) -> str:
    """Put an adjusted Rand index into words."""
    for least, said in (
        (1.0, translate("Findings", "the same")),
        (0.9, translate("Findings", "nearly the same")),
        (0.65, translate("Findings", "much alike")),
        (0.3, translate("Findings", "partly alike")),
        (0.05, translate("Findings", "hardly alike")),
    ):
        if value >= least:
            return said
    return translate("Findings", "as if by chance")


def share(value: float) -> str:
    """Write a share of 1 as per cent."""
    return (
        translate("Findings", "{0} %")
        .format(QLocale().toString(100 * value, "f", 0))
        .replace(" ", _FIRM)
    )


def seconds(value: float) -> str:
    """Write a time."""
    if value < 1:
        return (
            translate("Findings", "{0} ms")
            .format(words.number(round(1000 * value)))
            .replace(" ", _FIRM)
        )
    return (
        translate("Findings", "{0} s").format(QLocale().toString(value, "f", 1)).replace(" ", _FIRM)
    )


# ---------------------------------------------------------------------------- own answers


def on_answers(comparison: Comparison) -> Finding:
    """Tell what the answers given lead to with each strategy."""
    tried = [trial.own for trial in comparison.trials if trial.own is not None]
    columns = [
        (
            translate("Findings", "Groups"),
            translate("Findings", "How many groups there are after all answers."),
        ),
        (
            translate("Findings", "As your\ngroups"),
            translate(
                "Findings",
                "Adjusted Rand index between its groups and those on your screen: 1 = the same,"
                " 0 = no more alike than by chance.",
            ),
        ),
        (
            translate("Findings", "Answers\nforeseen"),
            translate(
                "Findings",
                "Before how many answers the groups made of those before it said the same.",
            ),
        ),
    ]
    if comparison.labelled:
        columns.append(
            (
                translate("Findings", "As the\nlabels"),
                translate(
                    "Findings",
                    "ARI (0 = as if by chance) and NMI (0 = tells nothing); 1 = the same.",
                ),
            )
        )
    return Finding(
        facts=_facts_of_answers(comparison, tried[0] if tried else None),
        meaning=_meaning_of_answers(labelled=comparison.labelled),
        columns=tuple(columns),
        rows=tuple(
            _row(trial, at, "", _answer_cells(trial.own, len(columns)))
            for at, trial in enumerate(comparison.trials)
        ),
        lines=tuple(
            Line(trial.label, at, _running_share(trial.own.foreseen))
            for at, trial in enumerate(comparison.trials)
            if trial.own is not None
        ),
        axes=Axes(
            across=translate("Findings", "Answers that nothing before them had settled"),
            up=translate("Findings", "Foreseen so far, in %"),
            low=0,
            high=100,
            after=lambda at: translate("Findings", "After {0}").format(words.answers(at)),
            written=lambda value: share(value / 100),
            level=None
            if comparison.commoner is None
            else (100 * comparison.commoner, translate("Findings", "Always the commoner answer")),
        ),
    )


def _facts_of_answers(comparison: Comparison, own: OwnAnswers | None) -> str:
    if own is None:
        return translate("Findings", "No strategy has been tried on your answers so far.")
    said = [
        translate("Findings", "Your {0} were replayed through each strategy.").format(
            words.answers(own.answers)
        )
        if own.answers != 1
        else translate("Findings", "Your answer was replayed through each strategy.")
    ]
    if comparison.commoner is None:
        said.append(
            translate("Findings", "None of them was there to be foreseen: all were “unsure”.")
        )
        return " ".join(said)
    said.append(
        translate(
            "Findings",
            "{0} of them could be foreseen, as none before had settled them; always saying the"
            " commoner of “same” and “different” would have foreseen {1}.",
        ).format(words.number(len(own.foreseen)), share(comparison.commoner))
    )
    if len(own.foreseen) < FEW:
        said.append(
            translate("Findings", "With so few, differences between strategies mean little.")
        )
    return " ".join(said)


def _meaning_of_answers(*, labelled: bool) -> str:
    said = [
        translate(
            "Findings",
            "Foreseen: before each answer, did the groups made of those before it say the same? The"
            " pairs were chosen by whatever asked at the time, mostly the hard ones: this compares"
            " strategies on your answers and is no accuracy on all pairs.",
        ),
        translate(
            "Findings",
            "As your groups: how alike they are to those on your screen, not which are better.",
        ),
    ]
    if labelled:
        said.append(translate("Findings", "Labels are used for measuring only, never for asking."))
    return " ".join(said)


def _answer_cells(own: OwnAnswers | None, columns: int) -> tuple[str, ...]:
    if own is None:
        return (_NONE,) * columns
    right, all_told = sum(own.foreseen), len(own.foreseen)
    foreseen = _NONE
    if all_told:
        foreseen = translate("Findings", "{0} of {1}\n({2})").format(
            words.number(right), words.number(all_told), share(right / all_told)
        )
    cells = [
        words.number(own.groups),
        f"{agreement(own.agreement)}\n{likeness(own.agreement)}",
        foreseen,
    ]
    if own.ari is not None and own.cri is not None:
        cells.append(
            translate("Findings", "CRI {0}\nARI {1}").format(agreement(own.cri), agreement(own.ari))
        )
    elif own.ari is not None and own.nmi is not None:
        cells.append(
            translate("Findings", "ARI {0}\nNMI {1}").format(agreement(own.ari), agreement(own.nmi))
        )
    return (*cells, *(_NONE,) * (columns - len(cells)))


def _running_share(foreseen: Sequence[bool]) -> tuple[float, ...]:
    return tuple(100 * right / at for at, right in enumerate(accumulate(foreseen), 1))


# ---------------------------------------------------------------------------- labels


def on_labels(comparison: Comparison, measure: str) -> Finding:
    """Tell how an expert made of the labels fared with each strategy.

    Parameters
    ----------
    measure
        "cri", "ari" or "nmi"; the first only where items may belong to several groups.
    """
    marks = [mark for mark in _MARKS if mark < comparison.budget] + [comparison.budget]
    name = measure.upper()
    columns = [
        (
            translate("Findings", "After\n{0}").format(words.number(mark)),
            translate("Findings", "{0} after that many questions.").format(name),
        )
        for mark in marks
    ]
    columns += [
        (
            translate("Findings", "Mean"),
            translate("Findings", "Mean over all questions: learning early counts."),
        ),
        (
            translate("Findings", "Wait"),
            translate(
                "Findings",
                "95 of 100 questions came within this time, on this computer as busy as it was.",
            ),
        ),
    ]
    return Finding(
        facts=_facts_of_labels(comparison),
        meaning=_meaning_of_labels(measure),
        columns=tuple(columns),
        rows=tuple(
            _row(trial, at, _remark_on(trial), _curve_cells(trial, measure, marks))
            for at, trial in enumerate(comparison.trials)
        ),
        lines=tuple(
            Line(trial.label, at, _values(trial, measure))
            for at, trial in enumerate(comparison.trials)
            if trial.curve is not None
        ),
        axes=Axes(
            across=translate("Findings", "Questions answered"),
            up=translate("Findings", "Agreement with the labels ({0})").format(name),
            low=0,
            high=1,
            after=_after_questions,
            written=agreement,
        ),
    )


def _after_questions(at: int) -> str:
    return (
        translate("Findings", "After 1 question")
        if at == 1
        else translate("Findings", "After {0} questions").format(words.number(at))
    )


def _facts_of_labels(comparison: Comparison) -> str:
    if all(trial.curve is None for trial in comparison.trials):
        return translate(
            "Findings", "No strategy has been tried on the labels so far; your answers come first."
        )
    wrong = (
        translate("Findings", "without a mistake")
        if comparison.noise == 0
        else translate("Findings", "wrongly {0} of the time").format(share(comparison.noise))
    )
    return translate(
        "Findings",
        "An expert made of the labels answered up to {0} questions of each strategy, {1}. Labels"
        " are used for answering here and for measuring, never for choosing a pair.",
    ).format(words.number(comparison.budget), wrong)


def _meaning_of_labels(measure: str) -> str:
    holds = translate(
        "Findings",
        "It holds for this expert: if you sort by something else than the labels, another strategy"
        " may suit you better.",
    )
    if measure == "cri":
        kind = translate(
            "Findings",
            "CRI, the compositional Rand index, counts the pairs of items of which groups and"
            " labels say alike whether one has all groups of the other: 1 = for all pairs.",
        )
        return f"{kind} {holds}"
    kind = (
        translate(
            "Findings",
            "ARI, the adjusted Rand index, counts the pairs of items that both groups and labels"
            " put together or apart: 1 = the same groups, 0 = no more alike than by chance.",
        )
        if measure == "ari"
        else translate(
            "Findings",
            "NMI, normalised mutual information, is how much the groups tell of the labels: 1 ="
            " all, 0 = nothing; many small groups reach some by chance.",
        )
    )
    return f"{kind} {holds}"


def _remark_on(trial: Trial) -> str:
    curve = trial.curve
    if curve is None or curve.asked >= curve.budget:
        return ""
    return translate("Findings", "nothing left to ask after {0}").format(words.number(curve.asked))


def _values(trial: Trial, measure: str) -> tuple[float, ...]:
    if trial.curve is None:
        return ()
    return {"cri": trial.curve.cri, "ari": trial.curve.ari}.get(measure, trial.curve.nmi)


def _curve_cells(trial: Trial, measure: str, marks: Sequence[int]) -> tuple[str, ...]:
    values = _values(trial, measure)
    if trial.curve is None or not values:
        return (_NONE,) * (len(marks) + 2)
    return (
        *(agreement(values[mark - 1]) for mark in marks),
        agreement(sum(values) / len(values)),
        seconds(trial.curve.wait(95)),
    )


def _row(trial: Trial, place: int, remark: str, cells: tuple[str, ...]) -> Row:
    if all(cell == _NONE for cell in cells):
        remark = (
            translate("Findings", "takes too much memory")
            if trial.refused
            else translate("Findings", "not tried")
        )
    return Row(trial.approach, place, trial.label, remark, cells)
