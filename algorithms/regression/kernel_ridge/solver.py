"""The kernels of kernel ridge regression, and the penalties that are tried."""

from __future__ import annotations

from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.maths.kernel_spectrum import Spectrum
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sum

KernelName = Literal["rbf", "laplacian", "polynomial", "linear"]
Intercept = Literal["none", "free", "penalised"]
LAMBDAS = 41
"""Values of λ in the curves of the error."""


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
