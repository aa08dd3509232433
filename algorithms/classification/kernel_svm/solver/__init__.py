"""The two-class problems of a support vector machine, and the machines that they make.

How a problem is solved, pair by pair, is in :mod:`algorithms.maths.smo`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from algorithms.classification.kernel_svm.solver.smo_batch import solve_many
from algorithms.data import Array, Points
from algorithms.maths.kernels import Kernel, named_kernel, refuse_overflow, smallest_eigenvalue
from algorithms.maths.smo import KktStatus, Problem, feasible

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Model, Params

REST = -1
_MOST_EIGENVALUES = 500
MOST_TOGETHER, JOBS_AT_ONCE = 2_000, 100
"""Points whose kernel is taken as a whole, and jobs that make their pairs together."""
PAIRS_TOGETHER = 2_000
"""Pairs after which a problem that converges slowly is left to a run of its own, which moves whole faces."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """One two-class machine: f(x) = Σ α_i y_i k(x_i, x) + bias, positive for the class ``positive``."""

    alpha: Array  # (m,)
    bias: float
    members: Array  # (m,) the points of the data set it was trained on
    signs: Array  # (m,) -1.0 or 1.0
    positive: int
    negative: int  # REST when it is every other class


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a run has to solve. The problems are working memory that changes; everything else is as it was at first."""

    y: Array  # (n,) class numbers
    kernel: Kernel
    machines: tuple[Machine, ...]
    trained: tuple[int, ...]  # the machines that have points on both sides
    problems: tuple[Problem, ...]  # of these machines
    standings: tuple[KktStatus, ...]  # of the problems

    @classmethod
    def of(cls, data: Points, params: Params, start: Model | None) -> Task:
        """All machines with α = 0, or with the multipliers of a model that has the same machines."""
        y = data.several_classes("The support vector machine")
        kernel = make_kernel(params)
        refuse_overflow(kernel, data.X)
        machines = _blank_machines(data, y, params.multiclass)
        trained = tuple(k for k, machine in enumerate(machines) if len(np.unique(machine.signs)) == 2)
        if start is not None and [len(m.alpha) for m in start.machines] == [len(m.alpha) for m in machines]:
            limit = np.inf if params.slack == "squared" else params.C
            for k in trained:
                alpha = feasible(start.machines[k].alpha, machines[k].signs, limit)
                machines[k] = replace(machines[k], alpha=alpha)
        else:
            start = None
        problems = _problems([machines[k] for k in trained], data.X, kernel, params)
        if start is not None and _is_unchanged(start, data.X, y, kernel, params):
            for k, problem in zip(trained, problems, strict=True):
                problem.bias = start.machines[k].bias
        standings = tuple(problem.standing() for problem in problems)
        for k, standing in zip(trained, standings, strict=True):
            machines[k] = replace(machines[k], bias=standing.bias)
        return cls(y, kernel, tuple(machines), trained, problems, standings)


def _problems(machines: list[Machine], X: Array, kernel: Kernel, params: Params) -> tuple[Problem, ...]:
    """The problem of each machine; those over the same points share the rows of the kernel."""
    problems: list[Problem] = []
    for machine in machines:
        other = problems[0] if problems else None
        problem = Problem(X, machine.members, machine.signs, kernel, params.C, params.slack, other)
        if machine.alpha.any():
            problem.restart(machine.alpha.copy())
        problems.append(problem)
    return tuple(problems)


def _is_unchanged(start: Model, X: Array, y: Array, kernel: Kernel, params: Params) -> bool:
    """Whether the model is of this very problem, so that its offset is still right."""
    same = (start.kernel, start.C, start.slack) == (kernel, params.C, params.slack)
    return same and np.array_equal(start.y, y) and np.array_equal(start.X, X)


def make_kernel(params: Params) -> Kernel:
    """The kernel that the parameters describe."""
    return named_kernel(params.kernel, params.sigma, params.degree, params.offset)


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


def votes_of(machines: tuple[Machine, ...], values: Array, classes: int) -> Array:
    """What each class gets (m, c) when every pair of classes has a machine with these values (m, machines).

    These are the votes, plus a number below 1/3 that grows with the sum of the class's decision values, so that a tie
    of votes goes to the class that wins by more. A machine that has not been trained yet (f = 0) gives half a vote to
    both.
    """
    votes, sums = np.zeros((2, len(values), classes))
    for column, machine in enumerate(machines):
        value = values[:, column]
        won = np.sign(value) / 2.0
        votes[:, machine.positive] += 0.5 + won
        votes[:, machine.negative] += 0.5 - won
        sums[:, machine.positive] += value
        sums[:, machine.negative] -= value
    answer: Array = votes + sums / (3.0 * (np.abs(sums) + 1.0))
    return answer


def negative_eigenvalue(kernel: Kernel, X: Array) -> float:
    """The smallest eigenvalue of the Gram matrix where it is negative, else 0; a part of the points can prove it."""
    if kernel.semidefinite:
        return 0.0
    smallest = smallest_eigenvalue(kernel, X[:_MOST_EIGENVALUES])
    return smallest if smallest < -1e-9 * min(len(X), _MOST_EIGENVALUES) else 0.0


def machines_of_many(data: Points, jobs: Sequence[tuple[Array, Params]]) -> list[tuple[Machine, ...] | None]:
    """The trained machines of many runs at once; None for a job that only a run can do (squared slack, no kernel ...).

    Jobs with the same kernel share its matrix, over all points of the data.
    """
    found: list[tuple[Machine, ...] | None] = [None] * len(jobs)
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, (rows, params) in enumerate(jobs):
        kernel = make_kernel(params)
        fits = params.slack == "linear" and kernel.semidefinite and 2 <= len(rows) <= data.n <= MOST_TOGETHER
        if fits and data.y is not None and data.is_labelled and len(np.unique(data.y[rows])) > 1:
            groups.setdefault((kernel, params.tol, params.max_steps), []).append(number)
    for (kernel, tol, most), numbers in groups.items():
        refuse_overflow(kernel, data.X)
        K = kernel(data.X, data.X)
        for start in range(0, len(numbers), JOBS_AT_ONCE):
            some = numbers[start : start + JOBS_AT_ONCE]
            for number, machines in zip(some, _machines(data, K, [jobs[k] for k in some], tol, most), strict=True):
                found[number] = machines
    return found


def _machines(
    data: Points, K: Array, jobs: Sequence[tuple[Array, Params]], tol: float, most: int
) -> list[tuple[Machine, ...] | None]:
    """All machines of some jobs with one kernel; None where one of them did not arrive."""
    assert data.y is not None
    blanks = [_blank_machines(data.rows(rows), data.y[rows], params.multiclass) for rows, params in jobs]
    slots = [
        (j, k) for j, machines in enumerate(blanks) for k, m in enumerate(machines) if len(np.unique(m.signs)) == 2
    ]
    signs, inside = np.ones((len(slots), data.n)), np.zeros((len(slots), data.n), dtype=bool)
    for p, (j, k) in enumerate(slots):
        members = jobs[j][0][blanks[j][k].members]
        signs[p, members], inside[p, members] = blanks[j][k].signs, True
    prices = np.array([jobs[j][1].C for j, _ in slots])
    ended = solve_many(K, signs, prices, inside, tol, min(most, PAIRS_TOGETHER))
    lost = set()
    for p, (j, k) in enumerate(slots):
        rows, machine = jobs[j][0], blanks[j][k]
        alpha = np.abs(ended.signed[p, rows[machine.members]])
        blanks[j][k] = replace(machine, alpha=alpha, bias=float(ended.bias[p]))
        if not ended.certified[p]:
            lost.add(j)
    return [None if j in lost else tuple(machines) for j, machines in enumerate(blanks)]
