"""How items, events and arrays lie in the rows of a project file.

Hidden here: encodings, column orders and checksums. Promised: what is read equals what was
written, to the last bit, for any text and any file name; a row that was altered is refused with
its name. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from engine.answers import Event, EventKind
from engine.dataset import Cells, Column, ColumnKind, Dataset, Item, ItemProblem, Role, SourceKind
from engine.errors import ProjectDamagedError, UsageError
from engine.model import Answer, Confidence, Pair, Source, Verdict

_T = TypeVar("_T")

Row = tuple[Any, ...]

UNREADABLE = (KeyError, TypeError, ValueError, RecursionError)
"""What reading a row may raise when it does not hold what was written."""

PART_BYTES = 64 * 2**20
"""Arrays are cut into parts of this size: SQLite holds at most 10^9 bytes in one value."""

READ_DOCUMENTS = "select name, data, checksum from documents"
READ_DOCUMENT = f"{READ_DOCUMENTS} where name = ?"
PUT_DOCUMENT = "insert or replace into documents (name, data, checksum) values (?, ?, ?)"

READ_ITEMS = """
    select id, name, content, path, cells, copies, label, checksum from items order by id"""
PUT_ITEM = """
    insert into items (id, name, content, path, cells, copies, label, checksum)
    values (?, ?, ?, ?, ?, ?, ?, ?)"""
RENAME_ITEM = "update items set name = ?, path = ?, copies = ?, checksum = ? where id = ?"

READ_EVENTS = """
    select seq, kind, at, a, b, verdict, confidence, source, shown_left, response_ms, rater, note,
        items, text, target, engine, previous, hash
    from events order by seq"""
PUT_EVENT = """
    insert into events (seq, kind, at, a, b, verdict, confidence, source, shown_left, response_ms,
        rater, note, items, text, target, engine, previous, hash)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

READ_ARRAYS = "select space, name, part, dtype, shape, data, checksum from arrays"
READ_ARRAY = f"{READ_ARRAYS} where space = ? and name = ? order by part"
DROP_ARRAY = "delete from arrays where space = ? and name = ?"
PUT_ARRAY = """
    insert into arrays (space, name, part, dtype, shape, data, checksum)
    values (?, ?, ?, ?, ?, ?, ?)"""

READ_ALL_FEATURES = "select embedder, content, data, checksum from feature_cache"
READ_FEATURES = f"{READ_ALL_FEATURES} where embedder = ? and content = ?"
PUT_FEATURES = """
    insert or replace into feature_cache (embedder, content, data, checksum)
    values (?, ?, ?, ?)"""

_DTYPE = re.compile(r"\|b1|\|[iu]1|<[iuf][248]")


def damaged(path: Path, what: str, why: str) -> ProjectDamagedError:
    """Say which part of a project file cannot be trusted."""
    return ProjectDamagedError(
        f"{path} is damaged: {what} {why}.",
        "Use a backup. 'Verify' lists everything that is wrong with the file.",
    )


def checksum(*values: int | str | bytes | memoryview | None) -> bytes:
    """Hash stored values and their order; blake2b, 16 bytes."""
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        if isinstance(value, bytes | memoryview):
            mark, data = "b", value
        elif isinstance(value, str):
            mark, data = "t", value.encode("utf-8", "surrogateescape")
        else:
            mark, data = "v", repr(value).encode()
        digest.update(f"{mark}{len(data)}:".encode())
        digest.update(data)
    return digest.digest()


def encode_text(text: str) -> str | bytes:
    """Give text as SQLite takes it: as it is, or as bytes when it holds lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_text(value: object) -> str:
    """Undo `encode_text`.

    Raises
    ------
    ValueError
        When it is neither text nor bytes.
    """
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogatepass")
    return _is(str, value)


def encode_json(value: object) -> str:
    """Give plain values as ASCII text; lone surrogates survive as escapes."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def document(name: str, value: object) -> Row:
    """Give the row of plain values kept under a name, in the order of `PUT_DOCUMENT`."""
    data = encode_json(value)
    return name, data, checksum(name, data)


def encode_description(dataset: Dataset) -> dict[str, Any]:
    """Give all of a dataset but its place, items and features as plain values."""
    return {
        "kind": dataset.kind.value,
        "columns": [
            asdict(column) | {"kind": column.kind.value, "role": column.role.value}
            for column in dataset.columns
        ],
        "feature_names": dataset.feature_names,
        "problems": [asdict(problem) for problem in dataset.problems],
        "notes": dataset.notes,
    }


def decode_description(about: dict[str, Any]) -> Dataset:
    """Undo `encode_description`; place, items and features are for the caller to fill in.

    Raises
    ------
    KeyError, TypeError, ValueError
        When it describes no dataset.
    """
    return Dataset(
        root=Path(),
        source=Path(),
        kind=SourceKind(about["kind"]),
        items=(),
        columns=tuple(
            Column(**(column | {"kind": ColumnKind(column["kind"]), "role": Role(column["role"])}))
            for column in about["columns"]
        ),
        feature_names=tuple(about["feature_names"]),
        problems=tuple(ItemProblem(**problem) for problem in about["problems"]),
        notes=tuple(about["notes"]),
    )


def encode_item(item: Item) -> Row:
    """Give the row of an item, in the order of `PUT_ITEM`."""
    row: Row = (
        item.id,
        encode_text(item.name),
        item.content,
        item.path,
        Cells.of(item.cells).text,
        encode_json(item.copies),
        None if item.label is None else encode_text(item.label),
    )
    return (*row, checksum(*row))


def decode_item(row: Row) -> Item:
    """Read an item.

    Raises
    ------
    ValueError
        When the row was altered.
    """
    number, name, content, path, cells, copies, label, expected = row
    if checksum(*row[:-1]) != expected:
        raise ValueError("does not fit its checksum")
    return Item(
        id=number,
        name=decode_text(name),
        content=content,
        path=path,
        cells=Cells.of(json.loads(cells)),
        copies=tuple(json.loads(copies)),
        label=None if label is None else decode_text(label),
    )


def encode_event(event: Event) -> Row:
    """Give the row of an event, in the order of `PUT_EVENT`."""
    said: Row = (None,) * 9
    if (answer := event.answer) is not None:
        said = (
            *answer.pair,
            answer.verdict.value,
            answer.confidence.value,
            answer.source.value,
            answer.shown_left,
            answer.response_ms,
            encode_text(answer.rater),
            encode_text(answer.note),
        )
    return (
        event.seq,
        event.kind.value,
        event.at,
        *said,
        encode_json(event.items),
        encode_text(event.text),
        event.target,
        encode_text(event.engine),
        event.previous,
        event.hash,
    )


def decode_event(row: Row) -> Event:
    """Read an event; whether it fits the chain, `AnswerLog` finds out.

    Raises
    ------
    ValueError, TypeError
        When the row holds what no event can hold.
    """
    seq, kind, at, *said, items, text, target, engine, previous, own = row
    answer = None
    if said[0] is not None:
        a, b, verdict, confidence, source, shown_left, response_ms, rater, note = said
        answer = Answer(
            pair=Pair(_is(int, a), _is(int, b)),
            verdict=Verdict(verdict),
            confidence=Confidence(confidence),
            source=Source(source),
            shown_left=None if shown_left is None else _is(int, shown_left),
            response_ms=None if response_ms is None else _is(int, response_ms),
            rater=decode_text(rater),
            note=decode_text(note),
        )
    return Event(
        seq=_is(int, seq),
        kind=EventKind(kind),
        at=_is(float, at),
        answer=answer,
        items=tuple(_is(int, item) for item in json.loads(items)),
        text=decode_text(text),
        target=None if target is None else _is(int, target),
        engine=decode_text(engine),
        previous=_is(bytes, previous),
        hash=_is(bytes, own),
    )


def _is(kind: type[_T], value: object) -> _T:
    """Refuse a value of another type: SQLite's columns hold anything."""
    if isinstance(value, kind):
        return value
    raise ValueError(f"holds {value!r}, which has no business there")


def encode_array(space: str, name: str, array: npt.ArrayLike) -> Iterator[Row]:
    """Give the rows of an array, one per part, in the order of `PUT_ARRAY`.

    Raises
    ------
    UsageError
        For anything but booleans and real numbers.
    """
    plain = np.ascontiguousarray(array)
    shape = encode_json(np.shape(array))  # ascontiguousarray makes 1-D of 0-D
    plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    if not _DTYPE.fullmatch(plain.dtype.str):
        raise UsageError(f"arrays of {plain.dtype} are not kept in a project")
    data = plain.reshape(-1).view(np.uint8).data
    for part, start in enumerate(range(0, max(len(data), 1), PART_BYTES)):
        head = (space, name, part, plain.dtype.str, shape)
        piece = data[start : start + PART_BYTES]
        yield (*head, piece, checksum(*head, piece))


def decode_array(rows: Sequence[Row]) -> npt.NDArray[Any]:
    """Put an array together from its rows, ordered by part; the result is read-only.

    Raises
    ------
    ValueError
        When a part was altered or is missing.
    """
    _, _, _, dtype, shape_text, _, _ = rows[0]
    for number, row in enumerate(rows):
        *head, expected = row
        if row[2:5] != (number, dtype, shape_text) or checksum(*head) != expected:
            raise ValueError("does not fit its checksum")
    if not _DTYPE.fullmatch(dtype):
        raise ValueError(f"has the unknown type {dtype}")
    shape = tuple(json.loads(shape_text))
    data = rows[0][5] if len(rows) == 1 else b"".join(row[5] for row in rows)
    if len(data) != math.prod(shape) * np.dtype(dtype).itemsize:
        raise ValueError("is incomplete")
    return np.frombuffer(data, dtype=dtype).reshape(shape)
