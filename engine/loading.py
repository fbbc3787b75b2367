"""Loading torch ahead of its first use, without holding up the thread that draws a window."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path


def load_torch(threads: int) -> None:
    """Import torch, and let it use that many threads.

    Notes
    -----
    `import torch` keeps the interpreter's lock while the system maps 400 MB and runs static
    constructors: measured, one stall of 160 to 240 ms of every other thread with a warm disk,
    more with a cold one. A foreign call gives the lock up; the import then finds the library
    loaded, and stalls of at most 70 ms are left.
    """
    if "torch" not in sys.modules:
        _map_libraries()
    import torch

    torch.set_num_threads(threads)


def _map_libraries() -> None:
    """Map torch's large libraries. Where that fails, the import will do it, or say why not."""
    spec = importlib.util.find_spec("torch")
    if not sys.platform.startswith("linux") or spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent / "lib"
    dlopen = ctypes.CDLL(None).dlopen
    dlopen.restype = ctypes.c_void_p
    dlopen.argtypes = (ctypes.c_char_p, ctypes.c_int)
    for name in ("libtorch_cpu.so", "libtorch_python.so"):
        dlopen(os.fsencode(folder / name), os.RTLD_NOW)
