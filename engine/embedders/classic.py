"""Shape and colour without learned weights: gradient orientations (HOG) and an HSV histogram.

Needs neither torch nor a weights file, so it is the embedder that always works; on blood cells it
groups better than learned features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PIL import Image

from engine.dataset import Dataset
from engine.embedders.pictures import Describe, Floats, Pixels, Recipe, embed_pictures
from engine.job import Job
from engine.model import FloatArray

if TYPE_CHECKING:
    from engine.embedders import FeatureCache

_SIZE = 128  # pixels a side
_CELL = 16  # pixels a side
_CELLS = _SIZE // _CELL  # a side
_ORIENTATIONS = 9  # of 20 degrees each, unsigned
_HOG = (_CELLS - 1) ** 2 * 4 * _ORIENTATIONS
_COLOURS = 8 * 4 * 4
_CLIP = 0.2  # of L2-Hys


class ClassicEmbedder:
    """HOG and colour histogram, reduced to 64 principal components."""

    name: ClassVar[str] = "classic"
    version: ClassVar[int] = 1

    def embed(self, dataset: Dataset, cache: FeatureCache, job: Job) -> FloatArray:
        """Return float32[n, d], d <= 64. Errors: see `embed_pictures`."""
        key = f"{self.name}-{self.version}-{_SIZE}"
        return embed_pictures(
            dataset, cache, job, Recipe(key, _SIZE, _HOG + _COLOURS, _prepare, _as_it_is, _weights)
        )


def _prepare() -> tuple[Describe, int]:
    return _describe, 1


def _describe(pictures: Pixels) -> FloatArray:
    """Turn uint8[b, 128, 128, 3] into float32[b, 1892]: HOG, then colours."""
    return np.stack([np.concatenate((_hog(rgb), _colours(rgb))) for rgb in pictures])


def _hog(rgb: Pixels) -> FloatArray:
    """Histograms of oriented gradients (Dalal & Triggs 2005), float32[1764] of unit length.

    9 unsigned orientations with linear interpolation between neighbours, cells of 16 pixels,
    overlapping blocks of 2 x 2 cells, each normalised by L2-Hys.
    """
    grey = np.asarray(Image.fromarray(rgb).convert("L"), dtype=np.float32) / 255
    down, right = np.zeros_like(grey), np.zeros_like(grey)
    down[1:-1] = grey[2:] - grey[:-2]
    right[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    strength = np.hypot(down, right)
    turn = np.arctan2(down, right) * (_ORIENTATIONS / np.pi) - 0.5  # bin centres at whole numbers
    lower = np.floor(turn)
    upper_share = turn - lower
    cell = np.arange(_SIZE) // _CELL
    first = (cell[:, None] * _CELLS + cell) * _ORIENTATIONS
    bins = lower.astype(np.intp)
    cells = np.zeros(_CELLS**2 * _ORIENTATIONS)
    for shift, share in ((0, 1 - upper_share), (1, upper_share)):
        places = first + (bins + shift) % _ORIENTATIONS
        cells += np.bincount(places.ravel(), (strength * share).ravel(), len(cells))
    grid = cells.reshape(_CELLS, _CELLS, _ORIENTATIONS)
    blocks = np.concatenate((grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]), axis=2)
    blocks = np.minimum(_unit(blocks), _CLIP)
    hog = _unit(blocks).ravel() / (_CELLS - 1)
    return hog.astype(np.float32)


def _unit(blocks: Floats) -> Floats:
    """Scale the last axis to unit length, (nearly) flat blocks to zero."""
    lengths = np.sqrt(np.einsum("ijk,ijk->ij", blocks, blocks) + 1e-10)
    scaled: Floats = blocks / lengths[:, :, None]
    return scaled


def _colours(rgb: Pixels) -> FloatArray:
    """HSV histogram of 8 x 4 x 4 bins, square root of shares: float32[128] of unit length."""
    hsv = np.asarray(Image.fromarray(rgb).convert("HSV")).astype(np.intp)
    places = ((hsv[..., 0] >> 5) * 4 + (hsv[..., 1] >> 6)) * 4 + (hsv[..., 2] >> 6)
    counts = np.bincount(places.ravel(), minlength=_COLOURS)
    shares: FloatArray = np.sqrt(counts / places.size).astype(np.float32)
    return shares


def _as_it_is(raw: FloatArray) -> FloatArray:
    return raw


def _weights(variances: Floats) -> Floats:
    """Weigh shape twice as much as colour: best of 7:1, 2:1 and 1:1 on three real sets."""
    weights = np.ones_like(variances)
    weights[_HOG:] = 0.5
    return weights
