"""How good predicted values are: pure functions of true values and answers.

A residual is the truth less the answer. R² compares the residuals with those of the mean: 1 is perfect, 0 no better
than the mean of these points, and below 0 it is worse. Where all true values are equal there is no R² (not a number).

Reference: Methods for Data Science §2.1.2, §4.2.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.data import Array


def r_squared(truth: Array, answers: Array) -> float:
    """1 - Σ (y - f)² / Σ (y - ȳ)²."""
    scale = float(np.abs(truth - truth.mean()).max(initial=0.0))
    if not scale > 0.0:
        return math.nan
    off, spread = (truth - answers) / scale, (truth - truth.mean()) / scale
    with np.errstate(over="ignore"):
        return 1.0 - float(off @ off) / float(spread @ spread)


def rmse(truth: Array, answers: Array) -> float:
    """The root of the mean squared residual."""
    off = truth - answers
    scale = float(np.abs(off).max(initial=0.0))
    return scale * float(np.sqrt(np.square(off / scale).mean())) if scale > 0.0 else 0.0


def mae(truth: Array, answers: Array) -> float:
    """The mean absolute residual."""
    return float(np.abs(truth - answers).mean()) if len(truth) else 0.0


def quantile_pairs(residuals: Array, most: int = 2000) -> tuple[Array, Array, Array]:
    """For a QQ plot: quantiles of the normal distribution, the residuals at them, and which residual each one is.

    The k-th of n residuals in order stands at the quantile (k - 3/8) / (n + 1/4) (Blom). Of very many residuals some at
    equal distances are taken; the first and the last always.
    """
    from scipy.special import ndtri  # loaded only where it is looked at

    order = np.argsort(residuals, kind="stable")
    ranks = np.unique(np.linspace(0, len(order) - 1, min(len(order), most)).astype(np.intp))
    at = ndtri((ranks + 1 - 0.375) / (len(order) + 0.25))
    return at, residuals[order[ranks]], order[ranks]
