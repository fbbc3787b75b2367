"""Kernels: how alike two points are, and sums over all of them that stay within memory.

Hidden here: tiles, features, devices. Promised: `KernelMatrix` gives exact columns, and means that
are exact or come from the features of `approximate`, whose error is measured. What is picked by
these sums, prototypes and criticisms, is in `mmd`.
"""

from __future__ import annotations

from engine.kernels.features import (
    LANDMARKS,
    SUMS,
    Accuracy,
    Approximation,
    approximate,
)
from engine.kernels.functions import (
    KERNELS,
    Kernel,
    Laplacian,
    RationalQuadratic,
    Rbf,
    kernel,
    squared_distances,
)
from engine.kernels.matrix import KernelMatrix
from engine.kernels.widths import FIXED_WIDTH, WIDTHS, width

__all__ = [
    "FIXED_WIDTH",
    "KERNELS",
    "LANDMARKS",
    "SUMS",
    "WIDTHS",
    "Accuracy",
    "Approximation",
    "Kernel",
    "KernelMatrix",
    "Laplacian",
    "RationalQuadratic",
    "Rbf",
    "approximate",
    "kernel",
    "squared_distances",
    "width",
]
