"""The linear programme of the sparse machine, solved with the columns that are worth having, and the quadratic one.

    minimise Σ a_j + C Σ ξ_i   subject to   z_i (Σ_j a_j z_j k(x_i, x_j) + w0) >= 1 - ξ_i,   a, ξ >= 0

Few a_j are not 0, so the programme begins with none and takes a point in when it pays (column generation): with the
dual prices p_i of the constraints a weight for point j saves Σ_i p_i z_i k_ij z_j, and costs 1. When none saves more
than it costs the programme with all columns is solved, too. Points that would save much less leave again, which keeps
every programme small: 4,000 points (moons, C = 1) take 28 of them, the longest of which takes a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algorithms.data import Array, DataError
from algorithms.interrupt import checkpoint
from algorithms.maths.kernels import Kernel
from algorithms.maths.smo import Problem
from algorithms.maths.smo_rules import solve

AT_ONCE = 6
"""So many points are taken in together at most."""
_WORTH = 1e-7
_LEAVES = 0.9
"""A point without weight that would save less than this part of what it costs is taken out again."""
_PAIRS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The solution with the columns that there are."""

    weights: Array  # (n,) a
    offset: float
    objective: float
    saved: Array  # (n,) what a bump at each point would save; at most 1 at the optimum

    def wanted(self, columns: Array) -> Array:
        """The points that save more than they cost, best first, without those that are in already."""
        worth = np.flatnonzero(self.saved > 1.0 + _WORTH)
        worth = worth[~np.isin(worth, columns)]
        return worth[np.argsort(-self.saved[worth], kind="stable")][:AT_ONCE]


def programme(signed: Array, signs: Array, C: float, columns: Array) -> Answer:
    """Solve with these columns; ``signed`` (n, n) is z_i z_j k_ij."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, identity

    checkpoint()
    n, k = len(signs), len(columns)
    unit = float(np.abs(signed[:, columns]).max(initial=0.0)) or 1.0  # in units of 1 / unit weights have a usual size
    dense = np.column_stack([signed[:, columns] / unit, signs])
    table = hstack([csr_array(-dense), -identity(n, format="csr")], format="csr")
    cost = np.concatenate([np.ones(k), [0.0], np.full(n, C * unit)])
    bounds = [(0.0, None)] * k + [(None, None)] + [(0.0, None)] * n
    found = linprog(cost, A_ub=table, b_ub=np.full(n, -1.0), bounds=bounds, method="highs")
    if found.x is None:
        raise DataError(
            "The linear programme could not be solved for these numbers; lower C, scale the features, or choose "
            "another kernel."
        )
    weights = np.zeros(n)
    weights[columns] = np.where(found.x[:k] > 1e-9, found.x[:k], 0.0) / unit
    prices = -np.asarray(found.ineqlin.marginals) / unit
    return Answer(weights, float(found.x[k]), float(cost @ found.x) / unit, prices @ signed)


class Round(NamedTuple):
    """One solution on the way, the columns it had, and the points that are taken in next."""

    answer: Answer
    columns: Array
    fresh: Array


def rounds(signed: Array, signs: Array, C: float, columns: Array) -> Iterator[Round]:
    """Solve, and take in what is worth it, until nothing is."""
    least = np.inf
    while True:
        answer = programme(signed, signs, C, columns)
        fresh = answer.wanted(columns)
        yield Round(answer, columns, fresh)
        if not len(fresh):
            return
        if answer.objective < least * (1.0 - 1e-9):  # otherwise what leaves could come back for ever
            columns = columns[(answer.weights[columns] > 0.0) | (answer.saved[columns] > _LEAVES)]
        columns, least = np.concatenate([columns, fresh]), min(least, answer.objective)


def quadratic(X: Array, signs: Array, kernel: Kernel, C: float) -> tuple[Array, float]:
    """The multipliers (n,) and the bias of the support vector machine, by pairs."""
    problem = Problem(X, np.arange(len(signs)), signs, kernel, C, "linear")
    standing = solve(problem, 1e-4, _PAIRS)
    return problem.alpha.copy(), standing.bias


def shown_points(signs: Array, most: int) -> Array:
    """At most so many points, evenly from both classes."""
    if len(signs) <= most:
        return np.arange(len(signs))
    chosen = []
    for side in (-1.0, 1.0):
        members = np.flatnonzero(signs == side)
        count = min(max(most * len(members) // len(signs), 1), len(members))
        chosen.append(members[np.linspace(0, len(members) - 1, count).astype(np.intp)])
    return np.sort(np.concatenate(chosen))
