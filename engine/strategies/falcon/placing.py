"""Placing: which group does a new prototype belong to? Asked of the nearest group first.

Hidden here: the groups as lists of prototypes, and what answers have ruled out. Promised: a
prototype joins the group it was said to be like; told apart from all, it opens one of its own.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import numpy.typing as npt

from engine.model import IntArray, Pair, Query, Reason, Verdict
from engine.problem import Problem

_EXAMPLES = 8  # members of a group that may be shown for it, the nearest first


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
        self._apart: dict[int, set[int]] = {}  # prototype without a group -> groups ruled out

    def expect(self, prototypes: list[int]) -> None:
        """Take in prototypes that no answer has placed yet."""
        self._apart.update((prototype, set()) for prototype in prototypes)

    def place(self, prototype: int, size: int) -> Generator[Query, Verdict, None]:
        """Ask which group a new prototype belongs to; open a new one when all are ruled out.

        Parameters
        ----------
        size
            Number of points nearest to the prototype.
        """
        if prototype in self._problem.set_aside:
            return
        apart = self._apart[prototype]
        for group in self._nearest(prototype):
            pair, *others = (Pair.of(prototype, known) for known in self._like(group, prototype))
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
        if self._apart and self._groups:
            loose = list(self._apart)
            apart = self._distances(loose)
            for row, prototype in enumerate(loose):
                apart[row, list(self._apart[prototype])] = np.inf
            group[[position[prototype] for prototype in loose]] = apart.argmin(axis=1)
        return settled, group

    def _join(self, prototype: int, group: int) -> None:
        del self._apart[prototype]
        self._groups[group].append(prototype)

    def _nearest(self, prototype: int) -> list[int]:
        """List the groups, the nearest first."""
        if not self._groups:
            return []
        return [int(group) for group in np.argsort(self._distances([prototype])[0], kind="stable")]

    def _distances(self, prototypes: list[int]) -> npt.NDArray[np.float64]:
        """Give squared distances of prototypes to the groups, float64[prototypes, groups]."""
        members = [member for group in self._groups for member in group]
        sizes = np.array([len(group) for group in self._groups])
        starts = np.cumsum(sizes) - sizes
        placed = self._problem.points[members].astype(np.float64)
        rows = self._problem.points[prototypes].astype(np.float64)
        if self._by_mean:
            means = np.add.reduceat(placed, starts) / sizes[:, None]
            return np.stack([np.square(means - row).sum(axis=1) for row in rows])
        apart = np.stack([np.square(placed - row).sum(axis=1) for row in rows])
        return np.minimum.reduceat(apart, starts, axis=1)

    def _like(self, group: int, prototype: int) -> list[int]:
        """Give the members of a group nearest to a prototype, nearest first.

        None of them is set aside.
        """
        points, members = self._problem.points, self._groups[group]
        differences = points[members].astype(np.float64) - points[prototype]
        order = np.argsort(np.square(differences).sum(axis=1), kind="stable")
        return [members[at] for at in order[:_EXAMPLES]]


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
