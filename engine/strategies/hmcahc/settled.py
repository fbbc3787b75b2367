"""Which pairs are open: neither told by an answer, nor following from answers.

Hidden here: the closure, and that only the few items that answers speak about need a look.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.model import IntArray, Pair, Verdict

Answers = tuple[tuple[Pair, Verdict], ...]


class Settled:
    """What is known of pairs, and which are not to be asked about.

    What somebody was unsure about is not open either: it is not asked again.

    Parameters
    ----------
    n
        Number of items.
    given
        Answers without contradiction, in the order given.
    aside
        Items that must not be asked about.

    Attributes
    ----------
    items
        int32[t], the items that answers speak about, those set aside left out, in rising order.
    place
        int32[n], of each of these among them; -1 = no answer speaks about the item, -2 = it is set
        aside.
    closed
        bool[t, t], which pairs of them are not open.
    linked
        The sets of two or more items that answers join, in the order first answered about.
    """

    def __init__(self, n: int, given: Answers = (), aside: Iterable[int] = ()) -> None:
        closure = Constraints()
        for seq, (pair, verdict) in enumerate(given):
            closure.add(pair, verdict, seq)
        self._closure = closure
        self.apart = tuple(pair for pair, verdict in given if verdict is Verdict.DIFFERENT)
        self.place = np.full(n, -1, dtype=np.int32)
        self.place[list(aside)] = -2
        spoken = dict.fromkeys(item for pair, _ in given for item in pair)
        self.items: IntArray = np.array(sorted(spoken), dtype=np.int32)
        self.items = self.items[self.place[self.items] == -1]
        self.place[self.items] = np.arange(len(self.items), dtype=np.int32)
        self.closed = self._closed(given)
        sets: dict[int, list[int]] = {}
        for item in spoken:
            sets.setdefault(closure.component(item), []).append(item)
        self.linked = tuple(sorted(items) for items in sets.values() if len(items) > 1)

    def _closed(self, given: Answers) -> npt.NDArray[np.bool_]:
        roots = np.array([self._closure.component(int(item)) for item in self.items], dtype=int)
        _, part = np.unique(roots, return_inverse=True)
        number = dict(zip(roots.tolist(), part.tolist(), strict=True))
        parts = len(number)
        settled = np.eye(parts, dtype=np.bool_)
        for one, other in self.apart:
            a, b = (number.get(self._closure.component(item)) for item in (one, other))
            if a is not None and b is not None:
                settled[a, b] = settled[b, a] = True
        closed: npt.NDArray[np.bool_] = settled[part][:, part]
        for pair, verdict in given:
            a, b = self.place[list(pair)]
            if verdict is Verdict.UNSURE and a >= 0 and b >= 0:
                closed[a, b] = closed[b, a] = True
        return closed

    def linked_to(self, item: int) -> IntArray:
        """Give the items that answers join to an item, itself included, in rising order."""
        root = self._closure.component(item)
        found = next((s for s in self.linked if self._closure.component(s[0]) == root), [item])
        return np.array(found, dtype=np.int32)

    def opposed(self, one: int, other: int) -> bool:
        """Tell whether two items are known to be different."""
        return one != other and self._closure.verdict(Pair.of(one, other)) is Verdict.DIFFERENT

    def shut(self, one: IntArray, other: IntArray) -> npt.NDArray[np.bool_]:
        """Tell which pairs are not open: settled, not to be asked about, or no pairs.

        Returns
        -------
        bool[len(one), len(other)]
        """
        shut: npt.NDArray[np.bool_] = one[:, None] == other
        first, second = self.place[one], self.place[other]
        rows, columns = np.flatnonzero(first >= 0), np.flatnonzero(second >= 0)
        shut[np.ix_(rows, columns)] = self.closed[np.ix_(first[rows], second[columns])]
        shut[first == -2] = True
        shut[:, second == -2] = True
        return shut

    def broken(self, labels: IntArray) -> bool:
        """Tell whether a grouping goes against an answer."""
        return any(labels[one] == labels[other] for one, other in self.apart) or any(
            (labels[items] != labels[items[0]]).any() for items in self.linked
        )
