"""What a column of a table is, by its name and its values: a measurement, a category, an id, names, nothing at all."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from algorithms.data import MAX_CLASSES, Array
from algorithms.records import dataclass
from mlviz.data.table import Column, parsed

Nature = Literal["number", "category", "empty", "constant", "row number", "id", "names", "text"]
WHY: dict[Nature, str] = {
    "empty": "no values",
    "constant": "the same everywhere",
    "row number": "row numbers",
    "id": "an id",
    "names": "every word is different",
    "text": "free text",
}
"""Why a column of this nature measures nothing, as a note says it in brackets."""
MOST_CODES = 12
"""A column whose name says that it holds codes has at most so many of them."""
MOST_WORDS = 100
FEW_ROWS = 8
"""In a table of fewer rows, words that are all different are still categories."""
_IDS = frozenset(
    [
        "id",
        "ids",
        "key",
        "uuid",
        "guid",
        "nr",
        "no",
        "num",
        "index",
        "idx",
        "obs",
        "serial",
        "code",
        "case",
        "subject",
        "patient",
        "customer",
        "account",
    ]
)
_CODES = frozenset(
    ("sex", "gender", "race", "ethnicity", "ethnic", "region", "group", "type", "kind", "class", "category", "marital")
    + (
        "religion",
        "treatment",
        "treat",
        "trt",
        "arm",
        "district",
        "zone",
        "cluster",
        "sector",
        "industry",
        "occupation",
    )
    + ("origin", "species", "colour", "color", "shape", "model", "brand", "status")
)
_ROWS = frozenset(("", "rownames", "row names", "index", "obs", "unnamed: 0", "row", "observation", "x1", "column0"))


@dataclass(frozen=True, slots=True)
class Kind:
    """The nature of a column, and how many different values it has."""

    nature: Nature
    levels: int

    @property
    def measures(self) -> bool:
        """Whether there is something to learn from the column."""
        return self.nature in ("number", "category")


def kind_of_column(column: Column, place: int) -> Kind:
    """What the column in this place of a table is."""
    present = column.values[~column.missing]
    levels = len(np.unique(present))
    return Kind(_nature(column, place, present, levels), levels)


def _nature(column: Column, place: int, present: Array, levels: int) -> Nature:
    n = len(column.values)
    if not levels:
        return "empty"
    if column.hint is not None:
        return "category" if column.hint == "category" else "number" if not column.is_text else "category"
    if levels == 1 and n >= FEW_ROWS:
        return "constant"
    distinct = levels == len(present) and n >= FEW_ROWS
    if column.is_text:
        return _nature_of_words(column, present, levels, distinct)
    if len(present) == n and n >= FEW_ROWS and present[0] in (0, 1) and _counts_up(present):
        return "row number"
    if place == 0 and distinct and column.name.strip().lower() in _ROWS and _whole(present):
        return "row number"
    if distinct and _whole(present) and name_parts(column.name) & _IDS:
        return "id"
    few = n >= FEW_ROWS and 3 <= levels <= min(MOST_CODES, most_levels(n)) and _whole(present)
    return "category" if few and name_parts(column.name) & _CODES else "number"


def _nature_of_words(column: Column, present: Array, levels: int, distinct: bool) -> Nature:
    if distinct:
        return "id" if name_parts(column.name) & _IDS else "names"
    return "category" if levels <= most_levels(len(column.values)) else "text"


def most_levels(n: int) -> int:
    """How many different words n rows may have in a category; more of them are a text."""
    return int(min(MAX_CLASSES, MOST_WORDS, max(n**0.7, 3)))


def name_parts(name: str) -> frozenset[str]:
    """The words that a name is made of: ``patientID`` and ``patient_id`` are of ``patient`` and ``id``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return frozenset(part for part in re.split(r"[^a-z0-9]+", apart.lower()) if part)


def can_be_classes(column: Column, kind: Kind, most: int) -> bool:
    """Whether the column can be a class: words, or at most so many different whole numbers that come again."""
    if not kind.measures or kind.levels < 2:
        return False
    if column.is_text or kind.nature == "category":
        return True
    present = column.values[~column.missing]
    return _whole(present) and kind.levels <= most and (kind.levels <= 2 or 2 * kind.levels <= len(present))


def _whole(values: Array) -> bool:
    return bool(np.all(np.abs(values) < 1e15) and np.all(values == np.rint(values)))


def _counts_up(values: Array) -> bool:
    return bool(np.array_equal(values, np.arange(len(values)) + values[0]))


def numbers_in(levels: tuple[str, ...], decimal: str | None = None) -> list[float | None]:
    """The number that each word stands for, None where it stands for none."""
    return [parsed(level, decimal) for level in levels]
