"""Losses of a data set in two parameters: the surfaces on which a model is fitted.

    squared loss     ŷ = w0 + w1 x         f(w) = 1/n Σ (y - w0 - w1 x)²            H = 2/n ZᵀZ,  rows of Z: (1, x)
    logistic loss    p = σ(w·z)            f(w) = 1/n Σ log(1 + exp(-s w·z))        s = +1 or -1 by class

With one feature and a real target, x is the feature and y the target. With two or more features x is the first and y
the second, so that the line is drawn through the points as they are seen. The logistic loss has z = (1, x) for one
feature; for more, z holds the first two features less their means: the boundary turns about the middle of the data.
Where there are more than two classes, the first stands against the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.maths.design import least_squares
from algorithms.maths.losses import expit, softplus
from algorithms.optimisation.gradient_descent.solver.surfaces import Box, Surface

LARGEST, SMALLEST = 1e60, 1e-60
"""Beyond these, squares of squares of the data leave the range of floating-point numbers."""
PIECE = 2_000_000
"""How many scores are held at once while a logistic loss is evaluated at many places."""

ROUNDING = 1e-14
"""A fall by this fraction of the height may not be seen for rounding; the Newton step that promises it is the last."""
SKETCHED = 200
"""How many points are enough to find good heights for contours."""


@dataclass(frozen=True, slots=True, eq=False)
class Loss(Surface):
    """A mean over data points; a subset of them estimates it."""

    Z: Array  # (n, 2)
    y: Array  # (n,) the target: values, or -1 and +1
    shift: Array  # (2,) what was taken off the features to make Z

    @property
    def samples(self) -> int:
        return len(self.y)

    @property
    def scale(self) -> float:
        """The size of the gradients of the single points at the origin."""
        slopes = self.slopes(np.zeros(2))
        return math.sqrt(float(np.einsum("ij,ij->", slopes, slopes)) / len(slopes)) or 1.0

    def slopes(self, at: Array, rows: Array | slice = slice(None)) -> Array:
        """The gradient of each point's own loss, (m, 2)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class SquaredLoss(Loss):
    """The mean squared residual of a straight line: a quadratic."""

    H: Array  # (2, 2)
    residue: float  # what no line can remove

    formula = "1/n Σ (y - w0 - w1 x)²"
    names = ("w0 (intercept)", "w1 (slope)")
    quadratic = True

    def height(self, at: Array) -> Array:
        """By completing the square: f(w) = f(w*) + ½ (w-w*)ᵀH(w-w*)."""
        gap = at - self.minima[0]
        rise: Array = self.residue + 0.5 * np.einsum("mi,ij,mj->m", gap, self.H, gap)
        return rise

    def slope(self, at: Array) -> Array:
        return (at - self.minima[0]) @ self.H

    def curvature(self, at: Array) -> Array:
        return np.broadcast_to(self.H, (len(at), 2, 2))

    def slopes(self, at: Array, rows: Array | slice = slice(None)) -> Array:
        Z = self.Z[rows]
        return -2.0 * Z * (self.y[rows] - Z @ at)[:, None]

    def line(self, weights: Array, x: Array) -> Array:
        """The line at these values of the feature, (m,)."""
        return weights[0] + weights[1] * x


@dataclass(frozen=True, slots=True, eq=False)
class LogisticLoss(Loss):
    """The mean negative log-likelihood of two classes: convex; without a minimum when a line separates them."""

    formula = "1/n Σ log(1 + exp(-s w·z))"
    names = ("w1", "w2")

    def height(self, at: Array) -> Array:
        count = max(1, PIECE // len(self.y))
        pieces = [softplus(-self._margins(at[i : i + count])).mean(axis=1) for i in range(0, len(at), count)]
        return np.concatenate(pieces) if pieces else np.empty(0)

    def sketch(self, at: Array) -> Array:
        """By a fraction of the points, because the mean of all of them at thousands of places takes a second."""
        some = slice(None, None, max(1, len(self.y) // SKETCHED))
        return replace(self, Z=self.Z[some], y=self.y[some]).height(at)

    def slope(self, at: Array) -> Array:
        return -(expit(-self._margins(at)) * self.y) @ self.Z / len(self.y)

    def curvature(self, at: Array) -> Array:
        p = expit(self._margins(at))
        weights = p * (1.0 - p)
        return np.stack([weights * column @ self.Z for column in self.Z.T], axis=1) / len(self.y)

    def slopes(self, at: Array, rows: Array | slice = slice(None)) -> Array:
        Z, y = self.Z[rows], self.y[rows]
        return -(expit(-y * (Z @ at)) * y)[:, None] * Z

    def scores(self, weights: Array, X: Array) -> Array:
        """w·z of each row, (m,); positive for the second class."""
        if X.shape[1] == 1:
            return weights[0] + weights[1] * X[:, 0]
        return (X[:, :2] - self.shift) @ weights

    def separates(self, at: Array) -> bool:
        """Whether every point lies on its own side of the line of these weights."""
        return bool((self._margins(at[None]) > 0).all())

    def _margins(self, at: Array) -> Array:
        return (at @ self.Z.T) * self.y  # (m, n)


def squared_loss(data: Points) -> SquaredLoss:
    """The squared loss of this data set."""
    owner = "The squared loss in two parameters"
    if data.d == 1 and not data.is_valued:
        raise DataError(f"{owner} needs a real value for every point, or a second feature to stand for it.")
    x, y = data.X[:, 0], data.values(owner) if data.d == 1 else data.X[:, 1]
    _refuse_size(x, owner)
    _refuse_size(y, owner)
    Z = np.column_stack([np.ones(len(x)), x])
    best, inverse, residue = _least_squares(x, y)
    room = max(float(np.square(y).mean()) - residue, 0.0) or 1.0
    half = 1.3 * np.sqrt(2.0 * room * inverse)
    return SquaredLoss(
        box=_box(best, half),
        start=(0.0, 0.0),
        minima=best[None],
        Z=Z,
        y=np.array(y),
        shift=np.zeros(2),
        H=2.0 / len(x) * (Z.T @ Z),
        residue=residue,
    )


def _least_squares(x: Array, y: Array) -> tuple[Array, Array, float]:
    """Intercept and slope (2,), the diagonal of H⁻¹ (2,), and the least mean square, computed about the means."""
    mean, height = x.mean(), y.mean()
    spread = float(np.square(x - mean).mean()) if np.ptp(x) > 0.0 else 0.0  # and no rounding error
    # all points above one another: every line through their mean is best; take the level one
    slope = float(((x - mean) * (y - height)).mean()) / spread if spread > 0 else 0.0
    residue = float(np.square(y - height - slope * (x - mean)).mean())
    flat = spread or float(mean * mean) or 1.0
    return np.array([height - slope * mean, slope]), 0.5 * np.array([(mean * mean + flat) / flat, 1.0 / flat]), residue


def logistic_loss(data: Points) -> LogisticLoss:
    """The logistic loss of this data set."""
    owner = "The logistic loss"
    labels = data.class_numbers(owner) > 0
    if not labels.any() or labels.all():
        raise DataError(f"{owner} needs points of two classes; all points are of one.")
    Z, shift = _features(data, owner)
    y = np.where(labels, 1.0, -1.0)
    rough = LogisticLoss((-1.0, 1.0, -1.0, 1.0), (0.0, 0.0), np.empty((0, 2)), Z, y, shift)
    best, separable = _maximum_likelihood(rough)
    minima = np.empty((0, 2)) if separable else best[None]
    return LogisticLoss(_logistic_box(rough, best), (0.0, 0.0), minima, Z, y, shift)


def _features(data: Points, owner: str) -> tuple[Array, Array]:
    """The two columns of Z, and what was taken off the features for them."""
    if data.d == 1:
        _refuse_size(data.X, owner)
        return np.column_stack([np.ones(data.n), data.X[:, 0]]), np.zeros(2)
    means = data.X[:, :2].mean(axis=0)
    centred = data.X[:, :2] - means
    for x in centred.T:
        _refuse_size(x, owner)
    return centred, means


def _refuse_size(x: Array, owner: str) -> None:
    size = float(np.abs(x).max())
    if size > LARGEST or 0 < size < SMALLEST:
        raise DataError(f"{owner} cannot be computed: values of the size {size:.0e} leave the range of numbers.")


def _maximum_likelihood(loss: LogisticLoss, ridge: float = 1e-4) -> tuple[Array, bool]:
    """The minimiser and False; or, where a line separates the classes, a place on the endless path down and True.

    By Newton's method; where there is no minimum, with a little ridge, which makes one exist.
    """
    free = _damped_newton(loss, np.zeros(2), np.zeros((2, 2)))
    if not loss.separates(free):
        return free, False
    return _damped_newton(loss, np.zeros(2), ridge * np.diag(np.square(loss.Z).mean(axis=0) + SMALLEST**2)), True


def _damped_newton(loss: LogisticLoss, at: Array, penalty: Array) -> Array:
    sides = loss.Z.T * loss.y  # (2, n) every point on the side of the second class
    height, slope, curvature = _expansion(sides, at, penalty)
    for _ in range(100):
        if not penalty.any() and height * len(loss.y) < math.log(2.0):  # one point on the wrong side has more
            return at
        step, length = least_squares(curvature, slope), 1.0
        if slope @ step <= ROUNDING * height:  # twice the fall that is left: Newton's steps are at their end
            return at - step
        after = _expansion(sides, at - step, penalty)
        while length > 1e-9 and not after[0] < height:
            length /= 2
            after = _expansion(sides, at - length * step, penalty)
        if length <= 1e-9:
            break
        at = at - length * step
        height, slope, curvature = after
    return at


def _expansion(sides: Array, at: Array, penalty: Array) -> tuple[float, Array, Array]:
    """Height, slope (2,) and curvature (2, 2) with the penalty, from one exponential of every point."""
    margins, n = at @ sides, sides.shape[1]
    small = np.exp(-np.abs(margins))
    height = float(np.log1p(small).sum() - np.minimum(margins, 0.0).sum()) / n
    p = np.where(margins > 0.0, small, 1.0) / (1.0 + small)  # of the other class
    slope = -(sides @ p) / n
    curvature = (sides * (p * (1.0 - p))) @ sides.T / n
    return height + float(0.5 * at @ penalty @ at), slope + penalty @ at, curvature + penalty


def _logistic_box(loss: LogisticLoss, best: Array) -> Box:
    """Both the origin and the minimum with room around; a bowl that is nearly flat is not followed to its rim."""
    units = 1.0 / np.maximum(np.sqrt(np.square(loss.Z).mean(axis=0)), SMALLEST)
    return _box(best, 1.6 * np.maximum(np.abs(best), 0.6 * np.linalg.norm(best / units) * units) + 0.5 * units)


def _box(middle: Array, half: Array) -> Box:
    (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return left, right, bottom, top
