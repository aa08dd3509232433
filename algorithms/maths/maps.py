"""Maps of points by their distances: how good they are, how they are turned, and the pictures that judge them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.interrupt import checkpoint
from algorithms.marks import Bars, Cloud3D, Curve, Mark, Matrix, Scatter
from algorithms.maths.words import counted, number, percent
from algorithms.records import dataclass

SAMPLE = 100
"""Points whose distances to all others measure how good a map is."""
PAIRS = 1500
"""Pairs of points in the Shepard plot."""
TABLE = 160
"""Rows of a table of distances that are shown, evenly chosen."""
NEGATIVE = -1e-9
"""An eigenvalue below this fraction of the largest is negative; above it, it is a zero with rounding."""
EQUAL = 1e-6
"""Eigenvalues nearer than this beside the largest one shown are equal."""
KEPT, REST, BELOW, DROPPED = 0, -1, 1, 1
"""The groups of the eigenvalue bars."""
_SMALL = 1e-60  # fourth powers of such distances are nothing
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

        r correlates distances in the map with those asked for. All three are the same in any unit.
        """
        largest = float(self.distances.max(initial=0.0))
        if 0.0 < largest < _SMALL:
            some = self.distances / largest
            return SampledDistances(self.rows, some, some - some.mean(), np.square(some)).quality(places / largest)
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


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """One map moved, turned, mirrored and stretched until it lies as near as may be to another."""

    places: Array  # (m, k) the second map after that
    residual: float  # sum of the squared distances left, as a fraction of the first map's around its centre: 0 to 1


def procrustes(places: Array, other: Array) -> Fitted:
    """Lay another map of the same points over a map; where one has fewer coordinates, the missing ones are 0.

    With both around 0 and A'B = U S V', the best turn is U V', the best size is trace S / |B|^2, and what is left of
    |A|^2 is 1 - (trace S)^2 / (|A|^2 |B|^2).
    """
    wide = max(places.shape[1], other.shape[1])
    one, two = (np.pad(each, ((0, 0), (0, wide - each.shape[1]))) for each in (places, other))
    middle = one.mean(axis=0)
    one, two = one - middle, two - two.mean(axis=0)
    sizes = float(np.linalg.norm(one)), float(np.linalg.norm(two))
    if not min(sizes) > 0.0:
        return Fitted(np.zeros_like(one) + middle, 0.0 if max(sizes) == 0.0 else 1.0)
    one, two = one / sizes[0], two / sizes[1]
    left, lengths, right = np.linalg.svd(two.T @ one)
    common = min(float(lengths.sum()), 1.0)
    return Fitted(two @ (left @ right) * (common * sizes[0]) + middle, 1.0 - common**2)


def first_columns(vectors: Array, dimensions: int) -> Array:
    """The first eigenvectors as coordinates; those that do not exist stay 0."""
    used = vectors[:, :dimensions]
    return np.pad(used, ((0, 0), (0, dimensions - used.shape[1])))


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


def scores_mark(places: Array, data: Points, names: Sequence[str]) -> Mark:
    """The map of the first two coordinates of many (n, k), or of all three; one alone is parted by the target."""
    columns = 3 if places.shape[1] == 3 else min(places.shape[1], 2)
    axes = (*names[:columns], *[""] * (3 - columns))
    heights = None if data.y is None else data.y.astype(np.float64)
    return map_mark(places[:, :columns], heights=heights, target=data.target, axes=axes)


def one_of_each(data: Points, most: int) -> Array:
    """A few points that are shown one by one: the first of some classes, or evenly chosen ones."""
    if not data.classes or data.y is None:
        return evenly(data.n, most)
    _, first = np.unique(data.y, return_index=True)
    return np.asarray(first[evenly(len(first), most)])


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


def rising_bars(values: Array, dimensions: int) -> Bars:
    """The smallest eigenvalues as bars, beginning with the 0 of a constant vector, which is dropped."""
    groups = np.full(len(values), REST)
    groups[1 : dimensions + 1] = KEPT
    groups[0] = DROPPED
    names = tuple(str(number) for number in range(len(values)))
    return Bars(values, names, groups=groups, group_names=("kept", "dropped: constant"))


def is_negative(values: Array) -> Array:
    """Which eigenvalues, falling, are negative by more than rounding."""
    return np.asarray(values < NEGATIVE * max(float(values[0]), 0.0))


def require_coordinates(Z: Array, count: int) -> None:
    """A sentence where rows of a map have more or fewer coordinates than it has."""
    if Z.shape[1] != count:
        raise DataError(f"The map has {count} coordinates; these rows have {Z.shape[1]}.")


def equal_eigenvalues(values: Array, dimensions: int) -> str:
    """A warning when the last eigenvalue that is kept and the first that is not are equal; else nothing."""
    if (
        len(values) <= dimensions
        or not abs(values[dimensions] - values[dimensions - 1]) <= EQUAL * np.abs(values).max()
    ):
        return ""
    return (
        f"Eigenvalues {dimensions} and {dimensions + 1} are equal: any turn of their vectors is as good, so this map "
        "is one of many."
    )


def equal_distances(distances: Array, n: int) -> str:
    """A warning when all others (n, k) of all points are equally far away; else nothing."""
    if distances.shape[1] < n - 1 or n < 4 or not np.ptp(distances) <= EQUAL * distances.max():
        return ""
    return ALIKE


ALIKE = "All points are equally far from each other: none is nearer than another, so where they lie is random."


def distance_table(distances: Array, points: Array, unknown: Array | None = None) -> Matrix:
    """The picture of a part of a table of distances; ``points`` says whose rows these are."""
    if unknown is not None:
        distances = np.where(unknown, 0.0, distances)
        unknown = unknown if unknown.any() else None
    return Matrix(distances, points, False, unknown, "distance")


def opening_words(data: Points, dimensions: int, further: str = "") -> str:
    """The caption of a first frame, in which the map is that of principal components."""
    flat = "a line" if dimensions == 1 else "a plane" if dimensions == 2 else "space"
    return (
        f"{counted(data.n, 'point')} with {counted(data.d, 'feature')}; the map shows their projection onto {flat} by "
        f"principal components{further}."
    )


def spectrum_words(values: Array, dimensions: int) -> str:
    """What the eigenvalues say, without a full stop."""
    first, last = float(values[0]), float(values[-1])
    shown = [number(value, first) for value in values[: dimensions + 1].tolist()]
    kept = ", ".join(shown[:dimensions])
    verb = "eigenvalue is" if len(shown[:dimensions]) == 1 else "eigenvalues are"
    following = f"; the next is {shown[dimensions]}" if len(shown) > dimensions else ""
    if is_negative(values)[-1]:
        below = f"the most negative is {number(last)}, {percent(-last / first)} of the largest"
    else:
        below = "none is negative"
    return f"The largest {verb} {kept}{following}; {below}"


def smallest_words(values: Array, dimensions: int) -> str:
    """What the eigenvalues after the one of the constant vector say, without a full stop."""
    shown = [number(value) for value in values[1 : dimensions + 2].tolist()]
    verb = "eigenvalue is" if len(shown[:dimensions]) == 1 else "eigenvalues are"
    following = f"; the next is {shown[dimensions]}" if len(shown) > dimensions else ""
    return f"the kept {verb} {', '.join(shown[:dimensions])}{following}"
