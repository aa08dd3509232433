"""The captions of the likelihood of a Gaussian."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.evaluation.gaussian_likelihood.views import NAMES
from algorithms.maths.gaussians import log_densities
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.evaluation.gaussian_likelihood import Shot

NAMED = 3
"""Features whose means and variances a sentence names."""
WHAT = (
    "the place",
    "measured from the mean",
    "which falls to both sides of the mean",
    "which falls more slowly where σ is large",
    "a bell, which the factor 1/(σ √(2π)) makes a density",
)


def _opening(shot: Shot) -> str:
    points, total = counted(shot.given.data.n, "point"), number(shot.model.log_likelihood)
    return f"With this mean and covariance the log-likelihood of {points} is {total}."


def _built(shot: Shot) -> str:
    part = shot.shown.parts - 1
    of = f", for the feature {shot.given.data.features[0]}" if shot.given.data.d > 1 else ""
    return f"Part {part + 1} of the formula{of}: {NAMES[part]}, {WHAT[part]}."


def _multiplied(shot: Shot) -> str:
    """The product of the first heights, and the sum of their logarithms."""
    model, count = shot.model, shot.shown.counted
    X = np.ascontiguousarray(shot.given.data.X[:count].T)
    total = float(log_densities(X, model.mean[None], model.covariance[None])[0].sum())
    product = number(float(np.exp(total))) if -744.0 <= total <= 709.0 else "too small" if total < 0.0 else "too large"
    product += "" if -744.0 <= total <= 709.0 else " for a number"
    return f"The product of {counted(count, 'height')} is {product}; the sum of their logarithms is {number(total)}."


def _climbed(shot: Shot) -> str:
    step, total, gain = len(shot.shown.path) - 1, number(shot.model.log_likelihood), shot.shown.gain
    if number(shot.model.log_likelihood - gain) == total:
        return f"Iteration {step}: the log-likelihood stays at {total}, where it rises by less than its last digit."
    return f"Iteration {step}: the log-likelihood rises by {number(gain)} to {total}."


def _maximum(shot: Shot) -> str:
    """The maximum-likelihood estimates, and the unbiased variances."""
    n, model = shot.given.sample.n, shot.model
    variances = np.diag(model.covariance)
    unbiased = _list(variances * n / (n - 1))
    mean, biased = _list(model.mean), _list(variances)
    if len(variances) == 1:
        return (
            f"The likelihood is largest with the mean {mean} and the variance {biased}, with 1/n; with 1/(n - 1) it "
            f"would be {unbiased}, which is unbiased."
        )
    return (
        f"The likelihood is largest with the mean {mean} and the covariance of the points with 1/n, which has the "
        f"variances {biased}; with 1/(n - 1) they would be {unbiased}, which is unbiased."
    )


def _list(values: np.ndarray) -> str:
    """One number, or some of several in brackets."""
    if len(values) == 1:
        return number(float(values[0]))
    return "(" + ", ".join(map(number, values[:NAMED].tolist())) + (", ...)" if len(values) > NAMED else ")")


CAPTIONS = {"start": _opening, "build": _built, "heights": _multiplied, "climb": _climbed, "result": _maximum}
