"""Captions and explanations of the dividing line, and what its help says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.hyperplane.solver import Staircase
from algorithms.contract import Explanation, Try
from algorithms.data import Array, Item, Points
from algorithms.maths.words import counted, number, signed

if TYPE_CHECKING:
    from algorithms.classification.hyperplane import Model


def opening(model: Model, data: Points) -> str:
    """The line before the first point."""
    normal = ", ".join(number(value) for value in model.normal[:2])
    return f"The line has the normal v = ({normal}) and the offset c = {number(model.offset)}; no point is asked yet."


def features_used(data: Points) -> str:
    """What is done where the data are no plane."""
    if data.d == 1:
        return "One feature: the line is a threshold, and of the angle only the side counts to which the normal points."
    if data.d > 2:
        names = f"{data.features[0]} and {data.features[1]}"
        return f"The line turns in the plane of {names}; its normal is 0 in the other {data.d - 2} features."
    return ""


def side(model: Model, data: Points, point: int, distance: float) -> str:
    """One point has been asked."""
    right = (distance >= 0.0) == (int(data.class_numbers("")[point]) == 1)
    where = "on the side of the normal" if distance >= 0.0 else "behind the line"
    outcome = "right" if right else "wrong"
    so_far = f"{model.wrong:,} of {counted(model.counted, 'point')} wrong so far"
    return f"Point {point + 1}: <v, x> - c = {signed(distance)}, {where}, which is {outcome}; {so_far}."


def sweep(stairs: Staircase) -> str:
    """Some more angles of the map."""
    fewest, angle, offset = stairs.best
    at = f"{angle:.0f}°, offset {number(offset)}"
    return (
        f"{stairs.known} of {len(stairs.angles)} angles counted: the fewest mistakes so far are {fewest:,}, at {at}; "
        f"between {counted(stairs.levels, 'level')} the map is flat."
    )


def conclusion(model: Model, data: Points, stairs: Staircase, cone: bool) -> str:
    """At the end."""
    fewest, angle, offset = stairs.best
    own = f"This line has {model.wrong:,} of {counted(data.n, 'point')} wrong"
    if cone:
        region = "all lines without a mistake form a cone, and this one is "
        return f"{own}; {region}{'inside' if model.wrong == 0 else 'outside'}."
    if data.d <= 2:
        return f"{own}; no line parts these classes, and the best of the map has {fewest:,} at {angle:.0f}°."
    return f"{own}; the best of the map has {fewest:,} at {angle:.0f}°, offset {number(offset)}."


def tails(model: Model, data: Points, beyond: Array, rival: Array | None) -> str:
    """How much of each class lies beyond the line, were they Gaussians, and beyond the line of the widest margin."""

    def fractions(masses: Array) -> str:
        return " and ".join(f"{mass:.1%} of {name}" for mass, name in zip(masses.tolist(), data.classes))

    said = f"Were the classes Gaussians, {fractions(beyond)} would lie beyond this line"
    if rival is None:
        return f"{said}."
    return f"{said}, and {fractions(rival)} beyond that of the widest margin, which need not be the least."


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The side of a place, and what the product <v, x> is made of."""
    distance = float((item.x - model.origin) @ model.normal - model.shift)
    answer: Explanation = {"side": data.classes[1 if distance >= 0.0 else 0], "signed distance": distance}
    for j in np.flatnonzero(model.normal)[:2].tolist():
        answer[f"v · {data.features[j]}"] = float(model.normal[j] * item.x[j])
    answer["offset c"] = model.offset
    if item.number >= 0 and data.y is not None:
        answer["class"] = data.classes[int(data.y[item.number])]
    return answer


FORMULAS = (
    r"H = \{\, x : \langle v, x \rangle = c \,\}, \qquad \|v\| = 1, \qquad v = (\cos\theta, \sin\theta)",
    r"\text{signed distance:}\quad \langle v, x \rangle - c, \quad f(x) = \operatorname{sgn}(\langle v, x \rangle - c)",
    r"\text{homogeneous:}\quad z = (v, -c), \quad \tilde{x} = (x, 1), \quad "
    r"f(x) = \operatorname{sgn} \langle z, \tilde{x} \rangle",
    r"\text{beyond the line:}\quad \Phi\left(-\,|\langle v, \mu_k \rangle - c| \,/ "
    r"\sqrt{\langle v, \Sigma_k v \rangle}\right) \ \text{of a Gaussian on its own side}",
    r"\text{cone of solutions:}\quad \{\, z : y_i \langle z, \tilde{x}_i \rangle > 0 \ \text{for all } i \,\}",
)
TRIES = (
    Try(
        "Drag the line and the tip of its arrow until no point is ringed; the map shows how small the target is.",
        "separable(n=60,margin=0.3,seed=4)",
        {"angle": 20.0, "offset": 1.0},
    ),
    Try(
        "Exclusive or: whatever the angle, a quarter of the points stay on the wrong side; the map has no zero.",
        "xor(n=200,seed=1)",
    ),
    Try(
        "One class is wide, the other narrow: as Gaussians, twice as much lies beyond the line of the widest margin "
        "as beyond this one, which is nearer to the narrow class.",
        "blobs_varied(n=40,noise=1.7,centres=2,ratio=8,seed=4)",
        {"angle": 137.0, "offset": -4.26},
    ),
    Try(
        "The opposite normal swaps the sides: every right answer becomes a wrong one, half a turn away in the map.",
        params={"angle": 180.0},
    ),
)
