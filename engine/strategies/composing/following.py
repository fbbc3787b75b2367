"""Following: from the sets of a few items to those of all.

Hidden here: where the centre of each set lies, and how far it is believed that groups compose.
Promised: a pure function of its arguments; items of which something was said keep their sets.

References
----------
Own design: k-means from given sets. The centre of a composition lies between the mean of its items
and what its groups make together, weighed by how well that fits elsewhere (empirical Bayes; James
& Stein 1961). So a function that suits the data is relied on where items are few, and one that
does not suit them does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.compositional.functions import Compose
from engine.compositional.membership import Composed
from engine.compositional.nearest import compared, fits, read
from engine.job import Job

if TYPE_CHECKING:
    import torch

Ints = npt.NDArray[np.int64]
Set = tuple[int, ...]

_TOLD = 5.0  # times that an item counts of which something was said
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """How groups compose: what those of a set make together, and whether lengths count.

    Nothing is made of what they make together where that is not known (None).
    """

    g: Compose | None
    normalize: bool


def followed(
    points: torch.Tensor,
    begun: Sequence[Set],
    told: Mapping[int, Set],
    kind: Kind,
    job: Job,
    *,
    rounds: int = _ROUNDS,
) -> Composed:
    """Give all items the nearest of the sets that occur.

    Parameters
    ----------
    points
        Tensor[n, p].
    begun
        The set that each item begins with.
    told
        Items whose set is another, which they keep.
    rounds
        How often the others may change theirs.
    """
    now = nearest_sets(points, begun, told, kind, job, rounds=rounds)
    sets, chosen = _numbered(now)
    vectors, singles = _centres(points, sets, chosen, _weights(len(now), told), kind, job)
    _, own, other = fits(points, vectors, job, chosen, normalize=kind.normalize)
    _, alone, _ = fits(points, singles, job, normalize=kind.normalize)
    return Composed.of(
        sets, chosen.numpy(), own.numpy(), other.numpy(), alone.numpy(), singles.numpy()
    )


def nearest_sets(
    points: torch.Tensor,
    begun: Sequence[Set],
    told: Mapping[int, Set],
    kind: Kind,
    job: Job,
    *,
    rounds: int = _ROUNDS,
) -> list[Set]:
    """Give the sets that `followed` gives, as they are numbered in `begun` and `told`."""
    now = list(begun)
    for item, one in told.items():
        now[item] = one
    weights = _weights(len(now), told)
    for _ in range(rounds):
        sets, chosen = _numbered(now)
        vectors, _ = _centres(points, sets, chosen, weights, kind, job)
        nearest, _, _ = fits(points, vectors, job, normalize=kind.normalize)
        ordered = sorted(set(now), key=_order)
        before, now = now, [ordered[at] for at in nearest.tolist()]
        for item, one in told.items():
            now[item] = one
        if now == before:
            break
    return now


def _weights(items: int, told: Mapping[int, Set]) -> torch.Tensor:
    import torch

    weights = torch.ones(items, dtype=torch.float64)
    weights[list(told)] = _TOLD
    return weights


def _order(one: Set) -> tuple[int, Set]:
    return len(one), one


def _numbered(now: Sequence[Set]) -> tuple[list[Set], torch.Tensor]:
    """Give the sets that occur, of groups numbered without gaps, and the place of each item's."""
    import torch

    number = {group: at for at, group in enumerate(sorted({one for some in now for one in some}))}
    ordered = sorted(set(now), key=_order)
    place = {one: at for at, one in enumerate(ordered)}
    sets = [tuple(number[group] for group in one) for one in ordered]
    return sets, torch.tensor([place[one] for one in now])


def _centres(
    points: torch.Tensor,
    sets: Sequence[Set],
    chosen: torch.Tensor,
    weights: torch.Tensor,
    kind: Kind,
    job: Job,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give the centre of each set, float64[count, p], and of each group, [groups, p].

    A group without an item of its own lies in the mean of those that share it.
    """
    import torch

    count, p = len(sets), points.shape[1]
    sums = torch.zeros((count, p), dtype=torch.float64)
    squares = torch.zeros(count, dtype=torch.float64)
    for rows, some in read(points, job, normalize=kind.normalize):
        weighed = some * weights[rows, None]
        sums.index_add_(0, chosen[rows], weighed)
        squares.index_add_(0, chosen[rows], (weighed * some).sum(1))
    counts = torch.bincount(chosen, weights=weights, minlength=count)
    means = sums / counts.clamp(min=1e-300)[:, None]
    within = (squares - counts * means.square().sum(1)).clamp(min=0).sum() / counts.sum()
    singles = _singles(sets, sums, counts)
    several = [at for at, one in enumerate(sets) if len(one) > 1]
    g = kind.g
    if not several or g is None:
        return means, singles
    made = torch.stack(
        [compared(g(singles[list(sets[at])]), normalize=kind.normalize) for at in several]
    )
    apart = (means[several] - made).square().sum(1) - within / counts[several].clamp(min=1)
    off = float(apart.clamp(min=0).mean())
    trust = min(float(within) / off, 1e6) if off > 0 else 1e6
    means[several] = (sums[several] + trust * made) / (counts[several] + trust)[:, None]
    return means, singles


def _singles(sets: Sequence[Set], sums: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    import torch

    groups = 1 + max(one[-1] for one in sets)
    singles = torch.zeros((groups, sums.shape[1]), dtype=torch.float64)
    for group in range(groups):
        holding = [at for at, one in enumerate(sets) if group in one and counts[at] > 0]
        pure = [at for at in holding if len(sets[at]) == 1]
        rows = pure or holding
        if rows:
            singles[group] = sums[rows].sum(0) / counts[rows].sum()
    return singles
