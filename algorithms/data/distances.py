"""Distances: a symmetric table of dissimilarities between named things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from algorithms.data.kind import Array, Data, DataError, array_in, label, locked, names_of, numbers, text_in, texts_in
from algorithms.records import dataclass

BLANK_ROWS = 4
MAX_ROWS = 4_000
_ROUNDING = 1e-9
"""How far, as a fraction of the largest distance, two halves of the table may differ by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Distances(Data):
    """How far apart every two things are: symmetric, zero on the diagonal, never negative.

    Parameters
    ----------
    table : array-like of shape (n, n)
    names : sequence of str, optional
    """

    kind: ClassVar[str] = "distances"
    item_name: ClassVar[str] = "row"

    table: Array  # (n, n) float64
    names: tuple[str, ...] = ()
    name: str = "distances"

    def __post_init__(self) -> None:
        table = np.array(numbers(self.table, "distances", 2))
        n = len(table)
        if table.shape != (n, n) or n == 0:
            raise DataError(f"A table of distances must be square; got {table.shape[0]} x {table.shape[1]}.")
        if n > MAX_ROWS:
            raise DataError(f"The table has {n:,} rows; at most {MAX_ROWS:,} can be used.")
        scale = float(np.abs(table).max())
        if (table < 0).any():
            row, column = (int(k) + 1 for k in np.argwhere(table < 0)[0])
            raise DataError(f"The distance in row {row}, column {column} is negative.")
        if np.abs(np.diagonal(table)).max() > _ROUNDING * scale:
            raise DataError("The distance of a thing to itself must be 0.")
        apart = np.abs(table - table.T)
        if apart.max() > _ROUNDING * scale:
            row, column = (int(k) + 1 for k in np.unravel_index(int(apart.argmax()), apart.shape))
            raise DataError(f"The table is not symmetric: row {row}, column {column} differs from its mirror image.")
        table = 0.5 * table + 0.5 * table.T
        np.fill_diagonal(table, 0.0)
        object.__setattr__(self, "table", locked(table))
        object.__setattr__(self, "names", names_of(self.names, n, "row"))
        object.__setattr__(self, "name", label(self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        # NumPy forgets the lock of an array in a pickle; building the table anew locks it again.
        return Distances, (self.table, self.names, self.name)

    @classmethod
    def blank(cls, target: str = "none") -> Distances:
        """A few things that are all equally far apart: there is no table without rows."""
        return cls(1.0 - np.eye(BLANK_ROWS), name="blank table")

    @property
    def n(self) -> int:
        """How many things there are."""
        return len(self.table)

    def row_name(self, row: int) -> str:
        """The name of a thing, or its number counted from 1."""
        return self.names[row] if self.names else str(row + 1)

    def item_text(self, number: int) -> str:
        """A thing with what is nearest to it."""
        if self.n == 1:
            return self.row_name(number)
        others = np.where(np.arange(self.n) == number, np.inf, self.table[number])
        nearest = int(others.argmin())
        return f"{self.row_name(number)}:   nearest {self.row_name(nearest)} ({others[nearest]:.4g})"

    def columns(self) -> dict[str, list[Any]]:
        """The table with the names in front; numbers tell equal names apart."""
        names = [self.row_name(k) for k in range(self.n)]
        if len(set(names)) < len(names):
            names = [f"{k + 1} {name}" for k, name in enumerate(names)]
        return {"": list[Any](names)} | {name: self.table[:, k].tolist() for k, name in enumerate(names)}

    def about(self) -> dict[str, Any]:
        """How many rows, and their names."""
        return {"kind": self.kind, "rows": self.n, "names": list(self.names)}

    def arrays(self) -> dict[str, Array]:
        """The table."""
        return {"table": self.table}

    def facts(self) -> dict[str, Any]:
        """The names."""
        return {"name": self.name, "names": list(self.names)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], facts: Mapping[str, Any]) -> Distances:
        """The table of a file."""
        return cls(array_in(arrays, "table"), texts_in(facts, "names"), text_in(facts, "name", "distances"))
