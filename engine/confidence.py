"""How sure a grouping is of an item: the margin between its own group and the next."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
