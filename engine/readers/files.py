"""Which files lie in a folder, what they are called, and why one cannot be used.

Hidden: links, loops, hidden files, odd names and missing rights. Promised: `walk` returns the same
listing for the same folder in any process, sorted by the bytes of the paths.
"""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from engine.dataset import ItemProblem, counted
from engine.errors import DatasetError
from engine.job import Job

PICTURE_SUFFIXES = frozenset(
    {
        *(".png", ".apng", ".jpg", ".jpeg", ".jpe", ".jfif", ".tif", ".tiff", ".bmp", ".dib"),
        *(".webp", ".gif", ".dcm", ".dicom"),
    }
)
TABLE_SUFFIXES = frozenset(
    {".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods", ".parquet", ".pq"}
)
UNREAD_PICTURES = {
    ".heic": "HEIC",
    ".heif": "HEIF",
    ".avif": "AVIF",
    ".jp2": "JPEG 2000",
    ".j2k": "JPEG 2000",
    ".jxl": "JPEG XL",
    ".svg": "SVG",
    ".psd": "Photoshop",
    ".dng": "raw camera",
    ".nef": "raw camera",
    ".cr2": "raw camera",
    ".cr3": "raw camera",
    ".arw": "raw camera",
    ".svs": "whole-slide",
    ".ndpi": "whole-slide",
    ".mrxs": "whole-slide",
    ".nii": "NIfTI volume",
    ".nrrd": "NRRD volume",
    ".mha": "MetaImage volume",
}
"""Pictures that a person may expect to be read, and what they are called."""

_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF8")
_FOREIGN_FOLDERS = frozenset({"__MACOSX", "@eaDir", "$RECYCLE.BIN", "System Volume Information"})
_FOREIGN_FILES = frozenset({"DICOMDIR"})  # an index of DICOM files, itself without pixels
_HIDDEN_ON_WINDOWS = 2  # FILE_ATTRIBUTE_HIDDEN
_BETWEEN_STEPS = 500  # directory entries
_CHUNK = 4 * 2**20  # bytes


class Unreadable(Exception):  # noqa: N818 - never leaves the readers
    """A file or row cannot be used; the text is the reason a person is told, in one line."""

    def __init__(self, reason: str) -> None:
        super().__init__(printable(" ".join(reason.split())))


@dataclass(frozen=True, slots=True)
class Found:
    """A file below a folder.

    Attributes
    ----------
    path
        `os.fsencode`d, relative to the folder, with "/" on every system.
    name
        The same for people: undecodable bytes and control characters replaced.
    """

    path: bytes
    name: str

    def below(self, root: Path) -> Path:
        """Give the whole path."""
        return root / os.fsdecode(self.path)


@dataclass(slots=True)
class Listing:
    """What a folder holds: pictures and tables by path, and what was passed over."""

    pictures: list[Found] = field(default_factory=list)
    tables: list[Found] = field(default_factory=list)
    problems: list[ItemProblem] = field(default_factory=list)
    n_other: int = 0
    n_hidden: int = 0
    n_linked_folders: int = 0

    def notes(self) -> tuple[str, ...]:
        """Say in words what was passed over."""
        return tuple(
            note
            for count, note in (
                (self.n_other, f"{counted(self.n_other, 'other file')} passed over"),
                (self.n_hidden, f"{counted(self.n_hidden, 'hidden picture or table')} passed over"),
                (
                    self.n_linked_folders,
                    f"{counted(self.n_linked_folders, 'link')} to a folder not followed",
                ),
            )
            if count
        )


def printable(name: str | bytes) -> str:
    """Turn a file name or cell into text that can be shown and stored anywhere."""
    raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogateescape")
    text = raw.decode("utf-8", "replace")
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def why(error: OSError) -> str:
    """Give the reason of a failed file operation in words, without the path."""
    text = error.strerror or str(error) or type(error).__name__
    return text[0].lower() + text[1:]


def walk(root: Path, job: Job) -> Listing:
    """List the pictures and tables below `root`, recursively.

    Links to files are taken, links to folders are not followed (they may lead in circles or out of
    the folder); hidden entries and the folders that other systems leave behind are passed over.

    Raises
    ------
    DatasetError
        When `root` itself cannot be listed.
    """
    listing = Listing()
    pending = [b""]
    seen = 0
    while pending:
        folder = pending.pop()
        try:
            entries = os.scandir(root / os.fsdecode(folder))
        except OSError as error:
            if not folder:
                raise DatasetError(
                    f"the folder {printable(str(root))} cannot be opened: {why(error)}",
                    "Check that it exists and that you may read it.",
                ) from error
            listing.problems.append(
                ItemProblem(printable(folder), f"the folder cannot be opened: {why(error)}")
            )
            continue
        try:
            with entries:
                for entry in entries:
                    if seen % _BETWEEN_STEPS == 0:
                        found = len(listing.pictures) + len(listing.tables)
                        job.step(found, 0, "Looking through the folder")
                    seen += 1
                    path = folder + os.fsencode(entry.name)
                    if _sort_in(entry, Found(path, printable(path)), listing):
                        pending.append(path + b"/")
        except OSError as error:  # a network drive that went away
            listing.problems.append(
                ItemProblem(printable(folder) or ".", f"the folder cannot be listed: {why(error)}")
            )
    for files in (listing.pictures, listing.tables):
        files.sort(key=lambda found: found.path)
    listing.problems.sort(key=lambda problem: problem.name)
    return listing


def _sort_in(entry: os.DirEntry[str], found: Found, listing: Listing) -> bool:
    """Put an entry where it belongs; True for a folder to look into."""
    suffix = Path(entry.name).suffix.lower()
    hidden = _is_hidden(entry)
    if entry.is_dir(follow_symlinks=False):
        return not hidden and entry.name not in _FOREIGN_FOLDERS
    if _leads_to_folder(entry):
        listing.n_linked_folders += 1
    elif hidden:
        listing.n_hidden += suffix in PICTURE_SUFFIXES or suffix in TABLE_SUFFIXES
    elif entry.name in _FOREIGN_FILES:
        pass
    elif suffix in PICTURE_SUFFIXES or _looks_like_picture(entry, suffix):
        listing.pictures.append(found)
    elif suffix in TABLE_SUFFIXES:
        listing.tables.append(found)
    elif suffix in UNREAD_PICTURES:
        kind = UNREAD_PICTURES[suffix]
        listing.problems.append(
            ItemProblem(found.name, f"{kind} files are not read; convert it to PNG or TIFF")
        )
    else:
        listing.n_other += 1
    return False


def _is_hidden(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith((".", "~$")):  # ~$: left by Excel beside an open table
        return True
    if os.name != "nt":
        return False
    attributes: int = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & _HIDDEN_ON_WINDOWS)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # a link that leads in a circle
        return False


def _looks_like_picture(entry: os.DirEntry[str], suffix: str) -> bool:
    """Look into a file without an ending: scanners name DICOM files IM0001 or 1.2.840.113619."""
    if suffix and not suffix[1:].isdigit():
        return False
    try:
        with open_regular(Path(entry.path)) as file:
            start = file.read(132)
    except (OSError, Unreadable):
        return False
    return start[128:] == b"DICM" or start.startswith(_MAGIC)


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file for reading, but no pipe or device: opening those may wait for ever.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable("it is not a file")
        return path.open("rb")
    except FileNotFoundError as error:
        if path.is_symlink():
            raise Unreadable("it is a link to a file that does not exist") from error
        raise Unreadable("the file does not exist") from error
    except (OSError, ValueError) as error:
        reason = why(error) if isinstance(error, OSError) else str(error)
        raise Unreadable(f"it cannot be opened: {reason}") from error


def read_whole(path: Path, job: Job, text: str) -> bytes:
    """Read a file in pieces, so that a stop is never waited for.

    Raises
    ------
    Unreadable
        With the reason in words.
    """
    pieces = []
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            while piece := file.read(_CHUNK):
                pieces.append(piece)
                job.step(len(pieces) * _CHUNK, size + _CHUNK, text)
    except OSError as error:
        raise Unreadable(f"it cannot be read: {why(error)}") from error
    return b"".join(pieces)
