"""Garbage is collected between files of tests, never while something is painted.

The views of pyqtgraph are cycles. Those that earlier tests left would else be taken apart wherever
the collector happens to run, in the middle of a `paintEvent` too, which now and then crashes Qt.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def no_garbage_while_painting() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()
    gc.collect()
