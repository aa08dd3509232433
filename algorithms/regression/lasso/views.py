"""The pictures of the lasso: paths of the coefficients, the ball that is touched, and unit balls of several powers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Curve, Extent, Mark, ReferenceLine
from algorithms.maths.ball_marks import ball_marks, outline
from algorithms.maths.linear_model import value_of
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_frames import base_views
from algorithms.maths.regression_marks import MOST_PATHS

if TYPE_CHECKING:
    from algorithms.regression.lasso import Shot

UNIT_BALLS = (0.5, 1.0, 2.0, 4.0)
MOST_NAMES = 4
"""Paths that are named in the legend, which would hide the others."""


def views(shot: Shot) -> Views:
    """All views of a frame."""
    given, model, shown = shot.given, shot.model, shot.shown
    views = base_views(shot, coloured=True) | {"balls": unit_balls(given.penalty)}
    if shown.path:
        table = np.array([one.coefficients for one in shown.path])
        views["path"] = path_marks(given.problem.names, given.lam, np.array(shown.path_at), table)
    if given.ball is not None and model.dictionary is given.problem.dictionary:
        trial = shown.trial
        other = (model, given.penalty) if trial is None or trial.penalty is None else (trial.model, trial.penalty)
        views["ball"] = ball_marks(given.ball, model, *other)
        if shown.path and given.pair is not None:
            x, y = (np.array([value_of(one, number) for one in shown.path]) for number in given.pair)
            views["ball"] += (Curve(x, y, "path of the fit with λ", quiet=True),)
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


def path_marks(names: tuple[str, ...], current: float, lambdas: Array, table: Array) -> tuple[Mark, ...]:
    """A curve for each of the largest coefficients, (steps, p) in all, and a handle at the current λ."""
    order = np.argsort(-np.abs(table).max(axis=0, initial=0.0), kind="stable")[:MOST_PATHS]
    named = set(order[:MOST_NAMES].tolist())
    curves = tuple(Curve(lambdas, table[:, j].copy(), names[j] if j in named else "") for j in sorted(order.tolist()))
    return (*curves, ReferenceLine(current, f"λ = {current:.3g}", handle="lam"))
