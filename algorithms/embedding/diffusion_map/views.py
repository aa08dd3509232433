"""What a frame of a diffusion map shows: heat in the cloud, the map, the spectrum, and how it decays with time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import DrawnSnapshot, LazyViews
from algorithms.data import Array
from algorithms.marks import Bars, Curve, Highlight, Mark, PointSizes, ReferenceLine
from algorithms.maths import maps
from algorithms.maths.cloud_stage import Stage

if TYPE_CHECKING:
    from algorithms.embedding.diffusion_map import Model

FLOOR = 1e-4
"""What is less than this beside the hottest point is not told apart by colour."""
CURVES = 6
"""Eigenvalues whose way with time is drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Everything that the frames are made of; a run goes from one to the next with ``dataclasses.replace``."""

    stage: Stage
    model: Model
    dimensions: int
    source: int  # where the heat begins
    time: int = 0  # how long it has spread
    last: int = 1  # the time that is asked for
    heat: Array | None = None  # (n,) what the colours of the cloud show
    heat_name: str = ""
    warning: str = ""


def frame(picture: Picture, phase: str, caption: str) -> DrawnSnapshot:
    """The snapshot of a picture."""
    known = kept(picture) if len(picture.model.eigenvalues) else np.nan
    metrics = {"reached": reached(picture.model.heat), "kept": known, "time": picture.time}
    return DrawnSnapshot(picture.model, LazyViews(views_of, picture), metrics, phase, caption, picture.warning)


def reached(heat: Array) -> float:
    """Over how many points the heat has spread: 1 / sum p^2, from 1 to n."""
    return 1.0 / float(np.square(heat).sum())


def kept(picture: Picture) -> float:
    """The fraction of the squared distances of the walk that the map shows, of all eigenvalues that are known."""
    values = np.abs(picture.model.eigenvalues[1:]) ** max(picture.time, 1)
    whole = float(np.square(values).sum())
    return float(np.square(values[: picture.dimensions]).sum()) / whole if whole > 0.0 else 0.0


def views_of(picture: Picture) -> dict[str, tuple[Mark, ...]]:
    """The marks of a picture, made when somebody looks."""
    stage, model = picture.stage, picture.model
    values = None if picture.heat is None else np.log10(np.maximum(picture.heat, FLOOR * picture.heat.max()))
    name = f"log₁₀ {picture.heat_name}"
    views: dict[str, tuple[Mark, ...]] = {
        "cloud": (stage.cloud(values, name, handle=("from_point", picture.source)),),
        "embedding": (stage.map(model.embedding),),
        "plane": (Highlight(np.array([picture.source]), "chosen", "source of the heat"),),
    }
    if picture.heat is not None:
        views["plane"] = (PointSizes(picture.heat, picture.heat_name), *views["plane"])
    if len(model.eigenvalues):
        views["spectrum"] = (_bars(picture),)
        views["decay"] = _decay(picture)
    return views


def _bars(picture: Picture) -> Bars:
    """The eigenvalues to the power of the time."""
    values = picture.model.eigenvalues ** max(picture.time, 1)
    groups = np.full(len(values), maps.REST)
    groups[1 : picture.dimensions + 1] = maps.KEPT
    groups[0] = maps.DROPPED
    names = tuple(str(number) for number in range(len(values)))
    return Bars(values, names, groups=groups, group_names=("kept", "dropped: constant"))


def _decay(picture: Picture) -> tuple[Mark, ...]:
    """Each eigenvalue to the power of the time, over the time."""
    times = np.unique(np.geomspace(1.0, max(4.0 * picture.last, 16.0), 80))
    values = picture.model.eigenvalues[1 : CURVES + 1]
    curves = [
        Curve(times, np.abs(value) ** times, f"eigenvalue {number}", quiet=number > picture.dimensions)
        for number, value in enumerate(values.tolist(), start=1)
    ]
    return (*curves, ReferenceLine(float(max(picture.time, 1)), "time"))
