"""What runs here, for reports and the about box."""

from __future__ import annotations

import platform
from importlib import metadata

_PARTS = ("PySide6-Essentials", "pyqtgraph", "numpy", "scipy", "torch", "pillow")


def version() -> str:
    """Give the version of Pairloom."""
    return _version_of("pairloom") or "(from source)"


def versions() -> str:
    """List the versions of the program, of what it is built on and of the system, one a line."""
    lines = [f"Pairloom {version()}", f"Python {platform.python_version()}", platform.platform()]
    lines += [f"{part} {found}" for part in _PARTS if (found := _version_of(part))]
    return "\n".join(lines)


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
