"""A folder of pictures as a dataset: one item per different picture."""

from __future__ import annotations

from pathlib import Path

from engine.dataset import (
    Dataset,
    Item,
    ItemProblem,
    SourceKind,
    copy_notes,
    counted,
    same_content,
    told_apart,
)
from engine.errors import DatasetError
from engine.job import Job
from engine.readers.files import Found, Listing, printable
from engine.readers.images import examine


def read_pictures(
    folder: Path, listing: Listing, job: Job, *, labels_from_folders: bool = False
) -> Dataset:
    """Look into all pictures of a folder; those that cannot be used become problems.

    Parameters
    ----------
    labels_from_folders
        Take the first folder on the way to each picture for its true class.

    Raises
    ------
    DatasetError
        When no picture can be used, or labels are wanted and no picture lies in a folder.
    """
    found = {picture.below(folder): picture for picture in listing.pictures}
    problems = list(listing.problems)
    usable: list[Found] = []
    contents: list[bytes] = []
    n_several = 0
    for path, look in examine(list(found), job).items():
        if look.reason:
            problems.append(ItemProblem(found[path].name, look.reason))
        else:
            usable.append(found[path])
            contents.append(look.content)
            n_several += look.several
    if not usable:
        raise DatasetError(
            (
                f"the only picture in {printable(folder.name)} cannot be used; "
                if len(problems) == 1
                else f"none of the {len(problems):,} pictures in {printable(folder.name)} can be "
                "used; "
            )
            + f"{problems[0].name}: {problems[0].reason}",
            "Choose another folder, or convert the pictures to PNG.",
        )
    labels = [_first_folder(picture) if labels_from_folders else None for picture in usable]
    if labels_from_folders and not any(labels):
        raise DatasetError(
            f"no picture in {printable(folder.name)} lies in a folder that could name its class",
            "Put the pictures of each class into a folder of their own.",
        )
    copies = same_content(contents)
    names = told_apart([picture.name for picture in usable])
    items = tuple(
        Item(
            id=place,
            name=names[row],
            content=contents[row],
            path=usable[row].path,
            copies=tuple(names[other] for other in others),
            label=labels[row],
        )
        for place, (row, others) in enumerate(copies.items())
    )
    return Dataset(
        root=folder,
        source=folder,
        kind=SourceKind.IMAGES,
        items=items,
        problems=tuple(sorted(problems, key=lambda problem: problem.name)),
        notes=(
            *copy_notes(copies, labels),
            *_notes(listing, n_several, len(items)),
            *listing.notes(),
        ),
    )


def _first_folder(picture: Found) -> str | None:
    first, slash, _ = picture.path.partition(b"/")
    return printable(first) if slash else None


def _notes(listing: Listing, n_several: int, n_items: int) -> list[str]:
    notes = []
    if n_several:
        notes.append(f"{counted(n_several, 'file')} with more than one picture: the first is used")
    if listing.tables:
        notes.append(
            f"{counted(len(listing.tables), 'table')} passed over: the folder is read as pictures"
        )
    if n_items == 1:
        notes.append("a single item: there is nothing to compare it with")
    return notes
