"""Prototypes and criticisms by maximum mean discrepancy (MMD).

Hidden here: the greedy selections and their incremental sums. Promised: the picks of the
article's formulas, without an n x n matrix and without solving a linear system.

Scores that differ by less than 1e-12 are ties and go to the lowest item, so that the order in
which sums are added up decides nothing.

References
----------
Kim, Khanna & Koyejo (2016), Examples are not enough, learn to criticize! (MMD-critic).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from engine.job import Job
from engine.kernels.matrix import KernelMatrix

_TIE = 1e-12
_JITTER = 1e-6  # added to the diagonal of the criticisms' kernel matrix


def prototypes(
    kernel: KernelMatrix,
    means: torch.Tensor,
    count: int,
    job: Job,
    fixed: Sequence[int] = (),
    pull: torch.Tensor | None = None,
) -> list[int]:
    """Pick the points that, joined to `fixed`, bring MMD^2 to all points down most.

    Greedy maximisation of MMD-critic's objective

        J(P) = 2/(n m) sum_i sum_{j in P} k(x_i, z_j) - 1/m^2 sum_{j,l in P} k(z_j, z_l),

    m = |P|: each step takes the candidate c with the largest
    2 mean_c - (2 sum_{j in P} k(c, j) + 1) / (m + 1).

    Parameters
    ----------
    kernel
        Kernel matrix of the points.
    means
        Its column means, Tensor[n].
    count
        How many to pick; fewer come back when the points run out.
    fixed
        Points already chosen.
    pull
        The sum of their columns, where it is known: Tensor[n].

    Returns
    -------
    list of int
        The new points, in the order picked.
    """
    chosen = list(fixed)
    taken = torch.zeros(kernel.n, dtype=torch.bool, device=means.device)
    taken[chosen] = True
    if pull is None:
        pull = kernel.sums(chosen, job) if chosen else torch.zeros_like(means)
    picked: list[int] = []
    for _ in range(min(count, kernel.n - len(chosen))):
        job.step()
        score = 2 * means - (2 * pull + 1) / (len(chosen) + 1)
        best = _first_highest(score.masked_fill(taken, -math.inf))
        pull = pull + kernel.column(best, job)
        taken[best] = True
        chosen.append(best)
        picked.append(best)
    return picked


def criticisms(
    kernel: KernelMatrix,
    witness: torch.Tensor,
    count: int,
    job: Job,
) -> list[int]:
    """Pick points that the prototypes represent badly and that differ from each other.

    Greedy on |witness(c)| + log of the Schur complement of c in K_CC + 1e-6 I, C being those
    picked so far. The complements of all points are kept up to date by one column of a Cholesky
    factor per pick: O(n |C|) each, no solves.

    Parameters
    ----------
    kernel
        Kernel matrix of the candidates: points that are no prototypes.
    witness
        Tensor[n], the witness function at the candidates: mean kernel value with all points, less
        that with the prototypes.
    count
        How many to pick; fewer come back when the candidates run out.

    Returns
    -------
    list of int
        In the order picked.
    """
    count = min(count, kernel.n)
    interest = witness.abs()
    residual = torch.full_like(interest, 1 + _JITTER)
    factor = interest.new_empty((count, kernel.n))
    picked: list[int] = []
    for step in range(count):
        job.step()
        best = _first_highest(interest + residual.log())
        column = kernel.column(best, job).to(interest)
        if step:
            column -= factor[:step, best] @ factor[:step]
        column /= residual[best].sqrt()
        factor[step] = column
        residual.sub_(column.square()).clamp_(min=_JITTER * 1e-3)
        interest[best] = -math.inf
        picked.append(best)
    return picked


def _first_highest(score: torch.Tensor) -> int:
    """Give the lowest index among the scores that are highest but for rounding."""
    return int((score >= score.max() - _TIE).to(torch.int8).argmax())
