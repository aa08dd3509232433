"""A problem for both: for us and for an estimator with the manners of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from algorithms import Fit, find
from algorithms.data import Points


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One problem for both. ``gap`` compares the objectives that were reached and may be ``tolerance`` at most."""

    key: str
    case: str
    data: Points
    params: dict[str, Any]
    estimator: BaseEstimator
    gap: Callable[[Fit, Any], float]
    tolerance: float
    reach: float = 3.0
    seed: int = 0

    @property
    def target(self) -> Any:
        """What the estimator is fitted to besides the points."""
        return None if find(self.key).target == "none" else self.data.y


def name_of(estimator: Any) -> str:
    """What is fitted, at the end of a pipeline."""
    return type(getattr(estimator, "steps", [("", estimator)])[-1][1]).__name__


def wrong_less(ours: Fit, theirs: Any) -> float:
    """How much better scikit-learn's accuracy on the data is."""
    data = ours.data
    return float(theirs.score(data.X, data.y) - np.mean(ours.predict(data.X) == data.y))
