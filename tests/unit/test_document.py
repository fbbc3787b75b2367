"""Versions: later ones are refused, earlier ones climb the ladder after a copy was made."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import ProjectDamagedError, ProjectTooNewError, UsageError
from engine.project import schema
from engine.project.document import Document


def nothing(connection: sqlite3.Connection) -> None:
    del connection


def add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("alter table items add column colour text not null default 'none'")


def stumble(connection: sqlite3.Connection) -> None:
    add_colour(connection)
    raise MemoryError


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("pragma user_version").fetchone()[0])


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old file.pairloom"

    def one_item(connection: sqlite3.Connection) -> None:
        connection.execute("insert into items values (0, 'x', x'00', null, '', '', null, x'00')")

    Document.create(path, one_item)
    return path


def test_a_new_file_carries_its_marks(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("pragma application_id").fetchone()[0] == schema.APPLICATION_ID
    assert version(old) == len(schema.STEPS)


def test_a_later_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "p.pairloom"
    Document.create(path, nothing, (*schema.STEPS, add_colour))
    before = path.read_bytes()
    with pytest.raises(ProjectTooNewError) as caught:
        Document(path)
    assert (caught.value.found, caught.value.supported) == (
        len(schema.STEPS) + 1,
        len(schema.STEPS),
    )
    assert path.read_bytes() == before


def test_an_earlier_version_climbs_after_a_copy(old: Path) -> None:
    steps = (*schema.STEPS, add_colour)
    document = Document(old, steps)
    assert document.rows("select colour from items") == [("none",)]
    document.close()
    backup = old.with_name(f"{old.name}.v{len(schema.STEPS)}.bak")
    assert (version(old), version(backup)) == (len(steps), len(schema.STEPS))
    Document(backup).close()  # the copy is a whole project file
    Document(old, steps).close()  # climbing once is enough
    assert len(list(old.parent.iterdir())) == 2


def test_a_migrated_file_has_the_schema_of_a_new_one(old: Path, tmp_path: Path) -> None:
    steps = (*schema.STEPS, add_colour)
    Document.create(tmp_path / "new.pairloom", nothing, steps)
    Document(old, steps).close()
    with (
        closing(sqlite3.connect(old)) as one,
        closing(sqlite3.connect(tmp_path / "new.pairloom")) as other,
    ):
        assert schema.text_of(one) == schema.text_of(other)


def test_a_failed_climb_leaves_the_old_version(old: Path) -> None:
    with pytest.raises(Exception, match="memory"):
        Document(old, (*schema.STEPS, stumble))
    document = Document(old)
    assert document.rows("select id from items") == [(0,)]
    document.close()


def test_a_version_with_the_wrong_tables_is_refused(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute(f"pragma user_version = {len(schema.STEPS) + 1}")
    with pytest.raises(ProjectDamagedError):
        Document(old, (*schema.STEPS, add_colour))


def test_transactions_do_not_nest_and_end_with_the_document(old: Path) -> None:
    document = Document(old)
    with document.transaction(), pytest.raises(UsageError), document.transaction():
        pass
    document.close()
    with pytest.raises(UsageError), document.transaction():
        pass
    with pytest.raises(UsageError):
        document.rows("select 1")


def test_names_that_only_the_system_understands(tmp_path: Path) -> None:
    path = tmp_path / "100 % ? # \udcff & ö.pairloom"
    try:
        Document.create(path, nothing)
    except (OSError, UnicodeError):
        pytest.skip("this file system takes only names in UTF-8")
    Document(path).close()
    assert path.exists()
