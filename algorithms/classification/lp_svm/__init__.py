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
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.lp_svm.solver import quadratic, rounds, shown_points
from algorithms.contract import (
    Algorithm,
    DrawnRun,
    DrawnSnapshot,
    Explanation,
    LazyViews,
    Line,
    Metric,
    Panel,
    Stop,
    Try,
    Views,
)
from algorithms.data import Array, DataError, Item, Points
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, ReferenceLine, Regions, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.distances import refuse_extremes
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial
from algorithms.maths.neuron_maps import extent_around
from algorithms.maths.suggestions import kernel_width
from algorithms.maths.words import counted, number
from algorithms.params import Between, Doc, Log, Suggest, When

MOST = 400
"""So many points take part: a linear programme cannot be called off in its middle."""
MOST_BARS = 60
GRID = 96
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


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> DrawnRun:
    """Solve the quadratic machine, then the sparse one column by column, then both for other C."""
    signs = data.two_sides("The sparse machine")
    refuse_extremes(data.X)
    middle = data.X.mean(axis=0)
    reach = float(np.sqrt(np.square(data.X - middle).sum(axis=1).mean())) or 1.0
    if not 1.0 / _LARGEST < reach < _LARGEST:
        raise DataError(f"The points spread over {reach:.3g}; multiply the features by a constant first.")
    X, kernel = (data.X - middle) / reach, _kernel(params, reach)
    part = shown_points(signs, MOST)
    signed = signs[part, None] * signs[part] * kernel(X[part], X[part])
    model = Model(np.zeros(data.n), 0.0, np.zeros(data.n), 0.0, signs, X, kernel, middle, reach)
    warning = "" if len(part) == data.n else f"Of {data.n:,} points {len(part):,}, evenly chosen, take part."
    objective, compared = params.C * len(part), np.empty((0, 3))

    def frame(phase: str, caption: str, fresh: Array | None = None) -> DrawnSnapshot:
        metrics = {
            "weights": float(np.count_nonzero(model.alpha)),
            "support": float(np.count_nonzero(model.quadratic)),
            "objective": objective,
            "wrong": float(np.count_nonzero(predict(model, data.X) != (signs > 0.0))),
        }
        drawn = LazyViews(views, model, data, compared, params.C, fresh)
        return DrawnSnapshot(model, drawn, metrics, phase, caption, warning)

    yield frame("start", f"All weights are 0: every point pays ξ = 1, together {number(objective)}.")
    usual, bias = _spread(quadratic(X[part], signs[part], kernel, params.C), part, data.n)
    model = Model(model.alpha, 0.0, usual, bias, signs, X, kernel, middle, reach)
    count = counted(int(np.count_nonzero(usual)), "support vector")
    yield frame("quadratic", f"The usual machine, which pays the squared length, has {count}.")
    columns = np.empty(0, dtype=np.intp)
    for answer, columns, fresh in rounds(signed, signs[part], params.C, np.empty(0, dtype=np.intp)):
        alpha, offset = _spread((answer.weights, answer.offset), part, data.n)
        model = Model(alpha, offset, usual, bias, signs, X, kernel, middle, reach)
        objective = answer.objective
        yield frame("column", _of_round(answer.weights, columns, fresh, objective), part[fresh])
    for C in (params.C * np.logspace(-2.0, 2.0, params.path)).tolist() if params.path > 1 else ():
        last = deque(rounds(signed, signs[part], C, columns), maxlen=1)[0]
        columns = last.columns
        few = int(np.count_nonzero(last.answer.weights))
        many = int(np.count_nonzero(quadratic(X[part], signs[part], kernel, C)[0]))
        compared = np.concatenate([compared, [[C, few, many]]])
        text = f"At C = {number(C)} the sparse machine needs {counted(few, 'point')}, the usual one {many:,}."
        yield frame("path", text)
    yield frame("done", _conclusion(model, data))
    return Stop.CONVERGED


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


def _of_round(weights: Array, columns: Array, fresh: Array, objective: float) -> str:
    more = f"{counted(len(fresh), 'point')} would save more than they cost" if len(fresh) else "none is worth taking in"
    kept = f"{np.count_nonzero(weights):,} of {counted(len(columns), 'column')} have weight"
    return f"The programme costs {number(objective)}, {kept}; {more}."


def _conclusion(model: Model, data: Points) -> str:
    few, many = int(np.count_nonzero(model.alpha)), int(np.count_nonzero(model.quadratic))
    answers = predict(model, data.X)
    wrong = int(np.count_nonzero(answers != (model.signs > 0.0)))
    usual = int(np.count_nonzero((model.values(data.X, usual=True) >= 0.0) != (model.signs > 0.0)))
    return (
        f"The sparse machine needs {counted(few, 'point')} and is wrong about {wrong:,}; the usual one needs {many:,} "
        f"and is wrong about {usual:,}."
    )


def views(model: Model, data: Points, compared: Array, C: float, fresh: Array | None) -> Views:
    """Both boundaries and who has weight; the weights; and how many there are over C."""
    plane: list[Mark] = [Regions("signed"), Isolines(weak=(-1.0, 1.0))]
    if data.d == 2 and model.quadratic.any():
        left, right, bottom, top = extent_around(data.X)  # and half of that to every side: the plane may be wide
        x = np.linspace(1.5 * left - 0.5 * right, 1.5 * right - 0.5 * left, GRID)
        y = np.linspace(1.5 * bottom - 0.5 * top, 1.5 * top - 0.5 * bottom, GRID)
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        pieces = zero_pieces(model.values(grid, usual=True).reshape(GRID, GRID), x, y)
        if len(pieces):
            plane.append(Segments(pieces[:, 0], pieces[:, 1], "residual", name="boundary of the usual machine"))
    plane.append(Highlight(np.flatnonzero(model.quadratic), "bound", "usual machine"))
    plane.append(Highlight(np.flatnonzero(model.alpha), "free", "sparse machine"))
    if fresh is not None and len(fresh) > 0:
        plane.append(Highlight(fresh, "chosen", "worth taking in"))
    heavy = np.flatnonzero(model.alpha)
    if len(heavy) > MOST_BARS:
        heavy = np.sort(heavy[np.argsort(-model.alpha[heavy], kind="stable")[:MOST_BARS]])
    bars = Bars(model.alpha[heavy], points=heavy, groups=data.class_numbers("")[heavy])
    return {"plane": tuple(plane), "weights": (bars,), "path": _path(compared, C)}


def _path(compared: Array, C: float) -> tuple[Mark, ...]:
    if not len(compared):
        return ()
    return (
        Curve(compared[:, 0], compared[:, 1], "sparse machine", dots=True),
        Curve(compared[:, 0], compared[:, 2], "usual machine", dots=True),
        ReferenceLine(C, "C", handle="C"),
    )


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
    tries=(
        Try(
            "A linear kernel: the programme finds a line with hardly more than two points.",
            "blobs(n=120,centres=2,noise=1.4,spread=3,seed=6)",
            {"kernel": "linear"},
        ),
        Try(
            "Circles: a handful of bumps makes the ring that takes the usual machine dozens of points.",
            "circles(n=160,noise=0.1,seed=1)",
            {"sigma": 0.6},
        ),
        Try("A small C: all weights are 0, and no boundary is left.", params={"C": 0.005}),
    ),
    related=(
        Try(
            "The usual machine alone, pair by pair, with the same kernel.",
            method="kernel_svm",
            params={"kernel": "rbf", "sigma": 0.5},
        ),
    ),
)
