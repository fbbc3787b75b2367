"""Placing: which group does a new prototype belong to? Asked of the nearest group first.

Hidden here: the groups as lists of prototypes, and what answers have ruled out. Promised: a
prototype joins the group it was said to be like; told apart from all, it opens one of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np
import numpy.typing as npt

from engine.model import Cue, IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

Squares = npt.NDArray[np.float64]

_EXAMPLES = 4  # members of a group that may be shown for it, the nearest first


class Groups:
    """The prototypes of one run, by the group that answers gave them.

    Parameters
    ----------
    problem
        The points, and the items that must not be asked about.
    order
        What a group is as near as: its nearest "example", or the "mean" of its prototypes.
    """

    def __init__(self, problem: Problem, order: str) -> None:
        self._problem = problem
        self._by_mean = order == "mean"
        self._groups: list[list[int]] = []  # prototypes by group, in the order joined
        self._between = Distances()
        self._apart: dict[int, set[int]] = {}  # prototype without a group -> groups ruled out

    def expect(self, prototypes: list[int], between: Squares) -> None:
        """Take in prototypes that no answer has placed yet.

        Parameters
        ----------
        between
            float64[a, m], squared distances to all prototypes so far, these included.
        """
        self._between.add(prototypes, between)
        self._apart.update((prototype, set()) for prototype in prototypes)

    def place(self, prototype: int, size: int) -> Generator[Query, Verdict | Cue, None]:
        """Ask which group a new prototype belongs to; open a new one when all are ruled out.

        Parameters
        ----------
        size
            Number of points nearest to the prototype.
        """
        if prototype in self._problem.set_aside:
            return
        apart = self._apart[prototype]
        for group, examples in self._nearest(prototype):
            pair, *others = (Pair.of(prototype, known) for known in examples)
            why = reason(size, len(apart), len(self._groups))
            verdict = yield Query(pair, why, size, tuple(others))
            if verdict is Verdict.SAME:
                self._join(prototype, group)
                return
            if verdict is Verdict.DIFFERENT:
                apart.add(group)
        if len(apart) == len(self._groups):
            self._groups.append([])
            self._join(prototype, len(self._groups) - 1)

    def memberships(self, prototypes: list[int]) -> tuple[npt.NDArray[np.bool_], IntArray]:
        """Give, for each prototype, whether an answer settled its group, and the group.

        Returns
        -------
        tuple
            bool[m] and int32[m]. What is not settled goes with the nearest group that it was not
            told apart from.
        """
        position = {prototype: at for at, prototype in enumerate(prototypes)}
        group = np.zeros(len(prototypes), dtype=np.int32)
        settled = np.zeros(len(prototypes), dtype=np.bool_)
        for number, members in enumerate(self._groups):
            at = [position[member] for member in members]
            group[at] = number
            settled[at] = True
        if self._groups:
            for prototype, apart in self._apart.items():
                far = self._far(self._distances(prototype), prototype)
                far[list(apart)] = np.inf
                group[position[prototype]] = far.argmin()
        return settled, group

    def _join(self, prototype: int, group: int) -> None:
        del self._apart[prototype]
        self._groups[group].append(prototype)

    def _nearest(self, prototype: int) -> Iterator[tuple[int, list[int]]]:
        """Give the groups, the nearest first, each with its members nearest to a prototype.

        None of the members is set aside.
        """
        if not self._groups:
            return
        apart = self._distances(prototype)
        start = np.cumsum([0, *map(len, self._groups)])
        for group in np.argsort(self._far(apart, prototype), kind="stable"):
            members = self._groups[group]
            order = np.argsort(apart[start[group] : start[group + 1]], kind="stable")
            yield int(group), [members[place] for place in order[:_EXAMPLES]]

    def _distances(self, prototype: int) -> Squares:
        """Give squared distances to all members of groups, group after group: float64[m]."""
        return self._between.of(prototype, [member for group in self._groups for member in group])

    def _far(self, apart: Squares, prototype: int) -> Squares:
        """Give squared distances to the groups, float64[groups], from those to their members."""
        sizes = np.array([len(group) for group in self._groups])
        starts = np.cumsum(sizes) - sizes
        if not self._by_mean:
            return np.minimum.reduceat(apart, starts)
        points = self._problem.points
        placed = points[[member for group in self._groups for member in group]].astype(np.float64)
        means = np.add.reduceat(placed, starts) / sizes[:, None]
        far: Squares = np.square(means - points[prototype]).sum(axis=1)
        return far


class Distances:
    """Squared distances between prototypes, as they come round by round."""

    def __init__(self) -> None:
        self._number: dict[int, int] = {}  # prototype -> its number, in the order added
        self._rows: list[Squares] = []  # to all those up to the same round

    def add(self, prototypes: list[int], between: Squares) -> None:
        """Take in the prototypes of a round, and float64[a, m], their squared distances."""
        self._number.update((prototype, len(self._number)) for prototype in prototypes)
        self._rows += list(between)

    def of(self, prototype: int, others: list[int]) -> Squares:
        """Give squared distances of a prototype to others, float64[len(others)]."""
        own, known = self._number[prototype], [self._number[other] for other in others]
        row = self._rows[own]
        if max(known) < len(row):
            return row[known]
        return np.array([self._rows[max(own, one)][min(own, one)] for one in known])


def reason(size: int, ruled_out: int, groups: int) -> Reason:
    """Say in plain words why a prototype is compared with a group."""
    who = (
        "One of these stands for {size} items that no answer has placed yet"
        if size > 1
        else "No answer has placed one of these yet"
    )
    if groups == 1:  # nothing is divided yet, and people are not told of a group
        return Reason.of(who + "; the other is the closest example so far.", size=size)
    if ruled_out == 0:
        return Reason.of(
            who + "; the other is the closest example of the group most like it.", size=size
        )
    ruled = "is ruled out" if ruled_out == 1 else "are ruled out"
    return Reason.of(
        who + f", and {{ruled_out}} of the {{groups}} groups {ruled}; the other is the closest"
        " example of the next most likely group.",
        size=size,
        ruled_out=ruled_out,
        groups=groups,
    )
