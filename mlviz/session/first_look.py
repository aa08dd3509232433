"""The two features of a new table in which there is most to see."""

from __future__ import annotations

import itertools

import numpy as np

from algorithms.data import Array, Points
from algorithms.data.scaling import measured_columns

MOST = 12
"""So many of the features that tell most by themselves are tried in pairs."""
SAMPLE = 2000


def telling_axes(data: Points) -> tuple[int, int] | None:
    """The pair of measured features that separates the classes best, or the two that go with the value most.

    Two features separate two classes as far as their means lie apart in units of the spread within the classes (the
    Mahalanobis distance D); what overlaps, the sum of exp(-D²/8) over all pairs of classes, is to be least. None where
    there is no target, or there are not two features.
    """
    columns = [j for j in measured_columns(data) if np.ptp(data.X[:, j]) > 0.0]
    if data.y is None or len(columns) < 2 or data.n < 3:
        return None
    step = max(data.n // SAMPLE, 1)
    X, y = data.X[::step, columns], data.y[::step]
    with np.errstate(all="ignore"):
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
    Z = np.nan_to_num(Z, posinf=0.0, neginf=0.0)
    if data.is_valued:
        best = _by_correlation(Z, y)
    else:
        within, means = _within_and_means(Z, y)
        alone = [_overlap(within, means, (j,)) for j in range(len(columns))]
        some = np.sort(np.argsort(alone, kind="stable")[:MOST])
        best = min(itertools.combinations(some.tolist(), 2), key=lambda pair: _overlap(within, means, pair))
    return columns[best[0]], columns[best[1]]


def _by_correlation(Z: Array, y: Array) -> tuple[int, int]:
    strength = np.abs(Z.T @ (y - y.mean()))
    first, second = np.sort(np.argsort(-strength, kind="stable")[:2]).tolist()
    return first, second


def _within_and_means(Z: Array, y: Array) -> tuple[Array, Array]:
    """The covariance within the classes (d, d), and the means of the classes (c, d)."""
    labels, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    means = np.zeros((len(labels), Z.shape[1]))
    np.add.at(means, numbers, Z)
    means /= counts[:, None]
    rest = Z - means[numbers]
    return rest.T @ rest / len(Z), means


def _overlap(within: Array, means: Array, columns: tuple[int, ...]) -> float:
    """How much the classes overlap along these columns: the sum of exp(-D²/8) over their pairs."""
    places = np.ix_(columns, columns)
    ridge = 1e-6 * np.trace(within[places]) + 1e-12
    inverse = np.linalg.inv(within[places] + ridge * np.eye(len(columns)))
    apart = means[:, None, columns] - means[None, :, columns]
    return float(np.exp(-np.einsum("abi,ij,abj->ab", apart, inverse, apart) / 8.0).sum())
