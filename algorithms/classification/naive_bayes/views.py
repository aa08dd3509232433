"""The pictures of naive Bayes: the plane, one feature by class, and what every feature says about one point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.classification.naive_bayes.solver import Encoding
from algorithms.classification.naive_bayes.words import Odds, short_name, value_name
from algorithms.contract import Views
from algorithms.data import Array, Points
from algorithms.marks import (
    Bars,
    Centres,
    Curve,
    Ellipses,
    Highlight,
    Isolines,
    Mark,
    Polygons,
    Regions,
)
from algorithms.maths.histograms import histogram_outline

if TYPE_CHECKING:
    from algorithms.classification.naive_bayes import Model, Shot

MOST_BARS, MOST_VALUES, MOST_CLASSES = 16, 10, 6
_FEW = 60  # up to so many points the newest are ringed
BINS = 20


def views(shot: Shot) -> Views:
    """Every panel; the log-odds are those of the item that is looked at, or of the chosen point."""
    model, data, newest = shot.model, shot.given.data, shot.shown.newest
    point = shot.given.point if shot.focus is None else shot.focus.number
    plane: list[Mark] = [Regions("probability"), Isolines(strong=(0.5,))]
    if model.kind == "gaussian" and model.class_counts.any():
        weights = np.where(model.class_counts > 0, np.maximum(model.priors, 1e-3), 0.0)
        covariances = model.variances[:, :, None] * np.eye(data.d)
        plane.append(Ellipses(model.means, covariances, weights / weights.sum(), whole="class"))
        plane.append(Centres(model.means, name="mean"))
        plane += _with_correlation(model, data)
    if newest is not None and 0 < len(newest) <= _FEW:
        plane.append(Highlight(newest, "changed", "just counted in"))
    elif newest is None:
        plane.append(Highlight(np.array([point]), "chosen", "point of the bars"))
    return {
        "plane": tuple(plane),
        "feature": _feature(model, data, shot.given.feature),
        "odds": _odds(model, data, point),
    }


def _with_correlation(model: Model, data: Points) -> list[Mark]:
    """In the plane: the ellipses with the full covariance of the classes, slanted where features are correlated."""
    if data.d != 2:
        return []
    y = data.class_numbers("")
    large = [k for k in np.flatnonzero(model.class_counts) if np.count_nonzero(y == k) > 2][:MOST_CLASSES]
    turns = np.linspace(0.0, 2.0 * np.pi, 73)[:-1]
    circle = 2.0 * np.column_stack([np.cos(turns), np.sin(turns)])
    outlines = []
    for k in large:
        values, vectors = np.linalg.eigh(np.cov(data.X[y == k], rowvar=False))
        axes = vectors * np.sqrt(np.maximum(values, 0.0))
        outlines.append(data.X[y == k].mean(axis=0) + circle @ axes.T)
    return [Polygons(tuple(outlines), dashed=True, name="with the correlation")] if large else []


def _feature(model: Model, data: Points, j: int) -> tuple[Mark, ...]:
    """How the values of a feature are spread in every class."""
    seen = np.flatnonzero(model.class_counts)[:MOST_CLASSES]
    if model.kind == "multinomial":
        return _words(model, data, seen)
    if model.kind == "gaussian":
        return _bells(model, data, j, seen)
    if model.kind == "histogram":
        return _histogram(model, j, _shown(seen, data))
    first, last = model.encoding.offsets[j : j + 2]
    return _grouped(model, data, np.arange(first, min(last, first + MOST_VALUES)), seen)


def _shown(seen: Array, data: Points) -> Array:
    """The classes that have been seen; all of them, which are equal, before the first point is counted."""
    return seen if len(seen) else np.arange(min(len(data.classes), MOST_CLASSES))


def _words(model: Model, data: Points, seen: Array) -> tuple[Mark, ...]:
    """The words whose probability differs most between the classes."""
    table = np.exp(model.log_table)
    telling = np.argsort(-np.ptp(table[seen], axis=0), kind="stable")[:MOST_VALUES] if len(seen) else np.arange(1)
    return _grouped(model, data, telling[: data.d], seen)


def _grouped(model: Model, data: Points, cells: Array, seen: Array) -> tuple[Mark, ...]:
    """P(value | class) as bars, those of one value side by side."""
    shown = _shown(seen, data)
    heights = np.exp(model.log_table)[np.ix_(shown, cells)].T  # (values, classes)
    names = [value_name(model, data, int(cell)).rsplit("= ", 1)[-1] for cell in cells]
    middle = (len(shown) - 1) // 2
    labels = tuple(names[i] if k == middle else "" for i in range(len(cells)) for k in range(len(shown)))
    groups = np.tile(shown, len(cells))
    return (Bars(heights.ravel(), labels, groups=groups, group_names=data.classes),)


def _bells(model: Model, data: Points, j: int, seen: Array) -> tuple[Mark, ...]:
    """The bell of each class that has been seen, over the histograms of all classes."""
    column, y = data.X[:, j], data.class_numbers("")
    present = np.flatnonzero(np.bincount(y))[:MOST_CLASSES]
    low, high = float(column.min()), float(column.max())
    if high - low <= 1e-9 * abs(low):  # next to large numbers 1 is nothing
        high = low + max(1.0, 0.1 * abs(low))
    edges = np.linspace(low, high, BINS + 1)
    heights = [np.histogram(column[y == k], edges, density=True)[0] for k in present]
    outlines = tuple(histogram_outline(edges, height) for height in heights)
    marks: list[Mark] = [Polygons(outlines, groups=present, filled=True, name="histogram of a class")]
    top = max((float(height.max()) for height in heights), default=1.0)
    x = np.linspace(edges[0] - 0.1 * (edges[-1] - edges[0]), edges[-1] + 0.1 * (edges[-1] - edges[0]), 160)
    for k in seen:
        variance = float(model.variances[k, j])
        bell = np.exp(-0.5 * (x - model.means[k, j]) ** 2 / variance) / np.sqrt(2.0 * np.pi * variance)
        marks.append(Curve(x, np.minimum(bell, 3.0 * top), "its bell" if k == seen[0] else "", quiet=True))
    return tuple(marks)


def _histogram(model: Model, j: int, shown: Array) -> tuple[Mark, ...]:
    """The filling bins of every class, as densities."""
    encoding: Encoding = model.encoding
    starts = encoding.values[encoding.offsets[j] : encoding.offsets[j + 1]]
    width = float(starts[1] - starts[0]) if len(starts) > 1 else 1.0
    edges = np.append(starts, starts[-1] + width)
    table = np.exp(model.log_table)[:, encoding.offsets[j] : encoding.offsets[j + 1]] / width
    outlines = tuple(histogram_outline(edges, table[k]) for k in shown)
    return (Polygons(outlines, groups=shown, filled=True, name="bins of a class"),)


def _odds(model: Model, data: Points, point: int) -> tuple[Mark, ...]:
    """The log-odds of the likeliest class at the point against the next one: the prior, then feature by feature."""
    x = data.X[point]
    odds = Odds(model, x)
    if odds.other is None or not model.class_counts.any():
        return ()
    finite = np.isfinite(odds.parts)
    largest = float(np.abs(odds.parts[finite]).max(initial=abs(odds.prior))) or 1.0
    heights = np.where(finite, odds.parts, np.sign(np.where(finite, 1.0, odds.parts)) * 1.5 * largest)
    order = np.argsort(-np.abs(heights), kind="stable")
    order = order[np.abs(heights[order]) > 0.0][:MOST_BARS]
    values = np.concatenate([[odds.prior], heights[order]])
    names = ["prior", *(f"{short_name(model, data, x, int(j))}{'' if finite[j] else ': zero'}" for j in order)]
    groups = np.where(values >= 0.0, odds.winner, odds.other)
    return (Bars(values, tuple(names), groups=groups, group_names=tuple(f"for {name}" for name in data.classes)),)
