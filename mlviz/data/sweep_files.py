"""The table of a sweep as a file, and the journal from which a sweep that was stopped goes on.

The journal is a line of JSON for what was asked and one for every finished cell, beside the table to be. It is there
only while a sweep is not finished. Lines are whole or, after a crash, the last one is not, and then it does not count.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.data import Array, DataError
from algorithms.maths.sweeps import Cell, Sweep
from mlviz.data.saving import in_a_sentence, placed, write_parquet

SUFFIXES = (".csv", ".parquet")
MOST_BYTES = 200 * 2**20


class Journal:
    """Finished cells on disk; those of an earlier try of the same sweep are there already."""

    def __init__(self, table: Path, sweep: Sweep, scheme: dict[str, Any]) -> None:
        self.path = table.with_name(table.name + ".part")
        self._asked = json.dumps(_asked(sweep, scheme), sort_keys=True)
        with in_a_sentence(self.path):
            self.cells = self._read(sweep)
            """What was finished before."""
            if not self.path.exists():
                self.path.write_text(self._asked + "\n", encoding="utf-8")

    def add(self, cell: Cell) -> None:
        """Keep a cell."""
        line = {"place": list(cell.place), "errors": cell.errors.tolist(), "refusal": cell.refusal}
        with in_a_sentence(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def remove(self) -> None:
        """The table is written."""
        self.path.unlink(missing_ok=True)

    def _read(self, sweep: Sweep) -> list[Cell]:
        if not self.path.exists():
            return []
        if not self.path.is_file() or self.path.stat().st_size > MOST_BYTES:
            raise DataError(f"{str(self.path)!r} is no unfinished sweep; move it away.")
        text = self.path.read_text(encoding="utf-8", errors="replace")
        first, *lines = text.split("\n")
        if first != self._asked:
            raise DataError(
                f"{str(self.path)!r} holds an unfinished sweep over something else; remove it, or name another file."
            )
        if not text.endswith("\n"):  # the last line was being written when everything ended
            lines = lines[:-1]
            self.path.write_text("\n".join([first, *lines, ""]), encoding="utf-8")
        try:
            return [_cell(json.loads(line), sweep) for line in lines if line]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise DataError(f"{str(self.path)!r} is damaged; remove it, and the sweep begins anew.") from error


def _asked(sweep: Sweep, scheme: dict[str, Any]) -> dict[str, Any]:
    axes = [[axis.name, list(axis.values)] for axis in sweep.axes]
    return {"method": sweep.method.text, "over": axes, "data": sweep.data.sha256, "seed": sweep.seed, **scheme}


def _cell(line: dict[str, Any], sweep: Sweep) -> Cell:
    place, errors = tuple(int(position) for position in line["place"]), np.array(line["errors"], dtype=np.float64)
    refusal = str(line["refusal"])
    if len(errors) not in (0, len(sweep.parts)) or min(place) < 0 or not (refusal or len(errors)):
        raise ValueError(line)
    return Cell(place, sweep.at(place).text, errors, refusal)


def columns_of(found: Sequence[Cell], sweep: Sweep) -> dict[str, list[Any]]:
    """A row for each cell: its values, the mean error, its standard error, and the error of every split."""
    rows = sorted(found, key=lambda cell: cell.place)
    settings = [sweep.values(cell.place) for cell in rows]
    columns: dict[str, list[Any]] = {axis.name: [values[axis.name] for values in settings] for axis in sweep.axes}
    columns["mean_error"] = [cell.mean for cell in rows]
    columns["standard_error"] = [cell.standard_error if len(cell.errors) else math.nan for cell in rows]
    for number, part in enumerate(sweep.parts):
        name = f"repeat_{part.repeat + 1}_fold_{part.fold + 1}"
        columns[name] = [float(cell.errors[number]) if len(cell.errors) else math.nan for cell in rows]
    columns["refusal"] = [cell.refusal for cell in rows]
    return columns


def write_table(path: Path, columns: dict[str, list[Any]]) -> None:
    """CSV or Parquet, as the ending says, whole or not at all; a number that does not exist is an empty cell."""
    with placed(path) as temporary:
        if path.suffix.lower() == ".parquet":
            write_parquet(temporary, {name: _array(values) for name, values in columns.items()})
        else:
            temporary.write_text(_csv_of(columns), encoding="utf-8")


def _csv_of(columns: dict[str, list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if isinstance(value, float) and math.isnan(value) else value for value in row])
    return text.getvalue()


def _array(values: list[Any]) -> Array:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return np.array(values, dtype=np.float64) if numbers else np.array([str(value) for value in values], dtype=object)
