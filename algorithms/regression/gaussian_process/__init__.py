"""Gaussian process regression: a distribution over functions, and what is left of it when points are observed.

Before anything is observed every function that the kernel allows has its probability; the points that are observed
leave those functions that pass near them, and the values of these are Gaussian again, with a mean and a standard
deviation at every place. How wide, how high and how noisy the functions are is chosen by the marginal likelihood, the
probability of the observed targets under all functions together: it rewards the fit and punishes what could have fitted
anything.

    f ~ GP(0, a² k),    y = f(x) + ε with ε ~ N(0, σ²),    α = (K + σ²I)⁻¹ y
    mean f(x) = Σ_i α_i a² k(x_i, x),    Var f(x) = a² k(x, x) - k(x)'(K + σ²I)⁻¹ k(x)
    log p(y) = -½ y'(K + σ²I)⁻¹ y - ½ log|K + σ²I| - n/2 log 2π

The mean is that of kernel ridge regression with λ = σ²/a². Of more than 4,000 points 1,000 landmarks carry the
functions (subset of regressors).

Rasmussen and Williams, Gaussian Processes for Machine Learning, chapters 2 and 5 (Algorithm 2.1, equation 5.8).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.dictionaries import LARGEST
from algorithms.maths.feature_space import kernel_times
from algorithms.maths.kernel_spectrum import Spectrum, blocks
from algorithms.maths.kernels import Kernel
from algorithms.maths.landmarks import SPECTRAL_LANDMARKS, LandmarksKnob, landmark_count, landmarks
from algorithms.maths.linear_model import largest_terms
from algorithms.maths.regression_knobs import BandKnob
from algorithms.maths.regression_marks import grid_of
from algorithms.maths.scales import deviations
from algorithms.maths.suggestions import length_of_standardised
from algorithms.params import Between, Doc, Live, Log, Suggest, When
from algorithms.regression.gaussian_process import words
from algorithms.regression.gaussian_process.solver import (
    MOST_STEPS,
    SPANS,
    Climb,
    Decomposed,
    Evidence,
    Factored,
    Hyper,
    KernelName,
    Peak,
    Process,
    Row,
    evidence_of,
    kernel_of,
    length_grid,
    noise_grid,
    sample,
)
from algorithms.regression.gaussian_process.views import views

MOST_FRAMES = 24
"""Points are observed in at most this many frames."""
QUANTILE = 1.959963984540054
"""The band of 95 %, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of a Gaussian process."""

    kernel: Annotated[
        KernelName,
        Doc("How values at two places go together: smooth, twice or once differentiable, rough, periodic, or x·z."),
    ] = "rbf"
    length: Annotated[
        float,
        Between(*SPANS[0]),
        Suggest(length_of_standardised, "from the number of features"),
        Log,
        Live,
        Doc("The length scale: how far away values still go together."),
    ] = 0.3
    period: Annotated[
        float, Between(1e-2, 1e3), Log, Live, When("kernel", "periodic"), Doc("After which distance all comes again.")
    ] = 1.0
    amplitude: Annotated[
        float, Between(*SPANS[1]), Log, Live, Doc("The standard deviation of the function before anything is observed.")
    ] = 1.0
    noise: Annotated[float, Between(*SPANS[2]), Log, Live, Doc("The standard deviation σ of what is observed.")] = 0.3
    learn: Annotated[
        bool, Doc("Climb from these values to the length scale, amplitude and noise of highest log p(y).")
    ] = True
    draws: Annotated[int, Between(0, 20), Doc("How many functions are drawn, over one feature.")] = 5
    band: BandKnob = "of the fit"
    scale: Annotated[
        Literal["standardised", "as they are"],
        Doc("Measure features and target in their standard deviations, from their means; or take them as they are."),
    ] = "standardised"
    order: Annotated[
        Literal["least certain first", "as in the table"], Doc("Which point is observed next, in the first part.")
    ] = "least certain first"
    map: Annotated[bool, Doc("Work out log p(y) for other length scales and noises.")] = True
    landmarks: LandmarksKnob = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known of the function: level + scale · (a process with these hyper-parameters that knows the points)."""

    kernel: Kernel  # with amplitude 1
    shift: Array  # (d,) subtracted from a feature,
    unit: Array  # (d,) before it is divided by this
    level: float
    scale: float
    members: Array  # (m,) the points that carry the functions
    centres: Array  # (m, d)
    alpha: Array  # (m,)
    factor: Array  # (m, r): Var f(x) = a² (k(x, x) - |k(x) factor|²)
    length: float
    amplitude: float
    noise: float
    log_marginal: float  # of the points observed so far
    observed: int
    band: str
    extent: Array  # (2, d) of the points

    def inside(self, X: Array) -> Array:
        """The rows as the kernel sees them."""
        return (X - self.shift) / self.unit

    def rows(self, X: Array, Z: Array | None = None) -> Array:
        """The kernel between the rows of ``X`` and the centres, or those of ``Z``."""
        return self.kernel(self.inside(X), self.centres if Z is None else self.inside(Z))

    def diagonal(self, X: Array) -> Array:
        """The kernel of each row with itself."""
        return self.kernel.diagonal(self.inside(X))

    def values(self, X: Array, rows: Array | None = None) -> Array:
        """The mean, (n,); ``rows`` is :meth:`rows` of these places, where it is at hand."""
        if rows is None:
            sums = kernel_times(self.kernel, self.inside(X), self.centres, self.alpha[:, None])[:, 0]
        else:
            sums = rows @ self.alpha
        return np.asarray(self.level + self.scale * self.amplitude**2 * sums)

    def known(self, X: Array, rows: Array | None = None) -> Array:
        """What the observed points say about the rows of ``X``: its squares add up to the variance that is gone."""
        return np.asarray((self.rows(X) if rows is None else rows) @ self.factor)

    def deviation(self, X: Array, known: Array | None = None) -> Array:
        """The standard deviation of the function, (n,); ``known`` is :meth:`known` of these rows."""
        known = self.known(X) if known is None else known
        left = self.diagonal(X) - np.einsum("ij,ij->i", known, known)
        return np.asarray(self.scale * self.amplitude * np.sqrt(np.maximum(left, 0.0)))

    def half_width(self, X: Array, known: Array | None = None) -> Array:
        """Half the width of the band, of the function or for new points."""
        noise = self.scale * self.noise if self.band == "for new points" else 0.0
        return np.asarray(QUANTILE * np.sqrt(np.square(self.deviation(X, known)) + noise**2))

    def covariance(self, X: Array, known: Array | None = None) -> Array:
        """Of the function between the rows, (n, n)."""
        known = self.known(X) if known is None else known
        return np.asarray((self.scale * self.amplitude) ** 2 * (self.rows(X, X) - known @ known.T))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,)
    grid: Array  # (m, 1) places along the curve, empty for more than one feature
    normals: Array  # (draws, places): the same in every frame, so that a function that is drawn moves, and no other
    start: Hyper
    noises: Array  # of the map
    count: int  # points that carry the functions
    landmarks: int  # points that carry the map and the pictures on the way
    goes_on: bool  # from a process before a change
    learn: bool


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a step has added."""

    before: float = 0.0  # the mean standard deviation at the points, or log p(y), of the snapshot before
    rows: tuple[Row, ...] = ()  # of the map
    best: Peak | None = None  # of the map so far
    path: Array | None = None  # (steps, 3) logarithms of the hyper-parameters that were climbed


Shot = Snapshot[Given, Model, Shown]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The process over one data set."""

    given: Given
    process: Process
    empty: Model  # nothing is observed

    def informed(self, spectrum: Spectrum, hyper: Hyper, rows: Array | None = None) -> Model:
        """The process that knows the points of a spectrum: all of them, or those in ``rows``."""
        lam = hyper.variance / hyper.amplitude**2
        members = spectrum.members if rows is None else rows[spectrum.members]
        return replace(
            self.empty,
            kernel=spectrum.kernel,
            members=members,
            centres=spectrum.centres,
            alpha=spectrum.alpha(lam) / hyper.amplitude**2,
            factor=spectrum.back / np.sqrt(spectrum.L + lam),
            length=hyper.length,
            amplitude=hyper.amplitude,
            noise=hyper.noise,
            log_marginal=evidence_of(spectrum, hyper).total,
            observed=len(spectrum.target),
        )

    def deviation(self, model: Model) -> float:
        """The mean standard deviation of the function at the points."""
        X = self.given.data.X
        return sum(float(model.deviation(X[rows]).sum()) for rows in blocks(len(X))) / len(X)

    def posterior(self, hyper: Hyper) -> tuple[Model, dict[str, float]]:
        """The process that knows all points, and its metrics."""
        place = self.process.place(hyper)
        if isinstance(place, Factored):
            model = self.informed(self.process.spectrum(hyper.length), hyper)
            W, deviation = place.inverse()
            factor = W.T
            factor *= hyper.amplitude
            every, places = np.arange(self.given.data.n), self.process.places
            model = replace(model, members=every, centres=places, alpha=place.alpha, factor=factor)
            model = replace(model, log_marginal=place.evidence.total)
            return model, self.measured(model, place.evidence, model.scale * deviation)
        spectrum = place.spectrum
        if len(spectrum.members) < self.process.count:
            spectrum = self.process.carried(hyper.length)
        model = self.informed(spectrum, hyper)
        return model, self.measured(model, evidence_of(spectrum, hyper))

    def measured(self, model: Model, evidence: Evidence, deviation: float | None = None) -> dict[str, float]:
        """The metrics; ``deviation`` is the mean standard deviation at the points, where it is known."""
        residuals = self.given.y - model.values(self.given.data.X)
        return {
            "log_marginal": evidence.total,
            "fit": evidence.fit,
            "simplicity": evidence.simplicity,
            "mse": float(residuals @ residuals) / len(residuals),
            "deviation": self.deviation(model) if deviation is None else deviation,
        }


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Draw from the prior, observe the points, map the marginal likelihood and climb it."""
    goes_on = start is not None and len(start.shift) == data.d and int(start.members.max(initial=-1)) < data.n
    problem = _problem(data, params, rng, goes_on)
    given, hyper = problem.given, problem.given.start
    model = replace(start, band=params.band) if start is not None and goes_on else problem.empty
    yield Snapshot(given, "prior", model, problem.measured(model, Evidence(0.0, 0.0, 0.0)), Shown())
    if not goes_on:
        yield from _observe(problem, params.order)
    (model, metrics), shown = problem.posterior(hyper), Shown()
    yield Snapshot(given, "posterior", model, metrics, shown)
    if params.map:
        for length in length_grid(problem.process.places, hyper.length).tolist():
            row = Row.of(length, problem.process.spectrum(length))
            peak = row.peak(hyper.amplitude, given.noises)
            best = peak if shown.best is None or peak.height > shown.best.height else shown.best
            shown = replace(shown, rows=(*shown.rows, row), best=best)
            yield Snapshot(given, "map", model, metrics, shown)
    stop = Stop.COMPLETE
    if params.learn:
        hyper, shown, stop = yield from _climb(problem, shown)
        model, metrics = problem.posterior(hyper)
    yield Snapshot(given, "done", model, metrics, replace(shown, path=_way(given, shown)))
    return stop


def _problem(data: Points, params: Params, rng: np.random.Generator, goes_on: bool) -> Problem:
    """The process that data and parameters ask for, before anything is observed."""
    y = data.values(ALGORITHM.title)
    if not np.abs(y).max() < LARGEST:
        raise DataError("The target is too large for a sum of squares; scale it first.")
    shift, unit, level, scale = np.zeros(data.d), np.ones(data.d), 0.0, 1.0
    if params.scale == "standardised":
        shift, unit = data.X.mean(axis=0), deviations(data.X)
        level, scale = float(y.mean()), float(deviations(y[:, None])[0])
    places, scaled = (data.X - shift) / unit, (y - level) / scale
    hyper = Hyper(params.length, params.amplitude, params.noise)
    kernel, none = kernel_of(params.kernel, params.length, params.period), np.empty(0, dtype=np.intp)
    nothing = (none, places[none], np.empty(0), np.empty((0, 0)))
    begin = (params.length, params.amplitude, params.noise)
    extent = np.stack([data.X.min(axis=0), data.X.max(axis=0)])
    empty = Model(kernel, shift, unit, level, scale, *nothing, *begin, 0.0, 0, params.band, extent)
    count, grid = landmark_count(data.n, params.landmarks), grid_of(data)
    process = Process(places, scaled, params.kernel, params.period, count)
    normals, noises = rng.standard_normal((params.draws, len(grid[::2]))), noise_grid(scaled, params.noise)
    given = Given(data, y, grid, normals, hyper, noises, count, process.spectral, goes_on, params.learn)
    return Problem(given, process, empty)


def _observe(problem: Problem, order: str) -> Iterator[Shot]:
    """Let the points in one after the other, all but the last ones, with which the posterior is complete."""
    process, n, hyper = problem.process, problem.given.data.n, problem.given.start
    few = landmarks(n, SPECTRAL_LANDMARKS)
    if order == "least certain first":
        some = replace(process, places=process.places[few], y=process.y[few])
        few = few[some.order(hyper)]
    before = problem.deviation(problem.empty)
    for count in sorted({round(k) for k in np.linspace(1, len(few), MOST_FRAMES)} - {n}):
        checkpoint()
        spectrum = process.spectrum(hyper.length, few[:count])
        model = problem.informed(spectrum, hyper, few[:count])
        metrics = problem.measured(model, evidence_of(spectrum, hyper))
        yield Snapshot(problem.given, "observe", model, metrics, Shown(before))
        before = metrics["deviation"]


def _climb(problem: Problem, shown: Shown) -> Generator[Shot, None, tuple[Hyper, Shown, Stop]]:
    """BFGS in the logarithms of length scale, amplitude and noise, until a step gains nothing."""
    process = problem.process
    climb = Climb.begin(process, problem.given.start)
    for _ in range(MOST_STEPS):
        above = climb.step(process)
        if above is None:
            return climb.hyper, shown, Stop.CONVERGED
        hyper, place = above.hyper, above.place
        path = np.vstack([_way(problem.given, shown), hyper.logarithms])
        shown = replace(shown, before=climb.evidence.total, path=path)
        spectrum = place.spectrum if isinstance(place, Decomposed) else process.spectrum(hyper.length)
        model = replace(problem.informed(spectrum, hyper), log_marginal=above.evidence.total)
        yield Snapshot(problem.given, "climb", model, problem.measured(model, above.evidence), shown)
        if not above.gained(climb):
            return hyper, shown, Stop.CONVERGED
        climb = above
    return climb.hyper, shown, Stop.LIMIT


def _way(given: Given, shown: Shown) -> Array:
    """The way up so far, (steps, 3)."""
    return given.start.logarithms[None] if shown.path is None else shown.path


def predict(model: Model, X: Array) -> Array:
    """The mean of the function."""
    return model.values(X)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The terms that add up to the mean, and how certain it is."""
    terms = model.scale * model.amplitude**2 * model.rows(item.x[None, :])[0] * model.alpha
    deviation = float(model.deviation(item.x[None, :])[0])
    before = float(model.scale * model.amplitude * np.sqrt(model.diagonal(item.x[None, :])[0]))
    answer: Explanation = {
        "mean": model.level + float(terms.sum()),
        "standard deviation of the function": deviation,
        "the same before anything was observed": before,
    }
    if item.number >= 0 and data.y is not None:
        answer["target"] = float(data.y[item.number])
        answer["residual"] = answer["target"] - answer["mean"]
        answer["residual in standard deviations of a new point"] = answer["residual"] / float(
            np.hypot(deviation, model.scale * model.noise)
        )
    answer["level"] = model.level
    return answer | largest_terms(terms, lambda i: f"{model.alpha[i]:.3g} · a² k of point {model.members[i] + 1}")


ALGORITHM = Algorithm(
    key="gaussian_process",
    title="Gaussian process regression",
    family="regression",
    summary="A distribution over functions: observed points narrow its band, the marginal likelihood sets its knobs.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("How large is the mean standard deviation with more points?", "observe", "metrics.deviation"),
        Question("How high is log p(y) after the next step uphill?", "climb", "metrics.log_marginal"),
    ),
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    sample=sample,
    counterpart=words.counterpart,
    target="values",
    resumes=True,
    example="sine(n=14,noise=0.15,periods=1.5,seed=4)",
    synonyms=("GP", "GPR", "kriging", "Bayesian regression", "Matern", "marginal likelihood", "evidence", "posterior"),
    panels=(
        Panel("plane", "Data and process", "data"),
        Panel(
            "map", "log p(y) by length and noise", x="length scale", y="noise", log_x=True, log_y=True, reserved=True
        ),
        Panel("evidence", "log p(y) by length", x="length scale", y="log p(y)", log_x=True),
        Panel("prior", "Before anything is observed", x="x", y="f(x)"),
        Panel("uncertainty", "How certain it is", x="x", y="standard deviation"),
        Panel("alpha", "Weights of the points", x="point", y="α"),
    ),
    metrics=(
        Metric("log_marginal", "log marginal likelihood log p(y)", "likelihood", better="neither"),
        Metric("fit", "fit -½ y'(K + σ²I)⁻¹y", "likelihood", better="neither"),
        Metric("simplicity", "simplicity -½ log|K + σ²I|", "likelihood", better="neither"),
        Metric("mse", "mean squared residual", "error", better="neither"),
        Metric("deviation", "standard deviation at the points", better="neither"),
    ),
    pseudocode=(
        Line("f ~ GP(0, a² k): draw functions before anything is observed", "prior"),
        Line("for each point:  keep the functions that pass near it        deviation = {deviation}", "observe"),
        Line("α = (K + σ²I)⁻¹ y,  Var f(x) = a² k(x, x) - k(x)'(K + σ²I)⁻¹ k(x)", "posterior"),
        Line("for each length scale: K = U L U', and log p(y) for every noise", "map"),
        Line("climb:  θ ← θ + η H ∇ log p(y),  θ = log (length, a, σ)        log p(y) = {log_marginal}", "climb"),
        Line("the process is ready        mean squared residual = {mse}", "done"),
    ),
    reference="Rasmussen and Williams, Gaussian Processes for Machine Learning, chapters 2 and 5",
    formulas=(
        r"f(x) \mid y \sim \mathcal{N}\big(k(x)^{\top} \alpha,\ k(x, x) - k(x)^{\top} (K + \sigma^2 I)^{-1} k(x)\big),"
        r" \qquad (K + \sigma^2 I)\, \alpha = y",
        r"\log p(y) = -\tfrac12\, y^{\top} (K + \sigma^2 I)^{-1} y - \tfrac12 \log |K + \sigma^2 I| - \tfrac n2 \log"
        r" 2\pi",
    ),
    tries=words.TRIES,
    related=words.RELATED,
)
