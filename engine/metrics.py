"""How well a grouping agrees with known labels: Rand index, its adjusted form, and NMI.

Every function takes two labellings of the same items (int[n], any values; equal value = same
group) and looks at the grouping only, never at the names. numpy only; O(n log n).
"""

from __future__ import annotations

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


def _pairs(counts: Counts) -> float:
    """Count the pairs within groups of these sizes."""
    return float((counts * (counts - 1)).sum() / 2)


def _entropy(counts: Counts, n: int) -> float:
    if n == 0 or len(counts) == 1:
        return 0.0
    shares = counts / n
    return float(-(shares * np.log(shares)).sum())
