"""The project file keeps what it was given, says what is wrong, and loses no answer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.answers import AnswerLog, EventKind
from engine.dataset import Column, ColumnKind, Dataset, Item, ItemProblem, Role, SourceKind
from engine.errors import (
    NotAProjectError,
    ProjectDamagedError,
    ProjectError,
    ProjectLockedError,
    ResourceError,
    UsageError,
)
from engine.model import Answer, Confidence, Pair, Source, Verdict
from engine.project import Project, Settings

ROOT = Path(__file__).parents[2]

N = 8


def make_dataset(folder: Path, *, names: str = "picture {}.png") -> Dataset:
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for number in range(N):
        name = names.format(number)
        (folder / name).write_bytes(b"picture")
        content = bytes([number]) * 16
        items.append(Item(number, name, content, path=os.fsencode(name), copies=("a copy",)))
    return Dataset(folder, folder, SourceKind.IMAGES, tuple(items), notes=("1 copy collapsed",))


def make_project(path: Path) -> Project:
    dataset = make_dataset(path.parent / "pictures")
    settings = Settings(str(dataset.source), "pixels", "falcon", {"width": "fixed"}, seed=3)
    return Project.create(path, dataset=dataset, settings=settings)


def answer_until_it_fails(project: Project, log: AnswerLog) -> None:
    for _ in range(100):
        answer(project, log, 0, 1, note="long " * 10_000)


def answer(project: Project, log: AnswerLog, a: int, b: int, note: str = "") -> None:
    said = Answer(Pair.of(a, b), Verdict.SAME, shown_left=a, response_ms=900, note=note)
    event = log.draft(EventKind.ANSWER, answer=said, engine="falcon/1 seed=3")
    project.append(event)
    log.absorb(event)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Études à côté 日本.pairloom"


@pytest.fixture
def project(path: Path) -> Iterator[Project]:
    with make_project(path) as project:
        yield project


@pytest.fixture
def filled(path: Path) -> Path:
    """A closed project with something in every table."""
    with make_project(path) as project:
        log = project.log()
        for number in range(1, N):
            answer(project, log, 0, number, note=f"remark number {number}")
        project.save_array("coordinates", np.full((50, 40), 1.5))
        project.save_features("pixels-1", {bytes([1]) * 16: np.full(2000, 2.5, np.float32)})
        project.save_indices("falcon/1 first", np.array([4, 1], np.int32))
    return path


def flip(path: Path, where: bytes) -> None:
    """Flip one bit of the first occurrence of `where` in a file."""
    data = bytearray(path.read_bytes())
    data[data.index(where) + len(where) // 2] ^= 1
    path.write_bytes(data)


class TestKeeping:
    def test_a_new_project_opens_again_as_it_was(self, path: Path) -> None:
        with make_project(path) as project:
            dataset, settings = project.dataset(), project.settings
            assert project.path == path
            assert project.events() == ()
        with Project.open(path) as project:
            assert project.settings == settings
            assert project.settings.params == {"width": "fixed"}
            again = project.dataset()
            assert again.items == dataset.items
            assert again.notes == ("1 copy collapsed",)
            assert again.features is None
            assert project.source_found
            assert project.verify() == ()

    def test_a_table_keeps_columns_cells_features_and_problems(self, path: Path) -> None:
        source = path.parent / "t.csv"
        source.touch()
        columns = (
            Column("width", ColumnKind.NUMBER, Role.FEATURE, missing=1, distinct=9, note="imputed"),
            Column("kind", ColumnKind.CATEGORY, Role.LABEL),
        )
        items = (Item(0, "row 1", b"\0" * 16, cells=("1,5", "a"), label="a"),)
        dataset = Dataset(
            path.parent,
            source,
            SourceKind.TABLE,
            items,
            columns,
            np.array([[0.25]], np.float32),
            ("width",),
            (ItemProblem("row 2", "is empty"),),
        )
        with Project.create(path, dataset=dataset, settings=Settings("t", "table", "x")) as project:
            again = project.dataset()
        assert (again.columns, again.items, again.feature_names, again.problems) == (
            columns,
            items,
            ("width",),
            dataset.problems,
        )
        assert again.features is not None
        assert again.features.dtype == np.float32
        assert again.features.tolist() == [[0.25]]
        assert (again.root, again.source, again.kind) == (path.parent, source, SourceKind.TABLE)

    def test_every_field_of_every_kind_of_event_is_kept(self, project: Project) -> None:
        log = AnswerLog()
        said = Answer(
            Pair(1, 2),
            Verdict.DIFFERENT,
            Confidence.CERTAIN,
            Source.VOLUNTEERED,
            shown_left=2,
            response_ms=1234,
            rater="Dr Ω \udcff",
            note="x\0y",
        )
        for kind, fields in (
            (EventKind.ANSWER, {"answer": said, "engine": "falcon/1"}),
            (EventKind.REVISE, {"answer": Answer(Pair(1, 2), Verdict.UNSURE), "target": 1}),
            (EventKind.SET_ASIDE, {"items": (3, 4)}),
            (EventKind.NAME, {"items": (5,), "text": "naevi \ud800"}),
            (EventKind.UNDO, {}),
            (EventKind.REDO, {}),
            (EventKind.GOTO, {"target": 0}),
        ):
            project.append(event := log.draft(kind, **fields))  # type: ignore[arg-type]
            log.absorb(event)
        assert project.events() == log.events
        assert project.verify() == ()

    def test_settings_change_and_stay_changed(self, path: Path) -> None:
        with make_project(path) as project:
            project.change_settings(question="Same lesion?", planned=200)
            assert project.settings.planned == 200
        with Project.open(path) as project:
            assert project.settings.question == "Same lesion?"
            assert project.settings.seed == 3
            with pytest.raises(TypeError):
                project.change_settings(colour="red")

    def test_arrays_come_back_read_only_and_alike(self, filled: Path) -> None:
        with Project.open(filled) as project:
            held = project.load_array("coordinates")
            assert held is not None
            assert (held.shape, held.dtype) == ((50, 40), np.float64)
            assert not held.flags.writeable
            assert project.load_array("other") is None
            project.save_array("coordinates", np.array(True))
            assert project.load_array("coordinates") == np.array(True)
            with pytest.raises(UsageError, match="object"):
                project.save_array("bad", np.array([{}]))
            assert project.load_array("bad") is None

    def test_arrays_larger_than_one_part(
        self, project: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("engine.project.records.PART_BYTES", 1000)
        array = np.arange(900, dtype=np.int32).reshape(30, 30)
        project.save_array("wide", array)
        np.testing.assert_array_equal(project.load_array("wide"), array)
        assert project.verify() == ()

    def test_features_by_embedder_and_content(self, project: Project) -> None:
        one, two = b"1" * 16, b"2" * 16
        project.save_features("a-1", {one: np.arange(3, dtype=np.float32)})
        assert project.load_features("a-2", [one]) == {}
        held = project.load_features("a-1", [one, two])
        assert list(held) == [one]
        assert held[one].tolist() == [0, 1, 2]

    def test_small_results_are_written_along_with_the_next_change(self, path: Path) -> None:
        with make_project(path) as project:
            project.save_indices("k", np.array([3, 1], np.int32))
            held = project.load_indices("k")
            assert held is not None
            assert held.tolist() == [3, 1]
            answer(project, AnswerLog(), 0, 1)
            project.save_copy(path.with_suffix(".copy"))
            project.save_indices("late", np.array([7], np.int32))
        with Project.open(path.with_suffix(".copy")) as copy:
            assert copy.load_indices("k") is not None
        with Project.open(path) as project:
            assert project.load_indices("late") is not None
            assert project.load_indices("none") is None

    def test_an_event_must_be_the_next_one_about_items_that_exist(self, project: Project) -> None:
        log = AnswerLog()
        answer(project, log, 0, 1)
        with pytest.raises(UsageError, match="follow"):
            project.append(log.events[0])
        with pytest.raises(UsageError, match="FOREIGN KEY"):
            answer(project, log, 0, N)
        assert project.events() == log.events


class TestSource:
    def test_moves_along_with_the_project(self, filled: Path, tmp_path: Path) -> None:
        there = tmp_path / "usb stick"
        there.mkdir()
        shutil.move(filled, there)
        shutil.move(filled.parent / "pictures", there)
        with Project.open(there / filled.name) as project:
            assert project.source_found
            assert project.dataset().root == there / "pictures"

    def test_stays_when_only_the_project_moves(self, filled: Path, tmp_path: Path) -> None:
        there = tmp_path / "a" / "b"
        there.mkdir(parents=True)
        shutil.move(filled, there)
        with Project.open(there / filled.name) as project:
            assert project.source_found
            assert project.dataset().root == filled.parent / "pictures"

    def test_missing_keeps_its_old_place_and_says_so(self, filled: Path) -> None:
        shutil.rmtree(filled.parent / "pictures")
        with Project.open(filled) as project:
            assert not project.source_found
            assert project.dataset().root == filled.parent / "pictures"
            assert len(project.events()) == N - 1

    def test_a_copy_elsewhere_does_not_take_its_neighbours_for_the_source(
        self, filled: Path, tmp_path: Path
    ) -> None:
        there = tmp_path / "elsewhere"
        make_dataset(there / "pictures", names="other {}.png")
        with Project.open(filled) as project:
            project.save_copy(there / "copy.pairloom")
        with Project.open(there / "copy.pairloom") as copy:
            assert copy.dataset().root == filled.parent / "pictures"

    def test_through_a_linked_folder(self, tmp_path: Path) -> None:
        (tmp_path / "deep" / "down").mkdir(parents=True)
        try:
            (tmp_path / "link").symlink_to(tmp_path / "deep" / "down")
        except OSError:
            pytest.skip("links are not permitted here")
        dataset = make_dataset(tmp_path / "pictures")
        path = tmp_path / "link" / "p.pairloom"
        with Project.create(path, dataset=dataset, settings=Settings("", "", "")) as project:
            assert project.dataset().root == dataset.root
            shutil.move(tmp_path / "pictures", tmp_path / "elsewhere")
            assert not project.source_found

    def test_relink_follows_the_content(self, filled: Path, tmp_path: Path) -> None:
        moved = make_dataset(tmp_path / "moved", names="renamed {}.png")
        fresh = [item for item in moved.items if item.id != 2]  # one is gone, the order is another
        items = tuple(
            Item(number, item.name, item.content, item.path)
            for number, item in enumerate(reversed(fresh))
        )
        dataset = Dataset(moved.root, moved.source, SourceKind.IMAGES, items)
        shutil.rmtree(filled.parent / "pictures")
        with Project.open(filled) as project:
            before = project.events()
            assert project.relink(moved.root, dataset) == (N - 1, 1)
        with Project.open(filled) as project:
            after = project.dataset()
            assert project.source_found
            assert (after.root, after.source) == (moved.root, moved.source)
            assert project.settings.source == str(moved.source)
            assert after.items[5].name == "renamed 5.png"
            assert after.items[5].path == b"renamed 5.png"
            assert after.items[5].content == bytes([5]) * 16
            assert after.items[2].name == "picture 2.png"
            assert project.events() == before
            assert project.verify() == ()

    def test_relink_refuses_a_folder_with_nothing_of_the_project(
        self, project: Project, tmp_path: Path
    ) -> None:
        (tmp_path / "other").mkdir()
        other = Dataset(
            tmp_path / "other",
            tmp_path / "other",
            SourceKind.IMAGES,
            (Item(0, "x", b"?" * 16, b"x"),),
        )
        with pytest.raises(ProjectError, match="None of the 8 items"):
            project.relink(other.root, other)
        assert project.source_found
        assert project.dataset().items[0].name == "picture 0.png"


class TestCreating:
    def test_never_overwrites(self, filled: Path) -> None:
        before = filled.read_bytes()
        with pytest.raises(ProjectError, match="exists already") as caught:
            make_project(filled)
        assert caught.value.hint
        assert filled.read_bytes() == before

    def test_needs_its_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "none" / "p.pairloom"
        dataset = make_dataset(tmp_path / "pictures")
        with pytest.raises(ProjectError, match=r"none") as caught:
            Project.create(path, dataset=dataset, settings=Settings("", "", ""))
        assert "folder" in caught.value.hint

    def test_broken_off_leaves_nothing_behind(self, tmp_path: Path) -> None:
        dataset = make_dataset(tmp_path / "pictures")
        twice = Dataset(dataset.root, dataset.source, dataset.kind, dataset.items * 2)
        with pytest.raises(UsageError):
            Project.create(tmp_path / "p.pairloom", dataset=twice, settings=Settings("", "", ""))
        assert [entry.name for entry in tmp_path.iterdir()] == ["pictures"]

    def test_clears_what_a_killed_creation_left(self, path: Path) -> None:
        path.with_name(path.name + ".part").write_bytes(b"half a file")
        make_project(path).close()
        assert sorted(entry.name for entry in path.parent.iterdir()) == sorted(
            [path.name, "pictures"]
        )


class TestHolding:
    OPEN = (
        "import sys, pathlib; from engine.project import Project; from engine.errors import *\n"
        "try: Project.open(pathlib.Path(sys.argv[1])).close(); print('open')\n"
        "except EngineError as error: print(type(error).__name__, error.message)"
    )

    def open_elsewhere(self, path: Path) -> str:
        command = [sys.executable, "-X", "utf8", "-c", self.OPEN, str(path)]
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", check=True, timeout=60, cwd=ROOT
        ).stdout

    def test_one_at_a_time(self, project: Project) -> None:
        with pytest.raises(ProjectLockedError, match=project.path.name):
            Project.open(project.path)
        # The refused attempt must not have loosened the lock that other processes see.
        said = self.open_elsewhere(project.path)
        assert said.startswith("ProjectLockedError")
        assert project.path.name in said
        project.close()
        assert self.open_elsewhere(project.path).strip() == "open"

    @pytest.mark.skipif(os.name == "nt", reason="there locks belong to handles")
    def test_a_stray_handle_does_not_loosen_the_hold(self, project: Project) -> None:
        project.path.read_bytes()  # as a file dialog does, to guess the type
        assert self.open_elsewhere(project.path).startswith("ProjectLockedError")
        with pytest.raises(ProjectLockedError):
            Project.open(project.path)
        assert self.open_elsewhere(project.path).startswith("ProjectLockedError")

    @pytest.mark.skipif(os.name == "nt", reason="there nobody else can write")
    def test_what_another_program_wrote_is_not_written_over(self, project: Project) -> None:
        log = AnswerLog()
        answer(project, log, 0, 1)
        project.path.read_bytes()  # SQLite's own lock is gone now
        write = (
            "import sys, sqlite3\nc = sqlite3.connect(sys.argv[1])\n"
            "c.execute(\"insert into feature_cache values ('theirs', x'00', x'00', x'00')\")\n"
            "c.commit()"
        )
        command = [sys.executable, "-c", write, str(project.path)]
        subprocess.run(command, check=True, timeout=60)
        with pytest.raises(ProjectLockedError, match="changed by another program"):
            answer(project, log, 0, 2)
        project.close()
        with Project.open(project.path) as again:
            assert len(again.events()) == 1

    def test_closing_twice_is_harmless_and_leaves_one_file(self, path: Path) -> None:
        project = make_project(path)
        answer(project, AnswerLog(), 0, 1)
        project.close()
        project.close()
        assert sorted(entry.name for entry in path.parent.iterdir()) == sorted(
            [path.name, "pictures"]
        )

    @pytest.mark.skipif(os.name == "nt", reason="Windows does not let go of an open file")
    @pytest.mark.parametrize("what", ["deleted", "moved", "replaced"])
    def test_the_file_goes_away_while_open(self, path: Path, what: str, tmp_path: Path) -> None:
        with make_project(path) as project:
            log = AnswerLog()
            answer(project, log, 0, 1)
            if what == "replaced":
                shutil.copy(path, tmp_path / "new")
                (tmp_path / "new").replace(path)
            elif what == "moved":
                path.rename(tmp_path / "away.pairloom")
            else:
                path.unlink()
            with pytest.raises(ProjectError, match="was moved, deleted or replaced"):
                answer(project, log, 0, 2)
            project.save_copy(tmp_path / "rescued.pairloom")
        with Project.open(tmp_path / "rescued.pairloom") as rescued:
            assert rescued.events() == log.events
            answer(rescued, log, 0, 2)

    def test_save_copy_replaces_what_is_there_but_never_itself(
        self, project: Project, tmp_path: Path
    ) -> None:
        log = AnswerLog()
        answer(project, log, 0, 1)
        target = tmp_path / "copy.pairloom"
        target.write_text("old")
        project.save_copy(target)
        with pytest.raises(ProjectError, match="is the project that is open"):
            project.save_copy(project.path)
        answer(project, log, 0, 2)
        with Project.open(target) as copy:
            assert copy.events() == log.events[:1]
            assert copy.verify() == ()
        assert not list(tmp_path.glob("*.part*"))


class TestRefusing:
    @pytest.mark.parametrize(
        "content",
        [b"", b"x", b"name;width\nA;1\n" * 500, b"PK\x03\x04" + bytes(3000), bytes(8192)],
        ids=["empty", "one byte", "text", "zip", "zeros"],
    )
    def test_other_files(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        with pytest.raises(NotAProjectError, match=path.name):
            Project.open(path)
        assert path.read_bytes() == content

    def test_folders_and_missing_files(self, tmp_path: Path) -> None:
        with pytest.raises(NotAProjectError, match="folder"):
            Project.open(tmp_path)
        with pytest.raises(ProjectError, match="There is no file"):
            Project.open(tmp_path / "none.pairloom")
        assert not (tmp_path / "none.pairloom").exists()

    def test_databases_of_other_programs(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as other:
            other.execute("create table moz_places (url)")
        before = path.read_bytes()
        with pytest.raises(NotAProjectError):
            Project.open(path)
        assert path.read_bytes() == before

    @pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.9])
    def test_truncated(self, filled: Path, part: float) -> None:
        data = filled.read_bytes()
        filled.write_bytes(data[: int(len(data) * part)])
        with pytest.raises(ProjectDamagedError, match=filled.name):
            Project.open(filled)

    @pytest.mark.parametrize(
        "trap",
        [
            "create trigger trap after insert on events begin delete from items; end",
            "create view settings as select * from items",
            "drop trigger events_are_never_deleted",
            "create index i on events (a)",
            "alter table items add column extra",
        ],
    )
    def test_foreign_triggers_and_views_before_they_can_run(self, filled: Path, trap: str) -> None:
        with closing(sqlite3.connect(filled)) as hostile:
            hostile.execute(trap)
        with pytest.raises(ProjectDamagedError, match="did not make"):
            Project.open(filled)

    def test_a_write_ahead_log_is_turned_back(self, filled: Path) -> None:
        with closing(sqlite3.connect(filled)) as foreign:
            foreign.execute("pragma journal_mode = wal")
        with Project.open(filled) as project:
            answer(project, project.log(), 1, 2)
            assert project.verify() == ()
        with closing(sqlite3.connect(filled)) as plain:
            assert plain.execute("pragma journal_mode").fetchone() == ("delete",)


class TestDamage:
    def test_a_flipped_bit_in_an_array(self, filled: Path) -> None:
        flip(filled, np.full(20, 1.5).tobytes())
        with Project.open(filled) as project:
            with pytest.raises(ProjectDamagedError, match="coordinates"):
                project.load_array("coordinates")
            (line,) = project.verify()
            assert "coordinates" in line

    def test_a_flipped_bit_in_cached_features_makes_them_computed_anew(self, filled: Path) -> None:
        flip(filled, np.full(20, 2.5, np.float32).tobytes())
        with Project.open(filled) as project:
            assert project.load_features("pixels-1", [bytes([1]) * 16]) == {}
            (line,) = project.verify()
            assert "pixels-1" in line
            project.save_features("pixels-1", {bytes([1]) * 16: np.zeros(3, np.float32)})
            assert project.verify() == ()

    def test_a_flipped_bit_in_a_small_result_makes_it_computed_anew(self, filled: Path) -> None:
        flip(filled, np.array([4, 1], np.int32).tobytes())
        with Project.open(filled) as project:
            assert project.load_indices("falcon/1 first") is None
            (line,) = project.verify()
            assert "falcon/1 first" in line

    def test_a_flipped_bit_in_an_item(self, filled: Path) -> None:
        flip(filled, b"picture 6.png")
        with Project.open(filled) as project:
            with pytest.raises(ProjectDamagedError, match="item 6"):
                project.dataset()
            (line,) = project.verify()
            assert line.startswith("item 6")

    def test_a_flipped_bit_in_a_record(self, filled: Path) -> None:
        flip(filled, b"1 copy collapsed")
        with Project.open(filled) as project:
            with pytest.raises(ProjectDamagedError, match="dataset record"):
                project.dataset()
            (line,) = project.verify()
            assert "dataset record" in line

    def test_a_flipped_bit_in_the_settings(self, filled: Path) -> None:
        flip(filled, b'"strategy":')
        with pytest.raises(ProjectDamagedError, match="settings record"):
            Project.open(filled)

    def test_a_flipped_bit_in_an_answer(self, filled: Path) -> None:
        flip(filled, b"remark number 5")
        with Project.open(filled) as project:
            (line,) = project.verify()
            assert "event 5" in line
            with pytest.raises(ProjectDamagedError, match="event 5") as caught:
                project.log()
            assert filled.name in caught.value.message

    @pytest.mark.parametrize(
        ("statement", "found"),
        [
            ("update events set verdict = 'different' where seq = 4", "event 4"),
            ("update events set verdict = 'perhaps' where seq = 4", "event 4"),
            ("update events set rater = null where seq = 4", "event 4"),
            ("update events set b = 99 where seq = 4", "event 4"),
            ("update events set engine = x'ff' where seq = 4", "event 4"),
            ("update events set items = '[null]' where seq = 4", "event 4"),
            ("update events set shown_left = 'left' where seq = 4", "event 4"),
            ("delete from events where seq = 4", "event 5 follows"),
            ("delete from items where id = 3", "gaps"),
        ],
    )
    def test_edits_by_hand_are_named(self, filled: Path, statement: str, found: str) -> None:
        with closing(sqlite3.connect(filled)) as editor:
            triggers = editor.execute(
                "select name, sql from sqlite_master where type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                editor.execute(f"drop trigger {name}")
            editor.execute(statement)
            for _, sql in triggers:
                editor.execute(sql)
            editor.commit()
        with Project.open(filled) as project:
            assert any(found in line for line in project.verify())

    def test_an_answer_about_an_item_that_does_not_exist(self, filled: Path) -> None:
        with Project.open(filled) as project:
            project.append(project.log().append(EventKind.SET_ASIDE, items=(1, 999)))
            (line,) = project.verify()
            with pytest.raises(ProjectDamagedError, match="is about item 999") as caught:
                project.log()
        assert "is about item 999" in line
        assert filled.name in caught.value.message

    def test_events_cannot_be_changed_or_deleted(self, filled: Path) -> None:
        with closing(sqlite3.connect(filled)) as editor:
            with pytest.raises(sqlite3.IntegrityError, match="never changed"):
                editor.execute("update events set note = 'better'")
            with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
                editor.execute("delete from events")

    def test_any_page_zeroed_is_found_or_harmless(self, filled: Path, tmp_path: Path) -> None:
        sound = filled.read_bytes()
        for start in range(0, len(sound), 4096):
            hurt = tmp_path / "hurt.pairloom"
            hurt.write_bytes(sound[:start] + bytes(4096) + sound[start + 4096 :])
            assert self.is_noticed(hurt) or hurt.read_bytes() == sound

    def test_any_bit_flipped_is_found_or_harmless(self, filled: Path, tmp_path: Path) -> None:
        sound = filled.read_bytes()
        with Project.open(filled) as project:
            items, events = project.dataset().items, project.events()
        random = np.random.default_rng(0)
        for place in random.integers(len(sound), size=150):
            hurt = tmp_path / "hurt.pairloom"
            data = bytearray(sound)
            data[place] ^= 1 << random.integers(8)
            hurt.write_bytes(data)
            if not self.is_noticed(hurt):
                with Project.open(hurt) as project:
                    assert project.dataset().items == items
                    assert project.events() == events

    def is_noticed(self, path: Path) -> bool:
        try:
            with Project.open(path) as project:
                return bool(project.verify())
        except ProjectError as error:
            return path.name in error.message


class FailingConnection:
    """Passes everything on, but the k-th statement fails the way a broken disk makes it fail."""

    def __init__(self, real: sqlite3.Connection, fail_at: int) -> None:
        self.real = real
        self.left = fail_at

    def execute(self, *arguments: object) -> sqlite3.Cursor:
        self.left -= 1
        if self.left == 0:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error
        return self.real.execute(*arguments)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


class TestTrouble:
    def test_whichever_statement_fails_nothing_is_half_done(self, project: Project) -> None:
        log = AnswerLog()
        answer(project, log, 0, 1)
        document = project._document
        real = document.connection
        survived, messages = 0, []
        for k in range(1, 10):
            project.save_indices("k", np.array([k], np.int32))
            document.connection = FailingConnection(real, k)  # type: ignore[assignment]
            try:
                answer(project, log, 0, 2)
                survived += 1
            except ProjectError as error:
                messages.append(error.message)
            finally:
                document.connection = real
            assert not real.in_transaction
            assert project.events() == log.events
            assert project.verify() == ()
        assert survived
        assert messages
        assert all("failed" in message for message in messages)

    def test_a_full_disk(self, tiny_disk: Callable[[bool], Path]) -> None:
        disk = tiny_disk(False)
        with make_project(disk / "p.pairloom") as project:
            log = AnswerLog()
            with pytest.raises(ResourceError, match="full"):
                answer_until_it_fails(project, log)
            assert len(log.events) > 1
            with pytest.raises(ResourceError, match="full"):
                project.save_copy(disk / "copy.pairloom")
            assert not list(disk.glob("copy*"))
            with pytest.raises(ResourceError, match="full"):
                project.save_array("large", np.zeros(10**6))
            with pytest.raises(ResourceError, match="full"):
                make_project(disk / "q.pairloom")
            assert not list(disk.glob("q*"))
            assert project.events() == log.events
            assert project.verify() == ()
            (disk / "ballast").unlink()
            answer(project, log, 0, 1, note="long " * 10_000)
        with Project.open(disk / "p.pairloom") as project:
            assert project.events() == log.events

    def test_a_read_only_disk(self, tiny_disk: Callable[[bool], Path]) -> None:
        disk = tiny_disk(False)
        with make_project(disk / "p.pairloom") as project:
            log = AnswerLog()
            answer(project, log, 0, 1)
        tiny_disk(True)
        with Project.open(disk / "p.pairloom") as project:
            assert project.events() == log.events
            assert project.verify() == ()
            with pytest.raises(ProjectError, match="read-only"):
                answer(project, log, 0, 2)
            project.save_indices("k", np.array([1], np.int32))
            with pytest.raises(ProjectError):
                project.save_copy(disk / "copy.pairloom")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Callable[[bool], Path]]:
    """A disk of 1 MB with some ballast on it; called again with True it becomes read-only."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    disk = tmp_path / "disk"

    def prepare(read_only: bool) -> Path:
        options = "remount,ro" if read_only else "size=1m"
        if not read_only:
            disk.mkdir()
        command = [str(mount), "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        if mount is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("mounting a small disk is not permitted here")
        if not read_only:
            (disk / "ballast").write_bytes(bytes(300_000))
        return disk

    yield prepare
    if umount is not None:
        subprocess.run([umount, str(disk)], capture_output=True)
