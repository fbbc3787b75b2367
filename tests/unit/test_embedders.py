from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA

from engine import embedders
from engine.dataset import Dataset, Item, SourceKind
from engine.embedders import MemoryCache
from engine.embedders.pictures import principal_components, unit_rows
from engine.errors import Cancelled, EmbeddingError, ParameterError
from engine.job import Job


def dataset(kind: SourceKind, n: int = 3) -> Dataset:
    items = tuple(Item(i, f"{i}.png", bytes([i]) * 16, b"%d.png" % i) for i in range(n))
    return Dataset(Path("pictures"), Path("pictures"), kind, items)


def test_importing_loads_neither_torch_nor_scipy() -> None:
    code = (
        "import sys, engine.embedders as e; [e.make(name) for name in e.REGISTRY]; "
        "sys.exit(bool({'torch', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_names_fit_the_kind_of_source() -> None:
    assert embedders.names_for(SourceKind.IMAGES)[0] == "lite0"
    assert embedders.names_for(SourceKind.TABLE) == ("table",)
    assert embedders.names_for(SourceKind.ARRAY) == ("table",)
    with_pictures = embedders.names_for(SourceKind.TABLE, pictures=True)
    assert with_pictures[0] == "table"
    assert set(with_pictures) == set(embedders.REGISTRY)
    named = {name for kind in SourceKind for name in embedders.names_for(kind)}
    assert named == set(embedders.REGISTRY)


def test_auto_takes_small_pictures_for_large_folders() -> None:
    pictures = dataset(SourceKind.IMAGES)
    some = pictures.items[:1] * 5_000
    assert embedders.default_for(pictures) == "lite0"
    assert embedders.default_for(replace(pictures, items=some)) == "lite0"
    assert embedders.default_for(replace(pictures, items=some[:1] + some)) == "lite0-fast"


def test_auto_describes_the_pictures_of_a_table_that_has_nothing_else() -> None:
    listed = dataset(SourceKind.TABLE)
    assert embedders.default_for(listed) == "lite0"
    measured = replace(listed, features=np.zeros((3, 2), dtype=np.float32))
    assert embedders.default_for(measured) == "table"


def test_make() -> None:
    assert all(embedders.make(name).name == name for name in embedders.REGISTRY)
    with pytest.raises(ParameterError, match="resnet") as caught:
        embedders.make("resnet")
    assert "lite0, lite0-fast, classic, pixels, table" in caught.value.hint


def test_memory_cache_keeps_copies_by_key() -> None:
    cache = MemoryCache()
    row = np.ones(3, dtype=np.float32)
    cache.save_features("one", {b"a": row})
    row[:] = 2
    np.testing.assert_array_equal(cache.load_features("one", [b"b", b"a"])[b"a"], np.ones(3))
    assert cache.load_features("one", [b"b"]) == {}
    assert cache.load_features("two", [b"a"]) == {}


@pytest.mark.parametrize("row", [np.zeros(3071), np.zeros((1, 3072)), np.full(3072, np.nan)])
def test_damaged_features_in_the_cache_are_refused(row: np.ndarray) -> None:
    pictures = dataset(SourceKind.IMAGES, 1)
    cache = MemoryCache()
    cache.save_features("pixels-1-32", {pictures.items[0].content: row.astype(np.float32)})
    with pytest.raises(EmbeddingError, match=r"0\.png .*3072 finite numbers"):
        embedders.make("pixels").embed(pictures, cache, Job())


class TestPrincipalComponents:
    @pytest.mark.parametrize("shape", [(40, 200), (700, 90), (600, 300)])
    def test_agrees_with_a_dense_solver(self, shape: tuple[int, int]) -> None:
        rng = np.random.default_rng(3)
        scale = np.exp(-np.arange(shape[1]) / 20)
        mixed = rng.normal(size=shape) * scale @ np.linalg.qr(rng.normal(size=(shape[1],) * 2))[0]
        rows = (mixed + 5).astype(np.float32)
        ours = principal_components(rows, Job())
        exact = PCA(ours.shape[1], svd_solver="full").fit_transform(rows.astype(np.float64))
        assert ours.shape == (shape[0], min(64, shape[0] - 1))
        np.testing.assert_allclose(np.sum(ours**2), np.sum(exact**2), rtol=1e-5)
        np.testing.assert_allclose(np.abs(ours[:, :20]), np.abs(exact[:, :20]), atol=2e-3)

    def test_signs_do_not_depend_on_the_order_of_rows(self) -> None:
        rng = np.random.default_rng(4)
        rows = (rng.normal(size=(600, 80)) * np.exp(-np.arange(80) / 20)).astype(np.float32)
        order = rng.permutation(600)
        np.testing.assert_allclose(
            principal_components(rows[order], Job()),
            principal_components(rows, Job())[order],
            atol=1e-4,
        )

    @pytest.mark.parametrize("rows", [np.zeros((1, 5)), np.ones((4, 100)), np.full((3, 1), 0.1)])
    def test_nothing_to_tell_apart(self, rows: np.ndarray) -> None:
        points = principal_components(rows.astype(np.float32), Job())
        np.testing.assert_array_equal(points, np.zeros((len(rows), 1)))

    def test_rounding_noise_is_no_component(self) -> None:
        line = np.outer(np.arange(30), np.linspace(1, 2, 100)).astype(np.float32)
        assert principal_components(line, Job()).shape == (30, 1)

    def test_can_be_stopped(self) -> None:
        job = Job()
        job.cancel()
        with pytest.raises(Cancelled):
            principal_components(np.eye(3, dtype=np.float32), job)


def test_unit_rows_leaves_zero_rows() -> None:
    rows = np.array([[3, 4], [0, 0]], dtype=np.float32)
    np.testing.assert_allclose(unit_rows(rows), [[0.6, 0.8], [0, 0]])


class TestTable:
    def table(self, features: np.ndarray | None) -> Dataset:
        items = tuple(Item(i, f"row {i}", bytes([i])) for i in range(2))
        return Dataset(
            Path(),
            Path("measures.csv"),
            SourceKind.TABLE,
            items,
            features=features,
            feature_names=("length", "width"),
        )

    def test_takes_features_as_they_are(self) -> None:
        features = np.array([[0, 1], [1, 0.5]], dtype=np.float32)
        points = embedders.make("table").embed(self.table(features), MemoryCache(), Job())
        np.testing.assert_array_equal(points, features)

    @pytest.mark.parametrize("features", [None, np.zeros((2, 0)), np.zeros((0, 2))])
    def test_nothing_to_go_by(self, features: np.ndarray | None) -> None:
        with pytest.raises(EmbeddingError, match=r"measures\.csv"):
            embedders.make("table").embed(self.table(features), MemoryCache(), Job())

    def test_names_what_is_not_finite(self) -> None:
        features = np.array([[0, 1], [1, np.inf]], dtype=np.float32)
        with pytest.raises(EmbeddingError, match="column width of row 1"):
            embedders.make("table").embed(self.table(features), MemoryCache(), Job())
