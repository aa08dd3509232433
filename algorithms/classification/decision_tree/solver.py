"""What is measured on a grown tree: its error at every depth, on points that it has seen and on others."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.maths.forest_growth import grown
from algorithms.maths.tree_growth import Problem
from algorithms.maths.trees import Tree

FOLDS = 5


def errors_by_depth(tree: Tree, X: Array, target: Array, depth: int) -> Array:
    """The error (depth + 1,) of a tree cut off at every depth: fraction of wrong answers, or mean squared error."""
    answers = tree.value[:, 0] if tree.real else tree.value.argmax(axis=1)
    by_depth = [answers[node] for node in tree.nodes_at(X, depth)]
    return np.array([(np.square(target - answer) if tree.real else target != answer).mean() for answer in by_depth])


def cross_validated(problem: Problem, depth: int, rng: np.random.Generator) -> Array:
    """The training and the cross-validated error (2, depth + 1) of trees of every depth up to this one.

    Of values they are mean squared errors, divided by the variance.
    """
    n = len(problem.X)
    folds = min(FOLDS, n)
    fold = rng.permutation(n) % folds
    whole = grown(problem, depth)
    unit = float(whole.impurity[0]) or 1.0 if problem.real else 1.0
    training = errors_by_depth(whole, problem.X, problem.target, depth) / unit
    errors = np.zeros(depth + 1)
    for number in range(folds):
        inside, outside = fold != number, fold == number
        tree = grown(problem.rows(inside), depth)
        errors += outside.mean() * errors_by_depth(tree, problem.X[outside], problem.target[outside], depth) / unit
    return np.stack([training, errors])
