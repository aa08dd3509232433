"""The scale of a document's features: a visible switch, never done in silence.

The data of a document is what is seen and what the algorithm gets, so it holds the scaled numbers, and the names of the
features say so. The way back is kept beside it, and written into the session file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.data.scaling import AS_GIVEN, SCALES, Scaling


def checked_scaling(raw: Any, d: int | None) -> Scaling:
    """The scaling that a session file describes, of d features or of whatever is on the shelf; or ValueError."""
    if raw is None:
        return AS_GIVEN
    if not isinstance(raw, dict) or raw.get("kind") not in SCALES:
        raise ValueError("The scale of the features is not one that is known.")
    if raw["kind"] == "given":
        return AS_GIVEN
    shift, factor = raw.get("shift", []), raw.get("factor", [])
    for numbers in (shift, factor):
        fits = isinstance(numbers, list) and d in (None, len(numbers))
        if not fits or not all(type(number) in (int, float) and np.isfinite(number) for number in numbers):
            raise ValueError("The scale of the features does not fit the data.")
    return Scaling(raw["kind"], tuple(map(float, shift)), tuple(map(float, factor)))
