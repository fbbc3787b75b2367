"""Where the source of a project is, for a project that travels.

Hidden here: how a folder is noted and looked for. Promised: when project and source have moved
together, or only the project, or neither, the source is found.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple


class Place(NamedTuple):
    """Root (what item paths are relative to) and source as they are now, and whether they are."""

    root: Path
    source: Path
    found: bool


def describe(folder: Path, root: Path, source: Path) -> dict[str, Any]:
    """Note a source as plain values: absolutely, and as seen from the project's `folder`."""
    root, source = root.absolute(), source.absolute()
    return {
        "root": str(root),
        "relative": _way(folder.resolve(), root.resolve()),
        "source": _way(root, source) or str(source),
    }


def find(about: dict[str, Any], folder: Path) -> Place:
    """Look where the source was relative to the project's folder, then at its absolute path."""
    stated = Path(about["root"])
    roots = [stated]
    if about["relative"] is not None:
        # Resolved, since ".." means the parent of where a link leads to.
        roots.insert(0, Path(os.path.normpath(folder.resolve() / about["relative"])))
    for root in roots:
        place = Place(root, Path(os.path.normpath(root / about["source"])), found=True)
        if place.source.exists():
            return place
    return Place(stated, Path(os.path.normpath(stated / about["source"])), found=False)


def _way(start: Path, end: Path) -> str | None:
    """Give the way from one place to another with forward slashes; None between drives."""
    try:
        return Path(os.path.relpath(end, start)).as_posix()
    except ValueError:
        return None
