"""What the runs of regression methods have in common: a state that is handed on from frame to frame, and the sweeps.

Nothing here changes: every frame is made of a :class:`Shown`, and whatever is learned or drawn makes a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from algorithms.contract import DrawnSnapshot, FrozenDict
from algorithms.data import DataError
from algorithms.marks import Mark
from algorithms.maths.cross_validation import Folds, Working, lambda_grid, sweep_lambda
from algorithms.maths.dictionaries import swept_degrees
from algorithms.maths.linear_model import LinearModel
from algorithms.maths.linear_problem import SQUARED, LinearProblem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_marks import ErrorCurve, Trial, error_floor
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
class Shown:
    """The state of a run: the model and its numbers, the pictures that stay on show, and what deserves doubt."""

    model: LinearModel
    metrics: Mapping[str, float]
    kept: FrozenDict = field(default_factory=FrozenDict)
    warning: str = ""

    def now(self, model: LinearModel, metrics: Mapping[str, float]) -> Shown:
        """With another model."""
        return Shown(model, metrics, self.kept, self.warning)

    def keeping(self, **views: tuple[Mark, ...]) -> Shown:
        """With pictures that stay from here on."""
        return replace(self, kept=FrozenDict({**self.kept, **views}))

    def warned(self, sentence: str) -> Shown:
        """With a warning in all frames from here on."""
        if sentence in self.warning:
            return self
        return replace(self, warning=f"{self.warning} {sentence}".strip())


Frame = Callable[[Shown, str, str, Trial | None], DrawnSnapshot]
"""Makes the snapshot of a state: (state, phase, caption, a model on trial)."""
Swept = Generator[DrawnSnapshot, None, tuple[Shown, ErrorCurve | None]]
Walk = Callable[[tuple[float, ...], tuple[LinearModel, ...]], Mapping[str, tuple[Mark, ...]]]
"""Further pictures of the models for several λ."""


def opening(problem: LinearProblem, goes_on: bool) -> str:
    """The caption of the first frame."""
    if goes_on:
        return "The run starts from the fit before the change."
    features, space = problem.data.features, problem.dictionary.space
    names = listed(features) if len(features) <= MOST_NAMED else f"the {len(features)} features"
    words = f"{counted(len(problem.names), 'function')} of {names}"
    if space is not None:
        m, n = len(space.members), problem.data.n
        some = counted(m, "point") if m == n else f"{m} of {n:,} points"
        words += f", the axes of the feature space that {some} span"
    return f"{words}; all coefficients are 0, so that each residual is the target."


def not_zero(model: LinearModel) -> str:
    """How many coefficients there are left."""
    count, p = int(np.count_nonzero(model.coefficients)), len(model.coefficients)
    return f"{count} of {counted(p, 'coefficient')} {are(count)} not 0" if count else "all coefficients are 0"


def favoured(*curves: ErrorCurve | None) -> str:
    """Where the error on held-out points is least, by the last curve that is known."""
    known = [curve for curve in curves if curve is not None and curve.at]
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


def degree_frames(
    problem: LinearProblem, shown: Shown, frame: Frame, penalty: Penalty, folds: Folds | None, loss: Loss = SQUARED
) -> Swept:
    """The same fit for every degree, and its error on held-out points."""
    if folds is None:
        return shown, None
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
        for found in sweep_lambda(columns, problem.y, problem.centred, loss, [penalty], own):
            if isinstance(found, Working):
                model = problem.model(found.intercept, found.beta, found.dictionary or dictionary)
                trial = Trial(model, "with this degree")
                yield frame(shown, "degree", f"Degree {degree}: {found.words}.", trial)
                continue
            intercept, beta, errors = found
            assert errors is not None
            curve = curve.joined(float(degree), errors)
            shown = shown.keeping(degrees=curve.marks())
            trial = Trial(problem.model(intercept, beta, dictionary), "with this degree")
            yield frame(shown, "degree", f"Degree {degree}: {errors.words}.", trial)
    return shown, curve


def lambda_frames(
    problem: LinearProblem,
    shown: Shown,
    frame: Frame,
    penalty_at: Callable[[float], Penalty],
    lam: float,
    folds: Folds | None,
    loss: Loss = SQUARED,
    walk: Walk | None = None,
) -> Swept:
    """The same fit for every λ, from the strongest penalty to the weakest."""
    if not problem.names:
        return shown, None
    grid = lambda_grid(problem.design, penalty_at(1.0), lam).tolist()
    curve = ErrorCurve("lam", lam, error_floor(problem.y))
    penalties, folds = [penalty_at(value) for value in grid], own_folds(problem, folds, problem.functions.degree)
    models: tuple[LinearModel, ...] = ()
    swept = sweep_lambda(problem.columns, problem.y, problem.centred, loss, penalties, folds)
    for found in swept:
        value, penalty = grid[len(models)], penalties[len(models)]
        if isinstance(found, Working):
            trial = Trial(problem.model(found.intercept, found.beta, found.dictionary), "with this λ", penalty)
            yield frame(shown, "lambda", f"λ = {value:.3g}: {found.words}.", trial)
            continue
        intercept, beta, errors = found
        models = (*models, problem.model(intercept, beta))
        if walk is not None:
            shown = shown.keeping(**walk(tuple(grid[: len(models)]), models))
        words = f"λ = {value:.3g}: {not_zero(models[-1])}"
        if errors is not None:
            curve = curve.joined(value, errors)
            shown = shown.keeping(lambdas=curve.marks())
            words += f"; {errors.words}"
        yield frame(shown, "lambda", words + ".", Trial(models[-1], "with this λ", penalty))
    return shown, curve if folds is not None else None
