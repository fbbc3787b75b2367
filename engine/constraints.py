"""Constraints: what follows from the answers. Must-links join items, cannot-links part groups.

Closure: a union-find over SAME answers; a DIFFERENT answer between two items holds between all
items linked to them. Every implied verdict can be explained by the answers behind it. Answers that
may be wrong can be kept beside it, pair by pair: nothing follows from them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self

from engine.model import Conflict, Pair, Verdict

Evidence = tuple[int, Pair, Verdict]


class Known(NamedTuple):
    """What is known before a strategy begins, from answers that another one asked for.

    Attributes
    ----------
    same
        Items by what answers join, single ones too. First come sets that are all told apart from
        each other, the larger ones first: they are groups already. Then the others.
    apart
        Places (i, j), i < j, in `same` of those told apart.
    """

    same: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()

    @property
    def items(self) -> tuple[int, ...]:
        """All items spoken about, set by set."""
        return tuple(item for items in self.same for item in items)

    @classmethod
    def of(cls, said: Iterable[tuple[Pair, Verdict]], without: AbstractSet[int]) -> Self:
        """Close answers; what contradicts earlier ones, and items to be left out, have no part."""
        closure = Constraints()
        for number, (pair, verdict) in enumerate(said):
            closure.add(pair, verdict, number)
        kept = {
            root: (tuple(item for item in items if item not in without), apart)
            for root, (items, apart) in closure.parts().items()
        }
        groups: list[int] = []
        by_size = sorted(kept, key=lambda root: (-len(kept[root][0]), kept[root][0]))
        for root in by_size:
            if kept[root][0] and kept[root][1] >= set(groups):
                groups.append(root)
        groups += [root for root in by_size if kept[root][0] and root not in groups]
        places = {root: place for place, root in enumerate(groups)}
        apart = sorted(
            (places[root], places[other])
            for root in groups
            for other in kept[root][1]
            if other in places and places[root] < places[other]
        )
        return cls(tuple(kept[root][0] for root in groups), tuple(apart))

    def closed(self) -> Constraints:
        """Give it as constraints, free of contradictions."""
        closure = Constraints()
        for number, (pair, verdict) in enumerate(self.verdicts(), 1):
            closure.add(pair, verdict, number)
        return closure

    def verdicts(self) -> Iterator[tuple[Pair, Verdict]]:
        """Give answers from which all of it follows."""
        for items in self.same:
            yield from ((Pair.of(items[0], item), Verdict.SAME) for item in items[1:])
        for one, other in self.apart:
            yield Pair.of(self.same[one][0], self.same[other][0]), Verdict.DIFFERENT


class Constraints:
    """The closure of the answers given so far.

    Items are any hashable ints; those never answered about cost nothing.
    """

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}
        self._size: dict[int, int] = {}  # root -> items joined, where more than one
        self._apart: dict[int, dict[int, Evidence]] = {}  # root -> roots held apart, and why
        self._links: dict[int, list[tuple[int, int]]] = {}  # item -> (linked item, seq)
        self._unsure: set[Pair] = set()
        self._answered: set[Pair] = set()
        self._conflicts: list[Conflict] = []
        self._heard: list[tuple[Pair, Verdict]] = []  # answers that may be wrong, in order

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Answers that contradict earlier ones, in the order given. They have no effect."""
        return tuple(self._conflicts)

    @property
    def frozen(self) -> frozenset[int]:
        """Items whose answers contradict each other: nothing is asked about them until settled."""
        return frozenset(
            item
            for conflict in self._conflicts
            for pair in (conflict.pair, *(link for _, link, _ in conflict.chain))
            for item in pair
        )

    @property
    def unsure(self) -> AbstractSet[Pair]:
        """Pairs of which a person could not tell, whatever has been said of them since."""
        return self._unsure

    def component(self, item: int) -> int:
        """Return the representative of all items must-linked to `item`."""
        root = item
        while (above := self._parent.get(root, root)) != root:
            root = above
        while (above := self._parent.get(item, item)) != root:
            self._parent[item], item = root, above
        return root

    def verdict(self, pair: Pair) -> Verdict | None:
        """Return what the answers settle about a pair; None = open."""
        one, other = self.component(pair.a), self.component(pair.b)
        if one == other:
            return Verdict.SAME
        if other in self._apart.get(one, ()):
            return Verdict.DIFFERENT
        return Verdict.UNSURE if pair in self._unsure else None

    def settles(self, pair: Pair) -> bool:
        """Tell whether a pair is known to be SAME or DIFFERENT."""
        return self.verdict(pair) in {Verdict.SAME, Verdict.DIFFERENT}

    def add(self, pair: Pair, verdict: Verdict, seq: int) -> Conflict | None:
        """Take in an answer.

        Returns
        -------
        Conflict or None
            What the answer contradicts. Earlier answers stay in force; this one waits.
        """
        if verdict is Verdict.UNSURE:
            self._unsure.add(pair)
            return None
        held = self.verdict(pair)
        if self.settles(pair) and held is not verdict:
            conflict = Conflict(seq, pair, verdict, self.why(pair))
            self._conflicts.append(conflict)
            return conflict
        self._answered.add(pair)
        if verdict is Verdict.SAME:
            self._links.setdefault(pair.a, []).append((pair.b, seq))
            self._links.setdefault(pair.b, []).append((pair.a, seq))
            self._join(self.component(pair.a), self.component(pair.b))
        elif held is not Verdict.DIFFERENT:
            one, other = self.component(pair.a), self.component(pair.b)
            self._apart.setdefault(one, {})[other] = (seq, pair, verdict)
            self._apart.setdefault(other, {})[one] = (seq, pair, verdict)
        return None

    def hear(self, pair: Pair, verdict: Verdict) -> None:
        """Keep an answer that may be wrong: beside the others on its pair, and closing nothing."""
        self._heard.append((pair, verdict))

    @property
    def heard(self) -> Sequence[tuple[Pair, Verdict]]:
        """The answers that may be wrong, in the order given."""
        return self._heard

    def why(self, pair: Pair) -> tuple[Evidence, ...]:
        """Return the answers that together settle a pair as SAME or DIFFERENT, as a chain.

        Empty when they settle nothing. The chain is a shortest one over the must-links.
        """
        one, other = self.component(pair.a), self.component(pair.b)
        if one == other:
            return self._chain(pair.a, pair.b)
        parting = self._apart.get(one, {}).get(other)
        if parting is None:
            return ()
        near, far = parting[1]
        if self.component(near) != one:
            near, far = far, near
        return (*self._chain(pair.a, near), parting, *self._chain(far, pair.b))

    def parts(self) -> dict[int, tuple[list[int], AbstractSet[int]]]:
        """Give all items answered about, by component.

        Returns
        -------
        dict
            Representative -> (items in rising order, representatives held apart from it).
        """
        found: dict[int, tuple[list[int], AbstractSet[int]]] = {}
        for item in sorted({item for pair in self._answered for item in pair}):
            root = self.component(item)
            if root not in found:
                found[root] = [], self._apart.get(root, {}).keys()
            found[root][0].append(item)
        return found

    @property
    def implied(self) -> int:
        """Number of pairs settled beyond those answered."""
        within = sum(size * (size - 1) // 2 for size in self._size.values())
        between = sum(
            self._size.get(root, 1) * self._size.get(other, 1)
            for root, others in self._apart.items()
            for other in others
            if root < other
        )
        return within + between - len(self._answered)

    def _join(self, one: int, other: int) -> None:
        """Unite two components, the larger one's root staying."""
        if one == other:
            return
        if self._size.get(one, 1) < self._size.get(other, 1):
            one, other = other, one
        self._parent[other] = one
        self._size[one] = self._size.get(one, 1) + self._size.pop(other, 1)
        for third, evidence in self._apart.pop(other, {}).items():
            del self._apart[third][other]
            self._apart[third].setdefault(one, evidence)
            self._apart.setdefault(one, {}).setdefault(third, evidence)

    def _chain(self, start: int, end: int) -> tuple[Evidence, ...]:
        """Shortest chain of SAME answers between two linked items (breadth first)."""
        came: dict[int, tuple[int, int]] = {start: (start, 0)}
        queue = deque([start])
        while queue and end not in came:
            item = queue.popleft()
            for linked, seq in self._links.get(item, ()):
                if linked not in came:
                    came[linked] = (item, seq)
                    queue.append(linked)
        chain: list[Evidence] = []
        while end != start:
            before, seq = came[end]
            chain.append((seq, Pair.of(before, end), Verdict.SAME))
            end = before
        return tuple(reversed(chain))
