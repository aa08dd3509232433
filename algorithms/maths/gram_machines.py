"""Support vector machines on a Gram matrix: for things that have a kernel but no features, such as texts and graphs.

Two classes have one machine, positive for the second one; more have one each, against the rest. How a machine is
trained is in :mod:`algorithms.maths.smo`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.maths.kernels import Precomputed
from algorithms.maths.smo import KktStatus, Problem
from algorithms.maths.smo_rules import newton_on_free_alphas

PATIENCE = 1000
"""After so many pairs all free multipliers move at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """f_k(x) = Σ_i α_ki y_ki k(x_i, x) + b_k; none where there are fewer than two classes."""

    alpha: Array  # (q, n)
    bias: Array  # (q,)
    signs: Array  # (q, n) -1.0 or 1.0
    classes: int
    only: int = 0  # what is predicted where there is no machine

    @classmethod
    def blank(cls, y: Array | None, classes: int, n: int) -> Machines:
        """All multipliers 0."""
        present = np.empty(0, dtype=np.intp) if y is None else np.flatnonzero(np.bincount(y, minlength=classes))
        if y is None or len(present) < 2:
            return cls(np.zeros((0, n)), np.zeros(0), np.zeros((0, n)), classes, int(present[0]) if len(present) else 0)
        positive = [1] if classes == 2 else range(classes)
        signs = np.array([np.where(y == k, 1.0, -1.0) for k in positive])
        return cls(np.zeros_like(signs), np.where((signs > 0.0).any(axis=1), 0.0, -1.0), signs, classes)

    @property
    def coefficients(self) -> Array:
        """α y, (q, n)."""
        return self.alpha * self.signs

    @property
    def largest(self) -> Array:
        """The largest multiplier of each item, (n,): 0 for what supports no machine."""
        return self.alpha.max(axis=0, initial=0.0)

    def decisions(self, values: Array) -> Array:
        """The values f of new items, (m, q), from their kernel values with the items of the machines, (m, n)."""
        return values @ self.coefficients.T + self.bias

    def labels(self, decisions: Array) -> Array:
        """The classes (m,) that decisions mean; f = 0 is the second of two classes."""
        if not len(self.alpha):
            return np.full(len(decisions), self.only)
        if self.classes == 2:
            return (decisions[:, 0] >= 0.0).astype(np.int64)
        return decisions.argmax(axis=1)


class Update(NamedTuple):
    """What a step has changed."""

    machine: int
    pair: tuple[int, ...]  # the two items whose multipliers have moved; empty at the end of a machine
    certified: bool  # at its end: whether the optimum is proved


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """A step of the training, and all machines after it."""

    update: Update
    machines: Machines
    dual: float
    gap: float
    error: float  # the fraction of items that get another class than theirs


def normalised(values: Array, rows: Array, columns: Array) -> Array:
    """k(s, t) / √(k(s, s) k(t, t)), and 0 for items that are nothing to themselves."""
    scale = np.sqrt(rows)[:, None] * np.sqrt(columns)
    return np.divide(values, scale, out=np.zeros_like(values), where=scale > 0.0)


def train(gram: Array, y: Array | None, machines: Machines, C: float, tol: float, most: int) -> Iterator[Progress]:
    """Pair by pair until the certificate holds or ``most`` steps are spent, one machine after the other."""
    kernel, numbers = Precomputed(gram), np.arange(len(gram))[:, None]
    decisions = np.tile(machines.bias, (len(gram), 1))
    members, other = np.arange(len(gram)), None
    for k in range(len(machines.alpha)):
        if len(np.unique(machines.signs[k])) < 2:
            continue  # a class without items keeps f = -1
        problem = Problem(numbers, members, machines.signs[k], kernel, C, "linear", other)
        other = problem
        standing = problem.standing()
        for step in range(1, most + 1):
            if standing.certified(tol):
                problem.refresh()
                standing = problem.standing()
                if standing.certified(tol):
                    break
            pair: tuple[int, ...] = ()
            if step % PATIENCE or not newton_on_free_alphas(problem):
                move = problem.best_pair(standing.first, standing.top)
                if move.new == move.old:
                    break
                problem.apply(move)
                pair = (move.i, move.j)
            standing = problem.standing()
            machines = _with(machines, k, problem, standing)
            yield _progress(Update(k, pair, False), machines, standing, decisions, y)
        machines = _with(machines, k, problem, standing)
        yield _progress(Update(k, (), standing.certified(tol)), machines, standing, decisions, y)


def _progress(update: Update, machines: Machines, standing: KktStatus, decisions: Array, y: Array | None) -> Progress:
    """Writes the values f of the machine for the items that it is trained on, which its residuals know."""
    signs = machines.signs[update.machine]
    decisions[:, update.machine] = signs - signs * standing.margins
    error = wrong_fraction(machines.labels(decisions), y)
    return Progress(update, machines, standing.dual, standing.gap, error)


def wrong_fraction(labels: Array, y: Array | None) -> float:
    """The fraction of items that get another class than theirs; NaN where they have none."""
    return math.nan if y is None else float(np.count_nonzero(labels != y) / len(y))


def _with(machines: Machines, k: int, problem: Problem, standing: KktStatus) -> Machines:
    alpha, bias = machines.alpha.copy(), machines.bias.copy()
    alpha[k], bias[k] = problem.alpha, standing.bias
    return replace(machines, alpha=alpha, bias=bias)
