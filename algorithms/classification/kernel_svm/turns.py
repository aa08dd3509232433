"""The frames of a support vector machine while one of its two-class problems is solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.kernel_svm import words
from algorithms.classification.kernel_svm.solver import Machine, Task
from algorithms.classification.kernel_svm.views import views
from algorithms.contract import FrozenDict, LazyCaption, LazyViews, Snapshot
from algorithms.data import Array
from algorithms.maths.smo import Pair, Problem, Standing
from algorithms.maths.smo_rules import Step, inside_of

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model


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

    def frame(self, step: Step, phase: str, caption: str, warning: str) -> Snapshot:
        """What there is to be seen after a step."""
        standing, support = step.standing, step.support
        if len(self.task.problems) > 1:
            others = self.other_support.copy()
            others[self.problem.members[step.alpha > 0.0]] = True
            support = int(np.count_nonzero(others))
        model = self.model(step.alpha, standing.bias)
        drawn = LazyViews(views, model, self.slot, step.inside, step.pair)
        return Snapshot(model, drawn, self.metrics(standing, standing.violation, support), phase, caption, warning)

    def frame_now(
        self, standing: Standing, phase: str, caption: str, warning: str, pair: Pair | None = None
    ) -> Snapshot:
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
