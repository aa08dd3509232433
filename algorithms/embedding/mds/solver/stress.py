"""Stress: how badly the distances in a map fit the distances asked for, and ways down.

With f_ij = |z_i - z_j| in the map Z (n, m) and the distances d_ij asked for, over all pairs i < j,

    stress          S = sum (f_ij - d_ij)^2          gradient of S: 2 (n Z - B(Z) Z) for a centred map,
    squared stress  T = sum (f_ij^2 - d_ij^2)^2      gradient of T at z_i: 4 sum_j (f_ij^2 - d_ij^2) (z_i - z_j),

where B(Z) has -d_ij / f_ij off the diagonal and rows that sum to 0. Majorisation (SMACOF) puts a bowl onto S that
touches it at Z and lies nowhere below; its lowest place is G = B(Z) Z / n, the transform of Guttman. So S never rises,
and the way from Z to G is the step along the gradient of length 1/(2n). Along the gradient of T the squared stress is a
polynomial of the fourth degree, whose lowest place is found exactly.

Neither is what classical scaling minimises: that is the strain, the misfit of the inner products. (The notes print the
squared stress above the solution of the strain; the two agree where some map has exactly the distances asked for.)

Methods for Data Science section 12.5.2; Kruskal 1964; de Leeuw 1977; Takane, Young, de Leeuw 1977.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint

_BLOCK = 1 << 14  # pairs worked on at once: they stay in the cache, and a run can be called off


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """What one look at all pairs of a map finds."""

    stress: float  # sqrt(S / sum d^2), 0 for a perfect map and 1 when all points are in one place
    squared_stress: float  # sqrt(T / sum d^4)
    direction: Array  # (n, m) from Z to the lowest place of the bowl, or the negative gradient of T / 4


def centred(places: Array) -> Array:
    """The same map around 0."""
    return np.asarray(places - places.mean(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """The distances asked for, with their sums."""

    distances: Array  # (n, n)
    squares: float  # sum d^2 over the table
    fourths: float  # sum d^4

    @classmethod
    def of(cls, distances: Array) -> Wanted:
        """The table with its sums."""
        squares = fourths = 0.0
        for part in _blocks(*distances.shape):
            block = np.square(distances[part])
            squares += float(block.sum())
            fourths += float(np.vdot(block, block))
        return cls(distances, squares, fourths)

    def stresses(self, places: Array) -> tuple[float, float]:
        """Stress and squared stress of a map."""
        raw = squared = 0.0
        space = _Space(*self.distances.shape)
        for part in _blocks(*self.distances.shape):
            gap, excess = space.gaps(self.distances[part], *space.lengths(places[part], places))
            raw += float(np.vdot(gap, gap))
            squared += float(np.vdot(excess, excess))
        return _fraction(raw, self.squares), _fraction(squared, self.fourths)

    def misfit(self, places: Array, squared: bool = False) -> Misfit:
        """The stresses of a centred map of all points, and the way down the one or the other, in one pass."""
        raw = fourth = 0.0
        direction, space = np.empty_like(places), _Space(*self.distances.shape)
        for part in _blocks(*self.distances.shape):
            wanted = self.distances[part]
            squares, found = space.lengths(places[part], places)
            ratio = space.ratios(wanted, found)
            gap, excess = space.gaps(wanted, squares, found)
            raw += float(np.vdot(gap, gap))
            fourth += float(np.vdot(excess, excess))
            pull = excess if squared else ratio
            direction[part] = pull.sum(axis=1)[:, None] * places[part] - pull @ places
        direction = -direction if squared else direction / len(places) - places
        return Misfit(_fraction(raw, self.squares), _fraction(fourth, self.fourths), direction)

    def lowest_along(self, places: Array, direction: Array) -> float:
        """The step t > 0 at which the squared stress of Z + t direction is least, 0 when it rises from the first."""
        coefficients = np.zeros(5)  # of 1, t, t^2, t^3, t^4
        own = np.einsum("ij,ij->i", places, direction)
        for part in _blocks(*self.distances.shape):
            excess = _squares(places[part], places) - np.square(self.distances[part])
            turn = _squares(direction[part], direction)
            meet = own[part, None] + own - places[part] @ direction.T - direction[part] @ places.T
            coefficients += (
                np.vdot(excess, excess),
                4.0 * np.vdot(excess, meet),
                4.0 * np.vdot(meet, meet) + 2.0 * np.vdot(excess, turn),
                4.0 * np.vdot(meet, turn),
                np.vdot(turn, turn),
            )
        if not coefficients[4] > 0.0:
            return 0.0
        roots = np.roots(np.polynomial.polynomial.polyder(coefficients)[::-1])
        ahead = roots.real[(np.abs(roots.imag) <= 1e-9 * np.abs(roots)) & (roots.real > 0.0)]
        if not len(ahead):
            return 0.0
        return float(ahead[np.polynomial.polynomial.polyval(ahead, coefficients).argmin()])

    def best_size(self, places: Array) -> float:
        """The factor by which a map is to be blown up so that its stress is least."""
        shared = squares = 0.0
        for part in _blocks(*self.distances.shape):
            found = np.sqrt(_squares(places[part], places))
            shared += float(np.vdot(found, self.distances[part]))
            squares += float(np.vdot(found, found))
        return shared / squares if squares > 0.0 else 1.0


class _Space:
    """Memory for the tables of one block. New memory for each would take longer than what is done in it."""

    def __init__(self, count: int, width: int) -> None:
        self._tables = np.empty((4, min(count, max(1, _BLOCK // width)), width))

    def lengths(self, some: Array, places: Array) -> tuple[Array, Array]:
        """f^2 and f between some places and all."""
        from scipy.spatial.distance import cdist

        squares, found = self._tables[:2, : len(some)]
        cdist(some, places, "sqeuclidean", out=squares)
        return squares, np.sqrt(squares, out=found)

    def ratios(self, wanted: Array, found: Array) -> Array:
        """D / f, and 0 for points in one place, which do not know which way to part."""
        ratio: Array = self._tables[2, : len(found)]
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(wanted, found, out=ratio)
        ratio[found == 0.0] = 0.0
        return ratio

    def gaps(self, wanted: Array, squares: Array, found: Array) -> tuple[Array, Array]:
        """F - d and f^2 - d^2, in the place of f and f^2."""
        squares -= np.square(wanted, out=self._tables[3, : len(wanted)])
        found -= wanted
        return found, squares


def _squares(some: Array, places: Array) -> Array:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(some, places, "sqeuclidean"))


def _fraction(part: float, whole: float) -> float:
    return float(np.sqrt(part / whole)) if whole > 0.0 else 0.0


def _blocks(count: int, width: int) -> Iterator[slice]:
    size = max(1, _BLOCK // width)
    for start in range(0, count, size):
        checkpoint()
        yield slice(start, start + size)
