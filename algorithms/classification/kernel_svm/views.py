"""The pictures of the support vector machine: whiskers, rings, bars and the box of a pair.

They are drawn when a frame is looked at, from its model and the margins that the run has measured anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.kernel_svm import words
from algorithms.classification.kernel_svm.solver import Machine, Task
from algorithms.contract import DrawnSnapshot, FrozenDict, LazyCaption, LazyViews, Views
from algorithms.data import Array
from algorithms.marks import Bars, Curve, Highlight, Isolines, Mark, Regions, Segments
from algorithms.maths.kernels import Linear
from algorithms.maths.smo import Pair, Problem, Standing
from algorithms.maths.smo_rules import Step, inside_of

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model

MOST_BARS = 60
MOST_WHISKERS = 300
_MOST_SLOPES = 300_000  # whiskers times support vectors: what can be calculated within a frame
_DRAWN_DIMENSIONS = 3
_REACH_LINEAR = 1.0  # of the diagonal of the data: a margin line further off is out of sight anyway
_REACH_CURVED = 0.15  # a Newton step is only a direction beyond this
_SIGNED = (Regions("signed"), Isolines(strong=(0.0,), weak=(-1.0, 1.0)))
_SQUARE_X, _SQUARE_Y = np.array([[0.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]])
_CLASSES = (Regions("classes"), Isolines(strong=(0.0,)))


def views(model: Model, slot: int, depths: Array, pair: Pair | None) -> Views:
    """Every panel while the machine in this slot is trained; ``depths`` say how far its points are inside."""
    machine, limit = model.machines[slot], model.limit
    support = machine.alpha.nonzero()[0]
    members, alpha = machine.members.take(support), machine.alpha.take(support)
    plane = (*_surface(model.classes == 2), *_whiskers(model, machine, depths), *_rings(members, alpha, limit))
    if pair is not None:
        plane += (Highlight(machine.members.take((pair.i, pair.j)), "chosen", "the pair"),)
    return {
        "plane": plane,
        "alphas": (_bars(members, alpha, model.y, limit),),
        "box": () if pair is None else _box(pair, machine.signs, limit),
    }


def final_views(model: Model) -> Views:
    """Every panel at the end of several machines: the support vectors of all."""
    largest = model.alpha
    members = largest.nonzero()[0]
    alpha = largest[members]
    return {
        "plane": (*_surface(model.classes == 2), *_rings(members, alpha, model.limit)),
        "alphas": (_bars(members, alpha, model.y, model.limit),),
        "box": (),
    }


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


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """One of the two-class problems has its turn; the others wait or are done, and count as they stand."""

    task: Task
    problem: Problem
    slot: int  # which machine it makes
    place: str  # which problem it is, in words; empty where there are two classes only
    before: Model  # all machines when its turn began
    other_dual: float
    other_gap: float
    other_support: Array  # (n,) bool, the support vectors of the other machines

    @classmethod
    def of(
        cls, task: Task, model: Model, classes: tuple[str, ...], number: int, standings: tuple[Standing, ...]
    ) -> Turn:
        """The turn of a problem, beside the machines of a model and the standings of all problems."""
        slot, machines, support = task.trained[number], model.machines, np.zeros(len(model.X), dtype=bool)
        for k in task.trained[:number] + task.trained[number + 1 :]:
            support[machines[k].members[machines[k].alpha > 0.0]] = True
        others = standings[:number] + standings[number + 1 :]
        dual, gap = sum(s.dual for s in others), sum(s.gap for s in others)
        place = words.where(machines[slot], classes, number, len(standings)) if len(classes) > 2 else ""
        return cls(task, task.problems[number], slot, place, model, dual, gap, support)

    def model(self, alpha: Array, bias: float) -> Model:
        """All machines, with these multipliers for the one that is trained."""
        old = self.before.machines[self.slot]
        machine = Machine(alpha, bias, old.members, old.signs, old.positive, old.negative)
        return self.before.with_machine(self.slot, machine)

    def model_now(self, standing: Standing) -> Model:
        """All machines, as the problem stands."""
        return self.model(self.problem.alpha.copy(), standing.bias)

    def frame(self, step: Step, phase: str, caption: str, warning: str) -> DrawnSnapshot:
        """What there is to be seen after a step."""
        standing, support = step.standing, step.support
        if len(self.task.problems) > 1:
            others = self.other_support.copy()
            others[self.problem.members[step.alpha > 0.0]] = True
            support = int(np.count_nonzero(others))
        model = self.model(step.alpha, standing.bias)
        drawn = LazyViews(views, model, self.slot, step.inside, step.pair)
        return DrawnSnapshot(model, drawn, self.metrics(standing, standing.violation, support), phase, caption, warning)

    def frame_now(
        self, standing: Standing, phase: str, caption: str, warning: str, pair: Pair | None = None
    ) -> DrawnSnapshot:
        """The frame of the problem as it stands."""
        problem = self.problem
        step = Step(0, 1, pair, standing, problem.alpha.copy(), problem.support, inside_of(standing.margins))
        return self.frame(step, phase, caption, warning)

    def of_pair(self, step: int, pair: Pair | None, standing: Standing, every: int = 1) -> str:
        """The caption of a pair; one in ``every`` has a frame."""
        members = self.problem.members
        return LazyCaption.of(words.pair, step, every, pair, members, standing.violation, standing.gap, self.place)

    def metrics(self, standing: Standing, violation: float, support: int) -> FrozenDict:
        """The numbers of a frame; objectives are sums over all problems."""
        dual, gap = standing.dual + self.other_dual, standing.gap + self.other_gap
        return FrozenDict(dual=dual, primal=dual + gap, gap=gap, violation=violation, support_vectors=float(support))
