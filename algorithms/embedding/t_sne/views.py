"""What a frame of t-SNE shows: the map as it moves, the cloud, one point's similarities, and its divergence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.embedding.t_sne.solver import pulls_on
from algorithms.marks import Curve, Mark, ReferenceLine
from algorithms.maths.moving_maps import map_marks, picture_marks, plane_marks, strength_bars

if TYPE_CHECKING:
    from algorithms.embedding.t_sne import Shot


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame; with a point that is looked at, the map and the cloud speak of it."""
    data, model, looked_at = shot.given.data, shot.model, None
    bars: tuple[Mark, ...] = ()
    plane: tuple[Mark, ...] = ()
    pictures: tuple[Mark, ...] = ()
    if model.similar is not None:
        point = shot.focus.number if shot.focus else 0
        pulls, q = pulls_on(point, model.embedding, model.similar, model.exaggeration, model.total)
        bars = (strength_bars(pulls, q, (f"p: similar to point {point + 1} in the data", "q: in the map")),)
        plane, pictures = plane_marks(data, pulls), picture_marks(data, pulls)
        looked_at = pulls if shot.focus else None
    return {
        "embedding": map_marks(data, model.embedding, looked_at),
        "cloud": (shot.given.cloud.mark(looked_at),),
        "similar": bars,
        "progress": _progress(shot),
        "plane": plane,
        "pictures": pictures,
    }


def _progress(shot: Shot) -> tuple[Mark, ...]:
    if not len(shot.shown.steps):
        return ()
    curve, early = Curve(shot.shown.steps, shot.shown.divergences, "KL divergence"), shot.given.early
    return (curve, ReferenceLine(float(early), "end of the early exaggeration")) if early else (curve,)
