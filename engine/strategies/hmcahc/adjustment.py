"""Local adjustment: the least change that makes a grouping keep to the answers.

Hidden here: how a group is split, how groups are joined, and what becomes of the tree below. After
it no answer is broken.

References
----------
Zheng & Wu (2016), algorithm 3: the local adjustment, which they describe in words; the details are
ours.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.clusterers.distances import Distances
from engine.hierarchy import Hierarchy
from engine.job import Job
from engine.model import IntArray, numbered
from engine.strategies.hmcahc.settled import Settled


def adjusted(labels: IntArray, known: Settled, distances: Distances, job: Job) -> IntArray:
    """Split groups that hold items told apart, then bring together items that are linked.

    Parameters
    ----------
    labels
        int32[n].

    Returns
    -------
    IntArray
        int32[n], groups numbered by first appearance.

    Notes
    -----
    Splitting only parts groups, and joining is not done where it would bring together what was told
    apart: so one pass over either is enough. Both go in the order of the answers.
    """
    labels = labels.copy()
    for one, other in known.apart:
        if labels[one] == labels[other]:
            _split(labels, one, other, known, distances, job)
    for items in known.linked:
        if (labels[items] != labels[items[0]]).any():
            _gather(labels, items, known)
    return numbered(labels)


def _split(
    labels: IntArray, one: int, other: int, known: Settled, distances: Distances, job: Job
) -> None:
    """Part a group in two around two items told apart; all others go to the nearer side.

    Linked items go as a block, by the least distance; what was told apart from a side is infinitely
    far from it.
    """
    here = labels == labels[one]
    parts = [items[here[items]] for items in (known.linked_to(one), known.linked_to(other))]
    near = [distances.nearest(part, job).copy() for part in parts]
    blocks = [np.array(items, dtype=np.int32) for items in known.linked]
    for block in (block[here[block]] for block in blocks):
        if len(block):
            for side in near:
                side[block] = side[block].min()
    for item in known.items[here[known.items]].tolist():
        for part, side in zip(parts, near, strict=True):
            if known.opposed(item, int(part[0])):
                side[item] = np.inf
    near[0][parts[0]] = near[1][parts[1]] = -1
    if parts[0][0] < parts[1][0]:
        leaves = here & (near[1] < near[0])
    else:
        leaves = here & (near[1] <= near[0])
    labels[leaves] = labels.max() + 1


def _gather(labels: IntArray, items: list[int], known: Settled) -> None:
    """Join the groups that linked items are spread over; if they must not be, move the items."""
    groups = np.unique(labels[items])
    joined = np.isin(labels, groups)
    if any(joined[one] and joined[other] for one, other in known.apart):
        labels[items] = labels[items[0]]
    else:
        labels[joined] = groups[0]


def regrown(
    hierarchy: Hierarchy, made: int, labels: IntArray, distances: Distances, job: Job
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Give merges that lead to a grouping, taken over from a hierarchy as far as they can be.

    Of a group that was split each part keeps the merges within it; parts that came together are
    merged by complete linkage on top.

    Parameters
    ----------
    made
        Merges of the hierarchy that are looked at.
    labels
        int32[n], the grouping.

    Returns
    -------
    tuple
        int64[m, 2], an item of either side; float64[m], heights, in rising order.
    """
    n = hierarchy.n
    parts: dict[int, dict[int, tuple[int, float]]] = {
        item: {label: (item, 0.0)} for item, label in enumerate(labels.tolist())
    }  # node -> group -> an item of it there, and how high it has grown
    merges: list[tuple[int, int, float]] = []
    for at, (first, second) in enumerate(hierarchy.merges[:made].tolist()):
        job.step()
        height = float(hierarchy.heights[at])
        small, large = sorted((parts.pop(first), parts.pop(second)), key=len)
        for label, (item, _) in small.items():
            if label in large:
                merges.append((large[label][0], item, height))
                large[label] = large[label][0], height
            else:
                large[label] = item, small[label][1]
        parts[n + at] = large
    job.step()
    merges += _joined(hierarchy.nodes(n - made), parts, labels, distances, job)
    job.step()
    merges.sort(key=lambda merge: merge[2])
    pairs = np.array([merge[:2] for merge in merges], dtype=np.int64).reshape(-1, 2)
    return pairs, np.array([merge[2] for merge in merges])


def _joined(
    tops: IntArray,
    parts: dict[int, dict[int, tuple[int, float]]],
    labels: IntArray,
    distances: Distances,
    job: Job,
) -> Iterable[tuple[int, int, float]]:
    """Give the merges that bring together the parts of each group."""
    of_group: dict[int, list[int]] = {}
    for node, held in parts.items():
        for label in held:
            of_group.setdefault(label, []).append(node)
    for label, nodes in of_group.items():
        job.step()
        first, *others = sorted(nodes, key=lambda node: parts[node][label][0])
        item, height = parts[first][label]
        united = np.flatnonzero((labels == label) & (tops == first)) if others else np.zeros(0, int)
        for node in others:
            more = np.flatnonzero((labels == label) & (tops == node))
            apart = float(distances.farthest(united, job)[more].max())
            added, grown = parts[node][label]
            height = max(height, grown, float(np.ldexp(apart, distances.exponent)))
            united = np.concatenate([united, more])
            yield item, added, height
