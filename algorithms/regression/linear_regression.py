"""Linear regression: a weighted sum of known functions, as near to the target as the penalty allows.

The functions h_j (powers of x, waves, bumps ...) may be as bent as one likes; f(x) = b + Σ β_j h_j(x) is linear in
its coefficients β, so that the best ones follow from linear equations. The penalty keeps them small (ridge), makes
many of them zero (lasso) or both (elastic net); the intercept b is not penalised. Minimised is the sum

    Σ_i (y_i - f(x_i))² + λ [α Σ_j |β_j| + (1 - α) Σ_j β_j²]        ridge: α = 0, lasso: α = 1
    Σ_i (y_i - f(x_i))² + λ Σ_j |β_j|^q                             any power q: from counting (0) to ridge (2) and on

with neither 1/n nor ½, so λ is n times (ridge) or 2n times (lasso) the one of programs that divide. Without l1 the
solution is closed: (Φ'Φ + λI) β = Φ'y, here built up column by column (normal equation, QR) or direction by direction
(pseudo-inverse). Columns that say nearly the same can be left out (subset selection), or the directions in which they
differ (principal components: β = V_m S_m⁻¹ U_m'y). With l1 one coefficient at a time: β_j <- soft(h_j'r, λα/2) /
(h_j'h_j + λ(1 - α)). Huber's loss forgives outliers and is solved by reweighting. Afterwards the fit is repeated for
all λ and all degrees on k folds and, where wanted, for noise that is drawn anew around a chosen truth: there bias and
variance are seen and measured.

Handbook §4.3.1 (Alg. 11); REGRESSION, SHRINKAGE (001; the prediction needs x_new); Methods for Data Science §2.2-2.6;
Introduction to Machine Learning §2 (the ridge penalty is the *squared* norm), §7.1 (kernel ridge).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import Algorithm, Line, Metric, Panel, Run, Snapshot, Stop
from algorithms.data import Points
from algorithms.maths.coordinate_descent import CoordinateDescent
from algorithms.maths.dictionaries import Kind
from algorithms.maths.linear_fits import by_directions, by_gram_schmidt, by_normal_equation, reweighted
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.linear_model import explain, predict
from algorithms.maths.power_penalty import PowerDescent
from algorithms.params import Advanced, Between, Doc, Live, Log, When
from algorithms.regression._component_stage import Components
from algorithms.regression._redraw_stage import Redraws
from algorithms.regression._regression_stage import MOST_FRAMES, Stage, frame_sizes
from algorithms.regression._subsets import Choice, SelectionRule, choices, coefficients
from algorithms.regression._sweep_stage import degrees, lambdas

_FIRST_SWEEPS = 15
"""Sweeps are shown one by one only at the beginning."""
_SLOW = 100
"""A descent that needs more sweeps than this is finished by an exact step."""

Frames = Generator[Snapshot, None, Stop]


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of linear regression."""

    dictionary: Annotated[
        Kind,
        Doc(
            "The functions that are added up: powers, waves, bells in a row, powers of the logarithm, steps (Haar); or"
            " a kernel at every point, which with the ridge penalty is kernel ridge regression."
        ),
    ] = "polynomial"
    degree: Annotated[
        int,
        Between(0, 20),
        Live,
        Doc(
            "How rich the dictionary is: the highest power, the number of waves or bumps, the levels of wavelets; how"
            " often the bell of a kernel fits into the range of the data."
        ),
    ] = 1
    penalty: Annotated[
        Literal["none", "ridge", "lasso", "elastic net", "power"],
        Doc(
            "The price of large coefficients: none; λ Σβ², good with few points; λ Σ|β|, which leaves few functions;"
            " a mix of both; or λ Σ|β|^q for any power q."
        ),
    ] = "none"
    lam: Annotated[
        float,
        Between(1e-6, 1e8),
        Log,
        Live,
        When("penalty", "ridge", "lasso", "elastic net", "power"),
        Doc("The strength λ of the penalty, beside the sum (not the mean) of the squared residuals."),
    ] = 1.0
    mix: Annotated[
        float,
        Between(0, 1),
        Live,
        When("penalty", "elastic net"),
        Doc("The share α of the lasso in the elastic net: 0 is ridge, 1 is the lasso."),
    ] = 0.5
    q: Annotated[
        float,
        Between(0, 4),
        Live,
        When("penalty", "power"),
        Doc(
            "The power q: 2 is ridge, 1 the lasso, 0 counts coefficients; below 1 sparser still, but no longer convex."
        ),
    ] = 0.5
    subset: Annotated[
        SelectionRule,
        When("penalty", "none"),
        Doc(
            "Use every column; add the best one at a time; drop the least missed one; try all subsets; find the best"
            " ones without trying all (leaps and bounds); or use the longest directions of all columns together."
        ),
    ] = "all columns"
    size: Annotated[
        int,
        Between(0, 50),
        When("subset", "forward", "backward", "exhaustive", "leaps and bounds"),
        Doc("How many columns are kept."),
    ] = 3
    components: Annotated[
        int,
        Between(0, 50),
        Live,
        When("subset", "principal components"),
        Doc(
            "How many singular directions of the columns are used, longest first; 0: all that are at least 1/30 as long"
            " as the longest."
        ),
    ] = 0
    solver: Annotated[
        Literal["QR", "normal equation", "pseudo-inverse"],
        When("penalty", "none", "ridge"),
        Doc(
            "Gram-Schmidt column by column; the textbook formula (loses digits); or singular directions, longest first."
        ),
    ] = "QR"
    loss: Annotated[
        Literal["squared", "huber", "asymmetric"],
        Doc("What a residual costs: its square; no more than a straight line beyond delta; or unlike above and below."),
    ] = "squared"
    delta: Annotated[
        float, Between(1e-3, 1e3), Log, Live, When("loss", "huber"), Doc("Residuals beyond this count as outliers.")
    ] = 1.0
    tau: Annotated[
        float, Between(0.01, 0.99), Live, When("loss", "asymmetric"), Doc("The price of a point above the curve.")
    ] = 0.9
    period: Annotated[
        float,
        Between(0, 1000),
        When("dictionary", "sine and cosine"),
        Doc("Length of the longest wave; 0: the data's."),
    ] = 0.0
    width: Annotated[
        float,
        Between(0.1, 10),
        Log,
        When("dictionary", "gaussian bumps", "gaussian kernel", "laplacian kernel"),
        Doc(
            "Width of a bump (its standard deviation), in distances between neighbouring bumps; σ or τ of a kernel, in"
            " ranges of the data divided by the degree."
        ),
    ] = 1.0
    residuals: Annotated[
        Literal["bars", "squares", "none"], Doc("Draw the residuals as bars, or as the squares whose area is the loss.")
    ] = "bars"
    band: Annotated[
        Literal["of the fit", "for new points", "of the noise", "none"],
        Doc(
            "Where the true curve lies with this confidence; where new points fall; or how far the noise alone reaches."
        ),
    ] = "of the fit"
    confidence: Annotated[float, Between(0.5, 0.999), Advanced, Doc("The confidence of the band.")] = 0.95
    columns: Annotated[
        Literal["as they are", "standardised"],
        Doc("Penalise the coefficients of the functions themselves, or of columns with mean 0 and variance 1."),
    ] = "as they are"
    intercept: Annotated[
        Literal["free", "penalised", "none"],
        Advanced,
        Doc("Free of the penalty; one more penalised column of ones; or a curve without a constant."),
    ] = "free"
    sweep: Annotated[bool, Doc("Afterwards also fit every degree and every λ: error curves and paths.")] = True
    redraws: Annotated[
        int,
        Between(0, 300),
        Doc("How often the noise is drawn anew around a chosen truth, to see bias and variance; 0: not at all."),
    ] = 0
    truth: Annotated[
        int,
        Between(0, 20),
        Doc("Degree of the least-squares curve that is taken as the truth when the noise is drawn anew."),
    ] = 3
    noise: Annotated[
        float, Between(0, 1000), Doc("The σ of that noise, and of the likelihood; 0: estimated from the residuals.")
    ] = 0.0
    pair: Annotated[
        tuple[int, ...],
        Between(0, 400),
        Advanced,
        Doc("The two coefficients in the pictures with ball and cloud, by number; 0 is the intercept."),
    ] = (1, 2)
    folds: Annotated[
        int, Between(2, 20), Advanced, Doc("Parts for cross-validation; each is held out once for the error curves.")
    ] = 5
    tol: Annotated[
        float, Between(1e-12, 1e-2), Log, Advanced, Doc("Largest relative violation (or change) called converged.")
    ] = 1e-8
    max_steps: Annotated[int, Between(1, 100_000), Log, Advanced, Doc("Most sweeps, or most reweightings.")] = 10_000


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run:
    """Build the columns, find the coefficients, then draw the path and the error curves."""
    stage = Stage(data, params, rng)
    start = start if start is not None and len(start.dictionary.features) == data.d else None
    components = Components(stage) if stage.penalty.directions is not None else None
    yield stage.opening(start)
    if params.loss != "squared":
        stop = yield from _reweight(stage, params, start)
    elif not stage.penalty.closed:
        stop = yield from _descend(stage, params, start)
    elif components is not None:
        yield from components.frames(hurry=start is not None)
        stop = Stop.COMPLETE
    elif stage.selects:
        stop = yield from _choose(stage, params)
    elif params.solver == "pseudo-inverse":
        stop = yield from _by_directions(stage, hurry=start is not None)
    else:
        stop = yield from _by_columns(stage, params, hurry=start is not None)
    if components is not None:
        yield from components.beyond()
    redraws = Redraws(stage) if params.redraws else None
    if redraws is not None:
        yield from redraws.frames(hurry=start is not None)
    if params.sweep:
        yield from degrees(stage)
        yield from lambdas(stage)
    if redraws is not None and params.sweep:
        yield from redraws.degrees()
        yield from redraws.lambdas()
    yield stage.done()
    return stop


def _by_columns(stage: Stage, params: Params, hurry: bool) -> Frames:
    """Least squares over the first column, the first two, ...; going on from a model there is only the last step."""
    p = stage.columns.shape[1]
    sizes = [p] if hurry else frame_sizes(p)
    stage.final = stage.model_of(stage.mean, np.zeros(p))
    if stage.centred and not hurry:
        yield stage.column_frame(0, stage.final, nothing_new=False)
    normal = params.solver == "normal equation"
    if normal:
        raw, y = stage.raw_centred()
        steps = by_normal_equation(raw, y, stage.penalty.l2, sizes)
    else:
        steps = by_gram_schmidt(stage.design, stage.penalty, sizes)
    for k, (found, odd) in zip(sizes, steps, strict=True):
        model = stage.from_raw(found) if normal else stage.from_scaled(found)
        stage.final = model
        yield stage.column_frame(k, model, nothing_new=odd)
    stage.settle(stage.final)
    return Stop.COMPLETE


def _by_directions(stage: Stage, hurry: bool) -> Frames:
    """The pseudo-inverse, one singular direction per frame."""
    raw, y = stage.raw_centred()
    count = min(raw.shape)
    stage.final = stage.model_of(stage.mean, np.zeros(raw.shape[1]))
    if stage.centred and not hurry:
        yield stage.column_frame(0, stage.final, nothing_new=False, directions=True)
    sizes = [count] if hurry else frame_sizes(count)
    for k, (beta, eigenvalues, share) in zip(
        sizes, by_directions(raw, y, stage.penalty.l2, sizes, stage.data.n), strict=True
    ):
        stage.final = stage.from_raw(beta)
        yield stage.direction_frame(k, stage.final, eigenvalues, share)
    stage.settle(stage.final)
    return Stop.COMPLETE


def _choose(stage: Stage, params: Params) -> Frames:
    """Subset selection, one choice per frame."""
    stage.final = stage.model_of(stage.mean, np.zeros(stage.columns.shape[1]))
    choice: Choice | None = None
    for choice in choices(stage.design, params.subset, params.size):
        stage.final = stage.from_scaled(coefficients(stage.design, choice.columns))
        yield stage.subset_frame(stage.final, choice)
    stage.settle(stage.final, () if choice is None else choice.columns)
    if choice is not None and choice.search is not None and choice.search.given_up:
        stage.add_warning(f"After {choice.tried:,} subsets the search was given up; there may be better ones.")
        return Stop.LIMIT
    return Stop.COMPLETE


def _descend(stage: Stage, params: Params, start: Model | None) -> Frames:
    """Coordinate descent: the first sweep coefficient by coefficient, then sweep by sweep."""
    method = PowerDescent if stage.penalty.lq else CoordinateDescent
    descent = method.of(stage.design, stage.penalty)
    b = stage.warm(start)
    scale = max(2.0 * float(np.sqrt(stage.design.y @ stage.design.y)), np.finfo(float).tiny)
    p = stage.columns.shape[1]
    for j in range(p if p <= MOST_FRAMES and start is None else 0):
        before = stage.from_scaled(b).coefficients
        b, correlation, threshold = descent.step(b, j)
        yield stage.coordinate_frame(j, stage.from_scaled(b), before, correlation, threshold)
    shown, sweeps, finished = 1, 0 if start is not None or p > MOST_FRAMES else 1, False
    violation = descent.violation(b) / scale
    while True:
        if sweeps and violation <= params.tol:
            if not stage.penalty.convex:
                b, frame = stage.valley_frame(descent, b)
                yield frame
            stage.settle(stage.from_scaled(b))
            return Stop.CONVERGED
        if finished or sweeps >= params.max_steps:
            stage.settle(stage.from_scaled(b))
            stage.add_warning(
                f"{sweeps} sweeps were not enough: the optimality conditions are violated by {violation:.2g}."
            )
            return Stop.LIMIT
        if sweeps >= _SLOW:
            b = descent.finish(b)
            finished = True
        else:
            for _ in range(min(_stride(shown), params.max_steps - sweeps)):
                b = descent.sweep(b)
                sweeps += 1
        shown += 1
        violation = descent.violation(b) / scale
        yield stage.sweep_frame(sweeps, stage.from_scaled(b), violation, finished)


def _reweight(stage: Stage, params: Params, start: Model | None) -> Frames:
    """Weights from the residuals, then a weighted fit, until nothing moves."""
    begin = stage.warm_pair(start)
    steps = reweighted(stage.columns, stage.y, stage.centred, stage.penalty, stage.loss, begin)
    before, scale = np.full(stage.data.n, np.inf), max(float(np.abs(stage.y).max()), np.finfo(float).tiny)
    shown = 1
    model = None
    for number, (intercept, beta, weights) in enumerate(steps, start=1):
        fitted = intercept + stage.columns @ beta
        moved = float(np.abs(fitted - before).max()) / scale
        before = fitted
        model = stage.model_of(intercept, beta)
        ended = moved <= params.tol or number >= params.max_steps
        shown -= 1
        if ended or shown <= 0:
            shown = _stride(number)
            yield stage.reweight_frame(number, model, weights)
        if moved <= params.tol:
            stage.settle(model)
            return Stop.CONVERGED
        if number >= params.max_steps:
            break
    assert model is not None
    stage.settle(model)
    stage.add_warning(f"{params.max_steps} reweightings were not enough; the fit still moves.")
    return Stop.LIMIT


def _stride(shown: int) -> int:
    """Sweeps until the next frame: slow descents are shown in ever larger steps."""
    return 1 if shown <= _FIRST_SWEEPS else 2 ** min((shown - _FIRST_SWEEPS) // 3 + 1, 10)


ALGORITHM = Algorithm(
    key="linear_regression",
    title="Linear regression",
    family="regression",
    summary="A curve or surface that is a weighted sum of known functions, with residuals, penalties and error curves.",
    params=Params,
    run=run,
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    target="values",
    resumes=True,
    example="polynomial(n=60,noise=0.25,degree=3,seed=1)",
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("coefficients", "Coefficients", y="β"),
        Panel("space", "Surface in space", "none"),
        Panel("path", "Path", x="λ", y="β", log_x=True),
        Panel("lambdas", "Error by λ", x="λ", y="mean loss", log_x=True, log_y=True),
        Panel("components", "Error by directions", x="directions in use", y="mean loss", log_y=True, integer_x=True),
        Panel("degrees", "Error by degree", x="degree", y="mean loss", log_y=True, integer_x=True),
        Panel("bias_lambdas", "Bias and variance by λ", x="λ", y="mean square", log_x=True, log_y=True),
        Panel("bias_degrees", "Bias and variance by degree", x="degree", y="mean square", log_y=True, integer_x=True),
        Panel("cloud", "Cloud of estimates", "own", x="first coefficient", y="second coefficient", surface=True),
        Panel("ball", "Two coefficients", "own", x="first coefficient", y="second coefficient", surface=True),
        Panel("balls", "Unit balls", "own", x="first coefficient", y="second coefficient", surface=True),
        Panel("projection", "Projection", "none"),
        Panel("eigenvalues", "Eigenvalues", x="direction", y="eigenvalue", log_y=True, integer_x=True),
        Panel("losses", "Loss and slope", x="residual", y="loss"),
        Panel("subsets", "Subsets", x="columns in use", y="sum of squares", integer_x=True),
        Panel("directions", "Directions", x="direction", y="share kept"),
        Panel("residuals", "Residuals", x="prediction f(x)", y="y - f(x)"),
    ),
    metrics=(
        Metric("objective", "objective"),
        Metric("mse", "mean squared residual", better="neither"),
        Metric("log_likelihood", "log-likelihood of Gaussian noise", better="higher"),
        Metric("norm", "length of β", better="neither"),
        Metric("nonzero", "coefficients that are not 0", better="neither"),
    ),
    pseudocode=(
        Line("Φ ← the functions h_j at every point, β ← 0", "design"),
        Line("closed form: (Φ'Φ + λI) β = Φ'y over the first 1, 2, ... columns", "column"),
        Line("    or: add the singular directions of Φ, longest first, each times d / (d + λ), or only m", "direction"),
        Line("    or: columns join (or leave) one by one, the best first", "subset"),
        Line("    or: drop columns from all; leap over sets that are no better than known smaller ones", "leap"),
        Line("lasso, elastic net, power q: until the conditions hold, for each j:"),
        Line(
            "    β_j ← soft(h_j'r, λα/2) / (h_j'h_j + λ(1 - α)), or the least of (..)² + λ|β|^q", "coordinate", "sweep"
        ),
        Line("    q < 1 is not convex: go down from other starts too, keep the lowest valley", "valley"),
        Line("other losses: weight each point by its residual, fit, repeat", "reweight"),
        Line("redraws: new noise around a chosen truth, the same fit again and again", "redraw"),
        Line("for each degree: error on the points that were held out", "degree"),
        Line("for each λ: coefficients and error on the points that were held out", "lambda"),
        Line("for each m: error on the points that were held out, with m directions", "components"),
        Line("for each degree and λ: bias² and variance of the fits to redrawn noise", "trade"),
        Line("the fit is ready        mean squared residual = {mse}", "done"),
    ),
    reference="000 §4.3.1 (Alg. 11); 001 REGRESSION, SHRINKAGE; 002 §2.2-2.6; 004 §2, §7.1",
)
