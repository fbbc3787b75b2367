#!/usr/bin/env python3
"""Set Pairloom up on a fresh machine, then run it or check it. Needs Python 3.11 and nothing else.

    python3 packaging/bootstrap.py run     make .venv, install, open Pairloom on the sample
    python3 packaging/bootstrap.py test    the same with the test tools, then the whole check

Nothing is installed twice: a stamp in .venv remembers what for.

Environment
-----------
PAIRLOOM_WHEELS       folder of wheels for a machine without network
PAIRLOOM_TORCH_INDEX  package index with CPU builds of PyTorch; its web site names it. (On Linux the
                      default build is several GB larger, for it brings GPU libraries.)
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "pairloom-setup.txt"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
SAMPLES = ROOT / "resources" / "samples"
OLDEST = (3, 11)
BUDGET = 100  # questions that the simulated expert answers

# What Qt loads from the system: file to look for, Debian package that brings it.
QT_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
}
# The same for a window on an X display.
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def say(text: str) -> None:
    """Print at once, so that lines stand before the output of the programs they announce."""
    print(text, flush=True)


def stop(text: str) -> None:
    """End with a message and exit status 1."""
    sys.exit(f"bootstrap: {text}")


def venv_python() -> Path:
    """Return the interpreter of the environment, wherever this system puts it."""
    scripts = "Scripts" if os.name == "nt" else "bin"
    return VENV / scripts / ("python.exe" if os.name == "nt" else "python")


def call(*command: str | Path, env: dict[str, str] | None = None) -> int:
    """Run a program in the project's folder."""
    return subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=env, check=False
    ).returncode


def has_display() -> bool:
    """Tell whether a window can be shown."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


# ------------------------------------------------------------------------------ system


def missing_packages(libraries: dict[str, str]) -> list[str]:
    """List the Debian packages whose libraries the loader does not find."""
    # In a process of its own: what the loader did not find before apt-get it must look for anew.
    probe = (
        "import ctypes, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try: ctypes.CDLL(name)\n"
        "    except OSError: print(name)"
    )
    found = subprocess.run(
        [sys.executable, "-c", probe, *libraries], capture_output=True, text=True, check=False
    )
    return [libraries[name] for name in found.stdout.split()]


def ensure_system_libraries() -> None:
    """Install what Qt needs of the system where that is possible, else print the exact line."""
    if sys.platform != "linux":
        return
    wanted = {**QT_LIBRARIES, **(X11_LIBRARIES if has_display() else {})}
    packages = missing_packages(wanted)
    if not packages:
        return
    line = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    if shutil.which("apt-get") and os.geteuid() == 0:
        say(f"Installing system libraries that Qt needs: {' '.join(packages)}")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        call("apt-get", "update", "-qq", env=quiet)
        call(*line.split(), "-qq", env=quiet)
        packages = missing_packages(wanted)
        if not packages:
            return
    elif shutil.which("apt-get"):
        stop(f"Qt needs system libraries that are missing. Please run\n\n    sudo {line}\n")
    stop(
        "Qt needs system libraries that are missing: "
        f"{', '.join(file for file, package in wanted.items() if package in packages)}\n"
        f"On Debian and Ubuntu: {line}\nElsewhere install the packages that hold these files."
    )


# ------------------------------------------------------------------------------ environment


def fingerprint(extras: str) -> str:
    """Describe what an installation depends on; a change means: install again."""
    digest = hashlib.sha256()
    for part in (ROOT / "pyproject.toml", CONSTRAINTS):
        digest.update(part.read_bytes())
    return f"{sys.version_info[:3]} {platform.machine()} {ROOT} [{extras}] {digest.hexdigest()}"


def install(extras: str) -> None:
    """Make the environment and install Pairloom in it, unless a stamp says that is done."""
    wanted = fingerprint(extras)
    stamps = STAMP.read_text(encoding="utf-8").splitlines() if STAMP.exists() else []
    if wanted in stamps:
        return
    # The test set holds everything, so an ordinary run after it has nothing to add.
    if fingerprint("test") in stamps:
        return
    if not venv_python().exists():
        say(f"Making {VENV.name} with Python {platform.python_version()} ...")
        venv.EnvBuilder(with_pip=True, clear=VENV.exists()).create(VENV)
    pip = [venv_python(), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    pip += ["-c", CONSTRAINTS]
    if wheels := os.environ.get("PAIRLOOM_WHEELS"):
        pip += ["--no-index", "--find-links", wheels]
    say("Installing the pinned set (a few minutes, about 1.5 GB) ...")
    started = time.monotonic()
    if index := os.environ.get("PAIRLOOM_TORCH_INDEX"):
        torch = next(
            line
            for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines()
            if "torch==" in line
        )
        if call(*pip, "--index-url", index, torch):
            stop(f"PyTorch could not be installed from {index}")
    if call(*pip, "-e", f".[{extras}]"):
        stop(
            "the installation failed; the lines above say why. Without network give a folder of "
            "wheels: PAIRLOOM_WHEELS=folder"
        )
    STAMP.write_text("\n".join([*stamps, wanted]) + "\n", encoding="utf-8")
    say(f"Installed in {time.monotonic() - started:.0f} s.")


# ------------------------------------------------------------------------------ commands


def run(arguments: list[str]) -> int:
    """Open Pairloom on the sample; without a display do the main job headless."""
    install("dicom,tiff")
    if has_display():
        return call(venv_python(), "-m", "desktop", *(arguments or [SAMPLES / "digits"]))
    say("No display: doing the main job headless, with a simulated expert on the sample pictures.")
    return sort_headless(ROOT / "output")


def sort_headless(output: Path) -> int:
    """Sort the sample as a person would, and write what came of it into a folder."""
    output.mkdir(exist_ok=True)
    project, curve = output / "digits.pairloom", output / "curve.json"
    groups, picture = output / "groups.csv", output / "window.png"
    for old in (project, curve, groups, picture):
        old.unlink(missing_ok=True)
    python = venv_python()
    simulate = [python, "-m", "engine", "simulate", SAMPLES / "digits.csv", "--label", "digit"]
    simulate += ["--embedder", "classic", "--strategy", "falcon", "--budget", str(BUDGET)]
    for command in (
        [*simulate, "--project", project, "--json", curve],
        [python, "-m", "engine", "export", project, "--csv", groups],
        [python, ROOT / "packaging" / "screenshots.py", "window", project, picture],
    ):
        if status := call(*command, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}):
            return status
    ari = json.loads(curve.read_text(encoding="utf-8"))["ari"]
    say(
        "Learning curve (agreement with the true digits, adjusted Rand index; 1 = the same groups):"
    )
    for asked in range(10, BUDGET + 1, 10):
        say(f"  {asked:4} questions  {ari[asked - 1]:6.3f}  {'#' * round(40 * ari[asked - 1])}")
    for name, file in (
        ("project", project),
        ("groups", groups),
        ("picture of the window", picture),
    ):
        say(f"{name}: {file}")
    return 0


def test(arguments: list[str]) -> int:
    """Run the whole check."""
    install("test")
    return call(venv_python(), ROOT / "tests" / "check.py", *arguments)


def main() -> int:
    """Parse the command line."""
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        stop(f"Python {oldest} or later is needed, this is {platform.python_version()}")
    if importlib.util.find_spec("ensurepip") is None:
        stop(
            "this Python cannot make environments; Debian and Ubuntu: apt-get install python3-venv"
        )
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("run", "test"))
    known, rest = parser.parse_known_args()
    ensure_system_libraries()
    return {"run": run, "test": test}[known.command](rest)


if __name__ == "__main__":
    sys.exit(main())
