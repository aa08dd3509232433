"""Captions and explanations of the two hulls, and what their help says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Item, Points
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.hull_margin import Model, Shot


def warning(shot: Shot) -> str:
    """Where the steps were spent before the end."""
    if shot.shown.proved:
        return ""
    return "The steps are spent before the distance was proved; raise max steps, or take the other method."


def _opening(shot: Shot) -> str:
    apart = number(shot.metrics["distance"])
    return f"u and v start at corners of the hulls that face each other, {apart} apart."


def _step(shot: Shot) -> str:
    model, points = shot.model, shot.shown.points
    support = counted(int(shot.metrics["support"]), "point")
    apart = f"|u - v| = {number(model.distance)}, lower bound {number(max(model.bound, 0.0))}"
    if shot.given.method == "Gilbert":
        moved = "z = u - v moves towards the corner s with the least <z, s>"
        return f"Step {model.steps}: {moved}; {apart}; {support} with weight."
    moved = "the weights of all points that have some are optimised together"
    if len(points) == 2:
        moved = f"weight moves from point {points[0] + 1} to point {points[1] + 1}"
    return f"Step {model.steps}: {moved}; {apart}; {support} with weight."


def _conclusion(shot: Shot) -> str:
    model, cap = shot.model, shot.given.cap
    if shot.shown.overlap:
        place = ", ".join(number(value) for value in model.u[:2]) + (", ..." if len(model.u) > 2 else "")
        how = "Lower the cap" if cap >= 1.0 else "Lower the cap further"
        return (
            f"The {'reduced ' if cap < 1.0 else ''}hulls overlap: ({place}) is a convex combination of the points of "
            f"either class, so no line separates them. {how} (knob reduced) to shrink both hulls until one does."
        )
    support = counted(int(shot.metrics["support"]), "support vector")
    return (
        f"The hulls are {number(model.distance)} apart; the line bisects the segment, the margin on either side is "
        f"{number(model.distance / 2.0)} = 1/|w|, with {support}."
    )


CAPTIONS = {"start": _opening, "step": _step, "done": _conclusion}


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
            answer["multiplier α of the support vector machine"] = 2.0 * weight / model.distance**2
    return answer


FORMULAS = (
    r"\min_{u,\, v} \|u - v\|, \quad u = \sum_{y_i = +1} \lambda_i x_i, \quad v = \sum_{y_i = -1} \lambda_i x_i, \quad "
    r"\sum_{+} \lambda_i = \sum_{-} \lambda_i = 1, \quad 0 \le \lambda_i \le \mathrm{cap}",
    r"w = \frac{2\,(u - v)}{\|u - v\|^2}, \qquad \|u - v\| = \frac{2}{\|w\|}, \qquad "
    r"\alpha_i = \frac{2\,\lambda_i}{\|u - v\|^2}",
)


def _agree(alpha: Array, hulls: Model) -> bool:
    """Whether the multipliers of the support vector machine are the weights times 2 / |u - v|²."""
    return np.allclose(alpha, 2.0 * hulls.weights / hulls.distance**2, atol=1e-3 * float(alpha.max()))


TRIES = (
    Try(
        "Gilbert's steps zigzag: hundreds of them, where the steps of Mitchell, Demyanov and Malozemov are fewer than "
        "twenty.",
        params={"method": "Gilbert"},
        shows=lambda played: played.model.steps > 300 and played.but(method="MDM").model.steps < 20,
    ),
    Try(
        "The classes overlap, so their hulls share a point: u and v meet in one, and no line separates the classes.",
        "blobs(n=80,centres=2,noise=1.6,spread=2,seed=3)",
        shows=lambda played: played.last.shown.overlap and played.final("distance") < 1e-4,
    ),
    Try(
        "With a cap on each weight the hulls of overlapping classes shrink until a line fits between them.",
        "blobs(n=80,centres=2,noise=1.6,spread=2,seed=3)",
        {"reduced": 0.05},
        shows=lambda played: played.final("distance") > 1.0 and played.but(reduced=1.0).final("distance") < 1e-4,
    ),
)
RELATED = (
    Try(
        "The support vector machine with a linear kernel and a large C finds the same line: its α are the weights "
        "here times 2 / |u - v|².",
        method="kernel_svm",
        params={"kernel": "linear", "C": 1e5, "tol": 1e-6},
        shows=lambda played: _agree(played.model.alpha, played.by("hull_margin", tol=1e-9).model),
    ),
)
