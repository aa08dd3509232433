"""Answers of a regression method beside the true values. Pure values; no Qt, no threads.

The counterpart of :class:`mlviz.session.scoring.Scores` where the target is a number: everything the evaluation shows
(fitted against true, residuals, their distribution, R², RMSE, MAE) is a function of one :class:`ValueScores`.
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.maths.regression_scores import mae, r_squared, rmse
from algorithms.records import dataclass
from mlviz.session.scoring import Source, origin_of


@dataclass(frozen=True, slots=True, eq=False)
class ValueScores:
    """What a regression method says about some points of a data set."""

    source: Source
    answers: Array  # (m,) the fitted values
    truth: Array  # (m,)
    points: Array  # (m,) the numbers of the points
    target: str  # what is predicted, by name
    step: int | None = None  # of the run; None for the end of each run
    ended: int = 0  # how many of the runs without a fold were over before this step

    @property
    def residuals(self) -> Array:
        """The truth less the answers."""
        return np.asarray(self.truth - self.answers)

    @property
    def origin(self) -> str:
        """Which model has given these answers, in words."""
        return origin_of(self.source, self.step, self.ended, len(self.points))

    @property
    def rates(self) -> tuple[tuple[str, float], ...]:
        """The named scores."""
        off = self.residuals
        return (
            ("R²", r_squared(self.truth, self.answers)),
            ("RMSE", rmse(self.truth, self.answers)),
            ("MAE", mae(self.truth, self.answers)),
            ("largest residual", float(np.abs(off).max(initial=0.0))),
            ("mean residual", float(off.mean()) if len(off) else 0.0),
        )
