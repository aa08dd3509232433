"""The mathematics of the fit: one function for each method of solution.

All of them minimise the *sum*

    Σ_i loss(y_i - f(x_i)) + λ [α Σ_j |β_j| + (1 - α) Σ_j β_j²]   or   ... + λ Σ_j |β_j|^q,   f(x) = b + Σ_j β_j h_j(x)

without 1/n and without ½, over the coefficients β of the columns as they are; the intercept b is free of the penalty
because columns and target are centred first. Inside, columns are scaled to length 1 (and the penalty with them), which
changes nothing in the solution and saves many digits with powers of x.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.coordinate_descent import sign_search
from algorithms.maths.design import EPSILON, Design, count_directions, least_squares
from algorithms.maths.losses import Loss
from algorithms.maths.penalties import Penalty
from algorithms.maths.power_penalty import solve_power


def solve(design: Design, penalty: Penalty, start: Array | None = None) -> Array:
    """The scaled coefficients of least cost; the shortest ones when there are many.

    Exact, but for a penalty that is not convex (q < 1): then the bottom of the valley that a descent from ``start``,
    or from the best of a few starts, ends in.
    """
    if penalty.closed:
        return solve_linear(design, penalty, design.y)
    root, l1 = design.scaled(penalty)
    G, c = design.Z.T @ design.Z, design.Z.T @ design.y
    if penalty.lq:
        return solve_power(G, c, design.power_prices(penalty), penalty.q, start)
    return sign_search(G + np.diag(root**2), c, l1, start)


def solve_linear(design: Design, penalty: Penalty, y: Array) -> Array:
    """The scaled coefficients without l1, for one target (n,) or several (n, k): they are linear in it."""
    if penalty.directions is not None:
        return along_directions(design, y, penalty.directions)
    return least_squares(*augmented(design, design.scaled(penalty)[0], y), design.n)


def along_directions(design: Design, y: Array, wanted: int) -> Array:
    """Principal component regression: β = V_m S_m⁻¹ U_m'y along m singular directions, as scaled coefficients."""
    U, s, Vt = np.linalg.svd(design.Z * design.lengths, full_matrices=False)
    m = count_directions(s, max(design.n, *design.Z.shape), wanted)
    return np.asarray((Vt[:m].T * design.lengths[:, None] / s[:m]) @ (U[:, :m].T @ y))


def reweighted(
    columns: Array, y: Array, centred: bool, penalty: Penalty, loss: Loss, start: tuple[float, Array] | None = None
) -> Iterator[tuple[float, Array, Array]]:
    """Iteratively reweighted least squares: (intercept, coefficients, weights) after each step, without an end.

    Points with a large residual get a small weight, and the weighted problem is solved exactly, again and again. No
    step raises the objective, because the weighted squares touch the loss from above. A corner of the loss, where the
    weight would be infinite, is rounded by an edge that becomes sharper from step to step.
    """
    edge, sharpest = np.inf, 1e-12 * (float(np.abs(y).max(initial=0.0)) or 1.0)
    weights = np.ones(len(y))
    if start is not None:
        residuals = y - start[0] - columns @ start[1]
        weights = loss.weights(residuals, max(float(np.median(np.abs(residuals))), sharpest))
    scaled: Array | None = None
    while True:
        checkpoint()
        design = Design.of(columns, y, centred, weights)
        scaled = solve(design.reduced(), penalty, scaled)
        intercept, beta = design.coefficients(scaled)
        residuals = y - intercept - columns @ beta
        edge = max(min(float(np.median(np.abs(residuals))), _SHARPER * edge), sharpest)
        weights = loss.weights(residuals, edge)
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
    *_, found = fitting(columns, y, centred, penalty, loss, start)
    return found


def fitting(
    columns: Array,
    y: Array,
    centred: bool,
    penalty: Penalty,
    loss: Loss,
    start: tuple[float, Array] | None = None,
) -> Iterator[tuple[float, Array]]:
    """The same step by step; the last one is the answer."""
    if loss.kind == "squared":
        design = Design.of(columns, y, centred)
        yield design.coefficients(solve(design.reduced(), penalty))
        return
    before = np.inf
    for step, (intercept, beta, _) in enumerate(reweighted(columns, y, centred, penalty, loss, start), start=1):
        cost = float(loss.each(y - intercept - columns @ beta).sum()) + penalty.of(beta)
        if step == _MOST_STEPS or (cost >= before * (1.0 - 1e-8) and not (loss.cornered and step < _STEPS_TO_A_CORNER)):
            break
        yield intercept, beta
        before = cost
    yield through_points(columns, y, centred, loss, intercept, beta) if not penalty.priced else (intercept, beta)


_MOST_STEPS = 100
_STEPS_TO_A_CORNER = 40
_SHARPER = 0.7


def through_points(
    columns: Array, y: Array, centred: bool, loss: Loss, intercept: float, beta: Array
) -> tuple[float, Array]:
    """For a loss with a corner: the curve through the nearest points, as many as there are coefficients, if it is best.

    Without a penalty one of the best curves passes through so many points: the cost is linear between them.
    """
    if not loss.cornered:
        return intercept, beta
    table = np.column_stack([np.ones(len(y)), columns]) if centred else columns
    lengths = np.sqrt(np.einsum("ij,ij->j", table, table))
    table = table / np.where(lengths > 0.0, lengths, 1.0)
    nearest = np.argsort(np.abs(y - intercept - columns @ beta), kind="stable")
    chosen = nearest[_first_independent(table[nearest[: 4 * table.shape[1] + 8]])]
    found = least_squares(table[chosen], y[chosen]) / np.where(lengths > 0.0, lengths, 1.0)
    at = (float(found[0]), found[1:]) if centred else (0.0, found)
    cost, now = (float(loss.each(y - a - columns @ b).sum()) for a, b in (at, (intercept, beta)))
    return at if np.isfinite(cost) and cost <= now else (intercept, beta)


def _first_independent(rows: Array) -> list[int]:
    """The numbers of the first rows, each of which says something that those before it have not said."""
    Q = np.empty((0, rows.shape[1]))
    kept: list[int] = []
    for number, row in enumerate(rows):
        new = row - (Q @ row) @ Q
        new -= (Q @ new) @ Q
        size = float(np.sqrt(new @ new))
        if size > 1e-8 * float(np.sqrt(row @ row)):
            Q, kept = np.vstack([Q, new / size]), [*kept, number]
    return kept


def augmented(design: Design, root: Array, y: Array) -> tuple[Array, Array]:
    """Ridge is least squares with one more row per column: √λ β_j should be 0."""
    if not root.any():
        return design.Z, y
    return np.vstack([design.Z, np.diag(root)]), np.concatenate([y, np.zeros((len(root), *y.shape[1:]))])


def by_directions(
    columns: Array, y: Array, l2: float, sizes: list[int], n: int = 0
) -> Iterator[tuple[Array, Array, Array]]:
    """Pseudo-inverse: the singular directions from the longest on, each shrunk by d / (d + λ), d = s².

    ``columns`` are raw but centred, perhaps reduced from ``n`` rows. Yields the coefficients, the eigenvalues d (p,) of
    Φ'Φ, and the fraction that is kept of each direction so far; directions that are rounding errors keep nothing.
    """
    U, s, Vt = np.linalg.svd(columns, full_matrices=False)
    cut = EPSILON * max(n, *columns.shape) * float(s.max(initial=0.0))
    true = s > cut
    safe = np.where(true, s, 1.0)
    fraction = np.where(true, 1.0 / (1.0 + l2 / safe / safe), 0.0)
    weights = fraction / safe * (U.T @ y)
    for k in sizes:
        k = min(k, len(s))
        yield Vt[:k].T @ weights[:k], s**2, np.where(np.arange(len(s)) < k, fraction, 0.0)
