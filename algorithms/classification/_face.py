"""All free multipliers at once: the way out when pairs crawl.

Pairs need a number of steps that grows with C: on overlapping classes and C = 1000 libsvm makes a hundred thousand of
them, and so would we. But once the pairs have sorted the points, those with 0 < α < C form a face of the box on which W
is an ordinary quadratic: a Newton step leads to its top, or to the edge of the face, where one multiplier stops at its
bound and the rest goes on. Each step is feasible and climbs, so the certificate is the same.
"""

from __future__ import annotations

import numpy as np

from algorithms.classification._smo import Problem
from algorithms.data import Array

MOST_FREE = 500
_RIDGE = 1e-10
_NOTHING = 1e-14


def climb_face(problem: Problem) -> int:
    """Move the free multipliers to the top of their face; give back how many of them there were, 0 if none moved."""
    free = ((problem.alpha > 0.0) & (problem.alpha < problem.limit)).nonzero()[0]
    if not 2 <= len(free) <= MOST_FREE or not problem.kernel.semidefinite:
        return 0
    gram = np.array([problem.rows[k].take(free) for k in free.tolist()])
    alpha, signs, residual = problem.alpha[free], problem.y[free], problem.residual[free]
    inside = np.arange(len(free))  # those that have not stopped at a bound
    while len(inside) >= 2:
        direction = _direction(gram[np.ix_(inside, inside)], residual[inside])
        slope = float(residual[inside] @ direction)
        if not slope > _NOTHING * float(np.abs(residual).max() * np.abs(direction).max()):
            break
        pull = gram[:, inside] @ direction
        curvature = float(pull[inside] @ direction)
        room = _room(alpha[inside], direction * signs[inside], problem.limit)
        top = slope / curvature if curvature > 0.0 else np.inf
        length = min(top, float(room.min()))
        if not np.isfinite(length):
            break
        alpha[inside] += length * direction * signs[inside]
        residual -= length * pull
        stopped = room <= length
        if not stopped.any():
            break
        ends = inside[stopped]
        alpha[ends] = np.where((direction * signs[inside])[stopped] > 0.0, problem.limit, 0.0)
        inside = inside[~stopped]
    moved = problem.alpha.copy()
    moved[free] = np.clip(alpha, 0.0, problem.limit)
    if np.array_equal(moved, problem.alpha):
        return 0
    problem.move(moved)
    return len(free)


def _direction(gram: Array, residual: Array) -> Array:
    """The Newton direction of the signed multipliers y α, with sum 0.

    The small ridge turns directions without curvature (a linear kernel has many) into long steps to the edge.
    """
    ridge = _RIDGE * float(np.trace(gram)) / len(gram)
    both = np.linalg.solve(gram + ridge * np.eye(len(gram)), np.stack([residual, np.ones(len(gram))], axis=1))
    newton, level = both.T
    direction = newton - level * (newton.sum() / level.sum())
    answer: Array = direction - direction.mean()
    return answer


def _room(alpha: Array, direction: Array, limit: float) -> Array:
    """How far each multiplier can go before it meets a bound."""
    room = np.full(len(alpha), np.inf)
    up, down = direction > 0.0, direction < 0.0
    room[up] = (limit - alpha[up]) / direction[up]
    room[down] = alpha[down] / -direction[down]
    return room
