"""What if the noise had fallen otherwise? The same points, new targets around a known truth, the same fit, many times.

Nobody knows the true curve behind loaded data, so one is chosen for the game: the least-squares curve of some degree
through the data, with Gaussian noise of the size of its residuals. Around *that* truth both can be measured:
at every point the mean of all fits is off by the bias, the single fits scatter around their mean by the variance, and

    mean squared distance to the truth = bias² + variance        (exactly), plus σ² to a new target.

Least squares that can express the truth has no bias, and of all such linear ways the least variance (Gauss-Markov); a
penalty gives up the first for less of the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.design import EPSILON, Design, least_squares
from algorithms.maths.linear_fits import fitted, solve, solve_linear
from algorithms.maths.linear_model import LinearModel as Model
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty

MOST_NUMBERS = 4_000_000
"""Targets drawn in all: with very many points fewer redraws are made."""
SLOW = 20
"""Redraws in the curves against degree and λ when every single fit is a descent over the points (other losses)."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is taken as true: a curve, its values at the points, and the noise around it."""

    model: Model
    values: Array  # (n,)
    sigma: float


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A design in orthonormal coordinates, in which a fit of redrawn targets costs no look at the points."""

    columns: Array  # (n, p)
    Q: Array  # (n, r)
    small: Design  # Z is (r, p) with Q Z the scaled columns; its target is the truth in these coordinates
    centred: bool
    level: float  # mean of the truth; 0 when not centred
    outside: float  # mean square of what no fit with these columns can follow

    @classmethod
    def of(cls, columns: Array, truth: Array, centred: bool) -> Basis:
        """The basis of raw columns (n, p) for a truth (n,)."""
        from scipy.linalg import qr

        design = Design.of(columns, truth, centred)
        n, p = columns.shape
        Q, R = qr(design.Z, mode="economic", check_finite=False) if p else (np.zeros((n, 0)), np.zeros((0, 0)))
        U, s, Vt = np.linalg.svd(R, full_matrices=False)
        true = s > EPSILON * max(n, p) * float(s.max(initial=0.0))
        Q, Z = np.asarray(Q @ U[:, true]), s[true, None] * Vt[true]
        at = Q.T @ design.y
        rest = design.y - Q @ at
        small = Design(Z, at, design.means, design.lengths, design.y_mean, n)
        return cls(columns, Q, small, centred, design.y_mean, float(rest @ rest) / n)

    def seen(self, targets: Array) -> Seen:
        """Targets (k, n) in these coordinates."""
        levels = targets.mean(axis=1) if self.centred else np.zeros(len(targets))
        return Seen(levels, targets @ self.Q)

    def best(self) -> tuple[float, Array]:
        """The intercept and the coefficients that come nearest to the truth: where unbiased estimates lie around."""
        return self.small.coefficients(least_squares(self.small.Z, self.small.y, self.small.n))


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Targets as a basis sees them."""

    levels: Array  # (k,)
    at: Array  # (k, r)


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """One fit for each redraw."""

    basis: Basis
    levels: Array  # (k,) mean of the fitted values
    b: Array  # (k, p) scaled coefficients

    @property
    def coefficients(self) -> tuple[Array, Array]:
        """Intercepts (k,) and raw coefficients (k, p)."""
        beta = self.b / self.basis.small.lengths
        return self.levels - beta @ self.basis.small.means, beta

    def parts(self) -> tuple[float, float]:
        """bias² and variance of the fitted values, averaged over the points."""
        small, n = self.basis.small, self.basis.small.n
        places = self.b @ small.Z.T  # (k, r)
        middle, level = places.mean(axis=0), float(self.levels.mean())
        off, spread = middle - small.y, places - middle
        bias = float(off @ off) / n + self.basis.outside + (level - self.basis.level) ** 2
        variance = float(np.einsum("ij,ij->", spread, spread)) / (n * len(places)) + float(np.var(self.levels))
        return bias, variance

    def squared_distance(self) -> float:
        """The mean squared distance of all fits to the truth: bias² + variance."""
        small, n = self.basis.small, self.basis.small.n
        away = self.b @ small.Z.T - small.y
        lifted = np.mean((self.levels - self.basis.level) ** 2)
        return float(np.einsum("ij,ij->", away, away)) / (n * len(away)) + self.basis.outside + float(lifted)

    def joined(self, more: Estimates) -> Estimates:
        """These and some more."""
        levels, b = np.concatenate([self.levels, more.levels]), np.vstack([self.b, more.b])
        return Estimates(self.basis, levels, b)


def estimate(basis: Basis, seen: Seen, penalty: Penalty, start: Array | None = None) -> Estimates:
    """The fits of the squared loss to targets; where linear equations suffice all at once, otherwise from ``start``."""
    small = basis.small
    if penalty.closed:
        return Estimates(basis, seen.levels, solve_linear(small, penalty, seen.at.T).T)
    b = np.zeros((len(seen.at), small.Z.shape[1]))
    for number, at in enumerate(seen.at):
        checkpoint()
        begin = None if start is None else start[number]
        b[number] = solve(Design(small.Z, at, small.means, small.lengths, 0.0, small.n), penalty, begin)
    return Estimates(basis, seen.levels, b)


def estimate_robustly(basis: Basis, targets: Array, penalty: Penalty, loss: Loss) -> Estimates:
    """The fits of another loss to targets (k, n), one after the other."""
    small = basis.small
    levels, b = np.zeros(len(targets)), np.zeros((len(targets), small.Z.shape[1]))
    for number, target in enumerate(targets):
        intercept, beta = fitted(basis.columns, target, basis.centred, penalty, loss)
        levels[number], b[number] = intercept + small.means @ beta, beta * small.lengths
    return Estimates(basis, levels, b)


def formula_spread(basis: Basis, penalty: Penalty, sigma: float) -> tuple[Array, Array] | None:
    """The mean (p,) and the covariance (p, p) of the raw coefficients, where there is a formula.

    E β = (A + λI)⁻¹ A β* and Cov β = σ² (A + λI)⁻¹ A (A + λI)⁻¹ with A = Φ'Φ of the centred columns; least squares
    is λ = 0: unbiased, with covariance σ² (Φ'Φ)⁻¹. With the first m directions it is the part of β* along them.
    """
    if not penalty.closed:
        return None
    small = basis.small
    W = solve_linear(small, penalty, np.eye(len(small.Z))) / small.lengths[:, None]
    return W @ small.y, sigma**2 * W @ W.T


def formula_parts(basis: Basis, penalty: Penalty, sigma: float) -> tuple[float, float] | None:
    """bias² and variance of the fitted values without any drawing, where the fit is linear in the targets."""
    if not penalty.closed:
        return None
    small = basis.small
    hat = small.Z @ solve_linear(small, penalty, np.eye(len(small.Z)))  # fitted from given
    off = hat @ small.y - small.y
    variance = float(np.einsum("ij,ij->", hat, hat)) + (1.0 if basis.centred else 0.0)
    return float(off @ off) / small.n + basis.outside, sigma**2 * variance / small.n
