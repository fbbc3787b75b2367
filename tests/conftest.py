"""What is set before any Qt or torch is imported, and which examples property tests draw."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_SCALE_FACTOR", "1")
os.environ.setdefault("PYTEST_QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same examples every time: what passed passes again. Others for who looks for faults.
settings.register_profile("same", derandomize=True)
settings.register_profile("others", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
