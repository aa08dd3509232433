"""The pictures of subset selection: the fit, its coefficients, and the staircase of sums of squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Curve, Dots, Mark
from algorithms.maths.regression_frames import base_views

if TYPE_CHECKING:
    from algorithms.regression.subset_selection import Shot


def views(shot: Shot) -> Views:
    """All views of a frame."""
    views, fact = base_views(shot), shot.shown.fact
    if fact is not None and fact.stairs:
        looked = None if fact.choice.search is None else fact.choice.search.looked
        views["subsets"] = stair_marks(shot.given.every, shot.given.rule, fact.stairs, looked)
    return views


def stair_marks(
    every: Array, rule: str, stairs: tuple[tuple[int, float], ...], looked: Array | None
) -> tuple[Mark, ...]:
    """Every subset as a dot, the best of each size, and the sizes that were chosen."""
    sizes, rss = np.array(list(dict(stairs).items()), dtype=float).T
    path = Curve(sizes, rss, rule, dots=True)
    if not len(every):
        return (path,)
    least = np.array([every[every[:, 0] == k, 1].min() for k in range(int(every[:, 0].max()) + 1)])
    best = Curve(np.arange(float(len(least))), least, "best of each size", quiet=True)
    seen = () if looked is None else (Dots(looked, "looked at", 0),)
    return Dots(every, "every subset"), *seen, best, path
