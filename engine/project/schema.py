"""The tables of a project file, and the ladder that leads every earlier version up to this one.

Hidden here: the DDL. Promised: a new file and an old one that climbed the ladder have the very
same schema text, so that a file can be compared word by word and anything foreign in it (a
trigger, a view) is found before it can run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing

APPLICATION_ID = int.from_bytes(b"Prlm", "big")
"""Kept in the header of every project file, and in that of no other SQLite database."""

Step = Callable[[sqlite3.Connection], None]
"""One rung: brings a file from version N to N + 1, inside a transaction it does not end."""

# Columns for what people write have no type: text that is not valid Unicode (file names in an
# old encoding) is kept as bytes. Every row that nothing else guards carries a checksum, since a
# flipped bit in a value passes SQLite's own checks; events are guarded by their hash chain.
_VERSION_1 = (
    """create table documents (
  name text primary key,
  data text not null,
  checksum blob not null
)""",
    """create table items (
  id integer primary key,
  name not null,
  content blob not null,
  path blob,
  cells text not null,
  copies text not null,
  label,
  checksum blob not null
)""",
    """create table arrays (
  space text not null,
  name text not null,
  part integer not null,
  dtype text not null,
  shape text not null,
  data blob not null,
  checksum blob not null,
  primary key (space, name, part)
)""",
    """create table feature_cache (
  embedder text not null,
  content blob not null,
  data blob not null,
  checksum blob not null,
  primary key (embedder, content)
)""",
    """create table events (
  seq integer primary key,
  kind text not null,
  at real not null,
  a integer references items (id),
  b integer references items (id),
  verdict text,
  confidence text,
  source text,
  shown_left integer references items (id),
  response_ms integer,
  rater,
  note,
  items text not null,
  text not null,
  target integer,
  engine not null,
  previous blob not null,
  hash blob not null,
  check (a < b)
)""",
    """create trigger events_follow_each_other before insert on events
when new.seq is not (select coalesce(max(seq), 0) + 1 from events)
begin select raise(abort, 'an event must follow the last one'); end""",
    """create trigger events_are_never_changed before update on events
begin select raise(abort, 'events are never changed'); end""",
    """create trigger events_are_never_deleted before delete on events
begin select raise(abort, 'events are never deleted'); end""",
)


def _version_1(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)


STEPS: tuple[Step, ...] = (_version_1,)
"""The ladder: the version of a file is the number of steps it has climbed."""


def climb(connection: sqlite3.Connection, steps: Sequence[Step], version: int) -> None:
    """Bring a file from `version` to the top; the caller holds the transaction."""
    for number, step in enumerate(steps, start=1):
        if version < number:
            step(connection)
            connection.execute(f"pragma user_version = {number:d}")


def text_of(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str, str | None]]:
    """Return (type, name, table, SQL) of everything that a file's schema holds."""
    return frozenset(connection.execute("select type, name, tbl_name, sql from sqlite_master"))


def expected_text(steps: Sequence[Step]) -> frozenset[tuple[str, str, str, str | None]]:
    """Return what `text_of` must give for a file that has climbed exactly these steps."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        climb(model, steps, 0)
        return text_of(model)
