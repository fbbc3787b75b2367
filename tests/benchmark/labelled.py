"""Labelled data sets: found by name, read and described once, kept as plain arrays.

Hides the engine's readers and embedders, and which features were computed before. Promises that
what is measured is what the product would load: exact copies are one item, numbers are scaled to
[0, 1], pictures are described by an embedder.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from engine import embedders, readers
from engine.dataset import Role
from engine.errors import DatasetError, ParameterError
from engine.job import Job
from engine.outfile import exchanged
from engine.readers.sheets import READ_SUFFIXES

TABLES = READ_SUFFIXES | {".npz"}

UNREADABLE = (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What `numpy.load` and the arrays in it raise when a file is not what it should be."""


@dataclass(frozen=True)
class Source:
    """Something to be read.

    Attributes
    ----------
    name
        Of the data set: the file's without its ending, or the folder's.
    path
        A table, an array, or a folder of pictures in one folder per class.
    """

    name: str
    path: Path


@dataclass(frozen=True)
class Described:
    """A data set ready to be asked about.

    Attributes
    ----------
    name
        As of its source.
    arrays
        File with X, float32[n, d], and y, int32[n]; -1 = no label.
    fingerprint
        Of X and y: what was measured on other ones is not of this set.
    n, d, k
        Items, features, classes.
    """

    name: str
    arrays: Path
    fingerprint: str
    n: int
    d: int
    k: int


@dataclass(frozen=True)
class Order:
    """A source and how to read it; a piece of work for another process.

    Attributes
    ----------
    embedder
        Of pictures; "auto" for the usual one. Tables have their numbers.
    label
        Column of a table that holds the labels; None = found by its name.
    most_rows
        Sets with more items are passed over; None = none is.
    folder
        Where the arrays are kept.
    """

    source: Source
    embedder: str
    label: str | None
    most_rows: int | None
    folder: Path


def find(paths: Iterable[Path], only: Sequence[str] = ()) -> list[Source]:
    """Find data sets.

    Parameters
    ----------
    paths
        Tables and arrays, folders that hold them (each file is a set of its own), and folders of
        pictures.
    only
        Names or patterns such as "mfeat_*"; empty = all.

    Raises
    ------
    ParameterError
        When a path or a name leads nowhere, or two sets have the same name.
    """
    found: dict[str, Source] = {}
    for source in (one for path in paths for one in _sources(path)):
        if source.name in found:
            raise ParameterError(
                f"two data sets are called {source.name}: {found[source.name].path}, {source.path}"
            )
        found[source.name] = source
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in found):
            raise ParameterError(f"no data set is called {pattern}; there are: {', '.join(found)}")
    return [
        source
        for name, source in found.items()
        if not only or any(fnmatchcase(name, pattern) for pattern in only)
    ]


def _sources(path: Path) -> list[Source]:
    if not path.exists():
        raise ParameterError(f"{path} does not exist")
    if path.is_file():
        return [Source(path.stem, path)]
    tables = sorted(file for file in path.iterdir() if file.suffix.lower() in TABLES)
    return [Source(file.stem, file) for file in tables] or [Source(path.resolve().name, path)]


def describe(order: Order) -> Described | None:
    """Read and describe a data set; None when it has too many items.

    Raises
    ------
    DatasetError
        When it cannot be read, or has no labels.
    """
    path, job = order.source.path, Job()
    dataset = readers.read(
        path,
        job,
        roles=None if order.label is None or path.suffix == ".npz" else {order.label: Role.LABEL},
        labels_from_folders=path.is_dir(),
    )
    n = len(dataset)
    if order.most_rows is not None and n > order.most_rows:
        return None
    labels = [item.label for item in dataset.items]
    known = dict.fromkeys(label for label in labels if label is not None)
    numbers = {label: number for number, label in enumerate(known)}
    if not numbers:
        raise DatasetError(f"{path} has no labels", "Name the column that holds them by --label.")
    fits = path.is_dir() and order.embedder != "auto"
    embedder = embedders.make(order.embedder if fits else embedders.default_for(dataset))
    arrays = order.folder / f"{order.source.name}-{embedder.name}-{embedder.version}.npz"
    contents = dataset.fingerprint().hex()
    points = _kept(arrays, contents)
    if points is None:
        points = embedder.embed(dataset, embedders.MemoryCache(), job)
    truth = np.array([-1 if label is None else numbers[label] for label in labels], np.int32)
    with exchanged(arrays) as part, part.open("wb") as file:
        np.savez(file, X=points, y=truth, contents=contents)
    fingerprint = hashlib.blake2b(points.tobytes() + truth.tobytes(), digest_size=8).hexdigest()
    return Described(order.source.name, arrays, fingerprint, n, points.shape[1], len(numbers))


def _kept(arrays: Path, contents: str) -> Any:
    """Give the features of the same items from an earlier time, float32[n, d], or None."""
    try:
        with arrays.open("rb") as file, np.load(file) as held:
            return held["X"] if str(held["contents"]) == contents else None
    except UNREADABLE:  # missing, or cut off when the disk was full: described anew
        return None
