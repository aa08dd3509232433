"""Features on another scale: a visible switch of the document, never done in silence.

The data of a document is what is seen and what the algorithm gets, so it holds the scaled numbers, and the names of the
features say so. The way back is kept beside it.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, get_args

import numpy as np

from algorithms.data import Array, DataError, Points
from algorithms.records import dataclass

Scale = Literal["given", "standardised", "0 to 1"]
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, slots=True)
class Scaling:
    """What was done to the features: seen = (given - shift) / factor. Nothing when ``kind`` is ``given``."""

    kind: Scale = "given"
    shift: tuple[float, ...] = ()
    factor: tuple[float, ...] = ()

    def applied(self, X: Array) -> Array:
        """Rows as they are given, on this scale."""
        return X if self.kind == "given" else (X - np.array(self.shift)) / np.array(self.factor)

    def undone(self, data: Points) -> Points:
        """The data on its own scale, under its own names."""
        if self.kind == "given":
            return data
        X = data.X * np.array(self.factor) + np.array(self.shift)
        suffix = f" ({self.kind})"
        return dataclasses.replace(data, X=X, features=tuple(name.removesuffix(suffix) for name in data.features))


AS_GIVEN = Scaling()


def scaled(data: Points, kind: Scale) -> tuple[Points, Scaling]:
    """The data with every feature on another scale; a feature that never changes is only moved."""
    if kind == "given":
        return data, AS_GIVEN
    X = data.X
    if not data.n:
        raise DataError("Draw some points first: without any there is no scale to put them on.")
    with np.errstate(all="ignore"):
        if kind == "standardised":
            shift, factor = X.mean(axis=0), X.std(axis=0)
        else:
            shift, factor = X.min(axis=0), np.ptp(X, axis=0)
        factor = np.where(factor > 0, factor, 1.0)
        coded = [column for column, _ in data.categories]  # the codes of categories are no measurements
        shift[coded], factor[coded] = 0.0, 1.0
        moved = (X - shift) / factor
    if not (np.isfinite(moved).all() and np.isfinite(factor).all()):
        raise DataError("The numbers are too large to be put on another scale.")
    features = tuple(name if column in coded else f"{name} ({kind})" for column, name in enumerate(data.features))
    return (
        dataclasses.replace(data, X=moved, features=features),
        Scaling(kind, tuple(shift.tolist()), tuple(factor.tolist())),
    )


def split(data: Points, scaling: Scaling, held_out: Array) -> tuple[Points, Array]:
    """The points to learn from, and the rows (m, d) that are held out, both on a scale that only the former set.

    ``data`` are all points as they are seen, on the scale of the document, which every one of them has had a say in.
    """
    given = scaling.undone(data)
    rest, own = scaled(given.rows(np.delete(np.arange(data.n), held_out)), scaling.kind)
    return rest, own.applied(given.X[held_out])


def checked_scaling(raw: Any, d: int) -> Scaling:
    """The scaling that a session file describes, or ValueError."""
    if raw is None:
        return AS_GIVEN
    if not isinstance(raw, dict) or raw.get("kind") not in SCALES:
        raise ValueError("The scale of the features is not one that is known.")
    if raw["kind"] == "given":
        return AS_GIVEN
    shift, factor = raw.get("shift", []), raw.get("factor", [])
    for numbers in (shift, factor):
        fits = isinstance(numbers, list) and len(numbers) == d
        if not fits or not all(type(number) in (int, float) and np.isfinite(number) for number in numbers):
            raise ValueError("The scale of the features does not fit the data.")
    return Scaling(raw["kind"], tuple(map(float, shift)), tuple(map(float, factor)))
