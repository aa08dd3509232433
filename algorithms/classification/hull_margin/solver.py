"""The shortest segment between two convex hulls: the walks of Gilbert and of Mitchell, Demyanov and Malozemov.

The points of the two hulls are u = Σ λ_i x_i and v = Σ μ_j x_j with weights that are not negative and sum to 1 in each
class; no weight exceeds a cap where the hulls are reduced. Both walks shorten z = u - v, and both know how far they
are: for the corner s of all differences that lies deepest against z, no difference is shorter than <z, s> / |z|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from algorithms.data import Array
from algorithms.maths.design import least_squares

Method = Literal["Gilbert", "MDM"]
_FULL = 1.0 - 1e-12
NOTHING = 1e-13
"""A weight below this is what rounding left of one: the point has none."""


class Side(NamedTuple):
    """One of the two classes."""

    sign: float  # 1.0 for the hull of u, -1.0 for that of v
    members: Array  # (m,) which points these are
    rows: Array  # (m, d)
    cap: float  # the largest weight of a point

    def heights(self, z: Array) -> Array:
        """How deep the points (m,) lie against z: the least is the corner for this side."""
        found: Array = self.rows @ z
        return found if self.sign > 0.0 else -found


@dataclass(frozen=True, slots=True, eq=False)
class Hulls:
    """Two classes of points; ``X`` is seen from the middle and in units in which it reaches 1."""

    X: Array  # (n, d)
    signs: Array  # (n,) 1.0 for the hull of u, -1.0 for that of v
    caps: Array  # (n,) the largest weight of each point
    sides: tuple[Side, Side]

    @classmethod
    def of(cls, X: Array, signs: Array, cap: float) -> Hulls:
        """A cap that a class cannot fulfil is raised to 1 / (number of its points): its hull is then its mean."""
        members = np.flatnonzero(signs > 0.0), np.flatnonzero(signs < 0.0)
        one, two = (
            Side(sign, where, X[where], max(cap, 1.0 / len(where))) for sign, where in zip((1.0, -1.0), members)
        )
        return cls(X, signs, np.where(signs > 0.0, one.cap, two.cap), (one, two))

    def deepest(self, z: Array) -> Array:
        """The weights (n,) of the two corners whose difference lies deepest against z: for u the least <x, z>, for v
        the largest. With a cap it takes the points one after another until the weights are used up.
        """
        weights = np.zeros(len(self.signs))
        for side in self.sides:
            height = side.heights(z)
            if side.cap >= _FULL:
                weights[side.members[height.argmin()]] = 1.0
                continue
            order = side.members[np.argsort(height, kind="stable")]
            weights[order] = np.clip(1.0 - side.cap * np.arange(len(order)), 0.0, side.cap)
        return weights

    def difference(self, weights: Array) -> Array:
        """Z = u - v."""
        some = weights.nonzero()[0]
        return np.asarray((weights[some] * self.signs[some]) @ self.X[some])

    def pair(self, weights: Array) -> tuple[Array, Array]:
        """U and v."""
        some = weights.nonzero()[0]
        held, rows, ahead = weights[some], self.X[some], self.signs[some] > 0.0
        return np.asarray(np.where(ahead, held, 0.0) @ rows), np.asarray(np.where(ahead, 0.0, held) @ rows)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Where a walk goes next."""

    weights: Array
    points: Array  # (m,) the points that got weight in this step


def gilbert(hulls: Hulls, weights: Array, z: Array, corner: Array) -> Step:
    """The nearest place to the origin on the segment from z to the deepest corner."""
    towards = hulls.difference(corner) - z
    length = float(towards @ towards)
    step = min(max(-float(z @ towards) / length, 0.0), 1.0) if length > 0.0 else 0.0
    moved = (1.0 - step) * weights + step * corner
    moved[moved < NOTHING] = 0.0
    return Step(moved, np.flatnonzero(corner))


def mdm(hulls: Hulls, weights: Array, z: Array) -> Step:
    """Move weight from the worst point that has some to the best that can take more, in the class that gains most."""
    best: tuple[float, int, int] = (0.0, -1, -1)
    for side in hulls.sides:
        own, height = weights[side.members], side.heights(z)
        holding = own.nonzero()[0]
        high = int(holding[height[holding].argmax()])
        full = holding[own[holding] >= side.cap * _FULL]
        top = float(height[high])
        height[full] = np.inf
        low = int(height.argmin())
        excess = top - float(height[low])
        if np.isfinite(excess) and excess > best[0]:
            best = excess, int(side.members[high]), int(side.members[low])
    excess, high, low = best
    if high < 0:
        return Step(weights, np.empty(0, dtype=np.int64))
    between = hulls.X[high] - hulls.X[low]
    length = float(between @ between)
    wanted = excess / length if length > 0.0 else np.inf
    moved = weights.copy()
    step = min(wanted, float(weights[high]), float(hulls.caps[low] - weights[low]))
    step = float(weights[high]) if weights[high] - step < NOTHING else step
    moved[high] -= step
    moved[low] += step
    return Step(moved, np.array([high, low]))


def face(hulls: Hulls, weights: Array) -> Step:
    """The nearest place to the origin among all weights of the points that are free; points whose weight meets its
    limit on the way are left behind there.

    Steps from pair to pair converge slowly where few points share the weight; on their face the minimum is
    one small linear system.
    """
    moved = weights.copy()
    free = np.flatnonzero((moved > 0.0) & (moved < hulls.caps * _FULL))
    touched = free
    while len(free):
        change = _to_minimum(hulls, moved, free)
        room = np.where(change < 0.0, moved[free], hulls.caps[free] - moved[free])
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(change != 0.0, room / np.abs(change), np.inf)
        first = int(reach.argmin())
        step = min(1.0, float(reach[first]))
        moved[free] = np.clip(moved[free] + step * change, 0.0, hulls.caps[free])
        if step >= 1.0:
            break
        moved[free[first]] = 0.0 if change[first] < 0.0 else hulls.caps[free[first]]
        free = np.delete(free, first)
    moved[moved < NOTHING] = 0.0
    for side in (1.0, -1.0):  # rounding must not drive the sums away from 1
        members = hulls.signs == side
        moved[members] /= moved[members].sum()
    return Step(np.minimum(moved, hulls.caps), touched)


def _to_minimum(hulls: Hulls, weights: Array, free: Array) -> Array:
    """The change (k,) of the free weights that leads to the least |z| and keeps the sum of each class."""
    signs, k = hulls.signs[free], len(free)
    rows = signs[:, None] * hulls.X[free]
    sums = np.stack([signs > 0.0, signs < 0.0]).astype(float)
    system = np.zeros((k + 2, k + 2))
    system[:k, :k] = rows @ rows.T
    system[:k, k:], system[k:, :k] = sums.T, sums
    right = np.append(-(rows @ hulls.difference(weights)), [0.0, 0.0])
    return least_squares(system, right)[:k]


def reduced_outline(X: Array, cap: float, corners: int = 180) -> Array:
    """Corners (p, 2) of the reduced hull of points in the plane: its deepest place in many directions."""
    from algorithms.maths.hulls import hull_of

    cap = max(cap, 1.0 / len(X))
    if cap >= _FULL:
        return np.asarray(X[hull_of(X)])
    turns = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    order = np.argsort(X @ np.stack([np.cos(turns), np.sin(turns)]), axis=0)[::-1]  # (n, corners)
    weights = np.clip(1.0 - cap * np.arange(len(X)), 0.0, cap)
    places = np.einsum("i,ijk->jk", weights, X[order])
    return np.asarray(places[hull_of(places)])
