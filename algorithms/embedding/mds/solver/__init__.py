"""The mathematics of multidimensional scaling, beside what it shares with Isomap in ``maths/scaling``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Data, DataError, Distances, Points
from algorithms.embedding.mds.solver.stress import Wanted, centred
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.maps import evenly
from algorithms.maths.scaling import ends_of_spectrum

MOST_ROWS = 4000
"""The table of more distances than this does not fit into the memory of a small computer."""
WHOLE = 300
"""Tables up to this size have all their eigenvalues found."""
LARGEST, SMALLEST = 12, 6
"""How many are found at the two ends of the spectrum of a larger one."""
MOST_RANKED = 1200
"""Where only their order counts, all pairs are sorted; those of more rows than this would take too long."""
KNOTS = 400
"""Places at which a rising function is kept."""
CONVERGED = 1e-9
"""A new thing has found its place when it moves by less than this fraction of the map."""
_ROWS = 256  # of a table at a time


def distances_of(data: Data, ranked: bool = False) -> tuple[Array, float]:
    """The distances (n, n), of which the largest is 1, and the unit they now have.

    With ``ranked`` only their order will count.
    """
    from scipy.spatial.distance import cdist

    if data.n < 2:
        raise DataError("Multidimensional scaling needs the distances of at least two objects.")
    if data.n > MOST_ROWS:
        raise DataError(
            f"Multidimensional scaling keeps the distances of all pairs; {data.n:,} points have too many. "
            f"Use at most {MOST_ROWS:,}."
        )
    if ranked and data.n > MOST_RANKED:
        raise DataError(
            f"Non-metric scaling sorts the distances of all pairs at every step; {data.n:,} points have too many. "
            f"Use at most {MOST_RANKED:,}, or another kind."
        )
    if isinstance(data, Distances):
        refuse_overflow(data.table, "The distances")
        distances, size = np.empty_like(data.table), 1.0
        _fill(distances, lambda rows: data.table[rows])
    else:
        assert isinstance(data, Points)
        refuse_overflow(data.X)
        size = float(np.abs(data.X - data.X.mean(axis=0)).max()) or 1.0
        X, distances = data.X / size, np.empty((data.n, data.n))
        _fill(distances, lambda rows: cdist(X[rows], X))
    largest = max(float(distances[rows].max()) for rows in _blocks(data.n))
    unit = largest * size
    if largest > 0.0:
        _fill(distances, lambda rows: distances[rows] / largest)
    if not unit > 0.0:
        raise DataError("All distances are 0, so everything lies at one point and there is nothing to map.")
    return distances, unit


def _blocks(n: int) -> Iterator[slice]:
    """Some rows at a time; in between the run can be called off."""
    for start in range(0, n, _ROWS):
        checkpoint()
        yield slice(start, start + _ROWS)


def _fill(table: Array, part: Callable[[slice], Array]) -> None:
    for rows in _blocks(len(table)):
        table[rows] = part(rows)


def centred_rows(distances: Array, rows: Array) -> Array:
    """-1/2 D^2 with the mean of every row taken away, for some rows and the same columns."""
    some = distances[rows]
    means = -0.5 * np.einsum("ij,ij->i", some, some) / len(distances)
    return np.asarray(-0.5 * np.square(some[:, rows]) - means[:, None])


def spectrum(products: Array) -> tuple[Array, Array]:
    """The eigenvalues of B, falling, and the vectors of the largest; those at the two ends where there are many."""
    n = len(products)
    return ends_of_spectrum(products, n, 0) if n <= WHOLE else ends_of_spectrum(products, LARGEST, SMALLEST)


def upright(places: Array) -> Array:
    """The same map with the first thing on the right and below: eigenvectors have no sign, a map needs one.

    Where the first thing lies in the middle, it is the one farthest out.
    """
    size = np.abs(places).max(axis=0)
    first = np.where(np.abs(places[0]) > 1e-6 * size, 0, np.abs(places).argmax(axis=0))
    wanted = np.array([1.0, -1.0, 1.0])[: places.shape[1]]
    sign = np.sign(places[first, np.arange(places.shape[1])])
    return places * np.where(sign == 0.0, 1.0, sign * wanted)


def random_map(wanted: Wanted, like: Array, rng: np.random.Generator) -> Array:
    """Random places around 0, as far apart as suits the distances asked for."""
    places = centred(rng.standard_normal(like.shape))
    return places * wanted.best_size(places)


# --- by their order only ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The rising function of the distances asked for that is nearest to those in a map."""

    table: Array  # (n, n) what every distance is replaced by, with the sum of squares of the distances asked for
    rising: Array  # (2, r) the same as a function: some of the distances asked for, and their values
    stress: float  # Kruskal's: sqrt(sum (f - d)^2 / sum f^2) with the values of best size
    squared_stress: float  # the same for squares


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """The order of the distances asked for, over all pairs; equal ones stay equal."""

    order: Array  # (p,) the pairs, those with small distances first
    starts: Array  # (r,) where in that order each new distance begins
    levels: Array  # (r,) the different distances, rising
    squares: float  # sum d^2 over all pairs

    @classmethod
    def of(cls, wanted: Wanted) -> Ranks:
        """That of a table."""
        from scipy.spatial.distance import squareform

        pairs = squareform(wanted.distances, checks=False)
        checkpoint()
        order = np.argsort(pairs, kind="stable")
        checkpoint()
        rising = pairs[order]
        starts = np.flatnonzero(np.diff(rising, prepend=-1.0) > 0.0)
        return cls(order, starts, rising[starts], 0.5 * wanted.squares)

    def fitted(self, places: Array) -> Fitted:
        """Monotone regression of the distances in a map on those asked for (the second treatment of ties)."""
        from scipy.spatial.distance import pdist, squareform

        checkpoint()
        found = pdist(places)
        ordered = found[self.order]
        checkpoint()
        values = self._rising(ordered)
        checkpoint()
        counts = np.diff(self.starts, append=len(found))
        pairs = np.empty_like(found)
        pairs[self.order] = np.repeat(values, counts)
        stress = _fraction(found - pairs, found)
        squared = _fraction(np.square(found) - np.square(pairs), np.square(found))
        checkpoint()
        size = np.sqrt(self.squares / max(float(np.vdot(pairs, pairs)), np.finfo(float).tiny))
        shown = evenly(len(self.levels), KNOTS)
        rising = np.stack([self.levels[shown], values[shown] * size])
        return Fitted(np.asarray(squareform(pairs * size)), rising, stress, squared)

    def _rising(self, found: Array) -> Array:
        """The value of each level: the rising numbers (r,) nearest to the distances found, which are in order."""
        from scipy.optimize import isotonic_regression

        counts = np.diff(self.starts, append=len(found)).astype(np.float64)
        means = np.add.reduceat(found, self.starts) / counts
        return np.asarray(isotonic_regression(means, weights=counts).x)


def _fraction(part: Array, whole: Array) -> float:
    size = float(np.vdot(whole, whole))
    return float(np.sqrt(np.vdot(part, part) / size)) if size > 0.0 else 0.0


# --- something new ----------------------------------------------------------------------------------------------------


def new_distances(points: Array | None, X: Array, n: int) -> Array:
    """The distances (m, n) of new things to the old ones: from their features, or as they are given."""
    from scipy.spatial.distance import cdist

    width = n if points is None else points.shape[1]
    if X.shape[1] != width:
        what = f"its distances to all {n} rows of the table" if points is None else f"{width} features"
        raise DataError(f"The position of something new is found from {what}; got {X.shape[1]} numbers.")
    return X if points is None else np.asarray(cdist(X, points))


def placed_beside(places: Array, new: Array, distances: Array, most: int = 300) -> Array:
    """Each new thing (m, k) by steps that lower its own stress: to the mean of where each old thing wants it."""
    size = float(np.abs(places).max())
    for _ in range(most):
        gaps = new[:, None, :] - places
        found = np.sqrt(np.square(gaps).sum(axis=2))
        ratio = np.divide(distances, found, out=np.zeros_like(found), where=found > 0.0)
        after = (places + ratio[..., None] * gaps).mean(axis=1)
        moved = float(np.abs(after - new).max(initial=0.0))
        new = after
        if moved <= CONVERGED * size:
            break
    return new
