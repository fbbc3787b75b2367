"""DICOM files: the first frame as grey in its own units, or as colour.

Hidden: pydicom (the extra `dicom`), transfer syntaxes, rescaling, windows, inverted grey. Promised:
values after rescaling (such as Hounsfield units), small is dark, and a clear reason for files that
hold no picture or are compressed in a way that is not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from engine.readers.files import Unreadable
from engine.readers.pixels import Picture, Pixels, deep_colour, deep_grey, refuse_size

if TYPE_CHECKING:
    import pydicom

SUFFIXES = frozenset({".dcm", ".dicom"})

_PREAMBLE = 128  # bytes before the magic


def looks_like(start: bytes, suffix: str) -> bool:
    """Tell from the first 132 bytes or the ending of its name whether a file is DICOM.

    Old files begin at once with an element of group 2 or 8.
    """
    bare = start[:2] in {b"\x02\0", b"\x08\0"} and start[3:4] == b"\0"
    return start[_PREAMBLE:] == b"DICM" or bare or suffix in SUFFIXES


def read(file: BinaryIO) -> tuple[Picture, bool]:
    """Read the first frame; also tell whether there are more.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    try:
        import pydicom
        from pydicom.errors import BytesLengthException, InvalidDicomError
    except ImportError as error:
        raise Unreadable(
            "DICOM files need the extra “dicom”: pip install 'pairloom[dicom]'"
        ) from error
    try:
        return _first_frame(pydicom.dcmread(file, force=True))
    except (BytesLengthException, InvalidDicomError) as error:  # found anywhere: read when needed
        raise Unreadable(f"it is damaged, or not a DICOM file ({error})") from error


def _first_frame(found: pydicom.Dataset) -> tuple[Picture, bool]:
    from pydicom.pixels.processing import apply_color_lut
    from pydicom.pixels.utils import pixel_array

    _refuse_without_picture(found)
    refuse_size(int(found.Columns), int(found.Rows))
    _refuse_compression(found)
    several = int(found.get("NumberOfFrames") or 1) > 1
    try:
        values = pixel_array(found, index=0)
    except RuntimeError as error:  # every decoder that is installed gave up
        syntax = found.file_meta.TransferSyntaxUID.name
        reason = str(error).splitlines()[-1].partition(": ")[2] or "no decoder is installed"
        raise Unreadable(f"its pixels ({syntax}) cannot be decoded: {reason}") from error
    if found.PhotometricInterpretation == "PALETTE COLOR":
        values = apply_color_lut(values, found)
    if values.ndim == 2:
        return _grey(values, found), several
    if values.dtype == np.uint8:
        return Picture(values[:, :, :3]), several
    colour, bits = deep_colour(values[:, :, :3])
    return Picture(colour, None, bits), several


def _refuse_without_picture(found: pydicom.Dataset) -> None:
    needed = ("Rows", "Columns", "PhotometricInterpretation", "BitsAllocated")
    if not any(name in found for name in ("SOPClassUID", "Rows", "PatientID", "StudyInstanceUID")):
        raise Unreadable("it is not a DICOM file")
    held = any(name in found for name in ("PixelData", "FloatPixelData", "DoubleFloatPixelData"))
    if not held or not all(found.get(name) for name in needed):
        raise Unreadable("this DICOM file holds no picture (a report, plan or directory)")


def _refuse_compression(found: pydicom.Dataset) -> None:
    """Name the compression when no decoder for it is installed."""
    from pydicom.pixels.decoders.base import get_decoder
    from pydicom.uid import ImplicitVRLittleEndian

    syntax = getattr(found.file_meta, "TransferSyntaxUID", None)
    if syntax is None:  # an old file without a header: the DICOM default
        found.file_meta.TransferSyntaxUID = ImplicitVRLittleEndian
        return
    try:
        readable = get_decoder(syntax).is_available
    except NotImplementedError:
        readable = False
    if not readable:
        raise Unreadable(
            f"its pixels are compressed as {syntax.name}, for which no decoder is installed"
        )


def _grey(values: npt.NDArray[Any], found: pydicom.Dataset) -> Picture:
    """Rescale grey to its units, find the window, turn inverted grey round."""
    bits = int(found.get("BitsStored") or found.BitsAllocated)
    window = _window(found)
    pixels = _rescaled(values, found)
    if found.PhotometricInterpretation == "MONOCHROME1":  # small is bright
        signed = bool(found.get("PixelRepresentation"))
        ends = np.array([0, 2**bits - 1]) - (2 ** (bits - 1) if signed else 0)
        turn = float(_rescaled(ends, found).sum(dtype=np.float64))
        pixels = _smallest(turn - pixels.astype(np.float64))
        window = (turn - window[1], turn - window[0]) if window else None
    if window is None and bits < 8:
        window = (0.0, float(2**bits - 1))  # such as a mask of 0 and 1
    return Picture(pixels, window, bits if pixels.dtype != np.float32 else 32)


def _rescaled(values: npt.NDArray[Any], found: pydicom.Dataset) -> Pixels:
    """Turn stored values into the units of the modality."""
    from pydicom.pixels.processing import apply_modality_lut

    line = (found.get("RescaleSlope"), found.get("RescaleIntercept"))
    if "ModalityLUTSequence" not in found and line in {(None, None), (1, 0)}:
        return deep_grey(values)
    return _smallest(apply_modality_lut(values, found))


def _smallest(values: npt.NDArray[Any]) -> Pixels:
    """Keep whole numbers as integers where they fit, fractions as float32.

    int16 comes first, so that all slices of a series get the same type.
    """
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    if np.isfinite(values).all() and not (values != np.rint(values)).any():
        if low >= -32768 and high <= 32767:
            return values.astype(np.int16)
        if low >= 0 and high <= 65535:
            return values.astype(np.uint16)
    return values.astype(np.float32)


def _window(found: pydicom.Dataset) -> tuple[float, float] | None:
    """Give the first window of the file as (low, high); PS3.3 C.11.2.1.2."""
    try:
        centre, width = (_first(found.get(name)) for name in ("WindowCenter", "WindowWidth"))
    except (TypeError, ValueError, IndexError):
        return None
    if not (np.isfinite(centre) and np.isfinite(width)) or width < 1:
        return None
    if found.get("VOILUTFunction") == "LINEAR_EXACT":
        return centre - width / 2, centre + width / 2
    return centre - 0.5 - (width - 1) / 2, centre - 0.5 + (width - 1) / 2


def _first(value: Any) -> float:
    """Take the first of several values, which is the one the file prefers."""
    if isinstance(value, (str, bytes, float, int)):
        return float(value)
    return float(value[0])
