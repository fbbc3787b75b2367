"""Links: must- or cannot-links with a strength, of few pairs among very many.

Hidden here: how pairs are held. Promised: 14 bytes per pair, every pair once, no n x n matrix;
links are values, a round makes new ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from engine.constraints import Constraints
from engine.errors import ConstraintError, ResourceError
from engine.model import IntArray, Pair, Verdict

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Keys = npt.NDArray[np.int64]
Strengths = npt.NDArray[np.float32]
Rounds = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

HALF = 0.5
"""From this strength on a link says rather yes than no."""

NEVER = 255
"""Of a link that was never as strong as `HALF`."""

PAIR_BYTES = 64
"""What one pair takes at most while a round is worked out: itself, its successor, the graph."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Links of one kind between n items; arrays are read-only by convention.

    Attributes
    ----------
    n
        Items.
    keys
        int64[p], a * n + b of each pair a < b, rising.
    strength
        float32[p] in (0, 1]; 1 = given.
    since
        uint8[p], the round in which the link was first written; 0 = it was given.
    strong
        uint8[p], the round in which it was first as strong as `HALF`, or `NEVER`.
    """

    n: int
    keys: Keys
    strength: Strengths
    since: Rounds
    strong: Rounds

    @classmethod
    def of(cls, n: int, pairs: npt.ArrayLike, strength: npt.ArrayLike = 1.0) -> Links:
        """Make links of given pairs.

        Parameters
        ----------
        pairs
            int[p, 2], in either order; of a pair given twice the stronger link counts.
        strength
            float[p] or one for all, in (0, 1].

        Raises
        ------
        ValueError
            For a pair of one item, an item out of range, a strength out of range.
        """
        both = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        values = np.broadcast_to(np.asarray(strength, dtype=np.float32), len(both))
        if np.any(both[:, 0] == both[:, 1]) or np.any((both < 0) | (both >= n)):
            raise ValueError("a pair is of two items that exist")
        if not np.all((values > 0) & (values <= 1)):
            raise ValueError("a strength lies in (0, 1]")
        keys = keys_of(n, both[:, 0], both[:, 1])
        order = np.lexsort((-values, keys))
        first = np.ones(len(keys), dtype=np.bool_)
        first[1:] = np.diff(keys[order]) > 0
        kept = order[first]
        strong = np.where(values[kept] >= HALF, 0, NEVER).astype(np.uint8)
        return cls(n, keys[kept], values[kept], np.zeros(len(kept), dtype=np.uint8), strong)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def pairs(self) -> IntArray:
        """The pairs, int32[p, 2], the lower item first, in rising order."""
        return np.column_stack(np.divmod(self.keys, self.n)).astype(np.int32)

    def where(self, chosen: npt.NDArray[np.bool_]) -> Links:
        """Give some of the links: bool[p]."""
        return Links(
            self.n,
            self.keys[chosen],
            self.strength[chosen],
            self.since[chosen],
            self.strong[chosen],
        )

    def places(self, keys: Keys) -> Places:
        """Tell where keys are held, int64[...]; -1 = they are not."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        place = np.searchsorted(self.keys, keys)
        place[place == len(self.keys)] = 0
        return np.where(self.keys[place] == keys, place, -1)

    def at(self, keys: Keys) -> Strengths:
        """Give the strength of pairs; 0 = there is no link."""
        place = self.places(keys)
        found = np.zeros(len(keys), dtype=np.float32)
        found[place >= 0] = self.strength[place[place >= 0]]
        return found

    def raised(self, keys: Keys, step: float, round_: int) -> Links:
        """Strengthen pairs: M <- min(1 - step, M + step); what is stronger stays as it is.

        Parameters
        ----------
        keys
            int64[...], each once, rising.
        """
        place = self.places(keys)
        held, fresh = place[place >= 0], keys[place < 0]
        top = np.float32(1 - step)
        strength = self.strength.copy()
        more = np.minimum(top, strength[held] + np.float32(step))
        strength[held] = np.maximum(strength[held], more)
        old = np.ones(len(self.keys) + len(fresh), dtype=np.bool_)
        old[np.searchsorted(self.keys, fresh) + np.arange(len(fresh))] = False
        links = Links(
            self.n,
            _merged(old, self.keys, fresh),
            _merged(old, strength, min(np.float32(step), top)),
            _merged(old, self.since, round_),
            _merged(old, self.strong, NEVER),
        )
        return links.marked(round_)

    def marked(self, round_: int) -> Links:
        """Note which links have become strong in this round."""
        strong = self.strong.copy()
        strong[(strong == NEVER) & (self.strength >= HALF)] = round_
        return replace(self, strong=strong)

    def same_as(self, other: Links) -> bool:
        """Tell whether pairs and strengths are the same."""
        return np.array_equal(self.keys, other.keys) and np.array_equal(
            self.strength, other.strength
        )

    def graph(self, least: float = 0.0) -> csr_array:
        """Give links of at least so much strength as a symmetric sparse matrix, float32[n, n]."""
        from scipy.sparse import csr_array

        chosen = self.strength >= least
        some = self if chosen.all() else self.where(chosen)
        half = some.half(slice(0, self.n))
        return csr_array(half + half.T)

    def half(self, rows: slice) -> csr_array:
        """Give the links of some items to higher ones: float32[r, n]."""
        from scipy.sparse import csr_array

        items = np.arange(rows.start, rows.stop + 1, dtype=np.int64)
        ends = np.searchsorted(self.keys, items * self.n)
        some = slice(ends[0], ends[-1])
        others = self.keys[some] - np.repeat(items[:-1] * self.n, np.diff(ends))
        # int32 whichever the number of links: scipy would widen both, and to 64 bits
        parts = self.strength[some], others.astype(np.int32), (ends - ends[0]).astype(np.int32)
        return csr_array(parts, shape=(rows.stop - rows.start, self.n))


def keys_of(n: int, one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]) -> Keys:
    """Name pairs by one number, whichever item comes first: int64[...]."""
    keys: Keys = np.minimum(one, other).astype(np.int64) * n + np.maximum(one, other)
    return keys


def shared(one: Links, other: Links) -> tuple[Places, Places]:
    """Tell where the pairs that have both links are held in each: int64[s] twice."""
    if len(one) > len(other):
        return shared(other, one)[::-1]
    place = other.places(one.keys)
    at = np.flatnonzero(place >= 0)
    return at, place[at]


def given(n: int, constraints: Constraints, memory: int) -> tuple[Links, Links]:
    """Close answers: every pair that they settle, as must-links and as cannot-links.

    Parameters
    ----------
    n
        Items; constraints on others are an error.
    memory
        Bytes allowed for `PAIR_BYTES` per pair.

    Raises
    ------
    ResourceError
        When the pairs settled do not fit.
    ConstraintError
        When an answer is about an item that does not exist.
    """
    parts = constraints.parts()
    outside = [item for items, _ in parts.values() for item in items if item >= n]
    if outside:
        raise ConstraintError(
            f"an answer is about item {outside[0] + 1}; there are {n} items",
            "Give the answers that belong to these data.",
        )
    roots = list(parts)
    number = {root: place for place, root in enumerate(roots)}
    members = [np.array(parts[root][0], dtype=np.int64) for root in roots]
    apart = [
        (place, number[other])
        for place, root in enumerate(roots)
        for other in parts[root][1]
        if number.get(other, -1) > place
    ]
    settled = sum(len(some) * (len(some) - 1) // 2 for some in members)
    settled += sum(len(members[one]) * len(members[other]) for one, other in apart)
    if settled * PAIR_BYTES > memory:
        raise ResourceError(
            f"the answers settle {settled:,} pairs; to spread them takes "
            f"{settled * PAIR_BYTES / 1e6:,.0f} MB of memory, {memory / 1e6:,.0f} MB are allowed",
            "Allow more memory. With so many answers there is little left to be learned.",
        )
    within = [_within(some) for some in members if len(some) > 1]
    between = [_between(members[one], members[other]) for one, other in apart]
    return Links.of(n, _stacked(within)), Links.of(n, _stacked(between))


def consistent(constraints: Constraints) -> None:
    """Refuse answers that contradict each other.

    Raises
    ------
    ConstraintError
        The message names the first answer that contradicts, and the chain of those before it.
    """
    if not constraints.conflicts:
        return
    conflict = constraints.conflicts[0]
    chain = ", ".join(f"{_told(pair)} {verdict.value}" for _, pair, verdict in conflict.chain)
    raise ConstraintError(
        f"the answers contradict each other: {_told(conflict.pair)} {conflict.verdict.value}, "
        f"but from {chain} it follows that they are "
        f"{'different' if conflict.verdict is Verdict.SAME else 'the same'}",
        "Correct one of these answers, or let those that came later be left out "
        "(contradictions=leave-out).",
    )


def of_labels(labels: npt.NDArray[np.integer]) -> Constraints:
    """Turn known labels into answers from which all pairs among them follow.

    Parameters
    ----------
    labels
        int[n]; -1 = unknown.
    """
    found = Constraints()
    first: dict[int, int] = {}
    for item in np.flatnonzero(labels >= 0).tolist():
        head = first.setdefault(int(labels[item]), item)
        if head != item:
            found.add(Pair.of(head, item), Verdict.SAME, item)
            continue
        for other in first.values():
            if other != item:
                found.add(Pair.of(other, item), Verdict.DIFFERENT, item)
    return found


def _merged(
    old: npt.NDArray[np.bool_], held: npt.NDArray[Any], fresh: npt.ArrayLike
) -> npt.NDArray[Any]:
    """Put values where they belong among those held."""
    merged = np.empty(len(old), dtype=held.dtype)
    merged[old] = held
    merged[~old] = fresh
    return merged


def _told(pair: Pair) -> str:
    """Name a pair as people count."""
    return f"{pair.a + 1} and {pair.b + 1}"


def _within(some: Keys) -> Keys:
    one, other = np.triu_indices(len(some), 1)
    return np.column_stack((some[one], some[other]))


def _between(some: Keys, others: Keys) -> Keys:
    return np.column_stack((np.repeat(some, len(others)), np.tile(others, len(some))))


def _stacked(parts: list[Keys]) -> Keys:
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *parts])
