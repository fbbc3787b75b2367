"""Pictures that show one or two symbols each, made by laying drawings over each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

Truth = dict[str, frozenset[str]]
"""Which classes each picture shows, by its name."""


def superpose(
    classes: Mapping[str, Sequence[Path]], folder: Path, *, alone: int, pairs: int
) -> Truth:
    """Make pictures of single drawings and of pairs: ink is where either of the two has ink.

    Parameters
    ----------
    classes
        Drawings of each class, dark on light.
    folder
        Where the pictures go; it is made.
    alone, pairs
        Pictures of each class and of each pair of classes.
    """
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    sets = [(one,) for one in classes for _ in range(alone)]
    sets += [pair for pair in combinations(classes, 2) for _ in range(pairs)]
    left = {one: rng.permutation(len(files)).tolist() for one, files in classes.items()}
    truth: Truth = {}
    for number, at in enumerate(rng.permutation(len(sets))):
        drawn = [_next(classes[one], left[one]) for one in sets[at]]
        side = min(picture.size for picture in drawn)
        inks = [np.asarray(picture.resize(side)) for picture in drawn]
        name = f"scan-{number + 1:03}.png"
        Image.fromarray(np.minimum.reduce(inks)).save(folder / name)
        truth[name] = frozenset(sets[at])
    return truth


def _next(files: Sequence[Path], left: list[int]) -> Image.Image:
    """Take the next drawing of a class; when all were taken, the first comes again."""
    left.append(left.pop(0))
    with Image.open(files[left[-1]]) as picture:
        return picture.convert("L")
