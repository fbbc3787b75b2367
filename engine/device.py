"""Where large sums are computed: the choice of a processor, made when the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import ParameterError, ResourceError

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda", "mps")

_WORTHWHILE = 2_000_000  # numbers; with fewer the processor is done before a graphics card starts


def choose(name: str, n: int, d: int) -> torch.device:
    """Choose where to compute.

    Parameters
    ----------
    name
        One of `DEVICES`. "auto" takes cuda, else mps, where there is one and the points are at
        least 2,000,000 numbers (31,250 rows of 64 columns); else the processor.
    n, d
        Number of points and of their columns.

    Raises
    ------
    ParameterError
        For another name.
    ResourceError
        When a device asked for by name is not there; the hint names those that are.
    """
    import torch

    if name not in DEVICES:
        raise ParameterError(f"there is no device “{name}”.", f"Choose one of {_listed(DEVICES)}.")
    found = available()
    if name == "auto":
        name = found[0] if n * d >= _WORTHWHILE else "cpu"
    if name not in found:
        raise ResourceError(
            f"this computer has no {name} device that can be used.",
            f"Choose auto, or one of those found here: {_listed(found)}.",
        )
    return torch.device(name)


def available() -> tuple[str, ...]:
    """Give the names of the devices there are, the fastest first; the processor always is one."""
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return (*(name for name, present in there.items() if present), "cpu")


def widest(device: torch.device) -> torch.dtype:
    """Give the most exact float type of a device: float64, but float32 where there is none."""
    import torch

    return torch.float32 if device.type == "mps" else torch.float64


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
