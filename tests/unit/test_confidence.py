"""The margin between an item's own group and the next, where distances are odd."""

from __future__ import annotations

import numpy as np

from engine.confidence import margin

HUGE = np.finfo(np.float32).max


def test_margins_of_odd_distances() -> None:
    own = np.array([1, 0, np.inf, 0, HUGE / 2, 3, np.inf], dtype=np.float32)
    other = np.array([3, np.inf, 1, 0, HUGE, 1, np.inf], dtype=np.float32)
    share = margin(own, other)
    assert share.dtype == np.float32
    np.testing.assert_allclose(share, [0.5, 1, 0, 0, 1 / 3, 0, 0], rtol=1e-6)
