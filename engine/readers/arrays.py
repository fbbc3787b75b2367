"""Arrays in an .npz file as a dataset: X, and y for evaluation.

Hidden: the zip archive and its traps. Promised: nothing is unpacked before its size is known to be
sane, and nothing in the file is ever run.
"""

from __future__ import annotations

import hashlib
import math
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from engine.dataset import (
    CONTENT_BYTES,
    Cells,
    Column,
    ColumnKind,
    Dataset,
    Item,
    Role,
    SourceKind,
    copy_notes,
    counted,
    same_content,
)
from engine.errors import DatasetError, ResourceError
from engine.job import Job
from engine.model import FloatArray
from engine.readers.features import check_scale, number_features
from engine.readers.files import Unreadable, open_regular, printable
from engine.readers.numbers import Floats

MOST_BYTES = 2 * 2**30
_MOST_RATIO = 200  # unpacked : packed, in archives above _SMALL
_SMALL = 64 * 2**20  # bytes
_PIECE = 2**20  # bytes
_BETWEEN_STEPS = 2000  # rows
_TEXT = "Reading the array"


def read_arrays(path: Path, job: Job, *, scale: str, strict: bool = True) -> Dataset:
    """Read an .npz file with X (n x d numbers) and optionally y (n labels).

    Parameters
    ----------
    strict
        Make the features; else (for a preview) leave them out, and note what would be refused.

    Raises
    ------
    DatasetError
        When the file is not such an archive, with what is wrong.
    ParameterError
        For an unknown scale.
    ResourceError
        When it is too large.
    """
    check_scale(scale)
    name = printable(path.name)
    try:
        arrays = _load(path, name, job)
        values = _matrix(arrays, name)
        labels = _labels(arrays.get("y"), len(values))
    except Unreadable as error:
        raise DatasetError(
            f"{name} cannot be read: {error}",
            "An .npz file needs an array X with one row per item, and may hold labels y.",
        ) from error
    columns = _columns(values)
    notes = []
    infinite = np.argwhere(np.isinf(values))
    if infinite.size:
        row, column = infinite[0]
        complaint = f"X, column {column + 1}, row {row + 1} is not a finite number"
        if strict:
            raise DatasetError(f"{name}: {complaint}", "Correct the value.")
        notes.append(complaint)
    if not any(column.role is Role.FEATURE for column in columns):
        raise DatasetError(f"{name}: all rows are the same, so there is nothing to compare")
    copies = same_content(_contents(values, job))
    kept = np.fromiter(copies, np.intp, len(copies))
    features = _features(values[kept], columns, scale, name, job) if strict else None
    packed = '["' + '","'.join(["%.6g"] * values.shape[1]) + '"]'  # one call for a whole row
    items = tuple(
        Item(
            id=place,
            name=f"row {row + 1}",
            content=content,
            cells=Cells(packed % tuple(values[row].tolist())),
            copies=tuple(f"row {other + 1}" for other in copies[row]),
            label=labels[row],
        )
        for place, (row, content) in enumerate(
            zip(copies, _contents(values[kept], job), strict=True)
        )
    )
    return Dataset(
        root=path.parent,
        source=path,
        kind=SourceKind.ARRAY,
        items=items,
        columns=columns,
        features=features,
        feature_names=tuple(c.name for c in columns if c.role is Role.FEATURE) if strict else (),
        notes=(*notes, *copy_notes(copies, labels), *_notes_on(columns, len(items))),
    )


def _load(path: Path, name: str, job: Job) -> dict[str, npt.NDArray[Any]]:
    """Unpack X and y after looking at their sizes."""
    wanted = {"X.npy": "X", "y.npy": "y"}
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            members = {member.filename: member for member in archive.infolist()}
            if "X.npy" not in members:
                held = ", ".join(sorted(printable(m).removesuffix(".npy") for m in members))
                raise Unreadable(f"it holds no array X (but {held or 'nothing'})")
            _refuse_bomb([members[m] for m in wanted if m in members], name)
            return {
                short: _array(archive.open(member), members[member].file_size, short, job)
                for member, short in wanted.items()
                if member in members
            }
    except zipfile.BadZipFile as error:
        raise Unreadable("it is no .npz archive, or it is damaged") from error
    except (OSError, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise Unreadable(f"it is damaged ({error})") from error


def _refuse_bomb(members: list[zipfile.ZipInfo], name: str) -> None:
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    size = f"{name} unpacks from {packed / 2**20:,.1f} MiB to {unpacked / 2**20:,.0f} MiB"
    if unpacked > MOST_BYTES:
        raise ResourceError(f"{size}; at most {MOST_BYTES / 2**30:,.0f} GiB are read")
    if unpacked > _SMALL and unpacked > _MOST_RATIO * packed:
        raise DatasetError(f"{size}, which no real measurements do", "Save X without compression.")


class _Stepping:
    """A file that lets the job step between pieces."""

    def __init__(self, file: IO[bytes], size: int, job: Job) -> None:
        self._file, self._size, self._job = file, size, job
        self._done = 0

    def read(self, size: int = -1) -> bytes:
        """Read at most a piece; callers ask again for the rest."""
        self._job.step(min(self._done, self._size), self._size + 1, _TEXT)
        data = self._file.read(min(size, _PIECE) if size >= 0 else -1)
        self._done += len(data)
        return data


def _array(file: IO[bytes], size: int, short: str, job: Job) -> npt.NDArray[Any]:
    """Read one .npy member; its header must agree with the size of the member."""
    with file:
        stepping = _Stepping(file, size, job)
        try:
            version = np.lib.format.read_magic(stepping)
            if version == (1, 0):
                header = np.lib.format.read_array_header_1_0(stepping)
            elif version == (2, 0):
                header = np.lib.format.read_array_header_2_0(stepping)
            else:
                raise Unreadable(f"{short} is of version {version}, which is not read")
        except (ValueError, SyntaxError, TokenError, RecursionError, MemoryError) as error:
            raise Unreadable(f"{short} is damaged: its header is no description") from error
        shape, fortran, dtype = header
        if dtype.hasobject:
            raise Unreadable(f"{short} holds Python objects, which could run code when loaded")
        n_bytes = math.prod(shape) * dtype.itemsize
        if n_bytes > size:
            raise Unreadable(f"{short} is damaged: it says it is larger than the file")
        raw = bytearray()
        while len(raw) < n_bytes and (piece := stepping.read(n_bytes - len(raw))):
            raw += piece
        if len(raw) < n_bytes:
            raise Unreadable(f"{short} is cut off")
        try:
            flat = np.frombuffer(raw, dtype, math.prod(shape))
            return flat.reshape(shape, order="F" if fortran else "C")
        except ValueError as error:
            raise Unreadable(f"{short} is damaged: no array can have its shape") from error


def _matrix(arrays: dict[str, npt.NDArray[Any]], name: str) -> Floats:
    array = arrays["X"]
    if array.ndim != 2:
        shape = " x ".join(map(str, array.shape)) or "a single value"
        raise Unreadable(f"X must have rows and columns (n x d), but is {shape}")
    if array.dtype.kind not in "fiub":
        raise Unreadable(f"X must hold numbers, but holds {array.dtype}")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise Unreadable(
            f"X has {counted(array.shape[0], 'row')} of {counted(array.shape[1], 'column')}"
        )
    if array.size * 8 > MOST_BYTES:
        raise ResourceError(f"{name}: X has {array.size:,} values, too many to be read")
    return array.astype(np.float64)


def _labels(array: npt.NDArray[Any] | None, n: int) -> list[str | None]:
    if array is None:
        return [None] * n
    if array.shape != (n,) and array.shape != (n, 1):
        shape = " x ".join(map(str, array.shape)) or "a single value"
        raise Unreadable(f"y must hold one label for each row (of {n:,}), but is {shape}")
    if array.dtype.kind not in "fiubUS":
        raise Unreadable(f"y must hold numbers or texts, but holds {array.dtype}")
    return [_label(value) for value in array.ravel().tolist()]


def _label(value: object) -> str | None:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, float):
        if math.isnan(value):
            return None
        value = int(value) if value.is_integer() else value
    return printable(str(value)) or None


def _columns(values: Floats) -> tuple[Column, ...]:
    columns = []
    for place in range(values.shape[1]):
        present = np.sort(values[~np.isnan(values[:, place]), place])
        distinct = int((present[1:] != present[:-1]).sum()) + (len(present) > 0)
        missing = len(values) - len(present)
        role, note = Role.FEATURE, ""
        if distinct <= 1 < len(values) or distinct == 0:
            role, note = Role.IGNORED, "constant: dropped" if distinct else "empty: dropped"
        elif missing:
            note = f"{counted(missing, 'missing value')} filled in with the median"
        columns.append(Column(f"x{place + 1}", ColumnKind.NUMBER, role, missing, distinct, note))
    return tuple(columns)


def _contents(values: Floats, job: Job) -> list[bytes]:
    """Hash the rows by value: 0.0 and -0.0 are the same."""
    plain = np.where(np.isnan(values), np.nan, values + 0.0)
    contents = []
    for row in range(len(plain)):
        if row % _BETWEEN_STEPS == 0:
            job.step(row, len(plain), "Looking for copies")
        data = plain[row].tobytes()
        contents.append(hashlib.blake2b(data, digest_size=CONTENT_BYTES).digest())
    return contents


def _features(
    values: Floats, columns: tuple[Column, ...], scale: str, name: str, job: Job
) -> FloatArray:
    used = [place for place, column in enumerate(columns) if column.role is Role.FEATURE]
    features = np.empty((len(values), len(used)), np.float32)
    for place, column in enumerate(used):
        job.step(place, len(used), "Scaling the columns")
        features[:, [place]] = number_features(values[:, column], columns[column].name, scale, name)
    return features


def _notes_on(columns: tuple[Column, ...], n_items: int) -> list[str]:
    notes = []
    missing = sum(column.missing for column in columns if column.role is Role.FEATURE)
    if missing:
        notes.append(f"{counted(missing, 'missing value')} filled in with the median of the column")
    dropped = sum(column.role is Role.IGNORED for column in columns)
    if dropped:
        notes.append(f"{counted(dropped, 'constant or empty column')} dropped")
    if n_items == 1:
        notes.append("a single item: there is nothing to compare it with")
    return notes
