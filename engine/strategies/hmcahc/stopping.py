"""Where to stop merging when nobody knows the number of groups."""

from __future__ import annotations

import numpy as np

from engine.strategies.hmcahc.course import Course


def merges(course: Course) -> int:
    """Give the number of merges to make."""
    h = course.hierarchy
    n = h.n
    low = max(course.start, n - 1 - int(np.sqrt(n)))
    if course.lawful <= low:
        return course.lawful
    gaps = np.diff(h.heights[low : course.lawful])
    if course.lawful < n - 1 or len(gaps) == 0:
        return course.lawful
    return low + 1 + int(gaps.argmax())
