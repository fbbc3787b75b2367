"""What a person said, seen in a hierarchy: where the two of each pair meet, and what a cut breaks.

Promises counts that cost next to nothing, so that they follow a cut line that is dragged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.hierarchy import Hierarchy
from engine.model import Pair, Verdict


class SaidAt(NamedTuple):
    """An answer in force: its step, and the node at which the two come together."""

    seq: int
    pair: Pair
    verdict: Verdict
    node: int


class AnswersAtCut:
    """The answers in force beside one hierarchy.

    Parameters
    ----------
    hierarchy
        Every level.
    said
        Number of the step, pair and verdict of each answer.

    Attributes
    ----------
    said
        The same, with the node at which each pair meets.
    """

    def __init__(self, hierarchy: Hierarchy, said: tuple[tuple[int, Pair, Verdict], ...]) -> None:
        self._n = hierarchy.n
        self._meets = hierarchy.meetings([pair for _, pair, _ in said])
        self.said = tuple(
            SaidAt(seq, pair, verdict, int(meets) + self._n)
            for (seq, pair, verdict), meets in zip(said, self._meets, strict=True)
        )
        self._same = np.array([verdict is Verdict.SAME for _, _, verdict in said], dtype=np.bool_)
        self._different = np.array(
            [verdict is Verdict.DIFFERENT for _, _, verdict in said], dtype=np.bool_
        )

    def __len__(self) -> int:
        return len(self.said)

    def broken(self, groups: int) -> tuple[SaidAt, ...]:
        """Give the answers that so many groups break; one of *unsure* is never broken."""
        together = self._meets < self._n - groups
        wrong = np.where(together, self._different, self._same)
        return tuple(self.said[at] for at in np.flatnonzero(wrong))
