"""Plain pixels, 32 x 32: the floor that every other picture embedder must beat.

Selectable because on tightly framed pictures (brain slices) it groups better than learned features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.dataset import Dataset
from engine.embedders.pictures import Describe, Pixels, Recipe, embed_pictures
from engine.job import Job
from engine.model import FloatArray

if TYPE_CHECKING:
    from engine.embedders import FeatureCache

_SIZE = 32


class PixelsEmbedder:
    """The picture squashed to 32 x 32 RGB pixels, reduced to 64 principal components."""

    name: ClassVar[str] = "pixels"
    version: ClassVar[int] = 1

    def embed(self, dataset: Dataset, cache: FeatureCache, job: Job) -> FloatArray:
        """Return float32[n, d], d <= 64. Errors: see `embed_pictures`."""
        key = f"{self.name}-{self.version}-{_SIZE}"
        return embed_pictures(
            dataset, cache, job, Recipe(key, _SIZE, 3 * _SIZE**2, _prepare, _as_it_is, np.ones_like)
        )


def _prepare() -> tuple[Describe, int]:
    return _describe, 1


def _describe(pictures: Pixels) -> FloatArray:
    """Turn uint8[b, 32, 32, 3] into float32[b, 3072] in [0, 1]."""
    return np.divide(pictures.reshape(len(pictures), -1), 255, dtype=np.float32)


def _as_it_is(raw: FloatArray) -> FloatArray:
    return raw
