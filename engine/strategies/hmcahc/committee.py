"""The committee of variant `which`: three ways of merging, and what they disagree about.

Hidden here: how the members' votes are compared. Promised: of the open pairs within a group the one
most disputed, whatever the size of the groups.

References
----------
Zheng & Wu (2016), the variant that asks by a committee; disagreement is the entropy of the votes
on a pair. Its members are not published: here single, average and complete linkage of the original
distances, cut at the present number of groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.clusterers.distances import COPIED, Distances, blocks
from engine.job import Job
from engine.model import IntArray, Pair
from engine.strategies.hmcahc.certainty import Doubt
from engine.strategies.hmcahc.settled import Settled

OTHERS = ("single", "average")
"""The members beside complete linkage."""


def most_disputed(
    votes: Sequence[IntArray],
    groups: Iterable[IntArray],
    known: Settled,
    distances: Distances,
    job: Job,
) -> Doubt | None:
    """Give the open pair within a group that the committee disagrees about most.

    Either all agree on a pair, or it is disputed: of three members always two against one. Of
    equally disputed pairs the one farthest apart comes first, then the lowest.

    Parameters
    ----------
    votes
        int32[n], the grouping of each member of the committee.
    groups
        The items of each group, int32[m].

    Returns
    -------
    Doubt or None
        None when no pair is open.
    """
    best: tuple[bool, float, int, int] | None = None
    group = np.zeros(0, dtype=np.int32)
    for members in map(np.sort, groups):
        for rows in blocks(len(members), COPIED // (8 * len(members))):
            job.step()
            some = members[rows]
            joined = sum((vote[some][:, None] == vote[members]).astype(np.int8) for vote in votes)
            disputed = (joined > 0) & (joined < len(votes))
            far = np.where(known.shut(some, members), -1, distances.matrix[some[:, None], members])
            for rank in (True, False):
                gaps = np.where(disputed == rank, far, -1)
                gap = float(gaps.max())
                if gap >= 0:
                    at, to = (int(place[0]) for place in np.nonzero(gaps == gap))
                    found = rank, gap, -int(some[at]), -int(members[to])
                    if best is None or found > best:
                        best, group = found, members
                    break
    return None if best is None else Doubt(Pair.of(-best[2], -best[3]), group)
