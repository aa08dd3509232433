"""Units of measurement: where the columns of a table lie, and how far they spread."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array, DataError

LARGEST = 1e300


def means(columns: Array) -> Array:
    """The mean of each column; that of equal numbers is exact, for rounding would leave something of them."""
    return np.where((columns == columns[0]).all(axis=0), columns[0], columns.mean(axis=0))


def deviations(columns: Array) -> Array:
    """The standard deviation of each column; 1 where all of it is equal, or so nearly that there is none."""
    found = columns.std(axis=0)  # of equal numbers it may be a rounding error
    return np.where((np.ptp(columns, axis=0) > 0.0) & (found > 0.0), found, 1.0)


def deviation(values: Array, ddof: int = 0) -> float:
    """The standard deviation of numbers, by way of a power of two: squares of squares leave the range of numbers."""
    if len(values) <= ddof:
        return 0.0
    exponent = np.frexp(np.abs(values).max())[1]
    return float(np.ldexp(np.ldexp(values, -exponent).std(ddof=ddof), exponent))


def mean_and_spread(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of every column; 1 for a column that is constant. Safe for huge and tiny numbers.

    Raises
    ------
    DataError
        When the numbers are so large that their sum is none.
    """
    top = float(np.abs(X).max(initial=0.0))
    if top > LARGEST:
        raise DataError(f"The values reach {top:.3g}, too large to be added up; divide them by a constant first.")
    centre = X.mean(axis=0)
    largest = np.abs(X - centre).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    spread = largest * np.sqrt(np.square((X - centre) / largest).mean(axis=0))
    # rounding leaves a constant column far from zero with a tiny spread, which must not be blown up
    constant = spread <= 1e-12 * np.abs(centre)
    return centre, np.where(constant | (spread == 0.0), 1.0, spread)
