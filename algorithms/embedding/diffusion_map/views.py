"""What a frame of a diffusion map shows: heat in the cloud, the map, the spectrum, and how it decays with time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.marks import Bars, Curve, Highlight, Mark, PointSizes, ReferenceLine
from algorithms.maths import maps

if TYPE_CHECKING:
    from algorithms.embedding.diffusion_map import Shot

FLOOR = 1e-4
"""What is less than this beside the hottest point is not told apart by colour."""
CURVES = 6
"""Eigenvalues whose way with time is drawn."""


def views(shot: Shot) -> dict[str, tuple[Mark, ...]]:
    """The marks of a frame."""
    given, model, heat = shot.given, shot.model, shot.shown.heat
    values = None if heat is None else np.log10(np.maximum(heat, FLOOR * heat.max()))
    handle = ("from_point", given.source)
    cloud = given.stage.cloud(model, shot.shown.grown, values, f"log₁₀ {shot.shown.name}", handle=handle)
    found: dict[str, tuple[Mark, ...]] = {
        "cloud": (cloud,),
        "embedding": (given.stage.map(model),),
        "plane": (Highlight(np.array([given.source]), "chosen", "source of the heat"),),
    }
    if heat is not None:
        found["plane"] = (PointSizes(heat, shot.shown.name), *found["plane"])
    if len(model.eigenvalues):
        found["spectrum"] = (_bars(shot),)
        found["decay"] = _decay(shot)
    return found


def _bars(shot: Shot) -> Bars:
    """The eigenvalues to the power of the time."""
    values = shot.model.eigenvalues ** max(shot.metrics["time"], 1.0)
    groups = np.full(len(values), maps.REST)
    groups[1 : shot.given.params.dimensions + 1] = maps.KEPT
    groups[0] = maps.DROPPED
    names = tuple(str(number) for number in range(len(values)))
    return Bars(values, names, groups=groups, group_names=("kept", "dropped: constant"))


def _decay(shot: Shot) -> tuple[Mark, ...]:
    """Each eigenvalue to the power of the time, over the time."""
    times = np.unique(np.geomspace(1.0, max(4.0 * shot.given.params.time, 16.0), 80))
    values = shot.model.eigenvalues[1 : CURVES + 1]
    curves = [
        Curve(times, np.abs(value) ** times, f"eigenvalue {number}", quiet=number > shot.given.params.dimensions)
        for number, value in enumerate(values.tolist(), start=1)
    ]
    return (*curves, ReferenceLine(max(shot.metrics["time"], 1.0), "time"))
