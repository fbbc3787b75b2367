"""Where merging stops when nobody knows the number of groups.

Hidden here: the rule. Promised: it depends on the heights of the merges only, and on how many
groups the answers demand at least.

The rule: stop before the merge with the largest gap in height below it, times the number of groups
left. A gap among many groups counts for more than one among few, where gaps are large anyway; all
answers given so far count, since groups that they forbid to merge leave no fewer to choose from.

Measured on the 43 tables of up to 2500 rows (`tests/benchmark/stopping.py DATA --questions 100`);
ARI of the groups before the first answer, and mean ARI over 100 answers; how far the number of
groups is from the true one before the first answer, in the median and within a factor of two:

==============================  ===========  ===========  ========  ==========
groups                          before ARI   mean ARI     off by    within x 2
==============================  ===========  ===========  ========  ==========
the true number given                0.322        0.347         0        100 %
gap x groups (chosen)                0.290        0.314         5         51 %
gap x root of groups                 0.261        0.305         2         65 %
ratio of heights x root              0.279        0.296         3
ratio of heights                     0.249        0.298         1         65 %
largest gap                          0.212                      1         72 %
first below 70 % of the root         0.289                      2         65 %
surest level, more groups            0.255                      4         47 %
surest level, fewer groups           0.160                      1         56 %
==============================  ===========  ===========  ========  ==========

Few groups are nearer to the true number, but wrong ones: complete linkage splits real groups, and
its parts are put together by answers. Certainty says little here, since it takes few values.
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
