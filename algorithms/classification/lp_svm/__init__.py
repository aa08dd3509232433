"""The sparse machine: a support vector machine whose weights are paid by their sum, a linear programme.

The usual machine pays the squared length of its normal and keeps every point on or inside its margin. Paying the sum of
the weights instead keeps as few points as will do: a corner of a polyhedron has many zeros. Both machines are shown
side by side, with how many points they need as the price of errors changes.

    minimise Σ a_j + C Σ ξ_i   subject to   z_i (Σ_j a_j z_j k(x_i, x_j) + w0) >= 1 - ξ_i,   a, ξ >= 0

The slide's constraint lacks z_j: then every bump pulls towards the same class, which is another, poorer machine. Points
are taken in a few at a time, while the prices of the constraints say that they are worth it; at the end none is, which
proves the optimum. Features are seen from their mean and in units of their common spread.

Machine Learning (Buhmann), slide 221 (with z_j); Bradley, Mangasarian 1998 for machines that are linear programmes.
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
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Between, Doc, Log, Suggest, When

MOST = 400
"""So many points take part: a linear programme cannot be called off in its middle."""
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
    path: Annotated[int, Between(0, 15), Doc("At how many values of C both machines are solved to be compared.")] = 7


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """f(x) = Σ a_j z_j k(x_j, x) + offset, and the quadratic machine beside it."""

    alpha: Array  # (n,) the weights a; most are 0
    offset: float
    quadratic: Array  # (n,) the multipliers of the usual machine
    bias: float  # of the usual machine
    signs: Array  # (n,)
    X: Array  # (n, d) in the inner units
    kernel: Kernel
    middle: Array  # (d,)
    reach: float

    def values(self, X: Array, usual: bool = False) -> Array:
        """F of the sparse machine, or of the usual one; only points with weight are looked at."""
        weights, offset = (self.quadratic, self.bias) if usual else (self.alpha, self.offset)
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
    """Solve the quadratic machine, then the sparse one column by column, then both for other C."""
    signs = data.two_sides("The sparse machine")
    refuse_extremes(data.X)
    middle = data.X.mean(axis=0)
    reach = float(np.sqrt(np.square(data.X - middle).sum(axis=1).mean())) or 1.0
    if not 1.0 / _LARGEST < reach < _LARGEST:
        raise DataError(f"The points spread over {reach:.3g}; multiply the features by a constant first.")
    X, kernel = (data.X - middle) / reach, _kernel(params, reach)
    part, none = shown_points(signs, MOST), np.empty(0, dtype=np.intp)
    given = Given(data, params.C, len(part))
    model = Model(np.zeros(data.n), 0.0, np.zeros(data.n), 0.0, signs, X, kernel, middle, reach)
    objective = params.C * len(part)
    yield _shot(given, "start", model, objective, Shown(none))
    usual, bias = _spread(quadratic(X[part], signs[part], kernel, params.C), part, data.n)
    model = replace(model, quadratic=usual, bias=bias)
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
        "support": float(np.count_nonzero(model.quadratic)),
        "objective": objective,
        "wrong": float(np.count_nonzero(predict(model, given.data.X) != (model.signs > 0.0))),
    }
    return Snapshot(given, phase, model, numbers, shown)


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
    """The decision value of the sparse machine."""
    return model.values(X)


def predict(model: Model, X: Array) -> Array:
    """1 where the decision value is not negative."""
    return (model.values(X) >= 0.0).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What both machines say, and what a point weighs in them."""
    value, usual = (float(model.values(item.x[None], side)[0]) for side in (False, True))
    answer: Explanation = {
        "class": data.classes[int(value >= 0.0)],
        "sparse machine": value,
        "usual machine": usual,
    }
    if item.number >= 0:
        answer["weight a"] = float(model.alpha[item.number])
        answer["multiplier α of the usual machine"] = float(model.quadratic[item.number])
    return answer


ALGORITHM = Algorithm(
    key="lp_svm",
    title="Sparse machine (linear programme)",
    family="classification",
    summary="A support vector machine that pays the sum of its weights needs far fewer points than the usual one.",
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
        "sparse SVM",
        "column generation",
        "sparse classifier",
    ),
    example="moons(n=160,noise=0.2,seed=1)",
    panels=(
        Panel("plane", "Both boundaries", "data"),
        Panel("weights", "Weights of the sparse machine", x="point", y="a"),
        Panel("path", "Points needed over C", x="C", y="points with weight", log_x=True),
    ),
    metrics=(
        Metric("weights", "weights that are not 0", group="points"),
        Metric("support", "support vectors of the usual machine", group="points", better="neither"),
        Metric("objective", "Σ a + C Σ ξ"),
        Metric("wrong", "points on the wrong side"),
    ),
    pseudocode=(
        Line("all a ← 0", "start"),
        Line("the usual machine, for comparison: {support} support vectors", "quadratic"),
        Line("repeat: solve the linear programme with the columns that are in", "column"),
        Line("    prices p of the constraints: take in points with Σ p_i z_i k_ij z_j > 1"),
        Line("until none is worth it:  {weights} weights are not 0"),
        Line("both machines again for other values of C", "path", "done"),
    ),
    reference="Machine Learning (Buhmann), slide 221; Bradley, Mangasarian 1998",
    formulas=(
        r"\min_{a,\, \xi,\, w_0}\ \sum_j a_j + C \sum_i \xi_i \quad \text{s.t.}\quad z_i \left( \sum_j a_j z_j\, "
        r"k(x_i, x_j) + w_0 \right) \ge 1 - \xi_i, \quad a, \xi \ge 0",
        r"\text{a column is worth it:}\quad \sum_i p_i\, z_i\, k(x_i, x_j)\, z_j > 1",
    ),
    tries=words.TRIES,
    related=words.RELATED,
    questions=(
        Question("How many weights will not be 0 in the next solution?", "column", "metrics.weights"),
        Question("How large will the next optimum of the linear programme be?", "column", "metrics.objective"),
    ),
)
