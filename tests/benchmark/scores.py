"""Scores: many learning curves made into a few figures, and these into tables.

Hides the statistics and the layout. Promises that methods are compared over the same sets only,
that what was measured with several seeds says how far it can be trusted, and that it is said over
which sets a figure is.

The sets count alike, however large. A standard error is over seeds: how far the order of the rows
and what is drawn by chance move a figure, not how far another choice of sets would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.benchmark.runs import Record

Floats = npt.NDArray[np.float64]
Peers = Mapping[str, Mapping[str, Sequence[float]]]
"""{method: {set: [ARI after each question]}}, as rivals' curves come."""

MARKS = (25, 50, 100, 200)
"""Questions after which the state is told."""

ALIKE = 0.0005
"""Means nearer than this are equal: tables show three places."""


@dataclass(frozen=True)
class Measured:
    """What a method gave on a set.

    Attributes
    ----------
    curve
        float[budget], ARI after each question; mean over seeds.
    spread
        Standard error of the mean ARI over the questions; None with one seed.
    """

    curve: Floats
    spread: float | None = None

    @property
    def mean(self) -> float:
        """Mean ARI over the questions: the area under the curve."""
        return float(self.curve.mean())


Curves = Mapping[str, Mapping[str, Measured]]
"""By method, then by set."""


def averaged(curves: npt.ArrayLike) -> Measured:
    """Average the curves of several seeds, float[seeds, budget]."""
    array = np.asarray(curves, np.float64)
    means = array.mean(axis=1)
    spread = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None
    return Measured(array.mean(axis=0), spread)


def rivals(peers: Peers, budget: int, sets: Sequence[str]) -> Curves:
    """Take the rivals' curves on these sets, up to `budget`; shorter ones are left out."""
    found = {
        name: {
            one: Measured(np.asarray(curves[one][:budget], np.float64))
            for one in sets
            if len(curves.get(one, ())) >= budget
        }
        for name, curves in peers.items()
    }
    return {name: curves for name, curves in found.items() if curves}


def beside(ours: Curves, others: Curves, wanted: Sequence[str] | None) -> Curves:
    """Choose the methods that are compared over one choice of sets: those that all of them have.

    Parameters
    ----------
    wanted
        Rivals by name; None = those with no fewer of the sets than any other.

    Returns
    -------
    The methods with their curves on these sets, ours first. Where there are no such sets, ours.
    """
    most = max(map(len, others.values()), default=0)
    chosen = {
        name: curves
        for name, curves in others.items()
        if (len(curves) == most if wanted is None else name in wanted)
    }
    return _over_the_same({**ours, **chosen}) or _over_the_same(ours)


def _over_the_same(curves: Curves) -> Curves:
    shared = [
        one
        for one in next(iter(curves.values()))
        if all(one in by_set for by_set in curves.values())
    ]
    if not shared:
        return {}
    return {name: {one: by_set[one] for one in shared} for name, by_set in curves.items()}


def mean_curves(curves: Curves) -> dict[str, Floats]:
    """Average the curves of each method over its sets."""
    return {
        name: np.mean([measured.curve for measured in by_set.values()], axis=0)
        for name, by_set in curves.items()
    }


def summary(curves: Curves) -> str:
    """Give a table of the methods, which must have the same sets.

    A method wins a set where none has a higher mean, so that several may win one. Rank 1 is the
    best; equal ones share the mean of their ranks.
    """
    from scipy.stats import rankdata

    means = np.array([[one.mean for one in by_set.values()] for by_set in curves.values()])
    ranks = rankdata(-means, axis=0).mean(axis=1)
    wins = (means == means.max(axis=0)).sum(axis=1)
    overall = mean_curves(curves)
    budget = len(next(iter(overall.values())))
    marks = [mark for mark in MARKS if mark < budget] + [budget]
    rows = []
    for place, (name, by_set) in enumerate(curves.items()):
        mean = with_error(float(means[place].mean()), _spread_over(list(by_set.values())))
        at = [f"{overall[name][mark - 1]:.3f}" for mark in marks]
        rows.append([name, mean, *at, f"{wins[place]}", f"{ranks[place]:.2f}"])
    head = ["method", f"mean 1..{budget}", *(f"@{mark}" for mark in marks), "wins", "mean rank"]
    return table(head, rows)


def _spread_over(sets: Sequence[Measured]) -> float | None:
    """Give the standard error of a mean over sets, from those of the sets."""
    known = [one.spread for one in sets if one.spread is not None]
    if len(known) < len(sets):
        return None
    return float(np.sqrt(np.square(known).sum()) / len(known))


def against_the_first(curves: Curves) -> str:
    """Compare the first method with each other one, over the sets that both have.

    p is Wilcoxon's signed-rank test of the means per set, two-sided; it needs a difference.
    """
    first, *others = curves
    rows = []
    for name in others:
        shared = [one for one in curves[first] if one in curves[name]]
        if not shared:
            continue
        gain = np.array([curves[first][one].mean - curves[name][one].mean for one in shared])
        equal = int((np.abs(gain) < ALIKE).sum())
        better = int((gain >= ALIKE).sum())
        rows.append(
            [
                name,
                f"{len(shared)}",
                f"{better} / {equal} / {len(shared) - better - equal}",
                f"{gain.mean():+.4f}",
                _chance(gain),
            ]
        )
    return table(["against", "sets", "better / equal / worse", "mean gain", "p"], rows)


def _chance(gain: Floats) -> str:
    from scipy.stats import wilcoxon

    if not gain.any():
        return "-"
    return f"{wilcoxon(gain).pvalue:.3g}"


def each_set(curves: Curves, facts: Mapping[str, tuple[int, int, int]]) -> str:
    """Give the mean ARI of every method on every set, the best in bold.

    Parameters
    ----------
    facts
        (n, d, k) by set; gives the order.
    """
    rows = []
    for one, numbers in facts.items():
        held = [by_set.get(one) for by_set in curves.values()]
        best = max((measured.mean for measured in held if measured), default=0.0)
        cells = []
        for measured in held:
            text = "-" if measured is None else with_error(measured.mean, measured.spread)
            wins = measured is not None and best - measured.mean < ALIKE
            cells.append(f"**{text}**" if wins else text)
        rows.append([one, *map(str, numbers), *cells])
    return table(["set", "n", "d", "k", *curves], rows)


def costs(records: Mapping[str, Sequence[Record]]) -> str:
    """Give what the runs of each method took: the middle one and, behind a stroke, the worst."""
    rows = []
    for name, runs in records.items():
        if not runs:
            continue
        seconds = [run["seconds"] for run in runs]
        rows.append(
            [
                name,
                f"{len(runs)}",
                _middle_and_most([one["prepare"] for one in seconds], 2),
                _middle_and_most([one["ask_p50"] * 1000 for one in seconds], 1),
                _middle_and_most([one["ask_p95"] * 1000 for one in seconds], 1),
                _middle_and_most([run["peak_rss_mb"] for run in runs], 0),
                f"{np.median([run['asked'] for run in runs]):.0f}",
            ]
        )
    head = ["first question, s", "wait p50, ms", "wait p95, ms", "peak memory, MiB", "asked"]
    return table(["method", "runs", *head], rows)


def _middle_and_most(values: Sequence[float], places: int) -> str:
    return f"{np.median(values):.{places}f} / {max(values):.{places}f}"


def with_error(value: float, spread: float | None) -> str:
    """Write a figure with its standard error, if it has one."""
    return f"{value:.3f}" if spread is None else f"{value:.3f} ± {spread:.3f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table that can be read as text too; the first column is of words."""
    cells = [list(map(str, row)) for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        " | ".join(
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    rule = "|".join(
        "-" * (width + 2) if not place else "-" * (width + 1) + ":"
        for place, width in enumerate(widths)
    )
    body = [f"| {line} |" for line in lines]
    return "\n".join([body[0], f"|{rule}|", *body[1:]])
