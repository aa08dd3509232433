"""Who is near whom: the nearest other points of every point, and whether a map shows the same neighbours.

A map is trustworthy when points that are neighbours in it are neighbours in the data, too. With the k nearest points of
i in the map U_i and the place r(i, j) of j among the neighbours of i in the data (1 for the nearest),

    T = 1 - 2 / (n k (2n - 3k - 1)) sum_i sum_{j in U_i} max(r(i, j) - k, 0)

is 1 when no stranger has come in and about 1/2 for a map drawn at random. For many points the sum goes over an even
selection of them.

Venna and Kaski 2001 (Neighborhood preservation in nonlinear projection methods).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import squared_distances
from algorithms.maths.maps import evenly
from algorithms.maths.nearest_points import others_in
from algorithms.maths.words import counted

NEIGHBOURS = 10
"""Neighbours in the map that are looked at, where there are points enough."""
SAMPLE = 300
"""Points whose neighbours are looked at."""
_CELLS = 1 << 17  # of the table of ranks that are sorted at a time


def trust_words(trust: float, k: int) -> str:
    """How trustworthy a map is, as a clause; k is 0 where there are too few points to say."""
    return (
        f"the trustworthiness ({counted(k, 'neighbour')}) is {trust:.3f}"
        if k
        else "there are too few points to judge it"
    )


@dataclass(frozen=True, slots=True, eq=False)
class KnownNeighbours:
    """The order of all points around some of them, with which maps are compared."""

    rows: Array  # (s,) the points that are asked
    ranks: Array  # (s, n) 1 for the nearest other point, and so on; 0 for the point itself
    k: int

    @classmethod
    def of(cls, X: Array, k: int = NEIGHBOURS, sample: int = SAMPLE) -> KnownNeighbours:
        """The order around an even selection of points; k is lowered to less than half of them."""
        n = len(X)
        rows = evenly(n, sample)
        ranks = np.empty((len(rows), n), dtype=np.int32)
        size = max(1, _CELLS // n)
        for start in range(0, len(rows), size):
            checkpoint()
            some = rows[start : start + size]
            squared = squared_distances(X[some], X)
            squared[np.arange(len(some)), some] = -1.0  # before the points that are equal to it
            order = np.argsort(squared, axis=1, kind="stable")
            np.put_along_axis(ranks[start : start + size], order, np.arange(n, dtype=np.int32)[None], axis=1)
        return cls(rows, ranks, min(k, (n - 1) // 2))

    def trustworthiness(self, places: Array) -> float:
        """From 0 to 1, how far neighbours in a map (n, m) are neighbours in the data; 1 where there are too few."""
        from scipy.spatial import cKDTree

        n, k = len(places), self.k
        if k == 0:
            return 1.0
        found = np.asarray(cKDTree(places).query(places[self.rows], k=k + 1)[1])
        near = found[others_in(found, self.rows)].reshape(-1, k)
        excess = np.maximum(np.take_along_axis(self.ranks, near, axis=1) - k, 0)
        return float(1.0 - 2.0 * excess.sum() / (len(self.rows) * k * (2.0 * n - 3.0 * k - 1.0)))
