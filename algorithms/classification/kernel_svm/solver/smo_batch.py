"""Sequential minimal optimisation of many two-class problems at once, for whoever wants optima and not the path.

Problems over the same points with the same kernel differ in C, in the signs, or in which points take part (folds). Each
makes its own pairs by the same rule as in :mod:`algorithms.maths.smo`, but all make their next one together, as rows of
one table: NumPy's overhead is paid once for a hundred problems. The signed multipliers s = y α live in the box from 0
to C y; points that take no part have a box without room. Their residuals are known all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

LOOK_EVERY = 8
"""Pairs between two looks at who has arrived: finding out costs half a pair."""
_FLAT = 1e-12
_DUST = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class Optima:
    """Where each problem ended; a problem that has not arrived after the most pairs has ``certified`` False."""

    signed: Array  # (p, n) y α
    bias: Array  # (p,)
    certified: Array  # (p,) bool


def solve_many(K: Array, signs: Array, C: Array, inside: Array, tol: float, most: int) -> Optima:
    """Pairs for every problem until its certificate holds: the KKT violation, and the gap relative to the primal.

    Parameters
    ----------
    K : (n, n)
        The Gram matrix of all points, positive semi-definite.
    signs, inside : (p, n)
        -1.0 or 1.0, and whether the point takes part, for each problem.
    C : (p,)
        The price of slack of each problem.
    tol, most
        What counts as the optimum, and the most pairs of a problem.
    """
    state, ended = _State(K, signs, C, inside), Optima(np.zeros_like(signs), np.zeros(len(C)), np.zeros(len(C), bool))
    for step in range(most + 1):
        first, top, lower = state.standing()
        if step % LOOK_EVERY == 0:
            checkpoint()
            bias, certified = state.certificate(top, lower, tol)
            leaves = certified | (step + LOOK_EVERY > most)
            if leaves.any():
                gone = state.numbers[leaves]
                ended.signed[gone], ended.bias[gone] = state.signed[leaves], bias[leaves]
                ended.certified[gone] = certified[leaves]
                state.keep(~leaves)
                if not len(state.numbers):
                    break
                continue
        state.move(first, top, lower)
    return ended


class _State:
    """The working memory of the problems that have not arrived."""

    def __init__(self, K: Array, signs: Array, C: Array, inside: Array) -> None:
        self.K, self.diagonal = K, np.diag(K).copy()
        self.flat = _FLAT * max(float(np.abs(self.diagonal).max()), 1e-290)
        self.numbers = np.arange(len(C))
        self.signs, self.C = signs, C
        self.signed = np.zeros_like(signs)
        self.residual = np.array(signs)
        edge = np.where(inside, signs * C[:, None], 0.0)
        self.low, self.high = np.minimum(edge, 0.0), np.maximum(edge, 0.0)
        self.up = np.where(self.high > 0.0, 0.0, -np.inf)
        self.down = np.where(self.low < 0.0, 0.0, np.inf)
        self.rows = np.arange(len(C))
        self._one, self._two = np.empty((2, *signs.shape))

    def keep(self, chosen: Array) -> None:
        """Go on with these problems only."""
        for name in ("numbers", "signs", "C", "signed", "residual", "low", "high", "up", "down"):
            setattr(self, name, getattr(self, name)[chosen])
        count = len(self.numbers)
        self.rows, self._one, self._two = self.rows[:count], self._one[:count], self._two[:count]

    def standing(self) -> tuple[Array, Array, Array]:
        """The multiplier of each problem that most wants to move up, its residual, and those that may move down."""
        wish = np.add(self.residual, self.up, out=self._one)
        first = wish.argmax(axis=1)
        return first, wish[self.rows, first], np.add(self.residual, self.down, out=self._two)

    def certificate(self, top: Array, lower: Array, tol: float) -> tuple[Array, Array]:
        """The bias of each problem, and whether it is at its optimum up to ``tol``."""
        bottom = lower.min(axis=1)
        bias, arrived = 0.5 * (top + bottom), top - bottom <= tol
        near = np.flatnonzero(arrived)
        if len(near):
            margins = (self.residual[near] - bias[near, None]) * self.signs[near]
            takes_part = self.high[near] > self.low[near]
            slack = self.C[near] * np.where(takes_part, np.maximum(margins, 0.0), 0.0).sum(axis=1)
            product = np.einsum("pn,pn->p", self.signed[near], self.residual[near])
            total = np.abs(self.signed[near]).sum(axis=1)
            gap, dual = slack - product, 0.5 * (total + product)
            arrived[near] = gap <= tol * np.maximum(np.abs(dual + gap), 1e-15)
        return bias, arrived

    def move(self, first: Array, top: Array, lower: Array) -> None:
        """Every problem moves the pair with the largest gain by a quadratic model."""
        rows, K = self.rows, self.K
        gains = np.maximum(np.subtract(top[:, None], lower, out=lower), 0.0, out=lower)
        pulls = K[first]
        curvature = np.add(self.diagonal, (self.diagonal[first] + self.flat)[:, None], out=self._one)
        curvature -= pulls
        curvature -= pulls
        np.maximum(curvature, self.flat, out=curvature)
        gains *= gains
        gains /= curvature
        second = gains.argmax(axis=1)
        eta = np.maximum(curvature[rows, second], self.flat)
        one, two = (rows, first), (rows, second)
        steps = (self.residual[one] - self.residual[two]) / eta
        steps = np.minimum(steps, np.minimum(self.high[one] - self.signed[one], self.signed[two] - self.low[two]))
        steps = np.maximum(steps, 0.0)
        self._set(one, self.signed[one] + steps)
        self._set(two, self.signed[two] - steps)
        pulls -= K[second]
        pulls *= steps[:, None]
        self.residual -= pulls

    def _set(self, at: tuple[Array, Array], values: Array) -> None:
        """Write signed multipliers, exactly on the edge of their box when they get there up to rounding."""
        low, high, dust = self.low[at], self.high[at], _DUST * self.C
        values = np.where(values >= high - dust, high, np.where(values <= low + dust, low, values))
        self.signed[at] = values
        self.up[at] = np.where(values < high, 0.0, -np.inf)
        self.down[at] = np.where(values > low, 0.0, np.inf)
