"""Maps of points by their distances: how good they are, how they are turned, and the pictures that judge them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.marks import Bars, Cloud3D, Curve, Mark, Matrix, Scatter

SAMPLE = 100
"""Points whose distances to all others measure how good a map is."""
PAIRS = 1500
"""Pairs of points in the Shepard plot."""
TABLE = 160
"""Rows of a table of distances that are shown, evenly chosen."""
NEGATIVE = -1e-9
"""An eigenvalue below this fraction of the largest is negative; above it, it is a zero with rounding."""
KEPT, REST, BELOW = 0, -1, 1
"""The groups of the eigenvalue bars."""
_BLOCK = 1 << 14  # distances worked on at once, so that they stay in the cache and a run can be called off


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of points that the Shepard plot shows."""

    rows: Array  # (p, 2) rows of the map
    wanted: Array  # (p,) the distances asked for


@dataclass(frozen=True, slots=True, eq=False)
class SampledDistances:
    """The distances that a map is compared with: those of some points to all."""

    rows: Array  # (s,)
    distances: Array  # (s, m)
    above: Array  # (s, m) the distances less their mean
    squares: Array  # (s, m)

    @classmethod
    def of(cls, distances: Array) -> SampledDistances:
        """An even selection of the rows of a table of distances."""
        rows = evenly(len(distances), SAMPLE)
        some = distances[rows]
        return cls(rows, some, some - some.mean(), np.square(some))

    def pairs(self, unit: float) -> Pairs:
        """Some of the pairs, for the Shepard plot."""
        m = self.distances.shape[1]
        row, second = np.divmod(evenly(self.distances.size, PAIRS), m)
        apart = self.rows[row] != second
        rows = np.stack([self.rows[row], second], axis=1)[apart]
        return Pairs(rows, self.distances[row, second][apart] * unit)

    def quality(self, places: Array) -> tuple[float, float, float]:
        """How well a map fits: its residual variance 1 - r^2, its stress and its squared stress.

        r correlates distances in the map with those asked for.
        """
        sums = np.zeros(5)
        size = max(1, _BLOCK // len(places))
        for start in range(0, len(self.rows), size):
            checkpoint()
            sums += self._sums(places, slice(start, start + size))
        total, squares, shared, raw, squared = sums
        above, wanted = self.above.ravel(), self.squares.ravel()
        spread = float(above @ above) * max(squares - total**2 / len(wanted), 0.0)
        residual = min(max(1.0 - shared**2 / spread, 0.0), 1.0) if spread > 0.0 else 1.0
        wanted_squares = float(wanted.sum())
        if not wanted_squares > 0.0:
            return residual, 0.0, 0.0
        return residual, float(np.sqrt(raw / wanted_squares)), float(np.sqrt(squared / (wanted @ wanted)))

    def _sums(self, places: Array, some: slice) -> tuple[float, ...]:
        """The sums over pairs from which the quality of a map is made."""
        from scipy.spatial.distance import cdist

        found = cdist(places[self.rows[some]], places).ravel()
        gap = found - self.distances[some].ravel()
        squares = np.square(found)
        total = float(squares.sum())
        squares -= self.squares[some].ravel()
        return (
            float(found.sum()),
            total,
            float(found @ self.above[some].ravel()),
            float(gap @ gap),
            float(squares @ squares),
        )


def evenly(count: int, most: int) -> Array:
    """At most ``most`` of the numbers 0 .. count - 1, evenly spread, both ends included."""
    return np.unique(np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.int64))


def eased(fraction: float) -> float:
    """From 0 to 1, slowly at both ends."""
    return fraction * fraction * (3.0 - 2.0 * fraction)


# --- turning ----------------------------------------------------------------------------------------------------------


def oriented(places: Array, like: Array) -> Array:
    """The same map with each coordinate pointing where that of the other map does: eigenvectors have no sign."""
    signs = np.where((places * like).sum(axis=0) < 0.0, -1.0, 1.0)
    return places * signs


def turned(places: Array, like: Array) -> Array:
    """A map turned or mirrored so that it is as near as may be to another around the same centre (Procrustes)."""
    left, _, right = np.linalg.svd(places.T @ like)
    return np.asarray(places @ (left @ right))


def laid_flat(places: Array, like: Array) -> Array:
    """A map laid into space (m, 3), turned to be as near as may be to other places there.

    A map of up to two dimensions is laid on the ground of the first two directions, where it can be seen.
    """
    ground = max(places.shape[1], 2)
    flat = np.pad(places, ((0, 0), (0, ground - places.shape[1])))
    return np.pad(turned(flat, like[:, :ground]), ((0, 0), (0, 3 - ground)))


# --- pictures ---------------------------------------------------------------------------------------------------------


def map_mark(
    places: Array,
    points: Array | None = None,
    values: Array | None = None,
    values_name: str = "",
    path: Array | None = None,
    heights: Array | None = None,
    target: str = "",
    names: tuple[str, ...] = (),
    axes: tuple[str, ...] = ("coordinate 1", "coordinate 2", "coordinate 3"),
) -> Mark:
    """A map of one, two or three dimensions (m, dimensions), with what the marks ``Scatter`` and ``Cloud3D`` know.

    ``heights`` (m,), called ``target``, spread the points of a single dimension upwards.
    """
    if places.shape[1] == 3:
        return Cloud3D(places, axes[:3], points, values, values_name, path=path)
    if places.shape[1] == 2:
        look = (values, values_name, path, True, axes[0], axes[1], names)
        return Scatter(places, points, None, None, *look)
    at = np.column_stack([places[:, 0], np.zeros(len(places)) if heights is None else heights])
    height_name = " " if heights is None else target
    return Scatter(at, points, values=values, values_name=values_name, x=axes[0], y=height_name, names=names)


def shepard_marks(pairs: Pairs, places: Array, members: Array) -> tuple[Mark, ...]:
    """Every pair at its distance in the map over the distance asked for; on the diagonal they are equal.

    ``members`` says which data point each row of the map is.
    """
    first, second = pairs.rows.T
    found = np.sqrt(np.square(places[first] - places[second]).sum(axis=1))
    ends = np.array([0.0, float(pairs.wanted.max(initial=0.0))])
    grey = np.full(len(found), -1)
    dots = Scatter(np.column_stack([pairs.wanted, found]), members[first], grey, members[second])
    return dots, Curve(ends, ends, "equal distances")


def spectrum_bars(values: Array, dimensions: int, n: int, largest: int) -> Bars:
    """The eigenvalues as bars: those that are kept, the other large ones, and the negative ones at the end.

    ``values`` are the ``largest`` ones of n eigenvalues, and some of the smallest.
    """
    below = is_negative(values)
    numbers = np.concatenate([np.arange(1, largest + 1), np.arange(n - (len(values) - largest) + 1, n + 1)])
    shown = below | (np.arange(len(values)) < largest)
    groups = np.full(len(values), REST)
    groups[: min(dimensions, len(values))] = KEPT
    groups[below] = BELOW
    names = tuple(str(number) for number in numbers[shown].tolist())
    return Bars(values[shown], names, groups=groups[shown], group_names=("kept", "negative"))


def is_negative(values: Array) -> Array:
    """Which eigenvalues, falling, are negative by more than rounding."""
    return np.asarray(values < NEGATIVE * max(float(values[0]), 0.0))


def distance_table(distances: Array, points: Array, unknown: Array | None = None) -> Matrix:
    """The picture of a part of a table of distances; ``points`` says whose rows these are."""
    if unknown is not None:
        distances = np.where(unknown, 0.0, distances)
        unknown = unknown if unknown.any() else None
    return Matrix(distances, points, False, unknown, "distance")


def spectrum_words(values: Array, dimensions: int) -> str:
    """What the eigenvalues say, without a full stop."""
    kept = ", ".join(f"{value:.3g}" for value in values[:dimensions])
    verb = "eigenvalue is" if dimensions == 1 else "eigenvalues are"
    following = f"; the next is {values[dimensions]:.3g}" if len(values) > dimensions else ""
    last = float(values[-1])
    if is_negative(values)[-1]:
        below = f"the most negative is {last:.3g}, {-100 * last / values[0]:.1f} % of the largest"
    else:
        below = "none is negative"
    return f"The largest {verb} {kept}{following}; {below}"
