"""What a frame of Isomap shows: the cloud with its graph, the map, the table of distances and the eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.contract import LazyViews, Snapshot
from algorithms.data import Array, Points
from algorithms.marks import Bars, Cloud3D, Curve, Embedding, Mark, Matrix, Scatter, Segments, Trail
from algorithms.maths.graphs import Graph

MOST_EDGES = 6000
"""More edges than this are a blot on the screen and slow to draw; an even selection of them is shown."""
TABLE = 160
"""Rows of the table of distances that are shown, evenly chosen."""
NEGATIVE = -1e-9
"""An eigenvalue below this share of the largest is negative; above it, it is a zero with rounding."""
KEPT, REST, BELOW = 0, -1, 1
"""The groups of the eigenvalue bars."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is known so far. ``embedding`` is that of principal component analysis until Isomap has found its own."""

    embedding: Array  # (m, dimensions)
    members: Array  # (m,) the points in it: all, or the largest connected piece
    eigenvalues: Array  # (e,) of the centred matrix, falling: the largest and the smallest; empty until known
    degrees: Array  # (n,) edges at each point
    pieces: Array  # (n,) the connected piece of each point, 0 for the largest
    path: Array  # (p,) the points of the path shown
    reach: Array  # (n,) distances along the graph from its start; -1 where there is no way, empty until known
    residual: float  # 1 - r^2 of distances in the map and along the graph; 1 until known


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of points that the Shepard plot shows."""

    rows: Array  # (p, 2) rows of the map
    wanted: Array  # (p,) the distances asked for


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    at: Array  # (n, 3) where the cloud shows the points
    axes: tuple[str, ...]
    by_distance: bool  # colour by the distance along the graph instead of the target
    model: Model
    graph: Graph
    drawn: Array  # (e,) which of the edges are drawn, rising
    drawn_ends: Array  # (e, 2) the edges themselves
    table: Matrix
    count: int = 0  # edges so far
    before: int = 0  # edges in the frame before
    ends: tuple[int, int] | None = None  # of the path
    suspects: Array | None = None  # (s, 2)
    space: Array | None = None  # (m, 3) where the cloud shows the members while it unrolls
    negative: float = 0.0  # size of the most negative eigenvalue beside the largest
    spectrum: Bars | None = None
    joined: int | None = None  # edges in all, where the graph lists only some of them
    pairs: Pairs | None = None
    stresses: tuple[float, float] = (1.0, 1.0)  # stress and squared stress of the map; 1 until known
    laid: Array | None = None  # (m, 2) the map laid over the data in the plane
    warning: str = ""


def frame(stage: Stage, phase: str, caption: str) -> Snapshot:
    """The snapshot of a stage."""
    metrics = {
        "stress": stage.stresses[0],
        "squared_stress": stage.stresses[1],
        "residual": stage.model.residual,
        "negative": stage.negative,
        "edges": stage.count if stage.joined is None or not stage.count else stage.joined,
        "components": int(stage.model.pieces.max()) + 1,
    }
    return Snapshot(stage.model, LazyViews(views_of, stage), metrics, phase, caption, stage.warning)


def views_of(stage: Stage) -> dict[str, tuple[Mark, ...]]:
    """The marks of a stage, made when somebody looks."""
    views: dict[str, tuple[Mark, ...]] = {
        "cloud": (_cloud(stage),),
        "embedding": (_map(stage),),
        "distances": (stage.table,),
        "plane": _plane(stage),
    }
    if stage.spectrum is not None:
        views["spectrum"] = (stage.spectrum,)
    if stage.pairs is not None:
        views["shepard"] = _shepard(stage, stage.pairs)
    return views


def _cloud(stage: Stage) -> Cloud3D:
    model, data = stage.model, stage.data
    whole = stage.space is None
    shown = int(np.searchsorted(stage.drawn, stage.count))
    fresh = shown - int(np.searchsorted(stage.drawn, stage.before))
    values, values_name = _colours(stage)
    apart = np.flatnonzero(model.pieces > 0) if whole and len(model.members) < data.n else None
    return Cloud3D(
        at=stage.at if stage.space is None else stage.space,
        axes=stage.axes if whole else (),
        points=None if whole else model.members,
        values=values if values is None or whole else values[model.members],
        values_name=values_name,
        edges=_renumbered(stage.drawn_ends[:shown], stage, whole),
        edges_name="edge" if len(stage.drawn) == _all_edges(stage) else f"edge ({len(stage.drawn):,} drawn)",
        fresh=fresh,
        suspects=None if stage.suspects is None else _renumbered(stage.suspects, stage, whole),
        suspects_name="perhaps a shortcut",
        path=_inside(model.path, stage, whole),
        path_name=f"along the graph: {model.reach[model.path[-1]]:.3g}" if len(model.path) else "",
        chord=None if stage.ends is None else _inside(np.array(stage.ends), stage, whole),
        chord_name="" if stage.ends is None else f"straight: {straight(stage):.3g}{'' if whole else ' in the data'}",
        left_out=apart,
        left_out_name="" if apart is None else "not connected",
        handles=("from_point", "to_point") if whole else (),
    )


def _all_edges(stage: Stage) -> int:
    return len(stage.graph) if stage.joined is None else stage.joined


def _shepard(stage: Stage, pairs: Pairs) -> tuple[Mark, ...]:
    """Every pair at its distance in the map over the distance asked for; on the diagonal they are equal."""
    places, members = stage.model.embedding, stage.model.members
    first, second = pairs.rows.T
    found = np.sqrt(np.square(places[first] - places[second]).sum(axis=1))
    ends = np.array([0.0, float(pairs.wanted.max(initial=0.0))])
    dots = Scatter(pairs.wanted, found, members[first], np.full(len(found), -1), members[second])
    return dots, Curve(ends, ends, "equal distances")


def _colours(stage: Stage) -> tuple[Array | None, str]:
    if not stage.by_distance or not len(stage.model.reach):
        return None, ""
    start = 0 if stage.ends is None else stage.ends[0]
    return np.maximum(stage.model.reach, 0.0), f"way from point {start + 1}"


def _renumbered(edges: Array, stage: Stage, whole: bool) -> Array:
    """Edges between data points as edges between rows of the cloud."""
    if whole or len(stage.model.members) == stage.data.n:
        return edges
    row = np.full(stage.data.n, -1, dtype=np.int64)
    row[stage.model.members] = np.arange(len(stage.model.members))
    rows = row[edges]
    return rows[(rows >= 0).all(axis=1)]


def _inside(points: Array, stage: Stage, whole: bool) -> Array | None:
    """Points as rows of the cloud; nothing when not all of them are in it."""
    members = stage.model.members
    if len(points) == 0 or whole or len(members) == stage.data.n:
        return points if len(points) else None
    return np.searchsorted(members, points) if np.isin(points, members).all() else None


def straight(stage: Stage) -> float:
    """The straight distance between the two ends of the path."""
    assert stage.ends is not None
    start, end = stage.ends
    return float(np.linalg.norm(stage.data.X[start] - stage.data.X[end]))


def _map(stage: Stage) -> Mark:
    places, members, data = stage.model.embedding, stage.model.members, stage.data
    everyone = len(members) == data.n
    points = None if everyone else members
    values, name = _colours(stage)
    values = values if values is None or everyone else values[members]
    path = _inside(stage.model.path, stage, whole=False)
    if places.shape[1] == 3:
        axes = ("coordinate 1", "coordinate 2", "coordinate 3")
        return Cloud3D(places, axes, points, values, name, path=path)
    if places.shape[1] == 2:
        return Embedding(places, points, values, name, path=path, equal=True)
    height = data.y[members] if data.is_valued and data.y is not None else np.zeros(len(members))
    at = np.column_stack([places[:, 0], height])
    return Embedding(at, points, values, name, y=data.target if data.is_valued else " ")


def _plane(stage: Stage) -> tuple[Mark, ...]:
    """In the plane of two features only the path is shown, against the straight line."""
    X, path = stage.data.X, stage.model.path
    marks: tuple[Mark, ...] = ()
    if stage.ends is not None:
        start, end = stage.ends
        marks = (Segments(X[[start]], X[[end]], "link", name="straight line"),)
    if len(path) > 1:
        marks = (*marks, Trail(X[path][:, None]))
    if stage.laid is not None:
        marks = (*marks, Segments(X[stage.model.members], stage.laid, "residual", name="to its place in the map"))
    return marks


def table_of(distances: Array, points: Array, unknown: Array | None = None, signed: bool = False) -> Matrix:
    """The picture of a part of a table of distances or products."""
    if unknown is not None:
        distances = np.where(unknown, 0.0, distances)
        unknown = unknown if unknown.any() else None
    return Matrix(distances, points, signed, unknown, "product" if signed else "distance")


def bars_of(values: Array, dimensions: int, n: int, largest: int) -> Bars:
    """The eigenvalues as bars: those that are kept, the other large ones, and the negative ones at the end."""
    below = values < NEGATIVE * max(float(values[0]), 0.0)
    numbers = np.concatenate([np.arange(1, largest + 1), np.arange(n - (len(values) - largest) + 1, n + 1)])
    shown = below | (np.arange(len(values)) < largest)
    groups = np.full(len(values), REST)
    groups[: min(dimensions, len(values))] = KEPT
    groups[below] = BELOW
    names = tuple(str(number) for number in numbers[shown].tolist())
    return Bars(values[shown], names, groups=groups[shown], group_names=("kept", "negative"))
