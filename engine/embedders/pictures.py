"""What all picture embedders share: from files to at most 64 comparable numbers per picture.

Hidden: reading ahead in threads, checking that each file is still the one that was scanned, keeping
raw features in the cache, and the principal components of a folder. Promised: a picture whose raw
features are cached is not touched on disk, a cancel waits for no file, and neither the order of the
items nor copies change what a picture's features are.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from engine.dataset import CONTENT_BYTES, Dataset, Item, SourceKind
from engine.errors import DatasetError, EmbeddingError
from engine.job import Job
from engine.model import FloatArray
from engine.readers.files import Unreadable, open_regular, why
from engine.readers.images import load_picture, to_rgb8
from engine.readers.threads import in_order

if TYPE_CHECKING:
    from engine.embedders import FeatureCache

Floats = npt.NDArray[np.float64]
Pixels = npt.NDArray[np.uint8]
Describe = Callable[[Pixels], FloatArray]
"""Turns uint8[b, size, size, 3] into raw features float32[b, width]."""

COMPONENTS = 64
"""Features per picture after reduction; 16 to 100 made no difference on nine real sets."""

_TEXT = "Describing pictures"
_KEEP_EVERY = 64  # pictures between writes to the cache: a crash loses no more
_LOAD_AT_ONCE = 256  # rows asked of the cache at a time
_ROWS = 512  # of a matrix product between two job steps
_ROUNDS = 12  # of subspace iteration: the variance kept is exact to 1e-5 on real folders
_SPARE = 16  # columns of the iterated subspace beyond those wanted
_NOTHING = 1e-9  # share of the largest variance below which a component is rounding noise


@dataclass(frozen=True, slots=True)
class Recipe:
    """What sets one picture embedder apart from another.

    Attributes
    ----------
    key
        Cache key; names everything that raw features depend on besides the file.
    size
        Pictures are squashed to `size` x `size` pixels (bicubic) before they are described.
    width
        Raw features per picture.
    prepare
        Called only when a picture must be described (weights are loaded here). Gives the
        describing function and how many pictures it takes at a time within 50 ms.
    scaled
        Scales raw features float32[b, width] picture by picture.
    weights
        Given the variance of each scaled feature in the folder, float64[width], says how much each
        counts (float64[width]).
    """

    key: str
    size: int
    width: int
    prepare: Callable[[], tuple[Describe, int]]
    scaled: Callable[[FloatArray], FloatArray]
    weights: Callable[[Floats], Floats]


def embed_pictures(dataset: Dataset, cache: FeatureCache, job: Job, recipe: Recipe) -> FloatArray:
    """Embed every item's picture.

    Returns
    -------
    float32[n, d]
        1 <= d <= 64; rows of unit length, or zero where nothing tells a picture from the average
        one. Items with the same content have identical rows.

    Raises
    ------
    EmbeddingError
        When an item has no picture, or its features are not finite.
    DatasetError
        When a file that is needed has vanished or changed since the folder was read. What was
        described before it is kept in the cache.
    """
    if not dataset.items:
        raise EmbeddingError(f"there is no picture in {dataset.source}")
    distinct: dict[bytes, _Picture] = {}
    for item in dataset.items:
        distinct.setdefault(item.content, _Picture.of(item, dataset))
    features = _raw_features(tuple(distinct.values()), cache, job, recipe)
    weigh(features, recipe, job)
    points = unit_rows(principal_components(features, job))
    rows = {content: row for row, content in enumerate(distinct)}
    return points[[rows[item.content] for item in dataset.items]]


@dataclass(frozen=True, slots=True)
class _Picture:
    """One distinct picture: what a person calls it, the hash it was scanned with, its file.

    `of_file`: the hash is that of the file alone, not of a table's row with its picture.
    """

    name: str
    content: bytes
    root: Path
    path: bytes
    of_file: bool

    @classmethod
    def of(cls, item: Item, dataset: Dataset) -> _Picture:
        if item.path is None:
            raise EmbeddingError(
                f"{item.name} has no picture", "Choose the features “table” for this data."
            )
        of_file = dataset.kind is SourceKind.IMAGES
        return cls(item.name, item.content, dataset.root, item.path, of_file)

    def load(self, size: int) -> Pixels:
        """Read uint8[size, size, 3].

        Raises
        ------
        DatasetError
            When the file is gone, unreadable, or not the one that was scanned: features must not
            be kept under the hash of another content.
        """
        try:
            with open_regular(self.root / os.fsdecode(self.path)) as file:
                data = file.read()
        except (Unreadable, OSError) as error:
            reason = str(error) if isinstance(error, Unreadable) else why(error)
            raise DatasetError(
                f"{self.name} can no longer be read: {reason}",
                "Put the file back, or point the project to the folder's new place.",
            ) from error
        digest = hashlib.blake2b(data, digest_size=CONTENT_BYTES).digest()
        if self.of_file and digest != self.content:
            raise DatasetError(
                f"{self.name} was changed after the folder was read",
                "Put the original file back, or start a new project from the folder as it is now.",
            )
        try:
            # Twice the size leaves the squashing enough pixels to average over.
            rgb = to_rgb8(load_picture(data, at_least=2 * size))
        except DatasetError as error:
            raise DatasetError(
                f"{self.name} can no longer be read: {error.message}",
                "Take the file out of the folder, then start a new project from the folder.",
            ) from error
        squashed = Image.fromarray(rgb).resize((size, size), Image.Resampling.BICUBIC)
        return np.asarray(squashed)


def _raw_features(
    pictures: Sequence[_Picture], cache: FeatureCache, job: Job, recipe: Recipe
) -> FloatArray:
    """Give float32[m, width], from the cache where it holds them; the rest go into the cache."""
    raw = np.empty((len(pictures), recipe.width), dtype=np.float32)
    missing: list[int] = []
    for start in range(0, len(pictures), _LOAD_AT_ONCE):
        job.step(start, len(pictures), _TEXT)
        chunk = pictures[start : start + _LOAD_AT_ONCE]
        held = cache.load_features(recipe.key, [picture.content for picture in chunk])
        for row, picture in enumerate(chunk, start):
            if picture.content in held:
                raw[row] = _checked(held[picture.content], picture, recipe)
            else:
                missing.append(row)
    fresh: dict[bytes, FloatArray] = {}
    try:
        for row, features in _described(pictures, missing, job, recipe):
            raw[row] = fresh[pictures[row].content] = features
            if len(fresh) >= _KEEP_EVERY:
                done, fresh = fresh, {}
                cache.save_features(recipe.key, done)
    finally:
        if fresh:
            cache.save_features(recipe.key, fresh)
    return raw


def _described(
    pictures: Sequence[_Picture], rows: Sequence[int], job: Job, recipe: Recipe
) -> Iterator[tuple[int, FloatArray]]:
    """Read and describe the pictures of `rows`, in order, while threads decode the next few."""
    if not rows:
        return
    job.step(0, len(rows), _TEXT)
    describe, at_once = recipe.prepare()
    wanted = [pictures[row] for row in rows]
    # Told is what has been described, not what has been read for it: that is the shorter part.
    read = in_order(lambda picture: picture.load(recipe.size), wanted, job, text="")
    for start in range(0, len(rows), at_once):
        job.step(start, len(rows), _TEXT)
        # Every picture taken from `read` is a job step, so a stop waits for one batch at most.
        batch = describe(np.stack([pixels for _, pixels in islice(read, at_once)]))
        for row, features in zip(rows[start : start + at_once], batch, strict=True):
            yield row, _checked(features, pictures[row], recipe)
    job.step(len(rows), len(rows), _TEXT)


def _checked(features: FloatArray, picture: _Picture, recipe: Recipe) -> FloatArray:
    """Refuse features that would spoil those of every other picture."""
    if features.shape != (recipe.width,) or not np.isfinite(features).all():
        raise EmbeddingError(
            f"the features of {picture.name} ({recipe.key}) are not {recipe.width} finite numbers"
        )
    return features


def unit_rows(rows: FloatArray) -> FloatArray:
    """Scale each row of float[n, d] to unit length; zero rows stay zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: FloatArray = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return scaled


def weigh(features: FloatArray, recipe: Recipe, job: Job) -> None:
    """Turn raw features float32[m, width] in place into columns whose variances can be compared."""
    parts = _parts(len(features))
    for part in parts:
        job.step()
        features[part] = recipe.scaled(features[part])
    mean = _mean(features, job)
    squares = np.zeros_like(mean)
    for part in parts:
        job.step()
        squares += np.square(features[part] - mean).sum(axis=0)
    weights = recipe.weights(squares / len(features)).astype(np.float32)
    for part in parts:
        job.step()
        features[part] *= weights


def _parts(n: int) -> list[slice]:
    """Cut n rows into pieces small enough to be worked on between two job steps."""
    return [slice(start, start + _ROWS) for start in range(0, n, _ROWS)]


def _mean(rows: FloatArray, job: Job) -> Floats:
    """Give the mean row, float64[D]. Of equal float32 values it is that value exactly."""
    total: Floats = np.zeros(rows.shape[1])
    for part in _parts(len(rows)):
        job.step()
        total += rows[part].sum(axis=0, dtype=np.float64)
    return total / len(rows)


def principal_components(rows: FloatArray, job: Job) -> FloatArray:
    """Reduce float32[n, D] to its first principal components, at most `COMPONENTS`.

    Block subspace iteration with a Rayleigh-Ritz step (Halko, Martinsson & Tropp 2011, algorithm
    4.4), because a dense eigensolver cannot be cancelled. The start lies on the side of the
    features and every sign follows from the loadings, so that the order of the rows is irrelevant.

    Returns
    -------
    float32[n, d]
        d >= 1; centred; components that are rounding noise (few or equal rows) are left out.
    """
    mean = _mean(rows, job).astype(np.float32)
    parts = _parts(len(rows))
    width = rows.shape[1]
    start = np.random.default_rng(0).standard_normal((width, min(width, COMPONENTS + _SPARE)))
    basis = np.linalg.qr(start)[0]
    for _ in range(_ROUNDS):
        images = np.zeros_like(basis)
        narrow = basis.astype(np.float32)
        for part in parts:
            job.step()
            centred = rows[part] - mean
            images += centred.T @ (centred @ narrow)
        basis = np.linalg.qr(images)[0]
    narrow = basis.astype(np.float32)
    scores = np.empty((len(rows), basis.shape[1]))
    for part in parts:
        job.step()
        scores[part] = (rows[part] - mean) @ narrow
    variances, turn = np.linalg.eigh(scores.T @ scores)
    count = min(COMPONENTS, int(np.sum(variances > _NOTHING * variances[-1])))
    turn = turn[:, ::-1][:, : max(1, count)]
    loadings = basis @ turn
    strongest = np.abs(loadings).argmax(axis=0)
    signs = np.sign(loadings[strongest, np.arange(loadings.shape[1])])
    components: FloatArray = (scores @ (turn * signs)).astype(np.float32)
    return components
