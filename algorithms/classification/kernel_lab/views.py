"""What is seen of a kernel: its bump or an eigenfunction in the plane, spectrum, matrix, and the lift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from algorithms.contract import Views
from algorithms.data import Points
from algorithms.marks import Bars, Centres, Cloud3D, Isolines, Mark, Matrix, Regions
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.classification.kernel_lab import Model

MOST_BARS = 40
_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the kernel of the place with itself


@dataclass(frozen=True, slots=True)
class Stage:
    """What a frame shows beside the model."""

    shows: Literal["start", "part", "bump", "function"]
    function: int = -1  # which eigenfunction
    spectrum: bool = False
    rebuilt: int = 0  # coordinates that are used
    lifted: bool = False


def views(data: Points, model: Model, stage: Stage) -> Views:
    """The marks of a frame."""
    return {
        "plane": _plane(model, stage),
        "spectrum": (_bars(model, stage),) if stage.shows != "start" else (),
        "gram": (_matrix(model, stage),) if stage.shows != "start" else (),
        "lift": (_lift(model),) if stage.rebuilt >= min(3, len(model.X)) or stage.lifted else (),
    }


def _plane(model: Model, stage: Stage) -> tuple[Mark, ...]:
    if stage.shows == "function":
        return Regions("signed"), Isolines(strong=(), fine=(0.0,), fine_name="zero of the eigenfunction")
    top = float(model.kernel(model.places, model.places)[0, 0])
    levels = tuple(sorted(level * top for level in _LEVELS)) if top else ()
    contours = Isolines(strong=(), fine=levels, fine_name="equal kernel")
    return Regions("value"), contours, Centres(model.places, handle="at", name="centre of the bump")


def _bars(model: Model, stage: Stage) -> Bars:
    """The largest eigenvalues, and those below zero, which are marked; of the rest there is not much to see."""
    negative = np.flatnonzero(model.negative)
    first = np.setdiff1d(np.arange(min(MOST_BARS, len(model.eigenvalues))), negative)
    shown = np.concatenate([first, negative[-MOST_BARS:]])
    groups = np.where(model.negative[shown], 1, 0)
    if stage.rebuilt:
        groups = np.where((shown >= stage.rebuilt) & (groups == 0), -1, groups)
    return Bars(
        model.eigenvalues[shown],
        names=tuple(str(k + 1) for k in shown),
        groups=groups,
        group_names=("not negative", "negative: no kernel"),
    )


def _matrix(model: Model, stage: Stage) -> Matrix:
    """The matrix, or what the coordinates so far rebuild of it."""
    values, name = model.gram, "k"
    if stage.rebuilt and not stage.lifted:
        coordinates = model.coordinates[:, : stage.rebuilt]
        values, name = coordinates @ coordinates.T, f"k from {counted(stage.rebuilt, 'coordinate')}"
    return Matrix(values, points=model.members, signed=bool(values.min() < 0.0), name=name)


def _lift(model: Model) -> Cloud3D:
    coordinates = np.zeros((len(model.X), 3))
    count = min(3, len(model.X))
    coordinates[:, :count] = model.coordinates[:, :count]
    return Cloud3D(coordinates, ("√λ₁ v₁", "√λ₂ v₂", "√λ₃ v₃"), points=model.members)
