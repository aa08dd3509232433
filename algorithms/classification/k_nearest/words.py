"""Captions and explanations of k nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.k_nearest.solver import Answer
from algorithms.contract import Explanation, Try
from algorithms.data import Array, Points
from algorithms.marks import Images, Polygons
from algorithms.maths.nearest_points import Found
from algorithms.maths.words import counted, number, of_class, share

if TYPE_CHECKING:
    from algorithms.classification.k_nearest import Model, Shot
    from algorithms.played import Played


def _query(shot: Shot) -> str:
    """All at once: the answer for the query, wherever it is dragged."""
    answer = shot.shown.answer
    k = len(answer.points)
    who = "nearest point says" if k == 1 else f"{k} nearest points, up to the distance {number(answer.radius)}, say"
    return f"The {who}: {_outcome(answer, shot.given.data)}; drag the query."


def _neighbour(shot: Shot) -> str:
    """The ball has grown to the next neighbour."""
    answer, data = shot.shown.answer, shot.given.data
    point = int(answer.points[-1])
    said = f"with the value {_target(data, point)}" if data.is_valued else f"of {of_class(_target(data, point))}"
    which = f"Neighbour {len(answer.points)} is point {point + 1} {said} at the distance {number(answer.radius)}"
    return f"{which}; {'the' if data.is_valued else 'votes:'} {_votes(answer, data)}."


def _votes(answer: Answer, data: Points) -> str:
    """How the vote stands."""
    if data.is_valued:
        return f"mean is {number(answer.value)}"
    order = np.argsort(-answer.votes, kind="stable")
    names = [f"{number(answer.votes[c])} for {data.classes[c]}" for c in order if answer.votes[c] > 0.0]
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def _outcome(answer: Answer, data: Points) -> str:
    """What the neighbours decide."""
    if data.is_valued:
        return f"{number(answer.value)}, the {'' if answer.is_uniform else 'weighted '}mean of their values"
    total = answer.votes.sum()
    name, fraction = data.classes[answer.winner], share(answer.votes.max() / total)
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
        return "A single point cannot be left out, so no error can be estimated."
    k = min(shot.model.k, len(found.left_out))
    what = "mean squared error" if data.is_valued else "misclassified fraction"
    of = "each point" if found.tested == data.n else f"each of {found.tested:,} points, evenly chosen,"
    here = f"With k = {k} the {what} is {number(found.training[k - 1])} when each point is its own neighbour"
    out = f"{number(found.left_out[k - 1])} when {of} is left out"
    best = f"left out, the least is {number(found.left_out[found.best - 1])} at k = {found.best}"
    return f"{here}, and {out}; {best}."


def _concentration(shot: Shot) -> str:
    """Whether near and far still differ."""
    if shot.shown.ratio == 1.0:
        return "All points are equally far from the query: there is no nearest one."
    return (
        f"With {counted(shot.given.data.d, 'feature')} the distance of the nearest point is "
        f"{number(shot.shown.ratio)} times that of the farthest; with more features this fraction approaches 1, and a "
        "nearest point is hardly nearer than any other."
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
    """The neighbours of a place and their votes."""
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


def _pictures(played: Played) -> Images:
    return next(mark for mark in played.last.views["pictures"] if isinstance(mark, Images))


def _is_a_diamond(played: Played) -> bool:
    """Whether the ball has four corners, each at the distance of the last neighbour."""
    ball = next(mark for mark in played.last.views["plane"] if isinstance(mark, Polygons))
    answer = played.last.shown.answer
    reach = np.abs(ball.corners[0] - answer.query).sum(axis=1)
    return len(reach) == 4 and np.allclose(reach, answer.radius)


TRIES = (
    Try(
        "One neighbour: every point has a cell of its own and no training point is misclassified, but 9 % are when "
        "they are left out.",
        params={"k": 1},
        shows=lambda played: (
            played.last.shown.errors.training[0] == 0.0 and round(played.last.shown.errors.left_out[0], 3) == 0.09
        ),
    ),
    Try(
        "Many neighbours: the boundary becomes smooth, and then too simple; the curve of errors has its least between.",
        params={"k": 60},
        shows=lambda played: (
            1 < played.last.shown.errors.best < 60
            and played.last.shown.errors.left_out.min() < 0.7 * played.last.shown.errors.left_out[[0, 59]].min()
        ),
    ),
    Try(
        "Values over one feature: the mean of the 6 neighbours of 60 points is a curve of 55 steps.",
        "sine(n=60,noise=0.2,seed=1)",
        {"k": 6},
        shows=lambda played: len(np.unique(played.predicted(np.linspace(-1.0, 2.0, 20_000)[:, None]).round(9))) == 55,
    ),
    Try(
        "The ball of the Manhattan distance is a diamond.",
        "moons(n=200,noise=0.25,seed=1)",
        {"metric": "manhattan", "k": 15},
        shows=_is_a_diamond,
    ),
    Try(
        "A picture halfway between a 0 and a 9: its eight nearest neighbours are seen as pictures, of both digits.",
        "digits()",
        {"k": 8},
        shows=lambda played: (
            len(_pictures(played).pixels) == 9 and set(played.last.shown.answer.labels.tolist()) == {0, 9}
        ),
    ),
)
