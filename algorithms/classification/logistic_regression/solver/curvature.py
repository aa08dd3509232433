"""Newton's step: the shortest solution of H x = g for a positive semi-definite matrix of second derivatives.

A few hundred unknowns are found by Cholesky's method, and more (a thousand features, or a few hundred of ten classes)
by conjugate gradients, which never write the matrix down: it would need gigabytes, and its factors minutes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

MOST_DIRECT = 1000
"""With more unknowns than this the matrix is not written down."""
_SINGULAR = 1e-12
"""Directions whose curvature is below this fraction of the largest one are flat: nothing is known about them."""
_ROUNDS = 300
_ACCURACY = 1e-10
_POWERS = 60


def solve_flat(H: Array, g: Array, k: int) -> Array:
    """The shortest solution of H x = g for a positive semi-definite H.

    The softmax does not change when all classes get the same coefficients added: those directions are flat by
    construction, g has no part in them, and they are filled up so that Cholesky's method works. Other flat directions
    (a constant column, two equal ones, fewer points than features) need the eigenvalues.
    """
    filled = H
    if k > 1:
        p = len(H) // k
        filled = H + np.kron(np.ones((k, k)) / k, np.eye(p) * float(np.diag(H).max(initial=0.0)))
    try:
        factor = np.linalg.cholesky(filled)
    except np.linalg.LinAlgError:
        return _by_eigenvalues(H, g)
    pivots = np.square(np.diag(factor))
    if pivots.min() <= _SINGULAR * pivots.max():
        return _by_eigenvalues(H, g)
    from scipy.linalg.lapack import dpotrs  # ``cho_solve`` calls it, after fifty microseconds of questions

    return np.asarray(dpotrs(factor, g, lower=True)[0])


def _by_eigenvalues(H: Array, g: Array) -> Array:
    values, vectors = np.linalg.eigh(H)
    curved = values > _SINGULAR * max(values[-1], 0.0)
    vectors = vectors[:, curved]
    return np.asarray(vectors @ ((vectors.T @ g) / values[curved]))


def solve_by_products(times: Callable[[Array], Array], g: Array) -> Array:
    """The same by conjugate gradients, from what H does to a direction; g and the solution have any shape.

    They begin at 0 and never leave the directions in which there is curvature, so that the solution is the shortest
    one. Where they are given up before the end, what was found is still a way down.
    """
    x, left = np.zeros_like(g), g.copy()
    direction, size = left, float(np.vdot(left, left))
    enough = _ACCURACY**2 * size
    for _ in range(_ROUNDS):
        checkpoint()
        bent = times(direction)
        curvature = float(np.vdot(direction, bent))
        if size <= enough or curvature <= 0.0:
            break
        x = x + size / curvature * direction
        left = left - size / curvature * bent
        before, size = size, float(np.vdot(left, left))
        direction = left + size / before * direction
    return x


def largest_eigenvalue(features: Array, fractions: Array) -> float:
    """Of features^T diag(fractions) features, by powers: from below, and nearly it."""
    direction, value = features.T @ fractions, 0.0
    for _ in range(_POWERS):
        checkpoint()
        size = float(np.linalg.norm(direction))
        if not size > 0.0:
            break
        direction = features.T @ (fractions * (features @ (direction / size)))
        value = float(np.linalg.norm(direction))
    return value
