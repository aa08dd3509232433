"""The mathematics of a dividing line: side test, the 0-1 error over all lines, and the cone of those without error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.hulls import hull_of
from algorithms.maths.margins import widest_margin
from algorithms.maths.scales import mean_and_spread

CELLS = 61
"""Angles and offsets of the map; an odd number, so that 0 is one of each."""
_WIDE = 20.0
"""Where the cone has no end in a direction its picture is cut off, this many times as wide as it is long."""


def unit_normal(angle: float, d: int) -> Array:
    """The unit normal (d,) at so many degrees, in the plane of the first two features; of one feature only its sign."""
    turn = np.deg2rad(angle)
    normal = np.zeros(d)
    if d == 1:
        normal[0] = 1.0 if np.cos(turn) >= 0.0 else -1.0
    else:
        normal[:2] = np.cos(turn), np.sin(turn)
    return normal


def wrong_over_offsets(along: Array, signs: Array, offsets: Array) -> Array:
    """How many points (b,) are wrong for each offset c, where those with ``along`` >= c are called the second class."""
    second, first = np.sort(along[signs > 0.0]), np.sort(along[signs < 0.0])
    return np.asarray(np.searchsorted(second, offsets) + len(first) - np.searchsorted(first, offsets))


def wrong_over_angles(X: Array, signs: Array, angles: Array, offset: float) -> Array:
    """How many points (a,) are wrong for each angle at this offset; ``X`` is seen from the place turned about."""
    wrong = np.empty(len(angles), dtype=np.int64)
    for number, angle in enumerate(angles.tolist()):
        if number % 32 == 0:
            checkpoint()
        along = X @ unit_normal(angle, X.shape[1])
        wrong[number] = np.count_nonzero((along >= offset) != (signs > 0.0))
    return wrong


@dataclass(frozen=True, slots=True, eq=False)
class Staircase:
    """The 0-1 error over all lines: piecewise constant, so its slope is 0 and tells nobody where to go."""

    angles: Array  # (a,) degrees
    offsets: Array  # (b,) signed distances from the middle
    wrong: Array  # (b, a) points on the wrong side
    known: int = 0  # so many angles have been counted

    @classmethod
    def none(cls, reach: float) -> Staircase:
        """Nothing counted yet; offsets go as far as the points."""
        shape = (CELLS, CELLS)
        return cls(np.linspace(-180.0, 180.0, CELLS), np.linspace(-reach, reach, CELLS), np.zeros(shape, dtype=int))

    def counted(self, X: Array, signs: Array, until: int) -> Staircase:
        """The same with more angles."""
        wrong = self.wrong.copy()
        for column in range(self.known, until):
            checkpoint()
            along = X @ unit_normal(float(self.angles[column]), X.shape[1])
            wrong[:, column] = wrong_over_offsets(along, signs, self.offsets)
        return Staircase(self.angles, self.offsets, wrong, until)

    @property
    def best(self) -> tuple[int, float, float]:
        """The fewest wrong points of the lines counted so far, and the angle and offset of such a line."""
        known = self.wrong[:, : self.known]
        fewest = int(known.min())
        rows, columns = (known == fewest).nonzero()
        middle = len(rows) // 2
        return fewest, float(self.angles[columns[middle]]), float(self.offsets[rows[middle]])

    @property
    def levels(self) -> int:
        """How many different steps there are."""
        return len(np.unique(self.wrong[:, : self.known]))


def cone_of_solutions(X: Array, signs: Array) -> Array | None:
    """Edges (k, 3) of the cone of all z with z . y (x, 1) > 0 for all points of the plane; None where it is empty.

    With u inside the cone every z is a multiple of u + s e1 + t e2, and each point asks 1 + s a + t b >= 0: a polygon
    in the plane of (s, t), whose corners belong to the edges of the hull of all (a, b).
    """
    rows = signs[:, None] * np.column_stack([X, np.ones(len(X))])
    _, inside = widest_margin(rows)
    if inside is None:
        return None
    across = np.linalg.svd(inside[None])[2][1:]  # e1 and e2
    asked = (rows @ across.T) / (rows @ inside)[:, None]
    asked = np.concatenate([asked, np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) / _WIDE])
    corners = asked[hull_of(asked)]
    edges = np.roll(corners, -1, axis=0) - corners
    outward = np.column_stack([edges[:, 1], -edges[:, 0]])
    away = np.einsum("ij,ij->i", outward, corners)
    kept = away > 1e-12 * np.abs(outward).max()
    rays = inside - (outward[kept] / away[kept, None]) @ across
    return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


class Bells(NamedTuple):
    """Each class taken for a Gaussian, in the first two features: the first class, then the second one."""

    means: Array  # (2, 1 or 2), seen from the place about which the line turns
    covariances: Array  # (2, 1 or 2, 1 or 2), divided by n
    counts: Array  # (2,)

    @classmethod
    def of(cls, X: Array, signs: Array) -> Bells:
        """From points that are seen from the place about which the line turns."""
        means, covariances, counts = [], [], []
        for sign in (-1.0, 1.0):
            own = X[signs == sign, :2]
            means.append(own.mean(axis=0))
            covariances.append((own - means[-1]).T @ (own - means[-1]) / len(own))
            counts.append(len(own))
        return cls(np.array(means), np.array(covariances), np.array(counts))

    def beyond(self, normal: Array, offsets: Array) -> Array:
        """How much (2, b) of the mass of each class lies on the wrong side of the line, for each of the offsets (b,).

        Along the normal a Gaussian is a bell, so it is the tail of a bell.
        """
        normal = normal[: self.means.shape[1]]
        own_side = np.array([-1.0, 1.0])[:, None] * ((self.means @ normal)[:, None] - offsets)
        variances = np.einsum("i,kij,j->k", normal, self.covariances, normal)
        deviations = np.sqrt(np.maximum(variances, 0.0))[:, None]
        steps = np.where(own_side < 0.0, 1.0, np.where(own_side > 0.0, 0.0, 0.5))  # of a class that is one place
        return np.where(deviations > 0.0, ndtr(-own_side / np.where(deviations > 0.0, deviations, 1.0)), steps)


def widest_line(X: Array, signs: Array) -> tuple[Array, float]:
    """The unit normal and the offset of the line with the widest margin, for classes in the plane that can be parted.

    It halves the shortest segment between the hulls, which begins or ends in a corner.
    """
    first, second = (X[signs == sign][hull_of(X[signs == sign])] for sign in (-1.0, 1.0))
    corner, foot = _nearest(second, first)
    v, u = min(_nearest(first, second), (foot, corner), key=lambda ends: float(np.square(ends[1] - ends[0]).sum()))
    normal = (u - v) / np.sqrt(np.square(u - v).sum())
    return normal, float(normal @ (u + v)) / 2.0


def _nearest(corners: Array, outline: Array) -> tuple[Array, Array]:
    """The corner that is nearest to a closed outline, and the nearest place there."""
    along = np.roll(outline, -1, axis=0) - outline
    length = np.square(along).sum(axis=1)
    offset = corners[:, None] - outline
    fraction = np.clip(np.einsum("ijk,jk->ij", offset, along) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    feet = outline + fraction[:, :, None] * along
    i, j = np.unravel_index(np.square(corners[:, None] - feet).sum(axis=2).argmin(), fraction.shape)
    return corners[i], feet[i, j]


@dataclass(frozen=True, slots=True, eq=False)
class Solutions:
    """The lines of the plane without a mistake."""

    cone: Array  # (k, 3) edges of the cone of all z, in standard units
    normal: Array  # (2,) of the line with the widest margin
    offset: float  # of that line

    @classmethod
    def of(cls, X: Array, origin: Array, signs: Array) -> Solutions | None:
        """None where no line separates the classes."""
        at, unit = standard(X, origin)
        cone = cone_of_solutions(at, signs)
        if cone is None:
            return None
        normal, offset = widest_line(at, signs)
        return cls(cone, normal, unit * offset)


def standard(X: Array, origin: Array) -> tuple[Array, float]:
    """The first two features seen from the origin, in units of their largest spread, and that unit."""
    two = X[:, :2]
    unit = float(mean_and_spread(two)[1].max())
    return (two - origin[:2]) / unit, unit
