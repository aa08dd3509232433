"""The state of a descent and what it says about places of the surface and about data points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Item, Points
from algorithms.optimisation._losses import LogisticLoss, Loss, SquaredLoss
from algorithms.optimisation._methods import Walker
from algorithms.optimisation._surfaces import Surface

EDGE = 1e60
"""Places are looked up no farther out than this: fourth powers stay finite."""
BASIN_STEPS = 150
"""How many steps a place is followed to see where it leads."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Everybody's place after a step, and the way there."""

    surface: Surface
    walkers: tuple[Walker, ...]
    steps: int
    trail: Array  # (steps + 1, k, 2), drawn places: those far outside are pulled to the rim
    heights: Array  # (steps + 1, k)
    rate: float
    shade: str

    @property
    def leader(self) -> int:
        """Who stands lowest; those who flew away do not count unless all did."""
        if len(self.walkers) == 1:
            return 0
        lost = np.array([walker.status in ("diverged", "endless") for walker in self.walkers])
        return int(np.where(lost & ~lost.all(), np.inf, self.heights[-1]).argmin())

    @property
    def parameters(self) -> Array:
        """Where the leader stands, (2,)."""
        return self.walkers[self.leader].at


def field(model: Model, X: Array) -> Array:
    """The height of the surface at places (m, 2) of the parameter plane."""
    return model.surface.height(places(X))


def places(X: Array) -> Array:
    """Rows as places of the plane: the first two columns (0 for one that is missing), within the finite."""
    at = np.zeros((len(X), 2))
    at[:, : X.shape[1]] = X[:, :2]
    return np.clip(at, -EDGE, EDGE)


def predict(model: Model, X: Array) -> Array:
    """What the fitted line says of data points; without data, where a descent from each place of the plane ends.

    With the squared loss the value, with the logistic loss 0 or 1. On a surface without data the number of the
    minimum that is found from there, one more than there are for none; or with the shading by curvature 0 where the
    surface is bent upwards, 1 where it is a saddle and 2 where it is bent downwards.
    """
    surface = model.surface
    if isinstance(surface, SquaredLoss):
        return line_height(surface, model.parameters, X[:, 0])
    if isinstance(surface, LogisticLoss):
        return (scores(surface, model.parameters, X) > 0).astype(np.int64)
    if model.shade == "curvature":
        bent = np.linalg.eigvalsh(surface.curvature(places(X)))
        return (bent <= 0).sum(axis=1)
    return basins(surface, places(X), model.walkers[0].method, model.rate)


def basins(surface: Surface, at: Array, method: str, rate: float) -> Array:
    """The minimum (its number) in which each place ends by fixed steps, or by Newton's method where that is chosen."""
    far = 10.0 * surface.span
    at = np.array(at)
    for _ in range(BASIN_STEPS):
        move = _newton_steps(surface, at) if method == "Newton" else -rate * surface.slope(at)
        at = np.clip(at + move, -far, far)
    gaps = np.linalg.norm(at[:, None] - surface.minima, axis=2)  # (m, k)
    none = np.full(len(at), len(surface.minima))
    if not len(surface.minima):
        return none
    return np.where(gaps.min(axis=1) < 0.1 * surface.span, gaps.argmin(axis=1), none)


def _newton_steps(surface: Surface, at: Array) -> Array:
    """-H⁻¹ g at every place, by Cramer's rule; where H is singular, none."""
    (a, b), (_, d) = surface.curvature(at).transpose(1, 2, 0)
    x, y = surface.slope(at).T
    determinant = a * d - b * b
    solid = np.abs(determinant) > 1e-300
    safe = np.where(solid, determinant, 1.0)
    return np.where(solid[:, None], -np.stack([d * x - b * y, a * y - b * x], axis=1) / safe[:, None], 0.0)


def line_height(surface: SquaredLoss, weights: Array, x: Array) -> Array:
    """The line at these values of the feature, (m,)."""
    return weights[0] + weights[1] * (x - surface.shift[1]) / surface.unit[1]


def scores(surface: LogisticLoss, weights: Array, X: Array) -> Array:
    """w·z of each row, (m,); positive for the second class."""
    if X.shape[1] == 1:
        return weights[0] + weights[1] * (X[:, 0] - surface.shift[1]) / surface.unit[1]
    return ((X[:, :2] - surface.shift) / surface.unit) @ weights


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """What a data point does to the descent; without data, what the surface is like at the place x."""
    x = item.x
    surface = model.surface
    if isinstance(surface, Loss):
        return _of_point(surface, model, data, item)
    at = places(np.asarray(x, dtype=float)[None])
    slope, (low, high) = surface.slope(at)[0], np.linalg.eigvalsh(surface.curvature(at)[0])
    return {
        "height f": float(surface.height(at)[0]),
        f"slope along {surface.names[0]}": float(slope[0]),
        f"slope along {surface.names[1]}": float(slope[1]),
        "curvatures": f"{low:.3g} and {high:.3g}",
        "the surface here": shape_words(low, high),
    }


def _of_point(surface: Loss, model: Model, data: Points, item: Item) -> Explanation:
    weights, x = model.parameters, item.x
    row = np.array([item.number] if item.number >= 0 and data.n == surface.samples else [], dtype=np.intp)
    if isinstance(surface, SquaredLoss):
        answer: Explanation = {"the line there": float(line_height(surface, weights, x[:1])[0])}
        if len(row):
            answer["residual"] = float(surface.y[row[0]]) - answer["the line there"]
    else:
        assert isinstance(surface, LogisticLoss)
        score = float(scores(surface, weights, x[None])[0])
        answer = {"score w·z": score, "probability of the second class": float(0.5 * (1 + np.tanh(0.5 * score)))}
    if len(row):
        pull = -surface.slopes(weights, row)[0]
        answer[f"pull on {surface.names[0]}"] = float(pull[0])
        answer[f"pull on {surface.names[1]}"] = float(pull[1])
    return answer


def shape_words(low: float, high: float) -> str:
    """What the two curvatures of a place mean (Hessian criteria)."""
    flat = 1e-9 * max(abs(low), abs(high))
    if low > flat:
        return "bent upwards: convex"
    if high < -flat:
        return "bent downwards: concave"
    return "a saddle" if low < -flat and high > flat else "flat in one direction"
