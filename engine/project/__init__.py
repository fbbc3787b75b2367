"""Project: the one file that keeps a sorting: items, answers, features, settings.

Hidden here: which part of a project lies in which table, where the source folder is looked for,
and when small results are written. Promised: an event that `append` has returned from survives a
killed program and a power cut; a project that opens is whole; damage is named, never passed on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from engine.answers import AnswerLog, Event
from engine.dataset import Dataset, Item
from engine.errors import EngineError, ProjectDamagedError, ProjectError
from engine.model import FloatArray, IntArray
from engine.project import place, records
from engine.project.document import Document
from engine.project.soundness import findings, strangers

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Settings:
    """How the items of a project are described, and what is asked about them.

    Attributes
    ----------
    source
        Absolute path of the folder or file that was read.
    embedder, strategy
        Registry names.
    params
        Of the strategy, as texts.
    seed
        The one seed of the project.
    question
        What "same" means here, in the words of the person; may be empty.
    planned
        Number of questions planned for; None = open end.
    scale
        "minmax" or "none", for tables and arrays.
    labels_from_folders
        Whether the folder that an item lies in is its label (for evaluation only).
    """

    source: str
    embedder: str
    strategy: str
    params: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    question: str = ""
    planned: int | None = None
    scale: str = "minmax"
    labels_from_folders: bool = False


class Relinked(NamedTuple):
    """What `Project.relink` did: items whose content was found again, and those that were not."""

    found: int
    missing: int


class Project:
    """An open project file. Made by `create` or `open`; use it as a context manager.

    All calls come from the thread that opened it. Also a `FeatureCache` for embedders and a
    `Shelf` for the step cache of a `Problem`.

    Parameters
    ----------
    document
        The open file; owned from now on.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._shelf: dict[str, IntArray] = {}  # small results waiting for the next transaction
        self._settings = self._read_document("settings", lambda about: Settings(**about))

    @classmethod
    def create(cls, path: Path, *, dataset: Dataset, settings: Settings) -> Project:
        """Start a project: the file appears whole, with all items, or not at all.

        Raises
        ------
        ProjectError
            When the file exists already or its folder does not.
        ResourceError
            When the disk is full.
        """
        path = Path(path).absolute()

        def fill(connection: sqlite3.Connection) -> None:
            documents = {
                "settings": dataclasses.asdict(settings),
                "dataset": records.encode_description(dataset),
                "place": place.describe(path.parent, dataset.root, dataset.source),
            }
            for name, value in documents.items():
                connection.execute(records.PUT_DOCUMENT, records.document(name, value))
            connection.executemany(records.PUT_ITEM, map(records.encode_item, dataset.items))
            if dataset.features is not None:
                rows = records.encode_array("dataset", "features", dataset.features)
                connection.executemany(records.PUT_ARRAY, rows)

        Document.create(path, fill)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Project:
        """Open a project file for this process alone.

        Raises
        ------
        ProjectError
            When there is no such file or it cannot be read.
        NotAProjectError, ProjectTooNewError, ProjectDamagedError, ProjectLockedError
            When it is something else, was made by a later Pairloom, fails its checks, or is open
            elsewhere.
        """
        document = Document(path)
        try:
            return cls(document)
        except BaseException:
            document.close()
            raise

    def close(self) -> None:
        """Save what may be saved late, and give the file free. Harmless when closed already."""
        # Only small results wait, which a later session computes again: no reason to stay open.
        with contextlib.suppress(EngineError):
            self.write_shelf()
        self._shelf.clear()
        self._document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file, absolute."""
        return self._document.path

    # ------------------------------------------------------------------ settings and items

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    def change_settings(self, **changes: Any) -> Settings:
        """Change some fields of the settings and save them.

        Raises
        ------
        TypeError
            For a field that `Settings` does not have.
        ProjectError, ResourceError
            When they cannot be saved; the old ones stay in force.
        """
        settings = dataclasses.replace(self._settings, **changes)
        with self._transaction() as connection:
            row = records.document("settings", dataclasses.asdict(settings))
            connection.execute(records.PUT_DOCUMENT, row)
        self._settings = settings
        return settings

    @property
    def source_found(self) -> bool:
        """Whether the folder or file that was read is where it was; see `relink` if not."""
        return self._place().found

    def dataset(self) -> Dataset:
        """Read the items.

        `root` and `source` are looked for first where they were relative to the project file,
        then at their absolute path; the latter stands when neither exists.

        Raises
        ------
        ProjectDamagedError
            When a row was altered.
        """
        where = self._place()
        described = self._read_document("dataset", records.decode_description)
        return dataclasses.replace(
            described,
            root=where.root,
            source=where.source,
            items=self._items(),
            features=self._read_array("dataset", "features"),
        )

    def relink(self, root: Path, dataset: Dataset) -> Relinked:
        """Follow the items to another folder, where `dataset` was freshly read.

        Items are recognised by the hash of their content; ids, and with them all answers, stay.
        Items that are not there keep their name and path.

        Parameters
        ----------
        root
            Folder that the paths of the found items are relative to.

        Raises
        ------
        ProjectError
            When none of the items is there; nothing is changed then.
        """
        there: defaultdict[bytes, deque[Item]] = defaultdict(deque)
        for item in dataset.items:
            there[item.content].append(item)
        items = self._items()
        moved = []
        for old in items:
            if there[old.content]:
                new = there[old.content].popleft()
                moved.append(
                    dataclasses.replace(old, name=new.name, path=new.path, copies=new.copies)
                )
        if not moved:
            raise ProjectError(
                f"The only item of {self.path.name} is not in {dataset.source}."
                if len(items) == 1
                else f"None of the {len(items):,} items of {self.path.name} is in "
                f"{dataset.source}.",
                "Choose the folder that the items are in now. Nothing was changed.",
            )
        settings = dataclasses.replace(self._settings, source=str(dataset.source.absolute()))
        where = place.describe(self.path.parent, root, dataset.source)
        with self._transaction() as connection:
            for item in moved:
                number, name, _, path, _, copies, _, check = records.encode_item(item)
                connection.execute(records.RENAME_ITEM, (name, path, copies, check, number))
            connection.execute(records.PUT_DOCUMENT, records.document("place", where))
            row = records.document("settings", dataclasses.asdict(settings))
            connection.execute(records.PUT_DOCUMENT, row)
        self._settings = settings
        return Relinked(found=len(moved), missing=len(items) - len(moved))

    # ------------------------------------------------------------------ answers

    def events(self) -> tuple[Event, ...]:
        """Read all events, oldest first, as they are; `log` checks their chain.

        Raises
        ------
        ProjectDamagedError
            When a row cannot be an event; the message names it.
        """
        rows = self._document.rows(records.READ_EVENTS)
        return tuple(self._decoded("event", rows, records.decode_event))

    def log(self) -> AnswerLog:
        """Read the answers, their chain checked.

        Raises
        ------
        ProjectDamagedError
            When an event was altered, lost or slipped in, or is about an item that does not
            exist; the message names it and the file.
        """
        events = self.events()
        ((n_items,),) = self._document.rows("select count(*) from items")
        for event, what in strangers(events, n_items):
            raise records.damaged(self.path, event, what)
        try:
            return AnswerLog(events)
        except ProjectDamagedError as error:
            raise ProjectDamagedError(f"{self.path}: {error.message}", error.hint) from error

    def append(self, event: Event) -> None:
        """Save the next event; on the disk for good when this returns.

        Raises
        ------
        ProjectError, ResourceError
            When it cannot be saved; the file is then as before, and the call may be repeated.
        UsageError
            When the event does not follow the last one.
        """
        with self._transaction() as connection:
            connection.execute(records.PUT_EVENT, records.encode_event(event))

    # ------------------------------------------------------------------ arrays, cache, shelf

    def load_array(self, name: str) -> npt.NDArray[Any] | None:
        """Return a saved array, read-only, or None.

        Raises
        ------
        ProjectDamagedError
            When it does not fit its checksum.
        """
        return self._read_array("named", name)

    def save_array(self, name: str, array: npt.ArrayLike) -> None:
        """Keep an array of booleans or real numbers under a name, instead of an earlier one."""
        with self._transaction() as connection:
            _put_array(connection, "named", name, array)

    def load_features(self, embedder: str, contents: Sequence[bytes]) -> dict[bytes, FloatArray]:
        """Return what is held of `contents` under the embedder key, float32[d] each.

        An entry that does not fit its checksum is left out: features can be computed anew, and
        `verify` names it.
        """
        held: dict[bytes, FloatArray] = {}
        for wanted in contents:
            for *entry, expected in self._document.rows(records.READ_FEATURES, embedder, wanted):
                if records.checksum(*entry) == expected:
                    held[wanted] = np.frombuffer(entry[2], dtype="<f4")
        return held

    def save_features(self, embedder: str, features: Mapping[bytes, FloatArray]) -> None:
        """Keep raw features, float32[d] each; one transaction."""
        with self._transaction() as connection:
            for content, values in features.items():
                data = np.ascontiguousarray(values, dtype="<f4").tobytes()
                row = (embedder, content, data, records.checksum(embedder, content, data))
                connection.execute(records.PUT_FEATURES, row)

    def load_indices(self, key: str) -> IntArray | None:
        """Return the small result kept under `key`, int32, read-only, or None.

        One that does not fit its checksum counts as not held: it can be computed anew.
        """
        if key in self._shelf:
            return self._shelf[key]
        try:
            held = self._read_array("shelf", key)
        except ProjectDamagedError:
            return None
        return held

    def save_indices(self, key: str, indices: IntArray) -> None:
        """Keep a small result; written with the next change to the file, or at `close`.

        A strategy saves many while a person waits, and nearly each could be computed again.
        """
        kept = np.array(indices, dtype=np.int32)
        kept.flags.writeable = False
        self._shelf[key] = kept

    def write_shelf(self) -> None:
        """Write the small results that wait for the next change."""
        if self._shelf:
            with self._transaction():
                pass

    # ------------------------------------------------------------------ copies and checks

    def save_copy(self, path: Path) -> None:
        """Write the project, as it stands on the disk, under another name too.

        A file that is there already is replaced, once the copy is complete and on the disk.
        Works even when the open file was deleted meanwhile.
        """
        path = Path(path).absolute()
        now = self._place()
        where = place.describe(path.parent, now.root, now.source)

        def amend(copy: sqlite3.Connection) -> None:
            copy.execute(records.PUT_DOCUMENT, records.document("place", where))

        self._document.copy_to(path, amend)

    def verify(self) -> tuple[str, ...]:
        """Check everything: pages, references, checksums, the chain of events.

        Returns
        -------
        Findings in plain words, naming what is wrong; empty when the file is sound.
        """
        return tuple(findings(self._document))

    # ------------------------------------------------------------------ inside

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write; what waits on the shelf goes along, at no further cost."""
        with self._document.transaction() as connection:
            for key, indices in self._shelf.items():
                _put_array(connection, "shelf", key, indices)
            yield connection
        self._shelf.clear()

    def _read_document(self, name: str, decode: Callable[[dict[str, Any]], _T]) -> _T:
        """Return what is kept under a name as plain values."""
        what = f"the {name} record"
        rows = self._document.rows(records.READ_DOCUMENT, name)
        if not rows or records.checksum(*rows[0][:2]) != rows[0][2]:
            raise records.damaged(self.path, what, "does not fit its checksum")
        try:
            return decode(json.loads(rows[0][1]))
        except records.UNREADABLE as error:
            raise records.damaged(self.path, what, "is unreadable") from error

    def _read_array(self, space: str, name: str) -> npt.NDArray[Any] | None:
        rows = self._document.rows(records.READ_ARRAY, space, name)
        if not rows:
            return None
        try:
            return records.decode_array(rows)
        except records.UNREADABLE as error:
            raise records.damaged(self.path, f"the array {name}", str(error)) from error

    def _items(self) -> tuple[Item, ...]:
        rows = self._document.rows(records.READ_ITEMS)
        return tuple(self._decoded("item", rows, records.decode_item))

    def _decoded(
        self, what: str, rows: Iterable[records.Row], decode: Callable[[records.Row], _T]
    ) -> Iterator[_T]:
        for row in rows:
            try:
                yield decode(row)
            except records.UNREADABLE as error:
                raise records.damaged(self.path, f"{what} {row[0]}", str(error)) from error

    def _place(self) -> place.Place:
        folder = self.path.parent
        return self._read_document("place", lambda about: place.find(about, folder))


def _put_array(connection: sqlite3.Connection, space: str, name: str, array: npt.ArrayLike) -> None:
    connection.execute(records.DROP_ARRAY, (space, name))
    connection.executemany(records.PUT_ARRAY, records.encode_array(space, name, array))
