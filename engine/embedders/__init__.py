"""Embedders: each turns the items of a dataset into one row of features. See `REGISTRY`.

Importing this package loads no torch; an embedder loads it when a picture must be described.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from engine.dataset import Dataset, SourceKind
from engine.embedders.classic import ClassicEmbedder
from engine.embedders.pixels import PixelsEmbedder
from engine.embedders.pretrained import Lite0Embedder, Lite0FastEmbedder
from engine.embedders.table import TableEmbedder
from engine.errors import ParameterError
from engine.job import Job
from engine.model import FloatArray


class FeatureCache(Protocol):
    """Raw features by content hash and embedder key: what was computed once is kept."""

    def load_features(self, embedder: str, contents: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Return what is held of `contents` under the embedder key (such as "lite0-1-224")."""
        ...

    def save_features(self, embedder: str, features: Mapping[bytes, FloatArray]) -> None:
        """Keep raw features (1-D float32 each)."""
        ...


class MemoryCache:
    """A `FeatureCache` for as long as the process lives."""

    def __init__(self) -> None:
        self._held: dict[str, dict[bytes, FloatArray]] = {}

    def load_features(self, embedder: str, contents: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Return what is held of `contents` under the embedder key."""
        held = self._held.get(embedder, {})
        return {content: held[content] for content in contents if content in held}

    def save_features(self, embedder: str, features: Mapping[bytes, FloatArray]) -> None:
        """Keep raw features."""
        held = self._held.setdefault(embedder, {})
        held.update({content: row.copy() for content, row in features.items()})


class Embedder(Protocol):
    """What every embedder offers: a registry name, a version that rises when features change."""

    name: ClassVar[str]
    version: ClassVar[int]

    def embed(self, dataset: Dataset, cache: FeatureCache, job: Job) -> FloatArray:
        """Return float32[n, d], finite.

        Raises
        ------
        EmbeddingError
            When weights are missing or altered, or the embedder does not fit the dataset.
        DatasetError
            When a file whose features are not cached has vanished or changed since it was scanned.
        """
        ...


REGISTRY: dict[str, type[Embedder]] = {
    embedder.name: embedder
    for embedder in (
        Lite0Embedder,
        Lite0FastEmbedder,
        ClassicEmbedder,
        PixelsEmbedder,
        TableEmbedder,
    )
}
"""Every embedder by name, best first."""

FAST_ABOVE = 5_000
"""Images above which the default is "lite0-fast": then 224 pixels would take minutes more."""


def make(name: str) -> Embedder:
    """Make the embedder called `name`.

    Raises
    ------
    ParameterError
        When there is none of that name.
    """
    if name not in REGISTRY:
        raise ParameterError(
            f"there are no features called “{name}”", f"Choose one of: {', '.join(REGISTRY)}."
        )
    return REGISTRY[name]()


def names_for(kind: SourceKind, *, pictures: bool = False) -> tuple[str, ...]:
    """Give the names of the embedders that fit a kind of source, the usual choice first.

    Parameters
    ----------
    pictures
        Whether each row of a table has a picture.
    """
    of_pictures = ("lite0", "lite0-fast", "classic", "pixels")
    if kind is SourceKind.IMAGES:
        return of_pictures
    return ("table", *of_pictures) if pictures else ("table",)


def default_for(dataset: Dataset) -> str:
    """Name the embedder that "auto" stands for.

    A table without columns to compare, whose rows are pictures, is treated as a folder of pictures.
    """
    listed = dataset.features is None and all(item.path for item in dataset.items)
    if dataset.kind is not SourceKind.IMAGES and not listed:
        return "table"
    return "lite0-fast" if len(dataset) > FAST_ABOVE else "lite0"
