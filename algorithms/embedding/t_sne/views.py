"""What a frame of t-SNE shows: the map as it moves, the cloud, one point's similarities, and its divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from algorithms.contract import LazyViews, Snapshot
from algorithms.data import Array, Points
from algorithms.embedding.t_sne.solver import pulls_on
from algorithms.marks import Curve, Mark, ReferenceLine
from algorithms.maths.moving_maps import Cloud, map_marks, picture_marks, plane_marks, strength_bars

if TYPE_CHECKING:
    from algorithms.embedding.t_sne import Model


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    data: Points
    cloud: Cloud
    model: Model
    early: int  # steps with exaggeration
    trust: float
    steps: Array  # (f,) of the frames so far
    divergences: Array  # (f,) in them
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> Snapshot:
    """The snapshot of a picture."""
    model = picture.model
    metrics = {
        "kl": model.kl,
        "trustworthiness": picture.trust,
        "exaggeration": model.exaggeration,
        "iteration": model.iteration,
    }
    return Snapshot(model, LazyViews(views_of, picture, -1), metrics, phase, caption, picture.warning)


def views_of(picture: Picture, point: int) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks; with a point, the map and the cloud speak of it."""
    model, looked_at = picture.model, None
    bars: tuple[Mark, ...] = ()
    plane: tuple[Mark, ...] = ()
    pictures: tuple[Mark, ...] = ()
    if model.similar is not None:
        shown = max(point, 0)
        pulls, q = pulls_on(shown, model.embedding, model.similar, model.exaggeration, model.total)
        bars = (strength_bars(pulls, q, (f"p: similar to point {shown + 1} in the data", "q: in the map")),)
        plane, pictures = plane_marks(picture.data, pulls), picture_marks(picture.data, pulls)
        looked_at = pulls if point >= 0 else None
    return {
        "embedding": map_marks(picture.data, model.embedding, looked_at),
        "cloud": (picture.cloud.mark(looked_at),),
        "similar": bars,
        "progress": _progress(picture),
        "plane": plane,
        "pictures": pictures,
    }


def _progress(picture: Picture) -> tuple[Mark, ...]:
    if not len(picture.steps):
        return ()
    curve = Curve(picture.steps, picture.divergences, "KL divergence")
    if picture.early == 0:
        return (curve,)
    return curve, ReferenceLine(float(picture.early), "end of the early exaggeration")
