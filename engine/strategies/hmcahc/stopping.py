"""Where merging stops when nobody knows the number of groups.

Hidden here: the rule. Promised: it depends on the heights of the merges only, and on how many
groups the answers demand at least.

The rule: stop before the merge with the largest gap in height below it, times the number of groups
left. A gap among many groups counts for more than one among few, where gaps are large anyway; all
answers given so far count, since groups that they forbid to merge leave no fewer to choose from.

Measured on the 43 tables of up to 2500 rows (`python -m tests.benchmark.stopping DATA --questions
100`): ARI of the groups before the first answer, mean ARI over 100 answers, and how far the number
of groups is from the true one before the first answer: in the median, and how often within a factor
of two.

========================  ==========  ========  ======  ==========
groups                    before ARI  mean ARI  off by  within x 2
========================  ==========  ========  ======  ==========
the true number given          0.322     0.347       0       100 %
gap x groups (chosen)          0.290     0.314       5        51 %
gap x root of groups           0.262     0.305       2        65 %
largest gap                    0.212     0.273       1        72 %
ratio x root of groups         0.279     0.296
largest ratio                  0.249     0.298       1        65 %
========================  ==========  ========  ======  ==========

So it costs 0.033 of ARI not to know the number. Few groups are nearer to the true number, but not
the true groups: complete linkage cuts these in pieces, and answers put pieces together. The level
with the highest certainty, tried on the same trees, gives 0.160 to 0.255 before the first answer:
certainty takes too few values to tell levels apart.
"""

from __future__ import annotations

import math

import numpy as np

from engine.strategies.hmcahc.course import Course


def merges(course: Course) -> int:
    """Give the number of merges to make.

    From two groups, or as many as answers demand, up to the root of the number of items; the
    fewest of those that the rule does not tell apart.
    """
    heights = course.hierarchy.heights
    n = course.hierarchy.n
    fewest = max(2, n - course.lawful)
    groups = np.arange(fewest, max(math.isqrt(n), fewest) + 1)
    groups = groups[groups < n]
    gaps = heights[n - groups] - heights[n - groups - 1]
    if gaps.max(initial=0) == 0:
        return course.lawful  # all alike
    return n - int(groups[(gaps * groups).argmax()])
