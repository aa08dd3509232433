"""The pictures of a Gaussian process: the band, functions drawn from it, and the map of its hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.data import Array
from algorithms.marks import Bundle, Curve, Dots, Highlight, Mark, PointSizes, ReferenceLine, Scatter, Segments
from algorithms.maths.contours import zero_pieces
from algorithms.maths.regression_marks import surface_shading, weight_bars
from algorithms.regression.gaussian_process.solver import Row, root_of

if TYPE_CHECKING:
    from algorithms.regression.gaussian_process import Given, Model, Shot

MOST_HALOS = 1000
BELOW = (0.5, 2.0, 4.5, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0)
"""Lines of the map lie so much below its highest place."""
PLACES = 41
"""Along each side of the picture of the uncertainty over two features."""
MOST_DOTS = 300
"""Of more points, an even part is shown on the curve of the uncertainty."""


@dataclass(frozen=True, slots=True, eq=False)
class Along:
    """What is known along the curve over one feature, worked out once for all pictures of a frame."""

    known: Array  # (m, r)
    mean: Array  # (m,)
    deviation: Array  # (m,)

    @classmethod
    def of(cls, given: Given, model: Model) -> Along:
        """At the places of a given."""
        rows = model.rows(given.grid) if len(given.grid) else np.empty((0, len(model.centres)))
        known = model.known(given.grid, rows)
        if not len(given.grid):
            return cls(known, np.empty(0), np.empty(0))
        return cls(known, model.values(given.grid, rows), model.deviation(given.grid, known))


def views(shot: Shot) -> Views:
    """All views of a frame."""
    given, model, rows, path = shot.given, shot.model, shot.shown.rows, shot.shown.path
    along = Along.of(given, model)
    views = {"plane": plane_marks(given, model, along), "uncertainty": uncertainty_marks(given, model, along)}
    if given.data.d == 1:
        views["prior"] = prior_marks(given, model)
    if len(model.alpha):
        views["alpha"] = (weight_bars(model.alpha, model.members),)
    if rows:
        views["evidence"] = evidence_marks(given, model, rows)
    if len(rows) > 1:
        views["map"] = map_marks(given, model, rows, np.empty((0, 3)) if path is None else np.exp(path))
    return views


def plane_marks(given: Given, model: Model, along: Along) -> tuple[Mark, ...]:
    """The mean, the band and some functions; over more features the mean, and a halo where it is not known."""
    data = given.data
    seen: tuple[Mark, ...] = ()
    if 0 < len(model.members) < data.n and model.observed < data.n:
        seen = (Highlight(model.members, "chosen", "observed"),)
    if data.d != 1:
        halos = (PointSizes(model.deviation(data.X), "not certain", model.scale * model.amplitude),)
        return (*surface_shading(data, given.y), *(halos if data.n <= MOST_HALOS else ()), *seen)
    x, mean = given.grid[:, 0], along.mean
    curve = Curve(x, mean, "mean")
    if model.band != "none":
        half = model.half_width(given.grid, along.known)
        curve = Curve(x, mean, "mean, 95 % band", mean - half, mean + half)
    if not len(given.normals):
        return (curve, *seen)
    which = "drawn from the posterior" if len(model.alpha) else "drawn from the prior"
    places = given.grid[::2]
    functions = mean[::2] + given.normals @ root_of(model.covariance(places, along.known[::2]))
    return (Bundle(places[:, 0], functions, which), curve, *seen)


def prior_marks(given: Given, model: Model) -> tuple[Mark, ...]:
    """Functions that these hyper-parameters hold for likely before anything is observed."""
    places = given.grid[::2]
    x, deviation = places[:, 0], model.scale * model.amplitude * np.sqrt(model.diagonal(places))
    level = np.full(len(x), model.level)
    band = Curve(x, level, "mean, 95 % band", level - 1.96 * deviation, level + 1.96 * deviation)
    if not len(given.normals):
        return (band,)
    root = root_of(model.scale**2 * model.amplitude**2 * model.rows(places, places))
    return (Bundle(x, level + given.normals @ root, "drawn from the prior"), band)


def uncertainty_marks(given: Given, model: Model, along: Along) -> tuple[Mark, ...]:
    """The standard deviation of the function: over one feature a curve, over two lines of equal height."""
    data = given.data
    names = data.features
    if data.d == 1:
        x, y = given.grid[:, 0], along.deviation
        prior = model.scale * model.amplitude * np.sqrt(model.diagonal(given.grid))
        shown = np.arange(0, data.n, -(-data.n // MOST_DOTS))
        at = np.column_stack([data.X[shown, 0], model.deviation(data.X[shown])])
        return (
            Curve(x, prior, "before", quiet=True),
            Curve(x, y, "now"),
            Scatter(at, shown, x=names[0], y="standard deviation"),
        )
    if data.d != 2:
        return ()
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    margin = 0.1 * np.where(high > low, high - low, 1.0)
    x, y = (np.linspace(low[j] - margin[j], high[j] + margin[j], PLACES) for j in (0, 1))
    at = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    heights = model.deviation(at).reshape(PLACES, PLACES)
    levels = np.linspace(float(heights.min()), float(heights.max()), 9)[1:-1]
    lines = zero_pieces(heights, x, y, levels.tolist())
    told = f"equal deviation, {heights.min():.2g} to {heights.max():.2g}"
    return Segments(lines[:, 0], lines[:, 1], "edge", name=told), Scatter(data.X, x=names[0], y=names[1])


def evidence_marks(given: Given, model: Model, rows: tuple[Row, ...]) -> tuple[Mark, ...]:
    """The log marginal likelihood over the length scale, with its two parts, at the amplitude and noise of now."""
    noise = np.array([model.noise])
    lengths = np.array([row.length for row in rows])
    parts = np.array([[part[0] for part in row.heights(model.amplitude, noise)] for row in rows])  # (k, 2)
    total = parts.sum(axis=1)
    floor = float(total.max()) - max(3.0 * rows[0].n, 20.0)  # what is hopeless would flatten the rest
    marks: list[Mark] = []
    for values, name in ((parts[:, 0], "fit"), (parts[:, 1], "simplicity"), (total, "log p(y)")):
        inside = values >= floor
        if inside.any():
            marks.append(Curve(lengths[inside], values[inside], name, dots=len(rows) == 1))
    best = int(total.argmax())
    return (
        *marks,
        Curve(lengths[best : best + 1], total[best : best + 1], dots=True),
        ReferenceLine(given.start.length, f"length = {given.start.length:.3g}", handle="length"),
    )


def map_marks(given: Given, model: Model, rows: tuple[Row, ...], path: Array) -> tuple[Mark, ...]:
    """The log marginal likelihood over length scale and noise at the amplitude of now, and the way that was climbed."""
    lengths, noises = np.array([row.length for row in rows]), given.noises
    heights = np.column_stack([row.totals(model.amplitude, noises) for row in rows])  # (noises, lengths)
    best = np.unravel_index(int(heights.argmax()), heights.shape)
    x, y = np.log10(lengths), np.log10(noises)
    lines = 10.0 ** zero_pieces(heights, x, y, [float(heights[best]) - below for below in BELOW])
    marks: tuple[Mark, ...] = (
        Segments(lines[:, 0], lines[:, 1], "edge", name="equal log p(y)"),
        Dots(np.array([[lengths[best[1]], noises[best[0]]]]), f"highest: {heights[best]:.4g}", known=True),
    )
    if len(path):
        marks = (*marks, Curve(path[:, 0], path[:, 2], "climb", dots=True))
    return (
        *marks,
        ReferenceLine(given.start.length, f"length = {given.start.length:.3g}", handle="length"),
        ReferenceLine(given.start.noise, f"noise = {given.start.noise:.3g}", axis="y", handle="noise"),
    )
