"""Measure where HMCAHC stops merging when it is not told the number of groups.

    python -m tests.benchmark.stopping DATA... [--most-rows 2500] [--only NAME] [--questions 100]

`DATA` as for `tests.benchmark.curves`. Prints, for the true number of groups given, the rule of
`engine.strategies.hmcahc.stopping`, and others that were tried: ARI of the groups before the first
answer, mean ARI over the answers, and how far the number of groups is from the true one before the
first answer and after the last.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np

from engine.job import Job
from engine.metrics import adjusted_rand_index
from engine.problem import Problem
from engine.simulate import Oracle
from engine.strategies.hmcahc import Hmcahc, HmcahcParams, stopping
from engine.strategies.hmcahc.course import Course
from tests.benchmark.labelled import Order, describe, find

Rule = Callable[[Course], int]


def _by_gap(weight: Callable[[np.ndarray], np.ndarray], *, ratio: bool = False) -> Rule:
    """Make a rule of the gap, or the ratio, of two heights, weighed by the number of groups."""

    def merges(course: Course) -> int:
        n, heights = course.hierarchy.n, course.hierarchy.heights
        fewest = max(2, n - course.lawful)
        groups = np.arange(fewest, max(math.isqrt(n), fewest) + 1)
        groups = groups[groups < n]
        if len(groups) == 0:
            return course.lawful
        above, below = heights[n - groups], heights[n - groups - 1]
        gaps = np.log((above + 1e-12) / (below + 1e-12)) if ratio else above - below
        return n - int(groups[(gaps * weight(groups)).argmax()])

    return merges


def _by_share(share: float) -> Rule:
    """Make a rule of a share of the greatest height."""
    return lambda course: int(
        (course.hierarchy.heights <= share * course.hierarchy.heights[-1]).sum()
    )


RULES: dict[str, Rule | None] = {
    "true number given": None,
    "the rule": stopping.merges,
    "gap x root of groups": _by_gap(np.sqrt),
    "largest gap": _by_gap(np.ones_like),
    "ratio x root of groups": _by_gap(np.sqrt, ratio=True),
    "largest ratio": _by_gap(np.ones_like, ratio=True),
    "below 70 % of the root": _by_share(0.7),
}


def curve(
    points: np.ndarray, truth: np.ndarray, questions: int, groups: int
) -> tuple[list[float], list[int]]:
    """Give ARI and number of groups after 0, 1, ... answers."""
    strategy, oracle = Hmcahc(HmcahcParams(groups=groups)), Oracle(truth)
    run = strategy.run(Problem(points), Job())
    query = next(run, None)
    found = [strategy.clustering()]
    while query is not None and len(found) <= questions:
        try:
            query = run.send(oracle.judge(query.pair))
        except StopIteration:
            query = None
        found.append(strategy.clustering())
    found += found[-1:] * (questions + 1 - len(found))
    known = truth >= 0
    scores = [adjusted_rand_index(truth[known], one.labels[known]) for one in found]
    return scores, [one.n_groups for one in found]


def main() -> None:
    """Read the sets and print a line for every rule."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--most-rows", type=int, default=2500)
    parser.add_argument("--questions", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        orders = [
            Order(source, "auto", None, given.most_rows, Path(folder))
            for source in find(given.data, given.only)
        ]
        sets = [np.load(one.arrays) for one in map(describe, orders) if one is not None]
        arrays = [(one["X"], one["y"]) for one in sets]
    sys.stdout.write(f"{len(arrays)} sets, {given.questions} answers\n")
    for name, rule in RULES.items():
        scores, off, times = [], [], []
        for points, truth in arrays:
            true = len(np.unique(truth[truth >= 0]))
            with patch.object(stopping, "merges", rule or stopping.merges):
                ari, groups = curve(points, truth, given.questions, 0 if rule else true)
            scores.append(ari)
            off.append([abs(groups[0] - true), abs(groups[-1] - true)])
            times.append(max(groups[0] / true, true / groups[0]))
        means, (first, last) = np.mean(scores, axis=0), np.median(off, axis=0)
        sys.stdout.write(
            f"{name:24s} ARI before {means[0]:.3f}, mean {means[1:].mean():.3f}; groups off by"
            f" {first:g} before, {last:g} after, {np.mean(np.array(times) <= 2):.0%} within x 2\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
