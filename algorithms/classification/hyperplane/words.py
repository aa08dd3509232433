"""Captions and explanations of the dividing line, and what its help says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Explanation, Try
from algorithms.data import Array, Item, Points
from algorithms.marks import Matrix
from algorithms.maths.words import counted, number, percent, signed
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.hyperplane import Model, Shot


def _opening(shot: Shot) -> str:
    """The line before the first point."""
    normal = ", ".join(number(value) for value in shot.model.normal[:2])
    offset = f"the offset c = {number(shot.model.offset)} from the mean of the points"
    return f"The line has the normal v = ({normal}) and {offset}; no point is classified yet."


def warning(shot: Shot) -> str:
    """What is done where the data are no plane."""
    data = shot.given.data
    if data.d == 1:
        return "One feature: the line is a threshold, and of the angle only the side counts to which the normal points."
    if data.d > 2:
        names = f"{data.features[0]} and {data.features[1]}"
        other = counted(data.d - 2, "other feature")
        return f"The line turns in the plane of {names}; its normal is 0 in the {other}."
    return ""


def _side(shot: Shot) -> str:
    """The last one of the points of this step."""
    model, point = shot.model, shot.model.counted - 1
    distance = float((shot.given.data.X[point] - model.origin) @ model.normal) - model.offset
    where = "on the side of the normal" if distance >= 0.0 else "on the other side of the line"
    outcome = "right" if (distance >= 0.0) == (shot.given.signs[point] > 0.0) else "wrong"
    so_far = f"{model.wrong:,} of {counted(model.counted, 'point')} wrong so far"
    return f"Point {point + 1}: <v, x - m> - c = {signed(distance)}, {where}, which is {outcome}; {so_far}."


def _sweep(shot: Shot) -> str:
    """Some more angles of the map."""
    stairs = shot.shown.stairs
    fewest, angle, offset = stairs.best
    at = f"{angle:.0f}° and offset {number(offset)}"
    levels = f"{counted(stairs.levels, 'different value')} in the map"
    done = f"{stairs.known} of {len(stairs.angles)} angles counted"
    return f"{done}: the fewest mistakes so far are {fewest:,}, at {at}; {levels}, which is constant between its steps."


def _tails(shot: Shot) -> str:
    """How much of each class is on the wrong side, were they Gaussians; and beyond the line of the widest margin."""
    given, best = shot.given, shot.shown.solutions

    def fractions(masses: Array) -> str:
        shares = zip(masses.tolist(), given.data.classes)
        return " and ".join(f"{percent(mass, '.1f')} of {name}" for mass, name in shares)

    said = f"With a Gaussian for each class, {fractions(given.beyond)} would lie on the wrong side of this line"
    if best is None:
        return f"{said}."
    rival = fractions(given.bells.beyond(best.normal, np.array([best.offset]))[:, 0])
    return f"{said}, and {rival} on that of the line of the widest margin, which need not be the least."


def _conclusion(shot: Shot) -> str:
    """At the end."""
    model, data = shot.model, shot.given.data
    fewest, angle, offset = shot.shown.stairs.best
    own = f"This line has {model.wrong:,} of {counted(data.n, 'point')} wrong"
    if shot.shown.solutions is not None:
        region = "all lines without a mistake form a cone, and this one is "
        return f"{own}; {region}{'inside' if model.wrong == 0 else 'outside'}."
    if data.d == 2:
        return f"{own}; no line separates these classes, and the best of the map has {fewest:,} at {angle:.0f}°."
    return f"{own}; the best of the map has {fewest:,} at {angle:.0f}°, offset {number(offset)}."


CAPTIONS = {"start": _opening, "count": _side, "sweep": _sweep, "tails": _tails, "done": _conclusion}


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """The side of a place, and what the product <v, x - m> is made of."""
    from_mean = item.x - model.origin
    distance = float(from_mean @ model.normal - model.offset)
    answer: Explanation = {"side": data.classes[1 if distance >= 0.0 else 0], "signed distance": distance}
    for j in np.flatnonzero(model.normal)[:2].tolist():
        answer[f"v · ({data.features[j]} - mean)"] = float(model.normal[j] * from_mean[j])
    answer["offset c"] = model.offset
    if item.number >= 0 and data.y is not None:
        answer["class"] = data.classes[int(data.y[item.number])]
    return answer


FORMULAS = (
    r"H = \{\, x : \langle v, x - m \rangle = c \,\}, \qquad \|v\| = 1, \qquad v = (\cos\theta, \sin\theta), \qquad "
    r"m = \frac{1}{n} \sum_i x_i",
    r"\text{signed distance:}\quad \langle v, x - m \rangle - c, \quad "
    r"f(x) = \operatorname{sgn}(\langle v, x - m \rangle - c)",
    r"\text{homogeneous:}\quad z = (v, -c), \quad \tilde{x} = (x - m, 1), \quad "
    r"f(x) = \operatorname{sgn} \langle z, \tilde{x} \rangle",
    r"\text{wrong side:}\quad \Phi\left(-\,|\langle v, \mu_k - m \rangle - c| \,/ "
    r"\sqrt{\langle v, \Sigma_k v \rangle}\right) \ \text{of a Gaussian whose mean is on its own side}",
    r"\text{cone of solutions:}\quad \{\, z : y_i \langle z, \tilde{x}_i \rangle > 0 \ \text{for all } i \,\}",
)


def _map(played: Played) -> Array:
    """The mistakes of all lines in the last frame."""
    (matrix,) = (mark for mark in played.last.views["map"] if isinstance(mark, Matrix))
    return matrix.values


def _tail_of_widest(played: Played) -> float:
    """What the line of the widest margin would get wrong of new points, with a Gaussian for each class."""
    from algorithms.classification.hyperplane.solver import Bells, widest_line

    X, signs = played.data.X - played.model.origin, played.data.two_sides("")
    normal, offset = widest_line(X, signs)
    bells = Bells.of(X, signs)
    return float(bells.counts @ bells.beyond(normal, np.array([offset]))[:, 0]) / played.data.n


TRIES = (
    Try(
        "Drag the line and the tip of its arrow until no point is ringed: fewer than one in fifty cells of the map has "
        "no mistake.",
        "separable(n=60,margin=0.3,seed=4)",
        {"angle": 20.0, "offset": 1.0},
        shows=lambda played: played.final("wrong") > 0 and 0.0 < (_map(played) == 0).mean() < 0.02,
    ),
    Try(
        "Exclusive or: at every angle and offset at least a quarter of the points is on the wrong side.",
        "xor(n=200,seed=1)",
        shows=lambda played: _map(played).min() >= played.data.n / 4,
    ),
    Try(
        "One class is wide, the other narrow: with a Gaussian for each, less than 60 % as many new points are on the "
        "wrong side of this line, nearer to the narrow class, as of the line of the widest margin.",
        "blobs_varied(n=40,noise=1.7,centres=2,ratio=8,seed=4)",
        {"angle": 137.0, "offset": -4.26},
        shows=lambda played: played.final("wrong") == 0 and played.final("expected") < 0.6 * _tail_of_widest(played),
    ),
    Try(
        "The opposite normal swaps the sides: every right answer becomes a wrong one, half a turn away in the map.",
        params={"angle": 180.0},
        shows=lambda played: played.final("wrong") + played.but(angle=0.0).final("wrong") == played.data.n,
    ),
)
