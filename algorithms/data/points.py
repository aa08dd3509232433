"""Points: a table of features with an optional target, the data of most algorithms."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from algorithms.data.kind import (
    Array,
    Data,
    DataError,
    Item,
    array_in,
    column_of,
    label,
    labels,
    levels_of,
    locked,
    names_of,
    text_in,
    texts_in,
    whole_numbers,
)
from algorithms.records import dataclass

Scale = Literal["given", "standardised", "0 to 1"]
BLANK = "blank board"
"""The name of points that are drawn by hand from nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Points(Data):
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
    image_shape : (height, width), optional
        Where every row is a grey picture, row by row from the top.
    categories : mapping of column number to names, optional
        Columns that hold codes 0, 1, ... of these names instead of measurements.
    indicators : sequence of (first column, name, levels), optional
        Columns of 0 and 1 that say which level a category has, see ``coding``.
    scale : "given", "standardised" or "0 to 1"
        The scale that the features were put on by all points of a document. Whoever holds some of them out does it anew
        by the others (see ``scaling``). Files do not hold it: it is a part of the document.
    """

    kind: ClassVar[str] = "points"
    item_name: ClassVar[str] = "point"
    invitation: ClassVar[str] = "Draw points"

    X: Array  # (n, d) float64
    y: Array | None = None  # (n,) int64 class numbers or float64 values
    features: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    target: str = ""
    name: str = "data"
    image_shape: tuple[int, int] | None = None
    categories: tuple[tuple[int, tuple[str, ...]], ...] = ()
    scale: Scale = "given"
    indicators: tuple[tuple[int, str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        table = _table(self.X)
        features = labels(self.features) or tuple(f"x{j + 1}" for j in range(table.shape[1]))
        if len(features) != table.shape[1]:
            raise DataError(f"There are {table.shape[1]} features but {len(features)} feature names.")
        y, classes = _target(self.y, len(table), labels(self.classes))
        target = "" if y is None else label(self.target) or ("class" if classes else "y")
        for name, value in (("X", table), ("y", y), ("features", features), ("classes", classes), ("target", target)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "name", label(self.name))
        object.__setattr__(self, "image_shape", _image_shape(self.image_shape, table.shape[1]))
        object.__setattr__(self, "categories", _categories(self.categories, table))
        object.__setattr__(self, "indicators", _indicators(self.indicators, table.shape[1]))

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the data set anew locks it again.
        names = (self.features, self.classes, self.target, self.name)
        return Points, (self.X, self.y, *names, self.image_shape, self.categories, self.scale, self.indicators)

    @classmethod
    def of(
        cls, X: ArrayLike, y: ArrayLike | None = None, kind: Literal["auto", "classes", "values"] = "auto", **names: Any
    ) -> Points:
        """Points whose target is read as the caller says, whatever its type: 1.0 and 2.0 can be two classes."""
        if y is None or kind == "auto":
            return cls(X, y, **names)  # type: ignore[arg-type]
        if kind == "values":
            return cls(X, _values(column_of(y, "values of the target")), **names)  # type: ignore[arg-type]
        column = np.atleast_1d(column_of(y, "classes"))
        classes, numbers = levels_of(column, len(column), "point")
        return cls(X, numbers, classes=classes, **names)  # type: ignore[arg-type]

    @classmethod
    def blank(cls, target: str = "none") -> Points:
        """No points of two classes yet; or, over one feature, with values."""
        if target == "values":
            return cls(np.empty((0, 1)), np.empty(0), name=BLANK)
        return cls(np.empty((0, 2)), np.empty(0, dtype=np.int64), classes=("1", "2"), name=BLANK)

    @property
    def n(self) -> int:
        """How many points there are."""
        return int(self.X.shape[0])

    @property
    def extents(self) -> dict[str, int]:
        """Points can be counted by features, too, and by columns, of which a target that is a value is the last."""
        return {"items": self.n, "features": self.d, "columns": self.d + self.is_valued}

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

    def class_name(self, number: int) -> str:
        """What a class is called; a model may have learned more of them than these points name."""
        return self.classes[number] if number < len(self.classes) else f"class {number + 1}"

    def several_classes(self, owner: str) -> Array:
        """The same, or a :class:`DataError` where all points are of one class."""
        y = self.class_numbers(owner)
        if not len(y):
            raise DataError(f"{owner} needs points of at least two classes; there are none yet.")
        if (y == y[0]).all():
            name = self.classes[int(y[0])]
            raise DataError(f"A boundary needs points of at least two classes; all of these are of the class {name!r}.")
        return y

    def two_sides(self, owner: str) -> Array:
        """-1.0 for the first class and 1.0 for the second one; :class:`DataError` where there are others."""
        y = self.several_classes(owner)
        if int(y.max()) > 1:
            count = len(np.unique(y))
            raise DataError(
                f"{owner} separates the first two classes of a data set, and these points are of {count}: keep two, "
                "or take the method 'Several classes from lines'."
            )
        return np.where(y == 1, 1.0, -1.0)

    def values(self, owner: str) -> Array:
        """The real target, or a :class:`DataError`. Class numbers serve as values where there are only classes."""
        if self.y is None:
            raise DataError(f"{owner} needs a target value for every point; this data set has none.")
        return np.asarray(self.y, dtype=np.float64)

    @property
    def groups(self) -> Array | None:
        """The class of every point, or None."""
        return self.y if self.classes else None

    def with_rows(self, X: ArrayLike, y: ArrayLike | None) -> Points:
        """Other rows with the same columns and names."""
        return replace(self, X=X, y=y)  # type: ignore[arg-type]

    def named_like(self, others: Points, same_target: bool) -> Points:
        """These rows with the names of others after which they were drawn; those of the target where it is the same."""
        if self.d != others.d:
            return self
        coded = tuple(
            (j, names) for j, names in others.categories if np.isin(self.X[:, j], np.arange(len(names))).all()
        )
        named = replace(
            self,
            features=others.features,
            image_shape=others.image_shape,
            categories=coded,
            indicators=others.indicators,
        )
        if same_target and self.y is not None and len(self.classes) == len(others.classes):
            return replace(named, classes=others.classes, target=others.target)
        return named

    def rows(self, chosen: Array) -> Points:
        """Some of the points, by number or by mask."""
        return self.with_rows(self.X[chosen], None if self.y is None else self.y[chosen])

    def arrays(self) -> dict[str, Array]:
        """``X`` and, where there is a target, ``y``."""
        return {"X": self.X} | ({} if self.y is None else {"y": self.y})

    def facts(self) -> dict[str, Any]:
        """The names, and what is special about the columns."""
        facts: dict[str, Any] = {
            "name": self.name,
            "features": list(self.features),
            "classes": list(self.classes),
            "target": self.target,
        }
        if self.image_shape is not None:
            facts["image_shape"] = list(self.image_shape)
        if self.categories:
            facts["categories"] = [[column, list(names)] for column, names in self.categories]
        if self.indicators:
            facts["indicators"] = [[first, name, list(levels)] for first, name, levels in self.indicators]
        return facts

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Points:
        """The points of a file."""
        X, y = array_in(arrays, "X"), arrays.get("y")
        if X.dtype.kind not in "fiu" or X.ndim != 2:
            raise DataError("The features are not a table of numbers.")
        classes = texts_in(facts, "classes")
        if y is not None and not classes:
            y = np.asarray(y, dtype=np.float64) if y.dtype.kind in "fiu" else y
        return cls(
            X,
            y,
            texts_in(facts, "features"),
            classes,
            text_in(facts, "target"),
            text_in(facts, "name", "data"),
            _plain_shape(facts.get("image_shape")),
            _plain_categories(facts.get("categories", [])),
            indicators=_plain_indicators(facts.get("indicators", [])),
        )

    @property
    def sha256(self) -> str:
        """Of the bytes of X (float64, row by row) and then of y: the same points give the same hash anywhere."""
        digest = hashlib.sha256(_little_endian(self.X))
        if self.y is not None:
            digest.update(_little_endian(self.y))
        return digest.hexdigest()

    def query(self) -> Array:
        """The rows."""
        return self.X

    def columns(self) -> dict[str, list[Any]]:
        """The features, with categories by name, and the target."""
        named = dict(self.categories)
        columns: dict[str, list[Any]] = {}
        for column, name in enumerate(self.features):
            values, names = self.X[:, column].tolist(), named.get(column)
            columns[free_name(name, columns)] = values if names is None else [names[int(code)] for code in values]
        if self.y is not None:
            values = self.y.tolist()
            columns[free_name(self.target, columns)] = [self.classes[k] for k in values] if self.classes else values
        return columns

    def about(self) -> dict[str, Any]:
        """How many points, and their names."""
        return {
            "points": self.n,
            "features": list(self.features),
            "target": self.target or None,
            "classes": list(self.classes),
        }

    def item(self, number: int, what: str = "") -> Item:
        """One of the points, with its place."""
        return Item(number, self.X[number], what)

    def item_text(self, number: int) -> str:
        """The point in a line: its first six features and its target."""
        named = dict(self.categories)
        parts = []
        for column, value in list(enumerate(self.X[number]))[:6]:
            names = named.get(column)
            parts.append(f"{self.features[column]} = {f'{value:.4g}' if names is None else names[int(value)]}")
        if self.y is not None and self.classes:
            parts.append(f"{self.target}: {self.classes[int(self.y[number])]}")
        elif self.y is not None:
            parts.append(f"{self.target} = {self.y[number]:.4g}")
        return f"point {number + 1}:   " + "   ".join(parts)


def _little_endian(values: Array) -> bytes:
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes()


def free_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, or the first longer one that nothing has yet."""
    return name if name not in taken else free_name(name + "_", taken)


def distinct_rows(X: Array) -> int:
    """How many different points there are."""
    return len(np.unique(X, axis=0))


def _target(y: ArrayLike | None, n: int, classes: tuple[str, ...]) -> tuple[Array | None, tuple[str, ...]]:
    if y is None:
        return None, ()
    column = column_of(y, "values of the target")
    if column.shape != (n,):
        raise DataError(f"The target has the shape {column.shape}; {n} points need ({n},).")
    if classes:
        return _class_numbers(column, len(classes)), classes
    if column.dtype.kind == "f":
        return _values(column), ()
    levels, numbers = levels_of(column, n, "point")
    return locked(numbers), levels


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
    if table.shape[1] == 0:
        raise DataError("The data set is empty: it needs at least one feature.")
    if not np.isfinite(table).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise DataError(f"Row {row + 1}, column {column + 1} is not a finite number; remove or fill it first.")
    return locked(table)


def _values(column: Array) -> Array:
    try:
        values = column if _is_locked(column) else np.array(column, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise DataError("The target must be numbers to be used as a value.") from error
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise DataError(f"The target of row {row + 1} is not a finite number; remove or fill it first.")
    return locked(values)


def _class_numbers(column: Array, count: int) -> Array:
    if column.dtype.kind not in "iu":
        raise DataError("Class numbers must be whole numbers.")
    numbers = np.array(column, dtype=np.int64, copy=True)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= count):
        raise DataError(f"Class numbers must lie between 0 and {count - 1}.")
    return locked(numbers)


def _is_locked(array: Any) -> bool:
    """Whether these are numbers nobody writes into any more, so that they need no copy (but still the checks)."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        return False
    return not array.flags.writeable and array.base is None and array.flags.c_contiguous


def _image_shape(shape: Any, d: int) -> tuple[int, int] | None:
    if shape is None:
        return None
    height, width = whole_numbers(shape, "height and width of a picture", (2,), 0, 1 << 31).tolist()
    if height < 1 or width < 1 or height * width != d:
        raise DataError(f"Pictures of {height} x {width} pixels need {height * width} features; there are {d}.")
    return height, width


def _categories(given: Any, table: Array) -> tuple[tuple[int, tuple[str, ...]], ...]:
    pairs = given.items() if isinstance(given, Mapping) else given
    found = tuple(sorted((int(column), names_of(names, len(tuple(names)), "name")) for column, names in pairs))
    for column, names in found:
        if not 0 <= column < table.shape[1]:
            raise DataError(f"There is no column {column + 1} to hold categories.")
        codes = table[:, column]
        if (codes != np.rint(codes)).any() or (codes < 0).any() or (codes >= len(names)).any():
            raise DataError(f"Column {column + 1} must hold the codes 0 to {len(names) - 1} of its categories.")
    return found


def _plain_shape(raw: Any) -> tuple[int, int] | None:
    if raw is None:
        return None
    if not (isinstance(raw, list) and len(raw) == 2 and all(type(side) is int for side in raw)):
        raise DataError("The shape of the pictures is not two whole numbers.")
    return raw[0], raw[1]


def _plain_categories(raw: Any) -> tuple[tuple[int, tuple[str, ...]], ...]:
    if not isinstance(raw, list):
        raise DataError("The categories are not a list.")
    for pair in raw:
        fits = isinstance(pair, list) and len(pair) == 2 and type(pair[0]) is int and isinstance(pair[1], list)
        if not fits or not all(isinstance(name, str) for name in pair[1]):
            raise DataError("The categories are not columns with names.")
    return tuple((pair[0], tuple(pair[1])) for pair in raw)


def _indicators(given: Any, d: int) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    found = tuple(sorted((int(first), label(name), tuple(map(label, levels))) for first, name, levels in given))
    end = 0
    for first, _, levels in found:
        if not levels or first < end or first + (len(levels) if len(levels) > 2 else 1) > d:
            raise DataError("The indicator columns of a category do not fit the features.")
        end = first + (len(levels) if len(levels) > 2 else 1)
    return found


def _plain_indicators(raw: Any) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    if not isinstance(raw, list):
        raise DataError("The indicators are not a list.")
    for entry in raw:
        fits = isinstance(entry, list) and len(entry) == 3 and type(entry[0]) is int and isinstance(entry[1], str)
        if not fits or not (isinstance(entry[2], list) and all(isinstance(level, str) for level in entry[2])):
            raise DataError("The indicators are not columns with a name and levels.")
    return tuple((entry[0], entry[1], tuple(entry[2])) for entry in raw)
