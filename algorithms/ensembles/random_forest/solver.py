"""What a forest tells beside its answers: which features matter, and which points are alike."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.bags import Tally
from algorithms.maths.forests import Forest
from algorithms.maths.maps import evenly
from algorithms.maths.scaling import classical_scaling
from algorithms.maths.tree_growth import Problem

MOST_ASKED = 1_000_000
"""Answers of single trees for shuffled points; of more points an even part is asked."""
MOST_MAPPED = 300
"""Points in the map of proximities."""


class Shuffling:
    """How much worse the trees are on points out of their bags when one feature is shuffled (Breiman 2001)."""

    def __init__(self, forest: Forest, problem: Problem, bags: tuple[Array, ...], rng: np.random.Generator) -> None:
        self.forest, self.problem = forest, problem
        self.points = evenly(len(problem.X), max(MOST_ASKED // max(len(forest), 1), 50))
        self.unseen = (np.concatenate(bags)[: len(forest)] == 0)[:, self.points]  # (b, m)
        self.X, self.order = problem.X[self.points], rng.permutation(len(self.points))
        self.target, self.tally = problem.target[self.points], Tally(problem, False)
        self.before = self._error(self.X)

    @property
    def asked(self) -> int:
        """How many answers of trees one feature takes."""
        return max(self.unseen.size, 1)

    def rise(self, feature: int) -> float:
        """The error with this feature shuffled less the error as it is, the mean of all trees."""
        shuffled = self.X.copy()
        shuffled[:, feature] = self.X[self.order, feature]
        return self._error(shuffled) - self.before

    def _error(self, X: Array) -> float:
        errors: list[float] = []
        first = 0
        for grove, trees in self.forest.parts():
            for answer, unseen in zip(grove.each(X), self.unseen[first : first + trees]):
                checkpoint()
                if unseen.any():
                    errors.append(float(self.tally.wrong(answer, self.points)[unseen].mean()) / self.tally.unit)
            first += trees
        return float(np.mean(errors)) if errors else 0.0


def proximities(forest: Forest, X: Array) -> Array:
    """The fraction (m, m) of trees in which two points end in the same leaf."""
    together = np.zeros((len(X), len(X)))
    for grove, trees in forest.parts():
        for leaf in grove.leaves(X, trees):
            checkpoint()
            together += leaf[:, None] == leaf
    return together / max(len(forest), 1)


def proximity_map(forest: Forest, X: Array) -> tuple[Array, Array]:
    """Some of the points (m,) and places (m, 2) for them, whose distances are near √(1 - proximity)."""
    points = evenly(len(X), MOST_MAPPED)
    if len(points) < 3:
        return points, np.column_stack([np.arange(float(len(points))), np.zeros(len(points))])
    return points, classical_scaling(np.sqrt(np.maximum(1.0 - proximities(forest, X[points]), 0.0)), 2)
