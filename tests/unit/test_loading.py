from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import gc, sys
from engine.loading import load_libraries

load_libraries(1)
import torch

assert torch.get_num_threads() == 1
assert {"engine.study", "scipy.sparse", "scipy.fft"} <= sys.modules.keys()
assert gc.isenabled()
assert gc.get_freeze_count() > 100_000, gc.get_freeze_count()
before = gc.get_freeze_count()
load_libraries(2)
assert torch.get_num_threads() == 2
assert gc.get_freeze_count() == before  # what the program makes later is collected as ever
"""


def test_what_is_loaded_is_exempt_from_collections_of_garbage() -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=root, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
