"""How many of many points carry a kernel's sum, said once for every kernel method.

Up to :data:`MOST_EXACT` points f(x) = Σ α_i k(x_i, x) goes over all of them. Of more points the sum goes over some, the
landmarks, and the fit is the best one in the space that they span (subset of regressors; Nyström). Their number does
not depend on how many points there are, so more data never make the fit worse.
Reference: Rasmussen and Williams, Gaussian Processes for Machine Learning, section 8.3.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from algorithms.data import Array
from algorithms.maths.words import counted
from algorithms.params import Advanced, Between, Doc, Zero

MOST_EXACT = 4000
"""Up to here all points carry the sum: a Cholesky factor of this size takes half a second to a second."""
FEW = 1000
"""So many landmarks carry the sum of more points, unless the knob says another number."""
MOST_SPECTRAL = 1000
"""Up to here the eigenvectors of the Gram matrix are cheap (0.1 s)."""
SPECTRAL_LANDMARKS = 400
"""So many landmarks stand for more points where a decomposition is needed for every width of the kernel."""

LandmarksKnob = Annotated[
    int,
    Between(0, 2000),
    Zero("automatic"),
    Advanced,
    Doc(
        f"How many points carry the sum; with fewer than all the fit is approximate. 0: all up to {MOST_EXACT:,}"
        f" points, {FEW:,} of more."
    ),
]


def landmark_count(n: int, wanted: int = 0) -> int:
    """How many of n points carry the sum; ``wanted`` is the value of the knob."""
    if wanted:
        return min(n, wanted)
    return n if n <= MOST_EXACT else FEW


def spectral_count(n: int, count: int) -> int:
    """How many of ``count`` landmarks stand in where eigenvectors are needed again and again."""
    return count if n <= MOST_SPECTRAL else min(count, SPECTRAL_LANDMARKS)


def landmarks(n: int, count: int) -> Array:
    """Which points they are, (count,): at equal distances in the table."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).astype(np.intp))


MOST_COMPARED = 10_000
"""Up to here another library is asked for the exact fit, which takes a table of all pairs."""


def landmark_caveat(n: int, count: int) -> str:
    """Why the exact fit of another library differs from one that ``count`` of n points carry; empty where all do."""
    if count >= n:
        return ""
    return f"{counted(count, 'landmark')} of {n:,} points here, all points there: the cost of the approximation."


def landmark_warning(n: int, count: int) -> str:
    """What there is to doubt about a fit that ``count`` of n points carry; empty where all do."""
    if count >= n:
        return ""
    return f"The fit is approximate: {counted(count, 'landmark')} carry it, not all {n:,} points."
