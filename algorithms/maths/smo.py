"""Sequential minimal optimisation of one two-class problem: the working state and the update of one pair.

    maximise  W(α) = Σ α_i - ½ Σ α_i α_j y_i y_j k_ij    subject to  0 <= α_i <= C,  Σ α_i y_i = 0

Everything is written in the residuals r_i = y_i - Σ_j α_j y_j k_ij, kept up to date in O(n) per pair. A multiplier that
may move "up" along its label (y α can grow) wants bias >= r_i, one that may move "down" wants bias <= r_i. So the
KKT conditions hold for some bias exactly when max r over "up" <= min r over "down"; the excess is the *violation*.
With squared slack the kernel gets 1/C on its diagonal and the box loses its lid (001, SOFT-MARGIN SVM).

Pairs need a number of steps that grows with C: on overlapping classes and C = 1000 libsvm makes a hundred thousand of
them, and so would we. But once the pairs have sorted the points, those with 0 < α < C form a face of the box on which W
is an ordinary quadratic: a Newton step leads to its top, or to the edge of the face, where one multiplier stops at its
bound and the rest goes on (:func:`climb_face`). Each step is feasible and climbs, so the certificate is the same.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.kernels import Kernel

ROUNDING = 1e-15
SMALLEST_MOVE = 1e-5  # "no changes" below this, Algorithm 13, line 14
_CACHE_BYTES = 200 * 2**20  # what scikit-learn gives to libsvm
_FLAT = 1e-12  # curvature below this fraction of k_ii + k_jj is rounding
_BALANCED = 1e-13
_TINY = 1e-290  # never divide by less
MOST_FREE = 500  # multipliers that a Newton step moves at once
_RIDGE = 1e-10
_NOTHING = 1e-14


class Rows:
    """Rows of the Gram matrix, made when first asked for; the longest unused are dropped when memory is spent."""

    def __init__(self, kernel: Kernel, X: Array, ridge: float) -> None:
        self._kernel, self._X, self._ridge = kernel, X, ridge
        self._most = max(2, _CACHE_BYTES // (8 * len(X)))
        self._rows: dict[int, Array] = {}  # the latest used last, once memory is short
        self.diagonal = kernel.diagonal(X) + ridge
        self.flat = max(_FLAT * float(np.abs(self.diagonal).max()), _TINY)
        half = 0.5 * self.diagonal
        self._half: Array | float = float(half[0]) if np.ptp(half) == 0.0 else half

    def __getitem__(self, i: int) -> Array:
        row = self._rows.get(i)
        if row is None:
            row = self._made(i)
            if len(self._rows) >= self._most:
                del self._rows[next(iter(self._rows))]
            self._rows[i] = row
        elif len(self._rows) >= self._most:
            self._rows[i] = self._rows.pop(i)
        return row

    def once(self, i: int) -> Array:
        """A row that is not asked for again soon: it pushes out no other."""
        row = self._rows.get(i)
        return self._made(i) if row is None else row

    def _made(self, i: int) -> Array:
        row = self._kernel.row(self._X[i], self._X)
        row[i] += self._ridge
        return row

    def half_curvatures(self, i: int, out: Array) -> Array:
        """½ (k_ii + k_jj) - k_ij for all j, and a little: not 0 where the points are equal."""
        level = self._half + (0.5 * self.diagonal.item(i) + self.flat)
        return np.subtract(level, self[i], out=out)


class Standing(NamedTuple):
    """How far a problem has come: the certificate and what the next choice of a pair needs."""

    first: int  # the multiplier that most wants to move up
    top: float  # its residual
    bottom: float  # the smallest residual that may move down
    bias: float
    margins: Array  # (n,) 1 - y f: positive inside the margin
    dual: float
    gap: float

    @property
    def primal(self) -> float:
        """The primal objective; by weak duality no solution is below ``dual``."""
        return self.dual + self.gap

    @property
    def violation(self) -> float:
        """By how much the KKT conditions fail."""
        return max(self.top - self.bottom, 0.0)

    def certified(self, tol: float) -> bool:
        """Whether this is the optimum up to ``tol``: the KKT conditions, and the gap relative to the objective."""
        return self.top - self.bottom <= tol and self.gap <= tol * max(abs(self.primal), ROUNDING)


class Pair(NamedTuple):
    """One update, in the terms of Algorithm 13 (000): where the two multipliers were, and how far they went."""

    i: int
    j: int
    old: tuple[float, float]
    new: tuple[float, float]
    wanted: float  # the unclipped move along y_i
    moved: float
    lowest: float  # the feasible moves
    highest: float
    curvature: float


class Problem:
    """The working memory of one two-class problem. It changes; frames get copies.

    ``other`` is a problem with the same kernel and slack; rows over the same points serve both.
    """

    def __init__(
        self,
        X: Array,
        members: Array,
        signs: Array,
        kernel: Kernel,
        C: float,
        slack: Literal["linear", "squared"],
        other: Problem | None = None,
    ) -> None:
        self.members = members  # (n,) which points of the data set
        self.X = X if len(members) == len(X) else X[members]
        self.y = signs  # (n,) -1.0 or 1.0
        self.kernel, self.C, self.squared = kernel, C, slack == "squared"
        self.limit = np.inf if self.squared else C
        if other is not None and other.members is members:
            self.rows: Rows = other.rows
        else:
            self.rows = Rows(kernel, self.X, 1.0 / C if self.squared else 0.0)
        self.bias: float | None = None  # only the simplified rule keeps one of its own
        self.negative_curvature = False
        self._scratch, self._lower = np.empty((2, len(signs)))
        self._sides: list[float] = signs.tolist()
        self.restart(np.zeros(len(signs)))

    def restart(self, alpha: Array) -> None:
        """Go on from these feasible multipliers; everything else is calculated afresh."""
        self._place(alpha)
        self.refresh()

    def move(self, alpha: Array) -> None:
        """Go on to these feasible multipliers, of which few are new; the residuals follow."""
        before = self._signed
        self._place(alpha)
        steps = self._signed - before
        change = np.zeros(len(alpha))
        for k in steps.nonzero()[0].tolist():
            checkpoint()
            change += np.multiply(self.rows[k], steps[k], out=self._scratch)
        self.residual -= change

    def _place(self, alpha: Array) -> None:
        self.alpha = alpha
        self._signed = alpha * self.y
        self.support = int(np.count_nonzero(alpha))
        rising, falling = alpha < self.limit, alpha > 0.0
        positive = self.y > 0.0
        self._up = np.where(np.where(positive, rising, falling), 0.0, -np.inf)
        self._down = np.where(np.where(positive, falling, rising), 0.0, np.inf)

    def refresh(self) -> None:
        """Calculate the residuals afresh, so that the certificate does not rest on thousands of rounded updates."""
        self.residual = self.y.copy()
        for k in self.alpha.nonzero()[0].tolist():
            checkpoint()
            np.multiply(self.rows.once(k), self._signed[k], out=self._scratch)
            self.residual -= self._scratch

    def standing(self) -> Standing:
        """Measure the certificate. The gap is Σ [α_i (y_i f_i - 1) + C ξ_i], which is primal minus dual, never < 0."""
        wish = np.add(self.residual, self._up, out=self._scratch)
        first = int(wish.argmax())
        top = wish.item(first)
        lower = np.add(self.residual, self._down, out=self._lower)
        bottom = lower.item(lower.argmin())
        bias = 0.5 * (top + bottom) if self.bias is None else self.bias
        total = float(self._signed.dot(self.y))
        product = float(self._signed.dot(self.residual))  # Σ α - αᵀQα
        margins = self.residual - bias
        margins *= self.y
        if self.squared:  # the residuals hold the ridge: y r = 1 - y f - α/C, and C ξ = α is what is wanted
            margins += self.alpha / self.C
            slack = np.maximum(margins, 0.0)
            gap = 0.5 * self.C * float(slack @ slack) + 0.5 * float(self.alpha @ self.alpha) / self.C
            gap -= float(self.alpha @ margins)
        else:
            gap = self.C * float(np.add.reduce(np.maximum(margins, 0.0, out=self._scratch))) - product
        return Standing(first, top, bottom, bias, margins, 0.5 * (total + product), max(gap, 0.0))

    def second(self, standing: Standing) -> int:
        """The partner that gains most by a quadratic model (second order: Fan, Chen, Lin 2005; libsvm's WSS 2)."""
        i = standing.first
        gains = np.subtract(standing.top, self._lower, out=self._lower)
        np.maximum(gains, 0.0, out=gains)
        gains *= gains
        curvature = self.rows.half_curvatures(i, out=self._scratch)  # half of it does as well
        if not self.kernel.semidefinite:
            np.maximum(curvature, self.rows.flat, out=curvature)
        gains /= curvature
        return int(gains.argmax())

    def pair(self, i: int, j: int) -> Pair:
        """The best feasible move α_i += y_i t, α_j -= y_j t, without making it.

        The gain is (r_i - r_j) t - ½ η t². Where the curvature η is not positive (equal points, or a kernel that is
        not semi-definite) the gain grows without end and the move goes on to the edge of the box.
        """
        diagonal = self.rows.diagonal
        level = diagonal.item(i) + diagonal.item(j)
        curvature = level - 2.0 * self.rows[i].item(j)
        slope = self.residual.item(i) - self.residual.item(j)
        old = a, b = self.alpha.item(i), self.alpha.item(j)
        low_i, high_i = self._room(i, a)
        low_j, high_j = self._room(j, b)
        lowest, highest = max(low_i, -high_j), min(high_i, -low_j)  # L and H of Algorithm 13
        if curvature > _FLAT * abs(level):
            wanted = slope / curvature
        else:
            self.negative_curvature |= curvature < -_FLAT * abs(level)
            wanted = math.inf if slope > 0.0 else -math.inf
        moved = min(max(wanted, lowest), highest)
        new = self._moved(i, a, moved), self._moved(j, b, -moved)
        return Pair(i, j, old, new, wanted, moved, lowest, highest, curvature)

    def _room(self, k: int, alpha: float) -> tuple[float, float]:
        """The moves along y_k that keep α_k in the box."""
        return (-alpha, self.limit - alpha) if self._sides[k] > 0.0 else (alpha - self.limit, alpha)

    def _moved(self, k: int, old: float, move: float) -> float:
        """The new α_k, set exactly on 0 or C when it gets there up to rounding."""
        step = move if self._sides[k] > 0.0 else -move
        new = old + step
        dust = 4.0 * ROUNDING * max(old, abs(step))
        if new <= dust:
            return 0.0
        return self.C if new >= self.limit * (1.0 - 4.0 * ROUNDING) else new

    def apply(self, pair: Pair) -> None:
        """Make the move, and let it reach the residuals."""
        first = self._set(pair.i, pair.old[0], pair.new[0])
        second = self._set(pair.j, pair.old[1], pair.new[1])
        # the two changes are large and of opposite signs: first their sum, then the residuals
        change = np.multiply(self.rows[pair.i], first, out=self._scratch)
        change += np.multiply(self.rows[pair.j], second, out=self._lower)
        self.residual -= change

    def _set(self, k: int, old: float, new: float) -> float:
        """Write a multiplier; gives the change of y α."""
        sign = self._sides[k]
        self.alpha[k], self._signed[k] = new, new * sign
        self.support += (new > 0.0) - (old > 0.0)
        up, down = (new < self.limit, new > 0.0) if sign > 0.0 else (new > 0.0, new < self.limit)
        self._up[k], self._down[k] = 0.0 if up else -math.inf, 0.0 if down else math.inf
        return (new - old) * sign


def feasible(alpha: Array, signs: Array, limit: float) -> Array:
    """Multipliers near the given ones that lie in the box and balance: the heavier side is scaled down."""
    clipped = np.clip(np.nan_to_num(alpha), 0.0, limit)
    positive = signs > 0.0
    up, down = float(clipped[positive].sum()), float(clipped[~positive].sum())
    if min(up, down) <= 0.0:
        return np.zeros_like(clipped)
    if abs(up - down) <= _BALANCED * max(up, down):
        return clipped
    heavier = positive if up > down else ~positive
    clipped[heavier] *= min(up, down) / max(up, down)
    largest = int(np.where(heavier, clipped, -1.0).argmax())  # it takes what rounding leaves over
    clipped[largest] = min(clipped[largest] - signs[largest] * float(clipped @ signs), limit)
    return clipped


class Simplified:
    """Algorithm 14 (000): sweep over the points; each that fails its KKT condition meets a random second one.

    ``next_pair`` gives the next successful pair, or None after ``passes`` sweeps in which nothing changed. That
    is the documents' stopping rule; it certifies nothing, because the right partner may just not have been drawn.
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
            if self._position >= len(self._queue):
                checkpoint()  # a thousand sweeps in which nothing moves are one step
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


def solve(problem: Problem, tol: float, most: int, patience: int = 500) -> Standing:
    """Make pairs until the certificate holds, and at most so many: for whoever wants the optimum and not the way."""
    standing = problem.standing()
    for step in range(1, most + 1):
        if step % 32 == 0:
            checkpoint()
        if standing.certified(tol):
            break
        if step % patience == 0 and climb_face(problem):
            standing = problem.standing()
            continue
        pair = problem.pair(standing.first, problem.second(standing))
        if pair.new == pair.old or not math.isfinite(pair.moved):
            break
        problem.apply(pair)
        standing = problem.standing()
    problem.refresh()
    return problem.standing()
