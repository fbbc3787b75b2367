"""The messages of compositional affinity propagation, passed until the choice no longer changes.

Hidden here: what the messages are and how they are damped. Promised: with single exemplars alone
they are the responsibilities and availabilities of affinity propagation.

For item i and candidate k, with b_i(c) = S(i, c) + sum_{k in c} a_ik

    r_ik = in_ik - a_ik - out_ik        how much better the best set with k is than one without
    a_kk = sum_{j != k} max(0, r_jk)    what speaks for k as an exemplar
    a_ik = min(0, r_kk + sum_{j not in {i, k}} max(0, r_jk))

Factor k, which says that an item may have k in its set only if k is the whole set of k, sees of
item j but whether its set has k, and whether {k} is the set of k; so every message between them is
one number. That makes an iteration as cheap as finding the maxima.

References
----------
Frey & Dueck (2007), Clustering by passing messages between data points, Science 315, for single
exemplars. The messages for compositions are derived from the same factors: they take two values
each, used or not, as a factor sees no more of a composition than whether it uses the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch

from engine.compositional.cap.maxes import Finder
from engine.compositional.cap.table import Table
from engine.compositional.sets import Sets
from engine.job import Job

PASSING = "Passing messages between items"

_STEP_VALUES = 2**20  # messages renewed between two job steps


class Messages:
    """What all items tell all candidates, and are told by them.

    Parameters
    ----------
    table
        Similarities of at least two items.
    damping
        Share of the old message in the new one, in [0, 1).

    Attributes
    ----------
    responsibilities, availabilities
        float64 Tensor[n, n], r_ik and a_ik: row k, column i.
    """

    def __init__(self, table: Table, damping: float) -> None:
        self._finder = Finder(table)
        self._damping = damping
        self.responsibilities = torch.zeros(table.n, table.n, dtype=torch.float64)
        self.availabilities = torch.zeros_like(self.responsibilities)

    def exchange(self, job: Job) -> torch.Tensor:
        """Renew all messages once.

        Returns
        -------
        Tensor
            int64[n], the best set of each item by the messages as they were.
        """
        chosen = []
        for maxes in self._finder(self.availabilities, job):
            renewed = maxes.within.sub_(maxes.without)
            old = self.responsibilities[:, maxes.items]
            old.mul_(self._damping).add_(renewed, alpha=1 - self._damping)
            chosen.append(maxes.chosen)
        self._answer(job)
        return torch.cat(chosen)

    def chosen(self, job: Job) -> torch.Tensor:
        """Give the best set of each item by the messages as they are, int64 Tensor[n]."""
        return torch.cat([maxes.chosen for maxes in self._finder(self.availabilities, job)])

    def evidence(self) -> torch.Tensor:
        """Give what speaks for each item as an exemplar, a_kk + r_kk, float64 Tensor[n]."""
        return self.availabilities.diagonal() + self.responsibilities.diagonal()

    def _answer(self, job: Job) -> None:
        """Renew the availabilities."""
        n = len(self.availabilities)
        step = max(1, _STEP_VALUES // n)
        for at in range(0, n, step):
            job.step()
            own = torch.arange(at, min(at + step, n))
            backed = self.responsibilities[at : at + step].clamp(min=0)
            backed[own - at, own] = 0
            total = backed.sum(1, keepdim=True)
            itself = self.responsibilities.diagonal()[own, None]
            renewed = (itself + total).sub(backed).clamp_(max=0)
            renewed[own - at, own] = total[:, 0]
            old = self.availabilities[at : at + step]
            old.mul_(self._damping).add_(renewed, alpha=1 - self._damping)


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What one damping came to.

    Attributes
    ----------
    damping
        The damping.
    chosen
        int64 Tensor[n], the best set of each item, as the messages have it.
    feasible
        Whether every member of a chosen set is an exemplar: has itself alone.
    evidence
        float64 Tensor[n], what speaks for each item as an exemplar.
    rounds
        How often messages were passed.
    converged
        Whether the choice was feasible, and had not changed for long enough.
    trace
        A dict of plain values per round.
    """

    damping: float
    chosen: torch.Tensor
    feasible: bool
    evidence: torch.Tensor
    rounds: int
    converged: bool
    trace: list[dict[str, object]] = field(default_factory=list)

    def exemplars(self, sets: Sets) -> torch.Tensor:
        """Give the items that chose themselves alone, int64 Tensor[m], in rising order."""
        return exemplars(self.chosen, sets)


def settle(table: Table, damping: float, rounds: int, patience: int, job: Job) -> Settled:
    """Pass messages until the choice is feasible and has not changed for `patience` rounds."""
    messages = Messages(table, damping)
    trace: list[dict[str, object]] = []
    before = None
    same = 0
    for number in range(1, rounds + 2):
        job.step(number - 1, rounds, PASSING)
        last = number > rounds
        chosen = messages.chosen(job) if last else messages.exchange(job)
        valid = feasible(chosen, table.sets)
        changed = table.n if before is None else int((chosen != before).sum())
        same = same + 1 if valid and not changed else 0
        before = chosen
        trace.append(
            {
                "iteration": number - 1,
                "damping": damping,
                "changed": changed,
                "exemplars": len(exemplars(chosen, table.sets)),
                "feasible": valid,
                "net_similarity": float(table.at(chosen).sum()) if valid else None,
            }
        )
        if last or same >= patience:
            break
    done = same >= patience
    return Settled(damping, chosen, valid, messages.evidence(), number - 1, done, trace)


def exemplars(chosen: torch.Tensor, sets: Sets) -> torch.Tensor:
    """Give the items that chose themselves alone, int64 Tensor[m]."""
    return (chosen == torch.arange(sets.k)).nonzero()[:, 0]


def feasible(chosen: torch.Tensor, sets: Sets) -> bool:
    """Tell whether every member of a chosen set chose itself alone."""
    itself = (chosen == torch.arange(sets.k)).numpy()
    at = np.unique(chosen.numpy())
    return all(bool(itself[list(sets.members(one))].all()) for one in at.tolist())
