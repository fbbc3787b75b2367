"""`python -m engine`: the command line."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from engine.cli import main

        status = main()
    except KeyboardInterrupt:  # Ctrl-C while the program was still being loaded
        status = 130
    sys.exit(status)
