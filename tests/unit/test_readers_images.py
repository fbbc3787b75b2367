"""One picture file: formats, depths, orientations, and everything that can be wrong with it."""

from __future__ import annotations

import io
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tifffile
from PIL import Image, ImageOps

from engine.errors import Cancelled, DatasetError
from engine.job import Job
from engine.readers.images import Picture, examine, load_picture, to_rgb8


def ramp(height: int = 12, width: int = 20) -> npt.NDArray[np.uint8]:
    """No two rows or columns alike, so that any turn shows."""
    rng = np.random.default_rng(3)
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def reason(path: Path) -> str:
    """Why a file is refused; the same words while scanning and while showing."""
    with pytest.raises(DatasetError) as caught:
        load_picture(path)
    found = examine([path], Job())[path]
    assert found.reason
    assert found.reason in caught.value.message
    assert path.name in caught.value.message
    return found.reason


# ------------------------------------------------------------------ formats and modes


@pytest.mark.parametrize("suffix", ["png", "tiff", "bmp", "webp"])
def test_lossless_formats_give_their_pixels(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"picture.{suffix}"
    Image.fromarray(ramp()).save(path, **({"lossless": True} if suffix == "webp" else {}))
    picture = load_picture(path)
    assert picture.pixels.dtype == np.uint8
    assert np.array_equal(picture.pixels, ramp())
    assert (picture.window, picture.bits) == (None, 8)
    assert np.array_equal(load_picture(path.read_bytes()).pixels, ramp())


def test_jpeg_and_its_reduced_form(tmp_path: Path) -> None:
    path = tmp_path / "photo.JPG"
    Image.fromarray(np.full((640, 480, 3), (200, 100, 50), np.uint8)).save(path, quality=95)
    assert load_picture(path).pixels.shape == (640, 480, 3)
    reduced = load_picture(path, at_least=100).pixels
    assert reduced.shape == (160, 120, 3)
    assert np.abs(reduced.astype(int) - (200, 100, 50)).max() <= 3


def test_first_frame_of_gif(tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (8, 6), colour) for colour in ("red", "blue")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert (load_picture(path).pixels == (255, 0, 0)).all()
    assert examine([path], Job())[path].several


def test_palette(tmp_path: Path) -> None:
    path = tmp_path / "palette.png"
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 10, 200, 30])
    image.save(path)
    assert (load_picture(path).pixels == (10, 200, 30)).all()


def test_palette_with_transparency_lies_on_grey(tmp_path: Path) -> None:
    path = tmp_path / "palette.png"
    image = Image.new("P", (4, 4), 0)
    image.putpalette([0, 0, 0, 255, 255, 255])
    image.putpixel((0, 0), 1)
    image.save(path, transparency=0)
    pixels = load_picture(path).pixels
    assert tuple(pixels[0, 0]) == (255, 255, 255)
    assert (pixels[1:] == 127).all()


@pytest.mark.parametrize("ink", [0, 255])
def test_black_and_white_marks_on_nothing_stay_visible(tmp_path: Path, ink: int) -> None:
    path = tmp_path / "mark.png"
    layers = np.zeros((6, 6, 4), np.uint8)
    layers[2:4, 2:4] = (ink, ink, ink, 255)
    layers[0, 0] = (ink, ink, ink, 128)
    Image.fromarray(layers).save(path)
    pixels = load_picture(path).pixels
    assert (pixels[2:4, 2:4] == ink).all()
    assert (pixels[5] == 127).all()
    assert abs(int(pixels[0, 0, 0]) - (ink + 127) // 2) <= 1


def test_grey_with_alpha_stays_grey(tmp_path: Path) -> None:
    path = tmp_path / "grey.png"
    layers = np.zeros((5, 7, 2), np.uint8)
    layers[:, :, 0] = 40
    layers[0, :, 1] = 255
    Image.fromarray(layers, mode=None).save(path)
    pixels = load_picture(path).pixels
    assert pixels.shape == (5, 7)
    assert (pixels[0] == 40).all()
    assert (pixels[1:] == 127).all()


def test_opaque_alpha_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "opaque.png"
    Image.fromarray(np.dstack([ramp(), np.full(ramp().shape[:2], 255, np.uint8)])).save(path)
    assert np.array_equal(load_picture(path).pixels, ramp())


@pytest.mark.parametrize("suffix", ["jpg", "tiff"])
def test_cmyk_becomes_rgb(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"print.{suffix}"
    Image.new("RGB", (16, 16), (255, 0, 0)).convert("CMYK").save(path)
    pixels = load_picture(path).pixels
    assert pixels.shape == (16, 16, 3)
    assert np.abs(pixels.astype(int) - (255, 0, 0)).max() <= 3


def test_one_bit(tmp_path: Path) -> None:
    path = tmp_path / "scan.tiff"
    bits = np.zeros((9, 10), bool)
    bits[2:5] = True
    Image.fromarray(bits).save(path)
    pixels = load_picture(path).pixels
    assert pixels.dtype == np.uint8
    assert np.array_equal(pixels, bits * np.uint8(255))


@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_deep_grey_keeps_its_numbers(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"deep.{suffix}"
    values = np.arange(30 * 40, dtype=np.uint16).reshape(30, 40) * 50
    Image.fromarray(values).save(path)
    picture = load_picture(path)
    assert picture.pixels.dtype == np.uint16
    assert picture.pixels.dtype.isnative
    assert np.array_equal(picture.pixels, values)
    assert picture.bits == 16
    shown = to_rgb8(picture)
    assert shown.shape == (30, 40, 3)
    assert (int(shown.min()), int(shown.max())) == (0, 255)


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("kind", ["u2", "i2", "f4", "u4"])
def test_grey_tiff_of_any_number_type(tmp_path: Path, byteorder: Any, kind: str) -> None:
    path = tmp_path / "measured.tif"
    values = (np.arange(7 * 9).reshape(7, 9) * 3 - (50 if kind in {"i2", "f4"} else 0)).astype(kind)
    tifffile.imwrite(path, values, byteorder=byteorder, photometric="minisblack")
    picture = load_picture(path)
    assert picture.pixels.dtype == {"u2": "u2", "i2": "i2", "f4": "f4", "u4": "u2"}[kind]
    assert picture.pixels.dtype.isnative
    assert np.array_equal(picture.pixels, values)


@pytest.mark.parametrize("deep", [False, True])
def test_white_zero_is_turned_round(tmp_path: Path, deep: bool) -> None:
    path = tmp_path / "negative.tif"
    values = np.arange(64, dtype=np.uint16 if deep else np.uint8).reshape(8, 8)
    tifffile.imwrite(path, values, photometric="miniswhite")
    assert np.array_equal(load_picture(path).pixels, np.iinfo(values.dtype).max - values)


def test_deep_colour_is_reduced_by_its_own_depth(tmp_path: Path) -> None:
    path = tmp_path / "camera.tif"
    values = (np.arange(8 * 9 * 3).reshape(8, 9, 3) * 18).astype(np.uint16)  # 12 bits
    tifffile.imwrite(path, values, photometric="rgb")
    picture = load_picture(path)
    assert picture.bits == 12
    assert np.array_equal(picture.pixels, np.rint(values * (255 / 4095)).astype(np.uint8))
    assert not examine([path], Job())[path].reason


def test_planes_of_deep_colour(tmp_path: Path) -> None:
    path = tmp_path / "planes.tif"
    values = (np.arange(3 * 8 * 9).reshape(3, 8, 9) * 300).astype(np.uint16)
    tifffile.imwrite(path, values, photometric="rgb", planarconfig="separate")
    expected = np.rint(np.moveaxis(values, 0, -1) * (255 / 65535)).astype(np.uint8)
    assert np.array_equal(load_picture(path).pixels, expected)


def test_deep_colour_without_the_extra_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "camera.tif"
    tifffile.imwrite(path, np.zeros((4, 4, 3), np.uint16), photometric="rgb")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    assert "pairloom[tiff]" in reason(path)


def test_volume_shows_its_first_page(tmp_path: Path) -> None:
    path = tmp_path / "stack.tif"
    values = np.stack([np.full((6, 5), page, np.uint16) for page in (7, 8, 9)])
    tifffile.imwrite(path, values, photometric="minisblack")
    assert (load_picture(path).pixels == 7).all()
    assert examine([path], Job())[path].several


# ------------------------------------------------------------------ orientation


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "tiff"])
def test_orientation_is_obeyed(tmp_path: Path, suffix: str, orientation: int) -> None:
    path = tmp_path / f"held.{suffix}"
    exif = Image.Exif()
    exif[0x0112] = orientation
    blocks = np.kron(ramp(3, 4), np.ones((16, 16, 1), np.uint8))
    options: dict[str, Any] = {"exif": exif}
    if suffix == "webp":
        options["lossless"] = True
    Image.fromarray(blocks).save(path, **options)
    with Image.open(path) as image:
        expected = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    assert np.array_equal(load_picture(path).pixels, expected)
    assert expected.shape[:2] == ((64, 48) if orientation >= 5 else (48, 64))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("colour", [False, True])
def test_orientation_of_deep_tiff(tmp_path: Path, orientation: int, colour: bool) -> None:
    path = tmp_path / "held.tif"
    values = ramp(3, 4).astype(np.uint16) * 257
    values[0, 0] = 65535
    values = values if colour else values[:, :, 0]
    tifffile.imwrite(
        path,
        values,
        photometric="rgb" if colour else "minisblack",
        extratags=[(274, "H", 1, orientation, True)],
    )
    exif = Image.Exif()
    exif[0x0112] = orientation
    small = Image.fromarray((values // 257).astype(np.uint8))
    buffer = io.BytesIO()
    small.save(buffer, "PNG", exif=exif)
    expected = np.asarray(ImageOps.exif_transpose(Image.open(buffer)))
    found = load_picture(path).pixels
    assert np.array_equal(found if colour else found // 257, expected)


def test_nonsense_orientation_is_upright(tmp_path: Path) -> None:
    path = tmp_path / "odd.jpg"
    exif = Image.Exif()
    exif[0x0112] = 77
    Image.fromarray(np.kron(ramp(2, 3), np.ones((8, 8, 1), np.uint8))).save(path, exif=exif)
    assert load_picture(path).pixels.shape == (16, 24, 3)


# ------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize("suffix", ["png", "jpg", "tiff", "bmp", "gif", "webp"])
def test_cut_off_files_have_a_reason(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cut.{suffix}"
    Image.fromarray(ramp(80, 80)).save(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert reason(path).startswith("it is ")


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp"])
def test_cut_off_is_called_so(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cut.{suffix}"
    Image.fromarray(ramp(80, 80)).save(path)
    path.write_bytes(path.read_bytes()[:-900])
    assert reason(path) == "it is cut off: the end of the file is missing"


def test_empty_and_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("not a picture", encoding="utf-8")
    (tmp_path / "script.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")
    assert reason(tmp_path / "empty.png") == "the file is empty"
    assert "not a picture" in reason(tmp_path / "text.png")
    assert "not a picture" in reason(tmp_path / "script.png")  # and Ghostscript never starts


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_missing_files_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "broken.png").symlink_to("nowhere.png")
    (tmp_path / "loop.png").symlink_to("loop.png")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "folder.png").mkdir()
    assert reason(tmp_path / "gone.png") == "the file does not exist"
    assert "link to a file that does not exist" in reason(tmp_path / "broken.png")
    assert "it cannot be opened" in reason(tmp_path / "loop.png")
    assert reason(tmp_path / "pipe.png") == "it is not a file"
    assert reason(tmp_path / "folder.png") == "it is not a file"


def png_of(width: int, height: int) -> bytes:
    """Claim a size; the pixels are missing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_bombs_are_refused_with_their_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_of(20_000, 15_000))
    assert reason(path) == "20,000 x 15,000 pixels are more than the 100 million that are read"
    path.write_bytes(png_of(10_001, 10_000))  # where Pillow would only warn
    assert "10,001 x 10,000" in reason(path)


def test_flipped_bytes_never_escape(tmp_path: Path) -> None:
    """Any damage gives a picture or a reason, never another exception."""
    rng = np.random.default_rng(0)
    for suffix in ("png", "jpg", "gif", "bmp", "tiff"):
        good = tmp_path / f"good.{suffix}"
        Image.fromarray(ramp(24, 24)).save(good)
        data = good.read_bytes()
        for number in range(15):
            bad = bytearray(data)
            for place in rng.integers(8, len(bad), 4):
                bad[place] = rng.integers(256)
            path = tmp_path / f"bad{number}.{suffix}"
            path.write_bytes(bad)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *args, **kwargs: None)
                found = examine([path], Job())[path]
            assert found.content or found.reason


def test_content_is_the_hash_of_the_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.png", "b.png", "c.png")]
    for path, colour in zip(paths, ("red", "red", "blue"), strict=True):
        Image.new("RGB", (5, 5), colour).save(path)
    a, b, c = (found.content for found in examine(paths, Job()).values())
    assert a == b != c
    assert len(a) == 16


def test_examining_can_be_stopped(tmp_path: Path) -> None:
    paths = []
    for number in range(40):
        paths.append(tmp_path / f"{number}.png")
        Image.new("RGB", (9, 9)).save(paths[-1])
    job = Job(lambda done, total, text: job.cancel())
    with pytest.raises(Cancelled):
        examine(paths, job)


# ------------------------------------------------------------------ showing


def test_window_decides_what_is_black_and_white() -> None:
    values = np.array([[-100, 0, 51, 255, 500]], np.int16)
    shown = to_rgb8(Picture(values, window=(0.0, 255.0), bits=16))
    assert shown[0, :, 0].tolist() == [0, 0, 51, 255, 255]
    shown = to_rgb8(Picture(np.array([[0, 1]], np.uint8), window=(0.0, 1.0)))
    assert shown[0, :, 0].tolist() == [0, 255]


def test_plain_grey_is_shown_as_it_is() -> None:
    values = np.array([[3, 200]], np.uint8)
    assert to_rgb8(Picture(values))[0, :, 2].tolist() == [3, 200]


def test_odd_values_do_not_spoil_the_window() -> None:
    values = np.linspace(0, 1, 100, dtype=np.float32).reshape(10, 10)
    values[0, 0], values[9, 9] = np.nan, np.inf
    shown = to_rgb8(Picture(values, bits=32))
    assert shown[0, 0, 0] == 0
    assert shown[9, 9, 0] == 255
    assert 100 < shown[5, 0, 0] < 150
    assert not to_rgb8(Picture(np.full((3, 3), np.nan, np.float32))).any()
    assert to_rgb8(Picture(np.full((3, 3), 700, np.uint16), bits=16)).shape == (3, 3, 3)


@pytest.mark.parametrize("shape", [(40, 100), (100, 40, 3), (1, 300)])
def test_reducing_keeps_the_shape(shape: tuple[int, ...]) -> None:
    shown = to_rgb8(Picture(np.zeros(shape, np.uint8)), size=50)
    height, width = shape[:2]
    assert max(shown.shape[:2]) == 50
    assert shown.shape == (
        max(1, round(height * 50 / max(height, width))),
        max(1, round(width * 50 / max(height, width))),
        3,
    )
    assert to_rgb8(Picture(np.zeros((8, 8), np.uint8)), size=50).shape == (8, 8, 3)
