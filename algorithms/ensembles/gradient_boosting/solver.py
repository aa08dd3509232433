"""The rounds of gradient boosting: residuals, a tree for them, the best step in each of its leaves, the sum."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.forest_growth import Presorted, grow
from algorithms.maths.forests import Forest, Grove
from algorithms.maths.losses import Loss, softplus
from algorithms.maths.tree_growth import Problem
from algorithms.maths.trees import Tree

Kind = Literal["squared", "absolute", "huber", "logistic"]
HUBER = 0.9
"""Residuals beyond this quantile count as outliers for Huber's loss, round by round."""
RARE = 1e-7
"""No class is taken to be less probable than this at the beginning."""
FLAT = 1e-150
"""A leaf whose probabilities are all 0 or 1 has no slope left, and takes no step."""


def outputs_of(classes: int) -> int:
    """How many sums there are: one for a value or two classes, else one for each class."""
    return classes if classes > 2 else 1


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What stays the same during a run."""

    X: Array  # (n, d)
    target: Array  # (n,) values, or numbers of classes
    classes: int  # 0 where the target is a value
    kind: Kind
    depth: int
    rate: float
    subsample: float
    training: Array  # (n,) bool
    presorted: Presorted

    @property
    def outputs(self) -> int:
        """How many sums there are: one for a value or two classes, else one for each class."""
        return outputs_of(self.classes)

    @property
    def rows(self) -> Array:
        """The numbers of the training points."""
        return np.flatnonzero(self.training)

    def start(self) -> Array:
        """The best constant (k,): the mean, the median, or the logarithms of the odds."""
        y = self.target[self.training]
        if self.classes:
            priors = np.bincount(y, minlength=self.classes) / len(y)
            logs = np.log(np.clip(priors, RARE, 1.0 - RARE))
            return logs[1:] - logs[:1] if self.classes == 2 else logs - logs.mean()
        return np.array([y.mean() if self.kind == "squared" else np.median(y)])

    def delta(self, F: Array) -> float:
        """Where Huber's loss becomes straight: a quantile of the residuals of now."""
        sizes = np.sort(np.abs(self.target - F[:, 0])[self.training])
        return float(sizes[max(math.ceil(HUBER * len(sizes)) - 1, 0)])

    def residuals(self, F: Array) -> Array:
        """Downhill at every point (n, k): the slope of its loss, with a minus."""
        if self.classes:
            return np.asarray(indicators(self.target, self.outputs) - probabilities(F))
        left = self.target - F[:, 0]
        if self.kind == "absolute":
            left = np.sign(left)
        elif self.kind == "huber":
            delta = self.delta(F)
            left = np.clip(left, -delta, delta)
        return left[:, None]

    def losses(self, F: Array) -> Array:
        """The loss (n,) of every point."""
        if self.classes == 2:
            return softplus(np.where(self.target == 1, -F[:, 0], F[:, 0]))
        if self.classes:
            top = F.max(axis=1)
            spread = np.log(np.exp(F - top[:, None]).sum(axis=1)) + top
            return np.asarray(spread - F[np.arange(len(F)), self.target])
        kind = "squared" if self.kind == "logistic" else self.kind
        return Loss(kind, max(self.delta(F), 1e-300) if kind == "huber" else 1.0).each(self.target - F[:, 0])

    def steps(self, leaf: Array, leaves: int, residuals: Array, F: Array, rows: Array) -> Array:
        """The step (leaves,) that lowers the loss of the points ``rows`` in each node most; of class k one column."""
        at, left = leaf.take(rows), residuals.take(rows)
        if self.classes:
            size = np.abs(left)  # p or 1 - p
            slope = np.bincount(at, size * (1.0 - size), minlength=leaves)
            factor = (self.classes - 1.0) / self.classes if self.classes > 2 else 1.0
            total = factor * np.bincount(at, left, minlength=leaves)
            return np.divide(total, slope, out=np.zeros(leaves), where=slope > FLAT)
        if self.kind == "squared":
            return np.bincount(at, left, minlength=leaves) / np.maximum(np.bincount(at, minlength=leaves), 1)
        found, whole = np.zeros(leaves), (self.target - F[:, 0]).take(rows)
        delta = self.delta(F) if self.kind == "huber" else 0.0
        for node in np.unique(at).tolist():
            inside = whole[at == node]
            middle = lower_median(inside)
            found[node] = middle + (np.clip(inside - middle, -delta, delta).mean() if self.kind == "huber" else 0.0)
        return found


def lower_median(values: Array) -> float:
    """The middle value; of two in the middle the lower one, which is itself among the values."""
    place = (len(values) - 1) // 2
    return float(np.partition(values, place)[place])


def indicators(y: Array, outputs: int) -> Array:
    """1 for the class of a point, else 0: (n, 1) for the second of two classes, (n, c) for more."""
    return (y[:, None] == (1 if outputs == 1 else np.arange(outputs))).astype(np.float64)


def probabilities(F: Array) -> Array:
    """Of the second class (n, 1), or of every class (n, c)."""
    if F.shape[1] == 1:
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * F)))
    powers = np.exp(F - F.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The sum after some rounds."""

    F: Array  # (n, k)
    start: Array  # (k,)
    trees: Forest  # their leaves hold what is added to each sum
    track: Array  # (m + 1, 4) loss and error in training, loss and error of the points held out

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return len(self.track) - 1

    @property
    def best(self) -> int:
        """The round after which the points held out cost least."""
        return int(self.track[:, 2].argmin())


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What one round has found: for each sum a tree, whose leaves hold the whole step."""

    residuals: Array  # (n, k)
    groves: tuple[Grove, ...]
    steps: Array  # (n, k) what the trees would add
    drawn: Array  # (n,) bool: the points that the trees were grown on

    @property
    def tree(self) -> Tree:
        """The first of the trees."""
        return self.groves[0].tree(0)


def beginning(task: Task) -> State:
    """Before the first tree: the best constant."""
    start = task.start()
    F = np.tile(start, (len(task.X), 1))
    return State(F, start, Forest((), 0), measured(task, F)[None])


def attempt(task: Task, state: State, rng: np.random.Generator) -> Round:
    """Residuals, and a tree for each column of them."""
    residuals = task.residuals(state.F)
    drawn, rows = task.training, task.rows
    if task.subsample < 1.0:
        rows = np.sort(rng.permutation(rows)[: max(round(task.subsample * len(rows)), 1)])
        drawn = np.zeros(len(task.X), dtype=bool)
        drawn[rows] = True
    weights = None if drawn.all() else drawn[None].astype(np.float64)
    groves, steps = [], np.zeros_like(state.F)
    for k in range(task.outputs):
        checkpoint()
        problem = Problem(task.X, np.ascontiguousarray(residuals[:, k]), 0, "squared error")
        grove = grow(problem, task.depth, weights, presorted=task.presorted)
        leaf = grove.tree(0).leaf_of(task.X)
        values = task.steps(leaf, len(grove.table.child), problem.target, state.F, rows)
        table = np.zeros((len(values), task.outputs))
        table[:, k] = values
        groves.append(Grove(grove.start, replace(grove.table, value=table)))
        steps[:, k] = values.take(leaf)
    return Round(residuals, tuple(groves), steps, drawn)


def added(task: Task, state: State, found: Round) -> State:
    """The sum with the new trees, shrunk by the rate."""
    F, trees = state.F + task.rate * found.steps, state.trees
    for grove in found.groves:
        trees = trees.with_next(Grove(grove.start, replace(grove.table, value=task.rate * grove.table.value)))
    return State(F, state.start, trees, np.vstack([state.track, measured(task, F)]))


def answers(F: Array, classes: int) -> Array:
    """What a sum says: the value, or the number of the class."""
    if not classes:
        return F[:, 0]
    return (F[:, 0] > 0.0).astype(np.int64) if classes == 2 else F.argmax(axis=1)


def measured(task: Task, F: Array) -> Array:
    """Loss and error in training, then of the points held out, or of training again where there are none."""
    loss, said = task.losses(F), answers(F, task.classes)
    wrong = said != task.target if task.classes else np.square(said - task.target)
    parts = [task.training] if task.training.all() else [task.training, ~task.training]
    found = [(float(loss[part].mean()), float(wrong[part].mean())) for part in parts]
    return np.array([*found[0], *found[-1]])
