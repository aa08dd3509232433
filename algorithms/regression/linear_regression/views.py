"""The pictures of linear regression, also in space: the surface over two features, and the targets projected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Cloud3D, Mark
from algorithms.maths.ball_marks import pair_columns
from algorithms.maths.linear_model import LinearModel, predict, value_of
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.regression_frames import base_views
from algorithms.maths.regression_marks import eigenvalue_marks

if TYPE_CHECKING:
    from algorithms.regression.linear_regression import Shot

SIDE = 13
"""Lines of the net in either direction."""
MOST_POINTS = 800


def views(shot: Shot) -> Views:
    """All views of a frame."""
    given, problem, model = shot.given, shot.given.problem, shot.model
    views = base_views(shot)
    if given.pair is not None and 0 not in given.pair and model.dictionary is problem.dictionary:
        views["projection"] = projection_marks(problem, given.pair, model)
    if problem.data.d == 2:
        views["space"] = surface_marks(problem, model, problem.fitted(model))
    condition = shot.shown.doubt
    if condition is not None and len(condition.eigenvalues) > 1:
        views["eigenvalues"] = eigenvalue_marks(condition.eigenvalues, given.penalty.l2)
    return views


def surface_marks(problem: LinearProblem, model: LinearModel, fitted: Array) -> tuple[Mark, ...]:
    """The points over two features with their residuals, and the surface of the fit as a net.

    All three directions are scaled to the same length, because features and target have units of their own.
    """
    data, y = problem.data, problem.y
    points = np.unique(np.linspace(0, data.n - 1, min(data.n, MOST_POINTS)).astype(np.intp))
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    first, second = (np.linspace(low[j], high[j], SIDE) for j in (0, 1))
    net = np.column_stack([part.ravel() for part in np.meshgrid(first, second, indexing="ij")])
    reach = max(float(np.ptp(y)), 1e-300)
    heights = np.clip(predict(model, net), y.min() - 0.5 * reach, y.max() + 0.5 * reach)
    feet = np.clip(fitted[points], y.min() - 0.5 * reach, y.max() + 0.5 * reach)
    at = np.column_stack([data.X[points], y[points]])
    corners = np.vstack([np.column_stack([data.X[points], feet]), np.column_stack([net, heights])])
    middle, unit = _box(low, high, y)
    m = len(points)
    return (
        Cloud3D(
            (at - middle) / unit,
            axes=(*data.features[:2], data.target or "y"),
            points=points,
            edges=_net_edges() + 2 * m,
            edges_name="surface of the fit",
            suspects=np.column_stack([np.arange(m), np.arange(m) + m]),
            suspects_name="residual",
            corners=(corners - middle) / unit,
        ),
    )


def _box(low: Array, high: Array, y: Array) -> tuple[Array, Array]:
    bottom, top = np.append(low, y.min()), np.append(high, y.max())
    return (bottom + top) / 2.0, np.where(top > bottom, top - bottom, 1.0)


def _net_edges() -> Array:
    numbers = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    along = np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1)
    across = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    return np.concatenate([along, across])


def projection_places(problem: LinearProblem, pair: tuple[int, int], model: LinearModel) -> Array:
    """Rows 0, u, v, ŷ, y in the space of the n targets, turned so that the span of two columns lies flat: (5, 3).

    u and v, along the columns of the pair that is looked at, are as long as y. With more columns than these two, what
    the others explain is taken off the targets first. Exact, because these vectors never leave three dimensions.
    """
    n, columns = problem.data.n, pair_columns(problem, pair)
    part = columns @ np.array([value_of(model, number) for number in pair])
    target = problem.y - (problem.fitted(model) - part)
    if problem.centred and 0 not in pair:
        columns, part, target = columns - columns.mean(axis=0), part - part.mean(), target - target.mean()
    Q = np.zeros((n, 3))
    found = np.linalg.qr(np.column_stack([columns, target]))[0]
    Q[:, : found.shape[1]] = found  # two points have two directions only
    lengths = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    longest = max(float(np.sqrt(target @ target)), 1e-300)
    units = columns / np.where(lengths > 0.0, lengths, 1.0) * longest
    Q[:, 2] *= 1.0 if target @ Q[:, 2] >= 0.0 else -1.0  # the targets stand above the plane
    return np.vstack([np.zeros(3), units.T @ Q, part @ Q, target @ Q])


def projection_marks(problem: LinearProblem, pair: tuple[int, int], model: LinearModel) -> tuple[Mark, ...]:
    """The targets, their shadow on the plane of two columns, and the residual between them at a right angle."""
    origin, u, v, shadow, target = projection_places(problem, pair, model)
    steps = np.linspace(-1.0, 1.0, SIDE)
    net = np.array([a * u + b * v for a in steps for b in steps])
    return (
        Cloud3D(
            np.empty((0, 3)),
            points=np.empty(0, dtype=np.intp),
            edges=np.concatenate([[[0, 1], [0, 2]], _net_edges() + 5]),
            edges_name="span of two columns",
            path=np.array([0, 3]),
            path_name="fitted values",
            chord=np.array([0, 4]),
            chord_name="targets",
            suspects=np.array([[3, 4]]),
            suspects_name="residual",
            corners=np.vstack([origin, u, v, shadow, target, net]),
        ),
    )
