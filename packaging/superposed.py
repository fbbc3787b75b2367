"""Pictures that show one to three symbols each, made by laying drawings over each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

Truth = dict[str, frozenset[str]]
"""Which classes each picture shows, by its name."""


def superpose(
    classes: Mapping[str, Sequence[Path]], folder: Path, *, alone: int, pairs: int, triples: int
) -> Truth:
    """Make pictures of one to three drawings: ink is where any of them has ink.

    Parameters
    ----------
    classes
        Drawings of each class, dark on light.
    folder
        Where the pictures go; it is made.
    alone, pairs, triples
        Pictures of each class, of each pair of classes, and of each three.
    """
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    sets: list[tuple[str, ...]] = []
    for degree, each in enumerate((alone, pairs, triples), 1):
        sets += [one for one in combinations(classes, degree) for _ in range(each)]
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
