"""Groups and their compositions, planted: what a compositional method should find again."""

from __future__ import annotations

import itertools

import numpy as np

MAKES = {"sum": np.sum, "max": np.max, "mean": np.mean}


def planted(
    k: int, degree: int, compose: str, seed: int, *, each: int = 20, p: int = 20
) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Give points float[n, p], `each` of every set of up to `degree` groups, and their sets."""
    rng = np.random.default_rng(seed)
    singles = rng.random((k, p))
    sets = [one for size in range(1, degree + 1) for one in itertools.combinations(range(k), size)]
    truth = [one for one in sets for _ in range(each)]
    whole = np.stack([MAKES[compose](singles[list(one)], axis=0) for one in truth])
    return whole + 0.05 * rng.normal(size=whole.shape), truth
