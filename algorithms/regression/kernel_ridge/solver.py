"""The kernels of kernel ridge regression, the penalties that are tried, and points left out by fits to the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.data.scaling import split
from algorithms.interrupt import checkpoint
from algorithms.maths.feature_space import kernel_times
from algorithms.maths.kernel_spectrum import Spectrum, weights_of
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sum

KernelName = Literal["rbf", "laplacian", "polynomial", "linear"]
Intercept = Literal["none", "free", "penalised"]
LAMBDAS = 41
"""Values of λ in the curves of the error."""
MOST_LEFT_OUT = 150
"""Up to here every point is left out by a fit of its own, of more points one of so many parts:"""
PARTS = 10
_FARTHEST = 1e150
"""What is missed by more is missed by this: its square is still a number."""


def kernel_of(name: KernelName, sigma: float, degree: int, intercept: Intercept) -> Kernel:
    """The kernel; a penalised intercept is a constant that is added to it."""
    kernels: dict[str, Kernel] = {
        "rbf": Gaussian(sigma),
        "laplacian": Laplacian(sigma),
        "polynomial": Polynomial(degree),
        "linear": Linear(),
    }
    return Sum(kernels[name], Polynomial(0)) if intercept == "penalised" else kernels[name]


def lambda_grid(spectrum: Spectrum, current: float) -> Array:
    """Values of λ, largest first: from where next to nothing is left to where next to nothing is penalised."""
    top = min(max(float(spectrum.L.max(initial=0.0)), 1e-6), 1e12)
    return np.geomspace(max(10.0 * top, 2.0 * current), min(1e-8 * top, 0.5 * current), LAMBDAS)


def unit_of(X: Array, from_zero: bool) -> tuple[Array, Array]:
    """What is subtracted from each feature and what it is divided by, (d,) each, before a kernel sees it."""
    low, high = X.min(axis=0), X.max(axis=0)
    if not from_zero:
        return np.zeros_like(low), np.ones_like(low)
    return low, np.where(high > low, high - low, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Refits:
    """Fits without a part of the points, in the scale that the others set.

    The closed form is of one kernel matrix, so it holds only while leaving out a point changes nothing in the others.
    Where the features are scaled it does, by the document or to run from 0 to 1.
    """

    data: Points
    y: Array  # (n,)
    parts: tuple[Array, ...]
    from_zero: bool
    free: bool  # the intercept

    @classmethod
    def of(cls, data: Points, y: Array, from_zero: bool, free: bool, rng: np.random.Generator) -> Refits | None:
        """Every point alone, or parts of many points; none where they do not set the scale, or one is all."""
        if (data.scale == "given" and not from_zero) or data.n < 2:
            return None
        every = np.arange(data.n)
        parts = np.array_split(every if data.n <= MOST_LEFT_OUT else rng.permutation(data.n), _fits(data.n))
        return cls(data, y, tuple(parts), from_zero, free)

    def left_out(self, kernel: Kernel, lambdas: Array, count: int) -> Array:
        """The error at each point of the fit without its part, (n, k) for k values of λ; ``count`` points carry it."""
        errors = np.empty((self.data.n, len(lambdas)))
        for part in self.parts:
            checkpoint()
            rest, rows = split(self.data, part)
            low, span = unit_of(rest.X, self.from_zero)
            y, carry = np.delete(self.y, part), rest.n if count == self.data.n else count
            centres, alphas, intercepts = weights_of(kernel, (rest.X - low) / span, y, self.free, lambdas, carry)
            with np.errstate(over="ignore", invalid="ignore"):
                values = kernel_times(kernel, (rows - low) / span, centres, alphas)
                errors[part] = self.y[part, None] - intercepts - values
        return np.clip(np.nan_to_num(errors, nan=_FARTHEST), -_FARTHEST, _FARTHEST)


def _fits(n: int) -> int:
    return n if n <= MOST_LEFT_OUT else PARTS


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Leave-one-out errors that are known so far: a row of λ for each σ."""

    lambdas: Array  # (k,) largest first
    sigmas: Array  # (w,) all that will be tried; one where the kernel has no width
    errors: Array  # (w, k), not a number where it is not known yet
    current: int  # the row of the σ in use
    name: str  # of the errors

    def filled(self, row: int, errors: Array) -> LeftOut:
        """With one more row."""
        table = self.errors.copy()
        table[row] = errors
        return replace(self, errors=table)

    @property
    def known(self) -> Array:
        """The rows that are known."""
        return np.flatnonzero(np.isfinite(self.errors[:, 0]))

    @property
    def best(self) -> tuple[float, float, float]:
        """(σ, λ, error) where the error is least so far."""
        row, column = np.unravel_index(int(np.nanargmin(self.errors)), self.errors.shape)
        return float(self.sigmas[row]), float(self.lambdas[column]), float(self.errors[row, column])
