"""How large and how small the numbers of data may be: one limit for every method.

Methods square, add and divide. Between the two limits that ends neither in infinity nor in nothing, so no method needs
to think of it; beyond them a run is refused before it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

import numpy as np

from algorithms.data.kind import Array, Data, DataError, locked
from algorithms.data.points import Points
from algorithms.data.remembered import Remembered
from algorithms.interrupt import checkpoint

LEAST, MOST = 1e-100, 1e100
_BLOCK = 1 << 20  # numbers looked at at once, so that a run on many pictures can be called off meanwhile
_THIN = 32  # up to so many columns NumPy takes far longer along the rows of a table than to turn it first


def column_ranges(X: Array) -> tuple[Array, Array]:
    """The least and the largest number of every column, (d,) each, of a table with one row or more.

    Those of a table into which nobody can write are remembered as long as it is there: every document that is made of
    the same data, and every run on them, asks again.
    """
    return _known.of(X, lambda: _ranges(X))


_known: Remembered[tuple[Array, Array]] = Remembered()


def _ranges(X: Array) -> tuple[Array, Array]:
    ranges = []
    for start in range(0, len(X), rows := max(_BLOCK // max(X.shape[1], 1), 1)):
        checkpoint()
        part = X[start : start + rows]
        columns = np.asfortranarray(part) if X.shape[1] <= _THIN else part
        ranges.append((columns.min(axis=0), columns.max(axis=0)))
    low, high = (np.array(ends) for ends in zip(*ranges))
    return locked(low.min(axis=0)), locked(high.max(axis=0))


def refuse_extreme_numbers(data: Data) -> None:
    """Raise :class:`DataError` when a column is not 0 throughout and its largest number is beyond the limits.

    The same where a target or a feature is so much larger than another feature that the slope would be.
    """
    reaches = list(_reaches(data))
    for name, reach in reaches:
        if reach > MOST:
            raise DataError(
                f"{name} reach {reach:.3g}; methods calculate with numbers up to {MOST:.0e}. Divide them by a constant."
            )
        if 0.0 < reach < LEAST:
            raise DataError(
                f"{name} reach {reach:.3g} only; methods calculate with numbers from {LEAST:.0e} on. "
                "Multiply them by a constant."
            )
    if isinstance(data, Points):
        features = [(name, reach) for name, reach in reaches[: data.d] if reach > 0.0]
        if not features:
            return
        (large, rise), (small, run) = max(reaches, key=itemgetter(1)), min(features, key=itemgetter(1))
        if rise > MOST * run:
            raise DataError(
                f"{large} reach {rise:.3g} and {small.replace('The', 'the', 1)} {run:.3g} only; "
                f"methods calculate with slopes up to {MOST:.0e}. Scale them."
            )


def _reaches(data: Data) -> Iterator[tuple[str, float]]:
    """The largest number, whatever its sign, of each part that has a scale of its own, and what the part is called."""
    if isinstance(data, Points):
        low, high = column_ranges(data.X) if data.n else (np.zeros(data.d), np.zeros(data.d))
        reaches = np.maximum(high, -low)
        yield from ((f"The values of {name!r}", reach) for name, reach in zip(data.features, reaches.tolist()))
        if data.y is not None and data.is_valued:
            yield f"The values of {data.target!r}", _reach(data.y)
        return
    for name, array in data.arrays().items():
        if array.dtype.kind == "f":
            yield f"The numbers of the {name}", _reach(array)


def _reach(values: Array) -> float:
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
