"""How sure a grouping is of an item: the margin between its own group and the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.hierarchy import Hierarchy
from engine.model import FloatArray


def margin(own: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> FloatArray:
    """Give (other - own) / (other + own), 0 = on the border, 1 = far from every other group.

    Parameters
    ----------
    own
        float[n], distance to what stands for the item's own group; infinite = nothing does.
    other
        float[n], distance to what stands for any other group; infinite = there is none.

    Returns
    -------
    FloatArray
        float32[n] in [0, 1]: 0 where nothing stands for the own group, where the other is nearer
        and between copies told apart; else 1 where there is no other.
    """
    total = np.add(own, other, dtype=np.float64)  # float32 may not hold the sum
    usable = np.isfinite(total) & (total > 0)
    share: FloatArray = (np.isfinite(own) & np.isinf(other)).astype(np.float32)
    share[usable] = np.maximum(0, other[usable] - own[usable]) / total[usable]
    return share


def of_level(hierarchy: Hierarchy, groups: int) -> FloatArray:
    """Give the margin (e - d) / (e + d) between two heights, float32[n].

    e is the height at which the item's group is merged into another; d that at which the item came
    to the core of its group, which is reached by following the larger branch down; where both are
    equally large, both come to each other.
    """
    n = hierarchy.n
    size = np.concatenate([np.ones(n, dtype=np.int32), hierarchy.sizes])
    _, joined = hierarchy.parents()
    tops = hierarchy.nodes(groups)
    came = np.zeros(2 * n - 1)  # by node: how high it came to the core; 0 = it is there
    for made in range(n - groups - 1, -1, -1):
        first, second = hierarchy.merges[made]
        here = came[n + made]
        came[first] = here or (hierarchy.heights[made] if size[first] <= size[second] else 0)
        came[second] = here or (hierarchy.heights[made] if size[second] <= size[first] else 0)
    return margin(came[:n], joined[tops])
