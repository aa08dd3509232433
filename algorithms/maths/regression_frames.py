"""What the runs of linear regression methods have in common: the given, the facts of a step, the sweeps, and words.

A snapshot is made of the one before it (:func:`after`): what is not named stays, the facts of one step do not.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from algorithms.contract import Snapshot
from algorithms.data import DataError
from algorithms.maths.cross_validation import Errors, Folds, Working, lambda_grid, sweep_lambda
from algorithms.maths.dictionaries import swept_degrees
from algorithms.maths.linear_model import LinearModel, formula
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_marks import ErrorCurve, Picture, Trial, coefficient_bars, error_floor
from algorithms.maths.words import are, counted, listed

FOLDS = 5
"""Parts for cross-validation; each is held out once for the error curves."""
FEWEST = 4
"""Fewer points than this cannot be split into training and validation."""
MOST_NAMED = 4
"""More features are counted instead of named."""
MOST_FRAMES = 60
"""Columns or directions are added in at most this many frames."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run; methods add what only they show."""

    picture: Picture
    penalty: Penalty
    loss: Loss
    goes_on: bool  # from a model before a change

    @property
    def problem(self) -> LinearProblem:
        """The data with their dictionary."""
        return self.picture.problem

    def measured(self, model: LinearModel) -> dict[str, float]:
        """The metrics of a model."""
        return self.problem.measured(model, self.penalty, self.loss)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The facts of a step, and the error curves so far."""

    before: float  # the objective of the snapshot before
    fact: Any = None  # what a method says about its step
    trial: Trial | None = None  # a model beside the fit
    at: float = 0.0  # the degree or the λ of the trial
    found: Errors | Working | None = None  # the errors of the trial, or how far the fits for them are
    curves: tuple[ErrorCurve, ...] = ()  # one for each number that is tried, the last one tried last
    path: tuple[LinearModel, ...] = ()  # the fits for the λ of the curve, strongest first
    path_at: tuple[float, ...] = ()  # the λ of each
    doubt: Any = None  # what the warning is about, from here on

    @property
    def left(self) -> int:
        """How many coefficients of the trial are not 0."""
        return 0 if self.trial is None else int(np.count_nonzero(self.trial.model.coefficients))

    @property
    def validation(self) -> float:
        """The error of the trial on held-out points."""
        return self.found.validation if isinstance(self.found, Errors) else float("nan")

    @property
    def words(self) -> str:
        """The errors of the trial."""
        return "" if self.found is None else self.found.words


Shot = Snapshot[Any, LinearModel, Shown]
Swept = Generator[Shot, None, Shot]


def first(given: Given, model: LinearModel) -> Shot:
    """The initial state."""
    metrics = given.measured(model)
    return Snapshot(given, "design", model, metrics, Shown(metrics["objective"]))


def after(shot: Shot, phase: str, model: LinearModel | None = None, **facts: Any) -> Shot:
    """The next snapshot: of another model, or of the same one."""
    new = {"fact": None, "trial": None, "found": None, "before": shot.metrics["objective"], **facts}
    metrics = shot.metrics if model is None else shot.given.measured(model)
    return Snapshot(shot.given, phase, shot.model if model is None else model, metrics, replace(shot.shown, **new))


def base_views(shot: Shot, *others: Any, coloured: bool = False) -> dict[str, Any]:
    """The fit with a model on trial, its coefficients, and the error curves."""
    given, model, shown = shot.given, shot.model, shot.shown
    plane = given.picture.plane(model, given.problem.fitted(model), *others, trial=shown.trial)
    curves = {PANELS[curve.handle]: curve.marks() for curve in shown.curves if curve.at}
    return {**curves, "plane": plane, "coefficients": coefficient_bars(model, coloured)}


PANELS = {"degree": "degrees", "lam": "lambdas", "components": "components"}


# --- words -----------------------------------------------------------------------------------------------------------


def opening(shot: Shot) -> str:
    """The first frame."""
    given, problem = shot.given, shot.given.problem
    if given.goes_on:
        return "The run starts from the fit before the change."
    features, space = problem.data.features, problem.dictionary.space
    names = listed(features) if len(features) <= MOST_NAMED else f"the {len(features)} features"
    words = f"{counted(len(problem.names), 'function')} of {names}"
    if space is not None:
        m, n = len(space.members), problem.data.n
        some = counted(m, "point") if m == n else f"{m} of {n:,} points"
        words += f", the axes of the feature space that {some} span"
    return f"{words}; all coefficients are 0, so that each residual is the target."


def degree_words(shot: Shot) -> str:
    """The same fit with another degree."""
    return f"Degree {shot.shown.at:g}: {shot.shown.words}."


def lambda_words(shot: Shot) -> str:
    """The same fit with another λ."""
    words, found = f"λ = {shot.shown.at:.3g}: ", shot.shown.found
    if isinstance(found, Working):
        return f"{words}{found.words}."
    assert shot.shown.trial is not None
    return words + "; ".join(filter(None, (not_zero(shot.shown.trial.model), shot.shown.words))) + "."


def fit_words(shot: Shot, more: str = "") -> str:
    """The fit with everything that is known about it."""
    words = f"f = {formula(shot.model)}; the mean squared residual is {shot.metrics['mse']:.4g}"
    if shot.model.spread is not None:
        words += f", σ = {shot.model.spread.sigma:.3g}"
    return words + more + favoured(shot.shown.curves) + "."


def not_zero(model: LinearModel) -> str:
    """How many coefficients there are left."""
    count, p = int(np.count_nonzero(model.coefficients)), len(model.coefficients)
    return f"{count} of {counted(p, 'coefficient')} {are(count)} not 0" if count else "all coefficients are 0"


def favoured(curves: tuple[ErrorCurve, ...]) -> str:
    """Where the error on held-out points is least, by the last curve that is known."""
    known = [curve for curve in curves if curve.at]
    if not known:
        return ""
    name = "λ" if known[-1].handle == "lam" else known[-1].handle
    return f". The error on held-out points is least for {name} = {known[-1].best:.3g}"


def column_name(problem: LinearProblem, j: int) -> str:
    """The name of a fitted column, of which a penalised intercept is the first."""
    if problem.intercept == "penalised":
        return "The column of ones" if j == 0 else problem.names[j - 1]
    return problem.names[j]


def made_folds(problem: LinearProblem, rng: np.random.Generator, wanted: bool) -> Folds | None:
    """Parts for cross-validation, where they are wanted and there are points enough."""
    if not wanted or problem.data.n < FEWEST:
        return None
    return Folds.of(problem.data.n, FOLDS, rng, problem.functions.columns == "standardised")


def own_folds(problem: LinearProblem, folds: Folds | None, degree: int) -> Folds | None:
    """Folds that make their columns by the points in training alone, where the document has scaled the features.

    None where what one of them holds out is too far away for this degree.
    """
    if folds is None or problem.data.scale == "given":
        return folds
    try:
        own = tuple(problem.of_fold(*rows, degree) for rows in folds.splits())
    except DataError:
        return None
    return replace(folds, standardised=False, own=own)


def frame_sizes(p: int) -> list[int]:
    """How many columns each frame has: all numbers when there are few, otherwise spread out evenly."""
    return sorted({round(k) for k in np.linspace(1, p, min(p, MOST_FRAMES))}) if p else []


# --- sweeps ----------------------------------------------------------------------------------------------------------


def joined(shot: Shot, curve: ErrorCurve) -> tuple[ErrorCurve, ...]:
    """The curves with another state of this one."""
    return (*(other for other in shot.shown.curves if other.handle != curve.handle), curve)


def degree_frames(shot: Shot, folds: Folds | None) -> Swept:
    """The same fit for every degree, and its error on held-out points."""
    given, problem = shot.given, shot.given.problem
    if folds is None:
        return shot
    functions = problem.functions
    curve = ErrorCurve("degree", float(functions.degree), error_floor(problem.y))
    for degree in swept_degrees(functions.dictionary, problem.data.d, functions.degree):
        try:
            dictionary, columns = problem.build(degree)
        except DataError:  # values too large for this power: the curve ends here
            break
        own = own_folds(problem, folds, degree)
        if own is None:
            break
        for found in sweep_lambda(columns, problem.y, problem.centred, given.loss, [given.penalty], own):
            if isinstance(found, Working):
                model = problem.model(found.intercept, found.beta, found.dictionary or dictionary)
                shot = after(shot, "degree", trial=Trial(model, "with this degree"), at=float(degree), found=found)
            else:
                intercept, beta, errors = found
                assert errors is not None
                curve = curve.joined(float(degree), errors)
                trial = Trial(problem.model(intercept, beta, dictionary), "with this degree")
                curves = joined(shot, curve)
                shot = after(shot, "degree", trial=trial, at=float(degree), found=errors, curves=curves)
            yield shot
    return shot


def lambda_frames(shot: Shot, penalty_at: Callable[[float], Penalty], lam: float, folds: Folds | None) -> Swept:
    """The same fit for every λ, from the strongest penalty to the weakest."""
    given, problem = shot.given, shot.given.problem
    if not problem.names:
        return shot
    grid = lambda_grid(problem.design, penalty_at(1.0), lam).tolist()
    curve = ErrorCurve("lam", lam, error_floor(problem.y))
    penalties, folds = [penalty_at(value) for value in grid], own_folds(problem, folds, problem.functions.degree)
    for found in sweep_lambda(problem.columns, problem.y, problem.centred, given.loss, penalties, folds):
        number = len(shot.shown.path)
        value, penalty = grid[number], penalties[number]
        if isinstance(found, Working):
            trial = Trial(problem.model(found.intercept, found.beta, found.dictionary), "with this λ", penalty)
            shot = after(shot, "lambda", trial=trial, at=value, found=found)
        else:
            intercept, beta, errors = found
            model = problem.model(intercept, beta)
            curve = curve if errors is None else curve.joined(value, errors)
            path, path_at = (*shot.shown.path, model), (*shot.shown.path_at, value)
            facts: dict[str, Any] = {"path": path, "path_at": path_at, "curves": joined(shot, curve)}
            shot = after(shot, "lambda", trial=Trial(model, "with this λ", penalty), at=value, found=errors, **facts)
        yield shot
    return shot
