"""Classical scaling: coordinates from a table of distances alone.

    B = H (-1/2 D^2) H,    H = I - 1/n,    z_i = (sqrt(l_1) V_i1, ..., sqrt(l_m) V_im)

for the largest eigenvalues l of B with the eigenvectors V. When D holds straight distances, B is the matrix of inner
products of the centred points, so z are the scores of principal component analysis; when no points in any Euclidean
space have the distances D, B has negative eigenvalues.

Handbook section 3.1.2 (Alg. 4, whose line 10 means V_i1, not V_1i); Methods for Data Science section 12.5.2 (with the
factor 1/2, without which all coordinates are too large by sqrt 2); Torgerson 1952; Gower 1966.
"""

from __future__ import annotations

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.spectra import symmetric_product

_CHUNK = 256  # rows of a table at a time
_DENSE = 300  # matrices up to this size are decomposed whole
_ROWS_A_RESTART = 25
"""A search begins again once for so many rows at most: a third of the time of the whole decomposition.

One that has found nothing by then hardly ever does, among values that lie close together.
"""


def centred_products(distances: Array) -> Array:
    """B = H (-1/2 D^2) H: the inner products that centred points with these distances would have."""
    products, means = np.empty_like(distances), np.empty(len(distances))
    blocks = [slice(start, start + _CHUNK) for start in range(0, len(distances), _CHUNK)]
    for rows in blocks:
        checkpoint()
        np.square(distances[rows], out=products[rows])
        products[rows] *= -0.5
        means[rows] = products[rows].mean(axis=1)
    level = means - means.mean()
    for rows in blocks:
        checkpoint()
        products[rows] -= means[rows, None]
        products[rows] -= level
    return products


def gower(places: Array, norms: Array, distances: Array) -> Array:
    """Z = 1/2 (b - d^2) Z (Z'Z)^-1: where things with these distances (m, n) lie in a map (n, k) around 0."""
    size = float(np.abs(places).max())
    if not size > 0.0:
        return np.zeros((len(distances), places.shape[1]))
    Z = places / size
    inverse = np.linalg.pinv(Z.T @ Z, rcond=1e-12, hermitian=True)  # a coordinate may be all zeros
    return np.asarray(0.5 * (norms / size - distances / size * distances) @ Z @ inverse)


def ends_of_spectrum(matrix: Array, largest: int, smallest: int) -> tuple[Array, Array]:
    """The largest and the smallest eigenvalues of a symmetric matrix, falling, and the vectors of the largest.

    Returns
    -------
    values : array of shape (largest + smallest,), or (n,) when there are no more
    vectors : array of shape (n, largest), the columns in the order of the values
    """
    n = len(matrix)
    if n > max(_DENSE, 2 * (largest + smallest)) and matrix.any():
        found = _searched(matrix, largest, smallest)
        if found is not None:
            return found
    values, vectors = np.linalg.eigh(matrix)  # the drawing goes on meanwhile, unlike beside that of SciPy
    values, vectors = values[::-1], vectors[:, ::-1]
    if n > largest + smallest:
        values = np.concatenate([values[:largest], values[n - smallest :]])
    return np.array(values), np.array(vectors[:, :largest])


def _searched(matrix: Array, largest: int, smallest: int) -> tuple[Array, Array] | None:
    """The same by products with vectors alone, or None where that does not converge."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    n = len(matrix)
    start = np.cos(np.arange(n))  # any fixed vector that is not perpendicular to one that is sought
    operator = LinearOperator((n, n), matvec=symmetric_product(matrix), dtype=np.float64)
    both = 2 * max(largest, smallest) if smallest else largest  # one search for both takes half the products of two
    try:
        found, vectors = eigsh(operator, both, which="BE" if smallest else "LA", v0=start, maxiter=n // _ROWS_A_RESTART)
    except ArpackError:
        return None
    order = np.argsort(-found, kind="stable")
    return np.concatenate([found[order[:largest]], found[order[both - smallest :]]]), vectors[:, order[:largest]]


def coordinates(values: Array, vectors: Array, dimensions: int) -> Array:
    """Z = (sqrt(l_1) V_1, ...), (n, dimensions); a dimension whose eigenvalue is not positive stays zero."""
    used = min(dimensions, vectors.shape[1])
    places = np.zeros((len(vectors), dimensions))
    places[:, :used] = vectors[:, :used] * np.sqrt(np.maximum(values[:used], 0.0))
    return places


def classical_scaling(distances: Array, dimensions: int) -> Array:
    """Coordinates (n, dimensions) from a table of distances (n, n) alone."""
    return coordinates(*ends_of_spectrum(centred_products(distances), dimensions, 1), dimensions)
