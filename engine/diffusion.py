"""Diffusion: how far what is known of some items spreads to others over a graph of neighbours.

Hidden here: the weights of the graph, and how the sum over all walks is taken. Promised: sparse
throughout, O(n k) memory and time a step; results that are never negative and are right, each for
itself, to a thousandth or so: also far from where it starts, where all values are tiny.

References
----------
Zhou, Bousquet, Lal, Weston & Schölkopf (2004), Learning with local and global consistency: the
closed form (I - a S)^-1 y, with S = D^-1/2 W D^-1/2. Zelnik-Manor & Perona (2004), Self-tuning
spectral clustering: weights exp(-r^2 / (s_i s_j)), s the distance to the 7th neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.job import Job
from engine.neighbors import Neighbours

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = npt.NDArray[np.float64]

_SCALE = 7  # the neighbour whose distance is an item's scale
_LEAST_SCALE = 1e-3  # of the median scale: an item among copies still has neighbours
_LEAST_WEIGHT = 1e-12  # of an edge: what is far from all others is still linked to them
_CLOSE = 1e-4  # a step that adds no larger share to any item is the last
_CHECKED = 8  # steps after which this is looked at
_MOST_STEPS = 600


@dataclass(frozen=True, slots=True, eq=False)
class Diffusion:
    """A graph of neighbours over which values spread.

    Attributes
    ----------
    links
        `reach` times the normalised weights, float64[n, n], symmetric, sparse.
    """

    links: csr_array

    @classmethod
    def over(cls, near: Neighbours, reach: float, job: Job) -> Diffusion:
        """Weigh the edges between items of which one is a neighbour of the other.

        Parameters
        ----------
        reach
            The share of a value that goes on at each step, between 0 and 1.
        """
        from scipy.sparse import csr_array

        n = len(near.items)
        job.step()
        edges, lengths = near.edges_measured()
        one, other = edges.T
        scale = _scales(near)
        job.step()
        weights = np.exp(-np.square(lengths) / (scale[one] * scale[other]))
        weights = np.maximum(weights, _LEAST_WEIGHT)
        total = np.bincount(edges.ravel(), np.repeat(weights, 2), minlength=n)
        weights *= reach / np.sqrt(total[one] * total[other])
        job.step()
        rows, columns = np.concatenate((one, other)), np.concatenate((other, one))
        links = csr_array((np.tile(weights, 2), (rows, columns)), shape=(n, n))
        job.step()
        return cls(links)

    def spread(self, start: Floats, job: Job) -> Floats:
        """Give (I - a S)^-1 start, float64[n], for values that are not negative.

        The sum over walks of all lengths, the shortest first. Only adding, no difference of large
        numbers is ever taken. What takes more than 600 steps to come somewhere does not.
        """
        total, term = start.copy(), start
        for step in range(1, _MOST_STEPS + 1):
            job.step()
            term = self.links @ term
            total += term
            if step % _CHECKED == 0 and (term <= _CLOSE * total).all():
                break
        return total

    def from_item(self, item: int, job: Job) -> Floats:
        """Give how much of one item arrives at each, float64[n]; 1 at the item itself."""
        start = np.zeros(self.links.shape[0])
        start[item] = 1
        arrived = self.spread(start, job)
        arrived /= arrived[item]
        return arrived


def _scales(near: Neighbours) -> Floats:
    """Give each item's own scale, float64[n], > 0."""
    n, k = near.distances.shape
    if k == 0:
        return np.ones(n)
    scale = near.distances[:, min(_SCALE, k) - 1]
    usual = float(np.median(scale)) or float(scale.max()) or 1.0
    floored: Floats = np.maximum(scale, _LEAST_SCALE * usual)
    return floored
