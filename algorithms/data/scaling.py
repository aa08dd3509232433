"""Features on another scale, and the same scale anew for a part of the points.

Both scales are set by shifts and factors, so to scale rows again that are on such a scale already gives what scaling
the given ones would: to hold points out it is enough to know which scale the others are to be on. (Only a feature that
all others agree in has no unit of its own; it keeps that of all points, and nothing can be learned from it.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np

from algorithms.data.coding import indicator_columns
from algorithms.data.kind import Array, DataError
from algorithms.data.points import Points, Scale
from algorithms.records import dataclass

SCALES: tuple[Scale, ...] = get_args(Scale)
_CANCELLED = 1e-6
"""Of what is left of a sum of squares below this fraction of it, rounding has taken its part."""


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
        features = tuple(name.removesuffix(suffix) for name in data.features)
        return replace(data, X=X, features=features, scale="given")


AS_GIVEN = Scaling()


def scaled(data: Points, kind: Scale) -> tuple[Points, Scaling]:
    """The data with every feature on another scale; a feature that never changes is only moved."""
    if kind == "given":
        return data, AS_GIVEN
    own, coded = _scaling(data, kind), set(_without_unit(data))
    features = tuple(name if j in coded else f"{name} ({kind})" for j, name in enumerate(data.features))
    return replace(data, X=own.applied(data.X), features=features, scale=kind), own


def rescaled(part: Points) -> tuple[Points, Scaling]:
    """Some of the points of a data set on the scale of their kind that they alone set, and the way there."""
    if part.scale == "given":
        return part, AS_GIVEN
    own = _scaling(part, part.scale)
    return replace(part, X=own.applied(part.X)), own


def split(data: Points, held_out: Array) -> tuple[Points, Array]:
    """The points to learn from, and the rows (m, d) that are held out, both on a scale that only the former set."""
    rest, own = rescaled(data.rows(np.delete(np.arange(data.n), held_out)))
    return rest, own.applied(data.X[held_out])


def without_each(data: Points) -> tuple[Array, Array]:
    """The shift and the factor that all other points set, (n, d) each: every point is left out in turn."""
    X, n = data.X, data.n
    low, high = _ends_without_each(X)
    if data.scale == "standardised":
        mean, squares = X.mean(axis=0), np.square(X - X.mean(axis=0)).sum(axis=0)
        shift = mean + (mean - X) / (n - 1)
        left = squares - np.square(X - mean) * (n / (n - 1))
        for i, j in np.argwhere(left < _CANCELLED * squares):  # one number is nearly all of the sum: the rest added up
            others = np.delete(X[:, j], i)
            shift[i, j], left[i, j] = others.mean(), np.square(others - others.mean()).sum()
        factor = np.sqrt(np.maximum(left, 0.0) / (n - 1))
    else:
        shift, factor = low, high - low
    factor = np.where((high > low) & (factor > 0.0), factor, 1.0)
    coded = _without_unit(data)
    shift[:, coded], factor[:, coded] = 0.0, 1.0
    return shift, factor


def _ends_without_each(X: Array) -> tuple[Array, Array]:
    """The least and the largest number of all other points, (n, d) each."""
    least, largest = np.partition(X, 1, axis=0)[:2], np.partition(X, -2, axis=0)[-2:]
    return np.where(least[0] == X, least[1], least[0]), np.where(largest[1] == X, largest[0], largest[1])


def measured_columns(data: Points) -> list[int]:
    """The columns that hold measurements, which have a unit."""
    coded = set(_without_unit(data))
    return [j for j in range(data.d) if j not in coded]


def _without_unit(data: Points) -> list[int]:
    """The columns that are no measurements: codes of categories, and their indicators."""
    return [column for column, _ in data.categories] + indicator_columns(data)


def _scaling(data: Points, kind: Scale) -> Scaling:
    """What puts these points on a scale of this kind."""
    X = data.X
    if not data.n:
        raise DataError("Draw some points first: without any there is no scale to put them on.")
    with np.errstate(all="ignore"):
        low, extent = X.min(axis=0), np.ptp(X, axis=0)
        shift, factor = (X.mean(axis=0), X.std(axis=0)) if kind == "standardised" else (low, extent.copy())
        factor[~((extent > 0.0) & (factor > 0.0))] = 1.0  # the deviation of equal numbers may be a rounding error
        coded = _without_unit(data)
        shift[coded], factor[coded] = 0.0, 1.0
        ends = (np.array([low, X.max(axis=0)]) - shift) / factor
    if not (np.isfinite(ends).all() and np.isfinite(factor).all()):
        raise DataError("The numbers are too large to be put on another scale.")
    return Scaling(kind, tuple(shift.tolist()), tuple(factor.tolist()))
