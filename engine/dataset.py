"""Dataset: the items to be sorted, each with a stable id and a hash of its content."""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

CONTENT_BYTES = 16
"""Length of a content hash (blake2b-128)."""


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


class Cells(Sequence[str]):
    """The texts of a row, held as one: with hundreds of columns a tuple takes ten times as much.

    Equal to any other sequence of the same texts.

    Parameters
    ----------
    text
        The texts as a JSON array, which is also how a project file holds them.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, texts: Sequence[str]) -> Cells:
        """Pack texts; what is packed already is given back."""
        return texts if isinstance(texts, cls) else cls(json.dumps(texts, separators=(",", ":")))

    def __len__(self) -> int:
        return len(_unpacked(self.text))

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return _unpacked(self.text)[at]

    def __iter__(self) -> Iterator[str]:
        return iter(_unpacked(self.text))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) or not isinstance(other, Sequence):
            return NotImplemented
        return _unpacked(self.text) == tuple(other)

    def __hash__(self) -> int:
        return hash(_unpacked(self.text))

    def __repr__(self) -> str:
        return f"Cells.of({_unpacked(self.text)!r})"


@lru_cache(maxsize=256)  # what lies before a person is looked at again and again
def _unpacked(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


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
    cells: Sequence[str] = ()
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

    @property
    def n_copies(self) -> int:
        """Number of exact copies that were collapsed into the items."""
        return sum(len(item.copies) for item in self.items)

    def fingerprint(self) -> bytes:
        """Give the blake2b-128 of the items' contents in order: equal only for the same items."""
        digest = hashlib.blake2b(digest_size=CONTENT_BYTES)
        for item in self.items:
            digest.update(item.content)
        return digest.digest()


def counted(number: int, noun: str) -> str:
    """Put a number before a noun: "1 file", "2 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def label_parts(label: str) -> frozenset[str]:
    """Read a label of the form "a+b": an item that belongs to both a and b."""
    return frozenset(part.strip() for part in label.split("+")) - {""} or frozenset({label})


def same_content(contents: Iterable[bytes]) -> dict[int, tuple[int, ...]]:
    """Map the position of each different content to the positions of its later, exact copies."""
    first: dict[bytes, int] = {}
    copies: dict[int, list[int]] = {}
    for position, content in enumerate(contents):
        original = first.setdefault(content, position)
        if original != position:
            copies.setdefault(original, []).append(position)
    return {original: tuple(copies.get(original, ())) for original in first.values()}


def copy_notes(
    copies: Mapping[int, Sequence[int]], labels: Sequence[str | None]
) -> tuple[str, ...]:
    """Say in words what collapsing copies did, and whether it lost a label."""
    n_copies = sum(map(len, copies.values()))
    if not n_copies:
        return ()
    notes = [f"{n_copies} exact {'copy' if n_copies == 1 else 'copies'} collapsed"]
    lost = sum(
        labels[other] != labels[original] for original, others in copies.items() for other in others
    )
    if lost:
        notes.append(
            f"{lost} of the collapsed copies had another label than the first, which was kept"
        )
    return tuple(notes)


def told_apart(names: Sequence[str]) -> list[str]:
    """Make names unique by numbering those that came before: "a", "a (2)"."""
    if len(set(names)) == len(names):
        return list(names)
    taken = set(names)
    seen: set[str] = set()
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        chosen = name
        while chosen in seen or (chosen != name and chosen in taken):
            counts[name] = counts.get(name, 1) + 1
            chosen = f"{name} ({counts[name]})"
        seen.add(chosen)
        unique.append(chosen)
    return unique
