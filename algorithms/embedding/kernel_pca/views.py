"""What a frame of kernel principal components shows: level sets, map, spectrum, widths and the kernel matrix."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array, Points
from algorithms.embedding.kernel_pca.solver import Axes, Gram
from algorithms.marks import (
    Bars,
    Centres,
    Curve,
    Dots,
    Images,
    Isolines,
    Mark,
    Matrix,
    ReferenceLine,
    Regions,
    Segments,
)
from algorithms.maths import maps
from algorithms.maths.components import principal_components

if TYPE_CHECKING:
    from algorithms.embedding.kernel_pca import Shot, Swept

SIDE = 56
"""Pixels along a side of the picture of a component,"""
MOST_VALUES = 600_000
"""... fewer where there would be more kernel values than this: they are made when somebody looks, who has 16 ms."""
BAND = 0.5
"""Level sets are this far apart, in standard deviations of the points."""
FARTHEST = 3.0
"""... up to so many of them."""
COLUMNS = 4
"""Pictures of components, or of points, in a row."""
CURVES = 4
"""Components whose part of the variance is drawn over the width."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    found: dict[str, tuple[Mark, ...]] = {"plane": _plane(shot), "components": _pictures(shot)}
    if shot.phase != "start":
        found["gram"] = (shot.given.gram if shot.phase == "gram" else shot.given.centred,)
    if len(shot.model.eigenvalues):
        found["map"] = (_map(shot),)
    if shot.phase not in ("start", "gram", "centre"):
        found["spectrum"] = (_spectrum(shot.model.axes, len(shot.model.eigenvalues)),)
    if shot.shown.swept is not None:
        found["widths"] = _widths(shot, shot.shown.swept)
    return found


# --- the plane and the map --------------------------------------------------------------------------------------------


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """The level sets of the component on show; the way from some points to their pre-images."""
    model = shot.model
    shown = _straight_axes(shot.given.data)
    if model.shown >= 0:
        levels = np.arange(-FARTHEST, FARTHEST + BAND / 2, BAND)
        name = f"equal component {model.shown + 1}"
        shown = (Regions("signed"), Isolines(strong=(), fine=tuple(levels.tolist()), fine_name=name))
    if shot.shown.searched is None or shot.shown.found is None:
        return shown
    away = Segments(
        shot.given.data.X[shot.shown.searched], shot.shown.found, "residual", shot.shown.searched, "to its pre-image"
    )
    dots = (Dots(shot.shown.found, "pre-image"),) if shot.given.data.d == 2 else ()
    return (*shown, away, *dots)


def _straight_axes(data: Points) -> tuple[Mark, ...]:
    """The axes of principal component analysis, which cannot bend: what there is before there is a kernel."""
    found = principal_components(data.X, 2)
    reach = 2.0 * np.sqrt(found.variances(data.n))[:, None] * found.directions
    axes = Segments(found.mean - reach, found.mean + reach, "axis", name="straight principal axes")
    return axes, Centres(found.mean[None], name="mean")


def _map(shot: Shot) -> Mark:
    names = [f"component {k + 1} ({100 * fraction:.3g} %)" for k, fraction in enumerate(shot.model.axes.fractions)]
    return maps.scores_mark(shot.model.embedding, shot.given.data, names)


# --- one picture for each component -----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4)
def level_sets(axes: Axes) -> Array:
    """Each component (k, side, side) in steps, over the plane of two features or of two principal axes of more."""
    n, d = axes.X.shape
    side = int(min(SIDE, np.sqrt(MOST_VALUES / n)))
    mean, (across, up) = _directions(axes.X)
    grid = np.linspace(-1.0, 1.0, side)
    places = mean + grid[None, :, None] * across + grid[::-1, None, None] * up
    scores = axes.scores(places.reshape(-1, d))
    deviations = np.sqrt(axes.eigenvalues / n)
    steps = np.clip(scores / np.where(deviations > 0.0, deviations, 1.0), -FARTHEST, FARTHEST)
    bands = (np.floor(steps / BAND) + 0.5) * BAND
    return np.asarray(bands.T.reshape(-1, side, side))


def _directions(X: Array) -> tuple[Array, Array]:
    """The middle of the pictures (d,), and what leads from there to their right and to their upper edge (2, d)."""
    low, high = X.min(axis=0), X.max(axis=0)
    if X.shape[1] <= 2:
        half = 0.6 * np.where(high > low, high - low, 1.0)
        return 0.5 * (low + high), np.diag(half) if X.shape[1] == 2 else np.array([[half[0]], [0.0]])
    found = principal_components(X, 2)
    reach = 1.1 * np.abs(found.scores(X)).max(axis=0)
    return found.mean, found.directions * reach[:, None]


def _pictures(shot: Shot) -> tuple[Mark, ...]:
    if shot.given.data.image_shape is not None:
        return _points_and_pre_images(shot, shot.given.data.image_shape)
    count = len(shot.model.eigenvalues)
    if not count:
        return ()
    pixels = level_sets(shot.model.axes)[:count]
    at = np.stack(np.divmod(np.arange(count), COLUMNS), axis=1)
    fractions = 100.0 * shot.model.axes.fractions
    captions = tuple(f"{k + 1}: {fractions[k]:.2g} %" for k in range(count))
    return (Images(pixels, at, captions, np.ones(count, dtype=bool)),)


def _points_and_pre_images(shot: Shot, shape: tuple[int, int]) -> tuple[Mark, ...]:
    """Some points that are pictures and, as soon as they are known, their pre-images below."""
    data = shot.given.data
    some = np.arange(data.n) if shot.shown.searched is None else shot.shown.searched
    chosen = maps.evenly(len(some), 2 * COLUMNS)
    points = some[chosen]
    rows, columns = np.divmod(np.arange(len(points)), COLUMNS)
    at, pixels = [np.stack([2 * rows, columns], axis=1)], [data.X[points]]
    captions = tuple(f"point {point + 1}" for point in points.tolist())
    if shot.shown.found is not None:
        at.append(np.stack([2 * rows + 1, columns], axis=1))
        pixels.append(shot.shown.found[chosen])
        captions = (*captions, *["pre-image"] * len(points))
        points = np.concatenate([points, points])
    levels = (float(data.X.min()), float(data.X.max()))
    grid = np.concatenate(pixels).reshape(-1, *shape)
    return (Images(grid, np.concatenate(at), captions, levels=levels, points=points),)


# --- plots ------------------------------------------------------------------------------------------------------------


def _spectrum(axes: Axes, kept: int) -> Bars:
    return maps.spectrum_bars(axes.spectrum, kept, len(axes.X), axes.largest)


def _widths(shot: Shot, swept: Swept) -> tuple[Mark, ...]:
    """What each component has of the variance, over the width; the width of this frame can be dragged."""
    curves = [
        Curve(swept.widths[::-1], 100.0 * swept.fractions[::-1, k], f"component {k + 1}")
        for k in range(min(swept.fractions.shape[1], CURVES))
    ]
    here = shot.given.sigma if shot.shown.width is None else shot.shown.width
    return (*curves, ReferenceLine(here, f"σ = {here:.3g}", handle=shot.given.handle))


def gram_table(data: Points, gram: Gram) -> Matrix:
    """A part of the kernel matrix."""
    rows = _class_by_class(data)
    values = gram.kernel(gram.X[rows], gram.X[rows])
    return Matrix(values, rows, bool(values.min() < 0.0), name="k")


def centred_table(data: Points, gram: Gram) -> Matrix:
    """The same part around the mean."""
    rows = _class_by_class(data)
    return Matrix(gram.centred[np.ix_(rows, rows)], rows, signed=True, name="k around the mean")


def _class_by_class(data: Points) -> Array:
    """Some points in the order of their classes, or of their target, or of the first feature: so blocks are seen."""
    order = np.argsort(data.X[:, 0] if data.y is None else data.y, kind="stable")
    return np.asarray(order[maps.evenly(data.n, maps.TABLE)])
