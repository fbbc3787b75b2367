"""Export: the sorted result as files that people take away.

Hides how groups become rows, folder and file names that every system and spreadsheet takes.
Promises that originals are only read, that nothing is ever overwritten but a CSV file that was
named by a caller who asked first, and that a failed or stopped export leaves nothing half done
behind.

Group numbers are those on the screen (slot + 1). In `groups.csv` every file has a line, so exact
copies, which were asked about as one item, have theirs too. Items of several groups have these
joined by "+", and a column for each group says which items are in it.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import hashlib
import itertools
import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine import answers, clusterers
from engine.dataset import CONTENT_BYTES, Dataset, Item, SourceKind, counted
from engine.errors import EngineError, ResourceError
from engine.job import Job
from engine.model import OWN, Group, Overview, Snapshot
from engine.outfile import check_output, exchanged
from engine.study import Study

COLUMNS = ("item", "path", "content", "group", "name", "certainty", "status", "copy_of")
"""Columns of `groups.csv`."""

GROUPED, SET_ASIDE, UNDECIDED = "grouped", "set aside", "undecided"

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')
_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE
)
_LONGEST = 150  # bytes of a file name: file systems take 255, encrypted ones 143 characters
_LONGEST_ENDING = 20
_LISTED = 5  # names spelled out in a report
_SPARE = 16 << 20  # bytes that a copy leaves free on the disk


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where one item belongs: the groups it is in, none or one, or several where it may."""

    item: Item
    groups: tuple[Group, ...]
    certainty: float
    status: str

    @property
    def number(self) -> str:
        """The numbers of its groups."""
        return "+".join(str(group.slot + 1) for group in self.groups)

    @property
    def name(self) -> str:
        """The names of its groups, where one has a name, the number where not."""
        if not any(group.name for group in self.groups):
            return ""
        return "+".join(group.name or str(group.slot + 1) for group in self.groups)

    @property
    def place(self) -> str:
        """Name of the folder or file for all that belong with it."""
        if not self.groups:
            return self.status
        names = (f"{group.slot + 1:02d} {group.name}".strip() for group in self.groups)
        return tidy_name(" + ".join(names))


# ---------------------------------------------------------------------------- groups.csv


def check_targets(
    study: Study, csv_file: Path | None, folder: Path | None, *, overwrite: bool
) -> None:
    """Refuse what cannot be written before anything is, so that no half of an export is left.

    Parameters
    ----------
    csv_file, folder
        Of `write_groups_csv` and `copy_into_folders`; None = not wanted.
    overwrite
        Whether a file of the name of `csv_file` may be replaced.

    Raises
    ------
    EngineError
        When one of them is refused.
    """
    if csv_file is not None:
        _check_csv(study, csv_file)
        if not overwrite and os.path.lexists(csv_file):
            raise EngineError(
                f"{csv_file} exists already.", "Choose another name, or replace it by --overwrite."
            )
    if folder is not None:
        _check_outside(folder, study.dataset)
        _check_empty(folder)


def write_groups_csv(study: Study, path: Path) -> str:
    """Write which file is in which group; UTF-8 with a mark that spreadsheets need.

    Parameters
    ----------
    path
        A file of that name is replaced, once the new one is complete.

    Returns
    -------
    What was written where, in words.

    Raises
    ------
    EngineError
        When the file cannot be written, or is the source or the project itself.
    ResourceError
        When the disk is full.
    """
    shown = study.session.snapshot().overview
    placed = _placed(study)
    if shown.memberships is None:
        rows = [row for entry in placed for row in _rows(entry, study.dataset)]
        return write_table(study, path, COLUMNS, rows)
    groups = _by_slot(shown)
    header = [*COLUMNS, *(f"in {group.slot + 1} {group.name}".strip() for group in groups)]
    rows = [
        [*row, *(str(int(group in entry.groups)) for group in groups)]
        for entry in placed
        for row in _rows(entry, study.dataset)
    ]
    return write_table(study, path, header, rows)


def _by_slot(overview: Overview) -> list[Group]:
    return sorted(overview.groups, key=lambda group: group.slot)


def write_table(
    study: Study, path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """Write lines about a study as CSV; see `write_groups_csv` for what may go wrong."""
    path = Path(path)
    _check_csv(study, path)
    with _explained(path):
        _write_csv(path, header, rows)
    return f"Wrote {counted(len(rows), 'line')} to {path}."


def _check_csv(study: Study, path: Path) -> None:
    _check_outside(path, study.dataset)
    kept = None if study.project is None else study.project.path
    check_output(path, study.dataset.source, kept, ending=".csv")


def _rows(entry: _Placed, dataset: Dataset) -> Iterator[list[str]]:
    """Give the line of an item, and one for each of its copies."""
    item = entry.item
    shared = [
        item.content.hex(),
        entry.number,
        entry.name,
        f"{entry.certainty:.3f}" if entry.groups else "",
        entry.status,
    ]
    yield [item.name, _shown_path(item.path), *shared, ""]
    for copy in item.copies:
        # A copy is known by name only, and the name of a picture is its path.
        path = copy if dataset.kind is SourceKind.IMAGES else ""
        yield [copy, path, *shared, item.name]


def _shown_path(path: bytes | None) -> str:
    """Give a path as text; bytes that are no UTF-8 by their hexadecimal numbers."""
    return "" if path is None else path.decode("utf-8", "backslashreplace")


def harmless(cell: str) -> str:
    """Make sure that no spreadsheet runs a cell as a formula; numbers stay numbers."""
    if cell.startswith(_FORMULA) and not _NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows that no spreadsheet takes for formulas."""
    with (
        exchanged(path) as part,
        part.open("x", encoding="utf-8-sig", errors="backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow([harmless(cell) for cell in header])
        writer.writerows([harmless(cell) for cell in row] for row in rows)
        file.flush()
        os.fsync(file.fileno())


def _origin_of_shared(shown: Snapshot) -> str:
    if shown.progress.answered <= shown.progress.unsure:
        return (
            "Items may belong to several groups. These are a guess nobody has checked: found "
            "by nearness alone, without an answer."
        )
    unexplained = counted(len(shown.overruled), "answer")
    return (
        "Items may belong to several groups. The groups explain all but "
        f"{unexplained} of {shown.progress.answered - shown.progress.unsure:,}."
        if shown.overruled
        else "Items may belong to several groups. The groups explain every answer."
    )


def origin(study: Study) -> str:
    """Say how the groups were found, a sentence; "" while they are the strategy's own."""
    shown = study.session.snapshot()
    if shown.overview.memberships is not None:
        return " ".join([_origin_of_shared(shown), *study.session.warnings])
    if shown.grouping == OWN:
        return ""
    name, answered = shown.grouping.strategy, shown.progress.answered
    if answered <= shown.progress.unsure:
        return (
            f"The groups are a guess nobody has checked: {name} found them by nearness alone, "
            "without an answer."
        )
    answers_given = counted(answered, "answer")
    if not clusterers.REGISTRY[name].heeds or not shown.grouped_after:
        return f"The groups were found by {name} without an answer, and keep to {answers_given}."
    found = f"The groups were found by {name} from {counted(shown.grouped_after, 'answer')}"
    if shown.grouped_after == answered:
        return f"{found}."
    return f"{found}, and keep to all {answered:,}."


# ---------------------------------------------------------------------------- folders


def copy_into_folders(study: Study, folder: Path, job: Job | None = None) -> str:
    """Copy the pictures into one folder per group, such as "01 naevus"; originals stay untouched.

    Set-aside and undecided pictures get folders of their own, and copies are copied too. Of a
    table one CSV file per group is written, with the columns of the table.

    Parameters
    ----------
    folder
        Made when it does not exist; must be empty.
    job
        Progress; may stop it.

    Returns
    -------
    What was copied, what was not found, in words.

    Raises
    ------
    EngineError
        When `folder` holds something or cannot be written to, or no picture can be read.
    ResourceError
        When the disk has too little space.
    Cancelled
        When stopped. As with an error, all that was copied is removed again.
    """
    folder, job = Path(folder), job or Job()
    placed = _placed(study)
    with _explained(folder):
        _check_outside(folder, study.dataset)
        _check_empty(folder)
        _check_space(study.dataset, folder, job)
        target = _Target(folder)
        try:
            _copy_pictures(study.dataset, placed, target, job)
            if study.dataset.kind is SourceKind.IMAGES:
                target.refuse_nothing(study.dataset.source)
            else:
                _write_tables(study.dataset, placed, target)
        except BaseException:
            target.take_back()
            raise
    return target.report()


def _placed(study: Study) -> list[_Placed]:
    """Give every item's place, group by group, then those in several, then those in none."""
    overview = study.session.snapshot().overview
    aside = answers.set_aside(study.session.log.path())
    items = study.dataset.items
    certainty = overview.confidence.tolist()
    groups = _by_slot(overview)
    placed = [
        _Placed(items[i], (group,), certainty[i], GROUPED)
        for group in groups
        for i in group.members[: group.size - group.mixed].tolist()
    ]
    shared = overview.memberships
    if shared is not None:
        held = {group.slot: group for group in groups}
        of_item = {item.id: shared.of(item.id) for item in items}
        mixed = sorted(
            (i for i, slots in of_item.items() if len(slots) > 1),
            key=lambda i: (len(of_item[i]), of_item[i], -certainty[i]),
        )
        for i in mixed:
            several = tuple(held[slot] for slot in of_item[i])
            placed.append(_Placed(items[i], several, certainty[i], GROUPED))
    for item in items:
        if overview.slots[item.id] < 0:
            status = SET_ASIDE if item.id in aside else UNDECIDED
            placed.append(_Placed(item, (), 0.0, status))
    return placed


def _check_outside(target: Path, dataset: Dataset) -> None:
    """Refuse tables within a folder whose tables are read as one: they would be read too."""
    source = dataset.source
    read_whole = dataset.kind is SourceKind.TABLE and source.is_dir()
    if read_whole and target.resolve().is_relative_to(source.resolve()):
        raise EngineError(
            f"{target} lies in {source} and would be read with the tables there.",
            "Choose a place outside that folder.",
        )


def _check_empty(folder: Path) -> None:
    if os.path.lexists(folder) and not folder.is_dir():
        raise EngineError(f"{folder} is not a folder.", "Choose a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise EngineError(
            f"The folder {folder} is not empty.",
            "Choose a new or an empty folder: nothing is ever overwritten.",
        )
    if not folder.absolute().parent.is_dir():
        raise EngineError(
            f"The folder {folder.absolute().parent} does not exist.", "Make it, or choose another."
        )


def _check_space(dataset: Dataset, folder: Path, job: Job) -> None:
    """Refuse before the first byte what would fill the disk."""
    needed = 0
    for done, item in enumerate(dataset.items):
        job.step(done, len(dataset), "Measuring the pictures")
        if item.path is not None:
            with contextlib.suppress(OSError):
                size = (dataset.root / os.fsdecode(item.path)).stat().st_size
                needed += size * len(_file_names(item, dataset))
    free = shutil.disk_usage(folder if folder.exists() else folder.absolute().parent).free
    if needed and needed + _SPARE > free:
        raise ResourceError(
            f"The copies need {needed / 2**20:,.0f} MB, and {free / 2**20:,.0f} MB are free "
            f"where {folder} is.",
            "Free some space, or choose a folder on another disk.",
        )


def _file_names(item: Item, dataset: Dataset) -> list[str]:
    """Give the paths, as text, of all files that an item stands for."""
    copies = item.copies if dataset.kind is SourceKind.IMAGES else ()
    return [] if item.path is None else [_shown_path(item.path), *copies]


def _copy_pictures(
    dataset: Dataset, placed: Sequence[_Placed], target: _Target, job: Job
) -> None:  # fmt: skip
    """Copy every picture under its own name, exact copies under theirs."""
    for done, entry in enumerate(placed):
        for name in _file_names(entry.item, dataset):
            job.step(done, len(placed), "Copying pictures")
            content = target.copy(
                dataset.root / os.fsdecode(entry.item.path or b""), entry.place, name
            )
            if content is None:
                target.lost.append(name)
            elif dataset.kind is SourceKind.IMAGES and content != entry.item.content:
                target.changed.append(name)


def _write_tables(dataset: Dataset, placed: Sequence[_Placed], target: _Target) -> None:
    """Write one CSV file per group, with a line for every row, copies too."""
    names = [column.name for column in dataset.columns]
    header = ["item", "certainty", "copy_of", *names]
    for place, entries in itertools.groupby(placed, key=lambda entry: entry.place):
        rows = []
        for entry in entries:
            item = entry.item
            certainty = f"{entry.certainty:.3f}" if entry.groups else ""
            rows.append([item.name, certainty, "", *item.cells])
            rows += [[copy, certainty, item.name, *item.cells] for copy in item.copies]
        target.write(f"{place}.csv", header, rows)


class _Target:
    """The folder that is filled: what was put into it, and how to take it back.

    Attributes
    ----------
    lost, changed
        Names of pictures that could not be read, or are not what was sorted.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: list[Path] = []  # files and folders, in the order made
        self._numbers: dict[tuple[str, str], int] = {}  # place, comparable name -> times taken
        self._places: set[str] = set()
        self._pictures = self._tables = 0
        self.lost: list[str] = []
        self.changed: list[str] = []
        if not folder.exists():
            folder.mkdir()
            self._made.append(folder)

    def copy(self, original: Path, place: str, name: str) -> bytes | None:
        """Copy a picture, its times too; give the hash of its content. None = it is unreadable."""
        try:
            if not original.is_file():  # a pipe in its place would be waited on for ever
                return None
            times, content = original.stat(), original.read_bytes()
        except (OSError, ValueError):
            return None
        if place not in self._places:
            (self._folder / place).mkdir()
            self._made.append(self._folder / place)
            self._places.add(place)
        path = self._folder / place / self._kept_apart(place, tidy_name(name.rpartition("/")[2]))
        with path.open("xb") as file:
            self._made.append(path)
            file.write(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self._pictures += 1
        return hashlib.blake2b(content, digest_size=CONTENT_BYTES).digest()

    def write(self, name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Write a table."""
        _write_csv(self._folder / name, header, rows)
        self._made.append(self._folder / name)
        self._tables += 1

    def refuse_nothing(self, source: Path) -> None:
        """Refuse a result without a single picture."""
        if not self._pictures:
            raise EngineError(
                f"The only picture is not in {source} any more."
                if len(self.lost) == 1
                else f"None of {counted(len(self.lost), 'picture')} is in {source} any more.",
                "Bring the folder back, or show Pairloom where it is now. Nothing was copied.",
            )

    def take_back(self) -> None:
        """Remove what was made, and nothing else; what cannot be removed stays."""
        for path in reversed(self._made):
            with contextlib.suppress(OSError):
                if path.is_dir():
                    path.rmdir()
                else:
                    path.unlink()

    def report(self) -> str:
        """Say what was done."""
        lines = []
        if self._pictures or not self._tables:
            lines.append(
                f"Copied {counted(self._pictures, 'picture')} into "
                f"{counted(len(self._places), 'folder')} in {self._folder}."
            )
        if self._tables:
            lines.append(f"Wrote {counted(self._tables, 'table')} in {self._folder}.")
        if self.lost:
            lines.append(
                f"{counted(len(self.lost), 'picture')} could not be read and "
                f"{'was' if len(self.lost) == 1 else 'were'} left out: {_listed(self.lost)}."
            )
        if self.changed:
            lines.append(
                f"{counted(len(self.changed), 'picture')} changed after being sorted, "
                f"look again: {_listed(self.changed)}."
            )
        return "\n".join(lines)

    def _kept_apart(self, place: str, name: str) -> str:
        """Add a number where some system would take two names for one, whatever their case."""
        stem, dot, ending = name.rpartition(".")
        if not stem:
            stem, dot, ending = name, "", ""
        chosen = name
        while (key := (place, _comparable(chosen))) in self._numbers:
            first = (place, _comparable(name))
            self._numbers[first] += 1
            chosen = f"{stem} ({self._numbers[first]}){dot}{ending}"
        self._numbers[key] = 1
        return chosen


# ---------------------------------------------------------------------------- names and errors


def tidy_name(name: str) -> str:
    """Make a file or folder name that Linux, macOS and Windows all take; no path stays in it."""
    name = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", name)).strip().rstrip(". ")
    if not name:
        return "_"
    if _RESERVED.fullmatch(name):
        name = "_" + name
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending.encode()) > _LONGEST_ENDING:
        stem, dot, ending = name, "", ""
    room = _LONGEST - len((dot + ending).encode())
    if len(stem.encode()) > room:
        stem = stem.encode()[:room].decode(errors="ignore").rstrip(". ")
    return stem + dot + ending


def _comparable(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the file system refuses into a message for people."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise ResourceError(
                f"There is no space left for {path}.", "Free some space, or choose another disk."
            ) from error
        raise EngineError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Check that its folder exists and may be written to, "
            "and that no other program has it open.",
        ) from error
