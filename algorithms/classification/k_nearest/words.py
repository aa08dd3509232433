"""Captions and explanations of k nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.k_nearest.solver import Answer
from algorithms.contract import Explanation, Try
from algorithms.data import Array, Points
from algorithms.maths.nearest_points import Found
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.classification.k_nearest import Model, Shot


def _query(shot: Shot) -> str:
    """All at once: the answer for the query, wherever it is dragged."""
    answer = shot.shown.answer
    k = len(answer.points)
    who = "nearest point says" if k == 1 else f"{k} nearest points, up to the distance {number(answer.radius)}, say"
    return f"The {who}: {_outcome(answer, shot.given.data)}; drag the query."


def _neighbour(shot: Shot) -> str:
    """The ball has grown to the next neighbour."""
    answer, data = shot.shown.answer, shot.given.data
    point, distance, said = int(answer.points[-1]), number(answer.radius), _target(data, int(answer.points[-1]))
    return (
        f"Neighbour {len(answer.points)} is point {point + 1} at the distance {distance}, and says {said}: "
        f"{_votes(answer, data)}."
    )


def _votes(answer: Answer, data: Points) -> str:
    """How the vote stands."""
    if data.is_valued:
        return f"mean {number(answer.value)}"
    order = np.argsort(-answer.votes, kind="stable")
    names = [f"{number(answer.votes[c])} for {data.classes[c]}" for c in order if answer.votes[c] > 0.0]
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def _outcome(answer: Answer, data: Points) -> str:
    """What the neighbours decide."""
    if data.is_valued:
        return f"{number(answer.value)}, the {'' if answer.is_uniform else 'weighted '}mean of their values"
    total = answer.votes.sum()
    fraction = f"{answer.votes.max() / total:.0%}".replace("%", " %")
    name = data.classes[answer.winner]
    if answer.is_tied:
        return f"a tie ({_votes(answer, data)}), so the nearest of them decides for {name}"
    return f"{name} with {fraction} of the votes ({_votes(answer, data)})"


def _vote(shot: Shot) -> str:
    answer = shot.shown.answer
    return f"The vote of {counted(len(answer.points), 'neighbour')} is {_outcome(answer, shot.given.data)}."


def _errors(shot: Shot) -> str:
    """Where the error is smallest."""
    found, data = shot.shown.errors, shot.given.data
    if found is None:
        return "A single point cannot be left out, so there is no error to speak of."
    k = min(shot.model.k, len(found.left_out))
    what = "mean squared error" if data.is_valued else "fraction of wrong answers"
    of = "each point" if found.tested == data.n else f"each of {found.tested:,} points, evenly chosen,"
    here = f"with k = {k} the {what} is {number(found.training[k - 1])} on the points themselves"
    out = f"{number(found.left_out[k - 1])} when {of} is left out"
    best = f"the least is {number(found.left_out[found.best - 1])} at k = {found.best}"
    return f"Training and validation: {here} and {out}; {best}."


def _concentration(shot: Shot) -> str:
    """Whether near and far still differ."""
    return (
        f"With {counted(shot.given.data.d, 'feature')} the nearest point is {number(shot.shown.ratio)} times as far as "
        "the farthest; with ever more features this comes near 1, and nearest neighbours mean little."
    )


CAPTIONS = {
    "query": _query,
    "neighbour": _neighbour,
    "vote": _vote,
    "errors": _errors,
    "concentration": _concentration,
}


def warning(shot: Shot) -> str | None:
    """That there are fewer points than neighbours are asked for."""
    n = shot.given.data.n
    if shot.model.k <= n:
        return None
    if n == 1:
        return "There is only one point, so it answers alone."
    return f"There are only {n:,} points, so all of them are neighbours."


def _target(data: Points, point: int) -> str:
    assert data.y is not None
    return number(float(data.y[point])) if data.is_valued else data.classes[int(data.y[point])]


def explanation(model: Model, data: Points, found: Found, votes_for: Array, answer: float | int) -> Explanation:
    """Who the neighbours of a place are, and what they say."""
    distances, points = found.distances[0], found.points[0]
    said: Explanation = {}
    if data.is_valued:
        said["value"] = float(answer)
    else:
        said["class"] = data.classes[int(answer)]
        for c in np.argsort(-votes_for, kind="stable")[:4]:
            if votes_for[c] > 0.0:
                said[f"votes for {data.classes[int(c)]}"] = float(votes_for[c])
    said["distance to the last neighbour"] = float(distances[-1])
    for j, (distance, point) in enumerate(zip(distances[:6], points[:6]), start=1):
        said[f"neighbour {j}"] = f"point {point + 1} ({_target(data, int(point))}) at {number(float(distance))}"
    return said


FORMULAS = (
    r"N_k(x) = \text{the } k \text{ points with the smallest } d(x, x_i)",
    r"f(x) = \operatorname{argmax}_c \sum_{i \in N_k(x)} w_i \, [\, y_i = c \,], \qquad w_i = 1 \;\text{or}\; "
    r"\frac{1}{d(x, x_i)}",
    r"f(x) = \frac{\sum_{i \in N_k(x)} w_i \, y_i}{\sum_{i \in N_k(x)} w_i} \quad \text{for values}",
    r"d(x, z) = \|x - z\|_2, \quad \|x - z\|_1, \quad 1 - \frac{x^{\top} z}{\|x\| \, \|z\|}, \quad \sum_j [\, x_j \ne "
    r"z_j \,]",
)
TRIES = (
    Try(
        "One neighbour: every point has a cell of its own, and no training point is wrong; the errors say how it ends.",
        params={"k": 1},
    ),
    Try(
        "Many neighbours: the boundary becomes smooth, and then too simple; the curve of errors has its least between.",
        params={"k": 60},
    ),
    Try(
        "Values over one feature: the mean of the neighbours is a curve of steps.",
        "sine(n=60,noise=0.2,seed=1)",
        {"k": 6},
    ),
    Try(
        "The ball of the Manhattan distance is a diamond.",
        "moons(n=200,noise=0.25,seed=1)",
        {"metric": "manhattan", "k": 15},
    ),
    Try(
        "A picture between two digits: its nearest neighbours are seen as pictures.",
        "digits()",
        {"k": 8},
    ),
)
