"""The pictures of principal component regression: which directions are kept, and the line on which β may lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Bars, Mark
from algorithms.maths.ball_marks import ball_marks
from algorithms.maths.regression_frames import base_views
from algorithms.maths.regression_marks import eigenvalue_marks

if TYPE_CHECKING:
    from algorithms.regression.component_regression import Shot


def views(shot: Shot) -> Views:
    """All views of a frame."""
    given, model, trial = shot.given, shot.model, shot.shown.trial
    views = base_views(shot)
    used = shot.shown.fact if shot.phase in ("design", "direction") else given.used
    if used:
        views |= direction_views(given.eigenvalues, used)
    if given.ball is not None and model.dictionary is given.problem.dictionary:
        other = (model, given.ball.penalty) if trial is None or trial.penalty is None else (trial.model, trial.penalty)
        views["ball"] = ball_marks(given.ball, model, *other)
    return views


def direction_views(eigenvalues: Array, used: int) -> dict[str, tuple[Mark, ...]]:
    """The eigenvalues of Φ'Φ with those in use, and which directions are kept whole and which not at all."""
    names = tuple(f"{value:.1g}" for value in eigenvalues.tolist())
    views: dict[str, tuple[Mark, ...]] = {
        "directions": (Bars((np.arange(len(eigenvalues)) < used).astype(float), names),)
    }
    if len(eigenvalues) > 1:
        views["eigenvalues"] = eigenvalue_marks(eigenvalues, 0.0, used)
    return views
