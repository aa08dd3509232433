"""The pictures of the support vector machine: whiskers, rings, bars and the box of a pair.

They are drawn when a frame is looked at, from its model and the margins that the run has measured anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.kernel_svm.state import ALL
from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, Regions, Segments
from algorithms.maths.kernels import Linear
from algorithms.maths.smo import Pair

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model, Shot
    from algorithms.classification.kernel_svm.solver import Machine

MOST_BARS = 60
MOST_WHISKERS = 300
_MOST_SLOPES = 300_000  # whiskers times support vectors: what can be calculated within a frame
_DRAWN_DIMENSIONS = 3
_REACH_LINEAR = 1.0  # of the diagonal of the data: a margin line further off is out of sight anyway
_REACH_CURVED = 0.15  # a Newton step is only a direction beyond this
_SIGNED = (Regions("signed"), Isolines(strong=(0.0,), weak=(-1.0, 1.0)))
_SQUARE_X, _SQUARE_Y = np.array([[0.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]])
_CLASSES = (Regions("classes"), Isolines(strong=(0.0,)))


def views(shot: Shot) -> Views:
    """Every panel: of the machine that is trained, or the support vectors of all of them."""
    model, shown, limit = shot.model, shot.shown, shot.model.limit
    plane, box = _surface(model.classes == 2), tuple[Mark, ...]()
    if shown.slot == ALL:
        largest = model.alpha
        members = largest.nonzero()[0]
        alpha = largest[members]
    else:
        machine = model.machines[shown.slot]
        support = machine.alpha.nonzero()[0]
        members, alpha = machine.members.take(support), machine.alpha.take(support)
        plane += _whiskers(model, machine, shown.inside)
    plane += _rings(members, alpha, limit)
    if shown.slot != ALL and shown.pair is not None:
        plane += (Highlight(machine.members.take((shown.pair.i, shown.pair.j)), "chosen", "the pair"),)
        box = _box(shown.pair, machine.signs, limit)
    return {"plane": plane, "alphas": (_bars(members, alpha, model.y, limit),), "box": box}


def _surface(two_classes: bool) -> tuple[Mark, ...]:
    """The shaded plane with its lines."""
    return _SIGNED if two_classes else _CLASSES


def _whiskers(model: Model, machine: Machine, depths: Array) -> tuple[Segments, ...]:
    """From each point inside its margin to its margin line; ``depths`` only say which these are.

    For the linear kernel the end is the foot of the perpendicular. For the others it is one Newton step along the
    gradient of f, and no longer than a readable bound. Only the largest slacks are drawn, ``MOST_WHISKERS`` at most;
    there are none in more than three dimensions, where the plane shows a slice and the margin is elsewhere.
    """
    diagonal = float(np.sqrt(np.square(np.ptp(model.X, axis=0)).sum()))
    if model.X.shape[1] > _DRAWN_DIMENSIONS or diagonal == 0.0:
        return ()
    inside = (depths > 0).nonzero()[0]
    most = min(MOST_WHISKERS, _MOST_SLOPES // (1 + int(np.count_nonzero(machine.alpha))) + 1)
    if len(inside) > most:
        inside = np.sort(inside[np.argpartition(depths.take(inside), -most)[-most:]])
    start = model.X[machine.members.take(inside)]
    slack = np.maximum(1.0 - machine.signs.take(inside) * model.values_of(machine, start), 0.0)
    gradient = model.slope_of(machine, start)
    steepness = np.square(gradient).sum(axis=1)
    reach = diagonal * (_REACH_LINEAR if isinstance(model.kernel, Linear) else _REACH_CURVED)
    # on a plateau there is no direction to the margin
    known = (slack > 1e-9) & (steepness > (1e-9 / reach * slack) ** 2)
    if not known.any():
        return ()
    inside, slack, start, gradient, steepness = (part[known] for part in (inside, slack, start, gradient, steepness))
    factor = np.minimum(slack / steepness, reach / np.sqrt(steepness)) * machine.signs.take(inside)
    return (Segments(start, start + factor[:, None] * gradient, "slack", machine.members.take(inside)),)


def _rings(members: Array, alpha: Array, limit: float) -> tuple[Highlight, Highlight]:
    """Support vectors on the margin (0 < α < C), and those held at C; both arrays are of the support vectors only."""
    held = alpha >= limit
    return Highlight(members[~held], "free", "0 < α < C"), Highlight(members[held], "bound", "α = C")


def _bars(members: Array, alpha: Array, classes: Array, limit: float) -> Bars:
    """The multipliers of the support vectors, at most the largest ``MOST_BARS``, in the order of the points."""
    if len(members) > MOST_BARS:
        largest = (-alpha).argsort(kind="stable")[:MOST_BARS]
        largest.sort()
        members, alpha = members.take(largest), alpha.take(largest)
    groups = classes.take(members)
    if limit == np.inf:
        return Bars(alpha, points=members, groups=groups)
    return Bars(alpha, points=members, groups=groups, limit=limit, limit_name="C")


def _box(pair: Pair, signs: Array, limit: float) -> tuple[Curve, ...]:
    """The two multipliers in their box: the feasible segment, where they were, what they wanted, where they went.

    With squared slack the box has no lid. An optimum far outside is drawn at the edge of the picture.
    """
    lid = limit < np.inf
    side = limit if lid else 1.5 * max(*pair.new, *pair.old, 1e-12)
    low, high = max(pair.lowest, -2.0 * side), min(pair.highest, 2.0 * side)
    wanted = min(max(pair.wanted, low - 0.3 * side), high + 0.3 * side)
    path = np.array([low, high, 0.0, pair.moved, wanted])
    x = pair.old[0] + float(signs[pair.i]) * path
    y = pair.old[1] - float(signs[pair.j]) * path
    return (
        Curve(side * _SQUARE_X, side * _SQUARE_Y, "0 ≤ α ≤ C" if lid else "α ≥ 0"),
        Curve(x[:2], y[:2], "Σ α y stays 0"),
        Curve(x[2:4], y[2:4], "before and after", dots=True),
        Curve(x[4:], y[4:], "optimum without the box", dots=True),
    )
