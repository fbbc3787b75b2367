"""Columns as one matrix of features: imputed, scaled, categories spread out.

Hidden: the arithmetic, done in float64. Promised: float32, finite; the same rows give the same
features, and what was filled in is counted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.errors import DatasetError, ParameterError
from engine.model import FloatArray
from engine.readers.columns import most_frequent
from engine.readers.numbers import Floats

SCALES = ("minmax", "none")


def check_scale(scale: str) -> None:
    """Refuse a way of scaling that does not exist.

    Raises
    ------
    ParameterError
        Naming the ways there are.
    """
    if scale not in SCALES:
        raise ParameterError(
            f"there is no scaling called “{scale}”", f"Choose one of: {', '.join(SCALES)}."
        )


def number_features(values: Floats, name: str, scale: str, source: str) -> FloatArray:
    """Make the feature of a numeric column.

    Parameters
    ----------
    values
        float64[n]; NaN where missing, else finite.
    scale
        "minmax": to [0, 1]; "none": as it is.

    Returns
    -------
    float32[n, 1]
        Missing values stand at the median of the column; a constant column becomes 0 when scaled.

    Raises
    ------
    DatasetError
        When an unscaled value is too large for float32, or all become the same in it.
    """
    missing = np.isnan(values)
    if missing.any():
        values = np.where(missing, median(values[~missing]), values)
    if scale == "minmax":
        values = _to_unit_range(values)
    with np.errstate(over="ignore"):  # looked at just below
        feature = values.astype(np.float32)
    if not np.isfinite(feature).all():
        raise DatasetError(
            f"{source}: column “{name}” holds numbers too large to be compared unscaled",
            "Scale the columns to 0…1.",
        )
    if values.size and values.min() != values.max() and feature.min() == feature.max():
        raise DatasetError(
            f"{source}: the numbers of column “{name}” are too small or too close to each other to"
            " be compared unscaled",
            "Scale the columns to 0…1.",
        )
    return feature[:, None]


def _to_unit_range(values: Floats) -> Floats:
    """Map the smallest value to 0 and the largest to 1."""
    if values.size == 0:
        return values
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.zeros_like(values)
    with np.errstate(over="ignore", under="ignore"):
        span = high - low
        if np.isfinite(span):
            return np.clip((values - low) / span, 0.0, 1.0)
        return np.clip((values / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0)


def median(values: Floats) -> float:
    """Give the median of finite values; 0 of none. The middle two are halved before they are added.

    (`numpy.median` overflows near the largest float64.)
    """
    if values.size == 0:
        return 0.0
    middle = np.sort(values)[(len(values) - 1) // 2 : len(values) // 2 + 1]
    return float(middle[0]) if len(middle) == 1 else float(middle[0] / 2 + middle[1] / 2)


def category_features(words: Sequence[str], name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """Spread a category over one feature for each of its values (one-hot).

    Parameters
    ----------
    words
        "" where missing: it counts as the most frequent value.

    Returns
    -------
    float32[n, k] of 0 and 1, and the names of the k features
        In alphabetical order of the values.
    """
    usual = most_frequent(words)
    codes, different = _codes([word or usual for word in words])
    features = np.zeros((len(words), len(different)), np.float32)
    features[np.arange(len(words)), codes] = 1.0
    return features, tuple(f"{name} = {word}" for word in different)


def _codes(words: Sequence[str]) -> tuple[npt.NDArray[np.intp], list[str]]:
    different = sorted(set(words))
    places = {word: place for place, word in enumerate(different)}
    return np.fromiter(map(places.__getitem__, words), np.intp, len(words)), different
