"""What the network makes of superposed symbols: as the program has it, or in parts of the picture.

Hides which stages are looked at and how pictures are passed through. Promises a row for each set,
of a picture made anew; the same by the same generator of random numbers, whichever is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from engine.embedders import pretrained
from engine.embedders.pictures import principal_components, unit_rows
from engine.job import Job
from tests.benchmark.superposed import Ink, Members, superpose

Points = npt.NDArray[np.float32]

_STAGES = (2, 4)  # whose outputs are described, of 40 and 112 channels
_PARTS = 4  # of a picture, along each side
_AT_ONCE = 8


def whole(inks: Sequence[Ink], truth: Sequence[Members], rng: np.random.Generator) -> Points:
    """Make pictures and give what the program's network has of them, float32[n, 1752]."""
    network = pretrained.Network(pretrained.read_weights(pretrained.weights_path()))
    return pretrained.scaled(np.concatenate([network(some) for some in _made(inks, truth, rng)]))


def in_parts(inks: Sequence[Ink], truth: Sequence[Members], rng: np.random.Generator) -> Points:
    """Make pictures and give averages of inner stages in parts of them, float32[n, 152 * 16]."""
    import torch

    network = pretrained.Network(pretrained.read_weights(pretrained.weights_path()))
    found = []
    with torch.inference_mode():
        for some in _made(inks, truth, rng):
            inner = [
                torch.nn.functional.adaptive_avg_pool2d(stage, _PARTS).flatten(1)
                for number, stage in enumerate(islice(network.stages(some), _STAGES[-1] + 1))
                if number in _STAGES
            ]
            found.append(torch.cat(inner, 1).numpy())
    return np.concatenate(found)


def _made(
    inks: Sequence[Ink], truth: Sequence[Members], rng: np.random.Generator
) -> Iterator[npt.NDArray[np.uint8]]:
    for start in range(0, len(truth), _AT_ONCE):
        yield superpose(inks, truth[start : start + _AT_ONCE], rng)


def reduced(features: Points) -> Points:
    """Give what the program makes of these pictures: 64 principal components, to unit length."""
    weighed = features * pretrained.block_weights(features.var(0, dtype=np.float64))
    return unit_rows(principal_components(weighed.astype(np.float32), Job()))


def standard(features: Points) -> dict[str, npt.NDArray[np.float64]]:
    """Give mean and weight of every feature: z-scores by channel, whatever the part."""
    cells = _PARTS**2
    means = features.mean(0, dtype=np.float64).reshape(-1, cells).mean(1)
    squares = np.einsum("ij,ij->j", features, features, dtype=np.float64) / len(features)
    spread = np.sqrt(np.maximum(squares.reshape(-1, cells).mean(1) - means**2, 1e-12))
    return {"mean": np.repeat(means, cells), "weights": np.repeat(1 / spread, cells)}
