from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop import images
from desktop.controller import Controller
from desktop.images import FULL, PictureStore
from desktop.messages import Closed, Opened
from engine.errors import DatasetError
from engine.readers.images import Picture, load_picture
from tests.gui.handmade import blobs, opened_of, overview_of, snapshot_of

Write = Callable[[str, Image.Image], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(4):
        Image.new("RGB", (40 + number, 30), (60 * number, 0, 90)).save(tmp_path / f"{number}.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing follows")
    return tmp_path


def opened(folder: Path) -> Opened:
    places, labels = blobs(5, 2)
    paths = (b"0.png", b"1.png", b"2.png", b"3.png", b"broken.png")
    snapshot = snapshot_of(overview_of(labels))
    return opened_of(places, snapshot, source=folder, paths=paths)


@pytest.fixture
def controller(qtbot: QtBot, folder: Path) -> Controller:
    controller = Controller(worker=None)
    controller.receive(opened(folder))
    return controller


@pytest.fixture
def store(controller: Controller) -> Iterator[PictureStore]:
    store = PictureStore(controller)
    yield store
    store.close()


def test_a_whole_picture_comes_with_its_thumbnail(qtbot: QtBot, store: PictureStore) -> None:
    assert store.picture(1) is None
    with qtbot.waitSignal(
        store.pictureReady, check_params_cb=lambda item, size, _: (item, size) == (1, FULL)
    ) as blocker:
        store.request(1)
    assert isinstance(blocker.args[2], QImage)
    assert (blocker.args[2].width(), blocker.args[2].height()) == (41, 30)
    picture = store.picture(1)
    assert picture is not None
    assert picture.size.width() == 41
    thumbnail = store.thumbnail(1)
    assert thumbnail is not None
    assert thumbnail.width() == 41  # small pictures are not enlarged


def test_a_thumbnail_is_fetched_behind_the_scene(qtbot: QtBot, store: PictureStore) -> None:
    assert store.thumbnail(2, 128) is None
    qtbot.waitUntil(lambda: store.thumbnail(2, 128) is not None)
    assert store.picture(2) is None  # whole pictures are for those looked at


def test_a_picture_here_already_is_reported_again(qtbot: QtBot, store: PictureStore) -> None:
    for _ in range(2):
        with qtbot.waitSignal(store.pictureReady):
            store.request(3)


def test_a_broken_picture_is_reported_with_the_reason(qtbot: QtBot, store: PictureStore) -> None:
    with qtbot.waitSignal(store.pictureFailed) as blocker:
        store.request(4)
    item, reason = blocker.args
    assert item == 4
    assert "broken.png" in reason
    assert store.failure(4) == reason
    placeholder = store.thumbnail(4)
    assert placeholder is not None  # crossed out, not empty


def test_a_broken_picture_can_be_tried_again(
    qtbot: QtBot, store: PictureStore, folder: Path
) -> None:
    with qtbot.waitSignal(store.pictureFailed):
        store.request(4)
    assert store.thumbnail(4) is not None
    Image.new("L", (50, 50), 9).save(folder / "broken.png")
    with qtbot.waitSignal(store.pictureReady):
        store.retry(4)
    assert store.failure(4) is None
    thumbnail = store.thumbnail(4)
    assert thumbnail is not None
    assert thumbnail.width() == 50


def test_an_item_without_a_picture(qtbot: QtBot, store: PictureStore) -> None:
    assert not store.has_picture(17)
    assert store.thumbnail(17) is None
    with qtbot.waitSignal(store.pictureFailed):
        store.request(17)


def test_memory_stays_within_bounds(qtbot: QtBot, controller: Controller) -> None:
    store = PictureStore(controller, full_bytes=2 * 41 * 30 * 4 + 400, thumbnail_bytes=1)
    for item in (0, 1, 2):
        with qtbot.waitSignal(store.pictureReady, check_params_cb=lambda _, size, __: size == FULL):
            store.request(item)
    assert store.picture(0) is None  # the one used longest ago went
    assert store.picture(2) is not None
    store.close()


def test_what_is_looked_at_comes_before_what_will_be(
    qtbot: QtBot, controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, order = threading.Event(), []

    def slow(path: Path, *, at_least: int | None = None) -> Picture:
        go.wait(5)
        order.append((path.stem, at_least))
        return Picture(np.zeros((4, 4), np.uint8))

    monkeypatch.setattr(images, "load_picture", slow)
    monkeypatch.setattr(images, "_WORKERS", 1)
    store = PictureStore(controller)
    store.thumbnail(0)  # is taken up at once
    store.thumbnail(1)
    store.prefetch([2])
    store.request(3)
    store.thumbnail(2)  # comes with the whole picture, without reading the file again
    go.set()
    qtbot.waitUntil(lambda: len(order) == 4)
    assert order == [("0", 128), ("3", None), ("2", None), ("1", 128)]
    store.close()


def test_pictures_of_the_project_before_are_dropped(
    qtbot: QtBot, store: PictureStore, controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, started = threading.Event(), threading.Event()

    def slow(path: Path, *, at_least: int | None = None) -> Picture:
        started.set()
        go.wait(5)
        return Picture(np.zeros((4, 4), np.uint8))

    monkeypatch.setattr(images, "load_picture", slow)
    store.request(0)
    assert started.wait(5)
    controller.receive(Closed())
    assert not store.has_picture(0)
    with qtbot.assertNotEmitted(store.pictureReady, wait=200):
        go.set()
    assert store.picture(0) is None


def test_a_bug_in_a_decoder_leaves_nobody_waiting(
    qtbot: QtBot, store: PictureStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, *, at_least: int | None = None) -> Picture:
        raise MemoryError

    monkeypatch.setattr(images, "load_picture", fail)
    with qtbot.waitSignal(store.pictureFailed) as blocker:
        store.request(0)
    assert "memory" in blocker.args[1]


def test_the_hint_of_an_error_is_told(
    qtbot: QtBot, store: PictureStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, *, at_least: int | None = None) -> Picture:
        raise DatasetError("It is cut off.", "Replace it.")

    monkeypatch.setattr(images, "load_picture", fail)
    with qtbot.waitSignal(store.pictureFailed) as blocker:
        store.request(0)
    assert blocker.args[1] == "It is cut off. Replace it."


def test_closing_waits_and_nothing_comes_afterwards(qtbot: QtBot, controller: Controller) -> None:
    store = PictureStore(controller)
    for item in range(4):
        store.request(item)
    store.close()
    with qtbot.assertNotEmitted(store.pictureReady, wait=100):
        store.request(1)


def test_what_still_comes_of_an_earlier_try_no_longer_counts(
    qtbot: QtBot, store: PictureStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    retried = threading.Event()

    def load(path: Path, at_least: int | None = None) -> Picture:
        if at_least is not None:  # the thumbnail, begun while the file was still broken
            retried.wait(5)
            raise DatasetError("the file is broken")
        return load_picture(path)

    monkeypatch.setattr("desktop.images.load_picture", load)
    store.thumbnail(1)
    with qtbot.waitSignal(store.pictureReady):
        store.retry(1)
    retried.set()
    qtbot.waitUntil(lambda: not store._running)
    assert store.failure(1) is None
    assert store.picture(1) is not None
