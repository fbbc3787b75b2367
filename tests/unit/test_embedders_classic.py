"""Shape and colour features, and plain pixels, read back through the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine import readers
from engine.embedders import MemoryCache, make
from engine.job import Job

HOG = 7 * 7 * 4 * 9


def raw_features(folder: Path, embedder: str, key: str, pictures: list[np.ndarray]) -> np.ndarray:
    """Give the raw features that the embedder keeps of `pictures`."""
    for number, pixels in enumerate(pictures):
        Image.fromarray(pixels).save(folder / f"{number}.png")
    cache = MemoryCache()
    data = readers.read(folder, Job())
    make(embedder).embed(data, cache, Job())
    held = cache.load_features(key, [item.content for item in data.items])
    return np.stack([held[item.content] for item in data.items])


def grating(angle: float) -> np.ndarray:
    """Waves whose brightness changes in the direction `angle` (degrees from the x axis)."""
    y, x = np.mgrid[:128, :128]
    turn = np.radians(angle)
    wave = np.sin((x * np.cos(turn) + y * np.sin(turn)) / 3)
    return np.repeat(np.uint8(127 + 100 * wave)[:, :, None], 3, axis=2)


@pytest.mark.parametrize(("angle", "expected"), [(10, 0), (30, 1), (90, 4), (170, 8)])
def test_hog_finds_the_direction(tmp_path: Path, angle: float, expected: int) -> None:
    hog = raw_features(tmp_path, "classic", "classic-1-128", [grating(angle)])[0, :HOG]
    assert np.linalg.norm(hog) == pytest.approx(1, abs=1e-3)
    assert hog.reshape(-1, 9).sum(axis=0).argmax() == expected


def test_hog_ignores_contrast_and_brightness(tmp_path: Path) -> None:
    bright = grating(40)
    dim = np.uint8(bright // 2 + 20)
    features = raw_features(tmp_path, "classic", "classic-1-128", [bright, dim])[:, :HOG]
    assert features[0] @ features[1] > 0.995


def test_colours_are_shares_of_pixels(tmp_path: Path) -> None:
    picture = np.zeros((128, 128, 3), dtype=np.uint8)
    picture[:32] = (255, 0, 0)
    features = raw_features(tmp_path, "classic", "classic-1-128", [picture])[0]
    np.testing.assert_array_equal(features[:HOG].reshape(7, 7, 36)[3:], 0)  # flat: no directions
    shares = np.sort(features[HOG:] ** 2)
    np.testing.assert_allclose(shares[-2:], [0.25, 0.75], atol=0.02)


def test_pixels_keep_rows_columns_and_colours(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    features = raw_features(tmp_path, "pixels", "pixels-1-32", [picture])
    np.testing.assert_allclose(features[0].reshape(32, 32, 3) * 255, picture, atol=1e-3)
