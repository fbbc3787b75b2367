"""Loading of heavy libraries ahead of their first use, without holding up a thread that draws."""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import os
import sys
from pathlib import Path

_WANTED = ("torch", "scipy.fft", "scipy.sparse", "scipy.sparse.csgraph", "engine.study")


def load_libraries(threads: int) -> None:
    """Import torch, the parts of scipy in use and the engine; let torch use that many threads.

    Notes
    -----
    `import torch` keeps the interpreter's lock while the system maps 400 MB and runs static
    constructors: measured, one stall of 160 to 240 ms of every other thread with a warm disk,
    more with a cold one. A foreign call gives the lock up; the import then finds the library
    loaded, and stalls of at most 70 ms are left.

    What is imported stays, and is half a million objects. Every full collection of garbage would
    look at them all, with all threads standing still: measured, 110 to 150 ms, during the import
    and at any time later. So nothing is collected meanwhile, and they are exempt afterwards.
    """
    if not all(name in sys.modules for name in _WANTED):
        _import_all()
    import torch

    torch.set_num_threads(threads)


def _import_all() -> None:
    collects = gc.isenabled()
    gc.disable()
    try:
        if "torch" not in sys.modules:
            _map_libraries()
        for name in _WANTED:
            importlib.import_module(name)
        gc.freeze()
    finally:
        if collects:
            gc.enable()


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
