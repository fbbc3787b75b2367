"""Which item belongs to which groups, ready to be sorted, sifted and counted.

Hides slots without a group and items set aside. Promises rows in an order that depends on nothing
but the state and what is wanted, items set aside always last.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.model import Composition, Group, IntArray, Memberships, Overview

Slots = tuple[int, ...]
_DIGITS = re.compile(r"(\d+)")


class Field(enum.Enum):
    """What a column holds."""

    ITEM = "item"
    COUNT = "count"
    GROUP = "group"
    FIT = "fit"
    CERTAINTY = "certainty"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `slot` where it is that of a group."""

    field: Field
    slot: int = -1


@dataclass(frozen=True, slots=True)
class Sorting:
    """The column that rows are sorted by, and whether the other way round.

    By a group its members come first, those in it alone before the others (the other way round:
    after them), the most certain first.
    """

    column: Column = Column(Field.COUNT)
    reverse: bool = False

    def by(self, column: Column) -> Sorting:
        """Sort by a column; by the one already sorted by the other way round."""
        return Sorting(column, column == self.column and not self.reverse)


class Which(enum.Enum):
    """Which items are wanted."""

    ALL = "all"
    PURE = "pure"
    MIXED = "mixed"
    GROUP = "group"
    SET = "set"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are wanted; `slots`: the group, or the set of groups."""

    which: Which = Which.ALL
    slots: Slots = ()


class Sharing:
    """One state of a project in which items may belong to several groups.

    Attributes
    ----------
    groups
        By rising slot, so that columns keep their places.
    table
        bool[n, highest slot + 1]: which item belongs to which of the groups.
    counts
        int[n]: how many groups each item belongs to.
    """

    def __init__(self, overview: Overview, memberships: Memberships) -> None:
        self.groups: tuple[Group, ...] = tuple(sorted(overview.groups, key=lambda one: one.slot))
        self.memberships = memberships
        self.certainty = overview.confidence
        self.fit = memberships.fit
        self.overview = overview
        self.table = self._shown(memberships.table)
        self.counts = self.table.sum(axis=1)
        self.is_aside: npt.NDArray[np.bool_] = memberships.chosen < 0

    def _shown(self, table: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Leave out groups that are not shown, as before the first answer."""
        width = max((group.slot for group in self.groups), default=-1) + 1
        shown = np.zeros((len(table), width), dtype=np.bool_)
        for group in self.groups:
            if group.slot < table.shape[1]:
                shown[:, group.slot] = table[:, group.slot]
        return shown

    def __len__(self) -> int:
        return len(self.certainty)

    @property
    def compositions(self) -> tuple[Composition, ...]:
        """The sets of two or more groups; none while no groups are shown."""
        return self.memberships.compositions if self.groups else ()

    @property
    def sets(self) -> tuple[Slots, ...]:
        """The sets that occur; none while no groups are shown."""
        return self.memberships.sets if self.groups else ()

    def of(self, item: int) -> Slots:
        """Give the groups that an item belongs to."""
        return tuple(int(slot) for slot in np.flatnonzero(self.table[item]))

    def items_in(self, slots: Slots) -> IntArray:
        """Give the items that belong to just these groups, the one that fits best first."""
        if slots not in self.memberships.sets:
            return np.zeros(0, dtype=np.int32)
        place = self.memberships.sets.index(slots)
        items = np.flatnonzero(self.memberships.chosen == place).astype(np.int32)
        order: IntArray = items[np.argsort(self.fit[items], kind="stable")]
        return order

    def count(self, wanted: Wanted) -> int:
        """Count the items that are wanted."""
        return int(self._is_wanted(wanted).sum())

    def rows(self, wanted: Wanted, sorting: Sorting, rank: IntArray) -> IntArray:
        """Give the items that are wanted, sorted.

        Parameters
        ----------
        rank
            int32[n], the place of each item's name among all, see `ranked`.
        """
        items = np.flatnonzero(self._is_wanted(wanted))
        backwards = sorting.reverse and sorting.column.field is Field.ITEM
        keys = (-rank if backwards else rank, *self._keys(sorting), self.is_aside)
        rows: IntArray = items[np.lexsort([key[items] for key in keys])].astype(np.int32)
        return rows

    def _is_wanted(self, wanted: Wanted) -> npt.NDArray[np.bool_]:
        here = ~self.is_aside
        match wanted.which:
            case Which.ALL:
                here = np.ones(len(self), dtype=np.bool_)
            case Which.PURE:
                here &= self.counts == 1
            case Which.MIXED:
                here &= self.counts > 1
            case Which.ASIDE:
                here = self.is_aside.copy()
            case Which.GROUP:
                slot = wanted.slots[0]
                here &= self.table[:, slot] if slot < self.table.shape[1] else False
            case Which.SET:
                sets = self.memberships.sets
                place = sets.index(wanted.slots) if wanted.slots in sets else -2
                here &= self.memberships.chosen == place
        return here

    def _keys(self, sorting: Sorting) -> tuple[npt.NDArray[np.generic], ...]:
        """Give the keys of a sorting, the least important first, as `np.lexsort` takes them."""
        turn = -1 if sorting.reverse else 1
        slot = sorting.column.slot
        match sorting.column.field:
            case Field.COUNT:  # sets are in order of their size
                return -self.certainty, turn * self.memberships.chosen
            case Field.FIT:
                return (turn * self.fit,)
            case Field.CERTAINTY:
                return (turn * self.certainty,)
            case Field.GROUP if slot < self.table.shape[1]:
                mixed = (self.counts > 1) ^ sorting.reverse
                return -self.certainty, np.where(self.table[:, slot], mixed.astype(np.int8), 2)
            case Field.GROUP:  # a group that there no longer is
                return -self.certainty, self.memberships.chosen
            case Field.ITEM:
                return ()


def ranked(names: Sequence[str]) -> IntArray:
    """Give each name its place among all, numbers in them by value, int32[n]."""
    keys = [_natural(name) for name in names]
    rank = np.empty(len(names), dtype=np.int32)
    rank[sorted(range(len(names)), key=keys.__getitem__)] = np.arange(len(names))
    return rank


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = _DIGITS.split(name.casefold())
    return [
        (0, int(part), "") if at % 2 and len(part) < 19 else (1, 0, part)  # no endless numbers
        for at, part in enumerate(parts)
    ]
