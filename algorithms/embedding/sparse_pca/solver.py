"""The mathematics of sparse principal components: a power step, a threshold, and taking off what was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array
from algorithms.interrupt import checkpoint
from algorithms.maths.components import longest_directions, triangle

_HALVINGS = 60
_NONE = 1e-300
_EQUAL = 1.0 + 1e-12  # what is beyond a threshold by less is beyond it by rounding
_ROUNDING = 1e-12  # of the whole: what is left over of a table that was taken off


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A table around its mean, and what loadings cost: so much each, or a bound on the sum of their sizes.

    Only products of columns matter, so a tall table is turned into one with as many rows as columns (T'T stays).
    """

    table: Array  # (min(n, d), d)
    lam: float  # the penalty λ, 0 where there is a bound
    bound: float | None = None  # on the sum of the sizes of loadings of length 1

    @classmethod
    def of(cls, centred: Array, lam: float, bound: float | None) -> Problem:
        """The problem of centred points; ``lam`` is the part of the penalty at which no loading is left."""
        n, d = centred.shape
        table = triangle(centred) if n > d else centred
        largest = float(np.sqrt(np.square(table).sum(axis=0).max()))
        return cls(table, 0.0 if bound is not None else lam * largest, bound)

    @property
    def largest_penalty(self) -> float:
        """The penalty at which no loading is left: the length of the longest column."""
        return float(np.sqrt(np.square(self.table).sum(axis=0).max()))

    @property
    def size(self) -> float:
        """The squares of the whole table."""
        return float(np.vdot(self.table, self.table))

    def without(self, step: Step) -> Problem:
        """What is left when a component is taken off: T - u w'."""
        return replace(self, table=self.table - np.outer(step.scores, step.weights))

    def explained(self, components: Array) -> float:
        """The fraction of the variance in the space that some components (k, d) span."""
        size = self.size
        there = components[np.abs(components).sum(axis=1) > 0.0]
        if not size > 0.0 or not len(there):
            return 0.0
        basis = np.linalg.qr(there.T)[0]
        return min(float(np.square(self.table @ basis).sum()) / size, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A component on its way: the loadings v, the scores u = Tv / |Tv| they come from, and what is minimised."""

    loadings: Array  # (d,) of length 1, or all 0
    weights: Array  # (d,) w, of which the loadings are the direction
    scores: Array  # (m,) u, of length 1
    objective: float  # ½ |T - u w'|² + λ Σ|w|


def first_direction(problem: Problem) -> Array:
    """The direction (d,) in which what is left varies most."""
    return np.asarray(longest_directions(problem.table, 1)[1][0])


def power_step(problem: Problem, loadings: Array) -> Step:
    """Scores u ← Tv / |Tv|, then w ← S(T'u, λ) and v ← w / |w|: the best u for given v, and the best w for given u."""
    scores = problem.table @ loadings
    scores = scores / max(float(np.linalg.norm(scores)), _NONE)
    pull = problem.table.T @ scores
    weights = shrunk(pull, problem.lam) if problem.bound is None else bounded(pull, problem.bound)
    length = float(np.linalg.norm(weights))
    if not length > 0.0:
        return Step(np.zeros(len(pull)), np.zeros(len(pull)), scores, 0.5 * problem.size)
    unit = weights / length
    if problem.bound is not None:
        weights = float(pull @ unit) * unit
    left = 0.5 * problem.size - float(weights @ pull) + 0.5 * float(weights @ weights)
    return Step(unit, weights, scores, max(left, 0.0) + problem.lam * float(np.abs(weights).sum()))


def begin(problem: Problem) -> tuple[Array, Step]:
    """The direction of most variance, and the first step from there.

    At a high penalty nothing may be left of it, though the longest column alone is worth it, and within a tight bound
    that column alone may be better: then the step is taken from there.
    """
    direction = first_direction(problem)
    step = power_step(problem, direction)
    if step.loadings.any() and problem.bound is None:
        return direction, step
    strongest = np.zeros(problem.table.shape[1])
    strongest[int(np.square(problem.table).sum(axis=0).argmax())] = 1.0
    other = power_step(problem, strongest)
    return direction, other if other.objective < step.objective else step


def descend(problem: Problem, step: Step, tol: float, most: int) -> Iterator[tuple[Step, bool]]:
    """Further steps, each with whether it is the last: none falls by more than a fraction ``tol`` any more."""
    for _ in range(most - 1 if step.loadings.any() else 0):
        checkpoint()
        before, step = step, power_step(problem, step.loadings)
        over = before.objective - step.objective <= tol * step.objective or not step.loadings.any()
        yield step, over
        if over:
            return


def shrunk(values: Array, threshold: float) -> Array:
    """S(values, threshold): every number nearer to 0 by the threshold, and 0 where it would pass it."""
    sizes = np.abs(values)
    return np.sign(values) * np.where(sizes > threshold * _EQUAL, sizes - threshold, 0.0)


def bounded(pull: Array, bound: float) -> Array:
    """S(pull, δ) with the least δ >= 0 for which its direction has at most this sum of sizes, by bisection."""
    if _sum_of_sizes(pull) <= bound:
        return pull
    low, high = 0.0, float(np.abs(pull).max())
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _sum_of_sizes(shrunk(pull, middle)) > bound:
            low = middle
        else:
            high = middle
    found = shrunk(pull, high)
    if found.any():
        return found
    alone = np.zeros(len(pull))  # several are equally long, and only one is allowed
    largest = int(np.abs(pull).argmax())
    alone[largest] = pull[largest]
    return alone


def _sum_of_sizes(weights: Array) -> float:
    length = float(np.linalg.norm(weights))
    return float(np.abs(weights).sum()) / length if length > 0.0 else 0.0


def is_used_up(problem: Problem, whole: float) -> bool:
    """Whether only rounding is left of a table whose squares were ``whole``."""
    return not problem.size > _ROUNDING * whole


def path(problem: Problem, penalties: Array, tol: float, most: int) -> Array:
    """The loadings (p, d) of the first component at rising penalties, each begun where the last one ended."""
    found = np.zeros((len(penalties), problem.table.shape[1]))
    at = first_direction(problem)
    for row, penalty in enumerate(penalties.tolist()):
        penalised = replace(problem, lam=penalty, bound=None)
        step = power_step(penalised, at)
        if not step.loadings.any():  # the strongest feature alone may still be worth it
            step = power_step(penalised, np.where(np.arange(len(at)) == np.abs(at).argmax(), 1.0, 0.0))
        for now, _ in descend(penalised, step, tol, most):
            step = now
        found[row] = step.loadings
        at = step.loadings if step.loadings.any() else at
    return found
