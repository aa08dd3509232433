"""The pictures of principal component regression: which directions are kept, and the line on which β may lie."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.data import Array
from algorithms.marks import Bars, Mark
from algorithms.maths.ball_marks import Ball, ball_marks
from algorithms.maths.linear_model import LinearModel
from algorithms.maths.regression_marks import Picture, Trial, coefficient_bars, eigenvalue_marks


def draw(
    picture: Picture,
    ball: Ball | None,
    model: LinearModel,
    kept: Mapping[str, tuple[Mark, ...]],
    trial: Trial | None,
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame."""
    plane = picture.plane(model, picture.problem.fitted(model), trial=trial)
    views = {**kept, "plane": plane, "coefficients": coefficient_bars(model)}
    if ball is not None and model.dictionary is picture.problem.dictionary:
        other = (model, ball.penalty) if trial is None or trial.penalty is None else (trial.model, trial.penalty)
        views["ball"] = ball_marks(ball, model, *other)
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
