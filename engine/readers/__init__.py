"""Data in: any folder, table or array file as a `Dataset`. See `read` and `preview`.

Hidden: which reader a source needs. Promised: one bad file or row never stops the rest.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from engine.dataset import Column, Dataset, ItemProblem, Role, SourceKind
from engine.errors import DatasetError
from engine.job import Job
from engine.readers.arrays import read_arrays
from engine.readers.files import PICTURE_SUFFIXES, printable, walk, why
from engine.readers.folders import read_pictures
from engine.readers.sheets import READ_SUFFIXES
from engine.readers.tables import Choices, read_table, read_tables

_PREVIEW_ROWS = 8
_SAMPLES = 60


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """What a source holds, before anything is made of it.

    Attributes
    ----------
    kind
        IMAGES or TABLE (also for arrays, which look like one).
    rows
        The cells of the first items, as read; empty for images.
    samples
        For images the files of some items, spread evenly over all.
    suffixes
        For images how many items have which suffix (in small letters, without the dot; "" = none),
        most frequent first.
    """

    kind: SourceKind
    n_items: int
    n_copies: int
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    problems: tuple[ItemProblem, ...]
    notes: tuple[str, ...]
    samples: tuple[Path, ...] = ()
    suffixes: tuple[tuple[str, int], ...] = ()


def read(
    source: Path,
    job: Job,
    *,
    roles: Mapping[str, Role] | None = None,
    scale: str = "minmax",
    labels_from_folders: bool = False,
) -> Dataset:
    """Read a folder of pictures, a table, a folder of tables with the same columns, or an .npz.

    A folder that holds both is read as pictures.

    Parameters
    ----------
    roles
        What columns are for, by name; the rest is guessed.
    scale
        Of numeric columns: "minmax" (to [0, 1]) or "none".
    labels_from_folders
        Take the first folder on the way to each picture for its true class.

    Raises
    ------
    DatasetError
        When the source as a whole cannot be used.
    ParameterError
        For an unknown scale.
    ResourceError
        When it does not fit into memory.
    """
    choices = Choices(roles or {}, scale)
    return _read(source.absolute(), job, choices, labels_from_folders=labels_from_folders)


def preview(source: Path, job: Job, *, roles: Mapping[str, Role] | None = None) -> SourcePreview:
    """Look at a source as `read` does, but keep only what the import dialog shows.

    Columns that cannot be compared as they are do not raise: notes say what is wrong, and the roles
    may still be changed.

    Raises
    ------
    DatasetError, ResourceError
        As `read`.
    """
    dataset = _read(
        source.absolute(), job, Choices(roles or {}, strict=False), labels_from_folders=False
    )
    is_images = dataset.kind is SourceKind.IMAGES
    return SourcePreview(
        kind=SourceKind.IMAGES if is_images else SourceKind.TABLE,
        n_items=len(dataset),
        n_copies=dataset.n_copies,
        columns=dataset.columns,
        rows=()
        if is_images
        else tuple(tuple(item.cells) for item in dataset.items[:_PREVIEW_ROWS]),
        problems=dataset.problems,
        notes=dataset.notes,
        samples=_samples(dataset) if is_images else (),
        suffixes=_suffixes(dataset) if is_images else (),
    )


def _samples(dataset: Dataset) -> tuple[Path, ...]:
    stride = max(1, -(-len(dataset) // _SAMPLES))
    paths = [item.path for item in dataset.items[::stride] if item.path is not None]
    return tuple(dataset.root / os.fsdecode(path) for path in paths)


def _suffixes(dataset: Dataset) -> tuple[tuple[str, int], ...]:
    paths = [item.path for item in dataset.items if item.path is not None]
    found = Counter(PurePath(os.fsdecode(path)).suffix.lower().lstrip(".") for path in paths)
    return tuple(found.most_common())


def _read(source: Path, job: Job, choices: Choices, *, labels_from_folders: bool) -> Dataset:
    """Send a source to its reader."""
    name = printable(source.name)
    try:
        is_folder, exists = source.is_dir(), source.exists()
    except (OSError, ValueError) as error:  # no leave to look, or an impossible name
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise DatasetError(f"{name} cannot be opened: {reason}", "Choose it again.") from error
    if is_folder:
        return _read_folder(source, job, choices, labels_from_folders=labels_from_folders)
    if not exists:
        raise DatasetError(f"{printable(str(source))} does not exist", "Choose it again.")
    if labels_from_folders:
        raise DatasetError(
            f"{name} is no folder, so labels cannot be taken from folders",
            "Name the column that holds the labels.",
        )
    suffix = source.suffix.lower()
    if suffix == ".npz":
        return read_arrays(source, job, scale=choices.scale, strict=choices.strict)
    if suffix in READ_SUFFIXES:
        return read_table(source, job, choices)
    if suffix in PICTURE_SUFFIXES:
        raise DatasetError(f"{name} is a single picture", "Choose the folder in which it lies.")
    raise DatasetError(
        f"{name} is neither a folder nor a table that is read",
        f"Tables are: {', '.join(sorted(READ_SUFFIXES))}, and .npz.",
    )


def _read_folder(folder: Path, job: Job, choices: Choices, *, labels_from_folders: bool) -> Dataset:
    listing = walk(folder, job)
    name = printable(folder.name) or printable(str(folder))
    if listing.pictures:
        return read_pictures(folder, listing, job, labels_from_folders=labels_from_folders)
    if listing.tables and labels_from_folders:
        raise DatasetError(
            f"{name} holds tables, not pictures, so labels cannot be taken from folders",
            "Name the column that holds the labels.",
        )
    if listing.tables:
        return read_tables(folder, listing.tables, job, choices)
    if listing.problems:
        problem = listing.problems[0]
        raise DatasetError(
            f"nothing in {name} can be read; {problem.name}: {problem.reason}",
            "Choose another folder.",
        )
    if passed_over := "; ".join(listing.notes()):
        raise DatasetError(
            f"{name} holds no pictures and no tables: {passed_over}",
            "Choose a folder with PNG, JPEG, TIFF, BMP, WebP, GIF or DICOM files.",
        )
    raise DatasetError(f"the folder {name} is empty", "Choose a folder with pictures.")
