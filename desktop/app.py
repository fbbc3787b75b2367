"""Entry of the program: arguments, and a clear word where no window can be shown.

Hidden: what must be right before Qt may be touched. Promised: no abort without a message, exit
status 2 for what cannot work.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop import doctor
from desktop.versions import version


def main(argv: Sequence[str] | None = None) -> int:
    """Run Pairloom; returns the exit status.

    Parameters
    ----------
    argv
        Arguments without the program's name; by default those of the process.
    """
    arguments = _parser().parse_args(argv)
    if arguments.doctor:
        well, words = doctor.report()
        return _say(words, 0 if well else 2)
    if lacks_display(os.environ, sys.platform):
        return _say(
            "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set), so no window can be "
            "shown.\nWithout a window: pairloom-cli --help. To draw off the screen: set "
            "QT_QPA_PLATFORM=offscreen.",
            2,
        )
    try:
        from desktop.launch import launch
    except ImportError as error:
        _, words = doctor.report()
        return _say(f"The window cannot be loaded: {error}\n{words}", 2)
    return launch(arguments.path)


def lacks_display(environment: Mapping[str, str], platform: str) -> bool:
    """Whether Qt would abort for want of a screen."""
    if not platform.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return False
    return not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pairloom", description="Sort what you know by eye: answer, and watch groups form."
    )
    parser.add_argument(
        "path",
        nargs="?",
        type=Path,
        help="a project to open, or a folder of images or a table to begin with",
    )
    parser.add_argument(
        "--doctor", action="store_true", help="check the system libraries that the window needs"
    )
    parser.add_argument("--version", action="version", version=f"Pairloom {version()}")
    return parser


def _say(words: str, status: int) -> int:
    stream = sys.stdout if status == 0 else sys.stderr
    if stream is not None:  # there is none in a windowed program on Windows
        stream.write(words + "\n")
    return status
