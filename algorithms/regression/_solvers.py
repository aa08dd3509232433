"""The mathematics of the fit: penalties, losses, and one function per way to the solution.

All of them minimise the *sum*

    Σ_i loss(y_i - f(x_i)) + λ [α Σ_j |β_j| + (1 - α) Σ_j β_j²],        f(x) = b + Σ_j β_j h_j(x)

without 1/n and without ½, over the coefficients β of the columns as they are; the intercept b is free of the penalty
because columns and target are centred first. Inside, columns are scaled to length 1 (and the penalty with them), which
changes nothing in the solution and saves many digits with powers of x.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.dataset import Array

EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True, slots=True)
class Penalty:
    """``l1`` Σ|β_j| + ``l2`` Σ β_j²."""

    l1: float = 0.0
    l2: float = 0.0

    def of(self, beta: Array) -> float:
        """The price of these coefficients."""
        return float(self.l1 * np.abs(beta).sum() + self.l2 * (beta @ beta))


@dataclass(frozen=True, slots=True)
class Loss:
    """What a residual costs: r²; Huber's, doubled so that it is r² near zero; or r² with two different prices.

    Huber's ½a² for |a| <= δ and δ(|a| - δ/2) beyond becomes r² and δ(2|r| - δ): for δ → ∞ this *is* the squared loss,
    and λ keeps its meaning. The asymmetric loss is 2τ r² above the curve and 2(1 - τ) r² below; with τ = ½ it is r².
    """

    kind: Literal["squared", "huber", "asymmetric"] = "squared"
    delta: float = 1.0
    tau: float = 0.5

    def each(self, residuals: Array) -> Array:
        """The cost of every residual."""
        if self.kind == "huber":
            size = np.abs(residuals)
            inside = np.minimum(size, self.delta)
            return inside * (2.0 * size - inside)
        return self.weights(residuals) * residuals**2

    def weights(self, residuals: Array) -> Array:
        """Weights with which the squared loss has the same slope at these residuals."""
        if self.kind == "huber":
            return np.asarray(self.delta / np.maximum(np.abs(residuals), self.delta))
        if self.kind == "asymmetric":
            return np.where(residuals > 0.0, 2.0 * self.tau, 2.0 * (1.0 - self.tau))
        return np.ones(len(residuals))


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Columns of length 1 and a target, both centred when the intercept is free."""

    Z: Array  # (n, p)
    y: Array  # (n,)
    means: Array  # (p,) of the raw columns; 0 without a free intercept
    lengths: Array  # (p,) of the centred raw columns; 1 for a column that vanishes
    y_mean: float

    @classmethod
    def of(cls, columns: Array, y: Array, centred: bool, weights: Array | None = None) -> Design:
        """The design of raw columns (n, p); ``weights`` (n,) count some points more than others."""
        n, p = columns.shape
        means, y_mean = np.zeros(p), 0.0
        if centred:
            share = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
            means, y_mean = share @ columns, float(share @ y)
        Z, target = columns - means, y - y_mean
        # what centring leaves of a constant column is rounding, and must not be blown up to length 1
        Z[:, np.abs(Z).max(axis=0, initial=0.0) <= 8.0 * EPSILON * np.abs(means)] = 0.0
        if weights is not None:
            root = np.sqrt(weights)
            Z, target = Z * root[:, None], target * root
        lengths = np.sqrt(np.einsum("ij,ij->j", Z, Z))
        lengths = np.where(lengths > 0.0, lengths, 1.0)
        return cls(Z / lengths, target, means, lengths, y_mean)

    def reduced(self) -> Design:
        """The same problem in p + 1 rows, by an orthogonal transformation: every penalty can then be tried cheaply."""
        n, p = self.Z.shape
        if n <= p + 1:
            return self
        R: Array = np.linalg.qr(np.column_stack([self.Z, self.y]), mode="r")  # type: ignore[assignment]
        return replace(self, Z=np.ascontiguousarray(R[:, :p]), y=R[:, p].copy())

    def only(self, chosen: tuple[int, ...]) -> Design:
        """The same design with all other columns empty."""
        keep = np.zeros(self.Z.shape[1], dtype=bool)
        keep[list(chosen)] = True
        return replace(self, Z=self.Z * keep)

    def coefficients(self, b: Array) -> tuple[float, Array]:
        """The intercept and the raw coefficients of scaled ones."""
        beta = b / self.lengths
        return self.y_mean - float(self.means @ beta), beta

    def scaled(self, penalty: Penalty) -> tuple[Array, Array]:
        """The penalty in the scaled coefficients: (root of the l2 price, l1 price), each (p,)."""
        return np.sqrt(penalty.l2) / self.lengths, penalty.l1 / self.lengths


def solve(design: Design, penalty: Penalty, start: Array | None = None) -> Array:
    """The scaled coefficients of least cost, exactly; the shortest ones when there are many."""
    root, l1 = design.scaled(penalty)
    if penalty.l1 == 0.0:
        return _least_squares(*_augmented(design, root))
    G, c = design.Z.T @ design.Z, design.Z.T @ design.y
    return sign_search(G + np.diag(root**2), c, l1, start)


def solve_robustly(
    columns: Array, y: Array, centred: bool, penalty: Penalty, loss: Loss, start: tuple[float, Array] | None = None
) -> Iterator[tuple[float, Array, Array]]:
    """Iteratively reweighted least squares: (intercept, coefficients, weights) after each step, without an end.

    Points with a large residual get a small weight, and the weighted problem is solved exactly, again and again. No
    step raises the objective, because the weighted squares touch the loss from above.
    """
    weights = np.ones(len(y)) if start is None else loss.weights(y - start[0] - columns @ start[1])
    scaled: Array | None = None
    while True:
        design = Design.of(columns, y, centred, weights)
        scaled = solve(design.reduced() if penalty.l1 else design, penalty, scaled)
        intercept, beta = design.coefficients(scaled)
        weights = loss.weights(y - intercept - columns @ beta)
        yield intercept, beta, weights


def fitted(
    columns: Array,
    y: Array,
    centred: bool,
    penalty: Penalty,
    loss: Loss,
    start: tuple[float, Array] | None = None,
) -> tuple[float, Array]:
    """The intercept and the coefficients of least cost; a robust loss to six digits."""
    if loss.kind == "squared":
        design = Design.of(columns, y, centred)
        return design.coefficients(solve(design, penalty))
    before = np.inf
    for intercept, beta, _ in itertools.islice(solve_robustly(columns, y, centred, penalty, loss, start), 100):
        cost = float(loss.each(y - intercept - columns @ beta).sum()) + penalty.of(beta)
        if cost >= before * (1.0 - 1e-8):
            break
        before = cost
    return intercept, beta


def _augmented(design: Design, root: Array) -> tuple[Array, Array]:
    """Ridge is least squares with one more row per column: √λ β_j should be 0."""
    if not root.any():
        return design.Z, design.y
    return np.vstack([design.Z, np.diag(root)]), np.concatenate([design.y, np.zeros(len(root))])


def _least_squares(A: Array, y: Array) -> Array:
    if A.shape[1] == 0:
        return np.zeros(0)
    return np.asarray(np.linalg.lstsq(A, y, rcond=EPSILON * max(A.shape))[0])


# --- one column, or one direction, after the other -------------------------------------------------------------------


def by_normal_equation(columns: Array, y: Array, l2: float, sizes: list[int]) -> Iterator[tuple[Array, bool]]:
    """Solve (Φ'Φ + λI) β = Φ'y for the first 1, 2, ... columns, as written; and whether the matrix was singular.

    ``columns`` are raw but centred. This is the textbook formula, which squares the condition number.
    """
    import scipy.linalg

    A, c = columns.T @ columns, columns.T @ y
    A[np.diag_indices_from(A)] += l2
    for k in sizes:
        beta = np.zeros(len(c))
        try:
            factor = scipy.linalg.cho_factor(A[:k, :k], check_finite=False)
            beta[:k] = scipy.linalg.cho_solve(factor, c[:k], check_finite=False)
            singular = not np.isfinite(beta).all()
        except np.linalg.LinAlgError:
            singular = True
        if singular:
            # equal lengths first, or a column of small numbers would count as nothing
            unit = np.sqrt(np.maximum(np.diag(A)[:k], np.finfo(float).tiny))
            beta[:k] = _least_squares(A[:k, :k] / unit / unit[:, None], c[:k] / unit) / unit
        yield beta, singular


def by_gram_schmidt(design: Design, penalty: Penalty, sizes: list[int]) -> Iterator[tuple[Array, bool]]:
    """QR: what is new in each column, orthogonal to those before it, explains its own part of the target.

    Yields the scaled coefficients after 1, 2, ... columns, and whether the last column had nothing new; such a one gets
    the coefficient 0. Orthogonalised twice, which is as good as Householder's way.
    """
    import scipy.linalg

    A, y = _augmented(design, design.scaled(penalty)[0])
    rows, p = A.shape
    Q, R = np.empty((rows, p)), np.zeros((p, p))
    kept: list[int] = []
    for j in range(p):
        column, m = A[:, j].copy(), len(kept)
        for _ in range(2):
            part = Q[:, :m].T @ column
            column -= Q[:, :m] @ part
            R[:m, m] += part
        size = float(np.sqrt(column @ column))
        new = size > 4.0 * EPSILON * max(rows, p) * float(np.sqrt(A[:, j] @ A[:, j]))
        if new:
            Q[:, m], R[m, m] = column / size, size
            kept.append(j)
        else:
            R[:, m] = 0.0
        if j + 1 in sizes:
            m, b = len(kept), np.zeros(p)
            b[kept] = scipy.linalg.solve_triangular(R[:m, :m], Q[:, :m].T @ y, check_finite=False) if m else 0.0
            yield b, not new


def by_directions(columns: Array, y: Array, l2: float, sizes: list[int]) -> Iterator[tuple[Array, Array, Array]]:
    """Pseudo-inverse: the singular directions from the longest on, each shrunk by d / (d + λ), d = s².

    ``columns`` are raw but centred. Yields the coefficients, the eigenvalues d (p,) of Φ'Φ, and the share that is kept
    of each direction so far; directions that are rounding errors keep nothing.
    """
    U, s, Vt = np.linalg.svd(columns, full_matrices=False)
    cut = EPSILON * max(columns.shape) * float(s.max(initial=0.0))
    true = s > cut
    safe = np.where(true, s, 1.0)
    share = np.where(true, 1.0 / (1.0 + l2 / safe / safe), 0.0)
    weights = share / safe * (U.T @ y)
    for k in sizes:
        k = min(k, len(s))
        yield Vt[:k].T @ weights[:k], s**2, np.where(np.arange(len(s)) < k, share, 0.0)


# --- soft thresholds -------------------------------------------------------------------------------------------------


def soft(value: float, threshold: float) -> float:
    """sign(value) max(|value| - threshold, 0)."""
    if value > threshold:
        return value - threshold
    return value + threshold if value < -threshold else 0.0


@dataclass(slots=True)
class CoordinateDescent:
    """One coefficient at a time: b_j <- soft(z_j'(residual without b_j), l1_j / 2) / (1 + l2_j).

    For the raw columns that is soft(x_j'r, λα/2) / (x_j'x_j + λ(1 - α)). A working object of one run.
    """

    H: Array  # (p, p) Z'Z with the l2 prices on the diagonal
    c: Array  # (p,) Z'y
    l1: Array  # (p,)
    b: Array  # (p,)

    @classmethod
    def of(cls, design: Design, penalty: Penalty, start: Array) -> CoordinateDescent:
        """The start of a descent."""
        root, l1 = design.scaled(penalty)
        return cls(design.Z.T @ design.Z + np.diag(root**2), design.Z.T @ design.y, l1, start.copy())

    def step(self, j: int) -> tuple[float, float]:
        """Improve one coefficient; gives what was correlated with the column, and the threshold."""
        before, diagonal = float(self.b[j]), float(self.H[j, j])
        correlation = float(self.c[j] - self.H[j] @ self.b) + diagonal * before
        threshold = 0.5 * float(self.l1[j])
        self.b[j] = soft(correlation, threshold) / diagonal if diagonal > 0.0 else 0.0
        return correlation, threshold

    def finish(self) -> None:
        """Go to the end in one step: see :func:`sign_search`."""
        self.b = sign_search(self.H, self.c, self.l1, self.b)

    def sweep(self) -> None:
        """Improve every coefficient once."""
        for j in range(len(self.b)):
            self.step(j)

    def violation(self) -> float:
        """The largest violation of the optimality conditions |2 z_j'r| <= l1 (or = l1 sign b), relative to 2|y|."""
        return kkt_violation(self.H, self.c, self.l1, self.b)


def kkt_violation(H: Array, c: Array, l1: Array, b: Array) -> float:
    """How far b is from the minimum of b'Hb - 2c'b + Σ l1|b|: 0 there and nowhere else."""
    slope = 2.0 * (c - H @ b)
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
        active = np.flatnonzero(b)
        slope = 2.0 * (c - H @ b)
        settled = np.abs(slope[active] - l1[active] * np.sign(b[active])).max(initial=0.0) <= tolerance
        signs = np.sign(b)
        if settled:
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
    """The best of the solution for these signs and the places on the way where a coefficient changes its sign."""
    wanted = np.zeros(len(b))
    wanted[active] = _solve_symmetric(H[np.ix_(active, active)], c[active] - 0.5 * l1[active] * signs[active])
    step = wanted - b
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where((b != 0.0) & (b * wanted <= 0.0), -b / step, 1.0)
    best, lowest = b, _objective(H, c, l1, b)
    for t in np.unique(share[(share > 0.0) & (share <= 1.0)]).tolist():
        place = wanted
        if t < 1.0:
            place = b + t * step
            place[share == t] = 0.0
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
        return _least_squares(A, c)
    return np.asarray(found) if np.isfinite(found).all() else _least_squares(A, c)


def _polished(H: Array, c: Array, l1: Array, b: Array, tolerance: float) -> Array:
    """Rounding has stopped the search (columns that say the same): coordinate descent takes over."""
    descent = CoordinateDescent(H, c, l1, b.copy())
    for _ in range(200):
        if descent.violation() <= tolerance:
            break
        descent.sweep()
    return descent.b
