"""What a frame of UMAP shows: the map as it moves, the cloud with its fuzzy graph, one point's edges, two curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array, Points
from algorithms.embedding.umap.solver import pulls_on, wanted_similarity
from algorithms.marks import Curve, Mark
from algorithms.maths.moving_maps import Cloud, map_marks, picture_marks, plane_marks, strength_bars

if TYPE_CHECKING:
    from algorithms.embedding.umap import Model

DISTANCES = np.linspace(0.0, 3.0, 121)
"""At which the similarity in the map is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    cloud: Cloud
    model: Model
    min_dist: float
    trust: float
    edges: Array | None = None  # (e, 2) those of the graph that are drawn
    edges_name: str = "edge"
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    model = picture.model
    metrics = {"loss": model.loss, "trustworthiness": picture.trust, "epoch": model.epoch, "rate": model.rate}
    return DrawnSnapshot(model, LazyViews(views_of, picture, -1), metrics, phase, caption, picture.warning)


def views_of(picture: Picture, point: int) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks; with a point, the map and the cloud speak of it."""
    model, looked_at = picture.model, None
    bars: tuple[Mark, ...] = ()
    plane: tuple[Mark, ...] = ()
    pictures: tuple[Mark, ...] = ()
    if model.graph is not None:
        shown = max(point, 0)
        pulls = pulls_on(shown, model.embedding, model.graph, model.similarity, model.negatives)
        away = np.linalg.norm(model.embedding[pulls.neighbours] - model.embedding[shown], axis=1)
        names = (f"edges of point {shown + 1}", "similar in the map")
        bars = (strength_bars(pulls, model.similarity.at(away), names),)
        plane, pictures = plane_marks(picture.data, pulls), picture_marks(picture.data, pulls)
        looked_at = pulls if point >= 0 else None
    return {
        "embedding": map_marks(picture.data, model.embedding, looked_at),
        "cloud": (picture.cloud.mark(looked_at, picture.edges, picture.edges_name),),
        "member": bars,
        "similarity": _similarity(picture),
        "plane": plane,
        "pictures": pictures,
    }


def _similarity(picture: Picture) -> tuple[Mark, ...]:
    """How similar two points of the map are by their distance: as wished for, and as the smooth curve has it."""
    wanted = wanted_similarity(DISTANCES, picture.min_dist)
    curve = picture.model.similarity
    return (
        Curve(DISTANCES, wanted, f"wanted: 1 up to min_dist = {picture.min_dist:.3g}", quiet=True),
        Curve(DISTANCES, curve.at(DISTANCES), f"1 / (1 + {curve.a:.3g} d^{2 * curve.b:.3g})"),
    )
