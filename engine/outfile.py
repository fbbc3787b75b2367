"""Outfile: result files that appear whole or not at all.

Hides temporary names. Promises that a file of the given name is the old one or the complete new
one, and that no other file is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.errors import ParameterError

STDOUT = Path("-")


def check_output(path: Path | None, *inputs: Path | None, ending: str = "") -> None:
    """Refuse, before the work, an output file that cannot be written or would destroy an input.

    Parameters
    ----------
    path
        None = no output.
    inputs
        Files and folders that the result is made of.
    ending
        Of files that may be replaced where they lie in a folder of inputs, which reads none such.

    Raises
    ------
    ParameterError
        When the file is refused.
    """
    if path is None or path == STDOUT:
        return
    target = path.absolute()
    if not target.parent.is_dir():
        raise ParameterError(f"the folder {target.parent} does not exist", "Make it first.")
    if target.is_dir():
        raise ParameterError(f"{path} is a folder", "Give the name of a file.")
    if target.exists() and not target.is_file():
        raise ParameterError(f"{path} is a device or a pipe", "Give the name of a file.")
    if not os.access(target.parent, os.W_OK):
        raise ParameterError(f"the folder {target.parent} is read-only", "Choose another one.")
    for source in inputs:
        if source is not None and _destroys(target, source, ending):
            raise ParameterError(
                f"{path} would overwrite what the result is made of", "Choose another name."
            )


def _destroys(target: Path, source: Path, ending: str) -> bool:
    if not target.exists():  # nor does the source, if both are still to be made
        return target == source.absolute()
    if not source.is_dir():
        return source.exists() and target.samefile(source)
    inside = target.resolve().is_relative_to(source.resolve())
    return inside and target.suffix.lower() != ending


@contextlib.contextmanager
def exchanged(path: Path) -> Iterator[Path]:
    """Give a file beside `path` to write to; it takes the place of `path` when complete."""
    part = path.with_name(f".pairloom-{secrets.token_hex(6)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: Path | None, value: dict[str, object]) -> None:
    """Write a result to a file, or to `STDOUT`; None = nowhere."""
    text = json.dumps(value, ensure_ascii=False)
    if path == STDOUT:
        sys.stdout.write(text + "\n")
    elif path is not None:
        with exchanged(path) as part:
            # Half a surrogate pair, as in a pasted name, becomes the escape that JSON has for it.
            part.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
