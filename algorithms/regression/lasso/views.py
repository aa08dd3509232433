"""The pictures of the lasso: paths of the coefficients, the ball that is touched, and unit balls of several powers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from algorithms.data import Array
from algorithms.marks import Curve, Extent, Mark, ReferenceLine
from algorithms.maths.ball_marks import Ball, ball_marks, outline
from algorithms.maths.linear_model import LinearModel, value_of
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_marks import MOST_PATHS, Picture, Trial, coefficient_bars

UNIT_BALLS = (0.5, 1.0, 2.0, 4.0)
MOST_NAMES = 4
"""Paths that are named in the legend, which would hide the others."""


def draw(
    picture: Picture,
    ball: Ball | None,
    penalty: Penalty,
    model: LinearModel,
    kept: Mapping[str, tuple[Mark, ...]],
    trial: Trial | None,
) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame."""
    fitted = picture.problem.fitted(model)
    views = {**kept, "plane": picture.plane(model, fitted, trial=trial), "balls": unit_balls(penalty)}
    views["coefficients"] = coefficient_bars(model, coloured=True)
    if ball is not None and model.dictionary is picture.problem.dictionary:
        other = (trial.model, trial.penalty) if trial is not None and trial.penalty is not None else (model, penalty)
        views["ball"] = (*ball_marks(ball, model, *other), *kept.get("ball", ()))
    return views


def unit_balls(penalty: Penalty) -> tuple[Mark, ...]:
    """{Σ|β|^q <= 1} for a few powers q and, strong, for the penalty in use; only from q = 1 on are they convex."""
    marks: list[Mark] = [Extent(-1.25, 1.25, -1.25, 1.25, True), ReferenceLine(0.0), ReferenceLine(0.0, axis="y")]
    corner = np.array([1.0, 0.0])
    for q in UNIT_BALLS:
        at = outline(Penalty(lq=1.0, q=q), corner)
        marks.append(Curve(at[:, 0], at[:, 1], f"q = {q:g}", quiet=True))
    at = outline(penalty, corner)
    marks.append(Curve(at[:, 0], at[:, 1], "the penalty in use"))
    return tuple(marks)


def walk_marks(
    names: tuple[str, ...],
    current: float,
    pair: tuple[int, int] | None,
    lambdas: tuple[float, ...],
    models: tuple[LinearModel, ...],
) -> dict[str, tuple[Mark, ...]]:
    """The coefficients against λ, and the path of two of them through their plane while λ falls."""
    views = {"path": path_marks(names, current, np.array(lambdas), np.array([model.coefficients for model in models]))}
    if pair is not None:
        x, y = (np.array([value_of(model, number) for model in models]) for number in pair)
        views["ball"] = (Curve(x, y, "path of the fit with λ", quiet=True),)
    return views


def path_marks(names: tuple[str, ...], current: float, lambdas: Array, table: Array) -> tuple[Mark, ...]:
    """A curve for each of the largest coefficients, (steps, p) in all, and a handle at the current λ."""
    order = np.argsort(-np.abs(table).max(axis=0, initial=0.0), kind="stable")[:MOST_PATHS]
    named = set(order[:MOST_NAMES].tolist())
    curves = tuple(Curve(lambdas, table[:, j].copy(), names[j] if j in named else "") for j in sorted(order.tolist()))
    return (*curves, ReferenceLine(current, f"λ = {current:.3g}", handle="lam"))
