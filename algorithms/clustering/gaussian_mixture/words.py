"""The captions of a mixture."""

from __future__ import annotations

import numpy as np

from algorithms.clustering.gaussian_mixture.solver import HalfStep
from algorithms.contract import Stop
from algorithms.maths.restarts import Restarts
from algorithms.maths.words import counted, signed

_BEGINNINGS = {
    "k-means": "begin on the clusters of a k-means run",
    "random points": "begin round, on points drawn at random",
    "random responsibilities": "begin from random responsibilities",
    "by hand": "begin round, where they were put by hand",
}


def opening(half: HalfStep, init: str, resumed: bool) -> str:
    """Where the components come from."""
    k = len(half.mixture.weights)
    where = f"go on from {'a' if k == 1 else 'the'} given model" if resumed else _BEGINNINGS[init]
    return f"{counted(k, 'component')} {where}; {_likelihood(half)}."


def step(half: HalfStep, before: float | None) -> str:
    """What a half step has done; ``before`` is the log-likelihood before it."""
    if half.collapsed is not None:
        return f"Component {half.collapsed[0] + 1} collapses: its covariance becomes singular, and EM stops before it."
    if half.phase == "M step":
        rise = "" if before is None else f", {signed(half.log_likelihood - before)}"
        return f"Weights, means and covariances are fitted to the responsibilities; {_likelihood(half)}{rise}."
    sure = int(np.count_nonzero(half.responsibilities.max(axis=0) > 0.9))
    points = counted(half.responsibilities.shape[1], "point")
    shared = f"{sure:,} of {points} belong to one component by more than 90 %"
    if half.stop is Stop.CONVERGED:
        return f"EM has converged: {_likelihood(half)}; {shared}."
    return f"Every point is shared among the components; {shared}; {_likelihood(half)}."


def collapse(half: HalfStep) -> str:
    """The warning where a component has shrunk onto too few points."""
    if half.collapsed is None:
        return ""
    return (
        "A component that shrinks onto too few points makes the likelihood grow without limit; "
        "set floor above 0 or begin elsewhere."
    )


def best(half: HalfStep, number: int, restarts: Restarts) -> str:
    """Which restart is kept."""
    return (
        f"Restart {number} of {restarts.total} is the best: {_likelihood(half)}; "
        f"all of them end between {min(restarts.finals):.6g} and {max(restarts.finals):.6g}."
    )


def _likelihood(half: HalfStep) -> str:
    value, n = half.log_likelihood, half.responsibilities.shape[1]
    return f"log-likelihood {value:.6g} ({value / n:.4g} per point)"
