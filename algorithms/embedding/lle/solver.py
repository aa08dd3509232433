"""The mathematics of locally linear embedding: weights that rebuild every point, and the map that they rebuild, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.cloud_stage import FirstMap
from algorithms.maths.distances import squared_distances
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.nearest_points import nearest_others
from algorithms.maths.spectra import smallest_above_zero

_ROWS = 256  # of a table at a time
CELLS = 1 << 18
"""Numbers in the tables of neighbours that are worked on at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The neighbours of every point, one list after the other."""

    starts: Array  # (n + 1,)
    heads: Array  # (s,)

    @classmethod
    def nearest(cls, X: Array, k: int) -> Lists:
        """The k nearest others of each."""
        k = min(k, len(X) - 1)
        return cls(np.arange(len(X) + 1) * k, nearest_others(X, k).points.ravel())

    @classmethod
    def joined(cls, graph: NeighbourGraph) -> Lists:
        """All to whom a point is joined."""
        tails = np.concatenate([graph.edges[:, 0], graph.edges[:, 1]])
        heads = np.concatenate([graph.edges[:, 1], graph.edges[:, 0]])
        order = np.lexsort((heads, tails))
        return cls(np.searchsorted(tails[order], np.arange(graph.n + 1)), heads[order])

    def by_length(self) -> list[tuple[Array, Array]]:
        """Points with as many neighbours (r,), and their neighbours (r, k); those without any are left out."""
        lengths = np.diff(self.starts)
        found = []
        for k in np.unique(lengths[lengths > 0]).tolist():
            rows = np.flatnonzero(lengths == k)
            found.append((rows, self.heads[self.starts[rows, None] + np.arange(k)]))
        return found


def weights_for(points: Array, X: Array, neighbours: Array, ridge: float) -> Array:
    """The weights (q, k), adding up to 1, with which the neighbours (q, k) among X rebuild the points best.

    C_jl = (x - x_j)'(x - x_l),    w = (C + v I)^-1 1 divided by its sum,    v = ridge · trace C

    Without the ridge there is no single best answer where there are more neighbours than features.
    """
    q, k = neighbours.shape
    weights = np.empty((q, k))
    size = max(1, CELLS // (k * max(k, X.shape[1])))
    for start in range(0, q, size):
        checkpoint()
        some = slice(start, start + size)
        gaps = points[some, None] - X[neighbours[some]]  # (r, k, d)
        largest = np.abs(gaps).max(axis=(1, 2), keepdims=True)
        gaps = np.divide(gaps, largest, out=np.zeros_like(gaps), where=largest > 0.0)  # squares must not vanish
        products = gaps @ gaps.transpose(0, 2, 1)
        trace = np.trace(products, axis1=1, axis2=2)
        products[:, np.arange(k), np.arange(k)] += np.where(trace > 0.0, ridge * trace, ridge)[:, None]
        found = np.linalg.solve(products, np.ones((len(gaps), k, 1)))[..., 0]
        weights[some] = found / found.sum(axis=1, keepdims=True)
    return weights


def all_weights(X: Array, lists: Lists, ridge: float) -> Array:
    """W (n, n): row i has the weights that rebuild point i; a point without neighbours has none."""
    W = np.zeros((len(X), len(X)))
    for rows, neighbours in lists.by_length():
        weights = weights_for(X[rows], X, neighbours, ridge)
        for start in range(0, len(rows), _ROWS):  # pages of new memory take their time, too
            checkpoint()
            some = slice(start, start + _ROWS)
            W[rows[some, None], neighbours[some]] = weights[some]
    return W


def left_over(W: Array, lists: Lists, members: Array) -> Any:
    """A = I - W of the members, as a sparse array: A z is what the weights leave over of z."""
    from scipy.sparse import csr_array, eye_array

    n = len(W)
    tails = np.repeat(np.arange(n), np.diff(lists.starts))
    whole = csr_array((W[tails, lists.heads], lists.heads, lists.starts), shape=(n, n))
    part = whole if len(members) == n else whole[members][:, members]
    return csr_array(eye_array(len(members)) - part)


def closed_groups(A: Any) -> int:
    """How many groups of points have no neighbour outside: each shrinks to a single place of the map.

    They are the closed classes of the walk that goes from a point to any of its neighbours.
    """
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(A, directed=True, connection="strong")
    tails = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    leaves = labels[tails] != labels[A.indices]
    return int(count - len(np.unique(labels[tails[leaves]])))


def bottom(A: Any, count: int, flat: bool) -> tuple[Array, Array]:
    """The smallest eigenvalues of M = A'A, rising, after the 0 of the constant vector, and their vectors."""
    m = A.shape[0]
    constant = np.full(m, 1.0 / np.sqrt(m))
    checkpoint()
    products = A.T @ A
    checkpoint()
    _, vectors = smallest_above_zero(products.tocsc(), constant, count, flat)
    exact = np.square(A @ vectors).sum(axis=0)  # |A v|^2: squaring A has lost half of the digits
    order = np.argsort(exact, kind="stable")
    return exact[order], vectors[:, order]


def misfit(A: Any, places: Array) -> float:
    """How much of a map its weights leave over: sqrt(sum |z_i - sum_j W_ij z_j|^2 / sum |z_i|^2)."""
    size = float(np.square(places).sum())
    return float(np.sqrt(np.square(A @ places).sum() / size)) if size > 0.0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """What it takes to find the place of a new point: until the map unrolls it is that of principal components."""

    first: FirstMap
    X: Array  # (m, d) the members, around 0 and of size one
    neighbours: int  # by whom a point is rebuilt, or 0 where they are all within
    radius: float
    ridge: float
    places: Array  # (m, k) in the map; empty until known
    unrolled: float = 0.0  # from 0 to 1

    def place(self, X: Array) -> Array:
        """Places (q, k) of new points: the weights that rebuild them from their neighbours, used in the map."""
        return self.first.unrolled(X, self.unrolled, self._rebuilt)

    def _rebuilt(self, X: Array) -> Array:
        places = np.empty((len(X), self.places.shape[1]))
        for row, squares in enumerate(squared_distances(X, self.X)):
            near = self._near(squares)
            places[row] = weights_for(X[row, None], self.X, near[None], self.ridge)[0] @ self.places[near]
        return places

    def _near(self, squares: Array) -> Array:
        if self.neighbours:
            return np.argsort(squares, kind="stable")[: self.neighbours]
        near = np.flatnonzero(squares <= self.radius**2)
        return near if len(near) else np.array([int(squares.argmin())])  # whoever is alone goes to the nearest
