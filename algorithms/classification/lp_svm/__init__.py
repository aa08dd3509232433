"""The sparse SVM: a support vector machine that penalises the sum of its weights, a linear programme.

A support vector machine penalises the squared length of its normal and gives weight to every point on or inside its
margin. Penalising the sum of the weights instead gives weight to as few points as possible: the solution is a corner of
a polyhedron, which has many zeros. Both are shown side by side, with how many points they need as C changes.

    minimise Σ a_j + C Σ ξ_i   subject to   z_i (Σ_j a_j z_j k(x_i, x_j) + w0) >= 1 - ξ_i,   a, ξ >= 0

Points are taken in a few at a time, while the dual prices of the constraints say that they save more than they cost; at
the end none does, which proves the optimum.

Reference: Machine Learning (Buhmann), slide 221 (whose constraint lacks z_j: then every bump pulls towards the same
class, which is another, poorer classifier); Bradley and Mangasarian 1998; Schölkopf and Smola, Learning with Kernels,
section 7.7.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.lp_svm import words
from algorithms.classification.lp_svm.solver import quadratic, rounds, shown_points
from algorithms.classification.lp_svm.views import views
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
from algorithms.maths.distances import refuse_extremes
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, refuse_overflow
from algorithms.maths.landmarks import LandmarksKnob, landmark_count
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Advanced, Between, Doc, Log, Suggest, When

_LARGEST = 1e40


@dataclass(frozen=True, slots=True)
class Params:
    """The knobs."""

    kernel: Annotated[
        Literal["linear", "polynomial", "rbf", "laplacian"], Doc("What a point contributes around itself.")
    ] = "rbf"
    C: Annotated[float, Between(1e-3, 1e4), Log, Doc("The price of slack; below a bound all weights are 0.")] = 1.0
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        When("kernel", "rbf", "laplacian"),
        Doc("Width of the bump exp(-|x-z|²/(2 sigma²)), or exp(-|x-z|₁/sigma), in data units."),
    ] = 0.5
    degree: Annotated[int, Between(1, 8), When("kernel", "polynomial"), Doc("Degree of (x·z + 1)^degree.")] = 3
    path: Annotated[int, Between(0, 15), Doc("At how many values of C both are solved to be compared.")] = 7
    scaling: Annotated[
        Literal["as they are", "centred and scaled"],
        Advanced,
        Doc("Whether the features are first centred and divided by their common spread; sigma stays in data units."),
    ] = "as they are"
    landmarks: LandmarksKnob = 0


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """f(x) = Σ a_j z_j k(x_j, x) + offset, and the support vector machine beside it."""

    alpha: Array  # (n,) the weights a; most are 0
    offset: float
    quadratic: Array  # (n,) the multipliers of the support vector machine
    bias: float  # of the support vector machine
    signs: Array  # (n,)
    X: Array  # (n, d) the features, perhaps scaled
    kernel: Kernel
    middle: Array  # (d,) subtracted from the features
    reach: float  # by which they are divided

    def values(self, X: Array, svm: bool = False) -> Array:
        """F of the sparse SVM, or of the support vector machine; only points with weight are looked at."""
        weights, offset = (self.quadratic, self.bias) if svm else (self.alpha, self.offset)
        support = np.flatnonzero(weights)
        inner = (X - self.middle) / self.reach
        return np.asarray(self.kernel(inner, self.X[support]) @ (weights * self.signs)[support] + offset)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    data: Points
    C: float
    count: int  # of points that take part


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the step has found."""

    fresh: Array  # (m,) points that are taken in next
    columns: int = 0  # points that are in
    compared: tuple[tuple[float, int, int], ...] = ()  # C and how many points both machines need


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Solve the support vector machine, then the sparse one column by column, then both for other C."""
    signs = data.two_sides("The sparse SVM")
    refuse_extremes(data.X)
    middle, reach = _scale(data, params)
    X, kernel = (data.X - middle) / reach, _kernel(params, reach)
    refuse_overflow(kernel, X)
    part, none = shown_points(signs, landmark_count(data.n, params.landmarks)), np.empty(0, dtype=np.intp)
    given = Given(data, params.C, len(part))
    model = Model(np.zeros(data.n), 0.0, np.zeros(data.n), 0.0, signs, X, kernel, middle, reach)
    objective = params.C * len(part)
    yield _shot(given, "start", model, objective, Shown(none))
    multipliers, bias = _spread(quadratic(X[part], signs[part], kernel, params.C), part, data.n)
    model = replace(model, quadratic=multipliers, bias=bias)
    yield _shot(given, "quadratic", model, objective, Shown(none))
    signed = signs[part, None] * signs[part] * kernel(X[part], X[part])
    columns = none
    for answer, columns, fresh in rounds(signed, signs[part], params.C, none):
        alpha, offset = _spread((answer.weights, answer.offset), part, data.n)
        model, objective = replace(model, alpha=alpha, offset=offset), answer.objective
        yield _shot(given, "column", model, objective, Shown(part[fresh], len(columns)))
    compared: tuple[tuple[float, int, int], ...] = ()
    for C in (params.C * np.logspace(-2.0, 2.0, params.path)).tolist() if params.path > 1 else ():
        last = deque(rounds(signed, signs[part], C, columns), maxlen=1)[0]
        columns = last.columns
        few = int(np.count_nonzero(last.answer.weights))
        many = int(np.count_nonzero(quadratic(X[part], signs[part], kernel, C)[0]))
        compared = (*compared, (C, few, many))
        yield _shot(given, "path", model, objective, Shown(none, len(columns), compared))
    yield _shot(given, "done", model, objective, Shown(none, len(columns), compared))
    return Stop.CONVERGED


def _shot(given: Given, phase: str, model: Model, objective: float, shown: Shown) -> Shot:
    numbers = {
        "weights": float(np.count_nonzero(model.alpha)),
        "support": np.nan if phase == "start" else float(np.count_nonzero(model.quadratic)),
        "objective": objective,
        "wrong": float(np.count_nonzero(predict(model, given.data.X) != (model.signs > 0.0))),
    }
    return Snapshot(given, phase, model, numbers, shown)


def _scale(data: Points, params: Params) -> tuple[Array, float]:
    """What is subtracted from the features, (d,), and by what they are divided."""
    if params.scaling == "as they are":
        return np.zeros(data.d), 1.0
    middle = data.X.mean(axis=0)
    reach = float(np.sqrt(np.square(data.X - middle).sum(axis=1).mean())) or 1.0
    if not 1.0 / _LARGEST < reach < _LARGEST:
        raise DataError(f"The points spread over {reach:.3g}; multiply the features by a constant first.")
    return middle, reach


def _spread(found: tuple[Array, float], part: Array, n: int) -> tuple[Array, float]:
    """Weights of some points as weights of all."""
    weights = np.zeros(n)
    weights[part] = found[0]
    return weights, found[1]


def _kernel(params: Params, reach: float) -> Kernel:
    makers: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "polynomial": lambda: Polynomial(params.degree, 1.0),
        "rbf": lambda: Gaussian(params.sigma / reach),
        "laplacian": lambda: Laplacian(params.sigma / reach),
    }
    return makers[params.kernel]()


def field(model: Model, X: Array) -> Array:
    """The decision value of the sparse SVM."""
    return model.values(X)


def predict(model: Model, X: Array) -> Array:
    """1 where the decision value is not negative."""
    return (model.values(X) >= 0.0).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The decision values of both, and the weight of a point in them."""
    value, svm = (float(model.values(item.x[None], other)[0]) for other in (False, True))
    answer: Explanation = {
        "class": data.classes[int(value >= 0.0)],
        "sparse SVM": value,
        "support vector machine": svm,
    }
    if item.number >= 0:
        answer["weight a"] = float(model.alpha[item.number])
        answer["multiplier α of the support vector machine"] = float(model.quadratic[item.number])
    return answer


ALGORITHM = Algorithm(
    key="lp_svm",
    title="Sparse SVM (linear programme)",
    family="classification",
    summary="A support vector machine that penalises the sum of its weights gives weight to far fewer points.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    predict=predict,
    field=field,
    scores="decision",
    explain=explain,
    target="classes",
    synonyms=(
        "LP-SVM",
        "linear programming machine",
        "1-norm SVM",
        "sparse machine",
        "column generation",
        "sparse classifier",
    ),
    example="moons(n=160,noise=0.2,seed=1)",
    panels=(
        Panel("plane", "Both boundaries", "data"),
        Panel("weights", "Weights a", x="point", y="a"),
        Panel("path", "Points needed over C", x="C", y="points with weight", log_x=True),
    ),
    metrics=(
        Metric("weights", "weights that are not 0", group="points"),
        Metric("support", "support vectors of the SVM", group="points", better="neither"),
        Metric("objective", "Σ a + C Σ ξ"),
        Metric("wrong", "points on the wrong side"),
    ),
    pseudocode=(
        Line("all a ← 0", "start"),
        Line("a support vector machine, for comparison: {support} support vectors", "quadratic"),
        Line("repeat: solve the linear programme with the columns that are in", "column"),
        Line("    dual prices p of the constraints: take in points with Σ p_i z_i k_ij z_j > 1"),
        Line("until there is none:  {weights} weights are not 0"),
        Line("both again for other values of C", "path", "done"),
    ),
    reference="Machine Learning (Buhmann), slide 221; Bradley, Mangasarian 1998; "
    "Schölkopf, Smola, Learning with Kernels, 7.7",
    formulas=(
        r"\min_{a,\, \xi,\, w_0}\ \sum_j a_j + C \sum_i \xi_i \quad \text{s.t.}\quad z_i \Bigl( \sum_j a_j z_j\, "
        r"k(x_i, x_j) + w_0 \Bigr) \ge 1 - \xi_i, \quad a, \xi \ge 0",
        r"\text{a column is taken in if}\quad \sum_i p_i\, z_i\, k(x_i, x_j)\, z_j > 1",
    ),
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("How many weights will not be 0 in the next solution?", "column", "metrics.weights"),
        Question("How large will the next optimum of the linear programme be?", "column", "metrics.objective"),
    ),
)
