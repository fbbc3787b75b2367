"""PictureStore: pictures and thumbnails for the views, never waited for.

Hidden: threads, files, caches, which of many wanted pictures is fetched next. Promised: no call
takes more than a moment, memory stays within bounds, and a picture that cannot be shown is reported
with the reason instead of leaving the one before on the screen.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap

from desktop.controller import Controller
from desktop.messages import Opened
from desktop.pictures import DisplayPicture
from engine.errors import DatasetError
from engine.readers.images import load_picture

FULL = 0
"""The size that stands for a whole picture in `pictureReady`."""
THUMBNAIL_SIZES = (128, 256)

_WORKERS = 2
_FULL_BYTES = 512 * 2**20
_THUMBNAIL_BYTES = 96 * 2**20
_LONGEST_IMAGE = 2048  # of the image that `pictureReady` brings
_COLLECT_MS = 4  # between looks at what the workers have brought, while they work
_MOST_WAITING = 600  # thumbnails asked for and scrolled past are forgotten beyond this
_URGENT, _SOON, _THUMBNAIL = 2, 1, 0

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class _Bounded(Generic[_Key, _Value]):
    """Least recently used values, bounded in bytes; the newest is kept however large."""

    def __init__(self, limit: int, weigh: Callable[[_Value], int]) -> None:
        self._limit = limit
        self._weigh = weigh
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self.n_bytes = 0

    def __contains__(self, key: _Key) -> bool:
        return key in self._values

    def get(self, key: _Key) -> _Value | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: _Key, value: _Value) -> None:
        self.discard(key)
        self._values[key] = value
        self.n_bytes += self._weigh(value)
        while self.n_bytes > self._limit and len(self._values) > 1:
            _, oldest = self._values.popitem(last=False)
            self.n_bytes -= self._weigh(oldest)

    def discard(self, key: _Key) -> None:
        value = self._values.pop(key, None)
        if value is not None:
            self.n_bytes -= self._weigh(value)

    def clear(self) -> None:
        self._values.clear()
        self.n_bytes = 0


class _Wanted(NamedTuple):
    item: int
    size: int  # FULL, or a thumbnail's


# A project opened after another, and a picture tried again after it failed, make a new attempt:
# what still comes of the one before no longer counts.
_Attempt = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Fetched:
    """What a worker brings back. `attempt` tells it from what was asked for before it."""

    attempt: _Attempt
    wanted: _Wanted
    picture: DisplayPicture | None = None
    images: tuple[tuple[int, QImage], ...] = ()
    reason: str = ""


class PictureStore(QObject):
    """Pictures of the open project's items, or of any others, see `show_files`.

    Parameters
    ----------
    controller
        Tells which project is open; None = of no project.
    parent
        Qt owner.
    full_bytes, thumbnail_bytes
        Bounds on the memory kept.

    Notes
    -----
    Signals, on the GUI thread:

    - `pictureReady(item, size, image)`: `size` is `FULL`, or a thumbnail's longer side; `image` is
      a whole picture as stored (of a very large one a smaller copy).
    - `pictureFailed(item, reason)`: the item's picture cannot be shown.
    """

    pictureReady = Signal(int, int, QImage)
    pictureFailed = Signal(int, str)

    def __init__(
        self,
        controller: Controller | None,
        parent: QObject | None = None,
        *,
        full_bytes: int = _FULL_BYTES,
        thumbnail_bytes: int = _THUMBNAIL_BYTES,
    ) -> None:
        super().__init__(parent)
        self._full: _Bounded[int, DisplayPicture] = _Bounded(full_bytes, lambda p: p.n_bytes)
        self._thumbnails: _Bounded[_Wanted, QPixmap] = _Bounded(
            thumbnail_bytes, lambda p: p.width() * p.height() * 4
        )
        self._failures: dict[int, str] = {}
        self._waiting: dict[_Wanted, int] = {}
        self._running: set[tuple[_Attempt, _Wanted]] = set()
        self._projects = 0
        self._retries: dict[int, int] = {}
        self._closed = False
        self._source = Path()
        self._paths: tuple[bytes | None, ...] = ()
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(_WORKERS)
        # Workers touch no Qt object of this thread, so that none can vanish under their hands.
        self._fetched: SimpleQueue[_Fetched] = SimpleQueue()
        self._collecting = QTimer(self)
        self._collecting.setInterval(_COLLECT_MS)
        self._collecting.setTimerType(Qt.TimerType.PreciseTimer)
        self._collecting.timeout.connect(self._collect)
        if controller is not None:
            controller.studyOpened.connect(self._open)
            controller.closed.connect(self._forget)
            if controller.opened is not None:
                self._open(controller.opened)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.close)

    # ------------------------------------------------------------------ asking

    def show_files(self, files: Sequence[Path]) -> None:
        """Take these files for the items 0, 1, …, in the place of what was there."""
        self._forget()
        self._paths = tuple(os.fsencode(file.absolute()) for file in files)

    def has_picture(self, item: int) -> bool:
        """Whether the item is, or comes with, a picture (readable or not)."""
        return 0 <= item < len(self._paths) and self._paths[item] is not None

    def request(self, item: int, size: int | None = None) -> None:
        """Ask for a picture; `pictureReady` or `pictureFailed` follows, also where it is here.

        Parameters
        ----------
        size
            None = the whole picture, before all others; else a thumbnail at least that large
            (sizes are rounded up to those of `THUMBNAIL_SIZES`).
        """
        wanted = _Wanted(item, FULL if size is None else _thumbnail_size(size))
        self._want(wanted, _THUMBNAIL if size is not None else _URGENT, again=True)

    def picture(self, item: int) -> DisplayPicture | None:
        """Give the whole picture if it is here; `request` it otherwise."""
        return self._full.get(item)

    def thumbnail(self, item: int, size: int = THUMBNAIL_SIZES[0]) -> QPixmap | None:
        """Give a thumbnail at least `size` on its longer side; None = not yet, being fetched.

        An item without a picture has none; one whose picture cannot be read has a placeholder.
        """
        wanted = _Wanted(item, _thumbnail_size(size))
        found = self._thumbnails.get(wanted)
        if found is None and item in self._failures:
            found = _placeholder(wanted.size)
            self._thumbnails.put(wanted, found)
        if found is None and self.has_picture(item):
            self._want(wanted, _THUMBNAIL, again=False)
        return found

    def failure(self, item: int) -> str | None:
        """Why the item's picture cannot be shown; None = no reason known."""
        return self._failures.get(item)

    def retry(self, item: int) -> None:
        """Try a picture again that could not be read, say after a drive was put back."""
        self._failures.pop(item, None)
        self._retries[item] = self._retries.get(item, 0) + 1
        for size in THUMBNAIL_SIZES:
            self._thumbnails.discard(_Wanted(item, size))  # placeholders
        self.request(item)

    def prefetch(self, items: Iterable[int]) -> None:
        """Fetch whole pictures that will soon be wanted, after those wanted now."""
        for item in items:
            if self.has_picture(item) and item not in self._failures:
                self._want(_Wanted(item, FULL), _SOON, again=False)

    def close(self) -> None:
        """Stop fetching and wait for what is under way; nothing is emitted afterwards."""
        self._closed = True
        self._collecting.stop()
        self._waiting.clear()
        self._pool.clear()
        self._pool.waitForDone()

    # ------------------------------------------------------------------ fetching

    def _open(self, opened: Opened) -> None:
        self._forget()
        self._source = opened.source
        self._paths = tuple(item.path for item in opened.items)

    def _forget(self) -> None:
        self._projects += 1
        self._retries.clear()
        self._paths = ()
        self._failures.clear()
        self._waiting.clear()
        self._full.clear()
        self._thumbnails.clear()

    def _attempt(self, item: int) -> _Attempt:
        return self._projects, self._retries.get(item, 0)

    def _want(self, wanted: _Wanted, priority: int, *, again: bool) -> None:
        """Queue a picture. `again`: to be reported even if it is here already."""
        here = wanted.item in self._full if wanted.size == FULL else wanted in self._thumbnails
        under_way = (self._attempt(wanted.item), wanted) in self._running
        if self._closed or (here and not again) or under_way:
            return
        before = self._waiting.pop(wanted, priority)
        self._waiting[wanted] = max(priority, before)  # at the end, see `_most_urgent`
        if len(self._waiting) > _MOST_WAITING:
            self._drop_oldest_thumbnail()
        self._start()

    def _drop_oldest_thumbnail(self) -> None:
        oldest = next((w for w, p in self._waiting.items() if p == _THUMBNAIL), None)
        if oldest is not None:
            del self._waiting[oldest]

    def _start(self) -> None:
        while self._waiting and len(self._running) < _WORKERS and not self._closed:
            wanted = self._most_urgent()
            del self._waiting[wanted]
            attempt = self._attempt(wanted.item)
            self._running.add((attempt, wanted))
            path = self._paths[wanted.item] if self.has_picture(wanted.item) else None
            fetch = partial(
                _fetch,
                _Fetched(attempt, wanted, picture=self._full.get(wanted.item)),
                self._source,
                path,
                self._fetched.put,
            )
            self._pool.start(fetch)
            self._collecting.start()

    def _most_urgent(self) -> _Wanted:
        """Whole pictures in the order asked for, then the thumbnail asked for last.

        So what was scrolled to comes before what was scrolled past.
        """
        most = max(self._waiting.values())
        among = [wanted for wanted, priority in self._waiting.items() if priority == most]
        return among[-1] if most == _THUMBNAIL else among[0]

    def _collect(self) -> None:
        """Take in what the workers have brought, and give them more to do."""
        while not self._fetched.empty():
            fetched = self._fetched.get()
            self._running.discard((fetched.attempt, fetched.wanted))
            if fetched.attempt == self._attempt(fetched.wanted.item) and not self._closed:
                self._keep(fetched)
        self._start()
        if not self._running:
            self._collecting.stop()

    def _keep(self, fetched: _Fetched) -> None:
        item, size = fetched.wanted
        if fetched.reason:
            self._failures[item] = fetched.reason
            self._full.discard(item)
            self.pictureFailed.emit(item, fetched.reason)
            return
        self._failures.pop(item, None)
        if size == FULL and fetched.picture is not None:
            self._full.put(item, fetched.picture)
        for side, image in fetched.images:
            if side != FULL:
                self._thumbnails.put(_Wanted(item, side), QPixmap.fromImage(image))
        for side, image in fetched.images:
            self.pictureReady.emit(item, side, image)


def _fetch(
    order: _Fetched, source: Path, path: bytes | None, deliver: Callable[[_Fetched], None]
) -> None:
    """Decode one picture (on a worker thread) and hand over what was asked for.

    `order` may bring the picture, when only an image of it is wanted.
    """
    result = replace(order, reason="The picture could not be read: please report this.")
    try:
        picture = order.picture
        if picture is None and path is not None:
            root = source if source.is_dir() else source.parent
            # a thumbnail needs no more than its own size, which JPEG decodes much quicker
            at_least = order.wanted.size if order.wanted.size != FULL else None
            picture = DisplayPicture(load_picture(root / os.fsdecode(path), at_least=at_least))
        result = _answer(order, picture)
    except DatasetError as error:
        message = error.message if error.message.endswith((".", "!", "?")) else f"{error.message}."
        result = replace(order, reason=f"{message} {error.hint}".strip())
    except MemoryError:
        result = replace(order, reason="The picture is too large for the memory of this computer.")
    finally:  # also after a bug, or the view would wait for ever
        deliver(result)


def _answer(order: _Fetched, picture: DisplayPicture | None) -> _Fetched:
    """Make the images that were asked for; with a whole picture, its thumbnail too."""
    if picture is None:
        return replace(order, reason="This item has no picture.")
    if order.wanted.size != FULL:
        return replace(order, images=((order.wanted.size, picture.image(order.wanted.size)),))
    small, large = THUMBNAIL_SIZES[0], _LONGEST_IMAGE
    images = ((small, picture.image(small)), (FULL, picture.image(large)))
    return replace(order, picture=picture, images=images)


def _thumbnail_size(size: int) -> int:
    return next((fixed for fixed in THUMBNAIL_SIZES if fixed >= size), THUMBNAIL_SIZES[-1])


def _placeholder(size: int) -> QPixmap:
    """Draw a crossed-out frame: a picture that cannot be shown is not an empty one."""
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(128, 134, 142), size / 24))
    frame = pixmap.rect().adjusted(size // 8, size // 8, -size // 8, -size // 8)
    painter.drawRect(frame)
    painter.drawLine(frame.topLeft(), frame.bottomRight())
    painter.drawLine(frame.bottomLeft(), frame.topRight())
    painter.end()
    return pixmap
