"""Plain answers that tests compare with."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.maths.cross_validation import Errors, Folds, Working, sweep_lambda
from algorithms.maths.scores import Counts


def counts_at(scores: Any, positive: Any, threshold: float) -> Counts:
    """The four cells when everything above the threshold is called positive."""
    mask, called = np.asarray(positive, dtype=bool), np.asarray(scores) > threshold
    tp, fp = int((called & mask).sum()), int((called & ~mask).sum())
    ups = int(mask.sum())
    return Counts(tp, fp, ups - tp, len(mask) - ups - fp)


def fit_and_errors(
    columns: Any, y: Any, centred: bool, penalty: Any, loss: Any, folds: Folds
) -> tuple[float, Any, Errors]:
    """The fit with these columns, and its errors when each part is held out once: a sweep over a single penalty."""
    swept = sweep_lambda(columns, y, centred, loss, [penalty], folds)
    return next(found for found in swept if not isinstance(found, Working))
