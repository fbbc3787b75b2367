"""Step 1 of FC2: sub-clusters in which no strong cannot-link is broken.

Hidden here: the order in which items are gone through. Promised: every item comes into exactly one
sub-cluster; in none of them are two items whose cannot-link is as strong as the threshold.

References
----------
FC2, finding clusters on constraints, its first step. That an item counts among its own must-links
is a decision of ours: read literally, an item without strong links would be taken out for ever.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def pure(must: csr_array, cannot: csr_array, threshold: float, job: Job) -> Ints:
    """Form sub-clusters: int64[n], numbered in the order formed.

    Parameters
    ----------
    must, cannot
        Strengths of the links, symmetric, float[n, n].
    threshold
        From which strength on a link counts, save for those of a seed: there any does.

    Returns
    -------
    Ints
        -1 = isolated: an item without any link.
    """
    found = _Forming(must, cannot, threshold)
    degree = must.sum(axis=1)
    linked = (np.diff(must.indptr) > 0) | (np.diff(cannot.indptr) > 0)
    found.free &= linked
    number, left = 0, int(linked.sum())
    for seed in np.argsort(-degree, kind="stable").tolist():
        if not found.free[seed]:
            continue
        number += found.form(seed, number, job)
        job.step(left - int(found.free.sum()), left, "Forming groups")
    return found.label


class _Forming:
    """Forms one sub-cluster after the other out of the items that are free."""

    def __init__(self, must: csr_array, cannot: csr_array, threshold: float) -> None:
        self._must, self._cannot, self._threshold = must, cannot, threshold
        n = must.shape[0]
        self.free: Bools = np.ones(n, dtype=np.bool_)
        self.label: Ints = np.full(n, -1)

    def form(self, seed: int, number: int, job: Job) -> int:
        """Grow a sub-cluster from a seed, number it and give 1.

        K, the members, and I, what they are incompatible with, grow together. An item is gone
        through once. One that has at least as many links into I as into K is taken out, and stays
        out: so all that are left were gone through, and what they cannot be with is in I.
        """
        inside, barred, seen = np.zeros((3, len(self.free)), dtype=np.bool_)
        near, strength = self._row(self._must, seed)
        barred[self._row(self._cannot, seed)[0]] = True
        first = (near != seed) & self.free[near] & ~barred[near]
        order = np.argsort(-strength[first], kind="stable")
        waiting = deque([seed, *near[first][order].tolist()])
        inside[waiting] = seen[waiting] = True
        while waiting:
            job.step()
            item = waiting.popleft()
            if not inside[item]:
                continue
            near = self._strong(self._must, item)
            # an item counts among its own links: else one without strong links would be taken out
            kept = np.count_nonzero(inside[near]) + 1
            if item != seed and np.count_nonzero(barred[near]) >= kept:
                inside[item] = False
                continue
            against = self._strong(self._cannot, item)
            barred[against] = True
            inside[against[against != seed]] = False
            fresh = near[self.free[near] & ~barred[near] & ~seen[near]]
            inside[fresh] = seen[fresh] = True
            waiting.extend(fresh.tolist())
        self.label[inside] = number
        self.free[inside] = False
        return 1

    def _strong(self, links: csr_array, item: int) -> Ints:
        items, strength = self._row(links, item)
        return items[strength >= self._threshold]

    @staticmethod
    def _row(links: csr_array, item: int) -> tuple[Ints, npt.NDArray[np.float32]]:
        some = slice(links.indptr[item], links.indptr[item + 1])
        return links.indices[some].astype(np.int64), links.data[some].astype(np.float32)
