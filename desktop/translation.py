"""Marks texts that are translated later, where they are shown, for `pyside6-lupdate` to find."""

from __future__ import annotations


def QT_TRANSLATE_NOOP(_context: str, english: str) -> str:
    """Mark a text of a table; the name is what `pyside6-lupdate` looks for.

    Qt's own function of this name is typed as returning any object.
    """
    return english
