"""Linear binary classifiers f(x) = w·x + b, trained in one go, and linear discriminants of several classes at once.

The rows are (x, 1), seen from the middle of the data and in units of their reach s; prices C are then C s², so that a
classifier is the same in any units. Labels are -1 and 1, or class numbers where several discriminants are trained at
once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.design import least_squares
from algorithms.maths.losses import softplus

Base = Literal["least squares", "perceptron", "logistic", "linear SVM"]
_PASSES = 200
_NEWTON = 40
_HALVINGS = 30
_RIDGE = 1e-10


def train(base: Base, Z: Array, y: Array, C: float) -> Array:
    """The coefficients (d + 1,) of the classifier that separates y = 1 from y = -1."""
    if base == "least squares":
        return least_squares(Z, y)
    if base == "perceptron":
        return perceptron(Z, y)
    return newton(Z, y, C, _logistic if base == "logistic" else _squared_hinge)


def perceptron(Z: Array, y: Array) -> Array:
    """All mistakes of a pass added at once; of all passes the one with the fewest mistakes is kept (the pocket)."""
    rows = y[:, None] * Z
    z, best, fewest = np.zeros(Z.shape[1]), np.zeros(Z.shape[1]), len(y) + 1
    for _ in range(_PASSES):
        checkpoint()
        wrong = rows @ z <= 0.0
        count = int(np.count_nonzero(wrong))
        if count < fewest:
            best, fewest = z, count
        if not count:
            break
        step = rows[wrong].sum(axis=0)
        z = z + (step if step.any() else rows[wrong][0])  # mistakes that cancel would keep it where it is
    return best


Loss = Callable[[Array], tuple[Array, Array, Array]]
"""Of the margins: the losses, minus their slopes, and their curvatures."""


def _logistic(margins: Array) -> tuple[Array, Array, Array]:
    wrong = np.exp(-softplus(margins))
    return softplus(-margins), wrong, wrong * (1.0 - wrong)


def _squared_hinge(margins: Array) -> tuple[Array, Array, Array]:
    slack = np.maximum(1.0 - margins, 0.0)
    return 0.5 * slack * slack, slack, (slack > 0.0).astype(np.float64)


def newton(Z: Array, y: Array, C: float, loss: Loss) -> Array:
    """The least ½|w|² + C Σ loss(y f), by Newton's steps, halved until they gain; the bias is free."""
    rows, p = y[:, None] * Z, Z.shape[1]
    price = np.ones(p)
    price[-1] = 0.0
    z = np.zeros(p)
    losses, pulls, curvatures = loss(rows @ z)
    value = C * float(losses.sum())
    for _ in range(_NEWTON):
        checkpoint()
        gradient = price * z - C * (pulls @ rows)
        hessian = C * (rows.T * curvatures) @ rows + np.diag(price)
        hessian += _RIDGE * float(np.trace(hessian)) / p * np.eye(p)
        step = -np.linalg.solve(hessian, gradient)
        slope = float(gradient @ step)
        if not slope < -1e-12 * max(value, 1e-300):
            break
        for halving in range(_HALVINGS):
            damping = 0.5**halving
            moved = z + damping * step
            losses, pulls, curvatures = loss(rows @ moved)
            after = 0.5 * float(price @ (moved * moved)) + C * float(losses.sum())
            if after <= value + 1e-4 * damping * slope:
                break
        else:
            break
        z, value = moved, after
    return z


def train_together(base: Base, Z: Array, y: Array, classes: int, C: float) -> Array:
    """The coefficients (classes, d + 1) of discriminants that are compared with each other: the largest one wins."""
    own = np.zeros((len(y), classes))
    own[np.arange(len(y)), y] = 1.0
    if base == "least squares":
        return least_squares(Z, 2.0 * own - 1.0).T
    if base == "perceptron":
        return _kesler(Z, y, own)
    return _descended(Z, own, C, base == "logistic")


def _kesler(Z: Array, y: Array, own: Array) -> Array:
    """On a mistake the right discriminant is turned up and the winner down; the pocket again."""
    w = np.zeros((own.shape[1], Z.shape[1]))
    best, fewest = w, len(y) + 1
    for _ in range(_PASSES):
        checkpoint()
        values = Z @ w.T
        rivals = np.where(own > 0.0, -np.inf, values)
        winner = rivals.argmax(axis=1)
        wrong = np.flatnonzero(values[np.arange(len(y)), y] <= rivals.max(axis=1))
        if len(wrong) < fewest:
            best, fewest = w, len(wrong)
        if not len(wrong):
            break
        change = own[wrong].copy()
        change[np.arange(len(wrong)), winner[wrong]] -= 1.0
        w = w + change.T @ Z[wrong]
    return best


def _descended(Z: Array, own: Array, C: float, soft: bool) -> Array:
    """Softmax, or squared hinges 1 + g_k - g_y over all other classes k (Weston and Watkins), by L-BFGS."""
    from scipy.optimize import minimize

    shape = own.shape[1], Z.shape[1]
    price = np.ones(shape[1])
    price[-1] = 0.0

    def value(flat: Array) -> tuple[float, Array]:
        checkpoint()
        w = flat.reshape(shape)
        g = Z @ w.T
        if soft:
            g = g - g.max(axis=1, keepdims=True)
            powers = np.exp(g)
            total = powers.sum(axis=1, keepdims=True)
            loss = float((np.log(total[:, 0]) - (g * own).sum(axis=1)).sum())
            slope = powers / total - own
        else:
            slack = np.maximum(1.0 + g - (g * own).sum(axis=1, keepdims=True), 0.0) * (1.0 - own)
            loss = 0.5 * float((slack * slack).sum())
            slope = slack - own * slack.sum(axis=1, keepdims=True)
        gradient = price * w + C * (slope.T @ Z)
        return 0.5 * float((price * w * w).sum()) + C * loss, gradient.ravel()

    found = minimize(value, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x.reshape(shape))
