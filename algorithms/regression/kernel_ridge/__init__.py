"""Kernel ridge regression: a bump at every point, each as high as the others leave it to be.

By the representer theorem the best function of a kernel's feature space, with a price λ on the squared length of its
weights, is a sum over the points, and one linear system gives their weights:

    f(x) = Σ_i α_i k(x_i, x),    (K + λI) α = y,    which minimises |y - Kα|² + λ α'Kα

with neither 1/n nor ½, so λ is n times the one of programs that divide. In the eigenvectors of K = U L U' the target is
shrunk by L / (L + λ), and the error of the fit *without* point i, at point i, is (y_i - f(x_i)) / (1 - S_ii) with
S = U L (L + λ)⁻¹ U': one decomposition serves every λ, and nothing has to be fitted again. The width σ of the kernel
needs a decomposition each. Where the features are scaled, leaving out a point changes the scale of the others, and the
formula does not hold: then the fits without each point, or without each of ten parts, are made.

The fit to more than 1,000 points is solved by a Cholesky factor, and the eigenvectors and curves are those of 400
landmarks; of more than 4,000 points landmarks carry the fit, too.

Handbook §4.4.1-4.4.2, Algorithm 12; Introduction to Machine Learning §7.1; Hastie, Tibshirani and Friedman, The
Elements of Statistical Learning, §5.8 and §7.10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
    Try,
)
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Array, DataError, Item, Points
from algorithms.maths.dictionaries import LARGEST
from algorithms.maths.feature_space import kernel_times
from algorithms.maths.kernel_spectrum import Solution, Spectrum, solution_of, spectrum_of, width_grid
from algorithms.maths.kernels import Kernel
from algorithms.maths.landmarks import MOST_COMPARED, LandmarksKnob, landmark_caveat, landmark_count, spectral_count
from algorithms.maths.linear_model import Band, Spread, largest_terms
from algorithms.maths.regression_knobs import BandKnob
from algorithms.maths.regression_marks import grid_of
from algorithms.maths.suggestions import free_intercept, kernel_width
from algorithms.params import Advanced, Between, Doc, Live, Log, Suggest, When
from algorithms.regression.kernel_ridge import words
from algorithms.regression.kernel_ridge.solver import (
    Intercept,
    KernelName,
    LeftOut,
    Refits,
    kernel_of,
    lambda_grid,
    unit_of,
)
from algorithms.regression.kernel_ridge.views import views

MOST_DIRECTIONS = 30
"""Eigenvectors are added in at most this many frames, as far as they are kept at all."""


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs of kernel ridge regression."""

    kernel: Annotated[
        KernelName,
        Doc("How alike two points are: a bell, a bell with a crease, products of up to so many features, or x·z."),
    ] = "rbf"
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        Live,
        When("kernel", "rbf", "laplacian"),
        Doc(
            "Width of the bell exp(-|x-z|²/(2 sigma²)), or exp(-|x-z|₁/sigma) of the Laplacian, in units of the"
            " features; gamma elsewhere is 1/(2 sigma²) or 1/sigma."
        ),
    ] = 0.1
    degree: Annotated[int, Between(1, 20), When("kernel", "polynomial"), Doc("Degree of (x·z + 1)^degree.")] = 3
    lam: Annotated[
        float,
        Between(1e-9, 1e8),
        Log,
        Live,
        Doc("The strength λ of the penalty, beside the sum (not the mean) of the squared residuals."),
    ] = 0.3
    features: Annotated[
        Literal["as they are", "from 0 to 1"],
        Doc("Take the features as they are, or let every one of them run from 0 to 1."),
    ] = "as they are"
    band: BandKnob = "of the fit"
    sweep: Annotated[bool, Doc("Afterwards leave out every point for all λ and other widths σ.")] = True
    intercept: Annotated[
        Intercept,
        Advanced,
        Suggest(free_intercept, "because the values of a table are seldom around 0"),
        Doc("None, as in the formula; free of the penalty; or a constant added to the kernel."),
    ] = "none"
    landmarks: LandmarksKnob = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """f(x) = intercept + Σ alpha_i k(centre_i, x), with each feature less ``low`` and by ``span``."""

    kernel: Kernel
    low: Array  # (d,)
    span: Array  # (d,)
    members: Array  # (m,) which points are the centres
    centres: Array  # (m, d)
    alpha: Array  # (m,)
    intercept: float
    loo: float  # the mean squared error at points that were left out
    left_out: Array  # (n,) the error at each point of the fit to all others
    degrees: float = 0.0  # tr S, the effective degrees of freedom
    norm: float = 0.0  # √(α'Kα), the length of the weights in the feature space
    refits: int = 0  # how many fits have left the points out; 0 where it is one formula
    spread: Spread | None = None

    def rows(self, X: Array) -> Array:
        """The kernel between the rows of ``X`` and the centres, (n, m)."""
        return self.kernel((X - self.low) / self.span, self.centres)

    def values(self, X: Array) -> Array:
        """The value of the fit, (n,)."""
        places = (X - self.low) / self.span
        return np.asarray(self.intercept + kernel_times(self.kernel, places, self.centres, self.alpha[:, None])[:, 0])

    @property
    def in_parts(self) -> bool:
        """Whether several points are left out at a time."""
        return 0 < self.refits < len(self.left_out)

    @property
    def name_of_errors(self) -> str:
        """How the points are left out."""
        return f"{self.refits}-fold" if self.in_parts else "leave-one-out"


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,)
    grid: Array  # (m, 1) places along the curve, empty for more than one feature
    lam: float
    sigma: float | None  # None: the kernel has no width
    count: int  # points that carry the fit
    landmarks: int  # points whose eigenvectors are shown
    eigenvalues: Array  # (r,) of K, largest first
    kept: Array  # (r,) the fraction of each direction that the penalty keeps
    goes_on: bool  # from a fit before a change


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a step has added."""

    before: float = 0.0  # the mean squared residual of the snapshot before
    directions: int = 0  # eigenvectors so far
    left_out: LeftOut | None = None
    row: int = 0  # of the errors of left-out points that is new

    @property
    def least(self) -> float:
        """The least error of left-out points in the new row."""
        return float("nan") if self.left_out is None else float(self.left_out.errors[self.row].min())


Shot = Snapshot[Given, Model, Shown]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The fit to one data set with one λ."""

    data: Points
    y: Array  # (n,)
    lam: float
    free: bool  # the intercept
    places: Array  # (n, d) the points as the kernel sees them
    count: int  # points that carry the fit
    spectrum: Spectrum  # of so many points that it is cheap
    empty: Model  # all α are 0
    refits: Refits | None  # where the features are scaled

    def along(self, directions: int) -> Model:
        """The part of the fit along the first eigenvectors."""
        spectrum = self.spectrum
        alpha, norm = spectrum.alpha(self.lam, directions), spectrum.square(self.lam, directions) ** 0.5
        return replace(self.empty, alpha=alpha, intercept=spectrum.intercept(alpha), norm=norm)

    def solved(self, band: Band | None) -> Model:
        """The fit, with what it misses when a point is left out."""
        lam, kernel = self.lam, self.empty.kernel
        if len(self.spectrum.members) == self.count:
            found = Solution.of(self.spectrum, lam, band)
        else:
            found = solution_of(kernel, self.places, self.y, self.free, lam, self.count, band)
        left_out = found.left_out
        if self.refits is not None:
            left_out = self.refits.left_out(kernel, np.array([lam]), self.count)[:, 0]
        return replace(
            self.empty,
            members=found.members,
            centres=found.centres,
            alpha=found.alpha,
            intercept=found.intercept,
            loo=float(left_out @ left_out) / len(left_out),
            left_out=left_out,
            degrees=found.degrees,
            norm=max(found.square, 0.0) ** 0.5,
            spread=found.spread,
        )

    def errors(self, spectrum: Spectrum, lambdas: Array) -> Array:
        """The mean squared error of left-out points, (k,), with the kernel of this spectrum."""
        if self.refits is None:
            return spectrum.errors(lambdas)
        found = self.refits.left_out(spectrum.kernel, lambdas, len(spectrum.members))
        return np.asarray(np.square(found).mean(axis=0))

    def measured(self, model: Model) -> dict[str, float]:
        """What is minimised, the mean squared residual, that of left-out points, and the length of the weights."""
        residuals = self.y - model.values(self.data.X)
        squares = float(residuals @ residuals)
        objective = squares + self.lam * model.norm**2
        return {"objective": objective, "mse": squares / len(self.y), "loo": model.loo, "norm": model.norm}


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Add up the eigenvectors of K to α, solve for it, then leave out every point for all λ and other σ."""
    problem = _problem(data, params, rng)
    goes_on = start is not None and len(start.low) == data.d
    given = _given(problem, params, goes_on)
    first = start if start is not None and goes_on else problem.empty
    metrics = problem.measured(first)
    yield Snapshot(given, "kernel", first, metrics, Shown())
    for k in [] if goes_on else _sizes(given.kept):
        before, model = metrics["mse"], problem.along(k)
        metrics = problem.measured(model)
        yield Snapshot(given, "direction", model, metrics, Shown(before, k))
    model = problem.solved(Band.of(params.band))
    metrics, shown = problem.measured(model), Shown(metrics["mse"], len(given.kept))
    yield Snapshot(given, "solve", model, metrics, shown)
    if params.sweep:
        for left_out, row in _leave_out(problem, given, params, model):
            shown = replace(shown, left_out=left_out, row=row)
            yield Snapshot(given, "loo" if row == left_out.current else "width", model, metrics, shown)
    yield Snapshot(given, "done", model, metrics, shown)
    return Stop.COMPLETE


def _problem(data: Points, params: Params, rng: np.random.Generator) -> Problem:
    """The fit that data and parameters ask for."""
    y = data.values(ALGORITHM.title)
    if not np.abs(y).max() < LARGEST:
        raise DataError("The target is too large for a sum of squares; scale it first.")
    from_zero, free = params.features == "from 0 to 1", params.intercept == "free"
    low, span = unit_of(data.X, from_zero)
    places = (data.X - low) / span
    kernel = kernel_of(params.kernel, params.sigma, params.degree, params.intercept)
    count = landmark_count(data.n, params.landmarks)
    spectrum = spectrum_of(kernel, places, y, free, spectral_count(data.n, count))
    refits = Refits.of(data, y, from_zero, free, rng)
    none = np.zeros(len(spectrum.members))
    empty = Model(kernel, low, span, spectrum.members, spectrum.centres, none, 0.0, float(y @ y) / len(y), y)
    empty = replace(empty, refits=0 if refits is None else len(refits.parts))
    return Problem(data, y, params.lam, free, places, count, spectrum, empty, refits)


def _given(problem: Problem, params: Params, goes_on: bool) -> Given:
    data, spectrum, lam = problem.data, problem.spectrum, problem.lam
    sigma = params.sigma if params.kernel in ("rbf", "laplacian") else None
    shown, kept = len(spectrum.members), spectrum.kept(lam)
    return Given(data, problem.y, grid_of(data), lam, sigma, problem.count, shown, spectrum.L, kept, goes_on)


def _sizes(kept: Array) -> list[int]:
    """How many eigenvectors each frame has, as far as they are kept at all."""
    count = max(int(np.count_nonzero(kept > 1e-3)), 1)
    return sorted({round(k) for k in np.linspace(1, count, min(count, MOST_DIRECTIONS))})


def _leave_out(problem: Problem, given: Given, params: Params, model: Model) -> Iterator[tuple[LeftOut, int]]:
    """The errors of left-out points: all λ at once for the σ in use, then for one σ after the other."""
    sigmas = np.array([params.sigma]) if given.sigma is None else width_grid(problem.places, params.sigma)
    lambdas = lambda_grid(problem.spectrum, params.lam)
    current = int(np.flatnonzero(sigmas == params.sigma)[0])
    left_out = LeftOut(lambdas, sigmas, np.full((len(sigmas), len(lambdas)), np.nan), current, model.name_of_errors)
    left_out = left_out.filled(current, problem.errors(problem.spectrum, lambdas))
    yield left_out, current
    for row in range(len(sigmas)):
        if row != current:
            kernel = kernel_of(params.kernel, float(sigmas[row]), params.degree, params.intercept)
            other = spectrum_of(kernel, problem.places, problem.y, problem.free, given.landmarks)
            left_out = left_out.filled(row, problem.errors(other, lambdas))
            yield left_out, row


def predict(model: Model, X: Array) -> Array:
    """The value of the fit."""
    return model.values(X)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The terms that add up to the prediction, its uncertainty, and what it would be without the point."""
    rows = model.rows(item.x[None, :])
    terms = rows[0] * model.alpha
    answer: Explanation = {"prediction": float(model.intercept + terms.sum())}
    if model.spread is not None:
        name = "± for a new point" if model.spread.new_points else "± of the fit"
        answer[name] = float(model.spread.half_width(rows)[0])
    if item.number >= 0 and data.y is not None:
        target = float(data.y[item.number])
        answer["target"] = target
        answer["residual"] = target - answer["prediction"]
        if len(model.left_out) == data.n:
            without = "its part of the points" if model.in_parts else "this point"
            answer[f"prediction without {without}"] = target - float(model.left_out[item.number])
    answer["intercept"] = model.intercept
    return answer | largest_terms(terms, lambda i: f"{model.alpha[i]:.3g} · k of point {model.members[i] + 1}")


def counterpart(params: Params, case: Case | None) -> Counterpart | None:
    """KernelRidge, which has no intercept and no landmarks."""
    if case is None or params.intercept != "none":
        return None
    caveat = landmark_caveat(case.data.n, landmark_count(case.data.n, params.landmarks))
    if caveat and case.data.n > MOST_COMPARED:
        return None
    kernels = {
        "rbf": f"kernel='rbf', gamma={0.5 / params.sigma**2!r}",
        "laplacian": f"kernel='laplacian', gamma={1.0 / params.sigma!r}",
        "polynomial": f"kernel='poly', degree={params.degree}, gamma=1.0, coef0=1.0",
        "linear": "kernel='linear'",
    }
    make, imports = f"KernelRidge(alpha={params.lam!r}, {kernels[params.kernel]})", _IMPORTS
    if params.features == "from 0 to 1":
        make, imports = f"make_pipeline(MinMaxScaler(), {make})", _IMPORTS + _SCALED
    measure = "largest difference of a prediction, by the range of y"
    return Counterpart(imports, make, SAME_VALUES, measure, caveat=caveat)


_IMPORTS = "from sklearn.kernel_ridge import KernelRidge"
_SCALED = "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import MinMaxScaler"


ALGORITHM = Algorithm(
    key="kernel_ridge",
    title="Kernel ridge regression",
    family="regression",
    summary="A sum of bumps at the points, from one linear system; leave-one-out errors for every λ in closed form.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    questions=(
        Question("How large is the mean squared residual along more eigenvectors?", "direction", "metrics.mse"),
        Question("How large is the least error of left-out points with the next σ?", "width", "shown.least"),
    ),
    predict=predict,
    field=predict,
    scores="value",
    explain=explain,
    counterpart=counterpart,
    target="values",
    resumes=True,
    example="sine(n=60,noise=0.25,periods=1.5,seed=1)",
    synonyms=("KRR", "kernel regression", "representer theorem", "LOOCV", "leave-one-out", "RBF"),
    panels=(
        Panel("plane", "Data and fit", "data"),
        Panel("alpha", "Weights of the points", x="point", y="α"),
        Panel("loo", "Left-out error by λ", x="λ", y="mean square", log_x=True, log_y=True),
        Panel("widths", "Left-out error by σ", x="σ", y="mean square", log_x=True, log_y=True),
        Panel("map", "Left-out error by both", "none"),
        Panel("directions", "Directions", x="eigenvector", y="fraction kept"),
    ),
    metrics=(
        Metric("objective", "objective"),
        Metric("mse", "mean squared residual", "error", better="neither"),
        Metric("loo", "mean squared error of left-out points", "error"),
        Metric("norm", "length in the feature space", better="neither"),
    ),
    pseudocode=(
        Line("K ← k(x_i, x_j), α ← 0", "kernel"),
        Line("K = U L U'; along each eigenvector, longest first:  α ← α + u (u'y) / (d + λ)", "direction"),
        Line("α = (K + λI)⁻¹ y        mean squared residual = {mse}", "solve"),
        Line("left out, for every λ at once:  (y_i - f(x_i)) / (1 - S_ii) with S = U L (L + λ)⁻¹ U'", "loo"),
        Line("    (of scaled features: y_i less the fit to the others in their own scale)", "loo"),
        Line("for each other σ: K, its eigenvectors and the same errors", "width"),
        Line("the fit is ready        error of left-out points = {loo}", "done"),
    ),
    reference="Handbook §4.4.1-4.4.2 (Alg. 12); Introduction to Machine Learning §7.1; "
    "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, §5.8, §7.10",
    formulas=(
        r"f(x) = \sum_i \alpha_i\, k(x_i, x), \qquad (K + \lambda I)\, \alpha = y",
        r"\min_{\alpha} \ \|y - K\alpha\|^2 + \lambda\, \alpha^{\top} K \alpha",
        r"\text{error without point } i\text{:}\quad \frac{y_i - f(x_i)}{1 - S_{ii}}, \qquad S = K (K + \lambda "
        "I)^{-1}",
    ),
    tries=(
        Try(
            "Narrow bumps and hardly a penalty: the curve runs through every point, and left-out points are far away.",
            params={"sigma": 0.01, "lam": 1e-06},
            shows=lambda played: (
                played.final("mse") < 1e-4 and played.final("loo") > 10 * played.but(sigma=0.1).final("loo")
            ),
        ),
        Try(
            "Wide bumps with a penalty: the curve is too stiff and leaves more than ten times the squared residuals.",
            params={"sigma": 2.0, "lam": 1.0},
            shows=lambda played: played.final("mse") > 10 * played.but(sigma=0.1, lam=0.3).final("mse"),
        ),
    ),
)
