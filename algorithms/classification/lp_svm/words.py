"""Captions of the sparse machine, and what its help invites to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.lp_svm import Shot


def warning(shot: Shot) -> str:
    """Where not all points take part."""
    given = shot.given
    if given.count == given.data.n:
        return ""
    return f"Of {given.data.n:,} points {given.count:,}, evenly chosen, take part."


def _opening(shot: Shot) -> str:
    return f"All weights are 0: every point pays ξ = 1, together {number(shot.metrics['objective'])}."


def _quadratic(shot: Shot) -> str:
    count = counted(int(shot.metrics["support"]), "support vector")
    return f"The usual machine, which pays the squared length, has {count}."


def _column(shot: Shot) -> str:
    shown, fresh = shot.shown, len(shot.shown.fresh)
    more = f"{counted(fresh, 'point')} would save more than they cost" if fresh else "none is worth taking in"
    kept = f"{int(shot.metrics['weights']):,} of {counted(shown.columns, 'column')} have weight"
    return f"The programme costs {number(shot.metrics['objective'])}, {kept}; {more}."


def _path(shot: Shot) -> str:
    C, few, many = shot.shown.compared[-1]
    return f"At C = {number(C)} the sparse machine needs {counted(few, 'point')}, the usual one {many:,}."


def _conclusion(shot: Shot) -> str:
    model, data, numbers = shot.model, shot.given.data, shot.metrics
    usual = int(np.count_nonzero((model.values(data.X, usual=True) >= 0.0) != (model.signs > 0.0)))
    return (
        f"The sparse machine needs {counted(int(numbers['weights']), 'point')} and is wrong about "
        f"{int(numbers['wrong']):,}; the usual one needs {int(numbers['support']):,} and is wrong about {usual:,}."
    )


CAPTIONS = {"start": _opening, "quadratic": _quadratic, "column": _column, "path": _path, "done": _conclusion}

TRIES = (
    Try(
        "A linear kernel: the programme finds a line with hardly more than two points.",
        "blobs(n=120,centres=2,noise=1.4,spread=3,seed=6)",
        {"kernel": "linear"},
    ),
    Try(
        "Circles: a handful of bumps makes the ring that takes the usual machine dozens of points.",
        "circles(n=160,noise=0.1,seed=1)",
        {"sigma": 0.6},
    ),
    Try("A small C: all weights are 0, and no boundary is left.", params={"C": 0.005}),
)
RELATED = (
    Try(
        "The usual machine alone, pair by pair, with the same kernel.",
        method="kernel_svm",
        params={"kernel": "rbf", "sigma": 0.5},
    ),
)
