"""What list rows are painted with: thumbnails, group chips, meters, icons, lines of text.

Hides scaling and pixel ratios. Promises that a picture is never stretched or cut off, and that a
picture that is still being read looks different from one that is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter, QPainterPath, QPen

from desktop import theme
from engine.model import Verdict

if TYPE_CHECKING:
    from desktop.images import PictureStore

_CORNER = 4.0
_CHIP_PAD = 12


def draw_thumb(painter: QPainter, square: QRect, pictures: PictureStore, item: int) -> None:
    """Draw an item's thumbnail into a square; a plain tile until it is there."""
    ratio = painter.device().devicePixelRatioF()
    pixmap = pictures.thumbnail(item, round(square.width() * ratio))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = QPainterPath()
    outline.addRoundedRect(QRectF(square), _CORNER, _CORNER)
    painter.fillPath(outline, QColor(theme.current().colors.hover))
    if pixmap is not None and not pixmap.isNull():
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = pixmap.size().scaled(square.size(), Qt.AspectRatioMode.KeepAspectRatio)
        target = QRect(square.topLeft(), size.expandedTo(QSize(1, 1)))
        target.moveCenter(square.center())
        painter.setClipPath(outline)
        painter.drawPixmap(target, pixmap)
        painter.setClipping(False)
    painter.strokePath(outline, QPen(QColor(theme.current().colors.border), 1))
    painter.restore()


def chip_width(font: QFont, slot: int) -> int:
    """Give the width of a group's chip where a text has this font."""
    bold = QFont(font)
    bold.setBold(True)
    return QFontMetrics(bold).horizontalAdvance(theme.slot_text(slot)) + _CHIP_PAD


def draw_chip(painter: QPainter, at: QRect, slot: int) -> QRect:
    """Draw a group's sign and number at the left of a line.

    Returns
    -------
    The rectangle that it took.
    """
    font = painter.font()
    font.setBold(True)
    text = theme.slot_text(slot)
    metrics = QFontMetrics(font)
    chip = QRect(at.left(), at.top(), chip_width(font, slot), metrics.height() + 2)
    chip.moveCenter(at.center())
    chip.moveLeft(at.left())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.slot_color(slot))
    painter.drawRoundedRect(chip, 6, 6)
    painter.setFont(font)
    painter.setPen(theme.slot_ink(slot))
    painter.drawText(chip, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
    return chip


def draw_meter(painter: QPainter, bar: QRect, share: float, color: QColor) -> None:
    """Draw a thin bar that is filled by a share in [0, 1]."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    radius = bar.height() / 2
    painter.setBrush(QColor(theme.current().colors.border))
    painter.drawRoundedRect(bar, radius, radius)
    full = QRectF(bar)
    full.setWidth(max(bar.height(), bar.width() * min(1.0, max(0.0, share))))
    painter.setBrush(color)
    painter.drawRoundedRect(full, radius, radius)
    painter.restore()


def draw_sign(painter: QPainter, square: QRect, verdict: Verdict, *, faint: bool = False) -> None:
    """Draw a verdict as a filled disc with its sign: told by shape, and by colour."""
    colors = theme.current().colors
    ground = QColor(
        {
            Verdict.SAME: colors.same,
            Verdict.DIFFERENT: colors.different,
            Verdict.UNSURE: colors.unsure,
        }[verdict]
    )
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if faint:
        painter.setOpacity(0.55)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawEllipse(square)
    inset = square.width() // 6
    icon = square.adjusted(inset, inset, -inset, -inset)
    draw_icon(painter, icon, verdict.value, colors.surface)
    painter.restore()


def draw_line(
    painter: QPainter,
    place: QRect,
    text: str,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Write one line of text, shortened where it does not fit."""
    shown = painter.fontMetrics().elidedText(text, elide, place.width())
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def draw_parts(
    painter: QPainter, place: QRect, parts: Iterable[str], gap: str, lines: int = 1
) -> None:
    """Write as many parts as fit whole on some lines; only a part longer than a line is cut."""
    metrics = painter.fontMetrics()
    line = QRect(place.left(), place.top(), place.width(), metrics.height())
    written = ""
    for part in parts:
        longer = f"{written}{gap}{part}" if written else part
        if written and metrics.horizontalAdvance(longer) > place.width():
            draw_line(painter, line, written)
            lines -= 1
            line.translate(0, metrics.height())
            if lines == 0:
                return
            longer = part
        written = longer
    draw_line(painter, line, written)


def draw_icon(painter: QPainter, square: QRect, name: str, color: str | None = None) -> None:
    """Draw a line icon in a colour of the theme."""
    _icon(name, color or theme.current().colors.text).paint(painter, square)


_ICONS: dict[tuple[str, str], QIcon] = {}


def _icon(name: str, color: str) -> QIcon:
    """Keep the icons of delegates: they are painted for every row."""
    if (name, color) not in _ICONS:
        _ICONS[name, color] = theme.icon(name, color)
    return _ICONS[name, color]
