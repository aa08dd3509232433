"""What the snapshots of the support vector machine hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from algorithms.classification.kernel_svm.solver import Machine
from algorithms.contract import Snapshot, Stop
from algorithms.data import Array
from algorithms.maths.kernels import Kernel
from algorithms.maths.smo import Pair, Problem, Standing

if TYPE_CHECKING:
    from algorithms.classification.kernel_svm import Params

ALL = -1
"""In place of the number of a machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """All machines, with the points they refer to (shared by all frames, never copied)."""

    X: Array  # (n, d)
    y: Array  # (n,) class numbers
    machines: tuple[Machine, ...]
    kernel: Kernel
    C: float
    slack: Literal["linear", "squared"]
    multiclass: Literal["one-versus-rest", "one-versus-one"]
    classes: int

    @property
    def limit(self) -> float:
        """The lid of the box, which squared slack does not have."""
        return np.inf if self.slack == "squared" else self.C

    @property
    def alpha(self) -> Array:
        """The multiplier of every point, (n,); with several machines the largest one."""
        largest = np.zeros(len(self.X))
        for machine in self.machines:
            largest[machine.members] = np.maximum(largest[machine.members], machine.alpha)
        return largest

    @property
    def bias(self) -> float:
        """The offset of the (first) machine."""
        return self.machines[0].bias

    @property
    def support(self) -> Array:
        """The numbers of the support vectors, (s,)."""
        return np.flatnonzero(self.alpha)

    @property
    def weights(self) -> Array:
        """Σ α_i y_i x_i of every machine, (machines, d): the normal of the plane, where the kernel is linear."""
        return np.array([(m.alpha * m.signs) @ self.X[m.members] for m in self.machines])

    def with_machine(self, slot: int, machine: Machine) -> Model:
        """The same with another machine in one place."""
        machines = (*self.machines[:slot], machine, *self.machines[slot + 1 :])
        return Model(self.X, self.y, machines, self.kernel, self.C, self.slack, self.multiclass, self.classes)

    def decisions(self, X: Array) -> Array:
        """The value of every machine at the rows of ``X``, (m, machines); only support vectors are looked at."""
        coefficients = np.zeros((len(self.X), len(self.machines)))
        for column, machine in enumerate(self.machines):
            coefficients[machine.members, column] = machine.alpha * machine.signs
        support = np.flatnonzero(coefficients.any(axis=1))
        values: Array = self.kernel(X, self.X[support]) @ coefficients[support]
        values += np.array([machine.bias for machine in self.machines])
        return values

    def values_of(self, machine: Machine, X: Array) -> Array:
        """The machine's f at the rows of ``X``, (m,)."""
        places, pulls = self._pulling(machine)
        return np.asarray(self.kernel(X, places) @ pulls + machine.bias)

    def slope_of(self, machine: Machine, X: Array) -> Array:
        """The gradient of the machine's f at the rows of ``X``, (m, d)."""
        places, pulls = self._pulling(machine)
        return self.kernel.gradient(places, X, np.broadcast_to(pulls[:, None], (len(pulls), len(X))))

    def _pulling(self, machine: Machine) -> tuple[Array, Array]:
        """The support vectors of a machine, (s, d), and their α y, (s,)."""
        support = machine.alpha.nonzero()[0]
        return self.X[machine.members.take(support)], machine.alpha.take(support) * machine.signs.take(support)


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

    def ended(self, why: Literal["limit", "rounding", "unbounded"], standing: Standing) -> Doubts:
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


Shot = Snapshot[Given, Model, Shown]
