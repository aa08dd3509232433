"""Stumps and rounds of AdaBoost: the best threshold on one feature for weighted points, and the weights after it.

A stump says +1 on one side of a threshold and -1 on the other. With the columns sorted once, the weighted errors of all
stumps are running sums: cutting behind a place, the stump that says +1 above is wrong on the positive weight before the
place and on the negative weight behind it, and the stump that says +1 below on all the rest.

    err = sum_i w_i [g(x_i) != y_i],    alpha = log((1 - err) / err),    w_i <- w_i exp(alpha [g(x_i) != y_i]) / sum
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

LEAST_ERROR = 1e-10
"""A stump without errors would have all of the vote; it gets that of one with this error."""
TIE = 1e-12
"""Errors that are nearer than this fraction of all weight are equal: the first feature and threshold is taken."""
_BLOCK = 1 << 18  # numbers worked on at once, so that they stay in the cache and a run can be called off


@dataclass(frozen=True, slots=True)
class Stump:
    """``sign`` above the threshold and its opposite elsewhere."""

    feature: int
    threshold: float
    sign: float  # 1.0 or -1.0

    def votes(self, X: Array) -> Array:
        """+1.0 or -1.0 (m,) for the rows of X (m, d)."""
        return np.where(X[:, self.feature] > self.threshold, self.sign, -self.sign)


@dataclass(frozen=True, slots=True, eq=False)
class SortedColumns:
    """The columns of a table in order, for finding one stump after another."""

    columns: Array  # (d, n)
    orders: Array  # (d, n) int32
    ends: Array  # (d, n) bool: places behind which the value changes

    @classmethod
    def of(cls, columns: Array) -> SortedColumns:
        """Sort every column; ``columns`` holds a feature in each row, (d, n)."""
        columns = np.ascontiguousarray(columns, dtype=np.float64)
        orders = np.empty(columns.shape, dtype=np.int32)
        ends = np.zeros(columns.shape, dtype=bool)
        for rows in _blocks(columns.shape):
            checkpoint()
            orders[rows] = np.argsort(columns[rows], axis=1, kind="stable")
            ordered = np.take_along_axis(columns[rows], orders[rows], axis=1)
            np.greater(ordered[:, 1:], ordered[:, :-1], out=ends[rows, :-1])
        return cls(columns, orders, ends)

    def best_stump(self, y: Array, weights: Array) -> tuple[Stump, float] | None:
        """The stump of least weighted error and this error, as a fraction of all weight; None without any.

        Parameters
        ----------
        y : array of shape (n,)
            +1.0 or -1.0.
        weights : array of shape (n,)
            Not negative.
        """
        total = float(weights.sum())
        signed = weights * y
        wrong = float(weights[y < 0.0].sum()) - 0.5 * total
        gains = np.full(len(self.columns), -1.0)
        for rows in _blocks(self.columns.shape):
            checkpoint()
            gains[rows] = self._gains(rows, signed, wrong).max(axis=1, initial=-1.0)
        if not len(gains) or gains.max() < 0.0:
            return None
        feature = int(np.flatnonzero(gains >= gains.max() - TIE * total)[0])
        row = self._gains(slice(feature, feature + 1), signed, wrong)[0]
        place = int(np.flatnonzero(row >= row.max() - TIE * total)[0])
        order = self.orders[feature]
        below, above = self.columns[feature, order[place : place + 2]].tolist()
        middle = below + 0.5 * (above - below)
        error = wrong + float(signed[order[: place + 1]].sum())
        threshold = middle if below <= middle < above else below
        found = Stump(feature, threshold, 1.0 if error <= 0.0 else -1.0)
        return found, max(0.5 - abs(error) / total, 0.0) if total > 0.0 else 0.0

    def _gains(self, rows: slice, signed: Array, wrong: float) -> Array:
        """How far from one half the error of cutting behind each place is, -1 where no cut is possible."""
        sums = signed.take(self.orders[rows])
        np.cumsum(sums, axis=1, out=sums)
        sums += wrong
        np.abs(sums, out=sums)
        np.putmask(sums, ~self.ends[rows], -1.0)
        return sums


def _blocks(shape: tuple[int, ...]) -> list[slice]:
    """Some rows at a time."""
    size = max(_BLOCK // max(shape[1], 1), 1)
    return [slice(start, start + size) for start in range(0, shape[0], size)]


def vote_of(error: float) -> float:
    """What the vote of a weak learner counts, log((1 - err) / err): zero at chance, negative below it."""
    error = min(max(error, LEAST_ERROR), 1.0 - LEAST_ERROR)
    return math.log((1.0 - error) / error)


def reweighted(weights: Array, vote: float, wrong: Array) -> Array:
    """The weights after a round: those of points that were ``wrong`` times exp(alpha), and all divided by their sum."""
    grown = weights * np.where(wrong, math.exp(vote), 1.0)
    return np.asarray(grown / grown.sum())
