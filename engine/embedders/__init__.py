"""Embedders: each turns the items of a dataset into one row of features. See `REGISTRY`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

from engine.dataset import Dataset
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
        """
        ...
