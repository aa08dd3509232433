"""The mathematics of a perceptron: margins, what a mistake adds, and what bounds the number of mistakes.

The points stand in columns with a constant 1 below, whose weight is the bias. A single unit has the sign of the class
in them, y (x, 1), so that every product with z = (w, b) is to be positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from algorithms.data import Array, Points
from algorithms.interrupt import checkpoint
from algorithms.maths.distances import refuse_overflow
from algorithms.maths.margins import widest_margin
from algorithms.maths.neuron_maps import Extent, extent_around
from algorithms.maths.scales import mean_and_spread

BY_HAND = "set by hand"
FIRST, FARTHEST = 128, 8192
"""How many points are looked at together in search of the next mistake: few behind a mistake, more when none comes."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What does not change in a run: the points, and what the proof knows about them."""

    data: Points
    columns: Array  # (d + 1, n)
    labels: Array  # (n,) of a unit set by hand 0 for the first class and 1 for any other
    extent: Extent
    radius: float  # the length of the longest column
    margin: float  # the widest margin; 0 where no line separates the classes
    rate: float
    bounded: bool  # whether Novikoff's bound holds for this rule
    inseparable: bool  # whether it is known that no line separates the classes
    by_hand: bool  # whether the weights are set and not learned

    @classmethod
    def of(cls, data: Points, rule: str, rate: float, plain: bool) -> Problem:
        """The problem for a run with this rule; ``plain``: from zeros, at a constant rate."""
        labels = _checked(data, rule)
        one_unit = len(data.classes) <= 2 or rule == BY_HAND
        signs = 2.0 * (labels == 1) - 1.0 if one_unit else 1.0
        columns = columns_of(data.X, signs)
        margin, inseparable = 0.0, False
        if one_unit and rule != BY_HAND:
            margin, _ = widest_margin(columns.T)
            inseparable = margin == 0.0 and _is_inseparable(data.X, signs)
        radius = float(np.sqrt(np.einsum("ij,ij->j", columns, columns).max()))
        bounded = plain and rule == "one mistake at a time" and margin > 0.0
        return cls(
            data, columns, labels, extent_around(data.X), radius, margin, rate, bounded, inseparable, rule == BY_HAND
        )

    @property
    def bound(self) -> float:
        """The most mistakes there can be, (R/g)²; infinite where no line is known to separate the classes."""
        return (self.radius / self.margin) ** 2 if self.margin else math.inf


def _checked(data: Points, rule: str) -> Array:
    y = data.several_classes("The perceptron")
    refuse_overflow(data.X)
    return np.minimum(y, 1) if rule == BY_HAND else y


def _is_inseparable(X: Array, signs: Array | float) -> bool:
    """Whether no line separates the points wherever they lie; a line's margin alone is seen from the origin."""
    centre, scale = mean_and_spread(X)
    return widest_margin(columns_of((X - centre) / scale, signs).T)[1] is None


def columns_of(X: Array, signs: Array | float = 1.0) -> Array:
    """The points feature by feature with a constant 1 below; each times its sign."""
    columns = np.empty((X.shape[1] + 1, len(X)))
    np.multiply(X.T, signs, out=columns[:-1])
    columns[-1] = signs
    return columns


def length_of(z: Array) -> float:
    """The length of all weights together."""
    return math.sqrt(np.vdot(z, z))


def margins(z: Array, columns: Array, y: Array) -> Array:
    """By how much each point is on the right side, (n,); 0 and less is a mistake. For one unit columns have signs."""
    if len(z) == 1:
        return np.asarray(z[0] @ columns)
    sums = z @ columns
    here = np.arange(len(y))
    own = sums[y, here]
    sums[y, here] = -np.inf
    return np.asarray(own - sums.max(axis=0))


def mistakes_of(z: Array, problem: Problem, fires_at_zero: bool) -> tuple[int, float]:
    """How many points are wrong, and the sum of their margins: the perceptron criterion.

    A unit set by hand fires at 0, so it is right about a 1 whose sum is exactly that.
    """
    kept, y = margins(z, problem.columns, problem.labels), problem.labels
    wrong = (kept < 0.0) | ((kept == 0.0) & (y == 0)) if fires_at_zero else kept <= 0.0
    return int(np.count_nonzero(wrong)), abs(float(kept[wrong].sum()))


def one_by_one(z: Array, problem: Problem, order: Array | None, rate: float) -> Iterator[tuple[Array, int]]:
    """The weights after each mistake of a pass over the points in this order, and which point it was."""
    columns, y = problem.columns, problem.labels
    if order is not None:
        columns, y = columns[:, order], y[order]
    place, size = 0, FIRST
    while place < len(y):
        checkpoint()
        part = slice(place, place + size)
        wrong = margins(z, columns[:, part], y[part]) <= 0.0
        first = int(wrong.argmax())
        if not wrong[first]:  # none in this part, so look farther ahead at once
            place, size = place + size, min(4 * size, FARTHEST)
            continue
        place += first
        z = _turned(z, columns[:, place], int(y[place]), rate)
        yield z, place if order is None else int(order[place])
        place, size = place + 1, FIRST


def _turned(z: Array, x: Array, label: int, rate: float) -> Array:
    """The weights (units, d + 1) after one mistake; for one unit the sign of the class is in x."""
    if len(z) == 1:
        return z + rate * x
    turned = z.copy()
    sums = z @ x
    sums[label] = -np.inf
    turned[label] += rate * x
    turned[int(sums.argmax())] -= rate * x
    return turned


def all_at_once(z: Array, problem: Problem, rate: float) -> tuple[Array, Array]:
    """One step down the gradient of the perceptron criterion, and the points (m,) that were added together for it."""
    wrong = np.flatnonzero(margins(z, problem.columns, problem.labels) <= 0.0)
    x, labels = problem.columns[:, wrong], problem.labels[wrong]
    if len(z) == 1 or not len(wrong):
        return z + rate * x.sum(axis=1), wrong
    here = np.arange(len(wrong))
    sums = z @ x
    sums[labels, here] = -np.inf
    signs = np.zeros_like(sums)
    signs[sums.argmax(axis=0), here] = -1.0
    signs[labels, here] = 1.0
    return z + rate * (signs @ x.T), wrong


def added_point(change: Array, columns: Array, labels: Array) -> int:
    """The point of which a change (units, d + 1) of the weights is a multiple, as after a mistake; -1 where none is.

    Of several units the one whose bias grew is that of the point's class.
    """
    unit = int(change[:, -1].argmax()) if len(change) > 1 else 0
    candidates = np.flatnonzero(labels == unit) if len(change) > 1 else np.arange(len(labels))
    size = length_of(change[unit])
    if not size > 0.0 or not len(candidates):
        return -1
    rows = columns[:, candidates]
    cosines = change[unit] @ rows / (size * np.sqrt(np.square(rows).sum(axis=0)))
    best = int(cosines.argmax())
    return int(candidates[best]) if cosines[best] > 1.0 - 1e-9 else -1
