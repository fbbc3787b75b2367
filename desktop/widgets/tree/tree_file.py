"""A dendrogram as a file: PNG or SVG, by the name's ending."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSaveFile, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from desktop import theme
from desktop.widgets.tree.tree_drawing import TreeDrawing

SUFFIXES = (".png", ".svg")
_FINER = 2  # pixels of a PNG for each of the screen's
_CAPTION = 40


def save(drawing: TreeDrawing, caption: str, size: QSize, font: QFont, file: Path) -> None:
    """Write the picture, with a caption above it; an existing file is replaced in one go.

    Parameters
    ----------
    size
        Of the tree in pixels of the screen.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    whole = QSize(size.width(), size.height() + _CAPTION)
    if file.suffix.lower() == ".svg":
        content = _as_svg(drawing, caption, whole, font)
    else:
        content = _as_png(drawing, caption, whole, font)
    out = QSaveFile(str(file))
    if not out.open(QIODevice.OpenModeFlag.WriteOnly):
        raise OSError(out.errorString())
    out.write(content)
    if not out.commit():
        raise OSError(out.errorString())


def _as_png(drawing: TreeDrawing, caption: str, size: QSize, font: QFont) -> QByteArray:
    image = QImage(size * _FINER, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_FINER)
    painter = QPainter(image)
    _paint(painter, drawing, caption, size, font)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return buffer.data()


def _as_svg(drawing: TreeDrawing, caption: str, size: QSize, font: QFont) -> QByteArray:
    buffer = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(caption)
    painter = QPainter(generator)
    _paint(painter, drawing, caption, size, font)
    painter.end()
    return buffer.data()


def _paint(painter: QPainter, drawing: TreeDrawing, caption: str, size: QSize, font: QFont) -> None:
    colors = theme.current().colors
    painter.setFont(font)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(colors.surface))
    painter.setPen(QColor(colors.text))
    line = QRectF(12, 0, size.width() - 24, _CAPTION)
    shown = painter.fontMetrics().elidedText(
        caption, Qt.TextElideMode.ElideRight, int(line.width())
    )
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
    drawing.paint(painter, QRectF(0, _CAPTION, size.width(), size.height() - _CAPTION))
