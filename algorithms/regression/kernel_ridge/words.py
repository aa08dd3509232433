"""Captions of kernel ridge regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.maths.kernel_spectrum import Spectrum
from algorithms.maths.words import counted
from algorithms.regression.kernel_ridge.views import LeftOut

if TYPE_CHECKING:
    from algorithms.regression.kernel_ridge import Model


def opening(spectrum: Spectrum, goes_on: bool) -> str:
    """The first frame."""
    if goes_on:
        return "It goes on from the fit before the change."
    n, m = len(spectrum.target), len(spectrum.members)
    words = f"The kernel between {counted(n, 'point')} is worked out"
    if m < n:
        words = f"Of {n:,} points {m} are chosen as centres and the kernel at them is worked out"
    return f"{words}; all α are 0, so that each residual is the target."


def direction(spectrum: Spectrum, k: int, kept: Array, before: float, now: float) -> str:
    """The fit along the first eigenvectors."""
    which = f"Eigenvector {k} of K" if k == 1 else f"Eigenvectors up to {k} of K"
    words = f"{which}: eigenvalue {spectrum.L[k - 1]:.3g} keeps the fraction d / (d + λ) = {kept[k - 1]:.3g}"
    return f"{words}; the mean squared residual goes from {before:.4g} to {now:.4g}."


def solved(model: Model, kept: Array) -> str:
    """The whole solution."""
    words = f"(K + λI) α = y is solved: {counted(len(model.alpha), 'weight')} α, the largest {_largest(model):.3g}"
    words = f"{words}, worth {kept.sum():.3g} coefficients; left-out points are missed by {model.loo**0.5:.3g}"
    if model.refits:
        words += f" ({counted(model.refits, 'fit')} in the scale of the others, no formula)"
    return f"{words}."


def lambdas(left_out: LeftOut, model: Model) -> str:
    """One row of errors, of the σ in use."""
    row = left_out.errors[left_out.current]
    best = int(row.argmin())
    begin = f"Every point left out in turn, for {len(row)} values of λ at once, from one decomposition of K"
    if model.refits:
        begin = (
            f"{_left_out(model).capitalize()} left out in turn, for {len(row)} values of λ, by "
            f"{counted(model.refits, 'fit')} in the scale that the others set"
        )
    return f"{begin}: the mean squared error is least, {row[best]:.3g}, at λ = {left_out.lambdas[best]:.2g}."


def widths(left_out: LeftOut, row: int) -> str:
    """One row of errors, of another σ."""
    errors = left_out.errors[row]
    best = int(errors.argmin())
    sigma, lam, least = left_out.best
    words = f"σ = {left_out.sigmas[row]:.3g}: the least error {errors[best]:.3g} is at λ = {left_out.lambdas[best]:.2g}"
    return f"{words}; so far the least of all is {least:.3g} at σ = {sigma:.3g}, λ = {lam:.2g}."


def done(model: Model, kept: Array, mse: float, left_out: LeftOut | None, wide: bool) -> str:
    """The fit with everything that is known about it."""
    words = f"f is a sum over {counted(len(model.alpha), 'point')}, worth {kept.sum():.3g} coefficients"
    words += f"; the mean squared residual is {mse:.4g}, with {_left_out(model)} left out {model.loo:.4g}"
    if left_out is not None:
        sigma, lam, _ = left_out.best
        words += f". Left-out points favour λ = {lam:.2g}" + (f" with σ = {sigma:.3g}" if wide else "")
    return words + "."


def _left_out(model: Model) -> str:
    """What is left out at a time."""
    return "each part" if model.in_parts else "each point"


def _largest(model: Model) -> float:
    return float(np.abs(model.alpha).max(initial=0.0))
