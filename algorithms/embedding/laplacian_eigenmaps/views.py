"""What a frame of Laplacian eigenmaps shows: cloud and graph, eigenvectors as colours, the map, the spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array
from algorithms.marks import Curve, Mark, ReferenceLine, Segments
from algorithms.maths.cloud_stage import Stage
from algorithms.maths.maps import rising_bars

if TYPE_CHECKING:
    from algorithms.embedding.laplacian_eigenmaps import Model


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    stage: Stage
    model: Model
    dimensions: int
    weights: Array  # (e,) of all edges of the graph; empty until known
    s: float = 0.0  # the width of the kernel, in the data; 0 where all edges weigh the same
    vectors: Array | None = None  # (m, count) the eigenvectors, the constant one first
    shown: int = -1  # which of them the colours show
    focus: int = -1  # the point whose edges are shown with their weights
    tension: float = 1.0
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    stage, values = picture.stage, picture.model.eigenvalues
    metrics = {
        "tension": picture.tension,
        "gap": float(values[picture.dimensions + 1]) if len(values) > picture.dimensions + 1 else np.nan,
        "edges": stage.count,
        "components": stage.components,
    }
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    stage, model = picture.stage, picture.model
    values, name = _colours(picture)
    spokes, weights = spokes_of(picture, picture.focus)
    shown = spokes if len(spokes) else None
    label = f"weights at point {picture.focus + 1}" if len(spokes) else ""
    views: dict[str, tuple[Mark, ...]] = {
        "cloud": (stage.cloud(values, name, shown, weights if len(spokes) else None, label),),
        "embedding": (stage.map(model.embedding, values, name),),
        "plane": (),
    }
    if len(spokes):
        X = stage.data.X
        views["plane"] = (Segments(X[spokes[:, 0]], X[spokes[:, 1]], weights=weights),)
    if len(picture.weights):
        views["kernel"] = _kernel(picture)
    if len(model.eigenvalues):
        views["spectrum"] = (rising_bars(model.eigenvalues, picture.dimensions),)
    return views


def _colours(picture: Picture) -> tuple[Array | None, str]:
    """The eigenvector that is looked at as a value of every point; those that are not mapped have the mean."""
    stage = picture.stage
    if picture.vectors is None or not 0 <= picture.shown < picture.vectors.shape[1]:
        return None, ""
    vector = picture.vectors[:, picture.shown]
    values = np.full(stage.data.n, float(vector.mean()))
    values[stage.members] = vector
    return values, f"eigenvector {picture.shown}"


def spokes_of(picture: Picture, point: int) -> tuple[Array, Array]:
    """The edges (s, 2) at a point, from there on, and their weights; nothing until they are known."""
    if point < 0 or not len(picture.weights):
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    edges = picture.stage.graph.edges
    at = np.flatnonzero((edges == point).any(axis=1))
    others = edges[at].sum(axis=1) - point
    return np.stack([np.full(len(at), point), others], axis=1), picture.weights[at]


def _kernel(picture: Picture) -> tuple[Mark, ...]:
    """The weight of an edge over its length, with how many edges are that long."""
    lengths = picture.stage.graph.lengths * picture.model.placing.first.unit
    middles, counts = lengths[:1], np.array([len(lengths)])
    if np.ptp(lengths) > 1e-9 * lengths.max():  # less is rounding, which is no width for bins
        counts, bounds = np.histogram(lengths, bins=min(40, len(lengths)))
        middles = 0.5 * (bounds[1:] + bounds[:-1])
    x = np.linspace(0.0, float(lengths.max()) * 1.02, 200)
    heat = np.exp(-0.5 * np.square(x / picture.s)) if picture.s > 0.0 else np.ones_like(x)
    fraction = counts / max(counts.max(), 1)
    marks: tuple[Mark, ...] = (
        Curve(middles, fraction, "how many edges, most = 1", quiet=True),
        Curve(x, heat, "weight of an edge"),
    )
    return (*marks, ReferenceLine(picture.s, "width")) if 0.0 < picture.s < x[-1] else marks
