"""Bias and variance: the same fit to noise that is drawn again and again around a truth that is known.

Nobody knows the true curve behind loaded data, so one is chosen for the game: the least-squares curve of some degree
through the data, with Gaussian noise of the size of its residuals, or a formula. Around *that* truth f* both can be
measured: at every point the mean f̄ of all fits f_k is off by the bias, the single fits scatter around their mean by the
variance, and

    mean |f_k - f*|² = |f̄ - f*|² + mean |f_k - f̄|²        bias² + variance, exactly; plus σ² to a new target

Least squares that can express the truth has no bias, with E β = β* and Cov β = σ²(Φ'Φ)⁻¹, and of all linear rules
without bias the least variance (Gauss-Markov). A penalty, or fewer functions, gives up the first for less of the
second: ridge has the bias -λ/(d + λ) and the variance σ² d/(d + λ)² along an eigenvector of Φ'Φ with eigenvalue d.

Methods for Data Science §2.5, §2.6.2; Introduction to Machine Learning §4.3; SHRINKAGE (Statistical Machine Learning).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    FrozenDict,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.evaluation.bias_variance import words
from algorithms.evaluation.bias_variance.solver import (
    MOST_NUMBERS,
    SLOW,
    VARIABLES,
    Basis,
    Estimates,
    Experiment,
    Rule,
    Truth,
    any_method,
    formula_truth,
    least_squares_truth,
    powers_truth,
)
from algorithms.evaluation.bias_variance.solver.any_method import SWEPT, Game, Repeated, parts_of
from algorithms.evaluation.bias_variance.views import Cloud, Picture, TradeOff, draw, draw_any
from algorithms.marks import Mark
from algorithms.maths.cross_validation import lambda_grid
from algorithms.maths.dictionaries import Dictionary, swept_degrees
from algorithms.maths.linear_model import chosen_pair
from algorithms.maths.linear_problem import linear_problem
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_knobs import Functions, PairKnob
from algorithms.maths.regression_marks import error_floor, grid_of
from algorithms.method_choice import parse_method
from algorithms.params import Between, Doc, Expression, Group, Live, MethodOf, When, Zero

_ONE_BY_ONE = 8
"""Redraws are shown one by one only at the beginning."""
_FRAMES = 24


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of bias and variance."""

    method: Annotated[
        str, MethodOf("regression"), Live, Doc("The fit that is repeated: any method that predicts a value.")
    ] = "linear_regression(degree=3)"
    over: Annotated[
        str,
        Doc("What is varied afterwards: degree=0..12, k=1..30, lam=0.01..100:log:9; empty: what suits the method."),
    ] = ""
    redraws: Annotated[int, Between(1, 300), Group("noise"), Doc("How often the noise is drawn anew.")] = 60
    noise: Annotated[
        float,
        Between(0, 1000),
        Zero("as the data"),
        Group("noise"),
        Doc("The σ of that noise; 0: as large as the distance of the data from the truth."),
    ] = 0.0
    source: Annotated[
        Literal["a curve through the data", "a formula"],
        Group("truth"),
        Doc("What is taken as the truth: the least-squares curve of some degree, or a formula of the features."),
    ] = "a curve through the data"
    truth: Annotated[
        int,
        Between(0, 20),
        When("source", "a curve through the data"),
        Group("truth"),
        Doc("Degree of the least-squares curve that is taken as the truth."),
    ] = 3
    formula: Annotated[
        str,
        Expression(*VARIABLES),
        When("source", "a formula"),
        Group("truth"),
        Doc("The true function of the first feature x and, where there is one, the second z."),
    ] = "sin(3*x)"
    pair: PairKnob = (1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """All fits so far, f_k(x) = intercepts_k + Σ coefficients_kj h_j(x), and how far they are from the truth."""

    dictionary: Dictionary
    names: tuple[str, ...]
    truth: Truth
    intercepts: Array  # (k,)
    coefficients: Array  # (k, p)
    bias2: float  # at the points, on average
    variance: float
    noise: float  # σ²

    def fits(self, X: Array) -> Array:
        """Every fit at the rows of ``X``, (k, m)."""
        return np.asarray(self.intercepts[:, None] + self.coefficients @ self.dictionary.columns(X).T)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The state of a run: the model, the estimates on show, the pictures that stay, and the targets drawn so far."""

    model: Model
    cloud: Cloud | None
    targets: Array  # (k, n)
    kept: FrozenDict = field(default_factory=FrozenDict)
    least: tuple[str, ...] = ()  # where bias² + variance is least, in words

    def keeping(self, key: str, marks: tuple[Mark, ...]) -> Shown:
        """With a picture that stays from here on."""
        return replace(self, kept=FrozenDict({**self.kept, key: marks}))


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What stays the same during a run."""

    experiment: Experiment
    penalty: Penalty
    penalty_at: Callable[[float], Penalty] | None  # for another λ; none where the fit has no penalty
    picture: Picture
    count: int  # redraws in all
    warning: str

    def cloud(self, found: Estimates, penalty: Penalty, targets: Array | None = None) -> Cloud:
        """The estimates of some fits, with what the formula says."""
        intercepts, betas = found.coefficients
        return Cloud(intercepts, betas, penalty, self.experiment.exact_spread(penalty), targets)

    def frame(self, shown: Shown, phase: str, caption: str) -> DrawnSnapshot:
        """The snapshot of a state."""
        model = shown.model
        views = LazyViews(draw, self.picture, model, shown.kept, shown.cloud)
        parts = {"bias2": model.bias2, "variance": model.variance, "noise": model.noise}
        metrics = {**parts, "error": sum(parts.values())}
        return DrawnSnapshot(model, views, metrics, phase, caption, self.warning)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | Repeated | None = None) -> DrawnRun:
    """Draw the noise anew, fit, and again; then bias and variance for every degree and every λ, or another number."""
    method = parse_method(params.method)
    rule = None if params.over.strip() else Rule.of(method)
    if rule is None:
        y = data.values(ALGORITHM.title)
        game = Game.of(data, y, _truth(data, y, params), method, params.over, params.redraws)
        yield from _run_any(game, words.fewer(game.count) if game.count < params.redraws else "", rng, start)
        return Stop.COMPLETE
    context = _context(data, params, rule)
    goes_on = isinstance(start, Model) and len(start.dictionary.features) == data.d
    first = start if isinstance(start, Model) and goes_on else _nothing(context)
    shown = Shown(first, None, np.empty((0, data.n)))
    yield context.frame(shown, "truth", words.opening(context.experiment.truth, data.n, goes_on))
    shown = yield from _redraw(context, shown, rng, goes_on)
    shown = yield from _degrees(context, shown, rule.functions)
    shown = yield from _lambdas(context, shown, rule.lam)
    yield context.frame(shown, "done", words.done(shown.model, shown.least))
    return Stop.COMPLETE


def _run_any(game: Game, warning: str, rng: np.random.Generator, start: Model | Repeated | None) -> Frames:
    """Draw the noise anew, run the method, and again; then the same for other values of one of its parameters."""

    def frame(curves: Array, target: Array | None, kept: FrozenDict, phase: str, caption: str) -> DrawnSnapshot:
        """The snapshot of a state; ``curves`` are the fits along the grid, ``target`` what was drawn last."""
        views = LazyViews(draw_any, game.data, game.y, game.truth, game.grid, curves, target, kept)
        parts = {"bias2": model.bias2, "variance": model.variance, "noise": model.noise}
        return DrawnSnapshot(model, views, {**parts, "error": sum(parts.values())}, phase, caption, warning)

    truth, noise = game.truth, game.truth.sigma**2
    off = float(truth.values @ truth.values) / game.data.n
    nothing = Repeated(game.method.text, truth, (), game.data.d, off, 0.0, noise)
    goes_on = isinstance(start, Repeated) and start.features == game.data.d
    model = start if isinstance(start, Repeated) and goes_on else nothing
    values, curves, kept = np.empty((0, game.data.n)), np.empty((0, len(game.grid))), FrozenDict()
    yield frame(curves, None, kept, "truth", words.opening(truth, game.data.n, goes_on))
    targets, model = truth.values + truth.sigma * rng.standard_normal((game.count, game.data.n)), nothing
    for number, target in enumerate(targets, start=1):
        found, at = game.fit(game.method, target, number)
        values = np.vstack([values, at])
        if len(game.grid):
            curves = np.vstack([curves, game.method.predict(found, game.grid)])
        bias, variance = parts_of(values, truth.values)
        model = replace(model, fitted=(*model.fitted, found), bias2=bias, variance=variance)
        yield frame(curves, target, kept, "redraw", words.redraw(number, model))
    least: tuple[str, ...] = ()
    if game.axis is not None:
        panel, phase = any_method.panel_and_phase(game.axis)
        bare = TradeOff(game.axis.name, any_method.current_value(game), noise, any_method.least_drawn(game))
        for value, known in any_method.swept(game, game.axis, targets[:SWEPT]):
            trade = bare
            for place, parts in known.items():
                trade = trade.joined(place, parts, None)
            kept, least = FrozenDict({panel: trade.marks()}), (f"{game.axis.name} = {trade.best:.3g}",)
            caption = words.trade(f"{game.axis.name} = {value:.3g}", known[value], truth)
            yield frame(curves, None, kept, phase, caption)
    yield frame(curves, None, kept, "done", words.done(model, least))


Frames = Generator[DrawnSnapshot, None, None]
Drawn = Generator[DrawnSnapshot, None, Shown]


def _truth(data: Points, y: Array, params: Params) -> Truth:
    """What is taken as true where the method has no functions of its own."""
    if params.source == "a formula":
        return formula_truth(data, y, params.formula, params.noise)
    return powers_truth(data, params.truth, params.noise, ALGORITHM.title)


def _context(data: Points, params: Params, rule: Rule) -> Context:
    """The truth, the penalty and the picture of a run."""
    problem = linear_problem(data, rule.functions, ALGORITHM.title)
    if params.source == "a formula":
        truth = formula_truth(data, problem.y, params.formula, params.noise)
    else:
        truth = least_squares_truth(problem, params.truth, params.noise, rule.loss)
    bare = Experiment(problem, truth, rule.loss, Basis.of(problem.columns, truth.values))
    penalty = rule.penalty_at(rule.lam)
    pair = chosen_pair(params.pair, len(problem.names), intercept=True)
    picture = Picture(problem, truth, grid_of(data), pair, bare.nearest(), bare.reach(penalty))
    count = min(params.redraws, max(MOST_NUMBERS // data.n, 2))
    warning = words.fewer(count) if count < params.redraws else ""
    return Context(bare, penalty, rule.penalty_at if rule.priced else None, picture, count, warning)


def _nothing(context: Context) -> Model:
    """No fit yet: the function 0."""
    problem, truth = context.experiment.problem, context.experiment.truth
    none = np.zeros((1, len(problem.names)))
    off = float(truth.values @ truth.values) / len(truth.values)
    return Model(problem.dictionary, problem.names, truth, np.zeros(1), none, off, 0.0, truth.sigma**2)


def _fitted(context: Context, found: Estimates) -> Model:
    """All fits as a model."""
    problem, truth = context.experiment.problem, context.experiment.truth
    intercepts, betas = found.coefficients
    return Model(problem.dictionary, problem.names, truth, intercepts, betas, *found.parts(), truth.sigma**2)


def _redraw(context: Context, shown: Shown, rng: np.random.Generator, hurry: bool) -> Drawn:
    """The first redraws one by one, then in larger steps; going on from a model there is only the last one."""
    experiment, found = context.experiment, None
    for number in [context.count] if hurry else _numbers(context.count):
        new = experiment.targets(number - len(shown.targets), rng)
        more = experiment.estimates(experiment.basis, new, context.penalty)
        found = more if found is None else found.joined(more)
        cloud = context.cloud(found, context.penalty, new[-1])
        targets = np.concatenate([shown.targets, new])
        shown = replace(shown, model=_fitted(context, found), cloud=cloud, targets=targets)
        yield context.frame(shown, "redraw", words.redraw(number, shown.model))
    assert shown.cloud is not None
    return replace(shown, cloud=replace(shown.cloud, targets=None))


def _degrees(context: Context, shown: Shown, functions: Functions) -> Drawn:
    """The parts of the error for every degree."""
    experiment, problem = context.experiment, context.experiment.problem
    trade = TradeOff("degree", float(functions.degree), experiment.truth.sigma**2, _floor(context))
    for degree in swept_degrees(functions.dictionary, problem.data.d, max(functions.degree, experiment.truth.degree)):
        try:
            _, columns = problem.build(degree)
        except DataError:  # values too large for this power, or too many functions: the curve ends here
            break
        basis = experiment.basis_of(columns)
        parts = experiment.estimates(basis, _few(context, shown), context.penalty).parts()
        trade = trade.joined(float(degree), parts, experiment.exact_parts(basis, context.penalty))
        shown = shown.keeping("bias_degrees", trade.marks())
        yield context.frame(shown, "degree", words.trade(f"Degree {degree}", parts, experiment.truth))
    return replace(shown, least=(*shown.least, f"degree {trade.best:.0f}"))


def _lambdas(context: Context, shown: Shown, lam: float) -> Drawn:
    """The parts of the error for every λ; without a penalty, for those that ridge would have."""
    experiment, at = context.experiment, context.penalty_at
    if not experiment.problem.names:
        return shown
    priced = at or (lambda value: Penalty(l2=value))
    trade = TradeOff("lam", lam if at else None, experiment.truth.sigma**2, _floor(context))
    before: Array | None = None
    for value in lambda_grid(experiment.problem.design, priced(1.0), lam).tolist():
        penalty = priced(value)
        found = experiment.estimates(experiment.basis, _few(context, shown), penalty, before)
        before, parts = found.b, found.parts()
        trade = trade.joined(value, parts, experiment.exact_parts(experiment.basis, penalty))
        shown = shown.keeping("bias_lambdas", trade.marks())
        name = f"λ = {value:.3g}" if at else f"Were there a ridge penalty with λ = {value:.3g}"
        moved = replace(shown, cloud=context.cloud(found, penalty))
        yield context.frame(moved, "lambda", words.trade(name, parts, experiment.truth))
    return replace(shown, least=(*shown.least, f"λ = {trade.best:.3g}")) if at else shown


def _few(context: Context, shown: Shown) -> Array:
    """The targets for the curves; not all where every single fit is a slow descent."""
    slow = context.experiment.loss.kind != "squared" or not context.penalty.closed
    return shown.targets[:SLOW] if slow else shown.targets


def _floor(context: Context) -> float:
    """The least that is drawn on a logarithmic axis."""
    truth, problem = context.experiment.truth, context.experiment.problem
    seen = 0.1 * truth.sigma**2 / (problem.data.n * context.count)  # what the mean of the redraws is off by
    return max(seen, error_floor(problem.y))


def _numbers(count: int) -> list[int]:
    """After how many redraws there is a frame."""
    first = range(1, min(count, _ONE_BY_ONE) + 1)
    later = np.linspace(min(count, _ONE_BY_ONE), count, _FRAMES - _ONE_BY_ONE)
    return sorted({*first, *(round(number) for number in later.tolist())})


def predict(model: Model | Repeated, X: Array) -> Array:
    """The mean of all fits."""
    return model.fits(X).mean(axis=0)


def explain(model: Model | Repeated, data: Points, item: Item) -> Explanation:
    """The truth at this place, how far the mean of the fits is off, and how far the fits scatter."""
    fits = model.fits(item.x[None, :])[:, 0]
    true = float(model.truth.at(item.x[None, :])[0])
    answer: Explanation = {"mean of the fits": float(fits.mean())}
    if np.isfinite(true):
        answer |= {"truth": true, "bias": float(fits.mean()) - true, "bias²": (float(fits.mean()) - true) ** 2}
    answer |= {"variance": float(fits.var()), "noise σ²": model.noise, "fits": len(fits)}
    if item.number >= 0 and data.y is not None:
        answer["target in the data"] = float(data.y[item.number])
    return answer


ALGORITHM = Algorithm(
    key="bias_variance",
    title="Bias and variance",
    family="evaluation",
    summary="The same fit to noise drawn again and again around a known truth: what is off, and what scatters.",
    params=Params,
    run=run,
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    target="values",
    resumes=True,
    example="sine(n=40,noise=0.25,seed=2)",
    synonyms=("bias-variance trade-off", "overfitting", "underfitting", "Gauss-Markov", "Monte Carlo", "redraws"),
    panels=(
        Panel("plane", "Data and fits", "data"),
        Panel(
            *("bias_degrees", "Trade-off by degree or number"),
            x="degree or number",
            y="mean square",
            log_y=True,
            integer_x=True,
        ),
        Panel("bias_lambdas", "Trade-off by λ or factor", x="λ or factor", y="mean square", log_x=True, log_y=True),
        Panel(
            "cloud",
            "Cloud of estimates",
            x="first coefficient",
            y="second coefficient",
            surface=True,
            reserved=True,
        ),
    ),
    metrics=(
        Metric("bias2", "bias²", "parts", better="neither"),
        Metric("variance", "variance", "parts", better="neither"),
        Metric("noise", "noise σ²", "parts", better="neither"),
        Metric("error", "bias² + variance + σ²", "parts"),
    ),
    pseudocode=(
        Line("f* ← the truth: a curve through the data, or a formula", "truth"),
        Line(
            "repeat:  y ← f*(x) + σ · noise,  f_k ← the fit to y        bias² = {bias2}, variance = {variance}",
            "redraw",
        ),
        Line("for each degree, or another number: bias² = mean (f̄ - f*)², variance = mean (f_k - f̄)²", "degree"),
        Line("for each λ, or another factor: bias² and variance of the fits with it", "lambda"),
        Line("a new target is missed by bias² + variance + σ² = {error}", "done"),
    ),
    reference="Methods for Data Science §2.5, §2.6.2; Introduction to Machine Learning §4.3; "
    "Statistical Machine Learning (Orbanz), Shrinkage",
    formulas=(
        r"\frac{1}{K} \sum_k \left( f_k - f^{*} \right)^2 = \left( \bar{f} - f^{*} \right)^2 + \frac{1}{K} \sum_k "
        r"\left( f_k - \bar{f} \right)^2",
        r"\text{expected error for a new target} = \text{bias}^2 + \text{variance} + \sigma^2",
        r"\text{ridge, along an eigenvector of } \Phi^{\top}\Phi\text{:}\quad \text{bias} = -\frac{\lambda}{d + "
        r"\lambda}\, \beta^{*}, \qquad \text{variance} = \frac{\sigma^2 d}{(d + \lambda)^2}",
    ),
    tries=(
        Try(
            "A straight line through a sine: nearly the same line every time, and wrong every time.",
            params={"method": "linear_regression(degree=1)"},
        ),
        Try(
            "A polynomial of degree 12: right on average, and different every time.",
            params={"method": "linear_regression(degree=12)"},
        ),
        Try(
            "A penalty on the degree 12 takes variance away and pays with bias.",
            params={"method": "linear_regression(degree=12,penalty='ridge',lam=0.001)"},
        ),
        Try(
            "Nearest neighbours: one neighbour follows the noise, many are stiff; between them is a k for this truth.",
            params={"method": "k_nearest(k=3)", "redraws": 30},
        ),
    ),
)
