"""Surfaces over a plane of two parameters: heights, slopes and curvatures, as formulae whose minima are known.

A surface is a frozen value, so that a snapshot can hold it. All three functions take many places at once, (m, 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.data import Array

Box = tuple[float, float, float, float]
"""Left, right, bottom, top."""

BASIN_STEPS = 150
"""How many steps a place is followed to see where it leads."""
CEILING = 10.0
"""The largest curvature of the quadratic, whatever its condition: a learning rate below 2/10 is always stable."""


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A function of two parameters, and what is worth knowing about it."""

    box: Box  # what to show of it
    start: tuple[float, float]  # where to begin when nobody says otherwise
    minima: Array  # (k, 2), the lowest first; none when there are none

    names: ClassVar[tuple[str, str]] = ("θ1", "θ2")
    formula: ClassVar[str] = ""
    quadratic: ClassVar[bool] = False  # whether the curvature is the same everywhere
    bounded: ClassVar[bool] = True  # whether there is a floor below which it never falls

    def height(self, at: Array) -> Array:
        """The value at each of the places (m, 2), as (m,)."""
        raise NotImplementedError

    def sketch(self, at: Array) -> Array:
        """About the value at each of many places: good enough to choose contours."""
        return self.height(at)

    def slope(self, at: Array) -> Array:
        """The gradient at each of the places, (m, 2)."""
        raise NotImplementedError

    def curvature(self, at: Array) -> Array:
        """The Hessian at each of the places, (m, 2, 2)."""
        raise NotImplementedError

    @property
    def samples(self) -> int:
        """How many data points the function is a mean over; 0 when it is no mean."""
        return 0

    @property
    def scale(self) -> float:
        """What counts as a large gradient: tolerances are fractions of this."""
        return 1.0

    @property
    def lowest(self) -> float | None:
        """The height of the lowest minimum, where there is one."""
        return float(self.height(self.minima[:1])[0]) if len(self.minima) else None

    @property
    def span(self) -> float:
        """The longer side of the box: the unit in which a path is called far away."""
        left, right, bottom, top = self.box
        return max(right - left, top - bottom)

    @property
    def middle(self) -> Array:
        """The middle of the box, (2,)."""
        left, right, bottom, top = self.box
        return np.array([(left + right) / 2, (bottom + top) / 2])

    def noisy_slope(self, at: Array, size: int, rng: np.random.Generator) -> Array:
        """The gradient (2,) as a batch of this size would estimate it: without data, with Gaussian noise added.

        One sample is off by a quarter of the slope at the start; the mean of ``size`` of them by 1/√size of that.
        """
        spread = 0.25 * float(np.linalg.norm(self.slope(np.array([self.start]))))
        noise: Array = self.slope(at[None])[0] + spread / np.sqrt(size) * rng.normal(size=2)
        return noise


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic(Surface):
    """f = ½ θᵀHθ: an elliptic bowl whose axes are turned by 30 degrees, so that no parameter is an axis."""

    H: Array  # (2, 2)

    formula = "½ θᵀHθ"
    quadratic = True

    def height(self, at: Array) -> Array:
        return 0.5 * np.einsum("mi,ij,mj->m", at, self.H, at)

    def slope(self, at: Array) -> Array:
        return at @ self.H

    def curvature(self, at: Array) -> Array:
        return np.broadcast_to(self.H, (len(at), 2, 2))


def quadratic(condition: float) -> Quadratic:
    """The bowl whose curvatures are 10 and 10/condition."""
    turn = np.deg2rad(30.0)
    axes = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    H = axes @ np.diag([CEILING / condition, CEILING]) @ axes.T
    return Quadratic((-4.0, 4.0, -3.0, 3.0), (-3.2, 0.9), np.zeros((1, 2)), (H + H.T) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Rosenbrock(Surface):
    """f = (1-x)² + 100 (y-x²)²: a bent valley, easy to reach and hard to follow."""

    formula = "(1-θ1)² + 100 (θ2-θ1²)²"

    def height(self, at: Array) -> Array:
        x, y = at.T
        return (1 - x) ** 2 + 100 * (y - x**2) ** 2

    def slope(self, at: Array) -> Array:
        x, y = at.T
        return np.stack([2 * (x - 1) - 400 * x * (y - x**2), 200 * (y - x**2)], axis=1)

    def curvature(self, at: Array) -> Array:
        x, y = at.T
        return _symmetric(2 - 400 * y + 1200 * x**2, -400 * x, np.full(len(at), 200.0))


@dataclass(frozen=True, slots=True, eq=False)
class Himmelblau(Surface):
    """f = (x²+y-11)² + (x+y²-7)²: four minima of the same height."""

    formula = "(θ1²+θ2-11)² + (θ1+θ2²-7)²"

    def height(self, at: Array) -> Array:
        x, y = at.T
        return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2

    def slope(self, at: Array) -> Array:
        x, y = at.T
        one, two = x**2 + y - 11, x + y**2 - 7
        return np.stack([4 * x * one + 2 * two, 2 * one + 4 * y * two], axis=1)

    def curvature(self, at: Array) -> Array:
        x, y = at.T
        return _symmetric(12 * x**2 + 4 * y - 42, 4 * (x + y), 12 * y**2 + 4 * x - 26)


_TILT = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class TwoWells(Surface):
    """f = (x²-1)² + 0.3 x + y²: the deep well on the left, a shallower one on the right."""

    formula = "(θ1²-1)² + 0.3 θ1 + θ2²"

    def height(self, at: Array) -> Array:
        x, y = at.T
        return (x**2 - 1) ** 2 + _TILT * x + y**2

    def slope(self, at: Array) -> Array:
        x, y = at.T
        return np.stack([4 * x * (x**2 - 1) + _TILT, 2 * y], axis=1)

    def curvature(self, at: Array) -> Array:
        x = at[:, 0]
        return _symmetric(12 * x**2 - 4, np.zeros(len(at)), np.full(len(at), 2.0))


@dataclass(frozen=True, slots=True, eq=False)
class Saddle(Surface):
    """f = ½ (x²-y²): the slope vanishes at the pass, and beside it the way down has no end."""

    formula = "½ (θ1² - θ2²)"
    quadratic = True
    bounded = False

    def height(self, at: Array) -> Array:
        return 0.5 * (at[:, 0] ** 2 - at[:, 1] ** 2)

    def slope(self, at: Array) -> Array:
        return at * (1.0, -1.0)

    def curvature(self, at: Array) -> Array:
        return np.broadcast_to(np.diag([1.0, -1.0]), (len(at), 2, 2))


@dataclass(frozen=True, slots=True, eq=False)
class SquareRoots(Surface):
    """f = √(1+x²) + √(1+y²): convex everywhere, and still Newton's x ← -x³ flies away from |x| > 1."""

    formula = "√(1+θ1²) + √(1+θ2²)"

    def height(self, at: Array) -> Array:
        return np.hypot(1.0, at).sum(axis=1)

    def slope(self, at: Array) -> Array:
        return at / np.hypot(1.0, at)

    def curvature(self, at: Array) -> Array:
        x, y = (np.hypot(1.0, at) ** -3.0).T
        return _symmetric(x, np.zeros(len(at)), y)


@dataclass(frozen=True, slots=True, eq=False)
class Root(Surface):
    """f = x³/3 - 2x + y²/2: its slope in x is x²-2, so Newton's method for minima finds the root √2."""

    formula = "θ1³/3 - 2 θ1 + θ2²/2"
    bounded = False

    def height(self, at: Array) -> Array:
        x, y = at.T
        return x**3 / 3 - 2 * x + y**2 / 2

    def slope(self, at: Array) -> Array:
        x, y = at.T
        return np.stack([x**2 - 2, y], axis=1)

    def curvature(self, at: Array) -> Array:
        return _symmetric(2 * at[:, 0], np.zeros(len(at)), np.ones(len(at)))


def basins(surface: Surface, at: Array, method: str, rate: float) -> Array:
    """The minimum (its number) in which each place ends by fixed steps, or by Newton's method where that is chosen."""
    far = 10.0 * surface.span
    at = np.array(at)
    for _ in range(BASIN_STEPS):
        move = _newton_steps(surface, at) if method == "Newton" else -rate * surface.slope(at)
        at = np.clip(at + move, -far, far)
    gaps = np.linalg.norm(at[:, None] - surface.minima, axis=2)  # (m, k)
    none = np.full(len(at), len(surface.minima))
    if not len(surface.minima):
        return none
    return np.where(gaps.min(axis=1) < 0.1 * surface.span, gaps.argmin(axis=1), none)


def _newton_steps(surface: Surface, at: Array) -> Array:
    """-H⁻¹ g at every place, by Cramer's rule; where H is singular, none."""
    (a, b), (_, d) = surface.curvature(at).transpose(1, 2, 0)
    x, y = surface.slope(at).T
    determinant = a * d - b * b
    solid = np.abs(determinant) > 1e-300
    safe = np.where(solid, determinant, 1.0)
    return np.where(solid[:, None], -np.stack([d * x - b * y, a * y - b * x], axis=1) / safe[:, None], 0.0)


def analytic(name: str, condition: float) -> Surface:
    """The surface of this name that needs no data."""
    if name == "quadratic":
        return quadratic(condition)
    return _ANALYTIC[name]


def _symmetric(xx: Array, xy: Array, yy: Array) -> Array:
    return np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)


def _wells() -> Array:
    """The two minima: where 4x³ - 4x + 0.3 = 0 and the curvature is positive, the deeper one first."""
    roots = np.sort(np.roots([4.0, 0.0, -4.0, _TILT]).real)
    return np.array([[roots[0], 0.0], [roots[2], 0.0]])


_FOUR = np.array(
    [
        [3.0, 2.0],
        [-2.805118086952745, 3.131312518250573],
        [-3.779310253377747, -3.283185991286170],
        [3.584428340330492, -1.848126526964404],
    ]
)
_ANALYTIC: dict[str, Surface] = {
    "Rosenbrock": Rosenbrock((-2.0, 2.0, -0.9, 2.6), (-1.2, 1.0), np.ones((1, 2))),
    "Himmelblau": Himmelblau((-6.0, 6.0, -5.5, 5.5), (-0.6, -1.2), _FOUR),
    "two wells": TwoWells((-2.0, 2.2, -1.6, 1.6), (1.5, 1.2), _wells()),
    "saddle": Saddle((-2.4, 2.4, -1.8, 1.8), (-2.0, 0.02), np.empty((0, 2))),
    "square roots": SquareRoots((-3.2, 3.2, -2.4, 2.4), (1.1, 0.9), np.zeros((1, 2))),
    "root of x² - 2": Root((-2.6, 3.4, -2.0, 2.0), (1.0, 1.0), np.array([[np.sqrt(2.0), 0.0]])),
}
