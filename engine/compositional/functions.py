"""What several groups make together: functions that compose vectors, by name or from a file.

Hidden here: how a function is found, read and tried out. Promised: every `Compose` takes the
vectors of a set along the last axis but one, does not mind their order (bilinear weights: the
caller hands them in rising index order), gives one vector back unchanged, and can be
differentiated.

References
----------
Composing by sum, by element-wise maximum and by learned bilinear weights: the authors of
compositional affinity propagation and compositional k-means.
"""

from __future__ import annotations

import functools
import io
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import ParameterError
from engine.model import IntArray
from engine.parameters import LARGEST_FILE, mark, unmarked
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

Compose: TypeAlias = "Callable[[torch.Tensor], torch.Tensor]"
"""Tensor[..., r, p], the vectors of r groups, to Tensor[..., p]."""

_WEIGHTS = ("W1", "W2", "bias")
_TRIED = 3  # vectors that a module is tried with


def function(name: str, columns: int | None = None) -> Compose:
    """Give the function of that name, or the one that a file holds.

    Parameters
    ----------
    name
        One of `NAMED`; an .npz file of bilinear weights: W1 float[p, p], W2 float[p, p],
        bias float[p], by which g(a, b) = W1 a + W1 b + W2 (a * b) + bias, and three are
        g(g(a, b), c); or a .pt file with a module that `torch.jit` saved. Such a module is a
        program: load none that you do not trust.
    columns
        Features of the vectors to be composed; the weights must fit them, and a module is tried
        on such vectors. Without: neither is looked at.

    Raises
    ------
    ParameterError
        When there is no such function or file, or it does not do what a `Compose` must.
    """
    return NAMED[name] if name in NAMED else _made(name, _content(name), columns)


def function_for(problem: Problem, name: str) -> Compose:
    """Give the function of that name for the features of a problem.

    Weights whose name bears the mark of their content are kept with the problem, and with its
    project: the function is the same wherever that is opened, and whatever becomes of the file. A
    module is not: it is a program, and who opens a project must not run what somebody put in it.

    Raises
    ------
    ParameterError
        As `function`; also for a file whose content is another by now, when none was kept.
    """
    text, marked = unmarked(name)
    if name in NAMED or marked is None:
        return function(name, problem.d)

    def make() -> Compose:
        content = functools.partial(_content, name)
        if Path(text).suffix.lower() not in _KEPT:
            return _made(name, content(), problem.d)
        held = problem.kept.indices(f"composition {marked}", lambda: _packed(content()))
        return _made(name, _unpacked(held), problem.d)

    return problem.kept.get(("composition", marked, problem.d), make)


def unit(vectors: torch.Tensor) -> torch.Tensor:
    """Scale vectors, Tensor[..., p], to length 1; one of zeros stays as it is."""
    import torch

    lengths: torch.Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.clamp(min=1e-30)


# ---------------------------------------------------------------------------- by name


def _sum(vectors: torch.Tensor) -> torch.Tensor:
    return vectors.sum(-2)


def _mean(vectors: torch.Tensor) -> torch.Tensor:
    return vectors.mean(-2)


def _max(vectors: torch.Tensor) -> torch.Tensor:
    """Take the larger element; of equal ones the first, so that only that one has a gradient."""
    import torch

    return functools.reduce(
        lambda one, other: torch.where(one >= other, one, other), vectors.unbind(-2)
    )


NAMED: Mapping[str, Compose] = {"sum": _sum, "max": _max, "mean": _mean}
"""Functions that need no file: the sum, the element-wise maximum, the mean."""


# ---------------------------------------------------------------------------- from a file


def _content(name: str) -> bytes:
    """Read a file; where its name bears a mark, its content must be the one marked."""
    text, marked = unmarked(name)
    path = Path(text)
    if path.suffix.lower() not in _FILES:
        raise ParameterError(
            f"compose must be one of {', '.join(NAMED)}, a file of weights (.npz) or a module "
            f"(.pt), not '{name}'"
        )
    if not path.is_file():
        raise ParameterError(f"compose: there is no file {text}")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ParameterError(f"compose: {text} is larger than {LARGEST_FILE // 10**6} MB")
        content = path.read_bytes()
    except OSError as error:
        raise ParameterError(f"compose: {text} cannot be read: {error.strerror}") from error
    if marked is not None and mark(io.BytesIO(content)) != marked:
        raise ParameterError(f"compose: {text} is not the file any more that it was")
    return content


def _made(name: str, content: bytes, columns: int | None) -> Compose:
    path = Path(unmarked(name)[0])
    return _FILES[path.suffix.lower()](path, content, columns)


def _packed(content: bytes) -> IntArray:
    """Write bytes as whole numbers, as a project keeps them: how many, and four in each."""
    padded = content + bytes(-len(content) % 4)
    return np.concatenate([[len(content)], np.frombuffer(padded, "<i4")]).astype(np.int32)


def _unpacked(held: IntArray) -> bytes:
    return held[1:].astype("<i4").tobytes()[: int(held[0])]


def _bilinear(path: Path, content: bytes, columns: int | None) -> Compose:
    """Read bilinear weights and check their shapes."""
    import torch

    weights = _weights(path, content)
    bias = weights["bias"]
    size = len(bias) if bias.ndim == 1 else -1
    if size < 1 or any(weights[name].shape != (size, size) for name in ("W1", "W2")):
        shapes = ", ".join(f"{name} {weights[name].shape}" for name in _WEIGHTS)
        raise ParameterError(
            f"{path.name}: bilinear weights are W1 (p, p), W2 (p, p) and bias (p,), not {shapes}"
        )
    if columns is not None and size != columns:
        raise ParameterError(
            f"{path.name}: these weights are for {size} features; the items have {columns}"
        )
    first, second, constant = (torch.from_numpy(weights[name]) for name in _WEIGHTS)

    def both(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        linear = (one + other) @ first.to(one).T
        return linear + (one * other) @ second.to(one).T + constant.to(one)

    return lambda vectors: functools.reduce(both, vectors.unbind(-2))


def _weights(path: Path, content: bytes) -> dict[str, npt.NDArray[np.float64]]:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            lacking = [name for name in _WEIGHTS if name not in file.files]
            found = {name: file[name] for name in _WEIGHTS if name not in lacking}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ParameterError(f"{path.name} cannot be read as an archive of arrays") from error
    if lacking:
        raise ParameterError(f"{path.name} lacks the bilinear weights {', '.join(lacking)}")
    for name, array in found.items():
        if array.dtype.kind not in "fiu" or not np.isfinite(array).all():
            raise ParameterError(f"{path.name}: the weights {name} must be finite numbers")
    return {name: array.astype(np.float64) for name, array in found.items()}


def _module(path: Path, content: bytes, columns: int | None) -> Compose:
    """Load a module that somebody made, and see whether it composes."""
    import torch

    load: Callable[..., torch.nn.Module] = torch.jit.load
    try:
        with warnings.catch_warnings():
            # torch means to give up this format one day; those that follow it fix all shapes
            warnings.simplefilter("ignore", DeprecationWarning)
            loaded = load(io.BytesIO(content), map_location="cpu")
    except (RuntimeError, ValueError, OSError) as error:
        raise ParameterError(f"{path.name} holds no module that torch.jit has saved") from error
    for weight in loaded.parameters():
        weight.requires_grad = False  # what is learned are centres, never the module

    def compose(vectors: torch.Tensor) -> torch.Tensor:
        if vectors.shape[-2] == 1:
            return vectors[..., 0, :]
        composed: torch.Tensor = loaded.to(vectors.device, vectors.dtype)(vectors)
        return composed

    if columns is not None:
        _try(compose, path.name, columns)
    return compose


def _try(compose: Compose, name: str, columns: int) -> None:
    """Refuse a module of which a method could make nothing."""
    import torch

    drawn = np.random.default_rng(0).random((2, _TRIED, columns))
    for size in range(2, _TRIED + 1):
        vectors = torch.from_numpy(drawn)[:, :size].requires_grad_()
        try:
            composed = compose(vectors)
            turned = compose(vectors.flip(-2))
        except (RuntimeError, TypeError) as error:
            first = str(error).strip().splitlines()[-1]
            raise ParameterError(f"{name} fails on vectors of {size} groups: {first}") from error
        if composed.shape != (2, columns):
            raise ParameterError(
                f"{name} must give one vector for each set, (2, {columns}), not "
                f"{tuple(composed.shape)}"
            )
        if not composed.requires_grad:
            raise ParameterError(f"{name} cannot be differentiated")
        if not torch.isfinite(composed).all():
            raise ParameterError(f"{name} gives values that are not finite")
        if size == 2 and not torch.allclose(composed, turned, rtol=1e-6, atol=1e-9):
            raise ParameterError(f"{name} must not depend on the order of the groups")


_FILES: Mapping[str, Callable[[Path, bytes, int | None], Compose]] = {
    ".npz": _bilinear,
    ".pt": _module,
}
_KEPT = (".npz",)
FILES = tuple(_FILES)
"""Endings of the files that hold a function."""
