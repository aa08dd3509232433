"""The part of a run in which the same fit is repeated for every degree and every λ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.contract import Snapshot
from algorithms.data import Array, DataError
from algorithms.marks import Curve
from algorithms.maths.cross_validation import fit_and_errors, lambda_grid, sweep_lambda
from algorithms.maths.dictionaries import column_count
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.linear_model import value_of
from algorithms.regression._regression_marks import ErrorCurve, Path
from algorithms.regression._regression_stage import Stage
from algorithms.regression._regression_views import Trial

_SWEPT_DEGREES = {1: 10, 2: 6}
_SWEPT_LEVELS = 5  # wavelets double their number with each
_SWEPT_COLUMNS = 120


def degrees(stage: Stage) -> Iterator[Snapshot]:
    """The same fit for every degree, and its error on held-out points."""
    if stage.folds is None:
        return
    curve = stage.curve = ErrorCurve("degree", float(stage.params.degree), error_floor(stage))
    for degree in range(top_degree(stage) + 1):
        try:
            dictionary, functions = stage.build(degree)
        except DataError:  # values too large for this power: the curve ends here
            return
        columns = stage.with_ones(functions)
        intercept, beta, errors = fit_and_errors(
            columns, stage.y, stage.centred, stage.penalty, stage.loss, stage.folds
        )
        curve.add(float(degree), errors)
        stage.views["degrees"] = curve.marks()
        caption = f"Degree {degree}{', all columns in use' * stage.selects}: "
        caption += f"the error is {errors.training:.3g} in training, {errors.validation:.3g} held out."
        trial = Trial(stage.model_of(intercept, beta, dictionary), "with this degree")
        yield stage.frame(stage.final, "degree", caption, stage.rings, trial)


def top_degree(stage: Stage) -> int:
    """The highest degree of the error curve."""
    kind, d = stage.params.dictionary, stage.data.d
    top = _SWEPT_LEVELS if kind == "wavelets" else _SWEPT_DEGREES.get(d, 3)
    while top > 1 and column_count(kind, top, d) > _SWEPT_COLUMNS:
        top -= 1
    return max(top, stage.params.degree)


def lambdas(stage: Stage) -> Iterator[Snapshot]:
    """The same fit for every λ, from the strongest penalty to the weakest."""
    if stage.params.penalty == "none" or not len(stage.names):
        return
    grid = lambda_grid(stage.design, stage.penalty_at(1.0), stage.params.lam)
    path = Path(stage.names, stage.params.lam)
    curve = stage.lambda_curve = ErrorCurve("lam", stage.params.lam, error_floor(stage)) if stage.folds else None
    penalties = [stage.penalty_at(lam) for lam in grid.tolist()]
    walk = sweep_lambda(stage.columns, stage.y, stage.centred, stage.loss, penalties, stage.folds)
    trace: list[Array] = []
    for lam, penalty, (intercept, beta, errors) in zip(grid.tolist(), penalties, walk, strict=True):
        model = stage.model_of(intercept, beta)
        path.add(lam, model.coefficients)
        stage.views["path"] = path.marks()
        _follow(stage, model, trace)
        caption = f"λ = {lam:.3g}: {np.count_nonzero(model.coefficients)} coefficients are not 0"
        if curve is not None and errors is not None:
            curve.add(lam, errors)
            stage.views["lambdas"] = curve.marks()
            caption += f"; the error is {errors.training:.3g} in training, {errors.validation:.3g} held out"
        trial = Trial(model, "with this λ", penalty)
        yield stage.frame(stage.final, "lambda", caption + ".", stage.rings, trial)


def _follow(stage: Stage, model: Model, trace: list[Array]) -> None:
    """The way of two coefficients through their plane while λ falls."""
    pair = stage.picture.pair
    if pair is not None:
        trace.append(np.array([value_of(model, number) for number in pair]))
        x, y = np.array(trace).T
        stage.views["ball"] = (Curve(x.copy(), y.copy(), "way of the fit with λ", quiet=True),)


def error_floor(stage: Stage) -> float:
    """The least error that is drawn: on a logarithmic axis there is no zero."""
    return max(1e-12 * float(np.var(stage.y)), 1e-300)
