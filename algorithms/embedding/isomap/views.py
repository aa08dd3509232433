"""What a frame of Isomap shows: the cloud with its graph, the map, the table of distances and the eigenvalues."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Cloud3D, Mark, Segments, Trail
from algorithms.maths.maps import laid_flat, shepard_marks, spectrum_bars

if TYPE_CHECKING:
    from algorithms.embedding.isomap import Shot

LARGEST = 10
"""How many eigenvalues are found at the upper end of the spectrum."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    model, shown = shot.model, shot.shown
    values, name = _colours(shot)
    path = _inside(model.path, shot, whole=False)
    found: dict[str, tuple[Mark, ...]] = {
        "cloud": (_cloud(shot, values, name),),
        "embedding": (shot.given.stage.map(model, values, name, path),),
        "distances": (shown.table,),
        "plane": _plane(shot),
    }
    if len(model.eigenvalues):
        m = len(model.members)
        bars = spectrum_bars(model.eigenvalues, model.embedding.shape[1], m, min(LARGEST, m))
        found["spectrum"] = (bars,)
    if shown.pairs is not None:
        found["shepard"] = shepard_marks(shown.pairs, model.embedding, model.members)
    return found


def _cloud(shot: Shot, values: Array | None, values_name: str) -> Cloud3D:
    model, shown, stage = shot.model, shot.shown, shot.given.stage
    whole = shown.grown.there is None
    cloud = stage.cloud(model, shown.grown, values, values_name)
    chord, chord_name = None, ""
    if len(model.reach):
        chord = _inside(np.array(shot.given.ends), shot, whole)
        chord_name = f"straight: {shot.given.straight:.3g}{'' if whole else ' in the data'}"
    return replace(
        cloud,
        suspects=None if shown.suspects is None else stage.rows(shown.suspects, shown.grown),
        suspects_name="perhaps a shortcut",
        path=_inside(model.path, shot, whole),
        path_name=f"along the graph: {model.reach[model.path[-1]]:.3g}" if len(model.path) else "",
        chord=chord,
        chord_name=chord_name,
        handles=("from_point", "to_point") if whole else (),
    )


def _colours(shot: Shot) -> tuple[Array | None, str]:
    """The distance along the graph, where it is asked for or there is no target."""
    data, reach = shot.given.stage.data, shot.model.reach
    if not len(reach) or not (data.y is None or shot.given.params.colour == "distance along the graph"):
        return None, ""
    return np.maximum(reach, 0.0), f"distance from point {shot.given.ends[0] + 1}"


def _inside(points: Array, shot: Shot, whole: bool) -> Array | None:
    """Points as rows of the cloud; nothing when not all of them are in it."""
    members = shot.model.members
    if len(points) == 0 or whole or len(members) == shot.given.stage.data.n:
        return points if len(points) else None
    return np.searchsorted(members, points) if np.isin(points, members).all() else None


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """In the plane of two features only the path is shown, against the straight line, and at last the map."""
    X, model = shot.given.stage.data.X, shot.model
    marks: tuple[Mark, ...] = ()
    if len(model.reach):
        start, end = shot.given.ends
        marks = (Segments(X[[start]], X[[end]], "link", name="straight line"),)
    if len(model.path) > 1:
        marks = (*marks, Trail(X[model.path][:, None]))
    if shot.phase == "result" and X.shape[1] == 2 and model.embedding.shape[1] == 2:
        laid = _laid_over(X[model.members], model.embedding)
        marks = (*marks, Segments(X[model.members], laid, "residual", name="to its position in the map"))
    return marks


def _laid_over(here: Array, places: Array) -> Array:
    """The map laid over the data in their plane (Procrustes)."""
    middle = here.mean(axis=0)
    return laid_flat(places - places.mean(axis=0), here - middle)[:, :2] + middle
