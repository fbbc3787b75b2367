"""`pairloom --doctor`: are the system libraries there that Qt needs, and how to get them.

Hidden: which plugin needs what. Promised: works on a machine where Qt itself cannot be imported;
only the standard library is used.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Debian and Ubuntu packages by the library that is missing.
PACKAGES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libgl1",
    "libOpenGL.so.0": "libopengl0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
_LIBRARIES = ("Core", "Gui", "Widgets", "Svg", "DBus", "XcbQpa")
_PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so")
_WAYLAND = "platforms/libqwayland.so"  # asked for only where it is used: X11 serves as well


def missing_libraries() -> tuple[str, ...]:
    """Name the system libraries that Qt's own libraries ask for and that are not there.

    Raises
    ------
    RuntimeError
        When it cannot be told: no Qt, or no `ldd`.
    """
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("PySide6 is not installed: run the set-up again.")
    qt = Path(next(iter(spec.submodule_search_locations))) / "Qt"
    ldd = shutil.which("ldd")
    if ldd is None:
        raise RuntimeError("ldd is not there, so the libraries cannot be checked.")
    files = [qt / "lib" / f"libQt6{name}.so.6" for name in _LIBRARIES]
    plugins = (*_PLUGINS, _WAYLAND) if os.environ.get("WAYLAND_DISPLAY") else _PLUGINS
    files += [qt / "plugins" / name for name in plugins]
    found: set[str] = set()
    for file in files:
        if file.exists():
            shown = subprocess.run(  # noqa: S603 - ldd on our own libraries
                [ldd, str(file)], capture_output=True, text=True, check=False
            )
            found |= missing_in(shown.stdout)
    return tuple(sorted(found))


def missing_in(shown: str) -> set[str]:
    """Read the libraries that are not there off the output of `ldd`."""
    lines = [line.strip() for line in shown.splitlines() if line.rstrip().endswith("not found")]
    return {line.split(" ", 1)[0] for line in lines}


def advice(missing: tuple[str, ...]) -> str:
    """Say in words what to install."""
    packages = sorted({PACKAGES[name] for name in missing if name in PACKAGES})
    lines = ["Missing system libraries: " + ", ".join(missing)]
    if packages:
        lines += [
            "On Debian or Ubuntu, as root:",
            "  apt-get install -y --no-install-recommends " + " ".join(packages),
        ]
    unknown = [name for name in missing if name not in PACKAGES]
    if unknown:
        lines.append("Look for the package that holds: " + ", ".join(unknown))
    return "\n".join(lines)


def report() -> tuple[bool, str]:
    """Check this machine; returns whether all is well, and the findings in words."""
    if not sys.platform.startswith("linux"):
        return True, "Nothing to check: Qt brings all it needs on this system."
    try:
        missing = missing_libraries()
    except RuntimeError as error:
        return False, str(error)
    if missing:
        return False, advice(missing)
    return True, "All system libraries that Qt needs are there."
