"""Least squares and ridge, one column after the other: the textbook's equation, and the one that keeps the digits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from algorithms.data import Array
from algorithms.maths.design import EPSILON, Design, least_squares
from algorithms.maths.linear_fits import augmented
from algorithms.maths.penalties import Penalty


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
            beta[:k] = least_squares(A[:k, :k] / unit / unit[:, None], c[:k] / unit) / unit
        yield beta, singular


def by_gram_schmidt(design: Design, penalty: Penalty, sizes: list[int]) -> Iterator[tuple[Array, bool]]:
    """QR: what is new in each column, orthogonal to those before it, explains its own part of the target.

    Yields the scaled coefficients after 1, 2, ... columns, and whether the last column had nothing new; such a one gets
    the coefficient 0. Orthogonalised twice, which is as good as Householder's method.
    """
    from scipy.linalg import lapack

    A, y = augmented(design, design.scaled(penalty)[0], design.y)
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
        new = size > 4.0 * EPSILON * max(design.n, p) * float(np.sqrt(A[:, j] @ A[:, j]))
        if new:
            Q[:, m], R[m, m] = column / size, size
            kept.append(j)
        else:
            R[:, m] = 0.0
        if j + 1 in sizes:
            m, b = len(kept), np.zeros(p)
            b[kept] = lapack.dtrtrs(R[:m, :m], Q[:, :m].T @ y)[0] if m else 0.0
            yield b, not new


def spectrum_of(columns: Array) -> Array:
    """The eigenvalues of Φ'Φ from the largest on, one for each column: (p,)."""
    s = np.linalg.svd(columns, compute_uv=False)
    return np.append(s**2, np.zeros(columns.shape[1] - len(s)))
