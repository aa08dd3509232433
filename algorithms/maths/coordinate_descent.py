"""One coefficient at a time: soft thresholds, and the exact search for signs that finishes a slow descent."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import mul
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.design import Design, least_squares
from algorithms.maths.penalties import Penalty


def soft(value: float, threshold: float) -> float:
    """sign(value) max(|value| - threshold, 0)."""
    if value > threshold:
        return value - threshold
    return value + threshold if value < -threshold else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class CoordinateDescent:
    """One coefficient at a time: b_j <- soft(z_j'(residual without b_j), l1_j / 2) / (1 + l2_j).

    For the raw columns that is soft(x_j'r, λα/2) / (x_j'x_j + λ(1 - α)). From H and c a step costs p products and no
    look at the points. Coefficients b (p,) are handed in and new ones given back.
    """

    H: Array  # (p, p) Z'Z with the l2 prices on the diagonal
    c: Array  # (p,) Z'y
    l1: Array  # (p,)
    _rows: tuple[Any, ...] = field(init=False)  # of H, with 0 on the diagonal
    _aims: tuple[float, ...] = field(init=False)
    _diagonal: tuple[float, ...] = field(init=False)
    _half: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        others = self.H - np.diag(np.diag(self.H))
        object.__setattr__(self, "_rows", tuple(others.tolist() if len(self.c) <= _FEW else others))
        object.__setattr__(self, "_aims", tuple(self.c.tolist()))
        object.__setattr__(self, "_diagonal", tuple(np.diag(self.H).tolist()))
        object.__setattr__(self, "_half", tuple((0.5 * self.l1).tolist()))

    @classmethod
    def of(cls, design: Design, penalty: Penalty) -> CoordinateDescent:
        """The descent of a design."""
        root, l1 = design.scaled(penalty)
        return cls(design.Z.T @ design.Z + np.diag(root**2), design.Z.T @ design.y, l1)

    def step(self, b: Array, j: int) -> tuple[Array, float, float]:
        """With one coefficient improved; also what was correlated with the column, and the threshold."""
        diagonal, threshold = self._diagonal[j], self._half[j]
        correlation = self._aims[j] - float(np.dot(self._rows[j], b))
        improved = b.copy()
        improved[j] = soft(correlation, threshold) / diagonal if diagonal > 0.0 else 0.0
        return improved, correlation, threshold

    def sweep(self, b: Array) -> Array:
        """With every coefficient improved once."""
        few = len(b) <= _FEW
        at: Any = b.tolist() if few else b.copy()
        for j, (row, aim, diagonal, half) in enumerate(zip(self._rows, self._aims, self._diagonal, self._half)):
            if diagonal > 0.0:
                at[j] = soft(aim - (sum(map(mul, row, at)) if few else float(row @ at)), half) / diagonal
            else:
                at[j] = 0.0
        return np.array(at)

    def finish(self, b: Array) -> Array:
        """The end in one step: see :func:`sign_search`."""
        return sign_search(self.H, self.c, self.l1, b)

    def violation(self, b: Array) -> float:
        """The largest violation of the optimality conditions |2 z_j'r| <= l1 (or = l1 sign b)."""
        return kkt_violation(self.H, self.c, self.l1, b)


_FEW = 24
"""Up to here products of plain numbers are faster than calls of NumPy."""


def kkt_violation(H: Array, c: Array, l1: Array, b: Array) -> float:
    """How far b is from the minimum of b'Hb - 2c'b + Σ l1|b|: 0 there and nowhere else."""
    return _violation(2.0 * (c - H @ b), l1, b)


def _violation(slope: Array, l1: Array, b: Array) -> float:
    gap = np.where(b == 0.0, np.maximum(np.abs(slope) - l1, 0.0), np.abs(slope - l1 * np.sign(b)))
    return float(gap.max(initial=0.0))


def sign_search(H: Array, c: Array, l1: Array, start: Array | None = None) -> Array:
    """The minimum of b'Hb - 2c'b + Σ l1_j |b_j|, exactly: for known signs it is a linear system.

    Feature-sign search (Lee, Battle, Raina, Ng 2007): add the coefficient whose condition is violated most, solve for
    the signs assumed, and go only as far as the best place where a coefficient becomes zero. Warm starts make it fast
    along a path of λ, where coordinate descent would crawl on powers of x.
    """
    p = len(c)
    b = np.zeros(p) if start is None else start.copy()
    tolerance = 1e-11 * max(2.0 * float(np.abs(c).max(initial=0.0)), np.finfo(float).tiny)
    for _ in range(20 * p + 20):
        checkpoint()
        active = np.flatnonzero(b)
        slope = 2.0 * (c - H @ b)
        converged = np.abs(slope[active] - l1[active] * np.sign(b[active])).max(initial=0.0) <= tolerance
        signs = np.sign(b)
        if converged:
            excess = np.where(b == 0.0, np.abs(slope) - l1, 0.0)
            j = int(excess.argmax()) if p else 0
            if not p or excess[j] <= tolerance:
                return b
            signs[j] = np.sign(slope[j])
            active = np.flatnonzero(signs)
        moved = _towards(H, c, l1, b, signs, active)
        if np.array_equal(moved, b):
            break
        b = moved
    return _polished(H, c, l1, b, tolerance)


def _towards(H: Array, c: Array, l1: Array, b: Array, signs: Array, active: Array) -> Array:
    """The best of the solution for these signs and the places between where a coefficient changes its sign."""
    wanted = np.zeros(len(b))
    wanted[active] = _solve_symmetric(H[np.ix_(active, active)], c[active] - 0.5 * l1[active] * signs[active])
    step = wanted - b
    with np.errstate(divide="ignore", invalid="ignore"):
        fraction = np.where((b != 0.0) & (b * wanted <= 0.0), -b / step, 1.0)
    best, lowest = b, _objective(H, c, l1, b)
    for t in np.unique(fraction[(fraction > 0.0) & (fraction <= 1.0)]).tolist():
        place = wanted
        if t < 1.0:
            place = b + t * step
            place[fraction == t] = 0.0
        value = _objective(H, c, l1, place)
        if value < lowest:
            best, lowest = place, value
    return best


def _objective(H: Array, c: Array, l1: Array, b: Array) -> float:
    return float(b @ (H @ b) - 2.0 * (c @ b) + l1 @ np.abs(b))


def _solve_symmetric(A: Array, c: Array) -> Array:
    import scipy.linalg

    try:
        factor = scipy.linalg.cho_factor(A, check_finite=False)
        found = scipy.linalg.cho_solve(factor, c, check_finite=False)
    except np.linalg.LinAlgError:
        return least_squares(A, c)
    return np.asarray(found) if np.isfinite(found).all() else least_squares(A, c)


def _polished(H: Array, c: Array, l1: Array, b: Array, tolerance: float) -> Array:
    """Rounding has stopped the search (columns that say the same): coordinate descent takes over while it helps."""
    descent = CoordinateDescent(H, c, l1)
    violation = descent.violation(b)
    for _ in range(_ROUNDS):
        checkpoint()
        before = violation
        for _ in range(_ROUND):
            if violation <= tolerance:
                return b
            b = descent.sweep(b)
            violation = descent.violation(b)
        if violation > 0.5 * before:
            break
    return b


_ROUNDS, _ROUND = 10, 20
"""Twenty sweeps are tried at a time, and as long as they halve the violation."""
