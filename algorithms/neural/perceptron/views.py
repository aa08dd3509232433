"""What a perceptron looks like: line, weights, step, and the proof that it must end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import (
    Arrows,
    Curve,
    Highlight,
    Isolines,
    Mark,
    NetworkDiagram,
    ReferenceLine,
    Regions,
    Scatter,
    Segments,
)
from algorithms.maths.neuron_maps import MOST_UNITS, STRONG, grid_over, lines_around, maps_of
from algorithms.neural.perceptron.solver import Problem, margins

if TYPE_CHECKING:
    from algorithms.neural.perceptron import Model, Shot

ARROW = 0.3
"""The longest arrow, as a fraction of the picture."""
MOST_DOTS = 2000
"""How many points the picture of the step shows."""
FAR = 1e4
"""A bound beyond this is not drawn to its end: the curves of the run itself would not be seen."""


def views(shot: Shot) -> Views:
    """The marks of every panel."""
    model, problem = shot.model, shot.given
    return {
        "plane": _plane(model, problem),
        "unit": (_diagram(model, problem),),
        "sums": _step(model, problem),
        "proof": _proof(model, problem),
        "passes": _passes(model),
    }


def _plane(model: Model, problem: Problem) -> tuple[Mark, ...]:
    """Both sides, the line now and before, the vectors that were added, and the points that did it."""
    marks: tuple[Mark, ...] = (Regions("classes"), Isolines()) if model.z.any() else (Isolines(),)
    if problem.data.d == 2 and len(model.z) == 1:
        if model.before is not None:
            ends = _line(model.before[0], problem)
            marks += (Segments(ends[:, 0], ends[:, 1], "edge", name="line before"),) if len(ends) else ()
        marks += _arrows(model, problem)
        if model.ends is not None:
            ends = np.concatenate([_line(z, problem) for z in model.ends])
            marks += (Segments(ends[:, 0], ends[:, 1], "link", name="where other orders end"),) if len(ends) else ()
    if len(model.points):
        marks += (Highlight(model.points, "changed", "decided about" if model.before is None else "mistake"),)
    return marks


def _line(z: Array, problem: Problem) -> Array:
    low, high = np.array(problem.extent).reshape(2, 2).T
    return lines_around(z[None, :2], z[2:], low, high)


def _arrows(model: Model, problem: Problem) -> tuple[Mark, ...]:
    """The weight vector at the middle of the line; after a mistake also the one before and what was added."""
    now = model.z[0, :2]
    before = now if model.before is None else model.before[0, :2]
    longest = float(max(np.linalg.norm(now), np.linalg.norm(before), np.linalg.norm(now - before)))
    left, right, bottom, top = problem.extent
    if not longest > 0.0:
        return ()
    scale = ARROW * min(right - left, top - bottom) / longest
    middle = np.array([(left + right) / 2, (bottom + top) / 2])
    # by a power of two smaller, which changes no digit of the foot: products of three large numbers are none
    exponent = -int(np.frexp(longest)[1])
    unit, bias = np.ldexp(now, exponent), float(np.ldexp(model.z[0, 2], exponent))
    length = float(unit @ unit)
    foot = middle if length == 0.0 else middle - unit * float(unit @ middle + bias) / length
    foot = np.clip(foot, [left, bottom], [right, top])
    if model.before is None:
        return (Arrows(foot[None], (foot + scale * now)[None], ("step",), ("weights w",)),)
    tips = foot + scale * np.stack([before, now, now])
    starts = np.stack([foot, foot + scale * before, foot])
    return (Arrows(starts, tips, ("memory", "force", "step"), ("w before", "added", "weights w")),)


def _diagram(model: Model, problem: Problem) -> NetworkDiagram:
    """The inputs, a constant 1 for the bias, and the unit (or a unit for each class) with its field."""
    data, z = problem.data, model.z
    shown, units = min(data.d, MOST_UNITS), min(len(z), MOST_UNITS)
    grid = grid_over(data.X, problem.extent)
    sums = model.sums(grid)
    if not z.any():
        said = np.zeros((len(sums), units))
    elif len(z) == 1:
        said = np.where(sums >= 0.0, 1.0, -1.0)
    else:
        said = (sums == sums.max(axis=1, keepdims=True)).astype(np.float64)[:, :units]
    centred = grid[:, :shown] - data.X[:, :shown].mean(axis=0)
    size = np.abs(centred).max(axis=0)
    inputs = np.column_stack([centred / np.where(size > 0.0, size, 1.0), np.ones(len(grid))])
    maps = maps_of(127.0 * np.column_stack([inputs, said]))
    weights = np.column_stack([z[:units, :shown], z[:units, -1:]]).T
    weights = weights * (STRONG / max(float(np.abs(weights).max()), 1e-300))  # only their proportions matter
    fires = data.classes[1] if len(data.classes) == 2 else "fires"
    names = (fires,) if len(z) == 1 else data.classes[:units]
    groups = np.full(len(maps), -1)
    if len(z) > 1:
        groups[shown + 1 :] = np.arange(units)
    return NetworkDiagram(
        (np.ascontiguousarray(weights),),
        maps,
        problem.extent,
        ((*data.features[:shown], "1"), names),
        ("input", "step"),
        groups,
        (data.d - shown, len(z) - units),
    )


def _step(model: Model, problem: Problem) -> tuple[Mark, ...]:
    """Each point at its sum and its target, over the step; wrong ones are on the wrong half."""
    every = -(-problem.data.n // MOST_DOTS)
    points = np.arange(0, problem.data.n, every)
    y = problem.labels[points]
    if len(model.z) > 1:
        sums, targets = margins(model.z, problem.columns[:, points], y), np.ones(len(y))
    else:
        sums, targets = model.sums(problem.data.X[points])[:, 0], (y == 1).astype(np.float64)
    widest = float(np.abs(sums).max(initial=0.0)) or 1.0
    x = np.array([-widest, 0.0, 0.0, widest])
    name = "step" if len(model.z) == 1 else "right where the own sum leads"
    return Curve(x, np.array([0.0, 0.0, 1.0, 1.0]), name), Scatter(np.column_stack([sums, targets]), points)


def _proof(model: Model, problem: Problem) -> tuple[Mark, ...]:
    """The length of z between what each mistake adds at least and at most; where the two meet it must have ended."""
    mistakes, lengths = model.lengths.T
    marks: tuple[Mark, ...] = (Curve(mistakes, lengths, "length of (w, b)", dots=len(mistakes) <= 60),)
    if not problem.bounded:
        return marks
    end = problem.bound
    shown = min(end, max(FAR, 2.0 * float(mistakes[-1])))
    k = np.linspace(0.0, shown, 200)
    least, most = problem.rate * problem.margin * k, problem.rate * problem.radius * np.sqrt(k)
    marks += (Curve(k, most, "at most R√k"), Curve(k, least, "at least g k"))
    return (*marks, ReferenceLine(end, f"no more than {end:,.4g}")) if end <= shown else marks


def _passes(model: Model) -> tuple[Mark, ...]:
    if not len(model.per_pass):
        return ()
    number = np.arange(1, len(model.per_pass) + 1, dtype=np.float64)
    return (Curve(number, model.per_pass.astype(np.float64), "mistakes", dots=len(number) <= 100),)
