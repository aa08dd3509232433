"""What is seen of a kernel: its bump or an eigenfunction in the plane, spectrum, matrix, and the lift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.contract import Views
from algorithms.marks import Bars, Centres, Cloud3D, Isolines, Mark, Matrix, Regions
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.classification.kernel_lab import Model, Shot

MOST_BARS = 40
_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the kernel of the place with itself


def views(shot: Shot) -> Views:
    """The marks of a frame."""
    model, solved = shot.model, shot.phase != "start"
    return {
        "plane": _plane(shot),
        "spectrum": (_bars(model, shot.shown.rebuilt),) if solved else (),
        "gram": (_matrix(shot),) if solved else (),
        "lift": (_lift(model),) if shot.shown.rebuilt >= min(3, len(model.X)) else (),
    }


def _plane(shot: Shot) -> tuple[Mark, ...]:
    if shot.phase == "function":
        return Regions("signed"), Isolines(strong=(), fine=(0.0,), fine_name="zero of the eigenfunction")
    model = shot.model
    top = float(model.kernel(model.places, model.places)[0, 0])
    levels = tuple(sorted(level * top for level in _LEVELS)) if top else ()
    contours = Isolines(strong=(), fine=levels, fine_name="equal kernel")
    return Regions("value"), contours, Centres(model.places, handle="at", name="centre of the bump")


def _bars(model: Model, rebuilt: int) -> Bars:
    """The largest eigenvalues, and all below zero, which are marked."""
    negative = np.flatnonzero(model.negative)
    first = np.setdiff1d(np.arange(min(MOST_BARS, len(model.eigenvalues))), negative)
    shown = np.concatenate([first, negative[-MOST_BARS:]])
    groups = np.where(model.negative[shown], 1, 0)
    if rebuilt:
        groups = np.where((shown >= rebuilt) & (groups == 0), -1, groups)
    return Bars(
        model.eigenvalues[shown],
        names=tuple(str(k + 1) for k in shown),
        groups=groups,
        group_names=("not negative", "negative: no kernel"),
    )


def _matrix(shot: Shot) -> Matrix:
    """The matrix, or what the coordinates so far rebuild of it."""
    model, rebuilt, values, name = shot.model, shot.shown.rebuilt, shot.model.gram, "k"
    if shot.phase in ("function", "rebuild"):
        coordinates = model.coordinates[:, :rebuilt]
        values, name = coordinates @ coordinates.T, f"k from {counted(rebuilt, 'coordinate')}"
    return Matrix(values, points=model.members, signed=bool(values.min() < 0.0), name=name)


def _lift(model: Model) -> Cloud3D:
    coordinates = np.zeros((len(model.X), 3))
    count = min(3, len(model.X))
    coordinates[:, :count] = model.coordinates[:, :count]
    return Cloud3D(coordinates, ("√λ₁ v₁", "√λ₂ v₂", "√λ₃ v₃"), points=model.members)
