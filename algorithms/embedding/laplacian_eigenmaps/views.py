"""What a frame of Laplacian eigenmaps shows: cloud and graph, eigenvectors as colours, the map, the spectrum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Curve, Mark, ReferenceLine, Segments
from algorithms.maths.maps import rising_bars

if TYPE_CHECKING:
    from algorithms.embedding.laplacian_eigenmaps import Given, Shot


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame, with the edges of a point that is looked at in place of those of the chosen one."""
    given, model, grown = shot.given, shot.model, shot.shown.grown
    stage, values, name = given.stage, _values(shot), f"eigenvector {shot.shown.which}"
    point = shot.shown.point
    spokes, weights = spokes_of(given, point)
    if shot.focus is not None and point >= 0 and len(spokes_of(given, shot.focus.number)[0]):
        point = shot.focus.number
        spokes, weights = spokes_of(given, point)
    if values is None:
        name = ""
    drawn, label = (spokes, f"weights at point {point + 1}") if len(spokes) else (None, "")
    found: dict[str, tuple[Mark, ...]] = {
        "cloud": (stage.cloud(model, grown, values, name, drawn, weights if len(spokes) else None, label),),
        "embedding": (stage.map(model, values, name),),
        "plane": (),
    }
    if len(spokes):
        X = stage.data.X
        found["plane"] = (Segments(X[spokes[:, 0]], X[spokes[:, 1]], weights=weights),)
    if point >= 0:
        found["kernel"] = _kernel(given, model.placing.first.unit)
    if len(model.eigenvalues):
        found["spectrum"] = (rising_bars(model.eigenvalues, given.params.dimensions),)
    return found


def _values(shot: Shot) -> Array | None:
    """The eigenvector that is looked at as a value of every point; those that are not mapped have the mean."""
    vector = shot.shown.vector
    if vector is None:
        return None
    values = np.full(shot.given.stage.data.n, float(vector.mean()))
    values[shot.model.members] = vector
    return values


def spokes_of(given: Given, point: int) -> tuple[Array, Array]:
    """The edges (s, 2) at a point, from there on, and their weights; nothing for no point."""
    if point < 0:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    edges = given.stage.graph.edges
    at = np.flatnonzero((edges == point).any(axis=1))
    others = edges[at].sum(axis=1) - point
    return np.stack([np.full(len(at), point), others], axis=1), given.weights[at]


def _kernel(given: Given, unit: float) -> tuple[Mark, ...]:
    """The weight of an edge over its length, with how many edges are that long."""
    lengths, s = given.stage.graph.lengths * unit, given.s
    middles, counts = lengths[:1], np.array([len(lengths)])
    if np.ptp(lengths) > 1e-9 * lengths.max():  # less is rounding, which is no width for bins
        counts, bounds = np.histogram(lengths, bins=min(40, len(lengths)))
        middles = 0.5 * (bounds[1:] + bounds[:-1])
    x = np.linspace(0.0, float(lengths.max()) * 1.02, 200)
    heat = np.exp(-0.5 * np.square(x / s)) if s > 0.0 else np.ones_like(x)
    fraction = counts / max(counts.max(), 1)
    marks: tuple[Mark, ...] = (
        Curve(middles, fraction, "how many edges, most = 1", quiet=True),
        Curve(x, heat, "weight of an edge"),
    )
    return (*marks, ReferenceLine(s, "width")) if 0.0 < s < x[-1] else marks
