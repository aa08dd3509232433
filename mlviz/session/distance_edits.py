"""Edits of a table of distances, as pure functions without a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.data import Array, DataError, Distances

LARGEST = 1e9


def with_distance(data: Distances, row: int, column: int, distance: float) -> Distances:
    """Another distance between two things, in both halves of the table."""
    if row == column:
        raise DataError("The distance of a thing to itself is always 0.")
    if not 0.0 <= distance <= LARGEST:
        raise DataError(f"A distance must be a number from 0 to {LARGEST:g}.")
    table = data.table.copy()
    table[row, column] = table[column, row] = distance
    return replace(data, table=table)


def without(data: Distances, rows: Array) -> tuple[Distances, Array]:
    """The table without some things, and which row each of the others was; one must stay."""
    kept = np.setdiff1d(np.arange(data.n), rows)
    if not len(kept):
        raise DataError("One row must stay.")
    names = tuple(data.names[k] for k in kept.tolist()) if data.names else ()
    return replace(data, table=data.table[np.ix_(kept, kept)], names=names), kept


def with_row(data: Distances) -> Distances:
    """One more thing, as far from all others as they are on average."""
    usual = float(data.table.sum() / max(data.n * (data.n - 1), 1)) or 1.0
    table = np.full((data.n + 1, data.n + 1), usual)
    table[:-1, :-1] = data.table
    table[-1, -1] = 0.0
    names = (*data.names, f"new {data.n + 1}") if data.names else ()
    return replace(data, table=table, names=names)
