"""What moves next in sequential minimal optimisation: the best pairs, random ones, or all free multipliers at once.

Pairs need a number of steps that grows with C: on overlapping classes and C = 1000 libsvm makes a hundred thousand of
them, and so would we. But once the pairs have sorted the points, those with 0 < α < C form a face of the box on which W
is an ordinary quadratic: a Newton step leads to its top, or to the edge of the face, where one multiplier stops at its
bound and the rest goes on (:func:`newton_on_free_alphas`). Each step is feasible and climbs, so the certificate is the
same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.smo import KktStatus, Pair, Problem

SMALLEST_MOVE = 1e-5  # "no changes" below this, Algorithm 13, line 14
MOST_FREE = 500  # multipliers that a Newton step moves at once
_RIDGE = 1e-10
_NOTHING = 1e-14
_FAR = 32_000.0  # a margin of more is large enough, and no 16-bit number goes beyond 32,767


class Step(NamedTuple):
    """A pair, or something else that was done, and what there is to be seen after it."""

    number: int
    every: int  # of how many pairs one is kept
    pair: Pair | None
    standing: KktStatus
    alpha: Array  # (n,)
    support: int  # how many of these are positive
    inside: Array  # (n,) about how far inside the margin each point is, as frames keep it


AT_ONCE = 2**14
"""Numbers of a stretch of pairs that are measured together: so few that the memory for them is at hand;"""
LONGEST = 32
"""and pairs of the longest."""
ONE_BY_ONE, FEWEST = 64, 64
"""The first pairs are all seen, every second until there are twice as many, every fourth ..., at last one in 64."""


def stride(number: int) -> int:
    """Which pairs are worth a frame around this one: every pair at first, every k-th where there are many of them."""
    every = 1
    while number > ONE_BY_ONE * every and every < FEWEST:
        every *= 2
    return every


def trail_of(problem: Problem) -> Array:
    """Memory for the residuals of a stretch of pairs, for their margins and for work, (3, pairs, n).

    It is used again and again: fetched from the system and given back at every stretch it would cost as much as a pair.
    """
    n = len(problem.y)
    most = min(LONGEST, AT_ONCE // n) if problem.kernel.semidefinite else 1
    return np.empty((3, max(most, 1), n))


def stretch(problem: Problem, trail: Array, number: int, most: int, tol: float, ceiling: float) -> list[Step]:
    """Up to so many of the best pairs in a row, from this number on; all that frames have to know is measured at once.

    It ends with the optimum, and before a pair that does not move or goes beyond the ceiling. Those that are not worth
    a frame are left out, but for the last.
    """
    residuals, margins, work = trail
    made: list[tuple[int, Pair, Array, int]] = []
    seen: list[tuple[int, float, float]] = []
    sums: list[tuple[float, float]] = []
    every, end, skipped = stride(number), number + most, None
    first, top, bottom = extremes = problem.extremes()
    while number < end and len(made) < len(residuals):
        checkpoint()
        pair = problem.best_pair(first, top)
        if pair.new == pair.old or not max(abs(pair.moved), *pair.new) <= ceiling:
            break
        problem.apply(pair, residuals[len(made)])
        first, top, bottom = extremes = problem.extremes()
        arrived = top - bottom <= tol and problem.standing().certified(tol)
        skipped = None if arrived or number % every == 0 else pair
        if skipped is None:
            made.append((number, pair, problem.alpha.copy(), problem.support))
            seen.append(extremes)
            sums.append(problem.sums())
        number += 1
        if arrived:
            break
    if skipped is not None:
        made.append((number - 1, skipped, problem.alpha.copy(), problem.support))
        seen.append(extremes)
        sums.append(problem.sums())
    if not made:
        return []
    count = len(made)
    biases = np.array([0.5 * (top + bottom) for _, top, bottom in seen])
    margins, work = np.subtract(residuals[:count], biases[:, None], out=margins[:count]), work[:count]
    alphas = np.array([alpha for _, _, alpha, _ in made]) if problem.squared else margins
    gaps = problem.gaps(margins, alphas, np.array([product for _, product in sums]), work)
    duals = [0.5 * (total + product) for total, product in sums]
    # the last of them stays when the memory is used again
    problem.residual, kept = problem.residual.copy(), [*margins[:-1], margins[-1].copy()]
    standings = map(KktStatus, *zip(*seen), biases.tolist(), kept, duals, gaps.tolist())
    return [
        Step(number, every, pair, standing, alpha, support, inside.copy())
        for (number, pair, alpha, support), standing, inside in zip(made, standings, inside_of(margins, work))
    ]


def inside_of(margins: Array, work: Array | None = None) -> Array:
    """About how far inside its margin each point is, in 256 parts of it; positive exactly where it is inside.

    Frames keep it: of 10,000 frames of 2,000 points it has to fit into the memory.
    """
    parts = np.multiply(margins, 256.0, out=work)
    np.minimum(np.maximum(parts, -_FAR, out=parts), _FAR, out=parts)
    return np.ceil(parts, out=parts).astype(np.int16)


class Simplified:
    """Algorithm 14 (Handbook): sweep over the points; each that fails its KKT condition meets a random second one.

    ``next_pair`` gives the next successful pair, or None after ``passes`` sweeps in which nothing changed. That
    is the stopping rule of the reference; it certifies nothing, because the right partner may not have been drawn.
    """

    def __init__(self, problem: Problem, tol: float, passes: int, rng: np.random.Generator) -> None:
        self.problem, self.tol, self.passes, self.rng = problem, tol, passes, rng
        self._queue: Array = np.empty(0, dtype=np.int64)
        self._position = 0
        self._changed = True  # so that the sweep that has not begun does not count as idle
        self._idle = 0
        problem.bias = problem.standing().bias

    def next_pair(self) -> Pair | None:
        """Sweep on until a pair moves."""
        problem, smallest = self.problem, SMALLEST_MOVE * min(1.0, self.problem.limit)
        while True:
            checkpoint()  # a thousand sweeps in which nothing moves are one step, and one of them may take seconds
            if self._position >= len(self._queue):
                self._idle = 0 if self._changed else self._idle + 1
                if self._idle >= self.passes:
                    return None
                self._queue, self._position, self._changed = self._failing(0), 0, False
                if not len(self._queue):
                    continue
            i = int(self._queue[self._position])
            self._position += 1
            j = int(self.rng.integers(len(problem.y) - 1))
            j += j >= i
            pair = problem.pair(i, j)
            if pair.curvature > 0.0 and np.isfinite(pair.moved) and abs(pair.new[1] - pair.old[1]) >= smallest:
                self._changed = True
                return pair

    def applied(self, pair: Pair) -> None:
        """After the update: the offset of lines 16-18, and the points of this sweep that fail now."""
        problem = self.problem
        r_i, r_j = float(problem.residual[pair.i]), float(problem.residual[pair.j])
        if 0.0 < pair.new[0] < problem.limit:
            problem.bias = r_i
        else:
            problem.bias = r_j if 0.0 < pair.new[1] < problem.limit else 0.5 * (r_i + r_j)
        self._queue, self._position = self._failing(pair.i + 1), 0

    def _failing(self, start: int) -> Array:
        """The points from ``start`` on that fail their KKT condition by more than ``tol``."""
        problem = self.problem
        inside = (problem.residual - (problem.bias or 0.0)) * problem.y  # 1 - y f
        short = (inside > self.tol) & (problem.alpha < problem.limit)
        long = (inside < -self.tol) & (problem.alpha > 0.0)
        return np.flatnonzero((short | long)[start:]) + start


def newton_on_free_alphas(problem: Problem) -> int:
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


def solve(problem: Problem, tol: float, most: int, patience: int = 500) -> KktStatus:
    """Make pairs until the certificate holds, and at most so many: for whoever wants the optimum and not the path."""
    for step in range(1, most + 1):
        checkpoint()
        first, top, bottom = problem.extremes()
        if top - bottom <= tol:
            if problem.standing().certified(tol):
                break
            first, top, bottom = problem.extremes()
        if step % patience == 0 and newton_on_free_alphas(problem):
            continue
        pair = problem.best_pair(first, top)
        if pair.new == pair.old or not math.isfinite(pair.moved):
            break
        problem.apply(pair)
    problem.refresh()
    return problem.standing()
