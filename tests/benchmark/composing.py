"""Learning how features compose, from pictures of other classes than those to be grouped.

Hides what is fitted and in which order. Promises a projection and bilinear weights in the format of
`engine.compositional.functions`, which have seen none of the classes that are measured on.

1. Linear discriminants. What several classes have in common is modelled as the mean of their parts
   plus a constant for how many there are; the directions in which the parts differ most, measured
   in what this model leaves over, are kept.
2. Bilinear weights by ridge regression: from the mean features of two single classes to the
   features of pictures of both.
3. Both refined together by gradient steps, so that of all sets of five classes the right one is
   composed nearest (softmax of negative squared distances, cross entropy).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tests.benchmark.superposed import Members, every_set

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]

_SHRUNK = 0.3  # of the mean variance, added to that within classes
_RIDGE = 1e-2
_SHOWN = 96  # pictures per step
_RIVALS = 5  # classes of which sets compete
_DEGREE = 3
_SHARE = {1: 0.25, 2: 0.45, 3: 0.3}  # of pictures shown, by how many classes they have
_DROPPED = 0.2  # of the features, at random
_RATE = 0.01


@dataclass(frozen=True)
class Learned:
    """A projection, and how projected features compose.

    Attributes
    ----------
    mean, weights, directions
        float64[D], float64[D], float64[D, p]: features are (x - mean) * weights @ directions.
    first, second, bias
        float64[p, p], float64[p, p], float64[p]: W1, W2 and bias of the bilinear form.
    """

    mean: Floats
    weights: Floats
    directions: Floats
    first: Floats
    second: Floats
    bias: Floats

    def project(self, features: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Give float32[n, p] for float[n, D]."""
        points = (features - self.mean) * self.weights @ self.directions
        return points.astype(np.float32)

    def save(self, target: Path) -> None:
        """Write it; the file can be given as `compose`."""
        np.savez(
            target,
            mean=self.mean,
            weights=self.weights,
            directions=self.directions,
            W1=self.first,
            W2=self.second,
            bias=self.bias,
        )

    @classmethod
    def load(cls, source: Path) -> Learned:
        """Read it again."""
        with np.load(source) as held:
            names = ("mean", "weights", "directions", "W1", "W2", "bias")
            return cls(*(held[name] for name in names))


def learn(
    features: npt.NDArray[np.floating],
    truth: Sequence[Members],
    weights: Floats,
    size: int,
    steps: int,
    seed: int = 0,
) -> Learned:
    """Learn from pictures of sets of up to three classes.

    Parameters
    ----------
    features
        float[m, D]; every class must occur alone.
    truth
        The classes of each, numbered from 0.
    weights
        float64[D], how much each feature counts.
    size
        Features that are kept.
    steps
        Of the refinement; 0 = none.
    """
    mean = features.mean(0, dtype=np.float64)
    points = (features - mean) * weights
    alone: list[list[int]] = [[] for _ in range(1 + max(max(one) for one in truth))]
    for row, members in enumerate(truth):
        if len(members) == 1:
            alone[members[0]].append(row)
    directions = _discriminants(points, truth, len(alone), size)
    projected = points @ directions
    scale = float(np.sqrt(projected.var(0).sum()))
    directions, projected = directions / scale, projected / scale
    centres = np.stack([projected[rows].mean(0) for rows in alone])
    form = _regressed(projected, truth, centres)
    if steps:
        directions, form = _refined(points, truth, alone, directions, form, steps, seed)
    return Learned(mean, weights, directions, *form)


def _discriminants(points: Floats, truth: Sequence[Members], classes: int, size: int) -> Floats:
    """Give the directions of step 1, float64[D, size]."""
    parts = np.zeros((len(truth), classes + _DEGREE - 1))
    for row, members in enumerate(truth):
        parts[row, list(members)] = 1 / len(members)
        if len(members) > 1:
            parts[row, classes + len(members) - 2] = 1
    normal = parts.T @ parts + 0.1 * np.eye(parts.shape[1])
    model = np.linalg.solve(normal, parts.T @ points)
    left = points - parts @ model
    within = left.T @ left / len(left)
    within += _SHRUNK * np.trace(within) / len(within) * np.eye(len(within))
    between = np.cov(model[:classes].T, bias=True)
    values, vectors = np.linalg.eigh(within)
    whitened = vectors / np.sqrt(values)
    _, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    directions: Floats = whitened @ turned[:, ::-1][:, :size]
    return directions


def _regressed(
    projected: Floats, truth: Sequence[Members], centres: Floats
) -> tuple[Floats, Floats, Floats]:
    """Give W1, W2 and bias of step 2."""
    pairs = [row for row, members in enumerate(truth) if len(members) == 2]
    one, other = (centres[[truth[row][at] for row in pairs]] for at in (0, 1))
    given = np.concatenate([one + other, one * other, np.ones((len(pairs), 1))], axis=1)
    scale = given.std(0)
    scale[-1] = 1
    given /= scale
    penalty = np.full(given.shape[1], _RIDGE * len(pairs))
    penalty[-1] = 0
    solved = np.linalg.solve(given.T @ given + np.diag(penalty), given.T @ projected[pairs])
    solved /= scale[:, None]
    p = projected.shape[1]
    return solved[:p].T, solved[p : 2 * p].T, solved[-1]


def _refined(
    points: Floats,
    truth: Sequence[Members],
    alone: Sequence[Sequence[int]],
    directions: Floats,
    form: tuple[Floats, Floats, Floats],
    steps: int,
    seed: int,
) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """Take the gradient steps of step 3."""
    import torch

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    data = torch.from_numpy(points).float()
    along, first, second, bias = (
        torch.from_numpy(one.copy()).float().requires_grad_() for one in (directions, *form)
    )
    sharpness = torch.tensor(2.0, requires_grad=True)
    optimiser = torch.optim.Adam(
        [
            {"params": [along], "lr": 3 * _RATE * float(np.abs(directions).mean())},
            {"params": [first, second, bias], "lr": 0.1 * _RATE},
            {"params": [sharpness], "lr": _RATE},
        ]
    )
    slower = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, steps)
    sizes = np.array([len(members) for members in truth])
    share = np.array([_SHARE[size] / np.sum(sizes == size) for size in sizes.tolist()])
    share /= share.sum()
    sets = every_set(_RIVALS, _DEGREE)
    for _ in range(steps):
        rows = rng.choice(len(truth), _SHOWN, p=share)
        classes, right = _contest([truth[row] for row in rows.tolist()], len(alone), sets, rng)
        # one drawing stands for a class, as in CAP, or the mean of a few, as in CKM
        drawn = 1 if rng.random() < 0.4 else 3
        stand = np.stack([rng.choice(alone[one], drawn) for one in classes.ravel().tolist()])
        shown = torch.nn.functional.dropout(data[rows], _DROPPED) @ along
        parts = torch.nn.functional.dropout(data[stand].mean(1), _DROPPED) @ along
        parts = parts.reshape(_SHOWN, _RIVALS, -1)
        composed = torch.stack([_composed(parts, one, first, second, bias) for one in sets], 1)
        apart = (shown[:, None] - composed).square().sum(-1)
        loss = torch.nn.functional.cross_entropy(-apart * sharpness.exp(), torch.from_numpy(right))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        slower.step()
    learned = [one.detach().double().numpy() for one in (along, first, second, bias)]
    return learned[0], (learned[1], learned[2], learned[3])


def _contest(
    shown: Sequence[Members], classes: int, sets: Sequence[Members], rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Draw five classes for each picture, its own among them, and say which set is right."""
    drawn = np.empty((len(shown), _RIVALS), np.int64)
    right = np.empty(len(shown), np.int64)
    for row, members in enumerate(shown):
        some = rng.choice(classes, min(classes, 2 * _RIVALS), replace=False).tolist()
        others = [one for one in some if one not in members]
        drawn[row] = rng.permutation([*members, *others[: _RIVALS - len(members)]])
        places = np.flatnonzero(np.isin(drawn[row], members))
        right[row] = sets.index(tuple(places.tolist()))
    return drawn, right


def _composed(
    parts: torch.Tensor,
    members: Members,
    first: torch.Tensor,
    second: torch.Tensor,
    bias: torch.Tensor,
) -> torch.Tensor:
    result = parts[:, members[0]]
    for one in members[1:]:
        other = parts[:, one]
        result = (result + other) @ first.T + (result * other) @ second.T + bias
    return result
