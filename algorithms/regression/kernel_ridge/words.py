"""Captions of kernel ridge regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.maths.landmarks import landmark_warning
from algorithms.maths.words import change, counted
from algorithms.regression.kernel_ridge.solver import LeftOut

if TYPE_CHECKING:
    from algorithms.regression.kernel_ridge import Given, Model, Shot


def opening(shot: Shot) -> str:
    """The first frame."""
    given, n = shot.given, shot.given.data.n
    if given.goes_on:
        return "The run starts from the fit before the change."
    words = f"The kernel between {counted(n, 'point')} is calculated"
    if given.count < n:
        words = f"{counted(given.count, 'landmark')} carry the fit to {n:,} points; the kernel at them is calculated"
    return f"{words}; all α are 0, so that each residual is the target.{_quick(given, 'the eigenvectors are')}"


def direction(shot: Shot) -> str:
    """The fit along the first eigenvectors."""
    given, k = shot.given, shot.shown.directions
    which = f"Eigenvector {k} of K" if k == 1 else f"Eigenvectors up to {k} of K"
    d, kept = given.eigenvalues[k - 1], given.kept[k - 1]
    words = f"{which}: eigenvalue {d:.3g} keeps the fraction d / (d + λ) = {kept:.3g}"
    return f"{words}; {change('the mean squared residual', shot.shown.before, shot.metrics['mse'])}."


def solved(shot: Shot) -> str:
    """The whole solution."""
    model, m = shot.model, len(shot.model.alpha)
    exact = m == shot.given.data.n
    words = "(K + λI) α = y is solved" if exact else f"The best fit that {counted(m, 'landmark')} can carry is found"
    largest = float(np.abs(model.alpha).max(initial=0.0))
    words = f"{words}: {counted(m, 'weight')} α, the largest {largest:.3g}, with {_degrees(model)}"
    words += f"; the root mean squared error of left-out points is {model.loo**0.5:.3g}"
    if model.refits:
        words += f" ({counted(model.refits, 'fit')} in the scale of the others, no formula)"
    return f"{words}."


def lambdas(shot: Shot) -> str:
    """One row of errors, of the σ in use."""
    left_out, model = _known(shot), shot.model
    row = left_out.errors[left_out.current]
    best = int(row.argmin())
    begin = f"Every point left out in turn, for {len(row)} values of λ at once, from one decomposition of K"
    if model.refits:
        begin = (
            f"{_left_out(model).capitalize()} left out in turn, for {len(row)} values of λ, by "
            f"{counted(model.refits, 'fit')} in the scale that the others set"
        )
    words = f"{begin}: the mean squared error is least, {row[best]:.3g}, at λ = {left_out.lambdas[best]:.2g}."
    return words + _quick(shot.given, "the curves are")


def widths(shot: Shot) -> str:
    """One row of errors, of another σ."""
    left_out, row = _known(shot), shot.shown.row
    errors = left_out.errors[row]
    best = int(errors.argmin())
    sigma, lam, least = left_out.best
    words = f"σ = {left_out.sigmas[row]:.3g}: the least error {errors[best]:.3g} is at λ = {left_out.lambdas[best]:.2g}"
    return f"{words}; so far the least of all is {least:.3g} at σ = {sigma:.3g}, λ = {lam:.2g}."


def done(shot: Shot) -> str:
    """The fit with everything that is known about it."""
    model, left_out = shot.model, shot.shown.left_out
    words = f"f is a sum over {counted(len(model.alpha), 'point')} with {_degrees(model)}"
    words += (
        f"; the mean squared residual is {shot.metrics['mse']:.4g}, with {_left_out(model)} left out {model.loo:.4g}"
    )
    if left_out is not None:
        sigma, lam, error = left_out.best
        best = f"λ = {lam:.2g}" + (f" and σ = {sigma:.3g}" if shot.given.sigma is not None else "")
        words += f". The error of left-out points is least, {error:.3g}, for {best}"
    return words + "."


def warning(shot: Shot) -> str:
    """A fit that not all points carry."""
    return landmark_warning(shot.given.data.n, shot.given.count)


def _known(shot: Shot) -> LeftOut:
    assert shot.shown.left_out is not None
    return shot.shown.left_out


def _degrees(model: Model) -> str:
    return f"{model.degrees:.3g} effective degrees of freedom"


def _quick(given: Given, what: str) -> str:
    """Where eigenvectors and curves are of fewer points than the fit."""
    return "" if given.landmarks == given.count else f" To be quick, {what} of {given.landmarks} landmarks."


def _left_out(model: Model) -> str:
    """What is left out at a time."""
    return "each part" if model.in_parts else "each point"


CAPTIONS = {
    "kernel": opening,
    "direction": direction,
    "solve": solved,
    "loo": lambdas,
    "width": widths,
    "done": done,
}
