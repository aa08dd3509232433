"""A few eigenvectors at one end of the spectrum of a large matrix.

Where the smallest eigenvalues of M are sought, M - s is factorised once, with a shift s just below 0, and Lanczos's
method finds the largest eigenvalues of its inverse: they lie far apart, where those of M itself crowd near 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

DENSE = 200
"""Matrices up to this size are decomposed whole."""
CROWDED = 0.04
"""A matrix with a larger fraction of entries than this that are not 0 is factorised as a full one."""
_BLOCK = 192  # columns that are factorised at once
ACCURACY = 1e-10
"""How near, beside itself, an eigenvalue has to be."""
SHIFT = 1e-11
"""How far below 0 the shift is, beside the mean of the diagonal."""


def smallest_above_zero(matrix: Any, null: Array, count: int, flat: bool) -> tuple[Array, Array]:
    """The smallest eigenvalues of a symmetric matrix without negative ones, except for the known zero.

    Parameters
    ----------
    matrix : array or sparse array of shape (m, m)
        M, symmetric.
    null : array of shape (m,)
        A unit vector with M null = 0; the others are sought at right angles to it.
    count : int
        How many, at most m - 1.
    flat : bool
        The matrix is that of a graph of points with few features, which parts well: then it is factorised as a sparse
        one. Graphs in many dimensions fill up, and are better factorised as full ones from the beginning.

    Returns
    -------
    values : array of shape (count,), rising
    vectors : array of shape (m, count)
    """
    m = len(null)
    count = min(count, m - 1)
    if count < 1:
        return np.empty(0), np.empty((m, 0))
    scale = float(matrix.diagonal().mean()) or 1.0
    if m <= max(DENSE, 3 * count):
        full = _full(matrix)
        top = 2.0 * float(np.abs(full).sum(axis=1).max()) + scale  # above every eigenvalue
        values, vectors = np.linalg.eigh(full + top * np.outer(null, null))
        return values[:count], vectors[:, :count]
    crowded = isinstance(matrix, np.ndarray) or matrix.nnz > CROWDED * m * m
    solve, shift = _sparse_solver(matrix, scale) if flat and not crowded else _full_solver(matrix, scale)

    def inverse(vector: Array) -> Array:
        checkpoint()
        vector = vector - null * (null @ vector)
        found = solve(vector)
        return np.asarray(found - null * (null @ found))

    values, vectors = lanczos(inverse, m, count)
    values = 1.0 / values - shift
    return np.maximum(values, 0.0), vectors


def largest(matrix: Array, count: int) -> tuple[Array, Array]:
    """The largest eigenvalues of a full symmetric matrix, falling, and their vectors (m, count)."""
    m = len(matrix)
    count = min(count, m)
    if m <= max(DENSE, 3 * count):
        values, vectors = np.linalg.eigh(matrix)
        return values[::-1][:count].copy(), vectors[:, ::-1][:, :count].copy()
    return lanczos(symmetric_product(matrix), m, count)


def symmetric_product(matrix: Array) -> Callable[[Array], Array]:
    """Vectors (m,) times a full symmetric matrix; a long search can be called off between two of them."""
    from scipy.linalg.blas import dsymv

    columns = np.asfortranarray(matrix.T)

    def times(vector: Array) -> Array:
        checkpoint()
        return np.asarray(dsymv(1.0, columns, vector))  # half of a symmetric matrix is all that has to be read

    return times


def lanczos(times: Callable[[Array], Array], m: int, count: int) -> tuple[Array, Array]:
    """The largest eigenvalues of a symmetric operator on vectors (m,), falling, and their vectors."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    start = np.cos(np.arange(m))  # any fixed vector that is not perpendicular to one that is sought
    operator = LinearOperator((m, m), matvec=times, dtype=np.float64)
    values, vectors = eigsh(operator, count, which="LA", v0=start, tol=ACCURACY)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _sparse_solver(matrix: Any, scale: float) -> tuple[Callable[[Array], Array], float]:
    """The inverse of M with a little added to its diagonal, and how much."""
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    shifted = csc_array(matrix + SHIFT * scale * eye_array(matrix.shape[0]))
    checkpoint()
    parts = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return parts.solve, SHIFT * scale


def _full_solver(matrix: Any, scale: float) -> tuple[Callable[[Array], Array], float]:
    """The same for a full matrix."""
    from scipy.linalg import cho_solve

    lower, shift = None, SHIFT * scale
    while lower is None:
        checkpoint()
        full = _full(matrix)
        full[np.diag_indices_from(full)] += shift
        try:
            lower = cholesky_by_blocks(full)
        except np.linalg.LinAlgError:  # by rounding an eigenvalue near 0 may be below it
            shift *= 100.0
    upper = lower.T  # column by column, as LAPACK wants it
    return lambda vector: np.asarray(cho_solve((upper, False), vector, check_finite=False)), shift


def cholesky_by_blocks(matrix: Array) -> Array:
    """L with L L' = M, in the lower half of the matrix itself; one block of columns after the other.

    LAPACK would do it in one call of some seconds, which cannot be called off.
    """
    from scipy.linalg import solve_triangular

    for start in range(0, len(matrix), _BLOCK):
        checkpoint()
        columns, before = slice(start, start + _BLOCK), matrix[start : start + _BLOCK, :start]
        matrix[start:, columns] -= matrix[start:, :start] @ before.T
        corner = np.linalg.cholesky(matrix[columns, columns])
        matrix[columns, columns] = corner
        below = matrix[start + _BLOCK :, columns]
        if len(below):
            below[:] = solve_triangular(corner, below.T, lower=True, check_finite=False).T
    return matrix


def _full(matrix: Any) -> Array:
    """A full copy."""
    return matrix.copy() if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())
