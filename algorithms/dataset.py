"""What an algorithm accepts: immutable data, checked once at the door."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

MAX_CLASSES = 64
"""More classes than this cannot be told apart on a screen; such a column is a value, not a class."""


class DataError(ValueError):
    """Data that cannot be used as asked; the message is a full sentence for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A table of points with an optional target: the data set of most algorithms.

    The arrays are checked, copied and locked. Afterwards ``y`` holds class numbers ``0 .. c-1`` when ``classes`` is not
    empty, real values when it is, and is ``None`` when there is no target.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The features. Must be finite numbers.
    y : array-like of shape (n,), optional
        The target. Floating-point numbers are taken as values, everything else as class labels; :meth:`of` can
        say otherwise.
    features, classes : sequence of str, optional
        Names to show. With ``classes``, ``y`` must already hold the class numbers.
    """

    X: Array  # (n, d) float64
    y: Array | None = None  # (n,) int64 class numbers or float64 values
    features: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    target: str = ""
    name: str = "data"

    def __post_init__(self) -> None:
        table = _table(self.X)
        features = tuple(self.features) or tuple(f"x{j + 1}" for j in range(table.shape[1]))
        if len(features) != table.shape[1]:
            raise DataError(f"There are {table.shape[1]} features but {len(features)} feature names.")
        y, classes = _target(self.y, len(table), tuple(self.classes))
        target = "" if y is None else self.target or ("class" if classes else "y")
        for name, value in (("X", table), ("y", y), ("features", features), ("classes", classes), ("target", target)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the data set anew locks it again.
        return Points, (self.X, self.y, self.features, self.classes, self.target, self.name)

    @classmethod
    def of(
        cls, X: ArrayLike, y: ArrayLike | None = None, kind: Literal["auto", "classes", "values"] = "auto", **names: Any
    ) -> Points:
        """Points whose target is read as the caller says, whatever its type: 1.0 and 2.0 can be two classes."""
        if y is None or kind == "auto":
            return cls(X, y, **names)  # type: ignore[arg-type]
        if kind == "values":
            return cls(X, _values(np.asarray(y)), **names)  # type: ignore[arg-type]
        classes, numbers = _levels(np.asarray(y))
        return cls(X, numbers, classes=classes, **names)  # type: ignore[arg-type]

    @property
    def n(self) -> int:
        """How many points there are."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """How many features a point has."""
        return int(self.X.shape[1])

    @property
    def is_labelled(self) -> bool:
        """Whether the target is a class."""
        return bool(self.classes)

    @property
    def is_valued(self) -> bool:
        """Whether the target is a real value."""
        return self.y is not None and not self.classes

    def class_numbers(self, owner: str) -> Array:
        """The class of every point, or a :class:`DataError` saying that ``owner`` needs classes."""
        if self.y is None or not self.classes:
            raise DataError(f"{owner} needs a class for every point; this data set has none.")
        return self.y

    def values(self, owner: str) -> Array:
        """The real target, or a :class:`DataError`. Class numbers serve as values where there are only classes."""
        if self.y is None:
            raise DataError(f"{owner} needs a target value for every point; this data set has none.")
        return np.asarray(self.y, dtype=np.float64)

    def renamed(self, name: str) -> Points:
        """The same data under another name."""
        return replace(self, name=name)


Dataset = Points
"""The data set that :func:`algorithms.fit` makes from ``X`` and ``y``. Graphs and sequences will be further kinds."""


def distinct_rows(X: Array) -> int:
    """How many different points there are."""
    return len(np.unique(X, axis=0))


def _target(y: ArrayLike | None, n: int, classes: tuple[str, ...]) -> tuple[Array | None, tuple[str, ...]]:
    if y is None:
        return None, ()
    column = np.asarray(y)
    if column.shape != (n,):
        raise DataError(f"The target has the shape {column.shape}; {n} points need ({n},).")
    if classes:
        return _class_numbers(column, len(classes)), classes
    if column.dtype.kind == "f":
        return _values(column), ()
    levels, numbers = _levels(column)
    return _locked(numbers), levels


def _table(X: ArrayLike) -> Array:
    try:
        table = X if _is_locked(X) else np.array(X, dtype=np.float64, copy=True, order="C")
    except (TypeError, ValueError) as error:
        raise DataError("The features must all be numbers.") from error
    assert isinstance(table, np.ndarray)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise DataError(f"The features must form a table of rows and columns; got {table.ndim} dimensions.")
    if table.shape[0] == 0 or table.shape[1] == 0:
        raise DataError("The data set is empty: it needs at least one point and one feature.")
    if not np.isfinite(table).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise DataError(f"Row {row + 1}, column {column + 1} is not a finite number; remove or fill it first.")
    return _locked(table)


def _values(column: Array) -> Array:
    try:
        values = column if _is_locked(column) else np.array(column, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise DataError("The target must be numbers to be used as a value.") from error
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise DataError(f"The target of row {row + 1} is not a finite number; remove or fill it first.")
    return _locked(values)


def _class_numbers(column: Array, count: int) -> Array:
    if column.dtype.kind not in "iu":
        raise DataError("Class numbers must be whole numbers.")
    numbers = np.array(column, dtype=np.int64, copy=True)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= count):
        raise DataError(f"Class numbers must lie between 0 and {count - 1}.")
    return _locked(numbers)


def _levels(column: Array) -> tuple[tuple[str, ...], Array]:
    try:
        levels, numbers = np.unique(column, return_inverse=True)
    except TypeError as error:
        raise DataError("The classes mix text and numbers; make them one or the other.") from error
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise DataError(f"The class of row {int(np.argmin(np.isfinite(column))) + 1} is missing.")
    if len(levels) > MAX_CLASSES:
        raise DataError(f"The target has {len(levels)} different values; at most {MAX_CLASSES} classes can be shown.")
    return tuple(_text(level) for level in levels), np.asarray(numbers, dtype=np.int64).reshape(-1)


def _text(level: Any) -> str:
    if isinstance(level, float | np.floating) and float(level).is_integer():
        return str(int(level))
    return str(level)


def _is_locked(array: Any) -> bool:
    """Whether these are numbers nobody writes into any more, so that they need no copy (but still the checks)."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        return False
    return not array.flags.writeable and array.base is None and array.flags.c_contiguous


def _locked(array: Array) -> Array:
    array.flags.writeable = False
    return array
