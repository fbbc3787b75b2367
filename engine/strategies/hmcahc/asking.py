"""When to ask: the rules that say at which merges a question arises.

Hidden here: the variants' rules. Promised: each looks at one merge and the certainty around it.

References
----------
Zheng & Wu (2016), their second problem: when the machine should ask.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.hierarchy import Hierarchy
from engine.strategies.hmcahc.params import HmcahcParams

_TIMETABLE = 20  # questions that a timetable is made for when there is no limit
_GAIN = 1e-9
_FALL = 0.1


class Rule:
    """The rule of a variant on a hierarchy.

    All but two ask where certainty rises. `when1` asks where it falls by more than 0.1. `when2`
    keeps to the steps that the article reports, floor(q n / (Q + 1)) for q = 1..Q, or follows its
    words: the entropy of the group sizes has fallen by more than 0.1.
    """

    def __init__(self, params: HmcahcParams, hierarchy: Hierarchy) -> None:
        self._falls = params.variant == "when1"
        self._due: npt.NDArray[np.bool_] | None = None
        if params.variant == "when2" and params.schedule == "steps":
            # as many questions as items, or more, fall due at every merge
            planned = min(params.questions or _TIMETABLE, hierarchy.n)
            self._due = np.zeros(hierarchy.n + 1, dtype=np.bool_)
            self._due[np.arange(1, planned + 1) * hierarchy.n // (planned + 1)] = True
        elif params.variant == "when2":
            self._due = np.concatenate([[False], _entropy_lost(hierarchy) > _FALL])

    def asks(self, made: int, now: float, before: float) -> bool:
        """Tell whether to ask.

        Parameters
        ----------
        made
            Merges made, at least one.
        now, before
            Certainty now and one merge before.
        """
        if self._due is not None:
            return bool(self._due[made])
        return before - now > _FALL if self._falls else now - before > _GAIN


def _entropy_lost(hierarchy: Hierarchy) -> npt.NDArray[np.float64]:
    """Give the fall of -sum |C|/n ln(|C|/n) at every merge, float64[n - 1]."""
    n = hierarchy.n
    share = np.concatenate([np.ones(n), hierarchy.sizes]) / n
    term = share * np.log(share)
    first, second = hierarchy.merges.T
    lost: npt.NDArray[np.float64] = term[n:] - term[first] - term[second]
    return lost
