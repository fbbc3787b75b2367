"""Certainty as something to see: how full a bar is, how dense a sign.

Hides that margins rarely come near 1. Promises one scale for a whole state, on which a state that
is unsure everywhere does not look sure.
"""

from __future__ import annotations

import numpy as np

from engine.model import Overview

_LEAST = 0.25  # a state whose surest items have less than this margin is drawn as unsure


def very_sure(overview: Overview) -> float:
    """Give the margin that is drawn as full: what 1 in 20 of the grouped items surpass."""
    grouped = overview.confidence[overview.slots >= 0]
    return max(_LEAST, float(np.quantile(grouped, 0.95))) if len(grouped) else 1.0
