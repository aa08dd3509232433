"""The pictures of the support vector machine: whiskers, rings, bars and the box of a pair.

A frame is made for every pair, so nothing here costs more than a few operations on short arrays.
"""

from __future__ import annotations

import numpy as np

from algorithms.classification._smo import Pair, Problem, Standing
from algorithms.dataset import Array
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, Regions, Segments
from algorithms.maths.kernels import Linear

MOST_BARS = 60
MOST_WHISKERS = 300
_REACH_LINEAR = 1.0  # of the diagonal of the data: a margin line further off is out of sight anyway
_REACH_CURVED = 0.15  # a Newton step is only a direction beyond this
_SIGNED = (Regions("signed"), Isolines(strong=(0.0,), weak=(-1.0, 1.0)))
_SQUARE_X, _SQUARE_Y = np.array([[0.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]])
_CLASSES = (Regions("classes"), Isolines(strong=(0.0,)))


def surface(two_classes: bool) -> tuple[Mark, ...]:
    """The shaded plane with its lines."""
    return _SIGNED if two_classes else _CLASSES


def diagonal_of(X: Array) -> float:
    """The length of the diagonal of the box around the data: what "long" means in this picture."""
    return float(np.sqrt(np.square(np.ptp(X, axis=0)).sum()))


def whiskers(problem: Problem, standing: Standing, diagonal: float) -> tuple[Segments, ...]:
    """From each point inside its margin to its margin line.

    For the linear kernel the end is the foot of the perpendicular. For the others it is one Newton step along the
    gradient of f, and no longer than a readable bound. Only the ``MOST_WHISKERS`` largest slacks are drawn; there are
    none in more than three dimensions, where the plane shows a slice and the margin is elsewhere.
    """
    if not problem.drawable or diagonal == 0.0:
        return ()
    inside = (standing.margins > 1e-9).nonzero()[0]
    slack = standing.margins.take(inside)
    if len(inside) > MOST_WHISKERS:
        longest = np.argpartition(slack, -MOST_WHISKERS)[-MOST_WHISKERS:]
        longest.sort()
        inside, slack = inside.take(longest), slack.take(longest)
    start, gradient = problem.places(inside)  # (d, m) each
    steepness = np.add.reduce(gradient * gradient)
    reach = diagonal * (_REACH_LINEAR if isinstance(problem.kernel, Linear) else _REACH_CURVED)
    known = steepness > (1e-9 / reach * slack) ** 2  # on a plateau there is no direction to the margin
    if not known.all():
        start, gradient, steepness = start[:, known], gradient[:, known], steepness[known]
        inside, slack = inside[known], slack[known]
    if not len(inside):
        return ()
    factor = np.minimum(slack / steepness, reach / np.sqrt(steepness))
    factor *= problem.y.take(inside)
    end = gradient * factor
    end += start
    return (Segments(start.T, end.T, "slack", problem.members.take(inside)),)


def rings(members: Array, alpha: Array, limit: float) -> tuple[Highlight, Highlight]:
    """Support vectors on the margin (0 < α < C), and those held at C; both arrays are of the support vectors only."""
    held = alpha >= limit
    return Highlight(members[~held], "free", "0 < α < C"), Highlight(members[held], "bound", "α = C")


def bars(members: Array, alpha: Array, classes: Array, limit: float) -> Bars:
    """The multipliers of the support vectors, at most the largest ``MOST_BARS``, in the order of the points."""
    if len(members) > MOST_BARS:
        largest = (-alpha).argsort(kind="stable")[:MOST_BARS]
        largest.sort()
        members, alpha = members.take(largest), alpha.take(largest)
    groups = classes.take(members)
    if limit == np.inf:
        return Bars(alpha, points=members, groups=groups)
    return Bars(alpha, points=members, groups=groups, limit=limit, limit_name="C")


def box(problem: Problem, pair: Pair) -> tuple[Curve, ...]:
    """The two multipliers in their box: the feasible segment, where they were, what they wanted, where they went.

    With squared slack the box has no lid. An optimum far outside is drawn at the edge of the picture.
    """
    lid = problem.limit < np.inf
    side = problem.limit if lid else 1.5 * max(*pair.new, *pair.old, 1e-12)
    low, high = max(pair.lowest, -2.0 * side), min(pair.highest, 2.0 * side)
    wanted = min(max(pair.wanted, low - 0.3 * side), high + 0.3 * side)
    path = np.array([low, high, 0.0, pair.moved, wanted])
    x = pair.old[0] + float(problem.y[pair.i]) * path
    y = pair.old[1] - float(problem.y[pair.j]) * path
    return (
        Curve(side * _SQUARE_X, side * _SQUARE_Y, "0 ≤ α ≤ C" if lid else "α ≥ 0"),
        Curve(x[:2], y[:2], "Σ α y stays 0"),
        Curve(x[2:4], y[2:4], "before and after", dots=True),
        Curve(x[4:], y[4:], "optimum without the box", dots=True),
    )
