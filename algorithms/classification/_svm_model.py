"""The fitted support vector machine: its two-class machines and how they decide together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.contract import Explanation
from algorithms.data import Array, Item, Points
from algorithms.maths.kernels import Kernel

REST = -1
_TERMS = 5


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


def decisions(model: Model, X: Array) -> Array:
    """The value of every machine at the rows of ``X``, (m, machines); only support vectors are looked at."""
    coefficients = np.zeros((len(model.X), len(model.machines)))
    for column, machine in enumerate(model.machines):
        coefficients[machine.members, column] = machine.alpha * machine.signs
    support = np.flatnonzero(coefficients.any(axis=1))
    values: Array = model.kernel(X, model.X[support]) @ coefficients[support]
    values += np.array([machine.bias for machine in model.machines])
    return values


def values_of(model: Model, machine: Machine, X: Array) -> Array:
    """The machine's f at the rows of ``X``, (m,)."""
    places, pulls = _pulling(model, machine)
    return np.asarray(model.kernel(X, places) @ pulls + machine.bias)


def slope_of(model: Model, machine: Machine, X: Array) -> Array:
    """The gradient of the machine's f at the rows of ``X``, (m, d)."""
    places, pulls = _pulling(model, machine)
    return model.kernel.gradient(places, X, np.broadcast_to(pulls[:, None], (len(pulls), len(X))))


def _pulling(model: Model, machine: Machine) -> tuple[Array, Array]:
    """The support vectors of a machine, (s, d), and their α y, (s,)."""
    support = machine.alpha.nonzero()[0]
    return model.X[machine.members.take(support)], machine.alpha.take(support) * machine.signs.take(support)


def field(model: Model, X: Array) -> Array:
    """The decision value: (m,), positive for the second class, or one column per class, (m, c).

    One-versus-rest: f of each class's machine. One-versus-one: the votes, plus a number below 1/3 that grows with
    the sum of the class's decision values, so that a tie of votes goes to the class that wins by more. A machine that
    has not been trained yet (f = 0) gives half a vote to both.
    """
    values = decisions(model, X)
    if model.classes == 2:
        return values[:, 0]
    if model.multiclass == "one-versus-rest":
        return values
    votes, sums = np.zeros((2, len(X), model.classes))
    for column, machine in enumerate(model.machines):
        value = values[:, column]
        won = np.sign(value) / 2.0
        votes[:, machine.positive] += 0.5 + won
        votes[:, machine.negative] += 0.5 - won
        sums[:, machine.positive] += value
        sums[:, machine.negative] -= value
    answer: Array = votes + sums / (3.0 * (np.abs(sums) + 1.0))
    return answer


def predict(model: Model, X: Array) -> Array:
    """The class number of every row; f = 0 counts as the second class, as in 002 §7.1."""
    values = field(model, X)
    if model.classes == 2:
        return (values >= 0.0).astype(np.int64)
    return values.argmax(axis=1).astype(np.int64)


def explain(model: Model, data: Points, item: Item) -> Explanation:
    """Why x gets its class: the largest terms α_i y_i k(x_i, x), the bias, and the votes of several machines."""
    x = item.x
    row = x[None, :]
    winner = int(predict(model, row)[0])
    values = decisions(model, row)[0]
    answer: Explanation = {"class": data.classes[winner]}
    if model.classes == 2:
        shown = 0
        answer["f(x)"] = float(values[0])
    else:
        for name, value in zip(data.classes, field(model, row)[0], strict=True):
            answer[f"{'f' if model.multiclass == 'one-versus-rest' else 'votes'} of {name}"] = float(value)
        sides = [(abs(float(v)), k) for k, v in enumerate(values) if winner in _sides(model.machines[k])]
        shown = _machine_of(model, winner) if model.multiclass == "one-versus-rest" else min(sides)[1]
        answer["machine shown"] = machine_name(model.machines[shown], data.classes)
    machine = model.machines[shown]
    answer["bias"] = machine.bias
    support = np.flatnonzero(machine.alpha)
    terms = machine.alpha[support] * machine.signs[support]
    terms = terms * model.kernel(row, model.X[machine.members[support]])[0]
    order = np.argsort(-np.abs(terms), kind="stable")
    for k in order[:_TERMS].tolist():
        answer[f"α y k of point {int(machine.members[support[k]]) + 1}"] = float(terms[k])
    answer["sum of the other terms"] = float(terms[order[_TERMS:]].sum())
    return answer | _training_point(machine, item.number, float(values[shown]))


def machine_name(machine: Machine, classes: tuple[str, ...]) -> str:
    """The two sides in words."""
    other = "the rest" if machine.negative == REST else classes[machine.negative]
    return f"{classes[machine.positive]} against {other}"


def _sides(machine: Machine) -> tuple[int, int]:
    return machine.positive, machine.negative


def _machine_of(model: Model, winner: int) -> int:
    return next(k for k, machine in enumerate(model.machines) if machine.positive == winner)


def _training_point(machine: Machine, number: int, value: float) -> Explanation:
    """α, y f and the slack ξ, when it is one of the points that this machine was trained on."""
    found = np.flatnonzero(machine.members == number)
    if not len(found):
        return {}
    k = int(found[0])
    agreement = float(machine.signs[k]) * value
    return {
        "training point": int(machine.members[k]) + 1,
        "α": float(machine.alpha[k]),
        "y f(x)": agreement,
        "slack ξ": max(0.0, 1.0 - agreement),
    }
