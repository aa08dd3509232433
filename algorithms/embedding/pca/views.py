"""What a frame of principal component analysis shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.embedding.pca import solver
from algorithms.marks import Bars, Centres, Curve, Dots, Images, Mark, ReferenceLine, Scatter, Segments, TurningAxis
from algorithms.maths import maps
from algorithms.maths.words import number

if TYPE_CHECKING:
    from algorithms.embedding.pca import Model, Shot

MOST_WHISKERS = 300
"""More whiskers than this hide the points; an even selection is shown."""
FEWER_WHISKERS = 40
"""In the small picture of two lines."""
MOST_BARS = 24
"""Components in the scree plot, and features in the chart of a component."""
EXAMPLES = 4
"""Pictures that are rebuilt."""
USUAL = 80.0
"""So many percent of the variance are often said to be enough."""
CURVE = 181
"""Places of a curve over the angle."""


def squares(shot: Shot) -> float:
    """What the squares of all whiskers add up to."""
    return shot.metrics["error"] * max(shot.given.data.n - 1, 1)


def clean_errors(shot: Shot) -> Array:
    """What 0 and the steps of the ladder so far rebuild, beside data without noise."""
    return shot.given.errors[[0, *shot.given.ladder[: shot.shown.reached]]]


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    found: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(shot),
        "scree": _scree(shot),
    }
    if shot.given.data.image_shape is not None:
        found["pictures"] = (_images(shot, shot.given.data.image_shape),)
    elif len(shot.model.components) and shot.given.data.d > 2:  # of two features the plane shows them
        found["loadings"] = (_loadings(shot),)
    if len(shot.model.components):
        found["map"] = (_map(shot),)
    if shot.given.plane is not None:
        found["turning"] = _turning(shot, shot.given.plane)
    if shot.given.lines is not None and len(shot.model.components):
        found["lines"] = _two_lines(shot, shot.given.lines)
    if shot.given.data.d > 1:
        found["error"] = _errors(shot)
    return found


# --- the plane --------------------------------------------------------------------------------------------------------


def _plane(shot: Shot) -> tuple[Mark, ...]:
    if shot.shown.whiskers and shot.given.lines is not None:
        return _comparison(shot, shot.given.lines)
    model = shot.model
    marks: tuple[Mark, ...] = (Centres(model.mean[None], name="mean"),)
    if not len(model.components):
        return marks
    if shot.shown.count < len(shot.given.found.lengths) or shot.given.noisy:
        some = maps.evenly(shot.given.data.n, MOST_WHISKERS)
        used = shot.given.found.directions[: shot.shown.count] if shot.shown.count else model.components
        away = (shot.given.rows[some] - model.mean) / model.scale
        rebuilt = model.mean + away @ used.T @ used * model.scale
        name = "residuals" if shot.given.noisy else f"residuals: squares add up to {number(squares(shot))}"
        marks = (Segments(shot.given.data.X[some], rebuilt, "residual", some, name), *marks)
        if shot.shown.slid:
            marks = (
                *marks,
                Dots(shot.given.rows[some] + shot.shown.slid * (rebuilt - shot.given.rows[some]), "projection", 1),
            )
    if shot.shown.count == 0:
        return (*marks, _turning_axis(shot))
    for k in range(min(len(model.components), 3)):
        name = f"component {k + 1} ({100 * model.fractions[k]:.3g} %)"
        marks = (*marks, _axis(model, model.components[k], 2.0 * float(np.sqrt(model.variances[k])), name, k > 0))
    return marks


def _turning_axis(shot: Shot) -> Mark:
    """The axis past all points; of two features it can be taken where it is in sight, whatever its angle is."""
    model = shot.model
    away = np.abs((shot.given.rows - model.mean) / model.scale)
    reach = 1.1 * float(np.sqrt(np.square(away).sum(axis=1).max()))
    if shot.given.data.d != 2:
        return _axis(model, model.components[0], reach, "axis")
    near = float(away.max(axis=0).min() or away.max())
    return _axis(model, model.components[0], near, "axis", stretch=reach / near)


def _axis(model: Model, direction: Array, length: float, name: str, fixed: bool = False, stretch: float = 1.0) -> Mark:
    """A piece of an axis through the mean; that of two features can be taken by its ends, the first one."""
    ends = np.stack([-length * direction, length * direction]) * model.scale + model.mean
    if len(direction) != 2 or fixed:
        return Segments(ends[:1], ends[1:], "axis", name=name)
    return TurningAxis(ends, model.mean, model.scale, "angle", name, stretch)


def _comparison(shot: Shot, lines: solver.Lines) -> tuple[Mark, ...]:
    """The principal axis between the two lines of least squares, with whiskers upright or across it."""
    model, rows = shot.model, shot.given.rows
    away = (rows - model.mean) / model.scale
    first, second = shot.given.data.features
    reach = 1.1 * float(np.abs(away).max())
    some = maps.evenly(shot.given.data.n, MOST_WHISKERS)
    ends = _feet(away[some], lines, None if shot.shown.whiskers == "upright" else np.array(lines.principal))
    whiskers = Segments(rows[some], model.mean + ends * model.scale, "residual", some, "residuals")
    marks: tuple[Mark, ...] = (whiskers, Centres(model.mean[None], name="mean"))
    for direction, name in ((lines.upright, f"{second} on {first}"), (lines.level, f"{first} on {second}")):
        ends = _line_ends(np.array(direction), reach) * model.scale + model.mean
        marks = (*marks, Segments(ends[:1], ends[1:], "link", name=f"least squares of {name}"))
    ends = _line_ends(np.array(lines.principal), reach) * model.scale + model.mean
    return (*marks, Segments(ends[:1], ends[1:], "axis", name="principal axis"))


def _feet(away: Array, lines: solver.Lines, axis: Array | None) -> Array:
    """Where the whiskers of centred points end: across on an axis, or upright on the line of least squares."""
    if axis is None:
        return np.column_stack([away[:, 0], lines.upright[1] / lines.upright[0] * away[:, 0]])
    return np.outer(away @ axis, axis)


def _two_lines(shot: Shot, lines: solver.Lines) -> tuple[Mark, ...]:
    """The same points twice, side by side: least squares with upright whiskers, and the axis with those across it.

    In the units in which the whiskers are measured, so that right angles look like it.
    """
    model, axis = shot.model, shot.model.components[0]
    some = maps.evenly(shot.given.data.n, FEWER_WHISKERS)
    away = (shot.given.rows[some] - model.mean) / model.scale
    wide = 1.15 * float(np.abs(away[:, 0]).max() or 1.0)
    across = max(shot.given.total - float(model.variances[0]), 0.0) * max(shot.given.data.n - 1, 1)
    total = "total least squares" if shot.shown.count else "axis"
    left, right = np.array([-wide, 0.0]), np.array([wide, 0.0])
    marks, ends = [], []
    for at, direction, name in (
        (left, None, f"left, least squares: {lines.upright_errors[0]:.4g}"),
        (right, axis, f"right, {total}: {across:.4g}"),
    ):
        feet = _feet(away, lines, direction)
        marks.append(Segments(away + at, feet + at, "residual", some, name))
        reach = float(np.sqrt(np.square(feet).sum(axis=1).max()))
        ends.append(_line_ends(np.array(lines.upright) if direction is None else direction, 1.05 * reach) + at)
    both = np.stack(ends)
    points = Scatter(np.concatenate([away + left, away + right]), np.concatenate([some, some]), equal=True)
    return (*marks, Segments(both[:, 0], both[:, 1], "axis", name="line"), points)


def _line_ends(direction: Array, reach: float) -> Array:
    unit = direction / np.abs(direction).max()  # a product of features, whose square may be beyond all numbers
    unit = unit / np.linalg.norm(unit)
    return np.stack([-reach * unit, reach * unit])


# --- plots ------------------------------------------------------------------------------------------------------------


def _map(shot: Shot) -> Mark:
    model, data = shot.model, shot.given.data
    columns = 3 if model.embedding.shape[1] == 3 else min(model.embedding.shape[1], 2)
    axes = tuple(f"component {k + 1} ({100 * model.fractions[k]:.3g} %)" for k in range(columns))
    if shot.shown.count == 0:
        axes = ("along the axis",)
    axes = (*axes, *[""] * (3 - len(axes)))
    heights = data.y if data.is_valued else None
    return maps.map_mark(model.embedding[:, :columns], heights=heights, target=data.target, axes=axes)


def _scree(shot: Shot) -> tuple[Mark, ...]:
    """The part of the variance that each component has, and all up to it together."""
    fractions = 100.0 * shot.given.found.fractions
    few = fractions[:MOST_BARS]
    groups = np.where(np.arange(len(few)) < shot.shown.count, 0, -1)
    names = tuple(str(k + 1) for k in range(len(few)))
    bars = Bars(few, names, groups=groups, group_names=("so far",))
    together = Curve(np.arange(len(few)) * 1.0, np.cumsum(fractions)[: len(few)], "together", dots=True)
    return bars, together, ReferenceLine(USUAL, f"{USUAL:.0f} %", axis="y")


def _turning(shot: Shot, plane: solver.Plane) -> tuple[Mark, ...]:
    """The variance over the angle, and where the axis is."""
    degrees = np.linspace(0.0, 180.0, CURVE)
    variance = np.asarray(plane.variance(np.radians(degrees)))
    here = float(np.degrees(shot.shown.angle) % 180.0) if shot.shown.angle != np.pi else 180.0
    now = shot.metrics["variance"] if shot.shown.foreign else float(plane.variance(shot.shown.angle))
    playhead = ReferenceLine(here, f"{here:.0f}°", handle="angle")
    along = Curve(degrees, variance, "along the axis")
    if shot.given.data.d > 2:  # what all the other directions have would leave the curve flat
        return along, playhead, Dots(np.array([[here, now]]))
    left = Curve(degrees, plane.total - variance, "across the axis")
    together = Curve(degrees[[0, -1]], np.full(2, plane.total), "together", quiet=True)
    return along, left, together, playhead, Dots(np.array([[here, now], [here, plane.total - now]]))


def _errors(shot: Shot) -> tuple[Mark, ...]:
    """What is left over when points are rebuilt from so many components."""
    steps = np.array((0, *shot.given.ladder)[: shot.shown.reached + 1], dtype=float)
    squared = np.square(shot.given.found.lengths) / shot.given.data.n
    left = np.array([float(squared[k:].sum()) for k in steps.astype(int).tolist()])
    marks: tuple[Mark, ...] = (Curve(steps, left, "to the points", dots=True),)
    if shot.given.noisy:
        marks = (*marks, Curve(steps, clean_errors(shot), "to the points without noise", dots=True))
    return (*marks, ReferenceLine(float(shot.given.kept), "kept", handle="dimensions"))


# --- components and rebuilt rows --------------------------------------------------------------------------------------


def _loadings(shot: Shot) -> Bars:
    """How much of each feature is in the first components, feature by feature."""
    few = shot.model.components[:3, :MOST_BARS]
    count, d = few.shape
    names = tuple(shot.given.data.features[j] if k == 0 else "" for j in range(d) for k in range(count))
    labels = ("axis",) if shot.shown.count == 0 else tuple(f"component {k + 1}" for k in range(count))
    return Bars(few.T.ravel(), names, groups=np.tile(np.arange(count), d), group_names=labels)


def _images(shot: Shot, shape: tuple[int, int]) -> Images:
    """The mean and the components on top; below, some pictures and what is rebuilt of them so far."""
    data, found, model = shot.given.data, shot.given.found, shot.model
    wide, first = len(shot.given.ladder), 2 if shot.given.noisy else 1
    tiles: list[tuple[Array, int, int, str, bool, int]] = [(model.mean, 0, 0, "mean", False, -1)]
    directions, steps = found.directions, shot.given.ladder[: shot.shown.reached]
    names = [f"{k + 1}: {100 * fraction:.2g} %" for k, fraction in enumerate(found.fractions.tolist())]
    if shot.shown.count == 0:  # the axis alone, which still turns
        directions, steps, names = model.components, (1,) * len(model.components), ["axis"]
    for k in range(min(wide, max(shot.shown.count, *steps, 0))):
        tiles.append((directions[k], 0, k + first, names[k], True, -1))
    for row, point in enumerate(maps.one_of_each(data, EXAMPLES).tolist(), start=1):
        name = data.classes[int(data.y[point])] if data.classes and data.y is not None else f"point {point + 1}"
        tiles.append((data.X[point], row, 0, name, False, point))
        if shot.given.noisy:
            tiles.append((shot.given.rows[point], row, 1, "with noise", False, point))
        scores = (shot.given.rows[point] - model.mean) / model.scale @ directions.T
        for column, k in enumerate(steps, start=first):
            again = model.mean + scores[:k] @ directions[:k] * model.scale
            tiles.append((again, row, column, f"from {k}" if shot.shown.count else "from it", False, point))
    pixels, rows, columns, captions, signed, points = zip(*tiles)
    at = np.stack([np.array(rows), np.array(columns)], axis=1)
    grid = np.stack(pixels).reshape(len(tiles), *shape)
    levels = (float(data.X.min()), float(data.X.max()))
    return Images(grid, at, captions, np.array(signed), levels, np.array(points))
