"""Some pictures of many: a grid of thumbnails as large as the room it is given."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme
from desktop.images import PictureStore
from desktop.widgets.thumb_strip import paint_thumbnail

_GAP = 8
_SMALLEST, _LARGEST = 72, 104  # pixels of the layout


class ThumbGrid(QWidget):
    """Shows thumbnails in whole rows and columns; those that do not fit are left out.

    Parameters
    ----------
    store
        Where thumbnails come from.
    """

    def __init__(self, store: PictureStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._items: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        store.pictureReady.connect(self._arrived)
        store.pictureFailed.connect(self._arrived)
        theme.current().themeChanged.connect(self.update)

    def show_items(self, items: Sequence[int]) -> None:
        """Show these items, in this order."""
        self._items = tuple(items)
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for a few rows."""
        return QSize(480, 3 * (_LARGEST + _GAP))

    def minimumSizeHint(self) -> QSize:
        """Be content with one row."""
        return QSize(2 * _SMALLEST + _GAP, _SMALLEST)

    def squares(self) -> list[QRect]:
        """Lay out the thumbnails: as many as fit, as large as they then can be."""
        wide, high = self.width() + _GAP, self.height() + _GAP
        if not self._items or min(wide, high) < _SMALLEST:
            return []
        n = len(self._items)

        def covered(side: int) -> tuple[int, int]:
            shown = min(n, (wide // (side + _GAP)) * (high // (side + _GAP)))
            return shown * side**2, shown

        side = max(range(_SMALLEST, min(_LARGEST, wide, high) + 1), key=covered)
        side = min(side, self.height(), self.width())
        step = side + _GAP
        columns, rows = wide // step, high // step
        places = [divmod(at, columns) for at in range(min(n, rows * columns))]
        return [QRect(column * step, row * step, side, side) for row, column in places]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint those that fit."""
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        for item, square in zip(self._items, self.squares(), strict=False):
            pixmap = self._store.thumbnail(item, round(square.width() * ratio))
            paint_thumbnail(painter, QRectF(square).adjusted(0.5, 0.5, -0.5, -0.5), pixmap)
        painter.end()

    def _arrived(self, item: int, *_: object) -> None:
        if item in self._items:
            self.update()
