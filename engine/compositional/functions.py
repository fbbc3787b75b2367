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
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import ParameterError
from engine.parameters import content, unmarked
from engine.problem import Problem

if TYPE_CHECKING:
    import torch

Compose: TypeAlias = "Callable[[torch.Tensor], torch.Tensor]"
"""Tensor[..., r, p], the vectors of r groups, to Tensor[..., p]."""

_WEIGHTS = ("W1", "W2", "bias")
_TRIED = 4  # vectors that a module is tried with: as many as a set may have
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    EOFError,
    MemoryError,
    RuntimeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise on files that are damaged, or no archive of arrays."""


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
    return NAMED[name] if name in NAMED else _made(name, _read(name), columns)


def function_for(problem: Problem, name: str) -> Compose:
    """Give the function of that name for the features of a problem.

    Weights whose name bears the mark of their content are held by the problem, and kept with its
    project: the function is the same wherever that is opened, and whatever becomes of the file. A
    module is not: it is a program, and who opens a project must not run what somebody put in it.

    Raises
    ------
    ParameterError
        As `function`; also for a file whose content is another by now, when none was kept.
    """
    text, marked = unmarked(name)
    if marked is None:
        return function(name, problem.d)
    is_kept = Path(text).suffix.lower() in _KEPT

    def make() -> Compose:
        held = problem.contents.get(marked) if is_kept else None
        read = _read(name) if held is None else held
        made = _made(name, read, problem.d)
        if is_kept:
            problem.contents.hold(marked, read)
        return made

    return problem.steps.get(("composition", is_kept, marked, problem.d), make)


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


def _read(name: str) -> bytes:
    if Path(unmarked(name)[0]).suffix.lower() not in _FILES:
        raise ParameterError(
            f"compose must be one of {', '.join(NAMED)}, a file of weights (.npz) or a module "
            f"(.pt), not '{name}'"
        )
    return content("compose", name)


def _made(name: str, held: bytes, columns: int | None) -> Compose:
    path = Path(unmarked(name)[0])
    return _FILES[path.suffix.lower()](path.name, held, columns)


def _bilinear(name: str, held: bytes, columns: int | None) -> Compose:
    """Read bilinear weights and check their shapes."""
    import torch

    weights = _weights(name, held)
    bias = weights["bias"]
    size = len(bias) if bias.ndim == 1 else -1
    if size < 1 or any(weights[one].shape != (size, size) for one in ("W1", "W2")):
        shapes = ", ".join(f"{one} {weights[one].shape}" for one in _WEIGHTS)
        raise ParameterError(
            f"{name}: bilinear weights are W1 (p, p), W2 (p, p) and bias (p,), not {shapes}"
        )
    if columns is not None and size != columns:
        raise ParameterError(
            f"{name}: these weights are for {size} features; the items have {columns}"
        )
    first, second, constant = (torch.from_numpy(weights[one]) for one in _WEIGHTS)

    def both(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        linear = (one + other) @ first.to(one).T
        return linear + (one * other) @ second.to(one).T + constant.to(one)

    return lambda vectors: functools.reduce(both, vectors.unbind(-2))


def _weights(name: str, held: bytes) -> dict[str, npt.NDArray[np.float64]]:
    try:
        with np.load(io.BytesIO(held), allow_pickle=False) as file:
            lacking = [one for one in _WEIGHTS if one not in file.files]
            found = {one: file[one] for one in _WEIGHTS if one not in lacking}
    except _UNREADABLE as error:
        raise ParameterError(f"{name} cannot be read as an archive of arrays") from error
    if lacking:
        raise ParameterError(f"{name} lacks the bilinear weights {', '.join(lacking)}")
    for one, array in found.items():
        numbers = isinstance(array, np.ndarray) and array.dtype.kind in "fiu"
        if not numbers or not np.isfinite(array).all():
            raise ParameterError(f"{name}: the weights {one} must be finite numbers")
    return {one: array.astype(np.float64) for one, array in found.items()}


def _module(name: str, held: bytes, columns: int | None) -> Compose:
    """Load a module that somebody made, and see whether it composes."""
    import torch

    load: Callable[..., torch.nn.Module] = torch.jit.load
    try:
        with warnings.catch_warnings():
            # torch means to give up this format one day; those that follow it fix all shapes
            warnings.simplefilter("ignore", DeprecationWarning)
            loaded = load(io.BytesIO(held), map_location="cpu")
    except (RuntimeError, ValueError, OSError) as error:
        raise ParameterError(f"{name} holds no module that torch.jit has saved") from error
    loaded.eval()
    for weight in loaded.parameters():
        weight.requires_grad = False  # what is learned are centres, never the module

    def compose(vectors: torch.Tensor) -> torch.Tensor:
        if vectors.shape[-2] == 1:
            return vectors[..., 0, :]
        composed: torch.Tensor = loaded.to(vectors.device, vectors.dtype)(vectors)
        return composed

    if columns is not None:
        _try(compose, name, columns)
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
        except Exception as error:  # it is a program of somebody else's
            why = (str(error).strip() or type(error).__name__).splitlines()[-1]
            raise ParameterError(f"{name} fails on vectors of {size} groups: {why}") from error
        if not isinstance(composed, torch.Tensor) or composed.dtype != vectors.dtype:
            raise ParameterError(f"{name} must give a tensor of the type that it is given")
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


_FILES: Mapping[str, Callable[[str, bytes, int | None], Compose]] = {
    ".npz": _bilinear,
    ".pt": _module,
}
_KEPT = (".npz",)
FILES = tuple(_FILES)
"""Endings of the files that hold a function."""
