"""What every embedder of the registry must keep to."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import readers
from engine.dataset import CONTENT_BYTES, Dataset, Item, SourceKind
from engine.embedders import REGISTRY, MemoryCache, make, names_for
from engine.errors import Cancelled, DatasetError, EmbeddingError
from engine.job import Job

N = 12
PICTURES = names_for(SourceKind.IMAGES)


class Impatient(Job):
    """Cancels itself at a step, or when so much is done, and counts the steps after that."""

    def __init__(self, *, at_step: int = 0, at_done: int = 0) -> None:
        super().__init__()
        self.at_step, self.at_done, self.steps = at_step, at_done, 0

    def step(self, done: int = 0, total: int = 0, text: str = "") -> None:
        self.steps += 1
        if self.steps == self.at_step or (self.at_done and done >= self.at_done):
            self.cancel()
        super().step(done, total, text)


def choose(data: Dataset, rows: list[int]) -> Dataset:
    """Give a dataset of some of the items, in the order named."""
    items = tuple(
        Item(
            number,
            f"{number}: {data.items[row].name}",
            data.items[row].content,
            data.items[row].path,
        )
        for number, row in enumerate(rows)
    )
    features = None if data.features is None else data.features[rows]
    return Dataset(
        data.root,
        data.source,
        data.kind,
        items,
        features=features,
        feature_names=data.feature_names,
    )


def remove(data: Dataset, n: int) -> None:
    """Delete the files of the first n items."""
    for item in data.items[:n]:
        (data.root / item.name).unlink()


@pytest.fixture(params=list(REGISTRY))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def data(name: str, tmp_path: Path) -> Dataset:
    """N items that fit the embedder: rows, or pictures of differing size and colour."""
    rng = np.random.default_rng(7)
    if name not in PICTURES:
        rows = rng.random((N, 5), dtype=np.float32)
        items = tuple(Item(i, f"row {i}", rows[i].tobytes()[:CONTENT_BYTES]) for i in range(N))
        names = tuple("abcde")
        return Dataset(
            tmp_path, tmp_path, SourceKind.TABLE, items, features=rows, feature_names=names
        )
    root = tmp_path / "pictures"
    root.mkdir()
    for number in range(N):
        pixels = rng.integers(0, 256, (3 + number % 4, 4, 3), dtype=np.uint8)
        picture = Image.fromarray(pixels).resize((40 + number, 30), Image.Resampling.BICUBIC)
        picture.save(root / f"{number:02}.png")
    return readers.read(root, Job())


def test_rows_are_finite_and_the_same_each_time(name: str, data: Dataset) -> None:
    points = make(name).embed(data, MemoryCache(), Job())
    assert points.dtype == np.float32
    assert points.shape[0] == N
    assert 1 <= points.shape[1] <= 64
    assert np.isfinite(points).all()
    assert len(np.unique(points, axis=0)) == N
    np.testing.assert_array_equal(points, make(name).embed(data, MemoryCache(), Job()))


@pytest.mark.parametrize("n", [1, 2])
def test_few_items(name: str, data: Dataset, n: int) -> None:
    points = make(name).embed(choose(data, list(range(n))), MemoryCache(), Job())
    assert points.shape[0] == n
    assert points.shape[1] >= 1
    assert np.isfinite(points).all()
    assert n == 1 or not np.array_equal(points[0], points[1])


def test_copies_have_the_same_row_and_change_no_other(name: str, data: Dataset) -> None:
    alone = make(name).embed(data, MemoryCache(), Job())
    points = make(name).embed(choose(data, [*range(N), 3, 3, 0]), MemoryCache(), Job())
    np.testing.assert_array_equal(points[:N], alone)
    np.testing.assert_array_equal(points[N:], alone[[3, 3, 0]])


def test_only_copies_of_one_item(name: str, data: Dataset) -> None:
    points = make(name).embed(choose(data, [2, 2, 2]), MemoryCache(), Job())
    assert np.isfinite(points).all()
    assert len(np.unique(points, axis=0)) == 1


def test_order_of_items_is_irrelevant(name: str, data: Dataset) -> None:
    order = [int(row) for row in np.random.default_rng(1).permutation(N)]
    points = make(name).embed(data, MemoryCache(), Job())
    permuted = make(name).embed(choose(data, order), MemoryCache(), Job())
    np.testing.assert_allclose(permuted, points[order], atol=1e-4)


@pytest.mark.parametrize("step", [1, 2, 6])
def test_a_stop_is_obeyed_at_the_next_step(name: str, data: Dataset, step: int) -> None:
    job = Impatient(at_step=step if name in PICTURES else 1)
    with pytest.raises(Cancelled):
        make(name).embed(data, MemoryCache(), job)
    assert job.steps == job.at_step


def test_progress_is_told(name: str, data: Dataset) -> None:
    told: list[tuple[int, int, str]] = []
    make(name).embed(data, MemoryCache(), Job(lambda *report: told.append(report)))
    if name in PICTURES:
        assert (N, N, "Describing pictures") in told
        assert all(0 <= done <= total for done, total, _ in told)


def test_data_that_does_not_fit_is_refused(name: str, data: Dataset) -> None:
    bare = tuple(Item(item.id, item.name, item.content) for item in data.items)
    other = Dataset(data.root, data.source, SourceKind.ARRAY, bare)
    with pytest.raises(EmbeddingError):
        make(name).embed(other, MemoryCache(), Job())
    with pytest.raises(EmbeddingError):
        make(name).embed(choose(data, []), MemoryCache(), Job())


class TestPictures:
    """Embedders of pictures read each file once."""

    @pytest.fixture(params=PICTURES)
    def name(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    def test_cached_pictures_are_not_touched(self, name: str, data: Dataset) -> None:
        cache = MemoryCache()
        points = make(name).embed(data, cache, Job())
        shutil.rmtree(data.root)
        np.testing.assert_array_equal(points, make(name).embed(data, cache, Job()))

    def test_what_was_done_before_a_stop_is_kept(self, name: str, data: Dataset) -> None:
        cache = MemoryCache()
        with pytest.raises(Cancelled):
            make(name).embed(data, cache, Impatient(at_done=9))
        complete = make(name).embed(data, MemoryCache(), Job())
        remove(data, 4)  # at least so many whole batches were done, whatever the number of cores
        np.testing.assert_array_equal(make(name).embed(data, cache, Job()), complete)

    def test_a_vanished_file_is_named_and_the_others_kept(self, name: str, data: Dataset) -> None:
        cache = MemoryCache()
        gone = data.root / data.items[8].name
        picture = gone.read_bytes()
        gone.unlink()
        with pytest.raises(DatasetError, match=r"08\.png") as caught:
            make(name).embed(data, cache, Job())
        assert caught.value.hint
        gone.write_bytes(picture)
        remove(data, 4)
        assert make(name).embed(data, cache, Job()).shape[0] == N

    @pytest.mark.parametrize("content", [b"", b"no picture"])
    def test_a_changed_file_is_refused(self, name: str, data: Dataset, content: bytes) -> None:
        (data.root / data.items[5].name).write_bytes(content)
        with pytest.raises(DatasetError, match=r"05\.png was changed"):
            make(name).embed(data, MemoryCache(), Job())

    def test_pictures_of_a_table(self, name: str, data: Dataset) -> None:
        rows = tuple(replace(item, content=b"row" + item.content) for item in data.items)
        table = replace(data, kind=SourceKind.TABLE, items=rows)
        np.testing.assert_array_equal(
            make(name).embed(table, MemoryCache(), Job()),
            make(name).embed(data, MemoryCache(), Job()),
        )
