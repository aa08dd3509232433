"""From a table to points: which column is a feature, which the target, and what becomes of missing values."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from algorithms.data import MAX_CLASSES, Array, DataError, Points
from algorithms.data.magnitude import MOST
from algorithms.records import dataclass
from mlviz.data.gaps import Feature, Missing, filled
from mlviz.data.table import Column, Table, parsed

Role = Literal["feature", "category", "target", "class", "ignore"]
ROLES: tuple[Role, ...] = get_args(Role)
LARGEST = MOST


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user wants of a table: one role per column, and what to do with missing values and with many rows."""

    roles: tuple[Role, ...]
    missing: Missing = "suggested"
    limit: int | None = None
    """More rows than this are sampled at random, always the same ones."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The points, and what was left out or filled in to get them, in sentences."""

    points: Points
    notices: tuple[str, ...] = ()
    rows: int = 0
    """How many rows the points are a sample of; 0 when all rows are there."""


def to_points(table: Table, choices: Choices) -> Imported:
    """The points that the choices make of the table.

    Raises
    ------
    DataError
        A sentence that names the row and the column that cannot be used as chosen.
    """
    used = [(column, role) for column, role in zip(table.columns, choices.roles) if role in ("feature", "category")]
    coded = {column.name: _coded(column) for column, role in used if role == "category"}
    features = [Feature(*coded[column.name]) if role == "category" else Feature(column) for column, role in used]
    targets = [(column, role) for column, role in zip(table.columns, choices.roles) if role in ("target", "class")]
    if len(targets) > 1:
        chosen = " and ".join(repr(column.name) for column, _ in targets[:3])
        raise DataError(f"Only one column can be the target or the class; {chosen} are chosen.")
    if not features:
        if all(column.missing.all() for column in table.columns):
            raise DataError(f"Every value of {table.file} is missing.")
        beside = " beside the target" if targets else ""
        raise DataError(f"{table.file} has no column left for the features{beside}.")
    for feature in features:
        _check_feature(feature.column, choices.missing)
    target, role = targets[0] if targets else (None, "ignore")
    if target is not None:
        _check_target(target, role == "class", choices.missing)
    made = filled(table, features, target, choices.missing)
    keep, sampled = _sample(made.keep, choices.limit)
    rows = len(made.keep) if sampled else 0
    words = tuple((j, feature.words) for j, feature in enumerate(features) if feature.words is not None)
    names: dict[str, Any] = {"features": tuple(feature.column.name for feature in features), "categories": words}
    names["name"], names["image_shape"] = table.name, _pictures(table, len(features))
    notices = (*table.notices, *made.notices, *sampled)
    X = made.X[keep]
    if target is None:
        return Imported(Points(X, **names), notices, rows)
    kind: Literal["classes", "values"] = "classes" if role == "class" else "values"
    points = Points.of(X, _target_values(target, keep, kind), kind, target=target.name, **names)
    return Imported(points, notices, rows)


def _pictures(table: Table, d: int) -> tuple[int, int] | None:
    """The shape of the pictures, as long as none of their pixels was left out."""
    shape = table.image_shape
    return shape if shape is not None and shape[0] * shape[1] == d else None


def check_workable(points: Points) -> None:
    """Refuse finite numbers whose squares are not: nothing can be drawn or fitted with them in the window."""
    whole = points.X if not points.is_valued or points.y is None else np.column_stack([points.X, points.y])
    huge = np.argwhere(np.abs(whole) > LARGEST)
    if len(huge):
        row, column = (int(place) for place in huge[0])
        name = (*points.features, points.target)[column]
        raise DataError(
            f"Point {row + 1} has {whole[row, column]:.4g} in the column {name!r}, which is too large to compute with."
        )


# -- checks -----------------------------------------------------------------------------------------------------------


def _check_feature(column: Column, missing: Missing) -> None:
    if column.levels is not None:
        _refuse_words(column, "choose it as a category or as the target, or leave it out")
    if column.missing.all():
        raise DataError(f"The column {column.name!r} has no values at all; leave it out.")
    if missing == "refuse":
        _refuse_gaps(column)
    elif not np.isfinite(column.values).any():
        raise DataError(f"The column {column.name!r} has no finite number; leave it out.")


def _check_target(column: Column, as_class: bool, missing: Missing) -> None:
    if column.levels is not None and not as_class:
        _refuse_words(column, "choose it as the class")
    if missing == "refuse":
        _refuse_gaps(column)
    if as_class:
        present = column.values[~column.missing]
        levels = len(np.unique(present))
        what = "texts" if column.is_text else "values"
        if levels > MAX_CLASSES:
            raise DataError(
                f"The target {column.name!r} has {levels} different {what}; at most {MAX_CLASSES} classes can be shown."
            )


def _coded(column: Column) -> tuple[Column, tuple[str, ...]]:
    """Words, or a few different numbers, as codes 0, 1 ... with their names."""
    present = column.values[~column.missing]
    levels = np.unique(present)
    if not len(levels):
        raise DataError(f"The column {column.name!r} has no values at all; leave it out.")
    if len(levels) > MAX_CLASSES:
        what = "texts" if column.is_text else "values"
        raise DataError(
            f"The column {column.name!r} has {len(levels):,} different {what}, too many for a category; "
            f"at most {MAX_CLASSES} can be told apart."
        )
    if column.levels is not None and column.hint == "category":
        return Column(column.name, np.where(column.missing, np.nan, column.values)), column.levels
    if column.levels is not None:
        names = [column.levels[int(level)] for level in levels]
    else:
        names = [f"{level:.10g}" for level in levels.tolist()]
    order = np.argsort(names, kind="stable") if column.is_text else np.arange(len(names))
    rank = np.empty(len(levels))
    rank[order] = np.arange(len(levels))
    codes = np.full(len(column.values), np.nan)
    codes[~column.missing] = rank[np.searchsorted(levels, present)]
    return Column(column.name, codes), tuple(names[k] for k in order.tolist())


def _refuse_words(column: Column, advice: str) -> None:
    """Name the first cell that is no number."""
    assert column.levels is not None
    word = np.array([parsed(level) is None for level in column.levels] + [False])  # the last one is for -1: missing
    rows = np.flatnonzero(word[column.values])
    if not len(rows):  # 1.5 and 1,5 in one column: each alone is a number
        rows = np.flatnonzero(column.values >= 0)
    if not len(rows):
        raise DataError(f"The column {column.name!r} has no values at all; leave it out.")
    value = column.levels[int(column.values[rows[0]])]
    shown = repr(value if len(value) <= 40 else value[:37] + "...")
    raise DataError(f"The column {column.name!r} is not numeric (row {rows[0] + 1} is {shown}); {advice}.")


def _refuse_gaps(column: Column) -> None:
    """Name the first cell that is missing or not finite, whichever comes first."""
    gaps = np.flatnonzero(column.missing)
    gap = int(gaps[0]) + 1 if len(gaps) else None
    if column.odd is not None and (gap is None or column.odd[0] <= gap):
        row, text = column.odd
        raise DataError(f"Row {row} of the column {column.name!r} is {text!r}, which is not a finite number.")
    if gap is not None:
        raise DataError(f"Row {gap} of the column {column.name!r} has no value; fill it in or remove the row.")


def _sample(keep: Array, limit: int | None) -> tuple[Array, tuple[str, ...]]:
    if limit is None or len(keep) <= limit:
        return keep, ()
    chosen = np.random.default_rng(0).choice(len(keep), size=limit, replace=False)
    return keep[np.sort(chosen)], (f"A random sample of {limit:,} of {len(keep):,} rows is used.",)


def _target_values(column: Column, keep: Array, kind: str) -> Array:
    values = column.values[keep]
    if column.levels is not None:
        return np.array(column.levels, dtype=np.str_)[values]
    if kind == "classes" and np.all(np.abs(values) < 1e15) and np.all(values == np.rint(values)):
        return values.astype(np.int64)
    return values
