"""The picture of two coefficients: ellipses of equal squared error, the ball of equal penalty, and where they touch.

Minimising squares plus λ times a penalty is minimising the squares inside a ball of the penalty: at the solution the
ellipse and the ball touch. A ball with corners on the axes (q <= 1) is touched there, so that a coefficient is 0. Where
there are more than two coefficients the others are held at their fitted values, which leaves this true. Principal
components allow a line instead of a ball, when one direction is left out: the ellipse touches that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.data import Array
from algorithms.marks import Curve, Dots, Extent, Mark, ReferenceLine
from algorithms.maths.design import least_squares
from algorithms.maths.linear_model import LinearModel, value_of
from algorithms.maths.linear_problem import LinearProblem
from algorithms.maths.penalties import Penalty

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 241)
"""With all multiples of a quarter turn among them: there are the corners."""
_LEVELS = (0.25, 2.25)
"""Further ellipses beside the one that touches, as multiples of its height above the least sum of squares."""
_NOWHERE = np.empty((0, 2))


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """What the pictures of two coefficients have in common in all frames of a run."""

    problem: LinearProblem
    pair: tuple[int, int]  # by number; 0 is the intercept
    penalty: Penalty  # of the run
    turned: Array | None = None  # (p, r) for principal components: the singular directions, longest first

    @property
    def strip(self) -> bool:
        """Whether one of the two is an intercept that may be anything."""
        return 0 in self.pair and self.problem.centred

    @property
    def noise(self) -> float:
        """The fraction of the least sum of squares that one coefficient is worth."""
        return 1.0 / max(1.0, float(self.problem.data.n - self.problem.p - 1))


def pair_columns(problem: LinearProblem, pair: tuple[int, int]) -> Array:
    """The columns of two coefficients at the points, (n, 2)."""
    ones = np.ones(problem.data.n)
    return np.column_stack([ones if number == 0 else problem.values[:, number - 1] for number in pair])


def pair_names(problem: LinearProblem, pair: tuple[int, int]) -> tuple[str, str]:
    """What is written on the axes."""
    first, second = ("intercept" if k == 0 else f"β of {problem.names[k - 1]}" for k in pair)
    return first, second


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """The sum of squares over two coefficients θ: least at ``centre``, and (θ - centre)'G(θ - centre) above that."""

    at: Array  # (2,) the model
    centre: Array  # (2,)
    G: Array  # (2, 2)
    least: float

    @classmethod
    def of(cls, problem: LinearProblem, pair: tuple[int, int], model: LinearModel) -> Section:
        """Around a model, whose other coefficients are held; a free intercept follows."""
        columns, residuals = pair_columns(problem, pair), problem.y - problem.fitted(model)
        if problem.centred and 0 not in pair:
            columns, residuals = columns - columns.mean(axis=0), residuals - residuals.mean()
        G = columns.T @ columns
        at = np.array([value_of(model, number) for number in pair])
        unit = np.sqrt(np.where(np.diag(G) > 0.0, np.diag(G), 1.0))
        found = least_squares(columns / unit, residuals, dropped=1e-12)
        rest = residuals - columns @ (found / unit)
        return cls(at, at + found / unit, G, float(rest @ rest))

    @property
    def height(self) -> float:
        """How far the model is above the least sum of squares."""
        away = self.at - self.centre
        return float(away @ self.G @ away)

    def ellipse(self, height: float) -> Array:
        """Where the sum of squares is so much above its least: (m, 2)."""
        values, axes = np.linalg.eigh(self.G)
        if not values[-1] > 0.0:  # two empty columns: all coefficients are as good, and any picture will do
            values = np.full(2, max(height, 1e-300))
        radii = np.sqrt(height / np.maximum(values, 1e-9 * max(float(values[-1]), 1e-300)))
        circle = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
        return np.asarray(self.centre + circle * radii @ axes.T)


def outline(penalty: Penalty, at: Array) -> Array:
    """The ball of a penalty on whose skin a point lies: (m, 2); empty when it is the origin, or everything."""
    level = penalty.of(at)
    if not level > 0.0:
        return _NOWHERE
    cosine, sine = np.cos(_ANGLES), np.sin(_ANGLES)
    cosine[60::120], sine[::120] = 0.0, 0.0
    if penalty.lq:
        return _power_ball(penalty.q, at, cosine, sine)
    # l1 r (|cos| + |sin|) + l2 r² = level
    linear = penalty.l1 * (np.abs(cosine) + np.abs(sine))
    radius = 2.0 * level / (linear + np.sqrt(linear**2 + 4.0 * penalty.l2 * level))
    return np.column_stack([radius * cosine, radius * sine])


def _power_ball(q: float, at: Array, cosine: Array, sine: Array) -> Array:
    size = float(np.abs(at).max())
    if q == 0.0:  # all points with one coefficient at most: the axes, without an end
        if np.count_nonzero(at) == 2:
            return _NOWHERE
        return np.array([(size, 0), (-size, 0), (0, 0), (0, size), (0, -size), (0, 0), (size, 0)]) * 1.5
    radius = size * float(((np.abs(at) / size) ** q).sum()) ** (1.0 / q)
    both = np.column_stack([cosine, sine])
    return np.asarray(radius * np.sign(both) * np.abs(both) ** (2.0 / q))


def ball_marks(ball: Ball, fit: LinearModel, shown: LinearModel, penalty: Penalty) -> tuple[Mark, ...]:
    """Ellipses and ball of the model ``shown``, in the frame of the fit."""
    section, home = Section.of(ball.problem, ball.pair, shown), Section.of(ball.problem, ball.pair, fit)
    extent = _extent(ball, home, _skin(ball, home, ball.penalty, None))
    skin = _skin(ball, section, penalty, extent)
    height = section.height
    touching = height > 1e-9 * (section.least + height)
    heights = (
        [height * level for level in _LEVELS] if touching else [k * section.least * ball.noise for k in (1.0, 4.0)]
    )
    marks: list[Mark] = [extent, ReferenceLine(0.0), ReferenceLine(0.0, axis="y")]
    for number, ring in enumerate(heights):
        at = section.ellipse(ring)
        marks.append(Curve(at[:, 0], at[:, 1], "" if number else "equal sum of squares", quiet=True))
    if touching:
        at = section.ellipse(height)
        marks.append(Curve(at[:, 0], at[:, 1], "sum of squares of the fit"))
    if len(skin):
        marks.append(Curve(skin[:, 0], skin[:, 1], "the ball of its penalty"))
    line = _allowed_line(ball, section, penalty, extent)
    if len(line):
        marks.append(Curve(line[:, 0], line[:, 1], "along the directions in use"))
    marks.append(Dots(section.centre[None, :], "least squares", known=True))
    marks.append(Curve(section.at[:1], section.at[1:], "fit", dots=True))
    return tuple(marks)


def _skin(ball: Ball, section: Section, penalty: Penalty, extent: Extent | None) -> Array:
    """The ball of both coefficients; a strip where one is an intercept that may be anything."""
    if not penalty.priced:
        return _NOWHERE
    if not ball.strip:
        return outline(penalty, section.at)
    wide = 0.0 if extent is None else 10.0 * max(abs(extent.left), abs(extent.right))
    height = abs(float(section.at[1]))
    return np.array([(-wide, height), (wide, height), (wide, -height), (-wide, -height), (-wide, height)])


def _allowed_line(ball: Ball, section: Section, penalty: Penalty, extent: Extent) -> Array:
    """Where two coefficients may lie along the directions in use, the others held: (2, 2) where that is a line."""
    turned, used, pair, p = ball.turned, penalty.directions, ball.pair, len(ball.problem.names)
    if turned is None or used is None or 0 in pair or turned.shape != (p, p):
        return _NOWHERE
    _, s, Vt = np.linalg.svd(turned[[pair[0] - 1, pair[1] - 1], used:].T)  # what is left out must stay at 0
    if np.count_nonzero(s > 1e-9) != 1:
        return _NOWHERE
    reach = 10.0 * max(extent.right - extent.left, extent.top - extent.bottom)
    return np.array([section.at - reach * Vt[1], section.at + reach * Vt[1]])


def _extent(ball: Ball, section: Section, skin: Array) -> Extent:
    """The fit, least squares and the middle of the ellipses, with a ball also the origin and all of the ball."""
    ring = section.ellipse(max(section.height, 4.0 * section.least * ball.noise))
    near = np.abs(section.centre).max() + np.abs(section.at - section.centre).max()
    if not ball.penalty.priced:
        near = np.inf
    ends = np.clip([ring.min(axis=0), ring.max(axis=0)], section.centre - near, section.centre + near)
    places = np.vstack([section.at, section.centre, ends, skin])
    if ball.penalty.priced:
        places = np.vstack([places, np.zeros(2)])
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.maximum(high - low, 1e-9 * max(float((high - low).max()), 1e-300))
    left, bottom = (low - 0.15 * span).tolist()
    right, top = (high + 0.15 * span).tolist()
    equal = bool(span.max() < 4.0 * span.min())
    return Extent(left, right, bottom, top, equal, pair_names(ball.problem, ball.pair))
