"""Gaussian densities in d dimensions, by the Cholesky factors of the precisions and always as logarithms.

    log N(x | μ, Σ) = -½ (d log 2π + log det Σ + |L⁻¹(x - μ)|²)        Σ = L Lᵀ

The normaliser has (2π)^(-d/2) with the *dimension* d; the notes print the number of components there (Methods for Data
Science, eq. 10.3). Points come feature by feature, (d, n), and results component by component, (k, n): the long axis is
the contiguous one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

_BLOCK = 1 << 16  # numbers in a block
_CUBE = 1 << 24  # numbers times dimensions of the covariances that are taken apart at once
_FEW_ROWS = 16
_LARGEST_EXPONENT = 700.0
_LOG_2PI = math.log(2.0 * math.pi)


def log_sum_exp(values: Array) -> Array:
    """The logarithm of Σ_k exp(v_kn) for every column (n,), without overflow."""
    return softmax(values)[1]


def softmax(values: Array) -> tuple[Array, Array]:
    """exp(v_kn) / Σ_k exp(v_kn), (k, n), and the logarithm of the denominator, (n,)."""
    probabilities, logs = np.empty(values.shape), np.empty(values.shape[1])
    for block in blocks(*values.shape):
        part, top = probabilities[:, block], values[:, block].max(axis=0)
        np.subtract(values[:, block], top, out=part)
        np.exp(part, out=part)
        total = part.sum(axis=0)
        part /= total
        logs[block] = np.log(total)
        logs[block] += top
    return probabilities, logs


def largest_rows(values: Array) -> Array:
    """The row (n,) of the largest entry of every column, the first one in a tie."""
    if len(values) > _FEW_ROWS:
        return values.argmax(axis=0)
    # NumPy's own search goes through one column after the other; row by row is several times faster
    labels, best = np.zeros(values.shape[1], dtype=np.intp), values[0].copy()
    for number in range(1, len(values)):
        np.putmask(labels, values[number] > best, number)
        np.maximum(best, values[number], out=best)
    return labels


def blocks(k: int, n: int) -> Iterator[slice]:
    """Parts of n columns of k numbers that stay near the processor: what is larger goes to the memory every time.

    Between them the work may be called off.
    """
    size = max(256, _BLOCK // max(k, 1))
    for start in range(0, n, size):
        checkpoint()
        yield slice(start, start + size)


def bounded_exp(values: Array) -> Array:
    """An exponential that ends at 1e304 instead of overflowing; a density is never infinite on the screen."""
    return np.exp(np.minimum(values, _LARGEST_EXPONENT))


def mass_within(deviations: float, d: Literal[1, 2]) -> float:
    """The probability that a Gaussian over one feature, or over two, falls within so many standard deviations.

    It is P(χ_d <= r): 68.27 % and 95.45 % for one and two deviations on a line, 39.35 % and 86.47 % in the plane.
    """
    return math.erf(deviations / math.sqrt(2.0)) if d == 1 else -math.expm1(-0.5 * deviations * deviations)


def whitening(covariances: Array) -> tuple[Array, Array]:
    """L⁻¹ (k, d, d) and log det Σ (k,) of covariances (k, d, d) that are positive definite."""
    lower = _in_parts(np.linalg.cholesky, covariances)
    log_determinants = 2.0 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    return _in_parts(np.linalg.inv, lower), log_determinants


def _in_parts(function: Callable[[Array], Array], covariances: Array) -> Array:
    """A function of every covariance; of a few large ones at a time, so that it can be called off between them."""
    k, d, _ = covariances.shape
    size = max(_CUBE // max(d, 1) ** 3, 1)
    if size >= k:
        return function(covariances)
    parts = []
    for start in range(0, k, size):
        checkpoint()
        parts.append(function(covariances[start : start + size]))
    return np.concatenate(parts)


def squared_mahalanobis(columns: Array, means: Array, inverse_factors: Array) -> Array:
    """(x - μ_k)ᵀ Σ_k⁻¹ (x - μ_k) of all points and components, (k, n), in one matrix product per block."""
    k, d = means.shape
    n = columns.shape[1]
    rows = inverse_factors.reshape(k * d, d)
    places = np.einsum("kij,kj->ki", inverse_factors, means).reshape(k * d, 1)
    squared = np.empty((k, n))
    for block in blocks(k * d, n):
        white = rows @ columns[:, block]
        white -= places
        white *= white
        squared[:, block] = white.reshape(k, d, -1).sum(axis=1)
    return squared


def log_densities(columns: Array, means: Array, covariances: Array) -> Array:
    """The logarithms of N(x_n | μ_k, Σ_k) for points (d, n), means (k, d), covariances (k, d, d): shape (k, n)."""
    inverse_factors, log_determinants = whitening(covariances)
    values = squared_mahalanobis(columns, means, inverse_factors)
    values += (means.shape[1] * _LOG_2PI + log_determinants)[:, None]
    values *= -0.5
    return values


def smallest_eigenvalues(covariances: Array) -> Array:
    """The least variance (k,) of every covariance, over all directions."""
    return _in_parts(np.linalg.eigvalsh, covariances)[:, 0]


def floored(covariances: Array, floor: float) -> Array:
    """The covariances with no variance below ``floor`` in any direction.

    Of all matrices with eigenvalues of at least ``floor``, this one has the highest likelihood, so that EM with a floor
    still never lowers the likelihood. (Adding the floor to the diagonal, as is often done, can lower it.)
    """
    return _in_parts(partial(_raised, floor=floor), covariances)


def _raised(covariances: Array, floor: float) -> Array:
    values, vectors = np.linalg.eigh(covariances)
    if values.min(initial=np.inf) >= floor:
        return covariances
    checkpoint()
    roots = vectors * np.sqrt(np.maximum(values, floor))[:, None, :]
    return roots @ roots.transpose(0, 2, 1)
