"""What k-means shows: Voronoi cells, points by cluster, centres with their trails, the elbow and the restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.clustering.k_means.solver import End, Half, Seed
from algorithms.contract import Views
from algorithms.marks import Assignment, Centres, Curve, Highlight, Mark, PointSizes, ReferenceLine, Regions, Trail

if TYPE_CHECKING:
    from algorithms.clustering.k_means import Shot

_VORONOI = Regions("classes")


def views(shot: Shot) -> Views:
    """The plane and the second view that this run is going to have, so that nothing moves when it fills."""
    params, shown = shot.given.params, shot.shown
    found: dict[str, tuple[Mark, ...]] = {"plane": _plane(shot), **shown.restarts.views(shot.model.loss)}
    if isinstance(shown, End) and shown.losses:
        curve = Curve(np.arange(1.0, len(shown.losses) + 1.0), np.array(shown.losses), "W(k)", dots=True)
        found["elbow"] = (_chosen(len(shown.model.centres)), curve)
    elif params.elbow and shown.restarts.total == 1:
        ends = ReferenceLine(1.0, f"from 1 to {params.elbow}"), ReferenceLine(float(params.elbow))
        found["elbow"] = (_chosen(params.k), *ends)
    return found


def _plane(shot: Shot) -> tuple[Mark, ...]:
    shown, centres = shot.shown, Centres(shot.model.centres, handle="centres")
    if isinstance(shown, Seed):
        labels = np.full(shot.given.n, -1, dtype=np.int32) if shown.labels is None else shown.labels
        marks = (_VORONOI, Assignment(labels), centres)
        if shown.following is None:
            return marks
        return (PointSizes(shown.following, "probability to be the next centre"), *marks)
    labels = shown.labels if isinstance(shown, End) else shown.half.labels
    plane = (_VORONOI, Trail(shown.trail), Assignment(labels), centres)
    if isinstance(shown, Half) and 0 < len(shown.half.changed) < shot.given.n:
        return (*plane, Highlight(shown.half.changed, "changed", "changed cluster"))
    return plane


def _chosen(k: int) -> ReferenceLine:
    return ReferenceLine(float(k), f"k = {k}", axis="x")
