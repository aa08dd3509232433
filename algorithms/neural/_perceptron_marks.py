"""The state of a perceptron, and what it looks like: line, weights, step, and the proof that it must end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array, Points
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
from algorithms.maths.margins import widest_margin
from algorithms.neural._network_marks import BEYOND, MOST_UNITS, SIDE, STRONG, cut, extent_of, grid_over, standardising

ARROW = 0.3
"""The longest arrow, as a share of the picture."""
MOST_DOTS = 2000
"""How many points the picture of the step shows."""
MOST_LENGTHS = 300
"""How many mistakes the curve of the length follows one by one."""
FAR = 1e4
"""A bound beyond this is not drawn to its end: the curves of the run itself would not be seen."""


def columns_of(X: Array, signs: Array | float = 1.0) -> Array:
    """The points feature by feature with a constant 1, whose weight is the bias, below; each times its sign."""
    columns = np.empty((X.shape[1] + 1, len(X)))
    np.multiply(X.T, signs, out=columns[:-1])
    columns[-1] = signs
    return columns


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The weights, how they came about, and what turned them last."""

    z: Array  # (units, d + 1): weights, and the bias last; one unit for two classes
    mistakes: int
    per_pass: Array  # (passes,) mistakes in each completed pass
    lengths: Array  # (t, 2) mistakes so far and the length of z then
    before: Array | None  # z before the last turn
    points: Array  # (m,) the points that turned it, or the one that is decided about
    wrong: int  # points on the wrong side; -1 until counted
    criterion: float  # the sum of their margins

    @classmethod
    def begun(cls, data: Points, rng: np.random.Generator | None) -> Model:
        """All weights 0, or random ones."""
        units = len(data.classes) if len(data.classes) > 2 else 1
        z = np.zeros((units, data.d + 1)) if rng is None else rng.standard_normal((units, data.d + 1))
        start = np.array([[0.0, length_of(z)]])
        nothing = np.empty(0, dtype=np.int64)
        return cls(z, 0, nothing, start, None, nothing, wrong=-1, criterion=0.0)

    def sums(self, X: Array) -> Array:
        """The sum of each unit for each point, (n, units)."""
        return np.asarray(X @ self.z[:, :-1].T + self.z[:, -1])

    def measured(self, columns: Array, y: Array, fires_at_zero: bool = False) -> Model:
        """The same with the mistakes counted; a unit set by hand is right about a 1 whose sum is exactly 0."""
        kept = margins(self.z, columns, y)
        wrong = (kept < 0.0) | ((kept == 0.0) & (y == 0)) if fires_at_zero else kept <= 0.0
        count, criterion = int(np.count_nonzero(wrong)), abs(float(kept[wrong].sum()))
        # there is a frame for every mistake, and naming all fields takes a third of the time of dataclasses.replace
        return Model(self.z, self.mistakes, self.per_pass, self.lengths, self.before, self.points, count, criterion)

    def turned(self, z: Array, points: Array) -> Model:
        """The model after a mistake (or several at once)."""
        mistakes, lengths = self.mistakes + len(points), self.lengths
        if len(lengths) <= MOST_LENGTHS:
            lengths = np.concatenate([lengths, [[mistakes, length_of(z)]]])
        return Model(z, mistakes, self.per_pass, lengths, self.z, points, -1, 0.0)

    def went_on(self, z: Array) -> Model:
        """The model after a mistake that nobody watches."""
        return Model(z, self.mistakes + 1, self.per_pass, self.lengths, None, self.points, -1, 0.0)

    def after_pass(self, count: int) -> Model:
        """The model at the end of a pass with so many mistakes."""
        lengths = self.lengths
        if lengths[-1, 0] < self.mistakes:
            lengths = np.concatenate([lengths, [[self.mistakes, length_of(self.z)]]])
        nothing = np.empty(0, dtype=np.int64)
        return replace(
            self, per_pass=np.append(self.per_pass, count), lengths=lengths, before=None, points=nothing, wrong=-1
        )


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


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything about the pictures of a run that does not change from frame to frame."""

    data: Points
    columns: Array  # (d + 1, n): a 1 below the features; of one unit with the sign of the class, y (x, 1)
    labels: Array  # (n,)
    extent: tuple[float, float, float, float]
    radius: float  # the length of the longest row
    margin: float  # the widest margin; 0 where no line parts the classes
    rate: float
    bounded: bool  # whether Novikoff's bound holds for this rule
    rule: str
    warning: str

    @classmethod
    def of(cls, data: Points, y: Array, rule: str, rate: float, plain: bool) -> Picture:
        """The picture of a run with this rule; ``plain``: from zeros, at a constant rate."""
        one_unit = len(data.classes) <= 2 or rule == "set by hand"
        signs = 2.0 * (y == 1) - 1.0 if one_unit else 1.0
        columns = columns_of(data.X, signs)
        margin, warning = 0.0, ""
        if one_unit and rule != "set by hand":
            margin, _ = widest_margin(columns.T)
            if margin == 0.0 and _none_parts(data.X, signs):
                warning = "No line parts these classes, so the perceptron never comes to rest; it ends with its passes."
        radius = float(np.sqrt(np.einsum("ij,ij->j", columns, columns).max()))
        bounded = plain and rule == "one mistake at a time" and margin > 0.0
        return cls(data, columns, y, extent_of(data.X), radius, margin, rate, bounded, rule, warning)


def _none_parts(X: Array, signs: Array | float) -> bool:
    """Whether no line parts the points wherever they lie; a line's margin alone is seen from the origin."""
    centre, scale = standardising(X)
    return widest_margin(columns_of((X - centre) / scale, signs).T)[1] is None


def views_of(model: Model, picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    return {
        "plane": _plane(model, picture),
        "unit": (_diagram(model, picture),),
        "sums": _step(model, picture),
        "proof": _proof(model, picture),
        "passes": _passes(model),
    }


def _plane(model: Model, picture: Picture) -> tuple[Mark, ...]:
    """Both sides, the line now and before, the vectors that were added, and the points that did it."""
    marks: tuple[Mark, ...] = (Regions("classes"), Isolines())
    if picture.data.d == 2 and len(model.z) == 1:
        if model.before is not None:
            ends = _line(model.before[0], picture)
            marks += (Segments(ends[:, 0], ends[:, 1], "edge", name="line before"),) if len(ends) else ()
        marks += _arrows(model, picture)
    if len(model.points):
        marks += (Highlight(model.points, "changed", "decided about" if model.before is None else "mistake"),)
    return marks


def _line(z: Array, picture: Picture) -> Array:
    low, high = np.array(picture.extent).reshape(2, 2).T
    return cut(z[None, :2], z[2:], low - BEYOND * (high - low), high + BEYOND * (high - low))


def _arrows(model: Model, picture: Picture) -> tuple[Mark, ...]:
    """The weight vector at the middle of the line; after a mistake also the one before and what was added."""
    now = model.z[0, :2]
    before = now if model.before is None else model.before[0, :2]
    longest = float(max(np.linalg.norm(now), np.linalg.norm(before), np.linalg.norm(now - before)))
    left, right, bottom, top = picture.extent
    if not longest > 0.0:
        return ()
    scale = ARROW * min(right - left, top - bottom) / longest
    middle = np.array([(left + right) / 2, (bottom + top) / 2])
    length = float(now @ now)
    foot = middle if length == 0.0 else middle - now * float(now @ middle + model.z[0, 2]) / length
    foot = np.clip(foot, [left, bottom], [right, top])
    if model.before is None:
        return (Arrows(foot[None], (foot + scale * now)[None], ("step",), ("weights w",)),)
    tips = foot + scale * np.stack([before, now, now])
    starts = np.stack([foot, foot + scale * before, foot])
    return (Arrows(starts, tips, ("memory", "force", "step"), ("w before", "added", "weights w")),)


def _diagram(model: Model, picture: Picture) -> NetworkDiagram:
    """The inputs, a constant 1 for the bias, and the unit (or a unit for each class) with its field."""
    data, z = picture.data, model.z
    shown, units = min(data.d, MOST_UNITS), min(len(z), MOST_UNITS)
    grid = grid_over(data.X, picture.extent)
    sums = model.sums(grid)
    if len(z) == 1:
        said = np.where(sums >= 0.0, 1.0, -1.0)
    else:
        said = (sums == sums.max(axis=1, keepdims=True)).astype(np.float64)[:, :units]
    centred = grid[:, :shown] - data.X[:, :shown].mean(axis=0)
    size = np.abs(centred).max(axis=0)
    inputs = np.column_stack([centred / np.where(size > 0.0, size, 1.0), np.ones(len(grid))])
    table = np.rint(127.0 * np.column_stack([inputs, said]))
    maps = np.ascontiguousarray(table.T.astype(np.int8)).reshape(-1, len(table) // SIDE, SIDE)
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
        picture.extent,
        ((*data.features[:shown], "1"), names),
        ("input", "step"),
        groups,
        (data.d - shown, len(z) - units),
    )


def _step(model: Model, picture: Picture) -> tuple[Mark, ...]:
    """Each point at its sum and its target, over the step; wrong ones are on the wrong half."""
    every = -(-picture.data.n // MOST_DOTS)
    points = np.arange(0, picture.data.n, every)
    y = picture.labels[points]
    if len(model.z) > 1:
        sums, targets = margins(model.z, picture.columns[:, points], y), np.ones(len(y))
    else:
        sums, targets = model.sums(picture.data.X[points])[:, 0], (y == 1).astype(np.float64)
    widest = float(np.abs(sums).max(initial=0.0)) or 1.0
    x = np.array([-widest, 0.0, 0.0, widest])
    name = "step" if len(model.z) == 1 else "right where the own sum leads"
    return Curve(x, np.array([0.0, 0.0, 1.0, 1.0]), name), Scatter(sums, targets, points)


def _proof(model: Model, picture: Picture) -> tuple[Mark, ...]:
    """The length of z between what each mistake adds at least and at most; where the two meet it must have ended."""
    mistakes, lengths = model.lengths.T
    marks: tuple[Mark, ...] = (Curve(mistakes, lengths, "length of (w, b)", dots=len(mistakes) <= 60),)
    if not picture.bounded:
        return marks
    end = (picture.radius / picture.margin) ** 2
    shown = min(end, max(FAR, 2.0 * float(mistakes[-1])))
    k = np.linspace(0.0, shown, 200)
    least, most = picture.rate * picture.margin * k, picture.rate * picture.radius * np.sqrt(k)
    marks += (Curve(k, most, "at most R√k"), Curve(k, least, "at least g k"))
    return (*marks, ReferenceLine(end, f"no more than {end:,.4g}")) if end <= shown else marks


def _passes(model: Model) -> tuple[Mark, ...]:
    if not len(model.per_pass):
        return ()
    number = np.arange(1, len(model.per_pass) + 1, dtype=np.float64)
    return (Curve(number, model.per_pass.astype(np.float64), "mistakes", dots=len(number) <= 100),)
