"""The pictures of subset selection: the fit, its coefficients, and the staircase of sums of squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.marks import Curve, Dots, Mark
from algorithms.maths.linear_model import LinearModel
from algorithms.maths.regression_marks import Picture, coefficient_bars


@dataclass(frozen=True, slots=True, eq=False)
class Stairs:
    """The sum of squares of the choices so far, by their size, and the subsets that leaps and bounds has looked at."""

    rule: str
    at: tuple[tuple[int, float], ...]
    looked: Array | None  # (m, 2)


def draw(picture: Picture, every: Array, model: LinearModel, stairs: Stairs | None) -> dict[str, tuple[Mark, ...]]:
    """All views of a frame; ``every`` holds the size and the sum of squares of each subset, where there are few."""
    views = {"plane": picture.plane(model, picture.problem.fitted(model)), "coefficients": coefficient_bars(model)}
    if stairs is not None:
        views["subsets"] = stair_marks(every, stairs)
    return views


def stair_marks(every: Array, stairs: Stairs) -> tuple[Mark, ...]:
    """Every subset as a dot, the best of each size, and the sizes that were chosen."""
    sizes, rss = np.array(list(dict(stairs.at).items()), dtype=float).T
    path = Curve(sizes, rss, stairs.rule, dots=True)
    if not len(every):
        return (path,)
    least = np.array([every[every[:, 0] == k, 1].min() for k in range(int(every[:, 0].max()) + 1)])
    best = Curve(np.arange(float(len(least))), least, "best of each size", quiet=True)
    seen = () if stairs.looked is None else (Dots(stairs.looked, "looked at", 0),)
    return Dots(every, "every subset"), *seen, best, path
