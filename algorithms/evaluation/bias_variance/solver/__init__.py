"""What if the noise had fallen otherwise? The same points, new targets around a known truth, the same fit, many times.

At every point the mean of all fits is off the truth by the bias, and the single fits scatter around their mean by the
variance. Where linear equations suffice all fits are made at once, and both are also known without any drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from algorithms.data import Array, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.design import EPSILON, Design, least_squares
from algorithms.maths.dictionaries import Kind
from algorithms.maths.expressions import parse_expression
from algorithms.maths.linear_fits import fitted, solve, solve_linear
from algorithms.maths.linear_model import LinearModel, predict
from algorithms.maths.linear_problem import LinearProblem, linear_problem
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.regression_knobs import Columns, Functions, Intercept
from algorithms.method_choice import Method

PRICED = ("ridge", "lasso", "elastic net", "power")
VARIABLES = ("x", "z")
"""The first and the second feature in the formula of a truth."""
_LARGEST_SPREAD = 1e140  # of a coefficient: its square, times another, is still a number


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A fit that adds up functions with a free intercept: all redraws are fitted at once, or nearly so."""

    functions: Functions
    loss: Loss
    penalty_at: Callable[[float], Penalty]
    lam: float
    priced: bool  # λ makes a difference

    @classmethod
    def of(cls, method: Method) -> Rule | None:
        """The rule of a method with its parameters; None where it has to be run anew for every redraw."""
        params, key = method.params, method.algorithm.key
        if key not in _RULES or params.intercept != "free" or params.columns != "as they are":
            return None
        kind = getattr(params, "penalty", "none")
        lam, loss, priced = float(getattr(params, "lam", 1.0)), Loss(), kind in PRICED
        if key == "component_regression":
            return cls(params, loss, lambda _: Penalty(directions=params.components), lam, False)
        if key == "robust_regression":
            if params.loss != "huber" or priced:
                return None
            loss = Loss("huber", params.delta)
        if not priced:
            return cls(params, loss, lambda _: Penalty(), lam, False)
        if kind == "power":
            return cls(params, loss, lambda at: Penalty.power(at, params.q), lam, True)
        mix = {"ridge": 0.0, "lasso": 1.0}.get(kind) if kind != "elastic net" else params.mix
        assert mix is not None
        return cls(params, loss, lambda at: Penalty.elastic(at, mix), lam, True)


_RULES = ("linear_regression", "lasso", "component_regression", "robust_regression")


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is taken as true: a curve or a formula, its values at the points, and the noise around it."""

    values: Array  # (n,)
    sigma: float
    degree: int  # of the curve
    curve: LinearModel | None = None
    formula: str = ""

    def at(self, X: Array) -> Array:
        """The true values at the rows of ``X``, (m,)."""
        return predict(self.curve, X) if self.curve is not None else _formula_at(self.formula, X)


@dataclass(frozen=True, slots=True)
class Powers:
    """The functions of a truth that no method brings along: powers of the features."""

    dictionary: Kind = "polynomial"
    degree: int = 0
    width: float = 0.0
    columns: Columns = "as they are"
    intercept: Intercept = "free"


def powers_truth(data: Points, degree: int, sigma: float, owner: str) -> Truth:
    """The least-squares polynomial of this degree, or of the highest below it that these features have."""
    problem = linear_problem(data, Powers(), owner)
    for lower in range(degree, 0, -1):
        try:
            problem.build(lower)
        except DataError:  # too many products of features
            continue
        return least_squares_truth(problem, lower, sigma, Loss())
    return least_squares_truth(problem, 0, sigma, Loss())


def least_squares_truth(problem: LinearProblem, degree: int, sigma: float, loss: Loss) -> Truth:
    """The curve of this degree through the data, or of the highest below it that leaves points to spare.

    Of a ``sigma`` of 0 the noise is as large as the residuals.
    """
    for lower in range(degree, -1, -1):
        dictionary, columns = problem.build(lower)
        spare = problem.data.n - columns.shape[1] - 1
        if spare >= 1 or lower == 0:
            break
    intercept, beta = fitted(columns, problem.y, problem.centred, Penalty(), loss)
    values = intercept + columns @ beta
    residuals = problem.y - values
    sigma = sigma or float(np.sqrt(residuals @ residuals / max(spare, 1)))
    return Truth(values, sigma, lower, problem.model(intercept, beta, dictionary))


def formula_truth(data: Points, y: Array, formula: str, sigma: float) -> Truth:
    """A formula of the features; of a ``sigma`` of 0 the noise is as large as the distance of the data from it."""
    values = _formula_at(formula, data.X)
    if not np.abs(values).max(initial=0.0) < 1e100:
        raise DataError(f"The formula {formula} is not a number at every point; choose another one.")
    residuals = y - values
    return Truth(values, sigma or float(np.sqrt(residuals @ residuals / len(y))), 0, formula=formula)


def _formula_at(formula: str, X: Array) -> Array:
    second = X[:, 1] if X.shape[1] > 1 else np.zeros(len(X))
    return np.asarray(parse_expression(formula, VARIABLES)(X[:, 0], second))


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A design in orthonormal coordinates, in which a fit of redrawn targets costs no look at the points."""

    columns: Array  # (n, p)
    Q: Array  # (n, r)
    small: Design  # Z is (r, p) with Q Z the scaled columns; its target is the truth in these coordinates
    level: float  # mean of the truth
    outside: float  # mean square of what no fit with these columns can follow

    @classmethod
    def of(cls, columns: Array, truth: Array) -> Basis:
        """The basis of raw columns (n, p) for a truth (n,)."""
        design = Design.of(columns, truth, centred=True)
        n, p = columns.shape
        Q, R = qr(design.Z, mode="economic", check_finite=False) if p else (np.zeros((n, 0)), np.zeros((0, 0)))
        U, s, Vt = np.linalg.svd(R, full_matrices=False)
        true = s > EPSILON * max(n, p) * float(s.max(initial=0.0))
        Q, Z = np.asarray(Q @ U[:, true]), s[true, None] * Vt[true]
        at = Q.T @ design.y
        rest = design.y - Q @ at
        small = Design(Z, at, design.means, design.lengths, design.y_mean, n)
        return cls(columns, Q, small, design.y_mean, float(rest @ rest) / n)

    def seen(self, targets: Array) -> Seen:
        """Targets (k, n) in these coordinates."""
        return Seen(targets.mean(axis=1), targets @ self.Q)

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
        intercept, beta = fitted(basis.columns, target, True, penalty, loss)
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
    if not sigma * np.abs(W).max(initial=0.0) < _LARGEST_SPREAD:
        raise DataError("The coefficients spread beyond the range of numbers; scale the features first.")
    return W @ small.y, sigma**2 * W @ W.T


def formula_parts(basis: Basis, penalty: Penalty, sigma: float) -> tuple[float, float] | None:
    """bias² and variance of the fitted values without any drawing, where the fit is linear in the targets."""
    if not penalty.closed:
        return None
    small = basis.small
    hat = small.Z @ solve_linear(small, penalty, np.eye(len(small.Z)))  # fitted from given
    off = hat @ small.y - small.y
    variance = float(np.einsum("ij,ij->", hat, hat)) + 1.0
    return float(off @ off) / small.n + basis.outside, sigma**2 * variance / small.n


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """One truth, one dictionary and one loss; what is drawn and how strong the penalty is comes with every question."""

    problem: LinearProblem
    truth: Truth
    loss: Loss
    basis: Basis

    def basis_of(self, columns: Array) -> Basis:
        """The basis of other columns for the same truth."""
        return Basis.of(columns, self.truth.values)

    def targets(self, count: int, rng: np.random.Generator) -> Array:
        """New targets around the truth, (count, n)."""
        noise = self.truth.sigma * rng.standard_normal((count, self.problem.data.n))
        return np.asarray(self.truth.values + noise)

    def estimates(self, basis: Basis, targets: Array, penalty: Penalty, start: Array | None = None) -> Estimates:
        """The fits to targets (k, n)."""
        if self.loss.kind == "squared":
            return estimate(basis, basis.seen(targets), penalty, start)
        return estimate_robustly(basis, targets, penalty, self.loss)

    def exact_parts(self, basis: Basis, penalty: Penalty) -> tuple[float, float] | None:
        """bias² and variance by the formula, where there is one."""
        return formula_parts(basis, penalty, self.truth.sigma) if self.loss.kind == "squared" else None

    def nearest(self) -> Array:
        """The coefficients that come nearest to the truth, the intercept first: (p + 1,)."""
        intercept, best = self.basis.best()
        return np.append(intercept, best)

    def exact_spread(self, penalty: Penalty) -> tuple[Array, Array] | None:
        """Mean (p + 1,) and covariance of the intercept and β by the formula, where there is one."""
        sigma, found = self.truth.sigma, None
        if self.loss.kind == "squared":
            found = formula_spread(self.basis, penalty, sigma)
        if found is None:
            return None
        beta, covariance = found
        means, n = self.basis.small.means, self.problem.data.n
        to_both = np.vstack([-means, np.eye(len(means))])  # (intercept, β) = (level, 0) + to_both β
        whole = to_both @ covariance @ to_both.T
        whole[0, 0] += sigma**2 / n
        return np.append(self.basis.level - means @ beta, beta), whole

    def reach(self, penalty: Penalty) -> Array:
        """Four standard errors of least squares, so that a picture stays while λ moves; not too many of today's."""
        free, now = self.exact_spread(Penalty()), self.exact_spread(penalty)
        wide = 4.0 * _deviations(free[1]) if free is not None else self._reach_of_squares()
        if now is None:
            return wide
        today = _deviations(now[1])
        off = np.abs(now[0] - (free[0] if free is not None else now[0]))
        return np.minimum(wide, 12.0 * today + 1.2 * off)

    def _reach_of_squares(self) -> Array:
        """For other losses: four standard errors that least squares would have."""
        found = formula_spread(self.basis, Penalty(), self.truth.sigma)
        assert found is not None
        spread = 4.0 * _deviations(found[1])
        level = 4.0 * self.truth.sigma / np.sqrt(self.problem.data.n)
        return np.append(level + np.abs(self.basis.small.means) @ spread, spread)


def _deviations(covariance: Array) -> Array:
    """The standard deviations; what rounding has made negative is 0."""
    return np.sqrt(np.maximum(np.diag(covariance), 0.0))
