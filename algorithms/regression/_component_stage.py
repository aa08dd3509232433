"""Principal component regression: least squares along the longest directions of the columns, one after the other.

With Φ = U S V' (centred, so that the intercept stays free) β = V_m S_m⁻¹ U_m'y uses the first m directions only. Where
ridge keeps the share d / (d + λ) of each, d = s², this keeps all of the first m and nothing of the others: short
directions, in which columns that say nearly the same differ, are left out, and the coefficients stay small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from algorithms.contract import Snapshot
from algorithms.maths.cross_validation import Errors, sweep_directions
from algorithms.maths.design import count_directions
from algorithms.maths.linear_fits import by_directions
from algorithms.maths.penalties import Penalty
from algorithms.regression._regression_marks import ErrorCurve, eigenvalue_marks
from algorithms.regression._regression_stage import Stage, frame_sizes
from algorithms.regression._regression_views import Trial
from algorithms.regression._sweep_stage import error_floor


class Components:
    """The directions of one run, those in use and those beyond. A working object of one run."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        assert stage.penalty.directions is not None
        raw, y = stage.raw_centred()
        _, s, Vt = np.linalg.svd(raw, full_matrices=False)
        rows = max(stage.data.n, *raw.shape)
        rank = count_directions(s, rows, len(s))
        self.used = count_directions(s, rows, stage.penalty.directions)
        self.sizes = sorted({*frame_sizes(rank), self.used} - {0})
        self.steps = dict(zip(self.sizes, by_directions(raw, y, 0.0, self.sizes, stage.data.n), strict=True))
        self.held = s**2 / max(float((s**2).sum()), np.finfo(float).tiny)  # share of the variance, by direction
        stage.picture = replace(stage.picture, penalty=Penalty(directions=self.used), turned=Vt.T)
        self.errors: Iterator[Errors] | None = None
        if stage.folds is not None and rank:
            stage.component_curve = ErrorCurve("components", float(self.used), error_floor(stage))
            self.errors = sweep_directions(stage.columns, stage.y, stage.centred, self.sizes, stage.folds)

    def frames(self, hurry: bool) -> Iterator[Snapshot]:
        """The directions in use, one per frame; going on from a model there is only the last step."""
        stage = self.stage
        stage.final = stage.model_of(stage.mean, np.zeros(stage.columns.shape[1]))
        if stage.centred and not hurry:
            yield stage.column_frame(0, stage.final, nothing_new=False, directions=True)
        sizes = [self.used] * bool(self.used) if hurry else [k for k in self.sizes if k <= self.used]
        for k in sizes:
            beta, eigenvalues, share = self.steps[k]
            stage.final = stage.from_raw(beta)
            if len(eigenvalues) > 1:
                stage.views["eigenvalues"] = eigenvalue_marks(eigenvalues, 0.0, k)
            more = f": {self._words(k)}" + ("" if hurry else self._error(k))
            yield stage.direction_frame(k, stage.final, eigenvalues, share, more)
        stage.settle(stage.final)

    def beyond(self) -> Iterator[Snapshot]:
        """The error with the directions that are left out, were they used (after a hurry of all); then the least."""
        stage = self.stage
        if self.errors is None or stage.component_curve is None:
            return
        for k in [k for k in self.sizes if k not in stage.component_curve.at]:
            words = f"Were {k} directions used" if k > 1 else "Were only direction 1 used"
            caption = f"{words}: {self._words(k)}{self._error(k)}."
            yield stage.frame(stage.final, "components", caption, trial=self._trial(k))
        best, count = round(stage.component_curve.best), self.sizes[-1]
        words = f"Of {count} direction{'s' if count > 1 else ''} the first "
        words += f"{best} together leave" if best > 1 else "alone leaves"
        yield stage.frame(
            stage.final, "components", f"{words} the least error on points held out.", trial=self._trial(best)
        )

    def _trial(self, k: int) -> Trial:
        return Trial(self.stage.from_raw(self.steps[k][0]), "with so many directions", Penalty(directions=k))

    def _words(self, k: int) -> str:
        share = 100.0 * float(self.held[:k].sum())
        text = f"{share:.4g}" if share < 99.99 or k == self.sizes[-1] else "over 99.99"
        return f"{f'the first {k} hold' if k > 1 else 'it holds'} {text} % of the variance"

    def _error(self, k: int) -> str:
        """One more place on the error curve, in words; nothing without folds."""
        curve = self.stage.component_curve
        if self.errors is None or curve is None:
            return ""
        errors = next(self.errors)
        curve.add(float(k), errors)
        self.stage.views["components"] = curve.marks()
        return f", the error is {errors.training:.3g} in training, {errors.validation:.3g} held out"
