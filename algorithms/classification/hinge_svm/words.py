"""Captions of the soft margin by subgradients, and what the help invites to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Try
from algorithms.maths.words import number, percent
from algorithms.played import Played

if TYPE_CHECKING:
    from algorithms.classification.hinge_svm import Shot

_SAME = 1e-6
"""Objectives that differ by less than this fraction are said to be equal."""


def warning(shot: Shot) -> str:
    """Where the optimum is only bounded."""
    goal = shot.shown.goal
    if shot.phase != "done" or goal is None or goal.exact:
        return ""
    return "The optimum is not known exactly: the number that is drawn is a lower bound of it."


def _opening(shot: Shot) -> str:
    return f"w = 0: every point has the slack ξ = 1, and J = {number(shot.metrics['objective'])}."


def _step(shot: Shot) -> str:
    model, numbers = shot.model, shot.metrics
    length = float(np.sqrt(model.weights @ model.weights))
    width = f"the margin is {number(2.0 / length)} wide" if length > 0.0 else "w = 0 has no margin"
    left = "" if shot.shown.goal is None else f", the optimum {number(numbers['optimum'])}"
    reached = f"J = {number(numbers['objective'])}, the least so far {number(numbers['best'])}{left}"
    return f"Iteration {model.step:,}: {reached}; {width}."


def _conclusion(shot: Shot) -> str:
    model, numbers, goal = shot.model, shot.metrics, shot.shown.goal
    text = f"The least J, {number(numbers['best'])}, is that of iteration {model.step:,}"
    inside = f"points with slack: {int(numbers['paying']):,} of {shot.given.data.n:,}"
    if goal is None or goal.bound <= 0.0:
        return f"{text}; {inside}."
    excess = model.objective / goal.bound - 1.0
    what = "the optimum" if goal.exact else "a lower bound of the optimum"
    above = what if excess < _SAME else f"{percent(excess, '.2g' if excess < 0.995 else '.0f')} above {what}"
    return f"{text}, {above} ({number(goal.bound)}); {inside}."


CAPTIONS = {"start": _opening, "step": _step, "done": _conclusion}


def _is_calm(played: Played) -> bool:
    """Whether J falls at every step, and ends far above where Pegasos does."""
    falls = bool((np.diff(played.curve("objective")[1:-1]) < 0.0).all())
    other = played.but(solver="Pegasos").last.metrics
    return falls and played.final("best") > 1.3 * played.final("optimum") and other["best"] < 1.01 * other["optimum"]


TRIES = (
    Try(
        "All points in each step: J falls at every step, and after a hundred passes is still a third above the "
        "optimum; Pegasos comes within one percent.",
        params={"solver": "subgradient"},
        shows=_is_calm,
    ),
    Try(
        "One point in each step: J is noisy, and rises in more than four of ten frames.",
        params={"batch": 1},
        shows=lambda played: (np.diff(played.curve("objective")[1:-1]) > 0.0).mean() > 0.4,
    ),
    Try(
        "A small C: the margin is wide, and four in five points are inside it.",
        params={"C": 0.001},
        shows=lambda played: (
            played.final("paying") >= 0.8 * played.data.n and played.but(C=1.0).final("paying") < 0.1 * played.data.n
        ),
    ),
)
RELATED = (
    Try(
        "The support vector machine trained in the dual, pair by pair, certifies the optimum that is drawn here.",
        method="kernel_svm",
        params={"kernel": "linear", "C": 1.0},
        shows=lambda played: (
            abs(played.final("primal") / played.by("hinge_svm").final("optimum") - 1.0) < 1e-3
            and played.final("gap") < 1e-2 * played.final("primal")
        ),
    ),
)
