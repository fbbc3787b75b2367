"""Superposed symbols: pictures of several handwritten characters at once, made from real ones.

Hides how drawings are read, turned, moved and laid over each other. Promises that every picture of
a set is made of drawings of all its classes, drawn anew for each, and that the same seed makes the
same pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from engine import readers
from engine.errors import DatasetError
from engine.job import Job

Ink = npt.NDArray[np.uint8]
"""uint8[m, s, s], drawings; 0 = paper, 255 = ink."""

Members = tuple[int, ...]
"""Classes of a picture, in rising order."""

_TURN = 8.0  # degrees at most
_MOVE = 0.05  # of the side, at most


def read_drawings(folder: Path, side: int) -> dict[str, Ink]:
    """Read a folder of pictures in one folder per class, squashed to `side` x `side`.

    What most of a picture shows, the lighter or the darker half, is taken for paper.

    Raises
    ------
    DatasetError
        When it has no classes, or is no such folder.
    """
    dataset = readers.read(folder, Job(), labels_from_folders=True)
    found: dict[str, list[Ink]] = {}
    for item in dataset.items:
        if item.label is None or item.path is None:
            raise DatasetError(f"{item.name} has no class", "Put pictures in a folder per class.")
        with Image.open(dataset.root / item.path.decode()) as picture:
            grey = picture.convert("L").resize((side, side), Image.Resampling.BICUBIC)
        ink = np.asarray(grey)
        found.setdefault(item.label, []).append(255 - ink if np.median(ink) > 127 else ink)
    return {label: np.stack(found[label]) for label in sorted(found)}


def eightfold(drawings: Mapping[str, Ink]) -> dict[str, Ink]:
    """Take every quarter turn of a class, and of its mirror image, for a class of its own."""
    return {
        f"{label}/{turn}{'m' * mirrored}": np.ascontiguousarray(
            np.rot90(ink[:, :, ::-1] if mirrored else ink, turn, axes=(1, 2))
        )
        for label, ink in drawings.items()
        for turn in range(4)
        for mirrored in (False, True)
    }


def every_set(classes: int, degree: int) -> list[Members]:
    """Give all sets of up to `degree` classes, by size."""
    return [one for size in range(1, degree + 1) for one in combinations(range(classes), size)]


def dealt(sets: Sequence[Members], n: int, rng: np.random.Generator) -> list[Members]:
    """Give n sets in random order, each as often as any other, or once more."""
    whole = [rng.permutation(len(sets)) for _ in range(-(-n // len(sets)))]
    return [sets[at] for at in np.concatenate(whole)[:n]]


def superpose(
    drawings: Sequence[Ink], truth: Sequence[Members], rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Make a picture for each set: the darker of its classes' drawings, pixel by pixel.

    Each is another drawing, turned and moved a little.

    Returns
    -------
    uint8[n, s, s, 3]
        Black on white.
    """
    return np.stack(
        [
            np.repeat(
                255 - np.max([_drawn(drawings[one], rng) for one in members], axis=0)[..., None],
                3,
                axis=2,
            )
            for members in truth
        ]
    )


def _drawn(ink: Ink, rng: np.random.Generator) -> Ink:
    move = rng.uniform(-_MOVE, _MOVE, 2) * ink.shape[1]
    picture = Image.fromarray(ink[rng.integers(len(ink))])
    return np.asarray(
        picture.rotate(
            rng.uniform(-_TURN, _TURN),
            Image.Resampling.BILINEAR,
            translate=(int(move[0].round()), int(move[1].round())),
        )
    )
