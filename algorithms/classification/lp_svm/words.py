"""Captions of the sparse SVM, and what its help invites to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.maths.landmarks import landmark_warning
from algorithms.maths.words import counted, number
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.lp_svm import Shot


def warning(shot: Shot) -> str:
    """Where not all points take part."""
    n, count = shot.given.data.n, shot.given.count
    if count == n:
        return ""
    return f"{landmark_warning(n, count)} The others are not learned from."


def _opening(shot: Shot) -> str:
    n, count = shot.given.data.n, shot.given.count
    part = "" if count == n else f"; {count:,} of the {n:,} points take part, evenly chosen from both classes"
    cost = number(shot.metrics["objective"])
    return f"All weights are 0: every point has the slack ξ = 1, and the cost is {cost}{part}."


def _quadratic(shot: Shot) -> str:
    count = counted(int(shot.metrics["support"]), "support vector")
    return f"For comparison, the support vector machine, which penalises the squared length of w, has {count}."


def _column(shot: Shot) -> str:
    shown, fresh = shot.shown, len(shot.shown.fresh)
    more = "no other would save more than it costs, which proves the optimum"
    if fresh:
        more = f"{counted(fresh, 'point')} that would save more than the cost come in next"
    kept = f"{int(shot.metrics['weights']):,} of {counted(shown.columns, 'point')} taken in with weight"
    return f"The linear programme has the minimum {number(shot.metrics['objective'])}, {kept}; {more}."


def _path(shot: Shot) -> str:
    C, few, many = shot.shown.compared[-1]
    return f"At C = {number(C)} the sparse SVM needs {counted(few, 'point')}, the support vector machine {many:,}."


def _conclusion(shot: Shot) -> str:
    model, data, numbers = shot.model, shot.given.data, shot.metrics
    svm = int(np.count_nonzero((model.values(data.X, svm=True) >= 0.0) != (model.signs > 0.0)))
    few, many = counted(int(numbers["weights"]), "point"), int(numbers["support"])
    return (
        f"The sparse SVM needs {few}, with {int(numbers['wrong']):,} of {data.n:,} wrong; the support vector machine "
        f"needs {many:,}, with {svm:,} wrong."
    )


CAPTIONS = {"start": _opening, "quadratic": _quadratic, "column": _column, "path": _path, "done": _conclusion}


def _few_beside_many(played: Played, few: int, many: int) -> bool:
    """Whether the sparse SVM needs at most so few points, and the support vector machine so many."""
    return 0 < played.final("weights") <= few and played.final("support") >= many


TRIES = (
    Try(
        "A linear kernel: two points are enough for a line, and the support vector machine needs thirteen.",
        "blobs(n=120,centres=2,noise=1.4,spread=3,seed=6)",
        {"kernel": "linear"},
        shows=lambda played: played.final("weights") == 2 and played.final("support") == 13,
    ),
    Try(
        "Circles: fewer than ten bumps make the ring for which the support vector machine takes more than thirty.",
        "circles(n=160,noise=0.1,seed=1)",
        {"sigma": 0.6},
        shows=lambda played: _few_beside_many(played, 9, 31) and played.wrong() == 0,
    ),
    Try(
        "A small C: all weights are 0, and there is no boundary.",
        params={"C": 0.005},
        shows=lambda played: played.final("weights") == 0 and len(set(played.predicted().tolist())) == 1,
    ),
)
RELATED = (
    Try(
        "The support vector machine alone, pair by pair, with the same kernel: as many support vectors as are ringed "
        "here.",
        method="kernel_svm",
        params={"kernel": "rbf", "sigma": 0.5},
        shows=lambda played: played.final("support_vectors") == played.by("lp_svm").final("support"),
    ),
)
