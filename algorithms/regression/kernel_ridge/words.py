"""Captions of kernel ridge regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.maths.kernel_spectrum import Spectrum
from algorithms.maths.words import change, counted
from algorithms.regression.kernel_ridge.views import LeftOut

if TYPE_CHECKING:
    from algorithms.regression.kernel_ridge import Context, Model


def opening(context: Context, goes_on: bool) -> str:
    """The first frame."""
    if goes_on:
        return "The run starts from the fit before the change."
    n = context.data.n
    words = f"The kernel between {counted(n, 'point')} is calculated"
    if context.count < n:
        words = f"{counted(context.count, 'landmark')} carry the fit to {n:,} points; the kernel at them is calculated"
    words += "; all α are 0, so that each residual is the target."
    return words + _of_landmarks(context, "the eigenvectors are")


def direction(spectrum: Spectrum, k: int, kept: Array, before: float, now: float) -> str:
    """The fit along the first eigenvectors."""
    which = f"Eigenvector {k} of K" if k == 1 else f"Eigenvectors up to {k} of K"
    words = f"{which}: eigenvalue {spectrum.L[k - 1]:.3g} keeps the fraction d / (d + λ) = {kept[k - 1]:.3g}"
    return f"{words}; {change('the mean squared residual', before, now)}."


def solved(model: Model, n: int) -> str:
    """The whole solution."""
    m = len(model.alpha)
    words = "(K + λI) α = y is solved" if m == n else f"The best fit that {counted(m, 'landmark')} can carry is found"
    words = f"{words}: {counted(m, 'weight')} α, the largest {_largest(model):.3g}, with {_degrees(model)}"
    words += f"; the root mean squared error of left-out points is {model.loo**0.5:.3g}"
    if model.refits:
        words += f" ({counted(model.refits, 'fit')} in the scale of the others, no formula)"
    return f"{words}."


def _degrees(model: Model) -> str:
    return f"{model.degrees:.3g} effective degrees of freedom"


def _of_landmarks(context: Context, what: str) -> str:
    """Where eigenvectors and curves are of fewer points than the fit."""
    shown = len(context.spectrum.members)
    return "" if shown == context.count else f" To be quick, {what} of {shown} landmarks."


def lambdas(left_out: LeftOut, model: Model, context: Context) -> str:
    """One row of errors, of the σ in use."""
    row = left_out.errors[left_out.current]
    best = int(row.argmin())
    begin = f"Every point left out in turn, for {len(row)} values of λ at once, from one decomposition of K"
    if model.refits:
        begin = (
            f"{_left_out(model).capitalize()} left out in turn, for {len(row)} values of λ, by "
            f"{counted(model.refits, 'fit')} in the scale that the others set"
        )
    words = f"{begin}: the mean squared error is least, {row[best]:.3g}, at λ = {left_out.lambdas[best]:.2g}."
    return words + _of_landmarks(context, "the curves are")


def widths(left_out: LeftOut, row: int) -> str:
    """One row of errors, of another σ."""
    errors = left_out.errors[row]
    best = int(errors.argmin())
    sigma, lam, least = left_out.best
    words = f"σ = {left_out.sigmas[row]:.3g}: the least error {errors[best]:.3g} is at λ = {left_out.lambdas[best]:.2g}"
    return f"{words}; so far the least of all is {least:.3g} at σ = {sigma:.3g}, λ = {lam:.2g}."


def done(model: Model, mse: float, left_out: LeftOut | None, wide: bool) -> str:
    """The fit with everything that is known about it."""
    words = f"f is a sum over {counted(len(model.alpha), 'point')} with {_degrees(model)}"
    words += f"; the mean squared residual is {mse:.4g}, with {_left_out(model)} left out {model.loo:.4g}"
    if left_out is not None:
        sigma, lam, error = left_out.best
        best = f"λ = {lam:.2g}" + (f" and σ = {sigma:.3g}" if wide else "")
        words += f". The error of left-out points is least, {error:.3g}, for {best}"
    return words + "."


def _left_out(model: Model) -> str:
    """What is left out at a time."""
    return "each part" if model.in_parts else "each point"


def _largest(model: Model) -> float:
    return float(np.abs(model.alpha).max(initial=0.0))
