"""What the frames of one run of the support vector machine have in common: problems, machines, captions, frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification import _svm_marks as pictures
from algorithms.classification._smo import Pair, Problem, feasible
from algorithms.classification._svm_model import REST, Machine, Model, machine_name
from algorithms.contract import DataError, FrozenDict, LazyViews, Snapshot, Stop
from algorithms.data import Array, Points
from algorithms.maths.kernels import (
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Sigmoid,
    Sum,
    refuse_overflow,
    smallest_eigenvalue,
)

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Params

_MOST_EIGENVALUES = 500


class Stage:
    """What the frames of one run have in common, and the problem that is being solved now."""

    def __init__(self, data: Points, params: Params, start: Model | None) -> None:
        self.data, self.params = data, params
        self.y = _checked_classes(data)
        self.kernel = make_kernel(params)
        refuse_overflow(self.kernel, data.X)
        self.warning = _semidefinite_warning(self.kernel, data.X)
        self.machines = _blank_machines(data, self.y, params.multiclass)
        self.trained = [k for k, machine in enumerate(self.machines) if len(np.unique(machine.signs)) == 2]
        start = start if start is not None and self._fits(start) else None
        if start is not None:
            self._warm_start(start)
        self.problems: list[Problem] = []
        for k in self.trained:
            self.problems.append(self._problem(self.machines[k]))
        if start is not None and self._unchanged(start):
            for k, problem in zip(self.trained, self.problems, strict=True):
                problem.bias = start.machines[k].bias
        self.standings = [problem.standing() for problem in self.problems]
        for k, standing in zip(self.trained, self.standings, strict=True):
            self.machines[k] = replace(self.machines[k], bias=standing.bias)
        self.two_classes = len(data.classes) == 2
        self.turn_to(0)

    def _problem(self, machine: Machine) -> Problem:
        params, other = self.params, self.problems[0] if self.problems else None
        problem = Problem(self.data.X, machine.members, machine.signs, self.kernel, params.C, params.slack, other)
        if machine.alpha.any():
            problem.restart(machine.alpha.copy())
        return problem

    def _fits(self, start: Model) -> bool:
        """Whether the model has the same machines over the same number of points; another one is not looked at."""
        return [len(machine.alpha) for machine in start.machines] == [len(machine.alpha) for machine in self.machines]

    def _unchanged(self, start: Model) -> bool:
        """Whether the model is of this very problem, so that its offset is still right."""
        here = (self.kernel, self.params.C, self.params.slack)
        same = (start.kernel, start.C, start.slack) == here and np.array_equal(start.y, self.y)
        return same and np.array_equal(start.X, self.data.X)

    def _warm_start(self, start: Model) -> None:
        """Take over the multipliers, clipped to the box and balanced."""
        limit = np.inf if self.params.slack == "squared" else self.params.C
        for k in self.trained:
            machine = self.machines[k]
            alpha = feasible(start.machines[k].alpha, machine.signs, limit)
            self.machines[k] = replace(machine, alpha=alpha)

    def turn_to(self, number: int) -> None:
        """Make this problem the current one."""
        self.number, self.problem, self.standing = number, self.problems[number], self.standings[number]
        others = [s for k, s in enumerate(self.standings) if k != number]
        self._other_dual, self._other_gap = sum(s.dual for s in others), sum(s.gap for s in others)
        self._other_support = np.zeros(self.data.n, dtype=bool)
        for k in self.trained[:number] + self.trained[number + 1 :]:
            self._other_support[self.machines[k].members[self.machines[k].alpha > 0.0]] = True

    def measure(self) -> None:
        """Note how far the current problem has come."""
        self.standing = self.standings[self.number] = self.problem.standing()

    def certified(self) -> bool:
        """Whether the optimum is certified, also when the residuals are calculated afresh."""
        if not self.standing.certified(self.params.tol):
            return False
        self.problem.refresh()
        self.measure()
        return self.standing.certified(self.params.tol)

    def add_warning(self, sentence: str) -> None:
        """Warn in all frames from here on."""
        self.warning = f"{self.warning} {sentence}".strip()

    @property
    def where(self) -> str:
        """The current problem in words."""
        name = machine_name(self.machines[self.trained[self.number]], self.data.classes)
        return f"problem {self.number + 1} of {len(self.problems)}, {name}"

    @property
    def certificate(self) -> str:
        """The two numbers that certify the optimum."""
        return f"KKT violation {self.standing.violation:.2g}, gap {self.standing.gap:.3g}"

    def opening(self) -> str:
        """The caption of the first frame."""
        if any(problem.alpha.any() for problem in self.problems):
            return f"It goes on from {np.count_nonzero(self._model().alpha)} support vectors: {self.certificate}."
        several = "" if len(self.problems) == 1 else f" This is {self.where}."
        return f"All α are 0, so f is 0 everywhere and every point pays a slack of 1.{several}"

    def pair_words(self, step: int, pair: Pair) -> str:
        """The caption of a pair."""
        i, j = int(self.problem.members[pair.i]) + 1, int(self.problem.members[pair.j]) + 1
        clipped = " (clipped by the box)" if pair.moved != pair.wanted else ""
        several = "" if self.two_classes else f" in {self.where}"
        return (
            f"Pair {step}: α of point {i} goes {pair.old[0]:.3g} → {pair.new[0]:.3g}, of point {j} "
            f"{pair.old[1]:.3g} → {pair.new[1]:.3g}{clipped}; {self.certificate}{several}."
        )

    def face_words(self, step: int, free: int) -> str:
        """The caption of a Newton step."""
        return (
            f"Step {step}: the pairs crawl, so all {free} multipliers with 0 < α < C move at once; {self.certificate}."
        )

    def idle_words(self, passes: int) -> str:
        """The caption where the documents would stop."""
        count = "One pass" if passes == 1 else f"{passes} passes"
        return (
            f"{count} without a change: the handbook's rule would stop here, but that is no certificate "
            f"({self.certificate}). The most violating pairs take over."
        )

    def frame(self, phase: str, caption: str, pair: Pair | None = None) -> Snapshot:
        """The current state as a frame."""
        problem, standing = self.problem, self.standing
        if problem.negative_curvature and not self.warning:
            self.warning = "The kernel is not positive semi-definite on these points: this may be only a local optimum."
        slot = self.trained[self.number]
        self.machines[slot] = self._machine(slot)
        model = self._model()
        with np.errstate(over="ignore"):  # a margin of more than 65,504 is large enough
            nearly = standing.margins.astype(np.float16)  # 10,000 frames of 2,000 points are to fit into the memory
        views = LazyViews(pictures.views, model, slot, nearly, pair)
        return self._snapshot(model, views, phase, caption, standing.violation, self._support_count())

    def _snapshot(
        self, model: Model, views: LazyViews, phase: str, caption: str, violation: float, support: int
    ) -> Snapshot:
        dual, gap = self.standing.dual + self._other_dual, self.standing.gap + self._other_gap
        metrics = FrozenDict(dual=dual, primal=dual + gap, gap=gap, violation=violation, support_vectors=float(support))
        return Snapshot(model, views, metrics, phase, caption, self.warning)

    def _machine(self, slot: int) -> Machine:
        blank = self.machines[slot]
        alpha, bias = self.problem.alpha.copy(), self.standing.bias
        return Machine(alpha, bias, blank.members, blank.signs, blank.positive, blank.negative)

    def _support_count(self) -> int:
        """How many points have α > 0 in any machine."""
        if len(self.problems) == 1:
            return self.problem.support
        support = self._other_support.copy()
        support[self.problem.members[self.problem.alpha > 0.0]] = True
        return int(np.count_nonzero(support))

    def _model(self) -> Model:
        params = self.params
        return Model(
            self.data.X,
            self.y,
            tuple(self.machines),
            self.kernel,
            params.C,
            params.slack,
            params.multiclass,
            len(self.data.classes),
        )

    def done(self, stop: Stop) -> Snapshot:
        """The last frame: the certificate of all problems, with the support vectors of all machines."""
        violation = max(standing.violation for standing in self.standings)
        if len(self.problems) == 1:
            return self.frame("done", self._verdict(stop, violation))
        self.machines[self.trained[self.number]] = self._machine(self.trained[self.number])
        model = self._model()
        words, views = self._verdict(stop, violation), LazyViews(pictures.verdict, model)
        return self._snapshot(model, views, "done", words, violation, int(np.count_nonzero(model.alpha)))

    def _verdict(self, stop: Stop, violation: float) -> str:
        """The caption of the last frame."""
        gap, primal = sum(s.gap for s in self.standings), sum(s.primal for s in self.standings)
        alpha = np.concatenate([problem.alpha for problem in self.problems])
        held = int(np.count_nonzero(alpha >= self.problem.limit))
        share = gap / primal if primal > 0.0 else 0.0
        words = {
            Stop.CONVERGED: "The optimum is certified",
            Stop.LIMIT: "The run ends without a certificate",
            Stop.DIVERGED: "The multipliers grow without end",
        }[stop]
        return (
            f"{words}: KKT violation {violation:.2g}, duality gap {gap:.3g} ({share:.2%} of the primal value); "
            f"{np.count_nonzero(self._model().alpha)} support vectors, {held} of the multipliers held at C."
        )


def make_kernel(params: Params) -> Kernel:
    """The kernel that the parameters describe."""
    makers: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "polynomial": lambda: Polynomial(params.degree, params.offset),
        "rbf": lambda: Gaussian(params.sigma),
        "laplacian": lambda: Laplacian(params.sigma),
        "linear + rbf": lambda: Sum(Linear(), Gaussian(params.sigma)),
        "polynomial × rbf": lambda: Product(Polynomial(params.degree, params.offset), Gaussian(params.sigma)),
        "sigmoid": lambda: Sigmoid(params.slope, params.shift),
    }
    return makers[params.kernel]()


def _checked_classes(data: Points) -> Array:
    """The class numbers, of which there must be two different ones at least."""
    y = data.class_numbers("The support vector machine")
    present = np.unique(y)
    if len(present) < 2:
        name = data.classes[int(present[0])]
        raise DataError(f"A boundary needs points of at least two classes; all of these are of the class {name!r}.")
    return y


def _blank_machines(data: Points, y: Array, multiclass: str) -> list[Machine]:
    """The machines with α = 0. A class without points gets f = -1 (one-versus-rest) or no machine (one-versus-one)."""
    count = len(data.classes)
    everyone = np.arange(data.n)
    if count == 2:
        return [Machine(np.zeros(data.n), 0.0, everyone, np.where(y == 1, 1.0, -1.0), 1, 0)]
    present = np.bincount(y, minlength=count) > 0
    if multiclass == "one-versus-rest":
        signs = [np.where(y == k, 1.0, -1.0) for k in range(count)]
        biases = [0.0 if has else -1.0 for has in present.tolist()]
        return [Machine(np.zeros(data.n), biases[k], everyone, signs[k], k, REST) for k in range(count)]
    machines = []
    for first in np.flatnonzero(present).tolist():
        for second in np.flatnonzero(present[first + 1 :]).tolist():
            rival = first + 1 + second
            members = np.flatnonzero((y == first) | (y == rival))
            signs_here = np.where(y[members] == first, 1.0, -1.0)
            machines.append(Machine(np.zeros(len(members)), 0.0, members, signs_here, first, rival))
    return machines


def _semidefinite_warning(kernel: Kernel, X: Array) -> str:
    """A sentence when the Gram matrix has a negative eigenvalue; a part of the points is enough to prove it."""
    if kernel.semidefinite:
        return ""
    smallest = smallest_eigenvalue(kernel, X[:_MOST_EIGENVALUES])
    if smallest >= -1e-9 * min(len(X), _MOST_EIGENVALUES):
        return ""
    return (
        f"The kernel is not positive semi-definite on these points (smallest eigenvalue {smallest:.3g}): "
        "the dual is not concave, so the end may be only a local optimum."
    )
