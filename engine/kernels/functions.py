"""Kernels and the distances under them.

Hidden here: how a value is got without overflow, and when a distance may be taken by the dot
product. Promised: k(x, x) = 1 and values in [0, 1]; no copy of the points in another type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch

from engine.device import widest
from engine.errors import ParameterError

# Beyond these the square of a width is no number of the type.
_LIMITS = {torch.float64: (1e-150, 1e150), torch.float32: (1e-18, 1e18)}
_DIRECT = 16  # up to this many centres distances are taken difference by difference


@dataclass(frozen=True, slots=True)
class Kernel(ABC):
    """A positive definite similarity of points by their Euclidean distance r, 1 at r = 0.

    Parameters
    ----------
    sigma
        The width, > 0: the distance at which likeness has fallen to exp(-1/2) = 0.61 (RBF),
        exp(-1) = 0.37 (Laplacian) or 1/1.5 = 0.67 (rational quadratic).
    """

    sigma: float
    name: ClassVar[str] = ""

    @abstractmethod
    def of_squared_(self, squared: torch.Tensor) -> torch.Tensor:
        """Turn squared distances into kernel values, in place."""

    @abstractmethod
    def frequencies(self, d: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Draw from the kernel's spectral density, for random Fourier features.

        Returns
        -------
        ndarray
            float64[d, count], columns w with E cos(w . (a - b)) = k(a, b).

        References
        ----------
        Rahimi & Recht (2007), Random features for large-scale kernel machines.
        """

    def of_distances(self, apart: torch.Tensor) -> torch.Tensor:
        """Give the kernel values of distances, which are left as they are."""
        return self.of_squared_(apart.square())

    def __call__(self, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        """Give Tensor[a, b] for Tensor[a, d] and Tensor[b, d] of one float type."""
        return self.of_squared_(squared_distances(rows, columns))

    def width(self, dtype: torch.dtype) -> float:
        """Give sigma, as near as the square of a number of `dtype` allows."""
        narrowest, widest_ = _LIMITS[dtype]
        return min(max(self.sigma, narrowest), widest_)

    @property
    def suits_float32(self) -> bool:
        """Whether distances about as long as the width have squares in float32, with room."""
        return 1e-12 < self.sigma < 1e12


@dataclass(frozen=True, slots=True)
class Rbf(Kernel):
    """Gaussian kernel exp(-r^2 / (2 sigma^2)): smooth, and blind beyond three widths.

    The article's, and the best of the three there. Good where groups are about equally dense, so
    that one width suits them all.
    """

    name: ClassVar[str] = "rbf"

    def of_squared_(self, squared: torch.Tensor) -> torch.Tensor:
        """Turn squared distances into kernel values, in place."""
        return squared.mul_(-0.5 / self.width(squared.dtype) ** 2).exp_()

    def frequencies(self, d: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Draw from a Gaussian."""
        return rng.standard_normal((d, count)) / self.width(torch.float64)


@dataclass(frozen=True, slots=True)
class Laplacian(Kernel):
    """Exponential kernel exp(-r / sigma): steep near a point, with a longer tail than the RBF.

    Helps in many dimensions, where all distances are much alike, and with dense small groups
    beside wide ones; what is far still counts a little.
    """

    name: ClassVar[str] = "laplacian"

    def of_squared_(self, squared: torch.Tensor) -> torch.Tensor:
        """Turn squared distances into kernel values, in place."""
        return squared.sqrt_().mul_(-1 / self.width(squared.dtype)).exp_()

    def of_distances(self, apart: torch.Tensor) -> torch.Tensor:
        """Give the kernel values of distances, without the detour of a square and its root."""
        return apart.mul(-1 / self.width(apart.dtype)).exp_()

    def frequencies(self, d: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Draw from a multivariate Cauchy distribution."""
        normal = rng.standard_normal((d, count))
        return normal / np.abs(rng.standard_normal(count)) / self.width(torch.float64)


@dataclass(frozen=True, slots=True)
class RationalQuadratic(Kernel):
    """Kernel (1 + r^2 / (2 alpha sigma^2))^-alpha: a mixture of Gaussians of many widths.

    Helps when groups differ much in density or the width is a guess: it never falls to nothing,
    so that even a width far too small leaves an order among the points.

    Parameters
    ----------
    alpha
        How much the widths vary, > 0: the lower, the longer the tail.
    """

    alpha: float = 1.0
    name: ClassVar[str] = "rational-quadratic"

    def of_squared_(self, squared: torch.Tensor) -> torch.Tensor:
        """Turn squared distances into kernel values, in place."""
        squared.mul_(0.5 / self.alpha / self.width(squared.dtype) ** 2).add_(1)
        return squared.reciprocal_() if self.alpha == 1 else squared.pow_(-self.alpha)

    def frequencies(self, d: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Draw from Gaussians whose precision follows a gamma distribution."""
        normal = rng.standard_normal((d, count))
        spread = np.sqrt(rng.gamma(self.alpha, 1 / self.alpha, count))
        return normal * spread / self.width(torch.float64)


_BY_NAME: dict[str, type[Kernel]] = {
    kind.name: kind for kind in (Rbf, Laplacian, RationalQuadratic)
}
KERNELS = tuple(_BY_NAME)


def kernel(name: str, sigma: float) -> Kernel:
    """Make the kernel of a name out of `KERNELS`.

    Raises
    ------
    ParameterError
        When there is none.
    """
    if name not in _BY_NAME:
        raise ParameterError(
            f"there is no kernel “{name}”.", f"Choose one of {', '.join(KERNELS)}."
        )
    return _BY_NAME[name](sigma)


def squared_distances(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Give squared Euclidean distances, Tensor[a, b], of Tensor[a, d] and Tensor[b, d].

    Against few columns they are summed difference by difference: exact zeros between copies, and
    the same value whatever else is computed along with it. Against many, by the dot product:
    rounding error about 1e-16 times the squared norms; in float32, 1e-7 times the squared
    distances from the columns' mean.
    """
    if len(columns) <= _DIRECT:
        return direct_distances(rows, columns).square_()
    if rows.dtype == torch.float32:
        centre = columns.mean(0)
        rows, columns = rows - centre, columns - centre
    squares = torch.addmm(columns.square().sum(1)[None, :], rows, columns.T, alpha=-2)
    return squares.add_(rows.square().sum(1)[:, None]).clamp_(min=0)


def direct_distances(rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Give Euclidean distances, Tensor[a, b], summed difference by difference."""
    return torch.cdist(rows, columns, compute_mode="donot_use_mm_for_euclid_dist")


def exact(points: torch.Tensor) -> torch.Tensor:
    """Give points in float64; on the processor when their device knows no float64."""
    if widest(points.device) != torch.float64:
        points = points.cpu()
    return points.double()
