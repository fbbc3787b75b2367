"""Where CKM begins: rows of the data, and what greedy reassignment leaves as single groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.compositional.functions import Compose
from engine.compositional.gcr import GcrParams, base_groups, means, reassigned, suggested_tau
from engine.compositional.sets import count
from engine.job import Job
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

_ROWS = 2000  # rows of which GCR looks for a start
_WORK = 1e9  # differences that it may take; many groups of high degree make more


def drawn(problem: Problem, k: int, restarts: int) -> torch.Tensor:
    """Draw k distinct rows for each restart, float64[restarts, k, p]."""
    import torch

    rng = problem.rng("ckm.starts")
    places = np.stack([rng.choice(problem.n, k, replace=False) for _ in range(restarts)])
    return problem.tensor[torch.from_numpy(places)].double()


def greedy(
    problem: Problem, k: int, g: Compose, params: GcrParams, job: Job
) -> torch.Tensor | None:
    """Give the single groups that GCR leaves, float64[k, p]; of more the largest, else rows too.

    It begins with as many groups by Ward's criterion as there are sets, on at most 2000 rows.
    None where there are no more rows than groups, or too many compositions to compare.
    """
    import torch

    rng = problem.rng("ckm.greedy")
    rows = np.sort(rng.choice(problem.n, min(problem.n, _ROWS), replace=False))
    sample = Problem(problem.points[rows], problem.seed)
    groups = count(k, params.degree)
    if groups >= sample.n or groups * count(groups, params.degree) * problem.d > _WORK:
        return None
    labels, _ = base_groups(sample, "ward", groups, params.memory, job)
    points = sample.tensor
    centres = means(points, labels, job)
    tau = suggested_tau(points, centres, labels, job, normalize=params.normalize)
    found = reassigned(centres, g, params, tau, job)
    single = np.array([at for at in range(groups) if found.sets[at] == (at,)])
    sizes = np.bincount(labels)[single]
    kept = single[np.argsort(-sizes, kind="stable")[:k]]
    more = rng.choice(sample.n, k - len(kept), replace=False)
    return torch.cat([centres[torch.from_numpy(kept)], points[torch.from_numpy(more)].double()])
