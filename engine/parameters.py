"""Parameters of strategies and methods: a frozen dataclass, its `key=value` text, its form.

Hidden here: how text becomes a checked value and how a dataclass field describes itself. Promised:
`parse` either gives a complete, valid `Params` or says in one line which parameters and values
are allowed.

A field says what it is by its annotation (`bool`, `int`, `float`, `str`), its default (none: the
parameter must be given) and its metadata: `help`, `choices` (a tuple of str), `files` (a tuple of
endings: a text that has one names a file, beside the choices, and is marked by its content, so that
other contents are other values), `above` (exclusive lower bound) or `least` (inclusive lower
bound), `most` (inclusive upper bound), and `more` (True = a form folds it away: few people need
it).
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
import os
import re
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from engine.errors import ParameterError

P = TypeVar("P")
Value = bool | int | float | str

LARGEST_FILE = 2**26
"""Bytes of a file that a parameter may name: what is in it may be kept with the project."""

_MARK = re.compile(r"(.+)#([0-9a-f]{16})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as a form or a help text shows it.

    Attributes
    ----------
    name
        Key in `--set name=value`.
    type
        `bool`, `int`, `float` or `str`.
    default
        As text, ready to be parsed again; None = must be given.
    choices
        The allowed values, beside names of files; empty = any of the type.
    help
        One sentence in plain words.
    above, least, most
        Bounds of a number, the first exclusive, the others inclusive; None = there is none.
    more
        Whether few people need it, so that a form may fold it away.
    files
        Endings of a text that names a file.
    """

    name: str
    type: type[Value]
    default: str | None
    choices: tuple[str, ...]
    help: str
    above: float | None = None
    least: float | None = None
    most: float | None = None
    more: bool = False
    files: tuple[str, ...] = ()


def named(kind: str, registry: Mapping[str, P], name: str) -> P:
    """Look a strategy or method up by its name.

    Raises
    ------
    ParameterError
        When there is none; the message names those there are.
    """
    if name not in registry:
        raise ParameterError(f"no {kind} '{name}'; there are: {', '.join(registry)}")
    return registry[name]


def describe(params: type[Any]) -> tuple[Parameter, ...]:
    """List the parameters of a `Params` dataclass in the order written."""
    hints = get_type_hints(params)
    return tuple(
        Parameter(
            name=field.name,
            type=hints[field.name],
            default=None if field.default is dataclasses.MISSING else _text(field.default),
            choices=tuple(field.metadata.get("choices", ())),
            help=field.metadata.get("help", ""),
            above=field.metadata.get("above"),
            least=field.metadata.get("least"),
            most=field.metadata.get("most"),
            more=field.metadata.get("more", False),
            files=tuple(field.metadata.get("files", ())),
        )
        for field in dataclasses.fields(params)
    )


def setting(text: str) -> tuple[str, str]:
    """Read "key=value".

    Raises
    ------
    ParameterError
        When it has no key, or no "=".
    """
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ParameterError(f"'{text}' is not of the form key=value")
    return key, value


def words(text: str) -> list[str]:
    """Split "name key=value ..." at spaces; what has spaces in it stands in quotation marks.

    Raises
    ------
    ParameterError
        When a quotation mark is not closed.
    """
    split = shlex.shlex(text, posix=True)
    split.whitespace_split = True
    split.commenters = split.escape = ""  # names of files may have any sign
    split.quotes = '"'
    try:
        return list(split)
    except ValueError as error:
        raise ParameterError(f"a quotation mark is not closed: {text}") from error


def parse(owner: str, params: type[P], texts: Mapping[str, str]) -> P:
    """Make a `Params` from texts; what is not given keeps its default.

    Parameters
    ----------
    owner
        Name of the strategy or method, for the messages.
    params
        Frozen dataclass.
    texts
        Value by parameter name.

    Raises
    ------
    ParameterError
        For an unknown name, a value that is not of the type or out of range, a missing value.
    """
    known = {parameter.name: parameter for parameter in describe(params)}
    for name in texts:
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise ParameterError(f"{owner} has no parameter '{name}'; it has: {allowed}")
    values: dict[str, Value] = {}
    for name, parameter in known.items():
        if name in texts:
            try:
                values[name] = _value(parameter, texts[name].strip())
            except ParameterError as error:
                raise ParameterError(f"{owner}: {error.message}") from None
        elif parameter.default is None:
            raise ParameterError(
                f"{owner} needs the parameter '{name}': {parameter.help}",
                hint=f"Give it as {name}=...",
            )
    return params(**values)


def checked(parameter: Parameter, text: str) -> str:
    """Judge one text as `parse` does, and write its value as `texts` would.

    Raises
    ------
    ParameterError
        For a value that is not of the type or out of range.
    """
    return _text(_value(parameter, text.strip()))


def texts(params: Any) -> dict[str, str]:
    """Give every parameter as text, such that `parse` makes an equal `Params` of it."""
    return {field.name: _text(getattr(params, field.name)) for field in dataclasses.fields(params)}


def content(name: str, text: str) -> bytes:
    """Read the file that a parameter names.

    Where the name is marked, only the content that was marked will do.

    Raises
    ------
    ParameterError
        When there is no such file, it is too large, cannot be read, or is another by now.
    """
    path, marked = unmarked(text)
    _looked_at(name, path)
    try:
        found = Path(path).read_bytes()
    except OSError as error:
        raise ParameterError(f"{name}: {path} cannot be read: {error.strerror}") from error
    if marked is not None and _mark(found) != marked:
        raise ParameterError(f"{name}: {path} is not the file any more that it was")
    return found


def _mark(found: bytes) -> str:
    """Tell a content from any other."""
    return hashlib.blake2b(found, digest_size=8).hexdigest()


def _looked_at(name: str, path: str) -> os.stat_result:
    """Refuse what is no file, or too large a one, without reading it."""
    try:
        about = Path(path).stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ParameterError(f"{name}: there is no file {path}") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ParameterError(f"{name}: {path} cannot be read: {why}") from error
    if not stat.S_ISREG(about.st_mode):
        raise ParameterError(f"{name}: {path} is no file")
    if about.st_size > LARGEST_FILE:
        raise ParameterError(f"{name}: {path} is larger than {LARGEST_FILE // 10**6} MB")
    return about


def unmarked(text: str) -> tuple[str, str | None]:
    """Take a file's name apart from the mark of its content, None where it has none."""
    found = _MARK.fullmatch(text)
    return (found[1], found[2]) if found else (text, None)


def _marked(name: str, text: str) -> str:
    """Mark the name of a file by its content, unless it is marked."""
    if unmarked(text)[1] is not None:
        return text
    about = _looked_at(name, text)
    return f"{text}#{_mark_at(name, text, about.st_mtime_ns, about.st_size)}"


@functools.lru_cache(maxsize=16)
def _mark_at(name: str, text: str, _changed: int, _size: int) -> str:
    """Mark a file as it was at some time: a form asks again with every letter typed."""
    return _mark(content(name, text))


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value) if isinstance(value, float) else str(value)


def _value(parameter: Parameter, text: str) -> Value:
    """Turn text into a value of the parameter's type and check it."""

    def refuse(wanted: str) -> ParameterError:
        return ParameterError(f"{parameter.name} must be {wanted}, not '{text}'")

    if parameter.files and Path(unmarked(text)[0]).suffix.lower() in parameter.files:
        return _marked(parameter.name, text)
    if parameter.choices and text not in parameter.choices:
        files = f" or a file ({', '.join(parameter.files)})" if parameter.files else ""
        raise refuse("one of " + ", ".join(parameter.choices) + files)
    if parameter.type is bool:
        if text.lower() not in _TRUTH:
            raise refuse("yes or no")
        return _TRUTH[text.lower()]
    if parameter.type is str:
        return text
    try:
        number = int(text) if parameter.type is int else float(text)
    except ValueError:
        raise refuse("a whole number" if parameter.type is int else "a number") from None
    if isinstance(number, float) and not math.isfinite(number):  # a whole one may exceed floats
        raise refuse("a finite number")
    if parameter.above is not None and not number > parameter.above:
        raise refuse(f"above {parameter.above}")
    if parameter.least is not None and number < parameter.least:
        raise refuse(f"at least {parameter.least}")
    if parameter.most is not None and number > parameter.most:
        raise refuse(f"at most {parameter.most:g}")
    return number


_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
