"""How well a grouping agrees with known labels: Rand index, NMI, and both adjusted for chance.

Every function takes two labellings of the same items (int[n], any values; equal value = same
group) and looks at the grouping only, never at the names. numpy only; O(n log n),
but for AMI, which takes O(n) for every size of group that occurs. The compositional Rand index
takes sets of groups, and no longer than the number of distinct sets times that of distinct pairs
of them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.float64]


def rand_index(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Give the share of pairs on which two labellings agree; 1 for fewer than two items."""
    cells, rows, columns, n = _contingency(a, b)
    if n < 2:
        return 1.0
    both, one, other = _pairs(cells), _pairs(rows), _pairs(columns)
    total = n * (n - 1) / 2
    return float((total + 2 * both - one - other) / total)


def adjusted_rand_index(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Give the Rand index corrected for chance: 1 = same grouping, 0 = as random.

    1 for fewer than two items and for two labellings that are trivial in the same way.

    References
    ----------
    Hubert & Arabie (1985), Comparing partitions, eq. 5.
    """
    cells, rows, columns, n = _contingency(a, b)
    if n < 2:
        return 1.0
    both, one, other = _pairs(cells), _pairs(rows), _pairs(columns)
    expected = one * other / (n * (n - 1) / 2)
    highest = (one + other) / 2
    if highest == expected:
        return 1.0
    return float((both - expected) / (highest - expected))


def compositional_rand_index(
    a: Sequence[Collection[Hashable]], b: Sequence[Collection[Hashable]]
) -> float:
    """Give the share of ordered pairs on which two labellings by sets agree, CRI.

    They agree on (i, j) when both or neither say that all groups of i are groups of j. Where all
    sets are of one group this is the Rand index. 1 for fewer than two items.

    Parameters
    ----------
    a, b
        For each item a non-empty set of group ids; the ids of the two need not match.

    Raises
    ------
    ValueError
        When an item has no group, or the labellings are not of the same items.

    References
    ----------
    The measure that compositional affinity propagation was introduced with.
    """
    n = len(a)
    if len(b) != n:
        raise ValueError(f"expected two labellings of the same items: {n}, {len(b)}")
    one, row = _distinct(a)
    other, column = _distinct(b)
    if n < 2:
        return 1.0
    cells, counts = np.unique(row * len(other) + column, return_counts=True)
    rows, columns = np.divmod(cells, len(other))
    within, among = _containing(one), _containing(other)
    sizes, sizes_b = np.bincount(row), np.bincount(column)
    held = sum(int(sizes[u]) * int(sizes[above].sum()) for u, above in enumerate(within))
    held_b = sum(int(sizes_b[v]) * int(sizes_b[above].sum()) for v, above in enumerate(among))
    both = 0
    starts = np.searchsorted(rows, np.arange(len(one) + 1))
    inside = np.zeros(len(one), dtype=np.bool_)
    for u, above in enumerate(within):
        inside[above] = True
        counted = inside[rows]  # cells whose set in `a` has all groups of u
        inside[above] = False
        weights = np.bincount(columns[counted], weights=counts[counted], minlength=len(other))
        for cell in range(starts[u], starts[u + 1]):
            both += int(counts[cell]) * int(weights[among[columns[cell]]].sum())
    # every item agrees with itself, which is no pair
    return (n * n - held - held_b + 2 * both - n) / (n * (n - 1))


def normalized_mutual_information(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Give mutual information over the arithmetic mean of the two entropies, in [0, 1].

    1 when both labellings have a single group.
    """
    cells, rows, columns, n = _contingency(a, b)
    one, other = _entropy(rows, n), _entropy(columns, n)
    if one == 0 and other == 0:
        return 1.0
    # the information shared is what the joint labelling does not need
    information = one + other - _entropy(cells, n)
    return float(min(1.0, max(0.0, 2 * information / (one + other))))


def adjusted_mutual_information(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """Give mutual information corrected for chance: 1 = same grouping, 0 = as random.

    Over the arithmetic mean of the two entropies; what chance gives is exact. 1 for two labellings
    that are trivial in the same way.

    References
    ----------
    Vinh, Epps & Bailey (2010), Information theoretic measures for clusterings comparison, eq. 24a.
    """
    cells, rows, columns, n = _contingency(a, b)
    one, other = _entropy(rows, n), _entropy(columns, n)
    if len(rows) == len(columns) and len(rows) in {0, 1, n}:
        return 1.0
    expected = _information_by_chance(rows, columns, n)
    highest = (one + other) / 2
    return float((one + other - _entropy(cells, n) - expected) / (highest - expected))


def _information_by_chance(rows: Counts, columns: Counts, n: int) -> float:
    """Give the mean mutual information over all ways to deal n items out to groups of these sizes.

    Every cell of the table is hypergeometric: its chances go by the two sizes alone, so each pair
    of sizes is gone through once.
    """
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    one_sizes, ones = np.unique(rows.astype(np.int64), return_counts=True)
    other_sizes, others = np.unique(columns.astype(np.int64), return_counts=True)
    total = 0.0
    for size, many in zip(one_sizes.tolist(), ones.tolist(), strict=True):
        first = np.maximum(1, size + other_sizes - n)
        counts = np.minimum(size, other_sizes) - first + 1
        at = np.repeat(np.arange(len(other_sizes)), counts)
        together = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts) + first[at]
        across = other_sizes[at]
        chance = np.exp(
            log_factorial[size]
            + log_factorial[n - size]
            + (log_factorial[across] + log_factorial[n - across] - log_factorial[n])
            - log_factorial[together]
            - log_factorial[size - together]
            - log_factorial[across - together]
            - log_factorial[n - size - across + together]
        )
        shared = together / n * np.log(n * together / (size * across))
        total += many * float((shared * chance * others[at]).sum())
    return total


def _contingency(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Counts, Counts, Counts, int]:
    """Count the non-empty cells of the contingency table, its rows, its columns, the items."""
    one, other = np.asarray(a), np.asarray(b)
    if one.ndim != 1 or one.shape != other.shape:
        raise ValueError(f"expected two labellings of the same items: {one.shape}, {other.shape}")
    if not one.size:
        nothing = np.zeros(0)
        return nothing, nothing, nothing, 0
    _, row = np.unique(one, return_inverse=True)
    _, column = np.unique(other, return_inverse=True)
    joint = row.astype(np.int64) * (int(column.max()) + 1) + column
    _, cells = np.unique(joint, return_counts=True)
    return (
        cells.astype(np.float64),
        np.bincount(row).astype(np.float64),
        np.bincount(column).astype(np.float64),
        int(one.size),
    )


def _distinct(
    sets: Sequence[Collection[Hashable]],
) -> tuple[list[frozenset[Hashable]], npt.NDArray[np.int64]]:
    """Give the distinct sets in the order met, and which of them each item has."""
    places: dict[frozenset[Hashable], int] = {}
    at = [places.setdefault(frozenset(one), len(places)) for one in sets]
    if frozenset() in places:
        raise ValueError("every item must belong to some group")
    return list(places), np.array(at, dtype=np.int64)


def _containing(sets: Sequence[frozenset[Hashable]]) -> list[npt.NDArray[np.int64]]:
    """Give for each set the places of those that have all its members, itself among them."""
    having: dict[Hashable, list[int]] = {}
    for place, members in enumerate(sets):
        for member in members:
            having.setdefault(member, []).append(place)
    places = {member: np.array(found, dtype=np.int64) for member, found in having.items()}
    return [
        np.flatnonzero(
            np.bincount(np.concatenate([places[one] for one in members])) == len(members)
        )
        for members in sets
    ]


def _pairs(counts: Counts) -> float:
    """Count the pairs within groups of these sizes."""
    return float((counts * (counts - 1)).sum() / 2)


def _entropy(counts: Counts, n: int) -> float:
    if n == 0 or len(counts) == 1:
        return 0.0
    shares = counts / n
    return float(-(shares * np.log(shares)).sum())
