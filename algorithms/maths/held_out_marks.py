"""What methods that judge other methods draw: the boundary of any fitted model, and places on the axis of a sweep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.data import Array, Points
from algorithms.marks import Curve, Isolines, Mark, Regions
from algorithms.maths.sweeps import Axis
from algorithms.method_choice import parse_method

GRID = 400


def boundary(method: str, fitted: Any, data: Points, answers: Callable[[Array], Array]) -> tuple[Mark, ...]:
    """What a fitted model of any method looks like among the data; nothing where there is none yet."""
    if fitted is None:
        return ()
    if data.is_labelled:
        levels = {"probability": 0.5, "decision": 0.0}
        scores = parse_method(method).algorithm.scores
        return (Regions("classes"), *((Isolines(strong=(levels[scores],)),) if scores in levels else ()))
    if data.d > 1:
        return (Regions("value"),)
    x = np.linspace(data.X.min(), data.X.max(), GRID)
    return (Curve(x, answers(x[:, None]), "fit"),)


def place_on(axis: Axis, position: int) -> float:
    """Where a value stands on a logarithmic axis; without numbers above 0 values stand at their places in the list."""
    numbers = all(isinstance(value, int | float) and value > 0 for value in axis.values)
    return float(axis.values[position]) if numbers else position + 1.0
