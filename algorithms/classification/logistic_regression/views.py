"""The pictures of logistic regression: the shaded plane, the sigmoid, and the coefficients or multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.logistic_regression.solver import probabilities
from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, PointSizes, ReferenceLine, Regions, Scatter

if TYPE_CHECKING:
    from algorithms.classification.logistic_regression import Given, Model, Shot

MOST_DOTS = 1000
MOST_BARS = 40
_MOST_RINGS = 10
_TWO: tuple[Mark, ...] = (Regions("probability"), Isolines(strong=(0.5,), weak=(0.1, 0.9), weak_name="P = 0.1 and 0.9"))
_SEVERAL: tuple[Mark, ...] = (Regions("probability"), Isolines(strong=(0.0,)))


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    given, model = shot.given, shot.model
    two = model.classes == 2
    plane: tuple[Mark, ...] = _TWO if two else _SEVERAL
    if given.params.balance != "none":
        plane += (PointSizes(given.weights, "how often a point counts"),)
    if model.space is not None:
        plane += _rings(model, given.y)
    return {
        "plane": plane,
        "curve": _curve(given, model) if two else (),
        "bias": _bias(model),
        "coefficients" if model.space is None else "alphas": (_bars(given, model),),
    }


def _bias(model: Model) -> tuple[Mark, ...]:
    """The cosine to the widest margin, and the margin of the worst point, over the logarithm of time."""
    path = model.turning
    if path is None or not len(path):
        return ()
    margin = Curve(path[:, 0], path[:, 1], "margin of the worst point", dots=True)
    if path.shape[1] == 2:
        return margin, ReferenceLine(0.0, "separable", axis="y")
    return Curve(path[:, 0], path[:, 2], "cosine", dots=True), margin, ReferenceLine(1.0, "widest margin", axis="y")


def _curve(given: Given, model: Model) -> tuple[Mark, ...]:
    """The sigmoid over the log-odds, with every point at its class."""
    shown, data = given.numbers, given.data
    f = model.log_odds(data.X[shown])[:, 0]
    reach = max(float(np.abs(f).max()), 8.0)
    line = np.concatenate([[-reach], np.linspace(-8.0, 8.0, 97), [reach]])
    y = given.y[shown]
    name = f"P({data.classes[1]})"
    return Curve(line, probabilities(line[:, None])[:, 0], name), Scatter(np.column_stack([f, y]), shown, y)


def _bars(given: Given, model: Model) -> Bars:
    """The coefficients, class after class, the intercept last; only the first of very many. Or the largest α."""
    if model.space is not None:
        classes = given.data.class_numbers("Logistic regression")
        return _alpha_bars(model, given.y, classes)
    intercept, names = given.params.intercept, given.data.features
    table = np.column_stack([model.weights, model.intercepts]) if intercept else model.weights
    names = (*names, "bias") if intercept else names
    groups = np.repeat(model.present, table.shape[1])[:MOST_BARS]
    return Bars(table.ravel()[:MOST_BARS], (names * len(table))[:MOST_BARS], groups=groups)


def _pulls(model: Model, numbers: Array) -> Array:
    """One α for every centre, (m,): towards the second of two classes, or towards its own class."""
    assert model.space is not None
    if len(model.weights) == 1:
        return np.asarray(model.weights[0])
    own = numbers[model.space.members]
    return np.asarray(model.weights[own, np.arange(len(own))])


def _alpha_bars(model: Model, numbers: Array, classes: Array) -> Bars:
    """The largest α in the order of the points, in the colour of their class."""
    assert model.space is not None
    alpha, members = _pulls(model, numbers), model.space.members
    chosen = np.sort(np.argsort(-np.abs(alpha), kind="stable")[:MOST_BARS])
    return Bars(alpha[chosen], points=members[chosen], groups=classes[members[chosen]])


def _rings(model: Model, numbers: Array) -> tuple[Highlight, ...]:
    """The points that pull most, none before any does."""
    assert model.space is not None
    size = np.abs(_pulls(model, numbers))
    largest = np.argsort(-size, kind="stable")[:_MOST_RINGS]
    largest = largest[size[largest] > 0.0]
    if not len(largest):
        return ()
    return (Highlight(model.space.members[largest], "free", f"largest |α|, {len(largest)} points"),)
