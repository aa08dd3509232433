"""What the columns of a table are for: the one reading of a file, in the window, on the command line and in Python.

Nothing is refused that a person would simply leave out. Every decision is a sentence, and each can be overruled.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

import numpy as np

from algorithms.data import MAX_CLASSES, DataError
from algorithms.maths.words import listed
from algorithms.records import dataclass
from mlviz.data.columns import FEW_ROWS, WHY, Kind, can_be_classes, kind_of_column, most_levels, name_parts
from mlviz.data.roles import Role
from mlviz.data.table import Column, Table, power_of_two

Needs = Literal["none", "classes", "values", "any"]
TARGET_NAMES = (
    "target", "label", "labels", "class", "y", "outcome", "species", "diagnosis", "survived", "response", "churn",
    "default", "quality", "medv", "price", "result", "category",
)  # fmt: skip
"""What a target is called, the surest name first."""
TARGET_WORDS = ("target", "outcome", "label", "class", "price", "response")
"""Parts of such names."""
MAX_NUMBERED_CLASSES = 20
"""A target of whole numbers with more levels than this is a value: a count or a year, not a class."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody asks of a table; what is left open is decided by looking at it.

    Parameters
    ----------
    target : str, optional
        The column of the target, by name or number counted from 1; empty for none.
    needs : {"none", "classes", "values", "any"}
        What the method wants of a target, see ``Algorithm.target``.
    features, ignore, category : sequences of str
        Columns that are to be used, and no others; that are left out; that are categories whatever they hold.
    """

    target: str | None = None
    needs: Needs = "any"
    features: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    category: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything is asked for that only a table has."""
        return bool(self.target is not None or self.features or self.ignore or self.category)


OPEN = Wishes()


@dataclass(frozen=True, slots=True)
class Understood:
    """What each column is for, and the decisions in sentences."""

    roles: tuple[Role, ...]
    notes: tuple[str, ...] = ()


def understood(table: Table, wishes: Wishes = OPEN) -> Understood:
    """What the columns of a table are for: one answer for the window, the command line and Python.

    Columns that measure nothing are left out, few words are a category, and the target is the column that is asked
    for, or that is named like one, or the last that can be one.
    """
    columns, n = table.columns, table.rows
    kinds = [kind_of_column(column, j) for j, column in enumerate(columns)]
    features, ignored, categories = ({column_number(table, name) for name in names} for names in _columns_of(wishes))
    target = _target(table, kinds, wishes, ignored | features)
    roles: list[Role] = []
    for j, (column, kind) in enumerate(zip(columns, kinds)):
        if j in ignored or (features and j not in features):
            roles.append("ignore")
        elif j in categories:
            roles.append("category")
        elif kind.nature == "category":
            roles.append("category" if kind.levels <= MAX_CLASSES else "ignore")
        elif kind.nature == "number" or (j in features and not column.is_text):
            gaps = np.count_nonzero(column.missing)
            roles.append("feature" if 2 * gaps <= n or j in features else "ignore")
        else:
            roles.append("category" if j in features else "ignore")
    if target is not None:
        roles[target] = "class" if target_kind(columns[target], wishes.needs) == "classes" else "target"
    if not {"feature", "category"} & set(roles):
        _bring_back(roles, kinds, columns)
    notes = (*_left_out(table, kinds, roles, ignored | (set(range(len(columns))) - features if features else set())),)
    return Understood(tuple(roles), (*notes, *_said(table, roles, target, wishes)))


def _columns_of(wishes: Wishes) -> tuple[tuple[str, ...], ...]:
    return wishes.features, wishes.ignore, wishes.category


def _bring_back(roles: list[Role], kinds: list[Kind], columns: tuple[Column, ...]) -> None:
    """A table of nothing but row numbers and ids has these as its features."""
    for natures in (("row number", "id"), ("constant",)):
        for j, kind in enumerate(kinds):
            if roles[j] == "ignore" and kind.nature in natures and not columns[j].is_text:
                roles[j] = "feature"
        if "feature" in roles:
            return


def _left_out(table: Table, kinds: list[Kind], roles: list[Role], asked: set[int]) -> tuple[str, ...]:
    """The columns that are left out, and why."""
    found = []
    for j, (column, kind) in enumerate(zip(table.columns, kinds)):
        if roles[j] != "ignore" or j in asked or (kind.nature == "empty" and _is_padding(column, j)):
            continue
        why = WHY.get(kind.nature)
        if why is None:
            gaps = int(np.count_nonzero(column.missing))
            words = kind.nature == "category" and 2 * gaps <= table.rows
            why = f"{kind.levels:,} words" if words else f"{gaps:,} of {table.rows:,} values are missing"
        found.append(f"{column.name!r} ({why})")
    if not found:
        return ()
    verb = "is" if len(found) == 1 else "are"
    return (f"Left out {verb} {_some(found, 8)}.",)


def _said(table: Table, roles: list[Role], target: int | None, wishes: Wishes) -> tuple[str, ...]:
    """Which column is the target, and whether another one gives it away."""
    if target is None:
        return ()
    column = table.columns[target]
    said = []
    if wishes.target is None:
        said.append(f"The target is {column.name!r}.")
    used = [other for other, role in zip(table.columns, roles) if role in ("feature", "category")]
    telling = [other.name for other in used if _gives_away(other, column, roles[target] == "class")]
    if telling:
        names = _some([repr(name) for name in telling], 4)
        verb = "gives" if len(telling) == 1 else "give"
        said.append(f"{names} alone {verb} {column.name!r} away.")
    return tuple(said)


def _gives_away(column: Column, target: Column, classes: bool) -> bool:
    """Whether this column alone says what the target is."""
    known = ~(column.missing | target.missing)
    x, y = column.values[known], target.values[known]
    if len(x) < FEW_ROWS or len(np.unique(y)) < 2:
        return False
    if classes:
        pairs = np.unique(np.column_stack([x, y]).astype(np.float64), axis=0)
        levels = len(np.unique(x))
        return len(pairs) == levels <= min(most_levels(len(x)), len(x) // 2)
    if column.is_text:
        return False
    with np.errstate(all="ignore"):
        scale_x, scale_y = power_of_two(x), power_of_two(y)
        return bool(abs(np.corrcoef(x / scale_x, y / scale_y)[0, 1]) > 1.0 - 1e-9)


def _target(table: Table, kinds: list[Kind], wishes: Wishes, taken: set[int]) -> int | None:
    """The column of the target: the one that is asked for, hinted at, named like one, or the last that can be one."""
    if wishes.target is not None:
        return column_number(table, wishes.target) if wishes.target else None
    able = [j for j in range(len(kinds)) if j not in taken and _can_be_target(table.columns[j], kinds[j], wishes.needs)]
    if len(kinds) < 2:
        return None
    hinted = [j for j, column in enumerate(table.columns) if column.hint == "target"]
    if hinted:
        return hinted[0]
    named = sorted((rank, j) for j in able if (rank := _rank_of_name(table, j)) is not None)
    if named:
        return named[0][1]
    last = able[-1] if able else None
    if wishes.needs == "none":  # only a class that cannot be overlooked is set aside
        words = last is not None and table.columns[last].is_text and last == len(kinds) - 1
        return last if words else None
    return last


def _can_be_target(column: Column, kind: Kind, needs: Needs) -> bool:
    if not kind.measures or kind.levels < 2 or 2 * np.count_nonzero(column.missing) > len(column.values):
        return False
    if needs == "values":
        return not column.is_text
    classes = can_be_classes(column, kind, MAX_NUMBERED_CLASSES)
    return classes or (needs == "any" and kind.nature == "number")


def _rank_of_name(table: Table, j: int) -> int | None:
    """How surely the name of a column is that of a target, 0 the most; None where it is like any other."""
    name = table.columns[j].name.strip().lower()
    if name in TARGET_NAMES:
        others = {column.name.strip().lower() for column in table.columns}
        place = name == "y" and "x" in others and len(others) > 2  # beside other columns, x and y are a place
        return None if place else TARGET_NAMES.index(name)
    parts = name_parts(table.columns[j].name)
    ranks = [len(TARGET_NAMES) + rank for rank, word in enumerate(TARGET_WORDS) if word in parts]
    if not ranks and name in (table.name.lower(), table.name.lower().removesuffix("s")):
        ranks = [2 * len(TARGET_NAMES)]
    return min(ranks, default=None)


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


def target_kind(column: Column, needs: Needs = "any") -> Literal["classes", "values"]:
    """The method decides; where it takes either, text and whole numbers with few levels are classes."""
    if column.is_text or column.hint == "category":
        return "classes"
    if needs in ("classes", "values"):
        return needs
    present = column.values[~np.isnan(column.values)]
    whole = bool(len(present)) and bool(np.all(np.abs(present) < 1e15) and np.all(present == np.rint(present)))
    if not whole:
        return "values"
    levels = len(np.unique(present))
    few = levels <= MAX_NUMBERED_CLASSES and (levels <= 2 or 2 * levels <= len(present))
    return "classes" if few else "values"


def _is_padding(column: Column, number: int) -> bool:
    """Whether the column only exists because every line ends with a separator."""
    return column.name in (f"column{number}", f"x{number + 1}") and bool(column.missing.all())


def _some(words: Sequence[str], most: int) -> str:
    """The words as a list; of many the first ones, and how many there are more."""
    more = len(words) - most
    return listed([*words[:most], *([f"{more:,} more"] if more > 0 else [])])
