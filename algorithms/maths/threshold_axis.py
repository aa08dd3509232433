"""The axis of a plot on which thresholds of several features stand side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array

ALIKE = 3.0
"""Features whose common range is at most this many times each of theirs stand on it as they are."""


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdAxis:
    """In the units of the features where their ranges are alike, otherwise from 0 to 1 along the range of each."""

    features: tuple[str, ...]
    low: Array | None  # (d,) where each feature begins; none where all are as they are
    span: Array  # (d,) how far each feature goes

    @classmethod
    def of(cls, features: tuple[str, ...], low: Array, high: Array) -> ThresholdAxis:
        """The axis of features between these ends, (d,) each."""
        span = np.where(high > low, high - low, 1.0)
        common = high.max() / 2 - low.min() / 2
        return cls(features, None if common <= ALIKE / 2 * span.min() else low, span)

    def name(self, feature: int) -> str:
        """A feature, and in which unit it stands there."""
        return self.features[feature] + ("" if self.low is None else " (fraction of its range)")

    def scaled(self, feature: int, at: Array) -> Array:
        """Where thresholds of a feature stand."""
        if self.low is None:
            return at
        return at / self.span[feature] - self.low[feature] / self.span[feature]
