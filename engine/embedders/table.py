"""Tables and arrays: the reader has scaled the features already, so they are taken as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.dataset import Dataset
from engine.errors import EmbeddingError
from engine.job import Job
from engine.model import FloatArray

if TYPE_CHECKING:
    from engine.embedders import FeatureCache


class TableEmbedder:
    """The scaled feature columns of a table or array."""

    name: ClassVar[str] = "table"
    version: ClassVar[int] = 1

    def embed(self, dataset: Dataset, cache: FeatureCache, job: Job) -> FloatArray:
        """Return float32[n, d], as the dataset holds them; the cache is not used.

        Raises
        ------
        EmbeddingError
            When the dataset has no rows or no feature columns, or a value is not finite.
        """
        del cache
        job.step()
        features = dataset.features
        if features is None or features.shape[1] == 0:
            raise EmbeddingError(
                f"{dataset.source.name} has no feature columns",
                "Give at least one column the role “feature”, or choose features for pictures.",
            )
        if len(features) == 0:
            raise EmbeddingError(f"{dataset.source.name} has no rows")
        if not np.isfinite(features).all():
            row, column = np.argwhere(~np.isfinite(features))[0]
            raise EmbeddingError(
                f"column {dataset.feature_names[column]} of {dataset.items[row].name} "
                "is not a finite number"
            )
        return np.ascontiguousarray(features, dtype=np.float32)
