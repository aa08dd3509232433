"""The mathematics of Laplacian eigenmaps: weights of edges, the Laplacian of the graph, and its smoothest vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.data import Array
from algorithms.maths.cloud_stage import FirstMap
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.spectra import smallest_above_zero

LEAST = 1e-12
"""No edge weighs less than this beside the heaviest: it would not join anything in numbers of this precision."""


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """How an edge weighs by its length: exp(-l^2 / (2 s^2)), or always 1 where there is no s."""

    s: float = 0.0

    @classmethod
    def of(cls, kind: str, width: float, lengths: Array) -> Kernel:
        """That of a graph with edges of these lengths, of which the width is so many times the mean."""
        return cls(width * float(lengths.mean()) if kind == "heat" else 0.0)

    def __call__(self, lengths: Array) -> Array:
        """The weights of edges of these lengths."""
        if not self.s > 0.0:
            return np.ones_like(lengths)
        return np.maximum(np.exp(-0.5 * np.square(lengths / self.s)), LEAST)


@dataclass(frozen=True, slots=True, eq=False)
class Laplacian:
    """L = D - A of a connected graph, and D itself."""

    matrix: Any  # L, a sparse array (m, m)
    strengths: Array  # (m,) the diagonal of D: what the edges of each point weigh together

    @classmethod
    def of(cls, graph: NeighbourGraph, weights: Array) -> Laplacian:
        """That of a graph whose edges have these weights."""
        from scipy.sparse import csr_array, diags_array

        A = NeighbourGraph(graph.n, graph.edges, weights).matrix()
        strengths = np.asarray(A.sum(axis=1))
        return cls(csr_array(diags_array(strengths) - A), strengths)

    def smoothest(self, count: int, weighted: bool, flat: bool) -> tuple[Array, Array]:
        """The smallest eigenvalues after the 0 of the constant vector, rising, and their vectors (m, count).

        With ``weighted`` those of L v = l D v with V'DV = I, otherwise of L v = l v with V'V = I.
        """
        from scipy.sparse import diags_array

        if not weighted:
            constant = np.full(len(self.strengths), 1.0 / np.sqrt(len(self.strengths)))
            return smallest_above_zero(self.matrix, constant, count, flat)
        root = np.sqrt(self.strengths)
        scaled = diags_array(1.0 / root) @ self.matrix @ diags_array(1.0 / root)
        values, vectors = smallest_above_zero(scaled, root / np.linalg.norm(root), count, flat)
        return values, vectors / root[:, None]

    def tension(self, places: Array, weighted: bool) -> float:
        """How long the edges are in a map: 1/2 sum A_ij |z_i - z_j|^2 beside sum d_i |z_i|^2, or sum |z_i|^2."""
        masses = self.strengths if weighted else np.ones(len(places))
        middle = masses @ places / masses.sum()
        size = float(masses @ np.square(places - middle).sum(axis=1))
        return float((places * (self.matrix @ places)).sum()) / size if size > 0.0 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """What it takes to find the place of a new point: until the map unrolls it is that of principal components."""

    first: FirstMap
    X: Array  # (m, d) the members, around 0 and of size one
    neighbours: int  # to which a point is joined, or 0 where there is
    radius: float
    reaches: Array  # (m,) how far the last neighbour of each member is
    kernel: Kernel
    weighted: bool
    values: Array  # (k,) the eigenvalues of the coordinates
    places: Array  # (m, k) in the map; empty until known
    unrolled: float = 0.0  # from 0 to 1

    def place(self, X: Array) -> Array:
        """Places (q, k) of new points, by the formula of Nystrom: as smooth as the eigenvectors are elsewhere."""
        return self.first.unrolled(X, self.unrolled, self._smooth)

    def _smooth(self, X: Array) -> Array:
        """sum_j w_j z_j / (sum_j w_j (1 - l)), or / (sum_j w_j - l): what L v = l D v, or L v = l v, says of a row."""
        from scipy.spatial.distance import cdist

        lengths = np.asarray(cdist(X, self.X))  # exactly 0 for a member itself
        weights = np.where(self._joined(lengths), self.kernel(lengths), 0.0)
        total = weights.sum(axis=1, keepdims=True)
        shrink = 1.0 - self.values if self.weighted else 1.0 - self.values / total
        return np.asarray(weights @ self.places / total / np.maximum(shrink, 0.1))  # rough vectors have no such formula

    def _joined(self, lengths: Array) -> Array:
        """Whom new points are joined to, (q, m): the rule of the graph; whoever lies on a member is that member."""
        apart = np.where(lengths > 0.0, lengths * (1.0 - 1e-12), np.inf)  # the last neighbour counts, too
        if self.neighbours:
            k = min(self.neighbours, len(self.X) - 1)
            last = np.partition(apart, k - 1, axis=1)[:, k - 1, None]
            joined = (apart <= last) | (apart <= self.reaches)
        else:
            joined = apart <= self.radius
        joined = (joined | (apart == apart.min(axis=1, keepdims=True))) & np.isfinite(apart)
        return joined | ~joined.any(axis=1, keepdims=True)  # all members lie in this one place


def reaches_of(graph: NeighbourGraph, neighbours: int) -> Array:
    """How far the last of the nearest neighbours of each point is, (n,); 0 where points are joined by a radius.

    Whoever else is joined to a point is farther away than those, so it is the k-th of its edges by length.
    """
    if not neighbours:
        return np.zeros(graph.n)
    ends, lengths = graph.edges.T.ravel(), np.tile(graph.lengths, 2)
    order = np.lexsort((lengths, ends))
    first = np.searchsorted(ends[order], np.arange(graph.n))
    return np.asarray(lengths[order][first + neighbours - 1])
