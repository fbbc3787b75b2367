"""Outfile: result files that appear whole or not at all.

Hides temporary names. Promises that a file of the given name is the old one or the complete new
one, and that no other file is left behind.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.errors import ParameterError


def check_output(path: str | Path | None) -> None:
    """Refuse an output file that cannot be written before the work, not after."""
    if path is None or path == "-":
        return
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        raise ParameterError(f"the folder {folder} does not exist", "make it first")
    if Path(path).is_dir():
        raise ParameterError(f"{path} is a folder", "give the name of a file")


@contextlib.contextmanager
def exchanged(path: Path) -> Iterator[Path]:
    """Give a file beside `path` to write to; it takes the place of `path` when complete."""
    part = path.with_name(f".pairloom-{secrets.token_hex(6)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: str | None, value: dict[str, object]) -> None:
    """Write a result to a file, or to stdout for "-"; None = nowhere."""
    text = json.dumps(value, ensure_ascii=False)
    if path == "-":
        sys.stdout.write(text + "\n")
    elif path is not None:
        with exchanged(Path(path)) as part:
            part.write_text(text + "\n", encoding="utf-8")
