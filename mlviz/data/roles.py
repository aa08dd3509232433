"""From a table to points: which column is a feature, which the target, and what becomes of missing values."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from algorithms.data import MAX_CLASSES, Array, DataError, Points
from algorithms.data.magnitude import MOST
from algorithms.records import dataclass
from mlviz.data.table import Column, Table, parsed, power_of_two

Role = Literal["feature", "category", "target", "class", "ignore"]
ROLES: tuple[Role, ...] = get_args(Role)
Missing = Literal["refuse", "drop", "mean", "median", "mode"]
MAX_NUMBERED_CLASSES = 20
"""A target of whole numbers with more levels than this is a value: a count or a year, not a class."""
LARGEST = MOST
YES_OR_NO = ({0.0, 1.0}, {-1.0, 1.0}, {1.0, 2.0})
"""How answers to a question are coded in a column of numbers."""
TARGET_NAMES = ("class", "label", "labels", "target", "species", "y", "category", "outcome", "diagnosis")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user wants of a table: one role per column, and what to do with missing values and with many rows."""

    roles: tuple[Role, ...]
    missing: Missing = "refuse"
    limit: int | None = None
    """More rows than this are sampled at random, always the same ones."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The points, and what was left out or filled in to get them, in sentences."""

    points: Points
    notices: tuple[str, ...] = ()
    rows: int = 0
    """How many rows the points are a sample of; 0 when all rows are there."""


def guess_roles(table: Table) -> tuple[Role, ...]:
    """What the columns are probably for: numbers are features, one column of few words or of 0 and 1 is the class."""
    roles: list[Role] = [
        "category" if column.hint == "category" else "ignore" if _useless(column) else "feature"
        for column in table.columns
    ]
    usable = [j for j, column in enumerate(table.columns) if not column.missing.all()]
    hinted = [j for j in usable if table.columns[j].hint == "target"]
    words = [j for j in usable if _few_words(table.columns[j]) and roles[j] != "category"]
    named = [j for j in usable if table.columns[j].name.strip().lower() in TARGET_NAMES]
    named = [j for j in named if not table.columns[j].is_text or j in words]
    if words:  # beside a column of words, x and y are a place
        named = [j for j in named if table.columns[j].name.strip().lower() != "y" or j in words]
    chosen = next(iter(hinted or named or words[::-1] or _answers(table, usable)), None)
    rest = [j for j, role in enumerate(roles) if role != "ignore" and j != chosen]
    if chosen is not None and rest:
        roles[chosen] = "class" if target_kind(table.columns[chosen]) == "classes" else "target"
    return tuple(roles)


def probable_target(table: Table) -> str | None:
    """The column that is probably the class or the target, in the window, on the command line and in Python."""
    roles = guess_roles(table)
    return next((column.name for column, role in zip(table.columns, roles) if role in ("class", "target")), None)


def roles_for_target(table: Table, target: str | None) -> tuple[Role, ...]:
    """Every column a feature but the target, and one of a few words a category, as nobody is there to be asked.

    Columns without a name and a value are only a separator too many.
    """
    chosen = column_number(table, target) if target else None
    roles: list[Role] = [
        "ignore" if _is_padding(column, j) else "category" if _only_words(column) else "feature"
        for j, column in enumerate(table.columns)
    ]
    if chosen is not None:
        roles[chosen] = "class" if target_kind(table.columns[chosen]) == "classes" else "target"
    return tuple(roles)


def column_number(table: Table, target: str) -> int:
    """A column by name, or by number counted from 1."""
    names = [column.name for column in table.columns]
    if target in names:
        return names.index(target)
    if target.isascii() and target.isdigit() and 1 <= int(target[:9]) <= len(names):
        return int(target[:9]) - 1
    near = difflib.get_close_matches(target, names, n=1)
    some = ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")
    hint = f"did you mean {near[0]!r}?" if near else f"it has {some}."
    raise DataError(f"{table.file} has no column {target!r}; {hint}")


def target_kind(column: Column) -> Literal["classes", "values"]:
    """Text and whole numbers with few levels are classes, other numbers are values."""
    if column.is_text:
        return "classes"
    present = column.values[~np.isnan(column.values)]
    whole = bool(len(present)) and bool(np.all(np.abs(present) < 1e15) and np.all(present == np.rint(present)))
    if not whole:
        return "values"
    levels = len(np.unique(present))
    few = levels <= MAX_NUMBERED_CLASSES and (levels <= 2 or 2 * levels <= len(present))
    return "classes" if few else "values"


def to_points(table: Table, choices: Choices) -> Imported:
    """The points that the choices make of the table.

    Raises
    ------
    DataError
        A sentence that names the row and the column that cannot be used as chosen.
    """
    used = [(column, role) for column, role in zip(table.columns, choices.roles) if role in ("feature", "category")]
    coded = {column.name: _coded(column) for column, role in used if role == "category"}
    features = [coded[column.name][0] if role == "category" else column for column, role in used]
    targets = [(column, role) for column, role in zip(table.columns, choices.roles) if role in ("target", "class")]
    if len(targets) > 1:
        chosen = " and ".join(repr(column.name) for column, _ in targets[:3])
        raise DataError(f"Only one column can be the target or the class; {chosen} are chosen.")
    if not features:
        if all(column.missing.all() for column in table.columns):
            raise DataError(f"Every value of {table.file} is missing.")
        beside = " beside the target" if targets else ""
        raise DataError(f"{table.file} has no column left for the features{beside}.")
    for column in features:
        _check_feature(column, choices.missing)
    target, role = targets[0] if targets else (None, "ignore")
    if target is not None:
        _check_target(target, role == "class", choices.missing)
    keep, notices = _kept_rows(table, features, target, choices.missing)
    complete = len(keep)
    keep, sampled = _sample(keep, choices.limit)
    rows = complete if sampled else 0
    X = np.column_stack([_filled(column, keep, choices.missing, column.name in coded) for column in features])
    words = tuple((j, coded[column.name][1]) for j, column in enumerate(features) if column.name in coded)
    names: dict[str, Any] = {"features": tuple(column.name for column in features), "categories": words}
    names["name"], names["image_shape"] = table.name, _pictures(table, len(features))
    notices = (*table.notices, *notices, *sampled)
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
    if column.odd is not None and (gap is None or column.odd[0] < gap):
        row, text = column.odd
        raise DataError(f"Row {row} of the column {column.name!r} is {text!r}, which is not a finite number.")
    if gap is not None:
        raise DataError(f"Row {gap} of the column {column.name!r} has no value; fill it in or remove the row.")


# -- rows -------------------------------------------------------------------------------------------------------------


def _kept_rows(
    table: Table, features: list[Column], target: Column | None, missing: Missing
) -> tuple[Array, tuple[str, ...]]:
    """The rows to use, in order, and what is to be said of the others."""
    keep = np.ones(table.rows, dtype=bool)
    notices: list[str] = []
    if missing == "refuse":
        return np.flatnonzero(keep), ()
    gaps = np.zeros(table.rows, dtype=bool)
    cells = 0
    for column in features:
        bad = ~np.isfinite(column.values)
        gaps |= bad
        cells += int(np.count_nonzero(bad))
    if missing == "drop" and gaps.any():
        keep &= ~gaps
        notices.append(f"{_rows(int(gaps.sum()), table.rows)} left out because a value is missing{_odd(features)}.")
    elif missing in _FILLS and cells:
        what = f"missing value{'s' if cells > 1 else ''}{_odd(features)}"
        notices.append(f"{cells:,} {what} filled in with the {missing} of the column.")
    if target is not None:
        empty = target.missing if target.is_text else ~np.isfinite(target.values)
        if (empty & keep).any():
            count = int((empty & keep).sum())
            notices.append(f"{_rows(count, table.rows)} left out because {target.name!r} is missing.")
            keep &= ~empty
    if not keep.any():
        raise DataError(f"No row of {table.file} is complete, so none is left; leave a column out or fill it in.")
    return np.flatnonzero(keep), tuple(notices)


def _odd(features: list[Column]) -> str:
    """That a value is there but cannot be used, and where the first one is; nothing when there is none."""
    for column in features:
        if column.odd is not None:
            row, text = column.odd
            return f" or not a finite number (row {row} of the column {column.name!r} is {text!r})"
    return ""


def _rows(count: int, of: int) -> str:
    return f"{count:,} of {of:,} rows {'is' if count == 1 else 'are'}"


def _sample(keep: Array, limit: int | None) -> tuple[Array, tuple[str, ...]]:
    if limit is None or len(keep) <= limit:
        return keep, ()
    chosen = np.random.default_rng(0).choice(len(keep), size=limit, replace=False)
    return keep[np.sort(chosen)], (f"A random sample of {limit:,} of {len(keep):,} rows is used.",)


def _filled(column: Column, keep: Array, missing: Missing, coded: bool = False) -> Array:
    values = column.values[keep]
    if missing not in _FILLS:
        return values
    if coded:
        missing = "mode"  # between two categories there is none
    finite = column.values[np.isfinite(column.values)]
    scale = power_of_two(finite)  # a mean of the largest numbers must not overflow
    return np.where(np.isfinite(values), values, _FILLS[missing](finite / scale) * scale)


def _mode(values: Array) -> float:
    """The most frequent value, the least of several."""
    levels, counts = np.unique(values, return_counts=True)
    return float(levels[counts.argmax()])


_FILLS: dict[Missing, Callable[[Array], Any]] = {"mean": np.mean, "median": np.median, "mode": _mode}


def _target_values(column: Column, keep: Array, kind: str) -> Array:
    values = column.values[keep]
    if column.levels is not None:
        return np.array(column.levels, dtype=np.str_)[values]
    if kind == "classes" and np.all(np.abs(values) < 1e15) and np.all(values == np.rint(values)):
        return values.astype(np.int64)
    return values


def _useless(column: Column) -> bool:
    return column.is_text or bool(column.missing.all())


def _few_words(column: Column) -> bool:
    return column.levels is not None and 1 <= len(column.levels) <= min(MAX_CLASSES, max(2, len(column.values) // 2))


def _only_words(column: Column) -> bool:
    """Whether a column is a category: few different words, and not a number among them, or the file says so."""
    if column.hint == "category":
        return True
    return _few_words(column) and all(parsed(level) is None for level in column.levels or ())


def _answers(table: Table, usable: list[int]) -> list[int]:
    """The column of 0 and 1 that is probably the class: the only one of its kind, or the last one of the table."""
    found = [j for j in usable if set(np.unique(table.columns[j].values[~table.columns[j].missing])) in YES_OR_NO]
    return found if len(found) == 1 else [j for j in found if j == usable[-1]]


def _is_padding(column: Column, number: int) -> bool:
    """Whether the column only exists because every line ends with a separator."""
    return column.name in (f"column{number}", f"x{number + 1}") and bool(column.missing.all())
