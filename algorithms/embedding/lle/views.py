"""What a frame of locally linear embedding shows: cloud and graph, the map, the weights of one point, the spectrum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Bars, Mark, Segments
from algorithms.maths.maps import rising_bars

if TYPE_CHECKING:
    from algorithms.embedding.lle import Model, Shot

MOST_BARS = 30
"""Weights of one point that are shown: the largest ones."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame, with the weights of a point that is looked at in place of those of the chosen one."""
    stage, model, point = shot.given.stage, shot.model, shot.shown.point
    near, weights = weights_of(model, point)
    if shot.focus is not None and point >= 0 and len(weights_of(model, shot.focus.number)[0]):
        point = shot.focus.number
        near, weights = weights_of(model, point)
    spokes = np.stack([np.full(len(near), point), near], axis=1) if len(near) else None
    name = "" if spokes is None else f"weights of point {point + 1}"
    strengths = weights if len(near) else None
    found: dict[str, tuple[Mark, ...]] = {
        "cloud": (stage.cloud(model, shot.shown.grown, spokes=spokes, weights=strengths, spokes_name=name),),
        "embedding": (stage.map(model), *_in_map(model, point, near, weights)),
        "plane": (),
    }
    if len(near):
        X = stage.data.X
        found["plane"] = (Segments(np.repeat(X[[point]], len(near), axis=0), X[near], weights=weights),)
        found["weights"] = (_bars(near, weights),)
    if len(model.eigenvalues):
        found["spectrum"] = (rising_bars(model.eigenvalues, shot.given.params.dimensions),)
    return found


def weights_of(model: Model, point: int) -> tuple[Array, Array]:
    """The neighbours of a point and their weights, the largest first; nothing until they are known."""
    if point < 0 or not len(model.weights):
        return np.empty(0, dtype=np.int64), np.empty(0)
    near = np.flatnonzero(model.weights[point])
    weights = model.weights[point, near]
    order = np.argsort(-weights, kind="stable")
    return near[order], weights[order]


def _in_map(model: Model, point: int, near: Array, weights: Array) -> tuple[Mark, ...]:
    """The same weights between the places of the map, where it is flat."""
    members = model.members
    if not len(near) or model.embedding.shape[1] != 2 or not np.isin([point, *near.tolist()], members).all():
        return ()
    here, there = np.searchsorted(members, point), np.searchsorted(members, near)
    start = np.repeat(model.embedding[[here]], len(near), axis=0)
    return (Segments(start, model.embedding[there], weights=weights),)


def _bars(near: Array, weights: Array) -> Bars:
    kept = np.sort(np.argsort(-np.abs(weights), kind="stable")[:MOST_BARS])
    near, weights = near[kept], weights[kept]
    names = tuple(str(point + 1) for point in near.tolist())
    return Bars(weights, names, near, (weights < 0.0).astype(np.int64), group_names=("weight", "negative weight"))
