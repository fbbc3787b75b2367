"""Learning how features compose, from pictures of other classes than those to be grouped.

Hides what is fitted and how. Promises a projection and bilinear weights in the format of
`engine.compositional.functions`, which have seen none of the classes that are measured on.

Both are fitted together, by gradient steps. A contest is five classes and a picture of every set of
up to three of them; of all these sets, the one that is composed nearest to a picture should be its
own: softmax of negative squared distances, cross entropy. For a class stands the mean of one to
five drawings of it alone: one, as in CAP, or more, as in CKM.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tests.benchmark.superposed import every_set

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]
Features = npt.NDArray[np.floating]

FIVE = 5  # classes of a contest
DEGREE = 3

_CONTESTS = 6  # per step
_DROPPED = 0.3  # of the features, at random
_RATE = 1e-3
_RISING = 0.1  # of the steps


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

    def project(self, features: Features) -> npt.NDArray[np.float32]:
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


@dataclass(frozen=True)
class Lessons:
    """What is learned from.

    Attributes
    ----------
    alone
        float[classes, m, D], features of drawings of each class alone.
    chosen
        int[contests, 5], the classes of each contest.
    mixed
        float[contests, 25, D], features of a picture of each set, as `every_set` has them.
    mean, weights
        float64[D], what is taken off each feature, and how much it then counts.
    """

    alone: Features
    chosen: npt.NDArray[np.int64]
    mixed: Features
    mean: Floats
    weights: Floats


def learn(lessons: Lessons, size: int, steps: int, seed: int = 0) -> Learned:
    """Learn a projection to `size` features, and how these compose."""
    import torch

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    wide = len(lessons.mean)
    near = torch.full((), float(np.log(8 / size)), requires_grad=True)  # log of the sharpness
    along = (torch.rand(wide, size) * 2 - 1) / wide**0.5
    first = 0.8 * torch.eye(size) + 0.01 * torch.randn(size, size)
    second, bias = 0.01 * torch.randn(size, size), torch.zeros(size)
    form = [along, first, second, bias]
    for one in form:
        one.requires_grad_()
    optimiser = torch.optim.AdamW([{"params": form, "weight_decay": 1e-4}, {"params": [near]}])
    # steps grow, then shrink to nothing; the sharpness may move ten times as fast
    paces = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [_RATE, 10 * _RATE], total_steps=steps, pct_start=_RISING
    )
    right = torch.arange(len(every_set(FIVE, DEGREE))).repeat(_CONTESTS)
    for _ in range(steps):
        parts, shown = (
            torch.nn.functional.dropout(points, _DROPPED) @ along for points in _drawn(lessons, rng)
        )
        composed = _composed(parts.mean(2), first, second, bias)
        apart = (shown[:, :, None] - composed[:, None]).square().sum(-1)
        loss = torch.nn.functional.cross_entropy(
            -(apart * near.exp()).flatten(0, 1), right[: shown.shape[0] * shown.shape[1]]
        )
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        paces.step()
    fitted = [one.detach().double().numpy() for one in form]
    return Learned(lessons.mean, lessons.weights, *fitted)


def _drawn(lessons: Lessons, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw contests: features of what stands for the classes, and of what is shown.

    Returns
    -------
    tuple
        Tensor[contests, 5, drawings, D] and Tensor[contests, 25, D].
    """
    import torch

    many = min(_CONTESTS, len(lessons.chosen))
    which = rng.choice(len(lessons.chosen), many, replace=False)
    there = lessons.alone.shape[1]
    drawings = rng.integers(1, min(FIVE, there) + 1)
    places = np.stack([rng.choice(there, drawings, replace=False) for _ in range(many * FIVE)])
    places = places.reshape(many, FIVE, drawings)
    parts = lessons.alone[lessons.chosen[which][..., None], places]
    return tuple(  # type: ignore[return-value]
        torch.from_numpy(((one - lessons.mean) * lessons.weights).astype(np.float32))
        for one in (parts, lessons.mixed[which])
    )


def _composed(
    parts: torch.Tensor, first: torch.Tensor, second: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """Compose every set, Tensor[contests, 5, p] to Tensor[contests, 25, p]."""
    import torch

    found = []
    for members in every_set(FIVE, DEGREE):
        result = parts[:, members[0]]
        for one in members[1:]:
            other = parts[:, one]
            result = (result + other) @ first.T + (result * other) @ second.T + bias
        found.append(result)
    return torch.stack(found, 1)
