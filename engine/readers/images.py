"""One picture file: any of the formats people keep, turned into plain upright pixels.

Hidden: formats, palettes, colour models, transparency, orientation, and the many ways in which a
file can be broken. Promised: grey pictures of more than 8 bits keep their numbers, and whatever is
wrong with a file comes out as one sentence.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

from engine.dataset import CONTENT_BYTES
from engine.errors import DatasetError
from engine.job import Job
from engine.readers import dicom, tiff
from engine.readers.files import Unreadable, open_regular, printable, why
from engine.readers.pixels import (
    MOST_PIXELS,
    Picture,
    deep_grey,
    in_strips,
    refuse_size,
    to_rgb8,
)
from engine.readers.threads import in_order

__all__ = ["MOST_PIXELS", "Examined", "Picture", "examine", "load_picture", "to_rgb8"]

# Pillow's own guard only warns between its limit and twice that; `refuse_size` is the guard here,
# and it comes before any pixel is decoded.
Image.MAX_IMAGE_PIXELS = None

# Named, so that nothing else is tried: Pillow would start Ghostscript for a PostScript file.
_FORMATS = ("PNG", "JPEG", "TIFF", "BMP", "DIB", "GIF", "WEBP")

# What decoders are known to raise on damaged files.
_DAMAGE = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    LookupError,
    TypeError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    RuntimeError,
    MemoryError,
    struct.error,
    zlib.error,
)
# Those whose message speaks of the decoder, not of the file.
_STUMBLES = (LookupError, TypeError, ArithmeticError, AttributeError, AssertionError, struct.error)
_CUT_OFF = ("truncated", "unexpected end", "less than expected", "end of file")

_ORIENTATION = 0x0112  # EXIF tag
_BACKGROUND = 127
"""What shows through transparent pixels: mid-grey, so that neither black nor white marks vanish,
as they would on a white or black page; to the networks it is their zero, the value of padding."""

_SOUND = 8  # pixels: a JPEG is decoded at an eighth when only its soundness is in question


@dataclass(frozen=True, slots=True)
class Examined:
    """What looking into a picture file gave: its content hash, or the reason it is unusable.

    `several`: the file holds more pictures than the first, which is the one used.
    """

    content: bytes = b""
    reason: str = ""
    several: bool = False


def load_picture(source: Path | bytes, *, at_least: int | None = None) -> Picture:
    """Read a picture: the first one, where a file holds several.

    Parameters
    ----------
    source
        A file, or the bytes of one.
    at_least
        Pixels: a JPEG may come smaller than it is (by 2, 4 or 8, which is much quicker), but no
        edge shorter than this.

    Raises
    ------
    DatasetError
        With the reason in words.
    """
    name = "the picture" if isinstance(source, bytes) else printable(source.name)
    try:
        if isinstance(source, bytes):
            return _decode(io.BytesIO(source), "", at_least)[0]
        with open_regular(source) as file:
            return _decode(file, source.suffix.lower(), at_least)[0]
    except Unreadable as error:
        raise DatasetError(
            f"{name} cannot be used: {error}", "Replace the file, or set it aside."
        ) from error


def examine(paths: Sequence[Path], job: Job) -> dict[Path, Examined]:
    """Look into picture files: hash the bytes, and decode them to see that they are sound.

    JPEG is decoded at an eighth of its size, which reads all of the file but computes little.
    """
    return dict(in_order(_examine, paths, job, "Reading pictures"))


def _examine(path: Path) -> Examined:
    try:
        with open_regular(path) as file:
            content = hashlib.file_digest(
                file, lambda: hashlib.blake2b(digest_size=CONTENT_BYTES)
            ).digest()
            file.seek(0)
            _, several = _decode(file, path.suffix.lower(), _SOUND)
    except Unreadable as error:
        return Examined(reason=str(error))
    except OSError as error:
        return Examined(reason=f"it cannot be read: {why(error)}")
    return Examined(content, several=several)


def _decode(file: BinaryIO, suffix: str, at_least: int | None) -> tuple[Picture, bool]:
    """Decode an open file; also tell whether it holds several pictures.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    start = file.read(132)
    file.seek(0)
    if not start:
        raise Unreadable("the file is empty")
    try:
        if dicom.looks_like(start, suffix):
            return dicom.read(file)
        if start.startswith(tiff.MAGIC):
            return _decode_tiff(file)
        with Image.open(file, formats=_FORMATS) as image:
            return _decode_opened(image, at_least)
    except UnidentifiedImageError as error:
        raise Unreadable("it is damaged, or not a picture of a format that is read") from error
    except _DAMAGE as error:
        raise Unreadable(_damage(error)) from error


def _damage(error: BaseException) -> str:
    """Put what a decoder complains about into words."""
    text = str(error).strip()
    if isinstance(error, EOFError) or any(words in text.lower() for words in _CUT_OFF):
        return "it is cut off: the end of the file is missing"
    if isinstance(error, MemoryError):
        return "it does not fit into memory"
    if not text or isinstance(error, _STUMBLES):
        return "it is damaged"
    return f"it is damaged ({text})"


def _decode_tiff(file: BinaryIO) -> tuple[Picture, bool]:
    """Decode with Pillow what it reads without loss, the rest with tifffile."""
    try:
        with Image.open(file, formats=("TIFF",)) as image:
            if not tiff.is_deep_colour(image):
                inverted = tiff.is_white_zero(image)
                picture, several = _decode_opened(image, None)
                if inverted and picture.pixels.dtype == np.uint16:
                    # Pillow turns only shallow grey round.
                    picture = replace(
                        picture, pixels=np.uint16(2**picture.bits - 1) - picture.pixels
                    )
                return picture, several
    except UnidentifiedImageError:
        pass  # a kind that Pillow does not know
    file.seek(0)
    picture, orientation, several = tiff.read(file)
    return replace(picture, pixels=_upright(picture.pixels, orientation)), several


def _decode_opened(image: Image.Image, at_least: int | None) -> tuple[Picture, bool]:
    refuse_size(image.width, image.height)
    if at_least is not None:
        image.draft(None, (at_least, at_least))
    image.load()
    # After loading: Pillow turns TIFF files by itself and then drops the entry.
    orientation = _orientation(image)
    picture = _plain(image)
    picture = replace(picture, pixels=_upright(picture.pixels, orientation))
    return picture, _has_more(image)


def _has_more(image: Image.Image) -> bool:
    """Whether the file holds more pictures than a person would count as one."""
    if image.format == "MPO":  # a photo with its own preview
        return False
    try:
        return bool(getattr(image, "is_animated", False))
    except _DAMAGE:  # the first picture is sound, the next is not
        return True


def _orientation(image: Image.Image) -> int:
    """Read how the camera was held, 1 (upright) to 8; damaged notes count as upright."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except _DAMAGE:
        return 1
    return value if isinstance(value, int) else 1


def _upright(pixels: npt.NDArray[Any], orientation: int) -> npt.NDArray[Any]:
    """Turn and mirror pixels as EXIF orientation 1 to 8 asks."""
    if orientation in {5, 6, 7, 8}:
        pixels = pixels.swapaxes(0, 1)
    if orientation in {3, 4, 7, 8}:
        pixels = pixels[::-1]
    if orientation in {2, 3, 6, 7}:
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)


def _plain(image: Image.Image) -> Picture:
    """Turn a loaded image of any mode into plain pixels."""
    if image.mode == "F":
        return Picture(np.array(image, dtype=np.float32), bits=32)
    if image.mode.startswith("I"):
        pixels = deep_grey(np.asarray(image))
        return Picture(pixels, bits=8 * pixels.dtype.itemsize)
    if image.has_transparency_data:
        return _composite(image)
    if image.mode == "1":
        image = image.convert("L")
    elif image.mode not in {"L", "RGB"}:
        image = image.convert("RGB")
    return Picture(np.array(image, dtype=np.uint8))


def _composite(image: Image.Image) -> Picture:
    """Lay a transparent picture on mid-grey."""
    grey = image.mode in {"L", "LA", "La"}
    pixels = in_strips(np.asarray(image.convert("LA" if grey else "RGBA")), _on_background)
    return Picture(pixels[:, :, 0] if grey else pixels)


def _on_background(layers: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    colour, alpha = layers[:, :, :-1].astype(np.uint16), layers[:, :, -1:].astype(np.uint16)
    return ((colour * alpha + _BACKGROUND * (255 - alpha) + 127) // 255).astype(np.uint8)
