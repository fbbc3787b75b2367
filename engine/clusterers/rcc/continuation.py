"""Continuation: how the penalty grows from nearly convex to robust, and when it has settled.

Both forms of RCC follow it (graduated non-convexity). Hidden here: what the scale of the data
makes of its numbers, and the two readings of when to stop.

References
----------
Shah & Koltun (2017), Robust continuous clustering, PNAS 114(37), "Optimization" and the
supplement. Where the released program differs, it is followed and the paper's reading is an option.
Geman & McClure (1987), Statistical methods for tomographic image reconstruction: the penalty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MU_STARTS = ("largest", "median")
MU_ENDS = ("delta", "delta-squared")

_COPIES = 0.01  # length per sqrt(feature) below which two points count as copies of each other
_SHORTEST = 0.01  # share of the edges that are the shortest
_MOST_SHORTEST = 250
_FIRST = 3.0  # mu begins at this times a squared length


def line_process(squares: Floats, mu: float) -> Floats:
    """Give how far each pair counts as one, (mu / (mu + d²))², in (0, 1]; `squares` is d²."""
    weight: Floats = np.square(mu / (mu + squares))
    return weight


def penalty(squares: Floats, line: Floats, mu: float) -> Floats:
    """Give l d² + mu (sqrt(l) - 1)² of every pair.

    At the best l, that of `line_process`, it is the Geman-McClure penalty mu d² / (mu + d²).
    """
    paid: Floats = line * squares + mu * np.square(np.sqrt(line) - 1)
    return paid


@dataclass(frozen=True, slots=True)
class Scales:
    """The lengths that RCC takes from the edges.

    Attributes
    ----------
    delta
        Mean of the shortest 1% of the lengths, 250 at most: mu ends near it.
    eps
        Mean of the shortest 1%: representatives nearer than this are one.
    mu
        Where mu begins.
    """

    delta: float
    eps: float
    mu: float

    @classmethod
    def of(cls, lengths: Floats, d: int, mu_start: str) -> Scales | None:
        """Take them from the lengths of the edges, float64[m]; None when all are copies.

        Copies are left out unless there is nothing else.

        Parameters
        ----------
        d
            Number of features.
        mu_start
            One of `MU_STARTS`: 3 times the largest squared length, as the program released, or
            the median, as the paper's supplement.
        """
        if not lengths.any():
            return None
        kept = np.sort(lengths[lengths / math.sqrt(d) >= _COPIES])
        if not len(kept):
            kept = np.sort(lengths)
        few = math.ceil(_SHORTEST * len(lengths))
        delta = float(kept[: min(_MOST_SHORTEST, few)].mean())
        eps = float(kept[:few].mean())
        largest = float(np.square(lengths).max())
        first = largest if mu_start == "largest" else float(np.median(np.square(lengths)))
        return cls(delta, eps, _FIRST * (first or largest))  # the median may be that of copies


class Schedule:
    """Halves mu whenever the objective has settled, down to its end.

    Parameters
    ----------
    scales
        Where mu begins and ends.
    tolerance
        A change of the objective below this counts as none.
    inner
        Rounds with the same mu, at most.
    mu_end
        One of `MU_ENDS`: the program released compares mu, a squared length, with delta, a length;
        or with delta², of the same unit. Lambda and the tolerance still depend on the scale.

    Attributes
    ----------
    mu
        The scale of the penalty now.
    done
        Whether it has settled for good.
    """

    def __init__(self, scales: Scales, tolerance: float, inner: int, mu_end: str) -> None:
        self.mu = scales.mu
        self.done = False
        self._end = scales.delta if mu_end == "delta" else scales.delta**2
        self._tolerance = tolerance
        self._inner = inner
        self._before = 0.0
        self._rounds = 0

    def take(self, objective: float) -> bool:
        """Take in the objective of a round; tell whether mu has changed."""
        settled = abs(self._before - objective) < self._tolerance
        self._before = objective
        self._rounds += 1
        last = self._rounds >= self._inner
        if not settled and not last:
            return False
        if self.mu >= self._end:
            self.mu /= 2
        elif last:
            self.mu = self._end / 2
        else:
            self.done = True
            return False
        self._rounds = 0
        return True
