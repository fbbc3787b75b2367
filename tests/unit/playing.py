"""Strategies played without a session: queries answered one after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.job import Job
from engine.model import Clustering, Pair, Query, Verdict
from engine.problem import Problem
from engine.strategies import Strategy

Judge = Callable[[Pair], Verdict]


def expert(truth: np.ndarray) -> Judge:
    """Make somebody who knows the groups, int[n], and never errs."""
    return lambda pair: Verdict.SAME if truth[pair.a] == truth[pair.b] else Verdict.DIFFERENT


def played(
    strategy: Strategy, problem: Problem, judge: Judge, budget: int = 10_000
) -> tuple[list[tuple[Query, Verdict]], Clustering]:
    """Answer up to `budget` queries; give them and the grouping then."""
    run = strategy.run(problem, Job())
    asked: list[tuple[Query, Verdict]] = []
    query = next(run, None)
    while query is not None and len(asked) < budget:
        asked.append((query, judge(query.pair)))
        try:
            query = run.send(asked[-1][1])
        except StopIteration:
            query = None
    return asked, strategy.clustering()
