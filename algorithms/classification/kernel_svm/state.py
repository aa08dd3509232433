"""What the snapshots of the support vector machine hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from algorithms.classification.kernel_svm.solver import Machine, Task
from algorithms.contract import FrozenDict, Snapshot, Stop
from algorithms.data import Array
from algorithms.maths.smo import KktStatus, Pair, Problem
from algorithms.maths.smo_rules import Step, inside_of

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model, Params, Shot

ALL = -1
"""In place of the number of a machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What stays the same during a run."""

    classes: tuple[str, ...]
    params: Params
    eigenvalue: float  # the smallest one of the Gram matrix where it is negative, else 0
    total: int  # two-class problems


class Doubts(NamedTuple):
    """What deserves doubt so far."""

    is_local: bool = False  # whether the dual curves upwards somewhere
    ends: tuple[tuple[Literal["limit", "rounding", "unbounded"], float, float], ...] = ()  # with violation and gap

    def noted(self, problem: Problem, given: Given) -> Doubts:
        """The same after a step."""
        if self.is_local or not problem.negative_curvature or given.eigenvalue or self.ends:
            return self
        return Doubts(True)

    def ended(self, why: Literal["limit", "rounding", "unbounded"], standing: KktStatus) -> Doubts:
        """The same at the end of a problem without a certificate."""
        return Doubts(self.is_local, (*self.ends, (why, standing.violation, standing.gap)))


NO_DOUBTS = Doubts()


class End(NamedTuple):
    """How the run ended."""

    stop: Stop
    violation: float  # the largest one of all problems
    held: int  # multipliers at C
    wrong: int  # points on the wrong side of their machine


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The step that led here, of one of the problems."""

    slot: int  # which machine it trains, or ALL
    number: int  # of the problem
    inside: Array  # (n,) int16, about how far inside the margin each of its points is
    step: int
    every: int  # of how many pairs one has a frame
    pair: Pair | None
    gap: float  # of this problem
    free: int  # multipliers that moved at once
    doubts: Doubts
    end: End | None = None

    @property
    def first(self) -> int:
        """The first multiplier of the pair, or -1."""
        return -1 if self.pair is None else self.pair.i


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """The turn of one of the two-class problems; the others wait or are done, and count as they stand."""

    given: Given
    task: Task
    problem: Problem
    number: int
    slot: int  # which machine it makes
    before: Model  # all machines when its turn began
    other_dual: float
    other_gap: float
    other_support: Array  # (n,) bool, the support vectors of the other machines

    @classmethod
    def of(cls, given: Given, task: Task, model: Model, number: int, standings: tuple[KktStatus, ...]) -> Turn:
        """The turn of a problem, beside the machines of a model and the standings of all problems."""
        slot, machines, support = task.trained[number], model.machines, np.zeros(len(model.X), dtype=bool)
        for k in task.trained[:number] + task.trained[number + 1 :]:
            support[machines[k].members[machines[k].alpha > 0.0]] = True
        others = standings[:number] + standings[number + 1 :]
        dual, gap = sum(s.dual for s in others), sum(s.gap for s in others)
        return cls(given, task, task.problems[number], number, slot, model, dual, gap, support)

    def shot(self, phase: str, step: Step, doubts: Doubts, free: int = 0) -> Shot:
        """The snapshot after a step; objectives are sums over all problems."""
        standing, support = step.standing, step.support
        if len(self.task.problems) > 1:
            others = self.other_support.copy()
            others[self.problem.members[step.alpha > 0.0]] = True
            support = int(np.count_nonzero(others))
        old = self.before.machines[self.slot]
        machine = Machine(step.alpha, standing.bias, old.members, old.signs, old.positive, old.negative)
        dual, gap = standing.dual + self.other_dual, standing.gap + self.other_gap
        numbers = FrozenDict(
            dual=dual, primal=dual + gap, gap=gap, violation=standing.violation, support_vectors=float(support)
        )
        shown = Shown(
            self.slot, self.number, step.inside, step.number, step.every, step.pair, standing.gap, free, doubts
        )
        return Snapshot(self.given, phase, self.before.with_machine(self.slot, machine), numbers, shown)

    def now(
        self, phase: str, standing: KktStatus, doubts: Doubts, pair: Pair | None = None, step: int = 0, free: int = 0
    ) -> Shot:
        """The snapshot of the problem as it stands."""
        problem = self.problem
        made = Step(step, 1, pair, standing, problem.alpha.copy(), problem.support, inside_of(standing.margins))
        return self.shot(phase, made, doubts, free)
