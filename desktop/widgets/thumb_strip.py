"""A row of small pictures: as many as fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme
from desktop.images import PictureStore

_GAP = 4
_CORNER = 4.0


class ThumbStrip(QWidget):
    """Shows the thumbnails of a few items; those that do not fit are left out whole.

    Parameters
    ----------
    store
        Where thumbnails come from.
    side
        Of one thumbnail, in pixels of the layout.
    """

    def __init__(self, store: PictureStore, side: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._side = side
        self._items: tuple[int, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        store.pictureReady.connect(self._arrived)
        store.pictureFailed.connect(self._arrived)
        theme.current().themeChanged.connect(self.update)

    def show_items(self, items: Sequence[int]) -> None:
        """Show these items, in this order."""
        self._items = tuple(items)
        self.setVisible(bool(self._items))
        self.update()

    @property
    def items(self) -> tuple[int, ...]:
        """The items shown."""
        return self._items

    def sizeHint(self) -> QSize:
        """Ask for room for all."""
        return QSize(len(self._items) * (self._side + _GAP), self._side)

    def minimumSizeHint(self) -> QSize:
        """Give way before any words are cut off."""
        return QSize(0, self._side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint those that fit."""
        painter = QPainter(self)
        step = self._side + _GAP
        for place, item in enumerate(self._items):
            if place * step + self._side > self.width():
                break
            square = QRectF(place * step, 0, self._side, self._side)
            paint_thumbnail(painter, square, self._store.thumbnail(item))
        painter.end()

    def _arrived(self, item: int, *_: object) -> None:
        if item in self._items:
            self.update()


def paint_thumbnail(painter: QPainter, square: QRectF, pixmap: QPixmap | None) -> None:
    """Paint a thumbnail whole into a rounded square; None = only the square."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    outline = QPainterPath()
    outline.addRoundedRect(square, _CORNER, _CORNER)
    painter.fillPath(outline, theme.picture_ground())
    if pixmap is not None:
        painter.setClipPath(outline)
        size = QSize(pixmap.size()).scaled(
            square.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio
        )
        target = QRectF(0, 0, size.width(), size.height())
        target.moveCenter(square.center())
        painter.drawPixmap(target, pixmap, QRectF(pixmap.rect()))
        painter.setClipping(False)
    painter.setPen(QColor(theme.current().colors.border))
    painter.drawPath(outline)
    painter.restore()
