"""The pictures of the Gaussian classifier: ellipses and boundary in the plane, histograms on Fisher's direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.marks import (
    Centres,
    Curve,
    Ellipses,
    Highlight,
    Isolines,
    Mark,
    Polygons,
    ReferenceLine,
    Regions,
    Scatter,
    Segments,
)
from algorithms.maths.histograms import histogram_outline

if TYPE_CHECKING:
    from algorithms.classification.gaussian_classifier import Model, Params, Shot

BINS = 28
MOST_DOTS = 1500
_FEW = 60  # up to so many points the newest are ringed


def views(shot: Shot) -> Views:
    """Every panel."""
    model, newest = shot.model, shot.shown.newest
    plane: list[Mark] = [Regions("probability"), Isolines(strong=(0.5,))]
    if model.counts.any():
        weights = np.where(model.counts > 0, np.maximum(model.priors, 1e-3), 0.0)
        plane.append(Ellipses(model.means, model.covariances, weights / weights.sum(), whole="class"))
        plane.append(Centres(model.means, name="mean"))
    if newest is not None and 0 < len(newest) <= _FEW:
        plane.append(Highlight(newest, "changed", "just counted in"))
    if shot.shown.direction.any() and newest is None:
        plane.append(_axis(shot))
    return {"plane": tuple(plane), "fisher": _histograms(shot)}


def _axis(shot: Shot) -> Segments:
    """Fisher's direction through the middle of the means, as long as the points reach along it."""
    model, X, direction = shot.model, shot.given.data.X, shot.shown.direction
    middle = model.means[model.counts > 0].mean(axis=0)
    unit = direction / np.sqrt(np.square(direction).sum())
    ends = (X - middle) @ unit
    return Segments(
        middle + ends.min() * unit[None], middle + ends.max() * unit[None], "axis", name="Fisher's direction"
    )


def _histograms(shot: Shot) -> tuple[Mark, ...]:
    """How the classes lie along the direction: a histogram of each, the bell that it is taken for, and the points."""
    model, data, direction = shot.model, shot.given.data, shot.shown.direction
    along, y = (data.X - model.centre) @ direction, data.class_numbers("")
    edges = np.linspace(along.min(), along.max(), BINS + 1)
    if edges[-1] <= edges[0]:
        return ()
    seen = np.flatnonzero(model.counts)
    heights = [np.histogram(along[y == k], edges, density=True)[0] * model.priors[k] for k in seen]
    top = max(float(height.max(initial=0.0)) for height in heights) or 1.0
    marks: list[Mark] = [
        Polygons(
            tuple(histogram_outline(edges, height) for height in heights),
            groups=seen,
            filled=True,
            name="histogram of a class",
        )
    ]
    x = np.linspace(edges[0], edges[-1], 160)
    for k in seen:
        mean = float((model.means[k] - model.centre) @ direction)
        variance = float(direction @ model.covariances[k] @ direction)
        bell = np.exp(-0.5 * (x - mean) ** 2 / variance) / np.sqrt(2.0 * np.pi * variance)
        marks.append(
            Curve(x, np.minimum(model.priors[k] * bell, 3.0 * top), "its Gaussian" if k == seen[0] else "", quiet=True)
        )
    shown = np.arange(len(y)) if len(y) <= MOST_DOTS else np.linspace(0, len(y) - 1, MOST_DOTS).astype(np.intp)
    rows = -top * (0.06 + 0.05 * (np.searchsorted(seen, y[shown]) % 8))
    marks.append(Scatter(np.column_stack([along[shown], rows]), points=shown))
    threshold = _threshold(model, shot.given.params)
    if threshold is not None and shot.phase == "done":
        marks.append(ReferenceLine(threshold, "boundary"))
    return tuple(marks)


def _threshold(model: Model, params: Params) -> float | None:
    """Where the line of two classes that share a covariance crosses Fisher's direction; None for anything else."""
    seen = np.flatnonzero(model.priors)
    if params.covariance != "shared" or params.shrinkage > 0.0 or len(seen) != 2 or not model.direction.any():
        return None
    one, two = (model.means[seen] - model.centre) @ model.direction
    if two <= one:
        return None
    variance = float(model.direction @ model.covariances[seen[0]] @ model.direction)
    return float((one + two) / 2.0 + variance * np.log(model.priors[seen[0]] / model.priors[seen[1]]) / (two - one))
