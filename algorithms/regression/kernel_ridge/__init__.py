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

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.contract import (
    Algorithm,
    Case,
    Counterpart,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
)
from algorithms.counterpart import SAME_VALUES
from algorithms.data import Array, DataError, Item, Points
from algorithms.maths.dictionaries import LARGEST
from algorithms.maths.feature_space import kernel_times
from algorithms.maths.kernel_spectrum import Solution, Spectrum, solution_of, spectrum_of, width_grid
from algorithms.maths.kernels import Kernel
from algorithms.maths.landmarks import LandmarksKnob, landmark_count, landmark_warning, spectral_count
from algorithms.maths.linear_model import Band, Spread, largest_terms
from algorithms.maths.regression_knobs import BandKnob
from algorithms.maths.suggestions import free_intercept, kernel_width
from algorithms.params import Advanced, Between, Doc, Live, Log, Suggest, When
from algorithms.regression.kernel_ridge import words
from algorithms.regression.kernel_ridge.solver import Intercept, KernelName, Refits, kernel_of, lambda_grid, unit_of
from algorithms.regression.kernel_ridge.views import LeftOut, Picture, draw

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
class Context:
    """What stays the same during a run."""

    data: Points
    y: Array  # (n,)
    lam: float
    free: bool  # the intercept
    places: Array  # (n, d) the points as the kernel sees them
    count: int  # points that carry the fit
    spectrum: Spectrum  # of so many points that it is cheap
    picture: Picture
    empty: Model  # all α are 0
    refits: Refits | None  # where the features are scaled

    def along(self, directions: int) -> Model:
        """The part of the fit along the first eigenvectors."""
        spectrum = self.spectrum
        alpha, norm = spectrum.alpha(self.lam, directions), spectrum.square(self.lam, directions) ** 0.5
        return replace(self.empty, alpha=alpha, intercept=spectrum.intercept(alpha), norm=norm)

    def solved(self, band: Band | None = None) -> Model:
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

    def frame(
        self,
        model: Model,
        metrics: dict[str, float],
        phase: str,
        caption: str,
        kept: Array | None = None,
        left_out: LeftOut | None = None,
    ) -> DrawnSnapshot:
        """The snapshot of a model."""
        views = LazyViews(draw, self.picture, model, kept, left_out)
        warning = landmark_warning(self.data.n, self.count)
        return DrawnSnapshot(model, views, metrics, phase, caption, warning)


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Decompose K, add up its eigenvectors to α, then leave out every point for all λ and other σ."""
    context = _context(data, params, rng)
    spectrum, lam = context.spectrum, params.lam
    goes_on = start is not None and len(start.low) == data.d
    first = start if start is not None and goes_on else context.empty
    metrics = context.measured(first)
    yield context.frame(first, metrics, "kernel", words.opening(context, goes_on))
    kept = spectrum.kept(lam)
    for k in [] if goes_on else _sizes(kept):
        part, before = context.along(k), metrics["mse"]
        metrics = context.measured(part)
        caption = words.direction(spectrum, k, kept, before, metrics["mse"])
        yield context.frame(part, metrics, "direction", caption, np.where(np.arange(len(kept)) < k, kept, 0.0))
    model = context.solved(Band.of(params.band))
    metrics = context.measured(model)
    yield context.frame(model, metrics, "solve", words.solved(model, data.n), kept)
    left_out = None
    if params.sweep:
        left_out = yield from _leave_out(context, params, model, metrics, kept)
    caption = words.done(model, metrics["mse"], left_out, context.picture.sigma is not None)
    yield context.frame(model, metrics, "done", caption, kept, left_out)
    return Stop.COMPLETE


def _context(data: Points, params: Params, rng: np.random.Generator) -> Context:
    """The run of a data set."""
    y = data.values(ALGORITHM.title)
    if not np.abs(y).max() < LARGEST:
        raise DataError("The target is too large for a sum of squares; scale it first.")
    from_zero = params.features == "from 0 to 1"
    low, span = unit_of(data.X, from_zero)
    places = (data.X - low) / span
    kernel = kernel_of(params.kernel, params.sigma, params.degree, params.intercept)
    free, count = params.intercept == "free", landmark_count(data.n, params.landmarks)
    spectrum = spectrum_of(kernel, places, y, free, spectral_count(data.n, count))
    picture = Picture.of(data, y, params.lam, params.sigma if params.kernel in ("rbf", "laplacian") else None)
    none = np.zeros(len(spectrum.members))
    refits = Refits.of(data, y, from_zero, free, rng)
    empty = Model(kernel, low, span, spectrum.members, spectrum.centres, none, 0.0, float(y @ y) / len(y), y)
    empty = replace(empty, refits=0 if refits is None else len(refits.parts))
    return Context(data, y, params.lam, free, places, count, spectrum, picture, empty, refits)


def _sizes(kept: Array) -> list[int]:
    """How many eigenvectors each frame has, as far as they are kept at all."""
    count = max(int(np.count_nonzero(kept > 1e-3)), 1)
    return sorted({round(k) for k in np.linspace(1, count, min(count, MOST_DIRECTIONS))})


def _leave_out(
    context: Context, params: Params, model: Model, metrics: dict[str, float], kept: Array
) -> Generator[DrawnSnapshot, None, LeftOut]:
    """The errors of left-out points: all λ at once for the σ in use, then for one σ after the other."""
    wide = context.picture.sigma is not None
    sigmas = width_grid(context.places, params.sigma) if wide else np.array([params.sigma])
    lambdas = lambda_grid(context.spectrum, params.lam)
    current = int(np.flatnonzero(sigmas == params.sigma)[0])
    left_out = LeftOut(lambdas, sigmas, np.full((len(sigmas), len(lambdas)), np.nan), current, model.name_of_errors)
    left_out = left_out.filled(current, context.errors(context.spectrum, lambdas))
    yield context.frame(model, metrics, "loo", words.lambdas(left_out, model, context), kept, left_out)
    for row in range(len(sigmas)):
        if row != current:
            kernel = kernel_of(params.kernel, float(sigmas[row]), params.degree, params.intercept)
            other = spectrum_of(kernel, context.places, context.y, context.free, len(context.spectrum.members))
            left_out = left_out.filled(row, context.errors(other, lambdas))
            yield context.frame(model, metrics, "width", words.widths(left_out, row), kept, left_out)
    return left_out


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
    """KernelRidge, which has no intercept, as long as every point has its own α."""
    if case is None or params.intercept != "none" or landmark_count(case.data.n, params.landmarks) < case.data.n:
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
    return Counterpart(imports, make, SAME_VALUES, "largest difference of a prediction, by the range of y")


_IMPORTS = "from sklearn.kernel_ridge import KernelRidge"
_SCALED = "\nfrom sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import MinMaxScaler"


ALGORITHM = Algorithm(
    key="kernel_ridge",
    title="Kernel ridge regression",
    family="regression",
    summary="A sum of bumps at the points, from one linear system; leave-one-out errors for every λ in closed form.",
    params=Params,
    run=run,
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
