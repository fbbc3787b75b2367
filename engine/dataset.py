"""Dataset: the items to be sorted, each with a stable id and a hash of its content."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt


class SourceKind(enum.Enum):
    """Where items come from."""

    IMAGES = "images"
    TABLE = "table"
    ARRAY = "array"


class Role(enum.Enum):
    """What a table column is for."""

    FEATURE = "feature"
    TEXT = "text"
    ID = "id"
    IMAGE = "image"
    LABEL = "label"
    IGNORED = "ignored"


class ColumnKind(enum.Enum):
    """What a table column holds."""

    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, with its role (guessed or given) and what was found in it."""

    name: str
    kind: ColumnKind
    role: Role
    missing: int = 0
    distinct: int = 0
    note: str = ""
    """Such as "constant: dropped", "3 missing values imputed by the median"."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to be sorted.

    Attributes
    ----------
    id
        0..n-1, fixed for the life of a project.
    name
        What a person calls it: path below the folder, the id column, or the row number.
    content
        blake2b-128 of the content (file bytes; for a row its feature and shown values).
    path
        `os.fsencode`d path relative to the dataset's root; None where there is no picture.
    cells
        For table items the texts of all columns, as read; empty otherwise.
    copies
        Names of the exact copies that this item stands for.
    label
        Truth for evaluation; None when unknown. No strategy ever sees it.
    """

    id: int
    name: str
    content: bytes
    path: bytes | None = None
    cells: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    label: str | None = None


@dataclass(frozen=True, slots=True)
class ItemProblem:
    """A file or row that cannot be used, and why; the rest goes on."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Items with their source.

    Attributes
    ----------
    root
        Folder that item paths are relative to (for a table: the folder it lies in).
    source
        The folder or file that was read.
    columns
        Of a table; empty for images.
    features
        float32[n, d] scaled features of a table or array; None for a folder of images.
    feature_names
        Names of the d features.
    problems
        What could not be used.
    notes
        What was done to the data, in words ("3 exact copies collapsed").
    """

    root: Path
    source: Path
    kind: SourceKind
    items: tuple[Item, ...]
    columns: tuple[Column, ...] = ()
    features: npt.NDArray[np.float32] | None = None
    feature_names: tuple[str, ...] = ()
    problems: tuple[ItemProblem, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)
