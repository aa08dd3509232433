"""What a frame of locally linear embedding shows: cloud and graph, the map, the weights of one point, the spectrum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array
from algorithms.marks import Bars, Mark, Segments
from algorithms.maths.cloud_stage import Stage
from algorithms.maths.maps import rising_bars

if TYPE_CHECKING:
    from algorithms.embedding.lle import Model

MOST_BARS = 30
"""Weights of one point that are shown: the largest ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    stage: Stage
    model: Model
    dimensions: int
    focus: int = -1  # the point whose weights are shown
    error: float = 1.0  # what the weights leave over of the points
    misfit: float = 1.0  # what they leave over of the map
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    stage = picture.stage
    metrics = {
        "misfit": picture.misfit,
        "error": picture.error,
        "edges": stage.count,
        "components": stage.components,
    }
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    stage, model = picture.stage, picture.model
    near, weights = weights_of(model, picture.focus)
    spokes = np.stack([np.full(len(near), picture.focus), near], axis=1) if len(near) else None
    name = "" if spokes is None else f"weights of point {picture.focus + 1}"
    views: dict[str, tuple[Mark, ...]] = {
        "cloud": (stage.cloud(spokes=spokes, weights=weights if len(near) else None, spokes_name=name),),
        "embedding": (stage.map(model.embedding), *_in_map(picture, near, weights)),
        "plane": (),
    }
    if len(near):
        X = stage.data.X
        views["plane"] = (Segments(np.repeat(X[[picture.focus]], len(near), axis=0), X[near], weights=weights),)
        views["weights"] = (_bars(near, weights),)
    if len(model.eigenvalues):
        views["spectrum"] = (rising_bars(model.eigenvalues, picture.dimensions),)
    return views


def weights_of(model: Model, point: int) -> tuple[Array, Array]:
    """The neighbours of a point and their weights, the largest first; nothing until they are known."""
    if point < 0 or not len(model.weights):
        return np.empty(0, dtype=np.int64), np.empty(0)
    near = np.flatnonzero(model.weights[point])
    weights = model.weights[point, near]
    order = np.argsort(-weights, kind="stable")
    return near[order], weights[order]


def _in_map(picture: Picture, near: Array, weights: Array) -> tuple[Mark, ...]:
    """The same weights between the places of the map, where it is flat."""
    model, members = picture.model, picture.stage.members
    if not len(near) or model.embedding.shape[1] != 2 or not np.isin([picture.focus, *near.tolist()], members).all():
        return ()
    here, there = np.searchsorted(members, picture.focus), np.searchsorted(members, near)
    start = np.repeat(model.embedding[[here]], len(near), axis=0)
    return (Segments(start, model.embedding[there], weights=weights),)


def _bars(near: Array, weights: Array) -> Bars:
    kept = np.sort(np.argsort(-np.abs(weights), kind="stable")[:MOST_BARS])
    near, weights = near[kept], weights[kept]
    names = tuple(str(point + 1) for point in near.tolist())
    return Bars(weights, names, near, (weights < 0.0).astype(np.int64), group_names=("weight", "negative weight"))
