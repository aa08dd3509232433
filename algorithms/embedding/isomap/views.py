"""What a frame of Isomap shows: the cloud with its graph, the map, the table of distances and the eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Points
from algorithms.marks import Bars, Cloud3D, Mark, Matrix, Segments, Trail
from algorithms.maths.cloud_stage import edges_among
from algorithms.maths.graphs import NeighbourGraph
from algorithms.maths.maps import Pairs, map_mark, shepard_marks

if TYPE_CHECKING:
    from algorithms.embedding.isomap import Model


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    at: Array  # (n, 3) where the cloud shows the points
    axes: tuple[str, ...]
    by_distance: bool  # colour by the distance along the graph instead of the target
    model: Model
    graph: NeighbourGraph
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
    pairs: Pairs | None = None
    laid: Array | None = None  # (m, 2) the map laid over the data in the plane
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    metrics = {
        "residual": picture.model.residual if picture.pairs is not None else np.nan,
        "negative": picture.negative if picture.spectrum is not None else np.nan,
        "edges": picture.count,
        "components": int(picture.model.pieces.max()) + 1,
    }
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    views: dict[str, tuple[Mark, ...]] = {
        "cloud": (_cloud(picture),),
        "embedding": (_map(picture),),
        "distances": (picture.table,),
        "plane": _plane(picture),
    }
    if picture.spectrum is not None:
        views["spectrum"] = (picture.spectrum,)
    if picture.pairs is not None:
        views["shepard"] = shepard_marks(picture.pairs, picture.model.embedding, picture.model.members)
    return views


def _cloud(picture: Picture) -> Cloud3D:
    model, data = picture.model, picture.data
    whole = picture.space is None
    shown = int(np.searchsorted(picture.drawn, picture.count))
    fresh = shown - int(np.searchsorted(picture.drawn, picture.before))
    values, values_name = _colours(picture)

    def rows(edges: Array) -> Array:
        return edges if whole else edges_among(edges, model.members, data.n)

    apart = np.flatnonzero(model.pieces > 0) if whole and len(model.members) < data.n else None
    return Cloud3D(
        at=picture.at if picture.space is None else picture.space,
        axes=picture.axes if whole else (),
        points=None if whole else model.members,
        values=values if values is None or whole else values[model.members],
        values_name=values_name,
        edges=rows(picture.drawn_ends[:shown]),
        edges_name="edge" if len(picture.drawn) == len(picture.graph) else f"edge ({len(picture.drawn):,} drawn)",
        fresh=fresh,
        suspects=None if picture.suspects is None else rows(picture.suspects),
        suspects_name="perhaps a shortcut",
        path=_inside(model.path, picture, whole),
        path_name=f"along the graph: {model.reach[model.path[-1]]:.3g}" if len(model.path) else "",
        chord=None if picture.ends is None else _inside(np.array(picture.ends), picture, whole),
        chord_name=""
        if picture.ends is None
        else f"straight: {straight(picture):.3g}{'' if whole else ' in the data'}",
        left_out=apart,
        left_out_name="" if apart is None else "not connected",
        handles=("from_point", "to_point") if whole else (),
    )


def _colours(picture: Picture) -> tuple[Array | None, str]:
    if not picture.by_distance or not len(picture.model.reach):
        return None, ""
    start = 0 if picture.ends is None else picture.ends[0]
    return np.maximum(picture.model.reach, 0.0), f"distance from point {start + 1}"


def _inside(points: Array, picture: Picture, whole: bool) -> Array | None:
    """Points as rows of the cloud; nothing when not all of them are in it."""
    members = picture.model.members
    if len(points) == 0 or whole or len(members) == picture.data.n:
        return points if len(points) else None
    return np.searchsorted(members, points) if np.isin(points, members).all() else None


def straight(picture: Picture) -> float:
    """The straight distance between the two ends of the path."""
    assert picture.ends is not None
    start, end = picture.ends
    return float(np.linalg.norm(picture.data.X[start] - picture.data.X[end]))


def _map(picture: Picture) -> Mark:
    places, members, data = picture.model.embedding, picture.model.members, picture.data
    everyone = len(members) == data.n
    points = None if everyone else members
    values, name = _colours(picture)
    values = values if values is None or everyone else values[members]
    path = _inside(picture.model.path, picture, whole=False)
    heights = data.y[members] if data.is_valued and data.y is not None else None
    return map_mark(places, points, values, name, path, heights, data.target)


def _plane(picture: Picture) -> tuple[Mark, ...]:
    """In the plane of two features only the path is shown, against the straight line."""
    X, path = picture.data.X, picture.model.path
    marks: tuple[Mark, ...] = ()
    if picture.ends is not None:
        start, end = picture.ends
        marks = (Segments(X[[start]], X[[end]], "link", name="straight line"),)
    if len(path) > 1:
        marks = (*marks, Trail(X[path][:, None]))
    if picture.laid is not None:
        marks = (
            *marks,
            Segments(X[picture.model.members], picture.laid, "residual", name="to its position in the map"),
        )
    return marks
