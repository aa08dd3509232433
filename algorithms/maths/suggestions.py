"""What data suggest for a knob: the width of a kernel from the distances, a degree from the number of features ...

Each function takes the data and gives a value, or None where the default is as good. They look at a sample of at most
``MOST`` points, so that a suggestion costs a millisecond.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.data import Array, Points

MOST = 2000
PART_OF_LARGEST = 0.01
"""The penalty that is suggested, as a part of the least one at which all coefficients of a lasso are 0."""


def kernel_width(data: Any) -> float | None:
    """Half the root of the mean squared distance of two points: sqrt(d/2) for standardised features.

    The bell then falls to exp(-1) at twice the root of the variance; scikit-learn calls it gamma="scale".
    """
    if not isinstance(data, Points) or data.n < 2:
        return None
    width = float(np.sqrt(_sample(data.X).var(axis=0).sum() / 2.0))
    return float(f"{width:.3g}") if np.isfinite(width) and width > 0.0 else None


def length_of_standardised(data: Any) -> float | None:
    """The same for a method that standardises the features itself: sqrt(d/2)."""
    return float(f"{np.sqrt(data.d / 2.0):.3g}") if isinstance(data, Points) and data.n > 1 else None


def polynomial_degree(data: Any) -> int | None:
    """Straight lines from three features on, where higher powers have too many products; parabolas below."""
    if not isinstance(data, Points) or not data.n:
        return None
    return 1 if data.d >= 3 else 2


def lasso_penalty(data: Any) -> float | None:
    """A hundredth of the penalty at which every coefficient of a straight fit is 0."""
    if not isinstance(data, Points) or not data.is_valued or data.y is None or data.n < 2:
        return None
    X, y = data.X, data.y
    with np.errstate(all="ignore"):
        largest = float(np.abs(2.0 * (X - X.mean(axis=0)).T @ (y - y.mean())).max())
    return float(f"{PART_OF_LARGEST * largest:.3g}") if np.isfinite(largest) and largest > 0.0 else None


def free_intercept(_: Any) -> str:
    """A constant that no penalty holds near 0, as the values of a table are seldom around 0."""
    return "free"


def _sample(X: Array) -> Array:
    return X[:: max(len(X) // MOST, 1)]
