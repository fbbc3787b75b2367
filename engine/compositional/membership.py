"""Composed: which groups each item belongs to, when it may belong to several.

Hidden here: how groups are renumbered and sets put in order. Promised: frozen values; groups
numbered in order of first appearance, none of which is without an item; sets ordered by size, then
lexicographically.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.confidence import margin
from engine.model import Clustering, Composition, FloatArray, IntArray

Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """Sets of groups for all items. Arrays are read-only.

    Attributes
    ----------
    sets
        The distinct sets that occur, by size, then lexicographically.
    chosen
        int32[n], the place in `sets` of each item's set.
    fit
        float32[n], distance of each item to what its groups make together.
    apart
        float32[n], distance to the next best set; infinite = there is none.
    alone
        float32[n], distance to the nearest single group.
    centres
        float32[groups, p], what stands for each single group.
    """

    sets: tuple[tuple[int, ...], ...]
    chosen: IntArray
    fit: FloatArray
    apart: FloatArray
    alone: FloatArray
    centres: FloatArray

    @classmethod
    def of(
        cls,
        sets: Sequence[Sequence[int]],
        chosen: npt.NDArray[np.integer],
        fit: npt.NDArray[np.floating],
        apart: npt.NDArray[np.floating],
        alone: npt.NDArray[np.floating],
        centres: npt.NDArray[np.floating],
    ) -> Composed:
        """Renumber groups, and leave out those, and the sets, that no item has.

        Parameters
        ----------
        sets
            Non-empty sets of rows of `centres`, in any order; the same one may be there twice.
        chosen
            int[n], the place in `sets` of each item's set.
        fit, apart, alone
            float[n]; see the attributes.
        centres
            float[k, p].

        Raises
        ------
        ValueError
            When an item has the empty set, or arrays do not fit each other.
        """
        n = len(chosen)
        if centres.ndim != 2 or {len(fit), len(apart), len(alone)} != {n}:
            raise ValueError("as many distances as items, and a row per group, were expected")
        places, first, place = np.unique(chosen, return_index=True, return_inverse=True)
        members = [tuple(sorted(set(sets[at]))) for at in places.tolist()]
        if not all(members):
            raise ValueError("every item belongs to some group")
        met = [members[at] for at in np.argsort(first, kind="stable")]
        number = {group: at for at, group in enumerate(dict.fromkeys(sum(met, ())))}
        renumbered = [tuple(sorted(number[group] for group in one)) for one in members]
        ordered = sorted(set(renumbered), key=lambda one: (len(one), one))
        at = {one: place for place, one in enumerate(ordered)}
        anew = np.array([at[one] for one in renumbered], dtype=np.int32)
        rows = np.fromiter(number, dtype=np.int64, count=len(number))
        return cls(
            tuple(ordered),
            _frozen(anew[place.reshape(-1)]),
            _frozen(fit.astype(np.float32)),
            _frozen(apart.astype(np.float32)),
            _frozen(alone.astype(np.float32)),
            _frozen(centres[rows].astype(np.float32)),
        )

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.chosen)

    @property
    def groups(self) -> int:
        """Number of single groups."""
        return len(self.centres)

    @property
    def degree(self) -> int:
        """Groups that an item has at most."""
        return len(self.sets[-1]) if self.sets else 0

    @property
    def memberships(self) -> npt.NDArray[np.bool_]:
        """Which item belongs to which group, bool[n, groups]."""
        table = np.zeros((len(self.sets), self.groups), dtype=np.bool_)
        for row, members in enumerate(self.sets):
            table[row, members] = True
        return table[self.chosen]

    @property
    def compositions(self) -> tuple[Composition, ...]:
        """The sets of two groups or more, with how many items they have and how well these fit."""
        items = np.bincount(self.chosen, minlength=len(self.sets))
        fit, alone = (
            np.bincount(self.chosen, weights=weights, minlength=len(self.sets)) / items
            for weights in (self.fit, self.alone)
        )
        return tuple(
            Composition(members, int(items[at]), float(fit[at]), float(alone[at]))
            for at, members in enumerate(self.sets)
            if len(members) > 1
        )

    @property
    def confidence(self) -> FloatArray:
        """The margin between an item's set and the next best one, float32[n] in [0, 1]."""
        return margin(self.fit, self.apart)

    def share(self, one: int, other: int) -> bool:
        """Tell whether two items have a group in common."""
        first, second = self.sets[self.chosen[one]], self.sets[self.chosen[other]]
        return not set(first).isdisjoint(second)

    def item_sets(self) -> list[tuple[int, ...]]:
        """Give the groups of each item, as measures take them."""
        return [self.sets[at] for at in self.chosen.tolist()]

    def as_clustering(self) -> Clustering:
        """Give it as a grouping in which every set is a group of its own."""
        return Clustering.of(self.chosen, self.confidence)


def _frozen(array: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    array.flags.writeable = False
    return array
