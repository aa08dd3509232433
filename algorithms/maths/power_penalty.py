"""The penalty λ Σ|β_j|^q for any power q: one coefficient at a time, and Newton's method among those in use.

One coefficient alone has the cost h b² - 2 c b + λ|b|^q. Above q = 1 that is smooth and has one minimum, which is never
exactly 0; q = 1 is the soft threshold; below 1 there are two valleys, one of them at 0, and the lower one is taken, so
that b jumps from 0 to a value well away from it; q = 0 counts the coefficients in use: a hard threshold. Below 1 the
whole is not convex either: a descent finds *a* valley, so several starts are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.design import Design, least_squares
from algorithms.maths.penalties import Penalty

ROUNDS = 150
"""Most sweeps, each followed by one of Newton's steps, before a solution is taken as it is."""
_FEWER = 40
"""The same for a start that is only there for comparison."""
_SAME = 1e-6
"""Objectives that differ by less than this fraction belong to the same valley."""
_NOTHING = 1e-150
"""A coefficient below this is 0: its powers leave the range of floating point."""


def shrink(c: float, h: float, price: float, q: float) -> float:
    """The b that minimises h b² - 2 c b + price |b|^q, for h > 0."""
    if price == 0.0 or c == 0.0:
        return c / h
    size = _shrunk(abs(c), h, price, q)
    return size if c > 0.0 or size == 0.0 else -size


def _shrunk(c: float, h: float, price: float, q: float) -> float:
    if q == 0.0:
        return c / h if c * c > price * h else 0.0
    if q == 1.0:
        return max(c - 0.5 * price, 0.0) / h
    if q == 2.0:
        return c / (h + price)
    if q < 1.0:
        if c <= jump(h, price, q):
            return 0.0
        return _newton(c / h, c, h, price, q)
    root = (log(c) - log(price * q)) / (q - 1.0)  # where the penalty's slope is half of what pulls
    start = c / h if q > 2.0 else min(0.5 * c / h, exp(max(min(root, 700.0), -700.0)))
    return _newton(start, c, h, price, q)


def jump(h: float, price: float, q: float) -> float:
    """For q < 1: the least pull c with which a coefficient leaves 0."""
    if q == 0.0:
        return float(np.sqrt(price * h))
    near = (price / h * (1.0 - q)) ** (1.0 / (2.0 - q))
    return h * near * (2.0 - q) / (2.0 * (1.0 - q))


def _newton(b: float, c: float, h: float, price: float, q: float) -> float:
    """The root of 2hb + price q b^(q-1) = 2c, from a side on which Newton's method never overshoots it."""
    for _ in range(100):
        if b < _NOTHING:
            return 0.0
        bent = price * q * b ** (q - 1.0)
        step = (2.0 * h * b + bent - 2.0 * c) / (2.0 * h + (q - 1.0) * bent / b)
        b -= step
        if abs(step) <= 1e-15 * b:
            break
    return b


@dataclass(frozen=True, slots=True, eq=False)
class PowerDescent:
    """Coordinate descent for b'Hb - 2c'b + Σ price_j |b_j|^q. Coefficients b are handed in and new ones given back."""

    H: Array  # (p, p) Z'Z
    c: Array  # (p,) Z'y
    prices: Array  # (p,)
    q: float
    _diagonal: tuple[float, ...] = field(init=False)
    _prices: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_diagonal", tuple(np.diag(self.H).tolist()))
        object.__setattr__(self, "_prices", tuple(self.prices.tolist()))

    @classmethod
    def of(cls, design: Design, penalty: Penalty) -> PowerDescent:
        """The descent of a design."""
        H, c = design.Z.T @ design.Z, design.Z.T @ design.y
        return cls(H, c, design.power_prices(penalty), penalty.q)

    def _slope(self, b: Array) -> Array:
        return np.asarray(self.c - self.H @ b)

    def _wanted(self, j: int, before: float, slope: float) -> tuple[float, float]:
        """What pulls at a coefficient, and where it costs least."""
        h = self._diagonal[j]
        pull = slope + h * before
        return pull, shrink(pull, h, self._prices[j], self.q) if h > 0.0 else 0.0

    def step(self, b: Array, j: int) -> tuple[Array, float, float]:
        """With one coefficient improved; also what was correlated with the column, and the pull below which it is 0."""
        improved = b.copy()
        pull, improved[j] = self._wanted(j, b.item(j), self._slope(b).item(j))
        h, price = self._diagonal[j], self._prices[j]
        if self.q > 1.0 or h == 0.0:
            return improved, pull, 0.0
        return improved, pull, 0.5 * price if self.q == 1.0 else jump(h, price, self.q)

    def sweep(self, b: Array) -> Array:
        """With every coefficient improved once."""
        b, slope = b.copy(), self._slope(b)
        for j, before in enumerate(b.tolist()):
            after = self._wanted(j, before, slope.item(j))[1]
            if after != before:
                b[j] = after
                slope -= self.H[j] * (after - before)
        return b

    def violation(self, b: Array) -> float:
        """How far any one coefficient is from the place where it would cost least, as a slope."""
        here = zip(b.tolist(), self._slope(b).tolist(), self._diagonal)
        moves = (2.0 * h * abs(self._wanted(j, at, slope)[1] - at) for j, (at, slope, h) in enumerate(here))
        return max(moves, default=0.0)

    def objective(self, b: Array) -> float:
        """B'Hb - 2c'b + Σ price_j |b_j|^q."""
        used = b != 0.0
        return float(b @ (self.H @ b) - 2.0 * (self.c @ b) + self.prices[used] @ np.abs(b[used]) ** self.q)

    def newton(self, b: Array) -> Array:
        """After Newton's step among the coefficients in use, as far as no sign changes and the objective falls."""
        used = np.flatnonzero(np.abs(b) > 1e-9 * np.abs(b).max(initial=0.0))
        if not len(used):
            return b
        size, price, q = np.abs(b[used]), self.prices[used], self.q
        with np.errstate(over="ignore"):
            bent = np.minimum(price * q * size ** (q - 1.0), 1e200)
            curved = np.clip(bent * (q - 1.0) / size, -1e200, 1e200)
        downhill = 2.0 * self._slope(b)[used] - bent * np.sign(b[used])
        K = 2.0 * self.H[np.ix_(used, used)] + np.diag(curved)
        if curved.min() < 0.0 and np.linalg.eigvalsh(K)[0] <= 0.0:  # not a bowl here
            return b
        step = least_squares(K, downhill)
        with np.errstate(divide="ignore", invalid="ignore"):
            limit = np.where(step * b[used] < 0.0, 0.9 * size / np.abs(step), 1.0)
        fraction, lowest = min(1.0, float(limit.min())), self.objective(b)
        for _ in range(6):
            place = b.copy()
            place[used] += fraction * step
            if self.objective(place) < lowest:
                return place
            fraction *= 0.25
        return b

    def finish(self, b: Array, rounds: int = ROUNDS) -> Array:
        """The bottom of this valley: sweeps and Newton's steps in turn."""
        tolerance = 1e-11 * max(2.0 * float(np.abs(self.c).max(initial=0.0)), np.finfo(float).tiny)
        for _ in range(rounds):
            checkpoint()
            b = self.newton(self.sweep(b))
            if self.violation(b) <= tolerance:
                break
        return b


def solve_power(H: Array, c: Array, prices: Array, q: float, start: Array | None = None) -> Array:
    """A minimum of b'Hb - 2c'b + Σ price_j |b_j|^q: the one near ``start``, or where the lasso's solution leads."""
    if start is None:
        start = _from_above(H, c, prices, q) if q < 1.0 else np.zeros(len(c))
    return PowerDescent(H, c, prices, q).finish(start)


def valleys(H: Array, c: Array, prices: Array, q: float) -> list[tuple[float, Array]]:
    """(objective, b) at the bottoms of the different valleys that a few starts end in.

    From zero, from least squares, and from the lasso down to q in steps of a tenth, which follows its sparse solution.
    """
    found: list[tuple[float, Array]] = []
    descent = PowerDescent(H, c, prices, q)
    for start in (np.zeros(len(c)), least_squares(H, c), _from_above(H, c, prices, q)):
        b = descent.finish(start, _FEWER)
        height = descent.objective(b)
        if all(abs(height - other) > _SAME * max(1e-300, abs(other)) for other, _ in found):
            found.append((height, b))
    return found


def _from_above(H: Array, c: Array, prices: Array, q: float) -> Array:
    b = np.zeros(len(c))
    for power in np.linspace(1.0, q, max(2, int(np.ceil((1.0 - q) / 0.1)) + 1)).tolist():
        b = PowerDescent(H, c, prices, power).finish(b, _FEWER)
    return b
