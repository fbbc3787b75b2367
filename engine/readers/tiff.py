"""TIFF files that Pillow would spoil: colour of more than 8 bits, and kinds it does not know.

Hidden: tifffile (the extra `tiff`). Promised: without it such a file is refused, never cut to 8
bits in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt
from PIL import Image, TiffImagePlugin

from engine.readers.files import Unreadable
from engine.readers.pixels import Picture, Pixels, deep_colour, deep_grey, refuse_size

if TYPE_CHECKING:
    import tifffile

MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")

_BITS_PER_SAMPLE, _PHOTOMETRIC, _ORIENTATION = 258, 262, 274
_WHITE_IS_ZERO = 0
_GREY = {0, 1}  # photometric: white is zero, black is zero
_COLOUR = 2


def _entry(image: Image.Image, tag: int) -> Any:
    assert isinstance(image, TiffImagePlugin.TiffImageFile)  # noqa: S101
    return image.tag_v2.get(tag)


def is_deep_colour(image: Image.Image) -> bool:
    """Whether an opened TIFF has colour of more than 8 bits, which Pillow cuts to 8."""
    bits = _entry(image, _BITS_PER_SAMPLE)
    return isinstance(bits, tuple) and len(bits) >= 3 and max(bits) > 8


def is_white_zero(image: Image.Image) -> bool:
    """Whether an opened TIFF stores white as 0 (Pillow turns only the shallow ones)."""
    return bool(_entry(image, _PHOTOMETRIC) == _WHITE_IS_ZERO)


def read(file: BinaryIO) -> tuple[Picture, int, bool]:
    """Read the first picture of a TIFF file through tifffile.

    Returns
    -------
    picture, orientation, several
        Not yet upright; EXIF orientation 1 to 8; whether the file holds more pictures.

    Raises
    ------
    Unreadable
        When tifffile is not installed or cannot read it, with the reason.
    """
    try:
        import tifffile
    except ImportError as error:
        raise Unreadable(
            "this kind of TIFF (such as 16-bit colour) needs the extra “tiff”: "
            "pip install 'pairloom[tiff]'"
        ) from error
    try:
        with tifffile.TiffFile(file) as opened:
            page = opened.pages.first
            refuse_size(page.imagewidth, page.imagelength)
            pixels, bits = _plain(page)
            tag = page.tags.get(_ORIENTATION)
            orientation = int(tag.value) if tag is not None else 1
            return Picture(pixels, None, bits), orientation, len(opened.pages) > 1
    except tifffile.TiffFileError as error:
        raise Unreadable(f"it is damaged ({error})") from error
    except ValueError as error:
        if "imagecodecs" in str(error):
            raise Unreadable(
                "its compression is not read for this kind of TIFF; "
                "save it without compression or as PNG"
            ) from error
        raise


def _plain(page: tifffile.TiffPage) -> tuple[Pixels, int]:
    """Decode a page into grey[h, w] or colour[h, w, 3], and give its bits."""
    values: npt.NDArray[Any] = page.asarray()
    bits = int(page.bitspersample)
    while values.ndim > 3 or (values.ndim == 3 and page.axes[:1] not in {"S", "Y"}):
        values = values[0]  # the first plane of a volume
    if values.ndim == 3 and page.axes.startswith("S"):
        values = np.moveaxis(values, 0, -1)
    photometric = int(page.photometric)
    if values.ndim == 3 and photometric in _GREY:
        values = values[:, :, 0]
    if values.ndim == 2 and photometric in _GREY:
        pixels = deep_grey(values)
        if photometric == _WHITE_IS_ZERO and pixels.dtype.kind == "u":
            pixels = (2**bits - 1 - pixels.astype(np.int64)).astype(pixels.dtype)
        return pixels, bits
    if values.ndim == 3 and values.shape[2] >= 3 and photometric == _COLOUR:
        return deep_colour(values[:, :, :3])
    raise Unreadable("its colours are stored in a way that is not read; convert it to RGB or PNG")
