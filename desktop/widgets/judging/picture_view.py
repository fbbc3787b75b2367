"""One large picture: zoom at the cursor, pan, window and level, and an honest "not here".

Hidden: coordinates, mouse and wheel handling, painting. Promised: a view never shows a picture that
was not given for the present pair; `painted` tells when the present one is really on the screen;
what the person does to the view is announced, so that two views can be linked.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QLocale, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme
from desktop.pictures import DisplayPicture, Window

_WHEEL_STEP = 1.25  # zoom per notch of the wheel
_NOTCH = 120.0  # eighths of a degree
_LEAST_ZOOM = 0.5  # of the fitted size, or 100 % where that is smaller still
_MOST_SCALE = 64.0  # screen pixels per picture pixel
_DRAG_LENGTH = 300.0  # pixels of a right-drag that change the window by its stored width
_CORNER = 8.0
_MARGIN = 24
_MARK = 40.0
_SQUARES_FROM = 8.0  # screen pixels per picture pixel from which pixels are seen as squares


class Place(NamedTuple):
    """What part of a picture is seen, in terms that suit pictures of any size.

    Attributes
    ----------
    zoom
        1 = the whole picture fits the view.
    x, y
        Centre of the view, as a share of the picture's width and height.
    """

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5


FITTED = Place()


class PictureView(QWidget):
    """Shows one item's picture.

    Notes
    -----
    Signals:

    - `painted(token)`: what `show_picture(picture, token)` gave is on the screen for the first
      time. Emitted while painting: connect it queued.
    - `moved(alone)`: the person zoomed or panned; `alone` = Ctrl was held, this side only.
    - `windowDragged(level, width, alone)`: a right-drag, in shares of the stored window's width.
    """

    painted = Signal(int)
    moved = Signal(bool)
    windowDragged = Signal(float, float, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: DisplayPicture | None = None
        self._token = -1
        self._painted_token = -1
        self._message = ""
        self._failed = False
        self._place = FITTED
        self._window: Window | None = None
        self._inverted = False
        self._dimmed = False
        self._grip: QPointF | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(150, 110)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        theme.current().themeChanged.connect(self.update)

    # ------------------------------------------------------------------ what is shown

    def show_picture(self, picture: DisplayPicture, token: int) -> None:
        """Show a picture, fitted. `token` names the pair it belongs to, see `painted`."""
        self._set(picture, token)

    def show_message(self, text: str, *, failed: bool = False) -> None:
        """Show words instead of a picture: being loaded, or why it cannot be shown."""
        self._set(None, -1, text, failed=failed)

    def _set(
        self, picture: DisplayPicture | None, token: int, text: str = "", *, failed: bool = False
    ) -> None:
        self._picture, self._token = picture, token
        self._message, self._failed = text, failed
        self._place, self._window = FITTED, None
        self._dimmed = False
        self.update()

    @property
    def picture(self) -> DisplayPicture | None:
        """The picture shown."""
        return self._picture

    @property
    def message(self) -> str:
        """The words shown instead of a picture."""
        return self._message

    @property
    def dimmed(self) -> bool:
        """Whether what is shown is drawn back, as something else is awaited."""
        return self._dimmed

    @dimmed.setter
    def dimmed(self, dimmed: bool) -> None:
        self._dimmed = dimmed
        self.update()

    # ------------------------------------------------------------------ place

    @property
    def place(self) -> Place:
        """What part is seen."""
        return self._place

    def set_place(self, place: Place) -> None:
        """Show another part; announces nothing."""
        pixels = 1.0 / (self._fit_scale() * self.devicePixelRatioF())  # the zoom of 100 %
        zoom = max(place.zoom, min(_LEAST_ZOOM, pixels))
        zoom = min(zoom, max(_MOST_SCALE * pixels, 1.0))
        self._place = Place(zoom, min(max(place.x, 0.0), 1.0), min(max(place.y, 0.0), 1.0))
        self.update()

    @property
    def scale(self) -> float:
        """Screen pixels per picture pixel."""
        return self._place.zoom * self._fit_scale() * self.devicePixelRatioF()

    def set_scale(self, scale: float) -> None:
        """Zoom to so many screen pixels per picture pixel; announces nothing."""
        zoom = scale / (self._fit_scale() * self.devicePixelRatioF())
        self.set_place(self._place._replace(zoom=zoom))

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom about a point of the view (default: its middle), which stays where it is."""
        if self._picture is None:
            return
        at = at or QRectF(self.rect()).center()
        before = self._to_picture(at)
        self.set_place(self._place._replace(zoom=self._place.zoom * factor))
        self._shift(before - self._to_picture(at))

    def _shift(self, by: QPointF) -> None:
        if self._picture is None:
            return
        width, height = self._picture.size.width(), self._picture.size.height()
        x, y = self._place.x + by.x() / width, self._place.y + by.y() / height
        self.set_place(Place(self._place.zoom, x, y))

    def _fit_scale(self) -> float:
        """Logical pixels per picture pixel when the whole picture is seen."""
        if self._picture is None:
            return 1.0
        size = self._picture.size
        return max(min(self.width() / size.width(), self.height() / size.height()), 1e-6)

    def _to_picture(self, point: QPointF) -> QPointF:
        if self._picture is None:
            return QPointF()
        size, scale = self._picture.size, self._place.zoom * self._fit_scale()
        middle = QPointF(self._place.x * size.width(), self._place.y * size.height())
        return middle + (point - QRectF(self.rect()).center()) / scale

    # ------------------------------------------------------------------ window and level

    @property
    def window_values(self) -> Window | None:
        """The grey window in force; None = as stored, or not a grey picture."""
        return self._window

    def set_window(self, window: Window | None) -> None:
        """Put a grey window in force; None = as stored."""
        self._window = window
        self.update()

    @property
    def inverted(self) -> bool:
        """Whether dark is shown as bright."""
        return self._inverted

    @inverted.setter
    def inverted(self, inverted: bool) -> None:
        self._inverted = inverted
        self.update()

    def readout(self) -> str:
        """Say in words how what is seen differs from the picture as stored."""
        picture = self._picture
        if picture is None:
            return ""
        parts = []
        if picture.greys is not None and self._window is not None:
            parts.append(_in_words(self._window, self.tr("Window {0} · level {1}")))
        if self._inverted:
            parts.append(self.tr("inverted"))
        if self._place != FITTED:
            parts.append(self.tr("{0} %").format(QLocale().toString(round(self.scale * 100))))
        if picture.reduction > 1:
            parts.append(self.tr("shown at 1/{0} of its size").format(picture.reduction))
        return " · ".join(parts)

    # ------------------------------------------------------------------ events

    def sizeHint(self) -> QSize:
        """Ask for room; any share of it will do."""
        return QSize(420, 320)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted picture fitted, and a magnified one as magnified as it was."""
        if self._picture is not None and self._place.zoom != 1.0:
            size, old = self._picture.size, event.oldSize()
            before = min(old.width() / size.width(), old.height() / size.height())
            if before > 0:
                zoom = self._place.zoom * before / self._fit_scale()
                self.set_place(self._place._replace(zoom=zoom))
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the cursor."""
        notches = event.angleDelta().y() / _NOTCH
        if self._picture is None or notches == 0:
            event.ignore()
            return
        self.zoom_by(_WHEEL_STEP**notches, event.position())
        self.moved.emit(_ctrl(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the picture."""
        self._grip = event.position()
        if event.button() == Qt.MouseButton.LeftButton and self._picture is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        event.ignore()  # the page takes the keyboard focus

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan (left or middle button), or change window and level (right)."""
        if self._grip is None or self._picture is None:
            return
        by = event.position() - self._grip
        if event.buttons() & (Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton):
            self._shift(-by / (self._place.zoom * self._fit_scale()))
            self.moved.emit(_ctrl(event))
        elif event.buttons() & Qt.MouseButton.RightButton and self._picture.greys is not None:
            self.windowDragged.emit(by.y() / _DRAG_LENGTH, by.x() / _DRAG_LENGTH, _ctrl(event))
        self._grip = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the picture."""
        if not event.buttons():
            self._grip = None
            self.unsetCursor()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint, and tell when the present picture is on the screen for the first time."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()), _CORNER, _CORNER)
        painter.fillPath(outline, theme.picture_ground())
        painter.setClipPath(outline)
        if self._picture is None:
            self._paint_message(painter)
        else:
            self._paint_picture(painter, self._picture)
            self._paint_readout(painter)
        painter.end()
        if self._token != self._painted_token and self._token >= 0:
            self._painted_token = self._token
            self.painted.emit(self._token)

    def _paint_picture(self, painter: QPainter, picture: DisplayPicture) -> None:
        scale = self._place.zoom * self._fit_scale()
        top_left = self._to_picture(QPointF(0, 0))
        seen = QRectF(top_left, QRectF(self.rect()).size() / scale)
        seen = seen.intersected(QRectF(0, 0, picture.size.width(), picture.size.height()))
        if seen.isEmpty():
            return
        target = QRectF((seen.topLeft() - top_left) * scale, seen.size() * scale)
        picture.draw(
            painter,
            target,
            seen,
            window=self._window,
            invert=self._inverted,
            smooth=self.scale < _SQUARES_FROM,
        )
        if self._dimmed:
            veil = theme.picture_ground()
            veil.setAlphaF(0.6)
            painter.fillRect(self.rect(), veil)

    def _paint_readout(self, painter: QPainter) -> None:
        text = self.readout()
        if not text:
            return
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        margin = metrics.height() // 2
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width() - 4 * margin)
        size = QSize(metrics.horizontalAdvance(text) + 2 * margin, metrics.height() + margin)
        pill = QRectF(QPointF(margin, self.height() - size.height() - margin), size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(16, 18, 22, 190))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setPen(QColor("#F2F4F7"))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_message(self, painter: QPainter) -> None:
        colors = theme.current().colors
        painter.setPen(QColor(colors.error if self._failed else colors.muted))
        room = self.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        if self._failed:  # a frame with a cross: seen at once not to be an empty picture
            mark = QRectF(0, 0, _MARK, _MARK)
            mark.moveCenter(QPointF(room.center().x(), room.top() + _MARK))
            painter.drawRect(mark)
            painter.drawLine(mark.topLeft(), mark.bottomRight())
            painter.drawLine(mark.bottomLeft(), mark.topRight())
            room.setTop(int(mark.bottom()) + _MARGIN // 2)
            flags = int(Qt.AlignmentFlag.AlignHCenter) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(room, flags, self._message)


def _ctrl(event: QMouseEvent | QWheelEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


def _in_words(window: Window, pattern: str) -> str:
    whole = abs(window.width) >= 10
    width, level = (
        QLocale().toString(round(value)) if whole else QLocale().toString(value, "g", 3)
        for value in (window.width, window.level)
    )
    return pattern.format(width, level)
