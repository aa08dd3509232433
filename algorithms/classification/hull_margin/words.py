"""Captions and explanations of the two hulls, and what their help says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Item, Points
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.hull_margin import Model


def opening(model: Model) -> str:
    """The first pair."""
    return f"u and v start at corners that face each other, {number(model.distance)} apart: weights (1, or the cap)."


def step(model: Model, method: str, points: Array) -> str:
    """One step of a walk."""
    support = counted(int(np.count_nonzero(model.weights)), "point")
    bound = max(model.bound, 0.0)
    apart = f"the pair is {number(model.distance)} apart, and no pair is nearer than {number(bound)}"
    if method == "Gilbert":
        return f"Step {model.steps}: z goes towards the deepest corner; {apart}; {support} with weight."
    moved = "the weights of all points that have some find their best values together"
    if len(points) == 2:
        moved = f"weight moves from point {points[0] + 1} to point {points[1] + 1}"
    return f"Step {model.steps}: {moved}; {apart}; {support} with weight."


def conclusion(model: Model, data: Points, overlap: bool, cap: float) -> str:
    """At the end."""
    if overlap:
        shown = ", ".join(number(value) for value in model.u[:2]) + (", ..." if data.d > 2 else "")
        how = "Lower the cap" if cap >= 1.0 else "Lower the cap further"
        return (
            f"The {'reduced ' if cap < 1.0 else ''}hulls overlap: ({shown}) is a mixture of points of either class, so "
            f"no line parts them. {how} (knob reduced) to shrink both hulls until they part."
        )
    support = counted(int(np.count_nonzero(model.weights)), "point")
    return (
        f"The hulls are {number(model.distance)} apart; the line halves the segment, the margin is "
        f"{number(model.distance / 2.0)} = 1/|w|, and {support} decide."
    )


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The decision value, the distance from the line, and for one of the points its weights."""
    value = float((item.x - model.middle) @ model.normal)
    answer: Explanation = {"class": data.classes[1 if value >= 0.0 else 0], "decision value": value}
    if model.distance > 0.0:
        answer["distance from the line"] = value * model.distance / 2.0
    if item.number >= 0:
        weight = float(model.weights[item.number])
        answer["weight in its hull"] = weight
        if model.distance > 0.0 and np.isfinite(2.0 * weight / model.distance**2):
            answer["multiplier α of the machine"] = 2.0 * weight / model.distance**2
    return answer


FORMULAS = (
    r"\min_{u,\, v} \|u - v\|, \quad u = \sum_{y_i = +1} \lambda_i x_i, \quad v = \sum_{y_i = -1} \lambda_i x_i, \quad "
    r"\sum_{+} \lambda_i = \sum_{-} \lambda_i = 1, \quad 0 \le \lambda_i \le \mathrm{cap}",
    r"w = \frac{2\,(u - v)}{\|u - v\|^2}, \qquad \|u - v\| = \frac{2}{\|w\|}, \qquad "
    r"\alpha_i = \frac{2\,\lambda_i}{\|u - v\|^2}",
)
TRIES = (
    Try(
        "Gilbert's walk zigzags: many small steps where Mitchell, Demyanov and Malozemov need few.",
        "",
        {"method": "Gilbert"},
    ),
    Try(
        "The classes overlap, so their hulls share a point: the walk ends in it, and it is said in words.",
        "blobs(n=80,centres=2,noise=1.6,spread=2,seed=3)",
    ),
    Try(
        "With a cap on each weight the hulls of overlapping classes shrink until a line fits between them.",
        "blobs(n=80,centres=2,noise=1.6,spread=2,seed=3)",
        {"reduced": 0.05},
    ),
)
RELATED = (
    Try(
        "The support vector machine with a linear kernel and a large C finds the same line: its α are the weights, "
        "times 2 / |u - v|².",
        method="kernel_svm",
        params={"kernel": "linear", "C": 1e5, "tol": 1e-6},
    ),
)
