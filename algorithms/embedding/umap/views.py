"""What a frame of UMAP shows: the map as it moves, the cloud with its fuzzy graph, one point's edges, two curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.data import Array
from algorithms.embedding.umap.solver import pulls_on, wanted_similarity
from algorithms.marks import Curve, Mark
from algorithms.maths.maps import evenly
from algorithms.maths.moving_maps import map_marks, picture_marks, plane_marks, strength_bars

if TYPE_CHECKING:
    from algorithms.embedding.umap import Shot

MOST_EDGES = 4000
"""More edges than this are a blot on the screen; an even selection of them is shown in the cloud."""
DISTANCES = np.linspace(0.0, 3.0, 121)
"""At which the similarity in the map is drawn."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame; with a point that is looked at, the map and the cloud speak of it."""
    model, looked_at = shot.model, None
    edges, name = _edges(shot)
    bars: tuple[Mark, ...] = ()
    plane: tuple[Mark, ...] = ()
    pictures: tuple[Mark, ...] = ()
    if model.graph is not None:
        shown = shot.focus.number if shot.focus else 0
        pulls = pulls_on(shown, model.embedding, model.graph, model.similarity, model.negatives)
        away = np.linalg.norm(model.embedding[pulls.neighbours] - model.embedding[shown], axis=1)
        names = (f"edges of point {shown + 1}", "similar in the map")
        bars = (strength_bars(pulls, model.similarity.at(away), names),)
        plane, pictures = plane_marks(shot.given.data, pulls), picture_marks(shot.given.data, pulls)
        looked_at = pulls if shot.focus else None
    return {
        "embedding": map_marks(shot.given.data, model.embedding, looked_at),
        "cloud": (shot.given.cloud.mark(looked_at, edges, name),),
        "member": bars,
        "similarity": _similarity(shot),
        "plane": plane,
        "pictures": pictures,
    }


def _edges(shot: Shot) -> tuple[Array | None, str]:
    """The edges that the cloud shows, all or an even selection, and what they are called."""
    graph, name = shot.model.graph, "edge"
    if graph is not None:
        pairs = np.column_stack([graph.first, graph.second])
    elif shot.shown.joined is not None:
        k = shot.shown.joined.shape[1]
        pairs, name = (
            np.column_stack([np.repeat(np.arange(shot.given.data.n), k), shot.shown.joined.ravel()]),
            "neighbour",
        )
    else:
        return None, name
    chosen = evenly(len(pairs), MOST_EDGES)
    return pairs[chosen], name if len(chosen) == len(pairs) else f"{name} ({len(chosen):,} drawn)"


def _similarity(shot: Shot) -> tuple[Mark, ...]:
    """How similar two points of the map are by their distance: as wished for, and as the smooth curve has it."""
    wanted = wanted_similarity(DISTANCES, shot.given.params.min_dist)
    curve = shot.model.similarity
    return (
        Curve(DISTANCES, wanted, f"wanted: 1 up to min_dist = {shot.given.params.min_dist:.3g}", quiet=True),
        Curve(DISTANCES, curve.at(DISTANCES), f"1 / (1 + {curve.a:.3g} d^{2 * curve.b:.3g})"),
    )
