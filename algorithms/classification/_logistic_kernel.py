"""Logistic regression with a kernel: log-odds that are a sum over the points, f(x) = Σ α_i k(x_i, x) + b.

The likelihood stays what it is; only the features are those of the kernel, of which w = Φᵀα needs no more than the
points span. The penalty λ/2 |w|² is then λ/2 αᵀKα, and where the gradient vanishes α_i = (y_i - h_i) / λ: the pull of a
point is its own error. Reference: sections 7, 7.2 (004).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.classification._logistic import Likelihood, Place
from algorithms.contract import Explanation
from algorithms.data import Array
from algorithms.marks import Bars, Highlight
from algorithms.maths.feature_space import FeatureSpace
from algorithms.maths.kernels import Gaussian, Kernel, Laplacian, Polynomial

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import Model, Params

KernelName = Literal["none", "polynomial", "Gaussian", "Laplacian"]
MOST_CENTRES = 400
"""More points than this do not get an α of their own: a step of Newton's method would keep the window waiting."""
_MOST_UNKNOWNS = 500
"""Of several classes only the longest axes of the space are used, at most so many for all columns together."""
_MOST_ENTRIES = 5_000_000
"""The same for the table of features of all points."""
_MOST_RINGS = 10
_TERMS = 5


def space_for(params: Params, X: Array, columns: int) -> FeatureSpace | None:
    """The feature space of the chosen kernel, for so many columns of coefficients; ``None`` without a kernel."""
    if params.kernel == "none":
        return None
    kernels: dict[str, Kernel] = {
        "polynomial": Polynomial(params.degree),
        "Gaussian": Gaussian(params.width),
        "Laplacian": Laplacian(params.width),
    }
    most = max(min(MOST_CENTRES, _MOST_ENTRIES // len(X)), 2)
    return FeatureSpace.of(kernels[params.kernel], X, most, max(_MOST_UNKNOWNS // columns, 2) if columns > 1 else None)


def space_words(space: FeatureSpace | None, n: int) -> str:
    """Which points f is a sum over."""
    if space is None:
        return ""
    count, rank = len(space.members), len(space.eigenvalues)
    points = f"all {n} points" if count == n else f"{count} of the {n} points, evenly chosen from the table"
    axes = "the longest axis" if rank == 1 else f"the {rank} longest axes"
    return f" With the kernel f is a sum over {points}, along {axes} of the feature space that they span."


def alpha_of(space: FeatureSpace, likelihood: Likelihood, place: Place, weights: Array) -> Array:
    """The α of every centre, (k, m), of weights (k, r): of those that mean the same f the nearest to the errors / λ.

    At the optimum they are just that. Where only a part of the points are centres they carry the errors of others too.
    """
    if len(space.members) < likelihood.n or likelihood.lam == 0.0 or not place.theta.any():
        return space.alpha(weights)
    errors = likelihood.weights[:, None] * (likelihood.targets - place.chances)
    return space.alpha(weights, errors.T / likelihood.lam)


def pulls(model: Model, numbers: Array) -> Array:
    """One α for every centre, (m,): towards the second of two classes, or towards its own class."""
    assert model.space is not None
    if len(model.weights) == 1:
        return np.asarray(model.weights[0])
    own = numbers[model.space.members]
    return np.asarray(model.weights[own, np.arange(len(own))])


def alpha_bars(model: Model, numbers: Array, classes: Array, most: int) -> Bars:
    """The largest α in the order of the points, in the colour of their class."""
    assert model.space is not None
    alpha, members = pulls(model, numbers), model.space.members
    chosen = np.sort(np.argsort(-np.abs(alpha), kind="stable")[:most])
    return Bars(alpha[chosen], points=members[chosen], groups=classes[members[chosen]])


def rings(model: Model, numbers: Array) -> tuple[Highlight, ...]:
    """The points that pull most, none before any does."""
    assert model.space is not None
    size = np.abs(pulls(model, numbers))
    largest = np.argsort(-size, kind="stable")[:_MOST_RINGS]
    largest = largest[size[largest] > 0.0]
    if not len(largest):
        return ()
    return (Highlight(model.space.members[largest], "free", f"largest |α|, {len(largest)} points"),)


def terms_of(model: Model, x: Array, row: int) -> Explanation:
    """The largest terms α_i k(x_i, x) of a row of coefficients; and the α of x itself, if it has one."""
    space = model.space
    assert space is not None
    alpha = model.weights[row]
    terms = alpha * space.kernel.row(x, space.centres)
    order = np.argsort(-np.abs(terms), kind="stable")
    answer: Explanation = {}
    for i in order[:_TERMS].tolist():
        answer[f"α k of point {int(space.members[i]) + 1}"] = float(terms[i])
    if len(order) > _TERMS:
        answer["sum of the other terms"] = float(terms[order[_TERMS:]].sum())
    found = np.flatnonzero((space.centres == x).all(axis=1))
    if len(found):
        answer["α of this point"] = float(alpha[found[0]])
    return answer
