"""What a frame of sparse principal components shows: loadings, their path over the penalty, the map and the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.marks import Bars, Bundle, Centres, Curve, Images, Mark, ReferenceLine, Segments
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.sparse_pca import Shot

MOST_FEATURES = 40
"""Features in the chart of the loadings: the ones with the largest."""
MOST_CURVES = 8
"""Features whose loading is a curve with a name; the others are thin lines."""
COLUMNS = 4
"""Pictures of components in a row."""
AXES = 3
"""Components that are drawn as axes in the plane."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    found: dict[str, tuple[Mark, ...]] = {
        "plane": _plane(shot),
        "loadings": _loadings(shot),
        "scree": _scree(shot),
    }
    if len(shot.model.components):
        found["map"] = (_map(shot),)
    if shot.shown.path is not None:
        sweep = shot.shown.path
        here = ReferenceLine(*_here(shot), handle="lam" if shot.given.form == "penalty" else "")
        found["path"] = (*_path(shot, sweep.penalties, sweep.loadings), here)
        filled = 100.0 * np.count_nonzero(sweep.loadings, axis=1) / shot.given.data.d
        kept = Curve(sweep.penalties, 100.0 * sweep.kept, "variance of component 1")
        found["kept"] = (kept, Curve(sweep.penalties, filled, "loadings that are not zero"), here)
    return found


def _here(shot: Shot) -> tuple[float, str]:
    penalty = shot.given.lam if shot.shown.penalty is None else shot.shown.penalty
    return penalty, f"λ = {penalty:.2f}"


# --- loadings ---------------------------------------------------------------------------------------------------------


def _loadings(shot: Shot) -> tuple[Mark, ...]:
    if shot.given.data.image_shape is not None:
        return (_images(shot, shot.given.data.image_shape),)
    if shot.shown.dense is not None and shot.shown.penalty is None and not shot.shown.at_work and not shot.shown.taken:
        return (_bars(shot, shot.shown.dense[None], ("principal component",)),)
    if shot.shown.dense is not None and len(shot.model.components):
        both = np.stack([shot.shown.dense, shot.model.components[-1]])
        number = 1 if shot.shown.penalty is not None else len(shot.model.components)
        return (_bars(shot, both, ("without a penalty", f"component {number}"), first=-1),)
    if len(shot.model.components):
        few = shot.model.components[:AXES]
        return (_bars(shot, few, tuple(f"component {k + 1}" for k in range(len(few)))),)
    return (_bars(shot, shot.given.directions[:1], ("principal component",), first=-1),)


def _bars(shot: Shot, rows: Array, labels: tuple[str, ...], first: int = 0) -> Bars:
    """Some loadings (k, d) side by side, feature by feature; with ``first`` = -1 the first row is grey."""
    d = rows.shape[1]
    chosen = np.arange(d)
    if d > MOST_FEATURES:
        chosen = np.sort(np.argsort(-np.abs(rows).max(axis=0), kind="stable")[:MOST_FEATURES])
    count = len(rows)
    names = tuple(shot.given.data.features[j] if k == 0 else "" for j in chosen.tolist() for k in range(count))
    groups = np.tile(np.arange(count) + first, len(chosen))
    return Bars(rows[:, chosen].T.ravel(), names, groups=groups, group_names=labels[-first:] if first else labels)


def _images(shot: Shot, shape: tuple[int, int]) -> Images:
    """The components as pictures, or the one at work beside what it began with."""
    components = shot.model.components
    if not len(components):
        captions: tuple[str, ...] = ("principal component",)
        rows = shot.given.directions[:1]
    elif shot.shown.penalty is not None and shot.shown.dense is not None:
        rows = np.stack([shot.shown.dense, components[0]])
        captions = ("without a penalty", f"λ = {shot.shown.penalty:.2f}")
    else:
        rows = components
        captions = tuple(f"{k + 1}: {np.count_nonzero(row)} pixels" for k, row in enumerate(components))
    at = np.stack(np.divmod(np.arange(len(rows)), COLUMNS), axis=1)
    return Images(rows.reshape(-1, *shape), at, captions, np.ones(len(rows), dtype=bool))


def _path(shot: Shot, penalties: Array, path: Array) -> tuple[Mark, ...]:
    """Every loading over the penalty: the largest with names, the others thin."""
    order = np.argsort(-np.abs(path).max(axis=0), kind="stable")
    curves = [Curve(penalties, path[:, j], shot.given.data.features[j]) for j in order[:MOST_CURVES].tolist()]
    rest = order[MOST_CURVES:]
    return (*([Bundle(penalties, path[:, rest].T, "others")] if len(rest) else []), *curves)


# --- the map, the plane and the variance ------------------------------------------------------------------------------


def _map(shot: Shot) -> Mark:
    places = shot.model.scores(shot.given.data.X)
    return maps.scores_mark(places, shot.given.data, [f"component {k + 1}" for k in range(places.shape[1])])


def _plane(shot: Shot) -> tuple[Mark, ...]:
    """The mean, and every component as an axis of two standard deviations."""
    model, data = shot.model, shot.given.data
    marks: tuple[Mark, ...] = (Centres(model.mean[None], name="mean"),)
    away = (data.X - model.mean) / model.scale
    for k, row in enumerate(model.components[:AXES]):
        length = 2.0 * float((away @ row).std())
        ends = np.stack([-length * row, length * row]) * model.scale + model.mean
        marks = (*marks, Segments(ends[:1], ends[1:], "axis", name=f"component {k + 1}"))
    return marks


def _scree(shot: Shot) -> tuple[Mark, ...]:
    """How much principal components show together, and how much as many sparse ones do."""
    together = 100.0 * np.cumsum(shot.given.fractions)
    most = min(len(together), 12)
    steps = np.arange(1.0, most + 1.0)
    marks: tuple[Mark, ...] = (Curve(steps, together[:most], "principal components", dots=True),)
    count = len(shot.model.components)
    if count:
        sparse = Curve(np.array([float(count)]), np.array([100.0 * shot.model.explained]), "sparse ones", dots=True)
        marks = (*marks, sparse)
    return marks
