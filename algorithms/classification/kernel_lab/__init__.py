"""Kernel laboratory: write a kernel as an expression, and the spectrum says at once whether it is one.

A kernel is an inner product k(x, z) = φ(x)·φ(z) in some space; a function of two points is one exactly when the matrix
of its values between any points, the Gram matrix, has no negative eigenvalue. Sums, products, positive multiples and
powers of kernels are kernels, and so is every power series with coefficients >= 0, such as exp(k).

    K = V Λ Vᵀ,      φ(x_i) = (√λ_1 v_1i, √λ_2 v_2i, ...),      φ(x_i)·φ(x_j) = K_ij

So the eigenvectors build the space from the matrix: the first three coordinates are the lift. Carried on to new places
they are Mercer's eigenfunctions ψ_t(x) = √n / λ_t Σ_i v_ti k(x_i, x), in which k(x, z) = Σ_t λ_t/n ψ_t(x) ψ_t(z).

A Gaussian or Laplacian kernel has positive eigenvalues only, when no two points are equal: n points span n dimensions.
Most of these eigenvalues are so small that a computer cannot tell them from 0. A convex function of a kernel need not
be one: -k and |k| are not. The sigmoid is often listed among the kernels, but its matrix has negative eigenvalues.

Reference: Schölkopf and Smola, Learning with Kernels, section 2.2; Bishop, Pattern Recognition and Machine Learning,
section 6.2; Mercer 1909; Machine Learning (Buhmann), slides 222-227 (the map (x1², 2 x1 x2, x2²) there gives <x, z>²
only with √2); Introduction to Machine Learning, section 7 (a convex function of a kernel is called one there);
Statistical Machine Learning (Orbanz), Kernels; Handbook, section 4.4.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from algorithms.classification.kernel_lab import words
from algorithms.classification.kernel_lab.views import views
from algorithms.contract import (
    Algorithm,
    DataError,
    Explanation,
    Line,
    Metric,
    Panel,
    Question,
    Run,
    Snapshot,
    Stop,
)
from algorithms.data import Array, Item, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.kernel_expressions import Node, parse_kernel
from algorithms.maths.suggestions import kernel_width
from algorithms.params import Between, Doc, Handles, KernelExpression, Log, PointList, Suggest, When

MOST = 300
"""Points in the Gram matrix; of more points so many are taken, evenly."""
FUNCTIONS = 6
LARGEST = 1e100
_ROUNDING = 1e-10  # an eigenvalue is negative below this fraction of the largest, for each point


@dataclass(frozen=True, slots=True)
class Params:
    """The kernel, and where its bump stands."""

    kernel: Annotated[
        Literal["expression", "linear", "polynomial", "rbf", "laplacian", "sigmoid"],
        Doc("A kernel that is written as an expression, or one of those that have a name."),
    ] = "expression"
    expression: Annotated[
        str,
        KernelExpression(),
        When("kernel", "expression"),
        Doc(
            "Sums, products, multiples, powers, exp and abs of linear, poly(degree, offset), rbf(sigma), "
            "laplacian(sigma) and sigmoid(slope, shift)."
        ),
    ] = "0.5*rbf(sigma=1) + poly(degree=2)"
    sigma: Annotated[
        float,
        Between(1e-3, 1e3),
        Suggest(kernel_width, "from the distances"),
        Log,
        When("kernel", "rbf", "laplacian"),
        Doc("Width of the bell exp(-|x-z|²/(2 sigma²)), or of exp(-|x-z|₁/sigma)."),
    ] = 1.0
    degree: Annotated[int, Between(1, 10), When("kernel", "polynomial"), Doc("Degree of (x·z + offset)^degree.")] = 2
    offset: Annotated[
        float,
        Between(-100, 100),
        When("kernel", "polynomial"),
        Doc("What is added to x·z; below 0 the polynomial is no kernel."),
    ] = 1.0
    slope: Annotated[float, Between(-100, 100), When("kernel", "sigmoid"), Doc("Slope of tanh(slope x·z - shift).")] = (
        1.0
    )
    shift: Annotated[float, Between(-100, 100), When("kernel", "sigmoid"), Doc("What is taken off in the sigmoid.")] = (
        1.0
    )
    at: Annotated[
        PointList,
        Handles,
        Doc("The point whose kernel with all others is shown as a bump: drag it, or point at a point; empty for one."),
    ] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The matrix, what it is made of, and the function Σ w_i k(places_i, x) that is on show."""

    gram: Array  # (m, m)
    eigenvalues: Array  # (m,) the largest first
    vectors: Array  # (m, m) in columns, in that order
    X: Array  # (m, d) the points of the matrix
    members: Array  # (m,) which points these are
    kernel: Node
    places: Array  # (p, d)
    weights: Array  # (p,)

    @property
    def size(self) -> float:
        """The largest eigenvalue by its absolute value."""
        return float(np.abs(self.eigenvalues).max(initial=0.0))

    @property
    def rounding(self) -> float:
        """An eigenvalue nearer to 0 than this cannot be told from 0."""
        return _ROUNDING * len(self.eigenvalues) * self.size

    @property
    def negative(self) -> Array:
        """Which eigenvalues are below zero, beyond rounding, (m,) bool."""
        return self.eigenvalues < -self.rounding

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue; 0 where it cannot be told from 0."""
        value = float(self.eigenvalues[-1])
        return 0.0 if abs(value) <= self.rounding else value

    @property
    def coordinates(self) -> Array:
        """The points in the space that the matrix builds, (m, m); eigenvalues below zero have no coordinate."""
        return self.vectors * np.sqrt(np.maximum(self.eigenvalues, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    n: int  # points of the data
    distinct: int  # different points in the matrix


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """How much of the space is used."""

    rebuilt: int = 0  # coordinates; the eigenfunction in the plane is the last of them


Shot = Snapshot[Given, Model, Shown]


def run(data: Points, params: Params, rng: np.random.Generator, start: Model | None = None) -> Run[Shot]:
    """Build the kernel part by part, take its spectrum, look at its eigenfunctions, and rebuild the matrix.

    The whole is solved in the first lines; what follows shows it step by step.
    """
    kernel = chosen_kernel(params)
    m = min(data.n, MOST)
    members = np.unique(np.linspace(0, data.n - 1, m).astype(np.intp))
    X, none = data.X[members], Shown()
    place = _place(X, params.at)
    model, given = _model(kernel, X, members, place), Given(data.n, len(np.unique(X, axis=0)))
    zeros = np.zeros_like(model.gram)
    yield _shot(given, "start", replace(model, gram=zeros, eigenvalues=zeros[0], vectors=zeros), none)
    for part in (part for part in kernel.within() if part is not kernel):
        yield _shot(given, "part", _model(part, X, members, place), none)
    yield _shot(given, "gram", model, none)
    yield _shot(given, "spectrum", model, none)
    for t in (t for t in range(min(FUNCTIONS, m)) if model.eigenvalues[t] > 1e-8 * model.size):
        weights = np.sqrt(m) / model.eigenvalues[t] * model.vectors[:, t]
        yield _shot(given, "function", replace(model, places=X, weights=weights), Shown(t + 1))
    for count in sorted({min(count, m) for count in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, m)}):
        yield _shot(given, "rebuild", model, Shown(count), rebuilding_error(model, count))
    yield _shot(given, "done", model, Shown(m), rebuilding_error(model, m))
    return Stop.COMPLETE


def chosen_kernel(params: Params) -> Node:
    """The expression, or the one of a named kernel."""
    written = {
        "expression": params.expression,
        "linear": "linear",
        "polynomial": f"poly(degree={params.degree}, offset={params.offset:.6g})",
        "rbf": f"rbf(sigma={params.sigma:.6g})",
        "laplacian": f"laplacian(sigma={params.sigma:.6g})",
        "sigmoid": f"sigmoid(slope={params.slope:.6g}, shift={params.shift:.6g})",
    }
    return parse_kernel(written[params.kernel])


def _place(X: Array, at: PointList) -> Array:
    """Where the bump stands: where it was put, or at the point that is farthest from the mean."""
    if at and len(at[0]) == X.shape[1]:
        return np.array(at[0])
    far = np.abs(X - X.mean(axis=0)).sum(axis=1)
    return X[int(far.argmax())]


def _model(kernel: Node, X: Array, members: Array, place: Array) -> Model:
    checkpoint()
    with np.errstate(all="ignore"):
        gram = kernel(X, X)
        diagonal = kernel(place[None], place[None])
    largest = float(np.abs(gram).max(initial=0.0))
    if not (largest <= LARGEST and float(np.abs(diagonal).max()) <= LARGEST):
        reach = float(np.abs(X).max(initial=0.0))
        raise DataError(
            f"On features that reach {reach:.3g} the values of {kernel.text} are too large to calculate with; divide "
            "the features by a constant, or take a smaller power."
        )
    gram = 0.5 * (gram + gram.T)
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(-values, kind="stable")
    signs = np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))] < 0.0, -1.0, 1.0)
    return Model(gram, values[order], (vectors * signs)[:, order], X, members, kernel, place[None].copy(), np.ones(1))


def rebuilding_error(model: Model, count: int) -> float:
    """How far φ·φ with so many coordinates is from the matrix, as a fraction of it (both by their squares)."""
    total = float(np.square(model.eigenvalues).sum())
    kept = np.where(np.arange(len(model.eigenvalues)) < count, np.maximum(model.eigenvalues, 0.0), 0.0)
    left = float(np.sqrt(np.square(model.eigenvalues - kept).sum() / total)) if total > 0.0 else 0.0
    return left if left > _ROUNDING else 0.0


def _shot(given: Given, phase: str, model: Model, shown: Shown, left: float = math.nan) -> Shot:
    metrics = {"smallest": model.smallest, "negative": int(model.negative.sum()), "left": left}
    return Snapshot(given, phase, model, metrics, shown)


def field(model: Model, X: Array) -> Array:
    """The function on show: the kernel with a place, or an eigenfunction, (n,)."""
    with np.errstate(all="ignore"):
        found = model.kernel(X, model.places) @ model.weights
    return np.clip(np.nan_to_num(found, nan=0.0), -LARGEST, LARGEST)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The kernel of a point with itself and with the place of the bump, and its coordinates."""
    return words.explanation(model, item)


def focused_model(shot: Shot) -> Model:
    """The bump around the item in place of the chosen place; an eigenfunction has none."""
    x = shot.focus.x[None]
    here = replace(shot.model, places=x.copy(), weights=np.ones(1))
    bounded = abs(float(field(here, x)[0])) < LARGEST
    return here if bounded and shot.phase != "function" else shot.model


ALGORITHM = Algorithm(
    key="kernel_lab",
    title="Kernel laboratory",
    family="classification",
    summary="Write a kernel as an expression: its matrix, spectrum, bump, eigenfunctions and the space that it builds.",
    params=Params,
    run=run,
    views=views,
    captions=words.CAPTIONS,
    warning=words.warning,
    field=field,
    explain=explain,
    looks=True,
    focused_model=focused_model,
    synonyms=(
        "Mercer",
        "Gram matrix",
        "kernel trick",
        "positive semi-definite",
        "feature map",
        "kernel calculator",
        "similarity",
    ),
    panels=(
        Panel("plane", "The kernel around a point, and eigenfunctions", "data"),
        Panel("spectrum", "Spectrum of the matrix", x="number of λ", y="λ", reserved=True),
        Panel("gram", "Gram matrix", x="point", y="point"),
        Panel("lift", "Lift to the first three coordinates", space="none"),
    ),
    metrics=(
        Metric("smallest", "smallest eigenvalue", group="eigenvalues", better="neither"),
        Metric("negative", "negative eigenvalues", group="negative", better="neither"),
        Metric("left", "fraction of the matrix not rebuilt", group="rebuilt"),
    ),
    pseudocode=(
        Line("read the expression k(x, z)", "start"),
        Line("for each part of the expression: its matrix and its spectrum", "part"),
        Line("K_ij = k(x_i, x_j)", "gram"),
        Line("K = V Λ Vᵀ: a kernel only if no λ < 0   (smallest {smallest})", "spectrum"),
        Line("ψ_t(x) = √n / λ_t Σ_i v_ti k(x_i, x)", "function"),
        Line("φ(x_i) = (√λ_1 v_1i, ..., √λ_m v_mi): φ·φ rebuilds K   ({left} left)", "rebuild"),
        Line("lift the points to the first three coordinates", "done"),
    ),
    reference="Schölkopf and Smola, Learning with Kernels, section 2.2; Bishop, Pattern Recognition and Machine "
    "Learning, section 6.2; Mercer 1909; Machine Learning (Buhmann), slides 222-227; Statistical Machine Learning "
    "(Orbanz), Kernels; Handbook, section 4.4.1; Introduction to Machine Learning, section 7",
    example="circles(n=120,noise=0.06,seed=1)",
    formulas=words.FORMULAS,
    tries=words.TRIES,
    questions=(
        Question("What fraction of the matrix is left with the next number of coordinates?", "rebuild", "metrics.left"),
        Question("How large is the smallest eigenvalue of the next part?", "part", "metrics.smallest"),
    ),
)
