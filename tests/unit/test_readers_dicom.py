"""DICOM files made here: units, windows, inverted grey, colour, frames, what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from pydicom import dcmread
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import ExplicitVRLittleEndian, JPEGLSLossless, SecondaryCaptureImageStorage

from engine import readers
from engine.errors import DatasetError
from engine.job import Job
from engine.readers.images import examine, load_picture, to_rgb8


def write(path: Path, values: npt.NDArray[Any] | None, **elements: Any) -> Path:
    """Write a DICOM file; `elements` by keyword, "syntax" for the transfer syntax."""
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = elements.pop("syntax", ExplicitVRLittleEndian)
    meta.MediaStorageSOPClassUID = SecondaryCaptureImageStorage
    meta.MediaStorageSOPInstanceUID = "1.2.3"
    data = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    data.SOPClassUID = SecondaryCaptureImageStorage
    data.SOPInstanceUID = "1.2.3"
    if values is not None:
        colour = values.shape[-1] == 3
        frames = values.ndim - (3 if colour else 2)
        data.Rows, data.Columns = values.shape[frames : frames + 2]
        data.SamplesPerPixel = 3 if colour else 1
        if colour:
            data.PlanarConfiguration = 0
        if frames:
            data.NumberOfFrames = len(values)
        data.PhotometricInterpretation = "RGB" if colour else "MONOCHROME2"
        data.BitsAllocated = 8 * values.dtype.itemsize
        data.BitsStored = data.BitsAllocated
        data.HighBit = data.BitsStored - 1
        data.PixelRepresentation = int(values.dtype.kind == "i")
        data.PixelData = values.tobytes()
        data["PixelData"].VR = "OB" if values.dtype.itemsize == 1 else "OW"
    for name, value in elements.items():
        setattr(data, name, value)
    data.save_as(path, enforce_file_format=True)
    return path


def ramp(kind: str = "u2") -> npt.NDArray[Any]:
    return np.arange(20 * 30).reshape(20, 30).astype(kind)


def test_rescaled_to_units_with_its_window(tmp_path: Path) -> None:
    path = write(
        tmp_path / "ct.dcm",
        ramp(),
        BitsStored=12,
        RescaleSlope=2,
        RescaleIntercept=-524,
        WindowCenter=[40, 300],
        WindowWidth=[400, 1500],
    )
    picture = load_picture(path)
    assert picture.pixels.dtype == np.int16
    assert np.array_equal(picture.pixels, ramp("i4") * 2 - 524)
    assert picture.window == (-160.0, 239.0)  # PS3.3 C.11.2.1.2
    assert picture.bits == 12
    shown = to_rgb8(picture)[:, :, 0]
    assert shown[picture.pixels <= -160].max() == 0
    assert shown[picture.pixels >= 239].min() == 255


def test_without_rescaling_the_stored_numbers_stay(tmp_path: Path) -> None:
    picture = load_picture(write(tmp_path / "mr", ramp(), WindowCenter="", WindowWidth=""))
    assert picture.pixels.dtype == np.uint16
    assert np.array_equal(picture.pixels, ramp())
    assert picture.window is None


def test_exact_linear_window(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.dcm",
        ramp(),
        WindowCenter=100,
        WindowWidth=50,
        VOILUTFunction="LINEAR_EXACT",
    )
    assert load_picture(path).window == (75.0, 125.0)


def test_fractions_become_float(tmp_path: Path) -> None:
    path = write(tmp_path / "pet.dcm", ramp(), RescaleSlope="0.25", RescaleIntercept="0")
    picture = load_picture(path)
    assert picture.pixels.dtype == np.float32
    assert np.allclose(picture.pixels, ramp() * 0.25)


def test_inverted_grey_is_turned_round(tmp_path: Path) -> None:
    values = ramp("u1")
    path = write(
        tmp_path / "xray.dcm",
        values,
        PhotometricInterpretation="MONOCHROME1",
        WindowCenter=100.5,
        WindowWidth=101,
    )
    picture = load_picture(path)
    assert np.array_equal(picture.pixels, 255 - values.astype(int))
    assert picture.window == (105.0, 205.0)


def test_colour_and_brightness_colour(tmp_path: Path) -> None:
    values = np.zeros((6, 8, 3), np.uint8)
    values[:, :, 0] = 200
    assert np.array_equal(load_picture(write(tmp_path / "rgb.dcm", values)).pixels, values)
    values[:] = (76, 85, 255)  # red, as YBR
    path = write(tmp_path / "ybr.dcm", values, PhotometricInterpretation="YBR_FULL")
    assert np.abs(load_picture(path).pixels.astype(int) - (255, 0, 0)).max() <= 2


def test_first_of_many_frames(tmp_path: Path) -> None:
    values = np.stack([np.full((4, 5), frame, np.uint16) for frame in (3, 4)])
    path = write(tmp_path / "cine.dcm", values)
    assert (load_picture(path).pixels == 3).all()
    assert examine([path], Job())[path].several


def test_files_without_an_ending_are_found(tmp_path: Path) -> None:
    write(tmp_path / "IM0001", ramp())
    write(tmp_path / "1.2.840.113619", ramp() + 1)
    (tmp_path / "DICOMDIR").write_bytes((tmp_path / "IM0001").read_bytes())
    (tmp_path / "LICENCE").write_text("text", encoding="utf-8")
    dataset = readers.read(tmp_path, Job())
    assert [item.name for item in dataset.items] == ["1.2.840.113619", "IM0001"]


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ({"Rows": 20_000, "Columns": 20_000}, "20,000 x 20,000 pixels"),
        ({"Rows": 21}, "cut off"),
        ({"PhotometricInterpretation": None}, "no picture"),
    ],
)
def test_refused_with_a_reason(tmp_path: Path, elements: dict[str, Any], words: str) -> None:
    path = write(tmp_path / "bad.dcm", ramp(), **elements)
    with pytest.raises(DatasetError, match=words):
        load_picture(path)


def test_compression_without_a_decoder_is_named(tmp_path: Path) -> None:
    data = dcmread(write(tmp_path / "plain.dcm", ramp()))
    data.file_meta.TransferSyntaxUID = JPEGLSLossless
    data.PixelData = encapsulate([data.PixelData])
    data["PixelData"].is_undefined_length = True
    data.save_as(tmp_path / "packed.dcm", enforce_file_format=True)
    with pytest.raises(DatasetError, match="compressed as JPEG-LS Lossless"):
        load_picture(tmp_path / "packed.dcm")


def test_old_files_without_a_header(tmp_path: Path) -> None:
    """Read by their ending from disk, and by their first element from memory."""
    data = dcmread(write(tmp_path / "new.dcm", ramp()))
    del data.file_meta
    data.preamble = None
    data.save_as(
        tmp_path / "old.dcm", enforce_file_format=False, implicit_vr=True, little_endian=True
    )
    for source in (tmp_path / "old.dcm", (tmp_path / "old.dcm").read_bytes()):
        assert np.array_equal(load_picture(source).pixels, ramp())


def test_reports_hold_no_picture(tmp_path: Path) -> None:
    path = write(tmp_path / "report.dcm", None)
    with pytest.raises(DatasetError, match="holds no picture"):
        load_picture(path)


def test_other_files_called_dcm(tmp_path: Path) -> None:
    path = tmp_path / "fake.dcm"
    path.write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(DatasetError, match=r"fake\.dcm"):
        load_picture(path)


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "ct.dcm", ramp())
    monkeypatch.setitem(sys.modules, "pydicom", None)
    with pytest.raises(DatasetError, match=r"pairloom\[dicom\]"):
        load_picture(path)
