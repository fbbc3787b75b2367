"""The whole check in one command: format, lint, types, then the tests (with import contracts).

    python tests/check.py            everything
    python tests/check.py --fast     without the tests

The exit status counts, not only what is printed: a crash at interpreter exit is a failure too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
SOURCES = ["engine", "desktop", "tests", "packaging", "resources"]
WORKERS = str(min(4, os.cpu_count() or 1))

STATIC = {
    "format": [PYTHON, "-m", "ruff", "format", "--check", "-q", *SOURCES],
    "lint": [PYTHON, "-m", "ruff", "check", "-q", *SOURCES],
    "types": [PYTHON, "-m", "mypy"],
}
TESTS = {
    "tests": [PYTHON, "-m", "pytest", "-q", "-n", WORKERS, "-m", "not benchmark"],
}


def main() -> int:
    """Run every step, even after a failed one, and sum up."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "QT_QPA_PLATFORM": "offscreen"}
    failed: list[str] = []
    for name, command in {**STATIC, **({} if "--fast" in sys.argv else TESTS)}.items():
        print(f"== {name}", flush=True)  # noqa: T201 - a command-line program
        started = time.monotonic()
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if status:
            failed.append(f"{name} (exit {status})")
        print(  # noqa: T201
            f"== {name}: {'FAILED' if status else 'ok'} in {time.monotonic() - started:.0f} s",
            flush=True,
        )
    if failed:
        print(f"check failed: {', '.join(failed)}", flush=True)  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
